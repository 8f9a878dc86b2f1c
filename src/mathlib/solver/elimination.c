/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors L U and L L' (getrf, potrf), and systems of equations by them. */
#include "mathlib/solver/handle.h"

/* ===== L U ===== */

static int getrf(cusolverDnHandle_t h, enum mathlib_type type, struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    if (solver_beyond(s.m) || solver_beyond(s.n) || solver_wrong_ld(s.a.ld, s.m))
        return SOLVER_INVALID_VALUE;
    if (!s.m || !s.n)
        return solver_nothing(h, s.info, 1);
    return solver_launch(h, "elimination", type, "getrf", 1, &s);
}

static int getrs(cusolverDnHandle_t h, enum mathlib_type type, struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    if (s.operation < SOLVER_N || s.operation > SOLVER_C || solver_beyond(s.n) || solver_beyond(s.k) ||
        solver_wrong_ld(s.a.ld, s.n) || solver_wrong_ld(s.b.ld, s.n))
        return SOLVER_INVALID_VALUE;
    if (!s.n || !s.k)
        return solver_nothing(h, s.info, 1);
    return solver_launch(h, "elimination", type, "getrs", 1, &s);
}

/* ===== L L' ===== */

static int potrf(cusolverDnHandle_t h, enum mathlib_type type, int64_t batch, struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    if (s.upper < 0 || s.upper > 1 || solver_beyond(s.n) || solver_wrong_ld(s.a.ld, s.n) || batch < 0)
        return SOLVER_INVALID_VALUE;
    if (!s.n)
        return solver_nothing(h, s.info, batch);
    return solver_launch(h, "elimination", type, "potrf", batch, &s);
}

static int potrs(cusolverDnHandle_t h, enum mathlib_type type, int64_t batch, struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    if (s.upper < 0 || s.upper > 1 || solver_beyond(s.n) || solver_beyond(s.k) || solver_wrong_ld(s.a.ld, s.n) ||
        solver_wrong_ld(s.b.ld, s.n) || batch < 0)
        return SOLVER_INVALID_VALUE;
    if (!s.n || !s.k)
        return solver_nothing(h, s.info, s.info ? 1 : 0);
    return solver_launch(h, "elimination", type, "potrs", batch, &s);
}

/* ===== functions that programs call ===== */

#define FACTORS(L, type)                                                                                               \
    MATHLIB_API int cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, void *a, int lda, int *count)  \
    {                                                                                                                  \
        (void)m, (void)n, (void)a, (void)lda;                                                                          \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##getrf(cusolverDnHandle_t h, int m, int n, void *a, int lda, void *work,             \
                                         int *pivots, int *info)                                                       \
    {                                                                                                                  \
        (void)work;                                                                                                    \
        struct solver_system s = {.m = m, .n = n, .a = {.data = a, .ld = lda}, .pivots = pivots, .info = info};        \
        return getrf(h, type, s);                                                                                      \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##getrs(cusolverDnHandle_t h, int operation, int n, int columns, void *a, int lda,    \
                                         int *pivots, void *b, int ldb, int *info)                                     \
    {                                                                                                                  \
        struct solver_system s = {.n = n,                                                                              \
                                  .k = columns,                                                                        \
                                  .a = {.data = a, .ld = lda},                                                         \
                                  .b = {.data = b, .ld = ldb},                                                         \
                                  .pivots = pivots,                                                                    \
                                  .operation = operation,                                                              \
                                  .info = info};                                                                       \
        return getrs(h, type, s);                                                                                      \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t h, int upper, int n, void *a, int lda,          \
                                                    int *count)                                                        \
    {                                                                                                                  \
        (void)upper, (void)n, (void)a, (void)lda;                                                                      \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##potrf(cusolverDnHandle_t h, int upper, int n, void *a, int lda, void *work,         \
                                         int count, int *info)                                                         \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = {.n = n, .a = {.data = a, .ld = lda}, .upper = upper, .info = info};                  \
        return potrf(h, type, 1, s);                                                                                   \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##potrfBatched(cusolverDnHandle_t h, int upper, int n, void *const *a, int lda,       \
                                                int *info, int batch)                                                  \
    {                                                                                                                  \
        struct solver_system s = {.n = n, .a = {.list = a, .ld = lda}, .upper = upper, .info = info};                  \
        return potrf(h, type, batch, s);                                                                               \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##potrs(cusolverDnHandle_t h, int upper, int n, int columns, void *a, int lda,        \
                                         void *b, int ldb, int *info)                                                  \
    {                                                                                                                  \
        struct solver_system s = {.n = n,                                                                              \
                                  .k = columns,                                                                        \
                                  .a = {.data = a, .ld = lda},                                                         \
                                  .b = {.data = b, .ld = ldb},                                                         \
                                  .upper = upper,                                                                      \
                                  .info = info};                                                                       \
        return potrs(h, type, 1, s);                                                                                   \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##potrsBatched(cusolverDnHandle_t h, int upper, int n, int columns, void *const *a,   \
                                                int lda, void *const *b, int ldb, int *info, int batch)                \
    {                                                                                                                  \
        /* One info code for the batch: its parameters are right if it is launched. */                                 \
        struct solver_system s = {                                                                                     \
            .n = n, .k = columns, .a = {.list = a, .ld = lda}, .b = {.list = b, .ld = ldb}, .upper = upper};           \
        int status = potrs(h, type, batch, s);                                                                         \
        return status == SOLVER_SUCCESS ? solver_nothing(h, info, 1) : status;                                         \
    }
