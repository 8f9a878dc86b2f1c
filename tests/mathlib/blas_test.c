/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our libcublas beside a plain reference: each function at sizes round the edges of its tiles, all transposes,
 * triangles, sides and steps, both pointer modes. A program of its own: `maniple run -- mathlib_blas [PART]`; prints
 * what is wrong.
 */
#include "reference.h"

#include <stdlib.h>

typedef void *handle_t;
typedef double complex number;
enum { S, D, C, Z };

/* Declared as programs see them, with the address of any number for any pointer. */
int cublasCreate_v2(handle_t *h);
int cublasDestroy_v2(handle_t h);
int cublasSetPointerMode_v2(handle_t h, int mode);
int cublasSetMathMode(handle_t h, int mode);
int cublasGemmEx(handle_t h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int at, int lda,
                 const void *b, int bt, int ldb, const void *beta, void *c, int ct, int ldc, int compute,
                 int algorithm);
#define EACH(name, ...)                                                                                                \
    int cublasS##name(__VA_ARGS__);                                                                                    \
    int cublasD##name(__VA_ARGS__);                                                                                    \
    int cublasC##name(__VA_ARGS__);                                                                                    \
    int cublasZ##name(__VA_ARGS__);                                                                                    \
    static int (*const name[])(__VA_ARGS__) = {cublasS##name, cublasD##name, cublasC##name, cublasZ##name};
#define V void *
EACH(axpy_v2, handle_t, int, V, V, int, V, int)
EACH(copy_v2, handle_t, int, V, int, V, int)
EACH(swap_v2, handle_t, int, V, int, V, int)
EACH(scal_v2, handle_t, int, V, V, int)
EACH(gemv_v2, handle_t, int, int, int, V, V, int, V, int, V, V, int)
EACH(trmv_v2, handle_t, int, int, int, int, V, int, V, int)
EACH(trsv_v2, handle_t, int, int, int, int, V, int, V, int)
EACH(gemm_v2, handle_t, int, int, int, int, int, V, V, int, V, int, V, V, int)
EACH(symm_v2, handle_t, int, int, int, int, V, V, int, V, int, V, V, int)
EACH(syrk_v2, handle_t, int, int, int, int, V, V, int, V, V, int)
EACH(syr2k_v2, handle_t, int, int, int, int, V, V, int, V, int, V, V, int)
EACH(trmm_v2, handle_t, int, int, int, int, int, int, V, V, int, V, int, V, int)
EACH(trsm_v2, handle_t, int, int, int, int, int, int, V, V, int, V, int)
EACH(geam, handle_t, int, int, int, int, V, V, int, V, V, int, V, int)
EACH(dgmm, handle_t, int, int, int, V, int, V, int, V, int)
EACH(gemmStridedBatched, handle_t, int, int, int, int, int, V, V, int, long long, V, int, long long, V, V, int,
     long long, int)
EACH(gemmBatched, handle_t, int, int, int, int, int, V, V, int, V, int, V, V, int, int)
EACH(getrfBatched, handle_t, int, V, int, V, V, int)
EACH(getrsBatched, handle_t, int, int, int, V, int, V, V, int, int *, int)
EACH(getriBatched, handle_t, int, V, int, V, V, int, V, int)
EACH(matinvBatched, handle_t, int, V, int, V, int, V, int)
int cublasSdot_v2(handle_t, int, V, int, V, int, V), cublasDdot_v2(handle_t, int, V, int, V, int, V),
    cublasCdotc_v2(handle_t, int, V, int, V, int, V), cublasZdotc_v2(handle_t, int, V, int, V, int, V);
int cublasSnrm2_v2(handle_t, int, V, int, V), cublasDnrm2_v2(handle_t, int, V, int, V),
    cublasScnrm2_v2(handle_t, int, V, int, V), cublasDznrm2_v2(handle_t, int, V, int, V);
int cublasSasum_v2(handle_t, int, V, int, V), cublasDasum_v2(handle_t, int, V, int, V),
    cublasScasum_v2(handle_t, int, V, int, V), cublasDzasum_v2(handle_t, int, V, int, V);
int cublasIsamax_v2(handle_t, int, V, int, int *), cublasIdamax_v2(handle_t, int, V, int, int *),
    cublasIcamax_v2(handle_t, int, V, int, int *), cublasIzamax_v2(handle_t, int, V, int, int *);
int cublasSger_v2(handle_t, int, int, V, V, int, V, int, V, int),
    cublasDger_v2(handle_t, int, int, V, V, int, V, int, V, int),
    cublasCgerc_v2(handle_t, int, int, V, V, int, V, int, V, int),
    cublasZgerc_v2(handle_t, int, int, V, V, int, V, int, V, int);
int cublasChemm_v2(handle_t, int, int, int, int, V, V, int, V, int, V, V, int),
    cublasCherk_v2(handle_t, int, int, int, int, V, V, int, V, V, int),
    cublasZher2k_v2(handle_t, int, int, int, int, V, V, int, V, int, V, V, int);

static handle_t handle;
static const double epsilon[] = {6e-8, 1.2e-16, 6e-8, 1.2e-16};

/* Numbers of a type on the device, and what they should become. */
struct array {
    int type;
    long long count;
    number *should;
    void *device;
};

static struct array make(int type, long long count)
{
    struct array a = {type, count, calloc((size_t)count + 1, sizeof(number)), NULL};
    for (long long i = 0; i < count; i++)
        a.should[i] = rounded(type, random_number(), random_number());
    a.device = device_memory((size_t)(count + 1) * reference_size(type));
    to_device(type, a.device, a.should, count);
    return a;
}

static void drop(struct array *a)
{
    device_free(a->device);
    free(a->should);
}

/* Compares with what is on the device; `terms`: how many products a number is the sum of. */
static void compare(const char *what, struct array *a, double terms)
{
    number *is = calloc((size_t)a->count + 1, sizeof *is);
    from_device(a->type, is, a->device, a->count);
    for (long long i = 0; i < a->count; i++) {
        double wrong = cabs(is[i] - a->should[i]),
               bound = epsilon[a->type] * (4 * terms + 16) * (1 + cabs(a->should[i]));
        if (!(wrong <= bound)) {
            fail("%s%c: number %lld is %g%+gi, should be %g%+gi", what, "SDCZ"[a->type], i, creal(is[i]), cimag(is[i]),
                 creal(a->should[i]), cimag(a->should[i]));
            break;
        }
    }
    free(is);
    checked();
}

static number op(const number *a, int ld, int o, int i, int j)
{
    number value = o == 1 || o == 2 ? a[j + (long long)i * ld] : a[i + (long long)j * ld];
    return o >= 2 ? conj(value) : value;
}

/* Of a triangle (0 lower, 1 upper), with what the other one then is: 0 zero, 1 mirrored, 2 mirrored and conjugated. */
static number part(const number *a, int ld, int triangle, int other, int unit, int i, int j)
{
    bool stored = triangle == 0 ? i >= j : i <= j;
    if (other == 0)
        return !stored ? 0 : unit && i == j ? 1 : a[i + (long long)j * ld];
    number value = stored ? a[i + (long long)j * ld] : a[j + (long long)i * ld];
    if (other == 2)
        value = i == j ? creal(value) : stored ? value : conj(value);
    return value;
}

static char scalars[4][2][16]; /* alpha and beta of each type */
static number alpha_of(int type)
{
    return type >= C ? 0.75 - 0.5 * I : 0.75;
}
static number beta_of(int type)
{
    return type >= C ? -0.25 + 0.5 * I : -0.25;
}
#define ALPHA(type) scalars[type][0]
#define BETA(type)  scalars[type][1]

static void test_vectors(int type)
{
    static const int sizes[] = {0, 1, 2, 31, 256, 1000}, steps[] = {1, 2, -1, -3};
    for (int s = 0; s < 6; s++)
        for (int p = 0; p < 4; p++)
            for (int q = 0; q < 4; q++) {
                int n = sizes[s], sx = steps[p], sy = steps[q], ax = abs(sx), ay = abs(sy);
                struct array x = make(type, 3 * n + 1), y = make(type, 3 * n + 1);
                long long bx = sx < 0 ? (long long)(n - 1) * ax : 0, by = sy < 0 ? (long long)(n - 1) * ay : 0;
                good(axpy_v2[type](handle, n, ALPHA(type), x.device, sx, y.device, sy));
                for (int i = 0; i < n; i++)
                    y.should[by + i * sy] += alpha_of(type) * x.should[bx + i * sx];
                compare("axpy", &y, 2);
                good(swap_v2[type](handle, n, x.device, sx, y.device, sy));
                for (int i = 0; i < n; i++) {
                    number held = x.should[bx + i * sx];
                    x.should[bx + i * sx] = y.should[by + i * sy], y.should[by + i * sy] = held;
                }
                compare("swap", &x, 2), compare("swap", &y, 2);
                good(scal_v2[type](handle, n, ALPHA(type), x.device, sx));
                for (int i = 0; i < n && sx > 0; i++)
                    x.should[i * sx] *= alpha_of(type);
                compare("scal", &x, 4);
                good(copy_v2[type](handle, n, x.device, sx, y.device, sy));
                for (int i = 0; i < n; i++)
                    y.should[by + i * sy] = x.should[bx + i * sx];
                compare("copy", &y, 4);
                drop(&x), drop(&y);
            }
}

static void test_sums(int type)
{
    static int (*const dots[])(handle_t, int, V, int, V, int, V) = {cublasSdot_v2, cublasDdot_v2, cublasCdotc_v2,
                                                                    cublasZdotc_v2};
    static int (*const norms[])(handle_t, int, V, int, V) = {cublasSnrm2_v2, cublasDnrm2_v2, cublasScnrm2_v2,
                                                             cublasDznrm2_v2};
    static int (*const sums[])(handle_t, int, V, int, V) = {cublasSasum_v2, cublasDasum_v2, cublasScasum_v2,
                                                            cublasDzasum_v2};
    static int (*const places[])(handle_t, int, V, int, int *) = {cublasIsamax_v2, cublasIdamax_v2, cublasIcamax_v2,
                                                                  cublasIzamax_v2};
    static const int sizes[] = {0, 1, 33, 1000, 70000};
    for (int s = 0; s < 5; s++)
        for (int step = 1; step < 3; step++) {
            int n = sizes[s], place = 0, should_place = 0, real = type % 2 ? D : S;
            struct array x = make(type, (long long)n * step), y = make(type, (long long)n * step);
            struct array dot = make(type, 1), norm = make(real, 1), sum = make(real, 1);
            number products = 0;
            double squares = 0, all = 0, largest = -1;
            for (long long i = 0; i < n; i++) {
                number v = x.should[i * step];
                products += conj(v) * y.should[i * step];
                squares += creal(v) * creal(v) + cimag(v) * cimag(v);
                double size = fabs(creal(v)) + fabs(cimag(v));
                all += size;
                if (size > largest)
                    largest = size, should_place = (int)i + 1;
            }
            dot.should[0] = products, norm.should[0] = sqrt(squares), sum.should[0] = all;
            cublasSetPointerMode_v2(handle, 1); /* results on the device, then on the host */
            good(dots[type](handle, n, x.device, step, y.device, step, dot.device));
            good(norms[type](handle, n, x.device, step, norm.device));
            cublasSetPointerMode_v2(handle, 0);
            char host[16];
            good(sums[type](handle, n, x.device, step, host));
            copy_to_device(sum.device, host, reference_size(real));
            good(places[type](handle, n, x.device, step, &place));
            compare("dot", &dot, 2 + n), compare("nrm2", &norm, 2 + n), compare("asum", &sum, 2 + n);
            if (place != should_place)
                fail("amax: %d, should be %d", place, should_place);
            drop(&x), drop(&y), drop(&dot), drop(&norm), drop(&sum);
        }
}

static void test_matrix_vector(int type)
{
    static const int sizes[] = {1, 7, 32, 65};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int o = 0; o < 3; o++) {
                int m = sizes[a], n = sizes[b], ld = m + 3, rows = o ? n : m, columns = o ? m : n,
                    step = a == b ? 2 : 1;
                struct array A = make(type, (long long)ld * n), x = make(type, columns * step),
                             y = make(type, rows * step);
                number *before =
                    memcpy(malloc((size_t)y.count * sizeof *before), y.should, (size_t)y.count * sizeof *before);
                for (int i = 0; i < rows; i++) {
                    number sum = 0;
                    for (int j = 0; j < columns; j++)
                        sum += op(A.should, ld, o, i, j) * x.should[j * step];
                    y.should[i * step] = alpha_of(type) * sum + beta_of(type) * before[i * step];
                }
                good(gemv_v2[type](handle, o, m, n, ALPHA(type), A.device, ld, x.device, step, BETA(type), y.device,
                                   step));
                compare("gemv", &y, columns);
                free(before);
                drop(&A), drop(&x), drop(&y);
            }
    static int (*const gers[])(handle_t, int, int, V, V, int, V, int, V, int) = {cublasSger_v2, cublasDger_v2,
                                                                                 cublasCgerc_v2, cublasZgerc_v2};
    struct array A = make(type, 40 * 9), x = make(type, 37), y = make(type, 18);
    for (int i = 0; i < 37; i++)
        for (int j = 0; j < 9; j++)
            A.should[i + 40 * j] += alpha_of(type) * x.should[i] * conj(y.should[16 - 2 * j]);
    good(gers[type](handle, 37, 9, ALPHA(type), x.device, 1, y.device, -2, A.device, 40));
    compare("ger", &A, 2);
    drop(&A), drop(&x), drop(&y);
}

