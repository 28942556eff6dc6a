/*
 * unit-parse.c - the D front end: each error tag has a case, named by what is
 * wrong; programs that are right; values of constant expressions; the tree.
 * Nothing here needs a kernel.
 */
#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/astdump.h"
#include "trace/check.h"
#include "trace/diag.h"
#include "trace/parse.h"
#include "trace/probe.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "unit.h"

struct front {
	struct trace t;
	struct diag d;
	int rc;
};

static void
front_open(struct front *f, bool offline)
{
	memset(f, 0, sizeof(*f));
	opt_init(&f->t.opt);
	f->t.offline = offline;
	if (unit_new(&f->t) < 0)
		abort();
}

static void
front_begin(struct front *f)
{
	front_open(f, true);
}

static void
front_end(struct front *f)
{
	diag_free(&f->d);
	unit_free(&f->t);
	opt_free(&f->t.opt);
}

/* Parses and checks; an argument, if there is one, is $1. */
static void
front_run(struct front *f, const char *text, enum pspec spec, const char *arg)
{
	char prog[] = "x.d", *argv[] = { prog, NULL, NULL };
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", arg != NULL ? arg : "");
	argv[1] = copy;
	f->rc = parse_program(&f->t, text, strlen(text), "script x.d", spec,
	    arg != NULL ? 2 : 1, argv, &f->d);
	if (f->rc == 0)
		f->rc = check_unit(&f->t, f->t.unit, &f->d);
}

/* The first error is this one, on this line. */
static const struct bad { const char *name; enum errtag tag; int line;
    const char *text, *arg; } bad[] = {
#include "unit-parse-bad.def"
};

static void
test_errors(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const struct bad *b = &bad[i];
		struct front f;
		bool ok;

		front_begin(&f);
		front_run(&f, b->text, PS_SCRIPT, b->arg);
		ok = f.rc < 0 && f.d.n > 0 && f.d.msg[0].tag == b->tag &&
		    f.d.msg[0].line == b->line;
		CHECK(ok);
		if (!ok)
			printf("\t%s: want %s line %d, got %s line %d: %s\n",
			    b->name, diag_tagname(b->tag), b->line,
			    f.d.n > 0 ? diag_tagname(f.d.msg[0].tag) :
			    "nothing", f.d.n > 0 ? f.d.msg[0].line : 0,
			    f.d.n > 0 ? f.d.msg[0].text : "");
		front_end(&f);
	}
}

static const struct good { const char *name, *text; } good[] = {
#include "unit-parse-good.def"
};

static void
test_good(void)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct front f;

		front_begin(&f);
		front_run(&f, good[i].text, PS_SCRIPT, NULL);
		CHECK(f.rc == 0);
		if (f.rc < 0)
			printf("\t%s: line %d: %s\n", good[i].name,
			    f.d.n > 0 ? f.d.msg[0].line : 0,
			    f.d.n > 0 ? f.d.msg[0].text : "");
		front_end(&f);
	}
}