FACTORS(S, MATHLIB_F32)
FACTORS(D, MATHLIB_F64)
FACTORS(C, MATHLIB_C32)
FACTORS(Z, MATHLIB_C64)

/* ===== the same with numbers of 64 bits, and types as arguments ===== */

MATHLIB_API int cusolverDnXgetrf_bufferSize(cusolverDnHandle_t h, void *params, int64_t m, int64_t n, int type_a,
                                            const void *a, int64_t lda, int compute, size_t *device, size_t *host)
{
    (void)params, (void)m, (void)n, (void)type_a, (void)a, (void)lda, (void)compute;
    return solver_workspace_bytes(h, device, host);
}

MATHLIB_API int cusolverDnXgetrf(cusolverDnHandle_t h, void *params, int64_t m, int64_t n, int type_a, void *a,
                                 int64_t lda, int64_t *pivots, int compute, void *device, size_t device_bytes,
                                 void *host, size_t host_bytes, int *info)
{
    (void)params, (void)device, (void)device_bytes, (void)host, (void)host_bytes;
    enum mathlib_type type;
    struct solver_system s = {.m = m, .n = n, .a = {.data = a, .ld = lda}, .pivots = pivots, .wide = 1, .info = info};
    return solver_type_of(__func__, type_a, compute, &type) ? getrf(h, type, s) : SOLVER_NOT_SUPPORTED;
}

MATHLIB_API int cusolverDnXgetrs(cusolverDnHandle_t h, void *params, int operation, int64_t n, int64_t columns,
                                 int type_a, const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b,
                                 int64_t ldb, int *info)
{
    (void)params;
    enum mathlib_type type;
    struct solver_system s = {.n = n,
                              .k = columns,
                              .a = {.data = (void *)(uintptr_t)a, .ld = lda},
                              .b = {.data = b, .ld = ldb},
                              .pivots = (void *)(uintptr_t)pivots,
                              .wide = 1,
                              .operation = operation,
                              .info = info};
    return solver_type_of(__func__, type_a, type_b, &type) ? getrs(h, type, s) : SOLVER_NOT_SUPPORTED;
}

MATHLIB_API int cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, void *params, int upper, int64_t n, int type_a,
                                            const void *a, int64_t lda, int compute, size_t *device, size_t *host)
{
    (void)params, (void)upper, (void)n, (void)type_a, (void)a, (void)lda, (void)compute;
    return solver_workspace_bytes(h, device, host);
}

MATHLIB_API int cusolverDnXpotrf(cusolverDnHandle_t h, void *params, int upper, int64_t n, int type_a, void *a,
                                 int64_t lda, int compute, void *device, size_t device_bytes, void *host,
                                 size_t host_bytes, int *info)
{
    (void)params, (void)device, (void)device_bytes, (void)host, (void)host_bytes;
    enum mathlib_type type;
    struct solver_system s = {.n = n, .a = {.data = a, .ld = lda}, .upper = upper, .info = info};
    return solver_type_of(__func__, type_a, compute, &type) ? potrf(h, type, 1, s) : SOLVER_NOT_SUPPORTED;
}

MATHLIB_API int cusolverDnXpotrs(cusolverDnHandle_t h, void *params, int upper, int64_t n, int64_t columns, int type_a,
                                 const void *a, int64_t lda, int type_b, void *b, int64_t ldb, int *info)
{
    (void)params;
    enum mathlib_type type;
    struct solver_system s = {.n = n,
                              .k = columns,
                              .a = {.data = (void *)(uintptr_t)a, .ld = lda},
                              .b = {.data = b, .ld = ldb},
                              .upper = upper,
                              .info = info};
    return solver_type_of(__func__, type_a, type_b, &type) ? potrs(h, type, 1, s) : SOLVER_NOT_SUPPORTED;
}
