/*
 * lower_impl.h - what the lower_*.c files share.
 *
 * struct lower lives for one lower_unit(); it borrows everything but the
 * program under construction and the growing read-only data.
 */
#ifndef TRACE_LOWER_IMPL_H
#define TRACE_LOWER_IMPL_H

#include <linux/bpf.h>

#include "libdt/msg.h"
#include "trace/arena.h"
#include "trace/ast.h"
#include "trace/diag.h"
#include "trace/feature.h"
#include "trace/func.h"
#include "trace/ir.h"
#include "trace/opt.h"
#include "trace/probe.h"
#include "trace/prog.h"
#include "trace/trace.h"

enum {				/* all in bytes */
	KEY_ONSTACK = 64, COPY_UNROLL = 64, STACK_TEMPS = 192,
	MAX_TASK_VALUE = 60000	/* of task storage: the kernel takes 64k */
};

/* A string: an address and what is known of it. */
struct sval {
	vreg r;			/* address; 0 at run time: NULL */
	bool mem;		/* the verifier knows it, `room` bytes long */
	bool user;		/* !mem: a user address */
	bool maynull, canon;	/* canon: zeroes after the NUL, in `room` */
	uint32_t temp;		/* offset in the scratch, 0: elsewhere */
	uint32_t room, bound;	/* bound: bytes with the NUL, at most */
	const char *lit;	/* a literal's bytes */
	size_t litlen;		/* without the NUL */
};

/* Where something that can be read or assigned is. */
enum placekind { P_REG, P_MEM, P_ADDR, P_ELEM, P_SELF };
struct place {
	enum placekind k;
	vreg r;			/* REG: variable, MEM: pointer, ADDR: address */
	int32_t off;
	bool user;
	struct ident *id;	/* ELEM, SELF */
	vreg key;		/* ELEM: pointer to the key */
	uint32_t bits, bit;	/* a bit-field: bit offset from off */
};

enum { COMM = 16 };		/* TASK_COMM_LEN */

/* A cheap value found once: the register and whether it still dominates. */
struct cached { vreg r; bool all; };

enum { CA_SCRATCH, CA_SELFRO, CA_SELF, CA_PIDTGID, CA_TASK, CA_TIME, CA_WALL,
       CA_UIDGID, CA_CPU, CA_PROBE, CA_N };

/* A check that failed: code out of line, at the end of the clause. */
struct faultsite {
	label lab;
	enum fault kind;
	vreg val;		/* -1: 0 */
	int line;
	uint32_t action;
	bool reserved;		/* a record is to be given back */
};
struct dropsite { label lab, back; enum dropkind kind; };

/* What belongs to one BPF function while it is made. */
struct fnctx {
	vreg *thisv;		/* [nthis] scalar or address of a string */
	struct cached ca[CA_N];
	int32_t tmp8;		/* a stack slot for helpers' results, 0: none */
	int32_t timeslot, wallslot, loopctx, selfslot;	/* 0: none */
	int error;		/* ERROR's function: faults are silent */
	struct stkslot { int32_t off; uint32_t size; bool busy; } stk[16];
	int nstk;
	uint32_t stkbytes;
	vreg exited;		/* -1: no clause may exit before another */
};

struct keyshape {		/* of an array or aggregation */
	struct datum *comp;	/* offsets within the key */
	size_t n;
	uint32_t size;
	bool *strid;		/* [n] the string goes by its number */
	uint32_t tag;		/* not 0: the key begins with it, 8 bytes */
	bool self;		/* then with the thread's id */
};

struct var {			/* by ident, see layout.c */
	struct keyshape key;
	int map;		/* ASSOC: element map; AGG: its map */
	uint32_t off, size;	/* scalar: place in globals or self struct */
	struct aggdesc *agg;
	const struct event *ev;	/* AGG: the event that updates it */
};

struct lower {
	struct trace *t;
	struct unit *u;
	struct prog *p;
	struct diag *d;
	struct arena *ar;
	struct ident **ident;	/* [nident]; ident.slot is the index */
	struct var *var;	/* [nident] */
	size_t nident, nthis;
	uint32_t strmax;	/* bytes of a string with its NUL, at most */
	uint32_t strsize;	/* room for one: a multiple of 8 */
	uint32_t nglobals, nself;	/* bytes */
	int selfmap, specmap;	/* -1: none */
	bool selfhash;		/* selfmap is by thread id, not by task */
	bool sharemaps;		/* arrays of one shape are in one map */
	/* tables in the read-only data by probe index, 0: not there yet */
	uint32_t idtab, strtab[4], nametab[4];
	uint32_t zerooff, nzero;	/* bytes of 0 there */
	char *ro;
	size_t nro, roalloc;
	size_t stralloc, mapalloc;
	uint32_t *strhash;	/* [nstrhash] number + 1 */
	size_t nstrhash;
	struct roitem { uint32_t off, len; } *rostr;	/* literals */
	size_t nrostr;

