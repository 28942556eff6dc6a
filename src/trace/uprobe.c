/*
 * uprobe.c - events of pid and usdt: uprobes at places in files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "trace/attach.h"
#include "trace/feature.h"
#include "trace/kernel.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/regs.h"
#include "trace/trace.h"
#include "trace/uelf.h"
#include "trace/uprobe.h"

static struct event *
shared_event(struct trace *t, const struct probe *p, const struct upsites *us)
{
	const void *set = probe_clauses(t, p);
	struct event *ev;

	if (us->n != 1 || us->site[0].args != NULL || !kernel_has(t, KF_COOKIE))
		return NULL;
	for (ev = provider_events(t); ev != NULL; ev = ev->next) {
		const struct upevent *ue = ev->priv;

		if (ev->pv == p->pv && ev->type == us->type &&
		    ue->pid == us->pid && ue->clauses == set)
			return ev;
	}
	return NULL;
}

static struct event *
new_event(struct trace *t, const struct probe *p, const struct upsites *us,
    const struct upsite *site)
{
	struct upevent *ue;
	struct event *ev;
	char name[256];

	snprintf(name, sizeof(name), "%s:%s:%s:%s", p->prov, p->mod, p->func,
	    p->name);
	ev = event_make(t, p->pv, us->type, name);
	if (ev == NULL)
		return NULL;
	ev->pid = us->pid;
	ev->offset = site->off;
	ev->sema = site->sema;
	ev->path = strdup(site->elf->path);
	ev->priv = ue = calloc(1, sizeof(*ue));
	if (ue == NULL || ev->path == NULL)
		return NULL;
	ue->clauses = probe_clauses(t, p);
	ue->site = site;
	ue->pid = us->pid;
	return ev;
}

int
uprobe_enable(struct trace *t, struct probe *p, struct msg *m)
{
	struct upsites *us = p->priv;
	struct probe *first = p;

	for (size_t i = 0; i < us->n; i++)
		us->site[i].elf->probed = true;
	p->ev = shared_event(t, p, us);
	if (p->ev != NULL) {
		p->ev->multi = kernel_has(t, KF_UPROBE_MULTI);
		return 0;
	}
	for (size_t i = 0; i < us->n; i++) {
		if (i > 0)
			p = probe_also(p);
		if (p == NULL)
			return msg_set_nomem(m);
		p->ev = new_event(t, first, us, &us->site[i]);
		if (p->ev == NULL)
			return msg_set_nomem(m);
	}
	return 0;
}

int
uprobe_gen_enter(struct gen *g, struct event *ev)
{
	const struct upevent *ue = ev->priv;
	label ok;
	vreg pid;

	if (ue->pid <= 0)
		return 0;
	/* a forked child has the breakpoints of its parent */
	ok = ir_newlabel(g);
	pid = ir_alui(g, A_SHR, ir_call(g, BPF_FUNC_get_current_pid_tgid, 0),
	    32);
	ir_bri(g, CC_EQ, pid, ue->pid, ok);
	ir_exit(g, 0);
	ir_label(g, ok);
	return 0;
}

vreg
uprobe_gen_probe(struct gen *g, struct event *ev, const struct evclause *ec)
{
	(void)ev;
	if (ec->nprobe == 1)
		return ir_imm(g, ec->probe[0]->idx);
	return ir_call(g, BPF_FUNC_get_attach_cookie, 1, ir_ctx(g));
}

vreg
uprobe_builtin(struct gen *g, struct event *ev, const char *name)
{
	(void)ev;
	if (uregs_offset(name) >= 0)
		return ir_load(g, ir_ctx(g), uregs_offset(name), 8);
	return -1;
}

vreg
uprobe_read(struct gen *g, vreg addr, unsigned size)
{
	return gen_read(g, addr, size, true);
}

static int
by_path(const void *va, const void *vb)
{
	const struct upsites *a = (*(struct probe *const *)va)->priv;
	const struct upsites *b = (*(struct probe *const *)vb)->priv;

	return strcmp(a->site[0].elf->path, b->site[0].elf->path);
}

/* One link for the places of each file. */
static int
attach_multi(struct event *ev, struct msg *m)
{
	const struct evclause *ec = &ev->ec[0];
	size_t n = ec->nprobe;
	struct probe **p = calloc(n, sizeof(*p));
	uint64_t *off = calloc(n, sizeof(*off)), *idx = calloc(n, sizeof(*idx));
	int rc = 0;

	if (p == NULL || off == NULL || idx == NULL) {
		rc = msg_set_nomem(m);
		n = 0;
	} else {
		memcpy(p, ec->probe, n * sizeof(*p));
		qsort(p, n, sizeof(*p), by_path);
	}
	for (size_t i = 0, k; i < n && rc == 0; i = k) {
		const struct upsites *us = p[i]->priv;

		for (k = i; k < n && by_path(&p[k], &p[i]) == 0; k++) {
			const struct upsites *s = p[k]->priv;

			off[k - i] = s->site[0].off;
			idx[k - i] = p[k]->idx;
		}
		rc = attach_uprobes(ev, us->site[0].elf->path, k - i, off,
		    NULL, idx, us->pid, m);
	}
	free(p);
	free(off);
	free(idx);
	return rc;
}

int
uprobe_attach(struct trace *t, struct event *ev, struct msg *m)
{
	const struct evclause *ec = &ev->ec[0];

	if (ec->nprobe == 1)
		return attach_uprobe(t, ev, ev->path, ev->offset, ev->sema,
		    ev->pid, ec->probe[0]->idx, m);
	if (ev->multi)
		return attach_multi(ev, m);
	for (size_t i = 0; i < ec->nprobe; i++) {
		const struct upsites *us = ec->probe[i]->priv;

		if (attach_uprobe(t, ev, us->site[0].elf->path,
		    us->site[0].off, us->site[0].sema, us->pid,
		    ec->probe[i]->idx, m) == -1)
			return -1;
	}
	return 0;
}
