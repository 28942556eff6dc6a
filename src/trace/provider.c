/*
 * provider.c - matching of probe descriptions, and what is enabled.
 */
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "libdt/msg.h"
#include "trace/diag.h"
#include "trace/opt.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/trace.h"

/* In the order of -l. */
static const struct provider *const provider_table[] = {
	&prov_dtrace,
	&prov_profile,
	&prov_syscall,
	&prov_proc,
	&prov_sched,
	&prov_io,
	&prov_sdt,
	&prov_fbt,
	&prov_pid,
	&prov_usdt,
	NULL
};

struct clauseset {
	struct clauseset *next;
	size_t n;
	struct clause *cl[];
};

struct slot {			/* of the hash of probes */
	struct slot *next;
	uint64_t hash;
	struct clauseset *set;	/* enabled: its clauses */
	const struct pdesc *last; /* latest description that took it */
	struct clause **cl;	/* while matching */
	size_t ncl, capcl;
	struct probe p;
	char text[];
};

enum { NHASH = 4096, NO_IDX = UINT32_MAX };

struct provtab {
	struct slot *hash[NHASH];
	uint32_t next_id;
	struct probe **enabled;		/* in order of birth */
	size_t nenabled, capenabled;
	struct probe **idx;		/* [probe.idx] */
	size_t nidx, capidx;
	struct event *event, **event_tail;
	struct clauseset *set;
};

const struct provider *
provider_row(size_t i)
{
	return i < sizeof(provider_table) / sizeof(provider_table[0])
	    ? provider_table[i] : NULL;
}

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

bool
pdesc_is_glob(const char *s)
{
	return s[0] == '\0' || strpbrk(s, "*?[\\") != NULL;
}

bool
pdesc_match(const char *pattern, const char *text)
{
	if (pattern[0] == '\0')
		return true;
	if (!pdesc_is_glob(pattern))
		return strcmp(pattern, text) == 0;
	return fnmatch(pattern, text, 0) == 0;
}

int
provider_parse_desc(char *text, struct pdesc *pd, struct msg *m)
{
	char *field[4], *p = text, *end;
	size_t n = 0;

	*pd = (struct pdesc){ .prov = "", .mod = "", .func = "", .name = "",
	    .text = text };
	if (*text != '\0') {
		unsigned long id = strtoul(text, &end, 10);
		if (*end == '\0' && id > 0 && id <= UINT32_MAX &&
		    *text >= '0' && *text <= '9') {
			pd->id = (uint32_t)id;
			return 0;
		}
	}
	for (;;) {
		if (n == 4)
			return msg_set(m, "usage",
			    "probe description has more than four fields");
		field[n++] = p;
		p = strchr(p, ':');
		if (p == NULL)
			break;
		*p++ = '\0';
	}
	pd->name = field[n - 1];
	if (n > 1)
		pd->func = field[n - 2];
	if (n > 2)
		pd->mod = field[n - 3];
	if (n > 3)
		pd->prov = field[n - 4];
	return 0;
}

static struct slot *
slot_of(const struct probe *p)
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
	return slot_of(p)->set;
}

/* Room for one more in an array of pointers; NULL: no memory. */
static void *
grow(void *array, size_t n, size_t *cap)
{
	void *p;

	if (n < *cap)
		return array;
	p = reallocarray(array, *cap == 0 ? 16 : *cap * 2, sizeof(void *));
	if (p != NULL)
		*cap = *cap == 0 ? 16 : *cap * 2;
	return p;
}

static int
push_probe(struct probe ***array, size_t *n, size_t *cap, struct probe *p)
{
	struct probe **a = grow(*array, *n, cap);

	if (a == NULL)
		return -1;
	*array = a;
	a[(*n)++] = p;
	return 0;
}

int64_t
probe_number(struct trace *t, struct probe **p, size_t n)
{
	struct provtab *pt = t->prov;
	size_t first = pt->nidx;

	for (size_t i = 0; i < n; i++) {
		if (push_probe(&pt->idx, &pt->nidx, &pt->capidx, p[i]) == -1)
			return -1;
		p[i]->idx = (uint32_t)(first + i);
	}
	return (int64_t)first;
}

int
provider_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	a->type = NULL;
	a->native = NULL;
	if (p->pv->arg == NULL)
		return 0;
	return p->pv->arg(t, p, n, a, m);
}

struct byid {
	uint32_t id;
	int (*cb)(struct probe *, void *);
	void *arg;
};

static int
match_id(struct probe *p, void *arg)
{
	struct byid *b = arg;

	return p->id == b->id ? b->cb(p, b->arg) : 0;
}

int
provider_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	static const struct pdesc all = { .prov = "", .mod = "", .func = "",
	    .name = "", .text = "" };
	struct byid b = { pd->id, cb, arg };
	const struct provider *pv;
	int rc;

	if (pd->id != 0) {
		pd = &all;
		cb = match_id;
		arg = &b;
	}
	for (size_t i = 0; (pv = provider_row(i)) != NULL; i++) {
		if (!pv->claims(pd))
			continue;
		rc = pv->match(t, pd, cb, arg, m);
		if (rc != 0)
			return rc;
	}
	return 0;
}

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
	struct slot *s = slot_of(p);
	struct clause **list;

	mt->found++;
	if (s->last == mt->pd)
		return 0;
	s->last = mt->pd;
	if (push_probe(&cl->probe, &cl->nprobe, &mt->cap, p) == -1)
		return -2;
	if (s->ncl == 0 && push_probe(&pt->enabled, &pt->nenabled,
	    &pt->capenabled, p) == -1)
		return -2;
	if (s->ncl > 0 && s->cl[s->ncl - 1] == cl)
		return 0;
	list = grow(s->cl, s->ncl, &s->capcl);
	if (list == NULL)
		return -2;
	s->cl = list;
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
		if (set_intern(pt, slot_of(pt->enabled[i])) == -1)
			return diag_error(d, D_UNKNOWN, 0, "out of memory");
	for (size_t i = 0; i < pt->nenabled; i++) {
		struct probe *p = pt->enabled[i];

		msg_clear(&m);
		d->source = slot_of(p)->cl[0]->source;
		if (p->ev == NULL && p->pv->enable(t, p, &m) == -1)
			return diag_error(d, D_PDESC_INVAL,
			    slot_of(p)->cl[0]->line, "%s", m.text);
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
