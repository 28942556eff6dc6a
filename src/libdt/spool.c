/* A spool's lines into canonical records. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/esc.h"
#include "libdt/lines.h"
#include "libdt/spool.h"

enum state {
	HEAD,			/* the READY line is expected */
	RECORDS,
	KERNEL,			/* frames of a sample, up to an empty line */
	USER,
	TAIL,			/* after END */
};

struct frame {
	size_t at, len;		/* in frames */
};

struct parser {
	enum schema_family family;
	spool_fn *fn;
	void *arg;
	struct spool *s;
	struct msg *m;
	enum state state;
	uint64_t line;
	uint64_t last_ts;	/* of the last good record */
	struct record r;
	char *text;		/* of r's strings */
	size_t used, cap;
	/* the sample that is being read */
	uint64_t sample_line;
	char *head;		/* its record line, which r points into */
	char *frames;		/* as printed, leaf first */
	size_t fused;
	struct frame frame[SPOOL_FRAMES_MAX];
	size_t nframes;
	char *stack;		/* put together */
};

static void
malformed_at(struct parser *p, uint64_t line)
{
	if (p->s->malformed < BUNDLE_MALFORMED_LINES)
		p->s->malformed_lines[p->s->malformed] = line;
	if (p->s->malformed++ == 0)
		p->s->bad_from = p->last_ts;
	p->s->bad_to = 0;
}

/* Hands the record in p->r on. */
static int
give(struct parser *p)
{
	p->s->records++;
	p->last_ts = p->r.v[REC_TS].u;
	if (p->s->malformed > 0 && p->s->bad_to == 0)
		p->s->bad_to = p->last_ts;
	return p->fn(p->arg, &p->r, p->m);
}

/* Room for the escape of n bytes; the buffer is as large as all can need. */
static char *
keep(struct parser *p, const void *bytes, size_t n, size_t *len)
{
	char *dst = p->text + p->used;

	*len = record_escape(dst, p->cap - p->used, bytes, n);
	p->used += *len + 1;
	return dst;
}

/* Decodes what %S wrote into the record's own form. */
static int
parse_str(struct parser *p, const struct schema_col *col, const char *s,
    size_t n, struct value *v)
{
	char *raw = p->text + p->used;
	ssize_t got = -1;
	size_t len;

	if (n <= p->cap - p->used)
		got = esc_decode_dtrace(raw, s, n);
	if (got < 0 || got < col->min || (uint64_t)got > col->max ||
	    (size_t)got * (ESC_GROWTH + 1) + 2 > p->cap - p->used)
		return -1;
	p->used += (size_t)got;
	v->given = true;
	v->s = keep(p, raw, (size_t)got, &len);
	v->len = len;
	return 0;
}

static int
parse_field(struct parser *p, const struct schema_col *col, const char *s,
    size_t n, struct value *v)
{
	memset(v, 0, sizeof(*v));
	if (col->optional && ((n == 1 && s[0] == '-') ||
	    (col->type == TYPE_ID && n == 1 && s[0] == '0')))
		return 0;
	if (col->type == TYPE_STR)
		return parse_str(p, col, s, n, v);
	return record_parse_value(col, s, n, v, NULL);
}

/* The next field of a line; *s becomes NULL after the last one. */
static const char *
field(const char **s, size_t *left, size_t *n)
{
	const char *f = *s, *tab;

	if (f == NULL)
		return NULL;
	tab = memchr(f, '\t', *left);
	*n = tab != NULL ? (size_t)(tab - f) : *left;
	*left -= tab != NULL ? *n + 1 : *n;
	*s = tab != NULL ? tab + 1 : NULL;
	return f;
}

static const char *const fd_calls[] = {
#define X(name)	#name,
#include "libdt/fdcall.def"
#undef X
};
#define FD_CALLS	(sizeof(fd_calls) / sizeof(fd_calls[0]))

const char *
spool_fd_call(size_t i)
{
	return i < FD_CALLS ? fd_calls[i] : NULL;
}

bool
spool_has_fd(const char *call, size_t n)
{
	size_t lo = 0, hi = FD_CALLS, mid;
	int c;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		c = strncmp(call, fd_calls[mid], n);
		if (c == 0)
			c = fd_calls[mid][n] == '\0' ? 0 : -1;
		if (c == 0)
			return true;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return false;
}

/* Columns that are not spool fields as they are. */
static void
fill_call(struct record *r, int name, int fd, const struct value *arg0)
{
	if (spool_has_fd(r->v[name].s, r->v[name].len))
		record_set_i64(r, fd, (int32_t)(uint32_t)(uint64_t)arg0->i);
}

