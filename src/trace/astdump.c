/* astdump.c - the -S dump of the syntax tree. */
#include <inttypes.h>

#include "trace/astdump.h"
#include "trace/func.h"

static const char *const kindname[] = {
	[N_INT] = "int", [N_STR] = "str", [N_VAR] = "var",
	[N_INDEX] = "index", [N_ARRAYREF] = "array", [N_MEMBER] = "member",
	[N_UNARY] = "unary", [N_BINARY] = "binary", [N_ASSIGN] = "assign",
	[N_INCDEC] = "incdec", [N_COND] = "cond", [N_COMMA] = "comma",
	[N_CAST] = "cast", [N_SIZEOF] = "sizeof", [N_OFFSETOF] = "offsetof",
	[N_STRINGOF] = "stringof", [N_CALL] = "call", [N_AGG] = "agg",
	[N_AGGASSIGN] = "aggassign", [N_XLATE] = "xlate", [N_TYPE] = "type",
	[N_ARGS] = "args", [N_DONE] = "done",
};

static const char *const opname[] = {
	[OP_NONE] = "=", [OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*",
	[OP_DIV] = "/", [OP_MOD] = "%", [OP_AND] = "&", [OP_OR] = "|",
	[OP_XOR] = "^", [OP_SHL] = "<<", [OP_SHR] = ">>", [OP_LAND] = "&&",
	[OP_LOR] = "||", [OP_LXOR] = "^^", [OP_EQ] = "==", [OP_NE] = "!=",
	[OP_LT] = "<", [OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">=",
	[OP_NEG] = "neg", [OP_PLUS] = "plus", [OP_NOT] = "~",
	[OP_LNOT] = "!", [OP_DEREF] = "deref", [OP_ADDR] = "addr",
};

static const char *
scope(const struct ident *id)
{
	return id->kind == ID_AGG ? "@" : id->scope == SC_SELF ? "self->" :
	    id->scope == SC_THIS ? "this->" : "";
}

static void
text(FILE *fp, const char *s, size_t len)
{
	fputc('"', fp);
	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)s[i];

		if (ch == '"' || ch == '\\')
			fprintf(fp, "\\%c", ch);
		else if (ch < 0x20 || ch > 0x7e)
			fprintf(fp, "\\x%02x", ch);
		else
			fputc(ch, fp);
	}
	fputc('"', fp);
}

/* What follows the kind: operator, name, value. */
static void
detail(FILE *fp, const struct node *n)
{
	switch (n->kind) {
	case N_INT:
		fprintf(fp, " %" PRId64, n->ival);
		break;
	case N_STR:
		fputc(' ', fp);
		if (n->str == NULL)
			fputs("NULL", fp);
		else
			text(fp, n->str, n->slen);
		break;
	case N_UNARY: case N_BINARY: case N_ASSIGN:
		fprintf(fp, " %s%s", opname[n->op],
		    n->kind == N_ASSIGN && n->op != OP_NONE ? "=" : "");
		break;
	case N_INCDEC:
		fprintf(fp, " %s %s", n->op == OP_ADD ? "++" : "--",
		    n->post ? "post" : "pre");
		break;
	case N_MEMBER:
		fprintf(fp, " %s%s bit %" PRIu64, n->arrow ? "->" : ".",
		    n->str, n->mem_bit);
		if (n->mem_bits != 0)
			fprintf(fp, ":%u", n->mem_bits);
		break;
	case N_CALL:
		fprintf(fp, " %s", n->func != NULL ? n->func->name : n->str);
		break;
	case N_ARGS:
		fprintf(fp, " %" PRId64, n->ival);
		break;
	default:
		if (n->id != NULL)
			fprintf(fp, " %s%s", scope(n->id), n->id->name);
		else if (n->str != NULL)
			fprintf(fp, " %s", n->str);
		break;
	}
}

static void
node(FILE *fp, const struct node *n, int depth)
{
	char buf[160];

	if (n == NULL)
		return;
	fprintf(fp, "%*s%s", depth * 2, "", kindname[n->kind]);
	detail(fp, n);
	if (n->type != NULL)
		fprintf(fp, " : %s", type_name(n->type, buf, sizeof(buf)));
	if (n->maxlen != 0)
		fprintf(fp, " max %u", n->maxlen);
	fputc('\n', fp);
	node(fp, n->a, depth + 1);
	node(fp, n->b, depth + 1);
	node(fp, n->c, depth + 1);
	for (const struct node *e = n->list; e != NULL; e = e->next)
		node(fp, e, depth + 1);
}

static void
statements(FILE *fp, const struct stmt *s, int depth)
{
	for (; s != NULL; s = s->next) {
		if (!s->isif) {
			node(fp, s->expr, depth);
			continue;
		}
		fprintf(fp, "%*sif\n", depth * 2, "");
		node(fp, s->expr, depth + 1);
		fprintf(fp, "%*sthen\n", depth * 2, "");
		statements(fp, s->then, depth + 1);
		if (s->other != NULL)
			fprintf(fp, "%*selse\n", depth * 2, "");
		statements(fp, s->other, depth + 1);
	}
}

static void
identifier(FILE *fp, const struct ident *id)
{
	static const char *const kind[] = {
		"scalar", "assoc", "agg", "builtin", "func", "inline", "enum",
	};
	char buf[160];

	fprintf(fp, "ident %s%s %s %u", scope(id), id->name, kind[id->kind],
	    id->seq);
	if (id->kind == ID_AGG && id->func != NULL)
		fprintf(fp, " : %s", id->func->name);
	else if (id->type != NULL)
		fprintf(fp, " : %s", type_name(id->type, buf, sizeof(buf)));
	for (size_t i = 0; i < id->nkey; i++) {
		fprintf(fp, "%s%s", i == 0 ? " [" : ", ",
		    type_name(id->key[i], buf, sizeof(buf)));
		if (id->keylen != NULL && id->keylen[i] != 0)
			fprintf(fp, " max %u", id->keylen[i]);
	}
	fprintf(fp, "%s%s%s%s\n", id->nkey > 0 ? "]" : "",
	    id->nullable ? " nullable" : "", id->read ? " read" : "",
	    id->written ? " written" : "");
}

static void
clause(FILE *fp, const struct clause *cl)
{
	fprintf(fp, "clause %u line %d:", cl->seq, cl->line);
	for (const struct pdesc *d = cl->pdesc; d != NULL; d = d->next)
		if (d->id != 0)
			fprintf(fp, " id %u", d->id);
		else
			fprintf(fp, " %s:%s:%s:%s", d->prov, d->mod, d->func,
			    d->name);
	fprintf(fp, "%s%s%s\n", cl->nobody ? " nobody" : "",
	    cl->speculates ? " speculates" : "",
	    cl->commits ? " commits" : "");
	if (cl->pred != NULL) {
		fputs("  predicate\n", fp);
		node(fp, cl->pred, 2);
	}
	statements(fp, cl->body, 1);
}

void
ast_dump(FILE *fp, const struct unit *u)
{
	for (const struct ident *id = u->ident; id != NULL; id = id->next)
		identifier(fp, id);
	for (const struct clause *cl = u->clause; cl != NULL; cl = cl->next)
		clause(fp, cl);
}
