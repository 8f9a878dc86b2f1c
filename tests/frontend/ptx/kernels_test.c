/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels compiled by nvcc (kernels.cu), each against the same computation on the host. */
#include "bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void open_kernels(struct bench *bench)
{
    bench_open(bench, KERNELS, NULL);
}

static void run_good(bool good, const struct bench *bench)
{
    if (!good)
        fail_msg("%s", bench->error.text);
}

static float value_of(uint64_t *state)
{
    return (float)((int64_t)(bench_random(state) % 2001) - 1000) / 64.0f;
}

static void test_add(void **unused)
{
    (void)unused;
    enum { N = 1000 };
    struct bench bench;
    float a[N], b[N], c[N];
    uint64_t state = 1;
    int n = N;
    open_kernels(&bench);
    for (int i = 0; i < N; i++) {
        a[i] = value_of(&state);
        b[i] = value_of(&state);
    }
    uint64_t da = bench_buffer(&bench, a, sizeof a), db = bench_buffer(&bench, b, sizeof b);
    uint64_t dc = bench_buffer(&bench, NULL, sizeof c);
    run_good(BENCH_RUN(&bench, "add", 8, 128, 0, &da, &db, &dc, &n), &bench);
    bench_read(&bench, dc, c, sizeof c);
    for (int i = 0; i < N; i++)
        assert_true(c[i] == a[i] + b[i]);
    bench_close(&bench);
}

static void test_gemm(void **unused)
{
    (void)unused;
    enum { N = 48 };
    struct bench bench;
    float *a = malloc(3 * N * N * sizeof *a), *b = a + N * N, *c = b + N * N;
    uint64_t state = 2;
    int n = N;
    open_kernels(&bench);
    for (int i = 0; i < 2 * N * N; i++)
        a[i] = value_of(&state);
    uint64_t da = bench_buffer(&bench, a, N * N * 4), db = bench_buffer(&bench, b, N * N * 4);
    uint64_t dc = bench_buffer(&bench, NULL, N * N * 4);
    run_good(bench_run3(&bench, "gemm", (uint32_t[]){N / 16, N / 16, 1}, (uint32_t[]){16, 16, 1}, 0,
                        (const void *const[]){&da, &db, &dc, &n}),
             &bench);
    bench_read(&bench, dc, c, N * N * 4);
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum = fmaf(a[row * N + k], b[k * N + column], sum);
            assert_true(sum == c[row * N + column]);
        }
    free(a);
    bench_close(&bench);
}

static void test_collatz(void **unused)
{
    (void)unused;
    struct bench bench;
    unsigned steps[256], first = 27;
    open_kernels(&bench);
    uint64_t out = bench_buffer(&bench, NULL, sizeof steps);
    run_good(BENCH_RUN(&bench, "collatz", 4, 64, 0, &out, &first), &bench);
    bench_read(&bench, out, steps, sizeof steps);
    assert_int_equal(steps[0], 111); /* known of 27 */
    for (unsigned i = 0; i < 256; i++) {
        unsigned x = first + i, count = 0;
        for (; x != 1; count++)
            x = x & 1 ? 3 * x + 1 : x >> 1;
        assert_int_equal(steps[i], count);
    }
    bench_close(&bench);
}

static void test_calls(void **unused)
{
    (void)unused;
    struct bench bench;
    static const unsigned fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13};
    unsigned numbers[64];
    int results[64], a = 100;
    double sums[32];
    struct {
        int first;
        double second;
    } pair = {3, 0.25};
    open_kernels(&bench);
    uint64_t out = bench_buffer(&bench, NULL, 1024);
    run_good(BENCH_RUN(&bench, "recursion", 1, 64, 0, &out), &bench);
    bench_read(&bench, out, numbers, sizeof numbers);
    for (int i = 0; i < 64; i++)
        assert_int_equal(numbers[i], fibonacci[i % 8]);
    run_good(BENCH_RUN(&bench, "structures", 1, 32, 0, &pair, &out), &bench);
    bench_read(&bench, out, sums, sizeof sums);
    for (int i = 0; i < 32; i++)
        assert_true(sums[i] == (0.25 + i) * 6);
    run_good(BENCH_RUN(&bench, "pointers", 1, 64, 0, &out, &a), &bench);
    bench_read(&bench, out, results, sizeof results);
    for (int i = 0; i < 64; i++)
        assert_int_equal(results[i], i % 3 == 0 ? 100 + i : i % 3 == 1 ? 100 - i : 100 * i);
    bench_close(&bench);
}

