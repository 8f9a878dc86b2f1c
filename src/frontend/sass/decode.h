/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of machine code to instructions, for one architecture. */
#ifndef FRONTEND_SASS_DECODE_H
#define FRONTEND_SASS_DECODE_H

#include "frontend/sass/instruction.h"

struct sass_decoder;

/* A decoder for sm_`architecture`, say 80; to be freed by the caller. */
struct sass_decoder *sass_decoder_create(unsigned architecture);
void sass_decoder_free(struct sass_decoder *decoder);

enum sass_decoded {
    SASS_DECODED,
    SASS_UNKNOWN,  /* no form has this operation, or none with these fields */
    SASS_RESERVED, /* a field of the form holds a value that no instruction is known to have */
    SASS_UNNAMED,  /* bits are set that the form does not account for */
};

/* Decodes one word. For SASS_RESERVED, `instruction` holds the form; for SASS_UNNAMED, all parts that the form
 * names. */
enum sass_decoded sass_decode(const struct sass_decoder *decoder, struct sass_word word,
                              struct sass_instruction *instruction);

/* The bits of an instruction's word that are set and that its form does not account for. */
struct sass_word sass_unnamed_bits(const struct sass_instruction *instruction);

/* The name of the form that a word without one is nearest to: the first of its operation and kind, of its operation, or
 * of an operation that differs in the fewest bits. NULL: the architecture has none. */
const char *sass_nearest_form(const struct sass_decoder *decoder, struct sass_word word);

/* Whether the guard is a predicate of the uniform datapath. */
bool sass_guard_is_uniform(const struct sass_instruction *instruction);

#endif
