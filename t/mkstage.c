/*
 * mkstage [-af] BUNDLE: makes the staging directory of a bundle of that path,
 * as dt-attach would have left it, and prints its path. -f: all six families;
 * -a: the target was attached to.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stagegen.h"

int
main(int argc, char **argv)
{
	struct stagegen g = { 0 };
	const char *slash;
	struct msg m;
	char *path;
	int opt, fd;

	while ((opt = getopt(argc, argv, "af")) != -1) {
		if (opt == '?')
			return 2;
		g.attach |= opt == 'a';
		g.full |= opt == 'f';
	}
	if (optind + 1 != argc)
		return 2;
	umask(077);
	slash = strrchr(argv[optind], '/');
	g.name = slash != NULL ? slash + 1 : argv[optind];
	if (asprintf(&path, "%.*s.%s.staging.4242", (int)(g.name -
	    argv[optind]), argv[optind], g.name) == -1)
		return 2;
	if (mkdir(path, 0700) == -1 ||
	    (fd = open(path, O_RDONLY | O_DIRECTORY)) == -1) {
		perror(path);
		return 2;
	}
	if (stagegen(fd, &g, &m) == -1) {
		msg_print(stderr, "mkstage", &m);
		return 2;
	}
	close(fd);
	printf("%s\n", path);
	free(path);
	return fflush(stdout) == 0 ? 0 : 2;
}
