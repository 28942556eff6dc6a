/*
 * loadbtf.c - BTF made for maps and programs.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>

#include "trace/loadbtf.h"
#include "trace/prog.h"

static int
btf_to_kernel(struct btf *b, struct msg *m)
{
	LIBBPF_OPTS(bpf_btf_load_opts, o);
	uint32_t size;
	const void *data = btf__raw_data(b, &size);
	int fd = data == NULL ? -1 : bpf_btf_load(data, size, &o);

	if (fd < 0)
		return msg_set_errno(m, "load", NULL,
		    "the kernel refuses our BTF");
	return fd;
}

int
loadbtf_map(uint32_t valsize, uint32_t *key, uint32_t *value, struct msg *m)
{
	struct btf *b = btf__new_empty();
	int i, c, a, s, fd = -1;

	if (b == NULL)
		return msg_set_nomem(m);
	i = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	c = btf__add_int(b, "unsigned char", 1, 0);
	a = btf__add_array(b, i, c, valsize);
	s = btf__add_struct(b, "self", valsize);
	if (i < 0 || c < 0 || a < 0 || s < 0 ||
	    btf__add_field(b, "v", a, 0, 0) < 0) {
		msg_set_nomem(m);
	} else {
		*key = (uint32_t)i;
		*value = (uint32_t)s;
		fd = btf_to_kernel(b, m);
	}
	btf__free(b);
	return fd;
}

static int
add_funcs(struct btf *b, const struct bpfprog *bp, struct bpf_func_info *fi)
{
	static const char *const param[] = { "a", "b", "c", "d", "e" };
	int u64 = btf__add_int(b, "unsigned long", 8, 0);
	int proto, id;

	for (size_t i = 0; i < bp->nsub; i++) {
		const struct bpfsub *sub = &bp->sub[i];

		proto = btf__add_func_proto(b, u64);
		for (unsigned n = 0; n < sub->narg && n < 5; n++)
			if (btf__add_func_param(b, param[n], u64) < 0)
				return -1;
		id = btf__add_func(b, sub->name, BTF_FUNC_STATIC, proto);
		if (proto < 0 || id < 0)
			return -1;
		fi[i] = (struct bpf_func_info){ .insn_off = sub->insn,
		    .type_id = (uint32_t)id };
	}
	return u64 < 0 ? -1 : 0;
}

int
loadbtf_func(const struct bpfprog *bp, struct bpf_prog_load_opts *o,
    struct msg *m)
{
	struct bpf_func_info *fi;
	struct btf *b;
	int fd = -1;

	if (bp->nsub < 2)
		return -2;
	b = btf__new_empty();
	fi = calloc(bp->nsub, sizeof(*fi));
	if (b == NULL || fi == NULL || add_funcs(b, bp, fi) == -1)
		msg_set_nomem(m);
	else
		fd = btf_to_kernel(b, m);
	btf__free(b);
	if (fd < 0) {
		free(fi);
		return -1;
	}
	o->prog_btf_fd = (uint32_t)fd;
	o->func_info = fi;
	o->func_info_cnt = (uint32_t)bp->nsub;
	o->func_info_rec_size = sizeof(*fi);
	return fd;
}

void
loadbtf_end(int fd, struct bpf_prog_load_opts *o)
{
	if (fd < 0)
		return;
	close(fd);
	free((void *)o->func_info);
}
