/* symtext.c - stacks and symbols in DTrace's layout. */
#include <inttypes.h>
#include <string.h>

#include "opt.h"
#include "prog.h"
#include "sym.h"
#include "symtext.h"
#include "trace.h"
#include "value.h"

enum { SYMTEXT_MAX = 4096 + 1024 };	/* C++ names can be long */

static void
symtext(const struct symname *sn, bool known, uint64_t addr, bool withoff,
    char *buf, size_t size)
{
	if (!known || sn->mod == NULL)
		snprintf(buf, size, "0x%" PRIx64, addr);
	else if (sn->name == NULL)
		snprintf(buf, size, "%s`0x%" PRIx64, sn->mod, addr);
	else if (sn->off == 0 || !withoff)
		snprintf(buf, size, "%s`%s", sn->mod, sn->name);
	else
		snprintf(buf, size, "%s`%s+0x%" PRIx64, sn->mod, sn->name,
		    sn->off);
}

static bool
lookup_user(const struct trace *t, pid_t pid, uint64_t addr,
    struct symname *sn)
{
	return t->sym != NULL && !opt_flag(&t->opt, O_NORESOLVE) &&
	    sym_user(t->sym, pid, addr, sn);
}

static bool
lookup_kernel(const struct trace *t, uint64_t addr, struct symname *sn)
{
	return t->sym != NULL && sym_kernel(t->sym, addr, sn);
}

void
symtext_kaddr(const struct trace *t, uint64_t addr, char *buf, size_t size)
{
	struct symname sn;

	symtext(&sn, lookup_kernel(t, addr, &sn), addr, true, buf, size);
}

void
symtext_uaddr(const struct trace *t, pid_t pid, uint64_t addr, char *buf,
    size_t size)
{
	struct symname sn;

	symtext(&sn, lookup_user(t, pid, addr, &sn), addr, true, buf, size);
}

void
symtext_datum(const struct trace *t, const struct datum *d,
    const uint8_t *base, char *buf, size_t size)
{
	const uint8_t *p = base + d->off;
	uint64_t a = value_uint(p, 8);
	uint64_t b = d->size >= 16 ? value_uint(p + 8, 8) : 0;
	bool user = d->what == ACT_USYM || d->what == ACT_UMOD ||
	    d->what == ACT_UADDR;
	struct symname sn;
	bool known;

	if (user) {
		known = lookup_user(t, (pid_t)a, b, &sn);
		a = b;
	} else
		known = lookup_kernel(t, a, &sn);
	if (d->what == ACT_MOD || d->what == ACT_UMOD) {
		if (known && sn.mod != NULL)
			snprintf(buf, size, "%s", sn.mod);
		else
			snprintf(buf, size, "0x%" PRIx64, a);
		return;
	}
	symtext(&sn, known, a, d->what == ACT_UADDR, buf, size);
}

bool
symtext_is_name(const struct datum *d)
{
	return d->what == ACT_SYM || d->what == ACT_MOD ||
	    d->what == ACT_USYM || d->what == ACT_UMOD;
}

void
symtext_canonical(const struct trace *t, const struct datum *d, uint8_t *base)
{
	bool user = d->what == ACT_USYM || d->what == ACT_UMOD;
	uint8_t *p = base + d->off;
	pid_t pid = 0;
	struct symname sn;
	uint64_t a;

	if (user) {
		pid = (pid_t)value_uint(p, 8);
		p += 8;
	}
	a = value_uint(p, 8);
	if (!(user ? lookup_user(t, pid, a, &sn) : lookup_kernel(t, a, &sn)))
		return;
	if (d->what == ACT_MOD || d->what == ACT_UMOD)
		a = sn.modstart;
	else if (sn.name != NULL)
		a -= sn.off;
	memcpy(p, &a, sizeof(a));
}

static int
print_stack(const struct trace *t, FILE *fp, const struct datum *d,
    const uint8_t *base)
{
	const uint8_t *p = base + d->off, *end = p + d->size;
	int indent = (int)opt_num(&t->opt, O_STACKINDENT);
	bool user = d->what == ACT_USTACK;
	char buf[SYMTEXT_MAX];
	pid_t pid = 0;
	uint64_t pc;

	if (user && d->size >= 8) {
		pid = (pid_t)value_uint(p, 8);
		p += 8;
	}
	putc('\n', fp);
	for (; p + 8 <= end && (pc = value_uint(p, 8)) != 0; p += 8) {
		if (user)
			symtext_uaddr(t, pid, pc, buf, sizeof(buf));
		else
			symtext_kaddr(t, pc, buf, sizeof(buf));
		fprintf(fp, "%*s%s\n", indent, "", buf);
	}
	return ferror(fp) ? -1 : 0;
}

int
symtext_print(const struct trace *t, FILE *fp, const struct datum *d,
    const uint8_t *base)
{
	char buf[SYMTEXT_MAX];

	if (d->what == ACT_STACK || d->what == ACT_USTACK)
		return print_stack(t, fp, d, base);
	symtext_datum(t, d, base, buf, sizeof(buf));
	fprintf(fp, "  %-50s", buf);
	return ferror(fp) ? -1 : 0;
}
