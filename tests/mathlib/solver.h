/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of our libcusolver share: its functions in four types, comparisons, products on the host. */
#ifndef MATHLIB_SOLVER_H
#define MATHLIB_SOLVER_H

#include "reference.h"

typedef double complex number;
typedef void *any;
static any handle;

#define IN_TYPE(L, or, sy)                                                                                             \
    int cusolverDn##L##getrf(any, int, int, any, int, any, any, any),                                                  \
        cusolverDn##L##getrs(any, int, int, int, any, int, any, any, int, any),                                        \
        cusolverDn##L##potrf(any, int, int, any, int, any, int, any),                                                  \
        cusolverDn##L##potrs(any, int, int, int, any, int, any, int, any),                                             \
        cusolverDn##L##potrfBatched(any, int, int, any, int, any, int),                                                \
        cusolverDn##L##potrsBatched(any, int, int, int, any, int, any, int, any, int),                                 \
        cusolverDn##L##geqrf(any, int, int, any, int, any, any, int, any),                                             \
        cusolverDn##L## or ##gqr(any, int, int, int, any, int, any, any, int, any),                                    \
        cusolverDn##L## or ##mqr(any, int, int, int, int, int, any, int, any, any, int, any, int, any),                \
        cusolverDn##L##sy##evd(any, int, int, int, any, int, any, any, int, any),                                      \
        cusolverDn##L##sy##evj(any, int, int, int, any, int, any, any, int, any, any),                                 \
        cusolverDn##L##sy##evjBatched(any, int, int, int, any, int, any, any, int, any, any, int),                     \
        cusolverDn##L##gesvd(any, signed char, signed char, int, int, any, int, any, any, int, any, int, any, int,     \
                             any, any),                                                                                \
        cusolverDn##L##gesvdj(any, int, int, int, int, any, int, any, any, int, any, int, any, int, any, any),         \
        cusolverDn##L##gesvdjBatched(any, int, int, int, any, int, any, any, int, any, int, any, int, any, any, int),  \
        cusolverDn##L##gesvdaStridedBatched(any, int, int, int, int, any, int, long long, any, long long, any, int,    \
                                            long long, any, int, long long, any, int, any, double *, int);
IN_TYPE(S, or, sy)
IN_TYPE(D, or, sy)
IN_TYPE(C, un, he)
IN_TYPE(Z, un, he)
int cusolverDnSsytrf(any, int, int, any, int, any, any, int, any);
int cusolverDnCreate(any *), cusolverDnDestroy(any), cusolverGetVersion(int *);
int cusolverDnCreateSyevjInfo(any *), cusolverDnDestroySyevjInfo(any), cusolverDnXsyevjSetMaxSweeps(any, int),
    cusolverDnXsyevjSetSortEig(any, int), cusolverDnXsyevjSetTolerance(any, double);
int cusolverDnCreateGesvdjInfo(any *), cusolverDnDestroyGesvdjInfo(any), cusolverDnXgesvdjSetMaxSweeps(any, int);
int cusolverDnSgetrf_bufferSize(any, int, int, any, int, int *);
int cusolverDnXgetrf(any, any, int64_t, int64_t, int, any, int64_t, any, int, any, size_t, any, size_t, any);
int cusolverDnXgetrs(any, any, int, int64_t, int64_t, int, any, int64_t, any, int, any, int64_t, any);
int cusolverDnXpotrf(any, any, int, int64_t, int, any, int64_t, int, any, size_t, any, size_t, any);
int cusolverDnXpotrs(any, any, int, int64_t, int64_t, int, any, int64_t, int, any, int64_t, any);
int cusolverDnXgeqrf(any, any, int64_t, int64_t, int, any, int64_t, int, any, int, any, size_t, any, size_t, any);
int cusolverDnXsyevd(any, any, int, int, int64_t, int, any, int64_t, int, any, int, any, size_t, any, size_t, any);
int cusolverDnXsyevBatched(any, any, int, int, int64_t, int, any, int64_t, int, any, int, any, size_t, any, size_t, any,
                           int64_t);
