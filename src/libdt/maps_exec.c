/* What processes executed: the build-ids of their programs. */
#include <stdlib.h>

#include "libdt/array.h"
#include "libdt/maps_impl.h"

/* What exec_notes tell of; those of BASE + n: files of base n are mapped. */
enum {
	GONE,			/* an execve took all mappings away */
	ANY,			/* a file is mapped */
	BASE,
};

static const char *
base_of(const char *path, size_t *n)
{
	size_t i;

	for (i = *n; i > 0 && path[i - 1] != '/'; i--)
		;
	*n -= i;
	return path + i;
}

ssize_t
maps_base(struct maps *ms, const char *path, size_t n)
{
	const char *base = base_of(path, &n);

	return names_add(&ms->bases, base, n);
}

static int
note_cmp(const void *a, const void *b)
{
	const struct exec_note *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void
note(struct maps *ms, size_t at, uint32_t what)
{
	ms->note[ms->nnote++] = (struct exec_note){ ms->ev[at].pid, what,
		(uint32_t)at };
}

int
maps_note(struct maps *ms)
{
	const struct map_event *e;
	const struct map_file *f;
	size_t i;

	if ((ms->note = calloc(ms->n * 2 + 1, sizeof(*ms->note))) == NULL)
		return -1;
	for (i = 0; i < ms->n; i++) {
		e = &ms->ev[i];
		if (map_all_gone(e))
			note(ms, i, GONE);
		if (e->change != MAP_ADD)
			continue;
		f = &ms->file[e->file];
		if (maps_is_file(f))
			note(ms, i, ANY);
		note(ms, i, BASE + (uint32_t)f->base);
	}
	qsort(ms->note, ms->nnote, sizeof(*ms->note), note_cmp);
	return 0;
}

/* The first note not before this one, its like or not. */
static size_t
note_place(const struct maps *ms, const struct exec_note *key)
{
	size_t i;

	ARRAY_FIRST(i, ms->nnote, note_cmp(&ms->note[i], key) >= 0);
	return i;
}

static bool
alike(const struct exec_note *x, const struct exec_note *y)
{
	return x->pid == y->pid && x->what == y->what;
}

/* The first of a kind from event at on, NULL: none. */
static const struct exec_note *
note_from(const struct maps *ms, uint32_t pid, uint32_t what, size_t at)
{
	const struct exec_note key = { pid, what, (uint32_t)at };
	size_t i = note_place(ms, &key);

	return i < ms->nnote && alike(&ms->note[i], &key) ? &ms->note[i] :
	    NULL;
}

/* The last of a kind before event at, NULL: none. */
static const struct exec_note *
note_before(const struct maps *ms, uint32_t pid, uint32_t what, size_t at)
{
	const struct exec_note key = { pid, what, (uint32_t)at };
	size_t i = note_place(ms, &key);

	return i > 0 && alike(&ms->note[i - 1], &key) ? &ms->note[i - 1] :
	    NULL;
}

const char *
maps_exec_id(struct maps *ms, uint64_t pid, uint64_t ts, const char *path,
    size_t n)
{
	ssize_t space = names_find(&ms->pids, (const char *)&pid, sizeof(pid));
	const char *s = base_of(path, &n);
	ssize_t base = names_find(&ms->bases, s, n);
	const struct exec_note *gone, *got = NULL;
	size_t after, from;
	uint32_t who = (uint32_t)space, named = BASE + (uint32_t)base;

	if (space == -1)
		return NULL;
	ARRAY_FIRST(after, ms->n, ms->ev[after].ts > ts);
	gone = note_before(ms, who, GONE, after);
	from = gone != NULL ? gone->at : 0;
	if (gone != NULL)
		got = note_from(ms, who, ANY, from);
	/* else of those of that name the last before, or the first after */
	if (got == NULL && base != -1) {
		got = note_before(ms, who, named, after);
		if (got == NULL || got->at < from)
			got = note_from(ms, who, named, after);
	}
	return got != NULL ? ms->file[ms->ev[got->at].file].build_id : NULL;
}
