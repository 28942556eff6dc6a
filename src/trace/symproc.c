/*
 * symproc.c - user addresses: the mappings of processes, noted while they
 * live and kept after.
 *
 * Mappings are read when a process is first seen, when an address is in none of
 * those known, and once a second while addresses of it are asked for. A main
 * program that has moved, or a new start time, is another program: older
 * mappings then only serve addresses that the new ones do not know.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/proc.h"
#include "sym.h"
#include "symint.h"

enum {
	FD_MAX = 256,			/* open files with unread symbols */
	PROC_MAX = 50000,		/* processes and mappings remembered */
	MAP_MAX = 4000000,
};
static const uint64_t stale_ns = NS_PER_S, again_ns = NS_PER_S / 200;

struct symtab *
sym_new(void)
{
	return calloc(1, sizeof(struct symtab));
}

static void
gen_free(struct symtab *st, struct symgen *g)
{
	struct symgen *older;

	for (; g != NULL; g = older) {
		older = g->older;
		st->nmap -= g->nmap;
		free(g->map);
		free(g);
	}
}

static void
proc_free(struct symtab *st, struct symproc *p)
{
	gen_free(st, p->gen);
	symjit_free(p->jit);
	free(p);
	st->nproc--;
}

void
sym_free(struct symtab *st)
{
	struct symfile *f;
	struct symproc *p;
	size_t i;

	if (st == NULL)
		return;
	for (i = 0; i < SYM_HASH; i++) {
		while ((p = st->proc[i]) != NULL) {
			st->proc[i] = p->next;
			proc_free(st, p);
		}
		while ((f = st->file[i]) != NULL) {
			st->file[i] = f->next;
			symfile_free(f);
		}
	}
	symlist_free(&st->kern);
	free(st->kmod);
	free(st->kmodof);
	free(st);
}

static bool
same_file(const struct symfile *f, const struct proc_map *pm)
{
	return f->inode == pm->inode && f->dev_major == pm->dev_major &&
	    f->dev_minor == pm->dev_minor && strcmp(f->path, pm->path) == 0;
}

/* The file of a mapping. It is opened at once, so that its symbols can still
 * be read when neither process nor path is there any more. */
static struct symfile *
file_of(struct symtab *st, pid_t pid, const struct proc_map *pm)
{
	size_t h = (pm->inode * 31 + pm->dev_minor) % SYM_HASH;
	struct symfile *f;

	for (f = st->file[h]; f != NULL; f = f->next)
		if (same_file(f, pm))
			return f;
	if ((f = calloc(1, sizeof(*f))) == NULL)
		return NULL;
	if ((f->path = strdup(pm->path)) == NULL) {
		free(f);
		return NULL;
	}
	f->mod = strrchr(f->path, '/');
	f->mod = f->mod != NULL ? f->mod + 1 : f->path;
	f->inode = pm->inode;
	f->dev_major = pm->dev_major;
	f->dev_minor = pm->dev_minor;
	f->fd = pm->inode != 0 ? proc_open_map(pid, pm, NULL) : -1;
	f->next = st->file[h];
	st->file[h] = f;
	if (f->fd != -1 && ++st->nfd > FD_MAX)
		symfile_load(f);
	return f;
}

struct reading {
	struct symtab *st;
	pid_t pid;
	struct symgen *gen;
};

/* One line of maps: executable ones are kept. */
static int
note_map(void *arg, const struct proc_map *pm)
{
	struct reading *rd = arg;
	struct symgen *g = rd->gen;
	struct symmap *map;

	if (pm->perms[2] != 'x')
		return 0;
	if (g->nmap == g->cap) {
		g->cap = g->cap != 0 ? g->cap * 2 : 16;
		map = realloc(g->map, g->cap * sizeof(*map));
		if (map == NULL)
			return -1;
		g->map = map;
	}
	map = &g->map[g->nmap++];
	*map = (struct symmap){ .start = pm->start, .end = pm->end,
	    .off = pm->offset };
	if (pm->inode != 0 || strcmp(pm->path, "[vdso]") == 0)
		map->file = file_of(rd->st, rd->pid, pm);
	return 0;
}

/* A library that is still mapped may have been joined by others, and one that
 * has gone keeps its place: the same program's mappings are merged. */
static bool
same_program(const struct symgen *a, const struct symgen *b)
{
	return a != NULL && a->nmap != 0 && b->nmap != 0 &&
	    a->map[0].start == b->map[0].start &&
	    a->map[0].file == b->map[0].file;
}

static int
cmp_map(const void *va, const void *vb)
{
	const struct symmap *a = va, *b = vb;

	return a->start < b->start ? -1 : a->start > b->start;
}

static bool
overlaps(const struct symgen *g, const struct symmap *m)
{
	size_t i;

	for (i = 0; i < g->nmap; i++)
		if (m->start < g->map[i].end && g->map[i].start < m->end)
			return true;
	return false;
}

/* Moves into g what only old has. */
static int
merge(struct symgen *g, const struct symgen *old)
{
	size_t i, n = g->nmap;
	struct symmap *map;

	map = realloc(g->map, (n + old->nmap) * sizeof(*map));
	if (map == NULL)
		return -1;
	g->map = map;
	g->cap = n + old->nmap;
	for (i = 0; i < old->nmap; i++)
		if (!overlaps(g, &old->map[i]))
			g->map[n++] = old->map[i];
	g->nmap = n;
	qsort(g->map, g->nmap, sizeof(*g->map), cmp_map);
	return 0;
}

