/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix product, offloaded and checked against the guest's own. Arguments: cores (0: the machine's), rows (4096). */
#include "offload.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 100, RESERVED = 1536, PRIVATE = 0x100000 };

static void fill(int32_t *to, uint32_t count, uint32_t seed)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = (int32_t)(offload_random(&seed) & 0xff) - 128;
}

/* The check's product is that of another order of loops, in the guest. */
static uint32_t count_wrong(const int32_t *a, const int32_t *b, const int32_t *c, uint32_t rows)
{
    uint32_t wrong = 0;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t j = 0; j < N; j++) {
            int32_t sum = 0;
            for (uint32_t i = 0; i < N; i++)
                sum += a[row * N + i] * b[i * N + j];
            wrong += sum != c[row * N + j];
        }
    return wrong;
}

int main(int argc, char **argv)
{
    static struct offload offload;
    uint32_t cores = argc > 1 ? offload_number(argv[1], "cores", 0) : 0,
             rows = argc > 2 ? offload_number(argv[2], "rows", 1) : 4096;
    offload_open(&offload);
    cores = cores ? cores : offload.device.welcome.cores;
    uint32_t piece = (rows + cores - 1) / cores * N * 4;
    int32_t *a = offload_memory(&offload, (uint64_t)rows * N * 4),
            *c = offload_memory(&offload, (uint64_t)rows * N * 4);
    int32_t *b = offload_memory(&offload, N * N * 4);
    fill(a, rows * N, 1);
    fill(b, N * N, 2);
    struct mnp_buffer buffers[] = {
        {a, (size_t)rows * N * 4, RESERVED, piece, MNP_OFFLOAD_IN | MNP_OFFLOAD_SPREAD},
        {c, (size_t)rows * N * 4, RESERVED + piece, piece, MNP_OFFLOAD_OUT | MNP_OFFLOAD_SPREAD},
        {b, N * N * 4, PRIVATE, 0, MNP_OFFLOAD_IN | MNP_OFFLOAD_PRIVATE},
    };
    char text[64];
    snprintf(text, sizeof text, "product %u %d", rows, N);
    struct mnp_launch launch = {.text = text, .cores = cores, .buffers = buffers, .buffer_count = 3};
    struct mnp_result result;
    offload_load(&offload, "product", &launch);
    offload_run(&offload, &launch, &result);
    uint32_t wrong = count_wrong(a, b, c, rows);
    printf("matrix product, %u rows on %u cores: %s (%u of %u elements wrong)\n", rows, cores,
           wrong || result.host.program_status ? "WRONG" : "right", wrong, rows * N);
    offload_close(&offload, "matmul");
    return wrong != 0 || result.host.program_status != 0;
}