static void test_choice(void **unused)
{
    (void)unused;
    struct bench bench;
    int in[64], out[64];
    open_kernels(&bench);
    for (int i = 0; i < 64; i++)
        in[i] = i % 9;
    uint64_t memory = bench_buffer(&bench, in, sizeof in);
    run_good(BENCH_RUN(&bench, "choice", 1, 64, 0, &memory), &bench);
    bench_read(&bench, memory, out, sizeof out);
    for (int i = 0; i < 64; i++) {
        const int expected[] = {i * 3, i ^ 0x55, __builtin_popcount((unsigned)i),     -i,
                                i / 3, i % 5,    i ? __builtin_clz((unsigned)i) : 32, 1000,
                                1000};
        assert_int_equal(out[i], expected[i % 9]);
    }
    bench_close(&bench);
}

static void test_local_array(void **unused)
{
    (void)unused;
    struct bench bench;
    int out[64], step = 7;
    open_kernels(&bench);
    uint64_t memory = bench_buffer(&bench, NULL, sizeof out);
    run_good(BENCH_RUN(&bench, "local_array", 1, 64, 0, &memory, &step), &bench);
    bench_read(&bench, memory, out, sizeof out);
    for (int t = 0; t < 64; t++)
        for (int i = 0; i < 32; i++)
            if ((i * step & 31) == (t & 31))
                assert_int_equal(out[t], i + t);
    bench_close(&bench);
}

static void test_reductions(void **unused)
{
    (void)unused;
    enum { N = 5000 };
    struct bench bench;
    int *in = malloc(N * sizeof *in), sum = 0, n = N, got;
    unsigned char *bytes = malloc(N);
    unsigned bins[256] = {0}, made[256];
    uint64_t state = 3;
    open_kernels(&bench);
    for (int i = 0; i < N; i++) {
        sum += in[i] = (int)(bench_random(&state) % 1000) - 500;
        bins[bytes[i] = (unsigned char)(bench_random(&state) % 17)]++;
    }
    uint64_t din = bench_buffer(&bench, in, N * sizeof *in), out = bench_buffer(&bench, NULL, 4);
    run_good(BENCH_RUN(&bench, "reduce", (N + 255) / 256, 256, 0, &din, &out, &n), &bench);
    bench_read(&bench, out, &got, sizeof got);
    assert_int_equal(got, sum);
    uint64_t dbytes = bench_buffer(&bench, bytes, N), dbins = bench_buffer(&bench, NULL, sizeof bins);
    run_good(BENCH_RUN(&bench, "histogram", 4, 96, 1024, &dbytes, &dbins, &n), &bench);
    bench_read(&bench, dbins, made, sizeof made);
    assert_memory_equal(made, bins, sizeof bins);
    free(in);
    free(bytes);
    bench_close(&bench);
}

static void test_votes(void **unused)
{
    (void)unused;
    struct bench bench;
    unsigned out[128][10];
    int limit = 50;
    open_kernels(&bench);
    uint64_t memory = bench_buffer(&bench, NULL, sizeof out);
    run_good(BENCH_RUN(&bench, "votes", 1, 128, 0, &memory, &limit), &bench);
    bench_read(&bench, memory, out, sizeof out);
    for (int i = 0; i < 128; i++) {
        unsigned ballot = 0, match = 0, sum = 0;
        for (int j = i & ~31; j < (i & ~31) + 32; j++) {
            ballot |= (unsigned)(j % 3 == 0) << (j & 31);
            match |= (unsigned)(j / 5 == i / 5) << (j & 31);
            sum += (unsigned)j;
        }
        assert_int_equal(out[i][0], ballot);
        assert_int_equal(out[i][1], match);
        assert_int_equal(out[i][2], i < 32);
        assert_int_equal(out[i][3], i < 32);
        assert_int_equal(out[i][4], 64);
        assert_int_equal(out[i][5], 0);
        assert_int_equal(out[i][6] != 0, 1);
        assert_int_equal(out[i][7], sum);
        assert_int_equal(out[i][8], i | 31);
        assert_int_equal(out[i][9], i & 1 ? 0xaaaaaaaau : 0);
    }
    bench_close(&bench);
}

