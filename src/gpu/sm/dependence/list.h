/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The schemes by which an instruction waits for its operands, in the order in which users see them. A scheme X is a
 * header of this folder (headers.h), a file of code beside it, and these rows, which name its functions in full:
 *
 *   SM_DEPENDENCE(SM_DEPENDENCE_X, name in machine files, what it does, source)
 *   SM_DEPENDENCE_STATE(x, TYPE, WARP)  struct sm_dependence has `x` of TYPE, whose arrays lie in the arena; a warp has
 *                                       `x` of WARP, all zero when it starts
 *
 * and for each of its functions a row of the form SM_DEPENDENCE_…(SM_DEPENDENCE_X, x, function), where `state` is its
 * TYPE * and `w` the WARP * of a warp:
 *
 *   LAYS_OUT  void (state, parameters, arena): takes the state of the SM's warps from the arena (base/arena.h)
 *   APPLIES   bool (kernel): whether the front-end has what the scheme needs; else the scoreboard decides
 *   START     void (state, warp): a warp starts
 *   READY     uint64_t (state, w, warp, instruction, at, cycle, &outlook): cycle from which the warp's next instruction
 *             may issue, `at` at the earliest, or SM_PENDING
 *   GUARDED   uint64_t (state, w, instruction, mask, at): the same where it may wait for predicates, too; `mask`: its
 *             lanes
 *   FENCE     bool (instruction): whether it waits as a fence does
 *   ISSUED    uint64_t (state, w, warp, instruction, ready, cycle): it has issued; `ready`: cycle from which its result
 *             can be used, MNP_NEVER for one of the memory pipeline. Returns the cycle before which the warp issues
 *             nothing
 *   READ      uint32_t (state, w, warp, instruction, cycle): the memory pipeline has read its sources
 *   WRITTEN   uint32_t (state, w, warp, instruction, ready, cycle): its result can be used from `ready` on. Both return
 *             the stalls (bits 1 << enum sm_stall) in which the warp may wait for that
 *
 * Define the macros of some rows and include this file, which undefines them again. Choices of sm.dependence, its help,
 * and the calls are expanded from these rows.
 */
/* clang-format off */
#ifndef SM_DEPENDENCE
#define SM_DEPENDENCE(KIND, NAME, HELP, SOURCE)
#endif
#ifndef SM_DEPENDENCE_STATE
#define SM_DEPENDENCE_STATE(MEMBER, TYPE, WARP)
#endif
#ifndef SM_DEPENDENCE_LAYS_OUT
#define SM_DEPENDENCE_LAYS_OUT(KIND, MEMBER, FUNCTION)
#endif
#ifndef SM_DEPENDENCE_APPLIES
#define SM_DEPENDENCE_APPLIES(KIND, MEMBER, FUNCTION)
#endif
#ifndef SM_DEPENDENCE_START
#define SM_DEPENDENCE_START(KIND, MEMBER, FUNCTION)
#endif
#ifndef SM_DEPENDENCE_READY
#define SM_DEPENDENCE_READY(KIND, MEMBER, FUNCTION)
#endif
#ifndef SM_DEPENDENCE_GUARDED
#define SM_DEPENDENCE_GUARDED(KIND, MEMBER, FUNCTION)
#endif
#ifndef SM_DEPENDENCE_ISSUED
#define SM_DEPENDENCE_ISSUED(KIND, MEMBER, FUNCTION)
#endif
#ifndef SM_DEPENDENCE_READ
#define SM_DEPENDENCE_READ(KIND, MEMBER, FUNCTION)
#endif
#ifndef SM_DEPENDENCE_WRITTEN
#define SM_DEPENDENCE_WRITTEN(KIND, MEMBER, FUNCTION)
#endif

SM_DEPENDENCE(SM_DEPENDENCE_SCOREBOARD, "scoreboard", "registers still to be written or read",
              "GPGPU-Sim manual, scoreboard")
SM_DEPENDENCE_STATE(scoreboard, struct sm_scoreboard, struct sm_scoreboard_warp)
SM_DEPENDENCE_LAYS_OUT(SM_DEPENDENCE_SCOREBOARD, scoreboard, sm_scoreboard_lay_out)
SM_DEPENDENCE_APPLIES(SM_DEPENDENCE_SCOREBOARD, scoreboard, sm_scoreboard_applies)
SM_DEPENDENCE_START(SM_DEPENDENCE_SCOREBOARD, scoreboard, sm_scoreboard_start)
SM_DEPENDENCE_READY(SM_DEPENDENCE_SCOREBOARD, scoreboard, sm_scoreboard_ready)
SM_DEPENDENCE_GUARDED(SM_DEPENDENCE_SCOREBOARD, scoreboard, sm_scoreboard_guarded)
SM_DEPENDENCE_ISSUED(SM_DEPENDENCE_SCOREBOARD, scoreboard, sm_scoreboard_issued)
SM_DEPENDENCE_READ(SM_DEPENDENCE_SCOREBOARD, scoreboard, sm_scoreboard_read)
SM_DEPENDENCE_WRITTEN(SM_DEPENDENCE_SCOREBOARD, scoreboard, sm_scoreboard_written)

SM_DEPENDENCE(SM_DEPENDENCE_CONTROL_BITS, "control-bits", "the compiler's, where a front-end has them, else scoreboard",
              "Huerta et al., arXiv 2503.20481, control bits")
SM_DEPENDENCE_STATE(control_bits, struct sm_control_bits, struct sm_control_bits_warp)
SM_DEPENDENCE_LAYS_OUT(SM_DEPENDENCE_CONTROL_BITS, control_bits, sm_control_bits_lay_out)
SM_DEPENDENCE_APPLIES(SM_DEPENDENCE_CONTROL_BITS, control_bits, sm_control_bits_applies)
SM_DEPENDENCE_START(SM_DEPENDENCE_CONTROL_BITS, control_bits, sm_control_bits_start)
SM_DEPENDENCE_READY(SM_DEPENDENCE_CONTROL_BITS, control_bits, sm_control_bits_ready)
SM_DEPENDENCE_GUARDED(SM_DEPENDENCE_CONTROL_BITS, control_bits, sm_control_bits_guarded)
SM_DEPENDENCE_ISSUED(SM_DEPENDENCE_CONTROL_BITS, control_bits, sm_control_bits_issued)
SM_DEPENDENCE_READ(SM_DEPENDENCE_CONTROL_BITS, control_bits, sm_control_bits_read)
SM_DEPENDENCE_WRITTEN(SM_DEPENDENCE_CONTROL_BITS, control_bits, sm_control_bits_written)

#undef SM_DEPENDENCE
#undef SM_DEPENDENCE_STATE
#undef SM_DEPENDENCE_LAYS_OUT
#undef SM_DEPENDENCE_APPLIES
#undef SM_DEPENDENCE_START
#undef SM_DEPENDENCE_READY
#undef SM_DEPENDENCE_GUARDED
#undef SM_DEPENDENCE_ISSUED
#undef SM_DEPENDENCE_READ
#undef SM_DEPENDENCE_WRITTEN
/* clang-format on */
