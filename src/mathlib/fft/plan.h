/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans of our libcufft, and the transforms of lines that their executions are made of. */
#ifndef MATHLIB_FFT_PLAN_H
#define MATHLIB_FFT_PLAN_H

#include "mathlib/common/kernels.h"
#include "mathlib/fft/pass.h"

/* Numbers of the public interface (cufft.h). */
enum fft_status {
    FFT_SUCCESS = 0,
    FFT_INVALID_PLAN = 1,
    FFT_ALLOC_FAILED = 2,
    FFT_INVALID_TYPE = 3,
    FFT_INVALID_VALUE = 4,
    FFT_EXEC_FAILED = 6,
    FFT_SETUP_FAILED = 7,
    FFT_INVALID_SIZE = 8,
    FFT_NOT_SUPPORTED = 16,
};
enum fft_type { FFT_R2C = 0x2a, FFT_C2R = 0x2c, FFT_C2C = 0x29, FFT_D2Z = 0x6a, FFT_Z2D = 0x6c, FFT_Z2Z = 0x69 };
enum { FFT_RANK = 3, FFT_TABLES = 24 };

struct fft_plan {
    struct mathlib_kernels kernels;
    bool made;
    bool plain;         /* the caller has not said where numbers lie */
    CUdeviceptr floats; /* room for input and output of halves as floats; 0: they are no halves */
    enum fft_type type;
    int rank;
    long long n[FFT_RANK], batch;
    /* Layout of input and output: step of each dimension, and distance between transforms of the batch. */
    long long in_step[FFT_RANK], out_step[FFT_RANK], in_batch, out_batch;
    struct fft_made_table {
        struct fft_table table;
        bool transformed; /* the chirp in `factors` has been transformed, as Bluestein's algorithm requires */
    } tables[FFT_TABLES];
    int table_count;
};

static inline bool fft_is_double(const struct fft_plan *plan)
{
    return (plan->type & 0x40) != 0;
}
static inline size_t fft_number(const struct fft_plan *plan)
{
    return fft_is_double(plan) ? 16 : 8;
}

/* Whether lines of that length can be transformed at all. */
bool fft_can(const struct fft_plan *plan, long long n);
/* Transforms lines of `n` numbers as `pass` says where they lie. */
int fft_transform(struct fft_plan *plan, long long n, const struct fft_pass *pass);
/* Frees the memory kept for transforms. */
void fft_forget(struct fft_plan *plan);
/* Bytes of the floats that a plan of halves needs. */
size_t fft_floats(const struct fft_plan *plan);
/* A whole plan; `sign` is -1 or 1. */
int fft_execute(struct fft_plan *plan, const void *in, void *out, int sign);

#endif
