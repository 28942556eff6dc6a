/* Symbols of an ELF file: its tables, PLT, debug data and frames. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_LIBELF
#include <gelf.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#include "libdt/elfframe.h"
#include "libdt/elfid.h"
#include "libdt/elfsym.h"
#include "libdt/elfsymtab.h"

#define SYMBOLS_MAX	(8u << 20)	/* of one table */
#define DEBUGDATA_MAX	((size_t)64 << 20)	/* bytes, decompressed */
#define SEGMENTS_MAX	256
#define NAME_BYTES	4096	/* of a symbol that are kept */
#define NAMES_LEAST	((size_t)64 << 20)	/* bytes of all, if shared */
#define SECTION_MAX	((size_t)512 << 20)	/* bytes, also of holes */

struct segment {
	uint64_t off, vaddr, size;	/* size: bytes in the file */
};

struct elfsym {
	char build_id[ELFID_HEX];
	struct segment seg[SEGMENTS_MAX];
	size_t nseg;
	struct symtab_list list;
	struct elfframes frames;
};

void
elfsym_free(struct elfsym *e)
{
	if (e == NULL)
		return;
	symtab_free(&e->list);
	elfframe_free(&e->frames);
	free(e);
}

const char *
elfsym_build_id(const struct elfsym *e)
{
	return e->build_id;
}

size_t
elfsym_count(const struct elfsym *e)
{
	return e->list.n;
}

const char *
elfsym_find_vaddr(const struct elfsym *e, uint64_t vaddr, uint64_t *off)
{
	return symtab_find(&e->list, vaddr, off);
}

/* The virtual address of a file offset in segment i; false: not in it. */
static bool
vaddr_of(const struct elfsym *e, size_t i, uint64_t fileoff, uint64_t *vaddr)
{
	const struct segment *s = &e->seg[i];

	if (fileoff < s->off || fileoff - s->off >= s->size)
		return false;
	*vaddr = fileoff - s->off + s->vaddr;
	return true;
}

const char *
elfsym_find(const struct elfsym *e, uint64_t fileoff, uint64_t *off)
{
	const char *name;
	uint64_t vaddr;
	size_t i;

	for (i = 0; i < e->nseg; i++) {
		if (!vaddr_of(e, i, fileoff, &vaddr))
			continue;
		name = elfsym_find_vaddr(e, vaddr, off);
		if (name != NULL)
			return name;
	}
	return NULL;
}

bool
elfsym_nameless(const struct elfsym *e, uint64_t fileoff, uint64_t *start,
    uint64_t *off)
{
	uint64_t vaddr;
	size_t i;

	for (i = 0; i < e->nseg; i++)
		if (vaddr_of(e, i, fileoff, &vaddr) &&
		    elfframe_find(&e->frames, vaddr, start)) {
			*off = vaddr - *start;
			return true;
		}
	return false;
}

#ifdef HAVE_LIBELF

static void
read_segments(struct elfsym *e, Elf *elf)
{
	size_t i, n;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (i = 0; i < n && e->nseg < SEGMENTS_MAX; i++) {
		if (gelf_getphdr(elf, (int)i, &ph) == NULL ||
		    ph.p_type != PT_LOAD || ph.p_filesz == 0)
			continue;
		e->seg[e->nseg++] = (struct segment){ ph.p_offset, ph.p_vaddr,
			ph.p_filesz };
	}
}

/*
 * Sections or segments that the header has no numbers for: libelf takes memory
 * for all of them at once, and no program has so many.
 */
static bool
is_vast(const void *head, size_t n)
{
	Elf64_Ehdr e = { .e_phnum = 0 };
	Elf32_Ehdr f = { .e_phnum = 0 };

	memcpy(&e, head, n < sizeof(e) ? n : sizeof(e));
	memcpy(&f, head, n < sizeof(f) ? n : sizeof(f));
	if (e.e_ident[EI_CLASS] == ELFCLASS64)
		return e.e_phnum == PN_XNUM ||
		    (e.e_shnum == 0 && e.e_shoff != 0);
	return f.e_phnum == PN_XNUM || (f.e_shnum == 0 && f.e_shoff != 0);
}

static Elf *
open_mem(const void *image, size_t n)
{
	/* ELF_C_READ of memory does not write to it */
	return is_vast(image, n) ? NULL :
	    elf_memory((char *)(uintptr_t)image, n);
}

