/* SPDX-License-Identifier: BSD-3-Clause */
/* Microbenchmarks of cache bandwidth: every warp of a block, or of the machine, reads lines in turn, over and over. */
#include "micro.h"

#define BRANCH                                                                                                         \
    {                                                                                                                  \
        "", "BRA", "", 0, MICRO_ALWAYS                                                                                 \
    }
#define COMPARE                                                                                                        \
    {                                                                                                                  \
        "", "ISETP.GE.U32.AND", "R12", 0, MICRO_ALWAYS                                                                 \
    }
#define BACK                                                                                                           \
    {                                                                                                                  \
        "R12", "IADD3", "R12", 0, MICRO_ALWAYS                                                                         \
    }

/* ===== warming the cache: one element a thread and repetition ===== */

#define WARM(NAME, WIDE, LOAD, ADD, DATA)                                                                              \
    static const struct micro_row NAME[] = {                                                                           \
        {"A", WIDE, "R7 R4", 0, MICRO_ALWAYS},   {"D0", LOAD, "A", 1, MICRO_ALWAYS},                                   \
        {"R7", "IADD3", "R7", 0, MICRO_ALWAYS},  {"", "ISETP.GE.U32.AND", "R7", 0, MICRO_ALWAYS},                      \
        {"R20", ADD, "D0 R20", 0, MICRO_ALWAYS}, BRANCH}

WARM(warm_32, "IMAD.WIDE.U32", "LDG.E.STRONG.SM", "FADD", 1);
WARM(warm_64, "IMAD.WIDE.U32", "LDG.E.64.STRONG.SM", "DADD", 2);
WARM(warm_l2_32, "IMAD.WIDE.U32", "LDG.E.STRONG.GPU", "FADD", 1);
WARM(warm_l2_64, "IMAD.WIDE.U32", "LDG.E.64.STRONG.GPU", "DADD", 2);

static const struct micro_row warm_128[] = {{"A", "IMAD.WIDE.U32", "R7 R4", 0, MICRO_ALWAYS},
                                            {"D0", "LDG.E.128.STRONG.SM", "A", 1, MICRO_ALWAYS},
                                            {"R7", "LEA", "R7", 0, MICRO_ALWAYS},
                                            {"", "ISETP.GE.U32.AND", "R7", 0, MICRO_ALWAYS},
                                            {"R20", "FADD", "D0 R20", 0, MICRO_ALWAYS},
                                            {"R21", "FADD", "D1 R21", 0, MICRO_ALWAYS},
                                            {"R22", "FADD", "D2 R22", 0, MICRO_ALWAYS},
                                            {"R23", "FADD", "D3 R23", 0, MICRO_ALWAYS},
                                            BRANCH};

/* ===== reading it ===== */

static const struct micro_row l1_32[] = {
    {"R4", "IADD3", "R12", 0, MICRO_ALWAYS},         {"R4", "SHF.L.U32", "R4", 0, MICRO_ALWAYS},
    {"R4", "LOP3.LUT", "R4", 0, MICRO_ALWAYS},       {"A", "IADD3", "R4", 0, MICRO_ALWAYS},
    {"B", "IADD3.X", "", 0, MICRO_ALWAYS},           {"D0", "LDG.E.STRONG.SM", "A", 1, MICRO_ALWAYS},
    {"D1", "LDG.E.STRONG.SM", "A", 2, MICRO_ALWAYS}, {"D2", "LDG.E.STRONG.SM", "A", 3, MICRO_ALWAYS},
    {"D3", "LDG.E.STRONG.SM", "A", 4, MICRO_ALWAYS}};
static const struct micro_row add_4[] = {{"R20", "FADD", "D0 R20", 0, MICRO_ALWAYS},
                                         {"R21", "FADD", "D1 R21", 0, MICRO_ALWAYS},
                                         {"R22", "FADD", "D2 R22", 0, MICRO_ALWAYS},
                                         {"R23", "FADD", "D3 R23", 0, MICRO_ALWAYS}};
