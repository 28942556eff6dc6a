/* All spools read: records into sorters, mappings, the target's execs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libdt/final.h"
#include "libdt/maps.h"
#include "libdt/path.h"

struct reading {
	struct final *f;
	uint32_t col;
	enum schema_family family;
};

static bool
is_exec(const struct value *name)
{
	return (name->len == 6 && memcmp(name->s, "execve", 6) == 0) ||
	    (name->len == 8 && memcmp(name->s, "execveat", 8) == 0);
}

/* Remembers the target's execve calls: one of them begins the window. */
static void
note_execve(struct final *f, const struct record *r)
{
	uint64_t from = r->v[REC_TS].u;

	if (r->v[REC_PID].u != f->stage.s.target.pid ||
	    r->v[REC_SYSCALL_ERRNO].u != 0 ||
	    !is_exec(&r->v[REC_SYSCALL_NAME]) || f->nexecve == FINAL_EXECS)
		return;
	f->execve[f->nexecve].from = from;
	f->execve[f->nexecve++].to = from + r->v[REC_SYSCALL_DUR].u;
}

static int
on_record(void *arg, const struct record *r, struct msg *m)
{
	struct reading *rd = arg;

	if (r->kind == KIND_SYSCALL)
		note_execve(rd->f, r);
	if (rd->family == FAMILY_MAPS || rd->family == FAMILY_PROCS)
		if (maps_add(rd->f->maps, r, m) == -1)
			return -1;
	return record_sort_add(rd->f->sort[rd->family], r, rd->col, m);
}

static int
read_one(struct final *f, size_t i, struct msg *m)
{
	struct final_collector *c = &f->col[i];
	struct reading rd = { f, (uint32_t)i,
		(enum schema_family)c->st->family };
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), "spool/%s.spool", c->st->name);
	if (strchr(c->st->name, '/') != NULL ||
	    f->sort[c->st->family] == NULL) {
		msg_set_at(m, "json-value", STAGE_JSON, 0,
		    "collectors[%zu] has a name or family that is not its "
		    "own", i);
		return 1;
	}
	fd = path_open_file(f->staging, path, NULL, m);
	if (fd == -1)
		return m->err == ENOENT ? 0 : -1;
	c->there = true;
	if (spool_read(fd, path, rd.family, on_record, &rd, &c->spool, m) ==
	    -1)
		return -1;
	if (!c->spool.newer)
		return 0;
	msg_set_at(m, "version", path, 1,
	    "the spool is of a version that is not known");
	return 1;
}

int
final_spools(struct final *f, struct msg *m)
{
	size_t i;
	int fd, rc = 0;

	for (i = 0; i < f->stage.s.collectors.n && rc == 0; i++)
		rc = read_one(f, i, m);
	if (rc != 0)
		return rc;
	fd = path_open_file(f->staging, "exe", NULL, m);
	rc = maps_ready(f->maps, fd, f->stage.s.host.boot_id, m);
	if (fd != -1)
		close(fd);
	return rc;
}
