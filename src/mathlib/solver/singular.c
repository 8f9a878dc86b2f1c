/* SPDX-License-Identifier: BSD-3-Clause */
/* Singular values and vectors (gesvd, gesvdj and batches of them, gesvda). */
#include "mathlib/solver/handle.h"

#include <stdlib.h>

/* Bytes of workspace for a matrix, as the kernel divides it (singular.cu). */
static size_t workspace(enum mathlib_type type, const struct solver_system *s)
{
    bool flat = s->m < s->n;
    size_t rows = (size_t)(flat ? s->n : s->m), columns = (size_t)(flat ? s->m : s->n);
    size_t wanted = (size_t)(flat ? s->columns_c : s->columns_b), all = wanted > columns ? wanted : columns;
    return (all + 3) / 4 * 4 * (sizeof(double) + sizeof(int)) +
           (rows * all + columns * columns + all) * solver_size(type);
}

static bool wrong(const struct solver_system *s, int64_t batch)
{
    if (solver_beyond(s->m) || solver_beyond(s->n) || solver_wrong_ld(s->a.ld, s->m) || batch < 0)
        return true;
    return (s->columns_b && solver_wrong_ld(s->b.ld, s->m)) ||
           (s->columns_c && solver_wrong_ld(s->c.ld, s->adjoint ? s->columns_c : s->n));
}

static int gesvd(cusolverDnHandle_t h, enum mathlib_type type, int64_t batch, const struct solver_iteration *i,
                 struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    if (wrong(&s, batch))
        return SOLVER_INVALID_VALUE;
    if (!s.m || !s.n || !batch)
        return solver_nothing(h, s.info, batch);
    if (!solver_workspace(h, workspace(type, &s), batch, &s))
        return SOLVER_ALLOC_FAILED;
    s.vectors = s.columns_b || s.columns_c;
    s.sweeps = i ? i->sweeps : SOLVER_SWEEPS, s.sort = i ? i->sort : 1, s.tolerance = i ? i->tolerance : 0;
    s.failure = i ? (int)(s.m < s.n ? s.m : s.n) + 1 : 1;
    return solver_launch(h, "singular", type, "gesvdj", batch, &s);
}

/* Columns that a letter asks for: all, as many as there are singular values (O: in the place of A), none; -1: no letter
 * that there is. */
static int64_t columns_of(int job, int64_t order, int64_t least)
{
    return job == 'A' ? order : job == 'S' || job == 'O' ? least : job == 'N' ? 0 : -1;
}

static int by_letters(cusolverDnHandle_t h, enum mathlib_type type, int job_u, int job_v, struct solver_system s)
{
    int64_t least = s.m < s.n ? s.m : s.n;
    s.columns_b = columns_of(job_u, s.m, least), s.columns_c = columns_of(job_v, s.n, least);
    if (s.columns_b < 0 || s.columns_c < 0 || (job_u == 'O' && job_v == 'O'))
        return SOLVER_INVALID_VALUE;
    if (job_u == 'O') /* the kernel has read A when it writes vectors */
        s.b = s.a;
    if (job_v == 'O')
        s.c = s.a;
    return gesvd(h, type, 1, NULL, s);
}

static int jacobi(cusolverDnHandle_t h, enum mathlib_type type, int vectors, int thin, int64_t batch,
                  const struct solver_iteration *i, struct solver_system s)
{
    int64_t least = s.m < s.n ? s.m : s.n;
    if (!i || vectors < 0 || vectors > 1)
        return SOLVER_INVALID_VALUE;
    s.columns_b = vectors ? (thin ? least : s.m) : 0, s.columns_c = vectors ? (thin ? least : s.n) : 0;
    s.a.stride = s.a.ld * s.n, s.b.stride = s.b.ld * s.columns_b, s.c.stride = s.c.ld * s.columns_c;
    s.values_stride = least;
    return gesvd(h, type, batch, i, s);
}

