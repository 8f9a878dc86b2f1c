/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dependences by control bits (Huerta et al., arXiv 2503.20481, control bits; Jia et al., arXiv 1804.06826): the
 * compiler states how many cycles a warp has to stall behind an instruction, and six counters per warp which rise when
 * an instruction of variable latency issues and fall when it has read its sources or written its result. An instruction
 * names the counters that have to be zero before it issues; DEPBAR.LE waits for one to fall to a value. Registers are
 * not looked at: wrong bits give wrong times, as they would give wrong results.
 *
 * A counter rises one stage behind issue: an instruction in the very next cycle does not see it yet.
 *
 * The hardware's counters count to 63 each; here 63 events of all six may be outstanding for a warp.
 */
#ifndef GPU_SM_DEPENDENCE_CONTROL_BITS_H
#define GPU_SM_DEPENDENCE_CONTROL_BITS_H

#include "base/arena.h"
#include "gpu/sm/dependence/outlook.h"
#include "gpu/sm/limits.h"
#include "gpu/sm/parameters.h"

#include <stdbool.h>

enum { SM_RELEASES = 65 };

struct sm_counters {    /* counters of a warp */
    uint64_t issued_at; /* cycle of its last issue */
    uint16_t releases;
    uint8_t outstanding; /* sum of the counts */
    uint8_t nonzero;     /* counters that are not zero, one bit each */
    uint8_t count[MNP_COUNTERS];
    uint8_t rising[MNP_COUNTERS];  /* by which the last issue has raised them */
    uint64_t release[SM_RELEASES]; /* cycle << 3 | counter, in order of time: when counters fall */
};

struct sm_control_bits {
    struct sm_counters *warps; /* [warps] */
};

struct sm_control_bits_warp {
    uint8_t none; /* all lies in struct sm_counters */
};

void sm_control_bits_lay_out(struct sm_control_bits *bits, const struct sm_parameters *parameters,
                             struct mnp_arena *arena);

/* Accel-Sim's traces have no control bits. */
static inline bool sm_control_bits_applies(const struct mnp_kernel *kernel)
{
    return kernel->has_control;
}

void sm_control_bits_start(struct sm_control_bits *bits, uint32_t warp);
uint64_t sm_control_bits_ready(struct sm_control_bits *bits, const struct sm_control_bits_warp *w, uint32_t warp,
                               const struct mnp_static_instruction *instruction, uint64_t at, uint64_t cycle,
                               struct sm_outlook *outlook);
uint64_t sm_control_bits_issued(struct sm_control_bits *bits, const struct sm_control_bits_warp *w, uint32_t warp,
                                const struct mnp_static_instruction *instruction, uint64_t ready, uint64_t cycle);
uint32_t sm_control_bits_read(struct sm_control_bits *bits, const struct sm_control_bits_warp *w, uint32_t warp,
                              const struct mnp_static_instruction *instruction, uint64_t cycle);
uint32_t sm_control_bits_written(struct sm_control_bits *bits, const struct sm_control_bits_warp *w, uint32_t warp,
                                 const struct mnp_static_instruction *instruction, uint64_t ready, uint64_t cycle);

/* Counters say when predicates are there. */
static inline uint64_t sm_control_bits_guarded(const struct sm_control_bits *bits, const struct sm_control_bits_warp *w,
                                               const struct mnp_static_instruction *instruction, uint32_t mask,
                                               uint64_t at)
{
    (void)bits, (void)w, (void)instruction, (void)mask;
    return at;
}

#endif
