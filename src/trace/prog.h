/*
 * prog.h - a compiled D program: what lower.c leaves for loading and printing.
 *
 * struct prog owns everything below; the consumer (consume.c, print_rec.c,
 * print_fmt.c) and the loader only read it.
 */
#ifndef TRACE_PROG_H
#define TRACE_PROG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/type.h"

/* Every record in the ring buffer begins with this. Offsets of the data that
 * follows are from the start of the record and fixed per clause. */
struct rechead {
	uint32_t clause;	/* clause seq, or one of enum rectype below */
	uint32_t probe;		/* struct probe.idx */
	uint32_t cpu;
	uint32_t spec;		/* SPEC_TAG of a speculation, 0: principal */
	uint64_t ts;		/* CLOCK_MONOTONIC ns where wanted, else 0 */
};
enum rectype {
	REC_ERROR = 0xfffffff0,	/* struct recerr follows */
};
enum fault {		/* DTrace's DTRACEFLT_* numbers, arg4 of ERROR */
	FLT_BADADDR = 1, FLT_BADALIGN = 2, FLT_ILLOP = 3, FLT_DIVZERO = 4,
	FLT_NOSCRATCH = 5, FLT_KPRIV = 6, FLT_UPRIV = 7, FLT_TUPOFLOW = 8,
	FLT_BADSTACK = 9, FLT_BADINDEX = 10, FLT_LIBRARY = 11,
};
struct recerr {
	uint32_t clause;	/* clause seq that faulted */
	uint32_t action;	/* statement number in it, from 1 */
	uint32_t fault;		/* enum fault */
	uint32_t line;
	uint64_t value;		/* the bad address or index */
};

/* What a piece of a record means. */
enum act {
	ACT_TRACE, ACT_TRACEMEM, ACT_PRINT, ACT_PRINTF, ACT_PRINTA, ACT_STACK,
	ACT_USTACK, ACT_SYM, ACT_MOD, ACT_USYM, ACT_UMOD, ACT_UADDR, ACT_EXIT,
	ACT_SPECULATE, ACT_COMMIT, ACT_DISCARD, ACT_CLEAR, ACT_TRUNC,
	ACT_NORMALIZE, ACT_DENORMALIZE, ACT_SETOPT, ACT_SYSTEM, ACT_FREOPEN,
	ACT_FTRUNCATE, ACT_RAISE, ACT_STOP, ACT_DEFAULT /* empty clause */,
	ACT_STRID,	/* datum.what only: a string as u32 index of prog.str */
};

/* A kernel stack begins with frames of the tracing itself, which the consumer
 * leaves out: so many more than datum.arg are recorded. */
enum { STACK_OURS = 6 };

/* One value in a record (an argument of printf, a traced value, …). */
struct datum {
	uint32_t off, size;		/* bytes, from the record's start */
	const struct dtype *type;
	enum act what;			/* STACK/USTACK/SYM… for DK_DYN values, */
					/* else ACT_TRACE */
	bool nullable_str;		/* first byte is a flag: 0 NULL */
	bool rawstack;			/* USTACK: to be unwound, symtext.h */
	uint64_t arg;			/* stack: frames; ustack: string size<<32 */
};

/*
 * Datum of an action, in order: TRACE, STACK, SYM …: the value (stacks and
 * symbols as symtext.h lays them out) · TRACEMEM: the bytes, then the length
 * wanted where there is a third argument · PRINT: the pointer, then the bytes
 * it points to, of the pointed-to type, or the first of them · PRINTF,
 * SYSTEM, FREOPEN: what the format takes · TRUNC, NORMALIZE: agg[0] and the
 * number · SETOPT: name and value · CLEAR, DENORMALIZE: none but agg[0].
 */
struct action {
	enum act act;
	int line;
	struct datum *datum;		/* arguments, in order */
	size_t ndatum;
	const struct fmt *fmt;		/* printf-like, printa with a format */
	struct aggdesc **agg;		/* printa and its kind; several for */
	size_t nagg;			/* printa("…", @a, @b) */
	/* guard: an action under if() or ?: records whether it ran */
	uint32_t ran_off;		/* 0: always; else a byte, 1: it ran */
};

/* Layout of one clause's records. size 0: the clause records nothing. */
struct reclayout {
	uint32_t size;
	struct action *action;
	size_t naction;
	const struct clause *cl;
};

enum aggfn { AGG_COUNT, AGG_SUM, AGG_AVG, AGG_MIN, AGG_MAX, AGG_STDDEV,
	     AGG_QUANTIZE, AGG_LQUANTIZE, AGG_LLQUANTIZE };

/*
 * One aggregation. Key: the key values at keydatum[].off, zero-padded; value:
 * u64s per CPU: [0] updates (0: the element was never updated on this CPU),
 * then COUNT: none · SUM, MIN, MAX: the value · AVG: sum · STDDEV: sum, low
 * and high half of the 128-bit sum of squares · *QUANTIZE: one a bucket, as
 * aggbucket.h numbers them.
 */
