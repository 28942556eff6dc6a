/* JSON to structs, by the tables of member.def, with all forms checked. */
#include <inttypes.h>
#include <string.h>

#include "libdt/esc.h"
#include "libdt/member.h"
#include "libdt/path.h"

struct load {
	struct bundle_mem **mem;
	const struct msg_sink *sink;	/* NULL: stop at the first error */
	struct msg *m;
};

/* An error is in l->m: -1, or what the sink makes of it. */
static int
told(struct load *l)
{
	return l->sink != NULL ? msg_forward(l->sink, l->m) : -1;
}

static int
wrong(struct load *l, const struct json_ref *ref, const char *name,
    const char *id, const char *what)
{
	char where[256];

	json_where(ref, name, where, sizeof(where));
	msg_set_at(l->m, id, json_file(ref), 0, "%s %s", where, what);
	return told(l);
}

static bool
is_hex(const char *s, size_t n)
{
	return strspn(s, "0123456789abcdef") >= n;
}

static bool
is_digits(const char *s, size_t n)
{
	return strspn(s, "0123456789") >= n;
}

static bool
is_boot(const char *s)
{
	static const uint8_t groups[] = { 8, 4, 4, 4, 12 };
	size_t i;

	for (i = 0; i < sizeof(groups); i++) {
		if (!is_hex(s, groups[i]))
			return false;
		s += groups[i];
		if (i + 1 < sizeof(groups) && *s++ != '-')
			return false;
	}
	return *s == '\0';
}

/* A decimal without leading zeros that ends at end; the byte after it. */
static const char *
after_number(const char *s, char end)
{
	size_t n = strspn(s, "0123456789");

	if (n == 0 || n > 19 || (n > 1 && s[0] == '0') || s[n] != end)
		return NULL;
	return s + n + 1;
}

static bool
is_incarnation(const char *s)
{
	char boot[37];

	if (strlen(s) < sizeof(boot) || s[36] != ':')
		return false;
	memcpy(boot, s, 36);
	boot[36] = '\0';
	return is_boot(boot) && (s = after_number(s + 37, ':')) != NULL &&
	    after_number(s, '\0') != NULL;
}

static bool
in_range(const char *s, unsigned lo, unsigned hi)
{
	unsigned v = (unsigned)(s[0] - '0') * 10 + (unsigned)(s[1] - '0');

	return v >= lo && v <= hi;
}

/* 2026-11-29T14:20:00Z, with up to nine digits of a fraction */
static bool
is_utc(const char *s)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd";
	size_t i, n;

	for (i = 0; form[i] != '\0'; i++)
		if (form[i] == 'd' ? !is_digits(s + i, 1) || s[i] == '\0' :
		    s[i] != form[i])
			return false;
	if (!in_range(s + 5, 1, 12) || !in_range(s + 8, 1, 31) ||
	    !in_range(s + 11, 0, 23) || !in_range(s + 14, 0, 59) ||
	    !in_range(s + 17, 0, 60))
		return false;
	s += i;
	if (*s == '.') {
		n = strspn(s + 1, "0123456789");
		if (n == 0 || n > 9)
			return false;
		s += n + 1;
	}
	return strcmp(s, "Z") == 0;
}

/* NULL, or the id of what is wrong with a string; *what tells it. */
static const char *
form_fault(enum member_type type, const char *s, const char **what)
{
	size_t n = strlen(s);
	bool ok = true;

	switch (type) {
	case MEMBER_BYTES:
		*what = "is not in the canonical escape";
		return esc_valid(s, n) ? NULL : "json-escape";
	case MEMBER_PATH:
		*what = "is no path in the bundle";
		return path_fault(s, n) == PATH_GOOD ? NULL : "json-path";
	case MEMBER_HEX:
		ok = n % 2 == 0 && is_hex(s, n);
		break;
	case MEMBER_SHA256:
		ok = n == 71 && memcmp(s, "sha256:", 7) == 0 &&
		    is_hex(s + 7, 64);
		break;
	case MEMBER_UTC:
		ok = is_utc(s);
		break;
	case MEMBER_BOOT:
		ok = is_boot(s);
		break;
	case MEMBER_INCARNATION:
		ok = is_incarnation(s);
		break;
	default:
		break;
	}
	*what = "is not in its form";
	return ok ? NULL : "json-format";
}

