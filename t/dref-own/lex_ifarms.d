/* if and else: what did not run is not printed, nested or not */
BEGIN
{
	this->a = 1;
	if (this->a > 2) {
		printf("no\n");
		if (this->a)
			printf("no2\n");
	} else {
		printf("yes\n");
		if (this->a == 0) {
			printf("no3\n");
		} else
			printf("yes2\n");
	}
}
BEGIN { if (0) { printf("never"); } }
BEGIN { if (probename == "BEGIN") trace(5); }
BEGIN { exit(0); }
