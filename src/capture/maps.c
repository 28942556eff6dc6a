/* spool/maps.spool: mappings from perf events, or from polling. */
#include "capture/maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdt/clock.h"
#include "libdt/elfid.h"
#include "libdt/hash.h"
#include "libdt/json.h"
#include "libdt/path.h"
#include "libdt/proc.h"

#define POLL_FIRST_NS	(10 * NS_PER_S / 1000)
#define POLL_NS		NS_PER_S
#define POLL_FAST	10		/* polls until it is one a second */

int
spool_string(struct out *o, const char *s, size_t n)
{
	size_t i;
	int bad = 0;

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c >= 0x7f || c == '\\')
			bad |= out_printf(o, "\\%03o", c);
		else
			bad |= out_putc(o, c);
	}
	return bad ? -1 : 0;
}

static void
line_write(struct maps *p, const struct perfmap_event *e, const char *id)
{
	char cpu[16] = "-";

	p->written++;
	if (e->cpu != PERFMAP_NO_CPU)
		snprintf(cpu, sizeof(cpu), "%u", e->cpu);
	out_printf(&p->out, "map\t%" PRIu64 "\t%ld\t%ld\t%s\t0x%" PRIx64
	    "\t0x%" PRIx64 "\t0x%" PRIx64 "\t%s\t", e->ts, (long)e->pid,
	    (long)e->tid, cpu, e->start, e->end, e->offset,
	    id[0] != '\0' ? id : "-");
	spool_string(&p->out, e->path, strlen(e->path));
	out_putc(&p->out, '\n');
}

/* The build-id from the process's own view of the file, while it lives. */
static void
id_read(const struct perfmap_event *e, char hex[ELFID_HEX])
{
	char path[4200];
	struct msg m;
	unsigned i;

	hex[0] = '\0';
	if (e->id != NULL) {
		for (i = 0; i < e->id_len; i++)
			snprintf(hex + 2 * i, 3, "%02x", e->id[i]);
		return;
	}
	if (e->path[0] != '/' || e->path[1] == '/')
		return;
	snprintf(path, sizeof(path), "/proc/%ld/root%s", (long)e->pid,
	    e->path);
	msg_clear(&m);
	if (elfid_path(path, hex, &m) != 0)
		hex[0] = '\0';
}

static void
drop_note(struct maps *p, const struct perfmap_event *e)
{
	struct maps_drop *d = &p->drop[p->drops];

	p->lost += e->count;
	p->fired += e->count;
	if (p->drops == MAPS_DROPS) {
		d--;
		d->to = e->end;
		d->count += e->count;
		return;
	}
	*d = (struct maps_drop){ e->cpu, e->start, e->end, e->count };
	p->drops++;
}

/* The losses as dt-trace's --stats has them. */
static int
stats_write(struct maps *p, struct msg *m)
{
	cJSON *o = json_new_object(), *list, *e;
	unsigned i;
	int bad = 0, rc;

	bad |= json_add_u64(o, "dropped", p->lost);
	list = json_add_array(o, "drops");
	for (i = 0; i < p->drops; i++) {
		e = json_add_object(list, NULL);
		bad |= json_add_str(e, "kind", "principal") |
		    json_add_u64(e, "cpu", p->drop[i].cpu) |
		    json_add_u64(e, "from", p->drop[i].from) |
		    json_add_u64(e, "to", p->drop[i].to) |
		    json_add_u64(e, "count", p->drop[i].count);
	}
	rc = bad ? msg_set_nomem(m) :
	    json_write(p->st->dir, "spool/maps.stats", o, 0600, m);
	cJSON_Delete(o);
	return rc;
}

static void
event_take(void *arg, const struct perfmap_event *e)
{
	struct maps *p = arg;
	char hex[ELFID_HEX];

	switch (e->type) {
	case PERFMAP_FORK:
		break;
	case PERFMAP_LOST:
		drop_note(p, e);
		break;
	case PERFMAP_EXEC:
		p->fired++;
		p->written++;
		out_printf(&p->out, "unmap\t%" PRIu64 "\t%ld\t%ld\t%u\t0x0"
		    "\t0xffffffffffffffff\t0x0\t-\t\n", e->ts, (long)e->pid,
		    (long)e->tid, e->cpu);
		break;
	case PERFMAP_MAP:
		p->fired++;
		id_read(e, hex);
		line_write(p, e, hex);
		break;
	}
}

