/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoder for the operands of an instruction, according to the row of its form. */
#ifndef FRONTEND_SASS_OPERANDS_H
#define FRONTEND_SASS_OPERANDS_H

#include "frontend/sass/instruction.h"

/* Fills in the operands of an instruction of sm_`architecture`, whose word and form are known. Returns false if a field
 * holds a value that no known instruction has. */
bool sass_decode_operands(unsigned architecture, struct sass_instruction *instruction);

#endif
