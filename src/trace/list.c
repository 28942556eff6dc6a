/*
 * list.c - probes as a table.
 */
#include "trace/list.h"
#include "trace/probe.h"
#include "trace/provider.h"
#include "trace/stability.h"
#include "trace/trace.h"
#include "trace/type.h"

int
list_head(FILE *fp)
{
	return fprintf(fp, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER",
	    "MODULE", "FUNCTION", "NAME") < 0 ? -1 : 0;
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

int
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
	return ferror(fp) ? msg_set_errno(m, "write", NULL,
	    "cannot write output") : 0;
}
