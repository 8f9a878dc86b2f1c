/* SPDX-License-Identifier: BSD-3-Clause */
/* How PTX spells types (ISA 9.0, section 5.2). */
#ifndef FRONTEND_PTX_TEXT_NAMES_H
#define FRONTEND_PTX_TEXT_NAMES_H

#include "execute/code/types.h"

/* The type that a word without its dot names, or EXECUTE_NO_TYPE. */
enum execute_type ptx_type_of(const char *word, size_t length);

#endif
