/*
 * What the user asked for: every knob of a capture.
 *
 * Ownership: strings point into argv or are constants; the rest is freed by
 * settings_free().
 */
#ifndef CAPTURE_SETTINGS_H
#define CAPTURE_SETTINGS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libdt/msg.h"

enum family {
#define FAMILY(name, rate)	FAMILY_##name,
#include "capture/family.def"
#undef FAMILY
	FAMILY_N
};
const char *family_name(enum family f);
unsigned family_rate(enum family f);		/* Hz, 0 = no sampling */

enum family_want {
	WANT_NOT,
	WANT_OPTIONAL,		/* by a preset */
	WANT_REQUIRED,		/* by -f */
};

#define OPTIONS_MAX		64
#define MAX_BYTES_DEFAULT	(UINT64_C(512) << 20)
#define MAX_BYTES_LEAST		(UINT64_C(1) << 20)

/* -x [COLLECTOR:]NAME[=VALUE] */
struct tracer_option {
	int family;		/* enum family, -1 = every collector */
	const char *text;	/* "NAME=VALUE", as the tracer gets it */
};

struct settings {
	enum family_want want[FAMILY_N];
	const char *preset;	/* NULL: families were named */
	const char *bundle;	/* -o, NULL = a name made of the time */
	const char *tracer;	/* -T, NULL = found */
	const char *scripts;	/* -s, NULL = found */
	const char *user;	/* -u */
	const char *target_out;	/* FILE, "-" = a log of the bundle, or NULL */
	pid_t pid;		/* -p, 0 = launch argv */
	char **argv;		/* the command, NULL with -p */
	struct tracer_option option[OPTIONS_MAX];
	unsigned options;
	uint64_t duration_ns;	/* 0 = until the target ends */
	uint64_t max_bytes;
	uint64_t ack_ns;	/* for each tracer; 0 = by the kind of tracer */
	uint64_t stop_ns[3];	/* after INT, TERM and KILL */
};

void settings_init(struct settings *s);
/* "cpu,syscalls" of -f, each required; -1 with m, id "usage". */
int settings_families(struct settings *s, const char *list, struct msg *m);
/* The families of a preset, optional unless -f named them already. */
int settings_preset(struct settings *s, const char *name, struct msg *m);
/* An argument of -x. */
int settings_option(struct settings *s, const char *arg, struct msg *m);

/*
 * Every knob as the member `settings` of stage.json (ns and bytes), with what
 * was left open filled in: ack_ns and the tracer's command.
 */
cJSON *settings_json(const struct settings *s, const char *tracer,
    uint64_t ack_ns);

#endif
