/* final_build(): the steps from a staging directory to a bundle's tree. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/file.h"
#include "libdt/final.h"
#include "libdt/maps.h"
#include "libdt/path.h"
#include "libdt/publish_impl.h"

#define INCOMPLETE_BYTES	65536	/* dt-attach's are of 4096 at most */

char *
final_strdup(struct final *f, const char *s, size_t n, struct msg *m)
{
	char *p = bundle_mem_get(&f->mem, n + 1, 1);

	if (p == NULL) {
		msg_set_nomem(m);
		return NULL;
	}
	memcpy(p, s, n);
	return p;
}

/* What dt-attach was doing when it was killed, " in phase run"; or "". */
static void
phase_read(const struct final *f, char *buf, size_t cap)
{
	char *text, *at;
	size_t n;

	buf[0] = '\0';
	if (file_slurp(f->staging, STAGE_INCOMPLETE, INCOMPLETE_BYTES, &text,
	    &n, NULL) == -1)
		return;
	at = strstr(text, "\nphase: ");
	if (at != NULL)
		(void)snprintf(buf, cap, " in phase %.*s",
		    (int)strcspn(at + 8, "\n"), at + 8);
	free(text);
}

/* A capture that ended before its time is no bundle. */
static int
check_drained(const struct final *f, struct msg *m)
{
	const struct bundle_stage *s = &f->stage.s;
	char phase[64];

	if (s->aborted != NULL) {
		msg_set_at(m, "aborted", STAGE_JSON, 0,
		    "the capture was aborted in phase %s: %.300s",
		    s->aborted->phase, s->aborted->reason);
		return 1;
	}
	if (!s->window.drained.known || !s->window.workload_start.known ||
	    !s->window.workload_done.known) {
		phase_read(f, phase, sizeof(phase));
		msg_set_at(m, "aborted", STAGE_JSON, 0, "the capture was "
		    "never drained: dt-attach was killed%s", phase);
		return 1;
	}
	return 0;
}

static int
make_dirs(struct final *f, struct msg *m)
{
	static const char *const dirs[] = { "raw", "artifacts",
		"artifacts/exe", "artifacts/scripts", "logs", "report" };
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (path_mkdirs(f->tree, dirs[i], 0755, m) == -1)
			return -1;
	return 0;
}

int
final_in_tree(int rc, struct msg *m)
{
	if (rc == -1 && m->path[0] != '\0')
		msg_within(m, PUBLISH_TREE);
	return rc;
}

/* stage.json that cannot be read is an error, one that is broken a "no". */
static int
load_stage(struct final *f, struct msg *m)
{
	if (stage_load(&f->stage, f->staging, m) == 0)
		return check_drained(f, m);
	if (m->err == ENOENT) {
		msg_set(m, "aborted", "dt-attach was killed before the "
		    "capture began: nothing was gathered");
		return 1;
	}
	return m->id != NULL && strncmp(m->id, "json-", 5) == 0 ? 1 : -1;
}

static int
prepare(struct final *f, struct msg *m)
{
	size_t n = f->stage.s.collectors.n, i;

	f->col = calloc(n + 1, sizeof(*f->col));
	f->maps = maps_new();
	if (f->col == NULL || f->maps == NULL)
		return msg_set_nomem(m);
	for (i = 0; i < n; i++)
		f->col[i].st = &f->stage.s.collectors.v[i];
	for (i = 0; i < FAMILY_COUNT; i++) {
		if (!f->stage.requested[i])
			continue;
		f->sort[i] = record_sort_new(f->staging, RECORD_SORT_MEM, m);
		if (f->sort[i] == NULL)
			return -1;
	}
	return 0;
}

int
final_build(struct final *f, int staging, int tree, struct msg *m)
{
	static const struct {
		int (*fn)(struct final *, struct msg *);
		bool tree;	/* it names files of the tree */
	} steps[] = {
		{ prepare, false }, { make_dirs, true },
		{ final_spools, false }, { final_losses, false },
		{ final_cohort, false }, { final_raw, true },
		{ final_keep, false }, { final_json, true },
	};
	size_t i;
	int rc;

	memset(f, 0, sizeof(*f));
	f->staging = staging;
	f->tree = tree;
	bundle_init(&f->b, tree, "bundle");
	rc = load_stage(f, m);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]) && rc == 0; i++)
		rc = steps[i].tree ? final_in_tree(steps[i].fn(f, m), m) :
		    steps[i].fn(f, m);
	return rc;
}

void
final_close(struct final *f)
{
	size_t i;

	for (i = 0; f->col != NULL && i < f->stage.s.collectors.n; i++)
		free(f->col[i].err);
	free(f->col);
	for (i = 0; i < FAMILY_COUNT; i++)
		record_sort_free(f->sort[i]);
	maps_free(f->maps);
	bundle_close(&f->b);
	bundle_mem_free(&f->mem);
	stage_close(&f->stage);
	memset(f, 0, sizeof(*f));
}
