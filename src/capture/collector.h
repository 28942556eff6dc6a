/*
 * One collector: a tracer process that runs one D script into one spool.
 *
 * Ownership: a struct collector owns its strings and descriptors until
 * collector_close(); a process that still runs is then left to the guard.
 */
#ifndef CAPTURE_COLLECTOR_H
#define CAPTURE_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/settings.h"
#include "capture/staging.h"
#include "capture/tracer.h"

#define COLLECTOR_ERRORS	8
#define COLLECTOR_STOPS		3

enum collector_state {
	COLLECTOR_NONE,		/* not started */
	COLLECTOR_STARTED,	/* READY has not come */
	COLLECTOR_READY,
	COLLECTOR_FAILED,	/* could not be started, or never was ready */
	COLLECTOR_ENDED,	/* after READY */
};

struct collector {
	enum family family;
	bool required;
	enum collector_state state;
	char *script;		/* "scripts/cpu.d" in staging */
	char *argv[TRACER_WORDS_MAX + 2 * OPTIONS_MAX + 16];
	size_t argc;
	pid_t pid;
	int pidfd;
	int spool;		/* for reading */
	uint64_t started, ack, detach;	/* ns, 0 = never */
	int exit_code, signal;	/* -1, 0 = not known */
	struct { int signal; uint64_t at; } stop[COLLECTOR_STOPS];
	unsigned stops;
	char error[COLLECTOR_ERRORS][256];
	unsigned errors;
	bool told;		/* its end has been noted as a failure */
};

void collector_init(struct collector *c, enum family f, bool required);
void collector_close(struct collector *c);

/*
 * Finds the family's script in a directory and copies it to staging, without
 * the pragmas of options that -x sets (a tracer may let a script's pragma
 * win); 1 with m if there is none.
 */
int collector_script(struct collector *c, struct staging *st,
    const struct settings *set, const char *scripts, struct msg *m);

/* Starts `TRACER [-x ...] -s SCRIPT PID` in a process group of its own. */
int collector_start(struct collector *c, struct staging *st,
    const struct tracer *tr, const struct settings *set, pid_t target,
    int guard, const void *sigmask, struct msg *m);

/*
 * Looks for the acknowledgement in the spool: 1 it is there (state READY), 0
 * not yet, -1 with m: the spool begins with something else.
 */
int collector_ready(struct collector *c, struct msg *m);

/* Bytes in the spool so far. */
uint64_t collector_bytes(const struct collector *c);

/* Sends a signal to its process group and notes that as a stop. */
void collector_signal(struct collector *c, int sig);
/* Its pidfd is readable: takes its exit status; state FAILED or ENDED. */
void collector_reap(struct collector *c, struct staging *st, int guard);
/* It is there, as far as is known. */
bool collector_alive(const struct collector *c);

/* One more reason why it failed, of at most COLLECTOR_ERRORS. */
void collector_error(struct collector *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The first line of what it wrote on stderr, or "". */
void collector_said(const struct collector *c, const struct staging *st,
    char *buf, size_t cap);

#endif
