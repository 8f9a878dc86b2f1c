/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and .shared variables that a kernel can reach: the functions are decoded, the variables get a place. */
#ifndef FRONTEND_PTX_COMPILE_SHARED_H
#define FRONTEND_PTX_COMPILE_SHARED_H

#include "frontend/ptx/compile/builder.h"

/* Marks in decoder->reached the functions that the kernel can reach, and places the .shared variables that they name
 * or declare. False: they do not fit. */
bool ptx_place_shared(struct ptx_decoder *decoder);

#endif
