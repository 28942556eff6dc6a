/* macro.c - macro arguments and macro variables. */
#include <string.h>
#include <unistd.h>

#include "trace/macro.h"

enum mvar { MV_EGID, MV_EUID, MV_GID, MV_PID, MV_PGID, MV_PPID, MV_PROJID,
	    MV_SID, MV_TARGET, MV_TASKID, MV_UID };

/* projects and tasks do not exist here: 0, as in the other Linux ports */
static const struct { const char *name; enum mvar var; } var[] = {
	{ "egid", MV_EGID }, { "euid", MV_EUID }, { "gid", MV_GID },
	{ "pid", MV_PID }, { "pgid", MV_PGID }, { "ppid", MV_PPID },
	{ "projid", MV_PROJID }, { "sid", MV_SID }, { "target", MV_TARGET },
	{ "taskid", MV_TASKID }, { "uid", MV_UID },
};

static int64_t
value_of(const struct macros *m, enum mvar v)
{
	switch (v) {
	case MV_EGID:	return getegid();
	case MV_EUID:	return geteuid();
	case MV_GID:	return getgid();
	case MV_PID:	return getpid();
	case MV_PGID:	return getpgid(0);
	case MV_PPID:	return getppid();
	case MV_SID:	return getsid(0);
	case MV_TARGET:	return m->target;
	case MV_UID:	return getuid();
	case MV_PROJID: case MV_TASKID:	break;
	}
	return 0;
}

int
macro_var(const struct macros *m, const char *name, int64_t *value)
{
	for (size_t i = 0; i < sizeof(var) / sizeof(*var); i++) {
		if (strcmp(var[i].name, name) != 0)
			continue;
		if (var[i].var == MV_TARGET && !m->has_target)
			return -1;
		*value = value_of(m, var[i].var);
		return 0;
	}
	return -1;
}

const char *
macro_arg(struct macros *m, unsigned long n, bool str)
{
	if (n < MACRO_MAXARG && n < (unsigned long)m->argc) {
		m->used[n] = true;
		return m->argv[n];
	}
	return !m->defaultargs ? NULL : str ? "" : "0";
}

int
macro_unused(const struct macros *m)
{
	for (int i = 1; i < m->argc && i < MACRO_MAXARG; i++)
		if (!m->used[i])
			return i;
	return 0;
}
