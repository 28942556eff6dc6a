#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/bundle.h"
#include "libdt/member.h"
#include "libdt/stage.h"
#include "libdt/validate.h"
#include "unit.h"

#define BOOT	"01234567-89ab-cdef-0123-456789abcdef"

static struct bundle_member members[] = {
	{ .incarnation = BOOT ":10:1000", .pid = 10, .start = 1000,
	    .start_resolution_ns = 100, .start_source = START_SYSTEM,
	    .role = ROLE_TARGET, .exe = "/bin/a\\x0a" },
	{ .incarnation = BOOT ":11:2000", .pid = 11, .start = 2000,
	    .parent = BOOT ":10:1000", .role = ROLE_DESCENDANT, .exe = "",
	    .died = { true, 3000 }, .exit_status = { true, -9 } },
	{ .incarnation = BOOT ":11:3000", .pid = 11, .start = 3000,
	    .parent = BOOT ":10:1000", .role = ROLE_DESCENDANT, .exe = "",
	    .died = { true, 4000 }, .exit_status = { true, 0 } },
};

static struct bundle_cohort cohort = {
	.schema = "dt-cohort/1", .boot_id = BOOT, .sealed = true,
	.sealed_at = 9000, .members = { members, 3 },
};

static void
test_lookup(void)
{
	static const struct {
		uint64_t pid, ts;
		int want;
	} t[] = {
		{ 10, 899, -1 }, { 10, 900, 0 }, { 10, 9000, 0 },
		{ 10, 9001, -1 }, { 11, 1999, -1 }, { 11, 2000, 1 },
		{ 11, 2999, 1 }, { 11, 3000, 2 }, { 11, 4000, 2 },
		{ 11, 4001, -1 }, { 9, 3000, -1 }, { 12, 3000, -1 },
	};
	struct msg m;
	size_t i;

	CHECK_INT(bundle_cohort_index(&cohort,
	    (struct maybe_u64){ true, 9000 }, &m), 0);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		CHECK_INT(bundle_member_at(&cohort, t[i].pid, t[i].ts),
		    t[i].want);
	CHECK_INT(bundle_member_before(&cohort, 11, 5000), 2);
	CHECK_INT(bundle_member_before(&cohort, 11, 1999), -1);
	CHECK_INT(bundle_member_before(&cohort, 12, 5000), -1);
	bundle_cohort_unindex(&cohort);
}

static int
count_ids(void *arg, const struct msg *m)
{
	char *ids = arg;

	strcat(strcat(ids, m->id), " ");
	return 0;
}