static Elf *
open_fd(int fd)
{
	Elf64_Ehdr head;
	ssize_t n = pread(fd, &head, sizeof(head), 0);

	if (n == -1 || is_vast(&head, (size_t)n) ||
	    lseek(fd, 0, SEEK_SET) == -1)
		return NULL;
	return elf_begin(fd, ELF_C_READ, NULL);
}

/* What a section holds; NULL: nothing, or too much. */
static Elf_Data *
data_of(Elf_Scn *scn, Elf_Data *(*get)(Elf_Scn *, Elf_Data *))
{
	GElf_Shdr sh;

	return gelf_getshdr(scn, &sh) != NULL && sh.sh_size <= SECTION_MAX ?
	    get(scn, NULL) : NULL;
}

/*
 * A string table. elf_strptr() would look for the end of the whole table at
 * each string, and a file may let all symbols share one long string.
 */
struct strings { const char *p; size_t n; };

static struct strings
strings_of(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	Elf_Data *data = NULL;
	GElf_Shdr sh;

	if (scn != NULL && gelf_getshdr(scn, &sh) != NULL &&
	    sh.sh_type == SHT_STRTAB)
		data = data_of(scn, elf_getdata);
	if (data == NULL || data->d_buf == NULL)
		return (struct strings){ NULL, 0 };
	return (struct strings){ data->d_buf, data->d_size };
}

/* A string and its length, of which NAME_BYTES count; NULL: there is none. */
static const char *
string_at(const struct strings *s, uint64_t at, size_t *len)
{
	size_t room = at < s->n ? s->n - at : 0;
	const char *end;

	if (room == 0)
		return NULL;
	end = memchr(s->p + at, '\0', room < NAME_BYTES ? room : NAME_BYTES);
	if (end == NULL && room <= NAME_BYTES)
		return NULL;
	*len = end != NULL ? (size_t)(end - (s->p + at)) : NAME_BYTES;
	return s->p + at;
}

/* Functions, and the labels of assembler code without a type. */
static bool
is_code(const GElf_Sym *s, const char *name)
{
	unsigned type = GELF_ST_TYPE(s->st_info);

	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS ||
	    name[0] == '\0' || name[0] == '$')
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	    (type == STT_NOTYPE && s->st_value != 0);
}

static uint8_t
rank(const GElf_Sym *s)
{
	static const uint8_t of_bind[] = { [STB_LOCAL] = 2, [STB_GLOBAL] = 0,
		[STB_WEAK] = 1 };
	unsigned bind = GELF_ST_BIND(s->st_info);
	uint8_t r = bind < sizeof(of_bind) ? of_bind[bind] : 2;

	return GELF_ST_TYPE(s->st_info) == STT_NOTYPE ? r + 4 : r;
}

/* Room for the names of a table; symbols may all be named by the same bytes. */
static size_t
names_room(const struct strings *s, const Elf_Data *data)
{
	size_t own = (s->n + data->d_size) * 4;

	return own > NAMES_LEAST ? own : NAMES_LEAST;
}

static int
read_symbols(struct elfsym *e, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	struct strings strings = strings_of(elf, sh->sh_link);
	Elf_Data *data = data_of(scn, elf_getdata);
	const char *name, *version;
	GElf_Sym sym;
	size_t i, n, len, room;

	if (data == NULL || sh->sh_entsize == 0)
		return 0;
	n = data->d_size / sh->sh_entsize;
	room = e->list.used + names_room(&strings, data);
	for (i = 0; i < n && i < SYMBOLS_MAX && e->list.used < room; i++) {
		if (gelf_getsym(data, (int)i, &sym) == NULL)
			continue;
		name = string_at(&strings, sym.st_name, &len);
		if (name == NULL || !is_code(&sym, name))
			continue;
		version = memchr(name, '@', len);
		if (version != NULL)		/* memcpy@@GLIBC_2.14 */
			len = (size_t)(version - name);
		if (len > 0 && symtab_add(&e->list, sym.st_value, sym.st_size,
		    name, len, rank(&sym)) == -1)
			return -1;
	}
	return 0;
}

/* The section of that name; NULL if there is none. */
static Elf_Scn *
section(Elf *elf, const char *want, GElf_Shdr *sh)
{
	struct strings strings;
	Elf_Scn *scn = NULL;
	const char *name;
	size_t at, len;

	if (elf_getshdrstrndx(elf, &at) != 0)
		return NULL;
	strings = strings_of(elf, at);
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		if (gelf_getshdr(scn, sh) == NULL)
			continue;
		name = string_at(&strings, sh->sh_name, &len);
		if (name != NULL && len == strlen(want) &&
		    memcmp(name, want, len) == 0)
			return scn;
	}
	return NULL;
}

