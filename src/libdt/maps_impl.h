/*
 * What maps.c (mappings through time), maps_exec.c (the programs that were
 * executed) and maps_sym.c (names of addresses) share.
 *
 * Ownership: a struct maps owns everything below until maps_free().
 */
#ifndef LIBDT_MAPS_IMPL_H
#define LIBDT_MAPS_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/areas.h"
#include "libdt/elfid.h"
#include "libdt/elfsym.h"
#include "libdt/maps.h"
#include "libdt/names.h"

/* A mapped file: path and build-id together. */
struct map_file {
	char *path;		/* canonical escape */
	size_t n;
	char *build_id;		/* hex; NULL = not known */
	char *module;		/* last component, as part of a frame */
	ssize_t base;		/* its number in bases */
	const struct elfsym *sym;	/* NULL: none, once it was tried */
	bool tried, kept;
};

enum map_change { MAP_ADD, MAP_REMOVE, MAP_BIRTH };

struct map_event {
	uint64_t ts, start, end, off;	/* MAP_BIRTH: start is the parent's
					   number in pids */
	uint32_t pid;		/* number in pids */
	uint32_t file;		/* number in files; of MAP_ADD */
	uint32_t seq;		/* as it came */
	uint32_t next;		/* index + 1 of this pid's next event */
	uint32_t hidden;	/* areas of ahead that it lies over */
	uint8_t change;
};

/* An execve or the end of its process took all mappings away. */
static inline bool
map_all_gone(const struct map_event *e)
{
	return e->change == MAP_REMOVE && e->end == UINT64_MAX;
}

/* The mappings of one process at the time the walk has come to. */
struct space {
	uint32_t now;		/* areas */
	uint32_t ahead;		/* areas that are yet to come, if looked */
	bool looked;
	uint32_t head;		/* index + 1 of its first event */
	uint32_t future;	/* of its first that is yet to come */
	uint32_t epoch;		/* grows with each change */
};

/* Where an event of a process stands among its like; see maps_exec.c. */
struct exec_note {
	uint32_t pid;		/* number in pids */
	uint32_t what;
	uint32_t at;		/* index in ev */
};

struct maps {
	struct area_pool areas;
	struct names pids;
	struct space *space;	/* by number in pids */
	size_t nspace, space_cap;
	struct names keys;	/* of files: path, NUL, build-id */
	struct map_file *file;	/* by number in keys */
	size_t nfile, file_cap;
	struct names bases;	/* last components of files */
	struct names inodes;	/* of files that were read: device, inode */
	struct elfsym **sym;	/* by number in inodes */
	size_t nsym, sym_cap;
	struct map_event *ev;
	size_t n, cap, cursor;
	struct exec_note *note;	/* sorted */
	size_t nnote;
	int exe;		/* the copy of the target's executable, or -1 */
	char exe_id[ELFID_HEX];
	bool this_boot;		/* the vdso here is the one there */
	/* frames that have been looked up */
	struct names frames;	/* pid, epoch, text */
	char **answer;		/* by number in frames */
	size_t nanswer, answer_cap;
	char *out;		/* the stack given last */
	size_t ncap;
};

/* A path, not "[heap]" or perf's "//anon". */
static inline bool
maps_is_file(const struct map_file *f)
{
	return f->path[0] == '/' && f->path[1] != '/';
}

/* The number of a pid's space, made if it is new; -1: no memory. */
ssize_t maps_space(struct maps *ms, uint64_t pid);
/* Applies what happened up to ts. */
int maps_advance(struct maps *ms, uint64_t ts, struct msg *m);
/*
 * The area of addr now, or one that was first seen later: 1, 0 if there is
 * none, -1: no memory.
 */
int maps_find(struct maps *ms, size_t space, uint64_t addr, struct area *a);

/* maps_exec.c */
/* The number of a path's last component; -1: no memory. */
ssize_t maps_base(struct maps *ms, const char *path, size_t n);
/* The events are sorted: makes what maps_exec_id() needs; -1: no memory. */
int maps_note(struct maps *ms);

#endif
