/*
 * The D compiler without a kernel: any bytes are lexed, parsed, typed and,
 * bound to BEGIN, lowered to BPF. What fails must say why.
 *
 * The first byte chooses how descriptions are read and what the kernel has.
 */
#include <string.h>

#include "fuzz.h"
#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/astdump.h"
#include "trace/check.h"
#include "trace/diag.h"
#include "trace/lower.h"
#include "trace/parse.h"
#include "trace/prog.h"
#include "trace/provider.h"
#include "trace/trace.h"

/* No description reaches the system's own providers. */
static void
bind_to_begin(struct unit *u)
{
	for (struct clause *cl = u->clause; cl != NULL; cl = cl->next)
		for (struct pdesc *d = cl->pdesc; d != NULL; d = d->next) {
			d->prov = "dtrace";
			d->mod = d->func = "";
			d->name = strcmp(d->name, "ERROR") == 0 ||
			    strcmp(d->name, "END") == 0 ? d->name : "BEGIN";
			d->id = 0;
		}
}

static void
set_kernel(struct trace *t, uint8_t how)
{
	t->offline = true;
	t->target = 1;
	t->kern.ncpu = 4;
	t->kern.version = how & 4 ? 6 << 16 | 1 << 8 : 5 << 16 | 8 << 8;
}

static int
compile(struct trace *t, const char *text, size_t size, uint8_t how,
    struct diag *d)
{
	static char a0[] = "x.d", a1[] = "42", a2[] = "a \"b\\n";
	char *argv[] = { a0, a1, a2, NULL };

	if (parse_program(t, text, size, "script x.d",
	    how & 1 ? PS_NAME : PS_SCRIPT, 3, argv, d) < 0)
		return -1;
	bind_to_begin(t->unit);
	if (provider_match_unit(t, t->unit, d) < 0 ||
	    check_unit(t, t->unit, d) < 0)
		return -1;
	return lower_unit(t, t->unit, &t->prog, d, NULL, NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace t = { .progname = "dt-trace" };
	struct diag d = { 0 };
	struct msg m;
	uint8_t how;
	int rc;

	if (size < 1 || size > 16384)
		return 0;
	how = *data;
	msg_clear(&m);
	opt_init(&t.opt);
	opt_set(&t.opt, "argref", NULL, &m);
	set_kernel(&t, how);
	FUZZ_MUST(unit_new(&t) == 0);
	FUZZ_MUST(provtab_new(&t, &m) == 0);
	rc = compile(&t, (const char *)data + 1, size - 1, how, &d);
	FUZZ_MUST(rc == 0 ? d.n == 0 : d.n > 0);
	for (size_t i = 0; i < d.n; i++)
		FUZZ_MUST(d.msg[i].text != NULL && d.msg[i].text[0] != '\0');
	prog_free(t.prog);
	diag_free(&d);
	provtab_free(&t);
	unit_free(&t);
	opt_free(&t.opt);
	return 0;
}
