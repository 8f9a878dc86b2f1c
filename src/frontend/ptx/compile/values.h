/* SPDX-License-Identifier: BSD-3-Clause */
/* Which operations compute values alone, so that time does not depend on them. */
#ifndef FRONTEND_PTX_COMPILE_VALUES_H
#define FRONTEND_PTX_COMPILE_VALUES_H

#include "frontend/ptx/compile/builder.h"

/* Marks such operations of the decoder's present function (EXECUTE_OP_VALUE), whose references are still virtual; none
 * of a kernel that calls functions. */
void ptx_mark_values(struct ptx_decoder *decoder);

#endif
