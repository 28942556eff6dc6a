/*
 * load.c - maps and programs put into the kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>

#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/load.h"
#include "trace/loadbtf.h"
#include "trace/opt.h"
#include "trace/probe.h"
#include "trace/prog.h"
#include "trace/selfrun.h"
#include "trace/trace.h"

static const char license[] = "Dual BSD/GPL";

/* A name the kernel takes: at most 15 of [A-Za-z0-9_.]. */
static void
bpf_name(char out[BPF_OBJ_NAME_LEN], const char *name)
{
	size_t i;

	for (i = 0; i < BPF_OBJ_NAME_LEN - 1 && name[i] != '\0'; i++)
		out[i] = isalnum((unsigned char)name[i]) ? name[i] : '_';
	out[i] = '\0';
}

/* Contents and, for what programs may not write, the seal. */
static int
map_fill(const struct mapdesc *md, struct msg *m)
{
	const char *val = md->init;

	for (uint32_t i = 0; val != NULL && i < md->maxent; i++)
		if (bpf_map_update_elem(md->fd, &i,
		    val + (size_t)i * md->valsize, BPF_ANY) != 0)
			return msg_set_errno(m, "load", NULL,
			    "cannot fill map %s", md->name);
	if ((md->flags & BPF_F_RDONLY_PROG) != 0 && bpf_map_freeze(md->fd) != 0)
		return msg_set_errno(m, "load", NULL, "cannot freeze map %s",
		    md->name);
	return 0;
}

/* Bytes that mmap shows of an array map: elements are rounded to 8. */
static size_t
map_memsize(const struct mapdesc *md)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = (((size_t)md->valsize + 7) & ~(size_t)7) * md->maxent;

	return (n + page - 1) & ~(page - 1);
}

static int
map_make(struct mapdesc *md, struct msg *m)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = md->flags);
	char name[BPF_OBJ_NAME_LEN];
	int btf = -1;

	bpf_name(name, md->name);
	if (md->type == BPF_MAP_TYPE_TASK_STORAGE) {
		btf = loadbtf_map(md->valsize, &o.btf_key_type_id,
		    &o.btf_value_type_id, m);
		if (btf == -1)
			return -1;
		o.btf_fd = (uint32_t)btf;
	}
	/* a ring is halved as bufresize=auto has it */
	while ((md->fd = bpf_map_create(md->type, name, md->keysize,
	    md->valsize, md->maxent, &o)) == -ENOMEM &&
	    md->type == BPF_MAP_TYPE_RINGBUF && md->maxent > 4096)
		md->maxent /= 2;
	if (md->fd < 0)
		msg_set_errno(m, "load", NULL, "cannot create map %s (%u of "
		    "%u bytes)", md->name, md->maxent, md->valsize);
	if (btf >= 0)
		close(btf);
	if (md->fd < 0 || map_fill(md, m) == -1)
		return -1;
	if ((md->flags & BPF_F_MMAPABLE) == 0)
		return 0;
	md->mem = mmap(NULL, map_memsize(md), PROT_READ | PROT_WRITE,
	    MAP_SHARED, md->fd, 0);
	if (md->mem == MAP_FAILED) {
		md->mem = NULL;
		return msg_set_errno(m, "load", NULL, "cannot map %s",
		    md->name);
	}
	return 0;
}

static void
patch(struct bpfprog *bp, const struct prog *pr)
{
	for (size_t i = 0; i < bp->nrel; i++) {
		struct bpf_insn *in = &bp->insn[bp->rel[i].insn];

		in[0].src_reg = bp->rel[i].value ? BPF_PSEUDO_MAP_VALUE
		    : BPF_PSEUDO_MAP_FD;
		in[0].imm = pr->map[bp->rel[i].map].fd;
		in[1].imm = (int32_t)bp->rel[i].off;
	}
}

