/*
 * lower_builtin.c - the built-in variables.
 */
#include <string.h>

#include "trace/kernel.h"
#include "trace/lowint.h"
#include "trace/prov.h"

enum { USER_STACK = 1 << 8, COMM = 16 };

static vreg provided(struct lower *, const char *);

vreg
low_pidtgid(struct lower *l)
{
	vreg r = low_cached(l, CA_PIDTGID);

	if (r >= 0)
		return r;
	r = provided(l, "pidtgid");
	if (r < 0)
		r = ir_call(l->g, BPF_FUNC_get_current_pid_tgid, 0);
	low_cache(l, CA_PIDTGID, r);
	return r;
}

vreg
low_task(struct lower *l)
{
	vreg r = low_cached(l, CA_TASK);

	if (r >= 0)
		return r;
	r = provided(l, "curthread");
	if (r < 0)
		r = ir_call(l->g, kernel_has(l->t, KF_TASK_BTF) ?
		    BPF_FUNC_get_current_task_btf :
		    BPF_FUNC_get_current_task, 0);
	low_cache(l, CA_TASK, r);
	return r;
}

/* Read once in a firing: kept on the stack where several uses may come. */
static vreg
clock_once(struct lower *l, int which, int32_t slot,
    vreg (*get)(struct lower *))
{
	struct gen *g = l->g;
	vreg r = low_cached(l, which);
	label have;

	if (r >= 0)
		return r;
	r = ir_new(g);
	if (slot == 0) {
		ir_mov(g, r, get(l));
	} else {
		have = ir_newlabel(g);
		ir_loadto(g, r, ir_fp(g, slot), 0, 8);
		ir_bri(g, CC_NE, r, 0, have);
		l->cond++;
		ir_mov(g, r, get(l));
		l->cond--;
		ir_store(g, ir_fp(g, slot), 0, 8, r);
		ir_label(g, have);
	}
	low_cache(l, which, r);
	return r;
}

static vreg
monotonic(struct lower *l)
{
	return ir_call(l->g, BPF_FUNC_ktime_get_ns, 0);
}

vreg
low_time(struct lower *l)
{
	return clock_once(l, CA_TIME, l->fn.timeslot, monotonic);
}

static vreg
wall(struct lower *l)
{
	vreg off = ir_load(l->g, ir_mapval(l->g, MAP_STATE, 0),
	    offsetof(struct state, boot_wall_ns), 8);

	return ir_alu(l->g, A_ADD, low_time(l), off);
}

/* A member of a struct of the kernel; 0 offline. */
static vreg
member(struct lower *l, vreg p, const char *type, const char *name,
    unsigned size)
{
	int32_t off = l->t->offline ? 0 : kernel_offset(l->t, type, name);

	if (off < 0) {
		(void)low_error(l, D_UNSUP, l->line, "the kernel's struct %s "
		    "has no member %s", type, name);
		off = 0;
	}
	return kernel_has(l->t, KF_TASK_BTF) ? ir_load(l->g, p, off, size)
	    : gen_read(l->g, ir_alui(l->g, A_ADD, p, off), size, false);
}

static vreg
ppid(struct lower *l)
{
	vreg p = member(l, low_task(l), "task_struct", "real_parent", 8);

	return ir_ext(l->g, member(l, p, "task_struct", "tgid", 4), 4, true);
}

static vreg
vtime(struct lower *l)
{
	return member(l, low_task(l), "task_struct", "se.sum_exec_runtime", 8);
}

/* Its start and its id: no other thread has the same, also when the id is used
 * again. The idle threads, which share all of that, by CPU. */
vreg
low_thread(struct lower *l)
{
	struct gen *g = l->g;
	vreg id = ir_ext(g, low_pidtgid(l), 4, false), r = ir_new(g);
	label ok = ir_newlabel(g);

	ir_mov(g, r, ir_alu(g, A_OR, ir_alui(g, A_SHL, member(l, low_task(l),
	    "task_struct", "start_time", 8), 22),
	    ir_alui(g, A_AND, id, (1 << 22) - 1)));
	ir_bri(g, CC_NE, id, 0, ok);
	ir_mov(g, r, ir_alui(g, A_SUB, ir_imm(g, -1),
	    ir_call(g, BPF_FUNC_get_smp_processor_id, 0)));
	ir_label(g, ok);
	return r;
}

/* arg1 to arg5 of ERROR: the clause, the statement, the line in it, the kind
 * of fault and the bad value. */