static void test_triangles(int type)
{
    static const int sizes[] = {1, 5, 32, 67};
    for (int s = 0; s < 4; s++)
        for (int triangle = 0; triangle < 2; triangle++)
            for (int o = 0; o < 3; o++)
                for (int unit = 0; unit < 2; unit++) {
                    int n = sizes[s], ld = n + 1, step = unit ? -2 : 1, first = step < 0 ? (n - 1) * 2 : 0;
                    struct array A = make(type, (long long)ld * n), x = make(type, 2 * n);
                    for (int i = 0; i < n; i++) /* well conditioned */
                        for (int j = 0; j < n; j++)
                            A.should[i + j * ld] =
                                rounded(type, creal(A.should[i + j * ld]) / n, cimag(A.should[i + j * ld]) / n);
                    for (int i = 0; i < n; i++)
                        A.should[i + i * ld] += 1;
                    to_device(type, A.device, A.should, A.count);
                    number *before =
                        memcpy(malloc((size_t)x.count * sizeof *before), x.should, (size_t)x.count * sizeof *before);
                    for (int i = 0; i < n; i++) {
                        number sum = 0;
                        for (int j = 0; j < n; j++) {
                            number v = o ? part(A.should, ld, triangle, 0, unit, j, i)
                                         : part(A.should, ld, triangle, 0, unit, i, j);
                            sum += (o == 2 ? conj(v) : v) * before[first + j * step];
                        }
                        x.should[first + i * step] = sum;
                    }
                    good(trmv_v2[type](handle, triangle, o, unit, n, A.device, ld, x.device, step));
                    compare("trmv", &x, n);
                    good(trsv_v2[type](handle, triangle, o, unit, n, A.device, ld, x.device, step)); /* back again */
                    memcpy(x.should, before, (size_t)x.count * sizeof *before);
                    compare("trsv", &x, 8 * n);
                    free(before);
                    drop(&A), drop(&x);
                }
}

