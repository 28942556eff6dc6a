/* What measuring cost: no more than the processors could have spent. */
#include <inttypes.h>
#include <string.h>

#include "libdt/validate_impl.h"

#define SLACK		1.05	/* clocks that differ */
#define EDGE_NS		1e8	/* and their ticks */
#define NESTED		4	/* a program runs for a task, a softirq, an
				   interrupt and an NMI at once at most */
#define BAD(v, k, ...) \
	val_found(v, FINDING_COLLECTOR_COST, "collectors.json", 0, \
	    "%.100s: " __VA_ARGS__)

/* Whether the tracer was asked for its statistics. */
static bool
asked(const struct bundle_collector *k)
{
	size_t i;

	for (i = 0; i < k->argv.n; i++)
		if (strcmp(k->argv.v[i], "--stats") == 0)
			return true;
	return false;
}

/* ns of all processors while the collector was there. */
static double
spent_at_most(const struct val *v, const struct bundle_collector *k)
{
	const struct bundle_host *h = &v->b.manifest.host;
	uint64_t from = k->started.known ? k->started.v : v->clock_start;
	uint64_t to = k->detach.known ? k->detach.v : v->clock_end;
	double cpus = (double)(h->cpu_ids.known && h->cpu_ids.v > h->cpus ?
	    h->cpu_ids.v : h->cpus);

	return to < from ? EDGE_NS : cpus * (EDGE_NS + SLACK *
	    (double)(to - from));
}

static void
check_most(struct val *v, const struct bundle_collector *k)
{
	const struct bundle_cost *c = &k->cost;
	double most = spent_at_most(v, k);

	if ((double)c->cpu_user_ns.v + (double)c->cpu_system_ns.v > most)
		BAD(v, k, "it had more cpu time than there was while it ran",
		    k->name);
	if ((double)c->bpf_run_ns.v > NESTED * most)
		BAD(v, k, "its programs ran longer than it", k->name);
	if ((double)c->bpf_run_count.v > NESTED * most)
		BAD(v, k, "its programs ran more often than every "
		    "nanosecond", k->name);
	if (c->bpf_run_count.known && c->bpf_run_count.v == 0 &&
	    (c->bpf_run_ns.v > 0 || k->counters.fired.v > 0))
		BAD(v, k, "its programs never ran, yet %s", k->name,
		    c->bpf_run_ns.v > 0 ? "took time" : "fired");
}

void
val_cost(struct val *v, const struct bundle_collector *k)
{
	const struct bundle_cost *c = &k->cost;
	bool cpu = c->cpu_user_ns.known, bpf = c->bpf_run_ns.known;

	if (!v->b.have[BUNDLE_MANIFEST])
		return;
	if (cpu != c->cpu_system_ns.known || bpf != c->bpf_run_count.known ||
	    (bpf && !cpu))
		BAD(v, k, "half of its cost is not known", k->name);
	else if (cpu && !asked(k))
		BAD(v, k, "has a cost, and no statistics tell it", k->name);
	else if (asked(k) && k->exit_code.known && k->exit_code.v == 0 &&
	    k->errors.n == 0 && (!cpu || !k->tracer_drops.known))
		BAD(v, k, "ended well, and what its statistics tell is null",
		    k->name);
	else
		check_most(v, k);
}
