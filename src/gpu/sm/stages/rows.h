/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of all stages, for whoever defines what to make of some of them: include this file after that, and it is
 * undefined again. A stage ID has those of these rows that apply to it:
 *
 *   SM_STAGE_STATE(ID)     struct sm_ID_state: its state in the arena, all zero at first, at sm->state->ID
 *   SM_STAGE_OWN(ID)       struct sm_ID: what is fixed by the machine, and where its arrays lie, at sm->ID
 *   SM_STAGE_CHECKS(ID)    bool sm_ID_check(parameters, error): whether these parameters can be built
 *   SM_STAGE_LAYS_OUT(ID)  void sm_ID_lay_out(sm, arena): takes its arrays, twice (base/arena.h, mnp_layout)
 *   SM_STAGE_INIT(ID)      void sm_ID_init(sm): finds what is fixed, gives its state the values that are not zero
 *   SM_STAGE_FREEZES(ID)   void sm_ID_freeze(sm): all links are connected
 *   SM_STAGE_TURN(ID)      void sm_ID_cycle(sm, cycle): its turn in a cycle in which it may have something to do, and
 *                          uint64_t sm_ID_next(sm, cycle): the next such cycle after this one, MNP_NEVER if there is
 *                          none before somebody calls sm_wake_stage(sm, SM_TURN_ID, cycle) of events.h. It may be
 *                          called in other cycles, too
 *   SM_STAGE_SELDOM(ID)    the same, of a stage that has nothing to do in most runs: the turns of these come after the
 *                          others', and cost one comparison together while none of them is due
 *   SM_STAGE_TAKES(ID)     bool sm_ID_takes(parameters, instruction): whether such instructions go to this stage,
 *                          bool sm_ID_has_room(sm): whether it takes one now; if not, the warp waits until somebody
 *                          calls sm_wake_refused, and
 *                          void sm_ID_issue(sm, warp, instruction, record, cycle): the warp's next instruction does.
 *                          It is then outstanding: registers that it writes are pending, and fences and the end of the
 *                          CTA wait for it, until the stage says sm_depend_read, sm_depend_written (depend.h) and
 *                          sm_cta_access_done (cta.h)
 *   SM_STAGE_REPLIES(ID)   void sm_ID_reply(sm, reply, cycle): the answer to a request whose tag sm_port_tag made
 *   SM_STAGE_HEARS(ID, PORT)  void sm_ID_hear(sm, at, packet, cycle): a packet has come by this port of its
 *   SM_STAGE_FORGETS(ID)   void sm_ID_invalidate(sm): a kernel has ended
 *   SM_STAGE_REPORTS(ID)   void sm_ID_report(sm, out): a line for what it waits for, in the report of a hang
 *
 * and the rows of its tables, which follow the SM's own (engine/declare/declare.h):
 *
 *   SM_STAGE_PARAMETER(FIELD, ROW)   a uint64_t in struct sm_parameters, and its row
 *   SM_STAGE_STATISTIC(NUMBER, ROW)  a number in enum sm_statistic, and its row; no histogram
 *   SM_STAGE_PORT(NUMBER, ROW)       a number in enum sm_ports, and its row
 *   SM_STAGE_STATE_ROW(ROW)          what it has in the arena, in words
 *
 * Everything is expanded at compile time: a stage that has no turn costs nothing in a cycle, one that takes no
 * instructions nothing at issue.
 */
#define SM_STAGE_ROWS
/* clang-format off */
#ifndef SM_STAGE_STATE
#define SM_STAGE_STATE(ID)
#endif
#ifndef SM_STAGE_OWN
#define SM_STAGE_OWN(ID)
#endif
#ifndef SM_STAGE_CHECKS
#define SM_STAGE_CHECKS(ID)
#endif
#ifndef SM_STAGE_LAYS_OUT
#define SM_STAGE_LAYS_OUT(ID)
#endif
#ifndef SM_STAGE_INIT
#define SM_STAGE_INIT(ID)
#endif
#ifndef SM_STAGE_FREEZES
#define SM_STAGE_FREEZES(ID)
#endif
#ifndef SM_STAGE_TURN
#define SM_STAGE_TURN(ID)
#endif
#ifndef SM_STAGE_SELDOM
#define SM_STAGE_SELDOM(ID)
#endif
#ifndef SM_STAGE_TAKES
#define SM_STAGE_TAKES(ID)
#endif
#ifndef SM_STAGE_REPLIES
#define SM_STAGE_REPLIES(ID)
#endif
#ifndef SM_STAGE_HEARS
#define SM_STAGE_HEARS(ID, PORT)
#endif
#ifndef SM_STAGE_FORGETS
#define SM_STAGE_FORGETS(ID)
#endif
#ifndef SM_STAGE_REPORTS
#define SM_STAGE_REPORTS(ID)
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
#undef SM_STAGE_REPORTS
#undef SM_STAGE_PARAMETER
#undef SM_STAGE_STATISTIC
#undef SM_STAGE_PORT
#undef SM_STAGE_STATE_ROW
#undef SM_STAGE_ROWS
/* clang-format on */
