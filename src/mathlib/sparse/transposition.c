/* SPDX-License-Identifier: BSD-3-Clause */
/* CSR to CSC (cusparseCsr2cscEx2). */
#include "mathlib/sparse/transposition.h"
#include "mathlib/sparse/handle.h"

enum {
    THREADS = 256,
    CHUNKS = 64, /* limits: number of chunks, of at least LEAST numbers each, with at most CELLS counts in total */
    LEAST = 256,
    CELLS = 1 << 22
};

static int chunks_of(int columns, int count)
{
    long long chunks = mathlib_blocks(count, LEAST), fit = CELLS / (columns > 0 ? columns : 1);
    chunks = chunks < CHUNKS ? chunks : CHUNKS;
    chunks = chunks < fit ? chunks : fit;
    return chunks < 1 ? 1 : (int)chunks;
}

/* Bytes of a value, by cudaDataType; 0: cuSPARSE does not transpose these. */
static int size_of(int type)
{
    static const unsigned char sizes[] = {4, 8, 2, 1, 8, 16, 4, [14] = 2, 4};
    return type >= 0 && type < (int)sizeof sizes ? sizes[type] : 0;
}

static int checked(cusparseHandle_t h, int rows, int columns, int count, int type, int action, int base)
{
    if (!h)
        return SPARSE_NOT_INITIALIZED;
    if (rows < 0 || columns < 0 || count < 0 || action < 0 || action > 1 || base < 0 || base > 1)
        return SPARSE_INVALID_VALUE;
    return size_of(type) ? SPARSE_SUCCESS : SPARSE_NOT_SUPPORTED;
}

MATHLIB_API int cusparseCsr2cscEx2_bufferSize(cusparseHandle_t h, int rows, int columns, int count, const void *values,
                                              const int *offsets, const int *across, void *to_values, int *to_offsets,
                                              int *to_across, int type, int action, int base, int algorithm,
                                              size_t *bytes)
{
    (void)values, (void)offsets, (void)across, (void)to_values, (void)to_offsets, (void)to_across, (void)algorithm;
    int status = checked(h, rows, columns, count, type, action, base);
    if (status != SPARSE_SUCCESS || !bytes)
        return status != SPARSE_SUCCESS ? status : SPARSE_INVALID_VALUE;
    *bytes = ((size_t)chunks_of(columns, count) * (size_t)columns + 1) * sizeof(int);
    return SPARSE_SUCCESS;
}

MATHLIB_API int cusparseCsr2cscEx2(cusparseHandle_t h, int rows, int columns, int count, const void *values,
                                   const int *offsets, const int *across, void *to_values, int *to_offsets,
                                   int *to_across, int type, int action, int base, int algorithm, void *buffer)
{
    (void)algorithm; /* both algorithms give the same result: rows within a column are in ascending order */
    int status = checked(h, rows, columns, count, type, action, base);
    if (status != SPARSE_SUCCESS)
        return status;
    if (!to_offsets || !buffer || (count && (!offsets || !across || !to_across)) ||
        (count && action && (!values || !to_values)))
        return SPARSE_INVALID_VALUE;
    struct sparse_transposition p = {.offsets = offsets,
                                     .across = across,
                                     .values = values,
                                     .to_offsets = to_offsets,
                                     .to_across = to_across,
                                     .to_values = to_values,
                                     .counts = buffer,
                                     .rows = rows,
                                     .columns = columns,
                                     .count = count,
                                     .base = base,
                                     .chunks = chunks_of(columns, count),
                                     .size = action ? size_of(type) : 0};
    p.each = (int)mathlib_blocks(mathlib_blocks(count, p.chunks), 32) * 32;
    const struct {
        const char *kernel;
        long long blocks;
        unsigned threads;
    } steps[] = {{"maniple_sp_clear", mathlib_blocks((long long)p.chunks * columns, THREADS), THREADS},
                 {"maniple_sp_count", count ? p.chunks : 0, 32},
                 {"maniple_sp_before", mathlib_blocks(columns, THREADS), THREADS},
                 {"maniple_sp_offsets_of_counts", 1, THREADS},
                 {"maniple_sp_place", count ? p.chunks : 0, 32}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct mathlib_grid grid = {.x = steps[i].blocks, .threads = steps[i].threads};
        if (grid.x && !mathlib_launch(&h->kernels, "transposition", steps[i].kernel, grid, &p))
            return SPARSE_EXECUTION_FAILED;
    }
    return SPARSE_SUCCESS;
}