/* A file has one table of a type: more could all be of the same bytes. */
static int
read_table(struct elfsym *e, Elf *elf, uint32_t type, bool *found)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != type)
			continue;
		if (found != NULL)
			*found = true;
		return read_symbols(e, elf, scn, &sh);
	}
	return 0;
}

/* One relocation of .rela.plt: the name of the function it is for. */
static const char *
plt_name(Elf_Data *rel, const GElf_Shdr *rsh, size_t i, Elf_Data *syms,
    const struct strings *strings, size_t *len)
{
	GElf_Rela rela;
	GElf_Rel r;
	GElf_Sym sym;
	uint64_t info;

	if (rsh->sh_type == SHT_RELA) {
		if (gelf_getrela(rel, (int)i, &rela) == NULL)
			return NULL;
		info = rela.r_info;
	} else {
		if (gelf_getrel(rel, (int)i, &r) == NULL)
			return NULL;
		info = r.r_info;
	}
	if (GELF_R_SYM(info) == 0 ||
	    gelf_getsym(syms, (int)GELF_R_SYM(info), &sym) == NULL)
		return NULL;
	return string_at(strings, sym.st_name, len);
}

/*
 * Entry i of the table belongs to relocation i; what is larger than the
 * entries is a header before them.
 */
static int
plt_add(struct elfsym *e, Elf *elf, const GElf_Shdr *plt, Elf_Scn *rscn,
    const GElf_Shdr *rsh)
{
	Elf_Scn *sscn = elf_getscn(elf, rsh->sh_link);
	Elf_Data *rel = data_of(rscn, elf_getdata), *syms;
	uint64_t size = plt->sh_entsize > 4 ? plt->sh_entsize : 16, at;
	struct strings strings;
	char name[512];
	GElf_Shdr ssh;
	const char *s;
	size_t i, n, len;

	if (rel == NULL || rsh->sh_entsize == 0 || sscn == NULL ||
	    gelf_getshdr(sscn, &ssh) == NULL ||
	    (syms = data_of(sscn, elf_getdata)) == NULL)
		return 0;
	n = rel->d_size / rsh->sh_entsize;
	if (n > SYMBOLS_MAX || n * size > plt->sh_size)
		return 0;
	strings = strings_of(elf, ssh.sh_link);
	at = plt->sh_addr + (plt->sh_size - n * size);
	for (i = 0; i < n; i++, at += size) {
		s = plt_name(rel, rsh, i, syms, &strings, &len);
		if (s == NULL || len == 0 || len + 5 > sizeof(name))
			continue;
		memcpy(name, s, len);
		memcpy(name + len, "@plt", 5);
		if (symtab_add(&e->list, at, size, name, len + 4, 3) == -1)
			return -1;
	}
	return 0;
}

static int
read_plt(struct elfsym *e, Elf *elf)
{
	GElf_Shdr plt, rel;
	Elf_Scn *rscn;

	rscn = section(elf, ".rela.plt", &rel);
	if (rscn == NULL)
		rscn = section(elf, ".rel.plt", &rel);
	if (rscn == NULL || (section(elf, ".plt.sec", &plt) == NULL &&
	    section(elf, ".plt", &plt) == NULL))
		return 0;
	return plt_add(e, elf, &plt, rscn, &rel);
}

#ifdef HAVE_LZMA
/* The small symbol table some distributions ship, an ELF file in xz. */
static int
read_debugdata(struct elfsym *e, Elf *elf, bool *found)
{
	uint64_t limit = DEBUGDATA_MAX;
	size_t in = 0, out = 0;
	GElf_Shdr sh;
	Elf_Scn *scn = section(elf, ".gnu_debugdata", &sh);
	Elf_Data *data = scn != NULL ? data_of(scn, elf_rawdata) : NULL;
	uint8_t *buf;
	Elf *mini;
	int rc = 0;

	if (data == NULL || data->d_buf == NULL)
		return 0;
	if ((buf = malloc(DEBUGDATA_MAX)) == NULL)
		return -1;
	if (lzma_stream_buffer_decode(&limit, 0, NULL, data->d_buf, &in,
	    data->d_size, buf, &out, DEBUGDATA_MAX) == LZMA_OK &&
	    (mini = open_mem(buf, out)) != NULL) {
		rc = read_table(e, mini, SHT_SYMTAB, found);
		elf_end(mini);
	}
	free(buf);
	return rc;
}
#else
static int
read_debugdata(struct elfsym *e, Elf *elf, bool *found)
{
	(void)e, (void)elf, (void)found;
	return 0;
}
#endif

