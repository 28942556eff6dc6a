/*
 * minattr.h - how stable a program is: -v's report. Nothing is kept.
 */
#ifndef TRACE_MINATTR_H
#define TRACE_MINATTR_H

#include <stdio.h>

struct source;
struct trace;

/* The least stable of what a source's probes and statements are made of. */
void	minattr_tell(const struct trace *, FILE *, const struct source *);

#endif