/* `residuals` of the host: how far the product of what comes out is from each matrix. */
static int approximate(cusolverDnHandle_t h, enum mathlib_type type, int vectors, int64_t rank, int64_t batch,
                       double *residuals, struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    if (vectors < 0 || vectors > 1 || s.m < s.n || rank < 1 || rank > s.n || batch < 0)
        return SOLVER_INVALID_VALUE;
    CUdeviceptr memory = 0;
    if (residuals && batch && cuMemAlloc(&memory, (size_t)batch * sizeof *residuals) != CUDA_SUCCESS)
        return SOLVER_ALLOC_FAILED;
    s.columns_b = s.columns_c = vectors ? rank : 0, s.k = rank, s.residuals = (double *)(uintptr_t)memory;
    int status = gesvd(h, type, batch, NULL, s);
    if (memory && status == SOLVER_SUCCESS &&
        !mathlib_result(&h->kernels, residuals, memory, (size_t)batch * sizeof *residuals))
        status = SOLVER_EXECUTION_FAILED;
    if (memory)
        cuMemFree(memory);
    return status;
}

#define SIZES (void)m, (void)n, (void)a, (void)lda, (void)values, (void)u, (void)ldu, (void)v, (void)ldv

#define SINGULAR(L, type)                                                                                              \
    MATHLIB_API int cusolverDn##L##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n, int *count)                    \
    {                                                                                                                  \
        (void)m, (void)n;                                                                                              \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##gesvd(cusolverDnHandle_t h, signed char job_u, signed char job_v, int m, int n,     \
                                         void *a, int lda, void *values, void *u, int ldu, void *v, int ldv,           \
                                         void *work, int count, void *real_work, int *info)                            \
    {                                                                                                                  \
        (void)work, (void)count, (void)real_work;                                                                      \
        struct solver_system s = {.m = m,                                                                              \
                                  .n = n,                                                                              \
                                  .a = {.data = a, .ld = lda},                                                         \
                                  .b = {.data = u, .ld = ldu},                                                         \
                                  .c = {.data = v, .ld = ldv},                                                         \
                                  .values = values,                                                                    \
                                  .adjoint = 1,                                                                        \
                                  .info = info};                                                                       \
        return by_letters(h, type, job_u, job_v, s);                                                                   \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##gesvdj_bufferSize(                                                                  \
        cusolverDnHandle_t h, int vectors, int thin, int m, int n, const void *a, int lda, const void *values,         \
        const void *u, int ldu, const void *v, int ldv, int *count, struct solver_iteration *i)                        \
    {                                                                                                                  \
        SIZES, (void)vectors, (void)thin, (void)i;                                                                     \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##gesvdj(cusolverDnHandle_t h, int vectors, int thin, int m, int n, void *a, int lda, \
                                          void *values, void *u, int ldu, void *v, int ldv, void *work, int count,     \
                                          int *info, struct solver_iteration *i)                                       \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = {.m = m,                                                                              \
                                  .n = n,                                                                              \
                                  .a = {.data = a, .ld = lda},                                                         \
                                  .b = {.data = u, .ld = ldu},                                                         \
                                  .c = {.data = v, .ld = ldv},                                                         \
                                  .values = values,                                                                    \
                                  .info = info};                                                                       \
        return jacobi(h, type, vectors, thin, 1, i, s);                                                                \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##gesvdjBatched_bufferSize(                                                           \
        cusolverDnHandle_t h, int vectors, int m, int n, const void *a, int lda, const void *values, const void *u,    \
        int ldu, const void *v, int ldv, int *count, struct solver_iteration *i, int batch)                            \
    {                                                                                                                  \
        SIZES, (void)vectors, (void)i, (void)batch;                                                                    \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##gesvdjBatched(cusolverDnHandle_t h, int vectors, int m, int n, void *a, int lda,    \
                                                 void *values, void *u, int ldu, void *v, int ldv, void *work,         \
                                                 int count, int *info, struct solver_iteration *i, int batch)          \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = {.m = m,                                                                              \
                                  .n = n,                                                                              \
                                  .a = {.data = a, .ld = lda},                                                         \
                                  .b = {.data = u, .ld = ldu},                                                         \
                                  .c = {.data = v, .ld = ldv},                                                         \
                                  .values = values,                                                                    \
                                  .info = info};                                                                       \
        return jacobi(h, type, vectors, 0, batch, i, s);                                                               \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##gesvdaStridedBatched_bufferSize(                                                    \
        cusolverDnHandle_t h, int vectors, int rank, int m, int n, const void *a, int lda, long long stride_a,         \
        const void *values, long long stride_values, const void *u, int ldu, long long stride_u, const void *v,        \
        int ldv, long long stride_v, int *count, int batch)                                                            \
    {                                                                                                                  \
        SIZES, (void)vectors, (void)rank, (void)batch;                                                                 \
        (void)stride_a, (void)stride_values, (void)stride_u, (void)stride_v;                                           \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##gesvdaStridedBatched(                                                               \
        cusolverDnHandle_t h, int vectors, int rank, int m, int n, const void *a, int lda, long long stride_a,         \
        void *values, long long stride_values, void *u, int ldu, long long stride_u, void *v, int ldv,                 \
        long long stride_v, void *work, int count, int *info, double *residuals, int batch)                            \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = {.m = m,                                                                              \
                                  .n = n,                                                                              \
                                  .a = {.data = (void *)(uintptr_t)a, .ld = lda, .stride = stride_a},                  \
                                  .b = {.data = u, .ld = ldu, .stride = stride_u},                                     \
                                  .c = {.data = v, .ld = ldv, .stride = stride_v},                                     \
                                  .values = values,                                                                    \
                                  .values_stride = stride_values,                                                      \
                                  .info = info};                                                                       \
        return approximate(h, type, vectors, rank, batch, residuals, s);                                               \
    }
