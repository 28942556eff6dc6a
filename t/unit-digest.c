#include <fcntl.h>
#include <unistd.h>

#include "libdt/digest.h"
#include "libdt/hash.h"
#include "unit.h"

/* FIPS 180-4's example, and XXH3 as xxhsum prints it. */
static void
test_known(void)
{
	struct digest d;
	char hex[SHA256_HEX], ref[DIGEST_REF], x[XXH3_HEX];

	CHECK_INT(digest_mem("abc", 3, DIGEST_BOTH, &d), 0);
	digest_sha256_hex(&d, hex);
	CHECK_STR(hex, "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad");
	CHECK_INT(d.bytes, 3);
	digest_ref(&d, ref);
	CHECK(strncmp(ref, "sha256:ba78", 11) == 0 && strlen(ref) == 71);
	CHECK_INT(digest_mem("hi", 2, DIGEST_XXH3, &d), 0);
	digest_xxh3_hex(&d, x);
	CHECK_STR(x, "2a2300bbd7ea6e9a");
	CHECK_INT(d.sha256[0], 0);
	CHECK_INT(digest_mem("", 0, DIGEST_BOTH, &d), 0);
	digest_sha256_hex(&d, hex);
	CHECK_STR(hex, "e3b0c44298fc1c149afbf4c8996fb924"
	    "27ae41e4649b934ca495991b7852b855");
}

/* A file of several buffers, in one read, against its bytes at once. */
static void
test_file(void)
{
	size_t n = (1u << 20) + 17, i;
	unsigned char *p = malloc(n);
	FILE *fp = tmpfile();
	struct digest a, b;
	struct msg m;

	if (p == NULL || fp == NULL)
		exit(1);
	for (i = 0; i < n; i++)
		p[i] = (unsigned char)(i * 31 + i / 977);
	CHECK(fwrite(p, 1, n, fp) == n && fflush(fp) == 0);
	CHECK(lseek(fileno(fp), 0, SEEK_SET) == 0);
	CHECK_INT(digest_fd(fileno(fp), "f", DIGEST_BOTH, &a, &m), 0);
	CHECK_INT(digest_mem(p, n, DIGEST_BOTH, &b), 0);
	CHECK(memcmp(a.sha256, b.sha256, 32) == 0);
	CHECK(a.xxh3 == b.xxh3 && a.bytes == n && b.bytes == n);
	CHECK_INT(digest_fd(-1, "f", DIGEST_BOTH, &a, &m), -1);
	CHECK_STR(m.id, "read");
	fclose(fp);
	free(p);
}

/* The hashes of tables cannot be told beforehand; sums can. */
static void
test_seed(void)
{
	char a[64] = "a name", b[64] = "a name";
	struct digest d;

	CHECK(hash_bytes(a, 6) == hash_bytes(b, 6));
	CHECK(hash_bytes(a, 6) != hash_bytes(a, 5));
	CHECK_INT(digest_mem(a, 6, DIGEST_XXH3, &d), 0);
	CHECK(hash_bytes(a, 6) != d.xxh3);
	CHECK(hash_seed() != 0 && hash_seed() == hash_seed());
}

int
main(void)
{
	test_known();
	test_file();
	test_seed();
	return unit_end();
}
