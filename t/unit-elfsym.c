#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/elfframe.h"
#include "libdt/elfid.h"
#include "libdt/elfsym.h"
#include "libdt/elfsymtab.h"
#include "unit.h"

static void
test_table(void)
{
	struct symtab_list l = { 0 };
	uint64_t off;

	symtab_add(&l, 0x100, 0x80, "outer", 5, 0);
	symtab_add(&l, 0x120, 0x10, "inner", 5, 0);
	symtab_add(&l, 0x100, 0x80, "weak", 4, 1);
	symtab_add(&l, 0x200, 0, "label", 5, 4);
	symtab_add(&l, 0x300, 0x10, "lastXX", 4, 0);
	symtab_sort(&l);
	CHECK_INT(l.n, 4);
	CHECK(symtab_find(&l, 0xff, &off) == NULL);
	CHECK_STR(symtab_find(&l, 0x100, &off), "outer");
	CHECK_STR(symtab_find(&l, 0x12f, &off), "inner");
	CHECK_INT(off, 0xf);
	CHECK_STR(symtab_find(&l, 0x130, &off), "outer");
	CHECK_INT(off, 0x30);
	CHECK(symtab_find(&l, 0x180, &off) == NULL);
	CHECK_STR(symtab_find(&l, 0x2ff, &off), "label");
	CHECK_STR(symtab_find(&l, 0x30f, &off), "last");
	CHECK(symtab_find(&l, 0x310, &off) == NULL);
	symtab_free(&l);
}

/* One FDE for 0x1000..0x1040, and what is broken in many ways. */
static void
test_frames(void)
{
	uint32_t hdr[] = { 0x3b031b01, 0, 1, 0x1000 - 0x5000,
		0x6000 - 0x5000 };
	uint32_t eh[] = { 12, 4, 0x1000 - 0x6008, 0x40 };
	struct elfbytes h = { (const uint8_t *)hdr, sizeof(hdr), 0x5000 };
	struct elfbytes f = { (const uint8_t *)eh, sizeof(eh), 0x6000 };
	struct elfframes t = { 0 };
	uint64_t start;
	size_t n;

	CHECK_INT(elfframe_read(&t, &h, &f), 0);
	CHECK_INT(t.n, 1);
	CHECK(elfframe_find(&t, 0x103f, &start));
	CHECK_INT(start, 0x1000);
	CHECK(!elfframe_find(&t, 0x1040, &start));
	CHECK(!elfframe_find(&t, 0xfff, &start));
	elfframe_free(&t);
	for (n = 0; n < sizeof(eh); n++) {	/* cut at any byte */
		f.n = n;
		CHECK_INT(elfframe_read(&t, &h, &f), 0);
		CHECK_INT(t.n, 0);
		elfframe_free(&t);
	}
	f.n = sizeof(eh);
	hdr[2] = UINT32_MAX;			/* a count past the end */
	CHECK_INT(elfframe_read(&t, &h, &f), 0);
	CHECK_INT(t.n, 1);
	elfframe_free(&t);
	eh[2]++;				/* not where the table says */
	CHECK_INT(elfframe_read(&t, &h, &f), 0);
	CHECK_INT(t.n, 0);
	elfframe_free(&t);
	hdr[0] = 0x1b031b01;			/* another encoding */
	CHECK_INT(elfframe_read(&t, &h, &f), 0);
	CHECK(t.v == NULL);
	elfframe_free(&t);
}

#ifdef HAVE_LIBELF

/* Where this program's function lies in its file. */
static uint64_t
own_offset(const void *fn)
{
	uint64_t addr = (uint64_t)(uintptr_t)fn, from, to, at, r = 0;
	char line[512];
	FILE *fp = fopen("/proc/self/maps", "r");

	if (fp == NULL)
		abort();
	while (fgets(line, sizeof(line), fp) != NULL)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64,
		    &from, &to, &at) == 3 && addr >= from && addr < to)
			r = addr - from + at;
	fclose(fp);
	return r;
}

