/* SPDX-License-Identifier: BSD-3-Clause */
/* A maximum over time, units, kernels and processes. */
#include "engine/count/kinds/kind.h"

static void take_greater(uint64_t *into, uint64_t counter)
{
    if (*into < counter)
        *into = counter;
}

const struct mnp_statistic_kind mnp_kind_maximum = {
    .name = "maximum",
    .word = "maximum",
    .note = "greatest over units",
    .form = MNP_WHOLE,
    .level = true,
    .add = take_greater,
};
