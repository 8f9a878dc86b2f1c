/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

enum { M, N, K, TYPE, TILE, CLUSTER, RESULT };
enum { ROWS = 128, STAGES = 4, THREADS = 384, CHECKED = 32 /* rows, at most */ };

static CUtensorMap map_of(struct app_run *run, CUdeviceptr address, uint32_t rows, uint32_t box, uint32_t bytes)
{
    return app_tensor_map(
        run, &(struct app_tensor){.address = address,
                                  .type = bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT8,
                                  .bytes = bytes,
                                  .rank = 2,
                                  .dimensions = {run->sizes[K], rows},
                                  .box = {128 / bytes, box},
                                  .swizzle = CU_TENSOR_MAP_SWIZZLE_128B});
}

/* Checks rows that lie evenly over the product. */
static void check(struct app_run *run, CUdeviceptr d, const int8_t *a, const int8_t *b)
{
    uint32_t m = run->sizes[M], n = run->sizes[N], k = run->sizes[K], rows = m < CHECKED ? m : CHECKED;
    const void *all = app_read(run, d, (size_t)m * n * (run->sizes[RESULT] ? 2 : 4));
    float *got = app_host(run, (size_t)rows * n, sizeof *got);
    float *expected = app_host(run, (size_t)rows * n, sizeof *expected);
    for (uint32_t i = 0; i < rows; i++) {
        size_t row = (size_t)i * (m / rows) + i % (m / rows);
        for (uint32_t j = 0; j < n; j++) {
            int32_t sum = 0;
            for (uint32_t x = 0; x < k; x++)
                sum += a[row * k + x] * b[(size_t)j * k + x];
            float value = (float)sum / 16;
            expected[(size_t)i * n + j] = run->sizes[RESULT] ? app_of_half(app_half_of(value)) : value;
            got[(size_t)i * n + j] = run->sizes[RESULT] ? app_of_half(((const uint16_t *)all)[row * n + j])
                                                        : ((const float *)all)[row * n + j];
        }
    }
    app_check_floats(run, "product", got, expected, (size_t)rows * n, 0);
}

static void wsgemm_run(struct app_run *run)
{
    static const char *const kernels[2][2] = {{"wsgemm_f16", "wsgemm_f16_wide"}, {"wsgemm_fp8", "wsgemm_fp8_wide"}};
    uint32_t m = run->sizes[M], n = run->sizes[N], k = run->sizes[K], bytes = run->sizes[TYPE] ? 1 : 2;
    uint32_t tile = run->sizes[TILE] ? 256 : 128, cluster = run->sizes[CLUSTER];
    const char *kernel = kernels[run->sizes[TYPE]][run->sizes[TILE]];
    int8_t *a = app_host(run, (size_t)m * k, 1), *b = app_host(run, (size_t)n * k, 1);
    if (k * bytes % 128)
        app_stop(run, 2, "--k: its numbers fill whole rows of 128 bytes; take a multiple of %u", 128 / bytes);
    if (n % tile)
        app_stop(run, 2, "--n: whole tiles are needed; take a multiple of %u", tile);
    if (cluster == 3 || m % (ROWS * cluster))
        app_stop(run, 2, "--cluster is 1, 2 or 4, and --m a multiple of %u times that", ROWS);
    CUtensorMap of_a = map_of(run, app_quarters_matrix(run, (size_t)m * k, bytes, a), m, ROWS, bytes);
    CUtensorMap of_b = map_of(run, app_quarters_matrix(run, (size_t)n * k, bytes, b), n, tile / cluster, bytes);
    CUdeviceptr d = app_device(run, (size_t)m * n * (run->sizes[RESULT] ? 2 : 4));
    struct app_shape shape = {
        .grid = {n / tile, m / ROWS, 1}, .block = {THREADS, 1, 1}, .shared_bytes = STAGES * (ROWS + tile) * 128};
    if (cluster > 1) {
        shape.cluster[0] = shape.cluster[2] = 1;
        shape.cluster[1] = cluster;
    }
    app_shared(run, kernel, shape.shared_bytes);
    app_launch(run, kernel, shape, &of_a, &of_b, &d, &n, &k, &run->sizes[RESULT]);
    check(run, d, a, b);
}

const struct app app_wsgemm = {
    .name = "wsgemm",
    .suite = "CUTLASS",
    .summary = "a product of matrices by warpgroups that do different work",
    .stresses = ("The asynchronous engines of Hopper: one thread feeds a ring of four stages in shared memory through "
                 "the tensor memory accelerator, two warpgroups multiply out of it (wgmma, 128 or 256 columns each), "
                 "and mbarriers say which stages are full and which are empty; blocks of a cluster share what one of "
                 "them has loaded (multicast). It needs a machine of compute capability 9.0."),
    .tolerance = "exact",
    .sizes = {{"m", 256, ROWS, 1 << 16, ROWS, "rows of the product", NULL},
              {"n", 256, ROWS, 1 << 16, ROWS, "columns of the product", NULL},
              {"k", 512, 64, 1 << 16, 64, "numbers that are summed up", NULL},
              {"type", 0, 0, 1, 0, "of the numbers", "f16 e4m3"},
              {"tile", 0, 0, 1, 0, "columns of a block", "128 256"},
              {"cluster", 1, 1, 4, 0, "blocks below one another that share the columns", NULL},
              {"result", 0, 0, 1, 0, "of the product", "f32 f16"}},
    .run = wsgemm_run};
