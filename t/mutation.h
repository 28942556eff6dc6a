/*
 * What the parts of the mutation test share: mutation.c (which mutants there
 * are, and whether anything tells), mutation-json.c, mutation-record.c and
 * mutation-file.c (what is changed), survivors.c (those that are known).
 *
 * Ownership: text that is returned is the caller's; failures end the program.
 */
#ifndef T_MUTATION_H
#define T_MUTATION_H

#include "edit.h"
#include "survivors.h"

struct mutation {
	int cwd;		/* the bundle's directory */
	const char *only;	/* the file that is changed, NULL: all */
	bool derived;		/* it is the report or the verdict */
	struct survivors known;
	unsigned long mutants, survivors, fresh;
};

bool mutation_wants(const struct mutation *m, const char *file);
/* The mutant of that name is in place: does anything tell? */
void mutation_try(struct mutation *m, const char *name);
/* Another text of the same form. */
char *mutation_text(const char *s);
char *mutation_join(const char *a, const char *b);

/* In this order: a file's mutants are made by all of them up to one. */
enum mutate_op {
	MUTATE_CHANGE, MUTATE_BIG, MUTATE_NIL, MUTATE_DROP, MUTATE_TWICE,
	MUTATE_SWAP, MUTATE_OPS
};
void mutate_json(struct mutation *m, const char *file, enum mutate_op last);
void mutate_records(struct mutation *m, const char *file);
void mutate_files(struct mutation *m);

#endif
