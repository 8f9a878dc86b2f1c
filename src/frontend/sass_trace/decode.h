/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoder for the static part of an instruction: from its text in a trace to the form used by models. */
#ifndef MNP_FRONTEND_SASS_TRACE_DECODE_H
#define MNP_FRONTEND_SASS_TRACE_DECODE_H

#include "contract/instruction.h"

enum decode_result { DECODE_DONE, DECODE_MALFORMED, DECODE_UNKNOWN_OPCODE };

/* Decodes the static part of an instruction's text, "n_dest [dests] opcode n_src [srcs] ", which begins at `text` and
 * lies inside a line that ends at `end`. `*rest` becomes the text behind it, `opcode` its full name. */
enum decode_result decode_instruction(const char *text, const char *end, struct mnp_static_instruction *instruction,
                                      const char **rest, char opcode[static 64]);

/* The number behind DEPBAR.LE in our own traces: groups of copies that may stay pending. -1: there is none, as in
 * traces of NVBit. */
int trace_counted_groups(const char *opcode);

#endif
