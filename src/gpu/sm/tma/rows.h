/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the tensor memory accelerator (stages/rows.h). */
SM_STAGE_STATE(tma, struct sm_tma_state)
SM_STAGE_OWN(tma, struct sm_tma)
SM_STAGE_LAYS_OUT(sm_tma_lay_out)
SM_STAGE_INIT(sm_tma_init)
SM_STAGE_SELDOM(SM_TURN_TMA, sm_tma_cycle, sm_tma_next)
SM_STAGE_REPLIES(SM_TO_TMA, sm_tma_reply)
SM_STAGE_FORGETS(sm_tma_invalidate)
SM_STAGE_REPORTS(sm_tma_report)
SM_STAGE_PARAMETER(tma_copies, MNP_NUMBER_ROW("sm.tma.copies", "copy", tma_copies, "64", 32, SM_TMA_COPIES,
                                              "copies that the tensor memory accelerator has under way", "assumed"))
SM_STAGE_PARAMETER(tma_requests,
                   MNP_NUMBER_ROW("sm.tma.requests", "line", tma_requests, "384", 1, 4096, "its requests under way",
                                  "FlashGPU-Sim, model of the H200: 384 requests in flight per SM"))
SM_STAGE_PARAMETER(tma_maps, MNP_NUMBER_ROW("sm.tma.maps", "map", tma_maps, "16", 1, SM_TMA_MAPS,
                                            "tensor maps that it keeps", "assumed"))
SM_STAGE_PARAMETER(tma_command, MNP_NUMBER_ROW("sm.tma.command", "cycle", tma_command, "55", 1, 4096,
                                               "cycles between the beginnings of two copies",
                                               "seanzw/random dsm_bw, H200: 54.5; Sownelayt/ventus-env, H100: 55.3; "
                                               "QuickRunCUDA, B300: 48"))
SM_STAGE_PARAMETER(tma_latency, MNP_NUMBER_ROW("sm.tma.latency", "cycle", tma_latency, "10", 1, 4096,
                                               "beginning of a copy to its first request",
                                               "Sownelayt/ventus-env, H100: 261 to 276 cycles from the instruction to "
                                               "the mbarrier, of up to 256 bytes in the L2"))
SM_STAGE_PARAMETER(
    tma_map, MNP_NUMBER_ROW("sm.tma.map", "cycle", tma_map, "1", 0, 4096, "… more with a tensor map that is there",
                            "Sownelayt/ventus-env, H100: stores of 128 bytes with and without, to wait_group.read"))
SM_STAGE_PARAMETER(tma_dimension,
                   MNP_NUMBER_ROW("sm.tma.dimension", "cycle", tma_dimension, "1", 0, 4096,
                                  "… more for each dimension behind the first",
                                  "Sownelayt/ventus-env, H100: such stores of one to five dimensions, 49 to 53 cycles"))
SM_STAGE_PARAMETER(tma_decode,
                   MNP_NUMBER_ROW("sm.tma.decode", "cycle", tma_decode, "35", 0, 4096,
                                  "… and more with one that has just come from the L2",
                                  "Sownelayt/ventus-env, H100: the first such store with a map takes 278 to 320 cycles "
                                  "longer than the second, of which a read of the L2 is some 260"))
SM_STAGE_PARAMETER(
    tma_row, MNP_NUMBER_ROW("sm.tma.row", "cycle", tma_row, "1", 1, 256, "cycles that a row of a box takes at least",
                            "HPMLL/NVIDIA-Hopper-Benchmark, tma_bw, H800: boxes of 16 KB by the length of their rows"))
SM_STAGE_PARAMETER(
    tma_out,
    MNP_NUMBER_ROW("sm.tma.out", "byte", tma_out, "32", 1, 128, "that a copy to global memory sends in a cycle",
                   "Sownelayt/ventus-env, H100 and B200: stores of 2,560 to 4,096 bytes behind one another, "
                   "1 cycle more than 32 bytes take each"))
SM_STAGE_PARAMETER(
    tma_posted,
    MNP_FLAG_ROW(
        "sm.tma.posted", tma_posted, "true",
        "groups of copies to global memory are complete when their sources have been read; false: when the L2 "
        "has answered, as reductions always are",
        "Sownelayt/ventus-env, H100 and B200: cp.async.bulk.wait_group ends 34 cycles behind the last of 8 stores"))
SM_STAGE_PARAMETER(tma_finish, MNP_NUMBER_ROW("sm.tma.finish", "cycle", tma_finish, "8", 1, 4096,
                                              "last reply to the mbarrier, or the group of copies",
                                              "assumed, part of the measured latency"))
SM_STAGE_STATISTIC(SM_TMA_COMMANDS,
                   MNP_COUNTER_ROW("tma_copies", "copy", "copies begun by the tensor memory accelerators"))
SM_STAGE_STATISTIC(SM_TMA_ROWS,
                   MNP_COUNTER_ROW("tma_rows", "row", "rows of their boxes, and of 2 KiB without a tensor map"))
SM_STAGE_STATISTIC(SM_TMA_LINES, MNP_COUNTER_ROW("tma_requests", "packet", "lines that they have asked the L2 for"))
SM_STAGE_STATISTIC(SM_TMA_BYTES, MNP_COUNTER_ROW("tma_bytes", "byte", "bytes that they have moved"))
SM_STAGE_STATISTIC(SM_TMA_MAP_MISSES,
                   MNP_COUNTER_ROW("tma_map_misses", "copy", "copies whose tensor map was fetched first"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("tma", "",
                                 "of executed programs: copies under way and their requests, tensor maps kept"))
