BEGIN { printf("%x\n", (char *)0); }
