/* SPDX-License-Identifier: BSD-3-Clause */
#include "mathlib/sparse/expansion.h"
#include "mathlib/common/kernels.h"
#include "mathlib/sparse/scan.h"

#include <stdio.h>

/* Letters of the kernels, bytes of a number, and its type as a scalar, by cudaDataType. */
static const struct {
    char letter;
    unsigned char bytes;
    enum mathlib_type scalar;
} types[] = {[0] = {'s', 4, MATHLIB_F32},
             [1] = {'d', 8, MATHLIB_F64},
             [4] = {'c', 8, MATHLIB_C32},
             [5] = {'z', 16, MATHLIB_C64}};

unsigned sparse_expansion_bytes(int type)
{
    return type >= 0 && type < (int)(sizeof types / sizeof *types) ? types[type].bytes : 0;
}

enum mathlib_type sparse_expansion_type(int type)
{
    return types[type].scalar;
}

bool sparse_expansion_launch(struct mathlib_kernels *kernels, const struct sparse_expansion *expansion, int type,
                             const char *what, long long blocks)
{
    char name[48];
    struct mathlib_grid grid = {.x = blocks, .threads = 256};
    if (type < 0)
        snprintf(name, sizeof name, "maniple_expansion_%s", what);
    else
        snprintf(name, sizeof name, "maniple_expansion_%c_%s", types[type].letter, what);
    return !blocks || mathlib_launch(kernels, "expansion", name, grid, expansion);
}

long long sparse_expansion_sort(struct mathlib_kernels *kernels, const struct sparse_expansion *expansion)
{
    bool good = sparse_expansion_launch(kernels, expansion, -1, "sort", expansion->rows) &&
                sparse_expansion_launch(kernels, expansion, -1, "columns", mathlib_blocks(expansion->rows, 8));
    return good ? sparse_scan(kernels, expansion->sizes, expansion->rows) : -1;
}

size_t sparse_expansion_buffer(struct sparse_expansion *expansion, long long count, unsigned bytes, void *buffer)
{
    size_t words = ((size_t)count + (size_t)expansion->rows + 2) / 2 * 2; /* a multiple of the largest number's bytes */
    expansion->keys = buffer;
    expansion->sizes = buffer ? (long long *)(expansion->keys + count) : NULL;
    expansion->numbers = buffer ? expansion->keys + words : NULL;
    return words * sizeof *expansion->keys + (size_t)count * bytes;
}