/* The last instruction the verifier's log speaks of, -1: none. */
static long
log_insn(const char *log)
{
	long insn = -1;

	for (const char *p = log; p != NULL; p = strchr(p, '\n')) {
		char *end;
		long n;

		p += *p == '\n';
		if (!isdigit((unsigned char)*p))
			continue;
		n = strtol(p, &end, 10);
		if (end[0] == ':' && end[1] == ' ')
			insn = n;
	}
	return insn;
}

/* The verifier's reason: the last line that is no statistics. */
static const char *
log_reason(char *log)
{
	char *last = log, *save = NULL;

	for (char *l = strtok_r(log, "\n", &save); l != NULL;
	    l = strtok_r(NULL, "\n", &save))
		if (strncmp(l, "processed ", 10) != 0 &&
		    strncmp(l, "max_states", 10) != 0 &&
		    strncmp(l, "verification ", 13) != 0 &&
		    strncmp(l, "stack depth", 11) != 0)
			last = l;
	return last;
}

static int
refused(const struct bpfprog *bp, char *log, int err, struct msg *m)
{
	long insn = log_insn(log);
	int clause = -1, line = 0;

	for (size_t i = 0; i < bp->nlinemap; i++)
		if ((long)bp->linemap[i].insn <= insn) {
			clause = bp->linemap[i].clause;
			line = bp->linemap[i].line;
		}
	if (log[0] == '\0') {
		errno = err;
		return msg_set_errno(m, "load", NULL, "the kernel refuses the "
		    "program of %s", bp->ev->name);
	}
	if (strstr(log, "cannot use helper bpf_probe_write_user") != NULL)
		return msg_set(m, "verifier", "line %d: copyout() and "
		    "copyoutstr() are not allowed here: the kernel is locked "
		    "down or CAP_SYS_ADMIN is missing", line);
	msg_set(m, "verifier", "line %d: the kernel's verifier refuses the "
	    "code of clause %d for %s: %s (more with -x bpflog)", line,
	    clause + 1, bp->ev->name, log_reason(log));
	m->line = (uint64_t)line;
	m->err = err;
	return -1;
}

/* The kernel's MAX_USED_MAPS: some older ones say nothing about it. */
static int
count_maps(const struct trace *t, const struct bpfprog *bp, struct msg *m)
{
	enum { MAPS = 64 };
	bool *seen = calloc(t->prog->nmap + 1, sizeof(*seen));
	size_t n = 0, k, i;
	int line = 0;

	if (seen == NULL)
		return msg_set_nomem(m);
	for (k = 0; k < bp->nrel && n <= MAPS; k++) {
		n += !seen[bp->rel[k].map];
		seen[bp->rel[k].map] = true;
	}
	free(seen);
	if (n <= MAPS)
		return 0;
	for (i = 0; i < bp->nlinemap; i++)
		if (bp->linemap[i].insn <= bp->rel[k - 1].insn)
			line = bp->linemap[i].line;
	msg_set(m, "bpf-maps", "line %d: more arrays and aggregations of "
	    "different keys and sizes for %s than the kernel's limit of %d "
	    "BPF maps a program", line, bp->ev->name, MAPS);
	m->line = (uint64_t)line;
	return -1;
}

