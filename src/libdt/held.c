/* The spans that threads hold, as stacks. */
#include <stdlib.h>

#include "libdt/array.h"
#include "libdt/held.h"

static struct held_span *
at(const struct held *h, uint32_t i)
{
	return &h->v[i - 1];
}

int
held_push(struct held *h, uint64_t thread, uint32_t *top, uint64_t span)
{
	ssize_t outer = pair_map_get(&h->innermost, thread, span);
	uint32_t i = h->unused;

	if (i == 0 && (h->n == UINT32_MAX - 1 ||
	    ARRAY_ROOM(h->v, h->n, h->cap) == -1))
		return -1;
	if (i == 0)
		i = (uint32_t)h->n + 1;
	if (pair_map_set(&h->innermost, thread, span, i) == -1)
		return -1;
	if (i == h->unused)
		h->unused = at(h, i)->under;
	else
		h->n++;
	*at(h, i) = (struct held_span){ span, *top, 0,
		outer != -1 ? (uint32_t)outer : 0 };
	if (*top != 0)
		at(h, *top)->above = i;
	*top = i;
	return 0;
}

int
held_drop(struct held *h, uint64_t thread, uint32_t *top, uint64_t span)
{
	ssize_t i = pair_map_get(&h->innermost, thread, span);
	struct held_span *v;

	if (i == -1)
		return 1;
	v = at(h, (uint32_t)i);
	if (v->above != 0)
		at(h, v->above)->under = v->under;
	else
		*top = v->under;
	if (v->under != 0)
		at(h, v->under)->above = v->above;
	if (v->outer == 0)
		pair_map_del(&h->innermost, thread, span);
	else	/* it is there: no memory is needed */
		(void)pair_map_set(&h->innermost, thread, span, v->outer);
	v->under = h->unused;
	h->unused = (uint32_t)i;
	return 0;
}

uint64_t
held_span(const struct held *h, uint32_t top)
{
	return at(h, top)->span;
}

void
held_free(struct held *h)
{
	pair_map_free(&h->innermost);
	free(h->v);
	*h = (struct held){ 0 };
}
