/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads on arrays: each thread has its own elements, or random ones. */
#include "common.h"
#include "workloads.h"

struct array_job {
    uint64_t elements, threads, rounds, width, footprint, seed, blocks, targets;
    const char *opcode;
};

static uint64_t first_element(const struct array_job *job, uint32_t block, uint32_t warp)
{
    return block * job->threads + warp * WARP;
}

/* ===== c = a + b ===== */

static const struct parameter vectoradd_parameters[] = {{"n", "elements of 4 bytes", NULL, 16384, 1, 1 << 28},
                                                        {"threads", "per block", NULL, 256, 1, 1024},
                                                        {NULL, NULL, NULL, 0, 0, 0}};

static void vectoradd_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct array_job *job = context;
    uint64_t first = first_element(job, block, warp);
    emit_thread_index(w);
    if (!emit_bounds(w, first, job->elements))
        return;
    struct access a = access_line(4, DATA_A + 4 * first, 4), b = access_line(4, DATA_B + 4 * first, 4);
    struct access c = access_line(4, DATA_C + 4 * first, 4);
    emit(w, "R7", "HFMA2.MMA", "R255 R255");
    emit(w, "", "ULDC.64", "");
    emit(w, "R4", "IMAD.WIDE", "R6 R7");
    emit(w, "R2", "IMAD.WIDE", "R6 R7");
    emit_access(w, "R4", "LDG.E", "R4", &a);
    emit_access(w, "R3", "LDG.E", "R2", &b);
    emit(w, "R6", "IMAD.WIDE", "R6 R7");
    emit(w, "R9", "FADD", "R4 R3");
    emit_access(w, "", "STG.E", "R6 R9", &c);
    emit(w, "", "EXIT", "");
}

static bool vectoradd(struct writer *w, const struct parameters *p)
{
    struct array_job job = {.elements = parameter(p, "n"), .threads = parameter(p, "threads")};
    struct kernel_shape shape = shape_line("vectoradd", (job.elements + job.threads - 1) / job.threads, job.threads);
    trace_copy(w, DATA_A, 4 * job.elements);
    trace_copy(w, DATA_B, 4 * job.elements);
    return write_kernel(w, &shape, vectoradd_warp, &job);
}

const struct workload workload_vectoradd = {"vectoradd", "c = a + b", vectoradd_parameters, vectoradd};

/* ===== a copy ===== */

static const struct parameter stream_parameters[] = {{"blocks", "in the grid", NULL, 64, 1, 1 << 24},
                                                     {"threads", "per block", NULL, 256, 1, 1024},
                                                     {"rounds", "loads and stores of each thread", NULL, 8, 1, 1 << 20},
                                                     {"width", "bytes of each access", "4|8|16", 0, 0, 0},
                                                     {NULL, NULL, NULL, 0, 0, 0}};

static void stream_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    static const char *const loads[] = {"LDG.E", "LDG.E.64", "LDG.E.128"};
    static const char *const stores[] = {"STG.E", "STG.E.64", "STG.E.128"};
    const struct array_job *job = context;
    uint32_t width = 4u << job->width;
    uint64_t grid_threads = job->blocks * job->threads;
    emit_thread_index(w);
    uint32_t top = w->pc;
    for (uint64_t round = 0; round < job->rounds; round++) {
        uint64_t offset = width * (round * grid_threads + first_element(job, block, warp));
        struct access from = access_line(width, DATA_A + offset, width);
        struct access to = access_line(width, DATA_B + offset, width);
        emit(w, "R2", "IMAD.WIDE", "R6 R24");
        emit_access(w, "R8", loads[job->width], "R2", &from);
        emit(w, "R4", "IMAD.WIDE", "R6 R24");
        emit_access(w, "", stores[job->width], "R4 R8", &to);
        emit_loop_end(w, top, round + 1 == job->rounds);
    }
    emit(w, "", "EXIT", "");
}

