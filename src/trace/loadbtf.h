/*
 * loadbtf.h - the little BTF that the kernel asks of us: of the value of a
 * task storage map, and of the functions of a program with callbacks.
 */
#ifndef TRACE_LOADBTF_H
#define TRACE_LOADBTF_H

#include <stdint.h>

#include "libdt/msg.h"

struct bpf_prog_load_opts;
struct bpfprog;

/* A BTF with a key (int) and a value of valsize bytes. Its descriptor, which
 * is the caller's, or -1 with m. */
int	loadbtf_map(uint32_t valsize, uint32_t *key, uint32_t *value,
	    struct msg *);
/*
 * Describes the program's functions in o, if it has more than one: the kernel
 * wants to know callbacks. A descriptor, -2 where there is nothing to
 * describe, or -1 with m. loadbtf_end() undoes it.
 */
int	loadbtf_func(const struct bpfprog *, struct bpf_prog_load_opts *o,
	    struct msg *);
void	loadbtf_end(int fd, struct bpf_prog_load_opts *o);

#endif
