/* Messages: filled, passed on, printed. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "libdt/esc.h"
#include "libdt/msg.h"

static const char *const level_names[MSG_LEVELS] = {
	"note", "warning", "loss", "error",
};

void
msg_clear(struct msg *m)
{
	if (m != NULL)
		memset(m, 0, sizeof(*m));
	if (m != NULL)
		m->level = MSG_ERROR;
}

static void
path_copy(struct msg *m, const char *path)
{
	size_t n = strlen(path);

	if (n < sizeof(m->path)) {
		memcpy(m->path, path, n + 1);
		return;
	}
	memcpy(m->path, path, sizeof(m->path) - 4);
	memcpy(m->path + sizeof(m->path) - 4, "...", 4);
}

static void
fill(struct msg *m, enum msg_level level, const char *id, const char *path,
    uint64_t line, const char *fmt, va_list ap)
{
	m->level = level;
	m->err = 0;
	m->id = id;
	m->line = line;
	m->path[0] = '\0';
	if (path != NULL)
		path_copy(m, path);
	if (vsnprintf(m->text, sizeof(m->text), fmt, ap) < 0)
		m->text[0] = '\0';
}

int
msg_set(struct msg *m, const char *id, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (m == NULL)
		return -1;
	va_start(ap, fmt);
	fill(m, MSG_ERROR, id, NULL, 0, fmt, ap);
	va_end(ap);
	errno = saved;
	return -1;
}

int
msg_set_at(struct msg *m, const char *id, const char *path, uint64_t line,
    const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (m == NULL)
		return -1;
	va_start(ap, fmt);
	fill(m, MSG_ERROR, id, path, line, fmt, ap);
	va_end(ap);
	errno = saved;
	return -1;
}

int
msg_set_errno(struct msg *m, const char *id, const char *path,
    const char *fmt, ...)
{
	int saved = errno;
	va_list ap;
	size_t n;

	if (m == NULL)
		return -1;
	va_start(ap, fmt);
	fill(m, MSG_ERROR, id, path, 0, fmt, ap);
	va_end(ap);
	m->err = saved;
	n = strlen(m->text);
	(void)snprintf(m->text + n, sizeof(m->text) - n, "%s%s",
	    n > 0 ? ": " : "", strerrordesc_np(saved) != NULL ?
	    strerrordesc_np(saved) : "unknown error");
	errno = saved;
	return -1;
}

int
msg_set_nomem(struct msg *m)
{
	errno = ENOMEM;
	msg_set(m, "no-memory", "out of memory");
	if (m != NULL)
		m->err = ENOMEM;
	return -1;
}

int
msg_at(struct msg *m, const char *path, uint64_t line)
{
	if (m != NULL && m->path[0] == '\0') {
		path_copy(m, path);
		m->line = line;
	}
	return -1;
}

void
msg_within(struct msg *m, const char *dir)
{
	char path[sizeof(m->path)];
	size_t dlen = strlen(dir), n = strlen(m->path);

	if (n == 0 || dlen + 1 + n < sizeof(path)) {
		memcpy(path, m->path, n + 1);
		path_copy(m, dir);
		if (n > 0) {
			m->path[dlen] = '/';
			memcpy(m->path + dlen + 1, path, n + 1);
		}
		return;
	}
	/* Too long together: the end says more than the beginning. */
	if (n > sizeof(path) - 5)
		return;
	memcpy(path, m->path, n + 1);
	memcpy(m->path, ".../", 4);
	memcpy(m->path + 4, path, n + 1);
}

int
msg_forward(const struct msg_sink *s, const struct msg *m)
{
	return s != NULL && s->fn != NULL ? s->fn(s->arg, m) : 0;
}

int
msg_emit(const struct msg_sink *s, enum msg_level level, const char *id,
    const char *path, uint64_t line, const char *fmt, ...)
{
	struct msg m;
	va_list ap;

	va_start(ap, fmt);
	fill(&m, level, id, path, line, fmt, ap);
	va_end(ap);
	return msg_forward(s, &m);
}

const char *
msg_level_name(enum msg_level level)
{
	return level_names[level];
}

void
msg_print(FILE *fp, const char *prog, const struct msg *m)
{
	char path[ESC_GROWTH * MSG_PATH_SIZE];
	char text[ESC_GROWTH * MSG_TEXT_SIZE];
	char line[sizeof(path) + sizeof(text) + 256], at[24] = "";
	int n;

	esc_encode(path, sizeof(path), m->path, strlen(m->path));
	esc_show(text, sizeof(text), m->text, strlen(m->text));
	if (m->line > 0)
		(void)snprintf(at, sizeof(at), ":%" PRIu64, m->line);
	n = snprintf(line, sizeof(line), "%s: %s%s%s%s: %s%s%s\n", prog, path,
	    path[0] != '\0' ? at : "", path[0] != '\0' ? ": " : "",
	    level_names[m->level], m->id != NULL ? m->id : "",
	    m->id != NULL ? ": " : "", text);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof(line))
		line[(n = sizeof(line) - 1) - 1] = '\n';
	(void)fwrite(line, 1, (size_t)n, fp);
	(void)fflush(fp);
}

int
msg_print_sink(void *printer, const struct msg *m)
{
	struct msg_printer *p = printer;

	p->count[m->level]++;
	msg_print(p->fp, p->prog, m);
	return 0;
}
