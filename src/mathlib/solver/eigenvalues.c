/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvalues and eigenvectors of symmetric and Hermitian matrices (syevd, syevj, heevd, heevj and batches of them). */
#include "mathlib/solver/handle.h"

/* A rotation in the kernels: its cosine and, aligned like it, its sine. */
static size_t rotation_bytes(enum mathlib_type type)
{
    return type == MATHLIB_C64 ? 32 : 16;
}

static int syev(cusolverDnHandle_t h, enum mathlib_type type, int64_t batch, const struct solver_iteration *i,
                struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    if (s.vectors < 0 || s.vectors > 1 || s.upper < 0 || s.upper > 1 || solver_beyond(s.n) ||
        solver_wrong_ld(s.a.ld, s.n) || batch < 0)
        return SOLVER_INVALID_VALUE;
    if (!s.n || !batch)
        return solver_nothing(h, s.info, batch);
    size_t n = (size_t)s.n;
    if (!solver_workspace(h, 2 * n * n * solver_size(type) + (n / 2 + 1) * rotation_bytes(type), batch, &s))
        return SOLVER_ALLOC_FAILED;
    s.a.stride = s.a.ld * s.n, s.values_stride = s.n;
    s.sweeps = i ? i->sweeps : SOLVER_SWEEPS, s.sort = i ? i->sort : 1, s.tolerance = i ? i->tolerance : 0;
    s.failure = i ? (int)s.n + 1 : 1;
    return solver_launch(h, "eigenvalues", type, "syevj", batch, &s);
}

#define MATRIX                                                                                                         \
    {                                                                                                                  \
        .n = n, .a = {.data = a, .ld = lda}, .values = values, .upper = upper, .vectors = vectors, .info = info        \
    }
#define IGNORED (void)vectors, (void)upper, (void)n, (void)a, (void)lda, (void)values

/* The second argument is how names for real (sy) and for complex numbers (he) begin. */
#define EIGENVALUES(L, sy, type)                                                                                       \
    MATHLIB_API int cusolverDn##L##sy##evd_bufferSize(cusolverDnHandle_t h, int vectors, int upper, int n,             \
                                                      const void *a, int lda, const void *values, int *count)          \
    {                                                                                                                  \
        IGNORED;                                                                                                       \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##sy##evd(cusolverDnHandle_t h, int vectors, int upper, int n, void *a, int lda,      \
                                           void *values, void *work, int count, int *info)                             \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = MATRIX;                                                                               \
        return syev(h, type, 1, NULL, s);                                                                              \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##sy##evj_bufferSize(cusolverDnHandle_t h, int vectors, int upper, int n,             \
                                                      const void *a, int lda, const void *values, int *count,          \
                                                      struct solver_iteration *i)                                      \
    {                                                                                                                  \
        IGNORED, (void)i;                                                                                              \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##sy##evj(cusolverDnHandle_t h, int vectors, int upper, int n, void *a, int lda,      \
                                           void *values, void *work, int count, int *info, struct solver_iteration *i) \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = MATRIX;                                                                               \
        return i ? syev(h, type, 1, i, s) : SOLVER_INVALID_VALUE;                                                      \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##sy##evjBatched_bufferSize(cusolverDnHandle_t h, int vectors, int upper, int n,      \
                                                             const void *a, int lda, const void *values, int *count,   \
                                                             struct solver_iteration *i, int batch)                    \
    {                                                                                                                  \
        IGNORED, (void)i, (void)batch;                                                                                 \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##sy##evjBatched(cusolverDnHandle_t h, int vectors, int upper, int n, void *a,        \
                                                  int lda, void *values, void *work, int count, int *info,             \
                                                  struct solver_iteration *i, int batch)                               \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = MATRIX;                                                                               \
        return i ? syev(h, type, batch, i, s) : SOLVER_INVALID_VALUE;                                                  \
    }
EIGENVALUES(S, sy, MATHLIB_F32)
EIGENVALUES(D, sy, MATHLIB_F64)
EIGENVALUES(C, he, MATHLIB_C32)
EIGENVALUES(Z, he, MATHLIB_C64)

/* ===== the same with numbers of 64 bits, and types as arguments ===== */

static int of_types(cusolverDnHandle_t h, const char *function, int type_a, int type_values, int compute, int64_t batch,
                    struct solver_system s)
{
    enum mathlib_type type;
    if (!solver_type_of(function, type_a, compute, &type) ||
        !solver_type_of(function, type_a, type_values + type_a / 4 * 4, &type))
        return SOLVER_NOT_SUPPORTED;
    return syev(h, type, batch, NULL, s);
}

MATHLIB_API int cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, void *params, int vectors, int upper, int64_t n,
                                            int type_a, const void *a, int64_t lda, int type_values, const void *values,
                                            int compute, size_t *device, size_t *host)
{
    IGNORED, (void)params, (void)type_a, (void)type_values, (void)compute;
    return solver_workspace_bytes(h, device, host);
}

MATHLIB_API int cusolverDnXsyevd(cusolverDnHandle_t h, void *params, int vectors, int upper, int64_t n, int type_a,
                                 void *a, int64_t lda, int type_values, void *values, int compute, void *device,
                                 size_t device_bytes, void *host, size_t host_bytes, int *info)
{
    (void)params, (void)device, (void)device_bytes, (void)host, (void)host_bytes;
    struct solver_system s = MATRIX;
    return of_types(h, __func__, type_a, type_values, compute, 1, s);
}

MATHLIB_API int cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t h, void *params, int vectors, int upper, int64_t n,
                                                  int type_a, const void *a, int64_t lda, int type_values,
                                                  const void *values, int compute, size_t *device, size_t *host,
                                                  int64_t batch)
{
    IGNORED, (void)params, (void)type_a, (void)type_values, (void)compute, (void)batch;
    return solver_workspace_bytes(h, device, host);
}

MATHLIB_API int cusolverDnXsyevBatched(cusolverDnHandle_t h, void *params, int vectors, int upper, int64_t n,
                                       int type_a, void *a, int64_t lda, int type_values, void *values, int compute,
                                       void *device, size_t device_bytes, void *host, size_t host_bytes, int *info,
                                       int64_t batch)
{
    (void)params, (void)device, (void)device_bytes, (void)host, (void)host_bytes;
    struct solver_system s = MATRIX;
    return of_types(h, __func__, type_a, type_values, compute, batch, s);
}
