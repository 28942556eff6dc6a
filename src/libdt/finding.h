/*
 * The table of findings (finding.def): ids, levels, classes, explanations.
 *
 * Ownership: everything is constant.
 */
#ifndef LIBDT_FINDING_H
#define LIBDT_FINDING_H

#include <stddef.h>

#include "libdt/msg.h"
#include "libdt/out.h"

/* error: the contract is broken; loss: sound, but something was lost */
enum finding_class {
#define X(sym, name, title)	FINDING_CLASS_##sym,
#include "libdt/findclass.def"
#undef X
	FINDING_CLASSES
};

enum finding {
#define X(sym, id, level, class, what, why)	FINDING_##sym,
#include "libdt/finding.def"
#undef X
	FINDING_COUNT
};

struct finding_def {
	const char *id;
	enum msg_level level;
	enum finding_class class;
	const char *what;	/* one line, no full stop */
	const char *why;	/* cause and remedy, sentences */
};

extern const struct finding_def finding_table[FINDING_COUNT];

/* FINDING_COUNT if there is none of that id. */
enum finding finding_by_id(const char *id);

/* "layout", and the title of its list in the manual */
const char *finding_class_name(enum finding_class c);
const char *finding_class_title(enum finding_class c);

/* For `dt-validate --explain`: id, level, what and why, wrapped. 0 or -1. */
int finding_explain(struct out *o, enum finding f);

/* The list of all findings for the manual, in mdoc(7). 0 or -1. */
int finding_mdoc(struct out *o);

#endif
