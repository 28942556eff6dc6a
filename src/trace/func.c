/* func.c - the tables of functions and built-in variables. */
#include <string.h>

#include "trace/func.h"

static const struct funcdesc func[] = {
#define F(id, name, kind, proto, flags) \
	{ F_##id, name, kind, proto, flags },
#include "trace/func.def"
#undef F
};

static const struct builtindesc builtin[] = {
#define B(id, name, type, flags) { B_##id, name, type, flags },
#include "trace/builtin.def"
#undef B
};

const struct funcdesc *
func_lookup(const char *name)
{
	for (size_t i = 0; i < F_N; i++)
		if (strcmp(func[i].name, name) == 0)
			return &func[i];
	return NULL;
}

const struct builtindesc *
builtin_lookup(const char *name)
{
	for (size_t i = 0; i < B_N; i++)
		if (strcmp(builtin[i].name, name) == 0)
			return &builtin[i];
	return NULL;
}

const struct funcdesc *
func_at(unsigned i)
{
	return i < F_N ? &func[i] : NULL;
}

const struct builtindesc *
builtin_at(unsigned i)
{
	return i < B_N ? &builtin[i] : NULL;
}
