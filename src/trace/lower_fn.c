/*
 * lower_fn.c - what a BPF function being made has at hand: jumps to code out of
 * line, values found once, memory for temporaries.
 */
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "trace/lower_impl.h"

/* Sites that jump out of line; growing arrays. */

void
low_faultcode(struct lower *l)
{
	struct gen *g = l->g;
	const struct faultsite *f;

	for (; l->fltdone < l->nflt; l->fltdone++) {
		f = &l->flt[l->fltdone];
		ir_label(g, f->lab);
		l->fltrec |= f->reserved;
		if (!l->fn.error) {
			ir_set(g, l->fltwhat, (int64_t)((uint64_t)f->kind |
			    (uint64_t)(f->action & 0xffff) << 8 |
			    (uint64_t)f->line << 32));
			if (f->val >= 0)
				ir_mov(g, l->fltval, f->val);
			else
				ir_set(g, l->fltval, 0);
		}
		ir_jmp(g, f->reserved ? l->fltpost : l->fltpre);
	}
}

/* A fault's value lives until its code: that of many is not put off to the
 * clause's end, or they would all be on the stack. */
static void
flush_faults(struct lower *l)
{
	enum { FAULTS_NEAR = 16 };
	label over;

	if (l->nflt - l->fltdone < FAULTS_NEAR)
		return;
	over = ir_newlabel(l->g);
	ir_jmp(l->g, over);
	low_faultcode(l);
	ir_label(l->g, over);
}

label
low_fault(struct lower *l, enum fault kind, vreg val)
{
	struct faultsite *f;

	flush_faults(l);
	if (ARRAY_ROOM(l->flt, l->nflt, l->fltalloc) == -1) {
		low_nomem(l);
		return l->skip;
	}
	f = &l->flt[l->nflt++];
	*f = (struct faultsite){ .lab = ir_newlabel(l->g), .kind = kind,
	    .val = val, .line = l->line, .action = l->stmt,
	    .reserved = l->rec >= 0 };
	l->escapes++;
	return f->lab;
}

label
low_drop(struct lower *l, enum dropkind kind, label back)
{
	struct dropsite *s;

	if (ARRAY_ROOM(l->drop, l->ndrop, l->dropalloc) == -1) {
		low_nomem(l);
		return back;
	}
	s = &l->drop[l->ndrop++];
	*s = (struct dropsite){ .lab = ir_newlabel(l->g), .back = back,
	    .kind = kind };
	return s->lab;
}

/* Values found once. A register is good for what its code dominates: the
 * clause, or all that follows when nothing could jump past it. */

void
low_cache(struct lower *l, int which, vreg r)
{
	if (l->cond > 0)
		return;
	l->fn.ca[which] = (struct cached){ .r = r, .all = l->escapes == 0 };
}

vreg
low_cached(struct lower *l, int which)
{
	return l->fn.ca[which].r;
}

void
low_uncache(struct lower *l)
{
	int n;

	for (n = 0; n < CA_N; n++)
		if (!l->fn.ca[n].all)
			l->fn.ca[n].r = -1;
}

int32_t
low_tmp8(struct lower *l)
{
	if (l->fn.tmp8 == 0)
		l->fn.tmp8 = ir_stack(l->g, 8, 8);
	return l->fn.tmp8;
}

int32_t
low_stktemp(struct lower *l, uint32_t size)
{
	struct stkslot *s = l->fn.stk;
	int n;

	size = up8(size);
	for (n = 0; n < l->fn.nstk; n++)
		if (!s[n].busy && s[n].size >= size) {
			s[n].busy = true;
			return s[n].off;
		}
	if (n == (int)(sizeof(l->fn.stk) / sizeof(*l->fn.stk)) ||
	    l->fn.stkbytes + size > STACK_TEMPS)
		return 0;
	l->fn.stkbytes += size;
	s[n] = (struct stkslot){ .off = ir_stack(l->g, size, 8), .size = size,
	    .busy = true };
	l->fn.nstk++;
	return s[n].off;
}

void
low_release(struct lower *l)
{
	int n;

	for (n = 0; n < l->fn.nstk; n++)
		l->fn.stk[n].busy = false;
	l->scrtop = l->scrfix;
}

/*
 * The scratch is an element of an array map for each CPU: no second firing of
 * the same program gets in between there. Only uprobes' programs may be
 * preempted or wait for a page: their scratch is the thread's.
 */
static vreg
scratch_find(struct lower *l)
{
	struct gen *g = l->g;
	int32_t key;
	vreg cpu;

	if (l->scrmap < 0)
		l->scrmap = l->bytask ? map_add(l, "scratch",
		    BPF_MAP_TYPE_TASK_STORAGE, 4, 64, 0, BPF_F_NO_PREALLOC) :
		    map_add(l, "scratch", BPF_MAP_TYPE_ARRAY, 4, 64, 0, 0);
	if (l->bytask) {
		l->p->map[l->scrmap].maxent = 0;
		return ir_call(g, BPF_FUNC_task_storage_get, 4,
		    ir_mapfd(g, l->scrmap), low_task(l), ir_imm(g, 0),
		    ir_imm(g, BPF_LOCAL_STORAGE_GET_F_CREATE));
	}
	cpu = ir_call(g, BPF_FUNC_get_smp_processor_id, 0);
	key = low_tmp8(l);
	ir_store(g, ir_fp(g, key), 0, 4, cpu);
	return ir_call(g, BPF_FUNC_map_lookup_elem, 2,
	    ir_mapfd(g, l->scrmap), ir_fp(g, key));
}

vreg
low_scratch(struct lower *l)
{
	vreg r = low_cached(l, CA_SCRATCH);
	label ok;

	if (r >= 0)
		return r;
	r = scratch_find(l);
	ok = ir_newlabel(l->g);
	ir_bri(l->g, CC_NE, r, 0, ok);
	if (l->rec >= 0)
		(void)ir_call(l->g, BPF_FUNC_ringbuf_discard, 2, l->rec,
		    ir_imm(l->g, 0));
	if (l->bytask)
		(void)ir_callsub(l->g, low_dropfn(l), 1,
		    ir_imm(l->g, DROP_DYNVAR));
	ir_exit(l->g, 0);
	ir_label(l->g, ok);
	low_cache(l, CA_SCRATCH, r);
	return r;
}

uint32_t
low_temp(struct lower *l, uint32_t size)
{
	uint32_t off = l->scrtop;

	l->scrtop += up8(size);
	if (l->scrtop > l->scrmax)
		l->scrmax = l->scrtop;
	if (l->scrtop > 4U << 20 && !l->failed)
		(void)low_error(l, D_UNKNOWN, l->line,
		    "the clause needs more than 4 MB of scratch space");
	return off;
}

vreg
low_tempaddr(struct lower *l, uint32_t off)
{
	return ir_alui(l->g, A_ADD, low_scratch(l), off);
}

vreg
low_scalar(struct lower *l, vreg ptr)
{
	vreg s = low_scratch(l);

	/* the verifier forgets what goes through a map's memory; the first
	 * word of the scratch is kept for that */
	ir_store(l->g, s, 0, 8, ptr);
	return ir_load(l->g, s, 0, 8);
}

vreg
low_opaque(struct lower *l, vreg v)
{
	vreg z = ir_load(l->g, ir_mapval(l->g, MAP_STATE, 0),
	    offsetof(struct state, zero), 8);

	return ir_alu(l->g, A_ADD, z, v);
}
