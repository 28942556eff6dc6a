/* Distinct stacks with their counts, in a hash table; written in order. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/fold.h"
#include "libdt/fold_impl.h"
#include "libdt/hash.h"

struct entry {
	char *stack;		/* not NUL-terminated */
	size_t n;
	uint64_t hash;
	uint64_t count;
};

struct fold {
	struct fold_opt opt;
	struct entry *slot;	/* open addressing, stack NULL = free */
	size_t nslot;		/* a power of two */
	size_t used;
	uint64_t total;
	char *line;		/* the stack being built */
	size_t len, cap;
};

const struct fold_opt *
fold_options(const struct fold *f)
{
	return &f->opt;
}

struct fold *
fold_new(const struct fold_opt *o)
{
	struct fold *f;

	if ((f = calloc(1, sizeof(*f))) == NULL)
		return NULL;
	f->opt = *o;
	f->nslot = 1024;
	if ((f->slot = calloc(f->nslot, sizeof(*f->slot))) == NULL) {
		free(f);
		return NULL;
	}
	return f;
}

void
fold_free(struct fold *f)
{
	size_t i;

	if (f == NULL)
		return;
	for (i = 0; i < f->nslot; i++)
		free(f->slot[i].stack);
	free(f->slot);
	free(f->line);
	free(f);
}

uint64_t
fold_total(const struct fold *f)
{
	return f->total;
}

size_t
fold_stacks(const struct fold *f)
{
	return f->used;
}

static struct entry *
probe(struct entry *slot, size_t nslot, const char *s, size_t n, uint64_t h)
{
	size_t i;

	for (i = h & (nslot - 1); slot[i].stack != NULL;
	    i = (i + 1) & (nslot - 1))
		if (slot[i].hash == h && slot[i].n == n &&
		    (n == 0 || memcmp(slot[i].stack, s, n) == 0))
			break;
	return &slot[i];
}

static int
grow(struct fold *f)
{
	size_t i, n = f->nslot * 2;
	struct entry *slot, *e;

	if ((slot = calloc(n, sizeof(*slot))) == NULL)
		return -1;
	for (i = 0; i < f->nslot; i++) {
		e = &f->slot[i];
		if (e->stack != NULL)
			*probe(slot, n, e->stack, e->n, e->hash) = *e;
	}
	free(f->slot);
	f->slot = slot;
	f->nslot = n;
	return 0;
}

static int
insert(struct fold *f, uint64_t count)
{
	uint64_t h = hash_bytes(f->line, f->len);
	struct entry *e;

	if (f->used * 2 >= f->nslot && grow(f) == -1)
		return -1;
	e = probe(f->slot, f->nslot, f->line, f->len, h);
	if (e->stack == NULL) {
		/* one byte more, so that an empty stack has memory too */
		if ((e->stack = malloc(f->len + 1)) == NULL)
			return -1;
		if (f->len > 0)
			memcpy(e->stack, f->line, f->len);
		e->n = f->len;
		e->hash = h;
		f->used++;
	}
	e->count += count;
	f->total += count;
	return 0;
}

static int
put(struct fold *f, const char *s, size_t n)
{
	size_t cap;
	char *p;

	if (n > f->cap - f->len) {
		cap = f->cap != 0 ? f->cap : 512;
		while (cap - f->len < n)
			cap *= 2;
		if ((p = realloc(f->line, cap)) == NULL)
			return -1;
		f->line = p;
		f->cap = cap;
	}
	if (n > 0)
		memcpy(f->line + f->len, s, n);
	f->len += n;
	return 0;
}

/* A stack or a frame of which nothing is known. */
static const char nameless[] = "[unknown]";

static size_t
hex_digits_at_end(const char *s, size_t n)
{
	size_t i = n;

	while (i > 0 && ((s[i - 1] >= '0' && s[i - 1] <= '9') ||
	    (s[i - 1] >= 'a' && s[i - 1] <= 'f')))
		i--;
	return n - i;
}

