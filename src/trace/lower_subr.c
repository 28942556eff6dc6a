/*
 * lower_subr.c - subroutines that give numbers, and those on memory.
 */
#include <string.h>

#include "trace/kernel.h"
#include "trace/lower_impl.h"

enum { ALLOC_TOP = 16 };	/* word of the scratch: alloca()'s use so far */

/* Room of n bytes in alloca()'s part; its offset there, which leaves n bytes
 * as far as the verifier knows. Faults when there is none. */
static vreg
allocate(struct lower *l, vreg n)
{
	struct gen *g = l->g;
	vreg s = low_scratch(l), top = ir_new(g), size = ir_new(g);
	label full;

	if (l->alllen == 0)
		(void)low_error(l, D_UNKNOWN, l->line, "no scratch space");
	full = low_fault(l, FLT_NOSCRATCH, -1);
	ir_mov(g, size, n);
	ir_bri(g, CC_UGT, size, l->alllen, full);
	ir_loadto(g, top, s, ALLOC_TOP, 8);
	ir_bri(g, CC_UGT, top, l->alllen, full);
	n = ir_new(g);
	ir_mov(g, n, ir_alu(g, A_ADD, top, size));
	ir_aluito(g, n, A_ADD, n, 7);
	ir_aluito(g, n, A_AND, n, -8);
	ir_bri(g, CC_UGT, n, l->alllen, full);
	ir_store(g, s, ALLOC_TOP, 8, n);
	return top;
}

/* The verifier's pointer to, and the number of, an offset in that part. */
static vreg
pointer(struct lower *l, vreg off)
{
	return ir_alui(l->g, A_ADD, ir_alu(l->g, A_ADD, low_scratch(l), off),
	    l->alloff);
}

static vreg
number(struct lower *l, vreg off)
{
	return ir_alu(l->g, A_ADD, off, ir_alui(l->g, A_ADD, low_scalar(l,
	    low_scratch(l)), l->alloff));
}

/* The offset of an address that n bytes may be written to. */
static vreg
writable(struct lower *l, vreg addr, vreg n)
{
	struct gen *g = l->g;
	label bad = low_fault(l, FLT_BADADDR, addr);
	vreg off = ir_new(g);

	ir_mov(g, off, ir_alu(g, A_SUB, addr, number(l, ir_imm(g, 0))));
	ir_bri(g, CC_UGT, off, l->alllen, bad);
	ir_bri(g, CC_UGT, n, l->alllen, bad);
	ir_bri(g, CC_UGT, ir_alu(g, A_ADD, off, n), l->alllen, bad);
	return off;
}

static vreg
variable(struct lower *l, const struct node *n)
{
	vreg v = ir_new(l->g);

	ir_mov(l->g, v, low_int(l, n));
	return v;
}

static vreg
copyin(struct lower *l, const struct node *list)
{
	struct gen *g = l->g;
	vreg addr = low_int(l, list), n = variable(l, list->next), off, rc;

	off = allocate(l, n);
	ir_bri(g, CC_UGT, n, l->alllen, low_fault(l, FLT_NOSCRATCH, -1));
	rc = ir_call(g, low_userread(l), 3, pointer(l, off), n, addr);
	ir_bri(g, CC_NE, rc, 0, low_fault(l, FLT_BADADDR, addr));
	return number(l, off);
}

static void
copy(struct lower *l, const struct node *from, const struct node *to,
    const struct node *size, bool user)
{
	struct gen *g = l->g;
	vreg src = low_int(l, from), dst = low_int(l, to), off, rc;
	vreg n = variable(l, size);

	off = writable(l, dst, n);
	rc = ir_call(g, user ? low_userread(l) :
	    BPF_FUNC_probe_read_kernel, 3, pointer(l, off), n, src);
	ir_bri(g, CC_NE, rc, 0, low_fault(l, FLT_BADADDR, src));
}

