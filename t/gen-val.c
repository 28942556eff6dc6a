/* Numbers as D computes with them. */
#include "gen-expr.h"

uint64_t
val_norm(uint64_t v, unsigned size, bool sign)
{
	switch (size) {
	case 1: return sign ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2: return sign ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4: return sign ? (uint64_t)(int32_t)v : (uint32_t)v;
	default: return v;
	}
}

struct val
val_conv(struct val a, unsigned size, bool sign)
{
	return (struct val){ val_norm(a.v, size, sign), size, sign };
}

const char *
val_type(unsigned size, bool sign)
{
	static const char *const n[2][4] = {
	    { "uint8_t", "uint16_t", "uint32_t", "uint64_t" },
	    { "int8_t", "int16_t", "int32_t", "int64_t" } };

	return n[sign][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

void
val_promote(const struct val *a, const struct val *b, unsigned *size,
    bool *sign)
{
	unsigned ra = a->size * 8 + !a->sign, rb = b->size * 8 + !b->sign;

	*size = ra >= rb ? a->size : b->size;
	*sign = ra >= rb ? a->sign : b->sign;
}

uint64_t
val_arith(int op, uint64_t a, uint64_t b, bool sign)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/':
		if (!sign)
			return a / b;
		return y == -1 ? 0 - a : (uint64_t)(x / y);
	case '%':
		if (!sign)
			return a % b;
		return y == -1 ? 0 : (uint64_t)(x % y);
	case '&': return a & b;
	case '|': return a | b;
	default: return a ^ b;
	}
}
