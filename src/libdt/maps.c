/* Mappings through time: kept by process, walked in order. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/maps_impl.h"
#include "libdt/proc.h"

struct maps *
maps_new(void)
{
	struct maps *ms = calloc(1, sizeof(*ms));

	if (ms != NULL)
		ms->exe = -1;
	return ms;
}

void
maps_free(struct maps *ms)
{
	size_t i;

	if (ms == NULL)
		return;
	for (i = 0; i < ms->nfile; i++) {
		free(ms->file[i].path);
		free(ms->file[i].build_id);
		free(ms->file[i].module);
	}
	for (i = 0; i < ms->nsym; i++)
		elfsym_free(ms->sym[i]);
	for (i = 0; i < ms->nanswer; i++)
		free(ms->answer[i]);
	if (ms->exe != -1)
		close(ms->exe);
	names_free(&ms->pids);
	names_free(&ms->keys);
	names_free(&ms->frames);
	names_free(&ms->bases);
	names_free(&ms->inodes);
	free(ms->sym);
	area_pool_free(&ms->areas);
	free(ms->note);
	free(ms->space);
	free(ms->file);
	free(ms->ev);
	free(ms->answer);
	free(ms->out);
	free(ms);
}

ssize_t
maps_space(struct maps *ms, uint64_t pid)
{
	ssize_t i = names_add(&ms->pids, (const char *)&pid, sizeof(pid));

	if (i == -1 || (size_t)i < ms->nspace)
		return i;
	if (ARRAY_ROOM(ms->space, ms->nspace, ms->space_cap) == -1)
		return -1;
	ms->space[ms->nspace++] = (struct space){ 0 };
	return i;
}

/* A file's last component as it stands in frames. */
static char *
module_of(const char *path, size_t n)
{
	char *raw = malloc(n + 1), *out = NULL;
	ssize_t len;
	size_t from;

	if (raw == NULL)
		return NULL;
	len = record_unescape(raw, path, n);
	if (len < 0)
		len = 0;
	for (from = (size_t)len; from > 0 && raw[from - 1] != '/'; from--)
		;
	n = record_escape_frame(NULL, 0, raw + from, (size_t)len - from);
	out = malloc(n + 1);
	if (out != NULL)
		record_escape_frame(out, n + 1, raw + from,
		    (size_t)len - from);
	free(raw);
	return out;
}

/* The key of a record's file: path, NUL, build-id. Its length in *n. */
static char *
file_key(const struct record *r, size_t *n)
{
	const struct value *path = &r->v[REC_MAP_PATH];
	const struct value *id = &r->v[REC_MAP_BUILD_ID];
	char *key;

	*n = path->len + 1 + (id->given ? id->len : 0);
	if ((key = malloc(*n + 1)) == NULL)
		return NULL;
	memcpy(key, path->s, path->len);
	key[path->len] = '\0';
	if (id->given)
		memcpy(key + path->len + 1, id->s, id->len);
	key[*n] = '\0';
	return key;
}

static ssize_t
file_number(struct maps *ms, const struct record *r)
{
	struct map_file *f;
	size_t n, path = r->v[REC_MAP_PATH].len;
	char *key = file_key(r, &n);
	ssize_t i = key != NULL ? names_add(&ms->keys, key, n) : -1;

	if (i == -1 || (size_t)i < ms->nfile)
		goto out;
	if (ARRAY_ROOM(ms->file, ms->nfile, ms->file_cap) == -1) {
		i = -1;
		goto out;
	}
	f = &ms->file[ms->nfile++];
	memset(f, 0, sizeof(*f));
	f->path = strndup(key, path);
	f->n = path;
	f->base = maps_base(ms, key, path);
	f->module = module_of(key, path);
	if (n > path + 1)
		f->build_id = strdup(key + path + 1);
	if (f->path == NULL || f->module == NULL || f->base == -1 ||
	    (n > path + 1 && f->build_id == NULL))
		i = -1;
out:
	free(key);
	return i;
}

void
maps_keep(struct maps *ms, const struct record *r)
{
	size_t n;
	char *key;
	ssize_t i;

	if (r->kind != KIND_MAP || (key = file_key(r, &n)) == NULL)
		return;
	if ((i = names_find(&ms->keys, key, n)) != -1)
		ms->file[i].kept = true;
	free(key);
}

int
maps_files(struct maps *ms, int (*fn)(void *arg, const char *path, size_t n,
    const char *build_id), void *arg)
{
	const struct map_file *f;
	size_t i;
	int rc = 0;

	for (i = 0; i < ms->nfile && rc == 0; i++) {
		f = &ms->file[i];
		if (f->kept && (maps_is_file(f) || f->build_id != NULL))
			rc = fn(arg, f->path, f->n, f->build_id);
	}
	return rc;
}

static int
add_event(struct maps *ms, const struct map_event *e)
{
	if (ARRAY_ROOM(ms->ev, ms->n, ms->cap) == -1)
		return -1;
	ms->ev[ms->n] = *e;
	ms->ev[ms->n].seq = (uint32_t)ms->n;
	ms->n++;
	return 0;
}

