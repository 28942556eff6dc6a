/*
 * near.h - near misses of names, for "did you mean …?". Owns nothing.
 */
#ifndef TRACE_NEAR_H
#define TRACE_NEAR_H

#include <stddef.h>

enum { NEAR_MAX = 3 };		/* distances below this are near */

/* Keeps in *best the candidate least far from name (insertions, deletions,
 * substitutions, swaps); *dist is its distance, NEAR_MAX at the start. */
void	near_best(const char *name, const char *cand, const char **best,
	    size_t *dist);

#endif
