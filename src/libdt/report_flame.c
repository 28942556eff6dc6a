/* The flame graph of a report: a tree of the folded stacks, drawn as SVG. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/foldint.h"
#include "libdt/names.h"
#include "libdt/report_print.h"

#define WIDTH		1200u	/* of the drawing, in its own units */
#define ROW		17u	/* height of a frame */
#define GLYPH		6.3	/* width of a character, about */
#define NARROWEST	0.3	/* narrower frames are not drawn */
#define DEPTH_MAX	96u	/* frames further up are not drawn */

struct node {
	uint32_t name;		/* in tree.frames */
	uint32_t child, next;	/* 0: none; node 0 is the root */
	uint64_t count;
	bool kernel;
};

struct tree {
	struct names frames;
	struct node *v;
	size_t n, cap;
	unsigned depth;
};

static ssize_t
new_node(struct tree *t, uint32_t name)
{
	if (ARRAY_ROOM(t->v, t->n, t->cap) == -1)
		return -1;
	t->v[t->n] = (struct node){ .name = name };
	return (ssize_t)t->n++;
}

/* The child of that frame, in its place by the frame's bytes. */
static ssize_t
child_of(struct tree *t, size_t parent, uint32_t name)
{
	const char *want = t->frames.v[name].s;
	uint32_t at = t->v[parent].child, before = 0;
	ssize_t i;

	while (at != 0 && t->v[at].name != name &&
	    strcmp(t->frames.v[t->v[at].name].s, want) < 0) {
		before = at;
		at = t->v[at].next;
	}
	if (at != 0 && t->v[at].name == name)
		return at;
	if ((i = new_node(t, name)) == -1)
		return -1;
	t->v[i].next = at;
	if (before != 0)
		t->v[before].next = (uint32_t)i;
	else
		t->v[parent].child = (uint32_t)i;
	return i;
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

	(void)out_printf(o, "<g class=\"%c%u\"><title>",
	    v->kernel ? 'k' : 'u', (unsigned)(name->hash % 6));
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
	if (new_node(&t, 0) == -1 ||
	    fold_each(r->cpu, add_stack, &t) == -1) {
		rv = msg_set_nomem(m);
	} else {
		(void)out_printf(o, "<svg class=\"flame\" role=\"img\" "
		    "aria-label=\"Flame graph\" viewBox=\"0 0 %u %u\" "
		    "xmlns=\"http://www.w3.org/2000/svg\">\n", WIDTH,
		    t.depth * ROW);
		draw(&t, 0, 0, 0, o);
		(void)out_puts(o, "</svg>\n");
	}
	names_free(&t.frames);
	free(t.v);
	return rv;
}
