/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stages of an SM and their rows (stages/rows.h says which rows there are). Stages with a turn in the cycle have it
 * in this order, after the packets and before the sub-cores. headers.h lists the headers of the same stages.
 */
/* clang-format off */

SM_STAGE_STATE(barrier, struct sm_barrier_state)

SM_STAGE_STATE(cta, struct sm_cta_state)
SM_STAGE_LAYS_OUT(sm_cta_lay_out)
SM_STAGE_INIT(sm_cta_init)
SM_STAGE_FREEZES(sm_cta_freeze)
SM_STAGE_TURN(SM_TURN_CTA, sm_cta_cycle, sm_cta_next)
SM_STAGE_PORT(SM_LAUNCH,
              MNP_IN_ROW("launch", "dispatch", gpu_launch, "CTAs, and the news that a kernel comes or has ended"))
SM_STAGE_PORT(SM_FINISH, MNP_OUT_ROW("finish", "dispatch", gpu_finish,
                                     "CTAs that have ended, or let the grid behind their own begin"))

SM_STAGE_STATE(cluster, struct sm_cluster_state)
SM_STAGE_INIT(sm_cluster_init)
SM_STAGE_TURN(SM_TURN_CLUSTER, sm_cluster_cycle, sm_cluster_next)
SM_STAGE_REPORTS(sm_cluster_report)
SM_STAGE_STATE_ROW(MNP_STATE_ROW("cluster", "", "cluster barriers: the next end of a phase"))

SM_STAGE_STATE(remote, struct sm_remote_state)
SM_STAGE_OWN(remote, struct sm_remote)
SM_STAGE_INIT(sm_remote_init)
SM_STAGE_FREEZES(sm_remote_freeze)
SM_STAGE_PORT(SM_REMOTE_OUT,
              MNP_OPTIONAL_OUT_ROW("remote requests out", "sm", gpu_remote,
                                   "accesses to shared memory of other SMs of the GPC, by their places there"))
SM_STAGE_PORT(SM_REMOTE_IN, MNP_OPTIONAL_IN_ROW("remote requests", "sm", gpu_remote, "such accesses of others"))
SM_STAGE_PORT(SM_ANSWERS_OUT, MNP_OPTIONAL_OUT_ROW("remote answers out", "sm", gpu_remote,
                                                   "what these have read, or that they are done"))
SM_STAGE_PORT(SM_ANSWERS_IN, MNP_OPTIONAL_IN_ROW("remote answers", "sm", gpu_remote, "the same of its own"))
SM_STAGE_HEARS(SM_REMOTE_IN, sm_remote_hear)
SM_STAGE_HEARS(SM_ANSWERS_IN, sm_remote_hear)
SM_STAGE_STATISTIC(SM_REMOTE_ACCESSES,
                   MNP_COUNTER_ROW("sm_to_sm_accesses", "instruction",
                                   "warp instructions that accessed shared memory of other SMs"))
SM_STAGE_STATISTIC(SM_REMOTE_PACKETS,
                   MNP_COUNTER_ROW("sm_to_sm_packets", "packet",
                                   "requests and answers, and news of barriers, that SMs sent to SMs"))
SM_STAGE_STATISTIC(SM_REMOTE_BYTES,
                   MNP_COUNTER_ROW("sm_to_sm_bytes", "byte", "that these took of the ports between SMs"))
