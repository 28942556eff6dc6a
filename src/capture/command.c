/* Commands: found in PATH, and run as a user in an environment. */
#include "capture/command.h"

#include <errno.h>
#include <grp.h>
#include <paths.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_CLEAN \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define GROUPS_MAX	65536

extern char **environ;

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

char *
command_find(const char *name, const char *path)
{
	const char *dir = path != NULL ? path : _PATH_DEFPATH, *next;
	int seen = ENOENT;
	char *file;
	size_t n;

	if (strchr(name, '/') != NULL)
		return strdup(name);
	for (; name[0] != '\0' && dir != NULL; dir = next) {
		n = strcspn(dir, ":");
		next = dir[n] == ':' ? dir + n + 1 : NULL;
		if (asprintf(&file, "%.*s%s%s", (int)n, dir,
		    n > 0 ? "/" : "./", name) == -1)
			return NULL;
		if (is_file(file) && access(file, X_OK) == 0)
			return file;
		if (is_file(file))
			seen = EACCES;
		free(file);
	}
	errno = seen;
	return NULL;
}

static int
env_put(struct runas *r, size_t *n, const char *name, const char *value)
{
	char **bigger = realloc(r->env, (*n + 2) * sizeof(*bigger));

	if (bigger == NULL)
		return -1;
	r->env = bigger;
	if (asprintf(&r->env[*n], "%s=%s", name, value) == -1) {
		r->env[*n] = NULL;
		return -1;
	}
	r->env[++*n] = NULL;
	return 0;
}

/* Copies the variables of this process that keep() takes. */
static int
env_copy(struct runas *r, size_t *n, bool (*keep)(const char *))
{
	char **e, *name;
	size_t len;
	int rc = 0;

	for (e = environ; e != NULL && *e != NULL && rc == 0; e++) {
		len = strcspn(*e, "=");
		if ((*e)[len] == '\0' || !keep(*e))
			continue;
		name = strndup(*e, len);
		rc = name == NULL ? -1 : env_put(r, n, name, *e + len + 1);
		free(name);
	}
	return rc;
}

static bool
keep_all(const char *e)
{
	return strncmp(e, "DT_RUNTIME_NONCE=", 17) != 0;
}

static bool
keep_harmless(const char *e)
{
	return strncmp(e, "TERM=", 5) == 0 || strncmp(e, "LANG=", 5) == 0 ||
	    strncmp(e, "LC_", 3) == 0 || strncmp(e, "TZ=", 3) == 0;
}

static int
env_clean(struct runas *r, size_t *n, const struct passwd *pw)
{
	const char *shell = pw->pw_shell[0] != '\0' ? pw->pw_shell : "/bin/sh";
	char mail[512];

	snprintf(mail, sizeof(mail), "%s/%s", _PATH_MAILDIR, pw->pw_name);
	return env_put(r, n, "HOME", pw->pw_dir) == -1 ||
	    env_put(r, n, "LOGNAME", pw->pw_name) == -1 ||
	    env_put(r, n, "MAIL", mail) == -1 ||
	    env_put(r, n, "PATH", PATH_CLEAN) == -1 ||
	    env_put(r, n, "SHELL", shell) == -1 ||
	    env_put(r, n, "USER", pw->pw_name) == -1 ? -1 : 0;
}

static const struct passwd *
user_find(const char *user)
{
	const struct passwd *pw = getpwnam(user);
	char *end;
	unsigned long id;

	if (pw != NULL || user[0] < '0' || user[0] > '9')
		return pw;
	errno = 0;
	id = strtoul(user, &end, 10);
	return *end != '\0' || errno != 0 || id > 0xfffffffeul ? NULL :
	    getpwuid((uid_t)id);
}

static int
runas_groups(struct runas *r, const struct passwd *pw, struct msg *m)
{
	r->ngroups = 64;
	for (;;) {
		free(r->groups);
		r->groups = calloc((size_t)r->ngroups, sizeof(*r->groups));
		if (r->groups == NULL)
			return msg_set_nomem(m);
		if (getgrouplist(pw->pw_name, pw->pw_gid, r->groups,
		    &r->ngroups) != -1)
			return 0;
		if (r->ngroups > GROUPS_MAX)
			return msg_set(m, "no-user",
			    "%s is in too many groups", pw->pw_name);
	}
}

static int
runas_user(struct runas *r, const char *user, size_t *n, struct msg *m)
{
	const struct passwd *pw = user_find(user);

	if (pw == NULL)
		return msg_set(m, "no-user", "-u: no such user: %s", user);
	if (geteuid() != 0 && geteuid() != pw->pw_uid)
		return msg_set(m, "privilege",
		    "-u %s: only root can run the target as another", user);
	r->change = geteuid() == 0;
	r->uid = pw->pw_uid;
	r->gid = pw->pw_gid;
	if (env_copy(r, n, keep_harmless) == -1 ||
	    env_clean(r, n, pw) == -1)
		return msg_set_nomem(m);
	return runas_groups(r, pw, m);
}

int
runas_make(struct runas *r, const char *user, const char *nonce,
    struct msg *m)
{
	size_t n = 0, i;

	memset(r, 0, sizeof(*r));
	if (user != NULL && runas_user(r, user, &n, m) == -1)
		return -1;
	if (user == NULL && env_copy(r, &n, keep_all) == -1)
		return msg_set_nomem(m);
	if (env_put(r, &n, "DT_RUNTIME_NONCE", nonce) == -1)
		return msg_set_nomem(m);
	for (i = 0; i < n; i++)
		if (strncmp(r->env[i], "PATH=", 5) == 0)
			r->path = r->env[i] + 5;
	return 0;
}

void
runas_free(struct runas *r)
{
	size_t i;

	for (i = 0; r->env != NULL && r->env[i] != NULL; i++)
		free(r->env[i]);
	free(r->env);
	free(r->groups);
	memset(r, 0, sizeof(*r));
}

int
runas_become(const struct runas *r)
{
	if (!r->change)
		return 0;
	if (setgroups((size_t)r->ngroups, r->groups) == -1 ||
	    setresgid(r->gid, r->gid, r->gid) == -1 ||
	    setresuid(r->uid, r->uid, r->uid) == -1)
		return -1;
	return 0;
}
