/* SPDX-License-Identifier: BSD-3-Clause */
/* Microbenchmarks of shared memory: its bandwidth, alone and beside the L1's, and a transposition with conflicts. */
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
#define LOOP(HEAD, END, UNROLL, LAG, DATA)                                                                             \
    {                                                                                                                  \
        .rows = {HEAD, sizeof(HEAD) / sizeof *(HEAD)}, .end = {END, sizeof(END) / sizeof *(END)}, .unroll = UNROLL,    \
        .lag = LAG, .data = DATA                                                                                       \
    }
#define ONCE(HEAD)                                                                                                     \
    {                                                                                                                  \
        .rows = {HEAD, sizeof(HEAD) / sizeof *(HEAD)}, .unroll = 1                                                     \
    }

enum { SHARED_THREADS = 1024, SHARED_WORDS = 8192 };

struct shared_job {
    uint64_t warm, repeat;
    uint64_t step; /* words from one place of the chain in shared memory to the next */
};

/* ===== chains in shared memory and in the L1 ===== */

static const struct micro_row store_chain[] = {{"R4", "IADD3", "R3 R8", 0, MICRO_ALWAYS},
                                               {"R7", "LEA", "R3", 0, MICRO_UNSCALED},
                                               {"R4", "LOP3.LUT", "R4", 0, MICRO_ALWAYS},
                                               {"R3", "IADD3", "R2 R3", 0, MICRO_ALWAYS},
                                               {"", "STS", "R7 R4", 1, MICRO_ALWAYS},
                                               {"", "ISETP.GE.U32.AND", "R3", 0, MICRO_ALWAYS},
                                               BRANCH};
static const struct micro_row chase_shared[] = {{"R6", "LEA", "R6", 0, MICRO_UNSCALED},
                                                {"R6", "LDS", "R6", 1, MICRO_ALWAYS}};
static const struct micro_row chase_l1[] = {{"A", "IMAD.WIDE.U32", "R9 R2", 0, MICRO_ALWAYS},
                                            {"R9", "LDG.E", "A", 1, MICRO_ALWAYS}};
static const struct micro_row chase_both[] = {{"R18", "LEA", "R18", 0, MICRO_UNSCALED},
                                              {"A", "IMAD.WIDE.U32", "R9 R2", 0, MICRO_ALWAYS},
                                              {"R18", "LDS", "R18", 2, MICRO_ALWAYS},
                                              {"R9", "LDG.E", "A", 1, MICRO_ALWAYS}};
static const struct micro_row end_3[] = {COUNT, COMPARE, BRANCH};
static const struct micro_row end_4[] = {
    {"R2", "LDC.64", "", 0, MICRO_HOPPER}, {"R2", "MOV", "", 0, MICRO_BEFORE_HOPPER}, COUNT, COMPARE, BRANCH};

static const struct micro_loop loop_store = ONCE(store_chain);
static const struct micro_loop loop_shared = LOOP(chase_shared, end_3, 64, 0, 0);
static const struct micro_loop loop_l1 = LOOP(chase_l1, end_4, 32, 0, 0);
static const struct micro_loop loop_both = LOOP(chase_both, end_3, 32, 0, 0);

static const struct micro_row begin_timing[] = {{"", "BAR.SYNC.DEFER_BLOCKING", "", 0, MICRO_ALWAYS},
                                                {"R30", "CS2R.32", "", 0, MICRO_ALWAYS},
                                                {"R29", "MOV", "", 0, MICRO_ALWAYS},
                                                {"", "UMOV", "", 0, MICRO_HOPPER},
                                                {"", "ULEA", "", 0, MICRO_HOPPER}};
static const struct micro_row end_timing[] = {{"", "BAR.SYNC.DEFER_BLOCKING", "", 0, MICRO_ALWAYS}};

static struct access store_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    (void)access;
    return access_line(4, 4 * (repetition * SHARED_THREADS + place->warp * WARP), 4);
}

static struct access chase_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    (void)access;
    const struct shared_job *job = place->job;
    struct access lanes = {.width = 4};
    for (uint32_t lane = 0; lane < WARP; lane++)
        lanes.lane[lane] = 4 * ((place->warp * WARP + lane + repetition * job->step) % SHARED_WORDS);
    return lanes;
}

/* Only the first words of the array in global memory were ever written: after the first load, which each thread does
 * at its own place, every thread of the block reads the same two words in turn. */
static struct access l1_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    if (access == 2)
        return chase_address(place, repetition, access);
    return access_line(4, DATA_A + (repetition & 1 ? 4 * 1025 : 0), 0);
}

static struct access warm_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    if (repetition < 2)
        return access_line(4, DATA_A + 4 * (place->warp * WARP + repetition * 1025), 4);
    return l1_address(place, repetition, access);
}

