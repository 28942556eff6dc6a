/* A tracer's log against what its entry says of errors and losses. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "libdt/lines.h"
#include "libdt/path.h"
#include "libdt/tracerlog.h"
#include "libdt/validate_impl.h"

#define LOG_LINE_MAX	4096	/* bytes; what is longer is nobody's message */

#define BAD(v, k, ...) \
	val_found(v, FINDING_COLLECTOR_LOG_DIFFERS, "collectors.json", 0, \
	    "%.100s: " __VA_ARGS__)

struct told {
	uint64_t drops, complaints;
	uint64_t first;		/* line of the first complaint */
};

static int
read_log(struct val *v, const char *path, struct told *t)
{
	enum lines_got got;
	struct lines l;
	struct msg m;
	char *line;
	size_t n;
	int fd = path_open_file(v->dirfd, path, NULL, &m);

	if (fd == -1 || lines_open(&l, fd, path, LOG_LINE_MAX, &m) == -1)
		return -1;
	while ((got = lines_next(&l, &line, &n, &m)) == LINES_GOOD ||
	    got == LINES_TORN || got == LINES_LONG) {
		t->drops += tracerlog_drops(line);
		if (tracerlog_complaint(line) && t->complaints++ == 0)
			t->first = l.line;
	}
	lines_close(&l);
	return got == LINES_FAILED ? -1 : 0;
}

/*
 * A log that cannot be read is no matter of this check: the sums tell. One
 * that tells of more than the entry has been kept while that was edited.
 */
void
val_log(struct val *v, const struct bundle_collector *k)
{
	const struct bundle_counters *c = &k->counters;
	struct told t = { 0 };

	if (k->log == NULL || k->builtin || read_log(v, k->log, &t) == -1)
		return;
	if (t.complaints > 0 && k->errors.n == 0)
		BAD(v, k, "no errors, but line %" PRIu64 " of %.200s tells of "
		    "one", k->name, t.first, k->log);
	if (t.drops > 0 && c->dropped.known && c->dropped.v == 0 &&
	    (!k->tracer_drops.known || k->tracer_drops.v == 0))
		BAD(v, k, "nothing dropped, but %.200s tells of %" PRIu64
		    " drops", k->name, k->log, t.drops);
	else if (!k->cost.cpu_user_ns.known && k->tracer_drops.known &&
	    k->tracer_drops.v != t.drops)
		/* no statistics: the log alone told */
		BAD(v, k, "tracer_drops is %" PRIu64 ", but %.200s tells of %"
		    PRIu64, k->name, k->tracer_drops.v, k->log, t.drops);
}
