/*
 * insnlen.c - lengths of machine instructions.
 *
 * x86-64: prefixes, opcode map, ModRM, SIB, displacement and immediate as the
 * opcode maps of Intel's Software Developer's Manual (volume 2, appendix A)
 * have them, AVX-512 included. What a table does not know has no length.
 */
#include <string.h>
#include <unistd.h>

#include "trace/insnlen.h"
#include "trace/uelf.h"

#if defined(__x86_64__)

/* A bit for each opcode that has it: ModRM; an immediate of one byte, of two
 * or four by operand size. */
typedef uint32_t opset[8];

static const opset modrm1 = { 0x0f0f0f0f, 0x0f0f0f0f, 0x00000000, 0x00000a08,
	0x0000ffff, 0x00000000, 0xff0f00c3, 0xc0c00000 };
static const opset imm8_1 = { 0x10101010, 0x10101010, 0x00000000, 0xffff0c00,
	0x00000009, 0x00ff0100, 0x00002043, 0x000008ff };
static const opset immz_1 = { 0x20202020, 0x20202020, 0x00000000, 0x00000300,
	0x00000002, 0x00000200, 0x00000080, 0x00000000 };
/* That Linux refuses to probe: in 64-bit mode invalid, of the kernel, for
 * ports, interrupts and debugging; fences and branches of 16 bits too. */
static const opset refused1 = { 0xc0c040c0, 0x80808080, 0x00000000, 0x0000f007,
	0x04000004, 0x00000000, 0x0070f000, 0x0c13f4f0 };
static const opset refused2 = { 0x00000be3, 0x00b10000, 0x00000000, 0x03000000,
	0x00000000, 0x00004000, 0x00000000, 0x80000000 };
static const opset nomodrm2 = { 0x00004be0, 0x00000000, 0x00000000, 0x00000000,
	0x00000000, 0x00000000, 0x00000000, 0x00000000 };

static bool
in(const opset set, unsigned op)
{
	return (set[op / 32] >> op % 32 & 1) != 0;
}

/* Invalid in 64-bit mode, or of no use in programs. */
static bool
invalid1(unsigned op)
{
	switch (op) {
	case 0x06: case 0x07: case 0x0e: case 0x16: case 0x17: case 0x1e:
	case 0x1f: case 0x27: case 0x2f: case 0x37: case 0x3f: case 0x60:
	case 0x61: case 0x82: case 0x9a: case 0xce: case 0xd4: case 0xd5:
	case 0xd6: case 0xea:
		return true;
	default:
		return false;
	}
}

struct decode {
	const uint8_t *p, *end;
	bool opsize, rexw, short_read;
	bool refused;			/* the kernel puts no breakpoint here */
};

static unsigned
byte(struct decode *d)
{
	if (d->p == d->end) {
		d->short_read = true;
		return 0;
	}
	return *d->p++;
}

/* ModRM, SIB and displacement; the reg field. */
static unsigned
modrm(struct decode *d)
{
	unsigned m = byte(d), mod = m >> 6, rm = m & 7, disp = 0;

	if (mod != 3 && rm == 4 && (byte(d) & 7) == 5 && mod == 0)
		disp = 4;
	if (mod == 0 && rm == 5)
		disp = 4;
	if (mod == 1)
		disp = 1;
	else if (mod == 2)
		disp = 4;
	while (disp-- > 0)
		byte(d);
	return m >> 3 & 7;
}

static void
skip(struct decode *d, unsigned n)
{
	while (n-- > 0)
		byte(d);
}

/* Legacy prefixes and REX; the opcode that follows. */
static unsigned
prefixes(struct decode *d)
{
	for (;;) {
		unsigned c = byte(d);

		switch (c) {
		case 0x66:
			d->opsize = true;
			break;
		case 0xf0: case 0x2e: case 0x36: case 0x3e: case 0x26:
			d->refused = true;
			break;
		case 0x67: case 0xf2: case 0xf3: case 0x64: case 0x65:
			break;
		default:
			if ((c & 0xf0) != 0x40)
				return c;
			d->rexw = (c & 8) != 0;
			return byte(d);
		}
	}
}

static bool
imm8_map2(unsigned op)
{
	return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac ||
	    op == 0xba || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ||
	    op == 0x0f;
}

