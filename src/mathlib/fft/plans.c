/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans as programs make them. Their handles are numbers, so that the library keeps a table: its one context. */
#include "mathlib/fft/plan.h"

#include <pthread.h>
#include <stdlib.h>

enum { PLANS = 4096 };

static struct {
    pthread_mutex_t lock;
    struct fft_plan *plans[PLANS];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct fft_plan *plan_of(int handle)
{
    pthread_mutex_lock(&table.lock);
    struct fft_plan *plan = handle > 0 && handle < PLANS ? table.plans[handle] : NULL;
    pthread_mutex_unlock(&table.lock);
    return plan;
}

MATHLIB_API int cufftCreate(int *handle)
{
    if (!handle)
        return FFT_INVALID_VALUE;
    struct fft_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return FFT_ALLOC_FAILED;
    if (!mathlib_open(&plan->kernels)) {
        free(plan);
        return FFT_SETUP_FAILED;
    }
    int found = 0;
    pthread_mutex_lock(&table.lock);
    for (int i = 1; i < PLANS && !found; i++)
        if (!table.plans[i])
            table.plans[found = i] = plan;
    pthread_mutex_unlock(&table.lock);
    if (!found)
        free(plan);
    *handle = found;
    return found ? FFT_SUCCESS : FFT_ALLOC_FAILED;
}

MATHLIB_API int cufftDestroy(int handle)
{
    struct fft_plan *plan = plan_of(handle);
    if (!plan)
        return FFT_INVALID_PLAN;
    pthread_mutex_lock(&table.lock);
    table.plans[handle] = NULL;
    pthread_mutex_unlock(&table.lock);
    cuCtxSynchronize();
    fft_forget(plan);
    mathlib_close(&plan->kernels);
    free(plan);
    return FFT_SUCCESS;
}

MATHLIB_API int cufftSetStream(int handle, CUstream stream)
{
    struct fft_plan *plan = plan_of(handle);
    if (!plan)
        return FFT_INVALID_PLAN;
    plan->kernels.stream = stream;
    return FFT_SUCCESS;
}

/* ===== making ===== */

static bool is_type(int type)
{
    return type == FFT_R2C || type == FFT_C2R || type == FFT_C2C || type == FFT_D2Z || type == FFT_Z2D ||
           type == FFT_Z2Z;
}

/* Computes the steps of the dimensions of an array with dimensions `embed` and distance `stride` between elements. */
static void steps_of(int rank, const long long *embed, long long stride, long long *step)
{
    long long here = stride;
    for (int d = rank - 1; d >= 0; d--) {
        step[d] = here;
        here *= embed[d];
    }
}

/* Computes the default layout of an array: contiguous; the last dimension of a real array's transform is halved. Real
 * numbers that are transformed in place are padded by the caller's layout. */
static void plain(const struct fft_plan *plan, bool half, long long *step, long long *batch)
{
    long long embed[FFT_RANK], all = 1;
    for (int d = 0; d < plan->rank; d++) {
        embed[d] = half && d == plan->rank - 1 ? plan->n[d] / 2 + 1 : plan->n[d];
        all *= embed[d];
    }
    steps_of(plan->rank, embed, 1, step);
    *batch = all;
}

static int make(int handle, int rank, const long long *n, const long long *inembed, long long istride, long long idist,
                const long long *onembed, long long ostride, long long odist, int type, long long batch, size_t *size)
{
    struct fft_plan *plan = plan_of(handle);
    if (!plan || plan->made)
        return FFT_INVALID_PLAN;
    if (!is_type(type))
        return FFT_INVALID_TYPE;
    if (rank < 1 || rank > FFT_RANK || !n || batch < 1)
        return FFT_INVALID_VALUE;
    plan->type = (enum fft_type)type, plan->rank = rank, plan->batch = batch;
    for (int d = 0; d < rank; d++) {
        if (n[d] < 1)
            return FFT_INVALID_SIZE;
        plan->n[d] = n[d];
        if (!fft_can(plan, n[d])) {
            mathlib_refuse("cufftMakePlan", "a length of that many numbers");
            return FFT_NOT_SUPPORTED;
        }
    }
    bool to_real = type == FFT_C2R || type == FFT_Z2D, from_real = type == FFT_R2C || type == FFT_D2Z;
    plain(plan, to_real, plan->in_step, &plan->in_batch);
    plain(plan, from_real, plan->out_step, &plan->out_batch);
    plan->plain = !inembed || !onembed;
    if (!plan->plain) { /* otherwise the strides are ignored, too */
        steps_of(rank, inembed, istride, plan->in_step);
        steps_of(rank, onembed, ostride, plan->out_step);
        plan->in_batch = idist, plan->out_batch = odist;
    }
    plan->made = true;
    if (size)
        *size = 0;
    return FFT_SUCCESS;
}

static int make_narrow(int handle, int rank, const int *n, const int *inembed, int istride, int idist,
                       const int *onembed, int ostride, int odist, int type, int batch, size_t *size)
{
    long long wide[3][FFT_RANK];
    if (rank < 1 || rank > FFT_RANK || !n)
        return FFT_INVALID_VALUE;
    for (int d = 0; d < rank; d++) {
        wide[0][d] = n[d];
        wide[1][d] = inembed ? inembed[d] : 0;
        wide[2][d] = onembed ? onembed[d] : 0;
    }
    return make(handle, rank, wide[0], inembed ? wide[1] : NULL, istride, idist, onembed ? wide[2] : NULL, ostride,
                odist, type, batch, size);
}

MATHLIB_API int cufftMakePlan1d(int handle, int nx, int type, int batch, size_t *size)
{
    return make_narrow(handle, 1, (int[]){nx}, NULL, 1, 0, NULL, 1, 0, type, batch, size);
}
MATHLIB_API int cufftMakePlan2d(int handle, int nx, int ny, int type, size_t *size)
{
    return make_narrow(handle, 2, (int[]){nx, ny}, NULL, 1, 0, NULL, 1, 0, type, 1, size);
}
MATHLIB_API int cufftMakePlan3d(int handle, int nx, int ny, int nz, int type, size_t *size)
{
    return make_narrow(handle, 3, (int[]){nx, ny, nz}, NULL, 1, 0, NULL, 1, 0, type, 1, size);
}
MATHLIB_API int cufftMakePlanMany(int handle, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                                  int ostride, int odist, int type, int batch, size_t *size)
{
    return make_narrow(handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, size);
}
MATHLIB_API int cufftMakePlanMany64(int handle, int rank, long long *n, long long *inembed, long long istride,
                                    long long idist, long long *onembed, long long ostride, long long odist, int type,
                                    long long batch, size_t *size)
{
    return make(handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, size);
}

/* The kind of a transform with the given input and output types (cudaDataType), for halves that of floats; 0 if there
 * is none. */
static int type_of(int in, int out)
{
    enum { REAL_32 = 0, REAL_64 = 1, REAL_16 = 2, COMPLEX_32 = 4, COMPLEX_64 = 5, COMPLEX_16 = 6 };
    static const struct {
        int in, out, type;
    } rows[] = {{REAL_32, COMPLEX_32, FFT_R2C}, {COMPLEX_32, REAL_32, FFT_C2R}, {COMPLEX_32, COMPLEX_32, FFT_C2C},
                {REAL_64, COMPLEX_64, FFT_D2Z}, {COMPLEX_64, REAL_64, FFT_Z2D}, {COMPLEX_64, COMPLEX_64, FFT_Z2Z},
                {REAL_16, COMPLEX_16, FFT_R2C}, {COMPLEX_16, REAL_16, FFT_C2R}, {COMPLEX_16, COMPLEX_16, FFT_C2C}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].in == in && rows[i].out == out)
            return rows[i].type;
    return 0;
}

