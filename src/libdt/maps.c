#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/mapsint.h"
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
	for (i = 0; i < ms->nspace; i++)
		free(ms->space[i].v);
	for (i = 0; i < ms->nfile; i++) {
		free(ms->file[i].path);
		free(ms->file[i].build_id);
		free(ms->file[i].module);
		elfsym_free(ms->file[i].sym);
	}
	for (i = 0; i < ms->nanswer; i++)
		free(ms->answer[i]);
	if (ms->exe != -1)
		close(ms->exe);
	names_free(&ms->pids);
	names_free(&ms->keys);
	names_free(&ms->frames);
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
	f->module = module_of(key, path);
	if (n > path + 1)
		f->build_id = strdup(key + path + 1);
	if (f->path == NULL || f->module == NULL ||
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
	return 0;
}

void
maps_rewind(struct maps *ms)
{
	size_t i;

	ms->cursor = 0;
	for (i = 0; i < ms->nspace; i++) {
		ms->space[i].n = 0;
		ms->space[i].epoch++;
		ms->space[i].future = ms->space[i].head;
	}
}

static int
room(struct space *s, size_t more)
{
	struct area *v;
	size_t cap;

	if (s->n + more <= s->cap)
		return 0;
	cap = s->cap * 2 > s->n + more ? s->cap * 2 : s->n + more + 8;
	if ((v = reallocarray(s->v, cap, sizeof(*v))) == NULL)
		return -1;
	s->v = v;
	s->cap = cap;
	return 0;
}

/* The first area that ends after addr. */
static size_t
first_past(const struct space *s, uint64_t addr)
{
	size_t i;

	ARRAY_FIRST(i, s->n, s->v[i].end > addr);
	return i;
}

/*
 * Puts a in the place of all that lies in [start, end), or nothing if it is
 * NULL; what sticks out on either side stays. Areas are in order and do not
 * overlap: those that are touched stand together.
 */
static int
replace(struct space *s, uint64_t start, uint64_t end, const struct area *a)
{
	size_t i = first_past(s, start), k, n = 0;
	struct area put[3];

	if (room(s, 2) == -1)
		return -1;
	for (k = i; k < s->n && s->v[k].start < end; k++)
		;
	if (k > i && s->v[i].start < start) {
		put[n] = s->v[i];
		put[n++].end = start;
	}
	if (a != NULL)
		put[n++] = *a;
	if (k > i && s->v[k - 1].end > end) {
		put[n] = s->v[k - 1];
		put[n].off += end - put[n].start;
		put[n++].start = end;
	}
	if (k < s->n && k != i + n)
		memmove(s->v + i + n, s->v + k, (s->n - k) * sizeof(*s->v));
	if (n > 0)
		memcpy(s->v + i, put, n * sizeof(*put));
	s->n = s->n - (k - i) + n;
	return 0;
}

static int
apply(struct maps *ms, const struct map_event *e)
{
	struct space *s = &ms->space[e->pid], *p;
	struct area area;

	s->epoch++;
	s->future = e->next;
	if (e->change == MAP_BIRTH) {
		p = &ms->space[e->start];
		s->n = 0;
		if (room(s, p->n) == -1)
			return -1;
		if (p->n > 0)
			memcpy(s->v, p->v, p->n * sizeof(*s->v));
		s->n = p->n;
		return 0;
	}
	if (e->start >= e->end)
		return 0;	/* no bytes */
	area = (struct area){ e->start, e->end, e->off, e->file };
	return replace(s, e->start, e->end, e->change == MAP_ADD ? &area :
	    NULL);
}

int
maps_advance(struct maps *ms, uint64_t ts, struct msg *m)
{
	for (; ms->cursor < ms->n && ms->ev[ms->cursor].ts <= ts; ms->cursor++)
		if (apply(ms, &ms->ev[ms->cursor]) == -1)
			return msg_set_nomem(m);
	return 0;
}

bool
maps_find(const struct maps *ms, size_t space, uint64_t addr, struct area *a)
{
	const struct space *s = &ms->space[space];
	const struct map_event *e;
	size_t past;
	uint32_t i;

	ARRAY_FIRST(past, s->n, s->v[past].start > addr);
	if (past > 0 && addr < s->v[past - 1].end) {
		*a = s->v[past - 1];
		return true;
	}
	/* mappings that were read after the sample was taken */
	for (i = s->future; i != 0; i = e->next) {
		e = &ms->ev[i - 1];
		if (e->change == MAP_BIRTH ||
		    (e->change == MAP_REMOVE && e->end == UINT64_MAX))
			return false;
		if (e->change == MAP_ADD && addr >= e->start && addr < e->end) {
			*a = (struct area){ e->start, e->end, e->off, e->file };
			return true;
		}
	}
	return false;
}

static bool
same_base(const char *a, size_t an, const char *b, size_t bn)
{
	while (an > 0 && bn > 0 && a[an - 1] == b[bn - 1]) {
		if (a[an - 1] == '/')
			return true;
		an--;
		bn--;
	}
	return (an == 0 || a[an - 1] == '/') && (bn == 0 || b[bn - 1] == '/');
}

const char *
maps_exec_id(struct maps *ms, uint64_t pid, uint64_t ts, const char *path,
    size_t n)
{
	const struct map_event *e, *named = NULL, *first = NULL;
	const struct map_file *f;
	bool gone = false;
	ssize_t space = maps_space(ms, pid);
	uint32_t i;

	for (i = space != -1 ? ms->space[space].head : 0; i != 0;
	    i = e->next) {
		e = &ms->ev[i - 1];
		if (e->change == MAP_REMOVE && e->end == UINT64_MAX &&
		    e->ts <= ts) {
			gone = true;
			first = named = NULL;
		}
		if (e->change != MAP_ADD)
			continue;
		f = &ms->file[e->file];
		if (gone && first == NULL && maps_is_file(f))
			first = e;
		if (same_base(f->path, f->n, path, n) &&
		    (named == NULL || e->ts <= ts))
			named = e;
	}
	if (first == NULL)
		first = named;
	return first != NULL ? ms->file[first->file].build_id : NULL;
}