static struct access result_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    (void)repetition;
    return micro_result_address(place, SHARED_THREADS, access);
}

static void shared_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct shared_job *job = context;
    struct micro_place place = {.block = block, .warp = warp, .job = job};
    micro_emit(w, micro_prologue, &place, NULL);
    micro_repeat(w, &loop_store, SHARED_WORDS / SHARED_THREADS, &place, store_address);
    micro_repeat(w, &loop_l1, job->warm, &place, warm_address);
    micro_emit(w, MICRO_ROWS(begin_timing), &place, NULL);
    if (job->warm)
        micro_repeat(w, &loop_both, job->repeat, &place, l1_address);
    else
        micro_repeat(w, &loop_shared, job->repeat, &place, chase_address);
    micro_emit(w, MICRO_ROWS(end_timing), &place, NULL);
    micro_emit(w, micro_epilogue, &place, result_address);
}

static bool write_shared(struct writer *w, const char *name, const struct shared_job *job)
{
    struct kernel_shape shape = shape_line(name, 1, SHARED_THREADS);
    shape.shared_bytes = 4 * SHARED_WORDS;
    return write_kernel(w, &shape, shared_warp, job);
}

static const struct parameter shared_bw_parameters[] = {{"repeat", "loads of each thread", NULL, 4096, 1, 1 << 24},
                                                        {NULL, NULL, NULL, 0, 0, 0}};
static const struct parameter l1_shared_bw_parameters[] = {
    {"repeat", "loads of each thread, of either memory", NULL, 4096, 1, 1 << 24},
    {"warm", "loads of each thread from the L1 before these", NULL, 32768, 1, 1 << 24},
    {NULL, NULL, NULL, 0, 0, 0}};

static bool shared_bw(struct writer *w, const struct parameters *p)
{
    return write_shared(w, "shared_bw", &(struct shared_job){.repeat = parameter(p, "repeat"), .step = SHARED_THREADS});
}

static bool l1_shared_bw(struct writer *w, const struct parameters *p)
{
    struct shared_job job = {.repeat = parameter(p, "repeat"), .warm = parameter(p, "warm"), .step = 1031};
    return write_shared(w, "l1_shared_bw", &job);
}

const struct workload workload_shared_bw = {"shared_bw", "bandwidth of shared memory", shared_bw_parameters, shared_bw};
const struct workload workload_l1_shared_bw = {"l1_shared_bw", "L1 and shared memory at once", l1_shared_bw_parameters,
                                               l1_shared_bw};

/* ===== a matrix is transposed through shared memory ===== */

