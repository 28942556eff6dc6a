/* The checksum lists, checked while other checks run. */
#include <string.h>

#include "libdt/sums.h"
#include "libdt/validate_impl.h"

/* Told by the layout already. */
static const char *const told[] = {
	"sums-missing", "sums-type", "sums-name",
};

/* Whether what could not be read is the bundle's own fault. */
static bool
unreadable(struct val *v, const struct msg *m)
{
	if (m->err != 0 && !path_gone(m->err))
		return false;
	if (val_file(v, m->path) == NULL)
		return true;	/* told by the layout, too */
	if (m->err != 0)
		val_found(v, FINDING_LAYOUT_CHANGED, m->path, 0, "%s",
		    m->text);
	else
		val_found(v, FINDING_SUMS_MALFORMED, m->path, m->line, "%s",
		    m->text);
	return true;
}

static int
sums_found(void *arg, const struct msg *m)
{
	struct val_sums *s = arg;
	size_t i;

	for (i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (strcmp(m->id, told[i]) == 0)
			return 0;
	if (strcmp(m->id, "sums-changed") == 0)
		val_found(s->v, FINDING_LAYOUT_CHANGED, m->path, 0, "%s",
		    m->text);
	else if (strcmp(m->id, "sums-read") == 0 && unreadable(s->v, m))
		return 0;
	else if (val_found_msg(s->v, m) == -1) {
		s->m = *m;
		return 1;
	}
	return 0;
}

static void *
sums_run(void *arg)
{
	struct val_sums *s = arg;
	struct sums_options o = {
		.threads = s->v->opt->threads,
		.quick = s->v->opt->quick,
	};
	struct msg_sink sink = { sums_found, s };
	struct msg m;

	msg_clear(&m);
	s->rc = sums_check(s->v->dirfd, &o, &sink, s->v->id, &m);
	if (s->m.id != NULL)
		s->rc = -1;	/* a file could not be read */
	else if (s->rc == -1)
		s->m = m;
	return NULL;
}

int
val_sums_start(struct val_sums *s, struct val *v, struct msg *m)
{
	int e;

	memset(s, 0, sizeof(*s));
	s->v = v;
	e = pthread_create(&s->thread, NULL, sums_run, s);
	if (e != 0)
		return msg_set(m, "no-thread",
		    "cannot start a thread: error %d", e);
	s->running = true;
	return 0;
}

int
val_sums_join(struct val_sums *s, struct msg *m)
{
	if (!s->running)
		return 0;
	pthread_join(s->thread, NULL);
	s->running = false;
	if (s->rc != -1)
		return 0;
	if (m != NULL)
		*m = s->m;
	return -1;
}
