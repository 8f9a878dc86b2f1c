/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

#include <stdio.h>

enum { M, N, K, TYPE, TILE, BLOCKS, PAIR, RESULT, STORE };
enum { ROWS = 128, THREADS = 192 };
enum { SHARED = 231424, MOST_STAGES = 8, BUFFERS = 2 * ROWS * 128 }; /* as in tcgemm.cu */

/* Bytes of shared memory: as many stages as there is room for, and boxes of sums. */
static uint32_t shared_bytes(uint32_t columns, bool boxes)
{
    uint32_t stage = (ROWS + columns) * 128, buffers = boxes ? BUFFERS : 0, room = (SHARED - buffers) / stage;
    return (room < MOST_STAGES ? room : MOST_STAGES) * stage + buffers;
}

/* Ends the program where the sizes do not fit each other. */
static void check_sizes(struct app_run *run, uint32_t bytes, uint32_t rows, uint32_t tile)
{
    if (run->sizes[K] * bytes % 128)
        app_stop(run, 2, "--k: its numbers fill whole rows of 128 bytes; take a multiple of %u", 128 / bytes);
    if (run->sizes[N] % tile)
        app_stop(run, 2, "--n: whole tiles are needed; take a multiple of %u", tile);
    if (run->sizes[M] % rows)
        app_stop(run, 2, "--m: whole tiles are needed; take a multiple of %u", rows);
    if (run->sizes[TYPE] && (run->sizes[RESULT] || run->sizes[STORE]))
        app_stop(run, 2, "--type e4m3 has results in single precision, stored by threads");
}

/* The product, which leaves in boxes of 128 rows of 128 bytes. */
static CUtensorMap map_of_product(struct app_run *run, CUdeviceptr address, uint32_t bytes)
{
    return app_operand_map(run, address, run->sizes[M], run->sizes[N], ROWS, bytes);
}

static void tcgemm_run(struct app_run *run)
{
    uint32_t m = run->sizes[M], n = run->sizes[N], k = run->sizes[K], bytes = run->sizes[TYPE] ? 1 : 2;
    uint32_t pair = run->sizes[PAIR], tile = run->sizes[TILE] ? 256 : 128, together = 1 + pair;
    uint32_t rows = ROWS * together, columns = tile / together; /* of a tile; of it that a block fetches */
    uint32_t result = run->sizes[RESULT] ? 2 : 4;               /* bytes */
    bool boxes = run->sizes[STORE];
    char kernel[64];
    snprintf(kernel, sizeof kernel, "tcgemm_%s%s%s%s_%u", run->sizes[TYPE] ? "fp8" : "f16",
             result == 2 ? "_halves" : "", boxes ? "_boxes" : "", pair ? "_pair" : "", tile);
    int8_t *a = app_host(run, (size_t)m * k, 1), *b = app_host(run, (size_t)n * k, 1);
    check_sizes(run, bytes, rows, tile);
    CUtensorMap of_a = app_operand_map(run, app_quarters_matrix(run, (size_t)m * k, bytes, a), m, k, ROWS, bytes);
    CUtensorMap of_b = app_operand_map(run, app_quarters_matrix(run, (size_t)n * k, bytes, b), n, k, columns, bytes);
    CUdeviceptr d = app_device(run, (size_t)m * n * result);
    CUtensorMap of_d = map_of_product(run, d, result);
    uint32_t tiles = m / rows * (n / tile), most = run->sizes[BLOCKS] / together;
    struct app_shape shape = {.grid = {together * (most && most < tiles ? most : tiles), 1, 1},
                              .block = {THREADS, 1, 1},
                              .shared_bytes = shared_bytes(columns, boxes),
                              .cluster = {pair ? 2 : 0, pair, pair}};
    app_shared(run, kernel, shape.shared_bytes);
    app_launch(run, kernel, shape, &of_a, &of_b, &of_d, &d, &m, &n, &k);
    app_check_product(run, &(struct app_product){m, n, k, 1, a, b, d, result == 2});
}

const struct app app_tcgemm = {
    .name = "tcgemm",
    .suite = "CUTLASS",
    .summary = "a product of matrices with its sums in tensor memory",
    .stresses =
        ("The asynchronous units of Blackwell: one thread feeds a ring of stages in shared memory through "
         "the tensor memory accelerator, another issues products out of it (tcgen05.mma, 128 rows and 128 or 256 "
         "columns), whose commits say which stages are empty, and four warps read the sums of a tile out of "
         "tensor memory while those of the next one are made. With --pair two blocks on neighbouring SMs make tiles of "
         "256 rows together, each of which fetches half of either matrix (cta_group::2); with --store boxes sums leave "
         "through shared memory and the accelerator. It needs a machine of compute capability 10.0."),
    .tolerance = "exact",
    .sizes = {{"m", 256, ROWS, 1 << 16, ROWS, "rows of the product", NULL},
              {"n", 256, ROWS, 1 << 16, ROWS, "columns of the product", NULL},
              {"k", 512, 64, 1 << 16, 64, "numbers that are summed up", NULL},
              {"type", 0, 0, 1, 0, "of the numbers", "f16 e4m3"},
              {"tile", 0, 0, 1, 0, "columns of a tile", "128 256"},
              {"blocks", 148, 1, 1 << 16, 0, "that stay, at most: more than the SMs wait for tensor memory", NULL},
              {"pair", 0, 0, 1, 0, "of blocks, which make tiles of 256 rows together", NULL},
              {"result", 0, 0, 1, 0, "of the product", "f32 f16"},
              {"store", 0, 0, 1, 0, "of it: by threads, or in boxes by the accelerator", "threads boxes"}},
    .run = tcgemm_run};
