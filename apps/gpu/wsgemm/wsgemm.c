/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

enum { M, N, K, TYPE, TILE, CLUSTER, RESULT, BLOCKS, BATCH };
enum { ROWS = 128, BUFFERS = 4 * 64 * 128 /* bytes */, THREADS = 384 };

struct work { /* as in wsgemm.cu */
    uint32_t tiles, across, down, steps, halves;
};

/* The product, which leaves in boxes of 64 rows of 128 bytes. */
static CUtensorMap map_of_product(struct app_run *run, CUdeviceptr address)
{
    uint32_t bytes = run->sizes[RESULT] ? 2 : 4;
    return app_tensor_map(run, &(struct app_tensor){.address = address,
                                                    .type = bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                                                       : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                                    .bytes = bytes,
                                                    .rank = 2,
                                                    .dimensions = {run->sizes[N], run->sizes[M] * run->sizes[BATCH]},
                                                    .box = {128 / bytes, 64},
                                                    .swizzle = CU_TENSOR_MAP_SWIZZLE_128B});
}

/* Blocks that stay: as many as are asked for, or as the machine runs at a time; never more than tiles. */
static uint32_t blocks_of(struct app_run *run, const char *kernel, const struct app_shape *shape, uint32_t tiles)
{
    uint32_t cluster = shape->cluster[0], clusters = run->sizes[BLOCKS] / cluster;
    if (!run->sizes[BLOCKS])
        clusters = app_clusters(run, kernel, shape);
    return (clusters < 1 ? 1 : clusters < tiles ? clusters : tiles) * cluster;
}

/* Ends the program where the sizes do not fit each other. */
static void check_sizes(struct app_run *run, uint32_t bytes, uint32_t tile)
{
    uint32_t cluster = run->sizes[CLUSTER];
    if (run->sizes[K] * bytes % 128)
        app_stop(run, 2, "--k: its numbers fill whole rows of 128 bytes; take a multiple of %u", 128 / bytes);
    if (run->sizes[N] % tile)
        app_stop(run, 2, "--n: whole tiles are needed; take a multiple of %u", tile);
    if (cluster == 3 || run->sizes[M] % (ROWS * cluster))
        app_stop(run, 2, "--cluster is 1, 2 or 4, and --m a multiple of %u times that", ROWS);
}

static void wsgemm_run(struct app_run *run)
{
    static const char *const kernels[3][3] = {{"wsgemm_f16_64", "wsgemm_f16_128", "wsgemm_f16_256"},
                                              {"wsgemm_fp8_64", "wsgemm_fp8_128", "wsgemm_fp8_256"},
                                              {"wsgemm_tf32_64", "wsgemm_tf32_128", "wsgemm_tf32_256"}};
    static const uint32_t stages[] = {8, 6, 4}, sizes[] = {2, 1, 4}; /* as in wsgemm.cu; bytes of a number */
    uint32_t m = run->sizes[M], n = run->sizes[N], k = run->sizes[K], bytes = sizes[run->sizes[TYPE]];
    uint32_t tile = 64u << run->sizes[TILE], cluster = run->sizes[CLUSTER], batch = run->sizes[BATCH];
    const char *kernel = kernels[run->sizes[TYPE]][run->sizes[TILE]];
    check_sizes(run, bytes, tile);
    int8_t *a = app_host(run, (size_t)batch * m * k, 1), *b = app_host(run, (size_t)batch * n * k, 1);
    CUdeviceptr at_a = app_quarters_matrix(run, (size_t)batch * m * k, bytes, a);
    CUdeviceptr at_b = app_quarters_matrix(run, (size_t)batch * n * k, bytes, b);
    CUtensorMap of_a = app_operand_map(run, at_a, batch * m, k, ROWS, bytes);
    CUtensorMap of_b = app_operand_map(run, at_b, batch * n, k, tile / cluster, bytes);
    CUdeviceptr d = app_device(run, (size_t)batch * m * n * (run->sizes[RESULT] ? 2 : 4));
    CUtensorMap of_d = map_of_product(run, d);
    struct work work = {
        .across = n / tile, .down = m / (ROWS * cluster), .steps = k * bytes / 128, .halves = run->sizes[RESULT]};
    work.tiles = batch * work.down * work.across;
    struct app_shape shape = {.grid = {cluster, 1, 1},
                              .block = {THREADS, 1, 1},
                              .shared_bytes = stages[run->sizes[TILE]] * (ROWS + tile) * 128 + BUFFERS,
                              .cluster = {cluster, 1, 1}};
    app_shared(run, kernel, shape.shared_bytes);
    shape.grid[0] = blocks_of(run, kernel, &shape, work.tiles);
    app_launch(run, kernel, shape, &of_a, &of_b, &of_d, &work);
    app_check_product(run, &(struct app_product){m, n, k, batch, a, b, d, run->sizes[RESULT] != 0});
}

const struct app app_wsgemm = {
    .name = "wsgemm",
    .suite = "CUTLASS",
    .summary = "a product of matrices by warpgroups that do different work",
    .stresses = ("The asynchronous units of Hopper: one thread feeds a ring of stages in shared memory through the "
                 "tensor memory accelerator, two warpgroups multiply out of it (wgmma, 64 to 256 columns each), and "
                 "mbarriers say which stages are full and which are empty; blocks stay, and load the next tile while "
                 "sums of the last one are stored; blocks of a cluster share what one of them has loaded "
                 "(multicast). It needs a machine of compute capability 9.0."),
    .tolerance = "exact",
    .sizes = {{"m", 256, ROWS, 1 << 16, ROWS, "rows of the product", NULL},
              {"n", 256, 64, 1 << 16, 64, "columns of the product", NULL},
              {"k", 512, 64, 1 << 16, 64, "numbers that are summed up", NULL},
              {"type", 0, 0, 2, 0, "of the numbers", "f16 e4m3 tf32"},
              {"tile", 1, 0, 2, 0, "columns of a block", "64 128 256"},
              {"cluster", 1, 1, 4, 0, "blocks below one another that share the columns", NULL},
              {"result", 0, 0, 1, 0, "of the product", "f32 f16"},
              {"blocks", 0, 0, 1 << 16, 0, "that stay; 0: as many as the machine runs at a time", NULL},
              {"batch", 1, 1, 1 << 10, 1, "products of these sizes", NULL}},
    .run = wsgemm_run};
