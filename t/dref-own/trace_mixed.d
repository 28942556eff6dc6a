/* not quiet: what stands on a record's line, and the newline after it */
BEGIN { }
BEGIN { printf("no newline"); }
BEGIN { printf("newline\n"); }
BEGIN { printf("%d,", 1); trace(2); printf(",%d", 3); }
BEGIN { x = 1; }
BEGIN { @c = count(); }
BEGIN { printa(@c); printa("<%@d>", @c); }
BEGIN { exit(0); }