static void test_vectors(void **unused)
{
    (void)unused;
    struct bench bench;
    float in[32][4], out[32][4];
    double more[32][2], sums[32];
    open_kernels(&bench);
    for (int i = 0; i < 32; i++) {
        for (int j = 0; j < 4; j++)
            in[i][j] = (float)(i * 4 + j);
        more[i][0] = i;
        more[i][1] = 0.5 * i;
    }
    uint64_t a = bench_buffer(&bench, in, sizeof in), b = bench_buffer(&bench, NULL, sizeof out);
    uint64_t c = bench_buffer(&bench, more, sizeof more), d = bench_buffer(&bench, NULL, sizeof sums);
    run_good(BENCH_RUN(&bench, "vectors", 1, 32, 0, &a, &b, &c, &d), &bench);
    bench_read(&bench, b, out, sizeof out);
    bench_read(&bench, d, sums, sizeof sums);
    for (int i = 0; i < 32; i++) {
        for (int j = 0; j < 4; j++)
            assert_true(out[i][j] == in[i][3 - j]);
        assert_true(sums[i] == 1.5 * i);
    }
    bench_close(&bench);
}

static void test_halves(void **unused)
{
    (void)unused;
    struct bench bench;
    float in[32], out[32];
    open_kernels(&bench);
    for (int i = 0; i < 32; i++)
        in[i] = (float)i * 0.25f; /* all results are exact in half precision */
    uint64_t a = bench_buffer(&bench, in, sizeof in), b = bench_buffer(&bench, NULL, sizeof out);
    run_good(BENCH_RUN(&bench, "halves", 1, 32, 0, &a, &b), &bench);
    bench_read(&bench, b, out, sizeof out);
    for (int i = 0; i < 32; i++)
        assert_true(out[i] == in[i] * in[i] + 1.0f + in[i]);
    bench_close(&bench);
}

static void test_globals(void **unused)
{
    (void)unused;
    static const float weights[8] = {0.5f, 1.5f, -2.0f, 3.25f, 8.0f, -0.125f, 7.0f, 11.0f};
    static const int table[4] = {3, 1, 4, 1};
    struct bench bench;
    int out[33];
    uint64_t address, bytes;
    open_kernels(&bench);
    uint64_t memory = bench_buffer(&bench, NULL, sizeof out);
    run_good(BENCH_RUN(&bench, "globals", 1, 32, 0, &memory), &bench);
    bench_read(&bench, memory, out, sizeof out);
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 100 + table[i & 3] + (int)weights[i & 7] * 10);
    assert_int_equal(out[32], 40);
    assert_true(ptx_program_variable(&bench.program, "counter", &address, &bytes));
    assert_int_equal(bytes, 4);
    bench_read(&bench, address, out, 4);
    assert_int_equal(out[0], 42);
    bench_close(&bench);
}

static void test_system_calls(void **unused)
{
    (void)unused;
    struct bench bench;
    int n = 7, out[32];
    open_kernels(&bench);
    run_good(BENCH_RUN(&bench, "speak", 1, 32, 0, &n), &bench);
    assert_string_equal(bench.printed, "7  0.00 text x 1099511627776 %\n8  1.50 text x 1099511627776 %\n");
    uint64_t memory = bench_buffer(&bench, NULL, sizeof out);
    uint32_t before = bench.device.regions.count;
    run_good(BENCH_RUN(&bench, "heap", 1, 32, 0, &memory), &bench);
    bench_read(&bench, memory, out, sizeof out);
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], i * (i + 1) / 2);
    assert_int_equal(bench.device.regions.count, before);
    bench_close(&bench);
}

static void test_flow(void **unused)
{
    (void)unused;
    struct bench bench;
    int out[96] = {0}, n = 70;
    open_kernels(&bench);
    uint64_t memory = bench_buffer(&bench, out, sizeof out), total = bench_buffer(&bench, NULL, 8), mutex = total + 4;
    run_good(BENCH_RUN(&bench, "early", 3, 32, 0, &memory, &n), &bench);
    bench_read(&bench, memory, out, sizeof out);
    for (int i = 0; i < 96; i++) {
        int expected = 0;
        for (int j = 0; i < n && j < i && j < 10; j++)
            expected += j % 3 == 1 ? 0 : j;
        assert_int_equal(out[i], expected + (i < n && i % 2 == 0 ? 1000 : 0));
    }
    run_good(BENCH_RUN(&bench, "lock", 3, 64, 0, &mutex, &total), &bench);
    bench_read(&bench, total, out, 4);
    assert_int_equal(out[0], 192);
    run_good(BENCH_RUN(&bench, "lock_behind", 3, 64, 0, &mutex, &total), &bench);
    bench_read(&bench, total, out, 4);
    assert_int_equal(out[0], 192 + 192);
    bench_close(&bench);
}

