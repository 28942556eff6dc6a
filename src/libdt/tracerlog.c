/* Lines of a tracer's stderr: drops and complaints. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "libdt/tracerlog.h"

uint64_t
tracerlog_drops(const char *line)
{
	const char *s = strstr(line, " drops on CPU ");
	uint64_t n = 0;

	if (s == NULL)
		s = strstr(line, " drop on CPU ");
	if (s == NULL)
		return 0;
	while (s > line && s[-1] >= '0' && s[-1] <= '9')
		s--;
	while (*s >= '0' && *s <= '9' && n < UINT64_MAX / 10 - 1)
		n = n * 10 + (uint64_t)(*s++ - '0');
	return n;
}

bool
tracerlog_complaint(const char *line)
{
	static const char *const signs[] = { "error on enabled probe",
		": error in ", "dynamic variable drop", "aggregation drop",
		"speculative drop", "error message drop", "ERR:",
		"failed to" };
	size_t i;

	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strstr(line, signs[i]) != NULL)
			return true;
	return false;
}
