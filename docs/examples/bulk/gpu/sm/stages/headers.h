/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's headers of the stages of an SM (src/gpu/sm/stages/headers.h), and the one line that the example adds. */
#include "bulk.h"
#include_next "gpu/sm/stages/headers.h"
