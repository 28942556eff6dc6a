/* keys: columns by type, negative and large ones, strings of any bytes */
#pragma D option quiet

BEGIN
{
	@a[(int8_t)-1] = count(); @b[(uint16_t)65535] = count();
	@c[-5] = count(); @d[(int64_t)-5] = count();
	@e["key", 1, "two"] = count(); @f["\303\251t\303\251"] = count();
	@g[""] = count(); @h[(uint8_t)1, (int16_t)2, 3, (uint64_t)4] = count();
	exit(0);
}