static bool is_half(int type)
{
    return type == 2 || type == 6;
}

/* `computed`: the type used for computation, which must equal the type of input or output. */
MATHLIB_API int cufftXtMakePlanMany(int handle, int rank, long long *n, long long *inembed, long long istride,
                                    long long idist, int in, long long *onembed, long long ostride, long long odist,
                                    int out, long long batch, size_t *size, int computed)
{
    int type = type_of(in, out);
    if (!type || (computed != in && computed != out)) {
        mathlib_refuse("cufftXtMakePlanMany", "types other than halves, single and double precision");
        return FFT_NOT_SUPPORTED;
    }
    for (int d = 0; is_half(in) && n && d < rank; d++)
        if (n[d] < 1 || (n[d] & (n[d] - 1)) != 0)
            return FFT_INVALID_SIZE; /* the rule of NVIDIA's library */
    int status = make(handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, size);
    if (status != FFT_SUCCESS || !is_half(in))
        return status;
    struct fft_plan *plan = plan_of(handle);
    return cuMemAlloc(&plan->floats, fft_floats(plan)) == CUDA_SUCCESS ? FFT_SUCCESS : FFT_ALLOC_FAILED;
}

/* Space that a plan would need: all comes from the library. */
MATHLIB_API int cufftXtGetSizeMany(int handle, int rank, long long *n, long long *inembed, long long istride,
                                   long long idist, int in, long long *onembed, long long ostride, long long odist,
                                   int out, long long batch, size_t *size, int computed)
{
    (void)rank, (void)n, (void)inembed, (void)istride, (void)idist, (void)onembed, (void)ostride, (void)odist;
    (void)batch, (void)computed;
    if (!plan_of(handle))
        return FFT_INVALID_PLAN;
    if (!size || !type_of(in, out))
        return FFT_INVALID_VALUE;
    *size = 0;
    return FFT_SUCCESS;
}