static void test_generic(void **unused)
{
    (void)unused;
    struct bench bench;
    open_kernels(&bench);
    for (int which = 0; which < 4; which++) {
        int out[32];
        for (int i = 0; i < 32; i++)
            out[i] = 1000 + i;
        uint64_t memory = bench_buffer(&bench, out, sizeof out);
        run_good(BENCH_RUN(&bench, "generic", 1, 32, 0, &memory, &which), &bench);
        bench_read(&bench, memory, out, sizeof out);
        for (int i = 0; i < 32; i++) {
            int shared = 105 + i, local = (i & 3) + 6, global = 1005 + i;
            assert_int_equal(out[i], which == 0               ? shared
                                     : which == 1             ? local
                                     : which == 2 || !(i & 1) ? global
                                                              : shared);
        }
    }
    bench_close(&bench);
}

static uint16_t half_of(int value) /* 0 … 15, exact */
{
    if (value == 0)
        return 0;
    int top = 31 - __builtin_clz((unsigned)value);
    return (uint16_t)((top + 15) << 10 | (value << (10 - top) & 0x3ff));
}

static void test_matrices(void **unused)
{
    (void)unused;
    struct bench bench;
    uint16_t a[256], b[256];
    int ia[256], ib[256];
    float c[256];
    uint64_t state = 9;
    open_kernels(&bench);
    for (int i = 0; i < 256; i++) {
        a[i] = half_of(ia[i] = (int)(bench_random(&state) % 16));
        b[i] = half_of(ib[i] = (int)(bench_random(&state) % 16));
    }
    uint64_t da = bench_buffer(&bench, a, sizeof a), db = bench_buffer(&bench, b, sizeof b);
    uint64_t dc = bench_buffer(&bench, NULL, sizeof c);
    for (int columns = 16; columns >= 8; columns -= 8) {
        run_good(BENCH_RUN(&bench, columns == 16 ? "matrices" : "mma", 1, 32, 0, &da, &db, &dc), &bench);
        bench_read(&bench, dc, c, sizeof c);
        for (int row = 0; row < 16; row++)
            for (int column = 0; column < columns; column++) {
                int sum = columns == 16;
                for (int k = 0; k < 16; k++)
                    sum += ia[row * 16 + k] * ib[column * 16 + k];
                assert_true(c[row * columns + column] == (float)sum);
            }
    }
    bench_close(&bench);
}

/* A float as hardware weighs texels: 8 bits of fraction. */
static double weighed(double fraction)
{
    return floor(fraction * 256 + 0.5) / 256;
}

static int wrapped(int at, int size)
{
    return (at % size + size) % size;
}

static int mirrored(int at, int size)
{
    int place = wrapped(at, 2 * size);
    return place < size ? place : 2 * size - 1 - place;
}

enum { W = 8, H = 4 };

struct texels {
    float list[20], pairs[H][W][2];
    int whole[H][W];
    unsigned char bytes[W];
};

static void check_textures(float in[32][2], const float out[32][4], const struct texels *t)
{
    for (int i = 0; i < 32; i++) {
        double x = (double)in[i][0] * W, y = (double)in[i][1] * H;
        assert_true(out[i][0] == (i >= 2 && i < 22 ? t->list[i - 2] : 0));
        assert_true(out[i][1] == (float)t->whole[mirrored((int)floor(y), H)][wrapped((int)floor(x), W)]);
        int left = (int)floor(x - 0.5), low = (int)floor(y - 0.5);
        double a = weighed(x - 0.5 - left), b = weighed(y - 0.5 - low), sum = 0;
        for (int corner = 0; corner < 4; corner++) {
            int tx = left + (corner & 1), ty = low + (corner >> 1);
            tx = tx < 0 ? 0 : tx >= W ? W - 1 : tx;
            double share = (corner & 1 ? a : 1 - a) * (corner >> 1 ? b : 1 - b);
            if (ty >= 0 && ty < H)
                sum += share * ((double)t->pairs[ty][tx][0] + 1000 * (double)t->pairs[ty][tx][1]);
        }
        assert_true(fabs((double)out[i][2] - sum) <= 0.01);
        double bx = (double)in[i][0] - 0.5;
        int first = (int)floor(bx), at[2] = {first < 0 ? 0 : first, first + 1 < 0 ? 0 : first + 1};
        double w = weighed(bx - first), wanted = ((1 - w) * t->bytes[at[0]] + w * t->bytes[at[1]]) / 255;
        assert_true(fabs((double)out[i][3] - wanted) < 1e-6);
    }
}

