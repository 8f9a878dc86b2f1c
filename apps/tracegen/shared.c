/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads whose threads work together through shared memory and barriers. */
#include "common.h"
#include "workloads.h"

/* ===== a tiled matrix product ===== */

static const struct parameter matmul_parameters[] = {
    {"n", "rows and columns, a multiple of the tile", NULL, 64, 1, 16384},
    {"tile", "rows and columns of a tile", "8|16|32", 1, 0, 0},
    {NULL, NULL, NULL, 0, 0, 0}};

struct matmul_job {
    uint32_t n, tile;
};

/* Addresses of elements (row, column) that depend on a thread's place in the tile. */
struct tile_view {
    uint64_t base;
    uint32_t pitch;                 /* elements in a row */
    uint32_t row, column;           /* of the tile */
    bool follow_row, follow_column; /* add the thread's row or column */
};

static struct access tile_access(const struct matmul_job *job, uint32_t warp, const struct tile_view *view)
{
    struct access access = {.width = 4};
    for (uint32_t lane = 0; lane < WARP; lane++) {
        uint32_t thread = warp * WARP + lane;
        uint64_t row = view->row + (view->follow_row ? thread / job->tile : 0);
        uint64_t column = view->column + (view->follow_column ? thread % job->tile : 0);
        access.lane[lane] = view->base + 4 * (row * view->pitch + column);
    }
    return access;
}

static void matmul_load(struct writer *w, const struct matmul_job *job, uint32_t block, uint32_t warp, uint32_t step)
{
    uint32_t tiles = job->n / job->tile, row = block / tiles * job->tile, column = block % tiles * job->tile;
    struct access a = tile_access(job, warp, &(struct tile_view){DATA_A, job->n, row, step * job->tile, true, true});
    struct access b = tile_access(job, warp, &(struct tile_view){DATA_B, job->n, step * job->tile, column, true, true});
    struct access to_a = tile_access(job, warp, &(struct tile_view){0, job->tile, 0, 0, true, true});
    struct access to_b =
        tile_access(job, warp, &(struct tile_view){4 * job->tile * job->tile, job->tile, 0, 0, true, true});
    emit(w, "R2", "IMAD.WIDE", "R6 R24");
    emit(w, "R4", "IMAD.WIDE", "R6 R24");
    emit_access(w, "R8", "LDG.E", "R2", &a);
    emit_access(w, "R9", "LDG.E", "R4", &b);
    emit_access(w, "", "STS", "R10 R8", &to_a);
    emit_access(w, "", "STS", "R11 R9", &to_b);
    emit(w, "", "BAR.SYNC.DEFER_BLOCKING", "");
}

static void matmul_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct matmul_job *job = context;
    uint32_t tiles = job->n / job->tile, half = 4 * job->tile * job->tile;
    emit_thread_index(w);
    uint32_t top = w->pc;
    for (uint32_t step = 0; step < tiles; step++) {
        matmul_load(w, job, block, warp, step);
        for (uint32_t k = 0; k < job->tile; k++) {
            struct access a = tile_access(job, warp, &(struct tile_view){0, job->tile, 0, k, true, false});
            struct access b = tile_access(job, warp, &(struct tile_view){half, job->tile, k, 0, false, true});
            emit_access(w, k & 1 ? "R14" : "R12", "LDS", "R10", &a);
            emit_access(w, k & 1 ? "R15" : "R13", "LDS", "R11", &b);
            emit(w, "R16", "FFMA", k & 1 ? "R14 R15 R16" : "R12 R13 R16");
        }
        emit(w, "", "BAR.SYNC.DEFER_BLOCKING", "");
        emit_loop_end(w, top, step + 1 == tiles);
    }
    struct tile_view result = {DATA_C, job->n, block / tiles * job->tile, block % tiles * job->tile, true, true};
    struct access c = tile_access(job, warp, &result);
    emit(w, "R6", "IMAD.WIDE", "R6 R7");
    emit_access(w, "", "STG.E", "R6 R16", &c);
    emit(w, "", "EXIT", "");
}

