/* SPDX-License-Identifier: BSD-3-Clause */
/* Our libcublasLt's products beside sums: layouts, operations, batches, epilogues; floats, TF32 and halves. */
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

static void one(int in, int compute, int ta, int tb, int order, int epilogue, int batches, int m, int n, int k)
{
    void *ma, *mb, *mc, *md, *bias = device_memory((size_t)m * 4);
    number *a, *b, *c, *d, add[200];
    any la = layout(in, ta ? k : m, ta ? m : k, order, batches, &ma, &a);
    any lb = layout(in, tb ? n : k, tb ? k : n, 0, batches, &mb, &b);
    any lc = layout(0, m, n, 0, batches, &mc, &c), ld = layout(0, m, n, order, batches, &md, &d), operation, preference;
    for (int i = 0; i < m; i++)
        add[i] = sixteenth();
    to_device(0, bias, add, m);
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
    from_device(0, is, md, all);
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
                if (!(wrong <= 1e-5 * (1 + fabs(should)))) {
                    fail("type %d, compute %d, operations %d %d, order %d, epilogue %d: (%d,%d) wrong by %g", in,
                         compute, ta, tb, order, epilogue, i, j, wrong);
                    l = batches, i = m, j = n;
                }
            }
    cublasLtMatmulDescDestroy(operation), cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(lc),
        cublasLtMatrixLayoutDestroy(ld);
    free(a), free(b), free(c), free(d), free(is);
}

int main(void)
{
    static const int epilogues[] = {1, 2, 4, 6, 32, 36};
    reference_begin();
    good(cublasLtCreate(&handle));
    for (int i = 0; i < 12; i++) {
        one(0, 68, i & 1, i >> 1 & 1, i >> 2 & 1, epilogues[i % 6], 1 + i % 3, 40, 33, 24);
        one(0, 77, i & 1, i >> 1 & 1, i >> 2 & 1, epilogues[i % 6], 1 + i % 3, 40, 33, 24);
        one(2, 68, i & 1, i >> 1 & 1, i >> 2 & 1, epilogues[i % 6], 1 + i % 3, 70, 66, 40);
    }
    good(cublasLtDestroy(handle));
    if (cublasLtCreate(NULL) != 7)
        fail("no place for a handle is accepted");
    return reference_end();
}
