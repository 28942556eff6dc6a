/* paths of the process and of its open files */
#pragma D option quiet

BEGIN { printf("%s %s\n", root, basename(cwd)); }
BEGIN { printf("%s %s\n", fds[0].fi_pathname, fds[0].fi_name); }
BEGIN { printf("%s %s\n", fds[0].fi_dirname, fds[5000].fi_pathname); }
BEGIN { printf("%s\n", d_path(&curthread->fs->root)); exit(0); }
