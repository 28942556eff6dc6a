/* cwd and root: paths over mounts */
#pragma D option quiet

BEGIN { printf("%s %s\n", root, basename(cwd)); exit(0); }
