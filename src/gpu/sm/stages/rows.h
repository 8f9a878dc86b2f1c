/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of all stages (list.h). To expand some of them, define their macros and include this file, which undefines
 * them again. Rows name functions and constants in full, so that a search for a function finds its caller here. A stage
 * has those rows that apply to it, where sm_X_… stands for functions that the stage defines:
 *
 *   SM_STAGE_STATE(X, TYPE)       sm->state->X of this type: its state in the arena, all zero at first
 *   SM_STAGE_OWN(X, TYPE)         sm->X of this type: what is fixed by the machine, and where its arrays lie
 *   SM_STAGE_CHECKS(sm_X_check)   bool sm_X_check(parameters, error): whether these parameters can be built
 *   SM_STAGE_LAYS_OUT(sm_X_lay_out)  void sm_X_lay_out(sm, arena): takes its arrays, twice (base/arena.h, mnp_layout)
 *   SM_STAGE_INIT(sm_X_init)      void sm_X_init(sm): finds what is fixed, gives its state the values that are not zero
 *   SM_STAGE_FREEZES(sm_X_freeze) void sm_X_freeze(sm): all links are connected
 *   SM_STAGE_TURN(SM_TURN_X, sm_X_cycle, sm_X_next)
 *                          void sm_X_cycle(sm, cycle): its turn in a cycle in which it may have something to do, and
 *                          uint64_t sm_X_next(sm, cycle): the next such cycle after this one, MNP_NEVER if there is
 *                          none before somebody calls sm_wake_stage(sm, SM_TURN_X, cycle) of events.h. It may be
 *                          called in other cycles, too. SM_TURN_X becomes a constant of enum sm_turn
 *   SM_STAGE_SELDOM(SM_TURN_X, sm_X_cycle, sm_X_next)
 *                          the same, of a stage that has nothing to do in most runs: the turns of these come after the
 *                          others', and cost one comparison together while none of them is due
 *   SM_STAGE_TAKES(sm_X_takes, sm_X_has_room, sm_X_issue)
 *                          bool sm_X_takes(parameters, instruction): whether such instructions go to this stage,
 *                          bool sm_X_has_room(sm): whether it takes one now; if not, the warp waits until somebody
 *                          calls sm_wake_refused, and
 *                          void sm_X_issue(sm, warp, instruction, record, cycle): the warp's next instruction does.
 *                          It is then outstanding: registers that it writes are pending, and fences and the end of the
 *                          CTA wait for it, until the stage says sm_depend_read, sm_depend_written (depend.h) and
 *                          sm_cta_access_done (cta.h)
 *   SM_STAGE_REPLIES(SM_TO_X, sm_X_reply)
 *                          void sm_X_reply(sm, reply, cycle): the answer to a request whose tag is
 *                          sm_port_tag(SM_TO_X, …). SM_TO_X becomes a constant of enum sm_port_owner
 *   SM_STAGE_HEARS(PORT, sm_X_hear)  void sm_X_hear(sm, at, packet, cycle): a packet has come by this port of its
 *   SM_STAGE_FORGETS(sm_X_invalidate)  void sm_X_invalidate(sm): a kernel has ended
 *   SM_STAGE_KERNEL_ENDS(sm_X_ended)  void sm_X_ended(sm, launch, cycle): a launch has ended, of which this SM may have
 *                                  had no CTA
 *   SM_STAGE_REPORTS(sm_X_report)  void sm_X_report(sm, out): a line for what it waits for, in the report of a hang
 *
 * and the rows of its tables, which follow the SM's own (engine/declare/declare.h), as those of listeners do
 * (gpu/listeners/rows.h):
 *
 *   SM_STAGE_PARAMETER(FIELD, ROW)   a uint64_t in struct sm_parameters, and its row
 *   SM_STAGE_STATISTIC(NUMBER, ROW)  a number in enum sm_statistic, and its row; no histogram
 *   SM_STAGE_PORT(NUMBER, ROW)       a number in enum sm_ports, and its row
 *   SM_STAGE_STATE_ROW(ROW)          what it has in the arena, in words
 *
 * Everything is expanded at compile time: a stage that has no turn costs nothing in a cycle, one that takes no
 * instructions nothing at issue.
 */
/* clang-format off */
#ifndef SM_STAGE_STATE
#define SM_STAGE_STATE(MEMBER, TYPE)
#endif
#ifndef SM_STAGE_OWN
#define SM_STAGE_OWN(MEMBER, TYPE)
#endif
#ifndef SM_STAGE_CHECKS
#define SM_STAGE_CHECKS(CHECK)
#endif
#ifndef SM_STAGE_LAYS_OUT
#define SM_STAGE_LAYS_OUT(LAY_OUT)
#endif
#ifndef SM_STAGE_INIT
#define SM_STAGE_INIT(INIT)
#endif
#ifndef SM_STAGE_FREEZES
#define SM_STAGE_FREEZES(FREEZE)
#endif
#ifndef SM_STAGE_TURN
#define SM_STAGE_TURN(TURN, CYCLE, NEXT)
#endif
#ifndef SM_STAGE_SELDOM
#define SM_STAGE_SELDOM(TURN, CYCLE, NEXT)
#endif
#ifndef SM_STAGE_TAKES
#define SM_STAGE_TAKES(TAKES, HAS_ROOM, ISSUE)
#endif
#ifndef SM_STAGE_REPLIES
#define SM_STAGE_REPLIES(OWNER, REPLY)
#endif
#ifndef SM_STAGE_HEARS
#define SM_STAGE_HEARS(PORT, HEAR)
#endif
#ifndef SM_STAGE_FORGETS
#define SM_STAGE_FORGETS(INVALIDATE)
#endif
#ifndef SM_STAGE_KERNEL_ENDS
#define SM_STAGE_KERNEL_ENDS(END)
#endif
#ifndef SM_STAGE_REPORTS
#define SM_STAGE_REPORTS(REPORT)
#endif
#ifndef SM_STAGE_PARAMETER
#define SM_STAGE_PARAMETER(FIELD, ROW)
#endif
#ifndef SM_STAGE_STATISTIC
#define SM_STAGE_STATISTIC(NUMBER, ROW)
#endif
#ifndef SM_STAGE_PORT
#define SM_STAGE_PORT(NUMBER, ROW)
#endif
#ifndef SM_STAGE_STATE_ROW
#define SM_STAGE_STATE_ROW(ROW)
#endif
#include "gpu/sm/stages/list.h"
#include "gpu/listeners/rows.h"
#undef SM_STAGE_STATE
#undef SM_STAGE_OWN
#undef SM_STAGE_CHECKS
#undef SM_STAGE_LAYS_OUT
#undef SM_STAGE_INIT
#undef SM_STAGE_FREEZES
#undef SM_STAGE_TURN
#undef SM_STAGE_SELDOM
#undef SM_STAGE_TAKES
#undef SM_STAGE_REPLIES
#undef SM_STAGE_HEARS
#undef SM_STAGE_FORGETS
#undef SM_STAGE_KERNEL_ENDS
#undef SM_STAGE_REPORTS
#undef SM_STAGE_PARAMETER
#undef SM_STAGE_STATISTIC
#undef SM_STAGE_PORT
#undef SM_STAGE_STATE_ROW
/* clang-format on */
