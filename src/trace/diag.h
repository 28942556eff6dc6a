/*
 * diag.h - compile-time errors of D programs.
 *
 * struct diag is the caller's; it keeps the messages, in order, and owns their
 * text until diag_free.  A pass goes on after an error where that makes sense,
 * so that one run reports several.
 */
#ifndef TRACE_DIAG_H
#define TRACE_DIAG_H

#include <stddef.h>

/* DTrace's tags (D_SYNTAX, D_IDENT_UNDEF …), from errtag.def:
 * X(D_SYNTAX, "…one line of explanation…") */
enum errtag {
#define X(tag, text) tag,
#include "trace/errtag.def"
#undef X
	D_NTAGS
};

struct diagmsg {
	enum errtag tag;
	int line;
	char *text, *hint;		/* hint: NULL or "did you mean …" */
	const char *source;		/* of the diag when it was recorded */
	const char *file;		/* after a #line marker, else NULL */
};

struct diag {
	const char *source;		/* "script x.d", "description …"; */
	const char *file;		/* both outlive the messages */
	struct diagmsg *msg;
	size_t n, max;			/* max: stop recording after so many */
	size_t total;			/* errors, recorded or not */
};

/* Records an error at a line (0: unknown); always returns -1. */
int	diag_error(struct diag *, enum errtag, int line, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));
/* A hint ("did you mean …?") for the latest message. */
void	diag_hint(struct diag *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));
const char *diag_tagname(enum errtag);
void	diag_free(struct diag *);

#endif
