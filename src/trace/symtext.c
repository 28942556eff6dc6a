/* symtext.c - stacks and symbols in DTrace's layout. */
#include <inttypes.h>
#include <string.h>

#include "libdt/record.h"
#include "trace/opt.h"
#include "trace/prog.h"
#include "trace/regs.h"
#include "trace/sym.h"
#include "trace/symtext.h"
#include "trace/trace.h"
#include "trace/value.h"

enum {
	SYMTEXT_MAX = 4096 + 1024,	/* C++ names can be long */
	FRAMES_MAX = 1024,
};

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

/*
 * The name of a frame. A return address belongs to the call before it, which
 * may be the last instruction of its function: then the byte before it tells.
 */
static void
frame_text(const struct trace *t, bool user, pid_t pid, uint64_t pc,
    bool first, char *buf, size_t size)
{
	struct symname sn, prev;
	bool known = user ? lookup_user(t, pid, pc, &sn) :
	    lookup_kernel(t, pc, &sn);

	if (!first && known && (sn.name == NULL || sn.off == 0) &&
	    (user ? lookup_user(t, pid, pc - 1, &prev) :
	    lookup_kernel(t, pc - 1, &prev)) && prev.name != NULL) {
		sn = prev;
		sn.off++;
	}
	symtext(&sn, known, pc, true, buf, size);
}

/* The frames a kernel stack begins with when a program of ours took it. */
static bool
is_ours(const char *name)
{
	static const char *const prefix[] = {
		"bpf_prog", "__bpf_prog", "bpf_trace_run", "__bpf_trace",
		"__traceiter_", "bpf_trampoline", "perf_trace_",
		"trace_call_bpf", "perf_call_bpf",
	};
	size_t i;

	for (i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
			return true;
	return false;
}

/* How many of them there are. */
static size_t
count_ours(const struct trace *t, const struct datum *d, const uint8_t *p)
{
	struct symname sn;
	size_t i;

	for (i = 0; i < STACK_OURS && (i + 1) * 8 <= d->size; i++)
		if (!lookup_kernel(t, value_uint(p + i * 8, 8), &sn) ||
		    sn.name == NULL || !is_ours(sn.name))
			break;
	return i;
}

/* Frames shown of a stack datum of n frames from p on. */
static size_t
shown_frames(const struct datum *d, size_t n)
{
	uint32_t want = (uint32_t)d->arg;

	return d->what == ACT_STACK && want != 0 && want < n ? want : n;
}

static void
cut_stack(const struct trace *t, const struct datum *d, uint8_t *p)
{
	size_t skip = count_ours(t, d, p), n = d->size / 8 - skip;
	size_t show = shown_frames(d, n);

	memmove(p, p + skip * 8, show * 8);
	memset(p + show * 8, 0, d->size - show * 8);
}

bool
symtext_is_name(const struct datum *d)
{
	return d->what == ACT_STACK ||
	    d->what == ACT_SYM || d->what == ACT_MOD ||
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

	if (d->what == ACT_STACK) {
		cut_stack(t, d, p);
		return;
	}
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
raw_stack(const struct trace *t, FILE *fp, const struct datum *d,
    const uint8_t *base, int indent)
{
	const uint8_t *p = base + d->off;
	uint64_t regs[REGS_N], pc[FRAMES_MAX], room, len;
	struct symsample s = { .regs = regs };
	size_t max = (uint32_t)d->arg, n, i;
	char buf[SYMTEXT_MAX];
	pid_t pid;
	bool cut;

	putc('\n', fp);
	if (d->size < 16 + sizeof(regs) || t->sym == NULL)
		return ferror(fp) ? -1 : 0;
	pid = (pid_t)value_uint(p, 8);
	len = value_uint(p + 8, 8);
	room = d->size - 16 - sizeof(regs);
	memcpy(regs, p + 16, sizeof(regs));
	s.stack = p + 16 + sizeof(regs);
	s.nstack = len < room ? len : room;
	n = sym_unwind(t->sym, pid, &s, pc, max < FRAMES_MAX ? max :
	    FRAMES_MAX, &cut);
	for (i = 0; i < n; i++) {
		frame_text(t, true, pid, pc[i], i == 0, buf, sizeof(buf));
		fprintf(fp, "%*s%s\n", indent, "", buf);
	}
	/* unless that many were asked for */
	if (cut && (n < max || (intmax_t)max ==
	    opt_num(&t->opt, O_USTACKFRAMES)))
		fprintf(fp, "%*s%s\n", indent, "", RECORD_TRUNCATED);
	return ferror(fp) ? -1 : 0;
}

int
symtext_stack(const struct trace *t, FILE *fp, const struct datum *d,
    const uint8_t *base, int indent)
{
	const uint8_t *p = base + d->off, *end = p + d->size;
	bool user = d->what == ACT_USTACK;
	char buf[SYMTEXT_MAX];
	pid_t pid = 0;
	uint64_t pc;
	bool first = true;

	if (d->rawstack)
		return raw_stack(t, fp, d, base, indent);
	if (user && d->size >= 8) {
		pid = (pid_t)value_uint(p, 8);
		p += 8;
	} else
		p += 8 * count_ours(t, d, p);
	end = p + 8 * shown_frames(d, (size_t)(end - p) / 8);
	putc('\n', fp);
	for (; p + 8 <= end && (pc = value_uint(p, 8)) != 0; p += 8) {
		frame_text(t, user, pid, pc, first, buf, sizeof(buf));
		first = false;
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
		return symtext_stack(t, fp, d, base,
		    (int)opt_num(&t->opt, O_STACKINDENT));
	symtext_datum(t, d, base, buf, sizeof(buf));
	fprintf(fp, "  %-50s", buf);
	return ferror(fp) ? -1 : 0;
}
