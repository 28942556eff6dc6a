/*
 * symunwind.c - user stacks from copied registers and stack, by the call frame
 * information of the mapped files (libdwfl).
 *
 * A process has one Dwfl, made when its first stack is unwound; a mapping
 * joins it when an address in it turns up. The least used of them go when there
 * are too many.
 * Source: elfutils' libdwfl.h; the DWARF register numbers of the x86-64 and
 * AArch64 ABIs.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/regs.h"
#include "trace/sym.h"
#include "trace/sym_impl.h"

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>
#include <gelf.h>

enum { UNWIND_MAX = 32 };		/* processes at a time */

struct symunwind {
	Dwfl *dwfl;
	const struct symgen *gen;	/* whose mappings it has */
	bool attached;
	uint64_t used;			/* for the choice of what goes */
	/* the stack at work */
	const struct symsample *s;
	struct symproc *proc;
	uint64_t *pc;
	size_t n, max;
	bool grown;			/* a mapping joined meanwhile */
	bool stale;			/* another file is mapped there now */
	bool cut;			/* the stack goes on */
	uint64_t missing;		/* an address in no mapping, or 0 */
};

/* DWARF's register numbers, as offsets in struct pt_regs. */
static const int16_t dwreg[] = {
#if defined(__x86_64__)
	REGS_RAX, REGS_RDX, REGS_RCX, REGS_RBX, REGS_RSI, REGS_RDI, REGS_RBP,
	REGS_RSP, REGS_R8, REGS_R9, REGS_R10, REGS_R11, REGS_R12, REGS_R13,
	REGS_R14, REGS_R15, REGS_RIP,
#else
	0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128,
	136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240,
	REGS_SP,
#endif
};
enum { NDWREG = sizeof(dwreg) / sizeof(dwreg[0]) };

static pid_t
next_thread(Dwfl *dwfl, void *arg, void **threadarg)
{
	struct symunwind *u = arg;

	(void)dwfl;
	if (*threadarg != NULL)
		return 0;
	*threadarg = u;
	return u->proc->pid;
}

static bool
get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **threadarg)
{
	(void)dwfl;
	(void)tid;
	*threadarg = arg;
	return true;
}

static bool
memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *out, void *arg)
{
	struct symunwind *u = arg;
	uint64_t from = u->s->regs[REGS_SP / 8];

	(void)dwfl;
	if (addr < from)
		return false;
	if (addr - from + 8 > u->s->nstack) {
		u->cut = true;
		return false;
	}
	memcpy(out, u->s->stack + (addr - from), 8);
	return true;
}

static bool
set_registers(Dwfl_Thread *th, void *arg)
{
	const struct symunwind *u = arg;
	Dwarf_Word w[NDWREG];
	size_t i;

	for (i = 0; i < NDWREG; i++)
		w[i] = u->s->regs[dwreg[i] / 8];
	if (!dwfl_thread_state_registers(th, 0, NDWREG, w))
		return false;
	dwfl_thread_state_register_pc(th, u->s->regs[REGS_PC / 8]);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread, .get_thread = get_thread,
	.memory_read = memory_read, .set_initial_registers = set_registers,
};

/* Frame information is in the files themselves; nothing is looked for. */
static int
no_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
    const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)mod;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)path;
	return -1;
}

static int
no_elf(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
    char **path, Elf **elf)
{
	(void)mod;
	(void)data;
	(void)name;
	(void)base;
	(void)path;
	(void)elf;
	return -1;
}

static const Dwfl_Callbacks dwfl_callbacks = {
	.find_elf = no_elf, .find_debuginfo = no_debuginfo,
};