static vreg
error_arg(struct lower *l, unsigned n)
{
	struct gen *g = l->g;

	switch (n) {
	case 1:
		return ir_alui(g, A_ADD, ir_arg(g, 2), 1);
	case 2:
		return ir_alui(g, A_AND, ir_alui(g, A_SHR, ir_arg(g, 3), 8),
		    0xffff);
	case 3:
		return ir_alui(g, A_SHR, ir_arg(g, 3), 32);
	case 4:
		return ir_alui(g, A_AND, ir_arg(g, 3), 0xff);
	case 5:
		return ir_arg(g, 4);
	default:
		return ir_imm(g, 0);
	}
}

static vreg
argument(struct lower *l, unsigned n)
{
	if (l->fn.error)
		return error_arg(l, n);
	if (l->ev->pv->gen_arg == NULL)
		return ir_imm(l->g, 0);
	return l->ev->pv->gen_arg(l->g, l->ev, n);
}

static vreg
provided(struct lower *l, const char *name)
{
	if (l->fn.error || l->ev->pv->gen_builtin == NULL)
		return -1;
	return l->ev->pv->gen_builtin(l->g, l->ev, name);
}

bool
low_other(struct lower *l)
{
	return provided(l, "curthread") >= 0;
}

/* The second frame of the kernel's or the user's stack. */
static vreg
caller(struct lower *l, const char *name, int flags)
{
	struct gen *g = l->g;
	vreg r = provided(l, name), rc;
	int32_t at;
	label none;

	if (r >= 0)
		return r;
	r = ir_new(g);
	at = low_stktemp(l, 16);
	if (at == 0)
		at = ir_stack(g, 16, 8);
	none = ir_newlabel(g);
	ir_set(g, r, 0);
	ir_storei(g, ir_fp(g, at), 8, 8, 0);
	rc = ir_call(g, BPF_FUNC_get_stack, 4, ir_ctx(g), ir_fp(g, at),
	    ir_imm(g, 16), ir_imm(g, flags));
	ir_bri(g, CC_SLT, rc, 16, none);
	ir_loadto(g, r, ir_fp(g, at), 8, 8);
	ir_label(g, none);
	return r;
}

static vreg
depth(struct lower *l, int flags)
{
	struct gen *g = l->g;
	uint32_t size = 8 * (uint32_t)opt_num(&l->t->opt, O_MAXFRAMES);
	label ok = ir_newlabel(g);
	vreg r = ir_new(g);

	ir_mov(g, r, ir_call(g, BPF_FUNC_get_stack, 4, ir_ctx(g),
	    low_tempaddr(l, low_temp(l, size)), ir_imm(g, size),
	    ir_imm(g, flags)));
	ir_bri(g, CC_SGE, r, 0, ok);
	ir_set(g, r, 0);
	ir_label(g, ok);
	return ir_alui(g, A_SHR, r, 3);
}

static vreg
probe_index(struct lower *l)
{
	if (l->fn.error || l->ev->pv->gen_probe == NULL)
		return ir_imm(l->g, l->ec->probe[0]->idx);
	return l->ev->pv->gen_probe(l->g, l->ev, l->ec);
}

/* A word of a table in the read-only data, by probe. */
static vreg
by_probe(struct lower *l, uint32_t tab, uint32_t stride)
{
	struct gen *g = l->g;
	vreg i = ir_new(g), p;
	label ok = ir_newlabel(g);

	ir_mov(g, i, probe_index(l));
	ir_bri(g, CC_ULT, i, (int64_t)l->p->nprobe, ok);
	ir_set(g, i, 0);
	ir_label(g, ok);
	p = ir_mapval(g, MAP_RODATA, tab);
	return ir_alu(g, A_ADD, p, ir_alui(g, A_MUL, i, stride));
}

static vreg
probe_id(struct lower *l)
{
	uint32_t *id;
	size_t k;

	if (l->ec->nprobe == 1)
		return ir_imm(l->g, l->ec->probe[0]->id);
	if (l->idtab == 0) {
		id = arena_calloc(l->ar, l->p->nprobe + 1, sizeof(*id));
		if (id == NULL) {
			low_nomem(l);
			return ir_imm(l->g, 0);
		}
		for (k = 0; k < l->p->nprobe; k++)
			id[k] = l->p->probe[k]->id;
		l->idtab = ro_add(l, id, l->p->nprobe * sizeof(*id));
	}
	return ir_load(l->g, by_probe(l, l->idtab, 4), 0, 4);
}

static vreg
epid(struct lower *l)
{
	vreg i = probe_index(l);

	i = ir_alui(l->g, A_MUL, i, (int64_t)l->p->nlayout);
	return ir_alui(l->g, A_ADD, i, (int64_t)l->cl->seq + 1);
}

