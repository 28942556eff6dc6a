/*
 * opt.h - run-time and compile-time options (-x, #pragma D option).
 *
 * struct opts is the caller's and owns its string values.
 */
#ifndef TRACE_OPT_H
#define TRACE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum optkind { OK_FLAG, OK_INT, OK_SIZE, OK_TIME, OK_STR, OK_ENUM, OK_LIST };

/* opt.def: O(id, "name", kind, "default", "what it does") */
enum opt {
#define O(id, name, kind, dflt, text) O_##id,
#include "trace/opt.def"
#undef O
	O_N
};

/*
 * num: bytes of a size, ns of a time, index of an OK_ENUM word, 0 or 1; str: a
 * string, or an OK_LIST's values with a newline after each.
 */
struct optval { bool set; int64_t num; char *str; };
struct opts { struct optval v[O_N]; };

struct msg;
void	opt_init(struct opts *);
void	opt_free(struct opts *);
/* value NULL: the name alone (a flag). -1: *m says what is wrong, worded as
 * "Invalid option name" / "Invalid value for specified option" and why. */
int	opt_set(struct opts *, const char *name, const char *value,
	    struct msg *);
/* Every option, its default included. */
const char *opt_name(enum opt);
int64_t	opt_num(const struct opts *, enum opt);
bool	opt_flag(const struct opts *, enum opt);
const char *opt_str(const struct opts *, enum opt);

#endif
