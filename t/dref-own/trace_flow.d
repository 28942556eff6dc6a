/* -F: one header, names after bars for what is neither entry nor return */
BEGIN { trace("one"); }
BEGIN { printf("two"); exit(0); }
END { trace(3); }
