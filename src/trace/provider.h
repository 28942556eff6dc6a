/*
 * provider.h - the registry of providers, their probes and events.
 *
 * struct provtab (in struct trace) owns every probe and event; they live until
 * provtab_free().
 */
#ifndef TRACE_PROVIDER_H
#define TRACE_PROVIDER_H

#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/probe.h"

struct diag;
struct trace;

/* 0, or -1 with m: no memory. */
int	provtab_new(struct trace *, struct msg *);
void	provtab_free(struct trace *);

/*
 * Matches every clause's descriptions: fills clause->probe, gives the probes
 * their idx, makes the events and their evclauses (in program order). A
 * description that matches nothing is an error (D_PDESC_ZERO) unless zdefs.
 * Returns 0, or -1 with the diag filled.
 */
int	provider_match_unit(struct trace *, struct unit *, struct diag *);
/*
 * Calls cb for each probe a description matches, all providers in table
 * order, without enabling any. 0, cb's non-zero value, or -1 with m.
 */
int	provider_match(struct trace *, const struct pdesc *,
	    int (*cb)(struct probe *, void *), void *arg, struct msg *);
/*
 * A description as one writes it, prov:mod:func:name, right-justified; a
 * number is an id. NULL fields become "". The strings are the caller's text,
 * cut in place. -1 with m when it has more than four fields.
 */
int	provider_parse_desc(char *text, struct pdesc *, struct msg *);

/* The events to load and attach, in order of birth. */
struct event *provider_events(const struct trace *);
/* Enabled probes: idx 0 .. n-1. Some may not be any clause's (their
 * provider numbers a block), none is NULL. */
size_t	provider_nprobe(const struct trace *);
struct probe *provider_probe(const struct trace *, size_t idx);

/* Type of args[n]; a->type NULL where there is no such argument. */
int	provider_arg(struct trace *, const struct probe *, unsigned n,
	    struct probearg *a, struct msg *);
const struct provider *provider_row(size_t i);	/* NULL past the last */

/* For the prov_*.c files. */

/* Does text match a field of a description (a glob, "" for any)? */
bool	pdesc_match(const char *pattern, const char *text);
bool	pdesc_is_glob(const char *pattern);
/*
 * The probe of these four names, made if need be. id 0: the next dynamic one.
 * NULL when memory is out. *made (may be NULL): it is new.
 */
struct probe *probe_make(struct trace *, const struct provider *,
	    const char *prov, const char *mod, const char *func,
	    const char *name, uint32_t id, bool *made);
/* Another carrier of an enabled probe, for one more event: same names and id,
 * an idx of its own. NULL: no memory. */
struct probe *probe_also(struct probe *);
/* A new event of p's provider, last in the list; NULL: no memory. */
struct event *event_make(struct trace *, const struct provider *,
	    enum evtype, const char *name);
/*
 * Gives n probes consecutive numbers; returns the first, or -1. To be called
 * by a provider's enable for probes that an event tells apart by a number.
 */
int64_t	probe_number(struct trace *, struct probe **p, size_t n);
/*
 * The clauses an enabled probe serves, as a set: equal sets give equal
 * pointers. Probes of one set can share a program without telling them apart.
 */
const void *probe_clauses(const struct trace *, const struct probe *);

/* Id ranges, so that an id means the same probe in every run on a host. */
enum {
	PID_DTRACE = 1, PID_SYSCALL = 16, PID_PROC = 2100, PID_SCHED = 2200,
	PID_IO = 2300, PID_DYNAMIC = 3000, PID_DYNAMIC_END = 10000,
	PID_BTF = 10000,	/* + 2 * BTF id (+1: return) */
	PID_DYNAMIC2 = 10000000,
};

#endif
