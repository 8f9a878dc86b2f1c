/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command schedulers. A scheduler X is a header of this folder, its #include in ../step.c, and a row here:
 *
 *   MNP_DRAM_SCHEDULER(MNP_DRAM_X, name in machine files, step, help)
 *
 *   void step(dram, cycle, event)   issues what it will in this cycle and sets `column_from` and `row_from`, before
 *                                   which nothing more can issue, whatever cycles are visited
 *
 * The order of the rows is that in which choices are printed.
 */
/* clang-format off */
MNP_DRAM_SCHEDULER(MNP_DRAM_FRFCFS, "frfcfs", mnp_frfcfs_step,
                   "the oldest request whose row is open, then the oldest (Rixner et al., ISCA 2000)")
MNP_DRAM_SCHEDULER(MNP_DRAM_FCFS, "fcfs", mnp_fcfs_step,
                   "strictly the oldest request")
/* clang-format on */
