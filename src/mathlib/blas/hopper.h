/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a product by warpgroups (wgmma) is told, and the forms that its kernels have: read by the host's compiler and by
 * that of the kernels. X is the operand with the rows of D, in whose direction D is contiguous; Y has its columns.
 */
#ifndef MATHLIB_BLAS_HOPPER_H
#define MATHLIB_BLAS_HOPPER_H

#include "mathlib/blas/gemm.h"

#ifdef __cplusplus
struct alignas(64) hopper_map { /* a tensor map */
    unsigned long long words[16];
};
#else
#include "maniple/driver.h"
struct hopper_map {
    CUtensorMap map;
};
#endif

/*
 * Forms: name, rows of a warpgroup (64 or 128), columns, warpgroups that multiply, whether they take tiles in turn
 * (ping-pong) or the rows of one tile together, blocks of a cluster (below one another; they share Y by multicast), and
 * blocks of 64 numbers of k in a stage. HOPPER_FORMS are made for operands in whose rows k is contiguous, as those of
 * linear layers are; HOPPER_COMMON_FORMS for all.
 */
#define HOPPER_COMMON_FORMS(F)                                                                                         \
    F(64x32, 64, 32, 1, false, 1, 2)                                                                                   \
    F(64x64, 64, 64, 1, false, 1, 1)                                                                                   \
    F(64x128, 64, 128, 1, false, 1, 1)                                                                                 \
    F(128x128, 64, 128, 2, false, 1, 1)                                                                                \
    F(128x128_turns_2, 128, 128, 2, true, 2, 1)                                                                        \
    F(128x256_2, 64, 256, 2, false, 2, 1)
#define HOPPER_FORMS(F)                                                                                                \
    HOPPER_COMMON_FORMS(F)                                                                                             \
    F(64x8, 64, 8, 1, false, 1, 2)                                                                                     \
    F(64x16, 64, 16, 1, false, 1, 2)                                                                                   \
    F(128x16, 64, 16, 2, false, 1, 2)                                                                                  \
    F(128x32, 64, 32, 2, false, 1, 2)                                                                                  \
    F(128x64, 64, 64, 2, false, 1, 1)                                                                                  \
    F(128x128_2, 64, 128, 2, false, 2, 1)                                                                              \
    F(128x192_2, 64, 192, 2, false, 2, 1)                                                                              \
    F(128x256, 64, 256, 2, false, 1, 1)                                                                                \
    F(256x128_2, 128, 128, 2, false, 2, 1)                                                                             \
    F(256x192_2, 128, 192, 2, false, 2, 1)                                                                             \
    F(64x64_4, 64, 64, 1, false, 4, 1)                                                                                 \
    F(64x128_2, 64, 128, 1, false, 2, 1)                                                                               \
    F(128x64_2, 64, 64, 2, false, 2, 1)                                                                                \
    F(128x128_4, 64, 128, 2, false, 4, 1)

enum hopper_store { HOPPER_BOXES, HOPPER_NUMBERS, HOPPER_SUMS };
enum { HOPPER_BUFFERS = 2, HOPPER_BUFFER = 64 * 128, HOPPER_SHARED = 231424, HOPPER_STAGES = 16 };

struct hopper_product {
    struct hopper_map x, y, d;
    struct mathlib_gemm g;
    int tiles_m, tiles_n;    /* tiles of a cluster along the rows, and along the columns, of a matrix of the batch */
    int units;               /* tiles of all matrices times parts of k */
    int parts, steps, depth; /* stages of the whole k, and of a part */
    int group;               /* tiles along the rows that are taken before the next columns */
    int store;               /* enum hopper_store */
};

#endif
