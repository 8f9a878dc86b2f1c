/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arbitrations. An arbitration X is a header of this folder, its #include in ../arbitration.h, and a row here:
 *
 *   MNP_ARBITRATION(MNP_ARBITRATION_X, name in machine files, choose, help)
 *
 *   uint32_t choose(claims, born, owner)   the place that is served; changes nothing
 *
 * The order of the rows is that in which choices are printed.
 */
/* clang-format off */
MNP_ARBITRATION(MNP_ARBITRATION_OLDEST, "oldest", mnp_arbitration_oldest, "the oldest")
MNP_ARBITRATION(MNP_ARBITRATION_ROUND_ROBIN, "round_robin", mnp_arbitration_round_robin, "whose turn it is")
/* clang-format on */
