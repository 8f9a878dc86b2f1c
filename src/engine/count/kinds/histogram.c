/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts by bin, added bin by bin. Bounds of bins are powers of two (mnp_histogram_bound). */
#include "engine/count/kinds/kind.h"

const struct mnp_statistic_kind mnp_kind_histogram = {
    .name = "histogram",
    .word = "histogram",
    .form = MNP_BINS,
};
