#include <ctype.h>
#include <string.h>

#include "libdt/fold_line.h"

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
	    !text_count(s, n, &v, &before);
}

bool
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
	} else if (text_count(t->pending, n, &count, &before)) {
		if (add_keys(&t->block, t->pending, before) == -1)
			return TOOK_FAILED;
		rv = text_close(t, count);
	}
	t->pending[0] = '\0';
	return rv;
}

enum took
dtrace_line(struct text *t, char *raw, size_t n)
{
	bool indented = isspace((unsigned char)*raw);
	char *s = text_trim(raw, &n);
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
	if (text_count(s, n, &count, &before)) {
		if (block_empty(&t->block) && n < sizeof(t->pending)) {
			memcpy(t->pending, s, n + 1);
			return TOOK;
		}
		if (add_keys(&t->block, s, before) == -1)
			return TOOK_FAILED;
		return text_close(t, count);
	}
	if (!indented)
		return TOOK_NOT;
	return add_keys(&t->block, s, n) == -1 ? TOOK_FAILED : TOOK;
}

/* A block that never got its count is lost: say so. */
enum took
dtrace_end(struct text *t)
{
	if (settle(t, false) == TOOK_FAILED)
		return TOOK_FAILED;
	return block_empty(&t->block) ? TOOK : TOOK_NOT;
}
