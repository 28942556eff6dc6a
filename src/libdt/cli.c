/* Command lines: usage, options, sizes and durations, exit codes, progress. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/cli.h"
#include "libdt/clock.h"
#include "libdt/out.h"

#define USAGE_COLUMNS	79
#define PROGRESS_FIRST	NS_PER_S
#define PROGRESS_STEP	(NS_PER_S / 10)

static int
rank(enum dt_exit e)
{
	switch (e) {
	case DT_OK:
		return 0;
	case DT_SKIP:
		return 1;
	case DT_NO:
		return 2;
	case DT_CANNOT:
		break;
	}
	return 3;
}

enum dt_exit
cli_worst(enum dt_exit a, enum dt_exit b)
{
	return rank(a) >= rank(b) ? a : b;
}

/* Length of the next word of a synopsis: blanks within [] do not end it. */
static size_t
usage_word(const char *p)
{
	int depth = 0;
	size_t n;

	for (n = 0; p[n] != '\0' && p[n] != '\n'; n++) {
		if (p[n] == ' ' && depth == 0)
			break;
		depth += (p[n] == '[' || p[n] == '{') -
		    (p[n] == ']' || p[n] == '}');
	}
	return n;
}

static void
usage(const struct cli *c, FILE *fp)
{
	const char *p = c->synopsis;
	size_t indent = strlen("usage: ") + strlen(c->prog), at, n;

	fprintf(fp, "usage: %s", c->prog);
	for (at = indent; *p != '\0'; p += n) {
		if (*p == '\n') {
			fprintf(fp, "\n       %s", c->prog);
			at = indent;
		}
		p += strspn(p, " \n");
		n = usage_word(p);
		if (at > indent && at + 1 + n > USAGE_COLUMNS) {
			fprintf(fp, "\n%*s", (int)indent, "");
			at = indent;
		}
		fprintf(fp, " %.*s", (int)n, p);
		at += 1 + n;
	}
	fputc('\n', fp);
}

enum dt_exit
cli_usage_error(const struct cli *c, FILE *err, const char *fmt, ...)
{
	va_list ap;

	fprintf(err, "%s: ", c->prog);
	va_start(ap, fmt);
	vfprintf(err, fmt, ap);
	va_end(ap);
	putc('\n', err);
	usage(c, err);
	return DT_CANNOT;
}

/* The option getopt_long() stopped at, as the user wrote it. */
static enum dt_exit
bad_option(const struct cli *c, int opt, char *const *argv, FILE *err)
{
	const char *what = opt == ':' ? "option needs an argument" :
	    "unknown option";

	/* A long option has no letter, or the value of its table's entry. */
	if (optopt > 0 && optopt < 0x100 &&
	    strncmp(argv[optind - 1], "--", 2) != 0)
		return cli_usage_error(c, err, "%s: -%c", what, optopt);
	return cli_usage_error(c, err, "%s: %s", what, argv[optind - 1]);
}

enum dt_exit
cli_option(const struct cli *c, int opt, char *const *argv, FILE *err)
{
	if (opt == 'h') {
		usage(c, stdout);
		if (c->help != NULL)
			fputs(c->help, stdout);
		return cli_finish(c, err, DT_OK);
	}
	if (opt == CLI_OPT_VERSION) {
		printf("%s (%s) %s\n", c->prog, PACKAGE_NAME, PACKAGE_VERSION);
		return cli_finish(c, err, DT_OK);
	}
	return bad_option(c, opt, argv, err);
}

/* What fn said of an option's argument, after the option's name. */
static enum dt_exit
bad_value(const struct cli *c, int opt, const struct msg *m)
{
	const struct option *w = c->words;

	if (opt > 0 && opt < 0x100)
		return cli_usage_error(c, stderr, "-%c: %s", opt, m->text);
	while (w->name != NULL && w->val != opt)
		w++;
	return cli_usage_error(c, stderr, "--%s: %s",
	    w->name != NULL ? w->name : "?", m->text);
}

