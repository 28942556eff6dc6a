/*
 * fmt.c - printf formats of D: parsing and the check against types.
 */
#include <limits.h>
#include <string.h>

#include "trace/arena.h"
#include "trace/diag.h"
#include "trace/fmt.h"

static const struct {
	char name[4];
	enum fmtclass cls;
	char libc;
} convtab[] = {
#define FC(name, cls, libc) { name, cls, libc },
#include "trace/fmtconv.def"
#undef FC
};

struct fparse {
	const char *p;
	struct fmt *f;
	int line;
	const char *func;
	struct diag *dg;
};

static int
flag_bit(char c)
{
	switch (c) {
	case '-': return FMT_LEFT;
	case '+': return FMT_PLUS;
	case ' ': return FMT_SPACE;
	case '0': return FMT_ZERO;
	case '#': return FMT_ALT;
	case '\'': return FMT_GROUP;
	}
	return 0;
}

/* Decimal digits at *pp; too large a number becomes INT_MAX. */
static int
digits(const char **pp)
{
	int n = 0;

	for (; **pp >= '0' && **pp <= '9'; (*pp)++)
		n = n > (INT_MAX - 9) / 10 ? INT_MAX : n * 10 + (**pp - '0');
	return n;
}

/* Flags, width and precision, in the order printf(3) wants them but for @
 * and ?, which may stand among the flags. */
static void
parse_spec(const char **pp, struct fmtconv *c)
{
	const char *p = *pp;
	int bit;

	for (; *p != '\0'; p++) {
		if ((bit = flag_bit(*p)) != 0)
			c->flags |= (unsigned)bit;
		else if (*p == '@')
			c->agg = true;
		else if (*p == '?')
			c->ptrwidth = true;
		else
			break;
	}
	if (*p == '*') {
		c->dynwidth = true;
		p++;
	} else if (*p >= '0' && *p <= '9')
		c->width = digits(&p);
	if (*p == '.') {
		p++;
		if (*p == '*') {
			c->dynprec = true;
			p++;
		} else
			c->prec = digits(&p);
	}
	for (; *p == '@' || *p == '?'; p++)
		*(*p == '@' ? &c->agg : &c->ptrwidth) = true;
	*pp = p;
}

static int
parse_conv(struct fparse *ps, struct fmtconv *c, size_t nth)
{
	char name[16];
	size_t n = 0, i;

	parse_spec(&ps->p, c);
	while (*ps->p != '\0' && strchr("hlLw", *ps->p) != NULL &&
	    n < sizeof(name) - 2)
		name[n++] = *ps->p++;
	if (*ps->p == '\0')
		return diag_error(ps->dg, D_SYNTAX, ps->line,
		    "%s(): conversion %zu of the format breaks off at its end",
		    ps->func, nth);
	name[n++] = *ps->p++;
	name[n] = '\0';
	for (i = 0; i < sizeof(convtab) / sizeof(convtab[0]); i++)
		if (strcmp(convtab[i].name, name) == 0)
			break;
	if (i == sizeof(convtab) / sizeof(convtab[0])) {
		diag_error(ps->dg, D_SYNTAX, ps->line,
		    "%s(): conversion %zu of the format, %%%s, is not known",
		    ps->func, nth, name);
		if (n > 1 && (name[0] == 'h' || name[0] == 'l'))
			diag_hint(ps->dg, "length modifiers are not needed: "
			    "the argument's own size decides");
		return -1;
	}
	memcpy(c->conv, convtab[i].name, sizeof(c->conv));
	c->cls = convtab[i].cls;
	c->libc = convtab[i].libc;
	return 0;
}

static void
conv_init(struct fmtconv *c)
{
	memset(c, 0, sizeof(*c));
	c->width = c->prec = -1;
}

/* One literal with the conversion that ends it. A "%%" ends a literal after
 * its first %, so that the text can be used as it is. */
static int
parse_piece(struct fparse *ps, size_t *nth)
{
	struct fmtconv *c = &ps->f->conv[ps->f->nconv++];

	conv_init(c);
	c->lit = ps->p;
	while (*ps->p != '\0' && *ps->p != '%')
		ps->p++;
	c->litlen = (size_t)(ps->p - c->lit);
	if (*ps->p == '\0')
		return 0;
	if (ps->p[1] == '%') {
		c->litlen++;
		ps->p += 2;
		return 0;
	}
	ps->p++;
	if (parse_conv(ps, c, ++*nth) == -1)
		return -1;
	ps->f->narg += c->dynwidth + c->dynprec + !c->agg;
	ps->f->nagg += c->agg;
	return 0;
}

const struct fmt *
fmt_parse(struct arena *ar, const char *text, int line, const char *func,
    struct diag *dg)
{
	struct fparse ps = { .p = text, .line = line, .func = func, .dg = dg };
	size_t n = 1, nth = 0;
	const char *p;

	/* freopen("") goes back to the first output */
	if (*text == '\0' && strcmp(func, "freopen") != 0) {
		diag_error(dg, D_PRINTF_FMT_EMPTY, line,
		    "%s(): the format is empty", func);
		return NULL;
	}
	for (p = text; *p != '\0'; p++)
		n += *p == '%';
	if ((ps.f = arena_alloc(ar, sizeof(*ps.f))) == NULL ||
	    (ps.f->conv = arena_calloc(ar, n, sizeof(*ps.f->conv))) == NULL) {
		diag_error(dg, D_UNKNOWN, line, "%s(): out of memory", func);
		return NULL;
	}
	ps.f->text = text;
	while (*ps.p != '\0')
		if (parse_piece(&ps, &nth) == -1)
			return NULL;
	return ps.f;
}

