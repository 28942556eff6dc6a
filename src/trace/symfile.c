/*
 * symfile.c - the symbols of one mapped file (libdt/elfsym.h), demangled when
 * first shown.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "libdt/elfsym.h"
#include "trace/sym_impl.h"

/* Names as the file spells them, by address, and as they are shown. */
struct symshown {
	const char *name;
	char *shown;			/* NULL: as it is */
};

void
symfile_load(struct symfile *f)
{
	void *vdso;

	if (f->loaded)
		return;
	f->loaded = true;
	if (strcmp(f->path, "[vdso]") == 0) {
		/* every process of our kind has the same one as we do */
		vdso = (void *)getauxval(AT_SYSINFO_EHDR);
		if (vdso != NULL)
			f->elf = elfsym_mem(vdso,
			    2 * (size_t)sysconf(_SC_PAGESIZE), f->path, NULL);
	} else if (f->fd != -1)
		f->elf = elfsym_fd(f->fd, f->path, ELFSYM_DEBUG_DIR, NULL);
	if (f->fd != -1 && !f->keepopen) {
		close(f->fd);
		f->fd = -1;
	}
}

static size_t
shown_slot(const struct symfile *f, const char *name)
{
	size_t i = ((uintptr_t)name >> 2) & (f->cap - 1);

	while (f->shown[i].name != NULL && f->shown[i].name != name)
		i = (i + 1) & (f->cap - 1);
	return i;
}

static int
shown_grow(struct symfile *f)
{
	struct symfile big = *f;
	size_t i;

	big.cap = f->cap != 0 ? f->cap * 2 : 64;
	if ((big.shown = calloc(big.cap, sizeof(*big.shown))) == NULL)
		return -1;
	for (i = 0; i < f->cap; i++)
		if (f->shown[i].name != NULL)
			big.shown[shown_slot(&big, f->shown[i].name)] =
			    f->shown[i];
	free(f->shown);
	f->shown = big.shown;
	f->cap = big.cap;
	return 0;
}

/* C++ and Rust names as their authors wrote them. */
static const char *
show(struct symfile *f, const char *name)
{
	struct symshown *s;

	if (name[0] != '_')
		return name;
	if (f->nshown * 2 >= f->cap && shown_grow(f) == -1)
		return name;
	s = &f->shown[shown_slot(f, name)];
	if (s->name == NULL) {
		s->name = name;
		s->shown = elfsym_demangle(name);
		f->nshown++;
	}
	return s->shown != NULL ? s->shown : name;
}

const char *
symfile_find(struct symfile *f, uint64_t fileoff, uint64_t *voff)
{
	const char *name;

	symfile_load(f);
	if (f->elf == NULL)
		return NULL;
	name = elfsym_find(f->elf, fileoff, voff);
	return name != NULL ? show(f, name) : NULL;
}

void
symfile_free(struct symfile *f)
{
	size_t i;

	if (f->fd != -1)
		close(f->fd);
	for (i = 0; i < f->cap; i++)
		free(f->shown[i].shown);
	free(f->shown);
	elfsym_free(f->elf);
	free(f->path);
	free(f);
}
