/*
 * execprog: children that run /bin/true by each form of execve(2) and
 * execveat(2), its path in memory that none of them has touched since fork().
 */
#include <sys/syscall.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif
#ifndef O_PATH
#define O_PATH 010000000
#endif

static char *const argv[] = { "true", NULL };

static void
run(int dir, const char *path, int flags)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (dir == -1)
			execve(path, argv, argv + 1);
		else
			syscall(SYS_execveat, dir, path, argv, argv + 1,
			    flags);
		_exit(9);
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid || status != 0)
		exit(1);
}

int
main(void)
{
	int file = open("/bin/true", O_PATH), dir = open("/bin", O_PATH);

	if (file == -1 || dir == -1)
		return 1;
	run(-1, "/bin/true", 0);
	run(AT_FDCWD, "/bin/../bin/true", 0);
	run(dir, "/bin/./true", 0);
	run(dir, "true", 0);
	run(file, "", AT_EMPTY_PATH);
	return 0;
}
