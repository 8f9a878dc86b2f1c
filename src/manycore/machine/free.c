/* SPDX-License-Identifier: BSD-3-Clause */
/* The phases of executor s-events on the host: free running, and catching up with the lower bound (mesh/free.h). */
#include "manycore/mesh/free.h"
#include "manycore/machine/machine.h"

/* Whether no access to shared state is pending, and cores could run on. */
static bool may_run(const struct manycore_machine *machine)
{
    uint64_t pending = 0, unfinished = 0;
    for (uint32_t i = 0; i < machine->block_count; i++) {
        pending += machine->blocks[i].pending;
        unfinished += machine->blocks[i].unfinished;
    }
    return !pending && unfinished;
}

/* Begins the next phase; false: windows go on. */
static bool next(void *context)
{
    struct manycore_machine *machine = context;
    struct manycore_free *all = machine->free;
    bool runs_freely = all->bound == UINT64_MAX;
    if (machine->phases == 0) { /* free running */
        if (!may_run(machine))
            return false;
        all->flag = all->bound = UINT64_MAX;
        machine->phases = 1;
        return true;
    }
    machine->phases = 0;
    if (!runs_freely || all->flag == UINT64_MAX)
        return false;
    all->bound = all->flag; /* catching up */
    machine->phases = 1;
    return true;
}

static void run(void *context, uint32_t worker, uint32_t workers)
{
    struct manycore_machine *machine = context;
    for (uint32_t i = worker; i < machine->block_count; i += workers)
        manycore_free_phase(&machine->blocks[i]);
}

void manycore_free_init(struct manycore_machine *machine)
{
    machine->free = mnp_allocate(1, sizeof *machine->free);
    machine->free->flag = machine->free->bound = UINT64_MAX;
    for (uint32_t i = 0; i < machine->block_count; i++) {
        machine->blocks[i].free = machine->free;
        machine->blocks[i].spins = NULL; /* each read of a core that waits is an access */
    }
    machine->engine.free = (struct mnp_free_hook){.next = next, .run = run, .context = machine};
}