/* `fetched`: memory of the device has alpha and beta. */
static void one_gemm(int type, int oa, int ob, int m, int n, int k, int fetched)
{
    int size = (int)reference_size(type);
    void *alpha = ALPHA(type), *beta = BETA(type);
    char *factors = fetched ? device_memory(2 * size) : NULL;
    int lda = (oa ? k : m) + 2, ldb = (ob ? n : k) + 1, ldc = m + 3;
    struct array a = make(type, (long long)lda * (oa ? m : k) + 8), b = make(type, (long long)ldb * (ob ? k : n) + 8);
    struct array c = make(type, (long long)ldc * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int l = 0; l < k; l++)
                sum += op(a.should, lda, oa, i, l) * op(b.should, ldb, ob, l, j);
            c.should[i + j * ldc] = alpha_of(type) * sum + beta_of(type) * c.should[i + j * ldc];
        }
    if (fetched) {
        copy_to_device(factors, alpha, size), copy_to_device(factors + size, beta, size);
        alpha = factors, beta = factors + size;
    }
    cublasSetPointerMode_v2(handle, fetched);
    good(gemm_v2[type](handle, oa, ob, m, n, k, alpha, a.device, lda, b.device, ldb, beta, c.device, ldc));
    cublasSetPointerMode_v2(handle, 0);
    compare(fetched ? "gemm, factors on the device" : "gemm", &c, k);
    if (fetched)
        device_free(factors);
    drop(&a), drop(&b), drop(&c);
}

