/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces that several workloads share: code that begins every kernel, lanes beyond the data, and random numbers. */
#ifndef TRACEGEN_COMMON_H
#define TRACEGEN_COMMON_H

#include "writer.h"

/* A number that depends on the seed and a place alone, so that a trace does not depend on the order of its making. */
static inline uint64_t random_at(uint64_t seed, uint64_t place)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + (place + 1) * UINT64_C(0xd1342543de82ef95);
    x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 33;
}

/* The number of the thread in R6, as compilers compute it. */
static inline void emit_thread_index(struct writer *w)
{
    emit(w, "R1", "MOV", "");
    emit(w, "R6", "S2R", "");
    emit(w, "R3", "S2R", "");
    emit(w, "R6", "IMAD", "R6 R3");
}

/* Lanes of those in `mask` whose element, `first` + lane, is one of `count`. */
static inline uint32_t lanes_inside(uint32_t mask, uint64_t first, uint64_t count)
{
    if (first >= count)
        return 0;
    return count - first >= WARP ? mask : mask & ((UINT32_C(1) << (count - first)) - 1);
}

/* "if (index >= count) return": the lanes outside end here. False: it was all of them, and the warp has ended. */
static inline bool emit_bounds(struct writer *w, uint64_t first, uint64_t count)
{
    uint32_t inside = lanes_inside(w->mask, first, count);
    emit(w, "", "ISETP.GE.AND", "R6");
    emit_masked(w, w->mask & ~inside, "", "EXIT", "");
    w->mask = inside;
    return inside != 0;
}

/* A loop's end: compare and jump back to `top`, unless this was the last round. */
static inline void emit_loop_end(struct writer *w, uint32_t top, bool last)
{
    emit(w, "R24", "IADD3", "R24");
    emit(w, "", "ISETP.GE.AND", "R24");
    emit_masked(w, last ? 0 : w->mask, "", "BRA", "");
    if (!last)
        w->pc = top;
}

/* A kernel in one dimension. */
static inline struct kernel_shape shape_line(const char *name, uint64_t blocks, uint64_t threads)
{
    return (struct kernel_shape){
        .name = name, .grid = {(uint32_t)blocks, 1, 1}, .block = {(uint32_t)threads, 1, 1}, .registers = 32};
}

/* Writes one kernel whose warps are written by `warp`, which gets the number of the block and of the warp in it. */
static inline bool write_kernel(struct writer *w, const struct kernel_shape *shape,
                                void (*warp)(struct writer *w, const void *context, uint32_t block, uint32_t number),
                                const void *context)
{
    if (!kernel_begin(w, shape))
        return false;
    for (uint32_t block = 0; block < shape_blocks(shape) && block_begin(w, block); block++) {
        for (uint32_t i = 0; i < shape_warps(shape); i++) {
            warp_begin(w, i);
            warp(w, context, block, i);
            warp_end(w, i);
        }
        block_end(w);
    }
    return kernel_end(w);
}

#endif
