/* SPDX-License-Identifier: BSD-3-Clause */
/* Our libcublasLt's products beside sums: layouts, operations, batches, epilogues; floats, TF32, halves and FP8. */
#include "reference.h"

typedef double complex number;
typedef void *any;
int cublasLtCreate(any *), cublasLtDestroy(any), cublasLtMatmulDescCreate(any *, int, int),
    cublasLtMatmulDescDestroy(any);
int cublasLtMatmulDescSetAttribute(any, int, const void *, size_t), cublasLtMatrixLayoutDestroy(any);
int cublasLtMatrixLayoutCreate(any *, int, uint64_t, uint64_t, int64_t),
    cublasLtMatrixLayoutSetAttribute(any, int, const void *, size_t);
int cublasLtMatmulPreferenceCreate(any *), cublasLtMatmulPreferenceDestroy(any);
int cublasLtMatmulAlgoGetHeuristic(any, any, any, any, any, any, any, int, void *, int *);
int cublasLtMatmul(any, any, const void *, any, any, any, any, const void *, any, any, any, any, const void *, any,
                   size_t, CUstream);

static any handle;

/* Numbers that a half holds exactly. */
static double sixteenth(void)
{
    return (int)(random_number() * 16) / 16.0;
}

static any layout(int type, int rows, int columns, int order, int batches, void **memory, number **numbers)
{
    any l = NULL;
    int ld = (order ? columns : rows) + 8, lines = order ? rows : columns;
    int64_t apart = (int64_t)ld * lines, count = apart * batches;
    good(cublasLtMatrixLayoutCreate(&l, type, (uint64_t)rows, (uint64_t)columns, ld));
    good(cublasLtMatrixLayoutSetAttribute(l, 1, &order, sizeof order));
    good(cublasLtMatrixLayoutSetAttribute(l, 5, &batches, sizeof batches));
    good(cublasLtMatrixLayoutSetAttribute(l, 6, &apart, sizeof apart));
    *numbers = calloc((size_t)count, sizeof **numbers);
    for (int64_t i = 0; i < count; i++)
        (*numbers)[i] = sixteenth();
    *memory = device_memory((size_t)count * 4);
    to_device(type == 2 ? 4 : type == 14 ? 5 : 0, *memory, *numbers, count);
    return l;
}

static int64_t at(int rows, int columns, int order, int batch, int i, int j)
{
    int64_t ld = (order ? columns : rows) + 8, lines = order ? rows : columns;
    return batch * ld * lines + (order ? i * ld + j : i + j * ld);
}

static double activated(double x, int epilogue)
{
    if (epilogue & 2)
        return x > 0 ? x : 0;
    return epilogue & 32 ? 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))) : x;
}

