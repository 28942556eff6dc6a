#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

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
	uint64_t off;
	int tmp = mkstemp(cut);
	ssize_t n;

	e = elfsym_fd(fd, "self", NULL, &m);
	CHECK(e != NULL);
	if (e == NULL)
		return;
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

#endif

static void
test_demangle(void)
{
#ifdef HAVE_LIBIBERTY
	char *s = elfsym_demangle("_ZN3foo3barEii");

	CHECK_STR(s, "foo::bar");
	free(s);
	s = elfsym_demangle("_RNvC5crate4main");
	CHECK_STR(s, "crate::main");
	free(s);
#endif
	CHECK(elfsym_demangle("main") == NULL);
	CHECK(elfsym_demangle("_Znonsense") == NULL);
	CHECK(elfsym_demangle("_") == NULL);
}

int
main(void)
{
	test_table();
#ifdef HAVE_LIBELF
	test_self();
	test_vdso();
#endif
	test_demangle();
	return unit_end();
}
