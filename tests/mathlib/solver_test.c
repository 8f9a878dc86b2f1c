/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors and systems of our libcusolver: residuals, orthogonality and known values, calculated on the host in double
 * precision; singular matrices, batches, one row, leading dimensions larger than the matrix. */
#include "solver.h"

enum { MOST = 64, LD = MOST + 3 };

typedef number matrix[MOST * LD];
static matrix a, b, x;

/* ===== L U ===== */

/* Applies exchanges of rows, in their order, to a matrix of `columns` columns. */
static void exchange(number *m, int columns, const int64_t *pivots, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < columns; j++) {
            number value = m[i + j * LD];
            m[i + j * LD] = m[pivots[i] - 1 + j * LD];
            m[pivots[i] - 1 + j * LD] = value;
        }
}

static void lu(int type, int rows, int columns, bool wide)
{
    int least = rows < columns ? rows : columns;
    void *da = put_random(type, a, rows, columns, LD), *pivots = device_memory(8 * MOST);
    int *info = device_memory(4), code = -1, narrow[MOST];
    int64_t list[MOST];
    if (wide)
        good(cusolverDnXgetrf(handle, NULL, rows, columns, data_type(type), da, LD, pivots, data_type(type), NULL, 0,
                              NULL, 0, info));
    else
        good(OF(type, getrf)(handle, rows, columns, da, LD, NULL, pivots, info));
    copy_to_host(&code, info, 4), from_device(type, x, da, LD * columns);
    copy_to_host(wide ? (void *)list : (void *)narrow, pivots, (size_t)least * (wide ? 8 : 4));
    for (int i = 0; i < least && !wide; i++)
        list[i] = narrow[i];
    if (code)
        fail("getrf: info %d", code);
    for (int i = 0; i < least; i++)
        if (list[i] < i + 1 || list[i] > rows)
            fail("getrf: row %d is exchanged with %d", i + 1, (int)list[i]);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < least; j++)
            if (i > j && cabs(x[i + j * LD]) > (type < 2 ? 1.00001 : 1.5))
                fail("getrf: a multiplier of %g: no pivoting", cabs(x[i + j * LD]));
    exchange(a, columns, list, least);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            number sum = 0;
            for (int k = 0; k <= (i < j ? i : j) && k < least; k++)
                sum += (i == k ? 1 : x[i + k * LD]) * x[k + j * LD];
            near("P A = L U", type, sum, a[i + j * LD], rows);
        }
    for (int i = rows; i < LD; i++)
        near("below the matrix", type, x[i], a[i], 1);
    free_all(3, da, pivots, (void *)info);
}

static void lu_solve(int type, int n, int columns, bool wide)
{
    void *da = put_random(type, a, n, n, LD), *db = put_random(type, b, n, columns, LD),
         *pivots = device_memory(8 * MOST);
    int *info = device_memory(4);
    if (wide)
        good(cusolverDnXgetrf(handle, NULL, n, n, data_type(type), da, LD, pivots, data_type(type), NULL, 0, NULL, 0,
                              info));
    else
        good(OF(type, getrf)(handle, n, n, da, LD, NULL, pivots, info));
    for (int op = 0; op < 3; op++) {
        to_device(type, db, b, LD * columns);
        if (wide)
            good(cusolverDnXgetrs(handle, NULL, op, n, columns, data_type(type), da, LD, pivots, data_type(type), db,
                                  LD, info));
        else
            good(OF(type, getrs)(handle, op, n, columns, da, LD, pivots, db, LD, info));
        from_device(type, x, db, LD * columns);
        residual("op(A) X = B", type, op, n, n, columns, a, x, b);
    }
    free_all(4, da, db, pivots, (void *)info);
}

static void singular(int type)
{
    enum { N = 5 };
    void *da = put_random(type, a, N, N, LD), *pivots = device_memory(8 * MOST);
    int *info = device_memory(4), code;
    for (int i = 0; i < LD; i++)
        a[i + 2 * LD] = 0; /* the third column */
    to_device(type, da, a, LD * N);
    good(OF(type, getrf)(handle, N, N, da, LD, NULL, pivots, info));
    copy_to_host(&code, info, 4), checked();
    if (code != 3)
        fail("a column of zeros: info %d", code);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i + j * LD] = i != j ? 0 : i == 3 ? -1 : 2;
    for (int upper = 0; upper < 2; upper++) {
        to_device(type, da, a, LD * N);
        good(OF(type, potrf)(handle, upper, N, da, LD, NULL, 0, info));
        copy_to_host(&code, info, 4), checked();
        if (code != 4)
            fail("not positive: info %d", code);
    }
    free_all(3, da, pivots, (void *)info);
}

/* ===== L L' ===== */

/* A positive definite matrix into `a`: G G' + n. */
static void positive(int type, int n)
{
    void *unused = put_random(type, b, n, n, LD);
    memset(a, 0, sizeof a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            number sum = i == j ? n : 0;
            for (int k = 0; k < n; k++)
                sum += b[i + k * LD] * conj(b[j + k * LD]);
            a[i + j * LD] = rounded(type, creal(sum), i == j ? 0 : cimag(sum));
        }
    device_free(unused);
}

