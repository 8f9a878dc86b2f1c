/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/allocate.h"

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void mnp_out_of_memory(size_t bytes)
{
    fprintf(stderr, "maniple: out of memory (%zu bytes wanted); free memory or simulate a smaller machine\n", bytes);
    exit(MNP_EXIT_USER);
}

void *mnp_allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (!block)
        mnp_out_of_memory(count * size);
    return block;
}

void *mnp_reallocate(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        mnp_out_of_memory(SIZE_MAX);
    block = realloc(block, bytes ? bytes : 1);
    if (!block)
        mnp_out_of_memory(bytes);
    return block;
}
