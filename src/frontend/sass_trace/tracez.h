/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel's trace as Accel-Sim 2.0 keeps it (.tracez): the text of each warp by itself, in pieces of whole lines that
 * zstd has compressed one by one, and an index behind them. Blocks are found by their place in the grid, and only what
 * is asked for is decompressed.
 *
 *   header text, ending in a zero byte
 *   u32 bytes of the dictionary, u32 lines of a piece (a hint)
 *   the dictionary, of all pieces
 *   of each warp: u32 lines, u32 pieces; of each piece u32 bytes and a frame of zstd
 *   index: u32 blocks; of each block 11 × u32: its place, its cluster's, its place in that, its rank, warps;
 *          of each warp u32 lines, u32 pieces, u64 where it lies; of each piece u32 lines
 *   u64 where the index lies
 *
 * Numbers are little-endian. Source: Accel-Sim 2.0 (accel-sim/accel-sim-framework, pull request 553).
 */
#ifndef MNP_FRONTEND_SASS_TRACE_TRACEZ_H
#define MNP_FRONTEND_SASS_TRACE_TRACEZ_H

#include "base/error.h"
#include "contract/instruction.h"

#include <stddef.h>

struct tracez;

/* Opens a file; *tracez is NULL if it is not in this format. Returns false on an error. */
bool trace_tracez_open(struct tracez **tracez, const char *path, struct mnp_error *error);
void trace_tracez_close(struct tracez *tracez);

/* Whether a file is one, by how it begins. */
bool trace_tracez_is(const char *path);

/* The header's text; `length` without the zero byte. */
const char *trace_tracez_header(const struct tracez *tracez, size_t *length);

/* Finds all blocks of the grid, and checks that their clusters agree with it. The kernel has its grid and its threads,
 * and is given the shape of its clusters. False: an error. */
bool trace_tracez_index(struct tracez *tracez, struct mnp_kernel *kernel, struct mnp_error *error);

/* The text of the block at a place of the grid, as it would stand in a plain trace between #BEGIN_TB and #END_TB, and
 * ends in a line's end; `*text` of `*capacity` bytes grows where it has to. False: an error. */
bool trace_tracez_block(struct tracez *tracez, uint64_t place, char **text, size_t *capacity, size_t *length,
                        struct mnp_error *error);

#endif
