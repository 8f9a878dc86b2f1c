/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder for a test's trace, and reading the trace in it. */
#ifndef TEST_TRACE_FOLDER_H
#define TEST_TRACE_FOLDER_H

#include "frontend/sass_trace/sass_trace.h"

#include <stddef.h>

/* A header of 14 lines; the block's first line is then the 15th, and its first instruction the 21st. */
#define HEADER_OF(GRID, BLOCK, VERSION)                                                                                \
    "-kernel name = test\n-kernel id = 1\n-grid dim = " GRID "\n-block dim = " BLOCK "\n-shmem = 0\n-nregs = 8\n"      \
    "-binary version = 80\n-cuda stream id = 0\n-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n"                  \
    "-accelsim tracer version = " VERSION "\n-enable lineinfo = 0\n\n#traces format = none\n"
#define HEADER                     HEADER_OF("(1,1,1)", "(32,1,1)", "5")
#define BLOCK(PLACE, WARPS)        "#BEGIN_TB\n\nthread block = " PLACE "\n\n" WARPS "#END_TB\n\n"
#define WARP(NUMBER, COUNT, LINES) "warp = " NUMBER "\ninsts = " COUNT "\n" LINES "\n"
#define EXIT_LINE                  "0000 ffffffff 0 EXIT 0 0 0 \n"

struct folder {
    char path[64];
};

void folder_make(struct folder *folder);
void folder_remove(struct folder *folder); /* with all files in it */

/* The same for all tests of a program, which get it as their state. */
int folder_set_up(void **state);
int folder_tear_down(void **state);

/* Writes a file, whose path is returned and valid until the next call. */
const char *folder_write(const struct folder *folder, const char *name, const void *data, size_t size);

/* Writes a list of one kernel and this kernel's text; returns the path of the list. */
const char *folder_write_kernel(const struct folder *folder, const char *text);

struct totals {
    uint64_t kernels, copies, ctas, warps, records, threads, addresses, sectors;
    uint64_t digest; /* of all records and addresses */
    uint64_t unknown;
    uint32_t architecture;
};

/* Reads a whole trace. False: an error. */
bool read_trace(const char *list, bool unknown_as_alu, struct totals *totals, struct mnp_error *error);

/* Adds a CTA to the totals. */
void add_cta(struct totals *totals, const struct mnp_cta_code *code);

/* The folder of the real traces, or NULL when it is not there. */
const char *real_traces(void);

#endif
