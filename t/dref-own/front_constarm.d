/* of a statement whose condition is constant only the chosen arm counts */
#pragma D option quiet

inline int OPT_time = 0;
inline int OPT_sum = 1;

BEGIN
{
	OPT_time ? printf("%s\n", not_here) : 1;
	OPT_time == 0 && OPT_sum ? printf("sum\n") : printf("none\n");
	OPT_sum ? @a["x"] = sum(3) : 1;
	OPT_sum ? (OPT_time ? trunc(@a) : printf("nested\n")) : 1;
	!OPT_sum ? 1 : printf("%s\n", OPT_sum ? "text" : "");
	exit(OPT_time ? 1 : 0);
}
END { OPT_sum ? printa("%s %@d\n", @a) : 1; }
