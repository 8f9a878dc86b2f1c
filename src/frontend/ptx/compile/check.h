/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of statements that an assembler rejects although they could be executed. */
#ifndef FRONTEND_PTX_COMPILE_CHECK_H
#define FRONTEND_PTX_COMPILE_CHECK_H

#include "frontend/ptx/compile/decode.h"

/* ===== check_words.c: each for the present statement, which has been split into words; false: an error ===== */
/* The words stand where they belong, and the types are among those that the instruction has. */
bool ptx_check_words(struct ptx_decoder *decoder);

/* ===== check_conversion.c ===== */
/* The module's target and version have the conversion from one type of the statement to the other. */
bool ptx_check_conversion(struct ptx_decoder *decoder);

/* ===== check_operands.c ===== */
/* The type in the user's statement for which the decoder uses `type`. */
enum execute_type ptx_needed_type(const struct ptx_decoder *decoder, enum execute_type type);
/* Whether a register, or anything else, may stand where the statement needs a value of that type. */
bool ptx_register_fits(const struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type);
bool ptx_check_source(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type);
/* Whether the statement's first operand, its result, may be `_`. */
bool ptx_check_sink(struct ptx_decoder *decoder);

#endif