SM_STAGE_STATISTIC(SM_REMOTE_WAIT, MNP_COUNTER_ROW("sm_to_sm_wait_cycles", "cycle",
                                                   "core cycles that they waited for these ports, summed"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("remote", "", "ports to the SM-to-SM network, requests that have not been answered"))

SM_STAGE_STATE(port, struct sm_port_state)
SM_STAGE_LAYS_OUT(sm_port_lay_out)
SM_STAGE_FREEZES(sm_port_freeze)
SM_STAGE_TURN(SM_TURN_PORT, sm_port_cycle, sm_port_next)
SM_STAGE_REPORTS(sm_port_report)
SM_STAGE_PORT(SM_REQUEST, MNP_OUT_ROW("request", "gpc", gpu_request, "misses, writes, atomics"))
SM_STAGE_PORT(SM_REPLY, MNP_IN_ROW("reply", "gpc", gpu_reply, "sectors read, acknowledgements"))
SM_STAGE_PORT(SM_CREDIT, MNP_IN_ROW("credit", "gpc", gpu_credit, "places given back in the GPC's queue"))
SM_STAGE_HEARS(SM_CREDIT, sm_port_hear)

SM_STAGE_STATE(store_joins, struct sm_store_joins_state)
SM_STAGE_LAYS_OUT(sm_store_joins_lay_out)
SM_STAGE_PARAMETER(store_joins,
                   MNP_NUMBER_ROW("sm.memory.joined_stores", "store", store_joins, "0", 0, 4096,
                                  "stores of an SM that may be merged at once into earlier ones of the same sectors, "
                                  "which wait for the port to the GPC; 0: each leaves by itself",
                                  "assumed from the V100 whitepaper and the Turing tuning guide: the L1 caches writes"))
SM_STAGE_STATE_ROW(MNP_STATE_ROW("store_joined", "store", "stores merged into others, which wait for their answer"))

SM_STAGE_STATE(l1d, struct sm_l1d_state)
SM_STAGE_CHECKS(sm_l1d_check)
SM_STAGE_LAYS_OUT(sm_l1d_lay_out)
SM_STAGE_INIT(sm_l1d_init)
SM_STAGE_REPLIES(SM_TO_L1D, sm_l1d_reply)
SM_STAGE_FORGETS(sm_l1d_invalidate)

SM_STAGE_STATE(l1i, struct sm_l1i_state)
SM_STAGE_CHECKS(sm_l1i_check)
SM_STAGE_LAYS_OUT(sm_l1i_lay_out)
SM_STAGE_INIT(sm_l1i_init)
SM_STAGE_REPLIES(SM_TO_L1I, sm_l1i_reply)
SM_STAGE_FORGETS(sm_l1i_invalidate)
SM_STAGE_REPORTS(sm_l1i_report)

SM_STAGE_FORGETS(sm_fetch_invalidate)
SM_STAGE_REPORTS(sm_fetch_report)

SM_STAGE_STATE(constant, struct sm_constant_state)
SM_STAGE_CHECKS(sm_constant_check)
SM_STAGE_LAYS_OUT(sm_constant_lay_out)
SM_STAGE_FORGETS(sm_constant_invalidate)

SM_STAGE_TURN(SM_TURN_LINE_FILL, sm_line_fill_cycle, sm_line_fill_next)

SM_STAGE_STATE(lsu, struct sm_lsu_state)
SM_STAGE_LAYS_OUT(sm_lsu_lay_out)
SM_STAGE_INIT(sm_lsu_init)
SM_STAGE_TURN(SM_TURN_LSU, sm_lsu_cycle, sm_lsu_next)
SM_STAGE_REPORTS(sm_lsu_report)

SM_STAGE_STATE(load, struct sm_load_state)
SM_STAGE_LAYS_OUT(sm_load_lay_out)
SM_STAGE_INIT(sm_load_init)

SM_STAGE_OWN(copies, struct sm_copies)
SM_STAGE_LAYS_OUT(sm_copies_lay_out)
SM_STAGE_STATE_ROW(MNP_STATE_ROW("copies", "", "per warp: groups of copies to shared memory under way"))

SM_STAGE_STATE(arrivals, struct sm_arrivals_state)
SM_STAGE_OWN(arrivals, struct sm_arrivals)
SM_STAGE_LAYS_OUT(sm_arrivals_lay_out)
SM_STAGE_SELDOM(SM_TURN_ARRIVALS, sm_arrivals_cycle, sm_arrivals_next)
SM_STAGE_STATE_ROW(MNP_STATE_ROW("arrivals", "",
                                 "of executed programs: arrivals at mbarriers that wait for copies to shared memory"))

#include "gpu/sm/tma/rows.h"

#include "gpu/sm/wgmma/rows.h"

#include "gpu/sm/tcgen05/rows.h"

SM_STAGE_STATE(wait, struct sm_wait_state)
SM_STAGE_SELDOM(SM_TURN_WAIT, sm_wait_cycle, sm_wait_next)
SM_STAGE_PARAMETER(phase_latency,
                   MNP_NUMBER_ROW("sm.mbarrier.latency", "cycle", phase_latency, "36", 1, 4096,
                                  "from a question for an mbarrier's phase to its predicate",
                                  "Sownelayt/ventus-env, H100: rounds of mbarrier.test_wait take 47 cycles; the same "
                                  "with FlashGPU-Sim, H200: a successful try_wait takes 43"))
SM_STAGE_PARAMETER(phase_wait, MNP_NUMBER_ROW("sm.mbarrier.wait", "cycle", phase_wait, "7776", 16, 1 << 24,
                                              "longest time that mbarrier.try_wait waits for the end of a phase",
                                              "FlashGPU-Sim, H200 NVL job 2119329: failed try_wait without hint"))

SM_STAGE_KERNEL_ENDS(sm_dependent_launch_ended)

SM_STAGE_LAYS_OUT(sm_depend_lay_out)
SM_STAGE_INIT(sm_depend_init)

SM_STAGE_LAYS_OUT(sm_live_lay_out)
SM_STAGE_INIT(sm_live_init)
SM_STAGE_FREEZES(sm_live_freeze)
SM_STAGE_PARAMETER(fence, MNP_NUMBER_ROW("sm.fence", "cycle", fence, "0", 0, 100000,
                                         "of executed programs: what a fence for the cluster, the GPU or the system "
                                         "takes when all that it covers is done",
                                         "FlashGPU-Sim, H200 NVL: store to another block and fence, less the store"))
SM_STAGE_PARAMETER(fence_beside,
                   MNP_FLAG_ROW("sm.fence_beside", fence_beside, "false",
                                "such a fence takes its time from the cycle on in which it begins to wait, beside the "
                                "accesses that it covers, and ends with the later of both",
                                "assumed; rounds of stores, fences and polls on an H200, docs/lab/hopper.md"))
SM_STAGE_PARAMETER(forget,
                   MNP_NUMBER_ROW("sm.forget", "cycle", forget, "0", 0, 100000,
                                  "of executed programs: what dropping the L1 takes a warp, at a fence or an acquire "
                                  "for others than the CTA, in machine code CCTL.IVALL",
                                  "hotneutron/amora, H100: fence of the GPU, 929 cycles, less sm.fence"))
SM_STAGE_PORT(SM_VALUES, MNP_OPTIONAL_OUT_ROW("values", "gpc", gpu_values,
                                              "operands of accesses that the L2 performs, when programs are executed"))
SM_STAGE_PORT(SM_RESULTS, MNP_OPTIONAL_IN_ROW("results", "gpc", gpu_values, "what such accesses have read"))
SM_STAGE_HEARS(SM_RESULTS, sm_live_hear)

#include "gpu/sm/steady_rows.h"

SM_STAGE_STATE(issue, struct sm_issue_state)
SM_STAGE_INIT(sm_issue_init)

SM_STAGE_OWN(parts, struct sm_parts)
SM_STAGE_LAYS_OUT(sm_parts_lay_out)
SM_STAGE_SELDOM(SM_TURN_PARTS, sm_parts_cycle, sm_parts_next)
/* clang-format on */
