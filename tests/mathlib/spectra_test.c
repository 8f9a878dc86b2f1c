/* SPDX-License-Identifier: BSD-3-Clause */
/* Q R, eigenvalues and singular values of our libcusolver: products of what comes out are the matrix, vectors are
 * orthonormal, values are known ones; rank-deficient matrices, batches, one row, both shapes. */
#include "solver.h"

enum { MOST = 40, LD = MOST + 3 };

#define CUBLAS_OF(type, name)                                                                                          \
    ((type) == 0 ? cublasS##name : (type) == 1 ? cublasD##name : (type) == 2 ? cublasC##name : cublasZ##name)
#define BLAS_IN_TYPE(L)                                                                                                \
    int cublas##L##geqrfBatched(any, int, int, any, int, any, int *, int),                                             \
        cublas##L##gelsBatched(any, int, int, int, int, any, int, any, int, int *, any, int);
BLAS_IN_TYPE(S)
BLAS_IN_TYPE(D)
BLAS_IN_TYPE(C)
BLAS_IN_TYPE(Z)
int cublasCreate_v2(any *), cublasDestroy_v2(any);

typedef number matrix[MOST * LD];
static matrix a, b, q, r, x, y;
static any blas;

static int code_of(void *info, int at)
{
    int codes[8];
    copy_to_host(codes, info, sizeof codes);
    return codes[at];
}

/* ===== Q R ===== */

static void qr(int type, int m, int n, bool wide)
{
    int least = m < n ? m : n, adjoint = type < 2 ? 1 : 2;
    void *da = put_random(type, a, m, n, LD), *taus = device_memory(16 * MOST), *info = device_memory(32);
    void *dq = device_memory(sizeof a), *db = device_memory(sizeof a);
    if (wide)
        good(cusolverDnXgeqrf(handle, NULL, m, n, data_type(type), da, LD, data_type(type), taus, data_type(type), NULL,
                              0, NULL, 0, info));
    else
        good(OF(type, geqrf)(handle, m, n, da, LD, taus, NULL, 0, info));
    from_device(type, r, da, LD * n), to_device(type, dq, r, LD * n);
    good(OF_TWO(type, orgqr, ungqr)(handle, m, least, least, dq, LD, taus, NULL, 0, info));
    from_device(type, q, dq, LD * least);
    orthonormal("Q", type, q, m, least, LD);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int k = 0; k <= j && k < least; k++)
                sum += q[i + k * LD] * r[k + j * LD];
            near("A = Q R", type, sum, a[i + j * LD], m);
        }
    to_device(type, db, a, LD * n); /* Q' A = R */
    good(OF_TWO(type, ormqr, unmqr)(handle, 0, adjoint, m, n, least, da, LD, taus, db, LD, NULL, 0, info));
    from_device(type, x, db, LD * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            near("Q' A", type, x[i + j * LD], i <= j ? r[i + j * LD] : 0, m);
    good(OF_TWO(type, ormqr, unmqr)(handle, 0, 0, m, n, least, da, LD, taus, db, LD, NULL, 0, info));
    from_device(type, x, db, LD * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            near("Q Q' A", type, x[i + j * LD], a[i + j * LD], m);
    free_all(5, da, taus, info, dq, db);
}

/* All of Q from its first columns' reflectors, and products from the right. */
static void whole_q(int type, int m, int n)
{
    int adjoint = type < 2 ? 1 : 2;
    void *da = put_random(type, a, m, n, LD), *taus = device_memory(16 * MOST), *info = device_memory(32);
    void *dq = device_memory(sizeof a), *db = put_random(type, b, 3, m, LD);
    good(OF(type, geqrf)(handle, m, n, da, LD, taus, NULL, 0, info));
    from_device(type, r, da, LD * n), to_device(type, dq, r, LD * n);
    good(OF_TWO(type, orgqr, ungqr)(handle, m, m, n, dq, LD, taus, NULL, 0, info));
    from_device(type, q, dq, LD * m);
    orthonormal("all of Q", type, q, m, m, LD);
    for (int op = 0; op <= adjoint; op += adjoint) {
        to_device(type, db, b, LD * m);
        good(OF_TWO(type, ormqr, unmqr)(handle, 1, op, 3, m, n, da, LD, taus, db, LD, NULL, 0, info));
        from_device(type, x, db, LD * m);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < m; j++) {
                number sum = 0;
                for (int k = 0; k < m; k++)
                    sum += b[i + k * LD] * operand(q, LD, op, k, j);
                near("B op(Q)", type, x[i + j * LD], sum, m);
            }
    }
    free_all(5, da, taus, info, dq, db);
}

