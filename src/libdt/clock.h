/*
 * Clocks. The bundle's clock on Linux is CLOCK_MONOTONIC, which is what D's
 * `timestamp` reads (bpf_ktime_get_ns()); all times are ns.
 *
 * Ownership: nothing is kept.
 */
#ifndef LIBDT_CLOCK_H
#define LIBDT_CLOCK_H

#include <stdint.h>

#include "libdt/msg.h"

#define CLOCK_BUNDLE_NAME	"monotonic"
#define CLOCK_BUNDLE_UNIT	"ns"
#define CLOCK_UTC_SIZE		40	/* of clock_utc(), with NUL */

#define NS_PER_S	UINT64_C(1000000000)

/* Now on the bundle's clock (clock_gettime(2) cannot fail for it). */
uint64_t clock_now(void);

/* One reading of the wall clock between two of the bundle's clock. */
struct clock_pair {
	uint64_t at_ns;		/* bundle's clock, middle of the two */
	int64_t wall_ns;	/* since 1970-01-01 UTC, CLOCK_REALTIME */
	uint64_t within_ns;	/* half the distance of the two: the pair's
				   uncertainty */
};
/* The tightest of several brackets. */
int clock_pair_read(struct clock_pair *p, struct msg *m);

/* CLOCK_BOOTTIME - CLOCK_MONOTONIC now: time spent suspended since boot. */
int clock_suspended(int64_t *ns, struct msg *m);

/* The clock's resolution (clock_getres()). */
uint64_t clock_resolution(void);

/* The kernel's clock source, "tsc"; "unknown" where it cannot be read. */
void clock_source(char *buf, size_t cap);

/* "2026-11-29T14:20:00.123456789Z" */
void clock_utc(int64_t wall_ns, char buf[CLOCK_UTC_SIZE]);

/* Sleeps until the bundle's clock reads t; -1 with EINTR. */
int clock_sleep_until(uint64_t t);

#endif
