/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments of a product by warpgroups (wgmma), and the available forms of its kernels. Compiled for host and device. X
 * is the operand with the rows of D, along which D is contiguous; Y is the operand with the columns of D.
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
 * Forms: name; rows of a warpgroup (64 or 128); columns; number of warpgroups that multiply; whether they work on
 * different tiles alternately (ping-pong) or on rows of the same tile; blocks of a cluster (stacked vertically; they
 * share Y by multicast); and blocks of 64 elements of k per stage. HOPPER_FORMS require operands whose rows are
 * contiguous along k, as in linear layers; HOPPER_COMMON_FORMS accept all operands.
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

/*
 * Forms whose tiles have their 64 rows along n (the tokens of a linear layer) and their columns along m, for fewer
 * numbers of m than a tile has rows: name and columns. They require operands whose rows are contiguous along k.
 */
#define HOPPER_ACROSS_FORMS(F)                                                                                         \
    F(64x16_across, 16)                                                                                                \
    F(64x32_across, 32)                                                                                                \
    F(64x64_across, 64)

/*
 * Forms on compute capability 10.0 (tcgen05): name; 64 rows of each of one or two groups, which are the 64 or 128 rows
 * of a product; columns; groups; blocks of a cluster that share the k of a tile; and blocks of 64 elements of k per
 * stage. They require operands whose rows are contiguous along k.
 */
#define BLACKWELL_FORMS(F)                                                                                             \
    F(64x8, 64, 8, 1, 1, 2)                                                                                            \
    F(64x16, 64, 16, 1, 1, 2)                                                                                          \
    F(64x32, 64, 32, 1, 1, 2)                                                                                          \
    F(64x64, 64, 64, 1, 1, 2)                                                                                          \
    F(128x16, 64, 16, 2, 1, 2)                                                                                         \
    F(128x32, 64, 32, 2, 1, 2)                                                                                         \
    F(128x64, 64, 64, 2, 1, 2)                                                                                         \
    F(128x128, 64, 128, 2, 1, 1)                                                                                       \
    F(128x192, 64, 192, 2, 1, 1)                                                                                       \
    F(128x256, 64, 256, 2, 1, 1)                                                                                       \
    F(64x8_k4, 64, 8, 1, 4, 2)                                                                                         \
    F(64x16_k4, 64, 16, 1, 4, 2)                                                                                       \
    F(64x16_k8, 64, 16, 1, 8, 2)                                                                                       \
    F(64x32_k4, 64, 32, 1, 4, 2)
enum { BLACKWELL_THREADS = 192 }; /* four warps that store, one that loads, one that issues products */

enum hopper_store { HOPPER_BOXES, HOPPER_NUMBERS, HOPPER_SUMS };
enum { HOPPER_BUFFERS = 2, HOPPER_BUFFER = 64 * 128, HOPPER_SHARED = 231424, HOPPER_STAGES = 16 };

struct hopper_product {
    struct hopper_map x, y, d;
    struct mathlib_gemm g;
    int tiles_m, tiles_n;    /* tiles of a cluster along their rows and their columns, of a matrix of the batch */
    int units;               /* tiles of all matrices times parts of k */
    int parts, steps, depth; /* stages of the whole k, and of a part */
    int group;               /* tiles along the rows that are taken before the next columns */
    int store;               /* enum hopper_store */
};

#endif