size_t
fold_frame_name(const char **s, size_t n)
{
	size_t digits = hex_digits_at_end(*s, n), i = n - digits;

	if (digits == 0 || i < 2 || memcmp(*s + i - 2, "0x", 2) != 0)
		return n;
	if (i == 2) {
		*s = nameless;
		return sizeof(nameless) - 1;
	}
	/* "module`+0xOFFSET": the offset is all there is */
	if ((*s)[i - 3] != '+' || i < 4 || (*s)[i - 4] == '`')
		return n;
	return i - 3;
}

/* Modules that the outermost frame of a kernel's stack lies in. */
static bool
kernel_module(const char *s, size_t n)
{
	static const char *const name[] = { "vmlinux", "kernel", "unix",
	    "genunix", "mach_kernel" };
	size_t i, len;

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		len = strlen(name[i]);
		if (n > len && s[len] == '`' && memcmp(s, name[i], len) == 0)
			return true;
	}
	return false;
}

bool
fold_kernel_frame(const char *s, size_t n)
{
	/* a bare address in the upper half is the kernel's */
	return kernel_module(s, n) ||
	    (n == 18 && memcmp(s, "0xffff", 6) == 0);
}

static int
put_frame(struct fold *f, const char *s, size_t n, bool kernel)
{
	const char *mark;

	if (!f->opt.addrs)
		n = fold_frame_name(&s, n);
	if (f->opt.nomodules && (mark = memchr(s, '`', n)) != NULL &&
	    (size_t)(mark - s) + 1 < n && mark[1] != '+') {
		n -= (size_t)(mark - s) + 1;
		s = mark + 1;
	}
	if (f->len > 0 && put(f, ";", 1) == -1)
		return -1;
	if (put(f, s, n) == -1)
		return -1;
	return kernel && f->opt.kernel ? put(f, "_[k]", 4) : 0;
}

int
fold_add(struct fold *f, const char *first, const char *stack, size_t n,
    uint64_t count)
{
	bool kernel = false;
	const char *end;
	size_t len;

	f->len = 0;
	if (first != NULL && put(f, first, strlen(first)) == -1)
		return -1;
	while (n > 0) {
		end = memchr(stack, ';', n);
		len = end != NULL ? (size_t)(end - stack) : n;
		/* the kernel's frames are the innermost ones */
		kernel = kernel || fold_kernel_frame(stack, len);
		if (put_frame(f, stack, len, kernel) == -1)
			return -1;
		if (end == NULL)
			break;
		stack = end + 1;
		n -= len + 1;
	}
	return insert(f, count);
}

static int
by_bytes(const void *va, const void *vb)
{
	const struct entry *a = *(const struct entry *const *)va;
	const struct entry *b = *(const struct entry *const *)vb;
	size_t n = a->n < b->n ? a->n : b->n;
	int c = memcmp(a->stack, b->stack, n);

	return c != 0 ? c : (a->n > b->n) - (a->n < b->n);
}

int
fold_each(struct fold *f, int (*fn)(void *, const char *, size_t, uint64_t),
    void *arg)
{
	struct entry **v;
	size_t i, n = 0;
	int rv = 0;

	if ((v = calloc(f->used + 1, sizeof(*v))) == NULL)
		return -1;
	for (i = 0; i < f->nslot; i++)
		if (f->slot[i].stack != NULL)
			v[n++] = &f->slot[i];
	qsort(v, n, sizeof(*v), by_bytes);
	for (i = 0; i < n && rv == 0; i++)
		rv = fn(arg, v[i]->stack, v[i]->n, v[i]->count);
	free(v);
	return rv;
}

static int
write_one(void *arg, const char *stack, size_t n, uint64_t count)
{
	struct out *o = arg;

	/* a sample without any frame counts, and flamegraph.pl needs a name */
	if (n == 0) {
		stack = nameless;
		n = sizeof(nameless) - 1;
	}
	if (out_write(o, stack, n) == -1)
		return -1;
	return out_printf(o, " %" PRIu64 "\n", count);
}

int
fold_write(struct fold *f, struct out *o)
{
	return fold_each(f, write_one, o);
}
