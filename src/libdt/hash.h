/*
 * Hashes for tables in memory. They are other ones in each process, so that
 * nobody can choose names that collide: nothing that is written may depend on
 * them.
 */
#ifndef LIBDT_HASH_H
#define LIBDT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* What the system drew for this process; the same at each call. */
uint64_t hash_seed(void);
/* XXH3 with that seed. */
uint64_t hash_bytes(const void *p, size_t n);

#endif