static vreg
uidgid(struct lower *l)
{
	vreg r = low_cached(l, CA_UIDGID), cred;

	if (r >= 0)
		return r;
	if (low_other(l)) {
		cred = member(l, low_task(l), "task_struct", "cred", 8);
		r = ir_alu(l->g, A_OR, ir_alui(l->g, A_SHL,
		    member(l, cred, "cred", "gid", 4), 32),
		    member(l, cred, "cred", "uid", 4));
	} else {
		r = ir_call(l->g, BPF_FUNC_get_current_uid_gid, 0);
	}
	low_cache(l, CA_UIDGID, r);
	return r;
}

static vreg
unsupported(struct lower *l, const struct node *n)
{
	(void)low_error(l, D_UNSUP, n->line, "%s cannot be had on this system",
	    n->id->name);
	return ir_imm(l->g, 0);
}

static vreg
uregs(struct lower *l, const struct node *n)
{
	char name[32];
	vreg r;

	if (n->list == NULL || n->list->kind != N_INT) {
		(void)low_error(l, D_UNSUP, n->line,
		    "uregs[] takes a constant subscript");
		return ir_imm(l->g, 0);
	}
	snprintf(name, sizeof(name), "uregs.%d", (int)n->list->ival);
	r = provided(l, name);
	if (r < 0)
		return unsupported(l, n);
	return r;
}

static vreg
on_stack(struct lower *l, enum bid id)
{
	switch (id) {
	case B_CALLER:
		return caller(l, "caller", 0);
	case B_UCALLER:
		return caller(l, "ucaller", USER_STACK);
	case B_STACKDEPTH:
		return depth(l, 0);
	default:
		return depth(l, USER_STACK);
	}
}

vreg
low_builtin(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	enum bid id;
	vreg r;

	if (n->kind == N_ARGS)
		return low_norm(l, argument(l, (unsigned)n->ival), n->type);
	id = n->id->builtin->id;
	if (id >= B_ARG0 && id <= B_ARG9)
		return argument(l, (unsigned)(id - B_ARG0));
	switch (id) {
	case B_TIMESTAMP:
		return low_time(l);
	case B_WALLTIMESTAMP:
		return clock_once(l, CA_WALL, l->fn.wallslot, wall);
	case B_VTIMESTAMP:
		return vtime(l);
	case B_PID:
		return ir_alui(g, A_SHR, low_pidtgid(l), 32);
	case B_TID:
		return ir_ext(g, low_pidtgid(l), 4, n->type != NULL &&
		    type_base(n->type)->sign);
	case B_PPID:
		return ppid(l);
	case B_UID:
		return ir_ext(g, uidgid(l), 4, false);
	case B_GID:
		return ir_alui(g, A_SHR, uidgid(l), 32);
	case B_CPU:
		return ir_call(g, BPF_FUNC_get_smp_processor_id, 0);
	case B_CURTHREAD:
		r = provided(l, "curthread");
		return r >= 0 ? r : ir_call(g, BPF_FUNC_get_current_task, 0);
	case B_ERRNO:
		r = provided(l, "errno");
		return r >= 0 ? r : ir_imm(g, 0);
	case B_ID:
		return probe_id(l);
	case B_EPID:
		return epid(l);
	case B_IPL:
		return ir_imm(g, 0);
	case B_CALLER:
	case B_UCALLER:
	case B_STACKDEPTH:
	case B_USTACKDEPTH:
		/* only of the thread whose stack it is on */
		return low_other(l) ? unsupported(l, n) : on_stack(l, id);
	case B_UREGS:
		return uregs(l, n);
	default:
		return unsupported(l, n);
	}
}

static const char *
field(const struct probe *p, enum bid id)
{
	switch (id) {
	case B_PROBEPROV: return p->prov;
	case B_PROBEMOD: return p->mod;
	case B_PROBEFUNC: return p->func;
	default: return p->name;
	}
}

/* The text that a probe* variable has in every probe of the clause. */
static const char *
constant(struct lower *l, enum bid id)
{
	const char *s = field(l->ec->probe[0], id);
	size_t k;

	for (k = 1; k < l->ec->nprobe; k++)
		if (strcmp(field(l->ec->probe[k], id), s) != 0)
			return NULL;
	return s;
}

/* The number of a string as long as a variable could hold. */
static uint32_t
cut_id(struct lower *l, const char *s)
{
	if (strlen(s) < l->strmax)
		return str_id(l, s);
	s = arena_strn(l->ar, s, l->strmax - 1);
	if (s == NULL) {
		low_nomem(l);
		return 0;
	}
	return str_id(l, s);
}

