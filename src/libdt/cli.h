/*
 * What every tool's command line shares: exit codes, usage, version, the
 * progress line.
 *
 * Ownership: nothing is allocated; strings given must live as long as the
 * struct cli.
 */
#ifndef LIBDT_CLI_H
#define LIBDT_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libdt/msg.h"

enum dt_exit {
	DT_OK = 0,		/* done, or the answer is yes */
	DT_NO = 1,		/* the answer is no */
	DT_CANNOT = 2,		/* could not tell */
	DT_SKIP = 77,		/* this host has no tracer for it */
};

struct option;

struct cli {
	const char *prog;	/* "dt-sum" */
	const char *synopsis;	/* "[-c] [DIR...]"; \n between forms */
	const char *help;	/* lines about options, or NULL */
	const char *letters;	/* getopt_long()'s optstring, for cli_start() */
	const struct option *words;	/* and its table */
};

/* Members of every tool's struct option array; -h must be in its letters. */
#define CLI_OPT_VERSION	0x1000
#define CLI_LONGOPTS \
	{ "help", 0, NULL, 'h' }, \
	{ "version", 0, NULL, CLI_OPT_VERSION }

/* The worse of two: OK < SKIP < NO < CANNOT. */
enum dt_exit cli_worst(enum dt_exit a, enum dt_exit b);

/*
 * Takes one option of a tool's: 0, -1 with m where its argument is wrong, to
 * be told after the option's name, or 1 where it is not one of the tool's own.
 */
typedef int cli_option_fn(void *arg, int opt, const char *value,
    struct msg *m);

/*
 * Begins a tool: out_init(), then each option goes to fn with arg, up to the
 * first operand, at which optind is left. False: the tool is to end with
 * *status, and all is said.
 */
bool cli_start(const struct cli *c, int argc, char **argv, cli_option_fn *fn,
    void *arg, enum dt_exit *status);

/*
 * Handles what getopt_long() gave and the tool does not know: help and
 * version go to stdout (DT_OK, or DT_CANNOT if stdout cannot take it);
 * anything else is an error with the usage on err (DT_CANNOT). opt is
 * getopt_long's value; the optstring should begin with ':' so that getopt
 * itself stays silent.
 */
enum dt_exit cli_option(const struct cli *c, int opt, char *const *argv,
    FILE *err);

/* One line `prog: ERROR-LESS text` and the usage on err; DT_CANNOT. */
enum dt_exit cli_usage_error(const struct cli *c, FILE *err,
    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prints m on err through msg_print(). */
void cli_msg(const struct cli *c, FILE *err, const struct msg *m);

/*
 * Ends a tool: closes stdout, reports its failure on err and gives the exit
 * status, at least DT_CANNOT if output was lost.
 */
enum dt_exit cli_finish(const struct cli *c, FILE *err, enum dt_exit status);

/*
 * Option arguments: whole decimal, or -1 with m (id "usage"); size takes the
 * suffixes k, M and G (powers of 1024), duration takes ms, s, m, h or nothing
 * for seconds, and gives ns.
 */
int cli_u64(const char *arg, uint64_t min, uint64_t max, uint64_t *v,
    struct msg *m);
int cli_size(const char *arg, uint64_t *bytes, struct msg *m);
int cli_duration(const char *arg, uint64_t *ns, struct msg *m);

/*
 * The progress line: shown only where fp is a terminal, only from the second
 * second on, at most ten times a second. progress_end() wipes it.
 */
struct progress {
	FILE *fp;
	const char *prog;
	uint64_t start, last;	/* ns, CLOCK_MONOTONIC */
	bool on, shown;
};
void progress_start(struct progress *p, const struct cli *c, FILE *fp);
void progress_tell(struct progress *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p);

#endif
