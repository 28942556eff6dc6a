/*
 * ifunc.c - IFUNC symbols, by what the dynamic loader has made of them.
 *
 * Relocations tell where the loader put the address its resolver returned:
 * IRELATIVE ones of the file itself, whose addend is the resolver, and the
 * slots through which any file calls the symbol. A slot that is bound lazily
 * holds an address in a PLT until its first call. Where the process has no
 * such slot (yet), and the file is one that this program has loaded too (the C
 * library), our own loader has the same resolver choose on the same CPU.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "trace/ifunc.h"
#include "trace/module.h"
#include "trace/uelf.h"

#if defined(__x86_64__)
enum { SLOT = R_X86_64_JUMP_SLOT, DATA = R_X86_64_GLOB_DAT,
       IRELATIVE = R_X86_64_IRELATIVE };
#elif defined(__aarch64__)
enum { SLOT = R_AARCH64_JUMP_SLOT, DATA = R_AARCH64_GLOB_DAT,
       IRELATIVE = R_AARCH64_IRELATIVE };
#endif

struct search {
	const struct module *mod;
	const struct ufunc *f;
	int mem;			/* /proc/PID/mem */
	uint64_t vaddr;			/* of mod's file; 0: not found yet */
};

/* What is added to a file's addresses in the process. */
static uint64_t
bias_of(const struct module *mod)
{
	return mod->start - uelf_vaddr(mod->elf, mod->offset);
}

/* Is it code of the file that the symbol may stand for? Not its resolver, not
 * a PLT, not the function of that name in an older version. */
static bool
is_choice(const struct uelf *u, const struct ufunc *f, uint64_t vaddr)
{
	const char *sec = uelf_section(u, vaddr);

	if (sec == NULL || strncmp(sec, ".plt", 4) == 0 || vaddr == f->vaddr)
		return false;
	for (size_t i = 0; i < u->nfunc; i++)
		if (u->func[i].old && u->func[i].vaddr == vaddr &&
		    strcmp(u->func[i].name, f->name) == 0)
			return false;
	return true;
}

/* A relocation that puts the symbol's address somewhere in the process. */
static bool
concerns(const struct search *s, const struct module *in, const GElf_Rela *r,
    size_t symtab)
{
	unsigned type = (unsigned)GELF_R_TYPE(r->r_info);
	Elf_Scn *scn;
	GElf_Shdr sh;
	GElf_Sym sym;
	const char *name;

	if (type == IRELATIVE)
		return in == s->mod && (uint64_t)r->r_addend == s->f->vaddr;
	if (type != SLOT && type != DATA)
		return false;
	scn = elf_getscn(in->elf->elf, symtab);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL ||
	    gelf_getsym(elf_getdata(scn, NULL), (int)GELF_R_SYM(r->r_info),
	    &sym) == NULL)
		return false;
	name = elf_strptr(in->elf->elf, sh.sh_link, sym.st_name);
	return name != NULL && strcmp(name, s->f->name) == 0;
}

static void
look_at(struct search *s, const struct module *in, const GElf_Rela *r)
{
	uint64_t at = bias_of(in) + r->r_offset, to;

	if (pread(s->mem, &to, sizeof(to), (off_t)at) != sizeof(to))
		return;
	to -= bias_of(s->mod);
	if (is_choice(s->mod->elf, s->f, to))
		s->vaddr = to;
}

static void
search_module(struct search *s, const struct module *in)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Rela r;

	while ((scn = elf_nextscn(in->elf->elf, scn)) != NULL) {
		Elf_Data *d;

		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != SHT_RELA)
			continue;
		d = elf_getdata(scn, NULL);
		for (int i = 0; d != NULL && s->vaddr == 0 &&
		    gelf_getrela(d, i, &r) != NULL; i++)
			if (concerns(s, in, &r, sh.sh_link))
				look_at(s, in, &r);
	}
}

static uint64_t
in_process(const struct procmods *pm, const struct module *mod,
    const struct ufunc *f)
{
	struct search s = { .mod = mod, .f = f };
	char path[32];

	if (!mod->mapped)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pm->pid);
	s.mem = open(path, O_RDONLY | O_CLOEXEC);
	if (s.mem == -1)
		return 0;
	search_module(&s, mod);
	for (size_t i = 0; i < pm->n && s.vaddr == 0; i++)
		if (pm->mod[i].mapped)
			search_module(&s, &pm->mod[i]);
	close(s.mem);
	return s.vaddr;
}

static uint64_t
in_ourselves(const struct uelf *u, const struct ufunc *f)
{
	void *p = dlsym(RTLD_DEFAULT, f->name);
	struct stat ours, theirs;
	uint64_t vaddr;
	Dl_info in;

	if (p == NULL || dladdr(p, &in) == 0 ||
	    stat(in.dli_fname, &ours) == -1 || fstat(u->fd, &theirs) == -1 ||
	    ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino)
		return 0;
	vaddr = (uint64_t)((char *)p - (char *)in.dli_fbase);
	return is_choice(u, f, vaddr) ? vaddr : 0;
}

bool
ifunc_resolve(const struct procmods *pm, const struct module *mod,
    const struct ufunc *f, struct ufunc *real)
{
	uint64_t vaddr = in_process(pm, mod, f);

	if (vaddr == 0)
		vaddr = in_ourselves(mod->elf, f);
	if (vaddr == 0)
		return false;
	*real = (struct ufunc){ .name = f->name, .vaddr = vaddr,
	    .off = uelf_offset(mod->elf, vaddr) };
	for (size_t i = 0; i < mod->elf->nfunc; i++)
		if (mod->elf->func[i].vaddr == vaddr)
			real->size = mod->elf->func[i].size;
	return real->off != 0;
}
