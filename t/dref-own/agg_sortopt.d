/* setopt changes the order of later prints */
#pragma D option quiet

BEGIN
{
	@a["m", 4] = sum(2); @a["k", 9] = sum(3); @a["z", 1] = sum(1);
}
END
{
	printa("%s%d=%@d ", @a); printf("\n");
	setopt("aggsortrev");
	printa("%s%d=%@d ", @a); printf("\n");
	setopt("aggsortkey");
	printa("%s%d=%@d ", @a); printf("\n");
	setopt("aggsortkeypos", "1");
	printa("%s%d=%@d ", @a); printf("\n");
}
BEGIN { exit(0); }
