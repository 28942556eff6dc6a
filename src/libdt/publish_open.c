/* Publishing: staging locked, its bundle's place and earlier run found. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/bundle.h"
#include "libdt/esc.h"
#include "libdt/file.h"
#include "libdt/path.h"
#include "libdt/publish_impl.h"
#include "libdt/stage.h"
#include "libdt/sums.h"

#define INFIX	".staging."	/* of .NAME.staging.PID */

/* One dt-finalize a staging directory: the lock goes with the process. */
static int
lock(struct publish *p, struct msg *m)
{
	struct stat st;

	p->staging = open(p->operand,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->staging == -1)
		return msg_set_errno(m, "open", p->operand,
		    "cannot open the staging directory");
	while (flock(p->staging, LOCK_EX | LOCK_NB) == -1) {
		if (errno == EINTR)
			continue;
		if (errno == EWOULDBLOCK)
			return msg_set_at(m, "locked", p->operand, 0,
			    "another dt-finalize is at work on it");
		return msg_set_errno(m, "lock", p->operand, "cannot lock");
	}
	if (fstat(p->staging, &st) == -1)
		return msg_set_errno(m, "read", p->operand, "cannot look at");
	if (st.st_nlink == 0)
		return msg_set_at(m, "locked", p->operand, 0,
		    "another dt-finalize has just published it");
	return 0;
}

/*
 * What staging is called in its own parent; without paths from the root, which
 * may lead through directories one may not search.
 */
static int
find_own(struct publish *p, struct msg *m)
{
	const struct dirent *e;
	struct stat here, st;
	DIR *d = NULL;
	int fd;

	p->beside = openat(p->staging, "..",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->beside == -1 || fstat(p->staging, &here) == -1 ||
	    (fd = openat(p->beside, ".", O_RDONLY | O_CLOEXEC)) == -1)
		return msg_set_errno(m, "open", p->operand,
		    "cannot open the directory it is in");
	if ((d = fdopendir(fd)) == NULL) {
		close(fd);
		return msg_set_nomem(m);
	}
	while (p->own == NULL && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, "..") != 0 &&
		    strcmp(e->d_name, ".") != 0 &&
		    fstatat(p->beside, e->d_name, &st,
		    AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_ino == here.st_ino && st.st_dev == here.st_dev)
			p->own = strdup(e->d_name);
	closedir(d);
	if (p->own != NULL)
		return 0;
	return msg_set_at(m, "open", p->operand, 0,
	    "is not in its own directory: it is being removed");
}

/* NAME of .NAME.staging.PID; NULL if that is not its form, or no memory. */
static char *
name_in(const char *own)
{
	const char *at, *last = NULL;

	for (at = own; (at = strstr(at, INFIX)) != NULL; at++)
		last = at;
	if (own[0] != '.' || last == NULL || last <= own + 1 ||
	    last[sizeof(INFIX) - 1] == '\0' ||
	    strspn(last + sizeof(INFIX) - 1, "0123456789") !=
	    strlen(last + sizeof(INFIX) - 1))
		return NULL;
	return strndup(own + 1, (size_t)(last - own - 1));
}

/* The name in stage.json; 1: it cannot be told from there. */
static int
name_staged(struct publish *p, struct msg *m)
{
	struct json_ref root;
	struct msg why;
	cJSON *tree;
	size_t len;
	int rc;

	msg_clear(&why);
	tree = json_read(p->staging, STAGE_JSON, &why);
	if (tree == NULL) {
		if (why.err == ENOENT)
			return 1;
		*m = why;
		return why.err != 0 ? -1 : 1;
	}
	root = json_root(tree, STAGE_JSON);
	rc = json_get_bytes(&root, "name", &p->name, &len, m);
	cJSON_Delete(tree);
	if (rc == 0 && strlen(p->name) != len)
		rc = msg_set_at(m, "json-value", STAGE_JSON, 0,
		    "name holds a NUL byte");
	return rc == -1 ? 1 : 0;
}

/* Without stage.json: done and half cleared away, or no staging directory. */
static int
name_known(struct publish *p, struct msg *m)
{
	int rc = name_staged(p, m);

	if (rc != 0 && m->id != NULL)
		msg_within(m, p->operand);
	if (rc != 1)
		return rc;
	if (m->id != NULL)
		return 1;	/* stage.json is there, and broken */
	p->name = name_in(p->own);
	if (p->name != NULL)
		return 0;
	return msg_set_at(m, "no-staging", p->operand, 0,
	    "is no staging directory: it has no " STAGE_JSON);
}

/* The path of a name beside the operand, as the operand was given. */
static char *
beside(const char *operand, const char *name)
{
	size_t n = strlen(operand), at;
	char *path;
	int rc;

	while (n > 1 && operand[n - 1] == '/')
		n--;
	for (at = n; at > 0 && operand[at - 1] != '/'; at--)
		;
	if (strcmp(operand + at, ".") == 0 || strcmp(operand + at, "..") == 0 ||
	    n == 1)
		rc = asprintf(&path, "%.*s/../%s", (int)n, operand, name);
	else
		rc = asprintf(&path, "%.*s%s", (int)at, operand, name);
	return rc != -1 ? path : NULL;
}

