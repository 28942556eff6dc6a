/* const.c - constants that a D program knows without declaring them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <net/if_arp.h>

#include "trace/ident.h"
#include "trace/prog.h"
#include "trace/regs.h"

static const struct { const char *name; int value; } known[] = {
#define K(name) { #name, name },
#define KV(name, value) { #name, value },
#include "trace/const.def"
#undef K
#undef KV
};

bool
const_lookup(const char *name, int64_t *value)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].name, name) == 0) {
			*value = known[i].value;
			return true;
		}
	return false;
}
