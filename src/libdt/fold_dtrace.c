/* DTrace's aggregations of stacks, line by line. */
#include <ctype.h>
#include <string.h>

#include "libdt/fold_line.h"

/* How far DTrace indents keys, and stacks unless told otherwise. */
#define KEY_INDENT	2
#define FRAME_INDENT	14

static bool
hex_address(const char *s, size_t n)
{
	return n > 2 && s[0] == '0' && s[1] == 'x' &&
	    strspn(s + 2, "0123456789abcdef") == n - 2;
}

/* "symbol+0x12" */
static bool
has_offset(const char *s, size_t n)
{
	size_t i = n;

	while (i > 0 && isxdigit((unsigned char)s[i - 1]))
		i--;
	return i < n && i > 3 && memcmp(s + i - 3, "+0x", 3) == 0;
}

/*
 * "module`symbol+0x12", "module`0x12", "symbol+0x12", "0x12", and names that
 * are indented as only frames are: interpreters have frames without a module.
 * Keys are padded with blanks, frames are not.
 */
static bool
dtrace_frame(const struct text *t, const char *s, size_t n, size_t indent,
    bool padded)
{
	const char *mark = memchr(s, '`', n);
	uint64_t v;
	size_t before;
	bool counts = text_count(s, n, &v, &before);

	if (hex_address(s, n) || (!padded && has_offset(s, n)))
		return true;
	if (indent > KEY_INDENT && indent == t->indent &&
	    (!counts || before > 0))
		return true;
	return !counts && !padded && ((mark != NULL && mark != s &&
	    mark[1] != '\0') || indent >= FRAME_INDENT);
}

/* What quantize() and its kin print: no stack has such a count. */
static bool
dtrace_histogram(const char *s)
{
	return strstr(s, "- Distribution -") != NULL;
}

bool
dtrace_header(const char *s, size_t n)
{
	const char *p = s;

	if (n > 3 && strncmp(s, "CPU", 3) == 0 &&
	    isspace((unsigned char)s[3]))
		return true;
	/* on standard error, but people keep both in one file */
	if (strncmp(s, "dtrace: ", 8) == 0 || strncmp(s, "dt-trace: ", 10) == 0)
		return strstr(s, "' matched ") != NULL;
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

/*
 * A line that ends in a number and that no frames stand before is kept back:
 * it is keys if a frame follows at once, else the count of an empty stack. It
 * is told of by its own line, not by the one that settles it.
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
	} else if (text_count(t->pending, n, &count, &before)) {
		if (add_keys(&t->block, t->pending, before) == -1)
			return TOOK_FAILED;
		rv = text_close(t, count, t->pending_line);
	}
	t->pending[0] = '\0';
	return rv;
}

static enum took
dtrace_blank(struct text *t)
{
	t->histogram = false;
	t->indent = 0;
	if (settle(t, false) == TOOK_FAILED)
		return TOOK_FAILED;
	block_group(&t->block);
	return TOOK;
}

/* A line that is no frame: a count, keys, or both. */
static enum took
dtrace_other(struct text *t, const char *s, size_t n, bool indented)
{
	uint64_t count;
	size_t before;

	if (settle(t, false) == TOOK_FAILED)
		return TOOK_FAILED;
	if (block_empty(&t->block) && dtrace_header(s, n))
		return TOOK;
	if (text_count(s, n, &count, &before)) {
		if (block_empty(&t->block) && n < sizeof(t->pending)) {
			memcpy(t->pending, s, n + 1);
			t->pending_line = t->line;
			return TOOK;
		}
		if (add_keys(&t->block, s, before) == -1)
			return TOOK_FAILED;
		return text_close(t, count, t->line);
	}
	if (!indented)
		return TOOK_NOT;
	return add_keys(&t->block, s, n) == -1 ? TOOK_FAILED : TOOK;
}

enum took
dtrace_line(struct text *t, char *raw, size_t n)
{
	size_t all = n, indent;
	char *s = text_trim(raw, &n);

	indent = (size_t)(s - raw);
	if (n == 0)
		return dtrace_blank(t);
	if (t->histogram)
		return TOOK;
	if (dtrace_histogram(s)) {
		/* told of once; its stack has no count */
		t->histogram = true;
		t->pending[0] = '\0';
		block_clear(&t->block);
		t->why = "a distribution is no count of a stack";
		return TOOK_NOT;
	}
	if (!dtrace_frame(t, s, n, indent, indent + n < all)) {
		t->indent = 0;
		return dtrace_other(t, s, n, indent > 0);
	}
	t->indent = indent;
	if (settle(t, true) == TOOK_FAILED ||
	    block_frame(&t->block, s, n) == -1)
		return TOOK_FAILED;
	return TOOK;
}

/* A block that never got its count is lost: say so. */
enum took
dtrace_end(struct text *t)
{
	if (settle(t, false) == TOOK_FAILED)
		return TOOK_FAILED;
	return block_empty(&t->block) ? TOOK : TOOK_NOT;
}
