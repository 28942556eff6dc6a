/* The manifest's clock readings and window; collectors' acknowledgements. */
#include <inttypes.h>
#include <string.h>

#include "libdt/validate_impl.h"

#define FILE_NAME	"manifest.json"
#define SLEPT_NS	INT64_C(10000000)
#define STEP_NS		INT64_C(500000000)
#define STEP_PPM	500	/* what adjtime(3) may slew */

static int64_t
minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void
check_names(struct val *v, const struct bundle_clock *c)
{
	if (c->degraded != NULL)
		val_found(v, FINDING_CLOCK_DEGRADED, FILE_NAME, 0,
		    "clock.degraded: %.200s", c->degraded);
	else if (strcmp(c->name, "CLOCK_MONOTONIC") != 0)
		val_found(v, FINDING_CLOCK_NAME, FILE_NAME, 0,
		    "clock.name is %.100s", c->name);
	if (strcmp(c->unit, "ns") != 0)
		val_found(v, FINDING_CLOCK_NAME, FILE_NAME, 0,
		    "clock.unit is %.100s", c->unit);
}

static void
check_readings(struct val *v, const struct bundle_clock *c)
{
	int64_t drift, asleep, mono = minus((int64_t)c->end.mono,
	    (int64_t)c->start.mono);

	v->clock_start = c->start.mono;
	if (mono < 0) {
		val_found(v, FINDING_CLOCK_ORDER, FILE_NAME, 0,
		    "clock.end.mono is before clock.start.mono");
		return;
	}
	v->clock_end = c->end.mono;
	drift = minus(minus(c->end.realtime_utc, c->start.realtime_utc),
	    mono);
	if (drift != c->drift_ns)
		val_found(v, FINDING_CLOCK_DRIFT, FILE_NAME, 0,
		    "clock.drift_ns is %" PRId64 ", the readings say %" PRId64,
		    c->drift_ns, drift);
	asleep = minus(c->end.boottime_offset, c->start.boottime_offset);
	if (asleep != c->suspended_ns)
		val_found(v, FINDING_CLOCK_SUSPENDED, FILE_NAME, 0,
		    "clock.suspended_ns is %" PRId64 ", the readings say %"
		    PRId64, c->suspended_ns, asleep);
	if (asleep > SLEPT_NS)
		val_found(v, FINDING_CLOCK_SLEPT, FILE_NAME, 0,
		    "the host was suspended for %" PRId64 " ms",
		    asleep / 1000000);
	drift = minus(drift, asleep);
	if (drift > STEP_NS + mono / 1000000 * STEP_PPM ||
	    drift < -STEP_NS - mono / 1000000 * STEP_PPM)
		val_found(v, FINDING_CLOCK_STEPPED, FILE_NAME, 0,
		    "the wall clock was stepped by %" PRId64 " ms",
		    drift / 1000000);
}

static void
check_window(struct val *v, const struct bundle_manifest *m)
{
	static const char *const names[] = {
		"ready", "attached", "warmup_done", "workload_start",
		"workload_done", "drained",
	};
	const struct bundle_window *w = &m->window;
	const struct maybe_u64 *p[] = {
		&w->ready, &w->attached, &w->warmup_done, &w->workload_start,
		&w->workload_done, &w->drained,
	};
	size_t i;

	for (i = 0; i < sizeof(p) / sizeof(p[0]); i++)
		if (!p[i]->known)
			val_found(v, FINDING_WINDOW_MISSING, FILE_NAME, 0,
			    "window.%s was never reached", names[i]);
		else if (i > 0 && p[i - 1]->known && p[i - 1]->v > p[i]->v)
			val_found(v, FINDING_WINDOW_ORDER, FILE_NAME, 0,
			    "window.%s is later than window.%s", names[i - 1],
			    names[i]);
	if (m->command.mode == MODE_ATTACH && w->attached.known &&
	    w->workload_start.known && w->workload_start.v != w->attached.v)
		val_found(v, FINDING_WINDOW_START, FILE_NAME, 0,
		    "window.workload_start is not window.attached");
	if (w->ready.known && w->ready.v < v->clock_start)
		val_found(v, FINDING_CLOCK_WINDOW, FILE_NAME, 0,
		    "window.ready is before clock.start.mono");
	if (w->drained.known && w->drained.v > v->clock_end)
		val_found(v, FINDING_CLOCK_WINDOW, FILE_NAME, 0,
		    "window.drained is after clock.end.mono");
}

/* Acknowledgements against the window. */
static void
check_acks(struct val *v, const struct bundle_window *w)
{
	const struct bundle_collectors *c = &v->b.collectors;
	size_t i;

	for (i = 0; i < c->collectors.n; i++) {
		const struct bundle_collector *k = &c->collectors.v[i];

		if (!k->ack.known || k->builtin)
			continue;
		if (w->attached.known && k->ack.v > w->attached.v)
			val_found(v, FINDING_WINDOW_ACK, FILE_NAME, 0,
			    "window.attached is before %.100s acknowledged",
			    k->name);
		else if (w->workload_start.known &&
		    k->ack.v > w->workload_start.v)
			val_found(v, FINDING_WINDOW_START, FILE_NAME, 0,
			    "window.workload_start is before %.100s "
			    "acknowledged", k->name);
	}
}

void
val_clock(struct val *v)
{
	const struct bundle_manifest *m = &v->b.manifest;

	v->window_end = v->clock_end = UINT64_MAX;
	if (!v->b.have[BUNDLE_MANIFEST])
		return;
	check_names(v, &m->clock);
	check_readings(v, &m->clock);
	check_window(v, m);
	if (v->b.have[BUNDLE_COLLECTORS])
		check_acks(v, &m->window);
	if (m->window.workload_start.known)
		v->window_start = m->window.workload_start.v;
	if (m->window.drained.known)
		v->window_end = m->window.drained.v;
}
