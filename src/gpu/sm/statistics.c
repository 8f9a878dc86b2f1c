/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics of an SM; docs/statistics.md lists those of all models. */
#include "gpu/sm/statistics.h"

#include "gpu/network/network.h"
#include "parts/cache/declare.h"

#define FAIL(WANT, NAME, HELP)  [SM_L1D_FAIL_FIRST + WANT] = MNP_COUNTER_ROW("L1D_fails_" NAME, "sector", HELP)
#define SLOT(CLASS, NAME, HELP) [SM_ISSUE_SLOT_FIRST + CLASS] = MNP_COUNTER_ROW("issue_slots_" NAME, "slot", HELP)
#define CLASS(ID, NAME, HELP)   [SM_CLASS_FIRST + ID] = MNP_COUNTER_ROW("instructions_" NAME, "instruction", HELP)

#define LANES(ID, NAME)                                                                                                \
    [SM_LANES_FIRST + ID] = MNP_COUNTER_ROW("lanes_" NAME, "lane", "active lanes of instructions_" NAME)
#define GROUP(ID, NAME)                                                                                                \
    [SM_GROUP_FIRST + MNP_GROUP_##ID - 1] =                                                                            \
        MNP_COUNTER_ROW("lanes_" NAME, "lane", "active lanes of the instructions " #ID)
#define DIVISION(ID, NAME, WHAT)                                                                                       \
    [SM_GROUP_FIRST + MNP_GROUP_DIVISION_##ID - 1] = MNP_COUNTER_ROW(                                                  \
        "lanes_division_" NAME, "lane", "active lanes that compute the reciprocal of a divisor of " WHAT " (I2F…RP)")
#define PIPE(ID, NAME)                                                                                                 \
    [SM_PIPE_FIRST + ID] = MNP_COUNTER_ROW("pipe_cycles_" NAME, "cycle",                                               \
                                           "cycles for which sub-cores' pipes of the " NAME " class were taken")
#define ACCESS(PLACE, NAME, HELP)                                                                                      \
    [SM_ACCESS_FIRST + PLACE] = MNP_COUNTER_ROW("accesses_" NAME, "instruction", "warp instructions: " HELP)
#define SECTORS(PLACE, NAME, HELP)                                                                                     \
    [SM_SECTORS_FIRST + PLACE] = MNP_COUNTER_ROW("sectors_" NAME, "sector", "sectors that they touched: " HELP)

const struct mnp_statistic sm_statistics[SM_STATISTIC_COUNT] = {
    [SM_WARP_INSTRUCTIONS] = MNP_COUNTER_ROW("gpgpu_n_tot_w_icount", "instruction",
                                             "warp instructions issued, those with no active lane included"),
    [SM_THREAD_INSTRUCTIONS] =
        MNP_COUNTER_ROW("gpu_sim_insn", "instruction", "active lanes of the warp instructions issued"),
    [SM_GPU_IPC] = MNP_RATIO_ROW("gpu_ipc", "instruction/cycle", "thread instructions per core cycle", "gpu_sim_insn",
                                 "gpu_sim_cycle"),
    [SM_GPU_WARP_IPC] = MNP_RATIO_ROW("gpu_warp_ipc", "instruction/cycle", "warp instructions per core cycle",
                                      "gpgpu_n_tot_w_icount", "gpu_sim_cycle"),
    [SM_RESIDENT_WARP_CYCLES] = MNP_COUNTER_ROW("resident_warp_cycles", "warp cycle",
                                                "warps resident, summed over the cycles of SMs that have a CTA"),
    [SM_POSSIBLE_WARP_CYCLES] = MNP_COUNTER_ROW("possible_warp_cycles", "warp cycle",
                                                "warps that could be resident, summed over the same cycles"),
    [SM_GPU_OCCUPANCY] = MNP_PERCENT_ROW("gpu_occupancy", "resident warps of the possible ones, on SMs that have a CTA",
                                         "resident_warp_cycles", "possible_warp_cycles"),
    [SM_ISSUE_SLOTS] = MNP_COUNTER_ROW("issue_slots", "slot", "sub-core cycles; the issue_slots_… add up to it"),
    SLOT(SM_SLOT_ISSUED, "issued", "an instruction issued"),
    SLOT(SM_SLOT_IDLE, "idle", "no warp was resident on the sub-core"),
    SLOT(SM_SLOT_PIPE, "pipe", "a warp was ready, but its execution pipe or the memory queue was not"),
    SLOT(SM_SLOT_DEPENDENCE, "dependence", "a warp waited for a result of fixed latency, and none was ready"),
    SLOT(SM_SLOT_MEMORY, "memory", "a warp waited for memory, and none for less"),
    SLOT(SM_SLOT_BARRIER, "barrier", "warps waited for barriers, fences or asynchronous engines only"),
    SLOT(SM_SLOT_FETCH, "fetch", "a warp waited for its next instruction, and none for memory"),
    SLOT(SM_SLOT_OPERANDS, "operands", "a warp was ready, but register reads held its sub-core back"),
    SLOT(SM_SLOT_DRAINED, "drained", "all warps had issued their last instruction"),
    CLASS(MNP_CLASS_INT, "int", "warp instructions of the integer class"),
    CLASS(MNP_CLASS_FP32, "fp32", "warp instructions of the single-precision class"),
    CLASS(MNP_CLASS_HALF, "half", "warp instructions of the half-precision class"),
    CLASS(MNP_CLASS_FP64, "fp64", "warp instructions of the double-precision class"),
    CLASS(MNP_CLASS_SFU, "sfu", "warp instructions of the special-function class"),
    CLASS(MNP_CLASS_CONVERT, "convert", "warp instructions of the conversion class"),
    CLASS(MNP_CLASS_TENSOR, "tensor", "warp instructions of the matrix class"),
    CLASS(MNP_CLASS_UNIFORM, "uniform", "warp instructions of the uniform class"),
    CLASS(MNP_CLASS_BRANCH, "branch", "warp instructions of the branch class"),
    CLASS(MNP_CLASS_SYNC, "sync", "warp instructions of the synchronisation class"),
    CLASS(MNP_CLASS_MEMORY, "memory", "warp instructions of the memory class"),
    CLASS(MNP_CLASS_SPECIAL, "special", "shuffles, votes and reads of special registers"),
    CLASS(MNP_CLASS_IMAD, "imad", "warp instructions of the integer multiplication class"),
    [SM_ZERO_MASK] = MNP_COUNTER_ROW("instructions_zero_mask", "instruction", "warp instructions with no active lane"),
    [SM_OPERAND_STALLS] = MNP_COUNTER_ROW("operand_stall_cycles", "cycle",
                                          "cycles by which register-bank conflicts delayed instructions"),
    [SM_L0I_ACCESSES] =
        MNP_COUNTER_ROW("L0I_total_cache_accesses", "access", "times that a warp went on in another line of code"),
    [SM_L0I_MISSES] =
        MNP_COUNTER_ROW("L0I_total_cache_misses", "access",
                        "times that a warp had to wait for a line of code, neither in its L0 nor in the stream buffer"),
    MNP_CACHE_STATISTICS("L1I_", SM_L1I_ACCESSES, "access",
                         "lines of code looked up in the L1 instruction cache while a warp waited",
                         "those that were not there, nor on their way", "those that were on their way"),
    [SM_L1I_PREFETCHES] =
        MNP_COUNTER_ROW("L1I_prefetches", "access", "lines that stream buffers and launches asked for; the machine's"),
    [SM_CONSTANT_ACCESSES] = MNP_COUNTER_ROW("constant_accesses", "instruction", "loads of constants"),
    [SM_CONSTANT_MISSES] =
        MNP_COUNTER_ROW("constant_misses", "instruction", "those that had to wait for a line of the constant cache"),
    [SM_CONSTANT_PASSES] =
        MNP_COUNTER_ROW("constant_passes", "access", "their passes: one for each different address among the lanes"),
    MNP_CACHE_STATISTICS("L1D_", SM_L1D_ACCESSES, "sector", "sectors looked up in the L1 data cache",
                         "sectors read that were not there, nor on their way", "sectors read that were on their way"),
    [SM_L1D_RESERVATION_FAILS] = MNP_COUNTER_ROW(
        "L1D_total_cache_reservation_fails", "sector",
        "sectors of line accesses that had to wait for a line, a miss entry or the port, each access once"),
    [SM_L1D_READS] = MNP_COUNTER_ROW("L1D_read_accesses", "sector", "sectors read"),
    [SM_L1D_WRITES] =
        MNP_COUNTER_ROW("L1D_write_accesses", "sector", "sectors written, atomics and reductions included"),
    [SM_L1D_MISS_RATE] = MNP_PERCENT_ROW("L1D_total_cache_miss_rate", "misses of the sectors looked up",
                                         "L1D_total_cache_misses", "L1D_total_cache_accesses"),
    [SM_SHARED_ACCESSES] = MNP_COUNTER_ROW("shared_accesses", "instruction", "shared-memory instructions"),
    [SM_SHARED_CONFLICT_CYCLES] =
        MNP_COUNTER_ROW("shared_conflict_cycles", "cycle", "cycles by which bank conflicts lengthened them"),
    [SM_ATOMICS] = MNP_COUNTER_ROW("global_atomics", "packet", "atomics and reductions sent to the L2, one per line"),
    [SM_BARRIERS] = MNP_COUNTER_ROW("barriers", "instruction", "CTA barriers reached by warps"),
    [SM_CTAS] = MNP_COUNTER_ROW("sm_ctas", "CTA", "CTAs that arrived at an SM"),
    [SM_ACTIVE_CYCLES] = MNP_COUNTER_ROW("sm_active_cycles", "cycle", "cycles of SMs that have a CTA"),
    [SM_CYCLES] = MNP_ELAPSED_ROW("sm_cycles", "cycle", "cycles of all SMs"),
    [SM_ACTIVITY] =
        MNP_PERCENT_ROW("sm_activity", "cycles of SMs that have a CTA, of all", "sm_active_cycles", "sm_cycles"),
    [SM_SHARED_CONFLICTS] =
        MNP_COUNTER_ROW("shared_conflicts", "instruction", "shared-memory instructions with a bank conflict"),
    [SM_SHARED_CONFLICT_RATE] = MNP_RATIO_ROW("shared_conflict_rate", "cycle/instruction",
                                              "cycles lost to bank conflicts per shared-memory instruction",
                                              "shared_conflict_cycles", "shared_accesses"),
    [SM_L1D_READ_HITS] = MNP_COUNTER_ROW("L1D_read_hits", "sector", "sectors read that were in the L1 data cache"),
    [SM_L1D_WRITE_HITS] =
        MNP_COUNTER_ROW("L1D_write_hits", "sector", "sectors written whose line was in the L1 data cache"),
    [SM_L1D_BYPASSES] = MNP_COUNTER_ROW("L1D_bypasses", "sector", "sectors read past the L1 data cache"),
    [SM_L1D_TAG_WAVEFRONTS] =
        MNP_COUNTER_ROW("L1D_tag_wavefronts", "cycle",
                        "cycles in which lines were looked up in the L1 data cache, of global and local memory"),
    [SM_L1D_DATA_WAVEFRONTS] =
        MNP_COUNTER_ROW("L1D_data_wavefronts", "cycle", "cycles that its banks take for their data"),
    FAIL(SM_L1D_WANT_LINE, "line", "reservation fails because every way of the set was being filled"),
    FAIL(SM_L1D_WANT_MSHR, "mshr", "reservation fails for want of a miss entry"),
    FAIL(SM_L1D_WANT_MERGE, "merge", "reservation fails because no more accesses could wait for the line"),
    FAIL(SM_L1D_WANT_PORT, "port", "reservation fails because the queue of the port to the GPC was full"),
    [SM_TO_GPC_BYTES] = MNP_COUNTER_ROW("noc_sm_to_gpc_bytes", "byte", "requests from SMs to GPCs, headers included"),
    [SM_TO_GPC_PEAK] = MNP_ELAPSED_ROW("noc_sm_to_gpc_peak_bytes", "byte", "what the width of the SMs' ports allows"),
    [SM_TO_GPC_UTILISATION] = MNP_PERCENT_ROW("noc_sm_to_gpc_utilisation", "bytes moved from SMs to GPCs, of the peak",
                                              "noc_sm_to_gpc_bytes", "noc_sm_to_gpc_peak_bytes"),
    LANES(MNP_CLASS_INT, "int"),
    LANES(MNP_CLASS_FP32, "fp32"),
    LANES(MNP_CLASS_HALF, "half"),
    LANES(MNP_CLASS_FP64, "fp64"),
    LANES(MNP_CLASS_SFU, "sfu"),
    LANES(MNP_CLASS_CONVERT, "convert"),
    LANES(MNP_CLASS_TENSOR, "tensor"),
    LANES(MNP_CLASS_UNIFORM, "uniform"),
    LANES(MNP_CLASS_BRANCH, "branch"),
    LANES(MNP_CLASS_SYNC, "sync"),
    LANES(MNP_CLASS_MEMORY, "memory"),
    LANES(MNP_CLASS_SPECIAL, "special"),
    LANES(MNP_CLASS_IMAD, "imad"),
    GROUP(FADD, "fadd"),
    GROUP(FMUL, "fmul"),
    GROUP(FFMA, "ffma"),
    GROUP(HADD, "hadd"),
    GROUP(HMUL, "hmul"),
    GROUP(HFMA, "hfma"),
    GROUP(DADD, "dadd"),
    GROUP(DMUL, "dmul"),
    GROUP(DFMA, "dfma"),
    DIVISION(U32, "u32", "unsigned integers of 32 bits"),
    DIVISION(S32, "s32", "signed integers of 32 bits"),
    DIVISION(64, "64", "integers of 64 bits"),
    [SM_GROUP_FIRST + MNP_GROUP_HIGH - 1] =
        MNP_COUNTER_ROW("lanes_imad_hi", "lane",
                        "active lanes of IMAD.HI.U32 of two registers, which reciprocals of "
                        "integers and divisions by them have once each"),
    [SM_MATRIX_OPERATIONS] =
        MNP_COUNTER_ROW("matrix_operations", "operation",
                        "multiplications and additions of matrix instructions, those of warpgroups included"),
    PIPE(MNP_CLASS_INT, "int"),
    PIPE(MNP_CLASS_FP32, "fp32"),
    PIPE(MNP_CLASS_HALF, "half"),
    PIPE(MNP_CLASS_FP64, "fp64"),
    PIPE(MNP_CLASS_SFU, "sfu"),
    PIPE(MNP_CLASS_CONVERT, "convert"),
    PIPE(MNP_CLASS_TENSOR, "tensor"),
    PIPE(MNP_CLASS_UNIFORM, "uniform"),
    PIPE(MNP_CLASS_BRANCH, "branch"),
    PIPE(MNP_CLASS_SYNC, "sync"),
    PIPE(MNP_CLASS_MEMORY, "memory"),
    PIPE(MNP_CLASS_SPECIAL, "special"),
    ACCESS(SM_ACCESSED_GLOBAL + MNP_LOAD, "global_load", "loads from global memory"),
    ACCESS(SM_ACCESSED_GLOBAL + MNP_STORE, "global_store", "stores to global memory"),
    ACCESS(SM_ACCESSED_GLOBAL + MNP_ATOMIC, "global_atomic", "atomics on global memory"),
    ACCESS(SM_ACCESSED_GLOBAL + MNP_REDUCTION, "global_reduction", "reductions on global memory"),
    ACCESS(SM_ACCESSED_LOCAL + MNP_LOAD, "local_load", "loads from local memory"),
    ACCESS(SM_ACCESSED_LOCAL + MNP_STORE, "local_store", "stores to local memory"),
    ACCESS(SM_ACCESSED_SHARED + MNP_LOAD, "shared_load", "loads from shared memory"),
    ACCESS(SM_ACCESSED_SHARED + MNP_STORE, "shared_store", "stores to shared memory"),
    ACCESS(SM_ACCESSED_SHARED + MNP_ATOMIC, "shared_atomic", "atomics on shared memory"),
    ACCESS(SM_ACCESSED_SHARED + MNP_REDUCTION, "shared_reduction", "reductions on shared memory"),
    ACCESS(SM_ACCESSED_TEXTURE, "texture", "textures and surfaces"),
    SECTORS(SM_ACCESSED_GLOBAL + MNP_LOAD, "global_load", "loads from global memory"),
    SECTORS(SM_ACCESSED_GLOBAL + MNP_STORE, "global_store", "stores to global memory"),
    SECTORS(SM_ACCESSED_GLOBAL + MNP_ATOMIC, "global_atomic", "atomics on global memory"),
    SECTORS(SM_ACCESSED_GLOBAL + MNP_REDUCTION, "global_reduction", "reductions on global memory"),
    SECTORS(SM_ACCESSED_LOCAL + MNP_LOAD, "local_load", "loads from local memory"),
    SECTORS(SM_ACCESSED_LOCAL + MNP_STORE, "local_store", "stores to local memory"),
    [SM_LEAST_LOAD] =
        MNP_COUNTER_ROW("least_sectors_load", "sector",
                        "sectors that loads from global memory would touch, were their bytes side by side"),
    [SM_LEAST_STORE] =
        MNP_COUNTER_ROW("least_sectors_store", "sector",
                        "sectors that stores to global memory would touch, were their bytes side by side"),
#define SM_STAGE_STATISTIC(NUMBER, ROW) [NUMBER] = ROW,
#include "gpu/sm/stages/rows.h"
    [SM_L1D_MISS_LATENCY] = MNP_HISTOGRAM_ROW(
        "L1D_miss_latency", "cycle",
        "core cycles from a look-up that missed, or found its sectors on their way, to the arrival of its last sector",
        GPU_LATENCY_BINS),
};