static void
test_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char id[ELFID_HEX], cut[] = "/tmp/unit-elfsym.XXXXXX", buf[1000];
	struct elfsym *e;
	struct msg m;
	uint64_t off, start;
	int tmp = mkstemp(cut);
	ssize_t n;

	e = elfsym_fd(fd, "self", NULL, &m);
	CHECK(e != NULL);
	if (e == NULL)
		return;
	CHECK(elfsym_nameless(e, own_offset((void *)(uintptr_t)own_offset) +
	    3, &start, &off));
	CHECK_INT(off, 3);
	CHECK(!elfsym_nameless(e, 0, &start, &off));
	CHECK_STR(elfsym_find(e, own_offset((void *)(uintptr_t)own_offset) + 3,
	    &off), "own_offset");
	CHECK_INT(off, 3);
	CHECK(elfsym_find(e, UINT64_MAX, &off) == NULL);
	CHECK(elfid_fd(fd, "self", id, &m) >= 0);
	CHECK_STR(elfsym_build_id(e), id);
	elfsym_free(e);
	/* a file that ends in the middle has no symbols */
	n = pread(fd, buf, sizeof(buf), 0);
	CHECK_INT(write(tmp, buf, (size_t)n), n);
	e = elfsym_fd(tmp, cut, NULL, &m);
	CHECK(e == NULL || elfsym_count(e) == 0);
	elfsym_free(e);
	CHECK(ftruncate(tmp, 0) == 0);
	CHECK(elfsym_fd(tmp, cut, NULL, &m) == NULL);
	CHECK_STR(m.id, "not-elf");
	unlink(cut);
	close(tmp);
	close(fd);
}

static void
test_vdso(void)
{
	unsigned long at = getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const void *)at;
	struct elfsym *e;
	struct msg m;

	if (at == 0 || eh->e_ident[EI_CLASS] != ELFCLASS64)
		return;
	e = elfsym_mem(eh, eh->e_shoff + (size_t)eh->e_shnum *
	    eh->e_shentsize, "vdso", &m);
	CHECK(e != NULL);
	if (e != NULL)
		CHECK(elfsym_count(e) > 0);
	elfsym_free(e);
}

/*
 * A file whose symbols share one long name, with a second table of symbols
 * and a name that has no end.
 */
struct odd {
	Elf64_Ehdr eh;
	Elf64_Shdr sh[5];
	Elf64_Sym sym[200], other[50];
	char shstr[8];
	char str[10000];
};

static void
make_odd(struct odd *o)
{
	static const Elf64_Sym sym = { .st_name = 1, .st_shndx = 1,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_size = 16 };
	size_t i;

	memcpy(o->eh.e_ident, ELFMAG "\2\1\1", 7);
	o->eh.e_type = ET_EXEC;
	o->eh.e_machine = EM_X86_64;
	o->eh.e_version = EV_CURRENT;
	o->eh.e_ehsize = sizeof(o->eh);
	o->eh.e_shoff = offsetof(struct odd, sh);
	o->eh.e_shentsize = sizeof(o->sh[0]);
	o->eh.e_shnum = 5;
	o->eh.e_shstrndx = 1;
	o->sh[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_size = 8,
		.sh_offset = offsetof(struct odd, shstr) };
	o->sh[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct odd, str),
		.sh_size = sizeof(o->str) };
	o->sh[3] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_link = 2,
		.sh_offset = offsetof(struct odd, sym),
		.sh_size = sizeof(o->sym), .sh_entsize = sizeof(sym),
		.sh_addralign = 8 };
	o->sh[4] = o->sh[3];
	o->sh[4].sh_offset = offsetof(struct odd, other);
	o->sh[4].sh_size = sizeof(o->other);
	memset(o->str + 1, 'a', 9900);
	memset(o->str + 9902, 'b', sizeof(o->str) - 9902);
	for (i = 0; i < 200; i++) {
		o->sym[i] = sym;
		o->sym[i].st_value = 0x1000 + i * 16;
	}
	o->sym[7].st_name = 9902;
	for (i = 0; i < 50; i++) {
		o->other[i] = sym;
		o->other[i].st_value = 0x9000 + i * 16;
	}
}

/* Time and memory go with the size of a file, not with its square. */
static void
test_odd(void)
{
	struct odd *o = calloc(1, sizeof(*o));
	struct elfsym *e;
	struct msg m;
	uint64_t off;

	make_odd(o);
	e = elfsym_mem(o, sizeof(*o), "odd", &m);
	CHECK(e != NULL);
	if (e == NULL)
		return;
	CHECK_INT(elfsym_count(e), 199);
	CHECK_INT(strlen(elfsym_find_vaddr(e, 0x1065, &off)), 4096);
	CHECK_INT(off, 5);
	CHECK(elfsym_find_vaddr(e, 0x1075, &off) == NULL);
	CHECK(elfsym_find_vaddr(e, 0x9000, &off) == NULL);
	elfsym_free(e);
	free(o);
}

