/*
 * mutation: changes, drops, doubles, cuts and reorders every JSON member,
 * header, column and file of the bundle that is the working directory, one at
 * a time. What follows from the rest is as if made again: the sums, the
 * settings' hash, the report and the verdict, so that only the meaning is
 * wrong and somebody who knew all of it could have done so.
 *
 *	mutation SURVIVORS [FILE]
 *
 * With FILE only mutants of that file are made. A mutant that still
 * validates must be in SURVIVORS: lines `PATTERN  reason`,
 * PATTERN as fnmatch(3) takes it, of names as this program prints them:
 * `FILE:place/of/member:operation`. Prints the new ones, and patterns that no
 * mutant needs any more; exit status 1 if there are any.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "libdt/schema.h"
#include "mutation.h"

static bool
complete(const struct mutation *mut, const char *name)
{
	struct validate_opt opt = { .threads = 1, .staged = !mut->derived };
	struct validate_result r;
	enum verdict v;
	struct msg m;

	if (mut->derived)
		edit_seal(mut->cwd);
	if (validate_bundle(mut->cwd, "bundle", &opt, &r, &m) == -1)
		edit_die("%s: %s: %s", name, m.path, m.text);
	v = r.verdict;
	validate_free(&r);
	return v == VERDICT_COMPLETE;
}

void
mutation_try(struct mutation *m, const char *name)
{
	m->mutants++;
	if (!complete(m, name))
		return;
	m->survivors++;
	if (survivors_have(&m->known, name))
		return;
	printf("new survivor: %s\n", name);
	m->fresh++;
}

bool
mutation_wants(const struct mutation *m, const char *file)
{
	return m->only == NULL || strcmp(m->only, file) == 0;
}

char *
mutation_join(const char *a, const char *b)
{
	char *s;

	if (asprintf(&s, "%s%s", a, b) < 0)
		edit_die("out of memory");
	return s;
}

static void
all(struct mutation *m)
{
	static const char *const json[] = { "manifest.json", "cohort.json",
		"settings.json", "capabilities.json", "collectors.json" };
	char path[64];
	size_t i;

	m->derived = true;
	if (!complete(m, "bundle"))
		edit_die("the bundle itself is not complete");
	m->derived = false;
	for (i = 0; i < sizeof(json) / sizeof(json[0]); i++)
		mutate_json(m, json[i], MUTATE_SWAP);
	m->derived = true;
	mutate_json(m, "validation.json", MUTATE_SWAP);
	mutate_json(m, "report/report.json", MUTATE_CHANGE);
	m->derived = false;
	for (i = 0; i < FAMILY_COUNT; i++) {
		(void)snprintf(path, sizeof(path), "raw/%s.tsv",
		    schema_family((enum schema_family)i)->name);
		mutate_records(m, path);
	}
	mutate_files(m);
	edit_seal(m->cwd);
}

int
main(int argc, char **argv)
{
	struct mutation m = { .cwd = open(".", O_RDONLY | O_DIRECTORY) };
	size_t stale = 0;

	if (m.cwd == -1 || argc < 2 || argc > 3)
		edit_die("mutation SURVIVORS [FILE]");
	m.only = argv[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	survivors_read(&m.known, argv[1]);
	all(&m);
	if (m.only == NULL)
		stale = survivors_stale(&m.known);
	printf("%lu mutants, %lu survive, %lu of them new\n", m.mutants,
	    m.survivors, m.fresh);
	return m.fresh > 0 || stale > 0;
}