bool
cli_start(const struct cli *c, int argc, char **argv, cli_option_fn *fn,
    void *arg, enum dt_exit *status)
{
	struct msg m;
	int opt, rc;

	if (out_init(&m) == -1) {
		cli_msg(c, stderr, &m);
		*status = DT_CANNOT;
		return false;
	}
	while ((opt = getopt_long(argc, argv, c->letters, c->words, NULL)) !=
	    -1) {
		msg_clear(&m);
		rc = fn(arg, opt, optarg, &m);
		if (rc == 0)
			continue;
		*status = rc == 1 ? cli_option(c, opt, argv, stderr) :
		    bad_value(c, opt, &m);
		return false;
	}
	return true;
}

void
cli_msg(const struct cli *c, FILE *err, const struct msg *m)
{
	msg_print(err, c->prog, m);
}

enum dt_exit
cli_finish(const struct cli *c, FILE *err, enum dt_exit status)
{
	struct msg m;
	struct out o;

	out_stdout(&o);
	if (ferror(stdout))
		o.err = EIO;
	if (out_flush(&o, &m) == 0 && out_close(&o, &m) == 0)
		return status;
	cli_msg(c, err, &m);
	return cli_worst(status, DT_CANNOT);
}

/* Digits at the start of arg; *end is what follows. */
static int
whole(const char *arg, uint64_t *v, char **end)
{
	if (arg[0] < '0' || arg[0] > '9')
		return -1;
	errno = 0;
	*v = strtoull(arg, end, 10);
	return errno == 0 ? 0 : -1;
}

int
cli_u64(const char *arg, uint64_t min, uint64_t max, uint64_t *v,
    struct msg *m)
{
	uint64_t n;
	char *end;

	if (whole(arg, &n, &end) == -1 || *end != '\0')
		return msg_set(m, "usage", "\"%s\" is no whole number", arg);
	if (n < min || n > max)
		return msg_set(m, "usage", "\"%s\" is not from %ju to %ju",
		    arg, (uintmax_t)min, (uintmax_t)max);
	*v = n;
	return 0;
}

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit size_units[] = {
	{ "", 1 },
	{ "k", 1u << 10 }, { "K", 1u << 10 },
	{ "m", 1u << 20 }, { "M", 1u << 20 },
	{ "g", 1u << 30 }, { "G", 1u << 30 },
	{ NULL, 0 },
};

static const struct unit time_units[] = {
	{ "", NS_PER_S },
	{ "ms", NS_PER_S / 1000 },
	{ "s", NS_PER_S },
	{ "m", 60 * NS_PER_S },
	{ "h", 3600 * NS_PER_S },
	{ NULL, 0 },
};

static int
with_unit(const char *arg, const struct unit *units, const char *what,
    uint64_t *v, struct msg *m)
{
	uint64_t n;
	char *end;

	if (whole(arg, &n, &end) == -1)
		return msg_set(m, "usage", "\"%s\" is no %s", arg, what);
	for (; units->name != NULL; units++)
		if (strcmp(end, units->name) == 0)
			break;
	if (units->name == NULL || n > UINT64_MAX / units->factor)
		return msg_set(m, "usage", "\"%s\" is no %s", arg, what);
	*v = n * units->factor;
	return 0;
}

int
cli_size(const char *arg, uint64_t *bytes, struct msg *m)
{
	return with_unit(arg, size_units, "size", bytes, m);
}

int
cli_duration(const char *arg, uint64_t *ns, struct msg *m)
{
	return with_unit(arg, time_units, "duration", ns, m);
}

void
progress_start(struct progress *p, const struct cli *c, FILE *fp)
{
	memset(p, 0, sizeof(*p));
	p->fp = fp;
	p->prog = c->prog;
	p->start = clock_now();
	p->on = isatty(fileno(fp));
}

void
progress_tell(struct progress *p, const char *fmt, ...)
{
	uint64_t now;
	va_list ap;

	if (!p->on)
		return;
	now = clock_now();
	if (now - p->start < PROGRESS_FIRST ||
	    (p->shown && now - p->last < PROGRESS_STEP))
		return;
	p->last = now;
	p->shown = true;
	fprintf(p->fp, "\r%s: ", p->prog);
	va_start(ap, fmt);
	vfprintf(p->fp, fmt, ap);
	va_end(ap);
	fputs("\033[K", p->fp);
	(void)fflush(p->fp);
}

void
progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", p->fp);
	p->shown = false;
}
