/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SASS-trace front-end: kernelslist.g and the kernel traces that it names, in the text format of Accel-Sim's
 * tracer, versions 1 to 6, plain or compressed, or by warps (.tracez). docs/traces.md states the grammar.
 *
 *   list.c     kernelslist.g: host copies and kernels, in order
 *   header.c   the header of a kernel's trace
 *   scan.c     finds the text of one CTA after another; the only sequential part
 *   tracez.c   … or the blocks of a .tracez
 *   async.c    what version 6 says of copies, mbarriers and products
 *   live.c, live_async.c, live_state.c  warps that do what it says, in a machine with asynchronous units
 *   parse.c    the text of a CTA to the records of its warps; by whichever thread runs the SM, or has nothing to do
 *   memo.c     lines that were read before
 *   ahead.c    CTAs that are parsed before an SM asks for them
 *   decode.c   an instruction's text to a static instruction, once per kernel and PC
 *   widths.c   how many registers each operand takes
 *   static_table.c  the static instructions of a kernel, or of a CTA that needs its own
 *   opcodes.c  what is known of each opcode
 *   source.c   the interface of contract/instruction.h
 */
#ifndef MNP_FRONTEND_SASS_TRACE_SASS_TRACE_H
#define MNP_FRONTEND_SASS_TRACE_SASS_TRACE_H

#include "contract/decoder.h"

struct mnp_sass_trace_options {
    bool unknown_as_alu; /* an opcode that is not in the table: INT, counted; otherwise an error */
    /* also keep addresses of instructions that the opcode table does not know as memory accesses */
    bool keep_addresses;
    /* the source is for a machine, in which warps of a .tracez wait for other warps and async units (live.h) */
    bool waits;
    char *list; /* contents of the list where its file can be read only once (a pipe), ending in a zero byte;
                          * NULL: the file is read. Changed by opening */
    size_t list_length;
    uint64_t memory; /* bytes of loaded instructions beyond which warps are paged from a file; 0: never */
};

/* Opens a trace by its list. All files that it names must exist. NULL: an error. */
struct mnp_source *trace_open(const char *kernelslist, const struct mnp_sass_trace_options *options,
                              struct mnp_error *error);

/* The decoder of "n_dest [dests] opcode n_src [srcs] ", for packed traces. */
extern const struct mnp_decoder trace_decoder;

#endif