/* copyout(buf, addr, size), copyoutstr(str, addr, size) */
void
low_copyout(struct lower *l, const struct node *n)
{
	const struct node *to = n->list->next, *size = to->next;
	struct gen *g = l->g;
	vreg src, dst, len, off, rc, top = low_scratch(l);
	struct sval s;

	if (n->func->id == F_COPYOUTSTR) {
		s = low_str(l, n->list);
		low_notnull(l, &s);
		src = low_scalar(l, s.r);
	} else {
		src = low_int(l, n->list);
	}
	dst = low_int(l, to);
	len = variable(l, size);
	top = ir_load(g, top, ALLOC_TOP, 8);
	off = allocate(l, len);
	if (n->func->id == F_COPYOUTSTR) {
		ir_bri(g, CC_EQ, len, 0, low_fault(l, FLT_BADADDR, -1));
		rc = ir_new(g);
		ir_mov(g, rc, ir_call(g, BPF_FUNC_probe_read_kernel_str, 3,
		    pointer(l, off), len, src));
		ir_bri(g, CC_SLE, rc, 0, low_fault(l, FLT_BADADDR, src));
		ir_mov(g, len, rc);
		ir_bri(g, CC_UGT, len, l->alllen,
		    low_fault(l, FLT_BADADDR, -1));
	} else {
		rc = ir_call(g, BPF_FUNC_probe_read_kernel, 3,
		    pointer(l, off), len, src);
		ir_bri(g, CC_NE, rc, 0, low_fault(l, FLT_BADADDR, src));
	}
	rc = ir_call(g, BPF_FUNC_probe_write_user, 3, dst, pointer(l, off),
	    len);
	ir_store(g, low_scratch(l), ALLOC_TOP, 8, top);
	ir_bri(g, CC_NE, rc, 0, low_fault(l, FLT_BADADDR, dst));
}

/* Its length with the NUL, found by copying. */
vreg
low_strlen(struct lower *l, struct sval *s)
{
	struct gen *g = l->g;
	vreg n = ir_new(g);
	uint32_t at = low_temp(l, l->strsize);

	low_notnull(l, s);
	ir_mov(g, n, ir_call(g, s->user && !s->mem ?
	    BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str, 3,
	    low_tempaddr(l, at), ir_imm(g, s->bound), s->r));
	ir_bri(g, CC_SLT, n, 1, low_fault(l, FLT_BADADDR, s->r));
	return n;
}

static vreg
length(struct lower *l, const struct node *n)
{
	struct sval s = low_str(l, n);

	if (s.lit != NULL)
		return ir_imm(l->g, (int64_t)s.litlen);
	return ir_alui(l->g, A_SUB, low_strlen(l, &s), 1);
}

/* Network order: the hosts served are little-endian. */
static vreg
swap(struct lower *l, const struct node *n, unsigned size)
{
	return ir_bswap(l->g, low_int(l, n), size);
}

enum { PROGENY_DEPTH = 64 };

/* Is pid the current process or one of its ancestors? */
static vreg
progenyof(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	vreg pid = ir_ext(g, low_int(l, n), 4, false), r = ir_new(g);
	vreg task = ir_new(g), up = ir_new(g), i = ir_new(g);
	int32_t par = l->t->offline ? 0 : kernel_offset(l->t, "task_struct",
	    "real_parent");
	int32_t tgid = l->t->offline ? 0 : kernel_offset(l->t, "task_struct",
	    "tgid");
	label top = ir_newlabel(g), end = ir_newlabel(g);
	int32_t tmp = low_tmp8(l);

	ir_mov(g, task, ir_call(g, BPF_FUNC_get_current_task, 0));
	ir_set(g, i, 0);
	ir_label(g, top);
	ir_set(g, r, 0);
	ir_bri(g, CC_NE, ir_call(g, BPF_FUNC_probe_read_kernel, 3,
	    ir_fp(g, tmp), ir_imm(g, 4), ir_alui(g, A_ADD, task, tgid)), 0,
	    end);
	ir_loadto(g, up, ir_fp(g, tmp), 0, 4);
	ir_set(g, r, 1);
	ir_br(g, CC_EQ, up, pid, end);
	ir_set(g, r, 0);
	ir_bri(g, CC_ULE, up, 1, end);
	ir_bri(g, CC_NE, ir_call(g, BPF_FUNC_probe_read_kernel, 3,
	    ir_fp(g, tmp), ir_imm(g, 8), ir_alui(g, A_ADD, task, par)), 0,
	    end);
	ir_loadto(g, task, ir_fp(g, tmp), 0, 8);
	ir_aluito(g, i, A_ADD, i, 1);
	ir_bri(g, CC_ULT, i, PROGENY_DEPTH, top);
	ir_label(g, end);
	return r;
}

