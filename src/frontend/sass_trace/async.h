/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that Accel-Sim 2.0 writes after the registers of an instruction: commands of Hopper's async units, and in
 * version 6 values of every instruction.
 *
 *   HGMMA …      commit 0 immediate                     commit: the product ends its group
 *   UTMALDG …    width mbarrier multicast [mask] bytes outside mode addresses immediate
 *                  mode 3: n addresses; mode 4: a base, n, and n - 1 differences
 *   version 6    … immediate [immediate] NoVal, or Val and for each register 1 value, or 32 values
 *   REPLAY_START, REPLAY_END   lines around a loop that asks an mbarrier: no instructions
 *
 * Values are needed of SYNCS (the second source), and of BAR where they stand (the first destination). Beyond what
 * Accel-Sim reads, the first source of UTMALDG and the like is the address of its tensor map, the first immediate of
 * USETMAXREG its registers, and the second one of DEPBAR.LE.BULK is 1 where only reading is waited for, as a DEPBAR.LE
 * of machine code always does.
 *
 * Source: Accel-Sim 2.0, trace_parser.cc and trace_driven.cc, and the names and forms of its tracer.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_ASYNC_H
#define MNP_FRONTEND_SASS_TRACE_ASYNC_H

#include "contract/instruction.h"
#include "frontend/sass_trace/commands.h"

/* The command of an instruction; TRACE_COMMAND_NONE: it has none. `text`: "n [destinations] opcode n [sources] ". */
enum trace_command_kind trace_command_of(uint16_t opcode, const char *text);

/* Whether lines of such commands have a form of their own in all versions. */
static inline bool trace_command_is_formed(enum trace_command_kind kind)
{
    return kind == TRACE_COPY || kind == TRACE_PRODUCT;
}

/* Parses the text behind the registers of an instruction with a command, up to the line's end, and adds the command if
 * any lane is active. `values`: version 6. NULL: malformed. */
const char *trace_read_command(enum trace_command_kind kind, const char *text, const char *at, uint32_t mask,
                               bool values, struct trace_commands *commands);

/* Skips "immediate [immediate] NoVal|Val values…" up to the line's end. NULL: malformed. */
const char *trace_pass_values(const char *at);

/* Whether a line says behind its PC and mask that it is no instruction. */
bool trace_is_marker(const char *at, const char *end);

/* Adapts a static instruction of a kernel with live warps, such that models treat it like that of a program that
 * executes: an mbarrier operation is an access to shared memory, and the sums of products are waited for explicitly
 * instead of being a register dependence. */
void trace_live_form(const char *text, struct mnp_static_instruction *instruction);

#endif
