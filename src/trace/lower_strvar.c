/*
 * lower_strvar.c - the built-in variables that are strings.
 */
#include <string.h>

#include "trace/lower_impl.h"

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
	return ir_load(l->g, low_byprobe(l, l->strtab[which], 4), 0, 4);
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
		return low_literal(l, text, strlen(text));
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
			return low_literal(l, "", 0);
		}
		for (k = 0; k < l->p->nprobe; k++) {
			text = field(l->p->probe[k], id);
			memcpy(tab + k * s.room, text, strnlen(text, most));
		}
		l->nametab[id - B_PROBEFUNC] = ro_add(l, tab,
		    l->p->nprobe * s.room);
	}
	s.r = low_byprobe(l, l->nametab[id - B_PROBEFUNC], s.room);
	return s;
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
		s = low_literal(l, "", 0);
		(void)low_unsupported(l, n);
		return s;
	}
}