/* `out`: the type of C, D and bias. */
static void one(int in, int out, int compute, int ta, int tb, int order, int epilogue, int batches, int m, int n, int k)
{
    int stored = out == 2 ? 4 : out == 14 ? 5 : 0;
    double precision = out == 2 ? 0x1p-11 : out == 14 ? 0x1p-8 : 0;
    void *ma, *mb, *mc, *md, *bias = device_memory((size_t)m * 4);
    number *a, *b, *c, *d, add[200];
    any la = layout(in, ta ? k : m, ta ? m : k, order, batches, &ma, &a);
    any lb = layout(in, tb ? n : k, tb ? k : n, 0, batches, &mb, &b);
    any lc = layout(out, m, n, 0, batches, &mc, &c), ld = layout(out, m, n, order, batches, &md, &d);
    any operation, preference;
    for (int i = 0; i < m; i++)
        add[i] = sixteenth();
    to_device(stored, bias, add, m);
    good(cublasLtMatmulDescCreate(&operation, compute, 0));
    good(cublasLtMatmulDescSetAttribute(operation, 3, &ta, sizeof ta));
    good(cublasLtMatmulDescSetAttribute(operation, 4, &tb, sizeof tb));
    good(cublasLtMatmulDescSetAttribute(operation, 7, &epilogue, sizeof epilogue));
    good(cublasLtMatmulDescSetAttribute(operation, 8, &bias, sizeof bias));
    good(cublasLtMatmulPreferenceCreate(&preference));
    uint64_t found[12];
    int count = 0;
    float alpha = 0.25f, beta = 2;
    good(cublasLtMatmulAlgoGetHeuristic(handle, operation, la, lb, lc, ld, preference, 1, found, &count));
    if (count != 1)
        fail("no algorithm is found");
    good(cublasLtMatmul(handle, operation, &alpha, ma, la, mb, lb, &beta, mc, lc, md, ld, found, NULL, 0, NULL));
    int64_t all = at(m, n, order, batches, 0, 0);
    number *is = calloc((size_t)all, sizeof *is);
    from_device(stored, is, md, all);
    checked();
    for (int l = 0; l < batches; l++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int p = 0; p < k; p++)
                    sum += creal(a[ta ? at(k, m, order, l, p, i) : at(m, k, order, l, i, p)] *
                                 b[tb ? at(n, k, 0, l, j, p) : at(k, n, 0, l, p, j)]);
                sum = alpha * sum + beta * creal(c[at(m, n, 0, l, i, j)]) + (epilogue & 4 ? creal(add[i]) : 0);
                double should = activated(sum, epilogue), wrong = fabs(creal(is[at(m, n, order, l, i, j)]) - should);
                if (!(wrong <= 1e-5 * (1 + fabs(should)) + precision * fabs(should))) {
                    fail("types %d, %d, compute %d, operations %d %d, order %d, epilogue %d: (%d,%d) wrong by %g", in,
                         out, compute, ta, tb, order, epilogue, i, j, wrong);
                    l = batches, i = m, j = n;
                }
            }
    cublasLtMatmulDescDestroy(operation), cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(lc),
        cublasLtMatrixLayoutDestroy(ld);
    free(a), free(b), free(c), free(d), free(is);
}

/* Eight-bit floats with four or five bits of exponent: both hold these numbers exactly. */
static double eighth(unsigned char *bits, int type)
{
    static const double values[] = {0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3};
    static const unsigned char e4m3[] = {0, 0x28, 0x30, 0x34, 0x38, 0x3c, 0x40, 0x44},
                               e5m2[] = {0, 0x34, 0x38, 0x3a, 0x3c, 0x3e, 0x40, 0x42};
    int i = (int)((random_number() + 1) * 4) & 7;
    bool negative = random_number() < 0;
    *bits = (unsigned char)((type == 28 ? e4m3 : e5m2)[i] | (negative ? 128 : 0));
    return negative ? -values[i] : values[i];
}

static any eights(int type, int k, int lines, unsigned char **memory, double *numbers)
{
    any l = NULL;
    int ld = (k + 15) / 16 * 16 + 16;
    unsigned char *bytes = calloc((size_t)ld, (size_t)lines);
    for (int i = 0; i < lines; i++)
        for (int p = 0; p < k; p++)
            numbers[i * k + p] = eighth(&bytes[i * ld + p], type);
    good(cublasLtMatrixLayoutCreate(&l, type, (uint64_t)k, (uint64_t)lines, ld));
    *memory = device_memory((size_t)ld * (size_t)lines);
    copy_to_device(*memory, bytes, (size_t)ld * (size_t)lines);
    free(bytes);
    return l;
}

static float *scales_of(int count, float *numbers)
{
    float *memory = device_memory(sizeof(float) * (size_t)count);
    for (int i = 0; i < count; i++)
        numbers[i] = (float)(1 + (int)(random_number() * 7)) / 4; /* exact */
    copy_to_device(memory, numbers, sizeof(float) * (size_t)count);
    return memory;
}

