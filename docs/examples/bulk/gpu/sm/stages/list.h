/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's list of the stages of an SM (src/gpu/sm/stages/list.h), and the one line that the example adds. */
#include_next "gpu/sm/stages/list.h"
#include "bulk/rows.h"
