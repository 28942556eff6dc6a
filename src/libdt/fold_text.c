#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/fold.h"
#include "libdt/fold_block.h"
#include "libdt/foldint.h"
#include "libdt/lines.h"

#define LINE_MAX_BYTES	(1u << 20)

/* What one line did to the block being read. */
enum took {
	TOOK,			/* it belongs there */
	TOOK_NOT,		/* it belongs to nothing */
	TOOK_FAILED,		/* no memory */
};

struct text {
	struct fold *f;
	struct block block;
	bool open;		/* perf: a sample; bpftrace: within @[ … ] */
	char pending[1024];	/* DTrace: a line that is a count or keys */
};

static char *
trim(char *s, size_t *n)
{
	while (*n > 0 && isspace((unsigned char)s[*n - 1]))
		--*n;
	s[*n] = '\0';
	while (isspace((unsigned char)*s)) {
		s++;
		--*n;
	}
	return s;
}

/* A whole decimal number. */
static bool
number(const char *s, size_t n, uint64_t *v)
{
	char *end;

	if (n == 0 || n > 20 || !isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*v = strtoull(s, &end, 10);
	return errno == 0 && end == s + n;
}

/* The number that ends a line, and what stands before it. */
static bool
count_at_end(const char *s, size_t n, uint64_t *v, size_t *before)
{
	size_t i = n;

	while (i > 0 && !isspace((unsigned char)s[i - 1]))
		i--;
	if (!number(s + i, n - i, v))
		return false;
	while (i > 0 && isspace((unsigned char)s[i - 1]))
		i--;
	*before = i;
	return true;
}

static bool
hex_address(const char *s, size_t n)
{
	return n > 2 && s[0] == '0' && s[1] == 'x' &&
	    strspn(s + 2, "0123456789abcdef") == n - 2;
}

/* "module`symbol+0x12", "module`0x12" or "0x12" */
static bool
dtrace_frame(const char *s, size_t n)
{
	const char *mark = memchr(s, '`', n);
	uint64_t v;
	size_t before;

	if (hex_address(s, n))
		return true;
	return mark != NULL && mark != s && mark[1] != '\0' &&
	    !count_at_end(s, n, &v, &before);
}

/* What dtrace prints without -q before the first aggregation. */
static bool
dtrace_header(const char *s, size_t n)
{
	const char *p = s;

	if (n > 3 && strncmp(s, "CPU", 3) == 0 &&
	    isspace((unsigned char)s[3]))
		return true;
	p += strspn(p, "0123456789");
	if (p == s || *p != ' ')
		return false;
	p += strspn(p, " ");
	if (!isdigit((unsigned char)*p))
		return false;
	p += strspn(p, "0123456789");
	return *p == ' ' && strchr(p, ':') != NULL;
}

/* Keys stand in columns: two blanks or more divide them. */
static int
add_keys(struct block *b, const char *s, size_t n)
{
	size_t i = 0, from;

	while (i < n) {
		from = i;
		while (i < n && !(s[i] == ' ' && (i + 1 == n ||
		    s[i + 1] == ' ')))
			i++;
		if (i > from && block_key(b, s + from, i - from) == -1)
			return -1;
		while (i < n && s[i] == ' ')
			i++;
	}
	return 0;
}

static enum took
close_block(struct text *t, uint64_t count)
{
	int rv = block_flush(&t->block, t->f, count);

	return rv == -1 ? TOOK_FAILED : TOOK;
}

/*
 * A line that ends in a number and that no frames stand before is kept back:
 * it is keys if a frame follows at once, else the count of an empty stack.
 */
static enum took
settle(struct text *t, bool keys)
{
	size_t n = strlen(t->pending), before;
	enum took rv = TOOK;
	uint64_t count;

	if (n == 0)
		return TOOK;
	if (keys) {
		rv = add_keys(&t->block, t->pending, n) == -1 ? TOOK_FAILED :
		    TOOK;
	} else if (count_at_end(t->pending, n, &count, &before)) {
		if (add_keys(&t->block, t->pending, before) == -1)
			return TOOK_FAILED;
		rv = close_block(t, count);
	}
	t->pending[0] = '\0';
	return rv;
}

static enum took
dtrace_line(struct text *t, char *raw, size_t n)
{
	bool indented = isspace((unsigned char)*raw);
	char *s = trim(raw, &n);
	uint64_t count;
	size_t before;

	if (n == 0) {
		if (settle(t, false) == TOOK_FAILED)
			return TOOK_FAILED;
		block_group(&t->block);
		return TOOK;
	}
	if (dtrace_frame(s, n)) {
		if (settle(t, true) == TOOK_FAILED)
			return TOOK_FAILED;
		return block_frame(&t->block, s, n) == -1 ? TOOK_FAILED :
		    TOOK;
	}
	if (settle(t, false) == TOOK_FAILED)
		return TOOK_FAILED;
	if (block_empty(&t->block) && dtrace_header(s, n))
		return TOOK;
	if (count_at_end(s, n, &count, &before)) {
		if (block_empty(&t->block) && n < sizeof(t->pending)) {
			memcpy(t->pending, s, n + 1);
			return TOOK;
		}
		if (add_keys(&t->block, s, before) == -1)
			return TOOK_FAILED;
		return close_block(t, count);
	}
	if (!indented)
		return TOOK_NOT;
	return add_keys(&t->block, s, n) == -1 ? TOOK_FAILED : TOOK;
}

/* "comm with blanks 12/34 [001] 5.678: …": where the numbers begin. */
static bool
perf_header(const char *s, size_t *comm, const char **pid, const char **tid)
{
	const char *p = s, *q;

	while ((p = strchr(p, ' ')) != NULL) {
		p += strspn(p, " ");
		q = p + strspn(p, "0123456789");
		*pid = p;
		*tid = p;
		if (q > p && *q == '/') {
			*tid = q + 1;
			q = *tid + strspn(*tid, "0123456789");
		}
		if (q > *tid && (*q == ' ' || *q == '\t') &&
		    strchr(q, ':') != NULL) {
			for (*comm = (size_t)(p - s); *comm > 0 &&
			    s[*comm - 1] == ' ';)
				--*comm;
			return *comm > 0;
		}
	}
	return false;
}

static int
perf_first(struct text *t, const char *s, size_t comm, const char *pid,
    const char *tid)
{
	char buf[128];
	int n = comm > 64 ? 64 : (int)comm;

	switch (fold_options(t->f)->by) {
	case FOLD_BY_NONE:
	case FOLD_BY_SPAN:
		return 0;
	case FOLD_BY_EXE:
		snprintf(buf, sizeof(buf), "%.*s", n, s);
		break;
	case FOLD_BY_PID:
		snprintf(buf, sizeof(buf), "%.*s-%lu", n, s,
		    strtoul(pid, NULL, 10));
		break;
	case FOLD_BY_TID:
		snprintf(buf, sizeof(buf), "%.*s-%lu/%lu", n, s,
		    strtoul(pid, NULL, 10), strtoul(tid, NULL, 10));
		break;
	}
	return block_key(&t->block, buf, strlen(buf));
}

/* "7f01 symbol+0x2 (/lib/libc.so.6)": made "libc.so.6`symbol+0x2". */
static enum took
perf_frame(struct text *t, char *s, size_t n)
{
	size_t hex = strspn(s, "0123456789abcdef");
	char *dso, *base, *sym = s + hex;

	if (hex == 0 || s[hex] != ' ' || s[n - 1] != ')')
		return TOOK_NOT;
	for (dso = s + n - 1; dso > sym && !(dso[0] == '(' && dso[-1] == ' ');)
		dso--;
	if (dso <= sym + 1)
		return TOOK_NOT;
	s[n - 1] = '\0';
	dso[-1] = '\0';
	dso++;
	sym++;
	if (strstr(dso, "kernel.kallsyms") != NULL ||
	    strstr(dso, "vmlinux") != NULL)
		dso = "vmlinux";
	else if (*dso == '[' && strchr(dso, ']') != NULL) {
		*strchr(dso, ']') = '\0';
		dso++;
	} else if ((base = strrchr(dso, '/')) != NULL && base[1] != '\0')
		dso = base + 1;
	return block_frame2(&t->block, dso, sym) == -1 ? TOOK_FAILED : TOOK;
}

static enum took
perf_line(struct text *t, char *raw, size_t n)
{
	bool indented = isspace((unsigned char)*raw);
	const char *pid, *tid;
	size_t comm;
	char *s = trim(raw, &n);

	if (n == 0) {
		if (t->open && close_block(t, 1) == TOOK_FAILED)
			return TOOK_FAILED;
		t->open = false;
		return TOOK;
	}
	if (*s == '#')
		return TOOK;
	if (indented && t->open)
		return perf_frame(t, s, n);
	if (!perf_header(s, &comm, &pid, &tid))
		return TOOK_NOT;
	if (t->open && close_block(t, 1) == TOOK_FAILED)
		return TOOK_FAILED;
	t->open = true;
	return perf_first(t, s, comm, pid, tid) == -1 ? TOOK_FAILED : TOOK;
}

/* The keys and the count of "…, comm, 12]: 3". */
static enum took
bpftrace_end(struct text *t, char *s, size_t n)
{
	char *end = NULL, *p, *comma;
	uint64_t count;

	for (p = s; (p = strstr(p, "]: ")) != NULL; p++)
		end = p;
	if (end == NULL || !number(end + 3, n - (size_t)(end + 3 - s), &count))
		return TOOK_NOT;
	*end = '\0';
	for (p = s; p != NULL; p = comma) {
		if ((comma = strstr(p, ", ")) != NULL) {
			*comma = '\0';
			comma += 2;
		}
		if (*p != '\0' && *p != ',' && block_key(&t->block, p,
		    strlen(p)) == -1)
			return TOOK_FAILED;
	}
	t->open = false;
	return close_block(t, count);
}

/* bpftrace's offsets are decimal: "symbol+20". */
static size_t
without_decimal(const char *s, size_t n)
{
	size_t i = n;

	while (i > 0 && isdigit((unsigned char)s[i - 1]))
		i--;
	return i > 1 && i < n && s[i - 1] == '+' ? i - 1 : n;
}

static enum took
bpftrace_line(struct text *t, char *raw, size_t n)
{
	bool indented = *raw == ' ';
	char *s = trim(raw, &n), *p;

	if (n == 0 || (!t->open && strncmp(s, "Attaching ", 10) == 0))
		return TOOK;
	if (!t->open) {
		if (*s != '@' || (p = strchr(s, '[')) == NULL)
			return TOOK_NOT;
		t->open = true;
		n -= (size_t)(p + 1 - s);
		s = p + 1;
		if (strstr(s, "]: ") != NULL)
			return bpftrace_end(t, s, n);
		return n == 0 || *s == ',' ? TOOK : TOOK_NOT;
	}
	if (!indented && strstr(s, "]: ") != NULL)
		return bpftrace_end(t, s, n);
	if (!indented && *s == ',') {
		block_group(&t->block);
		return TOOK;
	}
	if (!fold_options(t->f)->addrs)
		n = without_decimal(s, n);
	return block_frame(&t->block, s, n) == -1 ? TOOK_FAILED : TOOK;
}

static enum took
folded_line(struct text *t, char *raw, size_t n)
{
	char *s = trim(raw, &n);
	uint64_t count;
	size_t before;

	if (n == 0)
		return TOOK;
	if (!count_at_end(s, n, &count, &before) || before == 0)
		return TOOK_NOT;
	return fold_add(t->f, NULL, s, before, count) == -1 ? TOOK_FAILED :
	    TOOK;
}

/* A block that never got its count is lost: say so. */
static enum took
dtrace_end(struct text *t)
{
	if (settle(t, false) == TOOK_FAILED)
		return TOOK_FAILED;
	return block_empty(&t->block) ? TOOK : TOOK_NOT;
}

static enum took
perf_end(struct text *t)
{
	return t->open ? close_block(t, 1) : TOOK;
}

static enum took
bpftrace_last(struct text *t)
{
	return t->open ? TOOK_NOT : TOOK;
}

static enum took
folded_end(struct text *t)
{
	(void)t;
	return TOOK;
}

static const struct format {
	const char *name;
	enum took (*line)(struct text *, char *, size_t);
	enum took (*end)(struct text *);
} formats[] = {
	[FOLD_AUTO] = { "auto", NULL, NULL },
	[FOLD_DTRACE] = { "dtrace", dtrace_line, dtrace_end },
	[FOLD_PERF] = { "perf", perf_line, perf_end },
	[FOLD_BPFTRACE] = { "bpftrace", bpftrace_line, bpftrace_last },
	[FOLD_FOLDED] = { "folded", folded_line, folded_end },
};

int
fold_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* Which tracer wrote it, by its first line that is not empty. */
static enum fold_format
guess(const char *s, size_t n)
{
	const char *pid, *tid;
	uint64_t v;
	size_t i;

	if (strncmp(s, "Attaching ", 10) == 0 || *s == '@')
		return FOLD_BPFTRACE;
	if (!isspace((unsigned char)*s) && !dtrace_header(s, n) &&
	    perf_header(s, &i, &pid, &tid) && strchr(s, ';') == NULL)
		return FOLD_PERF;
	if (*s == '#')
		return FOLD_PERF;
	if (!isspace((unsigned char)*s) && count_at_end(s, n, &v, &i) &&
	    i > 0 && !dtrace_header(s, n))
		return FOLD_FOLDED;
	return FOLD_DTRACE;
}

static int
take_lines(struct text *t, enum fold_format format, struct lines *l,
    const char *name, const struct msg_sink *sink, uint64_t *malformed,
    struct msg *m)
{
	const struct fold_opt *o = fold_options(t->f);
	enum took took;
	enum lines_got got;
	char *s;
	size_t n;

	while ((got = lines_next(l, &s, &n, m)) != LINES_END) {
		if (o->progress != NULL && l->line % 8192 == 0)
			o->progress(o->progress_arg, l->offset);
		if (got == LINES_FAILED)
			return -1;
		took = TOOK_NOT;
		if (got != LINES_LONG && strlen(s) == n) {
			if (format == FOLD_AUTO && strspn(s, " \t\r") < n)
				format = guess(s, n);
			took = format == FOLD_AUTO ? TOOK :
			    formats[format].line(t, s, n);
		}
		if (took == TOOK_FAILED)
			return msg_set_nomem(m);
		if (took == TOOK_NOT) {
			++*malformed;
			msg_emit(sink, MSG_ERROR, "stack-syntax", name,
			    l->line, got == LINES_LONG ? "line too long" :
			    "no frame, key or count of a stack");
		}
	}
	if (format == FOLD_AUTO)	/* nothing but blanks */
		return msg_set_at(m, "empty", name, 0, "the input is empty");
	if ((took = formats[format].end(t)) == TOOK_FAILED)
		return msg_set_nomem(m);
	if (took == TOOK_NOT) {
		++*malformed;
		msg_emit(sink, MSG_ERROR, "stack-torn", name, l->line,
		    "the input ends before the count of the last stack");
	}
	return 0;
}

int
fold_text(struct fold *f, enum fold_format format, int fd, const char *name,
    const struct msg_sink *sink, uint64_t *malformed, struct msg *m)
{
	struct text t = { .f = f };
	struct lines l;
	int rv;

	if (lines_open(&l, fd, name, LINE_MAX_BYTES, m) == -1)
		return -1;
	rv = take_lines(&t, format, &l, name, sink, malformed, m);
	if (rv == 0 && l.line == 0)
		rv = msg_set_at(m, "empty", name, 0, "the input is empty");
	block_free(&t.block);
	lines_close(&l);
	return rv;
}
