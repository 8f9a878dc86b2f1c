/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of prefetchers of the L1 data cache: one line each, in the order in which users see them. */
#include "gpu/sm/prefetchers/prefetcher.h"

const struct mnp_part *const sm_prefetchers[] = {
    &sm_stride_prefetcher.part,
    NULL,
};
