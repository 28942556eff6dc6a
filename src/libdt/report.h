/*
 * The report on a bundle: what ran, what it did, what was lost, whether it
 * may be believed; from the bundle alone.
 *
 * Ownership: the bundle is the caller's and must outlive the report, which
 * report_free() ends.
 */
#ifndef LIBDT_REPORT_H
#define LIBDT_REPORT_H

#include "libdt/bundle.h"
#include "libdt/msg.h"
#include "libdt/out.h"

struct report;

#define REPORT_SCHEMA	"dt-report/1"

enum report_format { REPORT_JSON, REPORT_MD, REPORT_HTML, REPORT_CSV,
	REPORT_FORMATS };
/* -1: there is none of that name. */
int report_format_find(const char *name);

/*
 * Builds the report of an open bundle whose verdict and findings are in
 * b->validation. NULL with m.
 */
struct report *report_new(const struct bundle *b, struct msg *m);
void report_free(struct report *r);		/* may be NULL */
/* Lines of raw/ that are no records. */
uint64_t report_malformed(const struct report *r);

/*
 * Prints it. For CSV, family says whose table; -1 with m, id "no-family",
 * where the bundle has none of it.
 */
int report_print(const struct report *r, enum report_format format,
    enum schema_family family, struct out *o, struct msg *m);

/* A file of report/. */
struct report_file {
	char path[64];
	enum report_format format;
	enum schema_family family;	/* REPORT_CSV: whose table */
	bool folded;			/* the folded samples instead */
};
typedef int report_file_fn(void *arg, const struct report *r,
    const struct report_file *f);
/* Calls fn for each file the report has; 0 or the first other value. */
int report_files(const struct report *r, report_file_fn *fn, void *arg);
int report_file_print(const struct report *r, const struct report_file *f,
    struct out *o, struct msg *m);

/*
 * Writes report/ beneath dirfd: report.json, report.md, report.html,
 * cpu.folded where there are samples, one FAMILY.csv for each family the
 * bundle has a table of. The bytes depend on the bundle alone. 0 or -1 with m.
 */
int report_write(const struct bundle *b, int dirfd, struct msg *m);

/*
 * Compares dirfd's report/report.json with the report built anew from raw/,
 * and tells of each figure that differs (id "report-differs"). Members that
 * only that file has are no difference. 0 or -1 with m.
 */
int report_check(const struct report *r, int dirfd,
    const struct msg_sink *sink, struct msg *m);

#endif
