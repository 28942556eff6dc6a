/* characters of string variables are assigned by index */
#pragma D option quiet

BEGIN
{
	s = "abc";
	self->t = "xyz";
	this->u = "QRS";
	a[1] = "mno";
	i = 1;
	s[0] = 'A';
	self->t[i] = 'Y';
	this->u[i + 1] = '!';
	a[i][2] = 'O';
	printf("%s %s %s %s\n", s, self->t, this->u, a[1]);
	this->u[i] = '\0';
	s[2] = 0;
	printf("[%s] [%s] %d %d\n", this->u, s, strlen(this->u), strlen(s));
	s[2] = '+';
	printf("%s %c\n", s, s[1] = 'x');
	printf("%s %d\n", strjoin(s, s), s == "Ax+");
	@[s] = count();
	this->u[1] = 0;
	b[this->u] = 7;
	printf("%d\n", b["Q"]);
	s = "long: the text is cut short like this";
	s[8] = s[9] = s[10] = '.';
	s[11] = '\0';
	printf("%s\n", s);
}
BEGIN { s[1000] = 'x'; }
BEGIN { s[-1] = 'x'; }
BEGIN { a[2][0] = 'x'; }
BEGIN { exit(0); }
ERROR { printf("%d\n", arg4); }
