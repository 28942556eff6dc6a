/*
 * ifunc.h - the function that an IFUNC symbol (memcpy, strlen) stands for in
 * a process: its resolver chose one of several by the CPU. Owns nothing.
 */
#ifndef TRACE_IFUNC_H
#define TRACE_IFUNC_H

#include <stdbool.h>

struct module;
struct procmods;
struct ufunc;

/*
 * *real: what f, an IFUNC of mod, is in the process, by f's name; its size is
 * 0 where no symbol tells. false: the process has not chosen yet, and what it
 * will choose is not known.
 */
bool	ifunc_resolve(const struct procmods *, const struct module *mod,
	    const struct ufunc *f, struct ufunc *real);

#endif