/* Constant expressions: value and type, as the reference port has them. */
static const struct value { const char *expr; int64_t value;
    const char *type; } value[] = {
	{ "1 + 2 * 3", 7, "int" },
	{ "7 % 4 * 3 - 1", 8, "int" },
	{ "1 << 2 + 1", 8, "int" },
	{ "6 & 3 | 8", 10, "int" },
	{ "5 ^ 1 | 2", 6, "int" },
	{ "3 > 2 == 1", 1, "int" },
	{ "1 || 0 && 0", 1, "int" },
	{ "3 ^^ 4", 0, "int" },
	{ "1 ? 2 : 3 ? 4 : 5", 2, "int" },
	{ "0 ? 2 : 0 ? 4 : 5", 5, "int" },
	{ "- ~ 4", 5, "int" },
	{ "!0 + 1", 2, "int" },
	{ "(1, 2, 3)", 3, "int" },
	{ "2147483647", 2147483647, "int" },
	{ "2147483648", 2147483648, "long" },
	{ "0x7fffffff", 2147483647, "int" },
	{ "0xffffffff", 4294967295, "unsigned int" },
	{ "0x100000000", 4294967296, "long" },
	{ "0xffffffffffffffff", -1, "unsigned long" },
	{ "18446744073709551615U", -1, "unsigned long" },
	{ "5L", 5, "long" },
	{ "5UL", 5, "unsigned long" },
	{ "5LL", 5, "long long" },
	{ "5ULL", 5, "unsigned long long" },
	{ "017", 15, "int" },
	{ "'A'", 65, "int" },
	{ "'\\n'", 10, "int" },
	{ "'\\0'", 0, "int" },
	{ "'\\101'", 65, "int" },
	{ "'\\x5a'", 90, "int" },
	{ "'\\''", 39, "int" },
	{ "'ab'", 0x6162, "int" },
	{ "'abcdefgh'", 0x6162636465666768, "long" },
	{ "(char)200", -56, "char" },
	{ "(uint8_t)300", 44, "uint8_t" },
	{ "(int8_t)100 + (int8_t)100", -56, "int8_t" },
	{ "(uint8_t)200 + (uint8_t)100", 44, "uint8_t" },
	{ "(int8_t)-1 < (uint8_t)1", 0, "int" },
	{ "(int)-1 == 0xffffffff", 0, "int" },
	{ "(int64_t)-1 < (uint32_t)1", 1, "int" },
	{ "(uint64_t)-1 / 3", 6148914691236517205, "uint64_t" },
	{ "-7 / 2", -3, "int" },
	{ "-7 % 2", -1, "int" },
	{ "(int64_t)0x8000000000000000 / -1", INT64_MIN, "int64_t" },
	{ "-8 >> 1", -4, "int" },
	{ "0xfffffff0 >> 4", 0xfffffff, "unsigned int" },
	{ "1 << 31", INT64_C(1) << 31, "int" },
	{ "10 * 1000000000", INT64_C(10000000000), "int" },
	{ "(int32_t)1 << 31", INT32_MIN, "int32_t" },
	{ "sizeof (char)", 1, "size_t" },
	{ "sizeof (long [3])", 24, "size_t" },
	{ "sizeof (int (*)[4])", 8, "size_t" },
	{ "sizeof 'a'", 4, "size_t" },
	{ "sizeof ((char)1 + (char)2)", 1, "size_t" },
	{ "sizeof (1 + 2L)", 8, "size_t" },
	{ "sizeof (struct s)", 16, "size_t" },
	{ "offsetof(struct s, b)", 8, "size_t" },
	{ "sizeof (union u)", 6, "size_t" },
	{ "sizeof (struct bits)", 4, "size_t" },
	{ "RED + 1", 1, "int" },
	{ "BLUE", 4294967295, "enum col" },
	{ "NULL", 0, "long" },
	{ "ENOENT", 2, "int" },
	{ "SIGKILL", 9, "int" },
	{ "TWICE", 24, "int" },
	{ "add[2, 3]", 5, "int" },
};

static void
test_values(void)
{
	static const char decl[] = "struct s { int a; long b; };\n"
	    "union u { int i; char c[6]; };\n"
	    "struct bits { int a:3; int b:29; };\n"
	    "enum col { RED, GREEN = 5, BLUE = -1 };\n"
	    "inline int LIMIT = 12; inline int TWICE = LIMIT * 2;\n"
	    "inline int add[int x, int y] = x + y;\n";

	for (size_t i = 0; i < sizeof(value) / sizeof(*value); i++) {
		const struct value *v = &value[i];
		const struct node *n;
		char text[1024], type[128];
		struct front f;

		snprintf(text, sizeof(text), "%sBEGIN { x = %s; }", decl,
		    v->expr);
		front_begin(&f);
		front_run(&f, text, PS_SCRIPT, NULL);
		CHECK_INT(f.rc, 0);
		if (f.rc < 0) {
			printf("\t%s: %s\n", v->expr, f.d.msg[0].text);
			front_end(&f);
			continue;
		}
		n = f.t.unit->clause->body->expr->b;
		CHECK_INT(n->kind, N_INT);
		CHECK_INT(n->ival, v->value);
		CHECK_STR(type_name(n->type, type, sizeof(type)), v->type);
		front_end(&f);
	}
}

