/* perf script's samples, line by line. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/fold_impl.h"
#include "libdt/fold_line.h"

bool
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

/* "7f01 symbol+0x2 (/lib/libc.so.6)": made "libc.so.6`symbol+0x2", and
 * "7f01 [unknown] ([unknown])" the bare address that it is. */
static enum took
perf_frame(struct text *t, char *s, size_t n)
{
	size_t hex = strspn(s, "0123456789abcdef");
	char bare[32], *dso, *base, *sym = s + hex;
	int len;

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
	if (strcmp(dso, "[unknown]") == 0 && strcmp(sym, dso) == 0) {
		len = snprintf(bare, sizeof(bare), "0x%.*s",
		    hex < 16 ? (int)hex : 16, s);
		return block_frame(&t->block, bare, (size_t)len) == -1 ?
		    TOOK_FAILED : TOOK;
	}
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

enum took
perf_line(struct text *t, char *raw, size_t n)
{
	bool indented = isspace((unsigned char)*raw);
	const char *pid, *tid;
	size_t comm;
	char *s = text_trim(raw, &n);

	if (n == 0) {
		if (t->open && text_close(t, 1, t->line) == TOOK_FAILED)
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
	if (t->open && text_close(t, 1, t->line) == TOOK_FAILED)
		return TOOK_FAILED;
	t->open = true;
	return perf_first(t, s, comm, pid, tid) == -1 ? TOOK_FAILED : TOOK;
}

enum took
perf_end(struct text *t)
{
	return t->open ? text_close(t, 1, t->line) : TOOK;
}
