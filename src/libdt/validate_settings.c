/* The hash of settings.json; what capabilities.json says. */
#include <stdlib.h>
#include <string.h>

#include "libdt/validate_impl.h"

static int
check_hash(struct val *v, struct msg *m)
{
	const struct bundle_settings *s = &v->b.settings;
	char ref[DIGEST_REF];
	const cJSON *knobs = cJSON_GetObjectItemCaseSensitive(
	    v->b.tree[BUNDLE_SETTINGS], "settings");

	if (json_hash(knobs, NULL, ref, m) == -1)
		return -1;
	if (strcmp(ref, s->sha256) != 0)
		val_found(v, FINDING_SETTINGS_HASH, "settings.json", 0,
		    "sha256 is not that of settings, which is %s", ref);
	else if (v->b.have[BUNDLE_MANIFEST] &&
	    strcmp(v->b.manifest.settings_sha256, s->sha256) != 0)
		val_found(v, FINDING_SETTINGS_MANIFEST, "manifest.json", 0,
		    "settings_sha256 is not settings.json's sha256");
	return 0;
}

static int
name_cmp(const void *a, const void *b)
{
	const struct bundle_capability *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int
check_capabilities(struct val *v, struct msg *m)
{
	const struct bundle_capabilities *c = &v->b.capabilities;
	const struct bundle_capability **p, *k;
	size_t i, n = c->capabilities.n;

	if ((p = calloc(n + 1, sizeof(*p))) == NULL)
		return msg_set_nomem(m);
	for (i = 0; i < n; i++) {
		p[i] = k = &c->capabilities.v[i];
		if (!k->available &&
		    (k->reason == NULL || k->reason[0] == '\0'))
			val_found(v, FINDING_CAPABILITY_REASON,
			    "capabilities.json", 0,
			    "%.100s is not available for no reason", k->name);
	}
	qsort(p, n, sizeof(*p), name_cmp);
	for (i = 1; i < n; i++)
		if (strcmp(p[i - 1]->name, p[i]->name) == 0)
			val_found(v, FINDING_CAPABILITY_DUPLICATE,
			    "capabilities.json", 0, "%.100s is there twice",
			    p[i]->name);
	free(p);
	return 0;
}

int
val_settings(struct val *v, struct msg *m)
{
	if (v->b.have[BUNDLE_SETTINGS] && check_hash(v, m) == -1)
		return -1;
	if (v->b.have[BUNDLE_CAPABILITIES])
		return check_capabilities(v, m);
	return 0;
}