static void
map2(struct decode *d, unsigned op)
{
	if (in(refused2, op) || (d->opsize && op >= 0x80 && op <= 0x8f))
		d->refused = true;
	if (op == 0x38 || op == 0x3a) {
		byte(d);
		modrm(d);
		skip(d, op == 0x3a);
		return;
	}
	if (op >= 0x80 && op <= 0x8f) {
		skip(d, 4);
		return;
	}
	if (in(nomodrm2, op) || (op >= 0x30 && op <= 0x37) || op == 0x77 ||
	    (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) ||
	    (op >= 0xc8 && op <= 0xcf))
		return;
	modrm(d);
	skip(d, imm8_map2(op));
}

/* After the VEX or EVEX bytes: map 1 is 0f, 2 0f 38, 3 0f 3a. */
static void
vex(struct decode *d, unsigned map)
{
	unsigned op = byte(d);

	if (map == 0 || map > 6 || map == 4)
		d->short_read = true;
	else if (map != 1 || op != 0x77) {
		modrm(d);
		skip(d, map == 3 || (map == 1 && imm8_map2(op)));
	}
}

static void
map1(struct decode *d, unsigned op)
{
	unsigned z = d->opsize && !d->rexw ? 2 : 4, reg = 8;

	if (invalid1(op)) {
		d->short_read = true;
		return;
	}
	if (in(refused1, op) || (d->opsize && (op == 0xe8 || op == 0xe9 ||
	    op == 0xeb || (op >= 0x70 && op <= 0x7f))))
		d->refused = true;
	if (in(modrm1, op))
		reg = modrm(d);
	if (op == 0xe8 || op == 0xe9)
		skip(d, 4);
	else if (in(immz_1, op))
		skip(d, z);
	else if (in(imm8_1, op))
		skip(d, 1);
	else if (op >= 0xb8 && op <= 0xbf)
		skip(d, d->rexw ? 8 : z);
	else if (op >= 0xa0 && op <= 0xa3)
		skip(d, 8);
	else if (op == 0xc2 || op == 0xca)
		skip(d, 2);
	else if (op == 0xc8)
		skip(d, 3);
	else if ((op == 0xf6 || op == 0xf7) && reg < 2)
		skip(d, op == 0xf6 ? 1 : z);
}

/* Bytes of the instruction at d->p; 0: not understood. */
static size_t
decode(struct decode *d)
{
	const uint8_t *p = d->p;
	unsigned op = prefixes(d), map;

	if (op == 0x0f) {
		map2(d, byte(d));
	} else if (op == 0xc5) {
		byte(d);
		vex(d, 1);
	} else if (op == 0xc4) {
		map = byte(d) & 0x1f;
		byte(d);
		vex(d, map);
	} else if (op == 0x62) {
		d->refused = true;
		map = byte(d) & 7;
		skip(d, 2);
		vex(d, map);
	} else {
		map1(d, op);
	}
	return d->short_read ? 0 : (size_t)(d->p - p);
}

size_t
insn_at(const struct uelf *u, const struct ufunc *f, uint64_t at, bool *can)
{
	enum { LONGEST = 15 };
	uint8_t code[LONGEST];
	struct decode d = { .p = code };
	size_t want = LONGEST, len;
	ssize_t n;

	if (at >= f->size)
		return 0;
	if (f->size - at < want)
		want = (size_t)(f->size - at);
	n = pread(u->fd, code, want, (off_t)(f->off + at));
	if (n <= 0)
		return 0;
	d.end = code + n;
	len = decode(&d);
	*can = !d.refused;
	return len;
}

#elif defined(__aarch64__)

size_t
insn_at(const struct uelf *u, const struct ufunc *f, uint64_t at, bool *can)
{
	(void)u;
	*can = true;
	return at < f->size && at % 4 == 0 ? 4 : 0;
}

#endif

bool
insn_begins(const struct uelf *u, const struct ufunc *f, uint64_t at)
{
	uint64_t pos = 0;
	size_t len;
	bool can;

	while (pos < at) {
		len = insn_at(u, f, pos, &can);
		if (len == 0)
			return false;
		pos += len;
	}
	return pos == at && at < f->size;
}
