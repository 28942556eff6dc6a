/*
 * uelf.c - functions and USDT notes by libelf.
 *
 * The note's format is that of <sys/sdt.h>: three words (probe's address,
 * address of .stapsdt.base when linked, semaphore's address), then provider,
 * name and arguments as NUL-ended strings. If prelink moved the file, the
 * base's section address tells by how much.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "libdt/array.h"
#include "trace/uelf.h"

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#endif
enum { NT_STAPSDT_V3 = 3, VERSYM_HIDDEN = 0x8000 };

/* The next program header of a type, from number *i on. */
static bool
next_phdr(const struct uelf *u, uint32_t type, size_t *i, GElf_Phdr *ph)
{
	size_t n;

	if (elf_getphdrnum(u->elf, &n) != 0)
		return false;
	while (*i < n)
		if (gelf_getphdr(u->elf, (int)(*i)++, ph) != NULL &&
		    ph->p_type == type)
			return true;
	return false;
}

uint64_t
uelf_offset(const struct uelf *u, uint64_t vaddr)
{
	size_t i = 0;
	GElf_Phdr ph;

	while (next_phdr(u, PT_LOAD, &i, &ph))
		if (vaddr >= ph.p_vaddr && vaddr - ph.p_vaddr < ph.p_filesz)
			return vaddr - ph.p_vaddr + ph.p_offset;
	return 0;
}

/* A mapping begins at a page's start. */
uint64_t
uelf_vaddr(const struct uelf *u, uint64_t off)
{
	uint64_t mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;
	size_t i = 0;
	GElf_Phdr ph;

	while (next_phdr(u, PT_LOAD, &i, &ph))
		if ((ph.p_flags & PF_X) != 0 &&
		    off >= (ph.p_offset & ~mask) &&
		    off < ph.p_offset + ph.p_filesz)
			return off - ph.p_offset + ph.p_vaddr;
	return 0;
}

const char *
uelf_section(const struct uelf *u, uint64_t vaddr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t shstr;

	if (elf_getshdrstrndx(u->elf, &shstr) != 0)
		return NULL;
	while ((scn = elf_nextscn(u->elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL &&
		    (sh.sh_flags & SHF_EXECINSTR) != 0 &&
		    vaddr >= sh.sh_addr && vaddr - sh.sh_addr < sh.sh_size)
			return elf_strptr(u->elf, shstr, sh.sh_name);
	return NULL;
}

static int
add_func(struct uelf *u, size_t *cap, const struct ufunc *f)
{
	if (ARRAY_ROOM(u->func, u->nfunc, *cap) == -1)
		return -1;
	u->func[u->nfunc++] = *f;
	return 0;
}

/* Global names before weak and local ones, plain before underscored ones. */
static uint8_t
name_rank(const GElf_Sym *sym, const char *name)
{
	int bind = GELF_ST_BIND(sym->st_info);
	uint8_t rank = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return (uint8_t)(rank * 4 + (strspn(name, "_") & 3));
}

/* The versions of a table's symbols, NULL: it has none. */
static Elf_Data *
versions(struct uelf *u, const Elf_Scn *symtab)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(u->elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL &&
		    sh.sh_type == SHT_GNU_versym &&
		    elf_getscn(u->elf, sh.sh_link) == symtab)
			return elf_getdata(scn, NULL);
	return NULL;
}

static int
read_symtab(struct uelf *u, Elf_Scn *scn, const GElf_Shdr *sh, size_t *cap)
{
	Elf_Data *d = elf_getdata(scn, NULL), *vers = versions(u, scn);
	GElf_Versym ver;
	GElf_Sym sym;

	for (int i = 0; d != NULL && gelf_getsym(d, i, &sym) != NULL; i++) {
		int type = GELF_ST_TYPE(sym.st_info);
		const char *name;
		struct ufunc f;

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) ||
		    sym.st_shndx == SHN_UNDEF || sym.st_value == 0)
			continue;
		name = elf_strptr(u->elf, sh->sh_link, sym.st_name);
		if (name == NULL || *name == '\0')
			continue;
		f = (struct ufunc){ .name = name, .vaddr = sym.st_value,
		    .size = sym.st_size, .rank = name_rank(&sym, name),
		    .off = uelf_offset(u, sym.st_value),
		    .ifunc = type == STT_GNU_IFUNC };
		f.old = vers != NULL && gelf_getversym(vers, i, &ver) != NULL &&
		    (ver & VERSYM_HIDDEN) != 0;
		if (f.off != 0 && add_func(u, cap, &f) == -1)
			return -1;
	}
	return 0;
}