/* What a class of conversions takes, for messages. */
static const char *
class_takes(enum fmtclass cls)
{
	switch (cls) {
	case FC_INT: case FC_UINT:
		return "an integer";
	case FC_CHAR: case FC_ECHAR: case FC_WCHAR:
		return "a char, short or int";
	case FC_FLOAT:
		return "a float, double or long double";
	case FC_PTR:
		return "a pointer or an integer";
	case FC_KADDR: case FC_UADDR:
		return "a pointer, an integer or a symbol";
	case FC_STACK:
		return "a stack";
	case FC_STR: case FC_ESTR:
		return "a string or an array of char";
	case FC_WSTR:
		return "an array of wchar_t";
	case FC_TIME: case FC_TIME822:
		return "64 bits of nanoseconds";
	case FC_LITERAL:
		break;
	}
	return "nothing";
}

static bool
is_array_of(const struct dtype *t, size_t size)
{
	if (t->kind != DK_ARRAY || t->ref == NULL)
		return false;
	t = type_base(t->ref);
	return t->kind == DK_INT && t->size == size;
}

static bool
class_fits(enum fmtclass cls, const struct dtype *type)
{
	const struct dtype *t = type_base(type);

	switch (cls) {
	case FC_INT: case FC_UINT:
		return type_is_integer(t);
	case FC_CHAR: case FC_ECHAR: case FC_WCHAR:
		return type_is_integer(t) && t->size <= 4;
	case FC_FLOAT:
		return t->kind == DK_FLOAT;
	case FC_PTR:
		return type_is_scalar(t);
	case FC_KADDR: case FC_UADDR:
		return type_is_scalar(t) || t->kind == DK_DYN;
	case FC_STACK:
		return t->kind == DK_DYN;
	case FC_STR: case FC_ESTR:
		return type_is_string(t) || is_array_of(t, 1);
	case FC_WSTR:
		return is_array_of(t, 4);
	case FC_TIME: case FC_TIME822:
		return type_is_integer(t) && t->size == 8;
	case FC_LITERAL:
		break;
	}
	return true;
}

struct fcheck {
	const struct dtype *const *arg;
	size_t narg, next, nth;
	const char *func;
	int line;
	struct diag *dg;
};

static int
check_star(struct fcheck *k, const struct fmtconv *c, const char *what)
{
	const struct dtype *t;
	char buf[128];

	if (k->next >= k->narg)
		return diag_error(k->dg, D_PRINTF_DYN_PROTO, k->line,
		    "%s(): conversion %zu (%%%s) lacks an argument for its %s",
		    k->func, k->nth, c->conv, what);
	t = k->arg[k->next++];
	if (!type_is_integer(type_base(t)))
		return diag_error(k->dg, D_PRINTF_DYN_TYPE, k->line,
		    "%s(): argument %zu, the %s of conversion %zu (%%%s), "
		    "must be an integer and is of type %s", k->func,
		    k->next + 1, what, k->nth, c->conv,
		    type_name(t, buf, sizeof(buf)));
	return 0;
}

static int
check_agg(struct fcheck *k, const struct fmtconv *c, bool printa)
{
	if (!printa)
		return diag_error(k->dg, D_PRINTF_AGG_CONV, k->line,
		    "%s(): conversion %zu (%%@%s) is for printa() alone",
		    k->func, k->nth, c->conv);
	if (c->cls != FC_INT && c->cls != FC_UINT && c->cls != FC_PTR &&
	    c->cls != FC_CHAR && c->cls != FC_ECHAR)
		return diag_error(k->dg, D_PRINTF_ARG_TYPE, k->line,
		    "%s(): conversion %zu (%%@%s) does not fit the value of "
		    "an aggregation, an integer", k->func, k->nth, c->conv);
	return 0;
}

static int
check_conv(struct fcheck *k, const struct fmtconv *c, bool printa)
{
	const struct dtype *t;
	char buf[128];

	if (c->dynwidth && check_star(k, c, "width") == -1)
		return -1;
	if (c->dynprec && check_star(k, c, "precision") == -1)
		return -1;
	if (c->agg)
		return check_agg(k, c, printa);
	if (k->next >= k->narg)
		return diag_error(k->dg, D_PRINTF_ARG_PROTO, k->line,
		    "%s(): conversion %zu (%%%s) lacks an argument",
		    k->func, k->nth, c->conv);
	t = k->arg[k->next++];
	if (class_fits(c->cls, t))
		return 0;
	diag_error(k->dg, D_PRINTF_ARG_TYPE, k->line,
	    "%s(): argument %zu is of type %s, but conversion %zu (%%%s) "
	    "takes %s", k->func, k->next + 1, type_name(t, buf, sizeof(buf)),
	    k->nth, c->conv, class_takes(c->cls));
	t = type_base(t);
	if (c->cls == FC_STR && t->kind == DK_PTR)
		diag_hint(k->dg, "use stringof() or copyinstr() on a pointer");
	else if (c->cls == FC_UINT && t->kind == DK_PTR)
		diag_hint(k->dg, "use %%p for a pointer");
	return -1;
}

int
fmt_check(const struct fmt *f, const char *func, int line,
    const struct dtype *const *arg, size_t narg, bool printa, struct diag *dg)
{
	struct fcheck k = { .arg = arg, .narg = narg, .func = func,
	    .line = line, .dg = dg };
	size_t i;

	for (i = 0; i < f->nconv; i++) {
		if (f->conv[i].cls == FC_LITERAL)
			continue;
		k.nth++;
		if (check_conv(&k, &f->conv[i], printa) == -1)
			return -1;
	}
	if (!printa && k.next < narg)
		return diag_error(dg, D_PRINTF_ARG_EXTRA, line,
		    "%s(): the format takes only %zu argument%s, %zu given",
		    func, k.next, k.next == 1 ? "" : "s", narg);
	return 0;
}
