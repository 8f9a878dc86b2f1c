/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of warp schedulers that are called: one line each, behind those of list.h in the order of choices. */
#include "gpu/sm/schedulers/called.h"

const struct mnp_part *const sm_called_schedulers[] = {
    &sm_cawa_scheduler.part,
    &sm_ccws_scheduler.part,
    NULL,
};
