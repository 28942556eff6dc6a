/*
 * prov_profile.c - profile-N and tick-N.
 *
 * profile-N samples every CPU by a perf cpu-clock event; the kernel does not
 * run that event while a CPU idles, and neither would anybody want the sample.
 * tick-N fires once a period whatever the CPUs do: a timerfd in dt-trace's
 * loop runs the program (EV_TIMER with one_cpu).
 *
 * arg0 is the kernel's program counter, arg1 the user's; one of them is 0.
 * For ticks both are 0: no CPU was interrupted for them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/feature.h"
#include "trace/ir.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/regs.h"
#include "trace/stability.h"
#include "trace/trace.h"
#include "trace/type.h"

enum { PERIOD_MIN_NS = 200000 };	/* DTrace's limit: 5000 a second */

static const struct unit_ns {
	const char *suffix;
	uint64_t ns;			/* 0: a rate */
} unit_table[] = {
	{ "ns", 1 }, { "nsec", 1 },
	{ "us", 1000 }, { "usec", 1000 },
	{ "ms", 1000000 }, { "msec", 1000000 },
	{ "s", 1000000000 }, { "sec", 1000000000 },
	{ "m", UINT64_C(60000000000) }, { "min", UINT64_C(60000000000) },
	{ "h", UINT64_C(3600000000000) }, { "hour", UINT64_C(3600000000000) },
	{ "d", UINT64_C(86400000000000) }, { "day", UINT64_C(86400000000000) },
	{ "hz", 0 }, { "", 0 },
};

/* What -l lists, and a glob in the name stands for. */
static const char *const listed_table[] = {
	"profile-97", "profile-199", "profile-499", "profile-997",
	"profile-1999", "profile-4001", "profile-4999",
	"tick-1", "tick-10", "tick-100", "tick-500", "tick-1000", "tick-5000",
};

/* The period of "profile-…" or "tick-…" in ns; 0: not such a name. */
static uint64_t
profile_period(const char *name)
{
	const char *p = strchr(name, '-');
	char *end;
	uint64_t n, ns;

	if (p == NULL || p[1] < '0' || p[1] > '9')
		return 0;
	errno = 0;
	n = strtoull(p + 1, &end, 10);
	if (errno != 0 || n == 0)
		return 0;
	for (size_t i = 0; i < sizeof(unit_table) / sizeof(unit_table[0]);
	    i++) {
		const struct unit_ns *u = &unit_table[i];

		if (strcmp(u->suffix, end) != 0)
			continue;
		if (u->ns == 0)
			ns = UINT64_C(1000000000) / n;
		else if (__builtin_mul_overflow(n, u->ns, &ns))
			return 0;
		return ns < PERIOD_MIN_NS || ns > INT64_MAX ? 0 : ns;
	}
	return 0;
}

static bool
profile_claims(const struct pdesc *pd)
{
	return pdesc_match(pd->prov, "profile");
}

static int
profile_one(struct trace *t, const char *name,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	uint64_t ns;
	struct probe *p;

	if (strncmp(name, "tick-", 5) != 0 && strncmp(name, "profile-", 8) != 0)
		return 0;
	ns = profile_period(name);
	if (ns == 0)
		return 0;
	p = probe_make(t, &prov_profile, "profile", "", "", name, 0, NULL);
	if (p == NULL)
		return msg_set_nomem(m);
	p->key = (int64_t)ns;
	return cb(p, arg);
}

static int
profile_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	int rc;

	if (!pdesc_match(pd->mod, "") || !pdesc_match(pd->func, ""))
		return 0;
	if (!pdesc_is_glob(pd->name))
		return profile_one(t, pd->name, cb, arg, m);
	for (size_t i = 0; i < sizeof(listed_table) / sizeof(listed_table[0]);
	    i++) {
		if (!pdesc_match(pd->name, listed_table[i]))
			continue;
		rc = profile_one(t, listed_table[i], cb, arg, m);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static bool
is_tick(const struct probe *p)
{
	return p->name[0] == 't';
}

static int
profile_enable(struct trace *t, struct probe *p, struct msg *m)
{
	p->ev = event_make(t, &prov_profile, EV_TIMER, p->name);
	if (p->ev == NULL)
		return msg_set_nomem(m);
	p->ev->period_ns = (uint64_t)p->key;
	p->ev->one_cpu = is_tick(p);
	p->ev->self_run = !kernel_has(t, KF_TEST_RUN);
	return 0;
}

static int
profile_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	(void)p, (void)m;
	if (n < 2)
		a->type = type_int(t->types, 8, false);
	return 0;
}

/* Registers as they were, from the context of a perf event's program. */
static vreg
profile_reg(struct gen *g, int off)
{
	return ir_load(g, ir_ctx(g), (int32_t)offsetof(
	    struct bpf_perf_event_data, regs) + off, 8);
}

static vreg
profile_gen_arg(struct gen *g, struct event *ev, unsigned n)
{
	label skip;
	vreg pc, v;

	v = ir_new(g);
	ir_set(g, v, 0);
	if (ev->one_cpu || n > 1)
		return v;
	skip = ir_newlabel(g);
	pc = profile_reg(g, REGS_PC);
	/* kernel addresses have the top bit set on x86-64 and arm64 */
	ir_bri(g, n == 0 ? CC_SGE : CC_SLT, pc, 0, skip);
	ir_mov(g, v, pc);
	ir_label(g, skip);
	return v;
}

static vreg
profile_builtin(struct gen *g, struct event *ev, const char *name)
{
	if (ev->one_cpu)
		return -1;
	if (uregs_offset(name) >= 0)
		return profile_reg(g, uregs_offset(name));
	return -1;
}

static int
profile_attach(struct trace *t, struct event *ev, struct msg *m)
{
	return ev->one_cpu ? 0 : attach_timer(t, ev, m);
}

const struct provider prov_profile = {
	.name = "profile",
	.attr = &stability_common,
	.claims = profile_claims,
	.match = profile_match,
	.arg = profile_arg,
	.enable = profile_enable,
	.gen_probe = gen_probe_const,
	.gen_arg = profile_gen_arg,
	.gen_builtin = profile_builtin,
	.attach = profile_attach,
};