/* cuBLAS: Q R of a batch, and least squares, whose residual is at right angles to A's columns. */
static void batch(int type, int m, int n)
{
    enum { COLUMNS = 2 };
    void *lists[3] = {put_random(type, a, m, n, LD), device_memory(16 * MOST), put_random(type, b, m, COLUMNS, LD)};
    void *list = device_memory(sizeof lists), *info = device_memory(32);
    int code = -1;
    copy_to_device(list, lists, sizeof lists);
    good(CUBLAS_OF(type, gelsBatched)(blas, 0, m, n, COLUMNS, list, LD, (char *)list + 16, LD, &code, info, 1));
    from_device(type, x, lists[2], LD * COLUMNS);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < COLUMNS; j++) {
            number sum = 0;
            for (int k = 0; k < m; k++) {
                number rest = b[k + j * LD];
                for (int l = 0; l < n; l++)
                    rest -= a[k + l * LD] * x[l + j * LD];
                sum += conj(a[k + i * LD]) * rest;
            }
            near("A' (B - A X)", type, sum, 0, m * m);
        }
    if (code || code_of(info, 0))
        fail("gelsBatched: info %d", code);
    to_device(type, lists[0], a, LD * n), code = -1;
    good(CUBLAS_OF(type, geqrfBatched)(blas, m, n, list, LD, (char *)list + 8, &code, 1));
    from_device(type, r, lists[0], LD * n);
    good(OF_TWO(type, orgqr, ungqr)(handle, m, n, n, lists[0], LD, lists[1], NULL, 0, info));
    from_device(type, q, lists[0], LD * n);
    orthonormal("Q of a batch", type, q, m, n, LD);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int k = 0; k <= j; k++)
                sum += q[i + k * LD] * r[k + j * LD];
            near("A = Q R of a batch", type, sum, a[i + j * LD], m);
        }
    memset(a, 0, sizeof a), to_device(type, lists[0], a, LD * n);
    good(CUBLAS_OF(type, gelsBatched)(blas, 0, m, n, COLUMNS, list, LD, (char *)list + 16, LD, &code, info, 1));
    if (code_of(info, 0) != 1)
        fail("gelsBatched of zeros: info %d", code_of(info, 0));
    free_all(5, lists[0], lists[1], lists[2], list, info);
}

/* ===== eigenvalues ===== */

/* Unitary numbers into q, and Q diag(values) P' into `a`, P being q or another one. */
static void orthogonal(int type, int n, number *to)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double re = random_number();
            to[i + j * LD] = re + (type < 2 ? 0 : random_number()) * I;
        }
        for (int again = 0; again < 2; again++) {
            double size = 0;
            for (int k = 0; k < j; k++) {
                number share = 0;
                for (int i = 0; i < n; i++)
                    share += conj(to[i + k * LD]) * to[i + j * LD];
                for (int i = 0; i < n; i++)
                    to[i + j * LD] -= share * to[i + k * LD];
            }
            for (int i = 0; i < n; i++)
                size += creal(to[i + j * LD] * conj(to[i + j * LD]));
            for (int i = 0; i < n; i++)
                to[i + j * LD] /= sqrt(size);
        }
    }
}

static void product(int type, int m, int n, int count, const number *left, const double *values, const number *right,
                    bool hermitian)
{
    memset(a, 0, sizeof a);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int k = 0; k < count; k++)
                sum += left[i + k * LD] * values[k] * conj(right[j + k * LD]);
            a[i + j * LD] = rounded(type, creal(sum), i == j && hermitian ? 0 : cimag(sum));
        }
}

/* How eigenvalues are asked for. */
enum way { DIVIDE, JACOBI, BATCHED, WIDE, WIDE_BATCHED, WAYS };

