/* SPDX-License-Identifier: BSD-3-Clause */
/* The dispatcher in snapshots: its state lies in the arena; how far it has read its source, and the descriptions of the
 * kernels that it knows, do not. */
#include "engine/core/snapshot.h"
#include "gpu/dispatch/state.h"

static bool is_ahead(const struct dispatch_kernel *k)
{
    return k->phase != DISPATCH_FREE && k->phase != DISPATCH_ENDED;
}

uint32_t dispatch_all_ended(const struct dispatch *dispatch)
{
    uint32_t ended = 0, ahead = UINT32_MAX;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        if (is_ahead(k) && k->launch < ahead)
            ahead = k->launch;
        else if (k->phase == DISPATCH_ENDED && k->launch > ended)
            ended = k->launch;
    }
    return ahead <= ended ? ahead - 1 : ended;
}

bool dispatch_has_placed(const struct dispatch *dispatch)
{
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
        if (is_ahead(&dispatch->state->kernel[slot]) && dispatch->state->kernel[slot].placed)
            return true;
    return false;
}

bool dispatch_is_over(const struct dispatch *dispatch)
{
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
        if (is_ahead(&dispatch->state->kernel[slot]))
            return false;
    return dispatch->state->no_more;
}

void dispatch_keep(const struct dispatch *dispatch, struct mnp_snapshot *snapshot)
{
    mnp_snapshot_put_number(snapshot, dispatch->taken);
}

/* Launches that were known when the snapshot was taken are opened again. */
static void keep_description(struct dispatch *dispatch, struct mnp_kernel *kernel)
{
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        if (k->phase != DISPATCH_FREE && k->launch == kernel->id) {
            dispatch->kernels[slot] = kernel;
            return;
        }
    }
    dispatch->source->kernel_done(dispatch->source, kernel);
}

/* Whether a launch is one of those; others need not be opened. */
static bool is_known(const struct dispatch *dispatch, uint32_t launch)
{
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
        if (dispatch->state->kernel[slot].phase != DISPATCH_FREE && dispatch->state->kernel[slot].launch == launch)
            return true;
    return false;
}

/* Kernels that are to run, or of which results are to be collected, are the source's. */
static bool check_kernels(const struct dispatch *dispatch, struct mnp_error *error)
{
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
        if ((is_ahead(&dispatch->state->kernel[slot]) || !dispatch->state->kernel[slot].collected) &&
            dispatch->state->kernel[slot].phase != DISPATCH_FREE && !dispatch->kernels[slot])
            return mnp_fail(error, "the snapshot has a launch that the input has not: it is damaged; take it again");
    return true;
}

bool dispatch_take(struct dispatch *dispatch, struct mnp_snapshot_reader *reader)
{
    struct mnp_source *source = dispatch->source;
    struct mnp_upcoming upcoming;
    uint64_t taken;
    if (!mnp_snapshot_take_number(reader, &taken))
        return false;
    for (dispatch->taken = source->skipped; dispatch->taken < taken; dispatch->taken++) {
        struct mnp_command command;
        if (source->upcoming && source->upcoming(source, &upcoming) &&
            (upcoming.gone || !is_known(dispatch, upcoming.launch))) {
            source->pass_over(source);
            continue;
        }
        if (!source->next(source, &command, reader->error))
            return false;
        if (command.kind == MNP_COMMAND_END || command.kind == MNP_COMMAND_NONE)
            return mnp_fail(reader->error, "the snapshot is of more launches and copies than there are: it is damaged; "
                                           "take it again");
        if (command.kind == MNP_COMMAND_KERNEL)
            keep_description(dispatch, command.kernel);
    }
    return check_kernels(dispatch, reader->error);
}
