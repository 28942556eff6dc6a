/*
 * probelist.c - -l: probes as a table.
 */
#include <string.h>

#include "trace/ast.h"
#include "trace/opt.h"
#include "trace/parse.h"
#include "trace/probe.h"
#include "trace/probelist.h"
#include "trace/provider.h"
#include "trace/session.h"
#include "trace/stability.h"
#include "trace/type.h"

static void
list_head(FILE *fp)
{
	fprintf(fp, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER",
	    "MODULE", "FUNCTION", "NAME");
}

static int
list_args(struct trace *t, FILE *fp, const struct probe *p, struct msg *m)
{
	struct probearg a;
	char buf[256];

	fprintf(fp, "\tArgument Types\n");
	for (unsigned n = 0; n < PROBE_MAXARG; n++) {
		if (provider_arg(t, p, n, &a, m) == -1)
			return -1;
		if (a.type == NULL) {
			if (n == 0)
				fprintf(fp, "\t\tNone\n");
			break;
		}
		fprintf(fp, "\t\targs[%u]: %s\n", n,
		    type_name(a.type, buf, sizeof(buf)));
	}
	putc('\n', fp);
	return 0;
}

/* One line; with verbose its attributes and argument types, too. */
static int
list_probe(struct trace *t, FILE *fp, const struct probe *p, bool verbose,
    struct msg *m)
{
	const struct pvattr *at = p->pv->attr;
	struct stability s = stability_least(at->prov, at->name);

	fprintf(fp, "%5u %10s %17s %33s %s\n", p->id, p->prov, p->mod,
	    p->func, p->name);
	if (verbose) {
		if (p->mod[0] != '\0')
			s = stability_least(s, at->mod);
		if (p->func[0] != '\0')
			s = stability_least(s, at->func);
		putc('\n', fp);
		stability_print(fp, "Probe Description Attributes", s);
		stability_print(fp, "Argument Attributes", at->args);
		if (list_args(t, fp, p, m) == -1)
			return -1;
	}
	return ferror(fp) ?
	    msg_set_errno(m, "write", NULL, "cannot write") : 0;
}

struct listing {
	struct session *ss;
	size_t n;
	struct msg *m;
};

static int
list_one(struct probe *p, void *arg)
{
	struct listing *l = arg;

	l->n++;
	return list_probe(&l->ss->t, l->ss->t.out, p,
	    opt_flag(&l->ss->t.opt, O_VERBOSE), l->m) == 0 ? 0 : -1;
}

static int
list_desc(struct session *ss, const struct source *s, struct msg *m)
{
	struct listing l = { ss, 0, m };
	struct pdesc pd = { .prov = "", .mod = "", .func = "", .name = "" };
	int rc;

	if (s != NULL) {
		ss->d.source = s->label;
		if (parse_pdesc(&ss->t, s->arg, s->spec, &pd, &ss->d) == -1)
			return -1;
	}
	rc = provider_match(&ss->t, &pd, list_one, &l, m);
	if (rc == -1 && (m->id == NULL || strcmp(m->id, "no-match") != 0))
		return -1;
	if (l.n == 0 && s != NULL) {
		fflush(ss->t.out);
		fprintf(stderr, "%s: failed to match %s: %s\n",
		    ss->t.progname, s->arg, rc == -1 ? m->text
		    : "No probe matches description");
	}
	return 0;
}

int
probelist_print(struct session *ss, struct msg *m)
{
	struct listing l = { ss, 0, m };

	list_head(ss->t.out);
	if (ss->c.nsrc == 0)
		return list_desc(ss, NULL, m);
	for (size_t i = 0; i < ss->c.nsrc; i++)
		if (session_only_lists(ss, &ss->c.src[i]) &&
		    list_desc(ss, &ss->c.src[i], m) == -1)
			return -1;
	for (struct clause *cl = ss->t.unit->clause; cl != NULL; cl = cl->next)
		for (size_t i = 0; i < cl->nprobe; i++)
			if (list_one(cl->probe[i], &l) == -1)
				return -1;
	return 0;
}
