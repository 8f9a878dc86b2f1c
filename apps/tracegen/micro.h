/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Microbenchmarks as data: rows of instructions, loops of them with their unrolling, and a function that gives the
 * addresses of each access. The mixes are what nvcc makes of the programs of Accel-Sim's GPU_Microbenchmark suite for
 * compute capability 8.0 and 9.0; the counts are checked against the warp instructions counted by hardware.
 */
#ifndef TRACEGEN_MICRO_H
#define TRACEGEN_MICRO_H

#include "common.h"
#include "workloads.h"

/* Which architectures have an instruction. Before Hopper, constants are operands and need no load of their own; from
 * Turing to Ada, shared memory is addressed with a scaled index, elsewhere the address takes an instruction. */
enum micro_when {
    MICRO_ALWAYS,
    MICRO_HOPPER,
    MICRO_BEFORE_HOPPER,
    MICRO_UNSCALED, /* shared memory without a scaled index */
    MICRO_SCALED,
    MICRO_UNIFORM, /* with uniform registers: Turing and later */
    MICRO_VOLTA
};

/* In the register strings, A and B are an address pair that four repetitions take in turn, and D0 to D7 the data
 * registers of a repetition, which stay until its late rows have used them. */
struct micro_row {
    const char *destination, *opcode, *sources;
    uint32_t access;      /* number, from 1, of the access that it makes; 0: none */
    enum micro_when when; /* it is there */
};

struct micro_rows {
    const struct micro_row *list;
    size_t count;
};

#define MICRO_ROWS(ARRAY) ((struct micro_rows){ARRAY, sizeof(ARRAY) / sizeof *(ARRAY)})

/* A loop: `unroll` repetitions of `rows`, each followed by the `late` rows of the repetition `lag` before it, then
 * `end`, with the branch back as its last row. */
struct micro_loop {
    struct micro_rows rows, late, end;
    uint32_t unroll, lag, data; /* data registers of one repetition */
};

struct micro_place { /* where the code being written runs */
    uint32_t block, warp;
    const void *job;
};

/* The addresses of access number `access` in repetition number `repetition`. */
typedef struct access micro_addresses(const struct micro_place *place, uint64_t repetition, uint32_t access);

void micro_emit(struct writer *w, struct micro_rows rows, const struct micro_place *place, micro_addresses *addresses);
void micro_repeat(struct writer *w, const struct micro_loop *loop, uint64_t repetitions,
                  const struct micro_place *place, micro_addresses *addresses);

/* What all of them begin and end with. */
extern const struct micro_rows micro_prologue;
/* Start, stop and result of every thread are written, access 1 to 3, as 4 bytes. */
extern const struct micro_rows micro_epilogue;
struct access micro_result_address(const struct micro_place *place, uint32_t threads, uint32_t access);

#endif