/* -o PATH: its last component is the name, the rest the parent. */
static int
open_dest(struct publish *p, struct msg *m)
{
	size_t n = strlen(p->dest), at;
	char *dir;

	while (n > 1 && p->dest[n - 1] == '/')
		n--;
	for (at = n; at > 0 && p->dest[at - 1] != '/'; at--)
		;
	free(p->name);
	p->name = strndup(p->dest + at, n - at);
	p->path = strndup(p->dest, n);
	dir = at > 0 ? strndup(p->dest, at) : strdup(".");
	if (p->name == NULL || p->path == NULL || dir == NULL) {
		free(dir);
		return msg_set_nomem(m);
	}
	p->parent = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (p->parent == -1)
		return msg_set_errno(m, "open", p->dest,
		    "cannot open its directory");
	return 0;
}

static int
open_parent(struct publish *p, struct msg *m)
{
	struct stat here, there;

	if (p->dest != NULL) {
		if (open_dest(p, m) == -1)
			return -1;
	} else {
		p->path = beside(p->operand, p->name);
		if (p->path == NULL)
			return msg_set_nomem(m);
		p->parent = fcntl(p->beside, F_DUPFD_CLOEXEC, 3);
		if (p->parent == -1)
			return msg_set_errno(m, "open", p->path,
			    "cannot duplicate its descriptor");
	}
	if (path_fault(p->name, strlen(p->name)) != PATH_GOOD ||
	    strchr(p->name, '/') != NULL)
		return msg_set_at(m, "name", p->path, 0,
		    "is no name for a bundle");
	if (fstat(p->staging, &here) == -1 || fstat(p->parent, &there) == -1)
		return msg_set_errno(m, "read", p->path, "cannot look at it");
	if (here.st_dev != there.st_dev)
		return msg_set_at(m, "other-fs", p->path, 0,
		    "is on another file system than the staging directory: "
		    "publish beside that, and copy the bundle");
	return 0;
}

int
publish_open(struct publish *p, struct msg *m)
{
	int rc;

	msg_clear(m);
	if (lock(p, m) == -1)
		return -1;
	if (find_own(p, m) == -1)
		return -1;
	if ((rc = name_known(p, m)) != 0)
		return rc;
	return open_parent(p, m);
}

/* The id an earlier run left, "" if it left none. */
static int
read_mark(struct publish *p, char id[DIGEST_REF], struct msg *m)
{
	struct msg why;
	char *buf;
	size_t n;

	id[0] = '\0';
	msg_clear(&why);
	if (file_slurp(p->staging, PUBLISH_MARK, DIGEST_REF, &buf, &n,
	    &why) == -1) {
		if (why.err == ENOENT)
			return 0;
		*m = why;
		msg_within(m, p->operand);
		return -1;
	}
	(void)snprintf(id, DIGEST_REF, "%.*s", (int)strcspn(buf, "\n"), buf);
	free(buf);
	return 0;
}

static bool
is_empty(const struct publish *p)
{
	static const char *const names[] = { STAGE_JSON, "spool", "bundle",
		PUBLISH_MARK, STAGE_INCOMPLETE };
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fstatat(p->staging, names[i], &st,
		    AT_SYMLINK_NOFOLLOW) == 0)
			return false;
	return true;
}

/* The destination is the bundle that was made here: its verdict. */
static int
take_published(struct publish *p, int fd, struct msg *m)
{
	struct bundle b;

	bundle_init(&b, fd, p->path);
	if (bundle_load(&b, BUNDLE_VALIDATION, m) == -1) {
		bundle_close(&b);
		return -1;
	}
	p->verdict = (enum verdict)b.validation.verdict;
	bundle_close(&b);
	if (fchmod(fd, 0555) == -1)
		return msg_set_errno(m, "write", p->path, "cannot make it "
		    "read-only");
	return 1;
}

int
publish_find(struct publish *p, struct msg *m)
{
	char id[DIGEST_REF];
	struct stat st;
	int fd, rc;

	if (read_mark(p, id, m) == -1)
		return -1;
	if (fstatat(p->parent, p->name, &st, AT_SYMLINK_NOFOLLOW) == -1) {
		if (errno != ENOENT)
			return msg_set_errno(m, "read", p->path,
			    "cannot look at it");
		/* without stage.json, nothing had begun or all has gone */
		if (fstatat(p->staging, STAGE_JSON, &st,
		    AT_SYMLINK_NOFOLLOW) == 0 || (id[0] == '\0' &&
		    fstatat(p->staging, STAGE_INCOMPLETE, &st,
		    AT_SYMLINK_NOFOLLOW) == 0))
			return 0;
		return msg_set_at(m, "no-staging", p->operand, 0,
		    "its bundle was published, and is no longer there");
	}
	fd = openat(p->parent, p->name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	rc = 0;
	if (fd != -1 && (id[0] != '\0' || is_empty(p)) &&
	    sums_id(fd, p->id, m) == 0 &&
	    (id[0] == '\0' || strcmp(id, p->id) == 0))
		rc = take_published(p, fd, m);
	if (fd != -1)
		close(fd);
	if (rc != 0)
		return rc;
	p->id[0] = '\0';
	return msg_set_at(m, "exists", p->path, 0,
	    "exists already: it is not replaced");
}