/* How descriptions are read under -P -m -f -n. */
static const struct desc { enum pspec spec; const char *text, *prov, *mod,
    *func, *name; } desc[] = {
	{ PS_NAME, "BEGIN", "", "", "", "BEGIN" },
	{ PS_NAME, "write:entry", "", "", "write", "entry" },
	{ PS_NAME, "syscall::write:", "syscall", "", "write", "" },
	{ PS_NAME, "profile:::tick-10s", "profile", "", "", "tick-10s" },
	{ PS_NAME, "a?[b-d]*:::x!", "a?[b-d]*", "", "", "x!" },
	{ PS_FUNC, "write", "", "", "write", "" },
	{ PS_FUNC, "syscall::write", "syscall", "", "write", "" },
	{ PS_MOD, "vmlinux", "", "vmlinux", "", "" },
	{ PS_MOD, "fbt:ext4", "fbt", "ext4", "", "" },
	{ PS_PROV, "io", "io", "", "", "" },
};

static void
test_descriptions(void)
{
	struct pdesc pd;
	struct front f;

	for (size_t i = 0; i < sizeof(desc) / sizeof(*desc); i++) {
		const struct desc *d = &desc[i];

		front_begin(&f);
		CHECK_INT(parse_pdesc(&f.t, d->text, d->spec, &pd, &f.d), 0);
		CHECK_STR(pd.prov, d->prov);
		CHECK_STR(pd.mod, d->mod);
		CHECK_STR(pd.func, d->func);
		CHECK_STR(pd.name, d->name);
		front_end(&f);
	}
	front_begin(&f);
	CHECK(parse_pdesc(&f.t, "a:b:c:d:e", PS_NAME, &pd, &f.d) < 0);
	CHECK(parse_pdesc(&f.t, "a:b", PS_PROV, &pd, &f.d) < 0);
	CHECK(parse_pdesc(&f.t, "17", PS_ID, &pd, &f.d) == 0 && pd.id == 17);
	front_end(&f);
}

static void
test_hints(void)
{
	static const struct { const char *text, *hint; } hint[] = {
		{ "BEGIN { trace(exename); }", "did you mean execname?" },
		{ "BEGIN { pritnf(\"x\"); }", "did you mean printf( )?" },
		{ "BEGIN { count = 1; x = conut; }", NULL },
		{ "BEGIN { self->abc = 1; x = abc; }",
		    "did you mean self->abc?" },
		{ "BEGIN { x = (uint46_t)1; }", "did you mean uint64_t?" },
		{ "BEGIN { while (1) ; }", "D has no loops" },
		{ "struct s { int alpha; }; struct s v;\n"
		    "BEGIN { x = v.alpah; }", "did you mean alpha?" },
		{ "BEGIN { x = $target; }", "$target needs -c or -p" },
		{ "// x\nBEGIN { }", "D's comments are /* ... */ only" },
		{ "int x = 3;\nBEGIN { }", "a variable gets its value in a "
		    "clause, as BEGIN { ... }" },
		{ "#include <x.h>\nBEGIN { }",
		    "-C runs the C preprocessor" },
	};

	for (size_t i = 0; i < sizeof(hint) / sizeof(*hint); i++) {
		struct front f;

		front_begin(&f);
		f.t.offline = false;
		front_run(&f, hint[i].text, PS_SCRIPT, NULL);
		CHECK(f.d.n > 0);
		if (hint[i].hint != NULL && f.d.n > 0)
			CHECK_STR(f.d.msg[0].hint, hint[i].hint);
		front_end(&f);
	}
}

