/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/arbitration.h"

#include <stddef.h>

const char *const mnp_arbitration_names[] = {
#define MNP_ARBITRATION(KIND, NAME, ...) NAME,
#include "parts/arbitrations/list.h"
#undef MNP_ARBITRATION
    NULL};
