/*
 * The whole validator over a bundle made of the input: a line `@PATH` begins
 * each file, `@!` as the first one asks for sums and all that comes with
 * publishing. Whatever it is, there is a verdict, and it can be told.
 */
#include <stdlib.h>

#include "edit.h"
#include "fuzz-dir.h"
#include "libdt/json.h"
#include "libdt/validate.h"

#define FILES_MAX	64

/* The end of the file that begins at p: a newline and an @, or the end. */
static const char *
file_end(const char *p, const char *end)
{
	for (; p < end; p++)
		if (*p == '@' && p[-1] == '\n')
			return p;
	return end;
}

static void
unpack(const char *p, const char *end)
{
	const char *eol, *next;
	char path[256];
	size_t n;
	int files;

	for (files = 0; p < end && *p == '@' && files < FILES_MAX; files++) {
		eol = memchr(p, '\n', (size_t)(end - p));
		if (eol == NULL)
			return;
		n = (size_t)(eol - p) - 1;
		if (n >= sizeof(path))
			n = sizeof(path) - 1;
		memcpy(path, p + 1, n);
		path[n] = '\0';
		next = file_end(eol + 1, end);
		(void)fuzz_dir_put(path, eol + 1, (size_t)(next - eol) - 1);
		p = next;
	}
}

static void
told(const struct validate_result *r)
{
	cJSON *tree = validate_json(r, "fuzz", "0", NULL);
	struct msg m;
	size_t i, n;
	char *text;

	FUZZ_MUST(tree != NULL);
	text = json_print(tree, &n, NULL);
	FUZZ_MUST(text != NULL);
	cJSON_Delete(tree);
	tree = json_parse(text, n, "verdict", &m);
	FUZZ_MUST(tree != NULL);
	cJSON_Delete(tree);
	free(text);
	for (i = 0; i < r->n; i++)
		FUZZ_MUST(finding_by_id(r->list[i].id) != FINDING_COUNT);
	FUZZ_MUST((r->verdict == VERDICT_INVALID) ==
	    (r->count[MSG_ERROR] > 0));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;
	struct validate_opt opt = { .threads = 1, .staged = true };
	struct validate_result r;
	struct msg m = { 0 };

	if (size > 3 && memcmp(p, "@!\n", 3) == 0) {
		opt.staged = false;
		p += 3;
	}
	unpack(p, end);
	if (!opt.staged)
		edit_seal(fuzz_dir());
	if (validate_bundle(fuzz_dir(), "input", &opt, &r, &m) == 0) {
		told(&r);
		validate_free(&r);
	} else
		FUZZ_MUST(m.id != NULL);
	fuzz_dir_empty();
	return 0;
}
