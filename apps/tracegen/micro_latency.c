/* SPDX-License-Identifier: BSD-3-Clause */
/* Microbenchmarks of latency: a chain of pointers is written, then one thread or a few follow it. */
#include "micro.h"

#define BRANCH                                                                                                         \
    {                                                                                                                  \
        "", "BRA", "", 0, MICRO_ALWAYS                                                                                 \
    }
#define COMPARE                                                                                                        \
    {                                                                                                                  \
        "", "ISETP.NE.AND", "R29", 0, MICRO_ALWAYS                                                                     \
    }
#define COUNT                                                                                                          \
    {                                                                                                                  \
        "R29", "IADD3", "R29", 0, MICRO_ALWAYS                                                                         \
    }

/* ===== the chain is written ===== */

/* By one thread, four pointers to a round. The halves of the sums are mixed, so that no carry is waited for long. */
static const struct micro_row chain_store[] = {COUNT,
                                               {"R40", "IADD3", "R12", 0, MICRO_ALWAYS},
                                               {"R42", "IADD3", "R12", 0, MICRO_ALWAYS},
                                               {"R44", "IADD3", "R12", 0, MICRO_ALWAYS},
                                               {"R41", "IMAD.X", "R13", 0, MICRO_ALWAYS},
                                               {"R46", "IADD3", "R12", 0, MICRO_ALWAYS},
                                               {"R43", "IMAD.X", "R13", 0, MICRO_ALWAYS},
                                               {"R45", "IMAD.X", "R13", 0, MICRO_ALWAYS},
                                               {"", "STG.E.64", "R14 R40", 1, MICRO_ALWAYS},
                                               {"R47", "IMAD.X", "R13", 0, MICRO_ALWAYS},
                                               COMPARE,
                                               {"", "STG.E.64", "R14 R42", 2, MICRO_ALWAYS},
                                               {"", "STG.E.64", "R14 R44", 3, MICRO_ALWAYS},
                                               {"", "STG.E.64", "R14 R46", 4, MICRO_ALWAYS},
                                               BRANCH};
static const struct micro_row chain_end[] = {COUNT, COMPARE, BRANCH};

/* By one thread with the loop's index as a uniform register, sixty-eight pointers to a round. */
static const struct micro_row chain_uniform[] = {
    {"", "UIADD3", "", 0, MICRO_UNIFORM},       {"", "UIADD3", "", 0, MICRO_UNIFORM},
    {"", "UIADD3.X", "", 0, MICRO_UNIFORM},     {"R12", "IADD3", "R12", 0, MICRO_VOLTA},
    {"D0", "IMAD.U32", "", 0, MICRO_ALWAYS},    {"D1", "MOV", "", 0, MICRO_ALWAYS},
    {"", "STG.E.64", "R14 D0", 1, MICRO_ALWAYS}};

/* By a warp, one pointer a thread and round. */
static const struct micro_row chain_warp[] = {{"R2", "IMAD.WIDE.U32", "R9 R6", 0, MICRO_ALWAYS},
                                              {"R9", "IMAD.IADD", "R8 R9", 0, MICRO_ALWAYS},
                                              {"R4", "IADD3", "R2", 0, MICRO_ALWAYS},
                                              {"R5", "IMAD.X", "R3", 0, MICRO_ALWAYS},
                                              {"", "ISETP.GE.U32.AND", "R9", 0, MICRO_ALWAYS},
                                              {"", "STG.E.64", "R2 R4", 1, MICRO_ALWAYS},
                                              BRANCH};

static const struct micro_row chain_shared[] = {{"R2", "VIADD", "R5", 0, MICRO_HOPPER},
                                                {"R2", "IADD3", "R5", 0, MICRO_VOLTA},
                                                {"R7", "IMAD", "R5 R6", 0, MICRO_UNSCALED},
                                                {"R3", "IMAD.MOV.U32", "", 0, MICRO_UNSCALED},
                                                {"R2", "LOP3.LUT", "R2", 0, MICRO_UNSCALED},
                                                {"R5", "IMAD.IADD", "R0 R5", 0, MICRO_UNSCALED},
                                                {"", "STS.64", "R7 R2", 1, MICRO_UNSCALED},
                                                {"", "ISETP.GE.U32.AND", "R5", 0, MICRO_UNSCALED},
                                                {"R2", "IADD3", "R0", 0, MICRO_SCALED},
                                                {"R3", "IMAD.MOV.U32", "", 0, MICRO_SCALED},
                                                {"R2", "LOP3.LUT", "R2", 0, MICRO_SCALED},
                                                {"", "STS.64", "R0 R2", 1, MICRO_SCALED},
                                                {"R0", "IMAD", "R5 R0", 0, MICRO_SCALED},
                                                {"", "ISETP.GE.U32.AND", "R0", 0, MICRO_SCALED},
                                                BRANCH};

