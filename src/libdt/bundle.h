/*
 * The bundle as C structs: its JSON files read into them and written from
 * them by one table (member.def), its cohort searched by pid and time, its
 * records opened. Bundles are untrusted: reading is bounded and stays beneath
 * the directory.
 *
 * Ownership: a struct bundle owns all that hangs from it until bundle_close();
 * structs given to a builder are the caller's and are only read.
 *
 * Strings: what a member.def line calls `bytes` is in the canonical escape
 * here as it is in the file (esc_decode() gives the bytes). NULL is JSON's
 * null. Times are ns on the bundle's clock.
 */
#ifndef LIBDT_BUNDLE_H
#define LIBDT_BUNDLE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/json.h"
#include "libdt/msg.h"
#include "libdt/out.h"
#include "libdt/record.h"
#include "libdt/schema.h"

/* A number that may be null. */
struct maybe_u64 { bool known; uint64_t v; };
struct maybe_i64 { bool known; int64_t v; };

#define LIST(type)	struct { type *v; size_t n; }
typedef LIST(const char *) bundle_strings;

/* Words of enumerated members; each index is in the order of its text. */
#define BUNDLE_STATES \
	"observed|none-fired|probe-absent|not-attached|failed|unsupported|" \
	"not-requested"
enum bundle_state {
	STATE_OBSERVED, STATE_NONE_FIRED, STATE_PROBE_ABSENT,
	STATE_NOT_ATTACHED, STATE_FAILED, STATE_UNSUPPORTED,
	STATE_NOT_REQUESTED,
};
#define BUNDLE_VERDICTS	"complete|degraded|invalid"	/* enum verdict */

#define BUNDLE_LEVELS	"error|loss|warning|note"

#define BUNDLE_MODES	"launch|attach"
enum bundle_mode { MODE_LAUNCH, MODE_ATTACH };
#define BUNDLE_HOLDS	"pre-exec|stopped|running"
enum bundle_hold { HOLD_PRE_EXEC, HOLD_STOPPED, HOLD_RUNNING };
#define BUNDLE_ENDS	"exited|duration|interrupted"
enum bundle_ended { ENDED_EXITED, ENDED_DURATION, ENDED_INTERRUPTED };
#define BUNDLE_KINDS	"binary|library|script"
enum bundle_artifact_kind { ARTIFACT_BINARY, ARTIFACT_LIBRARY,
	ARTIFACT_SCRIPT };
#define BUNDLE_SOURCES	"birth|system"
enum bundle_start_source { START_BIRTH, START_SYSTEM };
#define BUNDLE_ROLES	"target|descendant"
enum bundle_role { ROLE_TARGET, ROLE_DESCENDANT };
#define BUNDLE_SIGNALS	"INT|TERM|KILL"
/*
 * before-window: it ended before workload_start. after-window: it ended after
 * drained. not-member: of a process that never joined. after-exit: the kernel
 * still ran for a process that had told of its exit. returned: a call found
 * in flight whose return was recorded after all.
 */
#define BUNDLE_RULES \
	"before-window|after-window|not-member|after-exit|returned|" \
	"not-followed"
enum bundle_rule { RULE_BEFORE_WINDOW, RULE_AFTER_WINDOW, RULE_NOT_MEMBER,
	RULE_AFTER_EXIT, RULE_RETURNED, RULE_NOT_FOLLOWED, RULE_COUNT };

/* A name and version: of a tool. */
struct bundle_tool { const char *name, *version; };

struct bundle_host {
	const char *hostname, *os, *release, *version, *machine;
	uint64_t cpus;
	struct maybe_u64 cpu_ids;
	const char *cpu_model, *governor, *clocksource;	/* may be NULL */
	uint64_t page_size;	/* bytes */
	uint64_t clk_tck;	/* ticks a second */
	const char *boot_id;
};

