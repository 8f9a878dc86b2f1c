/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

enum { GROUPS, M, N, K, BLOCKS };
enum { TILE = 128, DEPTH = 64, SHARED = 4 * 2 * 128 * TILE, THREADS = 384, CHECKED = 8 /* rows of each, at most */ };

struct problem { /* as the kernel has it */
    uint64_t a, b, d;
    uint32_t m, n, k, unused;
};

struct matrices {
    int8_t *a, *b;
};

/* Sizes between one tile and the greatest. */
static uint32_t some_of(struct app_run *run, uint32_t most, uint32_t unit)
{
    return (app_below(run, most / unit) + 1) * unit;
}

static void make_problem(struct app_run *run, struct problem *p, struct matrices *numbers)
{
    p->m = some_of(run, run->sizes[M], TILE);
    p->n = some_of(run, run->sizes[N], TILE);
    p->k = some_of(run, run->sizes[K], DEPTH);
    numbers->a = app_host(run, (size_t)p->m * p->k, 1);
    numbers->b = app_host(run, (size_t)p->n * p->k, 1);
    p->a = app_quarters_matrix(run, (size_t)p->m * p->k, 2, numbers->a);
    p->b = app_quarters_matrix(run, (size_t)p->n * p->k, 2, numbers->b);
    p->d = app_device(run, (size_t)p->m * p->n * 4);
}

/* Adds rows that lie evenly over a product to what is compared. */
static size_t compare(struct app_run *run, const struct problem *p, const struct matrices *numbers, float *got,
                      float *expected)
{
    uint32_t rows = p->m < CHECKED ? p->m : CHECKED;
    const float *all = app_read(run, p->d, (size_t)p->m * p->n * 4);
    for (uint32_t i = 0; i < rows; i++) {
        size_t row = (size_t)i * (p->m / rows) + i;
        for (uint32_t j = 0; j < p->n; j++) {
            int32_t sum = 0;
            for (uint32_t x = 0; x < p->k; x++)
                sum += numbers->a[row * p->k + x] * numbers->b[(size_t)j * p->k + x];
            expected[(size_t)i * p->n + j] = (float)sum / 16;
            got[(size_t)i * p->n + j] = all[row * p->n + j];
        }
    }
    return (size_t)rows * p->n;
}

static void groupgemm_run(struct app_run *run)
{
    uint32_t count = run->sizes[GROUPS], blocks = run->sizes[BLOCKS];
    struct problem *problems = app_host(run, count, sizeof *problems);
    struct matrices *numbers = app_host(run, count, sizeof *numbers);
    size_t compared = 0;
    for (uint32_t i = 0; i < count; i++)
        make_problem(run, &problems[i], &numbers[i]);
    CUtensorMap shape = app_tensor_map(run, &(struct app_tensor){.address = problems[0].a,
                                                                 .type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                                                                 .bytes = 2,
                                                                 .rank = 2,
                                                                 .dimensions = {DEPTH, TILE},
                                                                 .box = {DEPTH, TILE},
                                                                 .swizzle = CU_TENSOR_MAP_SWIZZLE_128B});
    CUdeviceptr list = app_copy(run, problems, count * sizeof *problems);
    CUdeviceptr maps = app_device(run, (size_t)2 * blocks * sizeof shape);
    app_shared(run, "groupgemm", SHARED);
    struct app_shape launch = {.grid = {blocks, 1, 1}, .block = {THREADS, 1, 1}, .shared_bytes = SHARED};
    app_launch(run, "groupgemm", launch, &list, &count, &maps, &shape);
    float *got = app_host(run, (size_t)count * CHECKED * run->sizes[N], sizeof *got);
    float *expected = app_host(run, (size_t)count * CHECKED * run->sizes[N], sizeof *expected);
    for (uint32_t i = 0; i < count; i++)
        compared += compare(run, &problems[i], &numbers[i], got + compared, expected + compared);
    app_check_floats(run, "products", got, expected, compared, 0);
}

const struct app app_groupgemm = {
    .name = "groupgemm",
    .suite = "CUTLASS",
    .summary = "products of matrices of different sizes by one kernel",
    .stresses = ("Tensor maps that a kernel makes: blocks stay, and before a block's first tile of a product, its "
                 "loading warp writes address, extents and stride into maps in shared memory (tensormap.replace) and "
                 "publishes them (tensormap.cp_fenceproxy); otherwise as wsgemm. It needs a machine of compute "
                 "capability 9.0."),
    .tolerance = "exact",
    .sizes = {{"groups", 4, 1, 1024, 0, "products", NULL},
              {"m", 256, TILE, 1 << 14, TILE, "rows of a product, at most", NULL},
              {"n", 256, TILE, 1 << 14, TILE, "columns of a product, at most", NULL},
              {"k", 256, DEPTH, 1 << 14, DEPTH, "numbers that are summed up, at most", NULL},
              {"blocks", 132, 1, 1 << 16, 0, "that stay: the machine's SMs", NULL}},
    .run = groupgemm_run};