int cusolverDnXgesvd(any, any, signed char, signed char, int64_t, int64_t, int, any, int64_t, int, any, int, any,
                     int64_t, int, any, int64_t, int, any, size_t, any, size_t, any);

/* A function in the type of a number: 0 to 3 for S, D, C, Z. */
#define OF(type, name)                                                                                                 \
    ((type) == 0   ? cusolverDnS##name                                                                                 \
     : (type) == 1 ? cusolverDnD##name                                                                                 \
     : (type) == 2 ? cusolverDnC##name                                                                                 \
                   : cusolverDnZ##name)

/* The same where the name depends on whether numbers are real. */
#define OF_TWO(type, real, complex_name)                                                                               \
    ((type) == 0   ? cusolverDnS##real                                                                                 \
     : (type) == 1 ? cusolverDnD##real                                                                                 \
     : (type) == 2 ? cusolverDnC##complex_name                                                                         \
                   : cusolverDnZ##complex_name)

/* cudaDataType of a type. */
static inline int data_type(int type)
{
    static const int types[] = {0, 1, 4, 5};
    return types[type];
}

/* Half a unit in the last place of 1. */
static inline double precision(int type)
{
    return type % 2 ? 1.1e-16 : 6e-8;
}

/* Two numbers of about the size 1 that differ by the rounding of `steps` operations at most. */
static inline void near(const char *what, int type, number is, number expected, double steps)
{
    checked();
    double most = (16 + 4 * steps) * precision(type) * (1 + cabs(expected));
    if (!(cabs(is - expected) <= most))
        fail("%s, type %d: %g%+gi instead of %g%+gi", what, type, creal(is), cimag(is), creal(expected),
             cimag(expected));
}

/* Random numbers, rounded to a type, into a matrix on the host and one on the device, which is returned. */
static inline void *put_random(int type, number *m, int rows, int columns, int ld)
{
    void *memory = device_memory((size_t)ld * (size_t)(columns > ld ? columns : ld) * reference_size(type));
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < ld; i++) {
            double re = random_number(), im = type < 2 ? 0 : random_number();
            m[i + j * ld] = rounded(type, re, im);
        }
    (void)rows;
    to_device(type, memory, m, (long long)ld * columns);
    return memory;
}

static inline number operand(const number *m, int ld, int op, int i, int j)
{
    number value = op ? m[j + i * ld] : m[i + j * ld];
    return op == 2 ? conj(value) : value;
}

/* op(A) X - B is small beside |A| |X|, as of a backward stable method. */
static inline void residual_of(const char *what, int type, int op, int rows, int inner, int columns, int ld,
                               const number *m, const number *solution, const number *side)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            number sum = -side[i + j * ld];
            double size = 1;
            for (int k = 0; k < inner; k++) {
                sum += operand(m, ld, op, i, k) * solution[k + j * ld];
                for (int l = 0; l < (k == i ? inner : 0); l++)
                    size += cabs(solution[l + j * ld]) * 2;
            }
            checked();
            if (!(cabs(sum) <= 16 * inner * precision(type) * size))
                fail("%s, type %d, operation %d, %d rows: residual %g", what, type, op, rows, cabs(sum));
        }
}
#define residual(what, type, op, rows, inner, columns, m, solution, side)                                              \
    residual_of(what, type, op, rows, inner, columns, LD, m, solution, side)

/* Columns of a matrix are of length 1 and at right angles to each other. */
static inline void orthonormal(const char *what, int type, const number *m, int rows, int columns, int ld)
{
    for (int i = 0; i < columns; i++)
        for (int j = 0; j <= i; j++) {
            number sum = 0;
            for (int k = 0; k < rows; k++)
                sum += conj(m[k + i * ld]) * m[k + j * ld];
            near(what, type, sum, i == j, rows);
        }
}

static inline void free_all(int count, ...)
{
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        device_free(va_arg(list, void *));
    va_end(list);
}

#endif
