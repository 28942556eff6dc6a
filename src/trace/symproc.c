/*
 * symproc.c - user addresses: the mappings of processes, noted while they
 * live and kept after.
 *
 * Mappings of a process that was there before us are read when it is first
 * seen, when an address is in none of those known, and once a second while
 * addresses of it are asked for. Of processes born or executed since, the
 * kernel tells them, where it lets us listen (symevent.h). A main program that
 * has moved is another program: older mappings then only serve addresses that
 * the new ones do not know.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/proc.h"
#include "trace/regs.h"
#include "trace/sym.h"
#include "trace/sym_impl.h"
#include "trace/symevent.h"

enum {
	FD_MAX = 256,			/* open files with unread symbols */
	PROC_MAX = 50000,		/* processes remembered */
	GEN_MAX = 8,			/* programs of one process */
};
/* A process that has gone is remembered so long: records lag behind. */
static const uint64_t linger_ns = 10 * NS_PER_S;
static const uint64_t stale_ns = NS_PER_S, again_ns = NS_PER_S / 200;
/* Events are taken this often; the newest may not be in all buffers yet. */
static const uint64_t drain_ns = NS_PER_S / 1000, settle_ns = NS_PER_S / 10000;

struct symtab *
sym_new(void)
{
	return calloc(1, sizeof(struct symtab));
}

static void
proc_free(struct symtab *st, struct symproc *p)
{
	if (p->unwind != NULL)
		st->nunwind--;
	symunwind_free(p->unwind);
	symgen_unref(p->gen);
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
	symevents_close(st->ev);
	symlist_free(&st->kern);
	free(st->kmod);
	free(st->kmodstart);
	free(st->kmodof);
	free(st);
}

static bool
same_file(const struct symfile *f, const struct proc_map *pm)
{
	return f->inode == pm->inode && f->dev_major == pm->dev_major &&
	    f->dev_minor == pm->dev_minor && strcmp(f->path, pm->path) == 0;
}

/* Of a process that has gone already, the path is looked up as it is. */
static int
open_mapped(pid_t pid, const struct proc_map *pm)
{
	int fd = proc_open_map(pid, pm, NULL);
	struct stat sb;

	if (fd != -1 || pm->path[0] != '/')
		return fd;
	fd = open(pm->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd != -1 && (fstat(fd, &sb) == -1 || !S_ISREG(sb.st_mode) ||
	    sb.st_ino != pm->inode)) {
		close(fd);
		fd = -1;
	}
	return fd;
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
	f->fd = pm->inode != 0 ? open_mapped(pid, pm) : -1;
	f->keepopen = st->keepopen;
	f->next = st->file[h];
	st->file[h] = f;
	if (f->fd != -1 && ++st->nfd > FD_MAX)
		symfile_load(f);
	return f;
}

static void
mark_dead(struct symproc *p)
{
	p->dead = true;
	p->died_ns = clock_now();
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
	struct symmap map = { .start = pm->start, .end = pm->end,
	    .off = pm->offset };

	if (pm->perms[2] != 'x')
		return 0;
	if (pm->inode != 0 || strcmp(pm->path, "[vdso]") == 0)
		map.file = file_of(rd->st, rd->pid, pm);
	return symgen_add(rd->gen, &map);
}

/* The first mapping is the main program's, which does not move. */
static bool
same_program(const struct symgen *a, const struct symgen *b)
{
	return a != NULL && a->nmap != 0 && b->nmap != 0 &&
	    a->map[0].start == b->map[0].start &&
	    a->map[0].file == b->map[0].file;
}

/* What was read becomes the process's newest mappings. Of the same program,
 * those that have gone meanwhile are kept where nothing took their place. */
static void
adopt(struct symproc *p, struct symgen *g)
{
	struct symgen *old = p->gen, *mine;
	size_t i;

	if (same_program(old, g) && (mine = symgen_own(old)) != NULL) {
		for (i = 0; i < g->nmap; i++)
			if (symgen_add(mine, &g->map[i]) == -1)
				break;
		p->gen = mine;
		symgen_unref(g);
		return;
	}
	g->older = old;
	p->gen = g;
}