static void test_gemm(int type)
{
    static const int sizes[][3] = {{1, 1, 1}, {7, 5, 3}, {33, 31, 17}, {64, 1, 40}, {1, 65, 9}, {65, 66, 0}};
    for (int s = 0; s < 6; s++)
        for (int oa = 0; oa < 3; oa++)
            for (int ob = 0; ob < 3; ob++)
                one_gemm(type, oa, ob, sizes[s][0], sizes[s][1], sizes[s][2], 0);
    one_gemm(type, 0, 1, 260, 257, 19, 0); /* large tiles */
    one_gemm(type, 1, 0, 258, 259, 8, 0);
    one_gemm(type, 1, 0, 258, 259, 8, 1);
}

static void test_batched(int type)
{
    int m = 9, n = 6, k = 5, count = 3, size = (int)reference_size(type);
    struct array a = make(type, m * k * count), b = make(type, k * n * count), c = make(type, m * n * count);
    number *first = memcpy(malloc((size_t)c.count * sizeof *first), c.should, (size_t)c.count * sizeof *first);
    char *pointers[3][3];
    for (int turn = 0; turn < 2; turn++) {
        for (int l = 0; l < count; l++) {
            pointers[0][l] = (char *)a.device + l * m * k * size, pointers[1][l] = (char *)b.device + l * k * n * size;
            pointers[2][l] = (char *)c.device + l * m * n * size;
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    number sum = 0;
                    for (int p = 0; p < k; p++)
                        sum += a.should[l * m * k + i + p * m] * b.should[l * k * n + p + j * k];
                    c.should[l * m * n + i + j * m] =
                        alpha_of(type) * sum + beta_of(type) * c.should[l * m * n + i + j * m];
                }
        }
        if (turn == 0) {
            good(gemmStridedBatched[type](handle, 0, 0, m, n, k, ALPHA(type), a.device, m, m * k, b.device, k, k * n,
                                          BETA(type), c.device, m, m * n, count));
        } else {
            char *table = device_memory(sizeof pointers);
            copy_to_device(table, pointers, sizeof pointers);
            good(gemmBatched[type](handle, 0, 0, m, n, k, ALPHA(type), table, m, table + sizeof pointers[0], k,
                                   BETA(type), table + 2 * sizeof pointers[0], m, count));
            device_free(table);
        }
        compare("batched", &c, k);
    }
    free(first);
    drop(&a), drop(&b), drop(&c);
}

