#include <unistd.h>

#include "libdt/json.h"
#include "unit.h"

static cJSON *
parse(const char *s, struct msg *m)
{
	msg_clear(m);
	return json_parse(s, strlen(s), "f.json", m);
}

static void
refused_n(const char *s, size_t n, const char *id, uint64_t line)
{
	struct msg m = { 0 };
	cJSON *t = json_parse(s, n, "f.json", &m);

	if (t != NULL || m.id == NULL || strcmp(m.id, id) != 0 ||
	    m.line != line || strcmp(m.path, "f.json") != 0) {
		unit_fail(__FILE__, __LINE__, s);
		printf("\tgot %s line %ju, want %s line %ju\n",
		    m.id != NULL ? m.id : "nothing", (uintmax_t)m.line, id,
		    (uintmax_t)line);
	} else {
		unit_good++;
	}
	cJSON_Delete(t);
}

static void
refused(const char *s, const char *id, uint64_t line)
{
	refused_n(s, strlen(s), id, line);
}

static void
test_refused(void)
{
	static const char *const syntax[] = { "", " ", "{", "[1,]",
	    "{\"a\":1,}", "{a:1}", "01", "-", "1.", ".5", "1e", "+1", "nul", "\"\\q\"",
	    "\"\\u12g4\"", "\"a", "[1 2]", "{\"a\" 1}", "'a'", "\"a\tb\"",
	    "NaN", "\xef\xbb\xbf{}", "//x\n1", "[", "{\"a\":" };
	size_t i;

	for (i = 0; i < sizeof(syntax) / sizeof(syntax[0]); i++)
		refused(syntax[i], "json-syntax", 1);
	refused("{\n\"a\": 1,\n\"b\": tru\n}", "json-syntax", 3);
	refused("{} x", "json-trailing", 1);
	refused("{}\n{}", "json-trailing", 2);
	refused_n("{}\0", 3, "json-trailing", 1);
	refused_n("\"a\0b\"", 5, "json-nul", 1);
	refused_n("[\0]", 3, "json-nul", 1);
	refused("\"\\u0000\"", "json-nul", 1);
	refused("\"\xff\"", "json-utf8", 1);
	refused("\"\xed\xa0\x80\"", "json-utf8", 1);
	refused("\"\\ud800\"", "json-utf8", 1);
	refused("\"\\udc00\\ud800\"", "json-utf8", 1);
	refused("{\"a\":1,\n\"b\":2,\n\"a\":3}", "json-duplicate", 3);
	refused("[{\"x\":{\"a\":1,\"\\u0061\":2}}]", "json-duplicate", 1);
	refused("{\"k\":[[{\"\":1,\"\":2}]]}", "json-duplicate", 1);
	refused("1000000000000000000000000000000000000000000000000000000"
	    "0000000000", "json-syntax", 1);
}

static void
test_depth(void)
{
	size_t n = 100000;
	char *s = malloc(2 * n + 1);
	struct msg m;
	cJSON *t;

	if (s == NULL)
		exit(1);
	memset(s, '[', n);
	memset(s + n, ']', n);
	s[2 * n] = '\0';
	refused(s, "json-depth", 1);
	t = json_parse(s + n - JSON_DEPTH_MAX, 2 * JSON_DEPTH_MAX, "f.json",
	    &m);
	CHECK(t != NULL);
	cJSON_Delete(t);
	free(s);
}

static void
test_nodes(void)
{
	size_t n = 3u << 20, i;
	char *s = malloc(n);

	if (s == NULL)
		exit(1);
	for (i = 0; i + 1 < n; i += 2)
		memcpy(s + i, "0,", 2);
	s[0] = '[';
	s[1] = '0';
	s[2] = ',';
	s[3] = '0';
	s[4] = ',';
	for (i = 5; i + 1 < n; i += 2)
		memcpy(s + i, "0,", 2);
	s[n - 1] = ']';
	refused_n(s, n, "json-too-big", 1);
	free(s);
}

