/*
 * Formats: any text parses or is refused with a message; what passes the
 * check against some types prints without reading outside of its record. The
 * first byte chooses the types.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "trace/arena.h"
#include "trace/diag.h"
#include "trace/fmt.h"
#include "trace/opt.h"
#include "trace/print_fmt.h"
#include "trace/prog.h"
#include "trace/trace.h"
#include "trace/type.h"

enum { NARG = 6, WIDTH_MAX = 1000 };

/* Argument types in turn, from a seed. */
static const struct dtype *
type_of(struct typeset *ts, unsigned n)
{
	const struct dtype *ch = type_int(ts, 1, true);

	switch (n % 8) {
	case 0: return type_int(ts, 4, true);
	case 1: return type_string(ts);
	case 2: return type_int(ts, 8, false);
	case 3: return ch;
	case 4: return type_ptr(ts, ch);
	case 5: return type_array(ts, ch, 5);
	case 6: return type_array(ts, type_int(ts, 4, true), 3);
	}
	return type_int(ts, 2, false);
}

/* Nothing so wide that printing takes long. */
static int
is_narrow(const struct fmt *f)
{
	for (size_t i = 0; i < f->nconv; i++)
		if (f->conv[i].width > WIDTH_MAX ||
		    f->conv[i].prec > WIDTH_MAX)
			return 0;
	return 1;
}

static void
print(struct typeset *ts, struct trace *t, const struct fmt *f,
    const struct dtype *const *type, size_t narg)
{
	struct datum d[NARG];
	struct fmtin in = { .arg = d, .narg = narg };
	uint8_t *rec = malloc(NARG * 16);
	char *text = NULL;
	size_t size = 0, i;
	FILE *fp = open_memstream(&text, &size);

	FUZZ_MUST(rec != NULL && fp != NULL);
	memset(rec, 0x41, NARG * 16);
	for (i = 0; i < narg; i++) {
		uint32_t n = type_is_string(type[i]) ? 16 :
		    (uint32_t)type_base(type[i])->size;

		/* at the record's end: a checker sees over-reads */
		d[i] = (struct datum){ .off = NARG * 16 - n, .size = n,
		    .type = type[i], .what = ACT_TRACE };
		if (n <= 8)	/* perhaps a width: a small one */
			memset(rec + d[i].off, 0, n);
		rec[d[i].off] = (uint8_t)(i * 7);
	}
	in.base = rec;
	FUZZ_MUST(print_fmt(t, fp, f, &in) == 0);
	FUZZ_MUST(fclose(fp) == 0);
	free(text);
	free(rec);
	(void)ts;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct typeset *ts = type_new(256);
	struct arena *ar = arena_new(0);
	struct diag dg = { .source = "fuzz" };
	struct trace t = { 0 };
	const struct dtype *type[NARG];
	const struct fmt *f;
	unsigned seed = size > 0 ? data[0] : 0;
	char *text = malloc(size + 1);
	size_t n;

	FUZZ_MUST(ts != NULL && ar != NULL && text != NULL);
	memcpy(text, data + (size > 0), size - (size > 0));
	text[size - (size > 0)] = '\0';
	opt_init(&t.opt);
	for (n = 0; n < NARG; n++)
		type[n] = type_of(ts, seed >> n);
	f = fmt_parse(ar, text, 1, "printf", &dg);
	FUZZ_MUST((f == NULL) == (dg.n != 0));
	if (f != NULL) {
		n = f->narg < NARG ? f->narg : NARG;
		if (fmt_check(f, "printf", 1, type, n, false, &dg) == 0 &&
		    is_narrow(f))
			print(ts, &t, f, type, n);
		(void)fmt_check(f, "printa", 1, type, NARG, true, &dg);
	}
	opt_free(&t.opt);
	diag_free(&dg);
	free(text);
	arena_free(ar);
	type_free(ts);
	return 0;
}
