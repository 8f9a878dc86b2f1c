/* SPDX-License-Identifier: BSD-3-Clause */
/* Products by warpgroups, and in tensor memory, in every form beside sums: operations, odd sizes, batches, parts of k,
 * epilogues, types. */
#include "reference.h"

typedef void *any;
int cublasLtCreate(any *), cublasLtDestroy(any), cublasLtMatmulDescCreate(any *, int, int);
int cublasLtMatmulDescDestroy(any), cublasLtMatmulDescSetAttribute(any, int, const void *, size_t);
int cublasLtMatrixLayoutCreate(any *, int, uint64_t, uint64_t, int64_t), cublasLtMatrixLayoutDestroy(any);
int cublasLtMatrixLayoutSetAttribute(any, int, const void *, size_t);
int cublasLtMatmul(any, any, const void *, any, any, any, any, const void *, any, any, any, any, const void *, any,
                   size_t, CUstream);

enum { F32 = 0, F16 = 2, BF16 = 14, MOST_PARTS = 32 };
static any handle;

struct shape {
    int in, out, ta, tb, m, n, k, batch, epilogue;
    float beta;
};

static int type_of(int type) /* as reference.h counts them */
{
    return type == F16 ? 4 : type == BF16 ? 5 : 0;
}

/* A matrix of small whole numbers, whose columns are a multiple of 8 apart. */
static any matrix(int type, int rows, int columns, int batch, void **memory, double complex **numbers, int64_t *ld)
{
    any layout;
    *ld = (rows + 7) / 8 * 8 + 8;
    int64_t apart = *ld * columns, count = apart * batch;
    good(cublasLtMatrixLayoutCreate(&layout, type, (uint64_t)rows, (uint64_t)columns, *ld));
    good(cublasLtMatrixLayoutSetAttribute(layout, 5, &batch, sizeof batch));
    good(cublasLtMatrixLayoutSetAttribute(layout, 6, &apart, sizeof apart));
    *numbers = calloc((size_t)count, sizeof **numbers);
    for (int64_t i = 0; i < count; i++)
        (*numbers)[i] = (int)(random_number() * 3);
    *memory = device_memory((size_t)count * 4);
    to_device(type_of(type), *memory, *numbers, count);
    return layout;
}

static double sum_of(const struct shape *s, const double complex *a, int64_t lda, const double complex *b, int64_t ldb,
                     int i, int j)
{
    double sum = 0;
    for (int p = 0; p < s->k; p++)
        sum += creal(a[s->ta ? i * lda + p : p * lda + i]) * creal(b[s->tb ? p * ldb + j : j * ldb + p]);
    return sum;
}

/* A number of D as it lies in memory. */
static double value_of(int type, const uint8_t *at)
{
    uint16_t half;
    uint32_t word;
    float value;
    memcpy(&half, at, sizeof half);
    if (type == F16) {
        int exponent = half >> 10 & 31;
        double magnitude = ldexp(exponent ? 1024 + (half & 1023) : half & 1023, (exponent ? exponent : 1) - 25);
        return half & 0x8000 ? -magnitude : magnitude;
    }
    word = (uint32_t)half << 16;
    memcpy(&value, type == BF16 ? (const void *)&word : at, sizeof value);
    return (double)value;
}

