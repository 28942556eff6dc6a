/*
 * A fuzz target: t/fuzz-NAME.c defines the one function. With
 * --enable-fuzzer libFuzzer drives it (`t/fuzz-NAME t/corpus/NAME`); else
 * t/fuzz-main.c does, for a short and repeatable run in `make check`.
 */
#ifndef T_FUZZ_H
#define T_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process with a core: what must hold does not. */
#define FUZZ_MUST(e)	do { if (!(e)) __builtin_trap(); } while (0)

#endif
