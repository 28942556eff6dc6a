/*
 * prov_io.c - block I/O: start when a request for a device is made, in the
 * thread that makes it where the kernel tells (Linux 6.5; before that when it
 * is given to the device), done when all of it has been transferred. arg0 is
 * the struct request, which joins the two. wait-start and wait-done are a
 * thread's synchronous wait (submit_bio_wait), where the kernel can trace
 * functions; their arg0 is the struct bio.
 */
#include "trace/ast.h"
#include "trace/attach.h"
#include "trace/prov.h"
#include "trace/prov_tp.h"
#include "trace/provider.h"
#include "trace/stability.h"

#define ARGS(in) { { "bufinfo_t *", in, TPA_PARAM }, \
	{ "devinfo_t *", in, TPA_PARAM }, { "fileinfo_t *", in, TPA_PARAM } }

static const struct tpdesc io_table[] = {
	{ "start", { { .tp = "block_io_start", .old = "block_rq_issue" } },
	    "request", ARGS("struct request *"), false },
	{ "done", { { .tp = "block_rq_complete", .cond = TPC_WHOLE } },
	    "request", ARGS("struct request *"), false },
	{ "wait-start", { { .tp = "submit_bio_wait", .fexit = true } }, "bio",
	    ARGS("struct bio *"), false },
	{ "wait-done", { { .tp = "submit_bio_wait", .fexit = true } }, "bio",
	    ARGS("struct bio *"), false },
	{ .name = NULL },
};

static bool
io_claims(const struct pdesc *pd)
{
	return pdesc_match(pd->prov, "io");
}

static int
io_match(struct trace *t, const struct pdesc *pd,
    int (*cb)(struct probe *, void *), void *arg, struct msg *m)
{
	return tp_match(t, &prov_io, io_table, PID_IO, pd, cb, arg, m);
}

const struct provider prov_io = {
	.name = "io",
	.attr = &stability_isa,
	.claims = io_claims,
	.match = io_match,
	.arg = tp_arg,
	.enable = tp_enable,
	.gen_enter = tp_gen_enter,
	.gen_probe = gen_probe_const,
	.gen_arg = tp_gen_arg,
	.gen_builtin = tp_builtin,
	.attach = attach_rawtp,
};
