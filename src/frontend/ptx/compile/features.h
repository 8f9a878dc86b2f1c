/* SPDX-License-Identifier: BSD-3-Clause */
/* Targets and versions of PTX that instructions need. */
#ifndef FRONTEND_PTX_COMPILE_FEATURES_H
#define FRONTEND_PTX_COMPILE_FEATURES_H

#include "frontend/ptx/compile/decode.h"

/* Whether the present statement, which has been split into words, is allowed for the module's target and version, and
 * has the words and numbers that an assembler asks for. False: an error. */
bool ptx_check_features(struct ptx_decoder *decoder);

#endif