static vreg
none(struct lower *l, const struct node *n)
{
	(void)low_error(l, D_UNSUP, n->line, "%s() cannot be had on this "
	    "system", n->func->name);
	return ir_imm(l->g, 0);
}

vreg
low_subr(struct lower *l, const struct node *n)
{
	struct gen *g = l->g;
	const struct node *a = n->list;
	vreg v;

	switch (n->func->id) {
	case F_ALLOCA:
		v = allocate(l, low_int(l, a));
		return number(l, v);
	case F_BCOPY:
		copy(l, a, a->next, a->next->next, false);
		return ir_imm(g, 0);
	case F_COPYIN:
		return copyin(l, a);
	case F_COPYINTO:
		copy(l, a, a->next->next, a->next, true);
		return ir_imm(g, 0);
	case F_STRLEN:
		return length(l, a);
	case F_HTONS:
	case F_NTOHS:
		return swap(l, a, 2);
	case F_HTONL:
	case F_NTOHL:
		return swap(l, a, 4);
	case F_HTONLL:
	case F_NTOHLL:
		return swap(l, a, 8);
	case F_RAND:
		return ir_ext(g, ir_call(g, BPF_FUNC_get_prandom_u32, 0), 4,
		    true);
	case F_PROGENYOF:
		return progenyof(l, a);
	case F_GETMAJOR:
		/* dev_t of the kernel: 12 bits of major, 20 of minor */
		return ir_alui(g, A_SHR, ir_ext(g, low_int(l, a), 4, false),
		    20);
	case F_GETMINOR:
		return ir_alui(g, A_AND, low_int(l, a), 0xfffff);
	case F_SPECULATION:
		return low_speculation(l);
	case F_INDEX:
	case F_RINDEX:
	case F_STRTOLL:
		return low_intstrfn(l, n);
	case F_MUTEX_OWNED:
	case F_MUTEX_OWNER:
	case F_MUTEX_TYPE_ADAPTIVE:
	case F_MUTEX_TYPE_SPIN:
	case F_RW_ISWRITER:
	case F_RW_WRITE_HELD:
	case F_RW_READ_HELD:
		return low_lockfn(l, n);
	default:
		return none(l, n);
	}
}

static struct sval
copyinstr(struct lower *l, const struct node *list)
{
	struct gen *g = l->g;
	struct sval s = low_strnew(l, l->strmax);
	vreg addr = low_int(l, list), n, cap;
	label ok;

	if (list->next == NULL) {
		low_strread(l, addr, true, s.r, 0, s.bound);
		return s;
	}
	/* at most so many bytes, the NUL included */
	n = variable(l, list->next);
	cap = ir_new(g);
	ok = ir_newlabel(g);
	ir_set(g, cap, s.bound);
	ir_bri(g, CC_UGE, n, s.bound, ok);
	ir_mov(g, cap, n);
	ir_bri(g, CC_NE, cap, 0, ok);
	ir_set(g, cap, 1);
	ir_label(g, ok);
	(void)low_userstr(l, true, s.r, cap, addr);
	return s;
}

