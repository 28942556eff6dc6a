/*
 * provider.c - the providers, and probe descriptions put to them.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/trace.h"

/* In the order of -l. */
static const struct provider *const provider_table[] = {
	&prov_dtrace,
	&prov_profile,
	&prov_syscall,
	&prov_proc,
	&prov_sched,
	&prov_io,
	&prov_sdt,
	&prov_fbt,
	&prov_pid,
	&prov_usdt,
	NULL
};

const struct provider *
provider_row(size_t i)
{
	return i < sizeof(provider_table) / sizeof(provider_table[0])
	    ? provider_table[i] : NULL;
}

bool
pdesc_is_glob(const char *s)
{
	return s[0] == '\0' || strpbrk(s, "*?[\\") != NULL;
}

bool
pdesc_match(const char *pattern, const char *text)
{
	if (pattern[0] == '\0')
		return true;
	if (!pdesc_is_glob(pattern))
		return strcmp(pattern, text) == 0;
	return fnmatch(pattern, text, 0) == 0;
}

int
provider_parse_desc(char *text, struct pdesc *pd, struct msg *m)
{
	char *field[4], *p = text, *end;
	size_t n = 0;

	*pd = (struct pdesc){ .prov = "", .mod = "", .func = "", .name = "",
	    .text = text };
	if (*text != '\0') {
		unsigned long id = strtoul(text, &end, 10);
		if (*end == '\0' && id > 0 && id <= UINT32_MAX &&
		    *text >= '0' && *text <= '9') {
			pd->id = (uint32_t)id;
			return 0;
		}
	}
	for (;;) {
		if (n == 4)
			return msg_set(m, "usage",
			    "probe description has more than four fields");
		field[n++] = p;
		p = strchr(p, ':');
		if (p == NULL)
			break;
		*p++ = '\0';
	}
	pd->name = field[n - 1];
	if (n > 1)
		pd->func = field[n - 2];
	if (n > 2)
		pd->mod = field[n - 3];
	if (n > 3)
		pd->prov = field[n - 4];
	return 0;
}

int
provider_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	a->type = NULL;
	a->native = NULL;
	if (p->pv->arg == NULL)
		return 0;
	return p->pv->arg(t, p, n, a, m);
}

struct byid {
	uint32_t id;
	int (*cb)(struct probe *, void *);
	void *arg;
};

static int
match_id(struct probe *p, void *arg)
{
	struct byid *b = arg;

	return p->id == b->id ? b->cb(p, b->arg) : 0;
}

int
provider_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	static const struct pdesc all = { .prov = "", .mod = "", .func = "",
	    .name = "", .text = "" };
	struct byid b = { pd->id, cb, arg };
	const struct provider *pv;
	int rc;

	if (pd->id != 0) {
		pd = &all;
		cb = match_id;
		arg = &b;
	}
	for (size_t i = 0; (pv = provider_row(i)) != NULL; i++) {
		if (!pv->claims(pd))
			continue;
		rc = pv->match(t, pd, cb, arg, m);
		if (rc != 0)
			return rc;
	}
	return 0;
}
