/*
 * kernel.c - feature probes, BTF and tracefs of the running kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <xxhash.h>

#include "trace/feature.h"
#include "trace/kernel.h"
#include "trace/trace.h"

enum { INDEX_AFTER = 32 };		/* lookups */
#define KVER(a, b, c) ((unsigned)(a) << 16 | (unsigned)(b) << 8 | (c))

static const char btf_path[] = "/sys/kernel/btf/vmlinux";

int
kernel_init(struct trace *t, struct msg *m)
{
	unsigned a = 0, b = 0, c = 0;
	struct utsname u;
	int n;

	if (uname(&u) == -1)
		return msg_set_errno(m, "kernel", NULL, "uname");
	sscanf(u.release, "%u.%u.%u", &a, &b, &c);
	t->kern.version = KVER(a, b, c > 255 ? 255 : c);
	n = libbpf_num_possible_cpus();
	t->kern.ncpu = n > 0 ? n : 1;
	t->kern.btf = kernel_has(t, KF_BTF) && access(btf_path, R_OK) == 0;
	return 0;
}

void
kernel_free(struct trace *t)
{
	btf__free(t->kern.vmlinux);
	t->kern.vmlinux = NULL;
	free(t->kern.btf_index);
	t->kern.btf_index = NULL;
}

/* Mapped where the kernel lets us (6.16), since sysfs gives but a page a
 * read(2). */
static struct btf *
load_vmlinux(void)
{
	int fd = open(btf_path, O_RDONLY | O_CLOEXEC);
	struct btf *b = NULL;
	struct stat st;
	void *p;

	if (fd == -1)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size > 0 &&
	    st.st_size <= UINT32_MAX) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ,
		    MAP_PRIVATE | MAP_POPULATE, fd, 0);
		if (p != MAP_FAILED) {
			b = btf__new(p, (uint32_t)st.st_size);
			munmap(p, (size_t)st.st_size);
		}
	}
	close(fd);
	return b != NULL ? b : btf__load_vmlinux_btf();
}

struct btf *
kernel_btf(struct trace *t, struct msg *m)
{
	if (t->kern.vmlinux != NULL)
		return t->kern.vmlinux;
	if (!t->kern.btf) {
		msg_set(m, "no-btf", "no BTF: /sys/kernel/btf/vmlinux cannot "
		    "be read (the kernel needs CONFIG_DEBUG_INFO_BTF)");
		return NULL;
	}
	t->kern.vmlinux = load_vmlinux();
	if (t->kern.vmlinux == NULL)
		msg_set_errno(m, "no-btf", btf_path,
		    "cannot load the kernel's types");
	return t->kern.vmlinux;
}

const void *
kernel_btf_data(void *arg, size_t *size)
{
	struct btf *b = kernel_btf(arg, NULL);
	uint32_t n = 0;
	const void *p = b == NULL ? NULL : btf__raw_data(b, &n);

	*size = n;
	return p;
}

/* Where a name and kind belong in the index. */
static uint32_t *
index_slot(const struct trace *t, const char *name, unsigned kind)
{
	const struct kernel *k = &t->kern;
	size_t i = XXH3_64bits_withSeed(name, strlen(name), kind);

	for (;; i++) {
		uint32_t *slot = &k->btf_index[i & (k->nbtf_index - 1)];
		const struct btf_type *ty;

		if (*slot == 0)
			return slot;
		ty = btf__type_by_id(k->vmlinux, *slot);
		if (btf_kind(ty) == kind && strcmp(name,
		    btf__name_by_offset(k->vmlinux, ty->name_off)) == 0)
			return slot;
	}
}

/* An index of all names, worth its time for many lookups. */
static void
make_index(struct trace *t)
{
	struct kernel *k = &t->kern;
	uint32_t n = btf__type_cnt(k->vmlinux);

	for (k->nbtf_index = 1024; k->nbtf_index < 2 * (size_t)n;)
		k->nbtf_index *= 2;
	k->btf_index = calloc(k->nbtf_index, sizeof(*k->btf_index));
	for (uint32_t i = 1; k->btf_index != NULL && i < n; i++) {
		const struct btf_type *ty = btf__type_by_id(k->vmlinux, i);
		uint32_t *slot;

		if (ty->name_off == 0)
			continue;
		slot = index_slot(t, btf__name_by_offset(k->vmlinux,
		    ty->name_off), btf_kind(ty));
		if (*slot == 0)
			*slot = i;
	}
}

