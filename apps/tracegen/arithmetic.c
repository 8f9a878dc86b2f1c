/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads that compute: chains of FFMA, mixes of the other units, and code without a loop. */
#include "common.h"
#include "workloads.h"

struct compute_job {
    uint64_t rounds, body;
    uint64_t choice;
    const char *opcode;
};

/* ===== FFMA ===== */

static const struct parameter fma_parameters[] = {{"dependent", "1: each waits for the one before", NULL, 0, 0, 1},
                                                  {"opcode", "of all of them", "FFMA|HFMA2|HFMA2.MMA", 0, 0, 0},
                                                  {"body", "instructions of a round", NULL, 32, 1, 1 << 16},
                                                  {"rounds", "of the loop", NULL, 32, 1, 1 << 22},
                                                  {"blocks", "in the grid", NULL, 1, 1, 1 << 24},
                                                  {"threads", "per block", NULL, 128, 1, 1024},
                                                  {NULL, NULL, NULL, 0, 0, 0}};

static void fma_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    (void)block;
    (void)warp;
    /* Eight chains: more than the latency of four cycles asks for. */
    static const char *const registers[] = {"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"};
    static const char *const sources[] = {"R8 R16 R17",  "R9 R16 R17",  "R10 R16 R17", "R11 R16 R17",
                                          "R12 R16 R17", "R13 R16 R17", "R14 R16 R17", "R15 R16 R17"};
    const struct compute_job *job = context;
    emit_thread_index(w);
    uint32_t top = w->pc;
    for (uint64_t round = 0; round < job->rounds; round++) {
        for (uint32_t i = 0; i < job->body; i++) {
            uint32_t chain = job->choice ? 0 : i % 8;
            emit(w, registers[chain], job->opcode, sources[chain]);
        }
        emit_loop_end(w, top, round + 1 == job->rounds);
    }
    emit(w, "", "EXIT", "");
}

static bool fma_kernel(struct writer *w, const struct parameters *p)
{
    static const char *const opcodes[] = {"FFMA", "HFMA2", "HFMA2.MMA"};
    struct compute_job job = {.rounds = parameter(p, "rounds"),
                              .body = parameter(p, "body"),
                              .choice = parameter(p, "dependent"),
                              .opcode = opcodes[parameter(p, "opcode")]};
    struct kernel_shape shape = shape_line("fma", parameter(p, "blocks"), parameter(p, "threads"));
    return write_kernel(w, &shape, fma_warp, &job);
}

const struct workload workload_fma = {"fma", "multiplications with an addition in a loop, independent or dependent",
                                      fma_parameters, fma_kernel};

/* ===== a mix of units ===== */

enum mix_part { MIX_ALL, MIX_SFU, MIX_FP64, MIX_TENSOR, MIX_SHUFFLE, MIX_HALF, MIX_CONVERT, MIX_INT };

static const struct parameter mix_parameters[] = {
    {"part", "of the units", "all|sfu|fp64|tensor|shuffle|half|convert|int", MIX_ALL, 0, 0},
    {"rounds", "of the loop", NULL, 16, 1, 1 << 22},
    {"blocks", "in the grid", NULL, 8, 1, 1 << 24},
    {"threads", "per block", NULL, 128, 1, 1024},
    {NULL, NULL, NULL, 0, 0, 0}};

static const struct mix_row {
    enum mix_part part;
    const char *destination, *opcode, *sources;
} mix[] = {
    {MIX_SFU, "R8", "MUFU.RCP", "R8"},
    {MIX_SFU, "R9", "MUFU.SQRT", "R8"},
    {MIX_SFU, "R10", "MUFU.EX2", "R10"},
    {MIX_FP64, "R12", "DFMA", "R12 R14 R16"},
    {MIX_FP64, "R14", "DADD", "R14 R16"},
    {MIX_FP64, "R16", "DMUL", "R16 R12"},
    {MIX_TENSOR, "R32", "HMMA.16816.F32", "R20 R28 R32"},
    {MIX_TENSOR, "R36", "HMMA.16816.F32", "R20 R30 R36"},
    {MIX_TENSOR, "R40", "IMMA.16832.S8.S8", "R20 R28 R40"},
    {MIX_SHUFFLE, "R44", "SHFL.BFLY", "R44"},
    {MIX_SHUFFLE, "R45", "SHFL.DOWN", "R44"},
    {MIX_SHUFFLE, "", "VOTE.ALL", ""},
    {MIX_HALF, "R46", "HFMA2", "R46 R47 R48"},
    {MIX_HALF, "R47", "HADD2", "R47 R48"},
    {MIX_CONVERT, "R50", "F2F.F64.F32", "R49"},
    {MIX_CONVERT, "R49", "F2I.TRUNC.NTZ", "R52"},
    {MIX_CONVERT, "R52", "I2F", "R49"},
    {MIX_INT, "R54", "IMAD", "R54 R55 R56"},
    {MIX_INT, "R55", "LOP3.LUT", "R54 R55 R56"},
    {MIX_INT, "R56", "IADD3", "R54 R55 R56"},
    {MIX_INT, "R57", "SHF.R.S32.HI", "R255 R56"},
    {MIX_INT, "R58", "POPC", "R57"},
};

static void mix_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    (void)block;
    (void)warp;
    const struct compute_job *job = context;
    emit_thread_index(w);
    uint32_t top = w->pc;
    for (uint64_t round = 0; round < job->rounds; round++) {
        for (size_t i = 0; i < sizeof mix / sizeof *mix; i++)
            if (job->choice == MIX_ALL || mix[i].part == job->choice)
                emit(w, mix[i].destination, mix[i].opcode, mix[i].sources);
        emit_loop_end(w, top, round + 1 == job->rounds);
    }
    emit(w, "", "EXIT", "");
}

static bool mix_kernel(struct writer *w, const struct parameters *p)
{
    struct compute_job job = {.rounds = parameter(p, "rounds"), .choice = parameter(p, "part")};
    struct kernel_shape shape = shape_line("mix", parameter(p, "blocks"), parameter(p, "threads"));
    shape.registers = 64;
    return write_kernel(w, &shape, mix_warp, &job);
}

const struct workload workload_mix = {"mix", "SFU, FP64, tensor, shuffle, half, conversion and integer units",
                                      mix_parameters, mix_kernel};

/* ===== long code ===== */

static const struct parameter straightline_parameters[] = {
    {"length", "instructions without a loop", NULL, 16384, 1, 65000},
    {"blocks", "in the grid", NULL, 1, 1, 1 << 24},
    {"threads", "per block", NULL, 32, 1, 1024},
    {NULL, NULL, NULL, 0, 0, 0}};

static void straightline_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    (void)block;
    (void)warp;
    static const char *const registers[] = {"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"};
    const struct compute_job *job = context;
    emit_thread_index(w);
    for (uint64_t i = 0; i < job->rounds; i++)
        emit(w, registers[i % 8], i % 3 ? "FFMA" : "IADD3", "R16 R17 R18");
    emit(w, "", "EXIT", "");
}

static bool straightline(struct writer *w, const struct parameters *p)
{
    struct compute_job job = {.rounds = parameter(p, "length")};
    struct kernel_shape shape = shape_line("straightline", parameter(p, "blocks"), parameter(p, "threads"));
    return write_kernel(w, &shape, straightline_warp, &job);
}

const struct workload workload_straightline = {"straightline", "long code without a loop: instruction fetch",
                                               straightline_parameters, straightline};
