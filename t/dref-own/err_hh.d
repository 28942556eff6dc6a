BEGIN { printf("%hhd\n", (char)1); }
