/* trace: one column a value, as wide as its type can need */
BEGIN { trace((int8_t)-128); trace((uint8_t)255); }
BEGIN { trace((int16_t)-32768); trace((uint16_t)65535); }
BEGIN { trace((int32_t)-2147483647); trace((uint32_t)4294967295); }
BEGIN { trace((int64_t)-9223372036854775807); trace((uint64_t)-1); }
BEGIN { trace(1); trace("text"); trace(2); exit(0); }