/* Writes cohort.json, changed by from -> to, and reads it again. */
static void
reload(int dir, const char *from, const char *to, const char *want,
    const char *all)
{
	struct bundle b = { .cohort = cohort };
	struct msg m;
	char *text, *at, *out, ids[200] = "";
	struct msg_sink sink = { count_ids, ids };
	cJSON *tree = bundle_build(&b, BUNDLE_COHORT, &m);
	size_t n, head;
	int fd;

	text = json_print(tree, &n, &m);
	cJSON_Delete(tree);
	at = strstr(text, from);
	if (at == NULL)
		abort();
	head = (size_t)(at - text);
	if (asprintf(&out, "%.*s%s%s", (int)head, text, to,
	    at + strlen(from)) == -1)
		abort();
	fd = openat(dir, "cohort.json", O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (fd == -1 || write(fd, out, strlen(out)) != (ssize_t)strlen(out))
		abort();
	close(fd);
	bundle_init(&b, dir, "b");
	msg_clear(&m);
	CHECK_INT(bundle_load(&b, BUNDLE_COHORT, &m), want[0] ? -1 : 0);
	CHECK_STR(m.id != NULL ? m.id : "", want);
	if (b.tree[BUNDLE_COHORT] != NULL)
		CHECK_INT(bundle_check(&b, BUNDLE_COHORT, &sink), 0);
	CHECK_STR(ids, all);
	if (b.have[BUNDLE_COHORT]) {
		CHECK_INT(b.cohort.members.n, 3);
		CHECK_STR(b.cohort.members.v[0].exe, "/bin/a\\x0a");
		CHECK_INT(b.cohort.members.v[1].exit_status.v, -9);
		CHECK(!b.cohort.members.v[0].died.known);
		CHECK(b.cohort.members.v[0].parent == NULL);
	}
	bundle_close(&b);
	free(out);
	free(text);
}

/* Who reads a bundle after its verdict can tell whether it changed. */
static void
test_still(int dir)
{
	struct validate_opt opt = { .quick = true };
	struct validate_result r;
	struct msg m;
	int fd;

	CHECK_INT(validate_bundle(dir, "b", &opt, &r, &m), 0);
	CHECK_INT(r.verdict, VERDICT_INVALID);
	CHECK_INT(validate_still(dir, &r, &m), 0);
	fd = openat(dir, "cohort.json", O_CREAT | O_APPEND | O_WRONLY, 0600);
	CHECK_INT(write(fd, " ", 1), 1);
	CHECK_INT(close(fd), 0);
	CHECK_INT(validate_still(dir, &r, &m), -1);
	CHECK_STR(m.id, "layout-changed");
	validate_free(&r);
	CHECK_INT(validate_bundle(dir, "b", &opt, &r, &m), 0);
	CHECK_INT(renameat(dir, "cohort.json", dir, "other.json"), 0);
	CHECK_INT(validate_still(dir, &r, &m), -1);
	CHECK_STR(m.id, "layout-changed");
	validate_free(&r);
	CHECK_INT(unlinkat(dir, "other.json", 0), 0);
}

static void
test_json(void)
{
	char dir[] = "/tmp/unit-bundle.XXXXXX";
	int fd;

	if (mkdtemp(dir) == NULL || (fd = open(dir, O_RDONLY)) == -1)
		abort();
	reload(fd, "dt-cohort/1", "dt-cohort/1", "", "");
	reload(fd, "dt-cohort/1", "dt-cohort/2", "json-schema",
	    "json-schema ");
	reload(fd, "\"sealed\"", "\"more\": 1, \"sealed\"", "",
	    "json-unknown ");
	reload(fd, "\"pid\"", "\"dip\"", "json-missing",
	    "json-missing json-unknown ");
	reload(fd, "\"role\":\t\"target\"", "\"role\": \"boss\"",
	    "json-value", "json-value ");
	reload(fd, "system", "System", "json-value", "json-value ");
	reload(fd, "\"pid\":\t10", "\"pid\": 0", "json-range",
	    "json-range ");
	reload(fd, "\"pid\":\t10", "\"pid\": \"10\"", "json-type",
	    "json-type ");
	reload(fd, "a\\\\x0a", "a\\\\x41", "json-escape", "json-escape ");
	reload(fd, ":10:1000", ":010:1000", "json-format", "json-format ");
	test_still(fd);
	rmdir(dir);
	close(fd);
}

/* Every struct member is where the table says, and as large. */
static void
test_tables(void)
{
	static const size_t sizes[] = {
		[MEMBER_U64] = 8, [MEMBER_I64] = 8, [MEMBER_BOOL] = 1,
		[MEMBER_WORD] = 4, [MEMBER_FAMILY] = 4,
		[MEMBER_LIST] = 16, [MEMBER_STRS] = 16, [MEMBER_NUMS] = 16,
	};
	const struct member_object *o;
	const struct member *f;
	size_t i, j, end, size;

	for (i = 1; i < OBJECT_COUNT; i++) {
		o = member_object((enum member_object_id)i);
		CHECK(o->n > 0);
		for (j = 0; j < o->n; j++) {
			f = &o->members[j];
			end = j + 1 < o->n ? o->members[j + 1].offset : o->size;
			size = f->type < sizeof(sizes) / sizeof(sizes[0]) ?
			    sizes[f->type] : 0;
			if (f->type == MEMBER_OBJ)
				size = member_object(f->sub)->size;
			if (f->need != MEMBER_REQ && size == 8)
				size = 16;
			CHECK(f->offset + (size ? size : 8) <= end ||
			    end < f->offset);
			CHECK(f->text[0] != '\0');
		}
	}
}

int
main(void)
{
	test_tables();
	test_lookup();
	test_json();
	return unit_end();
}
