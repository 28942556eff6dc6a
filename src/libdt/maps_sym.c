/* Names of addresses in stacks, by the mappings of their time. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/maps_impl.h"

#define ANSWERS_MAX	(1u << 18)	/* frames that are remembered */
#define NAME_BYTES	1024		/* of a symbol; longer ones are cut */

/* The vdso of this process, which is the same in all of this boot. */
static struct elfsym *
vdso_symbols(const struct maps *ms)
{
	unsigned long at = getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const void *)at;

	if (at == 0 || !ms->this_boot || eh->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	return elfsym_mem(eh, eh->e_shoff + (size_t)eh->e_shnum *
	    eh->e_shentsize, "vdso", NULL);
}

/* A file that is gone or hidden is a fact; any other error is one. */
static bool
is_absent(int err)
{
	return err == ENOENT || err == ENOTDIR || err == EACCES ||
	    err == EPERM || err == ELOOP || err == ENAMETOOLONG ||
	    err == ENXIO;
}

/* The file by its path, if it is the one that was mapped: 1 and *fd. */
static int
open_file(const struct map_file *f, int *fd, struct msg *m)
{
	char id[ELFID_HEX], *path = malloc(f->n + 1);
	struct stat st;
	ssize_t n;

	*fd = -1;
	if (path == NULL)
		return msg_set_nomem(m);
	n = record_unescape(path, f->path, f->n);
	if (n > 0) {
		path[n] = '\0';
		*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	free(path);
	if (n <= 0 || (*fd == -1 && is_absent(errno)))
		return 0;
	if (*fd == -1 || fstat(*fd, &st) == -1) {
		msg_set_errno(m, "open", f->path, "cannot open");
		if (*fd != -1)
			close(*fd);
		return -1;
	}
	n = 1;
	if (S_ISREG(st.st_mode))
		n = elfid_fd(*fd, f->path, id, m);
	if (n >= 0 && S_ISREG(st.st_mode) &&
	    strcmp(id, f->build_id != NULL ? f->build_id : "") == 0)
		return 1;
	close(*fd);
	return n == -1 ? -1 : 0;
}

/* A file is read once, whatever its paths; fd -1: the vdso. */
static int
symbols_of(struct maps *ms, int fd, struct map_file *f, struct msg *m)
{
	struct stat st = { 0 };
	uint64_t key[2] = { 0 };	/* no file is of inode 0 */
	ssize_t i;

	if (fd != -1 && fstat(fd, &st) == -1)
		return msg_set_errno(m, "open", f->path, "cannot open");
	key[0] = st.st_dev;
	key[1] = st.st_ino;
	i = names_add(&ms->inodes, (const char *)key, sizeof(key));
	if (i == -1 || ARRAY_ROOM(ms->sym, ms->nsym, ms->sym_cap) == -1)
		return msg_set_nomem(m);
	if ((size_t)i == ms->nsym)
		ms->sym[ms->nsym++] = fd == -1 ? vdso_symbols(ms) :
		    elfsym_fd(fd, f->path, ELFSYM_DEBUG_DIR, NULL);
	f->sym = ms->sym[i];
	return 0;
}

/* Symbols are a help: a file that has none, or a broken one, is no error. */
static int
load_symbols(struct maps *ms, struct map_file *f, struct msg *m)
{
	int fd, rc;

	f->tried = true;
	if (strcmp(f->path, "[vdso]") == 0)
		return symbols_of(ms, -1, f, m);
	if (!maps_is_file(f))
		return 0;
	rc = open_file(f, &fd, m);
	if (rc == 1) {
		rc = symbols_of(ms, fd, f, m);
		close(fd);
	} else if (rc == 0 && ms->exe != -1 && f->build_id != NULL &&
	    strcmp(ms->exe_id, f->build_id) == 0)
		rc = symbols_of(ms, ms->exe, f, m);
	return rc;
}

/* "module`symbol+0xoff" with a symbol as its file spells it. */
static char *
named(const char *module, size_t n, const char *symbol, uint64_t off,
    bool has_off)
{
	char name[NAME_BYTES * 4 + 1], tail[24] = "", *text;
	char *plain = elfsym_demangle(symbol);
	const char *s = plain != NULL ? plain : symbol;
	size_t len = strlen(s);

	record_escape_frame(name, sizeof(name), s,
	    len < NAME_BYTES ? len : NAME_BYTES);
	free(plain);
	if (has_off)
		(void)snprintf(tail, sizeof(tail), "+0x%" PRIx64, off);
	if (asprintf(&text, "%.*s`%s%s", (int)n, module, name, tail) == -1)
		return NULL;
	return text;
}

/* A bare address: its name, or its place in a file; NULL: neither. */
static int
resolve(struct maps *ms, size_t space, uint64_t addr, char **text,
    struct msg *m)
{
	struct map_file *f;
	const char *symbol;
	uint64_t fileoff, off, start;
	struct area a;
	char fn[32];
	int found;

	*text = NULL;
	if ((found = maps_find(ms, space, addr, &a)) != 1)
		return found == 0 ? 0 : msg_set_nomem(m);
	f = &ms->file[a.file];
	if (!maps_is_file(f) && strcmp(f->path, "[vdso]") != 0)
		return 0;
	fileoff = addr - a.start + a.off;
	if (!f->tried && load_symbols(ms, f, m) == -1)
		return -1;
	symbol = f->sym != NULL ? elfsym_find(f->sym, fileoff, &off) : NULL;
	/* stripped of its name, a function still has a beginning */
	if (symbol == NULL && f->sym != NULL &&
	    elfsym_nameless(f->sym, fileoff, &start, &off)) {
		(void)snprintf(fn, sizeof(fn), "fn@0x%" PRIx64, start);
		symbol = fn;
	}
	if (symbol != NULL)
		*text = named(f->module, strlen(f->module), symbol, off, true);
	else if (asprintf(text, "%s`+0x%" PRIx64, f->module, fileoff) == -1)
		*text = NULL;
	return *text != NULL ? 0 : msg_set_nomem(m);
}

/* "0x..." alone or after a module: the address. */
static bool
bare(const char *s, size_t n, uint64_t *addr)
{
	size_t i;
	char c;

	if (n < 3 || n > 18 || s[0] != '0' || s[1] != 'x')
		return false;
	*addr = 0;
	for (i = 2; i < n; i++) {
		c = s[i];
		if (c >= '0' && c <= '9')
			*addr = *addr << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*addr = *addr << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	return true;
}

/* "module`_Zsymbol+0xoff": demangled; NULL to leave it as it is. */
static char *
demangled(const char *s, size_t n, const char *tick)
{
	size_t mod = (size_t)(tick - s), len;
	const char *plus = NULL, *p;
	char symbol[NAME_BYTES], *plain, *text;
	uint64_t off = 0;

	for (p = tick + 1; p < s + n; p++)
		if (*p == '+')
			plus = p;
	if (plus != NULL && !bare(plus + 1, (size_t)(s + n - plus - 1), &off))
		return NULL;
	len = (size_t)((plus != NULL ? plus : s + n) - tick - 1);
	if (len < 3 || len >= sizeof(symbol) || tick[1] != '_' ||
	    memchr(tick, '\\', len) != NULL)
		return NULL;
	memcpy(symbol, tick + 1, len);
	symbol[len] = '\0';
	if ((plain = elfsym_demangle(symbol)) == NULL)
		return NULL;
	free(plain);
	text = named(s, mod, symbol, off, plus != NULL);
	return text;
}

/* What a frame becomes; NULL: it stays. */
static int
answer(struct maps *ms, size_t space, const char *s, size_t n, char **text,
    struct msg *m)
{
	const char *tick = memchr(s, '`', n);
	uint64_t addr;

	if (bare(tick != NULL ? tick + 1 : s,
	    tick != NULL ? (size_t)(s + n - tick - 1) : n, &addr))
		return resolve(ms, space, addr, text, m);
	*text = tick != NULL ? demangled(s, n, tick) : NULL;
	return 0;
}

static void
forget(struct maps *ms)
{
	size_t i;

	for (i = 0; i < ms->nanswer; i++)
		free(ms->answer[i]);
	ms->nanswer = 0;
	names_free(&ms->frames);
	memset(&ms->frames, 0, sizeof(ms->frames));
}

/* Only frames with an address depend on the process and its mappings. */
static size_t
frame_key(const struct maps *ms, size_t space, const char *s, size_t n,
    char *key, size_t cap)
{
	const char *tick = memchr(s, '`', n);
	uint32_t who[2] = { 0, 0 };
	uint64_t addr;
	size_t head = sizeof(who);

	tick = tick != NULL ? tick + 1 : s;
	if (n + head > cap)
		return 0;
	if (bare(tick, (size_t)(s + n - tick), &addr)) {
		who[0] = (uint32_t)space + 1;
		who[1] = ms->space[space].epoch;
	}
	memcpy(key, who, head);
	memcpy(key + head, s, n);
	return head + n;
}

/* The frame's new text through the memory; NULL: it stays. */
static int
lookup(struct maps *ms, size_t space, const char *s, size_t n,
    const char **text, struct msg *m)
{
	char key[NAME_BYTES * 2];
	size_t len = frame_key(ms, space, s, n, key, sizeof(key));
	ssize_t i;

	*text = NULL;
	if (len == 0)
		return 0;	/* longer than any that is looked up */
	if (ms->nanswer >= ANSWERS_MAX)
		forget(ms);
	if ((i = names_add(&ms->frames, key, len)) == -1)
		return msg_set_nomem(m);
	if ((size_t)i == ms->nanswer) {
		if (ARRAY_ROOM(ms->answer, ms->nanswer, ms->answer_cap) == -1)
			return msg_set_nomem(m);
		if (answer(ms, space, s, n, &ms->answer[i], m) == -1)
			return -1;
		ms->nanswer++;
	}
	*text = ms->answer[i];
	return 0;
}

static int
put(struct maps *ms, size_t *used, const char *s, size_t n)
{
	size_t cap = ms->ncap > 0 ? ms->ncap : 4096;
	char *out;

	while (cap < *used + n + 2)
		cap *= 2;
	if (cap != ms->ncap) {
		if ((out = realloc(ms->out, cap)) == NULL)
			return -1;
		ms->out = out;
		ms->ncap = cap;
	}
	if (*used > 0)
		ms->out[(*used)++] = ';';
	memcpy(ms->out + *used, s, n);
	*used += n;
	return 0;
}

int
maps_resolve(struct maps *ms, uint64_t pid, uint64_t ts,
    const struct value *stack, const char **out, size_t *n, struct msg *m)
{
	ssize_t space = maps_space(ms, pid);
	const char *s, *text;
	size_t at = 0, len, used = 0;

	if (space == -1)
		return msg_set_nomem(m);
	if (maps_advance(ms, ts, m) == -1)
		return -1;
	while ((s = record_frame(stack, &at, &len)) != NULL) {
		if (lookup(ms, (size_t)space, s, len, &text, m) == -1)
			return -1;
		if (text != NULL) {
			s = text;
			len = strlen(text);
		}
		if (used + len + 1 > SCHEMA_STACK_MAX) {
			*out = stack->s;	/* too long with names */
			*n = stack->len;
			return 0;
		}
		if (put(ms, &used, s, len) == -1)
			return msg_set_nomem(m);
	}
	*out = ms->out;
	*n = used;
	return 0;
}
