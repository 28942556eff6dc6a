/* vtimestamp: cpu time of the thread, which grows */
#pragma D option quiet

BEGIN { self->v = vtimestamp; printf("%d\n", self->v > 0); }
BEGIN { printf("%d\n", vtimestamp >= self->v); exit(0); }
