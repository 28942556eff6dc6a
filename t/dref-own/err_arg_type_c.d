BEGIN { printf("%c\n", 1LL); }
