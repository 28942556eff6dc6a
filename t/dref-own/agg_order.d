/* order: by value, equal values by key; each aggregation in its turn */
#pragma D option quiet

BEGIN
{
	@z["x"] = sum(2); @z["w"] = sum(2); @z["y"] = sum(-9);
	@y[3, "b"] = max(1); @y[3, "a"] = max(1); @y[2, "c"] = max(1);
	@x = count();
	exit(0);
}
