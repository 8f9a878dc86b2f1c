/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products by tensor cores of Ampere and later beside sums in double precision: each tile that the library may choose,
 * with the inner dimension whole and in parts, all operations, sizes that fill no tile, types of D, batches, epilogues.
 */
#include "reference.h"

typedef void *any;
int cublasCreate_v2(any *), cublasDestroy_v2(any);
int cublasGemmStridedBatchedEx(any, int, int, int, int, int, const void *, const void *, int, int, long long,
                               const void *, int, int, long long, const void *, void *, int, int, long long, int, int,
                               int);
int cublasLtCreate(any *), cublasLtDestroy(any), cublasLtMatmulDescCreate(any *, int, int),
    cublasLtMatmulDescDestroy(any), cublasLtMatrixLayoutDestroy(any);
int cublasLtMatmulDescSetAttribute(any, int, const void *, size_t),
    cublasLtMatrixLayoutCreate(any *, int, uint64_t, uint64_t, int64_t);
int cublasLtMatmul(any, any, const void *, any, any, any, any, const void *, any, any, any, any, const void *, any,
                   size_t, CUstream);

enum { F32 = 0, F16 = 2, BF16 = 14 };

static any handle, lt;

struct matrix {
    int type, rows, columns, ld, batches;
    double *value;
    void *device;
};

static size_t count_of(const struct matrix *x)
{
    return (size_t)x->ld * (size_t)x->columns * (size_t)x->batches;
}

/* Numbers that all types hold exactly; `odd`: columns do not begin at multiples of 16 bytes. */
static struct matrix make(int type, int rows, int columns, int batches, bool odd)
{
    struct matrix x = {type, rows, columns, (rows + 7) / 8 * 8 + (odd ? 3 : 8), batches, NULL, NULL};
    size_t count = count_of(&x);
    uint16_t *shorts = malloc(count * 2);
    float *floats = malloc(count * 4);
    x.value = malloc(count * sizeof *x.value);
    for (size_t i = 0; i < count; i++) {
        x.value[i] = (int)(random_number() * 16) / 16.0;
        floats[i] = (float)x.value[i];
        shorts[i] = short_bits(type == F16 ? 4 : 5, floats[i]);
    }
    x.device = device_memory(count * (type ? 2 : 4));
    copy_to_device(x.device, type ? (void *)shorts : (void *)floats, count * (type ? 2 : 4));
    free(shorts), free(floats);
    return x;
}

static void drop(struct matrix *x)
{
    device_free(x->device);
    free(x->value);
}

/* What is on the device. */
static void fetch(const struct matrix *x, double *value)
{
    size_t count = count_of(x), size = x->type ? 2 : 4;
    char *bytes = malloc(count * size);
    copy_to_host(bytes, x->device, count * size);
    for (size_t i = 0; i < count; i++)
        value[i] = x->type ? (double)short_value(x->type == BF16 ? 5 : 4, ((uint16_t *)bytes)[i])
                           : (double)((float *)bytes)[i];
    free(bytes);
}

static double at(const struct matrix *x, int batch, bool turned, int i, int j)
{
    return x->value[((int64_t)batch * x->columns + (turned ? i : j)) * x->ld + (turned ? j : i)];
}

static double activated(double x, int epilogue)
{
    if (epilogue & 2)
        return x > 0 ? x : 0;
    return epilogue & 32 ? 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))) : x;
}

/* Compares D, which began as C; what lies between its columns must be as it was. */
static void compare(const char *what, const struct matrix *a, const struct matrix *b, const struct matrix *d, bool ta,
                    bool tb, int k, double beta, const double *bias, int epilogue)
{
    double *is = malloc(count_of(d) * sizeof *is), rough = d->type == BF16 ? 0.004 : d->type == F16 ? 0.0006 : 1e-5;
    fetch(d, is);
    checked();
    for (int64_t n = 0; n < (int64_t)count_of(d); n++) {
        int i = (int)(n % d->ld), j = (int)(n / d->ld % d->columns), batch = (int)(n / d->ld / d->columns);
        double should = d->value[n];
        if (i < d->rows) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += at(a, batch, ta, i, p) * at(b, batch, tb, p, j);
            should = activated(0.5 * sum + (beta != 0 ? beta * should : 0) + (bias ? bias[i] : 0), epilogue);
        }
        if (!(fabs(is[n] - should) <= rough * (1 + fabs(should)))) {
            fail("%s, operations %d %d, D of type %d: (%d,%d) of %d is %g, not %g", what, ta, tb, d->type, i, j, batch,
                 is[n], should);
            break;
        }
    }
    free(is);
}

