/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { M, N, K, TYPE };
enum { TILE = 128, SHARED = 4 * 2 * 128 * TILE, THREADS = 384, CHECKED = 32 /* rows, at most */ };

static void require(struct app_run *run, CUresult result, const char *call)
{
    const char *name = "an unknown error";
    cuGetErrorName(result, &name);
    if (result != CUDA_SUCCESS)
        app_stop(run, 2, "%s: %s", call, name);
}

/* Numbers from -2 to 2 in steps of 1/4, as half or as e4m3 precision has them: all products and sums are exact. */
static uint16_t number_bits(int32_t quarters, uint32_t bytes)
{
    uint32_t size = (uint32_t)(quarters < 0 ? -quarters : quarters), exponent = 0;
    if (!size)
        return 0;
    while (size >> (exponent + 1))
        exponent++;
    uint32_t fraction = size - (1u << exponent), sign = quarters < 0; /* size = 2^exponent + fraction, in quarters */
    if (bytes == 2)
        return (uint16_t)(sign << 15 | (15 + exponent - 2) << 10 | fraction << (10 - exponent));
    return (uint16_t)(sign << 7 | (7 + exponent - 2) << 3 | fraction << (3 - exponent));
}

/* `rows` rows of k numbers, on the device; `quarters` has them. */
static CUdeviceptr matrix(struct app_run *run, uint32_t rows, uint32_t k, uint32_t bytes, int8_t *quarters)
{
    size_t count = (size_t)rows * k;
    unsigned char *bits = app_host(run, count, bytes);
    for (size_t i = 0; i < count; i++) {
        quarters[i] = (int8_t)((int32_t)app_below(run, 17) - 8);
        uint16_t number = number_bits(quarters[i], bytes);
        bits[i * bytes] = (unsigned char)number;
        if (bytes == 2)
            bits[i * bytes + 1] = (unsigned char)(number >> 8);
    }
    return app_copy(run, bits, count * bytes);
}

static void encode(struct app_run *run, CUtensorMap *map, CUdeviceptr address, uint32_t rows, uint32_t k,
                   uint32_t bytes)
{
    const unsigned long dimensions[] = {k, rows}, strides[] = {(unsigned long)k * bytes};
    const unsigned int box[] = {128 / bytes, TILE}, ones[] = {1, 1};
    require(run,
            cuTensorMapEncodeTiled(map, bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT8, 2,
                                   (void *)address, dimensions, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            "cuTensorMapEncodeTiled");
}

/* Checks rows that lie evenly over the product. */
static void check(struct app_run *run, CUdeviceptr d, const int8_t *a, const int8_t *b)
{
    uint32_t m = run->sizes[M], n = run->sizes[N], k = run->sizes[K], rows = m < CHECKED ? m : CHECKED;
    float *all = app_read(run, d, (size_t)m * n * 4), *got = app_host(run, (size_t)rows * n, sizeof *got);
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

static void wsgemm_run(struct app_run *run)
{
    uint32_t m = run->sizes[M], n = run->sizes[N], k = run->sizes[K], bytes = run->sizes[TYPE] ? 1 : 2;
    const char *kernel = bytes == 2 ? "wsgemm_f16" : "wsgemm_fp8";
    int8_t *a = app_host(run, (size_t)m * k, 1), *b = app_host(run, (size_t)n * k, 1);
    CUtensorMap of_a, of_b;
    CUfunction function;
    if (k * bytes % 128)
        app_stop(run, 2, "--k: its numbers fill whole rows of 128 bytes; take a multiple of %u", 128 / bytes);
    encode(run, &of_a, matrix(run, m, k, bytes, a), m, k, bytes);
    encode(run, &of_b, matrix(run, n, k, bytes, b), n, k, bytes);
    CUdeviceptr d = app_device(run, (size_t)m * n * 4);
    app_use(run, "wsgemm");
    require(run, cuModuleGetFunction(&function, run->module, kernel), kernel);
    require(run, cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED),
            "cuFuncSetAttribute");
    struct app_shape shape = {.grid = {n / TILE, m / TILE, 1}, .block = {THREADS, 1, 1}, .shared_bytes = SHARED};
    app_launch(run, kernel, shape, &of_a, &of_b, &d, &n, &k);
    check(run, d, a, b);
}

const struct app app_wsgemm = {
    .name = "wsgemm",
    .suite = "CUTLASS",
    .summary = "a product of matrices by warpgroups that do different work",
    .stresses = ("The asynchronous engines of Hopper: one thread feeds a ring of four stages in shared memory through "
                 "the tensor memory accelerator, two warpgroups multiply out of it (wgmma, 128 columns each), and "
                 "mbarriers say which stages are full and which are empty. It needs a machine of compute capability "
                 "9.0."),
    .tolerance = "exact",
    .sizes = {{"m", 256, TILE, 1 << 16, TILE, "rows of the product", NULL},
              {"n", 256, TILE, 1 << 16, TILE, "columns of the product", NULL},
              {"k", 512, 64, 1 << 16, 64, "numbers that are summed up", NULL},
              {"type", 0, 0, 1, 0, "of the numbers", "f16 e4m3"}},
    .run = wsgemm_run};
