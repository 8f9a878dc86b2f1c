/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's list of replacement policies (src/parts/cache/policies/list.h), and the row that the example adds. */
#include_next "parts/cache/policies/list.h"
MNP_REPLACEMENT(MNP_REPLACE_MRU, "mru", mnp_mru_policy, "the line that was used last")
