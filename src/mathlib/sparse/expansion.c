/* SPDX-License-Identifier: BSD-3-Clause */
#include "mathlib/sparse/expansion.h"
#include "mathlib/common/kernels.h"
#include "mathlib/sparse/scan.h"

#include <stdio.h>

/* Letters of the kernels and bytes of a number, by cudaDataType. */
static const struct {
    char letter;
    unsigned char bytes;
} types[] = {[0] = {'s', 4}, [1] = {'d', 8}, [4] = {'c', 8}, [5] = {'z', 16}};

unsigned sparse_expansion_bytes(int type)
{
    return type >= 0 && type < (int)(sizeof types / sizeof *types) ? types[type].bytes : 0;
}

struct mathlib_scalar sparse_expansion_scalar(int type, const void *value)
{
    const double *d = value;
    const float *f = value;
    bool doubles = type == 1 || type == 5, complex = type >= 4;
    struct mathlib_scalar scalar = {.re = doubles ? d[0] : f[0]};
    if (complex)
        scalar.im = doubles ? d[1] : f[1];
    return scalar;
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
