/*
 * stats.c - the JSON of --stats; dt-trace(1) describes its members.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "libdt/file.h"
#include "libdt/json.h"
#include "trace/ast.h"
#include "trace/consume.h"
#include "trace/drop.h"
#include "trace/feature.h"
#include "trace/load.h"
#include "trace/probe.h"
#include "trace/prog.h"
#include "trace/provider.h"
#include "trace/stats.h"
#include "trace/trace.h"

int
stats_enable(void)
{
	return bpf_enable_stats(BPF_STATS_RUN_TIME);
}

static int
add_times(cJSON *j, const struct trace *t, const struct runinfo *ri)
{
	const struct runsums *s = consume_sums(t);
	cJSON *w = json_add_object(j, "times");

	return json_add_u64(w, "start_ns", ri->start_ns) |
	    json_add_u64(w, "load_ns", ri->load_ns) |
	    json_add_u64(w, "attach_ns", ri->attach_ns) |
	    json_add_u64(w, "attached_ns", ri->attached_ns) |
	    json_add_u64(w, "begin_ns", s->begin_ns) |
	    json_add_u64(w, "end_ns", s->end_ns) |
	    json_add_u64(w, "detached_ns", ri->detached_ns);
}

/* What of feature.def is there and in use. */
static int
add_features(cJSON *k, struct trace *t)
{
	int bad = 0;

	for (int f = 0; f < KF_N; f++)
		if (f != KF_BTF)
			bad |= json_add_bool(k, feature_name(f),
			    kernel_has(t, f));
	return bad;
}

static int
add_kernel(cJSON *j, struct trace *t)
{
	cJSON *k = json_add_object(j, "kernel");
	struct utsname u;

	if (uname(&u) == -1)
		memset(&u, 0, sizeof(u));
	return json_add_str(k, "release", u.release) |
	    json_add_str(k, "machine", u.machine) |
	    json_add_i64(k, "cpus", t->kern.ncpu) |
	    json_add_bool(k, "btf", t->kern.btf) |
	    add_features(k, t);
}

/* Sums of each clause over the CPUs; NULL: they cannot be read. */
static uint64_t *
read_fired(const struct trace *t)
{
	size_t n = t->prog->nlayout, ncpu = (size_t)t->kern.ncpu;
	size_t stride = (n * sizeof(uint64_t) + 7) & ~(size_t)7;
	uint64_t *sum = calloc(n + 1, sizeof(*sum));
	char *raw = calloc(ncpu + 1, stride + 8);
	uint32_t key = 0;

	if (sum != NULL && raw != NULL && n > 0 && bpf_map_lookup_elem(
	    t->prog->map[MAP_FIRED].fd, &key, raw) == 0) {
		for (size_t c = 0; c < ncpu; c++)
			for (size_t i = 0; i < n; i++) {
				uint64_t v;

				memcpy(&v, raw + c * stride + i * sizeof(v),
				    sizeof(v));
				sum[i] += v;
			}
	} else if (n > 0) {
		free(sum);
		sum = NULL;
	}
	free(raw);
	return sum;
}

static int
add_clauses(cJSON *j, const struct trace *t)
{
	cJSON *a = json_add_array(j, "clauses");
	uint64_t *fired = read_fired(t), all = 0;
	int rc = 0;

	for (struct clause *cl = t->unit->clause; cl != NULL; cl = cl->next) {
		cJSON *c = json_add_object(a, NULL);
		bool rec = cl->seq < t->prog->nlayout &&
		    t->prog->layout[cl->seq].size > 0;

		rc |= json_add_u64(c, "clause", cl->seq + 1);
		rc |= json_add_i64(c, "line", cl->line);
		rc |= json_add_u64(c, "probes", cl->nprobe);
		rc |= json_add_bool(c, "records", rec);
		if (fired == NULL || !rec) {
			rc |= json_add_null(c, "fired");
			continue;
		}
		rc |= json_add_u64(c, "fired", fired[cl->seq]);
		all += fired[cl->seq];
	}
	rc |= fired == NULL ? json_add_null(j, "fired")
	    : json_add_u64(j, "fired", all);
	free(fired);
	return rc;
}

static int
add_drops(cJSON *j, const struct trace *t)
{
	const struct runsums *s = consume_sums(t);
	cJSON *a = json_add_array(j, "drops");
	uint64_t all = 0;
	int rc = 0;

	for (size_t i = 0; i < s->ndrop; i++) {
		const struct dropspan *d = &s->drop[i];
		cJSON *o = json_add_object(a, NULL);

		rc |= json_add_str(o, "kind", drops_kind(d->kind));
		rc |= json_add_i64(o, "cpu", d->cpu);
		rc |= json_add_u64(o, "count", d->count);
		rc |= json_add_u64(o, "from", d->from);
		rc |= json_add_u64(o, "to", d->to);
		if (d->kind == DROP_PRINCIPAL)
			all += d->count;
	}
	return rc | json_add_u64(j, "dropped", all);
}

