#include "libdt/bundle.h"
#include "libdt/record.h"
#include "libdt/schema.h"
#include "unit.h"

static void
test_tables(void)
{
	const struct schema_kind_info *k;
	const struct schema_col *c;
	size_t i, j;

	for (i = 0; i < KIND_COUNT; i++) {
		k = schema_kind((enum schema_kind)i);
		CHECK_INT(schema_kind_find(k->name, strlen(k->name)), i);
		CHECK_INT(schema_ncols((enum schema_kind)i),
		    REC_PREFIX + k->ncols);
		CHECK(schema_col((enum schema_kind)i,
		    REC_PREFIX + k->ncols) == NULL);
		for (j = 0; j < REC_PREFIX + k->ncols; j++) {
			c = schema_col((enum schema_kind)i, j);
			CHECK_INT(schema_col_find((enum schema_kind)i,
			    c->name), j);
			CHECK((c->type == TYPE_ENUM) == (c->set[0] != '\0'));
		}
		for (j = 0; j < k->nspool; j++)
			CHECK(k->spool[j].to < (int)(REC_PREFIX + k->ncols));
	}
	for (i = 0; i < FAMILY_COUNT; i++)
		CHECK_INT(schema_family_find(schema_family(i)->name,
		    strlen(schema_family(i)->name)), i);
	CHECK_INT(schema_family_find("cpus", 4), -1);
	CHECK_INT(schema_kind_find("", 0), -1);
}

static void
test_columns(void)
{
	const struct schema_kind_info *k = schema_kind(KIND_SYSCALL);

	CHECK_INT(REC_PREFIX, 7);
	CHECK_INT(REC_SYSCALL_DUR, 7);
	CHECK_INT(REC_SYSCALL_COLS, 13);
	CHECK_INT(k->ncols, 6);
	CHECK_STR(schema_col(KIND_SYSCALL, REC_SYSCALL_ERRNO)->name, "errno");
	CHECK_STR(schema_col(KIND_OVF, REC_OVF_WHY)->name, "why");
	CHECK_INT(schema_kind(KIND_CTX_INSTALL)->ncols, 0);
	CHECK_INT(schema_kind(KIND_CTX_INSTALL)->nspool, 2);
	CHECK_INT(k->nspool, 6);
	CHECK_STR(k->spool[2].col.name, "ARG0");
	CHECK_INT(k->spool[2].to, REC_NONE);
	CHECK(schema_kind(KIND_CPU_SAMPLE)->flags & KIND_FRAMES);
	CHECK(schema_kind_in(KIND_OVF, FAMILY_IO));
	CHECK(!schema_kind_in(KIND_SYSCALL, FAMILY_IO));
}

static void
test_words(void)
{
	size_t len;

	CHECK_INT(schema_word_find("ok|error|cancel", "error", 5), 1);
	CHECK_INT(schema_word_find("ok|error|cancel", "err", 3), -1);
	CHECK_INT(schema_word_find("ok|error|cancel", "", 0), -1);
	CHECK(schema_word("a|b", 2, &len) == NULL);
	CHECK(*schema_word("a|b", 1, &len) == 'b' && len == 1);
}

int
main(void)
{
	test_tables();
	test_columns();
	test_words();
	return unit_end();
}
