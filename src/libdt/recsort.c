/* Records sorted in runs, which are merged. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/array.h"
#include "libdt/recsort.h"

#define RUNS_MAX	200	/* files open at once */

/* A line in memory, or the head of one in a run's file. */
struct item {
	struct record_key key;
	size_t at;		/* offset in text; unused in a file */
	uint32_t len, tag;
};

struct run {
	FILE *fp;
	struct item head;
	char *line;
	size_t cap;
};

struct record_sort {
	int dirfd;
	size_t mem;
	char *text;		/* lines one after the other */
	size_t used, cap;
	struct item *items;
	size_t n, ncap;
	struct run runs[RUNS_MAX];
	size_t nruns;
	size_t heap[RUNS_MAX];	/* indices of runs, the least first */
	size_t nheap;
	size_t given;		/* items given, where there is no run */
	bool sorted;
	bool taken;		/* the heap's first was given */
};

struct record_sort *
record_sort_new(int dirfd, size_t mem, struct msg *m)
{
	struct record_sort *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		msg_set_nomem(m);
		return NULL;
	}
	s->dirfd = dirfd;
	s->mem = mem;
	return s;
}

/* Lines that were added earlier stand earlier in text: at keeps it stable. */
static int
item_cmp(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = record_key_cmp(&x->key, &y->key);

	if (c != 0)
		return c;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int
grow(struct record_sort *s, size_t len, struct msg *m)
{
	size_t cap = s->cap > 0 ? s->cap : 65536;
	char *text;

	while (cap < s->used + len)
		cap *= 2;
	if (cap != s->cap) {
		if ((text = realloc(s->text, cap)) == NULL)
			return msg_set_nomem(m);
		s->text = text;
		s->cap = cap;
	}
	return ARRAY_ROOM(s->items, s->n, s->ncap) == 0 ? 0 : msg_set_nomem(m);
}

/* A file without a name in dirfd. */
static FILE *
temp_file(int dirfd, struct msg *m)
{
	char name[64];
	FILE *fp;
	int fd, i;

	fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	for (i = 0; fd == -1 && i < 100; i++) {
		(void)snprintf(name, sizeof(name), ".sort.%ld.%d",
		    (long)getpid(), i);
		fd = openat(dirfd, name,
		    O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
		if (fd == -1 && errno != EEXIST)
			break;
		if (fd != -1)
			(void)unlinkat(dirfd, name, 0);
	}
	if (fd == -1 || (fp = fdopen(fd, "w+")) == NULL) {
		msg_set_errno(m, "open", NULL,
		    "cannot make a temporary file for sorting");
		if (fd != -1)
			close(fd);
		return NULL;
	}
	return fp;
}

static int
run_write(FILE *fp, const struct item *it, const char *line, struct msg *m)
{
	if (fwrite(it, sizeof(*it), 1, fp) == 1 &&
	    (it->len == 0 || fwrite(line, 1, it->len, fp) == it->len))
		return 0;
	return msg_set_errno(m, "write", NULL,
	    "cannot write a temporary file for sorting");
}

/* Closes the writing of a run, which becomes the last one. */
static int
run_add(struct record_sort *s, FILE *fp, struct msg *m)
{
	if (fflush(fp) != 0) {
		msg_set_errno(m, "write", NULL,
		    "cannot write a temporary file for sorting");
		fclose(fp);
		return -1;
	}
	s->runs[s->nruns++] = (struct run){ .fp = fp };
	return 0;
}

static void
sort_items(struct record_sort *s)
{
	if (s->n > 1)
		qsort(s->items, s->n, sizeof(*s->items), item_cmp);
}

static int merge_runs(struct record_sort *s, struct msg *m);

/* Writes what is in memory as a run. */
static int
spill(struct record_sort *s, struct msg *m)
{
	FILE *fp;
	size_t i;

	if (s->n == 0)
		return 0;
	if (s->nruns == RUNS_MAX && merge_runs(s, m) == -1)
		return -1;
	sort_items(s);
	if ((fp = temp_file(s->dirfd, m)) == NULL)
		return -1;
	for (i = 0; i < s->n; i++) {
		if (run_write(fp, &s->items[i], s->text + s->items[i].at,
		    m) == -1) {
			fclose(fp);
			return -1;
		}
	}
	s->n = s->used = 0;
	return run_add(s, fp, m);
}

int
record_sort_add(struct record_sort *s, const struct record *r, uint32_t tag,
    struct msg *m)
{
	size_t len = record_print(r, NULL, 0);

	if (len > RECORD_LINE_MAX)
		return msg_set(m, "record-long",
		    "a record is longer than 1 MiB");
	if (s->used > 0 && s->used + len + s->n * sizeof(*s->items) > s->mem &&
	    spill(s, m) == -1)
		return -1;
	if (grow(s, len + 2, m) == -1)
		return -1;
	s->items[s->n++] = (struct item){ .key = record_key(r),
		.at = s->used, .len = (uint32_t)len, .tag = tag };
	record_print(r, s->text + s->used, len + 2);
	s->used += len + 1;
	return 0;
}

/* Reads a run's next item: 1, 0 at its end, or -1. */
static int
run_next(struct run *r, struct msg *m)
{
	char *line;

	if (fread(&r->head, sizeof(r->head), 1, r->fp) != 1) {
		if (!ferror(r->fp))
			return 0;
		return msg_set_errno(m, "read", NULL,
		    "cannot read a temporary file of sorting");
	}
	if (r->head.len + 1 > r->cap) {
		line = realloc(r->line, r->head.len + 1);
		if (line == NULL)
			return msg_set_nomem(m);
		r->line = line;
		r->cap = r->head.len + 1;
	}
	if (fread(r->line, 1, r->head.len, r->fp) != r->head.len)
		return msg_set_errno(m, "read", NULL,
		    "cannot read a temporary file of sorting");
	r->line[r->head.len] = '\0';
	return 1;
}

/* Earlier runs hold what was added earlier. */
static bool
run_less(const struct record_sort *s, size_t a, size_t b)
{
	int c = record_key_cmp(&s->runs[a].head.key, &s->runs[b].head.key);

	return c != 0 ? c < 0 : a < b;
}

static void
sift_down(struct record_sort *s, size_t i)
{
	size_t child, tmp;

	while ((child = 2 * i + 1) < s->nheap) {
		if (child + 1 < s->nheap &&
		    run_less(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!run_less(s, s->heap[child], s->heap[i]))
			return;
		tmp = s->heap[i];
		s->heap[i] = s->heap[child];
		s->heap[child] = tmp;
		i = child;
	}
}

static int
heap_make(struct record_sort *s, struct msg *m)
{
	size_t i;
	int got;

	s->nheap = 0;
	s->taken = false;
	for (i = 0; i < s->nruns; i++) {
		rewind(s->runs[i].fp);
		if ((got = run_next(&s->runs[i], m)) == -1)
			return -1;
		if (got == 1)
			s->heap[s->nheap++] = i;
	}
	for (i = s->nheap / 2; i-- > 0;)
		sift_down(s, i);
	return 0;
}

/* Moves on past the heap's first item, if it was given. */
static int
heap_next(struct record_sort *s, struct run **r, struct msg *m)
{
	int got;

	if (s->taken) {
		if ((got = run_next(&s->runs[s->heap[0]], m)) == -1)
			return -1;
		if (got == 0)
			s->heap[0] = s->heap[--s->nheap];
		sift_down(s, 0);
	}
	s->taken = s->nheap > 0;
	if (s->nheap == 0)
		return 0;
	*r = &s->runs[s->heap[0]];
	return 1;
}

static void
runs_drop(struct record_sort *s)
{
	size_t i;

	for (i = 0; i < s->nruns; i++) {
		fclose(s->runs[i].fp);
		free(s->runs[i].line);
	}
	s->nruns = 0;
}

/* Makes one run of all. */
static int
merge_runs(struct record_sort *s, struct msg *m)
{
	struct run *r;
	FILE *fp;
	int got;

	if (heap_make(s, m) == -1 || (fp = temp_file(s->dirfd, m)) == NULL)
		return -1;
	while ((got = heap_next(s, &r, m)) == 1) {
		if (run_write(fp, &r->head, r->line, m) == -1) {
			got = -1;
			break;
		}
	}
	if (got == -1) {
		fclose(fp);
		return -1;
	}
	runs_drop(s);
	return run_add(s, fp, m);
}

static int
start(struct record_sort *s, struct msg *m)
{
	s->given = 0;
	if (s->nruns == 0) {
		if (!s->sorted)
			sort_items(s);
		s->sorted = true;
		return 0;
	}
	if (spill(s, m) == -1)
		return -1;
	s->sorted = true;
	return heap_make(s, m);
}

int
record_sort_next(struct record_sort *s, const char **line, size_t *n,
    uint32_t *tag, struct msg *m)
{
	struct run *r;
	int got;

	if (!s->sorted && start(s, m) == -1)
		return -1;
	if (s->nruns == 0) {
		if (s->given == s->n)
			return 0;
		*line = s->text + s->items[s->given].at;
		*n = s->items[s->given].len;
		*tag = s->items[s->given++].tag;
		return 1;
	}
	if ((got = heap_next(s, &r, m)) == 1) {
		*line = r->line;
		*n = r->head.len;
		*tag = r->head.tag;
	}
	return got;
}

int
record_sort_rewind(struct record_sort *s, struct msg *m)
{
	return start(s, m);
}

void
record_sort_free(struct record_sort *s)
{
	if (s == NULL)
		return;
	runs_drop(s);
	free(s->text);
	free(s->items);
	free(s);
}