static const struct micro_row end_2[] = {COMPARE, BRANCH};
static const struct micro_row end_3[] = {BACK, COMPARE, BRANCH};
static const struct micro_row end_4[] = {
    {"", "UIADD3", "", 0, MICRO_UNIFORM}, {"R6", "IADD3", "R6", 0, MICRO_VOLTA}, BACK, COMPARE, BRANCH};
static const struct micro_row end_11[] = {BACK, BACK, BACK, BACK, BACK, BACK, BACK, BACK, BACK, COMPARE, BRANCH};

static const struct micro_row l1_64[] = {{"R4", "IADD3", "R12", 0, MICRO_ALWAYS},
                                         {"R4", "LOP3.LUT", "R4", 0, MICRO_ALWAYS},
                                         {"A", "IADD3", "R4", 0, MICRO_ALWAYS},
                                         {"B", "IMAD.X", "", 0, MICRO_ALWAYS},
                                         {"D0", "LDG.E.64.STRONG.SM", "A", 1, MICRO_ALWAYS},
                                         {"D2", "LDG.E.64.STRONG.SM", "A", 2, MICRO_ALWAYS}};
static const struct micro_row add_64[] = {{"R20", "DADD", "D0 R20", 0, MICRO_ALWAYS},
                                          {"R22", "DADD", "D2 R22", 0, MICRO_ALWAYS}};

static const struct micro_row l1_128[] = {{"R4", "IADD3", "R12", 0, MICRO_ALWAYS},
                                          {"R4", "LOP3.LUT", "R4", 0, MICRO_ALWAYS},
                                          {"A", "IADD3", "R4", 0, MICRO_ALWAYS},
                                          {"B", "IADD3.X", "", 0, MICRO_ALWAYS},
                                          {"D0", "LDG.E.128.STRONG.SM", "A", 1, MICRO_ALWAYS}};

static const struct micro_row l1_single[] = {{"R4", "IADD3", "R12", 0, MICRO_ALWAYS},
                                             {"R4", "LOP3.LUT", "R4", 0, MICRO_ALWAYS},
                                             {"A", "IADD3", "R4", 0, MICRO_ALWAYS},
                                             {"B", "IMAD.X", "", 0, MICRO_ALWAYS},
                                             {"D0", "LDG.E.STRONG.SM", "A", 1, MICRO_ALWAYS}};
static const struct micro_row add_1[] = {{"R20", "FADD", "D0 R20", 0, MICRO_ALWAYS}};
static const struct micro_row add_1_64[] = {{"R20", "DADD", "D0 R20", 0, MICRO_ALWAYS}};

#define LINEAR(NAME, LOAD)                                                                                             \
    static const struct micro_row NAME[] = {                                                                           \
        {"", "UIADD3", "", 0, MICRO_UNIFORM},   {"R6", "IADD3", "R6", 0, MICRO_VOLTA},                                 \
        {"R4", "IADD3", "R0", 0, MICRO_ALWAYS}, {"R5", "IMAD.X", "", 0, MICRO_ALWAYS},                                 \
        {"A", "LEA", "R4", 0, MICRO_ALWAYS},    {"B", "LEA.HI.X", "R4 R5", 0, MICRO_ALWAYS},                           \
        {"D0", LOAD, "A", 1, MICRO_ALWAYS}}

LINEAR(linear_32, "LDG.E.STRONG.SM");
LINEAR(linear_l2_32, "LDG.E.STRONG.GPU");
LINEAR(linear_l2_64, "LDG.E.64.STRONG.GPU");

/* ===== the programs ===== */

struct cache_mix {
    struct micro_loop warm, read;
    uint32_t width;         /* bytes of an element */
    uint64_t elements;      /* that warming goes over; 0: those that will be read */
    uint64_t step;          /* elements from one repetition to the next */
    uint64_t apart;         /* elements between the accesses of a repetition */
    uint64_t wrap;          /* elements after which reading begins again; 0: never */
    uint32_t blocks_per_sm; /* 0: one block in all */
};