	/* the program under construction */
	struct gen *g;
	struct event *ev;
	struct fnctx fn;
	int scrmap;		/* -1: no scratch used yet */
	bool bytask;		/* the scratch is the thread's, not the CPU's */
	bool sleepable;		/* the program may wait for a user page */
	uint32_t scrfix, scrtop, scrmax;	/* bytes: fixed, in use, ever */
	uint32_t *thisoff;	/* [nthis] place in scratch, 0: none */
	bool fewthis;		/* scalars are in registers */
	uint32_t alloff, alllen;	/* alloca's part of the scratch */
	uint32_t tokoff;	/* strtok's: its place, -1 none; the string */
	int errfn, dropfn;	/* subprograms, -1: not asked for yet */
	int rt[32];		/* lower_rt.c's, -1: not yet */
	struct { uint32_t words; int fn; } cmp[8];	/* string comparers */
	size_t ncmp;
	int cond;		/* inside code that may be skipped */

	/* the clause under construction */
	const struct evclause *ec;
	struct clause *cl;
	struct reclayout *lay;
	bool relayout;		/* the layout is there from another event */
	size_t nact;		/* actions so far */
	uint32_t recoff;
	vreg rec;		/* -1: nothing reserved (yet) */
	vreg probe;
	label skip, end;	/* past the clause, the function */
	uint32_t ran;		/* ran_off of actions under an if */
	uint32_t nextran;	/* of the next arm of an if */
	uint32_t narm;		/* arms in the clause */
	vreg unwanted;		/* not 0: no record is to be sent */
	int escapes;		/* jumps out of the clause so far */
	uint32_t stmt;		/* number, from 1 */
	int line;
	struct faultsite *flt;
	size_t nflt, fltalloc, fltdone;	/* fltdone: those that have code */
	label fltpost, fltpre;		/* with, without a record to give up */
	vreg fltwhat, fltval;
	bool fltrec;			/* fltpost is jumped to */
	struct dropsite *drop;
	size_t ndrop, dropalloc;
	bool failed;
};

/* Errors of this pass: the clause's source is the diag's. Returns -1. */
int	low_error(struct lower *, enum errtag, int line, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));
void	low_nomem(struct lower *);

/* layout.c: variables, arrays, aggregations, their maps; read-only data. */
int	layout_unit(struct lower *);
struct var *var_of(struct lower *, const struct ident *);
int	map_add(struct lower *, const char *name, uint32_t type,
	    uint32_t keysize, uint32_t valsize, uint32_t maxent,
	    uint32_t flags);
uint32_t ro_add(struct lower *, const void *, size_t n);	/* 8-aligned */
uint32_t ro_zero(struct lower *, size_t n);	/* that many bytes of 0 */
uint32_t ro_string(struct lower *, const char *, size_t n);
uint32_t str_id(struct lower *, const char *);	/* in prog.str */
/* Visits a tree in order; fn returning false stops. */
bool	node_walk(const struct node *, bool (*fn)(const struct node *, void *),
	    void *);
bool	clause_walk(const struct clause *,
	    bool (*fn)(const struct node *, void *), void *);
/* The literal or probe name that a string expression is; else NULL/-1. */
bool	node_internable(const struct node *);

/* layout_map.c: maps of arrays and aggregations. */
void	layout_sharing(struct lower *);		/* before the others */
uint32_t layout_elements(const struct lower *, enum opt, uint64_t each);
void	layout_assoc(struct lower *, const struct ident *, struct var *);
int	layout_agg(struct lower *, struct ident *, struct var *);

/* lower_fn.c: faults, drops, caches. */
label	low_fault(struct lower *, enum fault, vreg val);
/* The code of the faults so far, to be put where nothing falls into it. */
void	low_faultcode(struct lower *);
label	low_drop(struct lower *, enum dropkind, label back);
void	low_cache(struct lower *, int which, vreg);
vreg	low_cached(struct lower *, int which);	/* -1: not found yet */
vreg	low_scratch(struct lower *);	/* pointer to scratch memory */
/* Room in the scratch until the statement's end; offset in it. */
uint32_t low_temp(struct lower *, uint32_t size);
vreg	low_tempaddr(struct lower *, uint32_t off);	/* verifier's pointer */
/* The number behind a pointer that the verifier tracks. */
vreg	low_scalar(struct lower *, vreg ptr);
/* A copy of v of which the verifier knows nothing. What it knows of a
 * variable it follows through all later code, once for each value. */
