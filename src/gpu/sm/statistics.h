/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of an SM, in the order of their table. */
#ifndef GPU_SM_STATISTICS_H
#define GPU_SM_STATISTICS_H

#include "contract/instruction.h"
#include "engine/declare/declare.h"
#include "parts/cache/declare.h"

/* Why a sub-core's issue slot stayed empty; each counted under issue_slots_… */
enum sm_slot {
    SM_SLOT_ISSUED,
    SM_SLOT_IDLE,       /* no warp resident */
    SM_SLOT_PIPE,       /* a warp was ready, its execution pipe or memory queue was not */
    SM_SLOT_DEPENDENCE, /* all waited for results of fixed latency */
    SM_SLOT_MEMORY,     /* … some for memory */
    SM_SLOT_BARRIER,    /* … all for barriers or fences */
    SM_SLOT_FETCH,      /* … for instructions */
    SM_SLOT_OPERANDS,   /* a warp was ready, but register reads held the sub-core back */
    SM_SLOT_DRAINED,    /* warps have issued their last instruction and wait for memory */
    SM_SLOT_COUNT,
};

/* Resources that an access to the L1 data cache can lack. */
enum sm_l1d_want { SM_L1D_WANT_LINE, SM_L1D_WANT_MSHR, SM_L1D_WANT_MERGE, SM_L1D_WANT_PORT, SM_L1D_WANTS };

/* Kinds of memory instructions, by space and operation. Those of global and local memory, which move sectors, come
 * first. */
enum sm_accessed {
    SM_ACCESSED_GLOBAL,                         /* by enum mnp_memory_operation */
    SM_ACCESSED_LOCAL = SM_ACCESSED_GLOBAL + 4, /* loads, stores */
    SM_SECTORED = SM_ACCESSED_LOCAL + 2,
    SM_ACCESSED_SHARED = SM_SECTORED, /* by enum mnp_memory_operation */
    SM_ACCESSED_TEXTURE = SM_ACCESSED_SHARED + 4,
    SM_ACCESSED_COUNT,
};

enum sm_statistic {
    SM_WARP_INSTRUCTIONS,
    SM_THREAD_INSTRUCTIONS,
    SM_GPU_IPC,
    SM_GPU_WARP_IPC,
    SM_RESIDENT_WARP_CYCLES,
    SM_POSSIBLE_WARP_CYCLES,
    SM_GPU_OCCUPANCY,
    SM_ISSUE_SLOTS,
    SM_ISSUE_SLOT_FIRST,
    SM_ISSUE_SLOT_LAST = SM_ISSUE_SLOT_FIRST + SM_SLOT_COUNT - 1,
    SM_CLASS_FIRST,
    SM_CLASS_LAST = SM_CLASS_FIRST + MNP_CLASS_COUNT - 1,
    SM_ZERO_MASK,
    SM_OPERAND_STALLS,
    SM_L0I_ACCESSES,
    SM_L0I_MISSES,
    SM_L1I_ACCESSES,
    SM_L1I_MISSES = SM_L1I_ACCESSES + MNP_CACHE_MISSES,
    SM_L1I_PENDING_HITS = SM_L1I_ACCESSES + MNP_CACHE_PENDING_HITS,
    SM_L1I_LAST = SM_L1I_ACCESSES + MNP_CACHE_LAST_STATISTIC,
    SM_L1I_PREFETCHES,
    SM_CONSTANT_ACCESSES,
    SM_CONSTANT_MISSES,
    SM_CONSTANT_PASSES,
    SM_L1D_ACCESSES,
    SM_L1D_MISSES = SM_L1D_ACCESSES + MNP_CACHE_MISSES,
    SM_L1D_PENDING_HITS = SM_L1D_ACCESSES + MNP_CACHE_PENDING_HITS,
    SM_L1D_LAST = SM_L1D_ACCESSES + MNP_CACHE_LAST_STATISTIC,
    SM_L1D_RESERVATION_FAILS,
    SM_L1D_READS,
    SM_L1D_WRITES,
    SM_L1D_MISS_RATE,
    SM_SHARED_ACCESSES,
    SM_SHARED_CONFLICT_CYCLES,
    SM_ATOMICS,
    SM_BARRIERS,
    SM_CTAS,
    SM_ACTIVE_CYCLES,
    SM_CYCLES,
    SM_ACTIVITY,
    SM_SHARED_CONFLICTS,
    SM_SHARED_CONFLICT_RATE,
    SM_L1D_READ_HITS,
    SM_L1D_WRITE_HITS,
    SM_L1D_BYPASSES,
    SM_L1D_TAG_WAVEFRONTS,
    SM_L1D_DATA_WAVEFRONTS,
    SM_L1D_FAIL_FIRST, /* by enum sm_l1d_want */
    SM_L1D_FAIL_LAST = SM_L1D_FAIL_FIRST + SM_L1D_WANTS - 1,
    SM_TO_GPC_BYTES,
    SM_TO_GPC_PEAK,
    SM_TO_GPC_UTILISATION,
    SM_LANES_FIRST, /* by execution class */
    SM_LANES_LAST = SM_LANES_FIRST + MNP_CLASS_COUNT - 1,
    SM_GROUP_FIRST, /* by enum mnp_operation_group, from MNP_GROUP_FADD on */
    SM_GROUP_LAST = SM_GROUP_FIRST + MNP_GROUP_COUNT - 2,
    SM_MATRIX_OPERATIONS,
    SM_PIPE_FIRST, /* by execution class; integer multiplications, the last class, have no pipe of their own */
    SM_PIPE_LAST = SM_PIPE_FIRST + MNP_CLASS_IMAD - 1,
    SM_ACCESS_FIRST, /* by enum sm_accessed */
    SM_ACCESS_LAST = SM_ACCESS_FIRST + SM_ACCESSED_COUNT - 1,
    SM_SECTORS_FIRST, /* … those of global and local memory */
    SM_SECTORS_LAST = SM_SECTORS_FIRST + SM_SECTORED - 1,
    SM_LEAST_LOAD,
    SM_LEAST_STORE,
#define SM_STAGE_STATISTIC(NUMBER, ROW) NUMBER,
#include "gpu/sm/stages/rows.h"
    SM_L1D_MISS_LATENCY, /* a histogram: it stands last */
    SM_STATISTIC_COUNT,
};

extern const struct mnp_statistic sm_statistics[SM_STATISTIC_COUNT];

#endif
