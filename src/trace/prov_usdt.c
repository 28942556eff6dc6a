/*
 * prov_usdt.c - static probes of programs: shopappPID:module:function:name.
 *
 * Their notes are in the file (.note.stapsdt); the provider's name is the
 * note's with the process's id after it, a __ in a probe's name reads as -.
 * With a path as the module (shopapp:/usr/bin/shop::item-begin) the file's
 * probes are taken in every process, and the provider has no pid.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/module.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/stability.h"
#include "trace/trace.h"
#include "trace/type.h"
#include "trace/uelf.h"
#include "trace/uprobe.h"
#include "trace/victim.h"

struct matching {
	struct trace *t;
	const struct pdesc *pd;
	char prov[128];			/* its pattern, without the pid */
	pid_t pid;
	int (*cb)(struct probe *, void *);
	void *arg;
	struct msg *m;
};

/* Names that other providers' probes have, not worth a look at files. */
static bool
reserved_name(const char *name)
{
	return strcmp(name, "BEGIN") == 0 || strcmp(name, "END") == 0 ||
	    strcmp(name, "ERROR") == 0 || strncmp(name, "tick-", 5) == 0 ||
	    strncmp(name, "profile-", 8) == 0;
}

/* The number a provider ends in, 0: none. */
static pid_t
pid_suffix(const char *prov)
{
	size_t n = strlen(prov);
	long pid;

	while (n > 0 && isdigit((unsigned char)prov[n - 1]))
		n--;
	if (n == 0 || prov[n] == '\0')
		return 0;
	pid = strtol(prov + n, NULL, 10);
	return pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

static bool
usdt_claims(const struct pdesc *pd)
{
	const struct provider *pv;

	if (strncmp(pd->prov, "pid", 3) == 0 && pid_suffix(pd->prov) != 0 &&
	    isdigit((unsigned char)pd->prov[3]))
		return false;
	if (!pdesc_is_glob(pd->prov))
		for (size_t i = 0; (pv = provider_row(i)) != NULL; i++)
			if (strcmp(pv->name, pd->prov) == 0)
				return false;
	return !reserved_name(pd->name);
}

static bool
same_probe(const struct unote *a, const struct unote *b)
{
	return strcmp(a->prov, b->prov) == 0 &&
	    strcmp(a->name, b->name) == 0 && strcmp(a->func, b->func) == 0;
}

/* All places of the probe that note i is the first of. */
static struct upsites *
sites_of(struct uelf *u, size_t i, pid_t pid)
{
	struct upsites *us = calloc(1, sizeof(*us) +
	    (u->nnote - i) * sizeof(us->site[0]));

	if (us == NULL)
		return NULL;
	us->pid = pid;
	us->type = EV_UPROBE;
	for (size_t k = i; k < u->nnote; k++) {
		const struct unote *n = &u->note[k];

		if (!same_probe(n, &u->note[i]))
			continue;
		us->site[us->n++] = (struct upsite){ .elf = u, .off = n->off,
		    .vaddr = n->vaddr, .sema = n->sema, .args = n->args };
	}
	return us;
}

static int
take_note(struct matching *mt, struct uelf *u, size_t i)
{
	const struct unote *n = &u->note[i];
	struct probe *p;
	char prov[192];
	bool made;

	if (mt->pid > 0)
		snprintf(prov, sizeof(prov), "%s%d", n->prov, (int)mt->pid);
	else
		snprintf(prov, sizeof(prov), "%s", n->prov);
	p = probe_make(mt->t, &prov_usdt, prov, u->base, n->func, n->name, 0,
	    &made);
	if (p == NULL)
		return msg_set_nomem(mt->m);
	if (made) {
		p->priv = sites_of(u, i, mt->pid);
		if (p->priv == NULL)
			return msg_set_nomem(mt->m);
	}
	return mt->cb(p, mt->arg);
}

static int
take_elf(struct matching *mt, struct uelf *u)
{
	const struct pdesc *pd = mt->pd;
	int rc = 0;

	for (size_t i = 0; i < u->nnote && rc == 0; i++) {
		const struct unote *n = &u->note[i];
		size_t first = 0;

		if (!pdesc_match(mt->prov, n->prov) ||
		    !pdesc_match(pd->func, n->func) ||
		    !pdesc_match(pd->name, n->name))
			continue;
		while (!same_probe(&u->note[first], n))
			first++;
		if (first == i)
			rc = take_note(mt, u, i);
	}
	return rc;
}

static int
take_process(struct matching *mt)
{
	const struct procmods *pm = modules_of(mt->t, mt->pid, mt->m);
	int rc = 0;

	if (pm == NULL)
		return -1;
	for (size_t i = 0; i < pm->n && rc == 0; i++)
		if (module_match(&pm->mod[i], mt->pd->mod))
			rc = take_elf(mt, pm->mod[i].elf);
	return rc;
}

static int
usdt_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	struct matching mt = { .t = t, .pd = pd, .pid = -1, .cb = cb,
	    .arg = arg, .m = m };
	size_t len = strlen(pd->prov);
	pid_t pid = pid_suffix(pd->prov);
	int rc = 0;

	if (len >= sizeof(mt.prov))
		return 0;
	snprintf(mt.prov, sizeof(mt.prov), "%s", pd->prov);
	if (pd->mod[0] == '/') {
		struct uelf *u = modules_file(t, pd->mod, m);

		return u == NULL ? -1 : take_elf(&mt, u);
	}
	if (pid != 0) {
		while (isdigit((unsigned char)mt.prov[len - 1]))
			mt.prov[--len] = '\0';
		mt.pid = pid;
		return take_process(&mt);
	}
	for (size_t i = 0; t->victims != NULL && i < t->victims->n && rc == 0;
	    i++) {
		if (t->victims->v[i].gone)
			continue;
		mt.pid = t->victims->v[i].pid;
		rc = take_process(&mt);
	}
	return rc;
}

static int
usdt_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	const struct upsites *us = p->priv;
	int size = usdt_arg_size(us->site[0].args, n);
	unsigned bytes = (unsigned)(size < 0 ? -size : size);

	(void)m;
	if (size != 0)
		a->type = type_int(t->types, bytes > 4 ? 8 : bytes > 2 ? 4
		    : bytes, size < 0);
	return 0;
}

const struct provider prov_usdt = {
	.name = "usdt",
	.attr = &stability_isa,
	.claims = usdt_claims,
	.match = usdt_match,
	.arg = usdt_arg,
	.enable = uprobe_enable,
	.gen_enter = uprobe_gen_enter,
	.gen_probe = uprobe_gen_probe,
	.gen_arg = usdt_gen_arg,
	.gen_builtin = uprobe_builtin,
	.attach = uprobe_attach,
};
