/* SPDX-License-Identifier: BSD-3-Clause */
/* Detection of operations that compute only values, on which time does not depend. */
#ifndef FRONTEND_PTX_COMPILE_VALUES_H
#define FRONTEND_PTX_COMPILE_VALUES_H

#include "frontend/ptx/compile/builder.h"

/* Marks such operations of the decoder's current function (EXECUTE_OP_VALUE), whose references are still virtual; none
 * in a kernel that calls functions. */
void ptx_mark_values(struct ptx_decoder *decoder);

#endif
