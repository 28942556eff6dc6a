/*
 * hand OBJECT JOB COMMAND...: runs the hand-written programs of a job on a
 * command, which is held until they are attached, and writes what they record
 * as lines. See t/bench/firing.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

struct record { uint64_t ts, dur, fd; int64_t ret; uint32_t tid, cpu; };
struct sample { uint64_t ts, kern[20]; uint32_t pid, cpu; };

static void
die(const char *what)
{
	fprintf(stderr, "hand: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int
take(void *arg, void *data, size_t size)
{
	const struct record *r = data;
	const struct sample *s = data;
	size_t i;

	(void)arg;
	if (size == sizeof(*r)) {
		printf("%" PRIu64 " %" PRIu64 " %u %" PRIu64 " %" PRId64 "\n",
		    r->ts, r->dur, r->tid, r->fd, r->ret);
		return 0;
	}
	printf("%" PRIu64 " %u %u\n", s->ts, s->pid, s->cpu);
	for (i = 0; i < 20 && s->kern[i] != 0; i++)
		printf("\t0x%" PRIx64 "\n", s->kern[i]);
	return 0;
}

static void
attach_timers(struct bpf_program *p)
{
	struct perf_event_attr a = { .size = sizeof(a), .freq = 1,
	    .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
	    .sample_freq = 997 };
	int cpu, fd;

	for (cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++) {
		fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, 0);
		if (fd >= 0 && bpf_program__attach_perf_event(p, fd) == NULL)
			die("perf event");
	}
}

static pid_t
hold(char **argv, int *go)
{
	int p[2];
	char c;
	pid_t pid;

	if (pipe(p) == -1 || (pid = fork()) == -1)
		die("fork");
	if (pid == 0) {
		close(p[1]);
		if (read(p[0], &c, 1) == 1)
			execvp(argv[0], argv);
		_exit(127);
	}
	close(p[0]);
	*go = p[1];
	return pid;
}

int
main(int argc, char **argv)
{
	struct bpf_object *o;
	struct bpf_program *p;
	struct ring_buffer *rb;
	struct bpf_map *m;
	pid_t pid, done = 0;
	int go, status;

	if (argc < 4)
		return 2;
	pid = hold(argv + 3, &go);
	o = bpf_object__open_file(argv[1], NULL);
	if (o == NULL)
		die(argv[1]);
	bpf_object__for_each_program(p, o)
		bpf_program__set_autoload(p, strncmp(bpf_program__name(p),
		    argv[2], strlen(argv[2])) == 0);
	m = bpf_object__find_map_by_name(o, ".rodata");
	if (m == NULL || bpf_map__set_initial_value(m, &(int32_t){ pid },
	    bpf_map__value_size(m)) != 0)
		die("rodata");
	if (bpf_object__load(o) != 0)
		die("load");
	bpf_object__for_each_program(p, o) {
		if (!bpf_program__autoload(p))
			continue;
		if (bpf_program__type(p) == BPF_PROG_TYPE_PERF_EVENT)
			attach_timers(p);
		else if (bpf_program__attach(p) == NULL)
			die("attach");
	}
	m = bpf_object__find_map_by_name(o, "ring");
	rb = ring_buffer__new(bpf_map__fd(m), take, NULL, NULL);
	if (rb == NULL || write(go, "x", 1) != 1)
		die("ring");
	while (done == 0) {
		done = waitpid(pid, &status, WNOHANG);
		if (done == 0)
			poll(NULL, 0, 100);
		ring_buffer__consume(rb);
	}
	/* for whoever reads the counters of our programs */
	if (getenv("LINGER") != NULL)
		sleep((unsigned)atoi(getenv("LINGER")));
	return fflush(stdout) != 0;
}
