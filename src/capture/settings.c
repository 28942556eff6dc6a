/* Settings: families, presets, options; as JSON. */
#include "capture/settings.h"

#include <string.h>

#include "libdt/clock.h"
#include "libdt/json.h"

static const struct {
	const char *name;
	unsigned rate;
} families[FAMILY_N] = {
#define FAMILY(n, r)	[FAMILY_##n] = { #n, r },
#include "capture/family.def"
#undef FAMILY
};

static const struct {
	const char *name, *list;
} presets[] = {
#define PRESET(n, l)	{ #n, l },
#include "libdt/preset.def"
#undef PRESET
};

const char *
family_name(enum family f)
{
	return families[f].name;
}

unsigned
family_rate(enum family f)
{
	return families[f].rate;
}

static int
family_find(const char *name, size_t n)
{
	int f;

	for (f = 0; f < FAMILY_N; f++)
		if (strlen(families[f].name) == n &&
		    memcmp(families[f].name, name, n) == 0)
			return f;
	return -1;
}

void
settings_init(struct settings *s)
{
	memset(s, 0, sizeof(*s));
	s->want[FAMILY_procs] = WANT_REQUIRED;
	s->max_bytes = MAX_BYTES_DEFAULT;
	s->stop_ns[0] = 15 * NS_PER_S;
	s->stop_ns[1] = 5 * NS_PER_S;
	s->stop_ns[2] = 5 * NS_PER_S;
}

static int
families_want(struct settings *s, const char *list, enum family_want want,
    struct msg *m)
{
	size_t n;
	int f;

	for (;; list += n + 1) {
		n = strcspn(list, ",");
		f = family_find(list, n);
		if (f < 0)
			return msg_set(m, "usage", "no such family: %.*s "
			    "(there are cpu, syscalls, io, allocations, gc, "
			    "spans)",
			    (int)n, list);
		if (s->want[f] < want)
			s->want[f] = want;
		if (list[n] == '\0')
			return 0;
	}
}

int
settings_families(struct settings *s, const char *list, struct msg *m)
{
	return families_want(s, list, WANT_REQUIRED, m);
}

int
settings_preset(struct settings *s, const char *name, struct msg *m)
{
	size_t i;

	for (i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (strcmp(presets[i].name, name) == 0) {
			if (s->preset != NULL && s->preset != presets[i].name)
				return msg_set(m, "usage", "%s after %s: "
				    "one preset", name, s->preset);
			s->preset = presets[i].name;
			return families_want(s, presets[i].list,
			    WANT_OPTIONAL, m);
		}
	return msg_set(m, "usage", "no such preset: %s", name);
}

int
settings_option(struct settings *s, const char *arg, struct msg *m)
{
	struct tracer_option *o;
	size_t n = strcspn(arg, ":=");

	if (s->options == OPTIONS_MAX)
		return msg_set(m, "usage", "more than %d options",
		    OPTIONS_MAX);
	o = &s->option[s->options];
	o->family = -1;
	o->text = arg;
	if (arg[n] == ':') {
		o->family = family_find(arg, n);
		if (o->family < 0)
			return msg_set(m, "usage", "%s: no such collector: "
			    "%.*s", arg, (int)n, arg);
		o->text = arg + n + 1;
	}
	if (o->text[0] == '\0' || o->text[0] == '=')
		return msg_set(m, "usage", "%s: no option name", arg);
	s->options++;
	return 0;
}

static int
options_json(cJSON *to, const struct settings *s)
{
	cJSON *list = json_add_array(to, "tracer_options"), *e;
	unsigned i;
	int bad = list == NULL;

	for (i = 0; i < s->options && !bad; i++) {
		e = json_add_object(list, NULL);
		bad |= json_add_str(e, "collector", s->option[i].family < 0 ?
		    NULL : family_name(s->option[i].family));
		bad |= json_add_bytes(e, "option", s->option[i].text,
		    strlen(s->option[i].text));
	}
	return bad ? -1 : 0;
}

static int
bytes_or_null(cJSON *to, const char *name, const char *s)
{
	return s != NULL ? json_add_bytes(to, name, s, strlen(s)) :
	    json_add_null(to, name);
}

cJSON *
settings_json(const struct settings *s, const char *tracer, uint64_t ack_ns)
{
	static const char *const stop[] = {
		"stop_int_ns", "stop_term_ns", "stop_kill_ns"
	};
	cJSON *o = json_new_object(), *rates;
	int f, i, bad = o == NULL;

	bad |= bytes_or_null(o, "tracer", tracer);
	bad |= json_add_u64(o, "ack_ns", ack_ns);
	for (i = 0; i < 3; i++)
		bad |= json_add_u64(o, stop[i], s->stop_ns[i]);
	bad |= json_add_u64(o, "duration_ns", s->duration_ns);
	bad |= json_add_u64(o, "max_bytes", s->max_bytes);
	rates = json_add_object(o, "rate_hz");
	for (f = 0; f < FAMILY_N; f++)
		if (s->want[f] != WANT_NOT && family_rate(f) != 0)
			bad |= json_add_u64(rates, family_name(f),
			    family_rate(f));
	bad |= options_json(o, s);
	bad |= bytes_or_null(o, "user", s->user);
	bad |= json_add_bool(o, "target_out", s->target_out != NULL);
	if (bad) {
		cJSON_Delete(o);
		return NULL;
	}
	return o;
}