static bool matmul(struct writer *w, const struct parameters *p)
{
    struct matmul_job job = {.n = (uint32_t)parameter(p, "n"), .tile = 8u << parameter(p, "tile")};
    if (job.n % job.tile)
        return mnp_fail(w->error, "n=%u is no multiple of tile=%u; choose one that is", job.n, job.tile);
    uint32_t tiles = job.n / job.tile;
    struct kernel_shape shape = {.name = "matmul",
                                 .grid = {tiles, tiles, 1},
                                 .block = {job.tile, job.tile, 1},
                                 .shared_bytes = 8 * job.tile * job.tile,
                                 .registers = 32};
    trace_copy(w, DATA_A, UINT64_C(4) * job.n * job.n);
    trace_copy(w, DATA_B, UINT64_C(4) * job.n * job.n);
    return write_kernel(w, &shape, matmul_warp, &job);
}

const struct workload workload_matmul = {"matmul", "a tiled matrix product with shared memory and barriers",
                                         matmul_parameters, matmul};

/* ===== a sum ===== */

static const struct parameter reduction_parameters[] = {{"n", "elements of 4 bytes", NULL, 16384, 1, 1 << 28},
                                                        {"threads", "per block", "64|128|256|512|1024", 2, 0, 0},
                                                        {NULL, NULL, NULL, 0, 0, 0}};

struct reduction_job {
    uint64_t elements;
    uint32_t threads;
};

/* Halves the number of values in shared memory until one warp can hold them. Warps without work jump over the addition
 * but come to each barrier. */
static void reduce_shared(struct writer *w, uint32_t threads, uint32_t warp)
{
    uint32_t all = w->mask;
    for (uint32_t half = threads / 2; half >= WARP; half /= 2) {
        uint32_t add_at = w->pc + 16;
        bool works = warp * WARP < half;
        emit_masked(w, works ? 0 : all, "", "BRA", "");
        if (works) {
            struct access other = access_line(4, 4 * (uint64_t)(warp * WARP + half), 4);
            struct access own = access_line(4, 4 * (uint64_t)(warp * WARP), 4);
            emit_access(w, "R8", "LDS", "R10", &other);
            emit_access(w, "R9", "LDS", "R10", &own);
            emit(w, "R9", "FADD", "R8 R9");
            emit_access(w, "", "STS", "R10 R9", &own);
        }
        w->pc = add_at + 4 * 16;
        emit(w, "", "BAR.SYNC.DEFER_BLOCKING", "");
    }
}

static void reduction_warp(struct writer *w, const void *context, uint32_t block, uint32_t warp)
{
    const struct reduction_job *job = context;
    uint64_t first = (uint64_t)block * job->threads + warp * WARP;
    uint32_t all = w->mask;
    struct access from = access_line(4, DATA_A + 4 * first, 4), own = access_line(4, 4 * (uint64_t)(warp * WARP), 4);
    emit_thread_index(w);
    emit(w, "R9", "MOV", "R255");
    w->mask = lanes_inside(all, first, job->elements);
    emit_access(w, "R9", "LDG.E", "R2", &from);
    w->mask = all;
    emit_access(w, "", "STS", "R10 R9", &own);
    emit(w, "", "BAR.SYNC.DEFER_BLOCKING", "");
    reduce_shared(w, job->threads, warp);
    emit_masked(w, warp ? all : 0, "", "EXIT", "");
    if (warp)
        return;
    emit_access(w, "R9", "LDS", "R10", &own);
    for (uint32_t distance = WARP / 2; distance; distance /= 2) {
        emit(w, "R8", "SHFL.DOWN", "R9");
        emit(w, "R9", "FADD", "R8 R9");
    }
    w->mask = 1;
    struct access sum = access_line(4, DATA_C, 0);
    emit_access(w, "", "RED.E.ADD.F32.FTZ.RN.STRONG.GPU", "R4 R9", &sum);
    emit_masked(w, all, "", "EXIT", "");
}

static bool reduction(struct writer *w, const struct parameters *p)
{
    struct reduction_job job = {.elements = parameter(p, "n"), .threads = 64u << parameter(p, "threads")};
    struct kernel_shape shape = shape_line("reduction", (job.elements + job.threads - 1) / job.threads, job.threads);
    shape.shared_bytes = 4 * job.threads;
    trace_copy(w, DATA_A, 4 * job.elements);
    return write_kernel(w, &shape, reduction_warp, &job);
}

const struct workload workload_reduction = {"reduction", "a sum: shared memory, barriers, shuffles and one atomic",
                                            reduction_parameters, reduction};
