/*
 * print.h - records of the ring buffer to DTrace's text.
 *
 * struct printer owns what printing remembers from record to record (the
 * header line, the flow indentation); trace.print, trace.agg and trace.sym
 * live from print_open to print_close. Output goes to trace.out.
 */
#ifndef TRACE_PRINT_H
#define TRACE_PRINT_H

#include <stddef.h>
#include <stdint.h>

struct msg;
struct printer;
struct trace;

/*
 * To be called when prog is made and before consume_new: makes print, agg and
 * sym of the trace (sym and agg may be there already). Where the program has user stacks or symbols, mappings of
 * all processes are listened to from here on.
 */
int	print_open(struct trace *, struct msg *);
void	print_close(struct trace *);

/*
 * Prints one record of a clause, and does what its consumer-side actions ask:
 * printa, clear, trunc, normalize, setopt, system, freopen, ftruncate. Not
 * concerned: REC_ERROR, speculations' buffering, exit, raise, stop. -1: the
 * output failed, the record does not fit its layout, an action failed.
 */
int	print_record(struct trace *, const void *rec, size_t len,
	    struct msg *);
/* Brings out what has been printed and, with -F, what is held back: to be
 * called when no more records are there for now. */
int	print_flush(struct trace *, struct msg *);
/* The newline after the last record, and END's print of aggregations. */
int	print_end(struct trace *, struct msg *);

#endif