/* Combines the creation of a handle and of its plan. */
static int made(int *handle, int status)
{
    if (status != FFT_SUCCESS && *handle > 0)
        cufftDestroy(*handle);
    return status;
}
#define CREATED(handle, call)                                                                                          \
    int status = cufftCreate(handle);                                                                                  \
    return status != FFT_SUCCESS ? status : made(handle, call)

MATHLIB_API int cufftPlan1d(int *handle, int nx, int type, int batch)
{
    CREATED(handle, cufftMakePlan1d(*handle, nx, type, batch, NULL));
}
MATHLIB_API int cufftPlan2d(int *handle, int nx, int ny, int type)
{
    CREATED(handle, cufftMakePlan2d(*handle, nx, ny, type, NULL));
}
MATHLIB_API int cufftPlan3d(int *handle, int nx, int ny, int nz, int type)
{
    CREATED(handle, cufftMakePlan3d(*handle, nx, ny, nz, type, NULL));
}
MATHLIB_API int cufftPlanMany(int *handle, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, int type, int batch)
{
    CREATED(handle,
            cufftMakePlanMany(*handle, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, NULL));
}

/* ===== executing ===== */

static int execute(int handle, enum fft_type type, const void *in, void *out, int sign)
{
    struct fft_plan *plan = plan_of(handle);
    if (!plan || !plan->made)
        return FFT_INVALID_PLAN;
    if (!in || !out || (sign != -1 && sign != 1))
        return FFT_INVALID_VALUE;
    if (plan->type != type || plan->floats)
        return FFT_INVALID_TYPE;
    return fft_execute(plan, in, out, sign);
}

MATHLIB_API int cufftExecC2C(int handle, void *in, void *out, int sign)
{
    return execute(handle, FFT_C2C, in, out, sign);
}
MATHLIB_API int cufftExecZ2Z(int handle, void *in, void *out, int sign)
{
    return execute(handle, FFT_Z2Z, in, out, sign);
}
MATHLIB_API int cufftExecR2C(int handle, void *in, void *out)
{
    return execute(handle, FFT_R2C, in, out, -1);
}
MATHLIB_API int cufftExecD2Z(int handle, void *in, void *out)
{
    return execute(handle, FFT_D2Z, in, out, -1);
}
MATHLIB_API int cufftExecC2R(int handle, void *in, void *out)
{
    return execute(handle, FFT_C2R, in, out, 1);
}
MATHLIB_API int cufftExecZ2D(int handle, void *in, void *out)
{
    return execute(handle, FFT_Z2D, in, out, 1);
}
MATHLIB_API int cufftXtExec(int handle, void *in, void *out, int sign)
{
    struct fft_plan *plan = plan_of(handle);
    bool fixed = plan && plan->type != FFT_C2C && plan->type != FFT_Z2Z;
    if (!plan || !plan->made)
        return FFT_INVALID_PLAN;
    if (!in || !out || (!fixed && sign != -1 && sign != 1))
        return FFT_INVALID_VALUE;
    return fft_execute(plan, in, out, fixed ? (plan->type & 4 ? 1 : -1) : sign);
}

/* ===== small things ===== */

/* Space that transforms need comes from the library. */
MATHLIB_API int cufftGetSize(int handle, size_t *size)
{
    if (!plan_of(handle))
        return FFT_INVALID_PLAN;
    if (size)
        *size = 0;
    return FFT_SUCCESS;
}
MATHLIB_API int cufftSetAutoAllocation(int handle, int automatic)
{
    (void)automatic;
    return plan_of(handle) ? FFT_SUCCESS : FFT_INVALID_PLAN;
}
MATHLIB_API int cufftSetWorkArea(int handle, void *area)
{
    (void)area;
    return plan_of(handle) ? FFT_SUCCESS : FFT_INVALID_PLAN;
}