/* One reading of the clocks. */
struct bundle_clock_point {
	uint64_t mono;		/* ns on the bundle's clock */
	int64_t realtime_utc;	/* ns since 1970 */
	uint64_t uncertainty_ns;
	int64_t boottime_offset;	/* CLOCK_BOOTTIME - mono, ns */
};

struct bundle_clock {
	const char *name, *unit;	/* "CLOCK_MONOTONIC", "ns" */
	uint64_t resolution_ns;
	const char *degraded;	/* why, or NULL */
	struct bundle_clock_point start, end;
	int64_t drift_ns;	/* realtime - mono, at end minus at start */
	int64_t suspended_ns;	/* boottime_offset, at end minus at start */
};

/* Each null where it was never reached. */
struct bundle_window {
	struct maybe_u64 ready, attached, warmup_done, workload_start,
	    workload_done, drained;
};

struct bundle_command {
	int mode;		/* enum bundle_mode */
	int hold;		/* enum bundle_hold */
	bundle_strings argv;	/* bytes */
	const char *cwd;	/* bytes */
	uint64_t uid, gid, pid;
	struct maybe_i64 exit_code, signal;
	int ended;		/* enum bundle_ended */
};

struct bundle_family {
	int state;		/* enum bundle_state */
	bool required;
	uint64_t records;	/* of collectors, in raw/; ovf apart */
	const char *collector;	/* the first of its family; may be NULL */
};

struct bundle_artifact {
	const char *path;	/* in the bundle */
	int kind;		/* enum bundle_artifact_kind */
	const char *sha256;	/* "sha256:HEX" */
	uint64_t size;		/* bytes */
	const char *build_id;	/* hex, or NULL */
	const char *source;	/* where it was, bytes; may be NULL */
};

struct bundle_library { const char *path, *build_id; };
/* The order in which they are listed, for qsort(3): path, then build-id. */
int bundle_library_cmp(const void *a, const void *b);
struct bundle_source_ref { const char *kind, *ref; };

/* procs and maps are families of the manifest, too: always requested. */
struct bundle_families { struct bundle_family of[FAMILY_COUNT]; };

struct bundle_manifest {
	const char *schema;	/* "dt-bundle/1" */
	const char *name;
	const char *created_utc;	/* RFC 3339, ends in Z */
	LIST(struct bundle_tool) tools;
	struct bundle_host host;
	struct bundle_clock clock;
	struct bundle_window window;
	struct bundle_command command;
	const char *preset;	/* may be NULL */
	struct bundle_families families;
	const char *settings_sha256;	/* "sha256:HEX" */
	LIST(struct bundle_artifact) artifacts;
	LIST(struct bundle_library) libraries;
	LIST(struct bundle_source_ref) source_refs;
	const cJSON *environment;	/* an object, any facts */
};

struct bundle_member {
	const char *incarnation;	/* "BOOT:PID:START" */
	uint64_t pid;
	uint64_t start;		/* ns; not later than the true start by more
				   than 0, earlier by less than: */
	uint64_t start_resolution_ns;
	int start_source;	/* enum bundle_start_source */
	const char *nonce;	/* hex, or NULL */
	const char *parent;	/* an incarnation, or NULL */
	int role;		/* enum bundle_role */
	const char *exe;	/* bytes; of its last exec */
	const char *exe_build_id;	/* hex, or NULL */
	struct maybe_u64 died;	/* null: lived when the window ended */
	struct maybe_i64 exit_status;	/* code, or -SIGNAL */
};

struct bundle_cohort {
	const char *schema;	/* "dt-cohort/1" */
	const char *boot_id;
	bool sealed;
	uint64_t sealed_at;
	LIST(struct bundle_member) members;	/* by (start, pid) */
	/* made by bundle_cohort_index(): members by (pid, start) */
	uint32_t *by_pid;
	uint64_t drained;	/* end of the window, UINT64_MAX = unknown */
};