/* Several errors in one run, in order, each once. */
static void
test_several(void)
{
	struct front f;

	front_begin(&f);
	front_run(&f, "BEGIN { x = ; y = 1; }\nBEGIN { ) }\nEND { z = 2 }\n",
	    PS_SCRIPT, NULL);
	CHECK_INT(f.d.n, 2);
	CHECK_INT(f.d.msg[0].line, 1);
	CHECK_INT(f.d.msg[1].line, 2);
	front_end(&f);

	front_begin(&f);
	front_run(&f, "BEGIN {\n a = nope;\n b = a + 1;\n c = \"x\" * 2;\n"
	    " trace(nada);\n}\n", PS_SCRIPT, NULL);
	CHECK_INT(f.d.n, 3);
	CHECK_INT(f.d.msg[0].line, 2);
	CHECK_INT(f.d.msg[1].line, 4);
	CHECK_INT(f.d.msg[2].line, 5);
	front_end(&f);
}

static void
test_macros(void)
{
	static const struct { const char *arg, *text; int rc; } m[] = {
		{ "42", "BEGIN { x = $1 + 1; }", 0 },
		{ "-5", "BEGIN { x = $1; }", 0 },
		{ "BEGIN", "dtrace:::$1 { x = 1; }", 0 },
		{ "name", "BEGIN { $1 = 1; x = $1; }", 0 },
		{ "two words", "BEGIN { s = $1; y = strlen(s); }", 0 },
		{ "two words", "BEGIN { s = $$1; }", 0 },
		{ "99999999999999999999", "BEGIN { x = $1; }", -1 },
		{ NULL, "#pragma D option defaultargs\n"
		    "BEGIN { x = $1; s = $$2; }", 0 },
	};

	for (size_t i = 0; i < sizeof(m) / sizeof(*m); i++) {
		struct front f;

		front_begin(&f);
		front_run(&f, m[i].text, PS_SCRIPT, m[i].arg);
		CHECK_INT(f.rc, m[i].rc);
		front_end(&f);
	}
}

/* A predicate, two programs in one unit, and the dump. */
static void
test_dump(void)
{
	static const char want[] =
	    "ident x scalar 0 : int read written\n"
	    "ident @c agg 0 : count [string max 2] written\n"
	    "ident pid builtin 0 : pid_t read\n"
	    "clause 0 line 1: :::BEGIN\n"
	    "  assign = : int\n"
	    "    var x : int\n"
	    "    int 6 : int\n"
	    "clause 1 line 1: syscall::write:entry\n"
	    "  predicate\n"
	    "    binary == : int\n"
	    "      cast : long\n"
	    "        var pid : pid_t\n"
	    "      cast : long\n"
	    "        var x : int\n"
	    "  aggassign : <DYN>\n"
	    "    agg @c : <DYN>\n"
	    "      str \"k\" : string max 2\n"
	    "    call count : <DYN>\n";
	char got[2048] = "";
	FILE *fp = fmemopen(got, sizeof(got) - 1, "w");
	struct front f;

	front_begin(&f);
	front_run(&f, "BEGIN { x = 2 * 3; }", PS_NAME, NULL);
	CHECK_INT(f.rc, 0);
	front_run(&f, "syscall::write:entry / pid == x / { @c[\"k\"] = "
	    "count(); }", PS_NAME, NULL);
	CHECK_INT(f.rc, 0);
	ast_dump(fp, f.t.unit);
	fclose(fp);
	CHECK_STR(got, want);
	front_end(&f);
}

/* args[] of made-up probes; kernel types where there are any */
static int
fake_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	if (p->key == 3)
		return msg_set(m, "x", "no such luck");
	if (n == 0)
		a->type = type_int(t->types, p->key == 1 ? 4 : 8, true);
	if (n == 1)
		a->type = type_lookup(t->types, "char *");
	return 0;
}

