/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves that become floats before a transform, and back behind it. Compiled for host and device. */
#ifndef MATHLIB_FFT_HALVES_H
#define MATHLIB_FFT_HALVES_H

struct fft_halves {
    void *halves, *floats;
    long long count; /* number of real numbers */
};

#endif