static const struct micro_row transpose_rows[] = {
    {"R1", "LDC", "", 0, MICRO_HOPPER},
    {"R1", "MOV", "", 0, MICRO_BEFORE_HOPPER},
    {"R2", "S2R", "", 0, MICRO_ALWAYS},
    {"R13", "LDC", "", 0, MICRO_HOPPER},
    {"", "ULDC.64", "", 0, MICRO_UNIFORM},
    {"R0", "S2R", "", 0, MICRO_ALWAYS},
    {"R5", "S2R", "", 0, MICRO_ALWAYS},
    {"R6", "LDC.64", "", 0, MICRO_HOPPER},
    {"R3", "S2R", "", 0, MICRO_ALWAYS},
    {"R4", "LEA", "R0 R5", 0, MICRO_ALWAYS},
    {"R9", "LEA", "R2 R3", 0, MICRO_ALWAYS},
    {"R9", "IMAD", "R4 R13 R9", 0, MICRO_ALWAYS},
    {"R13", "SHF.L.U32", "R13", 0, MICRO_ALWAYS},
    {"R6", "IMAD.WIDE", "R9 R6", 0, MICRO_ALWAYS},
    {"R4", "LDG.E", "R6", 1, MICRO_ALWAYS},
    {"R8", "IMAD.WIDE", "R13 R6", 0, MICRO_ALWAYS},
    {"R10", "IMAD.WIDE", "R13 R8", 0, MICRO_ALWAYS},
    {"R8", "LDG.E", "R8", 2, MICRO_ALWAYS},
    {"R15", "S2R", "", 0, MICRO_HOPPER},
    {"R12", "IMAD.WIDE", "R13 R10", 0, MICRO_ALWAYS},
    {"R14", "MOV", "", 0, MICRO_ALWAYS},
    {"R6", "LDC.64", "", 0, MICRO_HOPPER},
    {"R10", "LDG.E", "R10", 3, MICRO_ALWAYS},
    {"R12", "LDG.E", "R12", 4, MICRO_ALWAYS},
    {"R14", "LEA", "R15 R14", 0, MICRO_ALWAYS},
    {"R16", "IMAD", "R5 R14", 0, MICRO_ALWAYS},
    {"R15", "LEA", "R3 R16", 0, MICRO_ALWAYS},
    {"R14", "IMAD", "R3 R14", 0, MICRO_ALWAYS},
    {"R16", "LDC", "", 0, MICRO_HOPPER},
    {"R14", "LEA", "R5 R14", 0, MICRO_ALWAYS},
    {"R2", "LEA", "R2 R5", 0, MICRO_ALWAYS},
    {"R3", "LEA", "R0 R3", 0, MICRO_ALWAYS},
    {"R3", "IMAD", "R2 R16 R3", 0, MICRO_ALWAYS},
    {"R9", "SHF.L.U32", "R16", 0, MICRO_ALWAYS},
    {"R6", "IMAD.WIDE", "R3 R6", 0, MICRO_ALWAYS},
    {"R2", "IMAD.WIDE", "R9 R6", 0, MICRO_ALWAYS},
    {"", "STS", "R15 R4", 5, MICRO_ALWAYS},
    {"", "STS", "R15 R8", 6, MICRO_ALWAYS},
    {"", "STS", "R15 R10", 7, MICRO_ALWAYS},
    {"", "STS", "R15 R12", 8, MICRO_ALWAYS},
    {"", "BAR.SYNC.DEFER_BLOCKING", "", 0, MICRO_ALWAYS},
    {"R11", "LDS", "R14", 9, MICRO_ALWAYS},
    {"R13", "LDS", "R14", 10, MICRO_ALWAYS},
    {"R17", "LDS", "R14", 11, MICRO_ALWAYS},
    {"R19", "LDS", "R14", 12, MICRO_ALWAYS},
    {"R4", "IMAD.WIDE", "R9 R2", 0, MICRO_ALWAYS},
    {"R8", "IMAD.WIDE", "R9 R4", 0, MICRO_ALWAYS},
    {"", "STG.E", "R6 R11", 13, MICRO_ALWAYS},
    {"", "STG.E", "R2 R13", 14, MICRO_ALWAYS},
    {"", "STG.E", "R4 R17", 15, MICRO_ALWAYS},
    {"", "STG.E", "R8 R19", 16, MICRO_ALWAYS},
    {"", "EXIT", "", 0, MICRO_ALWAYS},
};

enum { TILE = 32, TILE_STEP = 8 };

struct transpose_job {
    uint32_t n, pitch; /* pitch: words from one row of the tile to the next */
};

static struct access transpose_address(const struct micro_place *place, uint64_t repetition, uint32_t access)
{
    (void)repetition;
    const struct transpose_job *job = place->job;
    uint32_t tiles = job->n / TILE, column = place->block % tiles * TILE, row = place->block / tiles * TILE;
    uint32_t down = place->warp + (access - 1) % 4 * TILE_STEP; /* row of the tile, or of the transposed one */
    switch ((access - 1) / 4) {
    case 0:
        return access_line(4, DATA_A + 4 * ((uint64_t)(row + down) * job->n + column), 4);
    case 1:
        return access_line(4, 4 * down * job->pitch, 4);
    case 2:
        return access_line(4, 4 * down, 4 * job->pitch);
    default:
        return access_line(4, DATA_B + 4 * ((uint64_t)(column + down) * job->n + row), 4);
    }
}

static void transpose_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    struct micro_place place = {.block = block, .warp = warp, .job = context};
    micro_emit(w, MICRO_ROWS(transpose_rows), &place, transpose_address);
}

static const struct parameter transpose_parameters[] = {
    {"option", "conflicts of 32 ways, or none by a column of padding", "conflicts|padded", 0, 0, 0},
    {"n", "rows and columns, a multiple of 32", NULL, 512, TILE, 16384},
    {NULL, NULL, NULL, 0, 0, 0}};

static bool transpose(struct writer *w, const struct parameters *p)
{
    struct transpose_job job = {.n = (uint32_t)parameter(p, "n"), .pitch = TILE + (uint32_t)parameter(p, "option")};
    if (job.n % TILE)
        return mnp_fail(w->error, "n=%u is no multiple of %u; choose one that is", job.n, TILE);
    uint32_t tiles = job.n / TILE;
    struct kernel_shape shape = {.name = "shared_bank_conflicts",
                                 .grid = {tiles, tiles, 1},
                                 .block = {TILE, TILE_STEP, 1},
                                 .shared_bytes = 4 * TILE * job.pitch,
                                 .registers = 32};
    trace_copy(w, DATA_A, (uint64_t)4 * job.n * job.n);
    return write_kernel(w, &shape, transpose_warp, &job);
}

const struct workload workload_shared_bank_conflicts = {
    "shared_bank_conflicts", "a matrix is transposed through shared memory", transpose_parameters, transpose};
