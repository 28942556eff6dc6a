/*
 * suggest.h - near misses of names, for "did you mean …?". Owns nothing.
 */
#ifndef TRACE_SUGGEST_H
#define TRACE_SUGGEST_H

#include <stddef.h>

enum { SUGGEST_MAX = 3 };	/* distances below this are near */

/* Keeps in *best the candidate least far from name (insertions, deletions,
 * substitutions, swaps); *dist is its distance, SUGGEST_MAX at the start. */
void	suggest_best(const char *name, const char *cand, const char **best,
	    size_t *dist);

#endif