static void test_symmetric(int type)
{
    for (int side = 0; side < 2; side++)
        for (int triangle = 0; triangle < 2; triangle++)
            for (int hermitian = 0; hermitian < (type == C ? 2 : 1); hermitian++) {
                int m = 35, n = 18, order = side ? n : m;
                struct array a = make(type, order * order), b = make(type, m * n), c = make(type, m * n);
                for (int i = 0; i < m; i++)
                    for (int j = 0; j < n; j++) {
                        number sum = 0;
                        for (int k = 0; k < order; k++)
                            sum += side ? b.should[i + k * m] * part(a.should, order, triangle, 1 + hermitian, 0, k, j)
                                        : part(a.should, order, triangle, 1 + hermitian, 0, i, k) * b.should[k + j * m];
                        c.should[i + j * m] = alpha_of(type) * sum + beta_of(type) * c.should[i + j * m];
                    }
                good((hermitian ? cublasChemm_v2 : symm_v2[type])(handle, side, triangle, m, n, ALPHA(type), a.device,
                                                                  order, b.device, m, BETA(type), c.device, m));
                compare("symm", &c, order);
                drop(&a), drop(&b), drop(&c);
            }
    for (int triangle = 0; triangle < 2; triangle++)
        for (int o = 0; o < 2; o++)
            for (int two = 0; two < 2; two++) {
                int n = 41, k = 13, ld = o ? k : n;
                struct array a = make(type, n * k), b = make(type, n * k), c = make(type, n * n);
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++) {
                        number sum = 0;
                        for (int l = 0; l < k; l++)
                            sum += two ? op(a.should, ld, o, i, l) * op(b.should, ld, o, j, l) +
                                             op(b.should, ld, o, i, l) * op(a.should, ld, o, j, l)
                                       : op(a.should, ld, o, i, l) * op(a.should, ld, o, j, l);
                        if (triangle ? i <= j : i >= j)
                            c.should[i + j * n] = alpha_of(type) * sum + beta_of(type) * c.should[i + j * n];
                    }
                if (two)
                    good(syr2k_v2[type](handle, triangle, o, n, k, ALPHA(type), a.device, ld, b.device, ld, BETA(type),
                                        c.device, n));
                else
                    good(syrk_v2[type](handle, triangle, o, n, k, ALPHA(type), a.device, ld, BETA(type), c.device, n));
                compare("syrk", &c, 2 * k);
                drop(&a), drop(&b), drop(&c);
            }
}

static void test_hermitian(void)
{
    for (int o = 0; o < 3; o += 2) {
        int n = 37, k = 11, ld = o ? k : n;
        double alpha = 0.75, beta = -0.5;
        float alpha_s = 0.75f, beta_s = -0.5f;
        struct array a = make(C, n * k), c = make(C, n * n), x = make(Z, n * k), y = make(Z, n * k), z = make(Z, n * n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                number one = 0, two = 0;
                for (int l = 0; l < k; l++) {
                    one += op(a.should, ld, o, i, l) * conj(op(a.should, ld, o, j, l));
                    two += alpha_of(Z) * op(x.should, ld, o, i, l) * conj(op(y.should, ld, o, j, l)) +
                           conj(alpha_of(Z)) * op(y.should, ld, o, i, l) * conj(op(x.should, ld, o, j, l));
                }
                c.should[i + j * n] = alpha * one + beta * c.should[i + j * n];
                z.should[i + j * n] = two + beta * z.should[i + j * n];
                if (i == j)
                    c.should[i + j * n] = creal(c.should[i + j * n]), z.should[i + j * n] = creal(z.should[i + j * n]);
            }
        good(cublasCherk_v2(handle, 0, o, n, k, &alpha_s, a.device, ld, &beta_s, c.device, n));
        good(cublasZher2k_v2(handle, 0, o, n, k, ALPHA(Z), x.device, ld, y.device, ld, &beta, z.device, n));
        compare("herk", &c, k), compare("her2k", &z, 2 * k);
        drop(&a), drop(&c), drop(&x), drop(&y), drop(&z);
    }
}

static void one_triangular(int type, int side, int triangle, int o, int unit, int m, int n)
{
    int order = side ? n : m;
    struct array a = make(type, order * order), b = make(type, m * n), c = make(type, m * n);
    for (int i = 0; i < order * order; i++)
        a.should[i] = rounded(type, creal(a.should[i]) / order, cimag(a.should[i]) / order);
    for (int i = 0; i < order; i++)
        a.should[i + i * order] += 1;
    to_device(type, a.device, a.should, a.count);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int k = 0; k < order; k++) {
                int p = side ? k : i, q = side ? j : k;
                number v =
                    o ? part(a.should, order, triangle, 0, unit, q, p) : part(a.should, order, triangle, 0, unit, p, q);
                if (o == 2)
                    v = conj(v);
                sum += side ? b.should[i + k * m] * v : v * b.should[k + j * m];
            }
            c.should[i + j * m] = alpha_of(type) * sum;
        }
    good(trmm_v2[type](handle, side, triangle, o, unit, m, n, ALPHA(type), a.device, order, b.device, m, c.device, m));
    compare("trmm", &c, order);
    good(trsm_v2[type](handle, side, triangle, o, unit, m, n, ALPHA(type), a.device, order, c.device, m)); /* back */
    for (int i = 0; i < m * n; i++)
        c.should[i] = alpha_of(type) * alpha_of(type) * b.should[i];
    compare("trsm", &c, 8 * order);
    drop(&a), drop(&b), drop(&c);
}

