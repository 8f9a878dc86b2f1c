/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of the tensor cores as warpgroups use them (stages/rows.h). */
SM_STAGE_STATE(wgmma, struct sm_wgmma_state)
SM_STAGE_OWN(wgmma, struct sm_wgmma)
SM_STAGE_LAYS_OUT(sm_wgmma_lay_out)
SM_STAGE_SELDOM(SM_TURN_WGMMA, sm_wgmma_cycle, sm_wgmma_next)
SM_STAGE_PARAMETER(wgmma_queue, MNP_NUMBER_ROW("sm.wgmma.queue", "product", wgmma_queue, "7", 1, SM_WGMMA_QUEUE,
                                               "products by which a warpgroup may be ahead of the tensor cores",
                                               "cicuvc/nvidia-sass-document, wgmma, H100 and H800"))
SM_STAGE_PARAMETER(
    wgmma_latency,
    MNP_NUMBER_ROW("sm.wgmma.latency", "cycle", wgmma_latency, "39", 1, 4096,
                   "beginning of a product to its sums in the registers, beyond N/2: issue and wait take 4 more",
                   "FlashGPU-Sim, H200 NVL: one wgmma, issue to wait_group: 43 + N/2"))
SM_STAGE_PARAMETER(wgmma_registers,
                   MNP_NUMBER_ROW("sm.wgmma.registers", "cycle", wgmma_registers, "10", 0, 4096,
                                  "by which it is shorter with A out of registers", "FlashGPU-Sim, H200 NVL: 33 + N/2"))
SM_STAGE_PARAMETER(wgmma_interval, MNP_NUMBER_ROW("sm.wgmma.interval", "cycle", wgmma_interval, "12", 1, 4096,
                                                  "cycles between the beginnings of two products at least",
                                                  "cicuvc/nvidia-sass-document, wgmma: A out of registers, n8 and n16"))
SM_STAGE_PARAMETER(wgmma_slower,
                   MNP_NUMBER_ROW("sm.wgmma.slower", "", wgmma_slower, "1", 1, 64,
                                  "times N/2 cycles that a product keeps the tensor cores: boards sold with a "
                                  "part of the chip's rate",
                                  "cicuvc/nvidia-sass-document, wgmma, H20: 2 N cycles, 4"))
SM_STAGE_STATISTIC(SM_WGMMA_PRODUCTS, MNP_COUNTER_ROW("wgmma_products", "instruction", "products of warpgroups"))
SM_STAGE_STATISTIC(SM_WGMMA_CYCLES,
                   MNP_COUNTER_ROW("wgmma_cycles", "cycle", "cycles for which they keep the tensor cores"))
SM_STAGE_STATISTIC(SM_WGMMA_WAVEFRONTS,
                   MNP_COUNTER_ROW("wgmma_wavefronts", "cycle", "cycles for which they keep the shared memory"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("wgmma", "",
                                 "of executed programs: products that wait for the tensor cores, or are in them"))
