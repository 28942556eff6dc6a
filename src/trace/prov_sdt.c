/*
 * prov_sdt.c - every tracepoint of the kernel: sdt:CATEGORY::NAME.
 *
 * Carried by raw tracepoints: arguments are those of the kernel's tracing
 * call, typed by BTF, pointers to kernel structs included. System calls are
 * the syscall provider's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "libdt/msg.h"
#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/btfarg.h"
#include "trace/ir.h"
#include "trace/kernel.h"
#include "trace/prov.h"
#include "trace/provider.h"
#include "trace/stability.h"
#include "trace/trace.h"

/* Names that no tracepoint has and every program uses. */
static bool
reserved_name(const char *name)
{
	static const char *const table[] = { "BEGIN", "END", "ERROR", "entry",
	    "return" };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(name, table[i]) == 0)
			return true;
	return strncmp(name, "tick-", 5) == 0 ||
	    strncmp(name, "profile-", 8) == 0;
}

static bool
sdt_claims(const struct pdesc *pd)
{
	return pdesc_match(pd->prov, "sdt") && !reserved_name(pd->name);
}

static int
take(struct trace *t, const char *category, const char *name,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	struct probe *p;
	char type[128];
	uint32_t id;

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	id = kernel_btf_id(t, type, BTF_KIND_TYPEDEF);
	p = probe_make(t, &prov_sdt, "sdt", category, "", name,
	    id != 0 ? PID_BTF + 2 * id : 0, NULL);
	if (p == NULL)
		return msg_set_nomem(m);
	p->key = id;
	return cb(p, arg);
}

/* Perf's view of some raw tracepoints: not tracepoints of their own. */
static bool
listed(const char *category)
{
	return strcmp(category, "syscalls") != 0 &&
	    strcmp(category, "kprobes") != 0 &&
	    strcmp(category, "uprobes") != 0 &&
	    strcmp(category, "ftrace") != 0;
}

static int
sdt_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	char path[128], line[256], *name;
	FILE *fp;
	int rc = 0;

	if (!pdesc_match(pd->func, ""))
		return 0;
	if (kernel_tracefs("available_events", path, sizeof(path),
	    m) == NULL)
		/* asked for by name it matters that there is none */
		return pd->prov[0] != '\0' && !pdesc_is_glob(pd->prov) ? -1
		    : 0;
	fp = fopen(path, "re");
	if (fp == NULL)
		return msg_set_errno(m, "no-tracefs", path, "cannot open");
	while (rc == 0 && fgets(line, sizeof(line), fp) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		name = strchr(line, ':');
		if (name == NULL)
			continue;
		*name++ = '\0';
		if (listed(line) && pdesc_match(pd->mod, line) &&
		    pdesc_match(pd->name, name))
			rc = take(t, line, name, cb, arg, m);
	}
	fclose(fp);
	return rc;
}

static int
sdt_arg(struct trace *t, const struct probe *p, unsigned n,
    struct probearg *a, struct msg *m)
{
	const struct btf_param *par;

	/* the first parameter is the tracepoint's own */
	par = btfarg_param(t, (uint32_t)p->key, n + 1);
	return par == NULL ? 0 : btfarg_type(t, par->type, a, m);
}

static int
sdt_enable(struct trace *t, struct probe *p, struct msg *m)
{
	struct event *ev = event_make(t, &prov_sdt, EV_RAWTP, p->name);
	struct btfargs *ba;

	if (ev == NULL)
		return msg_set_nomem(m);
	p->ev = ev;
	ev->tpname = strdup(p->name);
	ev->priv = ba = calloc(1, sizeof(*ba));
	if (ev->tpname == NULL || ba == NULL)
		return msg_set_nomem(m);
	/* a module's tracepoint: reached by name, its arguments untyped */
	ev->btf_id = (uint32_t)p->key;
	btfarg_layout(t, ev->btf_id, 1, ba);
	return 0;
}

static vreg
sdt_gen_arg(struct gen *g, struct event *ev, unsigned n)
{
	return btfarg_gen(g, ev->priv, n);
}

const struct provider prov_sdt = {
	.name = "sdt",
	.attr = &stability_private,
	.claims = sdt_claims,
	.match = sdt_match,
	.arg = sdt_arg,
	.enable = sdt_enable,
	.gen_probe = gen_probe_const,
	.gen_arg = sdt_gen_arg,
	.attach = attach_rawtp,
};
