/* SPDX-License-Identifier: BSD-3-Clause */
/* Opcodes, their qualifiers and special registers by name. */
#ifndef TESTS_SCALAR_WORDS_H
#define TESTS_SCALAR_WORDS_H

#include "program.h"

#include <stddef.h>

/* Fills in operation, words, types and space. Returns false where a part of the name is unknown. */
bool words_opcode(const char *name, struct scalar_instruction *instruction);
int words_type(const char *name, size_t length); /* enum scalar_type, or -1 */
int words_special(const char *name);             /* enum scalar_special, or -1 */

#endif
