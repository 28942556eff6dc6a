/* The flame graph of a report: a tree of the folded stacks, drawn as SVG. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "libdt/array.h"
#include "libdt/fold_impl.h"
#include "libdt/hash.h"
#include "libdt/names.h"
#include "libdt/report_print.h"

#define WIDTH		1200u	/* of the drawing, in its own units */
#define ROW		17u	/* height of a frame */
#define GLYPH		6.3	/* width of a character, about */
#define NARROWEST	0.3	/* narrower frames are not drawn */
#define DEPTH_MAX	96u	/* frames further up are not drawn */

struct node {
	uint32_t parent, name;	/* name: in tree.frames */
	uint32_t child, next;	/* 0: none; node 0 is the root */
	uint64_t count;
	bool kernel;
};

struct tree {
	struct names frames;
	struct node *v;
	size_t n, cap;
	uint32_t *slot;		/* nodes by parent and name, 0 = free */
	size_t nslot;		/* a power of two, or 0 */
	unsigned depth;
};

/* A node that has a parent, as it is sorted among the others. */
struct edge {
	uint32_t parent, at;
	const char *name;
};

static ssize_t
new_node(struct tree *t, uint32_t parent, uint32_t name)
{
	if (t->n >= UINT32_MAX || ARRAY_ROOM(t->v, t->n, t->cap) == -1)
		return -1;
	t->v[t->n] = (struct node){ .parent = parent, .name = name };
	return (ssize_t)t->n++;
}

/* Where the child of that name is in slot, or belongs. */
static uint32_t *
slot_of(const struct tree *t, uint32_t parent, uint32_t name)
{
	const uint32_t key[] = { parent, name };
	size_t i = hash_bytes(key, sizeof(key)) & (t->nslot - 1);
	const struct node *v;

	for (; t->slot[i] != 0; i = (i + 1) & (t->nslot - 1)) {
		v = &t->v[t->slot[i]];
		if (v->parent == parent && v->name == name)
			break;
	}
	return &t->slot[i];
}

/* Room for another node in slot; the root is not in it. */
static int
slot_room(struct tree *t)
{
	uint32_t *old = t->slot;
	size_t i;

	if (t->n * 2 < t->nslot)
		return 0;
	t->nslot = t->nslot != 0 ? t->nslot * 2 : 1024;
	if ((t->slot = calloc(t->nslot, sizeof(*t->slot))) == NULL) {
		t->slot = old;
		return -1;
	}
	free(old);
	for (i = 1; i < t->n; i++)
		*slot_of(t, t->v[i].parent, t->v[i].name) = (uint32_t)i;
	return 0;
}

static ssize_t
child_of(struct tree *t, size_t parent, uint32_t name)
{
	uint32_t *slot;
	ssize_t i;

	if (slot_room(t) == -1)
		return -1;
	slot = slot_of(t, (uint32_t)parent, name);
	if (*slot != 0)
		return *slot;
	if ((i = new_node(t, (uint32_t)parent, name)) != -1)
		*slot = (uint32_t)i;
	return i;
}

