/* a translator and an inline that the program declares */
#pragma D option quiet

struct pair { int first; short second; };
struct view { int sum; string kind; struct pair *raw; };
translator struct view < struct pair *P > {
	sum = P->first + P->second;
	kind = P->first > P->second ? "falls" : "rises";
	raw = P;
};
inline int twice[int n] = n + n;
BEGIN
{
	p = (struct pair *)alloca(sizeof (struct pair));
	p->first = 40;
	p->second = 2;
	printf("%d %s %d\n", xlate <struct view *>(p)->sum,
	    xlate <struct view>(p).kind, xlate <struct view *>(p)->raw->first);
	p->second = 60;
	printf("%s %d\n", xlate <struct view *>(p)->kind,
	    twice[xlate <struct view *>(p)->sum]);
	exit(0);
}