static bool stream(struct writer *w, const struct parameters *p)
{
    struct array_job job = {.blocks = parameter(p, "blocks"),
                            .threads = parameter(p, "threads"),
                            .rounds = parameter(p, "rounds"),
                            .width = parameter(p, "width")};
    struct kernel_shape shape = shape_line("stream", job.blocks, job.threads);
    trace_copy(w, DATA_A, (UINT64_C(4) << job.width) * job.blocks * job.threads * job.rounds);
    return write_kernel(w, &shape, stream_warp, &job);
}

const struct workload workload_stream = {"stream", "copies an array, coalesced", stream_parameters, stream};

/* ===== two streams, and multiplications and additions on them ===== */

static const struct parameter roofline_parameters[] = {{"fma", "FFMA for each element", NULL, 16, 0, 4096},
                                                       {"pairs", "of elements of each thread", NULL, 4, 1, 1 << 20},
                                                       {"blocks", "in the grid", NULL, 64, 1, 1 << 24},
                                                       {"threads", "per block", NULL, 256, 32, 1024},
                                                       {NULL, NULL, NULL, 0, 0, 0}};

/* Element `number` of each thread of a warp, of both arrays: those of a block lie side by side. */
static void load_element(struct writer *w, const struct array_job *job, uint32_t block, uint32_t warp, uint64_t number,
                         const char *a, const char *b)
{
    uint64_t place = (block * 2 * job->rounds + number) * job->threads + warp * WARP;
    struct access from_a = access_line(4, DATA_A + 4 * place, 4), from_b = access_line(4, DATA_B + 4 * place, 4);
    emit_access(w, a, "LDG.E.CONSTANT", "R2", &from_a);
    emit_access(w, b, "LDG.E.CONSTANT", "R4", &from_b);
}

/* A pair has two chains of FFMA, the loop two pairs. */
static void roofline_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct array_job *job = context;
    emit_thread_index(w);
    uint32_t top = w->pc;
    for (uint64_t pair = 0; pair < job->rounds; pair++) {
        load_element(w, job, block, warp, 2 * pair, "R8", "R9");
        load_element(w, job, block, warp, 2 * pair + 1, "R10", "R11");
        emit(w, "R12", "FADD", "R8 R9");
        emit(w, "R13", "FADD", "R10 R11");
        for (uint64_t i = 0; i < job->elements; i++) {
            emit(w, "R12", "FFMA", "R12 R8 R9");
            emit(w, "R13", "FFMA", "R13 R8 R9");
        }
        emit(w, "R14", "FADD", "R12 R13");
        emit(w, "R15", "FADD", "R14 R15");
        bool last = pair + 1 == job->rounds;
        if (pair % 2 || last)
            emit_loop_end(w, top, last);
    }
    emit(w, "", "EXIT", "");
}

static bool roofline(struct writer *w, const struct parameters *p)
{
    struct array_job job = {.elements = parameter(p, "fma"),
                            .rounds = parameter(p, "pairs"),
                            .blocks = parameter(p, "blocks"),
                            .threads = parameter(p, "threads")};
    struct kernel_shape shape = shape_line("roofline", job.blocks, job.threads);
    return write_kernel(w, &shape, roofline_warp, &job);
}

const struct workload workload_roofline = {"roofline", "reads two arrays, with so many FFMA for each element",
                                           roofline_parameters, roofline};

/* ===== random loads ===== */

static const struct parameter gather_parameters[] = {
    {"blocks", "in the grid", NULL, 32, 1, 1 << 24},
    {"threads", "per block", NULL, 256, 1, 1024},
    {"rounds", "loads of each thread", NULL, 8, 1, 1 << 20},
    {"footprint", "bytes that the loads spread over", NULL, 32 << 20, 4, UINT64_C(1) << 36},
    {NULL, NULL, NULL, 0, 0, 0}};

