/* opt.c - values of options, from -x, pragmas and setopt(). */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "libdt/msg.h"
#include "trace/opt.h"
#include "trace/suggest.h"

struct optdesc {
	const char *name;
	enum optkind kind;
	const char *dflt;
};

static const struct optdesc desc[] = {
#define O(id, name, kind, dflt, text) { name, kind, dflt },
#include "trace/opt.def"
#undef O
};

static const struct { const char *name, *why; } none[] = {
#define O(id, name, kind, dflt, text)
#define OPTNONE(name, why) { name, why },
#include "trace/opt.def"
#undef O
};

#define OPT_DAY 86400000000000LL

static const struct optrange {
	enum opt id;
	int64_t least, most;
	const char *text;
} range[] = {
#define O(id, name, kind, dflt, text)
#define OPTRANGE(id, least, most, text) { O_##id, least, most, text },
#include "trace/opt.def"
#undef O
};

static const struct { const char *yes, *no; } boolword[] = {
	{ "yes", "no" }, { "on", "off" }, { "true", "false" },
	{ "enable", "disable" }, { "enabled", "disabled" },
	{ "set", "unset" },
};

/* 0: the value is a per-second frequency */
static const struct { const char *name; int64_t ns; } timeunit[] = {
	{ "ns", 1 }, { "nsec", 1 },
	{ "us", 1000 }, { "usec", 1000 },
	{ "ms", 1000000 }, { "msec", 1000000 },
	{ "s", 1000000000 }, { "sec", 1000000000 },
	{ "m", 60000000000 }, { "min", 60000000000 },
	{ "h", 3600000000000 }, { "hour", 3600000000000 },
	{ "d", 86400000000000 }, { "day", 86400000000000 },
	{ "hz", 0 }, { "", 0 },
};

static int
parse_num(const char *s, int64_t *num, char **end)
{
	if (*s < '0' || *s > '9')
		return -1;
	errno = 0;
	*num = strtoll(s, end, 0);
	return errno != 0 || *end == s ? -1 : 0;
}

static int
parse_int(const char *s, int64_t *num)
{
	char *end;

	return parse_num(s, num, &end) < 0 || *end != '\0' ? -1 : 0;
}

static int
parse_size(const char *s, int64_t *num)
{
	int shift = 0;
	char *end;

	if (parse_num(s, num, &end) < 0)
		return -1;
	switch (*end) {
	case 't': case 'T': shift += 10; /* FALLTHROUGH */
	case 'g': case 'G': shift += 10; /* FALLTHROUGH */
	case 'm': case 'M': shift += 10; /* FALLTHROUGH */
	case 'k': case 'K': shift += 10; end++; break;
	default: break;
	}
	if (*end != '\0' || *num > INT64_MAX >> shift)
		return -1;
	*num <<= shift;
	return 0;
}

static int
parse_time(const char *s, int64_t *num)
{
	char *end;

	if (parse_num(s, num, &end) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(timeunit) / sizeof(*timeunit); i++) {
		int64_t ns = timeunit[i].ns;

		if (strcasecmp(end, timeunit[i].name) != 0)
			continue;
		if (ns == 0) {
			*num = *num == 0 ? 0 : 1000000000 / *num;
			return 0;
		}
		if (*num > INT64_MAX / ns)
			return -1;
		*num *= ns;
		return 0;
	}
	return -1;
}

static int
parse_flag(const char *s, int64_t *num)
{
	for (size_t i = 0; i < sizeof(boolword) / sizeof(*boolword); i++) {
		if (strcasecmp(s, boolword[i].yes) == 0) {
			*num = 1;
			return 0;
		}
		if (strcasecmp(s, boolword[i].no) == 0) {
			*num = 0;
			return 0;
		}
	}
	if (parse_int(s, num) < 0)
		return -1;
	*num = *num != 0;
	return 0;
}

static int
parse_enum(const char *words, const char *s, int64_t *num)
{
	size_t len = strlen(s);

	for (*num = 0; *words != '\0'; ++*num) {
		size_t n = strcspn(words, " ");

		if (n == len && strncmp(words, s, n) == 0)
			return 0;
		words += n + (words[n] == ' ');
	}
	return -1;
}

static int
parse_value(const struct optdesc *o, const char *s, int64_t *num)
{
	switch (o->kind) {
	case OK_FLAG:	return parse_flag(s, num);
	case OK_INT:	return parse_int(s, num);
	case OK_SIZE:	return parse_size(s, num);
	case OK_TIME:	return parse_time(s, num);
	case OK_ENUM:	return parse_enum(o->dflt, s, num);
	case OK_STR:
	case OK_LIST:	break;
	}
	return 0;
}

