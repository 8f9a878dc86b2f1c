/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our libcublas beside OpenBLAS, which is opened by name: where it is not installed, that is all that is said. Matrices
 * in column-major order, all types, transposes, triangles and sides, at sizes round the edges of tiles.
 */
#include "reference.h"

#include <dlfcn.h>

typedef void *handle_t;
enum { S, D, C, Z, TYPES };
enum { COLUMNS = 102, NOT_TRANSPOSED = 111, UPPER = 121, LOWER = 122, NOT_UNIT = 131, LEFT = 141 }; /* of CBLAS */

#define V void *
#define EACH(name, ...)                                                                                                \
    int cublasS##name(__VA_ARGS__);                                                                                    \
    int cublasD##name(__VA_ARGS__);                                                                                    \
    int cublasC##name(__VA_ARGS__);                                                                                    \
    int cublasZ##name(__VA_ARGS__);                                                                                    \
    static int (*const name[])(__VA_ARGS__) = {cublasS##name, cublasD##name, cublasC##name, cublasZ##name};
EACH(gemm_v2, handle_t, int, int, int, int, int, V, V, int, V, int, V, V, int)
EACH(gemv_v2, handle_t, int, int, int, V, V, int, V, int, V, V, int)
EACH(symm_v2, handle_t, int, int, int, int, V, V, int, V, int, V, V, int)
EACH(syrk_v2, handle_t, int, int, int, int, V, V, int, V, V, int)
EACH(trmm_v2, handle_t, int, int, int, int, int, int, V, V, int, V, int, V, int)
EACH(trsm_v2, handle_t, int, int, int, int, int, int, V, V, int, V, int)
int cublasCreate_v2(handle_t *h), cublasDestroy_v2(handle_t h);

static handle_t handle;
static void *library;
static const double epsilon[] = {6e-8, 1.2e-16, 6e-8, 1.2e-16};
static const double complex alpha = 0.75 - 0.5 * I, beta = -0.25 + 0.5 * I;

/* ===== numbers of a type, here and on the device ===== */

struct array {
    int type;
    long long count;
    void *host, *device;
};

static struct array make(int type, long long count)
{
    struct array a = {type, count, malloc((size_t)count * reference_size(type)), NULL};
    for (long long i = 0; i < count; i++)
        put_number(type, (char *)a.host + (size_t)i * reference_size(type), random_number() + random_number() * I);
    a.device = device_memory((size_t)count * reference_size(type));
    copy_to_device(a.device, a.host, (size_t)count * reference_size(type));
    return a;
}

static void drop(struct array *a)
{
    device_free(a->device);
    free(a->host);
}

static double complex number_at(int type, const void *numbers, long long i)
{
    const float *f = numbers;
    const double *d = numbers;
    return type == S ? f[i] : type == D ? d[i] : type == C ? f[2 * i] + f[2 * i + 1] * I : d[2 * i] + d[2 * i + 1] * I;
}

/* `terms`: how many products a number is the sum of, times how much they can grow. */
static void compare(const char *what, struct array *a, double terms)
{
    void *is = malloc((size_t)a->count * reference_size(a->type));
    copy_to_host(is, a->device, (size_t)a->count * reference_size(a->type));
    for (long long i = 0; i < a->count; i++) {
        double complex ours = number_at(a->type, is, i), theirs = number_at(a->type, a->host, i);
        if (!(cabs(ours - theirs) <= epsilon[a->type] * (8 * terms + 32) * (1 + cabs(theirs)))) {
            fail("%s%c: number %lld is %g%+gi, OpenBLAS has %g%+gi", what, "SDCZ"[a->type], i, creal(ours), cimag(ours),
                 creal(theirs), cimag(theirs));
            break;
        }
    }
    free(is);
    checked();
}

/* ===== calls of either ===== */

static void *theirs(const char *name, int type)
{
    char whole[32];
    snprintf(whole, sizeof whole, "cblas_%c%s", "sdcz"[type], name);
    void *function = dlsym(library, whole);
    if (!function)
        fail("OpenBLAS has no %s", whole);
    return function;
}

/* Scalars go to CBLAS by value or, complex ones, by address; to ours by address. */
union scalar {
    float s;
    double d;
    float c[2];
    double z[2];
};

static union scalar scalar(int type, double complex value)
{
    union scalar scalar;
    put_number(type, &scalar, value);
    return scalar;
}

/* One call for each type, of a list of arguments in which X(name) stands for a scalar. */
#define CALL(name, type, TYPES_S, TYPES_D, TYPES_V, ...)                                                               \
    do {                                                                                                               \
        void *function = theirs(name, type);                                                                           \
        if (function && type == S)                                                                                     \
            ((void(*) TYPES_S)function)(__VA_ARGS__(.s));                                                              \
        else if (function && type == D)                                                                                \
            ((void(*) TYPES_D)function)(__VA_ARGS__(.d));                                                              \
        else if (function)                                                                                             \
            ((void(*) TYPES_V)function)(__VA_ARGS__(.c));                                                              \
    } while (0)

static int other(int operation)
{
    return NOT_TRANSPOSED + operation;
}
static int triangle_of(int upper)
{
    return upper ? UPPER : LOWER;
}

static void one_product(int type, int oa, int ob, int m, int n, int k)
{
    int lda = (oa ? k : m) + 2, ldb = (ob ? n : k) + 1, ldc = m + 3;
    struct array a = make(type, (long long)lda * (oa ? m : k)), b = make(type, (long long)ldb * (ob ? k : n)),
                 c = make(type, (long long)ldc * n);
    union scalar x = scalar(type, alpha), y = scalar(type, beta);
    good(gemm_v2[type](handle, oa, ob, m, n, k, &x, a.device, lda, b.device, ldb, &y, c.device, ldc));
#define ARGUMENTS(BY) COLUMNS, other(oa), other(ob), m, n, k, x BY, a.host, lda, b.host, ldb, y BY, c.host, ldc
    CALL("gemm", type, (int, int, int, int, int, int, float, V, int, V, int, float, V, int),
         (int, int, int, int, int, int, double, V, int, V, int, double, V, int),
         (int, int, int, int, int, int, V, V, int, V, int, V, V, int), ARGUMENTS);
#undef ARGUMENTS
    compare("gemm", &c, k);
    drop(&a), drop(&b), drop(&c);
}

static void one_vector(int type, int o, int m, int n)
{
    struct array a = make(type, (long long)(m + 1) * n), x = make(type, 2 * (o ? m : n)),
                 y = make(type, 3 * (o ? n : m));
    union scalar p = scalar(type, alpha), q = scalar(type, beta);
    good(gemv_v2[type](handle, o, m, n, &p, a.device, m + 1, x.device, 2, &q, y.device, 3));
#define ARGUMENTS(BY) COLUMNS, other(o), m, n, p BY, a.host, m + 1, x.host, 2, q BY, y.host, 3
    CALL("gemv", type, (int, int, int, int, float, V, int, V, int, float, V, int),
         (int, int, int, int, double, V, int, V, int, double, V, int),
         (int, int, int, int, V, V, int, V, int, V, V, int), ARGUMENTS);
#undef ARGUMENTS
    compare("gemv", &y, o ? m : n);
    drop(&a), drop(&x), drop(&y);
}

static void one_symmetric(int type, int right, int upper, int m, int n)
{
    int size = right ? n : m;
    struct array a = make(type, (long long)size * size), b = make(type, (long long)m * n),
                 c = make(type, (long long)m * n);
    union scalar x = scalar(type, alpha), y = scalar(type, beta);
    good(symm_v2[type](handle, right, upper, m, n, &x, a.device, size, b.device, m, &y, c.device, m));
#define ARGUMENTS(BY) COLUMNS, LEFT + right, triangle_of(upper), m, n, x BY, a.host, size, b.host, m, y BY, c.host, m
    CALL("symm", type, (int, int, int, int, int, float, V, int, V, int, float, V, int),
         (int, int, int, int, int, double, V, int, V, int, double, V, int),
         (int, int, int, int, int, V, V, int, V, int, V, V, int), ARGUMENTS);
#undef ARGUMENTS
    compare("symm", &c, size);
    drop(&a), drop(&b), drop(&c);
}

static void one_square(int type, int upper, int o, int n, int k)
{
    int ld = o ? k : n;
    struct array a = make(type, (long long)ld * (o ? n : k)), c = make(type, (long long)n * n);
    union scalar x = scalar(type, alpha), y = scalar(type, beta);
    good(syrk_v2[type](handle, upper, o, n, k, &x, a.device, ld, &y, c.device, n));
#define ARGUMENTS(BY) COLUMNS, triangle_of(upper), other(o), n, k, x BY, a.host, ld, y BY, c.host, n
    CALL("syrk", type, (int, int, int, int, int, float, V, int, float, V, int),
         (int, int, int, int, int, double, V, int, double, V, int), (int, int, int, int, int, V, V, int, V, V, int),
         ARGUMENTS);
#undef ARGUMENTS
    compare("syrk", &c, k);
    drop(&a), drop(&c);
}

/* Of a triangle whose diagonal stands out, so that solutions stay small. */
static void one_triangle(int type, int right, int upper, int o, int unit, int m, int n)
{
    int size = right ? n : m;
    struct array a = make(type, (long long)size * size), b = make(type, (long long)m * n),
                 c = make(type, (long long)m * n);
    for (long long i = 0; i < a.count; i++)
        put_number(type, (char *)a.host + (size_t)i * reference_size(type),
                   i % (size + 1) ? number_at(type, a.host, i) / size : 2 + number_at(type, a.host, i) / 2);
    copy_to_device(a.device, a.host, (size_t)a.count * reference_size(type));
    union scalar x = scalar(type, alpha);
    good(trmm_v2[type](handle, right, upper, o, unit, m, n, &x, a.device, size, b.device, m, c.device, m));
    memcpy(c.host, b.host, (size_t)b.count * reference_size(type)); /* theirs is in place */
    good(trsm_v2[type](handle, right, upper, o, unit, m, n, &x, a.device, size, b.device, m));
#define ARGUMENTS(BY)                                                                                                  \
    COLUMNS, LEFT + right, triangle_of(upper), other(o), NOT_UNIT + unit, m, n, x BY, a.host, size, to, m
    for (int solve = 0; solve < 2; solve++) {
        void *to = solve ? b.host : c.host;
        CALL(solve ? "trsm" : "trmm", type, (int, int, int, int, int, int, int, float, V, int, V, int),
             (int, int, int, int, int, int, int, double, V, int, V, int),
             (int, int, int, int, int, int, int, V, V, int, V, int), ARGUMENTS);
    }
#undef ARGUMENTS
    compare("trmm", &c, size);
    compare("trsm", &b, 4 * size);
    drop(&a), drop(&b), drop(&c);
}

int main(void)
{
    static const int sizes[][3] = {{1, 1, 1}, {7, 5, 9}, {32, 33, 31}, {65, 64, 63}, {130, 127, 17}};
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return puts("missing: libopenblas.so.0"), 0;
    reference_begin();
    if (cublasCreate_v2(&handle) != 0)
        return fail("no handle"), reference_end();
    for (int type = S; type < TYPES; type++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            int m = sizes[i][0], n = sizes[i][1], k = sizes[i][2], operations = type >= C ? 3 : 2;
            for (int o = 0; o < 3 * operations; o++)
                if (o / 3 < operations && o % 3 < operations)
                    one_product(type, o / 3, o % 3, m, n, k);
            for (int o = 0; o < operations; o++)
                one_vector(type, o, m, n);
            for (int way = 0; way < 4; way++)
                one_symmetric(type, way / 2, way % 2, m, n), one_square(type, way / 2, way % 2, n, k);
            for (int way = 0; way < 8 * operations; way++)
                one_triangle(type, way % 2, way / 2 % 2, way / 8, way / 4 % 2, m < 70 ? m : 70, n < 70 ? n : 70);
        }
    cublasDestroy_v2(handle);
    return reference_end();
}