/* D = scales of A's rows and B's columns times A'B, and a bias for each row; `mode` 3: a scale for each. */
static void one_of_eights(int a_type, int b_type, int out, int mode, int m, int n, int k)
{
    static double a[300 * 400], b[300 * 400];
    static float sa[300], sb[300], c[300 * 300];
    static uint16_t shorts[300 * 300];
    unsigned char *ma, *mb;
    int ta = 1, bias_rows = 4;
    any la = eights(a_type, k, m, &ma, a), lb = eights(b_type, k, n, &mb, b), ld = NULL, operation;
    float *da = scales_of(mode ? m : 1, sa), *db = scales_of(mode ? n : 1, sb), alpha = 0.5f, beta = 0;
    number add[300];
    void *bias = device_memory(sizeof(float) * (size_t)m), *md = device_memory(sizeof(float) * (size_t)(m * n));
    for (int i = 0; i < m; i++)
        add[i] = sixteenth();
    to_device(out == 0 ? 0 : out == 2 ? 4 : 5, bias, add, m);
    good(cublasLtMatrixLayoutCreate(&ld, out, (uint64_t)m, (uint64_t)n, m));
    good(cublasLtMatmulDescCreate(&operation, 68, 0));
    good(cublasLtMatmulDescSetAttribute(operation, 3, &ta, sizeof ta));
    good(cublasLtMatmulDescSetAttribute(operation, 7, &bias_rows, sizeof bias_rows));
    good(cublasLtMatmulDescSetAttribute(operation, 8, &bias, sizeof bias));
    good(cublasLtMatmulDescSetAttribute(operation, 17, &da, sizeof da));
    good(cublasLtMatmulDescSetAttribute(operation, 18, &db, sizeof db));
    good(cublasLtMatmulDescSetAttribute(operation, 31, &mode, sizeof mode));
    good(cublasLtMatmulDescSetAttribute(operation, 32, &mode, sizeof mode));
    good(cublasLtMatmul(handle, operation, &alpha, ma, la, mb, lb, &beta, md, ld, md, ld, NULL, NULL, 0, NULL));
    copy_to_host(out ? (void *)shorts : (void *)c, md, (out ? 2 : 4) * (size_t)(m * n));
    checked();
    for (int at = 0; at < m * n; at++) {
        int i = at % m, j = at / m;
        double sum = 0;
        for (int p = 0; p < k; p++)
            sum += a[i * k + p] * b[j * k + p];
        sum = alpha * sum * (double)sa[mode ? i : 0] * (double)sb[mode ? j : 0] + creal(add[i]);
        uint32_t bits = (uint32_t)shorts[at] << 16;
        float is = c[at];
        if (out == 14)
            memcpy(&is, &bits, sizeof is);
        if (!(fabs((double)is - sum) <= (out ? 0.004 * fabs(sum) : 0))) {
            fail("types %d, %d, %d, mode %d: (%d,%d) is %g, not %g", a_type, b_type, out, mode, i, j, (double)is, sum);
            break;
        }
    }
    cublasLtMatmulDescDestroy(operation);
    cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(ld);
}

static void all_of_eights(void)
{
    for (int i = 0; i < 4; i++)
        for (int mode = 0; mode <= 3; mode += 3) {
            one_of_eights(i & 1 ? 29 : 28, i & 2 ? 29 : 28, 0, mode, 70, 33, 64 + 16 * i);
            one_of_eights(i & 1 ? 29 : 28, i & 2 ? 29 : 28, 14, mode, 64, 130, 80);
        }
    one_of_eights(28, 28, 0, 3, 300, 290, 400); /* large tiles, on a device of few SMs */
}

int main(int count, char **words)
{
    static const int epilogues[] = {1, 2, 4, 6, 32, 36};
    reference_begin();
    good(cublasLtCreate(&handle));
    if (count > 1 && strcmp(words[1], "eights") == 0) {
        all_of_eights();
        return reference_end();
    }
    for (int i = 0; i < 12; i++) {
        one(0, 0, 68, i & 1, i >> 1 & 1, i >> 2 & 1, epilogues[i % 6], 1 + i % 3, 40, 33, 24);
        one(0, 0, 77, i & 1, i >> 1 & 1, i >> 2 & 1, epilogues[i % 6], 1 + i % 3, 40, 33, 24);
        one(2, 0, 68, i & 1, i >> 1 & 1, i >> 2 & 1, epilogues[i % 6], 1 + i % 3, 70, 66, 40);
        one(14, i & 1 ? 14 : 0, 68, i & 1, i >> 1 & 1, i >> 2 & 1, epilogues[i % 6], 1 + i % 3, 33, 34, 24);
        one(2, 2, 69, i & 1, i >> 1 & 1, i >> 2 & 1, epilogues[i % 6], 1 + i % 3, 34, 33, 17); /* not on tensor cores */
    }
    good(cublasLtDestroy(handle));
    if (cublasLtCreate(NULL) != 7)
        fail("no place for a handle is accepted");
    return reference_end();
}
