/*
 * sys32.h - system calls through the 32-bit entry of x86-64. The map is its
 * caller's.
 */
#ifndef TRACE_SYS32_H
#define TRACE_SYS32_H

#include <stdint.h>

enum { NSYS32 = 512, SYS32_NONE = 0xffff };

/* Looks a name up: the number of the syscall provider's probe, -1: none. */
typedef int sys32_find(const char *name);

/* Fills map: of each 32-bit number the number of the probe that tells of it,
 * SYS32_NONE where there is none. */
void	sys32_map(uint16_t map[NSYS32], sys32_find *find);

#endif
