/* SHA-256 and XXH3 of memory and of files. */
#include <errno.h>
#include <inttypes.h>
#include <mbedtls/md.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "libdt/digest.h"
#include "libdt/path.h"

#define BUF_SIZE	(256u << 10)

struct digest_run {
	unsigned which;
	int failed;
	uint64_t bytes;
	mbedtls_md_context_t sha;
	XXH3_state_t *xxh;
};

/* sha must have been initialised. */
static int
run_setup(struct digest_run *r)
{
	const mbedtls_md_info_t *info;

	if ((r->which & DIGEST_SHA256) != 0) {
		info = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
		if (info == NULL || mbedtls_md_setup(&r->sha, info, 0) != 0 ||
		    mbedtls_md_starts(&r->sha) != 0)
			return -1;
	}
	if ((r->which & DIGEST_XXH3) != 0) {
		r->xxh = XXH3_createState();
		if (r->xxh == NULL || XXH3_64bits_reset(r->xxh) == XXH_ERROR)
			return -1;
	}
	return 0;
}

struct digest_run *
digest_begin(unsigned which)
{
	struct digest_run *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->which = which;
	mbedtls_md_init(&r->sha);
	if (run_setup(r) == -1) {
		digest_drop(r);
		return NULL;
	}
	return r;
}

int
digest_add(struct digest_run *r, const void *buf, size_t n)
{
	if ((r->which & DIGEST_SHA256) != 0 &&
	    mbedtls_md_update(&r->sha, buf, n) != 0)
		r->failed = 1;
	if ((r->which & DIGEST_XXH3) != 0 &&
	    XXH3_64bits_update(r->xxh, buf, n) == XXH_ERROR)
		r->failed = 1;
	r->bytes += n;
	return r->failed ? -1 : 0;
}

int
digest_end(struct digest_run *r, struct digest *d)
{
	int rc;

	memset(d, 0, sizeof(*d));
	d->bytes = r->bytes;
	if ((r->which & DIGEST_SHA256) != 0 &&
	    mbedtls_md_finish(&r->sha, d->sha256) != 0)
		r->failed = 1;
	if ((r->which & DIGEST_XXH3) != 0)
		d->xxh3 = XXH3_64bits_digest(r->xxh);
	rc = r->failed ? -1 : 0;
	digest_drop(r);
	return rc;
}

void
digest_drop(struct digest_run *r)
{
	if (r == NULL)
		return;
	mbedtls_md_free(&r->sha);
	XXH3_freeState(r->xxh);
	free(r);
}

int
digest_mem(const void *buf, size_t n, unsigned which, struct digest *d)
{
	struct digest_run *r = digest_begin(which);

	if (r == NULL)
		return -1;
	(void)digest_add(r, buf, n);
	return digest_end(r, d);
}

/* Reads fd to its end; -1 with errno. */
static int
run_fd(struct digest_run *r, int fd, char *buf)
{
	ssize_t n;

	for (;;) {
		n = read(fd, buf, BUF_SIZE);
		if (n == 0)
			return 0;
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		errno = EIO;
		if (digest_add(r, buf, (size_t)n) == -1)
			return -1;
	}
}

int
digest_fd(int fd, const char *name, unsigned which, struct digest *d,
    struct msg *m)
{
	struct digest_run *r = digest_begin(which);
	char *buf = malloc(BUF_SIZE);
	int rc = -1;

	if (r == NULL || buf == NULL) {
		msg_set_nomem(m);
		digest_drop(r);
	} else if (run_fd(r, fd, buf) == -1) {
		msg_set_errno(m, "read", name, "cannot read");
		digest_drop(r);
	} else if (digest_end(r, d) == -1) {
		msg_set_at(m, "read", name, 0, "cannot digest");
	} else {
		rc = 0;
	}
	free(buf);
	return rc;
}

int
digest_file(int dirfd, const char *path, unsigned which, struct digest *d,
    struct msg *m)
{
	int fd = path_open_file(dirfd, path, NULL, m), rc;

	if (fd == -1)
		return -1;
	rc = digest_fd(fd, path, which, d, m);
	close(fd);
	return rc;
}

void
digest_sha256_hex(const struct digest *d, char hex[SHA256_HEX])
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < sizeof(d->sha256); i++) {
		hex[2 * i] = digits[d->sha256[i] >> 4];
		hex[2 * i + 1] = digits[d->sha256[i] & 15];
	}
	hex[2 * i] = '\0';
}

void
digest_xxh3_hex(const struct digest *d, char hex[XXH3_HEX])
{
	(void)snprintf(hex, XXH3_HEX, "%016" PRIx64, d->xxh3);
}

void
digest_ref(const struct digest *d, char ref[DIGEST_REF])
{
	memcpy(ref, "sha256:", 7);
	digest_sha256_hex(d, ref + 7);
}

int
digest_ref_mem(const void *buf, size_t n, char ref[DIGEST_REF])
{
	struct digest d;

	if (digest_mem(buf, n, DIGEST_SHA256, &d) == -1)
		return -1;
	digest_ref(&d, ref);
	return 0;
}
