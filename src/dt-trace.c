/* dt-trace: runs D programs; dt-trace(1). */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "libdt/clock.h"
#include "libdt/out.h"
#include "trace/session.h"

/* What went to -o's file is there, or that is told, if it was not yet. */
static int
close_output(struct session *ss, bool told)
{
	FILE *fp = ss->t.out;

	if (fp == NULL || fp == stdout || fclose(fp) == 0)
		return 0;
	if (!told)
		fprintf(stderr, "%s: %s: cannot write: %s\n",
		    cmdline_cli.prog, ss->c.out, strerror(errno));
	return -1;
}

int
main(int argc, char **argv)
{
	struct session ss = { .t.progname = cmdline_cli.prog, .d.max = 20 };
	enum dt_exit bad = DT_OK;
	bool lost = false;
	struct msg m;
	int rc;

	ss.info.start_ns = clock_now();
	ss.info.version = PACKAGE_VERSION;
	msg_clear(&m);
	if (out_init(&m) == -1) {
		session_tell(&ss, &m);
		return DT_CANNOT;
	}
	libbpf_set_print(NULL);
	opt_init(&ss.t.opt);
	rc = cmdline_take(&ss.c, &ss.t, argc, argv, &bad, &m);
	if (rc == 0 && ss.c.version) {
		printf("%s: dtbundle %s, D 2.0\n", cmdline_cli.prog,
		    PACKAGE_VERSION);
	} else if (rc == 0) {
		rc = session_work(&ss, &m);
	} else if (rc == 1) {
		session_free(&ss);
		return bad;
	}
	if (rc == -1) {
		source_tell(&ss.t, stderr, &ss.d);
		if (m.text[0] != '\0')
			session_tell(&ss, &m);
		lost = session_lost(&m);
		rc = lost ? DT_CANNOT : DT_NO;
	}
	if (close_output(&ss, lost) == -1)
		rc = DT_CANNOT;
	session_free(&ss);
	if (lost && ss.c.out == NULL)
		return DT_CANNOT;
	return cli_finish(&cmdline_cli, stderr, (enum dt_exit)rc);
}
