/* SPDX-License-Identifier: BSD-3-Clause */
/* The operands of an instruction, as the row of its form says. */
#ifndef FRONTEND_SASS_OPERANDS_H
#define FRONTEND_SASS_OPERANDS_H

#include "frontend/sass/instruction.h"

/* Fills in the operands of an instruction of sm_`architecture` whose word and form are known. False: a field holds a
 * value that no instruction is known to have. */
bool sass_decode_operands(unsigned architecture, struct sass_instruction *instruction);

#endif