/* `algorithm`: 0 for the library's choice, 2 and more for a form and a number of parts. */
static void one(const struct shape *s, uint64_t algorithm)
{
    void *ma, *mb, *mc, *md, *bias = device_memory((size_t)s->m * 4);
    double complex *a, *b, *c, *d, *add = calloc((size_t)s->m, sizeof *add);
    int64_t lda, ldb, ldc, ldd;
    any la = matrix(s->in, s->ta ? s->k : s->m, s->ta ? s->m : s->k, s->batch, &ma, &a, &lda);
    any lb = matrix(s->in, s->tb ? s->n : s->k, s->tb ? s->k : s->n, s->batch, &mb, &b, &ldb), operation;
    any lc = matrix(s->out, s->m, s->n, s->batch, &mc, &c, &ldc),
        ld = matrix(s->out, s->m, s->n, s->batch, &md, &d, &ldd);
    for (int i = 0; i < s->m; i++)
        add[i] = (int)(random_number() * 3);
    to_device(type_of(s->out), bias, add, s->m);
    float alpha = 0.5f;
    uint64_t words[8] = {algorithm};
    good(cublasLtMatmulDescCreate(&operation, 68, 0));
    good(cublasLtMatmulDescSetAttribute(operation, 3, &s->ta, sizeof s->ta));
    good(cublasLtMatmulDescSetAttribute(operation, 4, &s->tb, sizeof s->tb));
    good(cublasLtMatmulDescSetAttribute(operation, 7, &s->epilogue, sizeof s->epilogue));
    good(cublasLtMatmulDescSetAttribute(operation, 8, &bias, sizeof bias));
    good(cublasLtMatmul(handle, operation, &alpha, ma, la, mb, lb, &s->beta, mc, lc, md, ld, words, NULL, 0, NULL));
    size_t size = s->out ? 2 : 4, count = (size_t)(ldd * s->n * s->batch);
    uint8_t *bytes = malloc(count * size);
    copy_to_host(bytes, md, count * size);
    checked();
    for (int l = 0; l < s->batch; l++)
        for (int j = 0; j < s->n; j++)
            for (int i = 0; i < ldd; i++) {
                size_t at = (size_t)(l * ldd * s->n + j * ldd + i);
                double should = creal(d[at]); /* what lies between columns stays */
                if (i < s->m) {
                    should = 0.5 * sum_of(s, a + l * lda * (s->ta ? s->m : s->k), lda,
                                          b + l * ldb * (s->tb ? s->k : s->n), ldb, i, j);
                    should += s->beta * creal(c[at]) + (s->epilogue & 4 ? creal(add[i]) : 0);
                    should = s->epilogue & 2 && should < 0 ? 0 : should;
                }
                double value = value_of(s->out, bytes + at * size);
                if (!(fabs(value - should) <= (s->out == BF16 ? 0.004 : s->out == F16 ? 0.0005 : 0) * fabs(should))) {
                    fail("types %d %d, operations %d %d, %d x %d x %d, batch %d, epilogue %d, algorithm %d: (%d,%d,%d) "
                         "is %g, not %g",
                         s->in, s->out, s->ta, s->tb, s->m, s->n, s->k, s->batch, s->epilogue, (int)algorithm, i, j, l,
                         (double)value, should);
                    l = s->batch, j = s->n, i = (int)ldd;
                }
            }
    cublasLtMatmulDescDestroy(operation), cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb);
    cublasLtMatrixLayoutDestroy(lc), cublasLtMatrixLayoutDestroy(ld);
    device_free(ma), device_free(mb), device_free(mc), device_free(md), device_free(bias);
    free(a), free(b), free(c), free(d), free(add), free(bytes);
}

static int number_or(const char *text, int otherwise)
{
    return text ? atoi(text) : otherwise;
}

static bool has_word(int count, char **words, const char *word)
{
    for (int i = 3; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* Words: the first and the last form; `linear`: all forms take the operations of linear layers alone, otherwise those
 * from 6 on do; `few`: the same for at most 64 rows; `all`: each form with all four kinds of products, otherwise with
 * one of them. */
int main(int count, char **words)
{
    static const int epilogues[] = {1, 4, 6, 1, 2};
    int first = number_or(count > 1 ? words[1] : NULL, 0), last = number_or(count > 2 ? words[2] : NULL, 19);
    bool all = has_word(count, words, "all"), few = has_word(count, words, "few");
    bool linear = few || has_word(count, words, "linear");
    int common = linear ? 0 : 6, whole = linear && !few ? 10 : last + 1; /* forms from here on do not take parts of k */
    reference_begin();
    good(cublasLtCreate(&handle));
    for (int form = first; form <= last; form++)
        for (int i = 0; i < 4; i++) {
            struct shape s = {.in = form & 1 ? F16 : BF16,
                              .out = i == 3     ? F32
                                     : form & 1 ? F16
                                                : BF16,
                              .ta = form >= common || !(i & 1),
                              .tb = form < common && i >> 1,
                              .m = few ? 9 + 18 * i : 72 + 65 * i,
                              .n = i == 0 ? 7 : 150 - 31 * i,
                              .k = 72 + (few ? 257 : 57) * i,
                              .batch = 1 + (i == 2),
                              .epilogue = epilogues[(form + i) % 5],
                              .beta = i == 1 ? 2 : 0};
            if (all || (form + form / 4) % 4 == i)
                one(&s, (uint64_t)(2 + form * MOST_PARTS + (form < whole && i >= 2 ? i - 1 : 0)));
        }
    for (int i = 0; i < 6; i++) { /* the library's choice */
        struct shape s = {BF16, BF16, 1, 0, 1 << i, 3 + i, i ? 64 << i : 1, 1, 1, 0};
        one(&s, 0);
    }
    good(cublasLtDestroy(handle));
    return reference_end();
}
