/* bpftrace's maps of stacks, line by line. */
#include <ctype.h>
#include <string.h>

#include "libdt/fold_impl.h"
#include "libdt/fold_line.h"

/* The keys and the count of "…, comm, 12]: 3". */
static enum took
bpftrace_keys(struct text *t, char *s, size_t n)
{
	char *end = NULL, *p, *comma;
	uint64_t count;

	for (p = s; (p = strstr(p, "]: ")) != NULL; p++)
		end = p;
	if (end == NULL || !text_number(end + 3, n - (size_t)(end + 3 - s), &count))
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
	return text_close(t, count, t->line);
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

enum took
bpftrace_line(struct text *t, char *raw, size_t n)
{
	bool indented = *raw == ' ';
	char *s = text_trim(raw, &n), *p;

	if (n == 0 || (!t->open && strncmp(s, "Attaching ", 10) == 0))
		return TOOK;
	if (!t->open) {
		if (*s != '@' || (p = strchr(s, '[')) == NULL)
			return TOOK_NOT;
		t->open = true;
		n -= (size_t)(p + 1 - s);
		s = p + 1;
		if (strstr(s, "]: ") != NULL)
			return bpftrace_keys(t, s, n);
		return n == 0 || *s == ',' ? TOOK : TOOK_NOT;
	}
	if (!indented && strstr(s, "]: ") != NULL)
		return bpftrace_keys(t, s, n);
	if (!indented && *s == ',') {
		block_group(&t->block);
		return TOOK;
	}
	if (!fold_options(t->f)->addrs)
		n = without_decimal(s, n);
	return block_frame(&t->block, s, n) == -1 ? TOOK_FAILED : TOOK;
}

enum took
bpftrace_end(struct text *t)
{
	return t->open ? TOOK_NOT : TOOK;
}