static void
test_numbers(void)
{
	struct msg m;
	cJSON *t = parse("{\"big\":18446744073709551615,"
	    "\"low\":-9223372036854775808,\"odd\":9007199254740993,"
	    "\"f\":0.25,\"e\":1e3,\"neg\":-1,\"over\":18446744073709551616,"
	    "\"s\":\"x\",\"t\":true,\"n\":null,\"huge\":1e999}", &m);
	struct json_ref r = json_root(t, "f.json");
	uint64_t u = 0;
	int64_t i = 0;
	double d = 0;
	size_t len;
	char *s;

	CHECK(t != NULL);
	CHECK_INT(json_get_u64(&r, "big", &u, &m), 0);
	CHECK(u == UINT64_MAX);
	CHECK_INT(json_get_i64(&r, "low", &i, &m), 0);
	CHECK(i == INT64_MIN);
	CHECK_INT(json_get_i64(&r, "odd", &i, &m), 0);
	CHECK_INT(i, INT64_C(9007199254740993));
	CHECK_INT(json_get_double(&r, "f", &d, &m), 0);
	CHECK(d == 0.25);
	CHECK_INT(json_get_i64(&r, "e", &i, &m), -1);
	CHECK_STR(m.id, "json-type");
	CHECK_INT(json_get_u64(&r, "neg", &u, &m), -1);
	CHECK_STR(m.id, "json-range");
	CHECK_INT(json_get_u64(&r, "over", &u, &m), -1);
	CHECK_STR(m.id, "json-range");
	CHECK_INT(json_get_double(&r, "huge", &d, &m), -1);
	CHECK_INT(json_get_u64(&r, "s", &u, &m), -1);
	CHECK_STR(m.id, "json-type");
	CHECK_INT(json_get_u64(&r, "none", &u, &m), -1);
	CHECK_STR(m.id, "json-missing");
	CHECK_STR(m.text, "none is missing");
	CHECK_STR(m.path, "f.json");
	CHECK_INT(json_opt_u64(&r, "none", &u, &m), 1);
	CHECK_INT(json_opt_u64(&r, "n", &u, &m), 1);
	CHECK_INT(json_opt_u64(&r, "s", &u, &m), -1);
	s = json_canonical(t, "huge", &len, &m);
	CHECK(s != NULL && strstr(s, "\"big\":18446744073709551615") != NULL);
	CHECK(s != NULL && strstr(s, "huge") == NULL);
	free(s);
	cJSON_Delete(t);
}

static void
test_where(void)
{
	struct msg m;
	cJSON *t = parse("{\"members\":[{\"pid\":1},{\"pid\":\"x\"}],"
	    "\"window\":{\"ready\":5}}", &m);
	struct json_ref r = json_root(t, "c.json"), a, e, w;
	uint64_t u, sum = 0;
	unsigned n = 0, bad = 0;
	bool ok;

	CHECK_INT(json_get_array(&r, "members", &a, &m), 0);
	CHECK_INT(json_count(&a), 2);
	for (ok = json_first(&a, &e); ok; ok = json_next(&e), n++) {
		if (json_get_u64(&e, "pid", &u, &m) == -1)
			bad++;
		else
			sum += u;
	}
	CHECK_INT(n, 2);
	CHECK_INT(bad, 1);
	CHECK_INT(sum, 1);
	CHECK_STR(m.text, "members[1].pid is no integer");
	CHECK_INT(json_get_object(&r, "window", &w, &m), 0);
	CHECK_INT(json_get_u64(&w, "drained", &u, &m), -1);
	CHECK_STR(m.text, "window.drained is missing");
	CHECK_INT(json_get_array(&r, "window", &a, &m), -1);
	CHECK_STR(m.text, "window is no array");
	for (n = 0, ok = json_first(&r, &e); ok; ok = json_next(&e), n++)
		CHECK_STR(e.name, n == 0 ? "members" : "window");
	cJSON_Delete(t);
}