/* Symbols that all have the longest of names, one of a few bytes of its own. */
static void
test_names(void)
{
	enum { N = 20000 };
	struct odd *o = calloc(1, sizeof(*o) + N * sizeof(o->sym[0]));
	Elf64_Sym *sym = (Elf64_Sym *)(void *)(o + 1);
	struct elfsym *e;
	size_t i;

	make_odd(o);
	o->sh[3].sh_offset = sizeof(*o);
	o->sh[3].sh_size = N * sizeof(*sym);
	for (i = 0; i < N; i++) {
		sym[i] = o->sym[0];
		sym[i].st_value = 0x1000 + i * 16;
	}
	e = elfsym_mem(o, sizeof(*o) + N * sizeof(*sym), "names", NULL);
	CHECK(e != NULL);
	if (e != NULL)
		CHECK_INT(elfsym_count(e), (64 << 20) / 4097 + 1);
	elfsym_free(e);
	free(o);
}

/* The symbols of a file with o at its beginning and a hole of n bytes. */
static ssize_t
count_holed(const struct odd *o, uint64_t n)
{
	char path[] = "/tmp/unit-elfsym.XXXXXX";
	int fd = mkstemp(path);
	struct elfsym *e;
	ssize_t count;

	CHECK(fd != -1);
	unlink(path);
	CHECK_INT(write(fd, o, sizeof(*o)), sizeof(*o));
	CHECK(ftruncate(fd, (off_t)(sizeof(*o) + n)) == 0);
	e = elfsym_fd(fd, path, NULL, NULL);
	count = e != NULL ? (ssize_t)elfsym_count(e) : -1;
	elfsym_free(e);
	close(fd);
	return count;
}

/* Holes cost nothing in a file, but would in memory. */
static void
test_holes(void)
{
	static const uint64_t most = 512 << 20;
	struct odd *o = calloc(1, sizeof(*o));

	make_odd(o);
	CHECK_INT(count_holed(o, most), 199);
	o->sh[2].sh_size += most;		/* names */
	CHECK_INT(count_holed(o, most), 0);
	make_odd(o);
	o->sh[3].sh_size = most + sizeof(o->sym[0]);
	CHECK_INT(count_holed(o, most), 0);
	make_odd(o);
	o->eh.e_shnum = 0;			/* then it is there */
	o->sh[0].sh_size = 5;
	CHECK_INT(count_holed(o, 0), -1);
	make_odd(o);
	o->eh.e_phnum = PN_XNUM;
	CHECK_INT(count_holed(o, 0), -1);
	free(o);
}

#endif

#ifdef HAVE_LIBIBERTY
/* f<pair<int, int>, pair<the last, the last>, ...>: each is twice as long. */
static const char *
endless(void)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char name[1024];
	char last[8];
	size_t n;
	int i;

	n = (size_t)snprintf(name, sizeof(name), "_Z1fISt4pairIiiE");
	for (i = 1; i < 60; i++) {
		(void)snprintf(last, sizeof(last), "S%.*s%c_", i / 36,
		    digit + i / 36, digit[i % 36]);
		n += (size_t)snprintf(name + n, sizeof(name) - n,
		    "S0_I%s%sE", last, last);
	}
	(void)snprintf(name + n, sizeof(name) - n, "EvT_");
	return name;
}
#endif

static void
test_demangle(void)
{
#ifdef HAVE_LIBIBERTY
	char *s = elfsym_demangle("_ZN3foo3barEii");

	CHECK_STR(s, "foo::bar");
	free(s);
	s = elfsym_demangle(endless());
	CHECK_INT(strlen(s), 4095);
	CHECK(strncmp(s, "f<std::pair<int, int>, std::pair<std::", 38) == 0);
	free(s);
	s = elfsym_demangle("_RNvC5crate4main");
	CHECK_STR(s, "crate::main");
	free(s);
	s = elfsym_demangle("_RNvMIC1aFGz_EuEu1x");
	CHECK_STR(s, "<()>::x");
	free(s);
	/* so many lifetimes that nobody waits for them */
	CHECK(elfsym_demangle("_RNvMIC1aFGzzzzzzzz_EuEu1x") == NULL);
#endif
	CHECK(elfsym_demangle("main") == NULL);
	CHECK(elfsym_demangle("_Znonsense") == NULL);
	CHECK(elfsym_demangle("_") == NULL);
}

int
main(void)
{
	test_table();
	test_frames();
#ifdef HAVE_LIBELF
	test_self();
	test_vdso();
	test_odd();
	test_names();
	test_holes();
#endif
	test_demangle();
	return unit_end();
}
