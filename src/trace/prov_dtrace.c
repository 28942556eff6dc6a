/*
 * prov_dtrace.c - BEGIN, END and ERROR.
 *
 * BEGIN and END are programs that dt-trace runs itself; ERROR is a subprogram
 * that the others call where they fault.
 */
#include <string.h>

#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/feature.h"
#include "trace/ir.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/stability.h"
#include "trace/trace.h"

/* In the order DTrace lists them. */
static const char *const name_table[] = { "ERROR", "END", "BEGIN" };
enum { K_ERROR, K_END, K_BEGIN, K_N };

static bool
dtrace_claims(const struct pdesc *pd)
{
	return pdesc_match(pd->prov, "dtrace");
}

static int
dtrace_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	int rc;

	if (!pdesc_match(pd->mod, "") || !pdesc_match(pd->func, ""))
		return 0;
	for (uint32_t i = 0; i < K_N; i++) {
		struct probe *p;

		if (!pdesc_match(pd->name, name_table[i]))
			continue;
		p = probe_make(t, &prov_dtrace, "dtrace", "", "",
		    name_table[i], PID_DTRACE + i, NULL);
		if (p == NULL)
			return msg_set_nomem(m);
		p->key = i;
		rc = cb(p, arg);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
dtrace_enable(struct trace *t, struct probe *p, struct msg *m)
{
	p->ev = event_make(t, &prov_dtrace,
	    p->key == K_ERROR ? EV_SUBPROG : EV_MANUAL, p->name);
	if (p->ev == NULL)
		return msg_set_nomem(m);
	p->ev->self_run = !kernel_has(t, KF_TEST_RUN);
	return 0;
}

static int
dtrace_attach(struct trace *t, struct event *ev, struct msg *m)
{
	(void)t, (void)ev, (void)m;
	return 0;
}

const struct provider prov_dtrace = {
	.name = "dtrace",
	.attr = &stability_stable,
	.claims = dtrace_claims,
	.match = dtrace_match,
	.enable = dtrace_enable,
	.gen_probe = gen_probe_const,
	.gen_arg = gen_arg_zero,
	.attach = dtrace_attach,
};
