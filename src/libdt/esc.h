/*
 * Escapes: the canonical form of a byte string in records and JSON, and what
 * DTrace's %S prints. Valid UTF-8 is kept; bytes below 0x20, backslash, 0x7f
 * and bytes that are no part of valid UTF-8 become \xHH, two lower-case hex
 * digits. The canonical form of a byte string is unique.
 *
 * Ownership: all buffers are the caller's.
 */
#ifndef LIBDT_ESC_H
#define LIBDT_ESC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "libdt/out.h"

#define ESC_GROWTH	4	/* times as long, at most */

/* Bytes of the UTF-8 sequence at p, 0 if there is no valid one in n bytes. */
size_t utf8_step(const void *p, size_t n);
bool utf8_valid(const void *p, size_t n);

/*
 * Writes the canonical form of n bytes with a NUL into dst of cap bytes, cut
 * (never within an escape) if cap is too small. Returns the length of the
 * whole form without NUL, as snprintf() does.
 */
size_t esc_encode(char *dst, size_t cap, const void *src, size_t n);
int esc_write(struct out *o, const void *src, size_t n);
/* As esc_encode(), but backslashes are kept: for people, has no inverse. */
size_t esc_show(char *dst, size_t cap, const void *src, size_t n);

/*
 * The strict inverse: bytes into dst, which may be src, and needs n bytes.
 * Returns their number, or -1 if src is not in canonical form.
 */
ssize_t esc_decode(void *dst, const char *src, size_t n);
/* src is in canonical form */
bool esc_valid(const char *src, size_t n);

/*
 * Decodes what DTrace's %S wrote: \a \b \f \n \r \t \v \0 \" \' \? \\ and
 * \o to \ooo; one trailing NUL (DTrace's %S prints it) is dropped. Real
 * DTrace's \0 is never followed by further octal digits of its own, so "\0"
 * before a digit 0-7 reads as octal. dst may be src. Returns the number of
 * bytes, or -1 for a backslash that begins none of these.
 */
ssize_t esc_decode_dtrace(void *dst, const char *src, size_t n);

#endif
