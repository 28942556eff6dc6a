/*
 * JSON: what is taken must be printed and read again as the same, and its
 * canonical form must be its own canonical form.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "libdt/json.h"

static char *
canonical(const char *text, size_t n)
{
	cJSON *tree = json_parse(text, n, "again", NULL);
	size_t len;
	char *s;

	FUZZ_MUST(tree != NULL);
	s = json_canonical(tree, NULL, &len, NULL);
	FUZZ_MUST(s != NULL);
	cJSON_Delete(tree);
	return s;
}

/* Every accessor at every node, whatever it is. */
static void
ask(const struct json_ref *ref)
{
	struct json_ref e;
	const char *s;
	struct msg m;
	uint64_t u;
	int64_t i;
	size_t n;
	double d;
	char *p;
	bool b;

	(void)json_get_u64(ref, NULL, &u, &m);
	(void)json_get_i64(ref, NULL, &i, &m);
	(void)json_get_double(ref, NULL, &d, &m);
	(void)json_get_bool(ref, NULL, &b, &m);
	(void)json_get_str(ref, "a", &s, &m);
	if (json_get_bytes(ref, NULL, &p, &n, &m) == 0)
		free(p);
	for (b = json_first(ref, &e); b; b = json_next(&e))
		ask(&e);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct msg m = { 0 };
	struct json_ref root;
	char *text, *a, *b;
	size_t len;
	cJSON *tree;

	tree = json_parse((const char *)data, size, "input", &m);
	if (tree == NULL) {
		FUZZ_MUST(m.id != NULL && m.text[0] != '\0');
		return 0;
	}
	root = json_root(tree, "input");
	ask(&root);
	text = json_print(tree, &len, &m);
	FUZZ_MUST(text != NULL);
	a = canonical((const char *)data, size);
	b = canonical(text, len);
	FUZZ_MUST(strcmp(a, b) == 0);
	free(b);
	b = canonical(a, strlen(a));
	FUZZ_MUST(strcmp(a, b) == 0);
	free(a);
	free(b);
	free(text);
	cJSON_Delete(tree);
	return 0;
}
