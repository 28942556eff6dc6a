/*
 * lower_json.h - what the search of json() keeps, for lower_json.c and
 * lower_jsonrt.c only. It owns nothing.
 */
#ifndef TRACE_LOWER_JSON_H
#define TRACE_LOWER_JSON_H

/* The state, words of the area b; the path and the result come after it. */
enum {
	J_STATE,
	J_DEPTH,
	J_WANT,			/* components of the path matched so far */
	J_OBJECT,		/* a bit a depth */
	J_INDEX,
	J_COMP,			/* place of the component in the path */
	J_KEY,			/* place in it, or -1: it differs */
	J_OUT,
	J_FOUND,
	J_LEFT,			/* components */
	J_RAW,			/* depth inside what is copied */
	J_NWORDS
};
enum { J_PATH = 8 * J_NWORDS };

#endif
