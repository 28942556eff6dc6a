#include "trace/lowrt.h"
void
rt_more(struct lower *l, enum rtfn which)
{
	(void)which;
	low_nomem(l);
}
