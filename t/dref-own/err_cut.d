BEGIN { printf("%-8", 1); }