vreg	low_opaque(struct lower *, vreg v);
int32_t	low_tmp8(struct lower *);
/* Room on the stack until the statement's end; 0: there is none left. */
int32_t	low_stktemp(struct lower *, uint32_t size);
void	low_release(struct lower *);	/* temporaries of both kinds */

/* lower_expr.c */
vreg	low_int(struct lower *, const struct node *);	/* integer, pointer */
void	low_effect(struct lower *, const struct node *);  /* value unused */
vreg	low_norm(struct lower *, vreg, const struct dtype *);
vreg	low_div(struct lower *, vreg a, vreg b, bool sign, bool mod,
	    bool check);
/* a op b, neither a comparison nor logical, as a value of type t. */
vreg	low_arith(struct lower *, enum oper, vreg a, vreg b,
	    const struct dtype *t);
bool	low_signed(const struct dtype *);	/* pointers are not */
bool	low_isstr(const struct node *);		/* of type string */

/* lower_cond.c */
void	low_jump(struct lower *, const struct node *, bool iftrue, label);
vreg	low_truth(struct lower *, const struct node *);	/* 1 or 0 */

/* lower_assign.c: = and op=, ++ and --; the value of the expression. */
vreg	low_assign(struct lower *, const struct node *);
vreg	low_incdec(struct lower *, const struct node *);

/* lower_place.c */
/* Finds where n is; false: an error has been reported. */
bool	low_place(struct lower *, const struct node *, struct place *);
/* Makes a place a pointer, creating what is not there; jumps to fail when that
 * is not possible. */
void	low_ref(struct lower *, struct place *, label fail);
vreg	low_addr(struct lower *, struct place *);	/* as a number */

/* lower_self.c: the thread's self-> struct; may be 0 unless create, when fail
 * is jumped to instead. */
vreg	low_self(struct lower *, bool create, label fail);

/* lower_var.c */
vreg	low_load(struct lower *, struct place *, const struct dtype *);
void	low_store(struct lower *, struct place *, const struct dtype *, vreg);
void	low_copyassign(struct lower *, const struct node *);	/* structs */
/* Pointer to an element's value, 0 if it is not there. */
vreg	low_lookup(struct lower *, int map, vreg key);
/* Copies size bytes; the source by address, into verifier's memory. */
void	low_copyin(struct lower *, vreg dst, int32_t off, uint32_t size,
	    vreg addr, bool user);
int	low_userread(struct lower *);	/* the helper that copies from there */

/* lower_key.c: pointer to the key of list; for aggregations, too. */
vreg	low_key(struct lower *, const struct keyshape *,
	    const struct node *list, int line);

/* lower_write.c: Through a pointer one may write what alloca() gave and
 * global variables, nothing else: the place becomes verifier's memory, or
 * there is a fault. False: it never can be that. */
bool	low_writable(struct lower *, struct place *, uint32_t size);

/* lower_str.c */
struct sval low_literal(struct lower *, const char *, size_t len);
struct sval low_str(struct lower *, const struct node *);
void	low_strinto(struct lower *, const struct node *, vreg dst, int32_t off,
	    uint32_t cap);
/* Is n text at an address, to be read straight to where it is wanted? */
bool	low_readable(const struct node *);

/* lower_strmem.c */
void	low_notnull(struct lower *, struct sval *);	/* faults on NULL */
/* Copies a string that is not NULL, cap bytes at most, NUL included. */
void	low_strcopy(struct lower *, const struct sval *, vreg dst, int32_t off,
	    uint32_t cap);
/* The string in the scratch: its offset there. */
uint32_t low_strtemp(struct lower *, struct sval *);
/* A string at an address, read into memory; faults if it cannot be. */
void	low_strread(struct lower *, vreg addr, bool user, vreg dst,
	    int32_t off, uint32_t cap);
vreg	low_userstr(struct lower *, bool user, vreg dst, vreg cap, vreg addr);
/* A new temporary, its bytes not set, and a string in it. */
struct sval low_strnew(struct lower *, uint32_t bound);
void	low_zero(struct lower *, vreg dst, int32_t off, uint32_t size);

/* lower_strset.c, lower_strcmp.c */
struct sval low_strassign(struct lower *, const struct node *);
vreg	low_strcmp(struct lower *, const struct node *);