static void test_textures(void **unused)
{
    (void)unused;
    struct bench bench;
    struct texels texels;
    float in[32][2], out[32][4];
    open_kernels(&bench);
    for (int i = 0; i < 20; i++)
        texels.list[i] = (float)i * 1.5f;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            texels.whole[y][x] = y * 100 - x;
            texels.pairs[y][x][0] = (float)(x * x);
            texels.pairs[y][x][1] = (float)(y * 3);
            texels.bytes[x] = (unsigned char)(x * 30);
        }
    for (int i = 0; i < 32; i++) {
        in[i][0] = (float)(i * 11 % 64 - 20) / 32.0f + 1.0f / 64;
        in[i][1] = (float)(i * 7 % 64 - 16) / 32.0f + 1.0f / 64;
    }
    struct execute_texture t[4] = {
        {.size = {20}, .channels = 1, .channel_bytes = 4, .kind = EXECUTE_TEXEL_FLOAT, .buffer = true},
        {.size = {W, H},
         .pitch = W * 4,
         .channels = 1,
         .channel_bytes = 4,
         .kind = EXECUTE_TEXEL_SIGNED,
         .normalized = true,
         .addressing = {EXECUTE_ADDRESS_WRAP, EXECUTE_ADDRESS_MIRROR}},
        {.size = {W, H},
         .pitch = W * 8,
         .channels = 2,
         .channel_bytes = 4,
         .kind = EXECUTE_TEXEL_FLOAT,
         .normalized = true,
         .linear = true,
         .addressing = {EXECUTE_ADDRESS_CLAMP, EXECUTE_ADDRESS_BORDER}},
        {.size = {W},
         .channels = 1,
         .channel_bytes = 1,
         .kind = EXECUTE_TEXEL_UNSIGNED,
         .linear = true,
         .read_normalized = true,
         .addressing = {EXECUTE_ADDRESS_CLAMP}},
    };
    const void *const data[4] = {texels.list, texels.whole, texels.pairs, texels.bytes};
    const size_t sizes[4] = {sizeof texels.list, sizeof texels.whole, sizeof texels.pairs, sizeof texels.bytes};
    uint64_t handles[4];
    for (int i = 0; i < 4; i++) {
        t[i].address = bench_buffer(&bench, data[i], sizes[i]);
        handles[i] = execute_device_add_texture(&bench.device, &t[i]);
    }
    uint64_t din = bench_buffer(&bench, in, sizeof in), dout = bench_buffer(&bench, NULL, sizeof out);
    run_good(BENCH_RUN(&bench, "textures", 1, 32, 0, &handles[0], &handles[1], &handles[2], &handles[3], &din, &dout),
             &bench);
    bench_read(&bench, dout, out, sizeof out);
    check_textures(in, (const float(*)[4])out, &texels);
    assert_true(execute_device_remove_texture(&bench.device, handles[0]));
    assert_false(
        BENCH_RUN(&bench, "textures", 1, 32, 0, &handles[0], &handles[1], &handles[2], &handles[3], &din, &dout));
    assert_non_null(strstr(bench.error.text, "names no texture"));
    bench_close(&bench);
}

static void near(float got, double expected, double tolerance)
{
    double scale = fabs(expected) > 1 ? fabs(expected) : 1;
    if (!(fabs((double)got - expected) <= tolerance * scale))
        fail_msg("%.9g instead of %.9g", (double)got, expected);
}

static void test_functions(void **unused)
{
    (void)unused;
    struct bench bench;
    float in[32], out[32][8];
    open_kernels(&bench);
    for (int i = 0; i < 32; i++)
        in[i] = (float)(i - 15) * 0.7f;
    uint64_t a = bench_buffer(&bench, in, sizeof in), b = bench_buffer(&bench, NULL, sizeof out);
    run_good(BENCH_RUN(&bench, "functions", 1, 32, 0, &a, &b), &bench);
    bench_read(&bench, b, out, sizeof out);
    for (int i = 0; i < 32; i++) {
        double x = (double)in[i], size = fabs(x);
        near(out[i][0], sin(x), 2e-7);
        near(out[i][1], exp(x), 3e-7);
        near(out[i][2], log(size + 1), 2e-7);
        assert_true(out[i][3] == sqrtf(fabsf(in[i])));
        assert_true(out[i][4] == in[i] / 3.0f);
        near(out[i][5], pow(size, 1.5), 5e-7);
        near(out[i][6], cos(x) + exp(x * 0.1), 2e-7);
        near(out[i][7], exp(x) + sin(x) + 1 / sqrt(size + 1), 4e-6);
    }
    bench_close(&bench);
}

