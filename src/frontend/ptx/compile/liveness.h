/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of registers: values that are never live at the same time may share one. */
#ifndef FRONTEND_PTX_COMPILE_LIVENESS_H
#define FRONTEND_PTX_COMPILE_LIVENESS_H

#include "frontend/ptx/compile/builder.h"

/* Gives virtual references places in the frame. */
void ptx_place_references(struct ptx_decoder *decoder);

#endif
