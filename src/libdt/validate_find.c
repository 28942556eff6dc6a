/* Findings collected, a bounded number of each id. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"
#include "libdt/validate_impl.h"

/* The place for one more finding, or NULL if that id has its fill. */
static struct msg *
place(struct val_finds *f, enum finding id)
{
	if (f->by_id[id]++ >= f->cap)
		return NULL;
	if (ARRAY_ROOM(f->v, f->n, f->room) == -1) {
		f->nomem = true;
		return NULL;
	}
	msg_clear(&f->v[f->n]);
	return &f->v[f->n++];
}

void
val_found(struct val *v, enum finding f, const char *path, uint64_t line,
    const char *fmt, ...)
{
	char text[MSG_TEXT_SIZE];
	struct msg *m;
	va_list ap;

	pthread_mutex_lock(&v->finds.lock);
	m = place(&v->finds, f);
	if (m != NULL) {
		va_start(ap, fmt);
		if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
			text[0] = '\0';
		va_end(ap);
		(void)msg_set_at(m, finding_table[f].id, path, line, "%s",
		    text);
		m->level = finding_table[f].level;
	}
	pthread_mutex_unlock(&v->finds.lock);
}

int
val_found_msg(struct val *v, const struct msg *m)
{
	enum finding f = m->id != NULL ? finding_by_id(m->id) : FINDING_COUNT;

	if (f == FINDING_COUNT)
		return -1;
	val_found(v, f, m->path, m->line, "%s", m->text);
	return 0;
}

bool
val_has_error(struct val *v)
{
	bool bad = false;
	size_t i;

	pthread_mutex_lock(&v->finds.lock);
	for (i = 0; i < FINDING_COUNT; i++)
		if (finding_table[i].level == MSG_ERROR &&
		    v->finds.by_id[i] > 0)
			bad = true;
	pthread_mutex_unlock(&v->finds.lock);
	return bad;
}
