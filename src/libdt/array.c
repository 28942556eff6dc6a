/* Arrays that grow. */
#include <stdlib.h>
#include <string.h>

#include "libdt/array.h"

#define FIRST	16	/* elements */

int
array_grow(void *array, size_t *cap, size_t size)
{
	size_t more = *cap > 0 ? *cap * 2 : FIRST;
	void *v;

	/* whatever it points to: a copy of the pointer is the same */
	memcpy(&v, array, sizeof(v));
	if ((v = reallocarray(v, more, size)) == NULL)
		return -1;
	memcpy(array, &v, sizeof(v));
	*cap = more;
	return 0;
}
