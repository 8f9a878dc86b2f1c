/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kinds of statistics, one row each. A file that includes this list defines MNP_STATISTIC_KIND(KIND) for its
 * purpose; KIND is a struct mnp_statistic_kind (kind.h), defined in a file of this folder.
 */
MNP_STATISTIC_KIND(mnp_kind_counter)
MNP_STATISTIC_KIND(mnp_kind_maximum)
MNP_STATISTIC_KIND(mnp_kind_ratio)
MNP_STATISTIC_KIND(mnp_kind_histogram)
MNP_STATISTIC_KIND(mnp_kind_elapsed)
MNP_STATISTIC_KIND(mnp_kind_weighted)
MNP_STATISTIC_KIND(mnp_kind_distinct)
