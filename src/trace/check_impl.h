/*
 * check_impl.h - what the parts of the type checker share. Nodes belong to
 * the unit's arena; NULL means that an error has been reported.
 */
#ifndef TRACE_CHECK_IMPL_H
#define TRACE_CHECK_IMPL_H

#include "trace/ast.h"
#include "trace/diag.h"
#include "trace/func.h"
#include "trace/ident.h"

struct trace;

enum { CHECK_DEPTH = 1500 };		/* tree levels, inlines expanded */

struct checker {
	struct unit *u;
	struct trace *t;		/* NULL: a constant expression */
	struct diag *d;
	struct clause *cl;
	int depth;
	bool dyn;			/* stack() and its kind allowed here */
	bool recorded, speculated, committed;	/* so far in this clause */
};

/* How an expression's value is used. */
enum use { USE_READ = 1, USE_WRITE = 2, USE_BOTH = 3 };

/* check_expr.c */
struct node *check_expr(struct checker *, struct node *, enum use);
struct node *check_read(struct checker *, struct node *);
/* The same for a value that may be stack(), sym() and their kind. */
struct node *check_dyn(struct checker *, struct node *);

/* check_conv.c: types of values and conversions */
void	check_settype(struct checker *, struct node *, const struct dtype *);
int64_t	check_normal(int64_t, const struct dtype *);
struct node *check_conv(struct checker *, struct node *,
	    const struct dtype *);
struct node *check_tostring(struct checker *, struct node *);
bool	check_is_null(const struct node *);	/* constant 0 */
bool	check_is_strcompat(const struct node *);
bool	check_is_ptr(const struct dtype *);	/* pointer or array */
bool	check_is_scalar(const struct node *);
/* Pointers to the same type, or one to void, or the constant 0; *type gets
 * the more specific one. */
bool	check_ptrcompat(struct checker *, const struct node *a,
	    const struct node *b, const struct dtype **type);
/* May b be passed or assigned where a's type is wanted? */
bool	check_argcompat(struct checker *, const struct dtype *want,
	    const struct node *b);
const struct dtype *check_promote(struct checker *, const struct dtype *,
	    const struct dtype *);
const struct dtype *check_int_type(struct unit *, uint64_t value, bool decimal,
	    int nu, int nl);
const char *check_opname(enum oper, bool assign);
/* Type names for one message. */
struct tnames { char a[160], b[160]; };
void	check_names(struct tnames *, const struct node *,
	    const struct node *);

/* An integer or enumeration, after typedefs. */
bool	check_is_int(const struct node *);
/* D_OP_INCOMPAT for the operands a and b of n; NULL. */
void	*check_incompat(struct checker *, const struct node *n,
	    const struct node *a, const struct node *b);
void	*check_nomem(struct checker *, int line);

/* check_ptr.c */
/* A pointer or array whose elements have a size; and that size. */
bool	check_is_sized(const struct node *);
uint64_t check_elem_size(const struct node *);
/* An array as the address of its first element. */
struct node *check_decay(struct checker *, struct node *);
struct node *check_symbol(struct checker *, struct node *);	/* &`name */
/* An index as an offset in bytes. */
struct node *check_scaled(struct checker *, struct node *, uint64_t size);
/* n, OP_ADD or OP_SUB, whose operands are typed. */
struct node *check_additive(struct checker *, struct node *n);

/* check_assign.c */
struct node *check_assign(struct checker *, struct node *);
struct node *check_incdec(struct checker *, struct node *);

/* Both operands to the promoted type; tag: what to say if they are not
 * integers. */
struct node *check_arithmetic(struct checker *, struct node *, enum errtag);
/* *(a + b), whose operands are typed already. */
struct node *check_pointer_index(struct checker *, struct node *);

/* check_fold.c: constant folding; returns n or the constant it amounts to */
struct node *fold_binary(struct checker *, struct node *);
struct node *fold_unary(struct checker *, struct node *);
struct node *fold_cast(struct checker *, struct node *);
struct node *fold_cond(struct checker *, struct node *);
/* An error: n divides by a constant 0. */
bool	fold_divzero(struct checker *, const struct node *n);

/* check_var.c */
struct node *check_var(struct checker *, struct node *, enum use);
bool	check_writable(const struct node *);
/* Gives a variable its type at its first assignment. */
void	check_settled(struct checker *, struct node *,
	    const struct dtype *);
/* What the global name n means; NULL: nothing yet, or an error. */
struct ident *check_global(struct checker *, const struct node *n,
	    bool *failed);
/* The error that n means nothing, was not assigned before; NULL. */
void	*check_undefined(struct checker *, const struct node *n, enum space);
void	*check_unassigned(struct checker *, const struct node *n);
const char *check_scope(enum space);	/* "self->", "this->" or "" */

/* check_index.c */
struct node *check_index(struct checker *, struct node *, enum use);

/* check_member.c */
struct node *check_member(struct checker *, struct node *, enum use);
/* The member of t that n names, and the bit it begins at; NULL: an error. */
const struct dmember *check_member_of(struct checker *,
	    const struct dtype *t, const struct node *n, uint64_t *bit);

/* check_key.c */
/* Types the subscripts of n (checked already) against its identifier. */
int	check_keys(struct checker *, struct ident *, struct node *n);
int	check_keys_declared(struct unit *, struct ident *,
	    const struct dtype **key, size_t nkey);

/* check_args.c */
struct node *check_args(struct checker *, struct node *, struct node *index);

/* check_xlate.c */
struct node *check_xlate(struct checker *, struct node *);
/* Is a's struct t a translated one? Then n, a member of it, becomes this. */
bool	check_translated(struct checker *, const struct node *a,
	    const struct dtype *t);
struct node *check_fds(struct checker *, struct node *);
struct node *check_xbuiltin(struct checker *, struct node *,
	    const struct ident *);
struct node *check_xmember(struct checker *, const struct node *n,
	    const struct dtype *t);

/* check_inline.c */
struct node *check_inline(struct checker *, struct ident *, struct node *);

/* check_call.c, check_agg.c, check_act.c */
struct node *check_call(struct checker *, struct node *, bool stmt);
struct node *check_agg(struct checker *, struct node *);
struct node *check_aggassign(struct checker *, struct node *);
int	check_action(struct checker *, struct node *);
int	check_arguments(struct checker *, struct node *);
/* Type of a function's result or parameter as func.def writes it. */
const struct dtype *check_proto_type(struct checker *, const char *text,
	    size_t len);
bool	check_result_is(const struct funcdesc *, const char *word);

/* An integer constant expression of a declaration. 0: *value; 1: it is not
 * constant; -1: an error has been reported. */
int	check_const(struct unit *, struct node *, int64_t *value,
	    struct diag *);

#endif