static void cholesky(int type, int n, int upper, bool wide)
{
    positive(type, n);
    void *da = device_memory(sizeof a), *db = device_memory(sizeof a);
    int *info = device_memory(4), code = -1, columns = n < 3 ? n : 3;
    to_device(type, da, a, LD * n);
    if (wide)
        good(
            cusolverDnXpotrf(handle, NULL, upper, n, data_type(type), da, LD, data_type(type), NULL, 0, NULL, 0, info));
    else
        good(OF(type, potrf)(handle, upper, n, da, LD, NULL, 0, info));
    copy_to_host(&code, info, 4), from_device(type, x, da, LD * n);
    if (code)
        fail("potrf: info %d", code);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int k = 0; k <= (i < j ? i : j); k++)
                sum += upper ? conj(x[k + i * LD]) * x[k + j * LD] : x[i + k * LD] * conj(x[j + k * LD]);
            near("A = L L'", type, sum, a[i + j * LD], 3 * n);
            if (upper ? i > j : i < j)
                near("the other triangle", type, x[i + j * LD], a[i + j * LD], 1);
        }
    device_free(db), db = put_random(type, b, n, columns, LD);
    if (wide)
        good(cusolverDnXpotrs(handle, NULL, upper, n, columns, data_type(type), da, LD, data_type(type), db, LD, info));
    else
        good(OF(type, potrs)(handle, upper, n, columns, da, LD, db, LD, info));
    from_device(type, x, db, LD * columns);
    residual("A X = B by L L'", type, 0, n, n, columns, a, x, b);
    free_all(3, da, db, (void *)info);
}

static void batches(int type)
{
    enum { N = 6, COUNT = 3 };
    void *lists[COUNT], *sides[COUNT], *da = device_memory(sizeof lists), *db = device_memory(sizeof sides);
    int *info = device_memory(4 * COUNT), codes[COUNT];
    positive(type, N);
    for (int i = 0; i < COUNT; i++) {
        lists[i] = device_memory(sizeof a), sides[i] = put_random(type, b, N, 1, LD);
        to_device(type, sides[i], b, LD);
        if (i == 1)
            a[LD + 1] = -a[LD + 1];
        to_device(type, lists[i], a, LD * N);
        if (i == 1)
            a[LD + 1] = -a[LD + 1];
    }
    copy_to_device(da, lists, sizeof lists), copy_to_device(db, sides, sizeof sides);
    good(OF(type, potrfBatched)(handle, 0, N, da, LD, info, COUNT));
    copy_to_host(codes, info, sizeof codes), checked();
    if (codes[0] || codes[1] != 2 || codes[2])
        fail("potrfBatched: info %d %d %d", codes[0], codes[1], codes[2]);
    good(OF(type, potrsBatched)(handle, 0, N, 1, da, LD, db, LD, info, COUNT));
    from_device(type, x, sides[2], LD);
    residual("a batch", type, 0, N, N, 1, a, x, b);
    for (int i = 0; i < COUNT; i++)
        device_free(lists[i]), device_free(sides[i]);
    free_all(3, da, db, (void *)info);
}

/* ===== all of it ===== */

static void eliminations(int type)
{
    static const int sizes[][2] = {{1, 1}, {2, 2}, {7, 5}, {5, 7}, {33, 33}, {MOST, MOST}, {MOST, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        lu(type, sizes[i][0], sizes[i][1], i % 2);
    for (int n = 1; n <= 33; n += 16)
        for (int wide = 0; wide < 2; wide++) {
            lu_solve(type, n, 1 + wide * 4, wide);
            cholesky(type, n, wide, wide), cholesky(type, n, !wide, wide);
        }
    singular(type), batches(type);
}

static void errors(void)
{
    int version = 0, count = 0;
    void *none = NULL;
    if (cusolverDnSgetrf(NULL, 1, 1, none, 1, none, none, none) != 1 ||
        cusolverDnSgetrf(handle, 4, 4, none, 3, none, none, none) != 3 ||
        cusolverDnSpotrf(handle, 2, 4, none, 4, none, 0, none) != 3 ||
        cusolverDnSgetrf_bufferSize(handle, 4, 4, none, 4, &count) || count < 1)
        fail("a mistake is not seen");
    if (cusolverDnSgetrf(handle, 0, 0, none, 1, none, none, none) || cusolverGetVersion(&version) || version < 11000)
        fail("what is empty, or the version, is refused");
    checked();
}

int main(int count, char **arguments)
{
    const char *part = count > 1 ? arguments[1] : "all";
    reference_begin();
    good(cusolverDnCreate(&handle));
    for (int type = 0; type < 4; type++)
        if (wanted(part, "eliminations"))
            eliminations(type);
    for (int type = 0; type < 4 && wanted(part, "few") && strcmp(part, "all") != 0; type++)
        lu(type, 7, 5, false), lu_solve(type, 9, 2, true), cholesky(type, 9, type % 2, false), batches(type);
    if (strcmp(part, "missing") == 0 && cusolverDnSsytrf(handle, 0, 4, NULL, 4, NULL, NULL, 0, NULL) != 9)
        fail("a missing function returns something else");
    errors();
    good(cusolverDnDestroy(handle));
    return reference_end();
}