static int
store_str(struct optval *v, enum optkind kind, const char *value)
{
	size_t old = kind == OK_LIST && v->str ? strlen(v->str) : 0;
	size_t len = strlen(value);
	char *s = malloc(old + len + 2);

	if (s == NULL)
		return -1;
	if (old > 0)
		memcpy(s, v->str, old);
	memcpy(s + old, value, len);
	if (kind == OK_LIST)
		s[old + len++] = '\n';
	s[old + len] = '\0';
	free(v->str);
	v->str = s;
	return 0;
}

static int
unknown(const char *name, struct msg *m)
{
	const char *best = NULL;
	size_t dist = SUGGEST_MAX;

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (strcmp(none[i].name, name) == 0)
			return msg_set(m, "option",
			    "option '%s' means nothing on this system: %s",
			    name, none[i].why);
	for (size_t i = 0; i < O_N; i++)
		suggest_best(name, desc[i].name, &best, &dist);
	if (best != NULL)
		return msg_set(m, "option",
		    "Invalid option name (did you mean '%s'?)", best);
	return msg_set(m, "option", "Invalid option name");
}

void
opt_init(struct opts *o)
{
	memset(o, 0, sizeof(*o));
}

void
opt_free(struct opts *o)
{
	for (size_t i = 0; i < O_N; i++)
		free(o->v[i].str);
	memset(o, 0, sizeof(*o));
}

static int
invalid(const struct optdesc *d, const char *value, struct msg *m)
{
	if (value == NULL)
		return msg_set(m, "option", "Invalid value for specified "
		    "option (it needs a value)");
	if (d->kind == OK_ENUM)
		return msg_set(m, "option", "Invalid value for specified "
		    "option (%s=%s: there %s %s)", d->name, value,
		    strchr(d->dflt, ' ') != NULL ? "are" : "is", d->dflt);
	return msg_set(m, "option", "Invalid value for specified option");
}

static int
in_range(enum opt id, const char *value, int64_t num, struct msg *m)
{
	for (size_t i = 0; i < sizeof(range) / sizeof(*range); i++)
		if (range[i].id == id && (num < range[i].least ||
		    num > range[i].most))
			return msg_set(m, "option", "Invalid value for "
			    "specified option (%s=%s: it may be %s)",
			    desc[id].name, value, range[i].text);
	return 0;
}

/* The D language this compiler takes: dtrace-utils 2.0's. */
enum { D_MAJOR = 2, D_MINOR = 0 };

static bool
known_version(const char *s)
{
	int major, minor, n = 0;

	if (sscanf(s, "%d.%d%n", &major, &minor, &n) != 2 ||
	    (s[n] != '\0' && s[n] != '.'))
		return false;
	return major >= 1 && minor >= 0 && (major < D_MAJOR ||
	    (major == D_MAJOR && minor <= D_MINOR));
}

int
opt_set(struct opts *o, const char *name, const char *value, struct msg *m)
{
	const struct optdesc *d;
	struct optval *v;
	int64_t num = 1;
	size_t i;

	for (i = 0; i < O_N && strcmp(desc[i].name, name) != 0; i++)
		;
	if (i == O_N)
		return unknown(name, m);
	d = &desc[i];
	v = &o->v[i];
	if (value == NULL && d->kind != OK_FLAG)
		return invalid(d, value, m);
	if (value != NULL && parse_value(d, value, &num) < 0)
		return invalid(d, value, m);
	if (value != NULL && in_range((enum opt)i, value, num, m) < 0)
		return -1;
	if (i == O_VERSION && !known_version(value))
		return msg_set(m, "option", "Version is not supported: D 1.0 "
		    "to %d.%d are", D_MAJOR, D_MINOR);
	if ((d->kind == OK_STR || d->kind == OK_LIST) &&
	    store_str(v, d->kind, value) < 0)
		return msg_set_nomem(m);
	v->num = num;
	v->set = true;
	return 0;
}

const char *
opt_name(enum opt i)
{
	return desc[i].name;
}

int64_t
opt_num(const struct opts *o, enum opt i)
{
	int64_t num = 0;

	if (o->v[i].set)
		return o->v[i].num;
	if (desc[i].dflt != NULL && desc[i].kind != OK_ENUM)
		parse_value(&desc[i], desc[i].dflt, &num);
	return num;
}

bool
opt_flag(const struct opts *o, enum opt i)
{
	return opt_num(o, i) != 0;
}

const char *
opt_str(const struct opts *o, enum opt i)
{
	return o->v[i].set ? o->v[i].str : desc[i].dflt;
}