static void
gen_adopt(struct symtab *st, struct symproc *p, struct symgen *g)
{
	struct symgen *old = p->gen;

	if (same_program(old, g) && merge(g, old) == 0) {
		g->older = old->older;
		old->older = NULL;
		gen_free(st, old);
	} else
		g->older = old;
	p->gen = g;
	st->nmap += g->nmap;
}

static void
proc_read(struct symtab *st, struct symproc *p)
{
	struct reading rd = { .st = st, .pid = p->pid };
	struct proc_stat ps;

	p->read_ns = clock_now();
	if (p->dead || st->nmap > MAP_MAX)
		return;
	if (proc_stat(p->pid, &ps, NULL) == -1 || (p->start_ticks != 0 &&
	    p->start_ticks != ps.start_ticks)) {
		p->dead = true;
		return;
	}
	p->start_ticks = ps.start_ticks;
	if ((rd.gen = calloc(1, sizeof(*rd.gen))) == NULL)
		return;
	if (proc_maps(p->pid, note_map, &rd, NULL) != 0 ||
	    rd.gen->nmap == 0) {
		free(rd.gen->map);	/* none: it is about to go */
		free(rd.gen);
		return;
	}
	gen_adopt(st, p, rd.gen);
}

/* Forgets processes that have gone, when there are too many. */
static void
make_room(struct symtab *st)
{
	struct symproc **pp, *p;
	size_t i;

	for (i = 0; i < SYM_HASH; i++)
		for (pp = &st->proc[i]; (p = *pp) != NULL; )
			if (p->dead || kill(p->pid, 0) == -1) {
				*pp = p->next;
				proc_free(st, p);
			} else
				pp = &p->next;
}

static struct symproc *
proc_get(struct symtab *st, pid_t pid, bool *fresh)
{
	size_t h = (size_t)pid % SYM_HASH;
	struct symproc *p;

	*fresh = false;
	for (p = st->proc[h]; p != NULL; p = p->next)
		if (p->pid == pid)
			return p;
	if (st->nproc >= PROC_MAX)
		make_room(st);
	if (st->nproc >= PROC_MAX || (p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	p->pid = pid;
	p->next = st->proc[h];
	st->proc[h] = p;
	st->nproc++;
	*fresh = true;
	return p;
}

/* A pid whose process had gone is another one's when it is seen anew. */
static void
revive(struct symproc *p)
{
	struct proc_stat ps;

	if (!p->dead || proc_stat(p->pid, &ps, NULL) == -1)
		return;
	p->dead = false;
	p->start_ticks = ps.start_ticks;
}

void
sym_note_pid(struct symtab *st, pid_t pid)
{
	bool fresh;
	struct symproc *p = proc_get(st, pid, &fresh);

	if (p != NULL && (fresh || p->dead ||
	    clock_now() - p->read_ns > stale_ns)) {
		revive(p);
		proc_read(st, p);
	}
}

void
sym_note_exec(struct symtab *st, pid_t pid)
{
	bool fresh;
	struct symproc *p = proc_get(st, pid, &fresh);

	if (p != NULL) {
		revive(p);
		proc_read(st, p);
	}
}

static const struct symmap *
gen_find(const struct symgen *g, uint64_t addr)
{
	size_t lo = 0, hi = g->nmap, i;

	while (lo < hi) {
		i = lo + (hi - lo) / 2;
		if (g->map[i].start <= addr)
			lo = i + 1;
		else
			hi = i;
	}
	if (lo == 0 || addr >= g->map[lo - 1].end)
		return NULL;
	return &g->map[lo - 1];
}

static const struct symmap *
proc_find(const struct symproc *p, uint64_t addr)
{
	const struct symmap *m = NULL;
	const struct symgen *g;

	for (g = p->gen; g != NULL && m == NULL; g = g->older)
		m = gen_find(g, addr);
	return m;
}

/* The mapping of an address, read anew where it may have changed. */
static const struct symmap *
find_map(struct symtab *st, struct symproc *p, bool fresh, uint64_t addr)
{
	uint64_t now = clock_now();
	const struct symmap *m;

	if (fresh || now - p->read_ns > stale_ns)
		proc_read(st, p);
	m = proc_find(p, addr);
	if (m == NULL && !p->dead && now - p->read_ns > again_ns) {
		proc_read(st, p);
		m = proc_find(p, addr);
	}
	return m;
}

bool
sym_user(struct symtab *st, pid_t pid, uint64_t addr, struct symname *sn)
{
	const struct symmap *m;
	struct symproc *p;
	bool fresh;

	memset(sn, 0, sizeof(*sn));
	if (pid <= 0 || (p = proc_get(st, pid, &fresh)) == NULL)
		return false;
	if ((m = find_map(st, p, fresh, addr)) == NULL)
		return false;
	if (m->file == NULL) {
		sn->name = symjit_find(p, addr, &sn->off);
		sn->mod = sn->name != NULL ? "[jit]" : NULL;
		return sn->name != NULL;
	}
	sn->mod = m->file->mod;
	sn->path = m->file->path;
	sn->fileoff = addr - m->start + m->off;
	sn->name = symfile_find(m->file, sn->fileoff, &sn->off);
	return true;
}