int
maps_add(struct maps *ms, const struct record *r, struct msg *m)
{
	struct map_event e = { .ts = r->v[REC_TS].u };
	uint64_t pid = r->v[REC_PID].u;
	ssize_t space, other = 0;

	if (r->kind == KIND_PROC_FORK) {
		e.change = MAP_BIRTH;
		other = maps_space(ms, pid);
		e.start = (uint64_t)other;
		pid = r->v[REC_PROC_FORK_CHILD].u;
	} else if (r->kind == KIND_MAP || r->kind == KIND_UNMAP) {
		e.change = r->kind == KIND_MAP ? MAP_ADD : MAP_REMOVE;
		e.start = r->v[REC_MAP_START].u;
		e.end = r->v[REC_MAP_END].u;
		e.off = r->v[REC_MAP_OFFSET].u;
		other = r->kind == KIND_MAP ? file_number(ms, r) : 0;
		e.file = (uint32_t)other;
	} else
		return 0;
	space = maps_space(ms, pid);
	e.pid = (uint32_t)space;
	if (space == -1 || other == -1 || add_event(ms, &e) == -1)
		return msg_set_nomem(m);
	return 0;
}

static int
event_cmp(const void *a, const void *b)
{
	const struct map_event *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

int
maps_ready(struct maps *ms, int exe, const char *boot_id, struct msg *m)
{
	char boot[PROC_BOOT_SIZE];
	size_t i;

	if (ms->n > 0)
		qsort(ms->ev, ms->n, sizeof(*ms->ev), event_cmp);
	for (i = ms->n; i-- > 0;) {
		ms->ev[i].next = ms->space[ms->ev[i].pid].head;
		ms->space[ms->ev[i].pid].head = (uint32_t)i + 1;
	}
	ms->this_boot = proc_boot_id(boot, NULL) == 0 &&
	    strcmp(boot, boot_id) == 0;
	if (exe != -1) {
		if ((ms->exe = fcntl(exe, F_DUPFD_CLOEXEC, 3)) == -1)
			return msg_set_errno(m, "open", "exe",
			    "cannot duplicate its descriptor");
		if (elfid_fd(ms->exe, "exe", ms->exe_id, m) == -1)
			return -1;
	}
	maps_rewind(ms);
	return maps_note(ms) == 0 ? 0 : msg_set_nomem(m);
}

void
maps_rewind(struct maps *ms)
{
	size_t i;

	ms->cursor = 0;
	area_pool_reset(&ms->areas);
	for (i = 0; i < ms->nspace; i++) {
		ms->space[i].now = ms->space[i].ahead = 0;
		ms->space[i].looked = false;
		ms->space[i].epoch++;
		ms->space[i].future = ms->space[i].head;
	}
}

/* Its process came to be, or all its mappings went away. */
static bool
begins_anew(const struct map_event *e)
{
	return e->change == MAP_BIRTH || map_all_gone(e);
}

/* What was mapped, as a set; 0 if that is no bytes. */
static uint32_t
mapped(struct maps *ms, const struct map_event *e)
{
	const struct area a = { e->start, e->end, e->off, e->file };

	return e->start < e->end ? area_set(&ms->areas, &a) : 0;
}

/* What an event hid from those after it comes to light as it passes. */
static void
leave_ahead(struct maps *ms, struct space *s, const struct map_event *e)
{
	if (begins_anew(e))
		s->looked = false;	/* ahead is empty */
	else if (s->looked && e->change == MAP_ADD && e->start < e->end)
		area_drop(&ms->areas, area_swap(&ms->areas, &s->ahead,
		    e->start, e->end, e->hidden));
}

static void
apply(struct maps *ms, const struct map_event *e)
{
	struct space *s = &ms->space[e->pid];

	s->epoch++;
	s->future = e->next;
	leave_ahead(ms, s, e);
	if (e->change == MAP_BIRTH) {
		area_drop(&ms->areas, s->now);
		s->now = 0;
		s->now = area_share(&ms->areas, ms->space[e->start].now);
	} else if (e->start < e->end)
		area_drop(&ms->areas, area_swap(&ms->areas, &s->now, e->start,
		    e->end, e->change == MAP_ADD ? mapped(ms, e) : 0));
}

int
maps_advance(struct maps *ms, uint64_t ts, struct msg *m)
{
	while (ms->cursor < ms->n && ms->ev[ms->cursor].ts <= ts)
		apply(ms, &ms->ev[ms->cursor++]);
	return ms->areas.failed ? msg_set_nomem(m) : 0;
}

/*
 * The areas that are mapped from now on until the process begins anew, the
 * first of each address: made from the last to the first, each hiding what
 * comes after it.
 */
static int
look_ahead(struct maps *ms, struct space *s)
{
	uint32_t i, *at = NULL;
	size_t n = 0, cap = 0;
	struct map_event *e;

	for (i = s->future; i != 0 && !begins_anew(&ms->ev[i - 1]);
	    i = ms->ev[i - 1].next) {
		if (ms->ev[i - 1].change != MAP_ADD)
			continue;
		if (ARRAY_ROOM(at, n, cap) == -1) {
			free(at);
			return -1;
		}
		at[n++] = i - 1;
	}
	while (n-- > 0) {
		e = &ms->ev[at[n]];
		if (e->start < e->end)
			e->hidden = area_swap(&ms->areas, &s->ahead, e->start,
			    e->end, mapped(ms, e));
	}
	free(at);
	s->looked = true;
	return ms->areas.failed ? -1 : 0;
}

int
maps_find(struct maps *ms, size_t space, uint64_t addr, struct area *a)
{
	struct space *s = &ms->space[space];
	const struct area *got = area_find(&ms->areas, s->now, addr);

	/* mappings that were read after the sample was taken */
	if (got == NULL && !s->looked && look_ahead(ms, s) == -1)
		return -1;
	if (got == NULL)
		got = area_find(&ms->areas, s->ahead, addr);
	if (got != NULL)
		*a = *got;
	return got != NULL;
}