/* An option of -x. */
struct bundle_option {
	const char *collector;	/* NULL: of all */
	const char *option;	/* bytes */
};
struct bundle_knobs {
	const char *tracer;	/* bytes */
	uint64_t ack_ns, stop_int_ns, stop_term_ns, stop_kill_ns, duration_ns,
	    max_bytes;
	const cJSON *rate_hz;	/* an object: of each collector that samples */
	LIST(struct bundle_option) tracer_options;
	const char *user;	/* bytes; may be NULL */
	bool target_out;
};
struct bundle_settings {
	const char *schema;	/* "dt-settings/1" */
	struct bundle_knobs settings;
	const char *sha256;	/* json_hash() of it, as it stands there */
};

struct bundle_capability {
	const char *name;
	bool available;
	const char *reason;	/* may be NULL */
};
struct bundle_capabilities {
	const char *schema;	/* "dt-capabilities/1" */
	LIST(struct bundle_capability) capabilities;
};

struct bundle_stop { int signal; uint64_t at; };	/* BUNDLE_SIGNALS */
struct bundle_counters {
	struct maybe_u64 fired;
	uint64_t recorded;
	struct maybe_u64 dropped;
	uint64_t filtered;
};
struct bundle_filter { int rule; uint64_t count; };	/* BUNDLE_RULES */
struct bundle_drop {
	uint64_t from, to;	/* first and last loss */
	uint64_t count;
	const char *why;
	struct maybe_u64 cpu;
};
struct bundle_cost {
	struct maybe_u64 bpf_run_ns, bpf_run_count, cpu_user_ns, cpu_system_ns;
};

#define BUNDLE_MALFORMED_LINES	100	/* listed at most */

struct bundle_collector {
	const char *name;
	int family;		/* enum schema_family */
	bool builtin;		/* part of dt-attach, no tracer */
	bool required;
	const char *script;	/* artifacts/scripts/NAME.d, or NULL */
	const char *script_sha256;	/* "sha256:HEX", or NULL */
	const char *tracer, *tracer_version;	/* may be NULL */
	bundle_strings argv;	/* bytes */
	struct maybe_u64 pid;
	struct maybe_u64 started, ack, detach;
	struct maybe_i64 exit_code, signal;
	LIST(struct bundle_stop) stops;
	struct maybe_u64 rate_hz;
	struct bundle_counters counters;
	LIST(struct bundle_filter) filters;	/* rules that removed some */
	LIST(struct bundle_drop) drops;
	struct maybe_u64 tracer_drops;	/* what the tracer says it lost */
	uint64_t malformed;
	LIST(uint64_t) malformed_lines;	/* of the spool, from 1 */
	bundle_strings errors;	/* bytes */
	struct bundle_cost cost;
	const char *log;	/* in the bundle, or NULL */
};
struct bundle_collectors {
	const char *schema;	/* "dt-collectors/1" */
	LIST(struct bundle_collector) collectors;
};

struct bundle_finding {
	const char *id;
	int level;		/* index in BUNDLE_LEVELS */
	const char *path;	/* bytes; may be NULL */
	struct maybe_u64 line;
	const char *text;	/* bytes */
};
struct bundle_counts { uint64_t error, loss, warning, note; };
struct bundle_validation {
	const char *schema;	/* "dt-validation/1" */
	struct bundle_tool tool;
	int verdict;		/* enum verdict of validate.h */
	LIST(struct bundle_finding) findings;
	struct bundle_counts counts;
};

/* Which of a bundle's JSON files. */
enum bundle_file {
	BUNDLE_MANIFEST, BUNDLE_COHORT, BUNDLE_SETTINGS, BUNDLE_CAPABILITIES,
	BUNDLE_COLLECTORS, BUNDLE_VALIDATION, BUNDLE_FILES,
};
const char *bundle_file_name(enum bundle_file f);	/* "cohort.json" */
const char *bundle_file_schema(enum bundle_file f);	/* "dt-cohort/1" */

