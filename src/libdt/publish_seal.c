/* Publishing: modes set, files synced, the rename. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/file.h"
#include "libdt/path.h"
#include "libdt/publish_impl.h"
#include "libdt/stage.h"

struct sealing {
	int tree;
	struct msg *m;
};

/* Mode and data of one file or directory, on to the disk. */
static int
seal_one(void *arg, const struct path_entry *e)
{
	struct sealing *s = arg;
	bool dir = e->type == PATH_DIR;
	int fd, rc = 0;

	if (e->err != 0) {
		errno = e->err;
		return msg_set_errno(s->m, "read", e->path, "cannot look at");
	}
	fd = dir ? path_open_dir(s->tree, e->path, s->m) :
	    path_open_file(s->tree, e->path, NULL, s->m);
	if (fd == -1)
		return -1;
	if (fchmod(fd, dir ? 0555 : 0444) == -1)
		rc = msg_set_errno(s->m, "write", e->path,
		    "cannot make it read-only");
	else if (fsync(fd) == -1)
		rc = msg_set_errno(s->m, "write", e->path, "cannot sync");
	if (close(fd) == -1 && rc == 0)
		rc = msg_set_errno(s->m, "write", e->path, "cannot close");
	return rc;
}

/*
 * The top directory stays writable by its owner until it has been renamed:
 * only then may `..` in it change, unless one is root.
 */
int
publish_seal(struct publish *p, struct msg *m)
{
	struct sealing s = { p->tree, m };

	if (path_walk(p->tree, NULL, seal_one, &s, m) != 0) {
		msg_within(m, PUBLISH_TREE);
		msg_within(m, p->operand);
		return -1;
	}
	if (fchmod(p->tree, 0755) == -1)
		return msg_set_errno(m, "write", p->operand,
		    "cannot set the bundle's mode");
	return path_sync_dir(p->tree, ".", m);
}

int
publish_mark(struct publish *p, struct msg *m)
{
	char text[DIGEST_REF + 1];
	int n = snprintf(text, sizeof(text), "%s\n", p->id);

	if (file_put(p->staging, PUBLISH_MARK, text, (size_t)n, 0600, m) ==
	    -1) {
		msg_within(m, p->operand);
		return -1;
	}
	return path_sync_dir(p->staging, ".", m);
}

int
publish_complete(struct publish *p, struct msg *m)
{
	if (unlinkat(p->staging, STAGE_INCOMPLETE, 0) == -1 &&
	    errno != ENOENT)
		return msg_set_errno(m, "write", p->operand,
		    "cannot remove " STAGE_INCOMPLETE);
	return path_sync_dir(p->staging, ".", m);
}

/* It is not complete after all. That it says so is worth a try, no more. */
static void
put_back(struct publish *p, const struct msg *m)
{
	char text[MSG_TEXT_SIZE + 64];
	int n = snprintf(text, sizeof(text),
	    "dt-staging 1\nphase: publish\nreason: %s\n", m->text);

	(void)file_put(p->staging, STAGE_INCOMPLETE, text, (size_t)n, 0600,
	    NULL);
}

static int
rename_error(struct publish *p, struct msg *m)
{
	switch (m->err) {
	case EEXIST:
		msg_set_at(m, "exists", p->path, 0,
		    "exists already: it is not replaced");
		break;
	case EXDEV:
		msg_set_at(m, "other-fs", p->path, 0,
		    "is on another file system than the staging directory: "
		    "publish beside that, and copy the bundle");
		break;
	default:
		errno = m->err;
		msg_set_errno(m, "rename", p->path,
		    "cannot rename the bundle to it");
	}
	put_back(p, m);
	return -1;
}

int
publish_rename(struct publish *p, struct msg *m)
{
	if (file_rename_noreplace(p->staging, PUBLISH_TREE, p->parent,
	    p->name, m) == -1)
		return rename_error(p, m);
	if (fchmod(p->tree, 0555) == -1)
		return msg_set_errno(m, "write", p->path,
		    "published, but cannot make it read-only");
	if (path_sync_dir(p->parent, ".", m) == -1)
		return msg_at(m, p->path, 0);
	return 0;
}
