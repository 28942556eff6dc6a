/* Several bundles validated at once, by threads. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/validate_jobs.h"

struct job {
	struct validate_jobs *all;
	pthread_t thread;
	char *path;
	int fd;
	struct validate_done done;
};

struct validate_jobs {
	struct validate_opt opt;
	struct validate_watch watch;
	unsigned max;
	unsigned first, n;	/* a ring: first is the oldest */
	struct job job[VALIDATE_JOBS_MAX];
};

struct validate_jobs *
validate_jobs_new(const struct validate_opt *opt, unsigned n,
    const struct validate_watch *w, struct msg *m)
{
	struct validate_jobs *v = calloc(1, sizeof(*v));

	if (v == NULL) {
		msg_set_nomem(m);
		return NULL;
	}
	v->opt = *opt;
	v->watch = *w;
	v->max = n;
	return v;
}

static void
on_progress(void *arg, const char *what, uint64_t bytes)
{
	const struct job *j = arg;

	j->all->watch.progress(j->all->watch.arg, j->path, what, bytes);
}

static void *
work(void *arg)
{
	struct job *j = arg;
	struct validate_opt opt = j->all->opt;

	opt.progress = NULL;
	if (j->all->max == 1 && j->all->watch.progress != NULL) {
		opt.progress = on_progress;
		opt.progress_arg = j;
	}
	msg_clear(&j->done.m);
	j->done.rc = validate_bundle(j->fd, j->path, &opt, &j->done.result,
	    &j->done.m);
	return NULL;
}

static void
job_free(struct job *j)
{
	if (j->fd != -1)
		close(j->fd);
	free(j->path);
}

/* Waits for the oldest job and gives back what it found. */
static void
reap(struct validate_jobs *v)
{
	struct job *j = &v->job[v->first];

	pthread_join(j->thread, NULL);
	j->done.path = j->path;
	v->watch.done(v->watch.arg, &j->done);
	validate_free(&j->done.result);
	job_free(j);
	v->first = (v->first + 1) % VALIDATE_JOBS_MAX;
	v->n--;
}

int
validate_jobs_add(struct validate_jobs *v, int fd, const char *path,
    struct msg *m)
{
	struct job *j;
	int e;

	if (v->n == v->max)
		reap(v);
	j = &v->job[(v->first + v->n) % VALIDATE_JOBS_MAX];
	memset(j, 0, sizeof(*j));
	j->all = v;
	j->path = strdup(path);
	j->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (j->path == NULL || j->fd == -1)
		e = msg_set_errno(m, "open", NULL, "cannot start");
	else if ((e = pthread_create(&j->thread, NULL, work, j)) != 0)
		e = msg_set(m, "no-thread", "cannot start: error %d", e);
	if (e == 0)
		v->n++;
	else
		job_free(j);
	return e;
}

void
validate_jobs_wait(struct validate_jobs *v)
{
	while (v->n > 0)
		reap(v);
}

void
validate_jobs_free(struct validate_jobs *v)
{
	if (v == NULL)
		return;
	validate_jobs_wait(v);
	free(v);
}
