/*
 * What tracers say of losses and errors on standard error, a line each:
 * DTrace's words (dtrace(1)) and dt-trace's, which are the same.
 *
 * Ownership: nothing is kept.
 */
#ifndef LIBDT_TRACERLOG_H
#define LIBDT_TRACERLOG_H

#include <stdbool.h>
#include <stdint.h>

/* "N drops on CPU n": N; else 0. */
uint64_t tracerlog_drops(const char *line);
/* An error, or a loss of another kind. */
bool tracerlog_complaint(const char *line);

#endif
