/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schemes by which an instruction waits for its operands: one line each. A scheme ID is a header of this folder,
 * and a file of code beside it, with
 *
 *     struct sm_ID                 of an SM; what the state of its warps is lies in the arena or in …
 *     struct sm_ID_warp            … the warp itself
 *     void sm_ID_lay_out(struct sm_ID *, parameters, arena)
 *                                  takes the state of the SM's warps from the arena (base/arena.h, mnp_layout)
 *     bool sm_ID_applies(kernel)   whether the front-end has what the scheme needs; else the scoreboard decides
 *     void sm_ID_start(struct sm_ID *, warp)  a warp starts, its struct sm_ID_warp is zero
 *     uint64_t sm_ID_ready(struct sm_ID *, w, warp, instruction, at, cycle, &again)
 *                                  cycle from which the warp's next instruction may issue, `at` at the earliest, or
 *                                  SM_PENDING; `again`: cycle at which to ask again in any case, else untouched
 *     uint64_t sm_ID_guarded(struct sm_ID *, w, instruction, mask, at)
 *                                  … where it may wait for predicates, too; `mask`: its lanes
 *     bool sm_ID_is_fence(instruction)
 *     uint64_t sm_ID_issued(struct sm_ID *, w, warp, instruction, ready, cycle)
 *                                  it has issued; `ready`: cycle from which its result can be used, MNP_NEVER for one
 *                                  of the memory pipeline. Returns the cycle before which the warp issues nothing
 *     uint32_t sm_ID_read(struct sm_ID *, w, warp, instruction, cycle)
 *     uint32_t sm_ID_written(struct sm_ID *, w, warp, instruction, ready, cycle)
 *                                  the memory pipeline has read its sources; its result can be used from `ready` on.
 *                                  They return the stalls (bits 1 << enum sm_stall) in which the warp may wait for that
 *
 * and a row SM_DEPENDENCE(ID, name in machine files, what it does, source) for whoever includes this list with that
 * macro defined. Choices of sm.dependence, its help, and the calls are expanded from these rows.
 */
/* In the order in which users see them. */
/* clang-format off */
#include "gpu/sm/dependence/scoreboard.h"
#include "gpu/sm/dependence/control_bits.h"
/* clang-format on */
