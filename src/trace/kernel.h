/*
 * kernel.h - what the running kernel offers; each fact is found when it is
 * first asked for, so that nobody waits for what his program does not use.
 *
 * struct kernel in struct trace owns the BTF and keeps the answers.
 */
#ifndef TRACE_KERNEL_H
#define TRACE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"

struct btf;
struct trace;

/* Fills t->kern with what costs nothing: version, CPUs, BTF's presence. */
int	kernel_init(struct trace *, struct msg *);
void	kernel_free(struct trace *);

/* The kernel's types, loaded at the first call (some 7 ms); NULL with m. */
struct btf *kernel_btf(struct trace *, struct msg *);
/* The same as bytes, for type_set_btf(); arg is the struct trace. NULL: there
 * is none. */
const void *kernel_btf_data(void *arg, size_t *size);
/* Id of a type of that name and BTF_KIND_*; 0: there is none, or no BTF. */
uint32_t kernel_btf_id(struct trace *, const char *name, unsigned kind);
/* Byte offset of a member ("thread_info.status"), -1: there is none. */
int32_t	kernel_offset(struct trace *, const char *type, const char *member);

/* Path of a file beneath tracefs; NULL with m (how to mount it) if tracefs
 * is not there. The buffer is the caller's. */
const char *kernel_tracefs(const char *file, char *buf, size_t size,
	    struct msg *m);
/* Number of the classic tracepoint "category:name", -1 with m. */
int	kernel_tp_id(const char *name, struct msg *m);
/* The CPUs that are online now, ascending; n <= max. -1 with m. */
int	kernel_online(int *cpu, int max, struct msg *m);

/* Why fentry and kprobes are not to be had here; NULL: they are. */
const char *kernel_no_fentry(struct trace *);
const char *kernel_no_kprobe(struct trace *);

/* May this process load programs and open events? -1 with m: says which
 * capability is missing. */
int	kernel_privilege(struct trace *, struct msg *);

#endif
