/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/device/ranks.h"

#include "cudart/base/rank_commands.h"
#include "cudart/base/signals.h"
#include "cudart/base/state.h"
#include "execute/device/journal.h"
#include "execute/live/live.h"
#include "execute/live/source.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

bool cudart_spread_join(struct cudart *rt, struct mnp_error *error)
{
    if (!rt->calls.options.request.executor || !rt->calls.options.request.executor->processes ||
        processes_joined(&rt->machine.processes))
        return true;
    sigset_t ending, before; /* threads of an MPI library hold back what ends the run, as they begin with this mask */
    cudart_ending_signals(&ending);
    pthread_sigmask(SIG_BLOCK, &ending, &before);
    bool joined = mnp_processes_join(&rt->machine.processes, rt->calls.options.plugins, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!joined)
        return false;
    mnp_processes_divide_host(&rt->machine.processes);
    return true;
}

void cudart_spread_order(struct cudart *rt, enum spread_action action, uint64_t until)
{
    if (!processes_joined(&rt->machine.processes))
        return;
    void *notes = NULL;
    size_t length = rt->machine.device.journal ? execute_journal_take(&rt->machine.device, &notes) : 0;
    cudart_spread_send(&rt->machine.processes, (struct spread_order){.action = action, .until = until, .notes = length},
                       notes, action == SPREAD_DEVICE ? rt->machine.name : NULL);
    free(notes);
}

void cudart_spread_print(struct cudart *rt)
{
    void *mine, *all;
    if (!processes_joined(&rt->machine.processes))
        return;
    size_t length = execute_source_take_output(rt->simulation.source, &mine);
    length = mnp_transport_collect(&rt->machine.processes.transport, mine, length, &all);
    execute_live_print_output(&rt->machine.device, all, length);
    free(mine);
    free(all);
}

void cudart_spread_end(struct cudart *rt)
{
    struct mnp_error ignored = {{0}};
    if (!cudart_spread_join(rt, &ignored) || !processes_joined(&rt->machine.processes))
        return;
    cudart_spread_order(rt, SPREAD_END, 0);
    mnp_processes_leave(&rt->machine.processes);
}
