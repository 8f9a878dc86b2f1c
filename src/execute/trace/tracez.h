/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a kernel's trace as Accel-Sim 2.0 keeps it (.tracez): each warp's text by itself, in pieces of 2048 lines that
 * zstd compresses one by one, and an index behind them. Source of the form: accel-sim/accel-sim-framework, pull request
 * 553.
 */
#ifndef EXECUTE_TRACEZ_H
#define EXECUTE_TRACEZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct execute_tracez;

struct execute_tracez_block {
    uint64_t number; /* number in the grid; the index is sorted by it */
    uint32_t place[3], cluster[3], within[3], rank, warps;
};

/* Continues a file after the header's text, which the caller has written. */
struct execute_tracez *execute_tracez_open(FILE *out);

/* Begins a block; all of its warps follow in their order. */
void execute_tracez_block(struct execute_tracez *tracez, const struct execute_tracez_block *block);

/* The text of a warp: `lines` lines, each with its end. */
void execute_tracez_warp(struct execute_tracez *tracez, const char *text, size_t length, uint64_t lines);

/* Writes the index; whether all could be written is seen at the file. */
void execute_tracez_close(struct execute_tracez *tracez);

#endif
