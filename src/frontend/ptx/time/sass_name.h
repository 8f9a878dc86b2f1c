/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of operations in traces: the machine-code opcode that performs the operation, with those modifiers from which
 * readers of traces derive widths and shapes. */
#ifndef FRONTEND_PTX_TIME_SASS_NAME_H
#define FRONTEND_PTX_TIME_SASS_NAME_H

#include "execute/code/language.h"

/* `timing`: the operation as models of time see it (timing.h). Returns `name`. */
const char *ptx_sass_name(const struct execute_code *code, const struct execute_op *op,
                          const struct mnp_static_instruction *timing, char name[EXECUTE_TRACE_NAME]);

#endif
