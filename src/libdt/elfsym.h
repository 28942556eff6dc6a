/*
 * Symbols of one ELF file, looked up by the file offset or virtual address of
 * an instruction. Files are not trusted: what is broken in one has no
 * symbols, and nothing is read outside of it.
 *
 * Ownership: a struct elfsym owns copies of all it knows until elfsym_free();
 * fds and memory given stay the caller's and are not needed afterwards; names
 * found live as long as the struct elfsym.
 */
#ifndef LIBDT_ELFSYM_H
#define LIBDT_ELFSYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"

#define ELFSYM_DEBUG_DIR "/usr/lib/debug"

struct elfsym;

/*
 * Reads the functions' names of a file: .symtab, or .gnu_debugdata (xz, where
 * liblzma is there), and .dynsym, and the names behind .plt as NAME@plt; where
 * .symtab is not there, also of the debug file with the same build-id beneath
 * debug_dir (NULL: none), in .build-id/ab/cdef.debug. NULL with m: "no-memory";
 * "not-elf", also where this was built without libelf.
 */
struct elfsym *elfsym_fd(int fd, const char *name, const char *debug_dir,
    struct msg *m);
/* The same of an image in memory, such as the vdso. */
struct elfsym *elfsym_mem(const void *image, size_t n, const char *name,
    struct msg *m);
void elfsym_free(struct elfsym *e);	/* may be NULL */

/* Lower-case hex, "" if the file has none. */
const char *elfsym_build_id(const struct elfsym *e);
size_t elfsym_count(const struct elfsym *e);

/*
 * The function that covers a file offset (of a byte in a PT_LOAD segment), as
 * the file spells it; *off is the distance from its start. NULL: none.
 */
const char *elfsym_find(const struct elfsym *e, uint64_t fileoff,
    uint64_t *off);
/*
 * Where elfsym_find() has no name: the function that .eh_frame tells of at a
 * file offset, by the virtual address of its start. false: none.
 */
bool elfsym_nameless(const struct elfsym *e, uint64_t fileoff,
    uint64_t *start, uint64_t *off);
/* elfsym_find() of a virtual address of the file. */
const char *elfsym_find_vaddr(const struct elfsym *e, uint64_t vaddr,
    uint64_t *off);

/*
 * A C++ or Rust name as its author wrote it, without parameters, at most
 * 4095 bytes; the caller's to free. NULL if it is no mangled name, or no
 * memory, or this was built without libiberty.
 */
char *elfsym_demangle(const char *name);

#endif
