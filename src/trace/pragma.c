/* pragma.c - control lines: #pragma, #line, #error, #ident. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/arena.h"
#include "trace/macro.h"
#include "trace/parse_impl.h"
#include "trace/trace.h"

/* A control line being read, word by word. */
struct ctl {
	struct parser *p;
	const char *s, *end;
	int line;
};

/* The next word, or string without its quotes; NULL at the line's end. */
static char *
word(struct ctl *c)
{
	const char *s;

	while (c->s < c->end && isspace((unsigned char)*c->s))
		c->s++;
	if (c->s == c->end)
		return NULL;
	s = c->s;
	if (*s == '"') {
		for (c->s = ++s; c->s < c->end && *c->s != '"'; c->s++)
			;
		if (c->s < c->end)
			return arena_strn(c->p->u->arena, s,
			    (size_t)(c->s++ - s));
		return arena_strn(c->p->u->arena, s, (size_t)(c->s - s));
	}
	while (c->s < c->end && !isspace((unsigned char)*c->s))
		c->s++;
	return arena_strn(c->p->u->arena, s, (size_t)(c->s - s));
}

static char *
rest(struct ctl *c)
{
	while (c->s < c->end && isspace((unsigned char)*c->s))
		c->s++;
	return arena_strn(c->p->u->arena, c->s, (size_t)(c->end - c->s));
}

static void
option(struct ctl *c)
{
	struct parser *p = c->p;
	char *opt = word(c), *value;
	struct msg m;

	if (opt == NULL || word(c) != NULL) {
		diag_error(p->d, D_PRAGMA_MALFORM, c->line, "#pragma D option "
		    "takes one argument: name or name=value");
		return;
	}
	if ((value = strchr(opt, '=')) != NULL)
		*value++ = '\0';
	if (opt_set(&p->t->opt, opt, value, &m) == 0) {
		if (strcmp(opt, "strsize") == 0)
			p->u->strmax = 0;	/* check.c takes it anew */
		if (strcmp(opt, "defaultargs") == 0)
			p->lx.macros->defaultargs =
			    opt_flag(&p->t->opt, O_DEFAULTARGS);
		return;
	}
	if (value != NULL)
		diag_error(p->d, D_PRAGMA_OPTSET, c->line,
		    "failed to set option '%s' to '%s': %s", opt, value,
		    m.text);
	else
		diag_error(p->d, D_PRAGMA_OPTSET, c->line,
		    "failed to set option '%s': %s", opt, m.text);
}

/* depends_on module|library|provider NAME: all there is, is built in. */
static void
depends_on(struct ctl *c)
{
	static const char *const have[] = {
		"dtrace", "profile", "syscall", "proc", "sched", "io", "pid",
		"sdt", "fbt", "usdt", "vmlinux", "kernel", "genunix", "unix",
		"procfs.d", "io.d", "sched.d", "signal.d", "errno.d",
		"types.d", "unistd.d", "regs.d", "proc.d", "profile.d",
	};
	char *kind = word(c), *name = word(c);

	if (kind == NULL || name == NULL || word(c) != NULL ||
	    (strcmp(kind, "module") != 0 && strcmp(kind, "library") != 0 &&
	    strcmp(kind, "provider") != 0)) {
		diag_error(c->p->d, D_PRAGMA_MALFORM, c->line, "#pragma D "
		    "depends_on takes module, library or provider and a name");
		return;
	}
	for (size_t i = 0; i < sizeof(have) / sizeof(*have); i++)
		if (strcmp(have[i], name) == 0)
			return;
	diag_error(c->p->d, D_PRAGMA_DEPEND, c->line,
	    "program requires %s %s, which is not there", kind, name);
}

/* attributes "Name/Data/Class" [kind] [provider] ident; binding "1.0" ident:
 * what they say of stability has no effect on what a program does. */
static void
stability(struct ctl *c, const char *name, int min, int max)
{
	int n = 0;

	while (word(c) != NULL)
		n++;
	if (n < min || n > max)
		diag_error(c->p->d, D_PRAGMA_MALFORM, c->line,
		    "malformed #pragma D %s", name);
}

static void
pragma(struct ctl *c)
{
	struct parser *p = c->p;
	char *w = word(c);
	bool d = w != NULL && strcmp(w, "D") == 0;

	if (d)
		w = word(c);
	if (w == NULL)
		diag_error(p->d, D_PRAGMA_MALFORM, c->line,
		    "#pragma without a name");
	else if (strcmp(w, "error") == 0)
		diag_error(p->d, D_PRAGERR, c->line, "#error: %s", rest(c));
	else if (strcmp(w, "ident") == 0)
		return;
	else if (strcmp(w, "line") == 0)
		diag_error(p->d, D_PRAGMA_INVAL, c->line,
		    "#pragma line: write #line");
	else if (d && strcmp(w, "option") == 0)
		option(c);
	else if (d && strcmp(w, "depends_on") == 0)
		depends_on(c);
	else if (d && strcmp(w, "attributes") == 0)
		stability(c, w, 2, 4);
	else if (d && strcmp(w, "binding") == 0)
		stability(c, w, 2, 2);
	else if (d)
		diag_error(p->d, D_PRAGMA_INVAL, c->line,
		    "invalid pragma: #pragma D %s", w);
	/* other compilers' pragmas are passed over */
}

/* # 12 "file" and #line 12 "file" */
static void
marker(struct ctl *c, const char *num)
{
	struct parser *p = c->p;
	char *file, *end;
	long n = num != NULL ? strtol(num, &end, 10) : 0;

	if (num == NULL || *end != '\0' || n < 0 || n > INT32_MAX) {
		diag_error(p->d, D_PRAGCTL_INVAL, c->line,
		    "invalid line control: a number is expected");
		return;
	}
	p->lx.line = (int)n;
	if ((file = word(c)) != NULL)
		p->d->file = strcmp(file, p->topfile) == 0 ? NULL : file;
}

void
pragma_line(void *parser, struct lexer *lx, const char *text, size_t len,
    int line)
{
	struct ctl c = { parser, text + 1, text + len, line };
	char *w = word(&c);

	(void)lx;
	if (w == NULL)
		return;
	if (strcmp(w, "pragma") == 0)
		pragma(&c);
	else if (strcmp(w, "line") == 0)
		marker(&c, word(&c));
	else if (isdigit((unsigned char)*w))
		marker(&c, w);
	else if (strcmp(w, "error") == 0)
		diag_error(c.p->d, D_PRAGERR, line, "#error: %s", rest(&c));
	else if (strcmp(w, "ident") != 0)
		diag_error(c.p->d, D_PRAGCTL_INVAL, line,
		    "invalid control directive: #%s", w);
	if (strcmp(w, "include") == 0 || strcmp(w, "define") == 0 ||
	    strncmp(w, "if", 2) == 0)
		diag_hint(c.p->d, "-C runs the C preprocessor");
}
