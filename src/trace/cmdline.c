/*
 * cmdline.c - the options of dtrace(1), and ours.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/cmdline.h"
#include "trace/opt.h"
#include "trace/source.h"
#include "trace/trace.h"

enum { OPT_STATS = 0x2000 };

const struct cli cmdline_cli = {
	.prog = "dt-trace",
	.synopsis =
	    "[-CeFHlqSVvwZ] [-b size] [-c command] [-D name[=value]] "
	    "[-I dir] [-o file] [-p pid] [-U name] [-x option[=value]] "
	    "[--stats file] [-P provider] [-m module] [-f function] "
	    "[-n name] [-i id] [-s script] [argument ...]",
	.help =
	    "  -P -m -f -n -i   provider, module, function, name or id of "
	    "probes, and\n"
	    "                   perhaps /predicate/ {action}\n"
	    "  -s script        a file with a program, - for standard input\n"
	    "  -b size          buffer of records\n"
	    "  -C               run cpp on scripts (-D -U -I -H for it)\n"
	    "  -c command       run it; trace until it ends\n"
	    "  -e               compile only\n"
	    "  -F               indent by entry and return\n"
	    "  -h, --help       this help\n"
	    "  -l               list probes, with -v their arguments\n"
	    "  -o file          append output to it\n"
	    "  -p pid           trace until this process ends\n"
	    "  -q               print only what the program prints\n"
	    "  -S               print what the compiler's passes make\n"
	    "  -V               version of the language\n"
	    "  -w               allow destructive actions\n"
	    "  -x option        set an option, as #pragma D option does\n"
	    "  -Z               descriptions may match nothing\n"
	    "      --stats FILE what was traced, lost and spent, as JSON\n"
	    "      --version    name and version\n",
};

static const struct option longopts[] = {
	{ "stats", required_argument, NULL, OPT_STATS },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

static int
add_source(struct cmdline *c, enum pspec spec, const char *arg, struct msg *m)
{
	struct source *s = reallocarray(c->src, c->nsrc + 1, sizeof(*s));

	if (s == NULL)
		return msg_set_nomem(m);
	c->src = s;
	s = &c->src[c->nsrc++];
	*s = (struct source){ .spec = spec, .arg = arg };
	return source_label(s, m);
}

static int
add_text(const char ***list, size_t *n, const char *text, struct msg *m)
{
	const char **p = reallocarray(*list, *n + 1, sizeof(*p));

	if (p == NULL)
		return msg_set_nomem(m);
	*list = p;
	p[(*n)++] = text;
	return 0;
}

/* name[=value] of -x */
static int
set_option(struct trace *t, char *arg, struct msg *m)
{
	char *value = strchr(arg, '=');
	struct msg why;

	if (value != NULL)
		*value++ = '\0';
	msg_clear(&why);
	if (opt_set(&t->opt, arg, value, &why) == 0)
		return 0;
	return msg_set(m, "usage", "failed to set -x %s: %s", arg, why.text);
}

/* An option that is one of -x by another name. */
static int
set_alias(struct trace *t, int ch, const char *name, const char *arg,
    struct msg *m)
{
	struct msg why;

	msg_clear(&why);
	if (opt_set(&t->opt, name, arg, &why) == 0)
		return 0;
	return msg_set(m, "usage", "failed to set -%c%s%s: %s", ch,
	    arg != NULL ? " " : "", arg != NULL ? arg : "", why.text);
}

/* Options that are an engine option by another name. */
static const struct {
	int c;
	const char *name;		/* of -x */
	bool arg;
} alias_table[] = {
	{ 'b', "bufsize", true },
	{ 'C', "cpp", false },
	{ 'D', "define", true },
	{ 'F', "flowindent", false },
	{ 'H', "cpphdrs", false },
	{ 'I', "incdir", true },
	{ 'q', "quiet", false },
	{ 'U', "undef", true },
	{ 'v', "verbose", false },
	{ 'w', "destructive", false },
	{ 'Z', "zdefs", false },
};

/* Options that name a program. */
static const struct { int c; enum pspec spec; } spec_table[] = {
	{ 'P', PS_PROV }, { 'm', PS_MOD }, { 'f', PS_FUNC }, { 'n', PS_NAME },
	{ 'i', PS_ID }, { 's', PS_SCRIPT },
};

/* 1: not one of the tables'. */
static int
take_table(struct cmdline *c, struct trace *t, int ch, struct msg *m)
{
	for (size_t i = 0; i < sizeof(spec_table) / sizeof(*spec_table); i++)
		if (spec_table[i].c == ch)
			return add_source(c, spec_table[i].spec, optarg, m);
	for (size_t i = 0; i < sizeof(alias_table) / sizeof(*alias_table);
	    i++)
		if (alias_table[i].c == ch)
			return set_alias(t, ch, alias_table[i].name,
			    alias_table[i].arg ? optarg : NULL, m);
	return 1;
}

/* 1: the command line is at fault, and it has been said. */
static int
take_option(struct cmdline *c, struct trace *t, int ch, char **argv,
    enum dt_exit *status, struct msg *m)
{
	switch (ch) {
	case 'c':
		return add_text(&c->command, &c->ncommand, optarg, m);
	case 'e':
		c->compile = true;
		return 0;
	case 'l':
		c->list = true;
		return 0;
	case 'o':
		c->out = optarg;
		return 0;
	case 'p':
		return add_text(&c->pid, &c->npid, optarg, m);
	case 'S':
		c->dump = true;
		return 0;
	case 'V':
		c->version = true;
		return 0;
	case 'x':
		return set_option(t, optarg, m);
	case OPT_STATS:
		c->stats = optarg;
		return 0;
	case 'A': case 'a': case 'G': case 'X':
		*status = cli_usage_error(&cmdline_cli, stderr,
		    "-%c is not supported on this system", ch);
		return 1;
	default:
		*status = cli_option(&cmdline_cli, ch, argv, stderr);
		return 1;
	}
}

int
cmdline_take(struct cmdline *c, struct trace *t, int argc, char **argv,
    enum dt_exit *status, struct msg *m)
{
	int ch, rc;

	while ((ch = getopt_long(argc, argv, ":AaGX:b:c:CD:eFf:hHI:i:lm:n:o:p:"
	    "P:qs:SU:vVwx:Z", longopts, NULL)) != -1) {
		msg_clear(m);
		rc = take_table(c, t, ch, m);
		if (rc == 1)
			rc = take_option(c, t, ch, argv, status, m);
		if (rc != 0)
			return rc;
	}
	c->args = argv + optind;
	c->nargs = argc - optind;
	if (c->nsrc == 0 && !c->list && !c->version) {
		*status = cli_usage_error(&cmdline_cli, stderr,
		    "no probes specified");
		return 1;
	}
	return 0;
}

void
cmdline_free(struct cmdline *c)
{
	for (size_t i = 0; i < c->nsrc; i++)
		free(c->src[i].label);
	free(c->src);
	free(c->command);
	free(c->pid);
}
