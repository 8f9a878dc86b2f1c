/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"
#include "common/host.h"

enum { M, N, K, KERNEL, PRESET };
enum { NAIVE, TILED, WMMA };

/* A float of few bits as a half: exact for multiples of 1/16 below 2. */
static uint16_t half_of(float value)
{
    union {
        float value;
        uint32_t bits;
    } u = {.value = value};
    if (!value)
        return 0;
    return (uint16_t)((u.bits >> 16 & 0x8000) | ((u.bits >> 23 & 255) - 112) << 10 | (u.bits >> 13 & 0x3ff));
}

static void fill(struct app_run *run, float *values, uint16_t *halves, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = ((float)app_below(run, 63) - 31) / 16;
        halves[i] = half_of(values[i]);
    }
}

static void gemm_run(struct app_run *run)
{
    static const char *const kernels[] = {[NAIVE] = "gemm_naive", [TILED] = "gemm_tiled", [WMMA] = "gemm_wmma"};
    uint32_t *size = run->sizes, kernel = size[KERNEL];
    if (size[PRESET])
        size[M] = size[N] = 2560, size[K] = size[PRESET] == 1 ? 16 : 1024;
    uint32_t m = size[M], n = size[N], k = size[K];
    if (kernel == WMMA && (m % 16 || n % 16 || k % 16))
        app_stop(run, 2, "--kernel wmma: takes multiples of 16 as --m, --n and --k, not %u, %u and %u", m, n, k);
    size_t na = (size_t)m * k, nb = (size_t)k * n, nc = (size_t)m * n;
    float *a = app_host(run, na, 4), *b = app_host(run, nb, 4), *c = app_host(run, nc, 4);
    uint16_t *ha = app_host(run, na, 2), *hb = app_host(run, nb, 2);
    fill(run, a, ha, na);
    fill(run, b, hb, nb);
    bool wmma = kernel == WMMA;
    CUdeviceptr da = app_copy(run, wmma ? (void *)ha : a, na * (wmma ? 2 : 4));
    CUdeviceptr db = app_copy(run, wmma ? (void *)hb : b, nb * (wmma ? 2 : 4)), dc = app_device(run, 4 * nc);
    app_use(run, wmma ? "gemm_wmma" : "gemm");
    struct app_shape shape = wmma ? app_shape((m / 16) * (n / 16) * 32, 128) : app_shape2(n, m, 16, 16);
    app_launch(run, kernels[kernel], shape, &da, &db, &dc, &m, &n, &k);
    host_gemm(run, a, b, c, m, n, k, 1, 0);
    app_check_floats(run, "product", app_read(run, dc, 4 * nc), c, nc, 0);
}

const struct app app_gemm = {
    .name = "gemm",
    .suite = "Polybench",
    .summary = "product of two matrices: from memory, in tiles of shared memory, or with tensor cores",
    .stresses =
        "Three ways to the same values. `naive` reads every operand from memory, so that L1 and the LD/ST units "
        "carry all; `tiled` reads each of them sixteen times from shared memory between barriers; `wmma` keeps "
        "tensor cores busy with halves, and loads fragments without shared memory. With --preset 2560x16x2560 "
        "the result is far larger than the work on it, with 2560x1024x2560 it is the other way round.",
    .tolerance = "exact: sums of multiples of 1/256 that a float holds",
    .sizes = {{"m", 64, 1, 8192, 0, "rows of the result", NULL},
              {"n", 64, 1, 8192, 0, "columns of the result", NULL},
              {"k", 64, 1, 8192, 0, "length of the sums", NULL},
              {"kernel", 0, 0, 0, 0, "how", "naive tiled wmma"},
              {"preset", 0, 0, 0, 0, "m x k x n", "none 2560x16x2560 2560x1024x2560"}},
    .run = gemm_run};
