/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix fragments: how many bits an element has. */
#ifndef EXECUTE_MATRIX_H
#define EXECUTE_MATRIX_H

#include "execute/types.h"

/* Bits of an element, or 0 for a type that matrices do not have. */
unsigned execute_matrix_bits(enum execute_type type);

#endif
