/* if and else, which newer documentation describes */
#pragma D option quiet

int n; int hits[string];
BEGIN
{
	n = 3;
	if (n > 5) {
		printf("more\n");
	} else if (n == 3)
		printf("three\n");
	else {
		printf("less\n");
	}
	if (n) if (n > 2) hits["deep"]++; else hits["shallow"]++;
	if (!n) { @a["no"] = count(); } else { @a["yes"] = count(); }
	printf("%d %d\n", hits["deep"], hits["shallow"]);
	exit(0);
}
