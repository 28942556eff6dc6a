/*
 * trace.h - one run of dt-trace: everything the passes share.
 *
 * struct trace is part of a struct session and passed down; it owns the typeset,
 * the unit, the compiled program and the open descriptors.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "trace/opt.h"

struct aggset;
struct btf;
struct consumer;
struct printer;
struct procmods;
struct prog;
struct provtab;
struct symtab;
struct typeset;
struct unit;
struct victims;

/* What the running kernel offers, probed when asked for (kernel.c). */
struct kernel {
	unsigned version;		/* KERNEL_VERSION(a, b, c) */
	int ncpu;			/* possible CPUs */
	bool btf;			/* /sys/kernel/btf/vmlinux readable */
	uint32_t asked, found;		/* feature.c: bits of enum feature */
	bool fentry;			/* refused under lockdown */
	bool kprobe;
	const char *why_fentry, *why_kprobe;	/* reasons for false */
	bool asked_fentry, asked_kprobe;	/* kernel.c found out already */
	struct btf *vmlinux;		/* kernel_btf() */
	uint32_t *btf_index;		/* ids by name and kind, or NULL */
	size_t nbtf_index, nlookup;
};

struct trace {
	struct opts opt;
	struct kernel kern;
	struct typeset *types;
	struct unit *unit;
	struct provtab *prov;		/* provider.c: probes, events, ids */
	struct prog *prog;
	struct symtab *sym;		/* sym.c: kernel and user symbols */
	struct consumer *con;
	struct printer *print;		/* print.h */
	struct aggset *agg;		/* agg.h */
	pid_t target;			/* -c or -p: $target; 0: none */
	struct victims *victims;	/* every -c and -p; the session's */
	struct procmods *procmods;	/* module.c */
	FILE *out;			/* stdout or -o */
	const char *progname;		/* "dtrace"-compatible prefix of messages */
	int exit_status;
	bool offline;			/* -e with -S, no kernel at hand */
};

#endif
