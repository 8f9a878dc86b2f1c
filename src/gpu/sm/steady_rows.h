/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of steady.h (stages/rows.h). */
SM_STAGE_OWN(steady, struct sm_steady)
SM_STAGE_CHECKS(sm_steady_check)
SM_STAGE_LAYS_OUT(sm_steady_lay_out)
SM_STAGE_FREEZES(sm_steady_freeze)
SM_STAGE_SELDOM(SM_TURN_STEADY, sm_steady_cycle, sm_steady_next)
SM_STAGE_PORT(SM_TOUCHES, MNP_OPTIONAL_OUT_ROW("touches", "gpc", gpu_touch, "what is passed over, with --steady"))
SM_STAGE_PARAMETER(steady_period, MNP_NUMBER_ROW("sm.steady.period", "cycle", steady_period, "0", 0, 1 << 30,
                                                 "at the beginning of each, sm.steady.detail cycles are simulated in "
                                                 "full, and others where a kernel is not steady; 0: all are",
                                                 "--steady"))
SM_STAGE_PARAMETER(steady_detail,
                   MNP_NUMBER_ROW("sm.steady.detail", "cycle", steady_detail, "4096", 64, 1 << 30,
                                  "cycles of a slot, in which a pace is measured, those of the warm-up included",
                                  "--steady"))
SM_STAGE_PARAMETER(steady_warm,
                   MNP_NUMBER_ROW("sm.steady.warm", "cycle", steady_warm, "2048", 0, 1 << 30,
                                  "cycles of a slot, at its beginning, in which no pace is measured", "--steady"))
SM_STAGE_PARAMETER(
    steady_turn, MNP_NUMBER_ROW("sm.steady.turn", "cycle", steady_turn, "64", 8, 1 << 16,
                                "cycles between two turns of an SM that passes over: warps go on in rows of an eighth "
                                "as many instructions, so that longer ones cost less, and CTAs end at a turn",
                                "--steady"))
SM_STAGE_STATISTIC(SM_STEADY_INSTRUCTIONS,
                   MNP_COUNTER_ROW("steady_instructions", "instruction",
                                   "warp instructions that were passed over (--steady): executed, but not simulated"))
SM_STAGE_STATISTIC(SM_STEADY_CYCLES, MNP_COUNTER_ROW("steady_cycles", "cycle", "cycles of SMs for which that was so"))
SM_STAGE_STATISTIC(SM_STEADY_SAMPLES,
                   MNP_COUNTER_ROW("steady_samples", "sample", "times that an SM's pace was measured"))
SM_STAGE_STATISTIC(SM_STEADY_SMS, MNP_COUNTER_ROW("steady_sms", "SM", "SMs that have passed over some of a kernel"))
SM_STAGE_STATISTIC(SM_STEADY_STRETCHES, MNP_COUNTER_ROW("steady_stretches", "stretch", "times that they began to"))
SM_STAGE_STATISTIC(SM_STEADY_CHECKS,
                   MNP_COUNTER_ROW("steady_checks", "sample", "paces that were measured behind a stretch passed over"))
SM_STAGE_STATISTIC(SM_STEADY_SQUARES, MNP_COUNTER_ROW("steady_squares", "cycle^2",
                                                      "squares of the lengths of stretches that were passed over"))
SM_STAGE_STATISTIC(SM_STEADY_CHECKED,
                   MNP_COUNTER_ROW("steady_checked", "cycle", "length of stretches behind which a pace was measured"))
SM_STAGE_STATISTIC(SM_STEADY_ERRORS,
                   MNP_COUNTER_ROW("steady_errors", "cycle",
                                   "... times that pace's difference from the stretch's, of their mean"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("steady", "", "of --steady: paces that were measured, and what may go at them"))