static int
load_one(struct trace *t, struct bpfprog *bp, FILE *out, struct msg *m)
{
	LIBBPF_OPTS(bpf_prog_load_opts, o, .attach_btf_id = bp->ev->btf_id);
	enum bpf_prog_type type = event_progtype(bp->ev,
	    &o.expected_attach_type);
	bool want = opt_flag(&t->opt, O_BPFLOG);
	size_t size = (size_t)opt_num(&t->opt, O_BPFLOGSIZE);
	char name[BPF_OBJ_NAME_LEN], *log;
	int btf, rc, err;

	bpf_name(name, bp->ev->name);
	if (count_maps(t, bp, m) == -1)
		return -1;
	if (bp->sleepable)
		o.prog_flags |= BPF_F_SLEEPABLE;
	btf = loadbtf_func(bp, &o, m);
	if (btf == -1)
		return -1;
	bp->ev->prog_fd = want ? -1 : bpf_prog_load(type, name, license,
	    bp->insn, bp->ninsn, &o);
	if (bp->ev->prog_fd >= 0) {
		loadbtf_end(btf, &o);
		return 0;
	}
	log = calloc(1, size);
	if (log == NULL) {
		loadbtf_end(btf, &o);
		return msg_set_nomem(m);
	}
	o.log_buf = log;
	o.log_size = (uint32_t)size;
	o.log_level = 1;
	bp->ev->prog_fd = bpf_prog_load(type, name, license, bp->insn,
	    bp->ninsn, &o);
	err = errno;
	loadbtf_end(btf, &o);
	if (want && out != NULL)
		fprintf(out, "%s:\n%s", bp->ev->name, log);
	rc = bp->ev->prog_fd >= 0 ? 0 : refused(bp, log, err, m);
	free(log);
	return rc;
}

/* Two descriptors an event: as many as we may have. */
static void
raise_limit(void)
{
	struct rlimit old, new = { 1 << 20, 1 << 20 };

	if (getrlimit(RLIMIT_NOFILE, &old) == -1 || old.rlim_cur >= 1 << 20 ||
	    setrlimit(RLIMIT_NOFILE, &new) == 0)
		return;
	old.rlim_cur = old.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &old);
}

int
load_prog(struct trace *t, FILE *log, struct msg *m)
{
	struct prog *pr = t->prog;

	raise_limit();
	pr->threadend_fd = -1;
	for (size_t i = 0; i < pr->nmap; i++)
		pr->map[i].fd = -1;
	if (pr->destructive && !opt_flag(&t->opt, O_DESTRUCTIVE))
		return msg_set(m, "load", "could not enable tracing: "
		    "Destructive actions not allowed");
	for (size_t i = 0; i < pr->nmap; i++)
		if (map_make(&pr->map[i], m) == -1)
			return -1;
	for (size_t i = 0; i < pr->nbpf; i++) {
		patch(&pr->bpf[i], pr);
		if (load_one(t, &pr->bpf[i], log, m) == -1)
			return -1;
	}
	return 0;
}

void
load_unload(struct trace *t)
{
	struct prog *pr = t->prog;

	if (pr == NULL)
		return;
	if (pr->selfhash > 0 && pr->threadend_fd >= 0)
		close(pr->threadend_fd);
	pr->threadend_fd = -1;
	for (size_t i = 0; i < pr->nbpf; i++) {
		struct event *ev = pr->bpf[i].ev;

		if (ev->prog_fd >= 0)
			close(ev->prog_fd);
		ev->prog_fd = -1;
	}
	for (size_t i = 0; i < pr->nmap; i++) {
		if (pr->map[i].mem != NULL)
			munmap(pr->map[i].mem, map_memsize(&pr->map[i]));
		if (pr->map[i].fd >= 0)
			close(pr->map[i].fd);
		pr->map[i].mem = NULL;
		pr->map[i].fd = -1;
	}
}

int
load_run(struct trace *t, struct event *ev, struct msg *m)
{
	uint64_t args[12] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, o, .ctx_in = args,
	    .ctx_size_in = sizeof(args));

	if (ev->self_run)
		return selfrun(t, ev, m);
	if (bpf_prog_test_run_opts(ev->prog_fd, &o) != 0)
		return msg_set_errno(m, "run", NULL, "cannot run %s",
		    ev->name);
	return 0;
}

int
load_runstat(const struct event *ev, struct runstat *rs, struct msg *m)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (bpf_obj_get_info_by_fd(ev->prog_fd, &info, &len) != 0)
		return msg_set_errno(m, "stats", NULL,
		    "cannot read the statistics of %s", ev->name);
	*rs = (struct runstat){ .run_ns = info.run_time_ns,
	    .run_cnt = info.run_cnt, .missed = info.recursion_misses,
	    .id = info.id, .insns = info.xlated_prog_len / 8 };
	return 0;
}
