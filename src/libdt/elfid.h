/*
 * Build-ids of ELF files, read without libelf and without trusting the file.
 *
 * Ownership: the fd and buffers are the caller's.
 */
#ifndef LIBDT_ELFID_H
#define LIBDT_ELFID_H

#include <stddef.h>

#include "libdt/msg.h"

#define ELFID_HEX	129	/* up to 64 bytes in hex, with NUL */

/*
 * The NT_GNU_BUILD_ID note of the file on fd (of either class and byte
 * order, from its PT_NOTE segments), in lower-case hex. 1 and "" if it is no
 * ELF file or has no such note (its headers may be broken: never an error);
 * -1 with m if it cannot be read. name is for messages.
 */
int elfid_fd(int fd, const char *name, char hex[ELFID_HEX], struct msg *m);
/* The same of bytes in memory: 0 or 1. */
int elfid_mem(const void *buf, size_t n, char hex[ELFID_HEX]);
/* The same of a path that is followed as open(2) does. */
int elfid_path(const char *path, char hex[ELFID_HEX], struct msg *m);

#endif
