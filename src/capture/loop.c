/* Waiting: signals, ended children, mappings and spools that grow. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "capture/capture.h"

#define LOOP_FDS	1100

static void
on_write(int sig)
{
	(void)sig;
}

/*
 * A file that may not grow, a guard or a held child that was killed: errors of
 * write(2) here. A handler, as what is run has the default again.
 */
static void
writes_fail(struct capture *c)
{
	struct sigaction sa = { .sa_handler = on_write };

	sigaction(SIGXFSZ, NULL, &c->xfsz);
	sigaction(SIGPIPE, NULL, &c->pipe);
	if (c->xfsz.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &sa, NULL);
	if (c->pipe.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &sa, NULL);
}

int
loop_open(struct capture *c, struct msg *m)
{
	sigset_t set;

	writes_fail(c);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, &c->mask) == -1)
		return msg_set_errno(m, "signal", NULL, "sigprocmask");
	c->sigfd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return c->sigfd == -1 ?
	    msg_set_errno(m, "signal", NULL, "signalfd") : 0;
}

void
loop_close(struct capture *c)
{
	if (c->sigfd != -1)
		close(c->sigfd);
	c->sigfd = -1;
	sigaction(SIGXFSZ, &c->xfsz, NULL);
	sigaction(SIGPIPE, &c->pipe, NULL);
}

static void
signals_take(struct capture *c)
{
	struct signalfd_siginfo si;

	while (read(c->sigfd, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		c->interrupts++;
		c->signal = (int)si.ssi_signo;
		staging_log(&c->st, "signal %d from process %u", c->signal,
		    si.ssi_pid);
	}
}

/* The descriptors that can end the wait. */
static size_t
fds_make(struct capture *c, struct pollfd *fds, int notify)
{
	size_t n = 0;
	unsigned i;

	fds[n++] = (struct pollfd){ .fd = c->sigfd, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = notify, .events = POLLIN };
	fds[n++] = (struct pollfd){
		.fd = c->target.ended ? -1 : c->target.pidfd,
		.events = POLLIN
	};
	for (i = 0; i < c->ncol; i++)
		fds[n++] = (struct pollfd){
			.fd = collector_alive(&c->col[i]) ?
			    c->col[i].pidfd : -1,
			.events = POLLIN
		};
	if (c->maps.perf != NULL)
		n += perfmap_poll(c->maps.perf, fds + n, LOOP_FDS - n);
	return n;
}

/* Tells when the collector's spool has grown; -1 where that cannot be. */
static int
notify_open(struct capture *c, struct collector *watch)
{
	char name[64], *path;
	int fd;

	if (watch == NULL)
		return -1;
	snprintf(name, sizeof(name), "spool/%s.spool",
	    family_name(watch->family));
	path = staging_path(&c->st, name);
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (path != NULL && fd != -1)
		inotify_add_watch(fd, path, IN_MODIFY);
	free(path);
	return fd;
}

void
loop_wait(struct capture *c, uint64_t until, struct collector *watch)
{
	struct pollfd fds[LOOP_FDS];
	struct timespec ts = { 0, 0 };
	uint64_t now;
	int notify = notify_open(c, watch);
	size_t n = fds_make(c, fds, notify);
	unsigned i;

	/* It may have grown before the watch was there. */
	if (watch != NULL && collector_bytes(watch) > 0)
		until = 0;
	now = clock_now();
	if (until > now) {
		ts.tv_sec = (time_t)((until - now) / NS_PER_S);
		ts.tv_nsec = (long)((until - now) % NS_PER_S);
	}
	if (ppoll(fds, n, &ts, NULL) > 0) {
		if (fds[2].revents != 0)
			target_reap(&c->target);
		for (i = 0; i < c->ncol; i++)
			if (fds[3 + i].revents != 0)
				collector_reap(&c->col[i], &c->st, c->guard);
	}
	if (notify != -1)
		close(notify);
	signals_take(c);
	maps_tick(&c->maps, &c->members, false);
	if (c->watch != NULL)
		c->watch->tick(c->watch->arg, c->phase, run_bytes(c),
		    c->window.workload_start == 0 ? 0 :
		    clock_now() - c->window.workload_start);
}
