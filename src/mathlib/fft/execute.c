/* SPDX-License-Identifier: BSD-3-Clause */
/* A transform of one to three dimensions and a batch: lines along one dimension after another. */
#include "mathlib/fft/halves.h"
#include "mathlib/fft/plan.h"

/* Layout of the input or output of a pass. */
struct layout {
    const void *data;
    const long long *step;
    long long batch;
};

/* The dimensions beside `along`, from the last one, and the batch are the levels of lines. */
static void levels(const struct fft_plan *plan, const long long *n, int along, const struct layout *in,
                   const struct layout *out, struct fft_pass *pass)
{
    int level = 0;
    pass->lines = plan->batch;
    for (int d = plan->rank - 1; d >= 0; d--) {
        if (d == along)
            continue;
        pass->count[level] = n[d];
        pass->in.level[level] = in->step[d], pass->out.level[level] = out->step[d];
        pass->lines *= n[d];
        level++;
    }
    pass->count[level] = plan->batch;
    pass->in.level[level] = in->batch, pass->out.level[level] = out->batch;
    while (++level < FFT_LEVELS)
        pass->count[level] = 1;
    pass->in.data = in->data, pass->out.data = out->data;
    pass->in.step = in->step[along], pass->out.step = out->step[along];
}

/* Transforms along one dimension. `n`: existing elements of each dimension; for dimensions that are not transformed
 * now, in complex numbers. */
static int along(struct fft_plan *plan, const long long *n, int dimension, const struct layout *in,
                 const struct layout *out, int sign, enum fft_numbers reads, enum fft_numbers writes)
{
    struct fft_pass pass = {.inverse = sign > 0};
    levels(plan, n, dimension, in, out, &pass);
    pass.in.numbers = reads, pass.out.numbers = writes;
    pass.in.limit = plan->n[dimension];
    pass.out.limit = writes == FFT_HALF ? plan->n[dimension] / 2 + 1 : plan->n[dimension];
    return fft_transform(plan, plan->n[dimension], &pass);
}

static int complex_to_complex(struct fft_plan *plan, const struct layout *in, const struct layout *out, int sign)
{
    int status = FFT_SUCCESS;
    for (int d = plan->rank - 1; d >= 0 && status == FFT_SUCCESS; d--)
        status = along(plan, plan->n, d, d == plan->rank - 1 ? in : out, out, sign, FFT_COMPLEX, FFT_COMPLEX);
    return status;
}

static int real_to_complex(struct fft_plan *plan, const struct layout *in, const struct layout *out)
{
    int last = plan->rank - 1;
    long long n[FFT_RANK];
    for (int d = 0; d < plan->rank; d++)
        n[d] = d == last ? plan->n[d] / 2 + 1 : plan->n[d];
    int status = along(plan, n, last, in, out, -1, FFT_REAL, FFT_HALF);
    for (int d = last - 1; d >= 0 && status == FFT_SUCCESS; d--)
        status = along(plan, n, d, out, out, -1, FFT_COMPLEX, FFT_COMPLEX);
    return status;
}

/* With more than one dimension the input is overwritten, as in NVIDIA's library. */
static int complex_to_real(struct fft_plan *plan, const struct layout *in, const struct layout *out)
{
    int last = plan->rank - 1, status = FFT_SUCCESS;
    long long n[FFT_RANK];
    for (int d = 0; d < plan->rank; d++)
        n[d] = d == last ? plan->n[d] / 2 + 1 : plan->n[d];
    for (int d = 0; d < last && status == FFT_SUCCESS; d++)
        status = along(plan, n, d, in, in, 1, FFT_COMPLEX, FFT_COMPLEX);
    return status == FFT_SUCCESS ? along(plan, n, last, in, out, 1, FFT_HALF, FFT_REAL) : status;
}

/* Rows of real numbers that lie where their transforms do: each is as long as that. */
static void pad(const struct fft_plan *plan, const struct layout *complex, struct layout *real, long long *step)
{
    for (int d = 0; d < plan->rank; d++)
        step[d] = d == plan->rank - 1 ? 1 : 2 * complex->step[d];
    real->step = step;
    real->batch = 2 * complex->batch;
}

static int execute(struct fft_plan *plan, const void *in, void *out, int sign)
{
    struct layout from = {in, plan->in_step, plan->in_batch}, to = {out, plan->out_step, plan->out_batch};
    long long step[FFT_RANK];
    if (in == out && plan->plain && (plan->type == FFT_R2C || plan->type == FFT_D2Z))
        pad(plan, &to, &from, step);
    if (in == out && plan->plain && (plan->type == FFT_C2R || plan->type == FFT_Z2D))
        pad(plan, &from, &to, step);
    switch (plan->type) {
    case FFT_R2C:
    case FFT_D2Z:
        return real_to_complex(plan, &from, &to);
    case FFT_C2R:
    case FFT_Z2D:
        return complex_to_real(plan, &from, &to);
    default:
        return complex_to_complex(plan, &from, &to, sign);
    }
}

/* Real numbers from the first to the last of an array, gaps included. */
static long long extent(const struct fft_plan *plan, bool input, bool padded)
{
    bool real = plan->type == (input ? FFT_R2C : FFT_C2R), half = plan->type == (input ? FFT_C2R : FFT_R2C);
    const long long *step = input ? plan->in_step : plan->out_step, *other = input ? plan->out_step : plan->in_step;
    long long last = 0, batch = input ? plan->in_batch : plan->out_batch;
    for (int d = 0; d < plan->rank; d++) {
        long long n = half && d == plan->rank - 1 ? plan->n[d] / 2 + 1 : plan->n[d];
        last += (n - 1) * (padded && real ? d == plan->rank - 1 ? 1 : 2 * other[d] : step[d]);
    }
    last += (plan->batch - 1) * (padded && real ? 2 * (input ? plan->out_batch : plan->in_batch) : batch);
    return (last + 1) * (real ? 1 : 2);
}

size_t fft_floats(const struct fft_plan *plan)
{
    return (size_t)(extent(plan, true, true) + extent(plan, true, false) + extent(plan, false, true) +
                    extent(plan, false, false)) *
           sizeof(float);
}

static bool convert(struct fft_plan *plan, const char *kernel, void *halves, CUdeviceptr floats, long long count)
{
    struct fft_halves arguments = {halves, (void *)(uintptr_t)floats, count};
    struct mathlib_grid grid = {.x = mathlib_blocks(count, 256), .threads = 256};
    return mathlib_launch(&plan->kernels, "fft_halves", kernel, grid, &arguments);
}

int fft_execute(struct fft_plan *plan, const void *in, void *out, int sign)
{
    if (!plan->floats)
        return execute(plan, in, out, sign);
    bool padded = in == out && plan->plain;
    long long read = extent(plan, true, padded), written = extent(plan, false, padded);
    CUdeviceptr from = plan->floats, to = in == out ? from : from + (CUdeviceptr)(read + read % 2) * sizeof(float);
    bool good = convert(plan, "maniple_fft_widen", (void *)(uintptr_t)in, from, read) &&
                (in == out || convert(plan, "maniple_fft_widen", out, to, written)); /* numbers in gaps stay */
    int status = good ? execute(plan, (void *)(uintptr_t)from, (void *)(uintptr_t)to, sign) : FFT_EXEC_FAILED;
    if (status == FFT_SUCCESS && !convert(plan, "maniple_fft_narrow", out, to, written))
        status = FFT_EXEC_FAILED;
    return status;
}
