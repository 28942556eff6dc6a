/* Hashes for tables in memory, with a seed of each process's own. */
#include "config.h"

#include <string.h>
#include <sys/auxv.h>
#include <xxhash.h>

#include "libdt/hash.h"

uint64_t
hash_seed(void)
{
	const void *drawn = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = 0;

	if (drawn != NULL)
		memcpy(&seed, drawn, sizeof(seed));
	return seed;
}

uint64_t
hash_bytes(const void *p, size_t n)
{
	return XXH3_64bits_withSeed(p, n, hash_seed());
}