static void
fill(struct record *r, const struct value *own)
{
	switch (r->kind) {
	case KIND_CPU_SAMPLE:
		record_set_u64(r, REC_CPU_SAMPLE_COUNT, 1);
		break;
	case KIND_SYSCALL:
		fill_call(r, REC_SYSCALL_NAME, REC_SYSCALL_FD, &own[2]);
		if (own[5].len > 0)
			r->v[REC_SYSCALL_PATH] = own[5];
		break;
	case KIND_SYSCALL_OPEN:
		fill_call(r, REC_SYSCALL_OPEN_NAME, REC_SYSCALL_OPEN_FD,
		    &own[1]);
		break;
	case KIND_SPAN_START:
		r->v[REC_SPAN] = r->v[REC_SPAN_START_ID];
		break;
	case KIND_SPAN_END:
		r->v[REC_SPAN] = r->v[REC_SPAN_END_ID];
		break;
	default:
		break;
	}
}

/* A record line: 0, or -1 if it is malformed. */
static int
parse_record(struct parser *p, const char *line, size_t n)
{
	static const int prefix[] = { REC_TS, REC_PID, REC_TID, REC_CPU };
	struct value own[SPOOL_FIELDS_MAX];
	const struct schema_kind_info *k;
	const char *f, *rest = line;
	struct record *r = &p->r;
	size_t i, len;
	int kind;

	p->used = 0;
	f = field(&rest, &n, &len);
	kind = schema_kind_find(f, len);
	if (kind < 0 || schema_kind((enum schema_kind)kind)->family !=
	    p->family)
		return -1;
	k = schema_kind((enum schema_kind)kind);
	record_init(r, (enum schema_kind)kind, 0);
	for (i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++) {
		f = field(&rest, &n, &len);
		if (f == NULL || parse_field(p, schema_col(r->kind,
		    (size_t)prefix[i]), f, len, &r->v[prefix[i]]) == -1)
			return -1;
		if (!r->v[prefix[i]].given)
			record_unset(r, prefix[i]);
	}
	for (i = 0; i < k->nspool; i++) {
		f = field(&rest, &n, &len);
		if (f == NULL || parse_field(p, &k->spool[i].col, f, len,
		    &own[i]) == -1)
			return -1;
		if (k->spool[i].to != REC_NONE && own[i].given)
			r->v[k->spool[i].to] = own[i];
	}
	if (rest != NULL)
		return -1;
	fill(r, own);
	return 0;
}

/* READY, COUNT and END: 1, or 0 if the line is none of them, -1 malformed. */
static int
parse_control(struct parser *p, const char *line, size_t n)
{
	static const struct schema_col ts = { .name = "ts", .type = TYPE_TS,
		.max = INT64_MAX };
	const char *rest = line, *f[5];
	size_t len[5], i, count = 0;
	struct value v;

	for (i = 0; i < 5 && (f[i] = field(&rest, &n, &len[i])) != NULL; i++)
		count++;
	if (len[0] == 5 && memcmp(f[0], "READY", 5) == 0) {
		if (p->state != HEAD || count != 4 || rest != NULL ||
		    len[1] == 0 || len[2] >= sizeof(p->s->name) ||
		    record_parse_value(&ts, f[3], len[3], &v, NULL) == -1)
			return -1;
		p->s->ready = true;
		p->s->newer = len[1] != 1 ||
		    f[1][0] != '0' + SCHEMA_SPOOL_VERSION;
		memcpy(p->s->name, f[2], len[2]);
		p->s->ready_ts = v.u;
		return 1;
	}
	if (len[0] == 5 && memcmp(f[0], "COUNT", 5) == 0) {
		if (count != 3 || len[1] != 5 ||
		    memcmp(f[1], "fired", 5) != 0 || p->s->fired.known ||
		    record_parse_value(&ts, f[2], len[2], &v, NULL) == -1)
			return -1;
		p->s->fired = (struct maybe_u64){ true, v.u };
		return 1;
	}
	if (len[0] == 3 && memcmp(f[0], "END", 3) == 0) {
		if (count != 2 ||
		    record_parse_value(&ts, f[1], len[1], &v, NULL) == -1)
			return -1;
		p->s->ended = true;
		p->s->end_ts = v.u;
		p->state = TAIL;
		return 1;
	}
	return 0;
}

/* One frame in the canonical form: its parts escaped, "`" between them. */
static size_t
put_frame(char *dst, const char *f, size_t n)
{
	const char *tick = memchr(f, '`', n), *slash;
	size_t len, mod;

	if (tick == NULL)
		return record_escape_frame(dst, n * ESC_GROWTH + 1, f, n);
	/* a module is the last component of its path */
	if ((slash = memrchr(f, '/', (size_t)(tick - f))) != NULL) {
		n -= (size_t)(slash + 1 - f);
		f = slash + 1;
	}
	mod = (size_t)(tick - f);
	len = record_escape_frame(dst, mod * ESC_GROWTH + 1, f, mod);
	dst[len++] = '`';
	return len + record_escape_frame(dst + len,
	    (n - mod - 1) * ESC_GROWTH + 1, tick + 1, n - mod - 1);
}