/* ===== and followed ===== */

static const struct micro_row chase_l1[] = {{"R14", "LDG.E.64.STRONG.SM", "R14", 1, MICRO_ALWAYS}};
static const struct micro_row chase_l2[] = {{"R14", "LDG.E.64.STRONG.GPU", "R14", 1, MICRO_ALWAYS}};
static const struct micro_row chase_memory[] = {{"R14", "LDG.E.64.STRONG.SYS", "R14", 1, MICRO_ALWAYS}};
static const struct micro_row chase_shared[] = {{"R4", "LEA", "R4", 0, MICRO_UNSCALED},
                                                {"R4", "LDS", "R4", 1, MICRO_ALWAYS}};

enum latency_space { LATENCY_GLOBAL, LATENCY_SHARED };

struct latency_mix {
    struct micro_loop write, chase;
    uint32_t writers, chasers; /* lanes */
    uint32_t together;         /* pointers that a lane writes in a repetition */
    enum latency_space space;
};

#define LOOP(HEAD, END, UNROLL, LAG, DATA)                                                                             \
    {                                                                                                                  \
        .rows = {HEAD, sizeof(HEAD) / sizeof *(HEAD)}, .end = {END, sizeof(END) / sizeof *(END)}, .unroll = UNROLL,    \
        .lag = LAG, .data = DATA                                                                                       \
    }
#define ONCE(HEAD)                                                                                                     \
    {                                                                                                                  \
        .rows = {HEAD, sizeof(HEAD) / sizeof *(HEAD)}, .unroll = 1                                                     \
    }

static const struct latency_mix mix_l1 = {.write = ONCE(chain_store),
                                          .chase = LOOP(chase_l1, chain_end, 256, 0, 0),
                                          .writers = 1,
                                          .chasers = 1,
                                          .together = 4};
static const struct latency_mix mix_l2 = {.write = LOOP(chain_uniform, chain_end, 68, 3, 2),
                                          .chase = LOOP(chase_l2, chain_end, 256, 0, 0),
                                          .writers = 1,
                                          .chasers = 1,
                                          .together = 1};
static const struct latency_mix mix_memory = {.write = ONCE(chain_warp),
                                              .chase = LOOP(chase_memory, chain_end, 16, 0, 0),
                                              .writers = WARP,
                                              .chasers = 4,
                                              .together = 1};
static const struct latency_mix mix_shared = {.write = ONCE(chain_shared),
                                              .chase = LOOP(chase_shared, chain_end, 64, 0, 0),
                                              .writers = 1,
                                              .chasers = 1,
                                              .together = 1,
                                              .space = LATENCY_SHARED};

struct latency_job {
    const struct latency_mix *mix;
    uint64_t pointers, loads;
};

static uint64_t base_of(const struct latency_job *job)
{
    return job->mix->space == LATENCY_SHARED ? 0 : DATA_A;
}

static struct access write_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    const struct latency_job *job = place->job;
    uint64_t number = repetition * job->mix->together + access - 1;
    return access_line(8, base_of(job) + number * job->mix->writers * 8, 8);
}

static struct access chase_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    (void)access;
    const struct latency_job *job = place->job;
    uint32_t width = job->mix->space == LATENCY_SHARED ? 4 : 8;
    return access_line(width, base_of(job) + repetition * job->mix->chasers % job->pointers * 8, 8);
}

static struct access result_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    (void)repetition;
    return micro_result_address(place, WARP, access);
}

static uint32_t lanes(uint32_t count)
{
    return count == WARP ? ALL_LANES : (UINT32_C(1) << count) - 1;
}

