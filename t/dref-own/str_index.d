/* a string's characters by index; past the end of it, of strsize */
#pragma D option quiet

BEGIN
{
	s = "ABC";
	self->t = "xyz";
	this->u = "QRS";
	a[1] = "mno";
	i = 1;
	printf("%c %c %c %c\n", s[0], self->t[i], this->u[i + 1], a[1][2]);
	printf("%d %d %d\n", s[3], s[200], s[1]);
	printf("%c %c %d\n", probename[0], substr(s, 1)[0], "\377"[0]);
	printf("%d\n", curlwpsinfo->pr_name[0] == execname[0]);
	printf("%d\n", s[i] == 'B' && sizeof(s[0]) == 1);
}
BEGIN { trace(s[1000]); }
BEGIN { trace(s[-1]); }
BEGIN { trace(a[2][0]); }
BEGIN { exit(0); }
ERROR { printf("%d\n", arg4); }
