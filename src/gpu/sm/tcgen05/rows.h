/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of tensor memory and of the tensor cores as tcgen05 uses them (stages/rows.h). */
SM_STAGE_OWN(tmem, struct sm_tmem)
SM_STAGE_LAYS_OUT(sm_tmem_lay_out)
SM_STAGE_SELDOM(SM_TURN_TMEM, sm_tmem_cycle, sm_tmem_next)
SM_STAGE_PARAMETER(tmem_latency,
                   MNP_NUMBER_ROW("sm.tmem.latency", "cycle", tmem_latency, "14", 1, 4096,
                                  "last pair of columns of a load or store of tensor memory to its end",
                                  "cicuvc/nvidia-sass-document, B200: one load of 16 columns with its wait, 24 cycles"))
SM_STAGE_PARAMETER(tmem_allocate, MNP_NUMBER_ROW("sm.tmem.allocate", "cycle", tmem_allocate, "253", 1, 1 << 20,
                                                 "that tcgen05.alloc takes where columns are free",
                                                 "ademeure/QuickRunCUDA, B300 (informal)"))
SM_STAGE_STATISTIC(SM_TMEM_MOVES,
                   MNP_COUNTER_ROW("tmem_moves", "instruction", "loads and stores of tensor memory (tcgen05.ld, st)"))
SM_STAGE_STATISTIC(SM_TMEM_CYCLES,
                   MNP_COUNTER_ROW("tmem_cycles", "cycle", "cycles for which they keep the ports of its quarters"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("tmem", "", "of executed programs: loads and stores of tensor memory under way"))

SM_STAGE_OWN(tcgen05, struct sm_tcgen05)
SM_STAGE_LAYS_OUT(sm_tcgen05_lay_out)
SM_STAGE_SELDOM(SM_TURN_TCGEN05, sm_tcgen05_cycle, sm_tcgen05_next)
SM_STAGE_PARAMETER(tcgen05_queue,
                   MNP_NUMBER_ROW("sm.tcgen05.queue", "command", tcgen05_queue, "6", 1, SM_TCGEN05_QUEUE,
                                  "products, copies and commits by which a sub-core's warps may be ahead",
                                  "cicuvc/nvidia-sass-document, B200, utchmma: about 6"))
SM_STAGE_PARAMETER(tcgen05_issue, MNP_NUMBER_ROW("sm.tcgen05.issue", "cycle", tcgen05_issue, "11", 1, 4096,
                                                 "from one command of a warp to its next instruction",
                                                 "arXiv 2512.02189, B200; 7 to 17 by cicuvc/nvidia-sass-document"))
SM_STAGE_PARAMETER(
    tcgen05_latency,
    MNP_NUMBER_ROW("sm.tcgen05.latency", "cycle", tcgen05_latency, "60", 1, 4096,
                   "issue of a product to the first wavefront of its operands",
                   "cicuvc/nvidia-sass-document, B200, utchmma: product, commit and wait of M128N8 take 133"))
SM_STAGE_PARAMETER(tcgen05_finish, MNP_NUMBER_ROW("sm.tcgen05.finish", "cycle", tcgen05_finish, "6", 1, 4096,
                                                  "last sums to tensor memory, and to the mbarrier of a commit",
                                                  "cicuvc/nvidia-sass-document, B200, utchmma: D read to D written"))
SM_STAGE_PARAMETER(tcgen05_copy,
                   MNP_NUMBER_ROW("sm.tcgen05.copy", "byte/cycle", tcgen05_copy, "64", 1, 4096,
                                  "that tcgen05.cp reads of shared memory; of one sub-core half as many, but "
                                  "for copies to several warps' lanes",
                                  "cicuvc/nvidia-sass-document, B200, utccp: four producers 63.9, one 32"))
SM_STAGE_STATISTIC(SM_TCGEN05_PRODUCTS, MNP_COUNTER_ROW("tcgen05_products", "instruction", "products of tcgen05.mma"))
SM_STAGE_STATISTIC(SM_TCGEN05_CYCLES,
                   MNP_COUNTER_ROW("tcgen05_cycles", "cycle", "cycles for which their sums keep the tensor cores"))
SM_STAGE_STATISTIC(SM_TCGEN05_WAVEFRONTS,
                   MNP_COUNTER_ROW("tcgen05_wavefronts", "cycle",
                                   "cycles for which they and tcgen05.cp keep the shared memory"))
SM_STAGE_STATISTIC(SM_TCGEN05_COPIES, MNP_COUNTER_ROW("tcgen05_copies", "instruction", "copies of tcgen05.cp"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("tcgen05", "",
                                 "of executed programs: commands that wait for the tensor cores, or are in them"))