static void
check_fake(const char *text, int64_t key, enum errtag tag)
{
	static const struct provider pv = { .name = "fake", .arg = fake_arg };
	struct probe a = { .pv = &pv, .prov = "fake12", .mod = "",
	    .func = "", .name = "go-on", .key = 1 }, b = a;
	struct probe *both[] = { &a, &b };
	struct front f;

	b.key = key;
	front_begin(&f);
	CHECK_INT(parse_program(&f.t, text, strlen(text), "x", PS_SCRIPT, 0,
	    NULL, &f.d), 0);
	f.t.unit->clause->probe = both;
	f.t.unit->clause->nprobe = 2;
	f.rc = check_unit(&f.t, f.t.unit, &f.d);
	CHECK_INT(f.rc, tag == D_NTAGS ? 0 : -1);
	if (f.d.n > 0)
		CHECK_STR(diag_tagname(f.d.msg[0].tag), diag_tagname(tag));
	f.t.unit->clause->probe = NULL;
	front_end(&f);
}

static void
test_args(void)
{
	check_fake("a:::b { x = args[0]; s = stringof(args[1]); }", 1,
	    D_NTAGS);
	check_fake("a:::b { s = stringof(args[1]); }", 2, D_NTAGS);
	check_fake("a:::b { x = args[0]; }", 2, D_ARGS_MULTI);
	check_fake("a:::b { x = args[2]; }", 1, D_ARGS_IDX);
	check_fake("a:::b { x = args[0]; }", 3, D_ARGS_TYPE);
	/* a provider declaration says more than the probe */
	check_fake("struct s { int m; }; provider fake { "
	    "probe go__on(struct s *); };\n"
	    "a:::b { x = args[0]->m; }", 2, D_NTAGS);
}

static void
test_kernel_types(void)
{
	static const char ok[] = "BEGIN { p = curthread->pid;\n"
	    "s = curpsinfo->pr_psargs; n = curlwpsinfo->pr_lwpid;\n"
	    "c = curcpu->cpu_id; e = (enum pid_type)1 == PIDTYPE_TGID;\n"
	    "f = ((fileinfo_t *)arg0)->fi_name; i = fds[3].fi_pathname;\n"
	    "d = ((devinfo_t *)arg0)->dev_name;\n"
	    "b = ((bufinfo_t *)arg0)->b_edev;\n"
	    "g = (*curpsinfo).pr_sid; h = curlwpsinfo->pr_sname; }";
	static const char ambig[] = "int PIDTYPE_TGID;\n"
	    "BEGIN { e = (enum pid_type)1 == PIDTYPE_TGID; }";
	static const char member[] = "BEGIN { trace(curpsinfo->pr_pd); }";
	struct front f;
	bool btf;

	front_open(&f, false);
	btf = type_lookup(f.t.types, "enum pid_type") != NULL;
	front_run(&f, ok, PS_SCRIPT, NULL);
	CHECK_INT(f.rc, btf ? 0 : -1);
	front_end(&f);
	front_begin(&f);
	front_run(&f, ok, PS_SCRIPT, NULL);
	CHECK(f.rc < 0 && f.d.msg[0].tag == D_VAR_UNSUP);
	front_end(&f);
	if (!btf)
		return;
	front_open(&f, false);
	front_run(&f, ambig, PS_SCRIPT, NULL);
	CHECK(f.d.n == 1 && f.d.msg[0].tag == D_IDENT_AMBIG);
	front_end(&f);
	front_open(&f, false);
	front_run(&f, "BEGIN { trace(*curpsinfo); }", PS_SCRIPT, NULL);
	CHECK(f.d.n == 1 && f.d.msg[0].tag == D_OP_DYN);
	front_end(&f);
	front_open(&f, false);
	front_run(&f, member, PS_SCRIPT, NULL);
	CHECK(f.d.n == 1 && f.d.msg[0].tag == D_TYPE_MEMBER);
	CHECK_STR(f.d.msg[0].hint, "did you mean pr_pid?");
	front_end(&f);
}