static void test_long_numbers(void **unused)
{
    (void)unused;
    struct bench bench;
    uint64_t a[32], b[32], out[32][4], state = 5;
    open_kernels(&bench);
    for (int i = 0; i < 32; i++) {
        a[i] = bench_random(&state);
        b[i] = (bench_random(&state) >> (2 * i)) | 1;
    }
    uint64_t da = bench_buffer(&bench, a, sizeof a), db = bench_buffer(&bench, b, sizeof b);
    uint64_t dout = bench_buffer(&bench, NULL, sizeof out);
    run_good(BENCH_RUN(&bench, "long_numbers", 1, 32, 0, &da, &db, &dout), &bench);
    bench_read(&bench, dout, out, sizeof out);
    for (int i = 0; i < 32; i++) {
        assert_true(out[i][0] == a[i] / b[i]);
        assert_true(out[i][1] == a[i] % b[i]);
        assert_true(out[i][2] == (uint64_t)((unsigned __int128)a[i] * b[i] >> 64));
        assert_true(out[i][3] == a[i] * b[i] + (uint64_t)((int64_t)a[i] >> 7));
    }
    bench_close(&bench);
}

static void expect_fault(const struct bench *bench, bool good, const char *text)
{
    assert_false(good);
    if (!strstr(bench->error.text, text))
        fail_msg("`%s` does not say `%s`", bench->error.text, text);
}

static void test_faults(void **unused)
{
    (void)unused;
    struct bench bench;
    int n = 5;
    open_kernels(&bench);
    uint64_t small = bench_buffer(&bench, NULL, 40), odd = small + 2, flag = bench_buffer(&bench, NULL, 4);
    expect_fault(&bench, BENCH_RUN(&bench, "wild", 1, 32, 0, &small),
                 "kernel wild, block (0,0,0), thread (10,0,0): `st.global.u32`: an access outside every allocation");
    bench.device.slack = 72; /* of the 128 bytes written 40 are allocated; whole 16 bytes are reached */
    bench.error.text[0] = 0;
    expect_fault(&bench, BENCH_RUN(&bench, "wild", 1, 32, 0, &small), "thread (28,0,0): `st.global.u32`");
    bench.device.slack = 73;
    run_good(BENCH_RUN(&bench, "wild", 1, 32, 0, &small), &bench);
    uint64_t before = small - 80, far = small - 84;
    run_good(BENCH_RUN(&bench, "wild", 1, 4, 0, &before), &bench);
    bench.error.text[0] = 0;
    expect_fault(&bench, BENCH_RUN(&bench, "wild", 1, 4, 0, &far), "thread (0,0,0): `st.global.u32`");
    bench.device.slack = 0;
    bench.error.text[0] = 0;
    expect_fault(&bench, BENCH_RUN(&bench, "wild", 1, 4, 0, &odd), "a misaligned access");
    bench.error.text[0] = 0;
    expect_fault(&bench, BENCH_RUN(&bench, "failing", 2, 32, 0, &n), "thread (0,0,0): `call.uni`: a failed assertion");
    bench.error.text[0] = 0;
    expect_fault(&bench, BENCH_RUN(&bench, "stuck", 1, 64, 0, &n),
                 bench_timed() ? "the run ends as hang" : "wait at barriers that nobody will complete");
    bench.error.text[0] = 0;
    expect_fault(&bench, BENCH_RUN(&bench, "stuck", 1, 2000, 0, &n), "at most 1024 threads");
    bench.error.text[0] = 0;
    expect_fault(&bench, BENCH_RUN(&bench, "wait_for", 1, 64, 0, &flag),
                 bench_timed() ? "the run ends as livelock" : "block (0,0,0): its warps only poll memory");
    run_good(BENCH_RUN(&bench, "wait_for", 2, 64, 0, &flag), &bench); /* the other block sets the flag */
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),        cmocka_unit_test(test_gemm),      cmocka_unit_test(test_collatz),
        cmocka_unit_test(test_calls),      cmocka_unit_test(test_choice),    cmocka_unit_test(test_local_array),
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_votes),     cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_halves),     cmocka_unit_test(test_globals),   cmocka_unit_test(test_system_calls),
        cmocka_unit_test(test_flow),       cmocka_unit_test(test_generic),   cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_textures),   cmocka_unit_test(test_functions), cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