static const struct micro_row begin_timing[] = {{"", "BAR.SYNC.DEFER_BLOCKING", "", 0, MICRO_ALWAYS},
                                                {"R30", "CS2R.32", "", 0, MICRO_ALWAYS},
                                                {"R29", "MOV", "", 0, MICRO_ALWAYS},
                                                {"", "UMOV", "", 0, MICRO_HOPPER},
                                                {"", "ULDC.64", "", 0, MICRO_HOPPER}};

static void latency_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct latency_job *job = context;
    const struct latency_mix *mix = job->mix;
    struct micro_place place = {.block = block, .warp = warp, .job = job};
    micro_emit(w, micro_prologue, &place, NULL);
    w->mask = lanes(mix->writers);
    uint64_t each = mix->writers * mix->together;
    micro_repeat(w, &mix->write, (job->pointers - 1 + each - 1) / each, &place, write_address);
    w->mask = lanes(mix->chasers);
    if (mix->space == LATENCY_GLOBAL)
        micro_emit(w, mix->chase.rows, &place, chase_address);
    micro_emit(w, MICRO_ROWS(begin_timing), &place, NULL);
    micro_repeat(w, &mix->chase, job->loads, &place, chase_address);
    micro_emit(w, micro_epilogue, &place, result_address);
}

static bool write_latency(struct writer *w, const char *name, const struct latency_mix *mix, uint64_t pointers,
                          uint64_t loads)
{
    struct latency_job job = {.mix = mix, .pointers = pointers, .loads = loads};
    struct kernel_shape shape = shape_line(name, 1, mix->writers);
    shape.shared_bytes = mix->space == LATENCY_SHARED ? (uint32_t)(8 * pointers) : 0;
    return write_kernel(w, &shape, latency_warp, &job);
}

static const struct parameter l1_parameters[] = {{"pointers", "in the chain", NULL, 8192, 4, 1 << 24},
                                                 {"repeat", "loads", NULL, 256, 1, 1 << 24},
                                                 {NULL, NULL, NULL, 0, 0, 0}};
static const struct parameter l2_parameters[] = {{"pointers", "in the chain", NULL, 4096, 4, 1 << 24},
                                                 {"repeat", "loads", NULL, 32768, 1, 1 << 24},
                                                 {NULL, NULL, NULL, 0, 0, 0}};
static const struct parameter memory_parameters[] = {
    {"l2", "bytes of the L2; the chain is twice as long", NULL, 60 << 20, 1024, 1 << 30},
    {"repeat", "loads", NULL, 8191, 1, 1 << 24},
    {NULL, NULL, NULL, 0, 0, 0}};
static const struct parameter shared_parameters[] = {{"pointers", "in the chain", NULL, 4096, 4, 6144},
                                                     {"repeat", "loads", NULL, 4096, 1, 1 << 24},
                                                     {NULL, NULL, NULL, 0, 0, 0}};

static bool l1_lat(struct writer *w, const struct parameters *p)
{
    return write_latency(w, "l1_lat", &mix_l1, parameter(p, "pointers"), parameter(p, "repeat"));
}

static bool l2_lat(struct writer *w, const struct parameters *p)
{
    return write_latency(w, "l2_lat", &mix_l2, parameter(p, "pointers"), parameter(p, "repeat"));
}

static bool mem_lat(struct writer *w, const struct parameters *p)
{
    return write_latency(w, "mem_lat", &mix_memory, parameter(p, "l2") * 2 / 8, parameter(p, "repeat"));
}

static bool shared_lat(struct writer *w, const struct parameters *p)
{
    return write_latency(w, "shared_lat", &mix_shared, parameter(p, "pointers"), parameter(p, "repeat"));
}

const struct workload workload_l1_lat = {"l1_lat", "latency of the L1, after the chain was written", l1_parameters,
                                         l1_lat};
const struct workload workload_l2_lat = {"l2_lat", "latency of the L2, after the chain was written", l2_parameters,
                                         l2_lat};
const struct workload workload_mem_lat = {"mem_lat", "latency of memory, after a chain beyond the L2 was written",
                                          memory_parameters, mem_lat};
const struct workload workload_shared_lat = {"shared_lat", "latency of shared memory, after the chain was written",
                                             shared_parameters, shared_lat};