struct bundle {
	int dirfd;		/* the caller's */
	const char *name;	/* for messages, the caller's */
	bool have[BUNDLE_FILES];	/* loaded */
	struct bundle_manifest manifest;
	struct bundle_cohort cohort;
	struct bundle_settings settings;
	struct bundle_capabilities capabilities;
	struct bundle_collectors collectors;
	struct bundle_validation validation;
	cJSON *tree[BUNDLE_FILES];	/* strings point into these */
	struct bundle_mem *mem;	/* arrays */
};

/* An empty bundle on dirfd, which stays the caller's and must outlive it. */
void bundle_init(struct bundle *b, int dirfd, const char *name);
/*
 * Loads one file into b. -1 with m: json_read()'s and json_get_*()'s ids;
 * "json-value" for a word that is not in a member's list, "json-format" for a
 * digest, hex or time that is not in its form, "json-escape", "json-path",
 * "json-schema" for another `schema`; path is the file, the text names the
 * member. b->tree[f] is set once the
 * file could be parsed, and b->have[f] if all of it was in order.
 */
int bundle_load(struct bundle *b, enum bundle_file f, struct msg *m);
/* The same of a tree at hand, which it takes over; NULL: -1, m as it is. */
int bundle_take(struct bundle *b, enum bundle_file f, cJSON *tree,
    struct msg *m);
/*
 * bundle_load() of every file but validation.json, then of that if
 * `validated`; stops at the first error. The cohort is indexed.
 */
int bundle_open(struct bundle *b, int dirfd, const char *name, bool validated,
    struct msg *m);
void bundle_close(struct bundle *b);

/*
 * Whether what could not be read of a bundle is the bundle's own fault (it is
 * missing, no file, or broken), and not the system's.
 */
bool bundle_at_fault(const struct msg *m);

/*
 * Tells of each member of a loaded tree that member.def does not know, as a
 * note with id "json-unknown"; and, where bundle_load() stops at the first
 * error, of every error. Returns what the sink returns, or -1.
 */
int bundle_check(const struct bundle *b, enum bundle_file f,
    const struct msg_sink *sink);

/* Makes by_pid; needs members sorted in no way. drained from the window. */
int bundle_cohort_index(struct bundle_cohort *c, struct maybe_u64 drained,
    struct msg *m);
void bundle_cohort_unindex(struct bundle_cohort *c);
/*
 * The member that had this pid at ts: start - resolution <= ts <= died (or
 * drained); the later one where two lives touch. Index into members, -1 if
 * there is none. O(log n).
 */
ssize_t bundle_member_at(const struct bundle_cohort *c, uint64_t pid,
    uint64_t ts);
/* The same, also after its death. */
ssize_t bundle_member_before(const struct bundle_cohort *c, uint64_t pid,
    uint64_t ts);
/* "BOOT:PID:START"; buf of BUNDLE_INCARNATION bytes. */
#define BUNDLE_INCARNATION	96
void bundle_incarnation(char *buf, const char *boot_id, uint64_t pid,
    uint64_t start);

/* "artifacts/exe/NAME" of an executable's escaped path, dt-bundle(5) */
#define BUNDLE_EXE_PATH	232
void bundle_exe_path(char path[BUNDLE_EXE_PATH], const char *exe);

/* "raw/cpu.tsv" */
const char *bundle_raw_path(enum schema_family f);
/* The bundle has, by its manifest, a raw file of this family. */
bool bundle_has_raw(const struct bundle *b, enum schema_family f);
/* Opens it; NULL with m. */
struct record_reader *bundle_raw_open(const struct bundle *b,
    enum schema_family f, struct msg *m);

/* Builders: a struct as the tree of its file; NULL with m. */
cJSON *bundle_build(const struct bundle *b, enum bundle_file f,
    struct msg *m);
/* bundle_build() and json_write() beneath dirfd. */
int bundle_write(const struct bundle *b, enum bundle_file f, int dirfd,
    struct msg *m);

/* Index in a set of words ("a|b|c") as text; NULL past the last. Lent. */
size_t bundle_word(const char *set, int index, char *buf, size_t cap);

#endif
