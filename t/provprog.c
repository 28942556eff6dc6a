/*
 * provprog.c - what the tests of dt-trace's providers trace: each mode does a
 * known number of known things.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#define SEMA __attribute__((section(".probes"))) = 0
unsigned short prov_types_semaphore SEMA;
unsigned short prov_twice__placed_semaphore SEMA;
unsigned short prov_many_semaphore SEMA;
unsigned short prov_memory_semaphore SEMA;

#define NOINLINE __attribute__((noinline, noclone))

int64_t prov_global = -77;

NOINLINE long
nine(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	__asm__ volatile ("" : : : "memory");
	return a + 10 * b + c + d + e + f + g + h + i;
}

NOINLINE int
leaf(int n)
{
	__asm__ volatile ("" : : "r"(n) : "memory");
	return n * 3;
}

#ifdef __GLIBC__
static long
twice(long n)
{
	__asm__ volatile ("" : : "r"(n) : "memory");
	return n * 2;
}

static long (*choose(void))(long)
{
	return twice;
}

long chosen(long) __attribute__((ifunc("choose")));
#else
NOINLINE long
chosen(long n)
{
	return n * 2;
}
#endif

/* What libraries choose by the CPU: memcpy() of 4321 bytes five times, a
 * strlen() of 4320 three; the program's own chosen(21) twice. */
static void
chooses(void)
{
	static char a[4321], b[4321];
	volatile size_t n = sizeof(a);

	memset(a, 'x', sizeof(a) - 1);
	for (int i = 0; i < 5; i++) {
		memcpy(b, a, n);
		__asm__ volatile ("" : : "r"(b) : "memory");
	}
	for (int i = 0; i < 3; i++) {
		n = strlen(b);
		__asm__ volatile ("" : : "r"(b) : "memory");
	}
	printf("%zu %ld %ld\n", n, chosen(21), chosen(21));
}

/* The same once a line of input comes. */
static void
waits(void)
{
	puts("ready");
	fflush(stdout);
	if (getchar() != EOF)
		chooses();
}

static void *
thread(void *arg)
{
	syscall(SYS_getppid);
	return arg;
}

static void
threads(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void
on_signal(int sig)
{
	(void)sig;
}

/* Children that exit with 3, are killed, exec, and fail to exec. */
static void
children(void)
{
	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			if (i == 1)
				raise(SIGKILL);
			if (i == 2)
				execl("/bin/true", "true", (char *)NULL);
			if (i == 3)
				execl("/no/such", "such", (char *)NULL);
			_exit(i == 0 ? 3 : 4);
		}
		wait(NULL);
	}
}

static void
signals(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, SIG_IGN);
	raise(SIGUSR1);
	raise(SIGUSR2);
}

/* Known results: two good, three bad. */
static void
calls(void)
{
	char c = 0;

	syscall(SYS_getppid);
	syscall(SYS_write, 1, &c, 0);
	syscall(SYS_close, 4000);
	syscall(SYS_read, 4001, &c, 1);
	syscall(SYS_openat, -100, "/no/such", 0);
}

static void
cpu(double seconds)
{
	struct timespec ts;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	while ((double)ts.tv_sec + (double)ts.tv_nsec / 1e9 < seconds);
}

/* How often it left the processor between two calls of getrusage(2). */
static void
sleeps(void)
{
	struct timespec ts = { 0, 2000000 };
	struct rusage from, to;

	getrusage(RUSAGE_SELF, &from);
	for (int i = 0; i < 10; i++)
		nanosleep(&ts, NULL);
	getrusage(RUSAGE_SELF, &to);
	printf("%ld\n", to.ru_nvcsw + to.ru_nivcsw - from.ru_nvcsw -
	    from.ru_nivcsw);
}

NOINLINE void
usdt(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f,
    int64_t g, const char *s)
{
	int32_t array[4] = { 1, -2, 3, -4 };

	__asm__ volatile ("" : : "r"(array) : "memory");
	DTRACE_PROBE8(prov, types, a, b, c, d, e, f, g, s);
	DTRACE_PROBE3(prov, memory, array[e & 3], prov_global, -5);
	for (int i = 0; i < 2; i++)
		DTRACE_PROBE1(prov, twice__placed, i);
	DTRACE_PROBE1(prov, twice__placed, 99);
	DTRACE_PROBE12(prov, many, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	printf("%d%d\n", prov_types_semaphore, prov_many_semaphore);
}

#if defined(__x86_64__)
static long
call32(long nr, long a, long b, long c)
{
	long rv;

	__asm__ volatile ("int $0x80" : "=a"(rv) : "a"(nr), "b"(a), "c"(b),
	    "d"(c) : "memory", "r8", "r9", "r10", "r11");
	return rv;
}
#endif

/* Through the 32-bit entry: 20 is getpid there, which 64-bit code calls
 * writev; close fails; getuid32 and socketcall have other names or none. */
static void
compat(void)
{
#if defined(__x86_64__)
	printf("%d\n", call32(20, 0, 0, 0) == (long)getpid());
	fflush(stdout);
	call32(6, 4321, 0, 0);
	call32(199, 0, 0, 0);
	call32(102, 99, 0, 0);
	call32(4, 1, 0, 0);
#endif
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "threads") == 0)
		threads();
	else if (strcmp(mode, "children") == 0)
		children();
	else if (strcmp(mode, "signals") == 0)
		signals();
	else if (strcmp(mode, "calls") == 0)
		calls();
	else if (strcmp(mode, "chooses") == 0)
		chooses();
	else if (strcmp(mode, "waits") == 0)
		waits();
	else if (strcmp(mode, "cpu") == 0)
		cpu(argc > 2 ? atof(argv[2]) : 0.5);
	else if (strcmp(mode, "sleeps") == 0)
		sleeps();
	else if (strcmp(mode, "usdt") == 0)
		usdt(-1, 255, -300, 65535, -70000, 4000000000U, -1LL << 40,
		    "text");
	else if (strcmp(mode, "compat") == 0)
		compat();
	else if (strcmp(mode, "funcs") == 0)
		return nine(1, 2, 3, 4, 5, 6, 7, 8, leaf(3)) != 63;
	return 0;
}