static int
add_programs(cJSON *j, const struct trace *t, const struct runinfo *ri)
{
	cJSON *a = json_add_array(j, "programs");
	uint64_t ns = 0, cnt = 0, missed = 0;
	int rc = 0;

	for (size_t i = 0; i < t->prog->nbpf; i++) {
		const struct event *ev = t->prog->bpf[i].ev;
		cJSON *o = json_add_object(a, NULL);
		struct runstat r;

		rc |= json_add_str(o, "event", ev->name);
		rc |= json_add_str(o, "provider", ev->pv->name);
		rc |= json_add_u64(o, "clauses", ev->nec);
		if (load_runstat(ev, &r, NULL) == -1) {
			rc |= json_add_null(o, "run_time_ns");
			continue;
		}
		rc |= json_add_u64(o, "insns", r.insns);
		rc |= json_add_u64(o, "run_time_ns", r.run_ns);
		rc |= json_add_u64(o, "run_cnt", r.run_cnt);
		rc |= json_add_u64(o, "missed", r.missed);
		ns += r.run_ns;
		cnt += r.run_cnt;
		missed += r.missed;
	}
	rc |= ri->counted ? json_add_u64(j, "run_time_ns", ns) |
	    json_add_u64(j, "run_cnt", cnt) : json_add_null(j,
	    "run_time_ns") | json_add_null(j, "run_cnt");
	return rc | json_add_u64(j, "missed", missed);
}

static int
add_usage(cJSON *j)
{
	cJSON *o = json_add_object(j, "rusage");
	struct rusage ru;

	if (getrusage(RUSAGE_SELF, &ru) == -1)
		return json_add_null(o, "user_ns");
	return json_add_u64(o, "user_ns", (uint64_t)ru.ru_utime.tv_sec *
	    1000000000 + (uint64_t)ru.ru_utime.tv_usec * 1000) |
	    json_add_u64(o, "system_ns", (uint64_t)ru.ru_stime.tv_sec *
	    1000000000 + (uint64_t)ru.ru_stime.tv_usec * 1000) |
	    json_add_i64(o, "max_rss_kib", ru.ru_maxrss);
}

static int
add_head(cJSON *j, const struct trace *t, const struct runinfo *ri)
{
	const struct runsums *s = consume_sums(t);
	cJSON *tr = json_add_object(j, "tracer");
	int rc;

	rc = json_add_str(tr, "name", "dt-trace") |
	    json_add_str(tr, "version", ri->version);
	rc |= ri->script == NULL ? json_add_null(j, "script")
	    : json_add_bytes(j, "script", ri->script, strlen(ri->script));
	return rc | json_add_str(j, "clock", "CLOCK_MONOTONIC") |
	    json_add_i64(j, "exit_status", ri->exit_status) |
	    json_add_i64(j, "signal", s->signal) |
	    json_add_str(j, "error", ri->error) |
	    json_add_u64(j, "records", s->records) |
	    json_add_u64(j, "record_bytes", s->bytes) |
	    json_add_u64(j, "errors", s->errors);
}

/* A file that appears whole, beneath the directory the path names. */
static int
write_new(const char *path, const void *text, size_t len, struct msg *m)
{
	const char *base = strrchr(path, '/');
	char *dir = base == NULL ? strdup(".") : base == path ? strdup("/")
	    : strndup(path, (size_t)(base - path));
	int fd, rc = -1;

	if (dir == NULL)
		return msg_set_nomem(m);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd == -1) {
		msg_set_errno(m, "open", path, "cannot open its directory");
	} else {
		rc = file_put(fd, base == NULL ? path : base + 1, text, len,
		    0644, m);
		close(fd);
	}
	free(dir);
	return rc;
}

/* A device, a pipe or a link stays what it is. */
static int
write_through(const char *path, const void *text, size_t len, struct msg *m)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY |
	    O_CLOEXEC, 0644);
	int rc = 0;

	if (fd == -1)
		return msg_set_errno(m, "open", path, "cannot open");
	if (file_write(fd, text, len) == -1)
		rc = msg_set_errno(m, "write", path, "cannot write");
	if (close(fd) == -1 && rc == 0)
		rc = msg_set_errno(m, "write", path, "cannot write");
	return rc;
}

static int
write_file(const char *path, const cJSON *j, struct msg *m)
{
	struct stat st;
	size_t len;
	char *text = json_print(j, &len, m);
	int rc;

	if (text == NULL)
		return -1;
	rc = lstat(path, &st) == 0 && !S_ISREG(st.st_mode) ?
	    write_through(path, text, len, m) : write_new(path, text, len, m);
	free(text);
	return rc;
}

int
stats_write(struct trace *t, const struct runinfo *ri, const char *path,
    struct msg *m)
{
	cJSON *j = json_new_object();
	int rc;

	if (j == NULL)
		return msg_set_nomem(m);
	rc = add_head(j, t, ri) | add_times(j, t, ri) | add_kernel(j, t) |
	    add_clauses(j, t) | add_drops(j, t) | add_programs(j, t, ri) |
	    add_usage(j);
	if (rc != 0)
		rc = msg_set_nomem(m);
	else
		rc = write_file(path, j, m);
	cJSON_Delete(j);
	return rc;
}
