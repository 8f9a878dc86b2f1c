/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Accel-Sim 2.0 writes of Hopper's engines behind the registers of an instruction, and behind every instruction in
 * version 6. A trace has no memory contents, so of most of it only the form is checked: copies move nothing, and nobody
 * waits for a phase.
 *
 *   HGMMA …      commit 0 immediate                     commit: the product ends its group
 *   UTMALDG …    width mbarrier multicast [mask] bytes outside mode addresses immediate
 *                  mode 3: n addresses; mode 4: a base, n, and n - 1 differences
 *   version 6    … immediate [immediate] NoVal, or Val and for each register 1 value, or 32 values
 *   REPLAY_START, REPLAY_END   lines around a loop that asks an mbarrier: no instructions
 *
 * Source: Accel-Sim 2.0, trace_parser.cc, and the names and forms of its tracer.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_ENGINES_H
#define MNP_FRONTEND_SASS_TRACE_ENGINES_H

#include <stdbool.h>
#include <stdint.h>

enum trace_engine { TRACE_ENGINE_NONE, TRACE_ENGINE_COPY, TRACE_ENGINE_PRODUCT };

/* Which engine's fields the lines of an opcode (a row of isa_opcodes) have. */
enum trace_engine trace_engine_of(uint16_t opcode);

/* Steps over all that follows the registers of such an instruction, up to its line's end. `values`: version 6. NULL: it
 * has not this form. */
const char *trace_pass_engine(enum trace_engine engine, const char *at, bool values);

/* Steps over "immediate [immediate] NoVal|Val values…" up to the line's end. NULL: it has not this form. */
const char *trace_pass_values(const char *at);

/* Whether a line says behind its PC and mask that it is no instruction. */
bool trace_is_marker(const char *at, const char *end);

#endif