uint32_t
kernel_btf_id(struct trace *t, const char *name, unsigned kind)
{
	struct btf *b = kernel_btf(t, NULL);
	int id;

	if (b == NULL)
		return 0;
	if (++t->kern.nlookup == INDEX_AFTER)
		make_index(t);
	if (t->kern.btf_index != NULL)
		return *index_slot(t, name, kind);
	id = btf__find_by_name_kind(b, name, kind);
	return id > 0 ? (uint32_t)id : 0;
}

/* Bit offset of a member, anonymous ones looked into; -1: none. */
static int64_t
find_member(const struct btf *b, const struct btf_type *ty, const char *name,
    size_t len)
{
	const struct btf_member *mem = btf_members(ty);

	for (unsigned i = 0; i < btf_vlen(ty); i++) {
		const char *n = btf__name_by_offset(b, mem[i].name_off);
		const struct btf_type *in;
		int64_t off;

		if (n != NULL && strlen(n) == len && memcmp(n, name, len) == 0)
			return btf_member_bit_offset(ty, i);
		if (n != NULL && *n != '\0')
			continue;
		in = btf__type_by_id(b, (uint32_t)btf__resolve_type(b,
		    mem[i].type));
		if (in == NULL || !btf_is_composite(in))
			continue;
		off = find_member(b, in, name, len);
		if (off >= 0)
			return btf_member_bit_offset(ty, i) + off;
	}
	return -1;
}

/* The type of the member that find_member found; NULL: not a struct. */
static const struct btf_type *
member_type(const struct btf *b, const struct btf_type *ty, const char *name,
    size_t len)
{
	const struct btf_member *mem = btf_members(ty);

	for (unsigned i = 0; i < btf_vlen(ty); i++) {
		const char *n = btf__name_by_offset(b, mem[i].name_off);
		const struct btf_type *in = btf__type_by_id(b,
		    (uint32_t)btf__resolve_type(b, mem[i].type));

		if (n == NULL || in == NULL || !btf_is_composite(in))
			continue;
		if (strlen(n) == len && memcmp(n, name, len) == 0)
			return in;
		if (*n == '\0' && find_member(b, in, name, len) >= 0)
			return member_type(b, in, name, len);
	}
	return NULL;
}

int32_t
kernel_offset(struct trace *t, const char *type, const char *member)
{
	uint32_t id = kernel_btf_id(t, type, BTF_KIND_STRUCT);
	const struct btf_type *ty;
	int64_t off, sum = 0;
	size_t len;

	if (id == 0)
		return -1;
	ty = btf__type_by_id(t->kern.vmlinux, id);
	for (;; member += len + 1) {
		len = strcspn(member, ".");
		off = find_member(t->kern.vmlinux, ty, member, len);
		if (off < 0)
			return -1;
		sum += off;
		if (member[len] == '\0')
			return (int32_t)(sum / 8);
		ty = member_type(t->kern.vmlinux, ty, member, len);
		if (ty == NULL)
			return -1;
	}
}

const char *
kernel_tracefs(const char *file, char *buf, size_t size, struct msg *m)
{
	static const char *const dir[] = { "/sys/kernel/tracing",
	    "/sys/kernel/debug/tracing" };
	bool denied = false;

	for (size_t i = 0; i < sizeof(dir) / sizeof(dir[0]); i++) {
		snprintf(buf, size, "%s/events", dir[i]);
		if (access(buf, R_OK | X_OK) != 0) {
			denied |= errno == EACCES && i == 0;
			continue;
		}
		snprintf(buf, size, "%s/%s", dir[i], file);
		return buf;
	}
	if (denied)
		msg_set(m, "no-tracefs", "tracefs may not be read: mount -o "
		    "remount,mode=755 %s (as root)", dir[0]);
	else
		msg_set(m, "no-tracefs", "tracefs is not there: mount -t "
		    "tracefs tracefs %s (as root)", dir[0]);
	return NULL;
}