static struct sval
strjoin(struct lower *l, const struct node *list)
{
	struct gen *g = l->g;
	struct sval a = low_str(l, list), b, s;
	vreg la = ir_new(g), lb = ir_new(g);

	low_notnull(l, &a);
	b = low_str(l, list->next);
	low_notnull(l, &b);
	s = low_strnew(l, l->strmax);
	/* as far as the verifier knows, both may be as long as can be */
	(void)low_temp(l, l->strsize);
	ir_mov(g, la, ir_call(g, BPF_FUNC_probe_read_kernel_str, 3, s.r,
	    ir_imm(g, l->strmax), a.r));
	ir_bri(g, CC_SLT, la, 1, low_fault(l, FLT_BADADDR, a.r));
	ir_aluito(g, la, A_SUB, la, 1);
	ir_bri(g, CC_UGE, la, l->strmax, low_fault(l, FLT_BADADDR, -1));
	lb = ir_alu(g, A_SUB, ir_imm(g, l->strmax), la);
	lb = ir_call(g, BPF_FUNC_probe_read_kernel_str, 3,
	    ir_alu(g, A_ADD, s.r, la), lb, b.r);
	ir_bri(g, CC_SLT, lb, 0, low_fault(l, FLT_BADADDR, b.r));
	return s;
}

/* illumos' substr(): negative positions count from the end, a negative length
 * leaves so many off there. */
static struct sval
substr(struct lower *l, const struct node *list)
{
	struct gen *g = l->g;
	struct sval s = low_str(l, list), r;
	vreg len, i = ir_new(g), n = ir_new(g), src;
	label pos = ir_newlabel(g), none = ir_newlabel(g);
	label fits = ir_newlabel(g), sized = ir_newlabel(g);
	uint32_t at;

	low_notnull(l, &s);
	at = low_strtemp(l, &s);
	len = ir_alui(g, A_SUB, low_strlen(l, &s), 1);
	ir_mov(g, i, low_int(l, list->next));
	if (list->next->next != NULL)
		ir_mov(g, n, low_int(l, list->next->next));
	else
		ir_set(g, n, l->strmax);
	r = low_strnew(l, s.bound);
	ir_bri(g, CC_SGE, i, 0, pos);
	ir_aluto(g, i, A_ADD, i, len);
	ir_bri(g, CC_SGE, i, 0, pos);
	ir_bri(g, CC_SLE, ir_alu(g, A_ADD, i, n), 0, none);
	ir_aluto(g, n, A_ADD, n, i);
	ir_set(g, i, 0);
	ir_label(g, pos);
	ir_br(g, CC_SGE, i, len, none);
	ir_bri(g, CC_SGE, n, 0, sized);
	ir_aluto(g, n, A_ADD, n, ir_alu(g, A_SUB, len, i));
	ir_label(g, sized);
	ir_mov(g, i, low_opaque(l, i));
	ir_mov(g, n, low_opaque(l, n));
	ir_bri(g, CC_SLE, n, 0, none);
	ir_bri(g, CC_SLT, n, s.bound, fits);
	ir_set(g, n, (int64_t)s.bound - 1);
	ir_label(g, fits);
	ir_bri(g, CC_UGE, i, l->strmax, none);
	src = ir_alu(g, A_ADD, low_tempaddr(l, at), i);
	ir_aluito(g, n, A_ADD, n, 1);
	ir_bri(g, CC_UGT, n, s.bound, none);
	(void)ir_call(g, BPF_FUNC_probe_read_kernel_str, 3, r.r, n, src);
	fits = ir_newlabel(g);
	ir_jmp(g, fits);
	ir_label(g, none);
	ir_storei(g, r.r, 0, 1, 0);
	ir_label(g, fits);
	return r;
}

struct sval
low_strsubr(struct lower *l, const struct node *n)
{
	switch (n->func->id) {
	case F_COPYINSTR:
		return copyinstr(l, n->list);
	case F_STRJOIN:
		return strjoin(l, n->list);
	case F_SUBSTR:
		return substr(l, n->list);
	default:
		return low_strfn(l, n);
	}
}
