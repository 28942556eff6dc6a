/*
 * The verdict on a bundle, fail-closed: every sentence of dt-bundle(5) is
 * checked and its breach is a finding of finding.def. A bundle is hostile
 * input: nothing outside of it is read, and memory is bounded (below).
 *
 * Ownership: dirfd and all strings of the options are the caller's; what a
 * validate_result holds is freed by validate_free().
 */
#ifndef LIBDT_VALIDATE_H
#define LIBDT_VALIDATE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "libdt/digest.h"
#include "libdt/finding.h"
#include "libdt/msg.h"

#define VALIDATE_CAP	20	/* findings kept of one id by default */
#define VALIDATE_LIMIT	(1u << 20)
#define VALIDATE_REPORT_MAX	(UINT64_C(512) << 20)

enum verdict {
	VERDICT_COMPLETE,	/* no error, no loss */
	VERDICT_DEGRADED,	/* no error */
	VERDICT_INVALID,
};
/* "complete", "degraded", "invalid" */
const char *verdict_name(enum verdict v);

struct validate_opt {
	unsigned threads;	/* that hash; 0 = one a processor, at most 16 */
	unsigned cap;		/* findings kept of one id; 0 = VALIDATE_CAP.
				   Others are counted: the verdict knows all */
	uint32_t limit;		/* threads, spans or operations followed;
				   0 = VALIDATE_LIMIT */
	uint64_t report_max;	/* bytes of raw/ that the report is built
				   from again; 0 = VALIDATE_REPORT_MAX */
	bool quick;		/* XXH3SUMS and structure, no SHA-256 */
	bool staged;		/* as dt-finalize makes it: the lists, report/
				   and validation.json are not there yet, and
				   are not looked at if they are */
	const char *expect;	/* "sha256:...": the id it must have, or NULL */
	/* Called in the caller's thread from time to time; may be NULL. */
	void (*progress)(void *arg, const char *what, uint64_t bytes);
	void *progress_arg;
};

struct validate_result {
	enum verdict verdict;
	uint64_t count[MSG_LEVELS];	/* findings by level */
	uint64_t by_id[FINDING_COUNT];
	struct msg *list;	/* those kept, sorted by path, line and id;
				   paths are relative to the bundle */
	size_t n;
	char id[DIGEST_REF];	/* bundle id, "" if it has no SHA256SUMS */
	uint64_t stamp;		/* of what validate_still() looks at */
};

/*
 * Validates the bundle whose directory is open on dirfd; name is for messages
 * about what could not be read. Returns 0 (r is filled, whatever the
 * verdict) or -1 with m: it could not be told (I/O, privilege, memory).
 *
 * Memory: at most about 64 MiB a JSON file of the largest size that is
 * accepted, and 256 MiB for threads, spans and operations that are followed.
 */
int validate_bundle(int dirfd, const char *name,
    const struct validate_opt *opt, struct validate_result *r, struct msg *m);
void validate_free(struct validate_result *r);

/*
 * Whether the bundle's entries still are those that r is about, for who reads
 * the bundle after it was validated: 0, or -1 with m, id "layout-changed" if
 * they are not.
 */
int validate_still(int dirfd, const struct validate_result *r, struct msg *m);

/* Gives each finding kept to the sink, paths with `name/` before them. */
int validate_tell(const struct validate_result *r, const char *name,
    const struct msg_sink *sink);

/*
 * The tree of validation.json (schema dt-validation/1); tool and version are
 * those of the caller. The caller's to delete; NULL with m.
 */
cJSON *validate_json(const struct validate_result *r, const char *tool,
    const char *version, struct msg *m);

#endif