SINGULAR(S, MATHLIB_F32)
SINGULAR(D, MATHLIB_F64)
SINGULAR(C, MATHLIB_C32)
SINGULAR(Z, MATHLIB_C64)

/* ===== the same with numbers of 64 bits, and types as arguments ===== */

MATHLIB_API int cusolverDnXgesvd_bufferSize(cusolverDnHandle_t h, void *params, signed char job_u, signed char job_v,
                                            int64_t m, int64_t n, int type_a, const void *a, int64_t lda,
                                            int type_values, const void *values, int type_u, const void *u, int64_t ldu,
                                            int type_v, const void *v, int64_t ldv, int compute, size_t *device,
                                            size_t *host)
{
    SIZES, (void)params, (void)job_u, (void)job_v, (void)compute;
    (void)type_a, (void)type_values, (void)type_u, (void)type_v;
    return solver_workspace_bytes(h, device, host);
}

MATHLIB_API int cusolverDnXgesvd(cusolverDnHandle_t h, void *params, signed char job_u, signed char job_v, int64_t m,
                                 int64_t n, int type_a, void *a, int64_t lda, int type_values, void *values, int type_u,
                                 void *u, int64_t ldu, int type_v, void *v, int64_t ldv, int compute, void *device,
                                 size_t device_bytes, void *host, size_t host_bytes, int *info)
{
    (void)params, (void)device, (void)device_bytes, (void)host, (void)host_bytes;
    enum mathlib_type type;
    struct solver_system s = {.m = m,
                              .n = n,
                              .a = {.data = a, .ld = lda},
                              .b = {.data = u, .ld = ldu},
                              .c = {.data = v, .ld = ldv},
                              .values = values,
                              .adjoint = 1,
                              .info = info};
    int values_as = type_values + type_a / 4 * 4; /* real numbers: 0, 1; complex ones: 4, 5 */
    if (!solver_type_of(__func__, type_a, compute, &type) || !solver_type_of(__func__, type_a, values_as, &type) ||
        (s.b.data && !solver_type_of(__func__, type_a, type_u, &type)) ||
        (s.c.data && !solver_type_of(__func__, type_a, type_v, &type)))
        return SOLVER_NOT_SUPPORTED;
    return by_letters(h, type, job_u, job_v, s);
}