static void test_triangular(int type)
{
    for (int n = 0; n < 24; n++)
        one_triangular(type, n & 1, n >> 1 & 1, n >> 2 & 1 ? n % 3 : n >> 3, n % 5 == 0, n % 7 == 0 ? 70 : 33,
                       n % 4 ? 34 : 3);
    struct array a = make(type, 30), b = make(type, 30), c = make(type, 30), x = make(type, 5);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            c.should[i + 6 * j] = alpha_of(type) * conj(a.should[j + 5 * i]) + beta_of(type) * b.should[i + 6 * j];
    good(geam[type](handle, 2, 0, 6, 5, ALPHA(type), a.device, 5, BETA(type), b.device, 6, c.device, 6));
    compare("geam", &c, 2);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 5; j++)
            b.should[i + 6 * j] = c.should[i + 6 * j] * x.should[j];
    good(dgmm[type](handle, 1, 6, 5, c.device, 6, x.device, 1, b.device, 6));
    compare("dgmm", &b, 4);
    drop(&a), drop(&b), drop(&c), drop(&x);
}

/* ===== factors of batches ===== */

enum { BATCH = 3 };

/* The addresses of a batch of matrices of so many numbers each, which lie one behind another. */
static void *pointers(const struct array *a, long long each)
{
    char *list[BATCH];
    for (int b = 0; b < BATCH; b++)
        list[b] = (char *)a->device + (size_t)(b * each) * reference_size(a->type);
    void *to = device_memory(sizeof list);
    copy_to_device(to, list, sizeof list);
    return to;
}

/* Of good condition, with their large numbers beside the diagonal, so that rows have to be exchanged. */
static struct array make_square(int type, int n, int ld)
{
    struct array a = make(type, (long long)BATCH * ld * n);
    for (int b = 0; b < BATCH; b++)
        for (int j = 0; j < n; j++)
            a.should[(b * n + j) * (long long)ld + (j + 1) % n] += n;
    to_device(type, a.device, a.should, a.count);
    return a;
}

/* `lu` becomes L times U with its rows back where they were: the matrix. */
static void multiply_factors(struct array *lu, const int *pivots, int n, int ld)
{
    number *from = calloc((size_t)lu->count, sizeof *from);
    from_device(lu->type, from, lu->device, lu->count);
    for (int b = 0; b < BATCH; b++) {
        number *to = lu->should + (long long)b * ld * n, *f = from + (long long)b * ld * n;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                number sum = i <= j ? f[i + j * ld] : 0;
                for (int k = 0; k < i && k <= j; k++)
                    sum += f[i + k * ld] * f[k + j * ld];
                to[i + j * ld] = sum;
            }
        for (int k = n - 1; k >= 0 && pivots; k--)
            for (int j = 0, other = pivots[b * n + k] - 1; j < n; j++) {
                number value = to[k + j * ld];
                to[k + j * ld] = to[other + j * ld], to[other + j * ld] = value;
            }
    }
    free(from);
    to_device(lu->type, lu->device, lu->should, lu->count);
}

/* Solves op(A) X = B by the factors, for an X that is known. */
static void one_solution(int type, int o, const struct array *a, void *factors, void *pivots, int n, int ld)
{
    int columns = 5, ldb = n + 1, info = 99;
    struct array x = make(type, (long long)BATCH * ldb * columns), b = make(type, x.count);
    for (int m = 0; m < BATCH; m++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < columns; j++) {
                number sum = 0;
                for (int k = 0; k < n; k++)
                    sum += op(a->should + (long long)m * ld * n, ld, o, i, k) * x.should[k + (m * columns + j) * ldb];
                b.should[i + (m * columns + j) * ldb] = sum;
            }
    to_device(type, x.device, b.should, b.count);
    void *at = pointers(&x, (long long)ldb * columns);
    good(getrsBatched[type](handle, o, n, columns, factors, ld, pivots, at, ldb, &info, BATCH));
    for (long long i = 0; i < x.count; i++)
        x.should[i] = i % ldb == n ? b.should[i] : x.should[i]; /* what is no row stays as it is */
    compare("getrs", &x, 16 * n);
    if (info != 0)
        fail("getrs: info is %d", info);
    device_free(at), drop(&x), drop(&b);
}

/* `inverse` times A is the identity. */
static void compare_inverse(const char *what, const struct array *a, struct array *inverse, int n, int ld)
{
    number *is = calloc((size_t)inverse->count, sizeof *is);
    from_device(inverse->type, is, inverse->device, inverse->count);
    struct array product = make(inverse->type, (long long)BATCH * n * n);
    for (long long e = 0; e < product.count; e++) {
        long long i = e % n, j = e / n % n, b = e / n / n;
        number sum = 0;
        for (int k = 0; k < n; k++)
            sum += is[i + (b * n + k) * n] * a->should[k + (b * n + j) * ld];
        product.should[e] = sum;
    }
    to_device(product.type, product.device, product.should, product.count);
    for (long long e = 0; e < product.count; e++)
        product.should[e] = e % n == e / n % n;
    compare(what, &product, 16 * n);
    free(is), drop(&product);
}