static void call_eigen(int type, enum way way, int vectors, int upper, int n, void *m, void *values, void *info, any j)
{
    int data = data_type(type), real = type % 2;
    if (way == DIVIDE)
        good(OF_TWO(type, syevd, heevd)(handle, vectors, upper, n, m, LD, values, NULL, 0, info));
    else if (way == JACOBI)
        good(OF_TWO(type, syevj, heevj)(handle, vectors, upper, n, m, LD, values, NULL, 0, info, j));
    else if (way == BATCHED)
        good(OF_TWO(type, syevjBatched, heevjBatched)(handle, vectors, upper, n, m, LD, values, NULL, 0, info, j, 1));
    else if (way == WIDE)
        good(
            cusolverDnXsyevd(handle, NULL, vectors, upper, n, data, m, LD, real, values, data, NULL, 0, NULL, 0, info));
    else
        good(cusolverDnXsyevBatched(handle, NULL, vectors, upper, n, data, m, LD, real, values, data, NULL, 0, NULL, 0,
                                    info, 1));
}

/* Eigenvalues -n/2 …, doubled for every third one: values that are equal are among them. */
static void eigen(int type, int n, int upper, enum way way)
{
    double expected[MOST];
    for (int i = 0; i < n; i++)
        expected[i] = (i - i % 3 - n / 2) / 8.0;
    orthogonal(type, n, q), product(type, n, n, n, q, expected, q, true);
    void *da = device_memory(sizeof a), *values = device_memory(8 * MOST), *info = device_memory(32), *jacobi;
    good(cusolverDnCreateSyevjInfo(&jacobi));
    memcpy(x, a, sizeof a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (upper ? i > j : i < j)
                x[i + j * LD] = 99; /* must not be read */
    for (int vectors = 0; vectors < 2; vectors++) {
        to_device(type, da, x, LD * n);
        call_eigen(type, way, vectors, upper, n, da, values, info, jacobi);
        number w[MOST];
        from_device(type % 2, w, values, n), from_device(type, y, da, LD * n);
        if (code_of(info, 0))
            fail("eigenvalues: info %d", code_of(info, 0));
        for (int i = 0; i < n; i++)
            near("an eigenvalue", type, w[i], expected[i], 4 * n);
    }
    orthonormal("eigenvectors", type, y, n, n, LD);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i + k * LD] * y[k + j * LD];
            near("A V = V W", type, sum, y[i + j * LD] * expected[j], 4 * n);
        }
    good(cusolverDnDestroySyevjInfo(jacobi));
    free_all(3, da, values, info);
}

