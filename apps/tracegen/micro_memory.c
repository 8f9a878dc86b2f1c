/* SPDX-License-Identifier: BSD-3-Clause */
/* Microbenchmarks of memory bandwidth (five arrays are read and their sum is written) and of integer throughput. */
#include "micro.h"

enum { MEMORY_THREADS = 1024 };

struct memory_job {
    uint64_t quads;   /* groups of four elements in an array */
    uint64_t threads; /* in the grid */
    uint64_t repeat;
};

static struct access result_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    (void)repetition;
    return micro_result_address(place, MEMORY_THREADS, access);
}

static const struct micro_row begin_timing[] = {{"", "BAR.SYNC.DEFER_BLOCKING", "", 0, MICRO_ALWAYS},
                                                {"R30", "CS2R.32", "", 0, MICRO_ALWAYS},
                                                {"R12", "MOV", "", 0, MICRO_ALWAYS}};
static const struct micro_row end_timing[] = {{"", "BAR.SYNC.DEFER_BLOCKING", "", 0, MICRO_ALWAYS}};

/* ===== mem_bw ===== */

static const struct micro_row sum_rows[] = {
    {"R32", "LDC.64", "", 0, MICRO_HOPPER},
    {"R34", "LDC.64", "", 0, MICRO_HOPPER},
    {"R36", "LDC.64", "", 0, MICRO_HOPPER},
    {"R38", "LDC.64", "", 0, MICRO_HOPPER},
    {"R31", "MOV", "", 0, MICRO_BEFORE_HOPPER},
    {"R29", "MOV", "", 0, MICRO_BEFORE_HOPPER},
    {"R4", "IMAD.WIDE", "R26 R32", 0, MICRO_ALWAYS},
    {"R4", "LDG.E.128", "R4", 1, MICRO_ALWAYS},
    {"R40", "LDC.64", "", 0, MICRO_HOPPER},
    {"R8", "IMAD.WIDE", "R26 R34", 0, MICRO_ALWAYS},
    {"R8", "LDG.E.128", "R8", 2, MICRO_ALWAYS},
    {"R14", "IMAD.WIDE", "R26 R36", 0, MICRO_ALWAYS},
    {"R16", "IMAD.WIDE", "R26 R38", 0, MICRO_ALWAYS},
    {"R12", "LDG.E.128", "R14", 3, MICRO_ALWAYS},
    {"R16", "LDG.E.128", "R16", 4, MICRO_ALWAYS},
    {"R20", "IMAD.WIDE", "R26 R40", 0, MICRO_ALWAYS},
    {"R42", "LDC.64", "", 0, MICRO_HOPPER},
    {"R20", "LDG.E.128", "R20", 5, MICRO_ALWAYS},
    {"R2", "IMAD.WIDE", "R26 R42", 0, MICRO_ALWAYS},
    {"R26", "IADD3", "R25 R26", 0, MICRO_ALWAYS},
    {"", "ISETP.GE.U32.AND", "R26", 0, MICRO_ALWAYS},
    {"R28", "FADD", "R7 R11", 0, MICRO_ALWAYS},
    {"R7", "FADD", "R6 R10", 0, MICRO_ALWAYS},
    {"R6", "FADD", "R5 R9", 0, MICRO_ALWAYS},
    {"R5", "FADD", "R4 R8", 0, MICRO_ALWAYS},
    {"R28", "FADD", "R15 R28", 0, MICRO_ALWAYS},
    {"R7", "FADD", "R14 R7", 0, MICRO_ALWAYS},
    {"R6", "FADD", "R13 R6", 0, MICRO_ALWAYS},
    {"R5", "FADD", "R12 R5", 0, MICRO_ALWAYS},
    {"R28", "FADD", "R19 R28", 0, MICRO_ALWAYS},
    {"R7", "FADD", "R18 R7", 0, MICRO_ALWAYS},
    {"R6", "FADD", "R17 R6", 0, MICRO_ALWAYS},
    {"R5", "FADD", "R16 R5", 0, MICRO_ALWAYS},
    {"R23", "FADD", "R23 R28", 0, MICRO_ALWAYS},
    {"R22", "FADD", "R22 R7", 0, MICRO_ALWAYS},
    {"R21", "FADD", "R21 R6", 0, MICRO_ALWAYS},
    {"R20", "FADD", "R20 R5", 0, MICRO_ALWAYS},
    {"", "STG.E.128", "R2 R20", 6, MICRO_ALWAYS},
    {"", "BRA", "", 0, MICRO_ALWAYS},
};
static const struct micro_loop sum_loop = {.rows = {sum_rows, sizeof sum_rows / sizeof *sum_rows}, .unroll = 1};

