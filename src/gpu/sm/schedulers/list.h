/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The warp schedulers that are compiled into the SM, in the order in which users see them. A scheduler X is a header of
 * this folder, its #include in ../scheduler.h, and a row here:
 *
 *   SM_SCHEDULER(SM_SCHEDULER_X, x, TYPE, start, choose, name in machine files, what it does, source)
 *
 *   x, TYPE                                   its place in a union, and what it knows of a sub-core's warps: state, all
 *                                             zero at first
 *   void start(TYPE *, place, resident)       a warp starts at `place`, where `resident` warps already are
 *   uint32_t choose(const TYPE *, ready, last)  the place of the warp that issues: one of the mask `ready`, which is
 *                                             not empty; `last`: place that issued last
 *
 * Choices of sm.scheduler, its help, and the calls are expanded from these rows. A scheduler that sees more (what warps
 * have issued, hits and misses of the L1) or is rather used for studies stands in the list of called.c.
 */
/* clang-format off */
SM_SCHEDULER(SM_SCHEDULER_GTO, gto, struct sm_gto, sm_gto_start, sm_gto_choose,
             "gto", "greedy then oldest", "Rogers et al., MICRO 2012")
SM_SCHEDULER(SM_SCHEDULER_LRR, lrr, struct sm_lrr, sm_lrr_start, sm_lrr_choose,
             "lrr", "loose round robin", "Rogers et al., MICRO 2012")
SM_SCHEDULER(SM_SCHEDULER_CGGTY, cggty, struct sm_cggty, sm_cggty_start, sm_cggty_choose,
             "cggty", "greedy then youngest", "Huerta et al., arXiv 2503.20481")
/* clang-format on */
