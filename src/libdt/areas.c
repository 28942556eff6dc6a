/* Treaps, whose nodes are copied before they change if others share them. */
#include <stdlib.h>

#include "libdt/areas.h"
#include "libdt/array.h"
#include "libdt/hash.h"

void
area_pool_reset(struct area_pool *p)
{
	p->n = p->unused = 0;
}

void
area_pool_free(struct area_pool *p)
{
	free(p->v);
	*p = (struct area_pool){ 0 };
}

/* Ranks that nobody can foresee keep the trees low (xorshift). */
static uint32_t
draw(struct area_pool *p)
{
	if (p->drawn == 0)
		p->drawn = hash_seed() | 1;
	p->drawn ^= p->drawn << 13;
	p->drawn ^= p->drawn >> 7;
	p->drawn ^= p->drawn << 17;
	return (uint32_t)(p->drawn >> 32);
}

/* A node of its own; 0: no memory. */
static uint32_t
node_new(struct area_pool *p, const struct area_node *what)
{
	uint32_t i = p->unused;

	if (i != 0) {
		p->unused = p->v[i].left;
	} else {
		if (p->n + 2 > p->cap && (p->cap >= UINT32_MAX / 2 ||
		    array_grow(&p->v, &p->cap, sizeof(*p->v)) == -1)) {
			p->failed = true;
			return 0;
		}
		i = (uint32_t)++p->n;
	}
	p->v[i] = *what;
	p->v[i].refs = 1;
	return i;
}

uint32_t
area_set(struct area_pool *p, const struct area *a)
{
	const struct area_node node = { .a = *a, .rank = draw(p) };

	return node_new(p, &node);
}

uint32_t
area_share(struct area_pool *p, uint32_t set)
{
	if (set != 0)
		p->v[set].refs++;
	return set;
}

void
area_drop(struct area_pool *p, uint32_t set)
{
	if (set == 0 || --p->v[set].refs > 0)
		return;
	area_drop(p, p->v[set].left);
	area_drop(p, p->v[set].right);
	p->v[set].left = p->unused;
	p->unused = set;
}

/* The node, for the caller alone to change. */
static uint32_t
own(struct area_pool *p, uint32_t i)
{
	struct area_node node = p->v[i];
	uint32_t copy;

	if (node.refs == 1 || (copy = node_new(p, &node)) == 0)
		return i;
	p->v[i].refs--;
	area_share(p, node.left);
	area_share(p, node.right);
	return copy;
}

/* The set of both; all of a lies below b. */
static uint32_t
merge(struct area_pool *p, uint32_t a, uint32_t b)
{
	uint32_t sub;

	if (a == 0 || b == 0)
		return a != 0 ? a : b;
	if (p->v[a].rank > p->v[b].rank) {
		a = own(p, a);
		sub = merge(p, p->v[a].right, b);
		p->v[a].right = sub;
		return a;
	}
	b = own(p, b);
	sub = merge(p, a, p->v[b].left);
	p->v[b].left = sub;
	return b;
}

/* Cuts a node's own area in two at addr: what is above becomes a set. */
static uint32_t
cut(struct area_pool *p, uint32_t i, uint64_t addr)
{
	struct area above = p->v[i].a;

	above.off += addr - above.start;
	above.start = addr;
	p->v[i].a.end = addr;
	return area_set(p, &above);
}

/* Takes a set apart at addr; *over: the part above of an area around it. */
static void
split(struct area_pool *p, uint32_t set, uint64_t addr, uint32_t *lo,
    uint32_t *over, uint32_t *hi)
{
	uint32_t sub;

	if (set == 0) {
		*lo = *hi = 0;
		return;
	}
	set = own(p, set);
	if (p->v[set].a.start < addr) {
		split(p, p->v[set].right, addr, &sub, over, hi);
		p->v[set].right = sub;
		if (p->v[set].a.end > addr)
			*over = cut(p, set, addr);
		*lo = set;
	} else {
		split(p, p->v[set].left, addr, lo, over, &sub);
		p->v[set].left = sub;
		*hi = set;
	}
}

/* Takes a set apart at addr, where areas may have to be cut. */
static void
part(struct area_pool *p, uint32_t set, uint64_t addr, uint32_t *lo,
    uint32_t *hi)
{
	uint32_t over = 0;

	split(p, set, addr, lo, &over, hi);
	*hi = merge(p, over, *hi);
}

uint32_t
area_swap(struct area_pool *p, uint32_t *set, uint64_t start, uint64_t end,
    uint32_t with)
{
	uint32_t below, there, above;

	part(p, *set, start, &below, &there);
	part(p, there, end, &there, &above);
	*set = merge(p, merge(p, below, with), above);
	return there;
}

const struct area *
area_find(const struct area_pool *p, uint32_t set, uint64_t addr)
{
	const struct area_node *v;

	while (set != 0) {
		v = &p->v[set];
		if (addr >= v->a.start && addr < v->a.end)
			return &v->a;
		set = addr < v->a.start ? v->left : v->right;
	}
	return NULL;
}
