/*
 * Drives a fuzz target without libFuzzer: each file of the corpus as it is,
 * then many mutations of each from a fixed seed, so that every run is the
 * same. The corpus is $DT_SRC/t/corpus/NAME of the program t/fuzz-NAME;
 * operands are more files. A fault ends the process, so what is left to
 * print is the number of inputs that passed.
 */
#ifndef FUZZER
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define SIZE_MAX_INPUT	65536
#define MUTATIONS	3000

struct input {
	uint8_t data[SIZE_MAX_INPUT];
	size_t size;
};

static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Moves the bytes from `from` on to `to`, as far as they fit. */
static void
move(struct input *in, size_t from, size_t to)
{
	size_t n = in->size - from;

	if (to + n > SIZE_MAX_INPUT)
		n = SIZE_MAX_INPUT - to;
	memmove(in->data + to, in->data + from, n);
	in->size = to + n;
}

static void
mutate(struct input *in, uint64_t *state)
{
	static const char tokens[] =
	    "{}[]\",:\\\n\t\0\xff\x80\xc3\xe2 09-.eux/";
	size_t at = in->size > 0 ? next(state) % in->size : 0, n;

	switch (next(state) % 6) {
	case 0:
		in->data[at] ^= (uint8_t)(1u << next(state) % 8);
		break;
	case 1:
		in->data[at] = (uint8_t)tokens[next(state) % sizeof(tokens)];
		break;
	case 2:			/* cut the end */
		in->size = at;
		break;
	case 3:			/* drop some */
		n = next(state) % 16;
		if (at + n <= in->size)
			move(in, at + n, at);
		break;
	case 4:			/* double some */
		n = next(state) % 64;
		if (at + n <= in->size)
			move(in, at, at + n);
		break;
	case 5:			/* copy some elsewhere */
		n = next(state) % 64;
		if (at + n <= in->size)
			memmove(in->data + next(state) % (in->size - n + 1),
			    in->data + at, n);
		break;
	}
}

/* The target gets a copy of just that size: so over-reads show. */
static void
run(const struct input *in)
{
	uint8_t *copy = malloc(in->size > 0 ? in->size : 1);

	if (copy == NULL)
		exit(1);
	memcpy(copy, in->data, in->size);
	(void)LLVMFuzzerTestOneInput(copy, in->size);
	free(copy);
}

static unsigned long
run_file(const char *path)
{
	static struct input seed, in;
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
	FILE *fp = fopen(path, "rb");
	unsigned long i, k;

	if (fp == NULL) {
		perror(path);
		exit(1);
	}
	seed.size = fread(seed.data, 1, SIZE_MAX_INPUT, fp);
	(void)fclose(fp);
	run(&seed);
	for (i = 0; i < MUTATIONS; i++) {
		memcpy(in.data, seed.data, seed.size);
		in.size = seed.size;
		for (k = next(&state) % 4 + 1; k > 0; k--)
			mutate(&in, &state);
		run(&in);
	}
	return i + 1;
}

static unsigned long
run_corpus(const char *name)
{
	const char *src = getenv("DT_SRC");
	char path[4096];
	unsigned long n = 0;
	struct dirent **list;
	int i, count;

	(void)snprintf(path, sizeof(path), "%s/t/corpus/%s",
	    src != NULL ? src : ".", name);
	count = scandir(path, &list, NULL, alphasort);
	if (count == -1) {
		perror(path);
		exit(1);
	}
	for (i = 0; i < count; i++) {
		if (list[i]->d_name[0] != '.') {
			(void)snprintf(path, sizeof(path),
			    "%s/t/corpus/%s/%s", src != NULL ? src : ".",
			    name, list[i]->d_name);
			n += run_file(path);
		}
		free(list[i]);
	}
	free(list);
	return n;
}

int
main(int argc, char **argv)
{
	const char *name = strstr(argv[0], "fuzz-");
	unsigned long n;
	int i;

	if (name == NULL)
		return 1;
	n = run_corpus(name + 5);
	for (i = 1; i < argc; i++)
		n += run_file(argv[i]);
	printf("%lu passed, 0 failed\n", n);
	return n == 0;
}
#else
/* libFuzzer has its own main(). */
extern int fuzz_main_is_empty;
#endif
