/*
 * The strict reading of JSON text that comes before cJSON: see json.h.
 *
 * Ownership: a json_scan only points at the caller's text.
 */
#ifndef LIBDT_JSON_CHECK_H
#define LIBDT_JSON_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"

struct json_scan {
	const char *p, *end;
	uint64_t line;		/* of p, from 1 */
};

/* Strict check of the whole text; see json_parse() for its ids. */
int json_check(const char *buf, size_t len, const char *name, struct msg *m);

/*
 * Of text that json_check() passed: the place of the next token, white space
 * before it skipped; and, past it, what follows. A token is one of {}[],: or
 * a whole string, number or literal.
 */
const char *json_token(struct json_scan *s, size_t *len);

#endif
