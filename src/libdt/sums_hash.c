/* Files hashed by threads. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/path.h"
#include "libdt/sums_hash.h"

#define BUF_SIZE	(256u << 10)
#define THREADS_MAX	16
#define TICK		(NS_PER_S / 10)

struct pool {
	int dirfd;
	struct sums_job *jobs;
	size_t n;
	pthread_mutex_t lock;	/* of next and every job's done */
	pthread_cond_t told;	/* a job is done */
	size_t next;
	atomic_bool stop;
	atomic_uint_fast64_t bytes;
};

static void
job_fail(struct sums_job *j, const char *what, int err)
{
	j->fault = what;
	j->err = err;
}

static bool
same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_ino == b->st_ino &&
	    a->st_dev == b->st_dev &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	    a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	    a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/*
 * Reads fd to its end, or to where it must have grown: a file that is
 * appended to forever ends too. -1 with errno.
 */
static int
job_read(struct pool *p, struct digest_run *r, int fd, uint64_t size,
    char *buf, uint64_t *got)
{
	ssize_t n;

	for (*got = 0; *got <= size && !atomic_load(&p->stop); ) {
		n = read(fd, buf, BUF_SIZE);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		if (n == 0)
			break;
		errno = EIO;
		if (digest_add(r, buf, (size_t)n) == -1)
			return -1;
		*got += (uint64_t)n;
		atomic_fetch_add(&p->bytes, (uint64_t)n);
	}
	return 0;
}

static void
job_hash(struct pool *p, struct sums_job *j, int fd, const struct stat *st,
    char *buf)
{
	struct digest_run *r = digest_begin(j->which);
	struct stat after;
	uint64_t got;

	if (r == NULL) {
		job_fail(j, "cannot digest", ENOMEM);
		return;
	}
	if (job_read(p, r, fd, (uint64_t)st->st_size, buf, &got) == -1) {
		job_fail(j, "cannot read", errno);
		digest_drop(r);
		return;
	}
	if (digest_end(r, &j->d) == -1)
		job_fail(j, "cannot digest", EIO);
	else if (fstat(fd, &after) == -1)
		job_fail(j, "cannot stat", errno);
	else
		j->changed = got != (uint64_t)st->st_size || !same(st, &after);
}

static void
job_run(struct pool *p, struct sums_job *j, char *buf)
{
	struct stat st;
	int fd;

	errno = 0;
	fd = path_open_file(p->dirfd, j->path, &st, NULL);
	if (fd == -1) {
		job_fail(j, "cannot open", errno);
		return;
	}
	job_hash(p, j, fd, &st, buf);
	close(fd);
}

static void *
worker(void *arg)
{
	struct pool *p = arg;
	char *buf = malloc(BUF_SIZE);
	size_t i;

	pthread_mutex_lock(&p->lock);
	while (p->next < p->n && !atomic_load(&p->stop)) {
		i = p->next++;
		pthread_mutex_unlock(&p->lock);
		if (buf != NULL)
			job_run(p, &p->jobs[i], buf);
		else
			job_fail(&p->jobs[i], "cannot read", ENOMEM);
		pthread_mutex_lock(&p->lock);
		p->jobs[i].done = true;
		pthread_cond_signal(&p->told);
	}
	pthread_mutex_unlock(&p->lock);
	free(buf);
	return NULL;
}

static void
tell_progress(struct pool *p, const struct sums_options *o, size_t i)
{
	if (o->progress != NULL)
		o->progress(o->progress_arg, i, atomic_load(&p->bytes));
}

/* Waits for job i, telling progress meanwhile. */
static void
job_wait(struct pool *p, const struct sums_options *o, size_t i)
{
	struct timespec ts;

	pthread_mutex_lock(&p->lock);
	while (!p->jobs[i].done) {
		(void)clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_nsec += (long)TICK;
		if (ts.tv_nsec >= (long)NS_PER_S) {
			ts.tv_nsec -= (long)NS_PER_S;
			ts.tv_sec++;
		}
		(void)pthread_cond_timedwait(&p->told, &p->lock, &ts);
		pthread_mutex_unlock(&p->lock);
		tell_progress(p, o, i);
		pthread_mutex_lock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
}

static unsigned
thread_count(const struct sums_options *o, size_t n)
{
	long cpus = o->threads > 0 ? (long)o->threads :
	    sysconf(_SC_NPROCESSORS_ONLN);

	if (cpus < 1)
		cpus = 1;
	if (cpus > THREADS_MAX)
		cpus = THREADS_MAX;
	return n < (size_t)cpus ? (unsigned)n : (unsigned)cpus;
}

/* Without a thread of its own: each job when it is asked for. */
static int
run_inline(struct pool *p, const struct sums_options *o, sums_hash_fn *fn,
    void *arg, struct msg *m)
{
	char *buf = malloc(BUF_SIZE);
	int rc = 0;
	size_t i;

	if (buf == NULL)
		return msg_set_nomem(m);
	for (i = 0; rc == 0 && i < p->n; i++) {
		job_run(p, &p->jobs[i], buf);
		tell_progress(p, o, i);
		rc = fn(arg, &p->jobs[i]);
	}
	free(buf);
	return rc;
}

static int
run_threads(struct pool *p, const struct sums_options *o, unsigned threads,
    sums_hash_fn *fn, void *arg, struct msg *m)
{
	pthread_t t[THREADS_MAX];
	unsigned k, started = 0;
	int rc = 0;
	size_t i;

	for (k = 0; k < threads; k++)
		if (pthread_create(&t[started], NULL, worker, p) == 0)
			started++;
	if (started == 0)
		return run_inline(p, o, fn, arg, m);
	for (i = 0; rc == 0 && i < p->n; i++) {
		job_wait(p, o, i);
		rc = fn(arg, &p->jobs[i]);
	}
	atomic_store(&p->stop, true);
	for (k = 0; k < started; k++)
		(void)pthread_join(t[k], NULL);
	return rc;
}

int
sums_hash(int dirfd, struct sums_job *jobs, size_t n,
    const struct sums_options *o, sums_hash_fn *fn, void *arg,
    struct msg *m)
{
	unsigned threads = thread_count(o, n);
	struct pool p = { .dirfd = dirfd, .jobs = jobs, .n = n };
	int rc;

	if (n == 0)
		return 0;
	if (pthread_mutex_init(&p.lock, NULL) != 0)
		return msg_set_nomem(m);
	if (pthread_cond_init(&p.told, NULL) != 0) {
		pthread_mutex_destroy(&p.lock);
		return msg_set_nomem(m);
	}
	rc = threads > 1 ? run_threads(&p, o, threads, fn, arg, m) :
	    run_inline(&p, o, fn, arg, m);
	pthread_cond_destroy(&p.told);
	pthread_mutex_destroy(&p.lock);
	return rc;
}