/* The sample is whole: its frames are turned round, and it is handed on. */
static int
end_sample(struct parser *p)
{
	int col = schema_col_find(p->r.kind, "stack");
	size_t i, len, n = 0;
	bool bad = false;

	for (i = p->nframes; i-- > 0;) {
		if (n > 0)
			p->stack[n++] = ';';
		len = put_frame(p->stack + n, p->frames + p->frame[i].at,
		    p->frame[i].len);
		bad |= !record_frame_valid(p->stack + n, len);
		n += len;
	}
	if (bad || n > SCHEMA_STACK_MAX) {
		malformed_at(p, p->sample_line);
		return 0;
	}
	if (n > 0)
		record_set_text(&p->r, col, p->stack, n);
	return give(p);
}

/* A frame line; false if the sample cannot take it. */
static bool
add_frame(struct parser *p, const char *line, size_t n)
{
	while (n > 0 && line[0] == ' ') {
		line++;
		n--;
	}
	if (n == 0 || memchr(line, '\t', n) != NULL ||
	    memchr(line, '\0', n) != NULL ||
	    p->nframes == SPOOL_FRAMES_MAX ||
	    p->fused + n > SCHEMA_STACK_MAX)
		return false;
	memcpy(p->frames + p->fused, line, n);
	p->frame[p->nframes++] = (struct frame){ p->fused, n };
	p->fused += n;
	return true;
}

static int on_record_line(struct parser *p, const char *line, size_t n);

static int
on_frame_line(struct parser *p, const char *line, size_t n)
{
	if (n == 0) {
		if (p->state == KERNEL) {
			p->state = USER;
			return 0;
		}
		p->state = RECORDS;
		return end_sample(p);
	}
	if (add_frame(p, line, n))
		return 0;
	/* the sample was torn: the line may be a record of its own */
	malformed_at(p, p->sample_line);
	p->state = RECORDS;
	return on_record_line(p, line, n);
}

static int
on_record_line(struct parser *p, const char *line, size_t n)
{
	int rc;

	/* A dtrace that is interrupted prints a newline, wherever it is. */
	if (n == 0)
		return 0;
	rc = parse_control(p, line, n);
	if (p->state == HEAD)
		p->state = RECORDS;
	if (rc == 1)
		return 0;
	if (rc == -1 || (p->state == TAIL && rc == 0) ||
	    parse_record(p, line, n) == -1) {
		malformed_at(p, p->line);
		return 0;
	}
	if ((schema_kind(p->r.kind)->flags & KIND_FRAMES) == 0)
		return give(p);
	/* the line is lent until the next one, and frames are lines */
	memcpy(p->head, line, n);
	(void)parse_record(p, p->head, n);
	p->state = KERNEL;
	p->sample_line = p->line;
	p->nframes = p->fused = 0;
	return 0;
}

static int
on_line(struct parser *p, enum lines_got got, const char *line, size_t n)
{
	bool in_sample = p->state == KERNEL || p->state == USER;

	if (got == LINES_GOOD)
		return in_sample ? on_frame_line(p, line, n) :
		    on_record_line(p, line, n);
	malformed_at(p, in_sample ? p->sample_line : p->line);
	p->state = RECORDS;
	return 0;
}

static int
read_all(struct parser *p, struct lines *l)
{
	enum lines_got got;
	char *line;
	size_t n;

	for (;;) {
		got = lines_next(l, &line, &n, p->m);
		if (got == LINES_FAILED)
			return -1;
		if (got == LINES_END)
			break;
		p->line = l->line;
		if (on_line(p, got, line, n) == -1)
			return -1;
	}
	if (p->state == KERNEL || p->state == USER)
		malformed_at(p, p->sample_line);
	return 0;
}

int
spool_read(int fd, const char *name, enum schema_family family, spool_fn *fn,
    void *arg, struct spool *s, struct msg *m)
{
	struct parser *p = calloc(1, sizeof(*p));
	struct lines l;
	int rc = -1;

	memset(s, 0, sizeof(*s));
	if (lines_open(&l, fd, name, RECORD_LINE_MAX, m) == -1) {
		free(p);
		return -1;
	}
	if (p != NULL) {
		p->family = family;
		p->fn = fn;
		p->arg = arg;
		p->s = s;
		p->m = m;
		p->cap = (size_t)RECORD_LINE_MAX * (ESC_GROWTH + 2);
		p->text = malloc(p->cap);
		p->head = malloc(RECORD_LINE_MAX);
		p->frames = malloc(SCHEMA_STACK_MAX);
		p->stack = malloc((size_t)SCHEMA_STACK_MAX * ESC_GROWTH +
		    2 * SPOOL_FRAMES_MAX + 1);
	}
	if (p == NULL || p->text == NULL || p->head == NULL ||
	    p->frames == NULL || p->stack == NULL)
		msg_set_nomem(m);
	else
		rc = read_all(p, &l);
	if (p != NULL) {
		free(p->text);
		free(p->head);
		free(p->frames);
		free(p->stack);
	}
	free(p);
	lines_close(&l);
	return rc;
}