/* The debug file with this build-id; one that is not there is no error. */
static int
read_debug_file(struct elfsym *e, const char *debug_dir)
{
	char path[512], id[ELFID_HEX];
	Elf *elf;
	int fd, rc = 0;

	if (debug_dir == NULL || strlen(e->build_id) < 4 ||
	    snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug",
	    debug_dir, e->build_id, e->build_id + 2) >= (int)sizeof(path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1)
		return 0;
	if (elfid_fd(fd, path, id, NULL) == 0 && strcmp(id, e->build_id) == 0 &&
	    (elf = open_fd(fd)) != NULL) {
		rc = read_table(e, elf, SHT_SYMTAB, NULL);
		elf_end(elf);
	}
	close(fd);
	return rc;
}

static bool
section_bytes(Elf *elf, const char *name, struct elfbytes *b)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section(elf, name, &sh);
	Elf_Data *data = scn != NULL && sh.sh_type != SHT_NOBITS ?
	    data_of(scn, elf_rawdata) : NULL;

	if (data == NULL || data->d_buf == NULL)
		return false;
	*b = (struct elfbytes){ data->d_buf, data->d_size, sh.sh_addr };
	return true;
}

static int
read_frames(struct elfsym *e, Elf *elf)
{
	struct elfbytes hdr, eh;

	if (!section_bytes(elf, ".eh_frame_hdr", &hdr) ||
	    !section_bytes(elf, ".eh_frame", &eh))
		return 0;
	return elfframe_read(&e->frames, &hdr, &eh);
}

static struct elfsym *
read_elf(Elf *elf, const char *build_id, const char *name,
    const char *debug_dir, struct msg *m)
{
	struct elfsym *e = calloc(1, sizeof(*e));
	bool full = false;

	if (e == NULL) {
		msg_set_nomem(m);
		return NULL;
	}
	(void)snprintf(e->build_id, sizeof(e->build_id), "%s", build_id);
	if (elf_kind(elf) != ELF_K_ELF) {
		msg_set_at(m, "not-elf", name, 0, "is no ELF file");
		elfsym_free(e);
		return NULL;
	}
	read_segments(e, elf);
	if (read_table(e, elf, SHT_SYMTAB, &full) == -1 ||
	    (!full && read_debugdata(e, elf, &full) == -1) ||
	    (!full && read_debug_file(e, debug_dir) == -1) ||
	    read_table(e, elf, SHT_DYNSYM, NULL) == -1 ||
	    read_plt(e, elf) == -1 || read_frames(e, elf) == -1) {
		msg_set_nomem(m);
		elfsym_free(e);
		return NULL;
	}
	symtab_sort(&e->list);
	return e;
}

struct elfsym *
elfsym_fd(int fd, const char *name, const char *debug_dir, struct msg *m)
{
	char id[ELFID_HEX];
	struct elfsym *e;
	Elf *elf;

	elf_version(EV_CURRENT);
	if (elfid_fd(fd, name, id, m) == -1)
		return NULL;
	if ((elf = open_fd(fd)) == NULL) {
		msg_set_at(m, "not-elf", name, 0, "cannot be read as ELF");
		return NULL;
	}
	e = read_elf(elf, id, name, debug_dir, m);
	elf_end(elf);
	return e;
}

struct elfsym *
elfsym_mem(const void *image, size_t n, const char *name, struct msg *m)
{
	char id[ELFID_HEX];
	struct elfsym *e;
	Elf *elf;

	elf_version(EV_CURRENT);
	(void)elfid_mem(image, n, id);
	elf = open_mem(image, n);
	if (elf == NULL) {
		msg_set_at(m, "not-elf", name, 0, "cannot be read as ELF");
		return NULL;
	}
	e = read_elf(elf, id, name, NULL, m);
	elf_end(elf);
	return e;
}

#else

struct elfsym *
elfsym_fd(int fd, const char *name, const char *debug_dir, struct msg *m)
{
	(void)fd, (void)debug_dir;
	msg_set_at(m, "not-elf", name, 0, "built without libelf");
	return NULL;
}

struct elfsym *
elfsym_mem(const void *image, size_t n, const char *name, struct msg *m)
{
	(void)image, (void)n;
	msg_set_at(m, "not-elf", name, 0, "built without libelf");
	return NULL;
}

#endif
