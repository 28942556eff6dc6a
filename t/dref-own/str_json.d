/* json(): members, elements, whole containers, what is not there */
#pragma D option quiet

inline string J = "{ \"a\": {\"b\":[1,2,\"z\", {\"c\" : -4.5e3}]}, \"s\":\"q\\\"r\", \"t\":true , \"e\":[], \"last\": 9 }";

BEGIN
{
	printf("[%s] [%s] [%s]\n", json(J, "a.b[0]"), json(J, "a.b[2]"),
	    json(J, "a.b[3].c"));
	printf("[%s] [%s] [%s]\n", json(J, "s"), json(J, "t"),
	    json(J, "last"));
	printf("[%s] [%s]\n", json(J, "a.b"), json(J, "e"));
	printf("[%s]\n", json(J, "a"));
	printf("%d %d %d %d\n", json(J, "x") == NULL, json(J, "a.x") == NULL,
	    json(J, "a.b[4]") == NULL, json(J, "s.t") == NULL);
	printf("%d %d %d\n", json("", "a") == NULL, json("{", "a") == NULL,
	    json("{\"ab\":1}", "a") == NULL);
	printf("[%s] [%s]\n", json("[10, [20, 30]]", "1.1"),
	    json("{\"ab\":1,\"abc\":2}", "abc"));
	exit(0);
}
