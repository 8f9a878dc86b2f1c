/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of a pass of Fourier transforms. Compiled for host and device. */
#ifndef MATHLIB_FFT_PASS_H
#define MATHLIB_FFT_PASS_H

enum { FFT_LEVELS = 4, FFT_FACTORS = 16 };
enum fft_numbers {
    FFT_COMPLEX,
    FFT_REAL,
    FFT_HALF /* FFT_HALF: the first n / 2 + 1 numbers of a conjugate-symmetric line */
};

/* Layout of lines: line l has index l % count[0] in the innermost level, and so on; steps are in elements. */
struct fft_lines {
    const void *data;
    long long step; /* along a line */
    long long level[FFT_LEVELS];
    long long limit; /* number of existing elements of a line; elements beyond are read as zero and not written */
    int numbers;     /* enum fft_numbers */
    int conjugate;   /* each number is conjugated on the way */
};

struct fft_pass {
    long long lines, count[FFT_LEVELS];
    struct fft_lines in, out;
    const void *roots;     /* exp(-2 pi i k / n), k < n */
    const void *factor;    /* a number for each place of a line that the result is multiplied with; NULL: none */
    const void *factor_in; /* multiplier for the numbers that are read */
    long long twiddle;     /* the result k of a line is multiplied with exp(-2 pi i k l / twiddle); 0: not */
    int n, radices, radix[FFT_FACTORS];
    int group; /* lines of a CTA */
    int inverse;
    int adjacent_in, adjacent_out; /* neighbouring lines are contiguous */
    double scale;
};

/* `chirp`: exp(-pi i k^2 / n), k < count; else roots of unity. Zero from `filled` on; `mirrored`: conjugated, and
 * number count - k is number k. */
struct fft_table {
    void *data;
    long long count, n, filled;
    int chirp, mirrored;
};

#endif
