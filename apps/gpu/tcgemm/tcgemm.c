/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

enum { M, N, K, TYPE, TILE, BLOCKS };
enum { ROWS = 128, STAGES = 4, THREADS = 192, CHECKED = 32 /* rows, at most */ };

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
    const float *all = app_read(run, d, (size_t)m * n * sizeof *all);
    float *got = app_host(run, (size_t)rows * n, sizeof *got);
    float *expected = app_host(run, (size_t)rows * n, sizeof *expected);
    for (uint32_t i = 0; i < rows; i++) {
        size_t row = (size_t)i * (m / rows) + i % (m / rows);
        for (uint32_t j = 0; j < n; j++) {
            int32_t sum = 0;
            for (uint32_t x = 0; x < k; x++)
                sum += a[row * k + x] * b[(size_t)j * k + x];
            expected[(size_t)i * n + j] = (float)sum / 16;
            got[(size_t)i * n + j] = all[row * n + j];
        }
    }
    app_check_floats(run, "product", got, expected, (size_t)rows * n, 0);
}

static void tcgemm_run(struct app_run *run)
{
    static const char *const kernels[2][2] = {{"tcgemm_f16", "tcgemm_f16_wide"}, {"tcgemm_fp8", "tcgemm_fp8_wide"}};
    uint32_t m = run->sizes[M], n = run->sizes[N], k = run->sizes[K], bytes = run->sizes[TYPE] ? 1 : 2;
    uint32_t tile = run->sizes[TILE] ? 256 : 128;
    const char *kernel = kernels[run->sizes[TYPE]][run->sizes[TILE]];
    int8_t *a = app_host(run, (size_t)m * k, 1), *b = app_host(run, (size_t)n * k, 1);
    if (k * bytes % 128)
        app_stop(run, 2, "--k: its numbers fill whole rows of 128 bytes; take a multiple of %u", 128 / bytes);
    if (n % tile)
        app_stop(run, 2, "--n: whole tiles are needed; take a multiple of %u", tile);
    CUtensorMap of_a = map_of(run, app_quarters_matrix(run, (size_t)m * k, bytes, a), m, ROWS, bytes);
    CUtensorMap of_b = map_of(run, app_quarters_matrix(run, (size_t)n * k, bytes, b), n, tile, bytes);
    CUdeviceptr d = app_device(run, (size_t)m * n * sizeof(float));
    uint32_t tiles = m / ROWS * (n / tile), blocks = run->sizes[BLOCKS];
    struct app_shape shape = {.grid = {blocks && blocks < tiles ? blocks : tiles, 1, 1},
                              .block = {THREADS, 1, 1},
                              .shared_bytes = STAGES * (ROWS + tile) * 128};
    app_shared(run, kernel, shape.shared_bytes);
    app_launch(run, kernel, shape, &of_a, &of_b, &d, &m, &n, &k);
    check(run, d, a, b);
}

const struct app app_tcgemm = {
    .name = "tcgemm",
    .suite = "CUTLASS",
    .summary = "a product of matrices with its sums in tensor memory",
    .stresses =
        ("The asynchronous engines of Blackwell: one thread feeds a ring of four stages in shared memory through "
         "the tensor memory accelerator, another issues products out of it (tcgen05.mma, 128 rows and 128 or 256 "
         "columns), whose commits say which stages are empty, and four warps read the sums of a tile out of "
         "tensor memory while those of the next one are made. It needs a machine of compute capability 10.0."),
    .tolerance = "exact",
    .sizes = {{"m", 256, ROWS, 1 << 16, ROWS, "rows of the product", NULL},
              {"n", 256, ROWS, 1 << 16, ROWS, "columns of the product", NULL},
              {"k", 512, 64, 1 << 16, 64, "numbers that are summed up", NULL},
              {"type", 0, 0, 1, 0, "of the numbers", "f16 e4m3"},
              {"tile", 0, 0, 1, 0, "columns of a tile", "128 256"},
              {"blocks", 148, 1, 1 << 16, 0, "that stay, at most: more than the SMs wait for tensor memory", NULL}},
    .run = tcgemm_run};
