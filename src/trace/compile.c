/*
 * compile.c - the programs of a command line: parsed, matched, typed, lowered.
 */
#include <string.h>

#include "trace/ast.h"
#include "trace/astdump.h"
#include "trace/check.h"
#include "trace/feature.h"
#include "trace/lower.h"
#include "trace/opt.h"
#include "trace/provider.h"
#include "trace/session.h"

bool
session_only_lists(const struct session *ss, const struct source *s)
{
	return ss->c.list && s->spec != PS_SCRIPT &&
	    strpbrk(s->arg, "{/;,") == NULL;
}

/* -S prints the passes that -x disasm names, all of them without it. */
static bool
dumps(const struct session *ss, const char *pass)
{
	const char *list = opt_str(&ss->t.opt, O_DISASM), *p;
	size_t len = strlen(pass);

	if (!ss->c.dump || list == NULL)
		return ss->c.dump;
	for (p = strstr(list, pass); p != NULL; p = strstr(p + 1, pass))
		if ((p == list || p[-1] == ',') &&
		    (p[len] == '\0' || p[len] == ','))
			return true;
	return false;
}

/* Values that DTrace knows and this system cannot do. */
static int
check_options(const struct session *ss, struct msg *m)
{
	const char *when = opt_str(&ss->t.opt, O_EVALTIME);

	if (opt_num(&ss->t.opt, O_BUFPOLICY) != 0)
		return msg_set(m, "usage", "failed to set -x bufpolicy: only "
		    "switch is supported on this system");
	if (when != NULL && strcmp(when, "exec") != 0)
		return msg_set(m, "usage", "failed to set -x evaltime: only "
		    "exec is supported on this system");
	return 0;
}

int
session_compile(struct session *ss, struct msg *m)
{
	struct trace *t = &ss->t;
	int bad = 0;

	for (size_t i = 0; i < ss->c.nsrc; i++) {
		if (session_only_lists(ss, &ss->c.src[i]))
			continue;
		ss->d.source = ss->c.src[i].label;
		msg_clear(m);
		if (source_parse(t, &ss->c.src[i], ss->c.nargs, ss->c.args,
		    &ss->d, m) == -1) {
			bad = -1;
			if (ss->d.n == 0)
				return -1;
		}
	}
	if (feature_check(t, m) == -1)
		return -1;
	if (bad == 0)
		bad = provider_match_unit(t, t->unit, &ss->d);
	if (bad == 0)
		bad = check_unit(t, t->unit, &ss->d);
	if (dumps(ss, "ast"))
		ast_dump(t->out, t->unit);
	if (bad == 0 && !ss->c.list)
		bad = lower_unit(t, t->unit, &t->prog, &ss->d,
		    dumps(ss, "ir") ? t->out : NULL,
		    dumps(ss, "bpf") ? t->out : NULL);
	if (bad == -1 && ss->d.n == 0)
		return msg_set_nomem(m);
	return bad == 0 ? check_options(ss, m) : bad;
}
