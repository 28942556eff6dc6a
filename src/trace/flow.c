/*
 * flow.c - the indentation of -F.
 *
 * Source: the DTrace guide on -F (entry and return indent, of system calls
 * with => and <=), the reference vector trace_flow. Of several clauses of one
 * firing the first one of an entry steps in and the last one of a return out;
 * the others stand between them with a bar.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/flow.h"
#include "trace/probe.h"
#include "trace/prog.h"

enum { INDENT_MAX = 512, STEP = 2 };

int
flow_init(struct flow *f, int ncpu)
{
	f->ncpu = ncpu > 0 ? (uint32_t)ncpu : 1;
	f->cpu = calloc(f->ncpu, sizeof(*f->cpu));
	return f->cpu == NULL ? -1 : 0;
}

void
flow_free(struct flow *f)
{
	uint32_t i;

	for (i = 0; f->cpu != NULL && i < f->ncpu; i++)
		free(f->cpu[i].held);
	free(f->cpu);
	f->cpu = NULL;
}

/* name is "entry" or ends in "-entry" */
static bool
is_named(const char *name, const char *what)
{
	size_t n = strlen(name), w = strlen(what);

	if (n < w || strcmp(name + n - w, what) != 0)
		return false;
	return n == w || name[n - w - 1] == '-';
}

bool
flow_holds(const struct probe *p)
{
	return is_named(p->name, "return");
}

int
flow_hold(struct flow *f, const struct rechead *h, size_t len)
{
	struct flowcpu *fc = &f->cpu[h->cpu < f->ncpu ? h->cpu : 0];
	uint8_t *p;

	if (len > fc->cap) {
		if ((p = realloc(fc->held, len)) == NULL)
			return -1;
		fc->held = p;
		fc->cap = len;
	}
	memcpy(fc->held, h, len);
	fc->heldlen = len;
	return 0;
}

bool
flow_same(const struct rechead *a, const struct rechead *b)
{
	return a->probe == b->probe && a->clause < b->clause;
}

void
flow_text(struct flow *f, const struct rechead *h, const struct probe *p,
    bool more, char *buf, size_t size)
{
	struct flowcpu *fc = &f->cpu[h->cpu < f->ncpu ? h->cpu : 0];
	bool sys = strcmp(p->prov, "syscall") == 0;
	bool in = is_named(p->name, "entry");
	bool out = is_named(p->name, "return");
	bool again = fc->any && fc->probe == h->probe &&
	    fc->clause < h->clause;

	fc->any = true;
	fc->probe = h->probe;
	fc->clause = h->clause;
	if (in && !again) {
		snprintf(buf, size, "%*s%s %s", (int)fc->indent, "",
		    sys ? "=>" : "->", p->func);
		if (fc->indent < INDENT_MAX)
			fc->indent += STEP;
	} else if (out && !more) {
		if (fc->indent >= STEP)
			fc->indent -= STEP;
		snprintf(buf, size, "%*s%s %s", (int)fc->indent, "",
		    sys ? "<=" : "<-", p->func);
	} else
		snprintf(buf, size, "%*s| %s:%s", (int)fc->indent, "",
		    p->func, p->name);
}