/* The vdso as a file. */
static int
vdso_file(void)
{
	const char *at = (const char *)getauxval(AT_SYSINFO_EHDR);
	size_t n = 2 * (size_t)sysconf(_SC_PAGESIZE);
	int fd = at == NULL ? -1 : memfd_create("vdso", MFD_CLOEXEC);

	if (fd != -1 && write(fd, at, n) != (ssize_t)n) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Where the file's first segment is when this mapping of it is where it is;
 * 0: the mapping is of none. */
static uint64_t
base_of(int fd, const struct symmap *m)
{
	Elf *e = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	uint64_t base = 0, first = UINT64_MAX;
	size_t i, n = 0;
	GElf_Phdr ph;

	if (e == NULL)
		return 0;
	if (elf_getphdrnum(e, &n) != 0)
		n = 0;
	for (i = 0; i < n; i++) {
		if (gelf_getphdr(e, (int)i, &ph) == NULL ||
		    ph.p_type != PT_LOAD)
			continue;
		if (first == UINT64_MAX)
			first = ph.p_vaddr & -4096ULL;
		if (m->off + 4096 > ph.p_offset &&
		    m->off < ph.p_offset + ph.p_filesz && base == 0)
			base = m->start - (m->off - ph.p_offset +
			    ph.p_vaddr) + first;
	}
	elf_end(e);
	return base;
}

/* Makes the mapping that covers an address known; false: there is none. */
static bool
module_for(struct symunwind *u, uint64_t addr)
{
	const struct symmap *m = symgen_find(u->gen, addr);
	Dwfl_Module *mod = dwfl_addrmodule(u->dwfl, addr);
	uint64_t base;
	void **data;
	int fd;

	if (m == NULL || m->file == NULL) {
		if (m == NULL)
			u->missing = addr;
		return false;
	}
	if (mod != NULL) {
		dwfl_module_info(mod, &data, NULL, NULL, NULL, NULL, NULL,
		    NULL);
		u->stale |= *data != m->file;
		return !u->stale;
	}
	fd = strcmp(m->file->path, "[vdso]") == 0 ? vdso_file() :
	    m->file->fd == -1 ? -1 : fcntl(m->file->fd, F_DUPFD_CLOEXEC, 3);
	if (fd == -1)
		return false;
	if ((base = base_of(fd, m)) == 0) {
		close(fd);
		return false;
	}
	dwfl_report_begin_add(u->dwfl);
	mod = dwfl_report_elf(u->dwfl, m->file->mod, m->file->path, fd, base,
	    false);
	if (mod == NULL)
		close(fd);
	else {
		dwfl_module_info(mod, &data, NULL, NULL, NULL, NULL, NULL,
		    NULL);
		*data = m->file;
	}
	dwfl_report_end(u->dwfl, NULL, NULL);
	u->grown |= mod != NULL;
	return mod != NULL;
}

static int
on_frame(Dwfl_Frame *fr, void *arg)
{
	struct symunwind *u = arg;
	bool exact;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(fr, &pc, &exact) || pc == 0)
		return DWARF_CB_ABORT;
	if (u->n == u->max) {
		u->cut = true;
		return DWARF_CB_ABORT;
	}
	u->pc[u->n++] = pc;
	(void)module_for(u, exact ? pc : pc - 1);
	return DWARF_CB_OK;
}

void
symunwind_free(struct symunwind *u)
{
	if (u == NULL)
		return;
	if (u->dwfl != NULL)
		dwfl_end(u->dwfl);
	free(u);
}

/* Drops the process that has not been unwound for longest. */
static void
drop_oldest(struct symtab *st)
{
	struct symproc *p, *old = NULL;
	size_t i;

	for (i = 0; i < SYM_HASH; i++)
		for (p = st->proc[i]; p != NULL; p = p->next)
			if (p->unwind != NULL && (old == NULL ||
			    p->unwind->used < old->unwind->used))
				old = p;
	if (old == NULL)
		return;
	symunwind_free(old->unwind);
	old->unwind = NULL;
	st->nunwind--;
}

/* A process's unwinder, for the mappings that hold the sample's address. */
static struct symunwind *
unwinder(struct symtab *st, struct symproc *p, const struct symgen *gen)
{
	struct symunwind *u = p->unwind;

	if (u != NULL && u->gen != gen) {
		symunwind_free(u);
		p->unwind = u = NULL;
		st->nunwind--;
	}
	if (u == NULL) {
		if (st->nunwind >= UNWIND_MAX)
			drop_oldest(st);
		if ((u = calloc(1, sizeof(*u))) == NULL)
			return NULL;
		if ((u->dwfl = dwfl_begin(&dwfl_callbacks)) == NULL) {
			free(u);
			return NULL;
		}
		u->gen = gen;
		p->unwind = u;
		st->nunwind++;
	}
	u->used = ++st->unwound;
	return u;
}

size_t
symunwind_run(struct symtab *st, struct symproc *p, const struct symgen *gen,
    const struct symsample *s, uint64_t *pc, size_t max, bool *cut,
    uint64_t *missing)
{
	struct symunwind *u = unwinder(st, p, gen);

	*missing = 0;
	*cut = false;
	if (u == NULL || max == 0)
		return 0;
	u->missing = 0;
	u->cut = false;
	u->proc = p;
	u->s = s;
	u->pc = pc;
	u->n = 0;
	u->max = max;
	if (module_for(u, s->regs[REGS_PC / 8])) {
		if (!u->attached)
			u->attached = dwfl_attach_state(u->dwfl, NULL, p->pid,
			    &thread_callbacks, u);
		/* a file that joins underway does not count at once */
		do {
			u->grown = u->cut = false;
			u->n = 0;
			if (u->attached)
				(void)dwfl_getthread_frames(u->dwfl, p->pid,
				    on_frame, u);
		} while (u->grown);
	}
	if (u->stale)
		u->gen = NULL;		/* begin anew with the next stack */
	*missing = u->missing;
	*cut = u->cut;
	if (u->n == 0)			/* its own address, at least */
		pc[u->n++] = s->regs[REGS_PC / 8];
	return u->n;
}
#else
void
symunwind_free(struct symunwind *u)
{
	(void)u;
}

size_t
symunwind_run(struct symtab *st, struct symproc *p, const struct symgen *gen,
    const struct symsample *s, uint64_t *pc, size_t max, bool *cut,
    uint64_t *missing)
{
	*missing = 0;
	*cut = false;
	(void)st;
	(void)p;
	(void)gen;
	if (max == 0)
		return 0;
	pc[0] = s->regs[REGS_PC / 8];
	return 1;
}
#endif
