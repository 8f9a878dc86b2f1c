/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Criticality-aware scheduling (S.-Y. Lee, A. Arunkumar and C.-J. Wu, "CAWA: coordinated warp scheduling and cache
 * prioritization for critical warp acceleration of GPGPU workloads", ISCA 2015): the warp that issued last goes on
 * while it is ready, then the most critical one. A warp's criticality is the time that it will still take,
 *
 *     instructions left · cycles per instruction + cycles that it has waited.
 *
 * The paper counts instructions left up by the length of the path that a branch takes, and down with each one issued.
 * Here they are those from the warp's next instruction to the last one that any warp of the SM has come to, which
 * changes by the same amounts: a branch over a path takes its length away, one back adds the loop's. The paper's
 * priority of the critical warp's lines in the L1 is not modelled.
 *
 * Of equally critical warps the one at the lowest place issues.
 */
#include "gpu/sm/limits.h"
#include "gpu/sm/schedulers/called.h"

enum { MOST_WARPS = SM_MAX_WARPS, INSTRUCTION_SHIFT = 4, FRACTION = 16 };

struct cawa {
    uint64_t end; /* the farthest instruction so far */
    uint64_t started[MOST_WARPS];
};

static uint64_t bytes(const struct sm_scheduler_shape *shape, const uint64_t *values)
{
    (void)shape, (void)values;
    return sizeof(struct cawa);
}

static void start(void *state, const uint64_t *values, uint32_t warp, uint64_t cycle)
{
    struct cawa *cawa = state;
    (void)values;
    cawa->started[warp] = cycle;
}

/* In sixteenths of cycles. */
static uint64_t criticality(const struct cawa *cawa, const struct sm_choice *choice, uint32_t place)
{
    const struct sm_ready_warp *warp = &choice->warps[place];
    uint64_t age = choice->cycle - cawa->started[place * choice->subcores + choice->subcore];
    uint64_t left = cawa->end > warp->pc ? (cawa->end - warp->pc) >> INSTRUCTION_SHIFT : 0;
    uint64_t waited = age > warp->issued ? age - warp->issued : 0;
    return left * (warp->issued ? age * FRACTION / warp->issued : FRACTION) + waited * FRACTION;
}

static uint32_t choose(void *state, const uint64_t *values, const struct sm_choice *choice, uint64_t *counters)
{
    struct cawa *cawa = state;
    (void)values, (void)counters;
    for (uint64_t left = choice->ready; left; left &= left - 1) {
        uint64_t pc = choice->warps[__builtin_ctzll(left)].pc;
        cawa->end = pc > cawa->end ? pc : cawa->end;
    }
    if (choice->ready >> choice->last & 1)
        return choice->last;
    uint32_t best = (uint32_t)__builtin_ctzll(choice->ready);
    uint64_t most = criticality(cawa, choice, best);
    for (uint64_t left = choice->ready & (choice->ready - 1); left; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(left);
        uint64_t critical = criticality(cawa, choice, place);
        best = critical > most ? place : best;
        most = critical > most ? critical : most;
    }
    return best;
}

const struct sm_called_scheduler sm_cawa_scheduler = {
    .part = {.name = "cawa",
             .help = "greedy, then the warp that will take the longest",
             .source = "Lee et al., ISCA 2015"},
    .bytes = bytes,
    .start = start,
    .choose = choose,
};