int
maps_start(struct maps *p, struct staging *st, pid_t pid, struct msg *m)
{
	struct msg why;
	int fd;

	memset(p, 0, sizeof(*p));
	p->st = st;
	p->started = clock_now();
	fd = path_create(st->dir, "spool/maps.spool", 0600, m);
	if (fd == -1 || out_fdopen(&p->out, fd, "spool/maps.spool", m) == -1)
		return -1;
	p->open = true;
	out_printf(&p->out, "READY\t1\tmaps\t%" PRIu64 "\n", p->started);
	msg_clear(&why);
	p->perf = perfmap_open(pid, &why);
	if (p->perf == NULL)
		snprintf(p->why, sizeof(p->why), "%.100s: mappings are polled",
		    why.text);
	return out_flush(&p->out, m);
}

/* True the first time a line with these facts is to be written. */
static bool
seen_first(struct maps *p, pid_t pid, const struct proc_map *map)
{
	struct { int64_t pid; uint64_t start, end, off, path; } key;
	size_t n = p->seen.n;

	memset(&key, 0, sizeof(key));
	key.pid = pid;
	key.start = map->start;
	key.end = map->end;
	key.off = map->offset;
	key.path = hash_bytes(map->path, map->path_len);
	return names_add(&p->seen, (const char *)&key, sizeof(key)) == -1 ||
	    p->seen.n > n;
}

struct snap {
	struct maps *p;
	pid_t pid;
	uint64_t ts;
};

static int
snap_map(void *arg, const struct proc_map *map)
{
	struct snap *s = arg;
	char hex[ELFID_HEX] = "";
	struct msg m;
	struct perfmap_event e = {
		.ts = s->ts, .pid = s->pid, .tid = s->pid,
		.cpu = PERFMAP_NO_CPU,
		.start = map->start, .end = map->end, .offset = map->offset,
		.path = map->path_len > 0 ? map->path : "//anon",
	};
	int fd;

	if (map->perms[2] != 'x' || !seen_first(s->p, s->pid, map))
		return 0;
	msg_clear(&m);
	fd = map->inode != 0 ? proc_open_map(s->pid, map, &m) : -1;
	if (fd != -1) {
		if (elfid_fd(fd, map->path, hex, &m) != 0)
			hex[0] = '\0';
		close(fd);
	}
	s->p->fired++;
	line_write(s->p, &e, hex);
	return 0;
}

void
maps_snapshot(struct maps *p, pid_t pid)
{
	struct snap s = { .p = p, .pid = pid, .ts = clock_now() };
	struct msg m;

	msg_clear(&m);
	if (!p->open || proc_maps(pid, snap_map, &s, &m) != -1 ||
	    strcmp(m.id, "no-process") == 0 || p->unread[0] != '\0')
		return;
	snprintf(p->unread, sizeof(p->unread), "mappings of process %ld: "
	    "%.100s", (long)pid, m.text);
}

void
maps_tick(struct maps *p, const struct members *who, bool all)
{
	uint64_t now = clock_now();
	size_t i;

	if (!p->open)
		return;
	if (p->perf != NULL) {
		perfmap_read(p->perf, false, event_take, p);
		if (!all)
			return;
	} else if (all || now >= p->next) {
		for (i = 0; i < who->n; i++)
			maps_snapshot(p, who->pid[i]);
		p->next = now + (++p->polls <= POLL_FAST ? POLL_FIRST_NS :
		    POLL_NS);
	} else {
		return;
	}
	/* An error stays with the stream: maps_stop() tells it. */
	out_flush(&p->out, NULL);
}

int
maps_stop(struct maps *p, struct msg *m)
{
	int rc;

	if (!p->open)
		return 0;
	if (p->perf != NULL)
		perfmap_read(p->perf, true, event_take, p);
	p->detach = clock_now();
	out_printf(&p->out, "COUNT\tfired\t%" PRIu64 "\nEND\t%" PRIu64 "\n",
	    p->fired, p->detach);
	rc = out_close(&p->out, m);
	perfmap_close(p->perf);
	p->perf = NULL;
	names_free(&p->seen);
	p->open = false;
	if (rc == 0 && p->lost > 0)
		rc = stats_write(p, m);
	return rc;
}
