/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The replacement policies that are compiled into the caches. A policy X is a header of this folder, its #include in
 * headers.h, and a row here:
 *
 *   MNP_REPLACEMENT(MNP_REPLACE_X, name in machine files, its struct mnp_policy (policy.h), a constant, help)
 *
 * The order of the rows is that in which choices are printed. A policy that is rather used for studies stands in the
 * list of called.c: it is reached through pointers.
 */
/* clang-format off */
MNP_REPLACEMENT(MNP_REPLACE_LRU, "lru", mnp_lru_policy, "the line that was used longest ago")
MNP_REPLACEMENT(MNP_REPLACE_FIFO, "fifo", mnp_fifo_policy, "the line that came first")
MNP_REPLACEMENT(MNP_REPLACE_PLRU, "plru", mnp_plru_policy, "tree of bits that point away from recent uses")
MNP_REPLACEMENT(MNP_REPLACE_SRRIP, "srrip", mnp_srrip_policy, "re-reference prediction of 2 bits: resists scans")
MNP_REPLACEMENT(MNP_REPLACE_RANDOM, "random", mnp_random_policy, "any line, by a hash that is the same in every run")
/* clang-format on */
