/*
 * The bundle's JSON files: the first byte chooses which. What is loaded in
 * order must be built and loaded again as the same.
 */
#include <stdlib.h>

#include "fuzz-dir.h"
#include "libdt/bundle.h"

static int
found(void *arg, const struct msg *m)
{
	unsigned *errors = arg;

	FUZZ_MUST(m->id != NULL);
	*errors += m->level == MSG_ERROR;
	return 0;
}

/* The text of what was loaded. */
static char *
built(const struct bundle *b, enum bundle_file f, size_t *len)
{
	cJSON *tree = bundle_build(b, f, NULL);
	char *text;

	FUZZ_MUST(tree != NULL);
	text = json_print(tree, len, NULL);
	FUZZ_MUST(text != NULL);
	cJSON_Delete(tree);
	return text;
}

static void
again(const struct bundle *b, enum bundle_file f)
{
	size_t n, k;
	char *one = built(b, f, &n), *two;
	struct bundle c;
	struct msg m;

	FUZZ_MUST(fuzz_dir_put(bundle_file_name(f), one, n));
	bundle_init(&c, fuzz_dir(), "again");
	FUZZ_MUST(bundle_load(&c, f, &m) == 0);
	two = built(&c, f, &k);
	FUZZ_MUST(n == k && memcmp(one, two, n) == 0);
	bundle_close(&c);
	free(one);
	free(two);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned errors = 0;
	struct msg_sink sink = { found, &errors };
	enum bundle_file f;
	struct bundle b;
	struct msg m;

	if (size == 0)
		return 0;
	f = data[0] % BUNDLE_FILES;
	FUZZ_MUST(fuzz_dir_put(bundle_file_name(f), data + 1, size - 1));
	bundle_init(&b, fuzz_dir(), "input");
	if (bundle_load(&b, f, &m) == 0) {
		FUZZ_MUST(b.have[f]);
		FUZZ_MUST(bundle_check(&b, f, &sink) == 0 && errors == 0);
		again(&b, f);
	} else {
		FUZZ_MUST(m.id != NULL);
		if (b.tree[f] != NULL) {
			FUZZ_MUST(bundle_check(&b, f, &sink) == 0);
			FUZZ_MUST(errors > 0);
		}
	}
	bundle_close(&b);
	fuzz_dir_empty();
	return 0;
}