static void
proc_read(struct symtab *st, struct symproc *p)
{
	struct reading rd = { .st = st, .pid = p->pid };
	struct proc_stat ps;

	p->read_ns = clock_now();
	if (p->dead)
		return;
	if (proc_stat(p->pid, &ps, NULL) == -1 || (p->start_ticks != 0 &&
	    p->start_ticks != ps.start_ticks)) {
		mark_dead(p);
		return;
	}
	p->start_ticks = ps.start_ticks;
	if ((rd.gen = symgen_new()) == NULL)
		return;
	if (proc_maps(p->pid, note_map, &rd, NULL) != 0 ||
	    rd.gen->nmap == 0)
		symgen_unref(rd.gen);	/* none: it is about to go */
	else {
		adopt(p, rd.gen);
		p->told = st->ev != NULL;	/* from now on */
	}
}

/* Forgets processes that have been gone for a while. */
static void
make_room(struct symtab *st)
{
	struct symproc **pp, *p;
	uint64_t now = clock_now();
	size_t i;

	for (i = 0; i < SYM_HASH; i++)
		for (pp = &st->proc[i]; (p = *pp) != NULL; )
			if (p->dead && now - p->died_ns > linger_ns) {
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

/* A new process under a pid: what was known of it was another's. */
static void
proc_renew(struct symtab *st, struct symproc *p)
{
	if (p->unwind != NULL)
		st->nunwind--;
	symunwind_free(p->unwind);
	p->unwind = NULL;
	symgen_unref(p->gen);
	symjit_free(p->jit);
	p->gen = NULL;
	p->jit = NULL;
	p->start_ticks = 0;
	p->dead = false;
	p->told = true;
}

static void
told_map(struct symtab *st, struct symproc *p, const struct symev *e)
{
	struct proc_map pm = { .start = e->start, .end = e->start + e->len,
	    .offset = e->off, .inode = e->inode, .path = e->path,
	    .dev_major = e->dev_major, .dev_minor = e->dev_minor };
	struct symmap map = { .start = pm.start, .end = pm.end,
	    .off = pm.offset };
	struct symgen *g;

	if (p->gen == NULL && !p->told)
		return;			/* its other ones are not known yet */
	if (e->inode != 0 || strcmp(e->path, "[vdso]") == 0)
		map.file = file_of(st, e->pid, &pm);
	g = p->gen != NULL ? symgen_own(p->gen) : symgen_new();
	if (g == NULL)
		return;
	p->gen = g;
	if (symgen_add(g, &map) == -1)
		p->told = false;
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

/* Programs that a process executed long ago. */
static void
forget_older(struct symgen *g)
{
	int i;

	for (i = 1; g != NULL && i < GEN_MAX; i++)
		g = g->older;
	if (g != NULL) {
		symgen_unref(g->older);
		g->older = NULL;
	}
}

/* One event of the kernel's. */
static void
on_event(void *arg, const struct symev *e)
{
	struct symtab *st = arg;
	bool fresh;
	struct symproc *parent, *p = proc_get(st, e->pid, &fresh);
	struct symgen *g;

	if (p == NULL)
		return;
	switch (e->kind) {
	case SYMEV_FORK:
		proc_renew(st, p);
		parent = proc_get(st, e->ppid, &fresh);
		if (parent != NULL && fresh)
			proc_read(st, parent);
		if (parent != NULL && parent->gen != NULL)
			p->gen = symgen_ref(parent->gen);
		break;
	case SYMEV_EXEC:
		if ((g = symgen_new()) == NULL)
			break;
		g->older = p->gen;
		p->gen = g;
		p->told = true;
		forget_older(g);
		break;
	case SYMEV_MAP:
		told_map(st, p, e);
		break;
	case SYMEV_EXIT:
		mark_dead(p);
		break;
	}
}

/* Takes the kernel's events up to a time. Where some were lost, mappings are
 * looked at again. */
static void
drain(struct symtab *st, uint64_t until)
{
	struct symproc *p;
	size_t i;

	if (st->ev == NULL)
		return;
	st->drained_ns = clock_now();
	if (!symevents_drain(st->ev, until, on_event, st))
		return;
	for (i = 0; i < SYM_HASH; i++)
		for (p = st->proc[i]; p != NULL; p = p->next)
			p->told = false;
}

int
sym_events_open(struct symtab *st, struct msg *m)
{
	return st->ev != NULL ? 0 : symevents_open(&st->ev, m);
}

int
sym_events_fd(const struct symtab *st)
{
	return st->ev != NULL ? symevents_fd(st->ev) : -1;
}

void
sym_events(struct symtab *st)
{
	drain(st, clock_now() - settle_ns);
}

/* The mapping of an address; asks the kernel, then the process, where it is
 * not known or may have changed. */
static const struct symmap *
find_map(struct symtab *st, struct symproc *p, bool fresh, uint64_t addr)
{
	uint64_t now = clock_now();
	const struct symmap *m;

	if (fresh || (!p->told && now - p->read_ns > stale_ns))
		proc_read(st, p);
	if ((m = symgen_find(p->gen, addr)) != NULL)
		return m;
	drain(st, UINT64_MAX);
	m = symgen_find(p->gen, addr);
	/* what was made executable later is not told */
	if (m == NULL && !p->dead &&
	    now - p->read_ns > (p->told ? stale_ns : again_ns)) {
		proc_read(st, p);
		m = symgen_find(p->gen, addr);
	}
	return m;
}

void
sym_will_unwind(struct symtab *st)
{
	st->keepopen = true;
}

/* The newest mappings of a process that hold an address; NULL: none do. */
static const struct symgen *
gen_with(const struct symgen *g, uint64_t addr)
{
	for (; g != NULL; g = g->older)
		if (symgen_has(g, addr))
			return g;
	return NULL;
}

size_t
sym_unwind(struct symtab *st, pid_t pid, const struct symsample *s,
    uint64_t *pc, size_t max, bool *cut)
{
	uint64_t at = s->regs[REGS_PC / 8], missing;
	struct symproc *p;
	size_t n;
	bool fresh;

	*cut = false;
	if (pid <= 0 || (p = proc_get(st, pid, &fresh)) == NULL ||
	    find_map(st, p, fresh, at) == NULL)
		return 0;
	n = symunwind_run(st, p, gen_with(p->gen, at), s, pc, max, cut,
	    &missing);
	if (missing != 0 && find_map(st, p, false, missing) != NULL)
		n = symunwind_run(st, p, gen_with(p->gen, at), s, pc, max,
		    cut, &missing);
	return n;
}

bool
sym_user(struct symtab *st, pid_t pid, uint64_t addr, struct symname *sn)
{
	const struct symmap *m;
	struct symproc *p;
	bool fresh;

	memset(sn, 0, sizeof(*sn));
	if (st->ev != NULL && clock_now() - st->drained_ns > drain_ns)
		drain(st, clock_now() - settle_ns);
	if (pid <= 0 || (p = proc_get(st, pid, &fresh)) == NULL)
		return false;
	if ((m = find_map(st, p, fresh, addr)) == NULL)
		return false;
	if (m->file == NULL) {
		sn->name = symjit_find(p, addr, &sn->off);
		sn->mod = sn->name != NULL ? "[jit]" : NULL;
		sn->modstart = m->start;
		return sn->name != NULL;
	}
	sn->mod = m->file->mod;
	sn->path = m->file->path;
	sn->modstart = m->start;
	sn->fileoff = addr - m->start + m->off;
	sn->name = symfile_find(m->file, sn->fileoff, &sn->off);
	return true;
}
