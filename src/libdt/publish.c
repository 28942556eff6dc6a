/* Publishing: the steps from staging to a published bundle, in order. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/file.h"
#include "libdt/final.h"
#include "libdt/path.h"
#include "libdt/publish.h"
#include "libdt/publish_impl.h"
#include "libdt/report.h"
#include "libdt/rmtree.h"
#include "libdt/sums.h"

static void
step(const struct publish *p, const char *what)
{
	if (p->step != NULL)
		p->step(p->step_arg, what);
}

/* -1 for a file of staging's: it is named as it is found from here. */
static int
in_staging(const struct publish *p, const char *dir, struct msg *m)
{
	if (m->path[0] == '\0' || strcmp(m->path, p->operand) == 0)
		return -1;
	if (dir != NULL)
		msg_within(m, dir);
	msg_within(m, p->operand);
	return -1;
}

static int
in_tree(const struct publish *p, struct msg *m)
{
	return in_staging(p, PUBLISH_TREE, m);
}

/* Step 1: raw/, the JSON files, artifacts/ and logs/, from scratch. */
static int
build(struct publish *p, struct msg *m)
{
	struct final f;
	int rc;

	step(p, "reading the spools");
	if (rmtree(p->staging, PUBLISH_TREE, m) == -1)
		return in_staging(p, NULL, m);
	if (mkdirat(p->staging, PUBLISH_TREE, 0700) == -1)
		msg_set_errno(m, "write", PUBLISH_TREE, "cannot make");
	else
		p->tree = path_open_dir(p->staging, PUBLISH_TREE, m);
	if (p->tree == -1)
		return in_staging(p, NULL, m);
	rc = final_build(&f, p->staging, p->tree, m);
	if (rc != 0)
		(void)in_staging(p, NULL, m);
	final_close(&f);
	return rc;
}

/* Steps 2 and 5: the verdict; invalid is 1, its findings go to the sink. */
static int
judge(struct publish *p, bool staged, struct validate_result *r,
    struct msg *m)
{
	struct validate_opt opt = { .staged = staged };

	step(p, "validating");
	if (validate_bundle(p->tree, p->path, &opt, r, m) == -1)
		return in_tree(p, m);
	if (r->verdict != VERDICT_INVALID)
		return 0;
	(void)validate_tell(r, p->path, p->sink);
	msg_set_at(m, "invalid", p->operand, 0,
	    "the bundle would be invalid: it is not published");
	return 1;
}

/* Step 3: validation.json, then report/, which quotes it. */
static int
describe(struct publish *p, const struct validate_result *r, struct msg *m)
{
	cJSON *tree = validate_json(r, FINAL_TOOL, PACKAGE_VERSION, m);
	struct bundle b;
	int rc;

	if (tree == NULL)
		return -1;
	rc = json_write(p->tree, "validation.json", tree, 0644, m);
	cJSON_Delete(tree);
	if (rc == -1)
		return in_tree(p, m);
	step(p, "reporting");
	if (bundle_open(&b, p->tree, p->path, true, m) == -1)
		return in_tree(p, m);
	rc = report_write(&b, p->tree, m);
	bundle_close(&b);
	return rc == 0 ? 0 : in_tree(p, m);
}

/* Step 4: both lists. */
static int
sum(struct publish *p, struct msg *m)
{
	struct sums_options o = { .bundle = true };
	int rc;

	step(p, "summing");
	rc = sums_make(p->tree, &o, p->sink, p->id, m);
	if (rc == 1)
		return msg_set_at(m, "sums", p->operand, 0,
		    "the checksum lists cannot be made");
	return rc == -1 ? in_tree(p, m) : rc;
}

/* The verdict on the whole must be the one that is written in it. */
static int
agree(const struct publish *p, const struct validate_result *a,
    const struct validate_result *b, struct msg *m)
{
	if (a->verdict == b->verdict && strcmp(b->id, p->id) == 0 &&
	    memcmp(a->count, b->count, sizeof(a->count)) == 0)
		return 0;
	(void)validate_tell(b, p->path, p->sink);
	return msg_set_at(m, "disagree", p->operand, 0,
	    "the finished bundle is not judged as its records were");
}

/*
 * The publish sequence. Whatever ends it, and wherever: up to the rename
 * there is no bundle of that name, and staging has all that was measured;
 * from the rename on there is a whole and valid one.
 */
static int
sequence(struct publish *p, struct msg *m)
{
	struct validate_result records = { 0 }, whole = { 0 };
	int rc;

	if ((rc = build(p, m)) == 0 &&
	    (rc = judge(p, true, &records, m)) == 0 &&
	    (rc = describe(p, &records, m)) == 0 &&
	    (rc = sum(p, m)) == 0 &&
	    (rc = judge(p, false, &whole, m)) == 0 &&
	    (rc = agree(p, &records, &whole, m)) == 0 &&
	    (rc = publish_seal(p, m)) == 0 &&
	    (rc = publish_mark(p, m)) == 0 &&
	    (rc = publish_complete(p, m)) == 0 &&
	    (rc = publish_rename(p, m)) == 0) {
		p->verdict = whole.verdict;
		(void)validate_tell(&whole, p->path, p->sink);
	}
	validate_free(&records);
	validate_free(&whole);
	return rc;
}

int
publish(struct publish *p, const char *staging, struct msg *m)
{
	int rc;

	p->operand = staging;
	p->staging = p->beside = p->parent = p->tree = -1;
	if ((rc = publish_open(p, m)) != 0)
		return rc;
	if ((rc = publish_find(p, m)) != 0)
		return rc == 1 ? 0 : -1;
	rc = sequence(p, m);
	if (m != NULL && rc != 0)
		(void)msg_at(m, staging, 0);
	return rc;
}

int
publish_clean(struct publish *p, struct msg *m)
{
	/* the mark goes last: without it nobody would know what is gone */
	if (rmtree_empty(p->staging, PUBLISH_MARK, m) == -1 ||
	    rmtree_empty(p->staging, NULL, m) == -1)
		return in_staging(p, NULL, m);
	if (unlinkat(p->beside, p->own, AT_REMOVEDIR) == -1)
		return msg_set_errno(m, "write", p->operand, "cannot remove");
	return 0;
}

void
publish_close(struct publish *p)
{
	if (p->tree != -1)
		close(p->tree);
	if (p->parent != -1)
		close(p->parent);
	if (p->beside != -1)
		close(p->beside);
	if (p->staging != -1)
		close(p->staging);	/* and the lock with it */
	free(p->path);
	free(p->name);
	free(p->own);
	p->path = p->name = p->own = NULL;
	p->tree = p->parent = p->beside = p->staging = -1;
}
