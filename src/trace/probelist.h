/*
 * probelist.h - what -l prints of probes; the session stays its caller's.
 */
#ifndef TRACE_PROBELIST_H
#define TRACE_PROBELIST_H

struct msg;
struct session;

/*
 * Lists what the descriptions of a compiled session match, all probes where
 * there is none. -1 with m or the diag: the output failed, an argument's type
 * could not be had, or a description is none.
 */
int	probelist_print(struct session *, struct msg *);

#endif
