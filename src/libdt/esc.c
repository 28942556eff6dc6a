/* The canonical escape, and DTrace's: encoded, decoded, checked. */
#include <stdint.h>
#include <string.h>

#include "libdt/esc.h"

/* Lead bytes of UTF-8 (RFC 3629): length, and the range of the second byte. */
static const struct {
	uint8_t from, to, len, lo, hi;
} leads[] = {
	{ 0xc2, 0xdf, 2, 0x80, 0xbf },
	{ 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf },
	{ 0xed, 0xed, 3, 0x80, 0x9f },
	{ 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf },
	{ 0xf1, 0xf3, 4, 0x80, 0xbf },
	{ 0xf4, 0xf4, 4, 0x80, 0x8f },
};

static const char hex[] = "0123456789abcdef";

size_t
utf8_step(const void *buf, size_t n)
{
	const uint8_t *p = buf;
	size_t i, j;

	if (n == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	for (i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (p[0] < leads[i].from || p[0] > leads[i].to)
			continue;
		if (n < leads[i].len || p[1] < leads[i].lo ||
		    p[1] > leads[i].hi)
			return 0;
		for (j = 2; j < leads[i].len; j++)
			if (p[j] < 0x80 || p[j] > 0xbf)
				return 0;
		return leads[i].len;
	}
	return 0;
}

bool
utf8_valid(const void *buf, size_t n)
{
	const uint8_t *p = buf;
	size_t i, step;

	for (i = 0; i < n; i += step)
		if ((step = utf8_step(p + i, n - i)) == 0)
			return false;
	return true;
}

/*
 * One unit of the escaped form: puts 1 to 4 bytes into out and tells how many
 * bytes of the source it stands for.
 */
static size_t
unit(const uint8_t *p, size_t n, bool keep_backslash, char out[4],
    size_t *used)
{
	size_t step = utf8_step(p, n);

	if (step == 0 || p[0] < 0x20 || p[0] == 0x7f ||
	    (p[0] == '\\' && !keep_backslash)) {
		out[0] = '\\';
		out[1] = 'x';
		out[2] = hex[p[0] >> 4];
		out[3] = hex[p[0] & 15];
		*used = 1;
		return 4;
	}
	memcpy(out, p, step);
	*used = step;
	return step;
}

static size_t
encode(char *dst, size_t cap, const void *src, size_t n, bool keep_backslash)
{
	const uint8_t *p = src;
	size_t i, len, used, total = 0, put = 0;
	bool full = false;
	char u[4];

	for (i = 0; i < n; i += used) {
		len = unit(p + i, n - i, keep_backslash, u, &used);
		if (!full && put + len < cap) {
			memcpy(dst + put, u, len);
			put += len;
		} else {
			full = true;
		}
		total += len;
	}
	if (cap > 0)
		dst[put] = '\0';
	return total;
}

size_t
esc_encode(char *dst, size_t cap, const void *src, size_t n)
{
	return encode(dst, cap, src, n, false);
}

size_t
esc_show(char *dst, size_t cap, const void *src, size_t n)
{
	return encode(dst, cap, src, n, true);
}

/* An ordinary byte that stands for itself and needs no look at its like. */
static bool
plain(uint8_t c)
{
	return c >= 0x20 && c < 0x7f && c != '\\';
}

int
esc_write(struct out *o, const void *src, size_t n)
{
	const uint8_t *p = src;
	size_t i = 0, run, len, used;
	char u[4];

	while (i < n) {
		for (run = i; run < n && plain(p[run]); run++)
			;
		if (run > i && out_write(o, p + i, run - i) == -1)
			return -1;
		if ((i = run) == n)
			break;
		len = unit(p + i, n - i, false, u, &used);
		if (out_write(o, u, len) == -1)
			return -1;
		i += used;
	}
	return 0;
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* The byte of \xHH at s, -1 if there is none. */
static int
hex_escape(const char *s, size_t n)
{
	int hi, lo;

	if (n < 4 || s[0] != '\\' || s[1] != 'x')
		return -1;
	hi = hex_value(s[2]);
	lo = hex_value(s[3]);
	return hi < 0 || lo < 0 ? -1 : hi << 4 | lo;
}

/*
 * Escaped bytes that together are valid UTF-8 should not have been escaped:
 * tells whether a valid sequence of more than one byte that begins at out[i]
 * has an escaped byte in it. escaped has a bit for each of the last bytes.
 */
static bool
hides_utf8(const uint8_t *out, size_t n, unsigned escaped)
{
	size_t back, step;

	for (back = 2; back <= 4 && back <= n; back++) {
		step = utf8_step(out + n - back, back);
		if (step == back && (escaped & ((1u << back) - 1)) != 0)
			return true;
	}
	return false;
}

ssize_t
esc_decode(void *dst, const char *src, size_t n)
{
	uint8_t *out = dst;
	size_t i = 0, len = 0, step;
	unsigned escaped = 0;
	int c;

	while (i < n) {
		if (src[i] == '\\') {
			c = hex_escape(src + i, n - i);
			if (c < 0 || plain((uint8_t)c))
				return -1;
			out[len++] = (uint8_t)c;
			escaped = escaped << 1 | 1;
			i += 4;
			if (c >= 0x80 && hides_utf8(out, len, escaped))
				return -1;
			continue;
		}
		step = utf8_step(src + i, n - i);
		if (step == 0 || (step == 1 && !plain((uint8_t)src[i])))
			return -1;
		memmove(out + len, src + i, step);
		len += step;
		i += step;
		escaped <<= step;
	}
	return (ssize_t)len;
}

bool
esc_valid(const char *src, size_t n)
{
	uint8_t tail[8];
	size_t i = 0, len = 0, step;
	unsigned escaped = 0;
	int c;

	while (i < n) {
		if (plain((uint8_t)src[i])) {
			len = 0;
			escaped = 0;
			i++;
			continue;
		}
		if (len > 4) {
			memmove(tail, tail + len - 4, 4);
			len = 4;
		}
		if (src[i] == '\\') {
			c = hex_escape(src + i, n - i);
			if (c < 0 || plain((uint8_t)c))
				return false;
			tail[len++] = (uint8_t)c;
			escaped = escaped << 1 | 1;
			i += 4;
			if (c >= 0x80 && hides_utf8(tail, len, escaped))
				return false;
			continue;
		}
		step = utf8_step(src + i, n - i);
		if (step < 2)
			return false;
		len = 0;
		escaped = 0;
		i += step;
	}
	return true;
}

static const char dtrace_letters[] = "abfnrtv\"'?\\";
static const char dtrace_bytes[] = "\a\b\f\n\r\t\v\"'?\\";

/* One escape after the backslash: sets *c, returns the bytes used, 0 = none. */
static size_t
dtrace_escape(const char *s, size_t n, uint8_t *c)
{
	const char *at;
	unsigned v = 0;
	size_t i;

	if (n == 0)
		return 0;
	for (i = 0; i < 3 && i < n && s[i] >= '0' && s[i] <= '7'; i++)
		v = v * 8 + (unsigned)(s[i] - '0');
	if (i > 0) {
		*c = (uint8_t)v;
		return v > 0xff ? 0 : i;
	}
	if (s[0] == '\0' || (at = strchr(dtrace_letters, s[0])) == NULL)
		return 0;
	*c = (uint8_t)dtrace_bytes[at - dtrace_letters];
	return 1;
}

ssize_t
esc_decode_dtrace(void *dst, const char *src, size_t n)
{
	uint8_t *out = dst;
	size_t i = 0, len = 0, used;
	uint8_t c;

	while (i < n) {
		c = (uint8_t)src[i++];
		if (c == '\\') {
			used = dtrace_escape(src + i, n - i, &c);
			if (used == 0)
				return -1;
			i += used;
		}
		out[len++] = c;
	}
	if (len > 0 && out[len - 1] == '\0')
		len--;
	return (ssize_t)len;
}