static void
test_build(void)
{
	cJSON *t = json_new_object(), *a;
	struct msg m;
	size_t len, n;
	char *s, *bytes;
	struct json_ref r;
	const char *str;
	bool b;

	CHECK_INT(json_add_u64(t, "big", UINT64_MAX), 0);
	CHECK_INT(json_add_i64(t, "low", INT64_MIN), 0);
	CHECK_INT(json_add_double(t, "d", 0.1), 0);
	CHECK_INT(json_add_str(t, "s", "a\"\n\xc3\xa9"), 0);
	CHECK_INT(json_add_str(t, "bad", "\xff"), -1);
	CHECK_INT(json_add_bytes(t, "b", "a\0\xff\\", 4), 0);
	a = json_add_array(t, "a");
	CHECK_INT(json_add_bool(a, NULL, true), 0);
	CHECK_INT(json_add_null(a, NULL), 0);
	CHECK_INT(json_add_u64(NULL, "x", 1), -1);
	s = json_print(t, &len, &m);
	CHECK_STR(s, "{\n\t\"big\":\t18446744073709551615,\n"
	    "\t\"low\":\t-9223372036854775808,\n\t\"d\":\t0.1,\n"
	    "\t\"s\":\t\"a\\\"\\n\xc3\xa9\",\n"
	    "\t\"b\":\t\"a\\\\x00\\\\xff\\\\x5c\",\n"
	    "\t\"a\":\t[true, null]\n}\n");
	cJSON_Delete(t);
	t = json_parse(s, len, "f", &m);
	free(s);
	r = json_root(t, "f");
	CHECK_INT(json_get_bytes(&r, "b", &bytes, &n, &m), 0);
	CHECK(n == 4 && memcmp(bytes, "a\0\xff\\", 4) == 0);
	free(bytes);
	CHECK_INT(json_get_bytes(&r, "s", &bytes, &n, &m), -1);
	CHECK_INT(json_get_str(&r, "s", &str, &m), 0);
	CHECK_STR(str, "a\"\n\xc3\xa9");
	CHECK_INT(json_get_bool(&r, "s", &b, &m), -1);
	s = json_canonical(t, NULL, &len, &m);
	CHECK_STR(s, "{\"a\":[true,null],\"b\":\"a\\\\x00\\\\xff\\\\x5c\","
	    "\"big\":18446744073709551615,\"d\":0.1,"
	    "\"low\":-9223372036854775808,\"s\":\"a\\\"\\n\xc3\xa9\"}");
	free(s);
	cJSON_Delete(t);
}

static void
test_hash(void)
{
	struct msg m;
	cJSON *a = parse("{\"b\":1,\"a\":{\"y\":2,\"x\":[]},\"h\":\"q\"}", &m);
	cJSON *b = parse("{ \"a\":{\"x\":[],\"y\":2}, \"b\":1 }", &m);
	char x[72], y[72], z[72];

	CHECK_INT(json_hash(a, "h", x, &m), 0);
	CHECK_INT(json_hash(b, "h", y, &m), 0);
	CHECK_INT(json_hash(a, NULL, z, &m), 0);
	CHECK_STR(x, y);
	CHECK(strcmp(x, z) != 0);
	CHECK(strncmp(x, "sha256:", 7) == 0 && strlen(x) == 71);
	cJSON_Delete(a);
	cJSON_Delete(b);
}

/* An index finds what a walk finds. */
static void
test_index(void)
{
	static const char *const names[] = { "a", "b", "", "ab", "B", "c",
		"zz", "none" };
	struct msg m;
	cJSON *t = parse("{\"b\":1,\"a\":2,\"ab\":3,\"zz\":4,"
	    "\"\":5,\"B\":6}", &m);
	struct json_ref root = json_root(t, "f.json");
	struct json_index x;
	size_t i;

	CHECK(t != NULL);
	CHECK_INT(json_index(&x, &root), 0);
	CHECK_INT(x.n, 6);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECK(json_index_get(&x, names[i]) ==
		    cJSON_GetObjectItemCaseSensitive(t, names[i]));
	json_index_free(&x);
	cJSON_Delete(t);
	t = parse("{}", &m);
	root = json_root(t, "f.json");
	CHECK_INT(json_index(&x, &root), 0);
	CHECK(json_index_get(&x, "a") == NULL);
	json_index_free(&x);
	cJSON_Delete(t);
}

int
main(void)
{
	test_refused();
	test_depth();
	test_nodes();
	test_numbers();
	test_where();
	test_build();
	test_hash();
	test_index();
	return unit_end();
}
