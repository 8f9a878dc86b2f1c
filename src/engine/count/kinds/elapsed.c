/* SPDX-License-Identifier: BSD-3-Clause */
/* A quantity that grows with time whether used or not, such as issue slots; the ledger computes it from the models'
 * rates (`pace`). */
#include "engine/count/kinds/kind.h"

const struct mnp_statistic_kind mnp_kind_elapsed = {
    .name = "elapsed",
    .word = "elapsed",
    .note = "passes with the time",
    .form = MNP_WHOLE,
    .paced = true,
    .adds_up = true,
};
