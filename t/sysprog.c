/*
 * sysprog: a deterministic program for comparing call by call what traces its
 * system calls: forks, double forks, threads, failing calls, signals, vfork,
 * hostile paths, negative descriptors and results. `sysprog DIR` works in DIR;
 * `sysprog leaf` is what it executes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *self;

static void
die(const char *what)
{
	perror(what);
	exit(9);
}

static void
nap(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) == -1 && errno == EINTR)
		;
}

static pid_t
spawn(void (*fn)(void))
{
	pid_t pid = fork();

	if (pid == -1)
		die("fork");
	if (pid == 0) {
		fn();
		_exit(0);
	}
	return pid;
}

static int
reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return status;
}

static void
descriptors(void)
{
	char c = 'x';
	int fd, i;

	for (i = 0; i < 20; i++)
		(void)!write(-1, &c, 1);
	(void)!read(99999, &c, 1);
	close(-1);
	close(-100);
	dup2(-3, 7);
	syscall(SYS_write, 1, 8, 5);
	fd = open("plain", O_RDWR | O_CREAT, 0600);
	if (fd == -1)
		die("plain");
	for (i = 0; i < 50; i++)
		(void)!write(fd, "0123456789", (size_t)i % 11);
	lseek(fd, -5, SEEK_SET);
	lseek(fd, -5, SEEK_END);
	fcntl(fd, F_GETFL);
	fcntl(fd, 12345);
	ftruncate(fd, -1);
	syscall(SYS_ioctl, fd, 0x5401, NULL);
	close(fd);
}

static void
paths(void)
{
	static const char *const names[] = {
		"with space", "with\ttab", "with\nnewline", "\xff\xfe\x80",
		"caf\xc3\xa9", "back\\slash", "\x01\x7f", "quote\"'", "$x;`y`",
		"",
	};
	char longer[4080];
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		mkdir(names[i], 0700);
		open(names[i], O_RDONLY | O_NOFOLLOW | O_WRONLY);
		stat(names[i], &st);
		access(names[i], W_OK);
		rename(names[i], "other");
		rmdir("other");
		unlink(names[i]);
		symlink(names[i], "link");
		unlink("link");
	}
	memset(longer, 'a', sizeof(longer));
	for (i = 100; i < sizeof(longer); i += 100)
		longer[i] = '/';
	longer[sizeof(longer) - 1] = '\0';
	open(longer, O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, (void *)16, O_RDONLY);
	syscall(SYS_openat, -7, "relative", O_RDONLY);
	chdir("/nonexistent/\n");
	execve("/nonexistent\t/x", (char *[]){ NULL }, NULL);
}

static void
child_seven(void)
{
	_exit(7);
}

static void
grandchild(void)
{
	nap(60);
	if (getppid() == 0)
		die("getppid");
	_exit(3);
}

static void
child_double(void)
{
	spawn(grandchild);
	_exit(0);
}

static void
child_paused(void)
{
	pause();
}

static void
child_naps(void)
{
	nap(400);
	_exit(0);
}

static void
forks(void)
{
	pid_t pid;

	if (WEXITSTATUS(reap(spawn(child_seven))) != 7)
		die("seven");
	reap(spawn(child_double));
	pid = spawn(child_paused);
	nap(60);
	kill(pid, SIGKILL);
	reap(pid);
	pid = spawn(child_naps);
	nap(60);
	kill(pid, SIGSTOP);
	nap(60);
	kill(pid, SIGCONT);
	reap(pid);
	waitpid(-1, NULL, WNOHANG);
	waitpid(1, NULL, 0);
}

static void
vforks(void)
{
	pid_t pid = vfork();

	if (pid == -1)
		die("vfork");
	if (pid == 0) {
		execl(self, self, "leaf", (char *)NULL);
		_exit(127);
	}
	reap(pid);
}

static void *
thread_calls(void *arg)
{
	int i;

	for (i = 0; i < 30; i++)
		(void)!write(-1 - (int)(long)arg, "x", 1);
	return NULL;
}

static void *
thread_paused(void *arg)
{
	pause();
	return arg;
}

static void *
thread_exec(void *arg)
{
	nap(60);
	execl(self, self, "leaf", (char *)NULL);
	return arg;
}

static void
threads(void)
{
	pthread_t t[3];
	long i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, thread_calls, (void *)i) != 0)
			die("pthread_create");
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void
child_ends_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread_paused, NULL);
	nap(60);
	exit(4);
}

static void
child_thread_execs(void)
{
	pthread_t t, p;

	pthread_create(&p, NULL, thread_paused, NULL);
	nap(30);
	pthread_create(&t, NULL, thread_exec, NULL);
	pause();
}

static void
handler(int sig)
{
	(void)sig;
	syscall(SYS_getppid);
}

static void
signals(void)
{
	struct sigaction sa = { .sa_handler = handler };
	struct itimerval it = { .it_value = { 0, 50000 } };
	char c;
	int p[2], i;

	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	for (i = 0; i < 10; i++)
		kill(getpid(), SIGUSR1);
	setitimer(ITIMER_REAL, &it, NULL);
	pause();
	sa.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &sa, NULL);
	if (pipe(p) == -1)
		die("pipe");
	if (fork() == 0) {
		nap(150);
		(void)!write(p[1], "y", 1);
		_exit(0);
	}
	setitimer(ITIMER_REAL, &it, NULL);
	(void)!read(p[0], &c, 1);
	wait(NULL);
	kill(-99999, SIGUSR1);
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "leaf") == 0)
		return 5;
	if (argc != 2 || (self = realpath(argv[0], NULL)) == NULL ||
	    chdir(argv[1]) == -1)
		die("usage: sysprog DIR");
	descriptors();
	paths();
	forks();
	vforks();
	threads();
	reap(spawn(child_ends_thread));
	reap(spawn(child_thread_execs));
	signals();
	return 42;
}