/* A sweep too few, and what is not a number: info tells it. */
static void unfinished(int type)
{
    enum { N = 9 };
    double expected[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    orthogonal(type, N, q), product(type, N, N, N, q, expected, q, true);
    void *da = device_memory(sizeof a), *values = device_memory(8 * MOST), *info = device_memory(32), *jacobi;
    good(cusolverDnCreateSyevjInfo(&jacobi)), good(cusolverDnXsyevjSetMaxSweeps(jacobi, 1));
    to_device(type, da, a, LD * N);
    call_eigen(type, JACOBI, 1, 0, N, da, values, info, jacobi);
    if (code_of(info, 0) != N + 1)
        fail("one sweep: info %d", code_of(info, 0));
    a[3] = NAN, to_device(type, da, a, LD * N);
    call_eigen(type, DIVIDE, 1, 0, N, da, values, info, jacobi);
    if (code_of(info, 0) != 1)
        fail("not a number: info %d", code_of(info, 0));
    checked(), good(cusolverDnDestroySyevjInfo(jacobi)), free_all(3, da, values, info);
}

/* ===== singular values ===== */

enum svd_way { LETTERS, WIDE_LETTERS, ROTATIONS, ROTATIONS_BATCHED, STRIDED, SVD_WAYS };

struct svd {
    int m, n, columns_u, columns_v; /* columns that come out */
    bool adjoint;                   /* V comes as its adjoint */
    void *a, *s, *u, *v, *info;
};

static void call_svd(int type, enum svd_way way, bool thin, struct svd *d)
{
    int m = d->m, n = d->n, least = m < n ? m : n, data = data_type(type);
    signed char job = thin ? 'S' : 'A';
    double residual = -1;
    void *settings;
    thin = way == STRIDED || (thin && way != ROTATIONS_BATCHED);
    d->columns_u = thin ? least : m, d->columns_v = thin ? least : n,
    d->adjoint = way == LETTERS || way == WIDE_LETTERS;
    good(cusolverDnCreateGesvdjInfo(&settings));
    if (way == LETTERS)
        good(OF(type, gesvd)(handle, job, job, m, n, d->a, LD, d->s, d->u, LD, d->v, LD, NULL, 0, NULL, d->info));
    else if (way == WIDE_LETTERS)
        good(cusolverDnXgesvd(handle, NULL, job, job, m, n, data, d->a, LD, type % 2, d->s, data, d->u, LD, data, d->v,
                              LD, data, NULL, 0, NULL, 0, d->info));
    else if (way == ROTATIONS)
        good(OF(type, gesvdj)(handle, 1, thin, m, n, d->a, LD, d->s, d->u, LD, d->v, LD, NULL, 0, d->info, settings));
    else if (way == ROTATIONS_BATCHED)
        good(OF(type, gesvdjBatched)(handle, 1, m, n, d->a, LD, d->s, d->u, LD, d->v, LD, NULL, 0, d->info, settings,
                                     1));
    else
        good(OF(type, gesvdaStridedBatched)(handle, 1, least, m, n, d->a, LD, 0, d->s, 0, d->u, LD, 0, d->v, LD, 0,
                                            NULL, 0, d->info, &residual, 1));
    if (way == STRIDED && residual != 0)
        fail("a residual of %g", residual);
    good(cusolverDnDestroyGesvdjInfo(settings));
}

static void singular(int type, int m, int n, int rank, enum svd_way way, bool thin)
{
    double expected[MOST] = {0};
    int least = m < n ? m : n;
    for (int i = 0; i < rank; i++)
        expected[i] = 1.0 / (1 + i / 2); /* some are equal */
    orthogonal(type, m, q), orthogonal(type, n, r), product(type, m, n, rank, q, expected, r, false);
    struct svd d = {.m = m,
                    .n = n,
                    .a = device_memory(sizeof a),
                    .s = device_memory(8 * MOST),
                    .u = device_memory(sizeof a),
                    .v = device_memory(sizeof a),
                    .info = device_memory(32)};
    number s[MOST];
    to_device(type, d.a, a, LD * n);
    call_svd(type, way, thin, &d);
    from_device(type % 2, s, d.s, least), from_device(type, x, d.u, LD * d.columns_u);
    from_device(type, y, d.v, LD * (d.adjoint ? n : d.columns_v));
    if (code_of(d.info, 0))
        fail("singular values: info %d", code_of(d.info, 0));
    for (int i = 0; i < least; i++)
        near("a singular value", type, s[i], expected[i], 4 * MOST);
    for (int i = 0; i < d.columns_v && d.adjoint; i++)
        for (int j = 0; j < n; j++)
            r[j + i * LD] = conj(y[i + j * LD]);
    if (!d.adjoint)
        memcpy(r, y, sizeof r);
    orthonormal("U", type, x, m, d.columns_u, LD), orthonormal("V", type, r, n, d.columns_v, LD);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int k = 0; k < least; k++)
                sum += x[i + k * LD] * s[k] * conj(r[j + k * LD]);
            near("A = U S V'", type, sum, a[i + j * LD], 4 * MOST);
        }
    free_all(5, d.a, d.s, d.u, d.v, d.info);
}

/* Two of three singular values of two matrices, without vectors and with those of the two; the rest is the residual. */
static void approximation(int type)
{
    enum { N = 3, BATCH = 2 };
    double values[BATCH][N] = {{4, 2, 0.5}, {8, 1, 0.25}}, residuals[BATCH];
    void *da = device_memory(BATCH * sizeof a), *s = device_memory(64), *u = device_memory(sizeof a);
    void *v = device_memory(sizeof a), *info = device_memory(32);
    for (int i = 0; i < BATCH; i++) {
        orthogonal(type, N, q), product(type, N, N, N, q, values[i], q, false);
        to_device(type, (char *)da + (size_t)i * 200 * reference_size(type), a, LD * N);
    }
    for (int vectors = 0; vectors < 2; vectors++) {
        number found[2 * BATCH];
        good(OF(type, gesvdaStridedBatched)(handle, vectors, 2, N, N, da, LD, 200, s, 2, u, N, 2 * N, v, N, 2 * N, NULL,
                                            0, info, residuals, BATCH));
        from_device(type % 2, found, s, 2 * BATCH);
        for (int i = 0; i < BATCH; i++) {
            near("the first", type, found[2 * i], values[i][0], 9),
                near("the second", type, found[2 * i + 1], values[i][1], 9);
            near("the residual", type % 2, residuals[i], values[i][2], 99);
        }
    }
    free_all(5, da, s, u, v, info);
}

