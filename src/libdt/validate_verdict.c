/* validation.json: made, and compared with what is found. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libdt/esc.h"
#include "libdt/validate_impl.h"

#define FILE_NAME	"validation.json"

/* Told of this copy of the bundle, not of what it holds. */
static bool
local(const struct msg *m)
{
	return strcmp(m->id, finding_table[FINDING_LAYOUT_HARDLINK].id) == 0;
}

static bool
same_finding(const struct bundle_finding *a, const struct msg *b, bool text)
{
	char path[ESC_GROWTH * MSG_PATH_SIZE], t[ESC_GROWTH * MSG_TEXT_SIZE];

	(void)esc_encode(path, sizeof(path), b->path, strlen(b->path));
	(void)esc_encode(t, sizeof(t), b->text, strlen(b->text));
	return strcmp(a->id, b->id) == 0 &&
	    a->level == (int)(MSG_ERROR - b->level) &&
	    strcmp(a->path != NULL ? a->path : "", path) == 0 &&
	    (a->line.known ? a->line.v : 0) == b->line &&
	    (!text || strcmp(a->text, t) == 0);
}

static void
check_findings(struct val *v, const struct validate_result *r)
{
	const struct bundle_validation *b = &v->b.validation;
	size_t i, k = 0;

	for (i = 0; i < r->n; i++) {
		if (local(&r->list[i]))
			continue;
		if (k == b->findings.n || !same_finding(&b->findings.v[k],
		    &r->list[i], true)) {
			val_found(v, FINDING_VALIDATION_FINDINGS, FILE_NAME,
			    0, "findings[%zu] is not the %s of %.200s", k,
			    r->list[i].id, r->list[i].path);
			return;
		}
		k++;
	}
	if (k < b->findings.n)
		val_found(v, FINDING_VALIDATION_FINDINGS, FILE_NAME, 0,
		    "findings[%zu] is not found any more", k);
	else if (b->counts.error != r->count[MSG_ERROR] ||
	    b->counts.loss != r->count[MSG_LOSS] ||
	    b->counts.warning != r->count[MSG_WARNING] -
	    r->by_id[FINDING_LAYOUT_HARDLINK] ||
	    b->counts.note != r->count[MSG_NOTE])
		val_found(v, FINDING_VALIDATION_FINDINGS, FILE_NAME, 0,
		    "counts are not those of the findings");
}

static void
check_tool(struct val *v)
{
	const struct bundle_validation *b = &v->b.validation;
	const struct bundle_manifest *m = &v->b.manifest;

	if (m->tools.n == 2 &&
	    strcmp(m->tools.v[1].name, b->tool.name) == 0 &&
	    strcmp(m->tools.v[1].version, b->tool.version) == 0)
		return;
	val_found(v, FINDING_VALIDATION_TOOL, FILE_NAME, 0,
	    "tool is %.64s %.64s", b->tool.name, b->tool.version);
}

/*
 * What is broken now was not when validation.json was written, so that its
 * verdict is compared only where nothing is.
 */
void
val_verdict(struct val *v, const struct validate_result *r)
{
	const struct bundle_validation *b = &v->b.validation;

	if (v->opt->staged || !v->b.have[BUNDLE_VALIDATION] ||
	    !v->b.have[BUNDLE_MANIFEST] || v->opt->quick ||
	    r->verdict == VERDICT_INVALID)
		return;
	check_tool(v);
	/* another tool may have found more or less, but no better verdict */
	if (!val_own(v) && b->verdict >= (int)r->verdict)
		return;
	if (b->verdict != (int)r->verdict)
		val_found(v, FINDING_VALIDATION_VERDICT, FILE_NAME, 0,
		    "verdict is not %s", verdict_name(r->verdict));
	else
		check_findings(v, r);
}

static char *
escaped(const char *s)
{
	size_t n = esc_encode(NULL, 0, s, strlen(s)) + 1;
	char *p = malloc(n);

	if (p != NULL)
		(void)esc_encode(p, n, s, strlen(s));
	return p;
}

static int
fill(struct bundle_finding *f, const struct msg *m)
{
	f->id = m->id;
	f->level = (int)(MSG_ERROR - m->level);
	f->line = (struct maybe_u64){ m->line > 0, m->line };
	f->path = escaped(m->path);
	f->text = escaped(m->text);
	return f->path != NULL && f->text != NULL ? 0 : -1;
}

cJSON *
validate_json(const struct validate_result *r, const char *tool,
    const char *version, struct msg *m)
{
	struct bundle b;
	struct bundle_validation *v = &b.validation;
	cJSON *tree = NULL;
	size_t i;
	int rc = 0;

	bundle_init(&b, -1, tool);
	v->schema = bundle_file_schema(BUNDLE_VALIDATION);
	v->tool = (struct bundle_tool){ tool, version };
	v->verdict = (int)r->verdict;
	v->counts = (struct bundle_counts){ r->count[MSG_ERROR],
	    r->count[MSG_LOSS], r->count[MSG_WARNING], r->count[MSG_NOTE] };
	v->findings.v = calloc(r->n + 1, sizeof(*v->findings.v));
	if (v->findings.v == NULL)
		rc = -1;
	for (i = 0; rc == 0 && i < r->n; i++, v->findings.n++)
		rc = fill(&v->findings.v[i], &r->list[i]);
	if (rc == -1)
		msg_set_nomem(m);
	else
		tree = bundle_build(&b, BUNDLE_VALIDATION, m);
	for (i = 0; v->findings.v != NULL && i < r->n; i++) {
		free((void *)(uintptr_t)v->findings.v[i].path);
		free((void *)(uintptr_t)v->findings.v[i].text);
	}
	free(v->findings.v);
	return tree;
}
