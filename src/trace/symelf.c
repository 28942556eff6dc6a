/*
 * symelf.c - the symbols of one ELF file: .symtab, else .dynsym, and those of
 * its separate debug file (by build-id, by .gnu_debuglink), and the entries of
 * its PLT as name@plt.
 *
 * Source: the ELF specification and its x86-64 and AArch64 supplements, the
 * GDB manual on separate debug files.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "libdt/elfid.h"
#include "symint.h"

enum { RANK_GLOBAL, RANK_WEAK, RANK_LOCAL, RANK_NOTYPE, RANK_PLT };

static int
rank_of(const GElf_Sym *sym)
{
	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		return RANK_NOTYPE;
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL: return RANK_GLOBAL;
	case STB_WEAK: return RANK_WEAK;
	}
	return RANK_LOCAL;
}

static bool
is_wanted(const GElf_Sym *sym, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || name == NULL || *name == '\0' ||
	    *name == '$' || sym->st_value == 0)
		return false;
	return type == STT_FUNC || type == STT_OBJECT ||
	    type == STT_GNU_IFUNC ||
	    (type == STT_NOTYPE && sym->st_shndx < SHN_LORESERVE);
}

/* All of one symbol table. A "name@@VERSION" loses its version. */
static int
add_table(struct symfile *f, Elf *e, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t i, n, len;
	GElf_Sym sym;
	const char *name;

	if (data == NULL || sh->sh_entsize == 0)
		return 0;
	n = data->d_size / sh->sh_entsize;
	for (i = 0; i < n && i < INT_MAX; i++) {
		if (gelf_getsym(data, (int)i, &sym) == NULL)
			break;
		name = elf_strptr(e, sh->sh_link, sym.st_name);
		if (!is_wanted(&sym, name))
			continue;
		len = strcspn(name, "@");
		if (symlist_add(&f->list, sym.st_value, sym.st_size, name,
		    len != 0 ? len : strlen(name),
		    (uint8_t)rank_of(&sym)) == -1)
			return -1;
	}
	return 0;
}

/* The first section of a type (name NULL), or of a name; NULL: none. */
static Elf_Scn *
section(Elf *e, GElf_Word type, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t strndx;
	const char *s;

	if (elf_getshdrstrndx(e, &strndx) != 0)
		return NULL;
	while ((scn = elf_nextscn(e, scn)) != NULL) {
		if (gelf_getshdr(scn, sh) == NULL)
			continue;
		if (name == NULL) {
			if (sh->sh_type == type)
				return scn;
			continue;
		}
		s = elf_strptr(e, strndx, sh->sh_name);
		if (s != NULL && strcmp(s, name) == 0)
			return scn;
	}
	return NULL;
}

/* 1: there was a table of that type. */
static int
add_symbols(struct symfile *f, Elf *e, GElf_Word type)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section(e, type, NULL, &sh);

	if (scn == NULL || sh.sh_type == SHT_NOBITS)
		return 0;
	return add_table(f, e, scn, &sh) == -1 ? -1 : 1;
}

struct plt { uint64_t addr, size, step; };

/* Where the PLT's entries are, the first one of a relocation: .plt.sec where
 * there is one, else .plt behind its header. */
static bool
find_plt(Elf *e, struct plt *p)
{
	GElf_Ehdr eh;
	GElf_Shdr sh;
	uint64_t head;

	if (gelf_getehdr(e, &eh) == NULL)
		return false;
	p->step = 16;
	head = eh.e_machine == EM_AARCH64 ? 32 : 16;
	if (section(e, 0, ".plt.sec", &sh) != NULL)
		head = 0;
	else if (section(e, 0, ".plt", &sh) == NULL || sh.sh_size < head)
		return false;
	p->addr = sh.sh_addr + head;
	p->size = sh.sh_size - head;
	return eh.e_machine == EM_X86_64 || eh.e_machine == EM_AARCH64;
}

static int
add_plt(struct symfile *f, Elf *e)
{
	GElf_Shdr rsh, dsh;
	Elf_Scn *rel = section(e, 0, ".rela.plt", &rsh);
	Elf_Scn *dyn = section(e, SHT_DYNSYM, NULL, &dsh);
	Elf_Data *rd, *dd;
	struct plt p;
	GElf_Rela r;
	GElf_Sym sym;
	char name[512];
	const char *s;
	size_t i;

	if (rel == NULL || dyn == NULL || !find_plt(e, &p) ||
	    (rd = elf_getdata(rel, NULL)) == NULL ||
	    (dd = elf_getdata(dyn, NULL)) == NULL || rsh.sh_entsize == 0)
		return 0;
	for (i = 0; i < rd->d_size / rsh.sh_entsize &&
	    (i + 1) * p.step <= p.size; i++) {
		if (gelf_getrela(rd, (int)i, &r) == NULL ||
		    gelf_getsym(dd, (int)GELF_R_SYM(r.r_info), &sym) == NULL)
			continue;
		s = elf_strptr(e, dsh.sh_link, sym.st_name);
		if (s == NULL || *s == '\0')
			continue;
		snprintf(name, sizeof(name), "%s@plt", s);
		if (symlist_add(&f->list, p.addr + i * p.step, p.step, name,
		    strlen(name), RANK_PLT) == -1)
			return -1;
	}
	return 0;
}

