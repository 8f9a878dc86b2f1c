/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors Q R, and products with Q (geqrf, orgqr, ormqr and the complex ungqr, unmqr). */
#include "mathlib/solver/handle.h"

static int geqrf(cusolverDnHandle_t h, enum mathlib_type type, struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    if (solver_beyond(s.m) || solver_beyond(s.n) || solver_wrong_ld(s.a.ld, s.m))
        return SOLVER_INVALID_VALUE;
    if (!s.m || !s.n)
        return solver_nothing(h, s.info, 1);
    return solver_launch(h, "reflections", type, "geqrf", 1, &s);
}

static int orgqr(cusolverDnHandle_t h, enum mathlib_type type, struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    if (s.m < 0 || s.n < 0 || s.n > s.m || s.k < 0 || s.k > s.n || solver_wrong_ld(s.a.ld, s.m))
        return SOLVER_INVALID_VALUE;
    if (!s.m || !s.n)
        return solver_nothing(h, s.info, 1);
    return solver_launch(h, "reflections", type, "orgqr", 1, &s);
}

static int ormqr(cusolverDnHandle_t h, enum mathlib_type type, struct solver_system s)
{
    if (!h)
        return SOLVER_NOT_INITIALIZED;
    bool complex = type == MATHLIB_C32 || type == MATHLIB_C64;
    long long order = s.right ? s.n : s.m;
    if (s.right < 0 || s.right > 1 || s.m < 0 || s.n < 0 || s.k < 0 || s.k > order ||
        (s.operation != SOLVER_N && s.operation != (complex ? SOLVER_C : SOLVER_T)) || solver_wrong_ld(s.a.ld, order) ||
        solver_wrong_ld(s.b.ld, s.m))
        return SOLVER_INVALID_VALUE;
    if (!s.m || !s.n || !s.k)
        return solver_nothing(h, s.info, 1);
    return solver_launch(h, "reflections", type, "ormqr", 1, &s);
}

/* The second argument is how names for real (or) and for complex numbers (un) begin. */
#define REFLECTIONS(L, or, type)                                                                                       \
    MATHLIB_API int cusolverDn##L##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, void *a, int lda, int *count)  \
    {                                                                                                                  \
        (void)m, (void)n, (void)a, (void)lda;                                                                          \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L##geqrf(cusolverDnHandle_t h, int m, int n, void *a, int lda, void *taus, void *work, \
                                         int count, int *info)                                                         \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = {.m = m, .n = n, .a = {.data = a, .ld = lda}, .values = taus, .info = info};          \
        return geqrf(h, type, s);                                                                                      \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L## or ##gqr_bufferSize(cusolverDnHandle_t h, int m, int n, int k, const void *a,      \
                                                        int lda, const void *taus, int *count)                         \
    {                                                                                                                  \
        (void)m, (void)n, (void)k, (void)a, (void)lda, (void)taus;                                                     \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L## or ##gqr(cusolverDnHandle_t h, int m, int n, int k, void *a, int lda,              \
                                             const void *taus, void *work, int count, int *info)                       \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = {                                                                                     \
            .m = m, .n = n, .k = k, .a = {.data = a, .ld = lda}, .values = (void *)(uintptr_t)taus, .info = info};     \
        return orgqr(h, type, s);                                                                                      \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L## or                                                                                 \
        ##mqr_bufferSize(cusolverDnHandle_t h, int side, int operation, int m, int n, int k, const void *a, int lda,   \
                         const void *taus, const void *c, int ldc, int *count)                                         \
    {                                                                                                                  \
        (void)side, (void)operation, (void)m, (void)n, (void)k, (void)a, (void)lda, (void)taus, (void)c, (void)ldc;    \
        return solver_workspace_size(h, count);                                                                        \
    }                                                                                                                  \
    MATHLIB_API int cusolverDn##L## or                                                                                 \
        ##mqr(cusolverDnHandle_t h, int side, int operation, int m, int n, int k, const void *a, int lda,              \
              const void *taus, void *c, int ldc, void *work, int count, int *info)                                    \
    {                                                                                                                  \
        (void)work, (void)count;                                                                                       \
        struct solver_system s = {.m = m,                                                                              \
                                  .n = n,                                                                              \
                                  .k = k,                                                                              \
                                  .a = {.data = (void *)(uintptr_t)a, .ld = lda},                                      \
                                  .b = {.data = c, .ld = ldc},                                                         \
                                  .values = (void *)(uintptr_t)taus,                                                   \
                                  .operation = operation,                                                              \
                                  .right = side,                                                                       \
                                  .info = info};                                                                       \
        return ormqr(h, type, s);                                                                                      \
    }
REFLECTIONS(S, or, MATHLIB_F32)
REFLECTIONS(D, or, MATHLIB_F64)
REFLECTIONS(C, un, MATHLIB_C32)
REFLECTIONS(Z, un, MATHLIB_C64)

MATHLIB_API int cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t h, void *params, int64_t m, int64_t n, int type_a,
                                            const void *a, int64_t lda, int type_tau, const void *taus, int compute,
                                            size_t *device, size_t *host)
{
    (void)params, (void)m, (void)n, (void)type_a, (void)a, (void)lda, (void)type_tau, (void)taus, (void)compute;
    return solver_workspace_bytes(h, device, host);
}

MATHLIB_API int cusolverDnXgeqrf(cusolverDnHandle_t h, void *params, int64_t m, int64_t n, int type_a, void *a,
                                 int64_t lda, int type_tau, void *taus, int compute, void *device, size_t device_bytes,
                                 void *host, size_t host_bytes, int *info)
{
    (void)params, (void)device, (void)device_bytes, (void)host, (void)host_bytes;
    enum mathlib_type type;
    struct solver_system s = {.m = m, .n = n, .a = {.data = a, .ld = lda}, .values = taus, .info = info};
    if (!solver_type_of(__func__, type_a, compute, &type) || !solver_type_of(__func__, type_a, type_tau, &type))
        return SOLVER_NOT_SUPPORTED;
    return geqrf(h, type, s);
}
