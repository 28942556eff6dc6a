/* dt-attach: run one collector per D script on a target, see dt-attach(1). */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/capture.h"
#include "libdt/cli.h"

enum { OPT_ACK = 0x2000, OPT_BYTES, OPT_STOP, OPT_OUT };

static const struct option words[] = {
	{ "ack-timeout", 1, NULL, OPT_ACK },
	{ "duration", 1, NULL, 'd' },
	{ "families", 1, NULL, 'f' },
	{ "max-bytes", 1, NULL, OPT_BYTES },
	{ "output", 1, NULL, 'o' },
	{ "pid", 1, NULL, 'p' },
	{ "preset", 1, NULL, 'P' },
	{ "scripts", 1, NULL, 's' },
	{ "stop-timeout", 1, NULL, OPT_STOP },
	{ "target-out", 1, NULL, OPT_OUT },
	{ "tracer", 1, NULL, 'T' },
	{ "user", 1, NULL, 'u' },
	CLI_LONGOPTS,
	{ NULL, 0, NULL, 0 },
};

static const struct cli cli = {
	.prog = "dt-attach",
	.synopsis =
#define COMMON \
	"[-d time] [-f families] [-o bundle] [-P preset] [-s scripts] " \
	"[-T tracer] [-x option] [--ack-timeout time] [--max-bytes size] " \
	"[--stop-timeout time]"
	    COMMON " [-u user] [--target-out file] command [argument ...]\n"
	    COMMON " -p pid",
#undef COMMON
	.help =
	    "-d, --duration TIME    end after TIME (10, 500ms, 2m)\n"
	    "-f, --families LIST    cpu,syscalls: each one is required\n"
	    "-o, --output BUNDLE    the bundle to become\n"
	    "-p, --pid PID          a running process\n"
	    "-P, --preset NAME      optional families: default, cpu, syscalls\n"
	    "-s, --scripts DIR      where the D scripts are\n"
	    "-T, --tracer COMMAND   dt-trace, or any dtrace\n"
	    "-u, --user USER        run the command as USER\n"
	    "-x [COLLECTOR:]NAME[=VALUE]\n"
	    "                       an option for the tracers\n"
	    "--ack-timeout TIME     for each collector's READY\n"
	    "--max-bytes SIZE       abort beyond SIZE (512M)\n"
	    "--stop-timeout TIME    after INT, TERM and KILL each\n"
	    "--target-out FILE      the command's output; - is a log\n",
	.letters = "+:d:f:ho:p:P:s:T:u:x:",
	.words = words,
};

static int
stop_times(struct settings *s, const char *arg, struct msg *m)
{
	uint64_t ns;

	if (cli_duration(arg, &ns, m) == -1)
		return -1;
	s->stop_ns[0] = s->stop_ns[1] = ns;
	/* whoever got SIGKILL goes as soon as he can: he is waited for */
	if (s->stop_ns[2] < ns)
		s->stop_ns[2] = ns;
	return 0;
}

static int
pid_take(struct settings *s, const char *arg, struct msg *m)
{
	uint64_t v;

	if (cli_u64(arg, 1, INT32_MAX, &v, m) == -1)
		return -1;
	s->pid = (pid_t)v;
	return 0;
}

static int
option(void *settings, int opt, const char *arg, struct msg *m)
{
	struct settings *s = settings;

	switch (opt) {
	case 'd': return cli_duration(arg, &s->duration_ns, m);
	case 'f': return settings_families(s, arg, m);
	case 'o': s->bundle = arg; return 0;
	case 'p': return pid_take(s, arg, m);
	case 'P': return settings_preset(s, arg, m);
	case 's': s->scripts = arg; return 0;
	case 'T': s->tracer = arg; return 0;
	case 'u': s->user = arg; return 0;
	case 'x': return settings_option(s, arg, m);
	case OPT_ACK: return cli_duration(arg, &s->ack_ns, m);
	case OPT_BYTES: return cli_size(arg, &s->max_bytes, m);
	case OPT_STOP: return stop_times(s, arg, m);
	case OPT_OUT: s->target_out = arg; return 0;
	default: return 1;
	}
}

/* What no single option can tell is wrong; NULL if all is well. */
static const char *
settings_wrong(const struct settings *s)
{
	if (s->pid == 0 && s->argv == NULL)
		return "give a command, or -p";
	if (s->pid != 0 && s->argv != NULL)
		return "-p and a command exclude each other";
	if (s->pid != 0 && s->user != NULL)
		return "-u goes with a command";
	if (s->pid != 0 && s->target_out != NULL)
		return "--target-out goes with a command";
	if (s->max_bytes < MAX_BYTES_LEAST)
		return "--max-bytes: at least 1M";
	return NULL;
}

static void
settings_default(struct settings *s, char *name, size_t cap)
{
	bool any = false;
	time_t now = time(NULL);
	struct tm tm;
	int f;

	for (f = 0; f < FAMILY_N; f++)
		any |= f != FAMILY_procs && s->want[f] != WANT_NOT;
	if (!any)
		(void)settings_preset(s, "default", NULL);
	if (s->bundle == NULL && gmtime_r(&now, &tm) != NULL) {
		strftime(name, cap, "dt-%Y%m%dT%H%M%SZ.bundle", &tm);
		s->bundle = name;
	}
}

static void
tick(void *arg, enum phase p, uint64_t bytes, uint64_t ns)
{
	progress_tell(arg, "%s, %" PRIu64 " s, %" PRIu64 " KiB", phase_name(p),
	    ns / NS_PER_S, bytes >> 10);
}

static enum dt_exit
attach(const struct settings *s)
{
	struct msg_printer printer = { .fp = stderr, .prog = cli.prog };
	struct msg_sink sink = { .fn = msg_print_sink, .arg = &printer };
	struct progress progress;
	struct capture_watch watch = { .tick = tick, .arg = &progress };
	enum capture_end end;
	char path[4400];
	struct msg m;

	msg_clear(&m);
	progress_start(&progress, &cli, stderr);
	end = capture_run(s, &sink, isatty(2) ? &watch : NULL, path,
	    sizeof(path), &m);
	progress_end(&progress);
	switch (end) {
	case CAPTURE_DONE:
		printf("%s\n", path);
		return DT_OK;
	case CAPTURE_ABORTED:
		cli_msg(&cli, stderr, &m);
		fprintf(stderr, "%s: aborted; what was gathered is in %s\n",
		    cli.prog, path);
		return DT_NO;
	case CAPTURE_NO_TRACER:
		cli_msg(&cli, stderr, &m);
		return DT_SKIP;
	case CAPTURE_CANNOT:
		cli_msg(&cli, stderr, &m);
		break;
	}
	return DT_CANNOT;
}

int
main(int argc, char **argv)
{
	struct settings s;
	enum dt_exit status;
	char name[64];

	settings_init(&s);
	if (!cli_start(&cli, argc, argv, option, &s, &status))
		return status;
	s.argv = optind < argc ? argv + optind : NULL;
	if (settings_wrong(&s) != NULL)
		return cli_usage_error(&cli, stderr, "%s", settings_wrong(&s));
	settings_default(&s, name, sizeof(name));
	return cli_finish(&cli, stderr, attach(&s));
}
