/* One printed stack: its keys and frames become a folded line. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/fold_block.h"
#include "libdt/fold_impl.h"

#define KEY_GROUP	0u	/* frames are in groups from 1 on */

static int
reserve(char **p, size_t *cap, size_t want)
{
	size_t c = *cap != 0 ? *cap : 256;
	char *q;

	if (want <= *cap)
		return 0;
	while (c < want)
		c *= 2;
	if ((q = realloc(*p, c)) == NULL)
		return -1;
	*p = q;
	*cap = c;
	return 0;
}

static int
append(struct block *b, const char *s, size_t n)
{
	size_t i;

	if (reserve(&b->text, &b->cap, b->len + n * 4 + 1) == -1)
		return -1;
	for (i = 0; i < n; i++) {
		if (s[i] == ';') {
			memcpy(b->text + b->len, "\\x3b", 4);
			b->len += 4;
		} else {
			b->text[b->len++] = s[i];
		}
	}
	return 0;
}

static int
piece(struct block *b, const char *s, size_t n, unsigned group)
{
	size_t at = b->len;

	if (ARRAY_ROOM(b->piece, b->npiece, b->pcap) == -1)
		return -1;
	if (append(b, s, n) == -1)
		return -1;
	b->piece[b->npiece++] = (struct piece){ at, b->len - at, group };
	return 0;
}

int
block_key(struct block *b, const char *s, size_t n)
{
	b->nkey++;
	return piece(b, s, n, KEY_GROUP);
}

int
block_frame(struct block *b, const char *s, size_t n)
{
	return piece(b, s, n, b->group + 1);
}

int
block_frame2(struct block *b, const char *module, const char *symbol)
{
	struct piece *p;

	if (block_frame(b, module, strlen(module)) == -1 ||
	    append(b, "`", 1) == -1 ||
	    append(b, symbol, strlen(symbol)) == -1)
		return -1;
	p = &b->piece[b->npiece - 1];
	p->n = b->len - p->at;
	return 0;
}

void
block_group(struct block *b)
{
	/* empty lines before the first frame divide nothing */
	if (b->npiece > b->nkey)
		b->group++;
}

bool
block_empty(const struct block *b)
{
	return b->npiece == 0;
}

void
block_clear(struct block *b)
{
	b->len = 0;
	b->npiece = b->nkey = 0;
	b->group = 0;
}

static bool
group_is_kernel(const struct block *b, unsigned group)
{
	size_t i;

	for (i = 0; i < b->npiece; i++)
		if (b->piece[i].group == group && fold_kernel_frame(b->text +
		    b->piece[i].at, b->piece[i].n))
			return true;
	return false;
}

static void
join(struct block *b, size_t *n, const struct piece *p)
{
	if (*n > 0)
		b->out[(*n)++] = ';';
	memcpy(b->out + *n, b->text + p->at, p->n);
	*n += p->n;
}

/* A group's frames, from the last printed (the root) to the first. */
static void
join_group(struct block *b, size_t *n, unsigned group)
{
	size_t i;

	for (i = b->npiece; i > 0; i--)
		if (b->piece[i - 1].group == group)
			join(b, n, &b->piece[i - 1]);
}

int
block_flush(struct block *b, struct fold *f, uint64_t count)
{
	unsigned g, groups = b->group + 1;
	size_t i, n = 0;
	int rv;

	if (reserve(&b->out, &b->ocap, b->len + b->npiece + 1) == -1)
		return -1;
	for (i = 0; i < b->npiece; i++)
		if (b->piece[i].group == KEY_GROUP)
			join(b, &n, &b->piece[i]);
	/* the kernel's stack stands on the user's, however printed */
	if (groups > 1 && !group_is_kernel(b, 1) && group_is_kernel(b, 2))
		for (g = 1; g <= groups; g++)
			join_group(b, &n, g);
	else
		for (g = groups; g > 0; g--)
			join_group(b, &n, g);
	rv = fold_add(f, NULL, b->out, n, count);
	block_clear(b);
	return rv;
}

void
block_free(struct block *b)
{
	free(b->text);
	free(b->piece);
	free(b->out);
	memset(b, 0, sizeof(*b));
}