static void one_factors(int type, int n, bool exchanges)
{
    int ld = n + 3, pivots[BATCH * 48], info[BATCH] = {9, 9, 9};
    struct array a = make_square(type, n, ld), lu = make(type, a.count), inverse = make(type, (long long)BATCH * n * n);
    for (int i = 0; i < n * BATCH && !exchanges; i++) /* large on the diagonal */
        a.should[i * (long long)ld + i % n] += 4 * n;
    to_device(type, a.device, a.should, a.count), to_device(type, lu.device, a.should, a.count);
    void *from = pointers(&a, (long long)ld * n), *at = pointers(&lu, (long long)ld * n);
    void *to = pointers(&inverse, (long long)n * n);
    void *p = device_memory(sizeof pivots), *device_info = device_memory(sizeof info), *order = exchanges ? p : NULL;
    good(getrfBatched[type](handle, n, at, ld, order, device_info, BATCH));
    copy_to_host(pivots, p, sizeof(int) * BATCH * (size_t)n), copy_to_host(info, device_info, sizeof info);
    if (info[0] || info[1] || info[2])
        fail("getrf: info is %d %d %d", info[0], info[1], info[2]);
    for (int o = 0; o < 3; o++)
        one_solution(type, o, &a, at, order, n, ld);
    good(getriBatched[type](handle, n, at, ld, order, to, n, device_info, BATCH));
    compare_inverse("getri", &a, &inverse, n, ld);
    if (n <= 32) {
        good(matinvBatched[type](handle, n, from, ld, to, n, device_info, BATCH));
        compare_inverse("matinv", &a, &inverse, n, ld);
        compare("matinv's matrix", &a, 0);
    }
    multiply_factors(&lu, exchanges ? pivots : NULL, n, ld);
    for (long long i = 0; i < a.count; i++)
        lu.should[i] = i % ld < n ? a.should[i] : lu.should[i];
    compare("getrf", &lu, 16 * n);
    device_free(from), device_free(at), device_free(to), device_free(p), device_free(device_info);
    drop(&a), drop(&lu), drop(&inverse);
}

/* 1 3 / 2 4 by hand: rows exchanged, U = 3 4 / 0 2/3, L = 1/3. A matrix whose second column is twice its first has a
 * zero at U's second place; getri says so, and leaves the inverse alone. */
static void known_factors(int type)
{
    struct array a = make(type, BATCH * 4), c = make(type, BATCH * 4);
    static const double given[BATCH * 4] = {1, 3, 2, 4, 2, 4, 4, 8, 0, 0, 0, 1},
                                      result[BATCH * 4] = {3, 1 / 3.0, 4, 2 / 3.0, 4, 0.5, 8, 0, 0, 0, 0, 1};
    for (int i = 0; i < BATCH * 4; i++)
        a.should[i] = given[i];
    to_device(type, a.device, a.should, a.count);
    int pivots[BATCH * 2], info[BATCH];
    void *at = pointers(&a, 4), *to = pointers(&c, 4), *p = device_memory(sizeof pivots),
         *i = device_memory(sizeof info);
    good(getrfBatched[type](handle, 2, at, 2, p, i, BATCH));
    copy_to_host(pivots, p, sizeof pivots), copy_to_host(info, i, sizeof info);
    if (pivots[0] != 2 || pivots[1] != 2 || pivots[2] != 2 || pivots[4] != 1 || info[0] != 0 || info[1] != 2 ||
        info[2] != 1)
        fail("getrf%c: pivots %d %d %d, info %d %d %d", "SDCZ"[type], pivots[0], pivots[1], pivots[2], info[0], info[1],
             info[2]);
    for (int k = 0; k < BATCH * 4; k++)
        a.should[k] = result[k];
    compare("getrf by hand", &a, 1);
    good(getriBatched[type](handle, 2, at, 2, p, to, 2, i, BATCH));
    copy_to_host(info, i, sizeof info);
    if (info[0] != 0 || info[1] != 2 || info[2] != 1)
        fail("getri%c: info %d %d %d", "SDCZ"[type], info[0], info[1], info[2]);
    static const double inverse[4] = {-2, 1.5, 1, -0.5};
    for (int k = 0; k < 4; k++)
        c.should[k] = inverse[k];
    compare("getri by hand", &c, 4);
    device_free(at), device_free(to), device_free(p), device_free(i), drop(&a), drop(&c);
}

static void test_factors(int type)
{
    known_factors(type);
    for (int n = 1; n <= 45; n += 11) /* 1, 12, 23, 34, 45 */
        one_factors(type, n, n != 23);
}