struct aggdesc {
	const char *name;		/* "" for @ */
	uint32_t id;			/* from 1, order of first mention */
	enum aggfn fn;
	int64_t arg[5];			/* lquantize base, limit, step; … */
	bool sign;			/* its argument's signedness */
	struct datum *key;		/* offsets within the key */
	size_t nkey;
	uint32_t keysize, nval;		/* bytes; u64s */
	int map;			/* index in prog.map */
	bool shared;			/* updated from more than one event */
	uint32_t tag;			/* keys begin with it, 8 bytes, */
					/* where others share the map; or 0 */
	uint32_t slot;			/* without keys: which element */
	int line;
};

/* BPF maps the program needs; made by load.c in this order. A map of type
 * BPF_MAP_TYPE_TASK_STORAGE needs BTF for its key (int) and value (bytes). */
struct mapdesc {
	const char *name;
	uint32_t type;			/* BPF_MAP_TYPE_* */
	uint32_t keysize, valsize, maxent, flags;
	const void *init;		/* frozen array contents, or NULL */
	int fd;				/* after load */
	void *mem;			/* mmap of a BPF_F_MMAPABLE array */
	bool shared;			/* more may be placed in it */
};

/* Fixed maps, always at these indexes. */
enum { MAP_RING, MAP_STATE, MAP_DROPS, MAP_FIRED, MAP_GLOBALS, MAP_RODATA,
       MAP_NFIXED };

/* MAP_STATE: one mmapable element. */
struct state {
	uint32_t activity;	/* enum activity */
	int32_t exit_status;
	uint32_t exiting;
	int32_t target;		/* $target's pid for cheap checks, 0 none */
	uint64_t boot_wall_ns;	/* walltimestamp = monotonic + this */
	uint64_t zero;		/* 0, but the verifier does not know it */
};
enum activity { AC_INACTIVE, AC_BEGIN, AC_ACTIVE, AC_DRAINING, AC_END,
		AC_STOPPED };

/* MAP_DROPS: per-CPU array, one element a kind. */
enum dropkind { DROP_PRINCIPAL, DROP_AGG, DROP_DYNVAR, DROP_SPEC,
		DROP_SPECUNAVAIL, DROP_SPECBUSY, DROP_STKSTR, DROP_ERROR,
		DROP_NKIND };
struct dropcount {
	uint64_t count, first_ns, last_ns;
};
/*
 * MAP_FIRED: per-CPU array of one element, uint64_t[prog.nlayout]: executions
 * of each clause that recorded or whose record was dropped, by clause seq.
 *
 * MAP_GLOBALS, MAP_RODATA: arrays of one element; the latter is frozen and
 * readable by programs only (BPF_F_RDONLY_PROG).
 */

/*
 * Element of prog.specmap: one struct specstate a speculation, number 1 first.
 * commit() and discard() free a number at once; so that records of two who had
 * it one after the other are told apart, rechead.spec and the datum of a
 * commit or discard are SPEC_TAG(number, gen), or 0 for none.
 */
struct specstate { uint32_t active, gen; };
#define SPEC_TAG(n, gen)	((uint32_t)(n) | ((uint32_t)(gen) << 16))

struct bpfprog {
	struct event *ev;
	struct bpf_insn *insn;		/* with map indexes still to be patched */
	size_t ninsn;
	struct bpfrel { uint32_t insn; int map; bool value; uint32_t off; } *rel;
	size_t nrel;
	struct bpfline { uint32_t insn; int clause, line; } *linemap;
	size_t nlinemap;
	/* functions, the program itself first; a program with more than one
	 * needs BTF func_info, which bpf_loop's callbacks insist on */
	struct bpfsub { uint32_t insn; char name[24]; unsigned narg; } *sub;
	size_t nsub;
	bool sleepable;			/* BPF_F_SLEEPABLE: waits for pages */
};

struct prog {
	struct unit *unit;
	struct mapdesc *map;
	size_t nmap;
	struct bpfprog *bpf;
	size_t nbpf;
	struct reclayout *layout;	/* [clause seq] */
	size_t nlayout;
	struct aggdesc **agg;
	size_t nagg;
	struct probe **probe;		/* [probe.idx] */
	size_t nprobe;
	const char **str;		/* strings that records name by number */
	size_t nstr;
	bool destructive;		/* it may act on the system: needs -w */
	uint32_t nspec;			/* speculations at one time */
	int specmap;			/* map of their states, 0: none is used */
	int selfhash;			/* map of self-> by thread id, whose */
					/* end must be seen; 0: no such map */
	int threadend_fd;		/* threadend.c, after load; -1: none */
	struct arena *arena;		/* owns everything above but bpf[].* */
};
void	prog_free(struct prog *);

#endif
