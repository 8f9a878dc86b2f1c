/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

enum { M, N, K, TYPE, TILE, BLOCKS, PAIR };
enum { ROWS = 128, STAGES = 4, THREADS = 192 };

static void tcgemm_run(struct app_run *run)
{
    static const char *const kernels[2][3] = {{"tcgemm_f16", "tcgemm_f16_wide", "tcgemm_f16_pair"},
                                              {"tcgemm_fp8", "tcgemm_fp8_wide", "tcgemm_fp8_pair"}};
    uint32_t m = run->sizes[M], n = run->sizes[N], k = run->sizes[K], bytes = run->sizes[TYPE] ? 1 : 2;
    uint32_t pair = run->sizes[PAIR], tile = run->sizes[TILE] || pair ? 256 : 128, together = 1 + pair;
    uint32_t rows = ROWS * together, columns = tile / together; /* of a tile; of it that a block fetches */
    const char *kernel = kernels[run->sizes[TYPE]][pair ? 2 : run->sizes[TILE]];
    int8_t *a = app_host(run, (size_t)m * k, 1), *b = app_host(run, (size_t)n * k, 1);
    if (k * bytes % 128)
        app_stop(run, 2, "--k: its numbers fill whole rows of 128 bytes; take a multiple of %u", 128 / bytes);
    if (n % tile)
        app_stop(run, 2, "--n: whole tiles are needed; take a multiple of %u", tile);
    if (m % rows)
        app_stop(run, 2, "--m: whole tiles are needed; take a multiple of %u", rows);
    CUtensorMap of_a = app_operand_map(run, app_quarters_matrix(run, (size_t)m * k, bytes, a), m, k, ROWS, bytes);
    CUtensorMap of_b = app_operand_map(run, app_quarters_matrix(run, (size_t)n * k, bytes, b), n, k, columns, bytes);
    CUdeviceptr d = app_device(run, (size_t)m * n * sizeof(float));
    uint32_t tiles = m / rows * (n / tile), most = run->sizes[BLOCKS] / together;
    struct app_shape shape = {.grid = {together * (most && most < tiles ? most : tiles), 1, 1},
                              .block = {THREADS, 1, 1},
                              .shared_bytes = STAGES * (ROWS + columns) * 128,
                              .cluster = {pair ? 2 : 0, pair, pair}};
    app_shared(run, kernel, shape.shared_bytes);
    app_launch(run, kernel, shape, &of_a, &of_b, &d, &m, &n, &k);
    app_check_product(run, &(struct app_product){m, n, k, 1, a, b, d, false});
}

const struct app app_tcgemm = {
    .name = "tcgemm",
    .suite = "CUTLASS",
    .summary = "a product of matrices with its sums in tensor memory",
    .stresses =
        ("The asynchronous units of Blackwell: one thread feeds a ring of four stages in shared memory through "
         "the tensor memory accelerator, another issues products out of it (tcgen05.mma, 128 rows and 128 or 256 "
         "columns), whose commits say which stages are empty, and four warps read the sums of a tile out of "
         "tensor memory while those of the next one are made. With --pair two blocks on neighbouring SMs make tiles of "
         "256 x 256 together, each of which fetches half of either matrix (cta_group::2). It needs a machine of "
         "compute capability 10.0."),
    .tolerance = "exact",
    .sizes = {{"m", 256, ROWS, 1 << 16, ROWS, "rows of the product", NULL},
              {"n", 256, ROWS, 1 << 16, ROWS, "columns of the product", NULL},
              {"k", 512, 64, 1 << 16, 64, "numbers that are summed up", NULL},
              {"type", 0, 0, 1, 0, "of the numbers", "f16 e4m3"},
              {"tile", 0, 0, 1, 0, "columns of a tile", "128 256"},
              {"blocks", 148, 1, 1 << 16, 0, "that stay, at most: more than the SMs wait for tensor memory", NULL},
              {"pair", 0, 0, 1, 0, "of blocks, which make tiles of 256 x 256 together", NULL}},
    .run = tcgemm_run};
