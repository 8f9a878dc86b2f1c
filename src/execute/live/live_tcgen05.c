/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tensor memory and tcgen05 commands with a machine (contract/async.h). Loads and stores of tensor memory are performed
 * at issue, like those of shared memory; the machine determines their duration, and instructions wait for loaded
 * registers. Products, copies and commits are kept here under their tokens until the tensor cores have completed them.
 */
#include "execute/live/live_state.h"

#include "execute/cta/tmem.h"
#include "execute/warp/frame.h"

#include <stdlib.h>

/* ===== tensor memory ===== */

void execute_live_port_columns(void *context, uint32_t wanted)
{
    execute_live_park(((struct execute_live_cta *)context)->running, MNP_PARK_COLUMNS, wanted);
}

void execute_live_port_allocated(void *context, bool given_back)
{
    struct execute_live_cta *cta = context;
    cta->core->common.core->tensor =
        (struct mnp_tensor_command){.kind = given_back ? MNP_TENSOR_FREE : MNP_TENSOR_ALLOCATE};
}

/* Cycles of the port, which takes an aligned pair of columns of a warp's lanes in each; of .16x256b four times as
 * many (cicuvc/nvidia-sass-document, B200, ldtm). */
static uint32_t port_cycles(const struct execute_op *op, uint32_t address)
{
    uint32_t width = execute_tmem_width(&op->tmem), pairs = (address % 2 + width + 1) / 2;
    if (op->tmem.shape == EXECUTE_TMEM_16X256B)
        return 2 * pairs;
    return op->tmem.shape == EXECUTE_TMEM_16X32BX2 ? 2 * pairs : pairs;
}

void execute_live_port_moves(void *context, struct execute_warp *warp, const struct execute_op *op)
{
    struct execute_live_cta *cta = context;
    struct execute_live_warp *live = &cta->warps[warp->number];
    struct execute_live_async *async = &live->async;
    bool store = op->kind == EXECUTE_KIND_TMEM_STORE;
    /* the warp will execute the instruction again */
    if (!cta->core->common.core->moves_room || async->loads == EXECUTE_LIVE_LOADS) {
        execute_live_park(cta->running, cta->core->common.core->moves_room ? MNP_PARK_MOVES : MNP_PARK_ROOM, 0);
        return;
    }
    uint32_t address = *(const uint32_t *)execute_at(warp, op->a) + (uint32_t)op->tmem.offset;
    if (store) {
        async->stores++;
    } else {
        async->loading[(async->loads_first + async->loads++) % EXECUTE_LIVE_LOADS] =
            execute_op_place(warp->launch->code, op);
        execute_live_mark(live, op, 1);
        live->common.base.pending = true;
    }
    cta->core->common.core->tensor = (struct mnp_tensor_command){.kind = store ? MNP_TENSOR_STORE : MNP_TENSOR_LOAD,
                                                                 .quarter = (uint8_t)(warp->number % 4),
                                                                 .cycles = port_cycles(op, address)};
}

bool execute_live_moves_wait(const struct execute_live_warp *live, bool store)
{
    return store ? live->async.stores : live->async.loads;
}

void execute_live_moved(struct mnp_live_warp *base, bool store)
{
    struct execute_live_warp *live = (struct execute_live_warp *)base;
    struct execute_live_async *async = &live->async;
    if (store) {
        async->stores--;
        return;
    }
    execute_live_mark(live, execute_op_at(live->warp->launch->code, async->loading[async->loads_first]), -1);
    async->loads_first = (async->loads_first + 1) % EXECUTE_LIVE_LOADS;
    async->loads--;
    base->pending = execute_live_has_pending(live);
}

/* ===== commands ===== */

struct execute_live_command *execute_live_command_at(const struct execute_live_core *core, uint32_t token)
{
    return mnp_numbered_at(&core->commands, token, sizeof(struct execute_live_command));
}

uint32_t execute_live_take_token(struct execute_live_core *core)
{
    return mnp_numbered_take(&core->commands, sizeof(struct execute_live_command));
}

void execute_live_give_token(struct execute_live_core *core, uint32_t token)
{
    mnp_numbered_give(&core->commands, token);
}

void execute_live_commands_release(struct execute_live_core *core)
{
    for (uint32_t i = 0; i < core->commands.items.count; i++)
        free(execute_live_command_at(core, i)->halves);
    mnp_numbered_release(&core->commands);
}

