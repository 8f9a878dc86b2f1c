/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers of the dependence schemes (list.h). */
#ifndef GPU_SM_DEPENDENCE_HEADERS_H
#define GPU_SM_DEPENDENCE_HEADERS_H

#include "gpu/sm/dependence/control_bits.h"
#include "gpu/sm/dependence/scoreboard.h"

#endif