static struct access sum_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    const struct memory_job *job = place->job;
    uint64_t quad = (uint64_t)place->block * MEMORY_THREADS + place->warp * WARP + repetition * job->threads;
    return access_line(16, DATA_A + (access - 1) * 16 * job->quads + 16 * quad, 16);
}

static void sum_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct memory_job *job = context;
    struct micro_place place = {.block = block, .warp = warp, .job = job};
    uint64_t first = (uint64_t)block * MEMORY_THREADS + warp * WARP;
    uint64_t rounds = first < job->quads ? (job->quads - first + job->threads - 1) / job->threads : 0;
    micro_emit(w, micro_prologue, &place, NULL);
    micro_emit(w, MICRO_ROWS(begin_timing), &place, NULL);
    micro_repeat(w, &sum_loop, rounds, &place, sum_address);
    micro_emit(w, MICRO_ROWS(end_timing), &place, NULL);
    micro_emit(w, micro_epilogue, &place, result_address);
}

static const struct parameter mem_bw_parameters[] = {
    {"l2", "bytes of the L2; each array is twice as long", NULL, 60 << 20, 4096, 1 << 30},
    {"sms", "of the machine; each gets one block", NULL, 132, 1, 4096},
    {NULL, NULL, NULL, 0, 0, 0}};

static bool mem_bw(struct writer *w, const struct parameters *p)
{
    uint64_t blocks = parameter(p, "sms");
    struct memory_job job = {.quads = parameter(p, "l2") * 2 / 16 / WARP * WARP, .threads = blocks * MEMORY_THREADS};
    struct kernel_shape shape = shape_line("mem_bw", blocks, MEMORY_THREADS);
    shape.registers = 44;
    return write_kernel(w, &shape, sum_warp, &job);
}

const struct workload workload_mem_bw = {"mem_bw", "bandwidth of memory: the sum of five arrays", mem_bw_parameters,
                                         mem_bw};

/* ===== MaxIops_int32 ===== */

static const struct micro_row iops_begin[] = {
    {"R2", "LDC.64", "", 0, MICRO_HOPPER},         {"R6", "LDC.64", "", 0, MICRO_HOPPER},
    {"R2", "IMAD.WIDE", "R0 R2", 0, MICRO_ALWAYS}, {"R6", "IMAD.WIDE", "R0 R6", 0, MICRO_ALWAYS},
    {"R3", "LDG.E", "R2", 1, MICRO_ALWAYS},        {"R4", "LDG.E", "R6", 2, MICRO_ALWAYS}};
#define MAD                                                                                                            \
    {                                                                                                                  \
        "R11", "IMAD", "R3 R4 R11", 0, MICRO_ALWAYS                                                                    \
    }
static const struct micro_row iops_rows[] = {MAD, MAD, MAD, MAD};
static const struct micro_row iops_end[] = {{"R6", "IADD3", "R6", 0, MICRO_ALWAYS},
                                            {"", "ISETP.NE.AND", "R6", 0, MICRO_ALWAYS},
                                            {"", "BRA", "", 0, MICRO_ALWAYS}};
static const struct micro_loop iops_loop = {.rows = {iops_rows, sizeof iops_rows / sizeof *iops_rows},
                                            .end = {iops_end, sizeof iops_end / sizeof *iops_end},
                                            .unroll = 64};

static void iops_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct memory_job *job = context;
    struct micro_place place = {.block = block, .warp = warp, .job = job};
    micro_emit(w, micro_prologue, &place, NULL);
    micro_emit(w, MICRO_ROWS(iops_begin), &place, result_address);
    micro_emit(w, MICRO_ROWS(begin_timing), &place, NULL);
    micro_repeat(w, &iops_loop, job->repeat, &place, NULL);
    micro_emit(w, MICRO_ROWS(end_timing), &place, NULL);
    micro_emit(w, micro_epilogue, &place, result_address);
}

static const struct parameter iops_parameters[] = {{"repeat", "times four multiply-adds", NULL, 1024, 1, 1 << 24},
                                                   {NULL, NULL, NULL, 0, 0, 0}};

static bool iops(struct writer *w, const struct parameters *p)
{
    struct memory_job job = {.repeat = parameter(p, "repeat")};
    struct kernel_shape shape = shape_line("MaxIops_int32", 1, MEMORY_THREADS);
    return write_kernel(w, &shape, iops_warp, &job);
}

const struct workload workload_max_iops = {"MaxIops_int32", "throughput of integer multiply-adds", iops_parameters,
                                           iops};