struct mnp_tensor_command execute_live_described(const struct execute_op *op, const struct execute_tcgen05_kept *kept)
{
    const struct execute_tcgen05_form *form = &op->tcgen05;
    struct mnp_tensor_command out = {.kind = MNP_TENSOR_MULTIPLY, .pair = form->flags & EXECUTE_TCGEN05_PAIR};
    if (form->command != EXECUTE_TCGEN05_MULTIPLY) {
        bool copies = form->command == EXECUTE_TCGEN05_COPY;
        out.kind = copies ? MNP_TENSOR_COPY : MNP_TENSOR_SHIFT;
        out.quarters = !copies || form->kind < EXECUTE_TCGEN05_64X128B_02_13 ? 1
                       : form->kind == EXECUTE_TCGEN05_32X128B               ? 4
                                                                             : 2;
        out.bytes = copies ? execute_tcgen05_copy_bytes(form) : EXECUTE_TCGEN05_SHIFT_BYTES;
        return out;
    }
    out.a_tmem = form->flags & EXECUTE_TCGEN05_A_TMEM;
    out.sparse = form->flags & EXECUTE_TCGEN05_SPARSE;
    out.parts = kept->shape.parts;
    out.m = kept->shape.rows;
    out.n = kept->shape.n;
    out.k = kept->shape.k;
    return out;
}

/* CTAs other than its own, one bit each; those that it names. Its own is no longer among the commit's targets when it
 * is not to learn it, for which the barrier becomes none. */
static uint32_t others_of(const struct execute_cta *cta, const struct execute_tcgen05_commit *commit)
{
    uint32_t targets = commit->targets;
    if (!targets && commit->barrier >= EXECUTE_CLUSTER_BASE)
        targets = 1u << (commit->barrier - EXECUTE_CLUSTER_BASE) / EXECUTE_WINDOW_BYTES % EXECUTE_CLUSTER_CTAS;
    return targets & ~(1u << cta->rank);
}

void execute_live_port_command(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lane)
{
    struct execute_live_cta *cta = context;
    struct execute_live_core *core = cta->core;
    bool commits = op->kind == EXECUTE_KIND_TCGEN05_COMMIT;
    struct execute_live_command command = {
        .warp = &cta->warps[warp->number], .lane = lane, .op = execute_op_place(warp->launch->code, op)};
    struct mnp_tensor_command described_as = {.kind = MNP_TENSOR_COMMIT};
    if (!core->common.core->tensor_room) {
        execute_live_park(cta->running, MNP_PARK_ROOM, 0);
        return;
    }
    if (commits ? !execute_tcgen05_keep_commit(warp, op, lane, &command.commit)
                : !execute_tcgen05_keep(warp, op, lane, &command.kept))
        return;
    if (commits)
        described_as.targets = (uint16_t)others_of(&cta->cta, &command.commit);
    else
        described_as = execute_live_described(op, &command.kept);
    described_as.token = execute_live_take_token(core);
    command.halves = execute_live_command_at(core, described_as.token)->halves;
    *execute_live_command_at(core, described_as.token) = command;
    core->common.core->tensor = described_as;
}

/* Whether a commit notifies the own CTA's mbarrier. */
static bool is_for_own(const struct execute_cta *cta, const struct execute_tcgen05_commit *commit)
{
    return commit->targets ? commit->targets >> cta->rank & 1 : !others_of(cta, commit);
}

static bool arrive(struct execute_warp *warp, const struct execute_live_command *command, struct mnp_parcel *parcel)
{
    struct execute_tcgen05_commit own = {.barrier = command->commit.barrier % EXECUTE_WINDOW_BYTES};
    if (others_of(warp->cta, &command->commit))
        execute_parcel_of_arrival(own.barrier, parcel);
    return !is_for_own(warp->cta, &command->commit) || execute_tcgen05_arrive(warp, command->lane, &own);
}

/* Performs the own part of a pair's product, with the peer's half of B, which has been received; the own half is read
 * now. */
static bool perform(struct execute_warp *warp, const struct execute_op *op, const struct execute_live_command *command)
{
    uint32_t own = warp->cta->rank % 2;
    unsigned char *halves[2] = {command->halves, command->halves + EXECUTE_TCGEN05_HALF_BYTES};
    if (!(op->tcgen05.flags & EXECUTE_TCGEN05_PAIR))
        return execute_tcgen05_perform(warp, op, &command->kept);
    if (command->role == EXECUTE_LIVE_OTHERS && execute_tcgen05_half_bytes(op, &command->kept) &&
        !execute_tcgen05_read_half(warp, op, &command->kept, halves[own]))
        return false;
    return execute_tcgen05_perform_own(warp, op, &command->kept, halves);
}

bool execute_live_command(struct mnp_live_core *base, uint32_t token, struct mnp_parcel *parcel)
{
    struct execute_live_core *core = base->owner;
    struct execute_live_command command = *execute_live_command_at(core, token);
    struct execute_warp *warp = command.warp->warp;
    const struct execute_op *op = execute_op_at(warp->launch->code, command.op);
    bool commits = op->kind == EXECUTE_KIND_TCGEN05_COMMIT;
    base->flipped = 0;
    warp->record = NULL;
    if (command.role != EXECUTE_LIVE_OTHERS)
        execute_live_give_token(core, token);
    return (commits ? arrive(warp, &command, parcel) : perform(warp, op, &command)) ||
           execute_live_failed(base, warp, command.op, command.lane);
}
