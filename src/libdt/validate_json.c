/* The JSON files loaded, what is wrong in them found. */
#include <string.h>

#include "libdt/validate_impl.h"

struct check {
	struct val *v;
	struct msg *m;
	unsigned errors;
};

static int
check_found(void *arg, const struct msg *m)
{
	struct check *c = arg;

	c->errors += m->level == MSG_ERROR;
	if (val_found_msg(c->v, m) == 0)
		return 0;
	*c->m = *m;
	return -1;
}

static int
load(struct val *v, enum bundle_file f, struct msg *m)
{
	struct check c = { v, m, 0 };
	struct msg_sink sink = { check_found, &c };
	struct msg why;

	if (val_file(v, bundle_file_name(f)) == NULL)
		return 0;
	msg_clear(&why);
	if (bundle_load(&v->b, f, &why) == -1 && v->b.tree[f] == NULL) {
		if (val_found_msg(v, &why) == 0)
			return 0;
		*m = why;
		return -1;
	}
	if (bundle_check(&v->b, f, &sink) == -1)
		return -1;
	if (!v->b.have[f] && c.errors == 0)
		return check_found(&c, &why);
	return 0;
}

/* What could be read of a broken file only in part is not used. */
static void
forget(struct bundle *b)
{
	const struct {
		void *p;
		size_t size;
	} of[BUNDLE_FILES] = {
		[BUNDLE_MANIFEST] = { &b->manifest, sizeof(b->manifest) },
		[BUNDLE_COHORT] = { &b->cohort, sizeof(b->cohort) },
		[BUNDLE_SETTINGS] = { &b->settings, sizeof(b->settings) },
		[BUNDLE_CAPABILITIES] = { &b->capabilities,
		    sizeof(b->capabilities) },
		[BUNDLE_COLLECTORS] = { &b->collectors,
		    sizeof(b->collectors) },
		[BUNDLE_VALIDATION] = { &b->validation,
		    sizeof(b->validation) },
	};
	size_t f;

	for (f = 0; f < BUNDLE_FILES; f++)
		if (!b->have[f])
			memset(of[f].p, 0, of[f].size);
}

int
val_json(struct val *v, struct msg *m)
{
	size_t f;

	for (f = 0; f < BUNDLE_FILES; f++) {
		if (f == BUNDLE_VALIDATION && v->opt->staged)
			continue;
		if (load(v, (enum bundle_file)f, m) == -1)
			return -1;
	}
	forget(&v->b);
	return 0;
}