int
kernel_tp_id(const char *name, struct msg *m)
{
	char file[160], path[256];
	const char *colon = strchr(name, ':');
	FILE *fp;
	int id = -1;

	if (colon == NULL)
		return msg_set(m, "no-match", "no tracepoint %s", name);
	snprintf(file, sizeof(file), "events/%.*s/%s/id", (int)(colon - name),
	    name, colon + 1);
	if (kernel_tracefs(file, path, sizeof(path), m) == NULL)
		return -1;
	fp = fopen(path, "re");
	if (fp == NULL)
		return msg_set_errno(m, "no-match", path,
		    "cannot read the tracepoint");
	if (fscanf(fp, "%d", &id) != 1)
		id = -1;
	fclose(fp);
	return id >= 0 ? id : msg_set_at(m, "no-match", path, 0,
	    "not a tracepoint's number");
}

int
kernel_online(int *cpu, int max, struct msg *m)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	FILE *fp = fopen(path, "re");
	int n = 0, from, to;

	if (fp == NULL)
		return msg_set_errno(m, "cpus", path, "cannot open");
	while (fscanf(fp, "%d", &from) == 1) {
		if (fscanf(fp, "-%d", &to) != 1)
			to = from;
		for (; from <= to && n < max; from++)
			cpu[n++] = from;
		if (fgetc(fp) != ',')
			break;
	}
	fclose(fp);
	return n > 0 ? n : msg_set_at(m, "cpus", path, 0, "no CPU in it");
}

/* Loads a program that does nothing; 0, or the errno. */
static int
try_load(enum bpf_prog_type type, enum bpf_attach_type at, uint32_t btf_id)
{
	struct bpf_insn insn[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, o, .expected_attach_type = at,
	    .attach_btf_id = btf_id);
	int fd = bpf_prog_load(type, NULL, "Dual BSD/GPL", insn, 2, &o);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

const char *
kernel_no_fentry(struct trace *t)
{
	struct kernel *k = &t->kern;
	uint32_t id;
	int err;

	if (k->asked_fentry)
		return k->why_fentry;
	k->asked_fentry = true;
	if (!kernel_has(t, KF_FENTRY)) {
		k->why_fentry = "fentry is turned off by -x without";
		return k->why_fentry;
	}
	id = kernel_btf_id(t, "vfs_read", BTF_KIND_FUNC);
	if (id == 0) {
		k->why_fentry = "the kernel has no BTF of its functions";
		return k->why_fentry;
	}
	err = try_load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, id);
	k->fentry = err == 0;
	if (err == EPERM)
		k->why_fentry = "the kernel refuses to trace its functions "
		    "(lockdown, or missing privilege)";
	else if (err != 0)
		k->why_fentry = "the kernel cannot trace its functions "
		    "(it needs CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)";
	return k->why_fentry;
}

const char *
kernel_no_kprobe(struct trace *t)
{
	struct kernel *k = &t->kern;

	if (k->asked_kprobe)
		return k->why_kprobe;
	k->asked_kprobe = true;
	if (!kernel_has(t, KF_KPROBE)) {
		k->why_kprobe = "kprobes are turned off by -x without";
		return k->why_kprobe;
	}
	k->kprobe = access("/sys/bus/event_source/devices/kprobe/type",
	    R_OK) == 0;
	if (!k->kprobe)
		k->why_kprobe = "the kernel has no kprobes (CONFIG_KPROBES)";
	return k->why_kprobe;
}

int
kernel_privilege(struct trace *t, struct msg *m)
{
	struct __user_cap_header_struct h = {
		.version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = { { 0 } };
	uint64_t eff, need;

	if (t->kern.version < KVER(5, 8, 0))
		return msg_set(m, "kernel", "Linux 5.8 or later is needed");
	if (syscall(SYS_capget, &h, d) == -1)
		return msg_set_errno(m, "privilege", NULL, "capget");
	eff = d[0].effective | (uint64_t)d[1].effective << 32;
	need = UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON;
	if ((eff & UINT64_C(1) << CAP_SYS_ADMIN) != 0 || (eff & need) == need)
		return 0;
	return msg_set(m, "privilege", "tracing needs root, or the "
	    "capabilities CAP_BPF and CAP_PERFMON");
}
