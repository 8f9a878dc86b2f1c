/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/allocate.h"

#include "base/ending.h"
#include "base/error.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

_Noreturn void mnp_out_of_memory(size_t bytes)
{
    fprintf(stderr, "maniple: out of memory (%zu bytes wanted); free memory or simulate a smaller machine\n", bytes);
    mnp_end_inside(MNP_EXIT_USER);
}

_Noreturn void mnp_no_memory(const char *for_what)
{
    fprintf(stderr, "maniple: out of memory (wanted for %s); free memory or simulate a smaller machine\n", for_what);
    mnp_end_inside(MNP_EXIT_USER);
}

void *mnp_allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (!block)
        mnp_out_of_memory(count * size);
    return block;
}

void *mnp_allocate_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        mnp_out_of_memory(bytes);
    return pages;
}

void mnp_release_pages(void *pages, size_t bytes)
{
    if (bytes)
        munmap(pages, bytes);
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
