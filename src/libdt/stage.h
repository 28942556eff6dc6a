/*
 * The staging directory's stage.json as C structs (dt-bundle(5)); member.def
 * has each member's meaning.
 *
 * Ownership: a struct stage owns all that hangs from it until stage_close().
 */
#ifndef LIBDT_STAGE_H
#define LIBDT_STAGE_H

#include "libdt/bundle.h"

#define STAGE_JSON	"stage.json"
#define STAGE_INCOMPLETE "INCOMPLETE"
#define STAGE_SCHEMA	"dt-staging/1"

struct bundle_stage_target {
	uint64_t pid, start, start_resolution_ns, ppid;
	const char *exe, *exe_build_id, *nonce;
};

struct bundle_stage_collector {
	const char *name;
	int family;		/* enum schema_family */
	bool builtin, required;
	const char *script, *tracer, *tracer_version;
	bundle_strings argv;
	struct maybe_u64 pid, started, ack, detach;
	struct maybe_i64 exit_code, signal;
	LIST(struct bundle_stop) stops;
	struct maybe_u64 rate_hz;
	bundle_strings errors;
};

struct bundle_stage_aborted { const char *phase, *reason; };

struct bundle_stage {
	const char *schema;
	struct bundle_tool tool;
	const char *name;
	struct bundle_host host;
	struct bundle_clock clock;
	struct bundle_window window;
	struct bundle_command command;
	const char *preset;
	const cJSON *families;
	struct bundle_knobs settings;
	LIST(struct bundle_capability) capabilities;
	struct bundle_stage_target target;
	LIST(struct bundle_stage_collector) collectors;
	const struct bundle_stage_aborted *aborted;
	LIST(struct bundle_source_ref) source_refs;
};

struct stage {
	struct bundle_stage s;
	/* of s.families: asked for, and by name */
	bool requested[FAMILY_COUNT], required[FAMILY_COUNT];
	cJSON *tree;
	struct bundle_mem *mem;
};

/* Loads stage.json beneath dirfd; errors as bundle_load()'s. */
int stage_load(struct stage *st, int dirfd, struct msg *m);
void stage_close(struct stage *st);
/* The tree of stage.json for a struct; NULL with m. */
cJSON *stage_build(const struct bundle_stage *s, struct msg *m);

#endif