/* Halves, bfloat16, TF32: operands that these hold exactly, so that only sums are rounded. */
static void one_tensor(int kind, int oa, int ob, int m, int n, int k, int pad)
{
    int lda = (oa ? k : m) + pad, ldb = (ob ? n : k) + pad, ldc = m + pad,
        in = kind == 0   ? 2
             : kind == 1 ? 14
                         : 0,
        size = in ? 2 : 4;
    long long na = (long long)lda * (oa ? m : k), nb = (long long)ldb * (ob ? k : n), nc = (long long)ldc * n;
    number *a = calloc((size_t)na, sizeof *a), *b = calloc((size_t)nb, sizeof *b);
    for (long long i = 0; i < na; i++)
        a[i] = (int)(random_number() * 16) / 16.0;
    for (long long i = 0; i < nb; i++)
        b[i] = (int)(random_number() * 16) / 16.0;
    struct array c = make(S, nc);
    void *da = device_memory((size_t)(na * size)), *db = device_memory((size_t)(nb * size));
    to_device(in == 2 ? 4 : in == 14 ? 5 : S, da, a, na), to_device(in == 2 ? 4 : in == 14 ? 5 : S, db, b, nb);
    float alpha = 0.5f, beta = 2;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int l = 0; l < k; l++)
                sum += op(a, lda, oa, i, l) * op(b, ldb, ob, l, j);
            c.should[i + j * ldc] = alpha * sum + beta * c.should[i + j * ldc];
        }
    good(cublasGemmEx(handle, oa, ob, m, n, k, &alpha, da, in, lda, db, in, ldb, &beta, c.device, 0, ldc, in ? 68 : 77,
                      -1));
    compare(in == 2 ? "half " : in == 14 ? "bfloat16 " : "TF32 ", &c, k);
    device_free(da), device_free(db), free(a), free(b), drop(&c);
}

static void test_tensor(void)
{
    for (int kind = 0; kind < 3; kind++)
        for (int o = 0; o < 4; o++) {
            one_tensor(kind, o & 1, o >> 1, 64, 64, 64, 8);
            one_tensor(kind, o & 1, o >> 1, 77, 50, 41, 3);
            one_tensor(kind, o & 1, o >> 1, 69, 34, 1093, 3); /* parts of the inner dimension */
        }
    one_tensor(0, 0, 0, 520, 513, 40, 8); /* large tiles */
}

static void test_errors(void)
{
    float one = 1;
    checked();
    if (cublasSgemm_v2(NULL, 0, 0, 1, 1, 1, &one, &one, 1, &one, 1, &one, &one, 1) != 1)
        fail("no handle is not CUBLAS_STATUS_NOT_INITIALIZED");
    if (cublasSgemm_v2(handle, 0, 0, 4, 4, 4, &one, &one, 3, &one, 4, &one, &one, 4) != 7)
        fail("too small a leading dimension is not CUBLAS_STATUS_INVALID_VALUE");
    if (cublasSgemm_v2(handle, 9, 0, 4, 4, 4, &one, &one, 4, &one, 4, &one, &one, 4) != 7)
        fail("an operation that is none is not CUBLAS_STATUS_INVALID_VALUE");
    if (cublasSgemm_v2(handle, 0, 0, 0, 4, 4, &one, NULL, 4, NULL, 4, &one, NULL, 4) != 0)
        fail("an empty matrix is not CUBLAS_STATUS_SUCCESS");
    int info = 9;
    if (cublasSgetrsBatched(handle, 0, 4, 1, &one, 3, NULL, &one, 4, &info, 1) != 7 || info != -5)
        fail("too small a leading dimension is not getrs's fifth parameter: %d", info);
    if (cublasDmatinvBatched(handle, 33, &one, 33, &one, 33, &one, 1) != 7)
        fail("matinv of more than 32 rows is not CUBLAS_STATUS_INVALID_VALUE");
}

int main(int count, char **words)
{
    const char *part_named = count > 1 ? words[1] : "all";
    reference_begin();
    if (cublasCreate_v2(&handle) != 0)
        return fail("no handle"), reference_end();
    for (int type = S; type <= Z; type++) {
        number alpha = alpha_of(type), beta = beta_of(type);
        put_number(type, ALPHA(type), alpha), put_number(type, BETA(type), beta);
    }
    for (int type = S; type <= Z; type++) {
        static void (*const parts[])(int) = {test_vectors,   test_sums,       test_matrix_vector,
                                             test_triangles, test_gemm,       test_batched,
                                             test_symmetric, test_triangular, test_factors};
        static const char *const names[] = {"vectors", "sums",      "matrix-vector", "triangles", "gemm",
                                            "batched", "symmetric", "triangular",    "factors"};
        for (int i = 0; i < 9; i++)
            if (wanted(part_named, names[i]))
                parts[i](type);
    }
    if (wanted(part_named, "hermitian"))
        test_hermitian();
    if (wanted(part_named, "tensor"))
        test_tensor();
    if (wanted(part_named, "errors"))
        test_errors();
    cublasDestroy_v2(handle);
    return reference_end();
}
