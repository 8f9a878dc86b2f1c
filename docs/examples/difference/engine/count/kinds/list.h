/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's list of kinds of statistics (src/engine/count/kinds/list.h), and the one line that the example adds. */
#include_next "engine/count/kinds/list.h"
MNP_STATISTIC_KIND(mnp_kind_difference)
