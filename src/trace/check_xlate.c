/* check_xlate.c - translators. */
#include "check_impl.h"
#include "parse_impl.h"

struct node *
check_xlate(struct checker *c, struct node *n)
{
	struct tnames t;

	if ((n->a = check_read(c, n->a)) == NULL)
		return NULL;
	check_names(&t, n->a, n);
	diag_error(c->d, D_XLATE_NONE, n->line,
	    "cannot translate from \"%s\" to \"%s\"", t.a, t.b);
	return NULL;
}

void
check_member_hint(struct checker *c, const struct dtype *t, const char *name)
{
	(void)c;
	(void)t;
	(void)name;
}

int
parse_translator(struct parser *p)
{
	return diag_error(p->d, D_UNSUP, lex_peek(&p->lx, 0)->line,
	    "translators cannot be declared in a program");
}

int
parse_provider(struct parser *p)
{
	return diag_error(p->d, D_UNSUP, lex_peek(&p->lx, 0)->line,
	    "providers cannot be declared in a program");
}