/* How many bytes the member's range counts. */
static size_t
counted(enum member_type type, const char *s)
{
	size_t n = strlen(s), i, len = n;

	if (type == MEMBER_HEX)
		return n / 2;
	if (type == MEMBER_BYTES)
		for (i = 0; i < n; i++)
			len -= s[i] == '\\' ? 3 : 0;
	return len;
}

static int
load_text(struct load *l, const struct member *f, const struct json_ref *ref,
    const char **dst)
{
	const char *s, *id, *what;
	size_t n;

	if (json_get_str(ref, f->name, &s, l->m) == -1)
		return told(l);
	id = form_fault(f->type, s, &what);
	if (id != NULL)
		return wrong(l, ref, f->name, id, what);
	n = counted(f->type, s);
	if (n < (size_t)f->min || n > f->max)
		return wrong(l, ref, f->name, "json-range",
		    n < (size_t)f->min ? "is too short" : "is too long");
	*dst = s;
	return 0;
}

static int
load_u64(struct load *l, const struct member *f, const struct json_ref *ref,
    void *dst)
{
	uint64_t v;

	if (json_get_u64(ref, f->name, &v, l->m) == -1)
		return told(l);
	if (v < (uint64_t)f->min || v > f->max)
		return wrong(l, ref, f->name, "json-range",
		    "is out of range");
	if (f->need == MEMBER_REQ)
		*(uint64_t *)dst = v;
	else
		*(struct maybe_u64 *)dst = (struct maybe_u64){ true, v };
	return 0;
}

static int
load_i64(struct load *l, const struct member *f, const struct json_ref *ref,
    void *dst)
{
	int64_t v;

	if (json_get_i64(ref, f->name, &v, l->m) == -1)
		return told(l);
	if (v < f->min || (v > 0 && (uint64_t)v > f->max))
		return wrong(l, ref, f->name, "json-range",
		    "is out of range");
	if (f->need == MEMBER_REQ)
		*(int64_t *)dst = v;
	else
		*(struct maybe_i64 *)dst = (struct maybe_i64){ true, v };
	return 0;
}

static int
load_word(struct load *l, const struct member *f, const struct json_ref *ref,
    int *dst)
{
	const char *s;
	int i;

	if (json_get_str(ref, f->name, &s, l->m) == -1)
		return told(l);
	if (f->type == MEMBER_FAMILY)
		i = schema_family_find(s, strlen(s));
	else
		i = schema_word_find(f->set, s, strlen(s));
	if (i < 0)
		return wrong(l, ref, f->name, "json-value",
		    "is none of its words");
	*dst = i;
	return 0;
}

static int load_object(struct load *l, enum member_object_id id,
    const struct json_ref *ref, void *dst);

static int
load_obj(struct load *l, const struct member *f, const struct json_ref *ref,
    void *dst)
{
	struct json_ref sub;
	void *p = dst;

	if (json_get_object(ref, f->name, &sub, l->m) == -1)
		return told(l);
	if (f->type == MEMBER_MAYBE) {
		p = bundle_mem_get(l->mem, 1, member_object(f->sub)->size);
		if (p == NULL)
			return msg_set_nomem(l->m);
		*(void **)dst = p;
	}
	return load_object(l, f->sub, &sub, p);
}

/* Every LIST() looks like this one. */
typedef LIST(void) list;

static int
load_list(struct load *l, const struct member *f, const struct json_ref *ref,
    list *dst)
{
	size_t size = member_object(f->sub)->size, i = 0;
	struct json_ref arr, e;
	bool ok;
	int rc;

	if (json_get_array(ref, f->name, &arr, l->m) == -1)
		return told(l);
	dst->v = bundle_mem_get(l->mem, json_count(&arr), size);
	if (dst->v == NULL)
		return msg_set_nomem(l->m);
	dst->n = json_count(&arr);
	for (ok = json_first(&arr, &e); ok; ok = json_next(&e)) {
		if (!cJSON_IsObject(e.node))
			rc = wrong(l, &e, NULL, "json-type", "is no object");
		else
			rc = load_object(l, f->sub, &e,
			    (char *)dst->v + i * size);
		if (rc != 0)
			return rc;
		i++;
	}
	return 0;
}

static int
load_strs(struct load *l, const struct member *f, const struct json_ref *ref,
    bundle_strings *dst)
{
	struct json_ref arr, e;
	const char *s;
	bool ok;
	int rc = 0;

	if (json_get_array(ref, f->name, &arr, l->m) == -1)
		return told(l);
	dst->v = bundle_mem_get(l->mem, json_count(&arr), sizeof(*dst->v));
	if (dst->v == NULL)
		return msg_set_nomem(l->m);
	for (ok = json_first(&arr, &e); ok && rc == 0; ok = json_next(&e)) {
		if (json_get_str(&e, NULL, &s, l->m) == -1)
			rc = told(l);
		else if (!esc_valid(s, strlen(s)))
			rc = wrong(l, &e, NULL, "json-escape",
			    "is not in the canonical escape");
		else
			dst->v[dst->n++] = s;
	}
	return rc;
}

