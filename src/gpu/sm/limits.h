/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and codings that several stages of an SM share. */
#ifndef GPU_SM_LIMITS_H
#define GPU_SM_LIMITS_H

#include "contract/instruction.h"

#include <stdint.h>

enum {
    SM_MAX_SUBCORES = 8,
    SM_MAX_WARPS = 128,
    SM_SUBCORE_WARPS = 64, /* warps of a sub-core have one bit each of a word */
    SM_REGISTERS = 256,
    SM_NONE = 0xffff /* no index */
};

/* Groups of bits that toggle (values.h): of units by class, of registers, of data in memory, of code. */
enum sm_values_group {
    SM_VALUES_INT,
    SM_VALUES_IMAD,
    SM_VALUES_FP32,
    SM_VALUES_HALF,
    SM_VALUES_FP64,
    SM_VALUES_SFU,
    SM_VALUES_CONVERT,
    SM_VALUES_TENSOR,
    SM_VALUES_READS,
    SM_VALUES_WRITES,
    SM_VALUES_SHARED,
    SM_VALUES_GLOBAL,
    SM_VALUES_CODE,
    SM_VALUES_GROUPS
};

/* Activities of a warp: of groups, and of registers that classes read and write (values.h). */
enum {
    SM_ACTIVITY_READS = SM_VALUES_GROUPS,
    SM_ACTIVITY_WRITES = SM_ACTIVITY_READS + MNP_CLASS_COUNT,
    SM_ACTIVITIES = (SM_ACTIVITY_WRITES + MNP_CLASS_COUNT + 7) / 8 * 8,
    SM_ACTIVITY_RANDOM = 64, /* the activity of random data */
    SM_ACTIVITY_MOST = 254,
    SM_ACTIVITY_NONE
};

/* A register's ready time is a word: the cycle in which an instruction of the same pipe may read it, and below that
 * the pipe that the result comes from. An instruction of another pipe may read it later: dependence/scoreboard.h. */
enum { SM_PIPE_BITS = 2 };
enum sm_result_pipe { SM_FROM_ELSEWHERE = 0, SM_FROM_INT = 1, SM_FROM_MULTIPLY = 3 };

/* Ready cycle of a register that a memory instruction has yet to write. As a word, nothing that a reader adds reaches
 * the cycle. */
#define SM_PENDING ((UINT64_MAX - 7) >> SM_PIPE_BITS)

static inline uint64_t sm_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The first place of a mask, which is not empty, behind place `last`, going round. */
static inline uint32_t sm_round_robin(uint64_t mask, uint32_t last)
{
    uint64_t above = mask & ~UINT64_C(1) << (last & 63);
    return (uint32_t)__builtin_ctzll(above ? above : mask);
}

#endif
