/* SPDX-License-Identifier: BSD-3-Clause */
/* What an operation is called in a trace: the opcode of machine code that does its work, with the modifiers from which
 * readers of traces tell widths and shapes. */
#ifndef FRONTEND_PTX_TIME_SASS_NAME_H
#define FRONTEND_PTX_TIME_SASS_NAME_H

#include "execute/code/language.h"

/* `timing`: the operation as models of time see it (timing.h). Returns `name`. */
const char *ptx_sass_name(const struct execute_code *code, const struct execute_op *op,
                          const struct mnp_static_instruction *timing, char name[EXECUTE_TRACE_NAME]);

#endif
