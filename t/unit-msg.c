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
}

int
main(void)
{
	test_set();
	return unit_end();
}
