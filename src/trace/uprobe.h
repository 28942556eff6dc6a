/*
 * uprobe.h - what pid and usdt share: probes at places in files.
 *
 * A probe's priv is a struct upsites, an event's a struct upevent; both are
 * freed with them. The uelf belongs to the process's modules.
 */
#ifndef TRACE_UPROBE_H
#define TRACE_UPROBE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdt/msg.h"
#include "trace/ir.h"
#include "trace/probe.h"

struct trace;
struct uelf;
struct unote;

struct upsite {
	struct uelf *elf;
	uint64_t off, vaddr;		/* in the file, of the file */
	uint64_t sema;
	const char *args;		/* operands of a USDT probe, or NULL */
};

struct upsites {
	pid_t pid;			/* -1: every process */
	enum evtype type;
	size_t n;
	struct upsite site[];
};

struct upevent {
	const void *clauses;		/* probe_clauses() of its probes */
	const struct upsite *site;	/* of an event with one place */
	pid_t pid;
};

/*
 * Gives p its event: one it shares with other probes that the same clauses
 * serve (where the kernel has attach cookies and nothing in the program
 * depends on the place), or its own for each site.
 */
int	uprobe_enable(struct trace *, struct probe *p, struct msg *);
int	uprobe_gen_enter(struct gen *, struct event *);
vreg	uprobe_gen_probe(struct gen *, struct event *,
	    const struct evclause *);
vreg	uprobe_builtin(struct gen *, struct event *, const char *name);
int	uprobe_attach(struct trace *, struct event *, struct msg *);
/* 8 bytes of the process's memory; 0 where there is none. */
vreg	uprobe_read(struct gen *, vreg addr, unsigned size);
/* Argument n of a USDT probe. */
vreg	usdt_gen_arg(struct gen *, struct event *, unsigned n);
/* Size in bytes of argument n (negative: signed), 0: there is none. */
int	usdt_arg_size(const char *args, unsigned n);

#endif