static struct access random_access(const struct array_job *job, uint64_t round, uint64_t first, uint64_t words)
{
    struct access access = {.width = 4};
    for (uint32_t lane = 0; lane < WARP; lane++) {
        uint64_t place = (first + lane) * job->rounds + round;
        access.lane[lane] = DATA_A + 4 * (random_at(job->seed, place) % words);
    }
    return access;
}

static void gather_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct array_job *job = context;
    uint64_t first = first_element(job, block, warp);
    emit_thread_index(w);
    uint32_t top = w->pc;
    for (uint64_t round = 0; round < job->rounds; round++) {
        struct access from = random_access(job, round, first, job->footprint / 4);
        emit(w, "R2", "IMAD.WIDE", "R6 R24");
        emit_access(w, "R8", "LDG.E", "R2", &from);
        emit(w, "R5", "IADD3", "R5 R8");
        emit_loop_end(w, top, round + 1 == job->rounds);
    }
    struct access to = access_line(4, DATA_B + 4 * first, 4);
    emit_access(w, "", "STG.E", "R6 R5", &to);
    emit(w, "", "EXIT", "");
}

static bool gather(struct writer *w, const struct parameters *p)
{
    struct array_job job = {.blocks = parameter(p, "blocks"),
                            .threads = parameter(p, "threads"),
                            .rounds = parameter(p, "rounds"),
                            .footprint = parameter(p, "footprint"),
                            .seed = parameter(p, "seed")};
    struct kernel_shape shape = shape_line("gather", job.blocks, job.threads);
    trace_copy(w, DATA_A, job.footprint);
    return write_kernel(w, &shape, gather_warp, &job);
}

const struct workload workload_gather = {"gather", "random loads of 4 bytes", gather_parameters, gather};

/* ===== atomics ===== */

static const struct parameter atomics_parameters[] = {
    {"blocks", "in the grid", NULL, 16, 1, 1 << 24},           {"threads", "per block", NULL, 256, 1, 1024},
    {"rounds", "atomics of each thread", NULL, 4, 1, 1 << 20}, {"targets", "different words", NULL, 64, 1, 4096},
    {"op", "the operation", "red|atom|shared", 0, 0, 0},       {NULL, NULL, NULL, 0, 0, 0}};

static void atomics_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct array_job *job = context;
    uint64_t first = first_element(job, block, warp), base = job->width == 2 ? 0 : DATA_A;
    emit_thread_index(w);
    uint32_t top = w->pc;
    for (uint64_t round = 0; round < job->rounds; round++) {
        struct access to = random_access(job, round, first, job->targets);
        for (uint32_t lane = 0; lane < WARP; lane++)
            to.lane[lane] = to.lane[lane] - DATA_A + base;
        if (job->width == 0)
            emit_access(w, "", "RED.E.ADD.STRONG.GPU", "R2 R5", &to);
        else if (job->width == 1)
            emit_access(w, "R8", "ATOMG.E.ADD.STRONG.GPU", "R2 R5", &to);
        else
            emit_access(w, "R8", "ATOMS.ADD", "R4 R5", &to);
        emit_loop_end(w, top, round + 1 == job->rounds);
    }
    emit(w, "", "EXIT", "");
}

static bool atomics(struct writer *w, const struct parameters *p)
{
    struct array_job job = {.blocks = parameter(p, "blocks"),
                            .threads = parameter(p, "threads"),
                            .rounds = parameter(p, "rounds"),
                            .targets = parameter(p, "targets"),
                            .width = parameter(p, "op"),
                            .seed = parameter(p, "seed")};
    struct kernel_shape shape = shape_line("atomics", job.blocks, job.threads);
    if (job.width == 2)
        shape.shared_bytes = (uint32_t)(4 * job.targets);
    trace_copy(w, DATA_A, 4 * job.targets);
    return write_kernel(w, &shape, atomics_warp, &job);
}

const struct workload workload_atomics = {"atomics", "additions to random words", atomics_parameters, atomics};
