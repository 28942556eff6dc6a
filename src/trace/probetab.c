/*
 * probetab.c - the table of probes and events: made once, found by name,
 * numbered.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "libdt/array.h"
#include "libdt/msg.h"
#include "trace/provider_impl.h"

int
provtab_new(struct trace *t, struct msg *m)
{
	t->prov = calloc(1, sizeof(*t->prov));
	if (t->prov == NULL)
		return msg_set_nomem(m);
	t->prov->next_id = PID_DYNAMIC;
	t->prov->event_tail = &t->prov->event;
	return 0;
}

static void
event_free(struct event *ev)
{
	for (size_t i = 0; i < ev->nec; i++)
		free(ev->ec[i].probe);
	free(ev->ec);
	free(ev->link_fd);
	free(ev->priv);
	free((char *)ev->name);
	free((char *)ev->tpname);
	free((char *)ev->path);
	free(ev);
}

void
provtab_free(struct trace *t)
{
	struct provtab *pt = t->prov;

	if (pt == NULL)
		return;
	for (struct event *e = pt->event, *n; e != NULL; e = n) {
		n = e->next;
		event_free(e);
	}
	for (size_t i = 0; i < NHASH; i++)
		for (struct slot *s = pt->hash[i], *n; s != NULL; s = n) {
			n = s->next;
			for (struct probe *a = s->p.also, *b; a != NULL;
			    a = b) {
				b = a->also;
				free(a);
			}
			free(s->p.priv);
			free(s->cl);
			free(s);
		}
	for (struct clauseset *c = pt->set, *n; c != NULL; c = n) {
		n = c->next;
		free(c);
	}
	free(pt->enabled);
	free(pt->idx);
	free(pt);
	t->prov = NULL;
}

struct slot *
probe_slot(const struct probe *p)
{
	return (struct slot *)((char *)p - offsetof(struct slot, p));
}

static uint32_t
dynamic_id(struct provtab *pt)
{
	if (pt->next_id == PID_DYNAMIC_END)
		pt->next_id = PID_DYNAMIC2;
	return pt->next_id++;
}

struct probe *
probe_make(struct trace *t, const struct provider *pv, const char *prov,
    const char *mod, const char *func, const char *name, uint32_t id,
    bool *made)
{
	const char *in[4] = { prov, mod, func, name };
	size_t len[4], sum = 0;
	struct slot *s, **head;
	XXH64_hash_t h = 0;
	char *to;

	for (int i = 0; i < 4; i++) {
		len[i] = strlen(in[i]) + 1;
		sum += len[i];
		h = XXH3_64bits_withSeed(in[i], len[i], h);
	}
	head = &t->prov->hash[h % NHASH];
	if (made != NULL)
		*made = false;
	for (s = *head; s != NULL; s = s->next)
		if (s->hash == h && s->p.pv == pv &&
		    strcmp(s->p.name, name) == 0 &&
		    strcmp(s->p.func, func) == 0 &&
		    strcmp(s->p.mod, mod) == 0 &&
		    strcmp(s->p.prov, prov) == 0)
			return &s->p;
	s = calloc(1, sizeof(*s) + sum);
	if (s == NULL)
		return NULL;
	to = s->text;
	const char **field[4] = { &s->p.prov, &s->p.mod, &s->p.func,
	    &s->p.name };
	for (int i = 0; i < 4; i++) {
		*field[i] = memcpy(to, in[i], len[i]);
		to += len[i];
	}
	s->hash = h;
	s->p.pv = pv;
	s->p.idx = NO_IDX;
	s->p.id = id != 0 ? id : dynamic_id(t->prov);
	s->next = *head;
	*head = s;
	if (made != NULL)
		*made = true;
	return &s->p;
}

struct probe *
probe_also(struct probe *p)
{
	struct probe *a = malloc(sizeof(*a));

	if (a == NULL)
		return NULL;
	*a = *p;
	a->idx = NO_IDX;
	a->priv = NULL;
	p->also = a;
	return a;
}

struct event *
event_make(struct trace *t, const struct provider *pv, enum evtype type,
    const char *name)
{
	struct event *ev = calloc(1, sizeof(*ev));

	if (ev == NULL)
		return NULL;
	ev->name = strdup(name);
	if (ev->name == NULL) {
		free(ev);
		return NULL;
	}
	ev->pv = pv;
	ev->type = type;
	ev->prog_fd = -1;
	ev->pid = -1;
	*t->prov->event_tail = ev;
	t->prov->event_tail = &ev->next;
	return ev;
}

struct event *
provider_events(const struct trace *t)
{
	return t->prov->event;
}

size_t
provider_nprobe(const struct trace *t)
{
	return t->prov->nidx;
}

struct probe *
provider_probe(const struct trace *t, size_t idx)
{
	return idx < t->prov->nidx ? t->prov->idx[idx] : NULL;
}

const void *
probe_clauses(const struct trace *t, const struct probe *p)
{
	(void)t;
	return probe_slot(p)->set;
}

int
probe_push(struct probe ***array, size_t *n, size_t *cap, struct probe *p)
{
	if (ARRAY_ROOM(*array, *n, *cap) == -1)
		return -1;
	(*array)[(*n)++] = p;
	return 0;
}

int64_t
probe_number(struct trace *t, struct probe **p, size_t n)
{
	struct provtab *pt = t->prov;
	size_t first = pt->nidx;

	for (size_t i = 0; i < n; i++) {
		if (probe_push(&pt->idx, &pt->nidx, &pt->capidx, p[i]) == -1)
			return -1;
		p[i]->idx = (uint32_t)(first + i);
	}
	return (int64_t)first;
}