static int
load_nums(struct load *l, const struct member *f, const struct json_ref *ref,
    list *dst)
{
	struct json_ref arr, e;
	uint64_t *v;
	bool ok;
	int rc = 0;

	if (json_get_array(ref, f->name, &arr, l->m) == -1)
		return told(l);
	v = bundle_mem_get(l->mem, json_count(&arr), sizeof(*v));
	if (v == NULL)
		return msg_set_nomem(l->m);
	dst->v = v;
	for (ok = json_first(&arr, &e); ok && rc == 0; ok = json_next(&e)) {
		if (json_get_u64(&e, NULL, &v[dst->n], l->m) == -1)
			rc = told(l);
		else
			dst->n++;
	}
	return rc;
}

static int
load_any(struct load *l, const struct member *f, const struct json_ref *ref,
    const cJSON **dst)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(ref->node,
	    f->name);

	if (node == NULL)
		return wrong(l, ref, f->name, "json-missing", "is missing");
	if (f->need == MEMBER_REQ && !cJSON_IsObject(node))
		return wrong(l, ref, f->name, "json-type", "is no object");
	*dst = node;
	return 0;
}

static int
load_member(struct load *l, const struct member *f,
    const struct json_ref *ref, void *dst)
{
	bool may_be_null = f->need != MEMBER_REQ || f->type == MEMBER_MAYBE;

	if (f->need == MEMBER_OPT && !json_has(ref, f->name))
		return 0;
	if (may_be_null && json_is_null(ref, f->name))
		return 0;
	switch (f->type) {
	case MEMBER_U64:
		return load_u64(l, f, ref, dst);
	case MEMBER_I64:
		return load_i64(l, f, ref, dst);
	case MEMBER_BOOL:
		return json_get_bool(ref, f->name, dst, l->m) == -1 ?
		    told(l) : 0;
	case MEMBER_WORD:
	case MEMBER_FAMILY:
		return load_word(l, f, ref, dst);
	case MEMBER_OBJ:
	case MEMBER_MAYBE:
		return load_obj(l, f, ref, dst);
	case MEMBER_LIST:
		return load_list(l, f, ref, dst);
	case MEMBER_STRS:
		return load_strs(l, f, ref, dst);
	case MEMBER_NUMS:
		return load_nums(l, f, ref, dst);
	case MEMBER_ANY:
		return load_any(l, f, ref, dst);
	default:
		return load_text(l, f, ref, dst);
	}
}

static int
tell_unknown(struct load *l, const struct member_object *o,
    const struct json_ref *ref)
{
	struct json_ref e;
	char where[256];
	bool ok;
	size_t i;
	int rc;

	for (ok = json_first(ref, &e); ok; ok = json_next(&e)) {
		for (i = 0; i < o->n; i++)
			if (strcmp(o->members[i].name, e.name) == 0)
				break;
		if (i < o->n)
			continue;
		json_where(&e, NULL, where, sizeof(where));
		rc = msg_emit(l->sink, MSG_NOTE, "json-unknown",
		    json_file(ref), 0, "%s is not known to this version",
		    where);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
load_object(struct load *l, enum member_object_id id,
    const struct json_ref *ref, void *dst)
{
	const struct member_object *o = member_object(id);
	size_t i;
	int rc;

	for (i = 0; i < o->n; i++) {
		rc = load_member(l, &o->members[i], ref,
		    (char *)dst + o->members[i].offset);
		if (rc != 0)
			return rc;
	}
	return l->sink != NULL ? tell_unknown(l, o, ref) : 0;
}

int
member_load(enum member_object_id id, const struct json_ref *ref, void *dst,
    struct bundle_mem **mem, const struct msg_sink *sink, struct msg *m)
{
	struct msg scratch;
	struct load l = { .mem = mem, .sink = sink,
		.m = m != NULL ? m : &scratch };

	memset(dst, 0, member_object(id)->size);
	if (!cJSON_IsObject(ref->node))
		return wrong(&l, ref, NULL, "json-type", "is no object");
	return load_object(&l, id, ref, dst);
}
