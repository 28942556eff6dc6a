/*
 * conaction.c - actions that are carried out by the consumer when it meets
 * their record. Source: the actions chapter of the DTrace guide.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/msg.h"
#include "trace/agg.h"
#include "trace/opt.h"
#include "trace/print_fmt.h"
#include "trace/printer.h"
#include "trace/prog.h"
#include "trace/trace.h"
#include "trace/value.h"

/* The n-th argument as a number, dflt where it is missing. */
static int64_t
arg_num(const struct action *a, const uint8_t *rec, size_t n, int64_t dflt)
{
	return n < a->ndatum ? value_int(rec + a->datum[n].off,
	    a->datum[n].size) : dflt;
}

/* A copy of the n-th argument, a string; NULL: there is none, or no memory. */
static char *
arg_str(const struct trace *t, const struct action *a, const uint8_t *rec,
    size_t n)
{
	const char *s;
	size_t len;

	if (n >= a->ndatum)
		return NULL;
	s = value_str(t, &a->datum[n], rec, &len);
	return strndup(s, len);
}

/* The text a format gives, to be freed; NULL: no memory. */
static char *
formatted(struct trace *t, const struct action *a, const uint8_t *rec)
{
	struct fmtin in = { .arg = a->datum, .narg = a->ndatum, .base = rec };
	char *text = NULL;
	size_t size = 0;
	FILE *fp = open_memstream(&text, &size);
	int r;

	if (fp == NULL)
		return NULL;
	r = print_fmt(t, fp, a->fmt, &in);
	if (fclose(fp) == EOF || r == -1) {
		free(text);
		return NULL;
	}
	return text;
}

static int
run_setopt(struct trace *t, const struct action *a, const uint8_t *rec,
    struct msg *m)
{
	char *name = arg_str(t, a, rec, 0);
	char *value = arg_str(t, a, rec, 1);
	int r;

	if (name == NULL || (a->ndatum > 1 && value == NULL))
		r = msg_set_nomem(m);
	else
		r = opt_set(&t->opt, name, value, m);
	free(name);
	free(value);
	return r;
}

static int
run_system(struct trace *t, const struct action *a, const uint8_t *rec,
    struct msg *m)
{
	char *cmd = formatted(t, a, rec);
	int r = 0;

	if (cmd == NULL)
		return msg_set_nomem(m);
	if (fflush(t->out) == EOF)
		r = msg_set_errno(m, "write", NULL, "cannot write");
	else if (system(cmd) == -1)
		r = msg_set_errno(m, "system", NULL, "line %d: system(): %s",
		    a->line, cmd);
	free(cmd);
	return r;
}

int
conaction_restore(struct trace *t, struct msg *m)
{
	FILE *fp = t->out;

	if (t->print->first == NULL)
		return 0;
	t->out = t->print->first;
	t->print->first = NULL;
	return fclose(fp) == EOF ? msg_set_errno(m, "write",
	    "output of freopen()", "cannot write") : 0;
}

/* An empty name goes back to the first output. */
static int
run_freopen(struct trace *t, const struct action *a, const uint8_t *rec,
    struct msg *m)
{
	char *name = formatted(t, a, rec);
	FILE *fp;
	int r = 0;

	if (name == NULL)
		return msg_set_nomem(m);
	if (fflush(t->out) == EOF)
		r = msg_set_errno(m, "write", NULL, "cannot write");
	else if (*name == '\0')
		r = conaction_restore(t, m);
	else if ((fp = fopen(name, "ae")) == NULL)
		r = msg_set_errno(m, "freopen", name, "line %d: freopen()",
		    a->line);
	else if ((r = conaction_restore(t, m)) == 0) {
		t->print->first = t->out;
		t->out = fp;
	} else
		fclose(fp);
	free(name);
	return r;
}

static int
run_ftruncate(struct trace *t, const struct action *a, struct msg *m)
{
	if (fflush(t->out) == EOF)
		return msg_set_errno(m, "write", NULL, "cannot write");
	rewind(t->out);
	if (ftruncate(fileno(t->out), 0) == -1 && errno != EINVAL)
		return msg_set_errno(m, "ftruncate", NULL,
		    "line %d: ftruncate()", a->line);
	return 0;
}

int
conaction_run(struct trace *t, const struct action *a, const uint8_t *rec,
    struct msg *m)
{
	switch (a->act) {
	case ACT_CLEAR:
		return agg_clear(t, a->agg[0], m);
	case ACT_TRUNC:
		return agg_trunc(t, a->agg[0], arg_num(a, rec, 0, 0), m);
	case ACT_NORMALIZE:
		return agg_normalize(t, a->agg[0],
		    (uint64_t)arg_num(a, rec, 0, 1), m);
	case ACT_DENORMALIZE:
		return agg_normalize(t, a->agg[0], 1, m);
	case ACT_SETOPT:
		return run_setopt(t, a, rec, m);
	case ACT_SYSTEM:
		return run_system(t, a, rec, m);
	case ACT_FREOPEN:
		return run_freopen(t, a, rec, m);
	case ACT_FTRUNCATE:
		return run_ftruncate(t, a, m);
	default:
		return 0;
	}
}
