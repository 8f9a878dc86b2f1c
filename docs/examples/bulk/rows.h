/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of bulk.h (src/gpu/sm/stages/rows.h). */
SM_STAGE_STATE(bulk, struct sm_bulk_state)
SM_STAGE_CHECKS(sm_bulk_check)
SM_STAGE_SELDOM(SM_TURN_BULK, sm_bulk_cycle, sm_bulk_next)
SM_STAGE_TAKES(sm_bulk_takes, sm_bulk_has_room, sm_bulk_issue)
SM_STAGE_REPLIES(SM_TO_BULK, sm_bulk_reply)
SM_STAGE_REPORTS(sm_bulk_report)
SM_STAGE_PARAMETER(bulk_bytes, MNP_SIZE_ROW("sm.bulk.bytes", "byte", bulk_bytes, "0", 0, 1 << 24,
                                            "what a bulk read reads; 0: there is no such unit", "assumed"))
SM_STAGE_PARAMETER(bulk_in_flight, MNP_NUMBER_ROW("sm.bulk.in_flight", "sector", bulk_in_flight, "8", 1, 4096,
                                                  "sectors of a bulk read that may be under way", "assumed"))
SM_STAGE_STATISTIC(SM_BULK_SECTORS, MNP_COUNTER_ROW("bulk_sectors", "sector", "sectors that bulk reads asked for"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("bulk", "", "the bulk read under way"))