static void
test_options(void)
{
	struct opts o;
	struct msg m;

	opt_init(&o);
	CHECK_INT(opt_num(&o, O_BUFSIZE), 4 << 20);
	CHECK_INT(opt_set(&o, "bufsize", "2k", &m), 0);
	CHECK_INT(opt_num(&o, O_BUFSIZE), 2048);
	CHECK_INT(opt_set(&o, "aggrate", "10hz", &m), 0);
	CHECK_INT(opt_num(&o, O_AGGRATE), 100000000);
	CHECK_INT(opt_set(&o, "switchrate", "5ms", &m), 0);
	CHECK_INT(opt_num(&o, O_SWITCHRATE), 5000000);
	CHECK_INT(opt_set(&o, "statusrate", "20", &m), 0);
	CHECK_INT(opt_num(&o, O_STATUSRATE), 50000000);
	CHECK(!opt_flag(&o, O_QUIET));
	CHECK_INT(opt_set(&o, "quiet", NULL, &m), 0);
	CHECK(opt_flag(&o, O_QUIET));
	CHECK_INT(opt_set(&o, "quiet", "off", &m), 0);
	CHECK(!opt_flag(&o, O_QUIET));
	CHECK_INT(opt_set(&o, "bufpolicy", "switch", &m), 0);
	CHECK(opt_set(&o, "bufpolicy", "ring", &m) < 0);
	CHECK_INT(opt_set(&o, "version", "1.13", &m), 0);
	CHECK(opt_set(&o, "version", "3.0", &m) < 0);
	CHECK(opt_set(&o, "version", "x", &m) < 0);
	CHECK(opt_set(&o, "strsize", "big", &m) < 0);
	CHECK(opt_set(&o, "strsize", NULL, &m) < 0);
	CHECK(opt_set(&o, "bufsize", "99999999999t", &m) < 0);
	CHECK(opt_set(&o, "nosuch", "1", &m) < 0);
	CHECK(strncmp(m.text, "Invalid option name", 19) == 0);
	CHECK(opt_set(&o, "quite", NULL, &m) < 0);
	CHECK(strstr(m.text, "'quiet'") != NULL);
	CHECK(opt_set(&o, "libdir", "/x", &m) < 0);
	CHECK(strstr(m.text, "means nothing") != NULL);
	CHECK_INT(opt_set(&o, "define", "A=1", &m), 0);
	CHECK_INT(opt_set(&o, "define", "B", &m), 0);
	CHECK_STR(opt_str(&o, O_DEFINE), "A=1\nB\n");
	opt_free(&o);
}

/* Texts that once cost too much, or might. */
static void
test_hostile(void)
{
	enum { N = 100000 };
	static char text[N + 64];
	struct front f;

	for (int k = 0; k < 6; k++) {
		static const char unit[][4] = { "(", "-", "!", "[", "{", "*" };

		memset(text, 0, sizeof(text));
		strcpy(text, "BEGIN { x = ");
		memset(text + strlen(text), unit[k][0], N);
		front_begin(&f);
		front_run(&f, text, PS_SCRIPT, NULL);
		CHECK(f.rc < 0);
		front_end(&f);
	}
	strcpy(text, "BEGIN { x = 1");
	for (size_t n = strlen(text); n < N; n += 2)
		memcpy(text + n, "+1", 3);
	front_begin(&f);
	front_run(&f, text, PS_SCRIPT, NULL);
	CHECK(f.rc < 0);
	CHECK_INT(f.d.msg[0].tag, D_NEST);
	front_end(&f);
	/* inlines that double 40 times */
	strcpy(text, "int v; inline int a0 = v + v;\n");
	for (int i = 1; i < 40; i++)
		sprintf(text + strlen(text), "inline int a%d = a%d + a%d;\n",
		    i, i - 1, i - 1);
	strcat(text, "BEGIN { x = a39; }\n");
	front_begin(&f);
	front_run(&f, text, PS_SCRIPT, NULL);
	CHECK(f.rc < 0);
	front_end(&f);
}

int
main(void)
{
	test_errors();
	test_good();
	test_values();
	test_descriptions();
	test_hints();
	test_several();
	test_macros();
	test_dump();
	test_args();
	test_kernel_types();
	test_options();
	test_hostile();
	return unit_end();
}