static void multiply(const char *what, int type, int out, int operations, int m, int n, int k, int batches, float beta,
                     bool odd)
{
    int ta = operations & 1, tb = operations >> 1;
    struct matrix a = make(type, ta ? k : m, ta ? m : k, batches, false),
                  b = make(type, tb ? n : k, tb ? k : n, batches, false), d = make(out, m, n, batches, odd);
    float alpha = 0.5f;
    good(cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, &alpha, a.device, type, a.ld, (long long)a.ld * a.columns,
                                    b.device, type, b.ld, (long long)b.ld * b.columns, &beta, d.device, out, d.ld,
                                    (long long)d.ld * d.columns, batches, 68, -1));
    compare(what, &a, &b, &d, ta, tb, k, beta, NULL, 0);
    drop(&a), drop(&b), drop(&d);
}

/* D = f(A'B / 2 + bias), as linear layers are. */
static void layer(const char *what, int out, int epilogue, int m, int n, int k)
{
    struct matrix a = make(out, k, m, 1, false), b = make(out, k, n, 1, false), d = make(out, m, n, 1, false),
                  bias = make(out, m, 1, 1, false);
    any la, lb, ld, operation;
    int turned = 1;
    float alpha = 0.5f, beta = 0;
    good(cublasLtMatrixLayoutCreate(&la, out, (uint64_t)k, (uint64_t)m, a.ld));
    good(cublasLtMatrixLayoutCreate(&lb, out, (uint64_t)k, (uint64_t)n, b.ld));
    good(cublasLtMatrixLayoutCreate(&ld, out, (uint64_t)m, (uint64_t)n, d.ld));
    good(cublasLtMatmulDescCreate(&operation, 68, 0));
    good(cublasLtMatmulDescSetAttribute(operation, 3, &turned, sizeof turned));
    good(cublasLtMatmulDescSetAttribute(operation, 7, &epilogue, sizeof epilogue));
    good(cublasLtMatmulDescSetAttribute(operation, 8, &bias.device, sizeof bias.device));
    good(cublasLtMatmul(lt, operation, &alpha, a.device, la, b.device, lb, &beta, d.device, ld, d.device, ld, NULL,
                        NULL, 0, NULL));
    compare(what, &a, &b, &d, true, false, k, 0, epilogue & 4 ? bias.value : NULL, epilogue);
    cublasLtMatmulDescDestroy(operation);
    cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(ld);
    drop(&a), drop(&b), drop(&d), drop(&bias);
}

/* Some of the checks for each tile, so that all tiles have met all of them after a few. */
static void one_tile(const char *tile, int number)
{
    int type = number % 2 ? F16 : BF16, other = number % 2 ? BF16 : F16;
    for (int operations = 0; operations < 4; operations++) {
        multiply(tile, type, type, operations, 200, 75, 136, 1, 0, false);
        multiply(tile, other, F32, operations, 131, 37, 72, 1, operations % 2 ? 2 : 0, number % 3 == 0);
    }
    multiply(tile, type, type, number % 4, 37, 141, 8, 3, number % 3 ? 0 : 0.5f, number % 3 == 1);
    layer(tile, type, number % 2 ? 6 : 36, 90, 40, 200);
    layer(tile, other, number % 2 ? 32 : 4, 264, 24, 64);
}

int main(void)
{
    static const char *const tiles[] = {"256x128", "128x256", "128x128", "128x64", "64x128", "64x64", "64x32", "64x16"};
    reference_begin();
    good(cublasCreate_v2(&handle)), good(cublasLtCreate(&lt));
    for (int i = 0; i < 16; i++) {
        char word[32];
        snprintf(word, sizeof word, "%s,%d", tiles[i / 2], i % 2 ? 3 : 1);
        setenv("MANIPLE_PRODUCT", word, 1);
        one_tile(word, i + i / 4);
    }
    unsetenv("MANIPLE_PRODUCT");
    one_tile("chosen", 0), one_tile("chosen", 1);
    multiply("deep", BF16, BF16, 1, 24, 9, 4096, 1, 0, false);
    good(cublasDestroy_v2(handle)), good(cublasLtDestroy(lt));
    return reference_end();
}
