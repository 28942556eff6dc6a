/*
 * symkern.c - kernel symbols, from /proc/kallsyms when first asked.
 *
 * Symbols have no sizes there: each reaches to the next one, and the last of a
 * region no further than REACH. Where the kernel hides addresses
 * (kptr_restrict), they are all 0 and nothing has a name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/sym.h"
#include "trace/sym_impl.h"

enum { REACH = 1 << 20 };

static int
module_index(struct symtab *st, const char *name, size_t len)
{
	const char **mod;
	size_t i;

	for (i = st->nkmod; i-- > 0; )
		if (strncmp(st->kmod[i], name, len) == 0 &&
		    st->kmod[i][len] == '\0')
			return (int)i;
	if (st->nkmod > UINT16_MAX - 1)
		return -1;
	mod = realloc(st->kmod, (st->nkmod + 1) * sizeof(*mod));
	if (mod == NULL)
		return -1;
	st->kmod = mod;
	st->kmod[st->nkmod] = symlist_dup(&st->kern, name, len);
	if (st->kmod[st->nkmod] == NULL)
		return -1;
	return (int)st->nkmod++;
}

/*
 * "ffffffff81000000 T name\t[module]". The size carries the module until all
 * are sorted; a global name is preferred to a local one.
 */
static int
add_line(struct symtab *st, const char *line)
{
	char *end;
	uint64_t addr = strtoull(line, &end, 16);
	const char *name, *tab;
	size_t len;
	char type;
	int mod = 0;

	if (addr == 0 || *end != ' ' || end[1] == '\0' || end[2] != ' ')
		return 0;
	type = end[1];
	name = end + 3;
	len = strcspn(name, "\t\n");
	tab = name + len;
	if (len == 0 || type == 'a' || type == 'A')
		return 0;
	if (tab[0] == '\t' && tab[1] == '[')
		mod = module_index(st, tab + 2, strcspn(tab + 2, "]\n"));
	if (mod == -1)
		return -1;
	return symlist_add(&st->kern, addr, (uint64_t)mod, name, len,
	    type >= 'A' && type <= 'Z' ? 0 : 1);
}

/* Modules out of the sizes, and real sizes into them. */
static int
settle(struct symtab *st)
{
	struct symlist *l = &st->kern;
	uint64_t next;
	size_t i;

	symlist_sort(l);
	if ((st->kmodof = calloc(l->n + 1, sizeof(*st->kmodof))) == NULL)
		return -1;
	st->kmodstart = calloc(st->nkmod + 1, sizeof(*st->kmodstart));
	if (st->kmodstart == NULL)
		return -1;
	for (i = l->n; i-- > 0; ) {
		st->kmodof[i] = (uint16_t)l->sym[i].size;
		st->kmodstart[st->kmodof[i]] = l->sym[i].start;
	}
	for (i = 0; i < l->n; i++) {
		next = i + 1 < l->n ? l->sym[i + 1].start : UINT64_MAX;
		l->sym[i].size = next - l->sym[i].start < REACH ?
		    next - l->sym[i].start : REACH;
	}
	return 0;
}

static void
kern_read(struct symtab *st)
{
	char *line = NULL;
	size_t cap = 0;
	FILE *fp;
	int r = 0;

	st->kern_read = true;
	if ((fp = fopen("/proc/kallsyms", "re")) == NULL)
		return;
	if (module_index(st, "vmlinux", 7) == -1)
		r = -1;
	while (r == 0 && getline(&line, &cap, fp) > 0)
		r = add_line(st, line);
	free(line);
	if (r == -1 || ferror(fp) || settle(st) == -1)
		st->kern.n = 0;
	fclose(fp);
}

bool
sym_kernel(struct symtab *st, uint64_t addr, struct symname *sn)
{
	struct symrange *r;

	memset(sn, 0, sizeof(*sn));
	if (!st->kern_read)
		kern_read(st);
	if ((r = symlist_find(&st->kern, addr)) == NULL)
		return false;
	sn->mod = st->kmod[st->kmodof[r - st->kern.sym]];
	sn->modstart = st->kmodstart[st->kmodof[r - st->kern.sym]];
	sn->name = r->name;
	sn->off = addr - r->start;
	return true;
}

uint64_t
sym_kernel_addr(struct symtab *st, const char *mod, const char *name)
{
	size_t i;

	if (!st->kern_read)
		kern_read(st);
	for (i = 0; i < st->kern.n; i++)
		if (strcmp(st->kern.sym[i].name, name) == 0 && (mod == NULL ||
		    strcmp(st->kmod[st->kmodof[i]], mod) == 0))
			return st->kern.sym[i].start;
	return 0;
}
