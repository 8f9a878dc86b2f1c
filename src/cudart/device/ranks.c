/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/device/ranks.h"

#include "cudart/base/rank_commands.h"
#include "cudart/base/signals.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "execute/device/journal.h"
#include "execute/live/live.h"
#include "execute/live/source.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A machine that is spread over processes has one device. */
static struct cudart_device *device_of(const struct cudart *rt)
{
    return &rt->devices[0];
}

bool cudart_join_ranks(struct cudart *rt, struct mnp_error *error)
{
    if (!rt->calls.options.request.executor || !rt->calls.options.request.executor->processes ||
        processes_joined(&rt->processes))
        return true;
    sigset_t ending, before; /* threads of an MPI library hold back what ends the run, as they begin with this mask */
    cudart_ending_signals(&ending);
    pthread_sigmask(SIG_BLOCK, &ending, &before);
    bool joined = mnp_processes_join(&rt->processes, rt->calls.options.plugins, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!joined)
        return false;
    mnp_processes_divide_host(&rt->processes);
    return true;
}

void cudart_command_ranks(struct cudart *rt, enum cudart_rank_action action, uint64_t until)
{
    if (!processes_joined(&rt->processes))
        return;
    struct cudart_device *device = device_of(rt);
    void *notes = NULL;
    size_t length = device->functional.journal ? execute_journal_take(&device->functional, &notes) : 0;
    cudart_send_command(&rt->processes, (struct cudart_rank_command){.action = action, .until = until, .notes = length},
                        notes, action == CUDART_RANK_DEVICE ? device->machine : NULL);
    free(notes);
}

void cudart_print_of_ranks(struct cudart *rt, struct mnp_source *source)
{
    void *mine, *all;
    if (!processes_joined(&rt->processes))
        return;
    size_t length = execute_source_take_output(source, &mine);
    length = mnp_transport_collect(&rt->processes.transport, mine, length, &all);
    execute_live_print_output(&device_of(rt)->functional, all, length);
    free(mine);
    free(all);
}

void cudart_end_ranks(struct cudart *rt)
{
    struct mnp_error ignored = {{0}};
    if (!cudart_join_ranks(rt, &ignored) || !processes_joined(&rt->processes))
        return;
    cudart_command_ranks(rt, CUDART_RANK_END, 0);
    mnp_processes_leave(&rt->processes);
}
