/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of kernels that generate random numbers. Compiled for host and device. */
#ifndef MATHLIB_RAND_H
#define MATHLIB_RAND_H

enum { RAND_STREAMS = 4096 /* generators side by side: number i of a sequence comes from the generator i % 4096 */ };
enum rand_kind { RAND_XORWOW, RAND_MRG32K3A, RAND_PHILOX, RAND_SOBOL32, RAND_SOBOL64 };

struct rand_fill {
    void *to;     /* words of 32 bits, of 64 for Sobol's of 64 */
    void *states; /* six words for each generator of XORWOW and MRG32k3a */
    const void *vectors;
    unsigned long long first; /* the number in the whole sequence that comes first */
    unsigned long long count, seed;
    unsigned long long each; /* Sobol: numbers per dimension in this call */
};

enum rand_shape { RAND_UNIFORM, RAND_UNIFORM_DOUBLE, RAND_NORMAL, RAND_NORMAL_DOUBLE, RAND_POISSON };

/* Words become numbers of a distribution. */
struct rand_change {
    const void *from;
    void *to;
    unsigned long long count;
    double mean, deviation;
    int logarithmic, wide; /* words have 64 bits */
    int quasi;             /* each number comes from one word, by the inverse of the distribution */
    int scaled;            /* words end below 2^32 as MRG32k3a's do: they are numbers up to 4294967087 */
};

#endif
