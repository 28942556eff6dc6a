/*
 * feature.c - what the running kernel has.
 */
#include <string.h>

#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "trace/feature.h"
#include "trace/opt.h"
#include "trace/trace.h"

static const struct feature_row {
	const char *name;
	unsigned since;			/* as KERNEL_VERSION() */
	enum bpf_func_id helper;
	enum bpf_prog_type type;
} feature_table[] = {
#define F(id, name, major, minor, helper, type, text) \
	[KF_##id] = { name, (major) << 16 | (minor) << 8, helper, type },
#include "trace/feature.def"
#undef F
};

/* The word of a list with commas or newlines that starts at *p, *p going on
 * to the next; its length, 0: there is none. */
static size_t
word(const char **p, const char **start)
{
	size_t n;

	*start = *p + strspn(*p, ",\n ");
	n = strcspn(*start, ",\n ");
	*p = *start + n;
	return n;
}

static bool
is_word(const char *name, const char *start, size_t n)
{
	return strlen(name) == n && memcmp(name, start, n) == 0;
}

static bool
turned_off(const struct trace *t, enum feature f)
{
	const char *p = opt_str(&t->opt, O_WITHOUT), *start;
	size_t n;

	while (p != NULL && (n = word(&p, &start)) > 0)
		if (is_word(feature_table[f].name, start, n))
			return true;
	return false;
}

bool
kernel_has(struct trace *t, enum feature f)
{
	const struct feature_row *r = &feature_table[f];
	struct kernel *k = &t->kern;

	if (turned_off(t, f))
		return false;
	if (k->version == 0 || k->version >= r->since)
		return true;
	if (r->helper == 0 || t->offline)
		return false;
	if ((k->asked & UINT32_C(1) << f) == 0) {
		k->asked |= UINT32_C(1) << f;
		if (libbpf_probe_bpf_helper(r->type, r->helper, NULL) == 1)
			k->found |= UINT32_C(1) << f;
	}
	return (k->found & UINT32_C(1) << f) != 0;
}

const char *
feature_name(enum feature f)
{
	return feature_table[f].name;
}

int
feature_check(const struct trace *t, struct msg *m)
{
	const char *p = opt_str(&t->opt, O_WITHOUT), *start;
	char all[256] = "";
	size_t n, i, len = 0;

	for (i = 0; i < KF_N && len < sizeof(all); i++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s",
		    i > 0 ? ", " : "", feature_table[i].name);
	while (p != NULL && (n = word(&p, &start)) > 0) {
		for (i = 0; i < KF_N; i++)
			if (is_word(feature_table[i].name, start, n))
				break;
		if (i == KF_N)
			return msg_set(m, "usage", "-x without: there is no "
			    "feature '%.*s' (%s)", (int)n, start, all);
	}
	return 0;
}
