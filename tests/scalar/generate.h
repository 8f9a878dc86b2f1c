/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random PTX programs whose results the ISA manual defines: whatever the order of threads, every run leaves the same
 * memory. Threads exchange data across barriers and .sync operations alone; what they do to common words commutes; each
 * member mask names the lanes that come to the operation.
 */
#ifndef TESTS_SCALAR_GENERATE_H
#define TESTS_SCALAR_GENERATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { GENERATE_STATEMENTS = 1024, GENERATE_BYTES = 64 * 1024 };

struct generate_request {
    uint64_t seed;
    unsigned architecture;             /* 70, 75, 80 … */
    bool dropped[GENERATE_STATEMENTS]; /* statements that are left out: the others stay as they are */
};

struct generate_program {
    char kernel[32];
    unsigned blocks, shape[2], cluster, statements;
    uint64_t word; /* the second parameter; the first is the address of GENERATE_BYTES of memory */
};

void generate_header(FILE *out, unsigned architecture);
struct generate_program generate_program(FILE *out, const struct generate_request *request);
void generate_memory(const struct generate_program *program,
                     uint32_t memory[GENERATE_BYTES / 4]); /* its initial contents */

#endif
