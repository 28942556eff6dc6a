/*
 * Commands: where they are, and as whom and with which environment they run.
 *
 * Ownership: what is returned is the caller's; a struct runas owns its
 * strings until runas_free().
 */
#ifndef CAPTURE_COMMAND_H
#define CAPTURE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "libdt/msg.h"

/*
 * The file that execvp(3) would run: name itself if it holds a slash, else
 * the first executable regular file of that name in path (NULL: the system's
 * default). NULL with errno: ENOENT, or EACCES if only such files exist.
 */
char *command_find(const char *name, const char *path);

/* Who the target runs as. */
struct runas {
	bool change;		/* -u was given */
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int ngroups;
	char **env;		/* of the target, NULL-terminated */
	const char *path;	/* PATH in env, or NULL */
};

/*
 * user NULL: as this process, with its environment. Else the user of that
 * name (or numeric id) with a clean environment as sudo(8) makes it: HOME,
 * LOGNAME, MAIL, PATH, SHELL, USER, and TERM, LANG, LC_* and TZ kept. `nonce`
 * becomes DT_RUNTIME_NONCE. ids: "no-user", "privilege".
 */
int runas_make(struct runas *r, const char *user, const char *nonce,
    struct msg *m);
void runas_free(struct runas *r);

/* In the child: takes the identity on, for good; -1 with errno. */
int runas_become(const struct runas *r);

#endif