/* Literals and probe names by number. */
vreg
low_strid(struct lower *l, const struct node *n)
{
	enum bid id;
	const char *s = n->str;
	uint32_t *tab, which;
	size_t k;

	if (n->kind == N_STR)
		return ir_imm(l->g, cut_id(l, s));
	id = n->id->builtin->id;
	s = constant(l, id);
	if (s != NULL)
		return ir_imm(l->g, cut_id(l, s));
	which = (uint32_t)(id == B_PROBEPROV ? 0 : id == B_PROBEMOD ? 1 :
	    id == B_PROBEFUNC ? 2 : 3);
	if (l->strtab[which] == 0) {
		tab = arena_calloc(l->ar, l->p->nprobe + 1, sizeof(*tab));
		if (tab == NULL) {
			low_nomem(l);
			return ir_imm(l->g, 0);
		}
		for (k = 0; k < l->p->nprobe; k++)
			tab[k] = cut_id(l, field(l->p->probe[k], id));
		/* offset 0 means none: see lower_unit */
		l->strtab[which] = ro_add(l, tab,
		    l->p->nprobe * sizeof(*tab));
	}
	return ir_load(l->g, by_probe(l, l->strtab[which], 4), 0, 4);
}

static struct sval
fixed(struct lower *l, const char *text)
{
	struct sval s = { .mem = true, .canon = true, .lit = text };

	s.litlen = strlen(text);
	if (s.litlen > l->strmax - 1)
		s.litlen = l->strmax - 1;
	s.bound = (uint32_t)s.litlen + 1;
	s.room = up8(s.bound);
	s.r = ir_mapval(l->g, MAP_RODATA, ro_string(l, text, s.litlen));
	return s;
}

/* The names themselves, each in an equal room. */
static struct sval
probe_name(struct lower *l, enum bid id)
{
	const char *text = constant(l, id);
	struct sval s = { .mem = true, .canon = true };
	size_t k, n, most = 0;
	char *tab;

	if (text != NULL)
		return fixed(l, text);
	for (k = 0; k < l->p->nprobe; k++) {
		n = strlen(field(l->p->probe[k], id));
		most = n > most ? n : most;
	}
	if (most > l->strmax - 1)
		most = l->strmax - 1;
	s.bound = (uint32_t)most + 1;
	s.room = up8(s.bound);
	if (l->nametab[id - B_PROBEFUNC] == 0) {
		tab = arena_calloc(l->ar, l->p->nprobe + 1, s.room);
		if (tab == NULL) {
			low_nomem(l);
			return fixed(l, "");
		}
		for (k = 0; k < l->p->nprobe; k++) {
			text = field(l->p->probe[k], id);
			memcpy(tab + k * s.room, text, strnlen(text, most));
		}
		l->nametab[id - B_PROBEFUNC] = ro_add(l, tab,
		    l->p->nprobe * s.room);
	}
	s.r = by_probe(l, l->nametab[id - B_PROBEFUNC], s.room);
	return s;
}

/* The name of this thread, or of the one that the probe stands for. */
void
low_comm(struct lower *l, vreg dst)
{
	vreg from = provided(l, "execname");

	if (from < 0) {
		(void)ir_call(l->g, BPF_FUNC_get_current_comm, 2, dst,
		    ir_imm(l->g, COMM));
		return;
	}
	low_zero(l, dst, 0, COMM);
	(void)ir_call(l->g, BPF_FUNC_probe_read_kernel_str, 3, dst,
	    ir_imm(l->g, COMM), from);
}

struct sval
low_strbuiltin(struct lower *l, const struct node *n)
{
	struct sval s = { .mem = true };

	switch (n->id->builtin->id) {
	case B_EXECNAME:
		s.temp = low_temp(l, l->strsize > COMM ? l->strsize : COMM);
		s.r = low_tempaddr(l, s.temp);
		s.room = s.bound = COMM;
		s.canon = true;
		low_comm(l, s.r);
		return s;
	case B_CWD:
		return low_fspath(l, "pwd");
	case B_ROOT:
		return low_fspath(l, "root");
	case B_PROBEPROV:
	case B_PROBEMOD:
	case B_PROBEFUNC:
	case B_PROBENAME:
		return probe_name(l, n->id->builtin->id);
	case B_EXECARGS:
		return low_execargs(l);
	default:
		s = fixed(l, "");
		(void)unsupported(l, n);
		return s;
	}
}
