/* Contexts of threads: the runtime and the spans that they hold. */
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "libdt/context.h"
#include "libdt/held.h"
#include "unit.h"

/* A reader of spans that were written for the purpose. */
static struct record_reader *
spans(const char *text)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	if (fd == -1 || write(fd, "#dt-records 1\n", 14) != 14 ||
	    write(fd, text, strlen(text)) != (ssize_t)strlen(text) ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return record_reader_new(fd, "raw/spans.tsv", FAMILY_SPANS, NULL);
}

/* "rt span" of a thread at a time. */
static const char *
joined(struct context *c, uint64_t ts, uint64_t pid, uint64_t tid)
{
	static char text[64];
	struct record r;
	struct msg m;
	char rt[24] = "-", span[24] = "-";

	record_init(&r, KIND_THREAD_EXIT, ts);
	record_set_u64(&r, REC_PID, pid);
	record_set_u64(&r, REC_TID, tid);
	CHECK_INT(context_join(c, &r, &m), 0);
	if (r.v[REC_RT].given)
		(void)snprintf(rt, sizeof(rt), "%" PRIu64, r.v[REC_RT].u);
	if (r.v[REC_SPAN].given)
		(void)snprintf(span, sizeof(span), "%" PRIu64,
		    r.v[REC_SPAN].u);
	(void)snprintf(text, sizeof(text), "%s %s", rt, span);
	return text;
}

static void
test_context(void)
{
	struct msg m;
	struct context *c = context_new(spans(
	    "100\tspan-start\t7\t7\t0\t5\t1\t1\t-\ta\n"
	    "200\tspan-start\t7\t7\t0\t5\t2\t2\t1\tb\n"
	    "250\tctx-install\t7\t8\t0\t5\t2\n"
	    "260\tspan-start\t7\t8\t0\t5\t3\t3\t2\tc\n"
	    "300\tspan-end\t7\t7\t0\t5\t1\t1\tok\t200\n"
	    "400\tspan-end\t7\t7\t0\t5\t2\t2\tok\t200\n"
	    "450\tspan-end\t7\t8\t0\t5\t3\t3\tok\t190\n"
	    "500\tctx-remove\t7\t8\t0\t5\t2\n"
	    "550\tovf\t-\t-\t0\t-\t-\t1\t550\t560\tx\n"
	    "600\tcontrol\t9\t9\t0\t6\t-\tready\n"), &m);

	CHECK(c != NULL);
	CHECK_STR(joined(c, 99, 7, 7), "- -");
	CHECK_STR(joined(c, 100, 7, 7), "5 1");
	CHECK_STR(joined(c, 249, 7, 7), "5 2");
	CHECK_STR(joined(c, 249, 7, 8), "- -");
	CHECK_STR(joined(c, 255, 7, 8), "5 2");
	CHECK_STR(joined(c, 260, 7, 8), "5 3");
	CHECK_STR(joined(c, 260, 8, 8), "- -");
	/* spans may close in any order */
	CHECK_STR(joined(c, 300, 7, 7), "5 2");
	CHECK_STR(joined(c, 400, 7, 7), "5 -");
	CHECK_STR(joined(c, 470, 7, 8), "5 2");
	CHECK_STR(joined(c, 500, 7, 8), "5 -");
	CHECK_STR(joined(c, 700, 9, 9), "6 -");
	context_free(c);
	c = context_new(NULL, &m);
	CHECK_STR(joined(c, 100, 7, 7), "- -");
	context_free(c);
}

/* Spans taken and left by chance: the top is what is left of the last. */
static void
test_held(void)
{
	enum { STEPS = 4000, THREADS = 3, SPANS = 12 };
	struct { uint64_t span[STEPS]; size_t n; } has[THREADS] = { 0 };
	uint32_t top[THREADS] = { 0 };
	struct held h = { 0 };
	uint64_t x = 5, span;
	bool ok = true;
	size_t i, k, t;

	for (i = 0; i < STEPS; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		t = (x >> 33) % THREADS;
		span = (x >> 40) % SPANS;
		if ((x >> 50) % 5 < (i < STEPS / 2 ? 3 : 1)) {
			ok &= held_push(&h, t, &top[t], span) == 0;
			has[t].span[has[t].n++] = span;
		} else {
			for (k = has[t].n; k > 0 &&
			    has[t].span[k - 1] != span; k--)
				;
			ok &= held_drop(&h, t, &top[t], span) == (k == 0);
			if (k > 0) {
				memmove(&has[t].span[k - 1], &has[t].span[k],
				    (has[t].n - k) * sizeof(span));
				has[t].n--;
			}
		}
		ok &= has[t].n == 0 ? top[t] == 0 : top[t] != 0 &&
		    held_span(&h, top[t]) == has[t].span[has[t].n - 1];
	}
	CHECK(ok);
	CHECK(h.n < STEPS / 2);		/* what is left is used again */
	held_free(&h);
}

int
main(void)
{
	test_context();
	test_held();
	return unit_end();
}
