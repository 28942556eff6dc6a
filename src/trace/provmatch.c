/*
 * provmatch.c - a program's clauses matched: their probes are enabled and
 * gathered by event.
 */
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/msg.h"
#include "trace/diag.h"
#include "trace/opt.h"
#include "trace/provider_impl.h"

struct matching {
	struct trace *t;
	struct clause *cl;
	const struct pdesc *pd;
	size_t cap, found;
};

/* One probe of one description of a clause. */
static int
match_take(struct probe *p, void *arg)
{
	struct matching *mt = arg;
	struct provtab *pt = mt->t->prov;
	struct clause *cl = mt->cl;
	struct slot *s = probe_slot(p);

	mt->found++;
	if (s->last == mt->pd)
		return 0;
	s->last = mt->pd;
	if (probe_push(&cl->probe, &cl->nprobe, &mt->cap, p) == -1)
		return -2;
	if (s->ncl == 0 && probe_push(&pt->enabled, &pt->nenabled,
	    &pt->capenabled, p) == -1)
		return -2;
	if (s->ncl > 0 && s->cl[s->ncl - 1] == cl)
		return 0;
	if (ARRAY_ROOM(s->cl, s->ncl, s->capcl) == -1)
		return -2;
	s->cl[s->ncl++] = cl;
	return 0;
}

static int
match_pdesc(struct matching *mt, const struct pdesc *pd, struct diag *d)
{
	bool zdefs = opt_flag(&mt->t->opt, O_ZDEFS);
	struct msg m;
	int rc;

	mt->found = 0;
	mt->pd = pd;
	msg_clear(&m);
	rc = provider_match(mt->t, pd, match_take, mt, &m);
	if (rc == -2)
		return diag_error(d, D_UNKNOWN, pd->line, "out of memory");
	if (rc == -1) {
		if (zdefs && m.id != NULL && strcmp(m.id, "no-match") == 0)
			return 0;
		return diag_error(d, D_PDESC_INVAL, pd->line, "%s", m.text);
	}
	if (mt->found > 0 || zdefs)
		return 0;
	if (pd->id != 0)
		return diag_error(d, D_PDESC_ZERO, pd->line,
		    "no probe has the id %u", pd->id);
	return diag_error(d, D_PDESC_ZERO, pd->line,
	    "probe description %s:%s:%s:%s does not match any probes",
	    pd->prov, pd->mod, pd->func, pd->name);
}

/* Gives the probe's clause list the one pointer of its set. */
static int
set_intern(struct provtab *pt, struct slot *s)
{
	struct clauseset *c;

	for (c = pt->set; c != NULL; c = c->next)
		if (c->n == s->ncl && memcmp(c->cl, s->cl,
		    s->ncl * sizeof(s->cl[0])) == 0)
			break;
	if (c == NULL) {
		c = calloc(1, sizeof(*c) + s->ncl * sizeof(c->cl[0]));
		if (c == NULL)
			return -1;
		c->n = s->ncl;
		memcpy(c->cl, s->cl, s->ncl * sizeof(c->cl[0]));
		c->next = pt->set;
		pt->set = c;
	}
	s->set = c;
	return 0;
}

/* A probe that two descriptions of a clause match fires it twice. */
static bool
again(const struct evclause *ec, const struct probe *p)
{
	if (ec->cl->pdesc == NULL || ec->cl->pdesc->next == NULL)
		return false;
	for (size_t i = 0; i < ec->nprobe; i++)
		if (ec->probe[i] == p)
			return true;
	return false;
}

/* Adds p to the clause's part of p's event. */
static int
event_add(struct event *ev, struct clause *cl, struct probe *p)
{
	struct evclause *ec = ev->nec > 0 ? &ev->ec[ev->nec - 1] : NULL;
	struct probe **pp;

	if (ec == NULL || ec->cl != cl || again(ec, p)) {
		ec = reallocarray(ev->ec, ev->nec + 1, sizeof(*ec));
		if (ec == NULL)
			return -1;
		ev->ec = ec;
		ec = &ev->ec[ev->nec++];
		*ec = (struct evclause){ .cl = cl };
	}
	/* capacities are powers of two: grow when n reaches one */
	if ((ec->nprobe & (ec->nprobe - 1)) == 0) {
		size_t cap = ec->nprobe == 0 ? 1 : ec->nprobe * 2;

		pp = reallocarray(ec->probe, cap, sizeof(*pp));
		if (pp == NULL)
			return -1;
		ec->probe = pp;
	}
	ec->probe[ec->nprobe++] = p;
	return 0;
}

/* The same for every event that carries p. */
static int
events_add(struct clause *cl, struct probe *p)
{
	for (; p != NULL; p = p->also)
		if (event_add(p->ev, cl, p) == -1)
			return -1;
	return 0;
}

static int
enable_probes(struct trace *t, struct unit *u, struct diag *d)
{
	struct provtab *pt = t->prov;
	struct msg m;

	for (size_t i = 0; i < pt->nenabled; i++)
		if (set_intern(pt, probe_slot(pt->enabled[i])) == -1)
			return diag_error(d, D_UNKNOWN, 0, "out of memory");
	for (size_t i = 0; i < pt->nenabled; i++) {
		struct probe *p = pt->enabled[i];

		msg_clear(&m);
		d->source = probe_slot(p)->cl[0]->source;
		if (p->ev == NULL && p->pv->enable(t, p, &m) == -1)
			return diag_error(d, D_PDESC_INVAL,
			    probe_slot(p)->cl[0]->line, "%s", m.text);
		for (; p != NULL; p = p->also)
			if (p->idx == NO_IDX && probe_number(t, &p, 1) == -1)
				return diag_error(d, D_UNKNOWN, 0,
				    "out of memory");
	}
	for (struct clause *cl = u->clause; cl != NULL; cl = cl->next)
		for (size_t i = 0; i < cl->nprobe; i++)
			if (events_add(cl, cl->probe[i]) == -1)
				return diag_error(d, D_UNKNOWN, 0,
				    "out of memory");
	return 0;
}

int
provider_match_unit(struct trace *t, struct unit *u, struct diag *d)
{
	int bad = 0;

	for (struct clause *cl = u->clause; cl != NULL; cl = cl->next) {
		struct matching mt = { .t = t, .cl = cl };

		d->source = cl->source;
		for (struct pdesc *pd = cl->pdesc; pd != NULL; pd = pd->next)
			if (match_pdesc(&mt, pd, d) == -1)
				bad = -1;
	}
	return bad == 0 ? enable_probes(t, u, d) : -1;
}
