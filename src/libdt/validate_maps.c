/* Records of maps against the manifest's libraries and the cohort. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/hash.h"
#include "libdt/validate_pass.h"

/* The manifest's libraries, found by the hashes of path and build-id. */
struct libraries {
	struct pair_map map;
	bool *mapped;
	uint64_t unmaps;
};

static uint64_t
hash(const char *s, size_t n)
{
	return hash_bytes(s, n);
}

static int
maps_begin(struct val_pass *p)
{
	const struct bundle_manifest *m = &p->v->b.manifest;
	struct libraries *s = calloc(1, sizeof(*s));
	const struct bundle_library *l;
	uint64_t path, id;
	size_t i;

	p->state = s;
	if (s == NULL || (s->mapped = calloc(m->libraries.n + 1,
	    sizeof(*s->mapped))) == NULL)
		return msg_set_nomem(p->m);
	for (i = 0; i < m->libraries.n; i++) {
		l = &m->libraries.v[i];
		path = hash(l->path, strlen(l->path));
		id = l->build_id != NULL ? hash(l->build_id,
		    strlen(l->build_id)) : 0;
		if (pair_map_get(&s->map, path, id) != -1)
			s->mapped[i] = true;	/* told as a duplicate */
		else if (pair_map_set(&s->map, path, id, (uint32_t)i) == -1)
			return msg_set_nomem(p->m);
	}
	return 0;
}

/* A mapping of what a member executed last tells its build-id. */
static void
check_exe(struct val_pass *p, const struct value *path,
    const struct value *id)
{
	const struct bundle_member *b;
	struct val_member *m;
	size_t n;

	if (p->member == -1 || p->v->members == NULL)
		return;
	b = &p->v->b.cohort.members.v[p->member];
	m = &p->v->members[p->member];
	n = b->exe_build_id != NULL ? strlen(b->exe_build_id) : 0;
	if (strlen(b->exe) != path->len ||
	    memcmp(b->exe, path->s, path->len) != 0)
		return;
	m->exe_mapped = p->line;
	if (id->given ? id->len == n && memcmp(id->s, b->exe_build_id, n) ==
	    0 : n == 0)
		m->exe_same = true;
}

/* A path, not "[heap]" or perf's "//anon". */
static bool
is_file(const struct value *path)
{
	return path->len > 1 && path->s[0] == '/' && path->s[1] != '/';
}

/* Files, and what has a build-id (the vdso), are libraries. */
static int
maps_record(struct val_pass *p, const struct record *r)
{
	const struct value *path = &r->v[REC_MAP_PATH];
	const struct value *id = &r->v[REC_MAP_BUILD_ID];
	struct libraries *s = p->state;
	ssize_t i;

	if (r->kind == KIND_UNMAP)
		s->unmaps++;
	if (r->kind != KIND_MAP || !p->v->b.have[BUNDLE_MANIFEST] ||
	    (!id->given && !is_file(path)))
		return 0;
	check_exe(p, path, id);
	i = pair_map_get(&s->map, hash(path->s, path->len),
	    id->given ? hash(id->s, id->len) : 0);
	if (i == -1)
		PASS_BAD(p, LIBRARY_UNLISTED, "%.*s with this build-id is no "
		    "library of the manifest", path->len < 200 ?
		    (int)path->len : 200, path->s);
	else
		s->mapped[i] = true;
	return 0;
}

/* Whether records of the family may be missing. */
static bool
lossy(const struct val *v)
{
	const struct bundle_collectors *c = &v->b.collectors;
	const struct bundle_collector *k;
	size_t i;

	for (i = 0; i < c->collectors.n; i++) {
		k = &c->collectors.v[i];
		if (k->family == FAMILY_MAPS && (!k->counters.fired.known ||
		    !k->counters.dropped.known || k->counters.dropped.v > 0 ||
		    k->malformed > 0 || k->errors.n > 0))
			return true;
	}
	return !v->b.have[BUNDLE_COLLECTORS];
}

/*
 * Mappings that are polled are never seen to go; of those that come live, an
 * execve's going away is there.
 */
static void
check_live(struct val_pass *p, uint64_t unmaps)
{
	const struct bundle_capabilities *c = &p->v->b.capabilities;
	bool ran = false;
	size_t i;

	if (!p->v->b.have[BUNDLE_CAPABILITIES] || p->v->members == NULL)
		return;
	for (i = 0; i < c->capabilities.n; i++)
		if (strcmp(c->capabilities.v[i].name, "live-maps") == 0)
			break;
	if (i == c->capabilities.n) {
		val_found(p->v, FINDING_CAPABILITY_MAPS, "capabilities.json",
		    0, "live-maps is not there");
		return;
	}
	if (!c->capabilities.v[i].available) {
		if (unmaps > 0)
			val_found(p->v, FINDING_CAPABILITY_MAPS, p->path, 0,
			    "live-maps was not available, and there are %"
			    PRIu64 " unmap records", unmaps);
		return;
	}
	for (i = 0; i < p->v->b.cohort.members.n; i++)
		ran |= p->v->b.cohort.members.v[i].role == ROLE_TARGET &&
		    p->v->members[i].execs > 0;
	if (ran && p->v->b.manifest.command.mode == MODE_LAUNCH &&
	    unmaps == 0 && !p->bad && !lossy(p->v))
		val_found(p->v, FINDING_CAPABILITY_MAPS, p->path, 0,
		    "live-maps was available, and the target's execve "
		    "unmapped nothing");
}

static int
maps_end(struct val_pass *p)
{
	const struct bundle_manifest *m = &p->v->b.manifest;
	struct libraries *s = p->state;
	size_t i;

	if (s == NULL)
		return 0;
	for (i = 0; s->mapped != NULL && !p->bad && i < m->libraries.n; i++)
		if (!s->mapped[i])
			val_found(p->v, FINDING_LIBRARY_UNMAPPED,
			    "manifest.json", 0, "libraries[%zu] %.200s was "
			    "never mapped", i, m->libraries.v[i].path);
	for (i = 0; p->v->members != NULL && i < p->v->b.cohort.members.n;
	    i++)
		if (p->v->members[i].exe_mapped > 0 &&
		    !p->v->members[i].exe_same)
			val_found(p->v, FINDING_COHORT_BUILD_ID, p->path,
			    p->v->members[i].exe_mapped, "members[%zu]."
			    "exe_build_id is another", i);
	check_live(p, s->unmaps);
	pair_map_free(&s->map);
	free(s->mapped);
	free(s);
	return 0;
}

const struct val_pass_ops val_maps_ops = {
	maps_begin, maps_record, maps_end,
};
