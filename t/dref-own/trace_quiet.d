/* trace: bare values in quiet mode */
#pragma D option quiet

BEGIN
{
	trace((int8_t)-1); trace(","); trace((uint16_t)65535); trace(",");
	trace(-70000); trace(","); trace((uint64_t)-1); trace(",");
	trace(""); trace("|"); trace("caf\303\251"); trace("\n");
	exit(0);
}