/* lower_subr.c */
vreg	low_subr(struct lower *, const struct node *);
void	low_copyout(struct lower *, const struct node *);
vreg	low_strlen(struct lower *, struct sval *);	/* NUL counted */
struct sval low_strsubr(struct lower *, const struct node *);

/* lower_lock.c: mutex_*(), rw_*(). */
vreg	low_lockfn(struct lower *, const struct node *);

/* lower_strfn.c */
struct sval low_strfn(struct lower *, const struct node *);
struct sval low_netfn(struct lower *, const struct node *);
vreg	low_intstrfn(struct lower *, const struct node *);
vreg	low_char(struct lower *, const struct node *);	/* string[i] */

/* A function's argument in the scratch, not NULL. */
struct sval low_strarg(struct lower *, const struct node *);
/* A new string: len bytes of the scratch from at + start on; len < 0: to the
 * end of that string. */
struct sval low_strpart(struct lower *, vreg at, vreg start, vreg len,
	    uint32_t bound);

/* lower_strnum.c, lower_strpath.c */
struct sval low_lltostr(struct lower *, const struct node *);
vreg	low_strtoll(struct lower *, const struct node *);
struct sval low_basename(struct lower *, const struct node *);	/* dirname() */
struct sval low_cleanpath(struct lower *, const struct node *);

/* lower_args.c */
struct sval low_execargs(struct lower *);

/* lower_json.c */
struct sval low_json(struct lower *, const struct node *);

/* lower_proc.c */
struct sval low_fspath(struct lower *, const char *which);
struct sval low_dpath(struct lower *, const struct node *);

/* lower_builtin.c */
vreg	low_builtin(struct lower *, const struct node *);
vreg	low_time(struct lower *);
vreg	low_unsupported(struct lower *, const struct node *);	/* an error */
/* The address of the present probe's entry in a table of the read-only data,
 * each stride bytes long. */
vreg	low_byprobe(struct lower *, uint32_t tab, uint32_t stride);

/* lower_strvar.c */
struct sval low_strbuiltin(struct lower *, const struct node *);
vreg	low_strid(struct lower *, const struct node *);

/* lower_thread.c */
vreg	low_task(struct lower *);	/* the verifier's task_struct pointer */
vreg	low_pidtgid(struct lower *);
vreg	low_ppid(struct lower *);
vreg	low_uidgid(struct lower *);
vreg	low_vtime(struct lower *);	/* ns on a CPU */
bool	low_other(struct lower *);	/* the probe stands for a thread that */
					/* is not the current one */
void	low_comm(struct lower *, vreg dst);	/* its name: COMM bytes */
vreg	low_thread(struct lower *);	/* what self-> arrays are keyed by */
/* What the provider has for a name; -1: nothing. */
vreg	low_provided(struct lower *, const char *name);

/* lower_rec.c */
bool	clause_records(const struct clause *);
void	low_action(struct lower *, const struct node *);
struct datum low_datum(struct lower *, const struct node *);
/* The clause's next action (NULL: no memory), room in its record. */
struct action *low_newaction(struct lower *, enum act, size_t ndatum);
uint32_t low_room(struct lower *, uint32_t size);

/* lower_stk.c: a stack or symbol into memory; its datum's size and arg. */
void	dyn_shape(struct lower *, const struct node *, struct datum *);
void	dyn_into(struct lower *, const struct node *, const struct datum *,
	    vreg dst, int32_t off);

/* lower_agg.c */
int	agg_shape(struct lower *, struct ident *, struct aggdesc *);
void	low_aggregate(struct lower *, const struct node *);

/* lower_spec.c */
void	low_speculative(struct lower *, const struct node *);
void	low_destructive(struct lower *, const struct node *);
vreg	low_speculation(struct lower *);

/* lower_err.c */
int	low_errfn(struct lower *);
int	low_dropfn(struct lower *);

void	low_uncache(struct lower *);	/* at the clause's end */

/* lower_clause.c */
void	low_clause(struct lower *, const struct evclause *);

/* lower_enter.c */
bool	low_noexit(const struct node *, void *);	/* for clause_walk */
void	low_prologue(struct lower *, const struct event *);
void	low_thisroom(struct lower *, const struct event *);
void	fn_enter(struct lower *, struct fnctx *save);
void	fn_leave(struct lower *, const struct fnctx *save);

static inline uint32_t
least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t
up8(uint32_t n)
{
	return (n + 7) & ~7U;
}

#endif
