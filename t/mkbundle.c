/*
 * mkbundle [-as] BUNDLE: makes and publishes the good bundle that tests break
 * in their ways: all six families, or with -s only cpu and syscalls; -a: the
 * target was attached to. The same bytes each time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdt/publish.h"
#include "stagegen.h"

static int
tell(void *arg, const struct msg *m)
{
	(void)arg;
	msg_print(stderr, "mkbundle", m);
	return 0;
}

static int
make(const char *path, const struct stagegen *g, struct msg *m)
{
	const struct msg_sink sink = { tell, NULL };
	struct publish p = { .sink = &sink };
	int fd, rc;

	if (mkdir(path, 0700) == -1 ||
	    (fd = open(path, O_RDONLY | O_DIRECTORY)) == -1)
		return msg_set_errno(m, "open", path, "cannot make");
	rc = stagegen(fd, g, m);
	close(fd);
	if (rc == -1)
		return -1;
	rc = publish(&p, path, m);
	if (rc == 0)
		rc = publish_clean(&p, m);
	publish_close(&p);
	return rc;
}

int
main(int argc, char **argv)
{
	struct stagegen g = { .full = true };
	const char *slash;
	struct msg m;
	char *path;
	int opt, rc;

	while ((opt = getopt(argc, argv, "as")) != -1) {
		if (opt == '?')
			return 2;
		g.attach |= opt == 'a';
		g.full &= opt != 's';
	}
	if (optind + 1 != argc)
		return 2;
	slash = strrchr(argv[optind], '/');
	g.name = slash != NULL ? slash + 1 : argv[optind];
	if (asprintf(&path, "%.*s.%s.staging.4242", (int)(g.name -
	    argv[optind]), argv[optind], g.name) == -1)
		return 2;
	rc = make(path, &g, &m);
	if (rc != 0)
		tell(NULL, &m);
	free(path);
	return rc == 0 ? 0 : 1;
}
