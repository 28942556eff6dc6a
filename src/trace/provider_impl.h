/*
 * provider_impl.h - the inside of a struct provtab, for probetab.c and
 * provmatch.c only.
 *
 * The provtab owns its probes, events and sets until provtab_free().
 */
#ifndef TRACE_PROVIDER_IMPL_H
#define TRACE_PROVIDER_IMPL_H

#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/trace.h"

struct clauseset {
	struct clauseset *next;
	size_t n;
	struct clause *cl[];
};

struct slot {			/* of the hash of probes */
	struct slot *next;
	uint64_t hash;
	struct clauseset *set;	/* enabled: its clauses */
	const struct pdesc *last; /* latest description that took it */
	struct clause **cl;	/* while matching */
	size_t ncl, capcl;
	struct probe p;
	char text[];
};

enum { NHASH = 4096, NO_IDX = UINT32_MAX };

struct provtab {
	struct slot *hash[NHASH];
	uint32_t next_id;
	struct probe **enabled;		/* in order of birth */
	size_t nenabled, capenabled;
	struct probe **idx;		/* [probe.idx] */
	size_t nidx, capidx;
	struct event *event, **event_tail;
	struct clauseset *set;
};

/* The slot that p is part of. */
struct slot *probe_slot(const struct probe *);
/* Puts p behind the n in array; -1: no memory. */
int	probe_push(struct probe ***array, size_t *n, size_t *cap,
	    struct probe *p);

#endif
