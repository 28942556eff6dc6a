#include <errno.h>

#include "libdt/msg.h"
#include "unit.h"

static void
test_set(void)
{
	struct msg m;

	msg_clear(&m);
	CHECK_INT(msg_set(&m, "an-id", "n %d", 5), -1);
	CHECK_STR(m.id, "an-id");
	CHECK_STR(m.text, "n 5");
	CHECK_STR(m.path, "");
	errno = ENOSPC;
	CHECK_INT(msg_set_errno(&m, "write", "a/b", "cannot write"), -1);
	CHECK_INT(m.err, ENOSPC);
	CHECK_INT(errno, ENOSPC);
	CHECK_STR(m.text, "cannot write: No space left on device");
	CHECK_STR(m.path, "a/b");
	CHECK_INT(msg_set(NULL, "x", "y"), -1);
	msg_set(&m, "x", "y");
	CHECK_INT(msg_at(&m, "f", 3), -1);
	CHECK(strcmp(m.path, "f") == 0 && m.line == 3);
	CHECK_INT(msg_at(&m, "g", 4), -1);
	CHECK(strcmp(m.path, "f") == 0 && m.line == 3);
}

static void
prints(const struct msg *m, const char *want)
{
	char *s = NULL;
	size_t n;
	FILE *fp = open_memstream(&s, &n);

	if (fp == NULL)
		exit(1);
	msg_print(fp, "prog", m);
	CHECK_INT(fclose(fp), 0);
	CHECK_STR(s, want);
	free(s);
}

static void
test_print(void)
{
	struct msg m;

	msg_set_at(&m, "bad", "raw/cpu.tsv", 7, "has \"%s\"", "x");
	prints(&m, "prog: raw/cpu.tsv:7: error: bad: has \"x\"\n");
	m.line = 0;
	m.level = MSG_WARNING;
	prints(&m, "prog: raw/cpu.tsv: warning: bad: has \"x\"\n");
	m.path[0] = '\0';
	m.level = MSG_NOTE;
	m.line = 9;
	prints(&m, "prog: note: bad: has \"x\"\n");
	m.id = NULL;
	prints(&m, "prog: note: has \"x\"\n");
	msg_set_at(&m, "bad", "a\nb\\\033[m\xff", 0, "c\nd\\e\xff");
	prints(&m, "prog: a\\x0ab\\x5c\\x1b[m\\xff: error: bad: "
	    "c\\x0ad\\e\\xff\n");
}

static void
test_bounds(void)
{
	char big[5000];
	struct msg m;

	memset(big, 'p', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	msg_set_at(&m, "x", big, 1, "%s", big);
	CHECK_INT(strlen(m.path), MSG_PATH_SIZE - 1);
	CHECK_STR(m.path + MSG_PATH_SIZE - 4, "...");
	CHECK_INT(strlen(m.text), MSG_TEXT_SIZE - 1);
	memset(big, '\n', sizeof(big) - 1);
	msg_set_at(&m, "x", big, 1, "%s", big);
	msg_print(stderr, "prog", &m);
	msg_within(&m, "dir");
	CHECK(strlen(m.path) < MSG_PATH_SIZE);
	msg_set_at(&m, "x", "f", 1, "t");
	msg_within(&m, "dir");
	CHECK_STR(m.path, "dir/f");
	m.path[0] = '\0';
	msg_within(&m, "dir");
	CHECK_STR(m.path, "dir");
	msg_within(&m, big);
	CHECK_STR(m.path, ".../dir");
}

static int
stop(void *arg, const struct msg *m)
{
	*(const char **)arg = m->id;
	return 5;
}

static void
test_sink(void)
{
	const char *id = NULL;
	struct msg_sink s = { stop, &id }, none = { NULL, NULL };

	CHECK_INT(msg_emit(&s, MSG_ERROR, "the-id", "p", 1, "t"), 5);
	CHECK_STR(id, "the-id");
	CHECK_INT(msg_emit(&none, MSG_ERROR, "x", "p", 1, "t"), 0);
	CHECK_INT(msg_emit(NULL, MSG_ERROR, "x", "p", 1, "t"), 0);
}

int
main(void)
{
	test_set();
	test_print();
	test_bounds();
	test_sink();
	return unit_end();
}