#define ONCE(ARRAY, DATA)                                                                                              \
    {                                                                                                                  \
        .rows = {ARRAY, sizeof(ARRAY) / sizeof *(ARRAY)}, .unroll = 1, .data = DATA                                    \
    }
#define MANY(HEAD, TAIL, END, UNROLL, LAG, DATA)                                                                       \
    {                                                                                                                  \
        .rows = {HEAD, sizeof(HEAD) / sizeof *(HEAD)}, .late = {TAIL, sizeof(TAIL) / sizeof *(TAIL)},                  \
        .end = {END, sizeof(END) / sizeof *(END)}, .unroll = UNROLL, .lag = LAG, .data = DATA                          \
    }

static const struct cache_mix mix_l1_32 = {.warm = ONCE(warm_32, 1),
                                           .read = MANY(l1_32, add_4, end_2, 32, 2, 4),
                                           .width = 4,
                                           .elements = 16384,
                                           .step = 128,
                                           .apart = 32,
                                           .wrap = 16384};
static const struct cache_mix mix_l1_64 = {.warm = ONCE(warm_64, 2),
                                           .read = MANY(l1_64, add_64, end_11, 32, 2, 4),
                                           .width = 8,
                                           .elements = 8192,
                                           .step = 64,
                                           .apart = 32,
                                           .wrap = 8192};
static const struct cache_mix mix_l1_128 = {.warm = ONCE(warm_128, 4),
                                            .read = MANY(l1_128, add_4, end_11, 16, 2, 4),
                                            .width = 16,
                                            .elements = 4096,
                                            .step = 32,
                                            .apart = 0,
                                            .wrap = 4096};
static const struct cache_mix mix_l1_single = {.warm = ONCE(warm_32, 1),
                                               .read = MANY(l1_single, add_1, end_11, 32, 12, 1),
                                               .width = 4,
                                               .elements = 16384,
                                               .step = 32,
                                               .apart = 0,
                                               .wrap = 16384};
static const struct cache_mix mix_l1_large = {.warm = ONCE(warm_32, 1),
                                              .read = MANY(linear_32, add_1, end_3, 32, 12, 1),
                                              .width = 4,
                                              .elements = 32768,
                                              .step = 32};
static const struct cache_mix mix_l2_32 = {.warm = ONCE(warm_l2_32, 1),
                                           .read = MANY(linear_l2_32, add_1, end_4, 16, 8, 1),
                                           .width = 4,
                                           .step = 32,
                                           .blocks_per_sm = 2};
static const struct cache_mix mix_l2_64 = {.warm = ONCE(warm_l2_64, 2),
                                           .read = MANY(linear_l2_64, add_1_64, end_4, 16, 8, 2),
                                           .width = 8,
                                           .step = 32,
                                           .blocks_per_sm = 2};

enum { CACHE_THREADS = 1024 };

struct cache_job {
    const struct cache_mix *mix;
    uint64_t repeat, threads, elements;
};

static uint64_t thread_of(const struct micro_place *place)
{
    return (uint64_t)place->block * CACHE_THREADS + place->warp * WARP;
}

static struct access warm_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    (void)access;
    const struct cache_job *job = place->job;
    uint64_t element = thread_of(place) + repetition * job->threads;
    return access_line(job->mix->width, DATA_A + element * job->mix->width, job->mix->width);
}

static struct access read_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    const struct cache_job *job = place->job;
    uint64_t element = thread_of(place) + repetition * job->mix->step;
    if (job->mix->wrap)
        element %= job->mix->wrap;
    element += (access - 1) * job->mix->apart;
    return access_line(job->mix->width, DATA_A + element * job->mix->width, job->mix->width);
}

static struct access result_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    (void)repetition;
    return micro_result_address(place, CACHE_THREADS, access);
}

