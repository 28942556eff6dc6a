/* a variable declared with a storage class and no type is an int */
#pragma D option quiet

self x, y;
this z;
extern w;

BEGIN
{
	self->x = 1 << 31;
	self->y = 3;
	this->z = -1;
	w = sizeof(self->x) + sizeof(this->z);
	printf("%d %d %d %d %d\n", self->x, self->y, this->z, w, sizeof(w));
	exit(0);
}