static int
add_segments(struct symfile *f, Elf *e)
{
	size_t i, n;
	GElf_Phdr ph;

	if (elf_getphdrnum(e, &n) != 0 || n == 0)
		return 0;
	if ((f->seg = calloc(n, sizeof(*f->seg))) == NULL)
		return -1;
	for (i = 0; i < n && i < INT_MAX; i++)
		if (gelf_getphdr(e, (int)i, &ph) != NULL &&
		    ph.p_type == PT_LOAD)
			f->seg[f->nseg++] = (struct symseg){ ph.p_offset,
			    ph.p_filesz, ph.p_vaddr };
	return 0;
}

static int
open_debug_at(const char *dir, const char *sub, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s%s", dir, sub, name);

	return n < 0 || (size_t)n >= sizeof(path) ? -1 :
	    open(path, O_RDONLY | O_CLOEXEC);
}

static int
open_by_id(int fd)
{
	char hex[ELFID_HEX], name[ELFID_HEX + 16];

	if (elfid_fd(fd, "", hex, NULL) != 0 || strlen(hex) < 4)
		return -1;
	snprintf(name, sizeof(name), "%.2s/%s.debug", hex, hex + 2);
	return open_debug_at("/usr/lib/debug", "/.build-id/", name);
}

static int
open_by_link(const struct symfile *f, Elf *e)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section(e, 0, ".gnu_debuglink", &sh);
	Elf_Data *data = scn != NULL ? elf_getdata(scn, NULL) : NULL;
	char dir[PATH_MAX], far[PATH_MAX];
	const char *slash = strrchr(f->path, '/');
	const char *name;
	int fd;

	if (data == NULL || data->d_buf == NULL || slash == NULL ||
	    memchr(data->d_buf, '\0', data->d_size) == NULL)
		return -1;
	name = data->d_buf;
	if (strchr(name, '/') != NULL)
		return -1;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - f->path), f->path);
	if ((fd = open_debug_at(dir, "/.debug/", name)) != -1)
		return fd;
	if (snprintf(far, sizeof(far), "/usr/lib/debug%s", dir) >=
	    (int)sizeof(far))
		return -1;
	return open_debug_at(far, "/", name);
}

/* 1: symbols were found in a separate debug file. */
static int
add_debug_file(struct symfile *f, Elf *e)
{
	int fd = open_by_id(f->fd), r = 0;
	Elf *d;

	if (fd == -1)
		fd = open_by_link(f, e);
	if (fd == -1)
		return 0;
	if ((d = elf_begin(fd, ELF_C_READ_MMAP, NULL)) != NULL) {
		r = add_symbols(f, d, SHT_SYMTAB);
		elf_end(d);
	}
	close(fd);
	return r;
}

static void
load_elf(struct symfile *f, Elf *e)
{
	int r;

	if (elf_kind(e) != ELF_K_ELF || add_segments(f, e) == -1)
		return;
	r = add_symbols(f, e, SHT_SYMTAB);
	if (r == 0 && f->fd != -1)
		r = add_debug_file(f, e);
	if (r == 0)
		r = add_symbols(f, e, SHT_DYNSYM);
	if (r == -1 || add_plt(f, e) == -1)
		f->list.n = 0;
	symlist_sort(&f->list);
}

/* The kernel gives every process of our kind the same vdso as ours. */
static Elf *
vdso_begin(void)
{
	char *at = (char *)getauxval(AT_SYSINFO_EHDR);

	return at == NULL ? NULL : elf_memory(at,
	    2 * (size_t)sysconf(_SC_PAGESIZE));
}

void
symfile_load(struct symfile *f)
{
	Elf *e = NULL;

	if (f->loaded)
		return;
	f->loaded = true;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return;
	if (strcmp(f->path, "[vdso]") == 0)
		e = vdso_begin();
	else if (f->fd != -1)
		e = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	if (e != NULL) {
		load_elf(f, e);
		elf_end(e);
	}
	if (f->fd != -1)
		close(f->fd);
	f->fd = -1;
}

const char *
symfile_find(struct symfile *f, uint64_t fileoff, uint64_t *voff)
{
	struct symrange *r;
	uint64_t addr;
	size_t i;

	symfile_load(f);
	for (i = 0; i < f->nseg; i++)
		if (fileoff >= f->seg[i].off &&
		    fileoff - f->seg[i].off < f->seg[i].size)
			break;
	if (i == f->nseg)
		return NULL;
	addr = fileoff - f->seg[i].off + f->seg[i].vaddr;
	if ((r = symlist_find(&f->list, addr)) == NULL)
		return NULL;
	*voff = addr - r->start;
	return r->name;
}

void
symfile_free(struct symfile *f)
{
	if (f->fd != -1)
		close(f->fd);
	symlist_free(&f->list);
	free(f->seg);
	free(f->path);
	free(f);
}
