/* Functions of a file by its .eh_frame. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/elfframe.h"

#define ENC_UDATA4	0x03
#define ENC_REL_SDATA4	0x3b	/* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
#define HDR_SIZE	12u	/* version, three encodings, pointer, count */
#define FRAMES_MAX	(4u << 20)

static uint32_t
get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * The size of the function whose FDE is at vaddr: length, CIE pointer,
 * initial location (relative to its own place), size. 0: it is not so.
 */
static uint64_t
fde_size(const struct elfbytes *eh, uint64_t vaddr, uint64_t start)
{
	const uint8_t *p;

	if (vaddr < eh->vaddr || vaddr - eh->vaddr > eh->n ||
	    eh->n - (vaddr - eh->vaddr) < 16)
		return 0;
	p = eh->p + (vaddr - eh->vaddr);
	if (get32(p) == 0 || get32(p) == UINT32_MAX ||
	    vaddr + 8 + (uint64_t)(int64_t)(int32_t)get32(p + 8) != start)
		return 0;
	return get32(p + 12);
}

int
elfframe_read(struct elfframes *f, const struct elfbytes *hdr,
    const struct elfbytes *eh)
{
	const uint8_t *p = hdr->p;
	uint64_t start, size;
	size_t i, n;

	if (hdr->n < HDR_SIZE || p[0] != 1 || p[2] != ENC_UDATA4 ||
	    p[3] != ENC_REL_SDATA4)
		return 0;
	n = get32(p + 8);
	if (n > (hdr->n - HDR_SIZE) / 8)
		n = (hdr->n - HDR_SIZE) / 8;
	if (n == 0 || n > FRAMES_MAX)
		return 0;
	if ((f->v = calloc(n, sizeof(*f->v))) == NULL)
		return -1;
	for (i = 0; i < n; i++) {
		p = hdr->p + HDR_SIZE + i * 8;
		start = hdr->vaddr + (uint64_t)(int64_t)(int32_t)get32(p);
		size = fde_size(eh, hdr->vaddr +
		    (uint64_t)(int64_t)(int32_t)get32(p + 4), start);
		/* a table that is not sorted cannot be searched */
		if (size > 0 && (f->n == 0 || f->v[f->n - 1].start < start))
			f->v[f->n++] = (struct elfframe){ start, size };
	}
	return 0;
}

bool
elfframe_find(const struct elfframes *f, uint64_t vaddr, uint64_t *start)
{
	size_t i;

	ARRAY_FIRST(i, f->n, f->v[i].start > vaddr);
	if (i == 0 || vaddr - f->v[i - 1].start >= f->v[i - 1].size)
		return false;
	*start = f->v[i - 1].start;
	return true;
}

void
elfframe_free(struct elfframes *f)
{
	free(f->v);
	f->v = NULL;
	f->n = 0;
}