static int
func_cmp(const void *a, const void *b)
{
	const struct ufunc *x = a, *y = b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sorts, and drops names that both tables have. */
static void
sort_funcs(struct uelf *u)
{
	size_t n = 0;

	if (u->nfunc == 0)
		return;
	qsort(u->func, u->nfunc, sizeof(u->func[0]), func_cmp);
	for (size_t i = 0; i < u->nfunc; i++) {
		const struct ufunc *f = &u->func[i];

		if (n > 0 && u->func[n - 1].vaddr == f->vaddr &&
		    strcmp(u->func[n - 1].name, f->name) == 0)
			continue;
		u->func[n++] = *f;
	}
	u->nfunc = n;
}

/* The best name of the function that covers an address, or "". */
static const char *
covering(const struct uelf *u, uint64_t vaddr)
{
	const struct ufunc *f = u->func;
	size_t i;

	ARRAY_FIRST(i, u->nfunc, f[i].vaddr > vaddr);
	if (i == 0 || vaddr - f[i - 1].vaddr >= f[i - 1].size)
		return "";
	for (i--; i > 0 && f[i - 1].vaddr == f[i].vaddr; i--)
		;
	return f[i].name;
}

/* "item__begin" to "item-begin", in place. */
static void
hyphens(char *s)
{
	char *to = s;

	for (; *s != '\0'; s++) {
		if (s[0] == '_' && s[1] == '_') {
			*to++ = '-';
			s++;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

static int
add_note(struct uelf *u, const char *desc, size_t len, uint64_t base)
{
	const char *prov, *name, *args, *end = desc + len;
	struct unote *n;
	uint64_t w[3];

	if (len < sizeof(w) + 3 || end[-1] != '\0')
		return 0;
	memcpy(w, desc, sizeof(w));
	prov = desc + sizeof(w);
	name = prov + strlen(prov) + 1;
	if (name >= end)
		return 0;
	args = name + strlen(name) + 1;
	if (args >= end)
		return 0;
	n = reallocarray(u->note, u->nnote + 1, sizeof(*n));
	if (n == NULL)
		return -1;
	u->note = n;
	n = &u->note[u->nnote];
	*n = (struct unote){ .prov = prov, .args = args, .func = "",
	    .vaddr = w[0] };
	if (base != 0 && w[1] != 0)
		n->vaddr += base - w[1];
	n->off = uelf_offset(u, n->vaddr);
	if (n->off == 0)
		return 0;
	if (w[2] != 0)
		n->sema = uelf_offset(u, base != 0 && w[1] != 0
		    ? w[2] + base - w[1] : w[2]);
	n->func = covering(u, n->vaddr);
	n->name = strdup(name);
	if (n->name == NULL)
		return -1;
	hyphens((char *)n->name);
	u->nnote++;
	return 0;
}

static int
read_notes(struct uelf *u, Elf_Scn *scn, uint64_t base)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	size_t at = 0, name, desc, next;
	GElf_Nhdr nh;

	while (d != NULL &&
	    (next = gelf_getnote(d, at, &nh, &name, &desc)) > 0) {
		const char *buf = d->d_buf;

		if (nh.n_type == NT_STAPSDT_V3 && nh.n_namesz == 8 &&
		    memcmp(buf + name, "stapsdt", 8) == 0 &&
		    add_note(u, buf + desc, nh.n_descsz, base) == -1)
			return -1;
		at = next;
	}
	return 0;
}

static int
read_sections(struct uelf *u)
{
	size_t shstr, cap = 0;
	uint64_t base = 0;
	Elf_Scn *scn = NULL, *notes = NULL;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(u->elf, &shstr) != 0)
		return 0;
	while ((scn = elf_nextscn(u->elf, scn)) != NULL) {
		const char *name;

		if (gelf_getshdr(scn, &sh) == NULL)
			continue;
		name = elf_strptr(u->elf, shstr, sh.sh_name);
		if (name == NULL)
			continue;
		if ((sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM) &&
		    read_symtab(u, scn, &sh, &cap) == -1)
			return -1;
		if (strcmp(name, ".stapsdt.base") == 0)
			base = sh.sh_addr;
		else if (strcmp(name, ".note.stapsdt") == 0)
			notes = scn;
	}
	sort_funcs(u);
	return notes != NULL ? read_notes(u, notes, base) : 0;
}

static void
read_headers(struct uelf *u, const GElf_Ehdr *eh)
{
	char *raw;
	size_t i = 0, size;
	GElf_Phdr ph;

	u->exec = eh->e_type == ET_EXEC;
	u->entry = eh->e_entry;
	if ((raw = elf_rawfile(u->elf, &size)) == NULL)
		return;
	while (next_phdr(u, PT_INTERP, &i, &ph))
		if (ph.p_offset < size && ph.p_filesz <= size - ph.p_offset &&
		    ph.p_filesz > 0 &&
		    raw[ph.p_offset + ph.p_filesz - 1] == '\0')
			u->interp = raw + ph.p_offset;
}

struct uelf *
uelf_open(const char *path, struct msg *m)
{
	struct uelf *u = calloc(1, sizeof(*u));
	GElf_Ehdr eh;
	const char *slash;

	if (u == NULL || (u->path = strdup(path)) == NULL) {
		free(u);
		msg_set_nomem(m);
		return NULL;
	}
	slash = strrchr(u->path, '/');
	u->base = slash != NULL ? slash + 1 : u->path;
	elf_version(EV_CURRENT);
	u->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (u->fd == -1) {
		msg_set_errno(m, "open", path, "cannot open");
		uelf_free(u);
		return NULL;
	}
	u->elf = elf_begin(u->fd, ELF_C_READ_MMAP, NULL);
	if (u->elf == NULL || gelf_getehdr(u->elf, &eh) == NULL ||
	    eh.e_machine != MACHINE || eh.e_ident[EI_CLASS] != ELFCLASS64) {
		msg_set_at(m, "not-elf", path, 0,
		    "not a 64-bit ELF file of this machine");
		uelf_free(u);
		return NULL;
	}
	read_headers(u, &eh);
	if (read_sections(u) == -1) {
		msg_set_nomem(m);
		uelf_free(u);
		return NULL;
	}
	return u;
}

void
uelf_free(struct uelf *u)
{
	if (u == NULL)
		return;
	for (size_t i = 0; i < u->nnote; i++)
		free((char *)u->note[i].name);
	free(u->note);
	free(u->func);
	elf_end(u->elf);
	if (u->fd >= 0)
		close(u->fd);
	free(u->path);
	free(u);
}

const struct ufunc *
uelf_func(const struct uelf *u, const char *name)
{
	const struct ufunc *old = NULL;

	for (size_t i = 0; i < u->nfunc; i++) {
		const struct ufunc *f = &u->func[i];

		if (strcmp(f->name, name) != 0)
			continue;
		if (!f->old)
			return f;
		if (old == NULL)
			old = f;
	}
	return old;
}

uint64_t
uelf_symbol(const struct uelf *u, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((scn = elf_nextscn(u->elf, scn)) != NULL) {
		Elf_Data *d;

		if (gelf_getshdr(scn, &sh) == NULL ||
		    (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
			continue;
		d = elf_getdata(scn, NULL);
		for (int i = 0; d != NULL && gelf_getsym(d, i, &sym) != NULL;
		    i++) {
			const char *s = elf_strptr(u->elf, sh.sh_link,
			    sym.st_name);

			if (s != NULL && sym.st_shndx != SHN_UNDEF &&
			    strcmp(s, name) == 0)
				return sym.st_value;
		}
	}
	return 0;
}