/* U, or V's adjoint, in the place of the matrix. */
static void overwritten(int type, int m, int n, bool left)
{
    int least = m < n ? m : n;
    void *da = put_random(type, a, m, n, LD), *s = device_memory(8 * MOST), *other = device_memory(sizeof a);
    void *info = device_memory(32);
    number values[MOST];
    good(OF(type, gesvd)(handle, left ? 'O' : 'S', left ? 'S' : 'O', m, n, da, LD, s, left ? NULL : other, LD,
                         left ? other : NULL, LD, NULL, 0, NULL, info));
    from_device(type % 2, values, s, least);
    from_device(type, x, left ? da : other, LD * least), from_device(type, y, left ? other : da, LD * n);
    orthonormal("U", type, x, m, least, LD);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int k = 0; k < least; k++)
                sum += x[i + k * LD] * values[k] * y[k + j * LD];
            near("A = U S V' in A's place", type, sum, a[i + j * LD], 4 * MOST);
        }
    free_all(4, da, s, other, info);
}

/* ===== all of it ===== */

static void reflections(int type)
{
    static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 4}, {7, 5}, {5, 7}, {33, 33}, {MOST, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        qr(type, sizes[i][0], sizes[i][1], i % 2);
    whole_q(type, 7, 5), whole_q(type, 34, 2), batch(type, 9, 4), batch(type, 5, 5);
}

static void eigenvalues(int type)
{
    static const int sizes[] = {1, 2, 5, 24, 33};
    for (int i = 0; i < 5 * 2; i++)
        eigen(type, sizes[i / 2], i % 2, (enum way)((i + i / 5) % WAYS));
    unfinished(type);
}

static void singulars(int type)
{
    static const int sizes[][3] = {{1, 1, 1},  {4, 4, 4}, {9, 4, 4}, {MOST, 12, 12},
                                   {12, 8, 5}, {6, 6, 0}, {4, 9, 4}, {5, 21, 3}};
    for (int i = 0; i < 8 * 2; i++) {
        const int *size = sizes[i / 2];
        int ways = size[0] < size[1] ? STRIDED : SVD_WAYS;
        singular(type, size[0], size[1], size[2], (enum svd_way)((i * 2 + i / 2) % ways), i % 2);
    }
    for (int way = 0; way < SVD_WAYS; way++)
        singular(type, 10, 7, 6, (enum svd_way)way, way % 2);
    approximation(type);
    overwritten(type, 9, 5, true), overwritten(type, 9, 5, false), overwritten(type, 4, 6, false);
}

static void refusals(void)
{
    void *none = NULL;
    if (cusolverDnSgesvd(handle, 'X', 'N', 2, 2, none, 2, none, none, 2, none, 2, none, 0, none, none) != 3 ||
        cusolverDnSsyevd(handle, 0, 0, 4, none, 3, none, none, 0, none) != 3 ||
        cusolverDnSorgqr(handle, 3, 4, 3, none, 3, none, none, 0, none) != 3 ||
        cusolverDnCunmqr(handle, 0, 1, 3, 4, 3, none, 3, none, none, 3, none, 0, none) != 3 ||
        cusolverDnSgesvdaStridedBatched(handle, 0, 2, 2, 3, none, 2, 0, none, 0, none, 2, 0, none, 3, 0, none, 0, none,
                                        none, 1) != 3)
        fail("a mistake is not seen");
    checked();
}

int main(int count, char **arguments)
{
    const char *part = count > 1 ? arguments[1] : "all";
    reference_begin();
    good(cusolverDnCreate(&handle)), good(cublasCreate_v2(&blas));
    for (int type = 0; type < 4; type++) {
        if (wanted(part, "reflections"))
            reflections(type);
        if (wanted(part, "eigenvalues"))
            eigenvalues(type);
        if (wanted(part, "singular"))
            singulars(type);
        if (strcmp(part, "few") == 0)
            qr(type, 9, 5, false), eigen(type, 6, type % 2, DIVIDE), singular(type, 7, 4, 3, LETTERS, false);
    }
    refusals();
    good(cusolverDnDestroy(handle)), good(cublasDestroy_v2(blas));
    return reference_end();
}
