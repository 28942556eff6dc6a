/*
 * The jobs of t/bench/firing written by hand for libbpf: what dt-trace's
 * programs are measured against. Compiled by clang, for x86-64 and arm64.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

typedef __u64 uint64_t;
typedef __s64 int64_t;
typedef __u32 uint32_t;
typedef __s32 int32_t;

#define RING_SIZE	(16 << 20)

const volatile int32_t target;		/* whom to watch */
uint64_t lost;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_SIZE);
} ring SEC(".maps");

struct call { uint64_t ts, fd; };
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, uint64_t);
} counts SEC(".maps");

struct hist { uint64_t slot[64]; };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct hist);
} hists SEC(".maps");

struct record { uint64_t ts, dur, fd; int64_t ret; uint32_t tid, cpu; };
struct sample { uint64_t ts, kern[20]; uint32_t pid, cpu; };

#if defined(__TARGET_ARCH_x86)
#define SYSCALL_NR	120		/* orig_rax, rdi in struct pt_regs */
#define SYSCALL_ARG0	112
#define WRITE		1
#else
#define SYSCALL_NR	(35 * 8)
#define SYSCALL_ARG0	272
#define WRITE		64
#endif

static __always_inline uint64_t
reg(uint64_t regs, int off)
{
	uint64_t v = 0;

	bpf_probe_read_kernel(&v, sizeof(v), (void *)(regs + off));
	return v;
}

static __always_inline int
watched(void)
{
	return (int32_t)(bpf_get_current_pid_tgid() >> 32) == target;
}

SEC("raw_tp/sys_enter")
int pair_enter(struct bpf_raw_tracepoint_args *ctx)
{
	struct call *c;

	if (ctx->args[1] != WRITE || !watched())
		return 0;
	c = bpf_task_storage_get(&calls, bpf_get_current_task_btf(), 0,
	    BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!c)
		return 0;
	c->fd = reg(ctx->args[0], SYSCALL_ARG0);
	c->ts = bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp/sys_exit")
int pair_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct record *r;
	struct call *c;

	if (reg(ctx->args[0], SYSCALL_NR) != WRITE)
		return 0;
	c = bpf_task_storage_get(&calls, bpf_get_current_task_btf(), 0, 0);
	if (!c || !c->ts)
		return 0;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	r->ts = c->ts;
	r->dur = bpf_ktime_get_ns() - c->ts;
	r->fd = c->fd;
	r->ret = (int64_t)ctx->args[1];
	r->tid = (uint32_t)bpf_get_current_pid_tgid();
	r->cpu = bpf_get_smp_processor_id();
	c->ts = 0;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("raw_tp/sys_enter")
int count_enter(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t zero = 0;
	uint64_t *n;

	if (ctx->args[1] != WRITE || !watched())
		return 0;
	n = bpf_map_lookup_elem(&counts, &zero);
	if (n)
		++*n;
	return 0;
}

static __always_inline uint32_t
log2of(uint64_t v)
{
	uint32_t n, s;

	n = (v > 0xffffffff) << 5; v >>= n;
	s = (v > 0xffff) << 4; v >>= s; n |= s;
	s = (v > 0xff) << 3; v >>= s; n |= s;
	s = (v > 0xf) << 2; v >>= s; n |= s;
	s = (v > 0x3) << 1; v >>= s; n |= s;
	return n | (uint32_t)(v >> 1);
}

SEC("raw_tp/sys_enter")
int quantize_enter(struct bpf_raw_tracepoint_args *ctx)
{
	uint32_t zero = 0;
	struct hist *h;

	if (ctx->args[1] != WRITE || !watched())
		return 0;
	h = bpf_map_lookup_elem(&hists, &zero);
	if (h)
		h->slot[log2of(reg(ctx->args[0], SYSCALL_ARG0 + 8)) & 63]++;
	return 0;
}

SEC("perf_event")
int sample_tick(struct bpf_perf_event_data *ctx)
{
	struct sample *r;

	if (!watched())
		return 0;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	r->ts = bpf_ktime_get_ns();
	r->pid = (uint32_t)target;
	r->cpu = bpf_get_smp_processor_id();
	bpf_get_stack(ctx, r->kern, sizeof(r->kern), 0);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
