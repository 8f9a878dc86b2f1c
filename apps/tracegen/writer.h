/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a trace: the list, and one file for each kernel. A workload is a loop over blocks and warps that emits one
 * instruction after another; this module counts, encodes addresses, and knows the versions of the format.
 */
#ifndef TRACEGEN_WRITER_H
#define TRACEGEN_WRITER_H

#include "sink.h"

#include <stdint.h>

enum { WARP = 32, FULL_BYTES = 1 << 20 };

#define ALL_LANES UINT32_C(0xffffffff)

enum address_form { ADDRESSES_SHORTEST, ADDRESSES_LIST, ADDRESSES_DELTAS };

struct trace_options {
    uint32_t version, architecture;
    enum sink_coding coding;
    bool lineinfo;
    enum address_form form;
};

struct kernel_shape {
    const char *name;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes, registers;
    uint32_t stream;
};

struct writer {
    struct trace_options options;
    const char *folder;
    struct mnp_error *error;
    struct sink *list, *kernel; /* being written; the kernel's is NULL between kernels */
    struct kernel_shape shape;
    uint32_t launches;

    char *text; /* of the warp being written */
    size_t used, capacity;
    uint32_t instructions; /* of that warp */
    uint32_t pc;           /* of its next instruction */
    uint32_t mask;         /* lanes that execute it; none is told by `no_lane` of emit_masked */
    uint64_t total;        /* warp instructions of the trace */
};

/* Addresses of one access: of each lane of the warp, only those of active lanes are used. */
struct access {
    uint32_t width;
    uint64_t lane[WARP];
};

/* All that return false have filled in the error given at the start. */
bool trace_begin(struct writer *w, const char *folder, const struct trace_options *options, struct mnp_error *error);
bool trace_end(struct writer *w, bool good);

void trace_copy(struct writer *w, uint64_t address, uint64_t bytes); /* from host to device */

bool kernel_begin(struct writer *w, const struct kernel_shape *shape);
bool kernel_end(struct writer *w);

/* Begins block number `block`; false when writing has failed, so that a loop can end early. */
bool block_begin(struct writer *w, uint32_t block);
void block_end(struct writer *w);

void warp_begin(struct writer *w, uint32_t warp);
void warp_end(struct writer *w, uint32_t warp);

/* An instruction of the lanes in w->mask; destinations and sources as in "R4 R5". */
void emit(struct writer *w, const char *destinations, const char *opcode, const char *sources);
void emit_masked(struct writer *w, uint32_t mask, const char *destinations, const char *opcode, const char *sources);

/* An access to memory by the lanes in w->mask. */
void emit_access(struct writer *w, const char *destinations, const char *opcode, const char *sources,
                 const struct access *access);

/* Addresses base, base + step, … by lane. */
struct access access_line(uint32_t width, uint64_t base, uint64_t step);

uint32_t shape_threads(const struct kernel_shape *shape);
uint32_t shape_warps(const struct kernel_shape *shape);
uint32_t shape_blocks(const struct kernel_shape *shape);

#endif
