/*
 * What the files of fold share. Ownership: see fold.h.
 */
#ifndef LIBDT_FOLD_IMPL_H
#define LIBDT_FOLD_IMPL_H

#include "libdt/fold.h"

/* Those fold_new() was given; the fold's. */
const struct fold_opt *fold_options(const struct fold *f);
/* The frame can only be the kernel's: by its module or its address. */
bool fold_kernel_frame(const char *s, size_t n);

#endif
