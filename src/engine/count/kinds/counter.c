/* SPDX-License-Identifier: BSD-3-Clause */
/* Counted events: summed over units, kernels and processes. */
#include "engine/count/kinds/kind.h"

const struct mnp_statistic_kind mnp_kind_counter = {
    .name = "counter",
    .word = "counter",
    .form = MNP_WHOLE,
    .counted = true,
    .adds_up = true,
};