static int
edge_cmp(const void *va, const void *vb)
{
	const struct edge *a = va, *b = vb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Children of each node, by the bytes of their frames. */
static int
link_children(struct tree *t)
{
	struct edge *e = calloc(t->n, sizeof(*e));
	struct node *v;
	size_t i;

	if (e == NULL)
		return -1;
	for (i = 1; i < t->n; i++)
		e[i - 1] = (struct edge){ t->v[i].parent, (uint32_t)i,
		    t->frames.v[t->v[i].name].s };
	qsort(e, t->n - 1, sizeof(*e), edge_cmp);
	for (i = t->n - 1; i > 0; i--) {
		v = &t->v[e[i - 1].parent];
		t->v[e[i - 1].at].next = v->child;
		v->child = e[i - 1].at;
	}
	free(e);
	return 0;
}

static int
add_stack(void *arg, const char *s, size_t n, uint64_t count)
{
	struct tree *t = arg;
	unsigned depth = 0;
	bool kernel = false;
	const char *end;
	ssize_t at = 0, name;
	size_t len;

	t->v[0].count += count;
	while (n > 0 && depth < DEPTH_MAX) {
		end = memchr(s, ';', n);
		len = end != NULL ? (size_t)(end - s) : n;
		if ((name = names_add(&t->frames, s, len)) == -1 ||
		    (at = child_of(t, (size_t)at, (uint32_t)name)) == -1)
			return -1;
		kernel = kernel || fold_kernel_frame(t->frames.v[name].s,
		    t->frames.v[name].n);
		t->v[at].kernel = kernel;
		t->v[at].count += count;
		depth++;
		if (end == NULL)
			break;
		s = end + 1;
		n -= len + 1;
	}
	if (depth > t->depth)
		t->depth = depth;
	return 0;
}

void
html_text(struct out *o, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		switch (s[i]) {
		case '&':
			(void)out_puts(o, "&amp;");
			break;
		case '<':
			(void)out_puts(o, "&lt;");
			break;
		case '>':
			(void)out_puts(o, "&gt;");
			break;
		case '"':
			(void)out_puts(o, "&quot;");
			break;
		case '\'':
			(void)out_puts(o, "&#39;");
			break;
		default:
			(void)out_putc(o, s[i]);
		}
}

/* As much of the label as fits; never within a UTF-8 sequence. */
static void
label(struct out *o, const char *s, double width)
{
	const char *mark = strrchr(s, '`');
	size_t room = (size_t)((width - 6) / GLYPH), n;

	if (mark != NULL && mark[1] != '\0' && mark[1] != '+')
		s = mark + 1;
	n = strlen(s);
	if (width < 6 + 3 * GLYPH)
		return;
	if (n <= room) {
		html_text(o, s, n);
		return;
	}
	for (n = room - 1; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;)
		n--;
	html_text(o, s, n);
	(void)out_puts(o, "…");
}

static void
draw_node(const struct tree *t, const struct node *v, double x, unsigned y,
    struct out *o)
{
	const struct name *name = &t->frames.v[v->name];
	double w = (double)v->count * WIDTH / (double)t->v[0].count;
	/* a colour is the same in each report: its hash has no seed */
	unsigned hue = (unsigned)(XXH3_64bits(name->s, name->n) % 6);

	(void)out_printf(o, "<g class=\"%c%u\"><title>",
	    v->kernel ? 'k' : 'u', hue);
	html_text(o, name->s, name->n);
	(void)out_printf(o, " — %" PRIu64 " samples, %.2f %%</title>"
	    "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\" "
	    "rx=\"1\"/>", v->count, (double)v->count * 100 /
	    (double)t->v[0].count, x, y, w, ROW - 1);
	(void)out_printf(o, "<text x=\"%.2f\" y=\"%u\">", x + 3,
	    y + ROW - 5);
	label(o, name->s, w);
	(void)out_puts(o, "</text></g>\n");
}

/* Children of a node from left to right; those of DEPTH_MAX at most. */
static void
draw(const struct tree *t, size_t at, double x, unsigned depth,
    struct out *o)
{
	const struct node *v;
	uint32_t i;
	double w;

	for (i = t->v[at].child; i != 0; i = v->next) {
		v = &t->v[i];
		w = (double)v->count * WIDTH / (double)t->v[0].count;
		if (w >= NARROWEST) {
			draw_node(t, v, x, (t->depth - depth - 1) * ROW, o);
			draw(t, i, x, depth + 1, o);
		}
		x += w;
	}
}

int
report_flame(const struct report *r, struct out *o, struct msg *m)
{
	struct tree t = { 0 };
	int rv = 0;

	if (r->cpu == NULL || fold_total(r->cpu) == 0)
		return 0;
	if (new_node(&t, 0, 0) == -1 ||
	    fold_each(r->cpu, add_stack, &t) == -1 ||
	    link_children(&t) == -1) {
		rv = msg_set_nomem(m);
	} else {
		(void)out_printf(o, "<svg class=\"flame\" role=\"img\" "
		    "aria-label=\"Flame graph; the tables below have its "
		    "numbers\" viewBox=\"0 0 %u %u\" "
		    "xmlns=\"http://www.w3.org/2000/svg\">\n", WIDTH,
		    t.depth * ROW);
		draw(&t, 0, 0, 0, o);
		(void)out_puts(o, "</svg>\n");
	}
	names_free(&t.frames);
	free(t.slot);
	free(t.v);
	return rv;
}
