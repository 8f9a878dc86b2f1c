/* SPDX-License-Identifier: BSD-3-Clause */
/* How many different numbers were seen: units, kernels and processes are joined by the union of their sets. */
#include "engine/count/distinct.h"
#include "engine/count/kinds/kind.h"

const struct mnp_statistic_kind mnp_kind_distinct = {
    .name = "distinct",
    .word = "set",
    .note = "union over units and kernels",
    .form = MNP_WHOLE,
    .level = true,
    .join = mnp_distinct_join,
};
