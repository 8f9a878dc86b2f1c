/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/producers.h"

#include "base/allocate.h"
#include "gpu/sm/state.h"

#include <stdlib.h>
#include <string.h>

void sm_producers_open(struct sm_producers *producers, uint32_t warps)
{
    *producers = (struct sm_producers){.last = mnp_allocate((size_t)warps * SM_REGISTERS, sizeof *producers->last)};
}

static struct sm_producer *registers_of(const struct sm_producers *producers, uint32_t warp)
{
    return producers->last + (size_t)warp * SM_REGISTERS;
}

void sm_producers_start(struct sm_producers *producers, uint32_t warp)
{
    memset(registers_of(producers, warp), 0, SM_REGISTERS * sizeof *producers->last);
}

void sm_producers_issued(struct sm_producers *producers, uint32_t warp,
                         const struct mnp_static_instruction *instruction, uint32_t index)
{
    struct sm_producer *written = registers_of(producers, warp) + instruction->destination.first;
    producers->order++;
    for (uint32_t i = 0; i < instruction->destination.count; i++)
        written[i] = (struct sm_producer){index + 1, producers->order};
}

/* The newer of what was found and the producers of pending registers of a range. */
static struct sm_producer newest(struct sm_producer found, const struct sm_producer *last, const uint64_t *ready,
                                 struct mnp_registers range)
{
    for (uint32_t i = range.first; i < (uint32_t)range.first + range.count; i++)
        if (ready[i] >> SM_PIPE_BITS >= SM_PENDING && last[i].index &&
            (!found.index || (int32_t)(last[i].order - found.order) > 0))
            found = last[i];
    return found;
}

uint32_t sm_producers_awaited(const struct sm_producers *producers, const struct sm *sm, uint32_t warp,
                              const struct mnp_static_instruction *instruction)
{
    const struct sm_producer *last = registers_of(producers, warp);
    const uint64_t *ready = sm->dependence.scoreboard.ready + (size_t)warp * SM_REGISTERS;
    struct sm_producer found = {0};
    for (uint32_t i = 0; i < instruction->source_count; i++)
        found = newest(found, last, ready, instruction->source[i]);
    return newest(found, last, ready, instruction->destination).index;
}

void sm_producers_release(struct sm_producers *producers)
{
    free(producers->last);
}
