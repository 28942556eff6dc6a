/*
 * source.c - reading programs, running the preprocessor, telling errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdt/file.h"
#include "trace/ast.h"
#include "trace/cpp.h"
#include "trace/diag.h"
#include "trace/lex.h"
#include "trace/opt.h"
#include "trace/source.h"
#include "trace/trace.h"

enum { SOURCE_MAX = 16 << 20 };		/* bytes of a program */

int
source_label(struct source *s, struct msg *m)
{
	int rc;

	if (s->spec == PS_SCRIPT)
		rc = asprintf(&s->label, "script '%s'", s->arg);
	else
		rc = asprintf(&s->label, "description '%.*s'",
		    (int)lex_probes_len(s->arg), s->arg);
	if (rc != -1)
		return 0;
	s->label = NULL;
	return msg_set_nomem(m);
}

/* The text of a script file; "-" is standard input. */
static int
read_script(struct trace *t, const char *path, char **text, size_t *len,
    struct msg *m)
{
	int fd, rc;

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0)
		fd = dup(STDIN_FILENO);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return msg_set_errno(m, "open", NULL, "failed to open %s",
		    path);
	if (opt_flag(&t->opt, O_CPP))
		rc = cpp_run(t, fd, path, SOURCE_MAX, text, len, m);
	else
		rc = file_slurp_fd(fd, path, SOURCE_MAX, text, len, m);
	close(fd);
	return rc;
}

int
source_parse(struct trace *t, struct source *s, int nargs,
    char *const *args, struct diag *d, struct msg *m)
{
	const char *text = s->arg;
	char **argv, *buf = NULL;
	size_t len = strlen(text);
	int rc;

	if (s->spec == PS_SCRIPT) {
		if (read_script(t, s->arg, &buf, &len, m) == -1)
			return -1;
		text = buf;
	}
	argv = calloc((size_t)nargs + 2, sizeof(*argv));
	if (argv == NULL) {
		free(buf);
		return msg_set_nomem(m);
	}
	argv[0] = (char *)(s->spec == PS_SCRIPT ? s->arg : t->progname);
	for (int i = 0; i < nargs; i++)
		argv[i + 1] = args[i];
	s->clause = (uint32_t)t->unit->nclause;
	rc = parse_program(t, text, len, s->label, s->spec, nargs + 1, argv,
	    d);
	s->end = (uint32_t)t->unit->nclause;
	free(argv);
	free(buf);
	return rc;
}

size_t
source_nprobe(const struct trace *t, const struct source *s)
{
	size_t n = 0;

	for (struct clause *cl = t->unit->clause; cl != NULL; cl = cl->next)
		if (cl->seq >= s->clause && cl->seq < s->end)
			n += cl->nprobe;
	return n;
}

/* "script 'x.d'" is told as "failed to compile script x.d", a description as
 * "invalid probe specifier …". */
static void
tell_prefix(const struct trace *t, FILE *fp, const char *label)
{
	const char *quote = strchr(label, '\'');
	int len = quote == NULL ? 0 : (int)strlen(quote + 1) - 1;

	fprintf(fp, "%s: ", t->progname);
	if (quote == NULL || len < 0)
		fprintf(fp, "failed to compile %s: ", label);
	else if (label[0] == 's')
		fprintf(fp, "failed to compile script %.*s: ", len, quote + 1);
	else
		fprintf(fp, "invalid probe specifier %.*s: ", len, quote + 1);
}

void
source_tell(const struct trace *t, FILE *fp, const struct diag *d)
{
	bool tags = opt_flag(&t->opt, O_ERRTAGS);

	for (size_t i = 0; i < d->n; i++) {
		const struct diagmsg *dm = &d->msg[i];

		tell_prefix(t, fp, dm->source != NULL ? dm->source
		    : "the program");
		if (tags)
			fprintf(fp, "[%s] ", diag_tagname(dm->tag));
		if (dm->file != NULL)
			fprintf(fp, "%s: ", dm->file);
		if (dm->line > 0)
			fprintf(fp, "line %d: ", dm->line);
		fprintf(fp, "%s\n", dm->text);
		if (dm->hint != NULL)
			fprintf(fp, "%s: %s\n", t->progname, dm->hint);
	}
}
