#include <elf.h>
#include <stddef.h>

#include "libdt/elfid.h"
#include "unit.h"

struct image {
	Elf64_Ehdr e;
	Elf64_Phdr p;
	Elf64_Nhdr n;
	char name[4];
	unsigned char id[20];
};

static void
make(struct image *i)
{
	memset(i, 0, sizeof(*i));
	memcpy(i->e.e_ident, ELFMAG, SELFMAG);
	i->e.e_ident[EI_CLASS] = ELFCLASS64;
	i->e.e_ident[EI_DATA] = ELFDATA2LSB;
	i->e.e_phoff = offsetof(struct image, p);
	i->e.e_phentsize = sizeof(i->p);
	i->e.e_phnum = 1;
	i->p.p_type = PT_NOTE;
	i->p.p_offset = offsetof(struct image, n);
	i->p.p_filesz = sizeof(*i) - offsetof(struct image, n);
	i->n.n_namesz = 4;
	i->n.n_descsz = 20;
	i->n.n_type = NT_GNU_BUILD_ID;
	memcpy(i->name, "GNU", 4);
	memset(i->id, 0xab, sizeof(i->id));
}

static void
test_good(void)
{
	char hex[ELFID_HEX];
	struct image i;

	make(&i);
	CHECK_INT(elfid_mem(&i, sizeof(i), hex), 0);
	CHECK_STR(hex, "abababababababababababababababababababab");
	i.n.n_type = 1;
	CHECK_INT(elfid_mem(&i, sizeof(i), hex), 1);
	CHECK_STR(hex, "");
}

/* Each byte of the headers set to what hurts, each length: never a crash. */
static void
test_hostile(void)
{
	static const unsigned char set[] = { 0, 1, 0x7f, 0x80, 0xff };
	char hex[ELFID_HEX];
	struct image i;
	size_t at, k, bad = 0;

	make(&i);
	for (at = 0; at <= sizeof(i); at++) {
		void *copy = malloc(at + 1);

		if (copy == NULL)
			exit(1);
		memcpy(copy, &i, at);
		if (elfid_mem(copy, at, hex) == 0 &&
		    at < offsetof(struct image, id) + sizeof(i.id))
			bad++;
		free(copy);
	}
	for (at = 0; at < offsetof(struct image, id); at++)
		for (k = 0; k < sizeof(set); k++) {
			make(&i);
			((unsigned char *)&i)[at] = set[k];
			if (elfid_mem(&i, sizeof(i), hex) < 0)
				bad++;
		}
	CHECK_INT(bad, 0);
}

static void
test_file(void)
{
	char hex[ELFID_HEX];
	struct msg m;

	CHECK(elfid_path("/proc/self/exe", hex, &m) >= 0);
	CHECK_INT(elfid_path("/nonexistent", hex, &m), -1);
	CHECK_INT(elfid_path("/dev/null", hex, &m), 1);
}

int
main(void)
{
	test_good();
	test_hostile();
	test_file();
	return unit_end();
}