static const struct micro_row begin_timing[] = {{"", "BAR.SYNC.DEFER_BLOCKING", "", 0, MICRO_ALWAYS},
                                                {"R30", "CS2R.32", "", 0, MICRO_ALWAYS},
                                                {"R12", "MOV", "", 0, MICRO_ALWAYS},
                                                {"", "ULDC.64", "", 0, MICRO_UNIFORM}};
static const struct micro_row end_timing[] = {{"", "BAR.SYNC.DEFER_BLOCKING", "", 0, MICRO_ALWAYS}};

static void cache_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct cache_job *job = context;
    struct micro_place place = {.block = block, .warp = warp, .job = job};
    micro_emit(w, micro_prologue, &place, NULL);
    uint64_t first = thread_of(&place);
    uint64_t rounds = first < job->elements ? (job->elements - first + job->threads - 1) / job->threads : 0;
    micro_repeat(w, &job->mix->warm, rounds, &place, warm_address);
    micro_emit(w, MICRO_ROWS(begin_timing), &place, NULL);
    micro_repeat(w, &job->mix->read, job->repeat, &place, read_address);
    micro_emit(w, MICRO_ROWS(end_timing), &place, NULL);
    micro_emit(w, micro_epilogue, &place, result_address);
}

static bool write_cache(struct writer *w, const struct parameters *p, const char *name, const struct cache_mix *mix)
{
    uint64_t blocks = mix->blocks_per_sm ? mix->blocks_per_sm * parameter(p, "sms") : 1;
    struct cache_job job = {.mix = mix, .repeat = parameter(p, "repeat"), .threads = blocks * CACHE_THREADS};
    job.elements = mix->elements ? mix->elements : job.threads + job.repeat * mix->step;
    struct kernel_shape shape = shape_line(name, blocks, CACHE_THREADS);
    trace_copy(w, DATA_A, job.elements * mix->width);
    return write_kernel(w, &shape, cache_warp, &job);
}

#define L1(NAME, MIX, REPEAT, HELP)                                                                                    \
    static const struct parameter NAME##_parameters[] = {                                                              \
        {"repeat", "times that each thread goes on", NULL, REPEAT, 1, 1 << 24}, {NULL, NULL, NULL, 0, 0, 0}};          \
    static bool NAME(struct writer *w, const struct parameters *p)                                                     \
    {                                                                                                                  \
        return write_cache(w, p, #NAME, &MIX);                                                                         \
    }                                                                                                                  \
    const struct workload workload_##NAME = {#NAME, HELP, NAME##_parameters, NAME}
#define L2(NAME, MIX, HELP)                                                                                            \
    static const struct parameter NAME##_parameters[] = {                                                              \
        {"repeat", "times that each thread goes on", NULL, 512, 1, 1 << 24},                                           \
        {"sms", "of the machine; each gets two blocks", NULL, 132, 1, 4096},                                           \
        {NULL, NULL, NULL, 0, 0, 0}};                                                                                  \
    static bool NAME(struct writer *w, const struct parameters *p)                                                     \
    {                                                                                                                  \
        return write_cache(w, p, #NAME, &MIX);                                                                         \
    }                                                                                                                  \
    const struct workload workload_##NAME = {#NAME, HELP, NAME##_parameters, NAME}

L1(l1_bw_32f, mix_l1_32, 4096, "bandwidth of the L1 with 4-byte loads, four at a time");
L1(l1_bw_64f, mix_l1_64, 256, "bandwidth of the L1 with 8-byte loads");
L1(l1_bw_128, mix_l1_128, 4096, "bandwidth of the L1 with 16-byte loads");
L1(l1_bw_32f_unroll, mix_l1_single, 4096, "bandwidth of the L1 with 4-byte loads, one address each");
L1(l1_bw_32f_unroll_large, mix_l1_large, 4096, "the same over more bytes than the L1 holds");
L2(l2_bw_32f, mix_l2_32, "bandwidth of the L2 with 4-byte loads");
L2(l2_bw_64f, mix_l2_64, "bandwidth of the L2 with 8-byte loads");
