/*
 * attach.h - events to kernel attachments.
 *
 * An event owns its link descriptors; attach_detach() closes them, after
 * which the kernel runs the program no more.
 */
#ifndef TRACE_ATTACH_H
#define TRACE_ATTACH_H

#include <stdint.h>
#include <sys/types.h>

#include <linux/bpf.h>

#include "libdt/msg.h"
#include "trace/probe.h"

struct trace;

/* The BPF program type an event's program is loaded as; *attach_type gets
 * the expected attach type (0 where there is none). */
enum bpf_prog_type event_progtype(const struct event *,
	    enum bpf_attach_type *attach_type);

/* Attaches every event, or -1 with m and none is left attached. */
int	attach_all(struct trace *, struct msg *);
void	attach_detach(struct trace *);

/* Adds a descriptor whose closing detaches the event; takes it over, also
 * when it fails. */
int	event_link(struct event *, int fd, struct msg *);

/* For the providers' attach. */
int	attach_rawtp(struct trace *, struct event *, struct msg *);
int	attach_timer(struct trace *, struct event *, struct msg *);
int	attach_tp(struct trace *, struct event *, struct msg *);
int	attach_kprobe(struct trace *, struct event *, struct msg *);
/* One place of a uprobe; cookie is bpf_get_attach_cookie()'s value where
 * KF_COOKIE. */
int	attach_uprobe(struct trace *, struct event *, const char *path,
	    uint64_t offset, uint64_t sema, pid_t pid, uint64_t cookie,
	    struct msg *);

/* The same on this process alone, and its undoing. */
int	attach_self(struct trace *, struct event *, const char *path,
	    uint64_t offset, struct msg *);
void	attach_undo(struct event *);

/* n places of one file by one link (KF_UPROBE_MULTI); semas may be NULL. */
int	attach_uprobes(struct event *, const char *path, size_t n,
	    const uint64_t *offset, const uint64_t *sema,
	    const uint64_t *cookie, pid_t pid, struct msg *);

/*
 * Finds the BTF id by which ev->tpname's arguments are known, so that its
 * program may follow kernel pointers directly. Without a kernel at hand
 * (offline) it stays 0. -1 with m: no such tracepoint.
 */
int	attach_rawtp_id(struct trace *, struct event *, struct msg *);

#endif
