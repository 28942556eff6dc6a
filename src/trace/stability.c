/*
 * stability.c - the providers' stability attributes.
 *
 * Source: the tables of the DTrace guide's provider chapters, and Oracle's
 * port for syscall (d-reference, cli_listv).
 */
#include "trace/stability.h"

#define A(n, d, c) { ST_##n, ST_##d, CL_##c }

const struct pvattr stability_stable = {
	.prov = A(STABLE, STABLE, COMMON),
	.mod = A(PRIVATE, PRIVATE, UNKNOWN),
	.func = A(PRIVATE, PRIVATE, UNKNOWN),
	.name = A(STABLE, STABLE, COMMON),
	.args = A(STABLE, STABLE, COMMON),
};

const struct pvattr stability_common = {
	.prov = A(UNSTABLE, UNSTABLE, COMMON),
	.mod = A(PRIVATE, PRIVATE, UNKNOWN),
	.func = A(PRIVATE, PRIVATE, UNKNOWN),
	.name = A(UNSTABLE, UNSTABLE, COMMON),
	.args = A(PRIVATE, PRIVATE, UNKNOWN),
};

const struct pvattr stability_isa = {
	.prov = A(EVOLVING, EVOLVING, ISA),
	.mod = A(PRIVATE, PRIVATE, UNKNOWN),
	.func = A(PRIVATE, PRIVATE, UNKNOWN),
	.name = A(EVOLVING, EVOLVING, ISA),
	.args = A(EVOLVING, EVOLVING, ISA),
};

const struct pvattr stability_syscall = {
	.prov = A(PRIVATE, PRIVATE, UNKNOWN),
	.mod = A(PRIVATE, PRIVATE, UNKNOWN),
	.func = A(PRIVATE, PRIVATE, UNKNOWN),
	.name = A(PRIVATE, PRIVATE, UNKNOWN),
	.args = A(PRIVATE, PRIVATE, ISA),
};

const struct pvattr stability_private = {
	.prov = A(EVOLVING, EVOLVING, ISA),
	.mod = A(PRIVATE, PRIVATE, UNKNOWN),
	.func = A(PRIVATE, PRIVATE, UNKNOWN),
	.name = A(PRIVATE, PRIVATE, UNKNOWN),
	.args = A(PRIVATE, PRIVATE, ISA),
};

const char *
stability_name(uint8_t v)
{
	static const char *const name[] = { "Internal", "Private", "Obsolete",
	    "External", "Unstable", "Evolving", "Stable", "Standard" };

	return v < sizeof(name) / sizeof(name[0]) ? name[v] : "Internal";
}

const char *
stability_class(uint8_t v)
{
	static const char *const name[] = { "Unknown", "CPU", "Platform",
	    "Group", "ISA", "Common" };

	return v < sizeof(name) / sizeof(name[0]) ? name[v] : "Unknown";
}

struct stability
stability_least(struct stability a, struct stability b)
{
	if (b.name < a.name)
		a.name = b.name;
	if (b.data < a.data)
		a.data = b.data;
	if (b.class < a.class)
		a.class = b.class;
	return a;
}

void
stability_print(FILE *fp, const char *title, struct stability s)
{
	fprintf(fp, "\t%s\n", title);
	fprintf(fp, "\t\tIdentifier Names: %s\n", stability_name(s.name));
	fprintf(fp, "\t\tData Semantics:   %s\n", stability_name(s.data));
	fprintf(fp, "\t\tDependency Class: %s\n\n", stability_class(s.class));
}
