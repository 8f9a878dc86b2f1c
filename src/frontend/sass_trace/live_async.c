/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and products of live CTAs of a trace, as a machine's async units perform them (contract/async.h). */
#include "frontend/sass_trace/live_state.h"

#include "execute/code/op.h"

#include <string.h>

/* ===== copies begin ===== */

static const struct trace_live_copy *copy_at(const struct mnp_live_core *base, uint32_t token)
{
    return execute_live_copy_at(base->owner, token);
}

static struct trace_live_warp *warp_of(const struct trace_live_copy *copy)
{
    return (struct trace_live_warp *)copy->common.warp;
}

/* The CTAs whose mbarriers are signalled by a copy to shared memory, as a mask of ranks; for a copy across, its
 * destination. */
static uint16_t targets_of(const struct trace_live_cta *cta, const struct trace_command *command)
{
    if (command->operation != MNP_COPY_IN && command->operation != MNP_COPY_ACROSS)
        return 0;
    return (uint16_t)(command->several ? command->targets : 1u << trace_live_place(cta, command->address).rank);
}

uint32_t trace_live_start_copy(struct trace_live_warp *warp, const struct trace_command *command)
{
    struct trace_live_cta *cta = warp->cta;
    struct mnp_live_core *core = cta->core->core;
    uint16_t targets = targets_of(cta, command);
    if (targets >> cta->ranks)
        return trace_live_wrong(warp, "a copy goes to a block that is not of its cluster");
    if (!core->copy_room)
        return execute_live_park(&warp->common, MNP_PARK_ROOM, 0);
    bool across = command->operation == MNP_COPY_ACROSS;
    struct mnp_copy copy = {.rows = across ? 1 : command->pairs,
                            .row_bytes = command->count,
                            .direction = command->operation,
                            .rank = command->map ? command->rank : 0,
                            .targets = (uint16_t)(across ? targets : targets & ~(1u << cta->rank)),
                            .map = command->map};
    ((struct trace_live_copy *)execute_live_start_copy(&warp->common, 0, &copy))->command = *command;
    return 0;
}

/* ===== copies go on ===== */

static void row(struct mnp_live_core *base, uint32_t token, uint32_t number, struct mnp_copy_row *out)
{
    const struct trace_live_copy *copy = copy_at(base, token);
    if (copy->command.operation == MNP_COPY_ACROSS) {
        *out = (struct mnp_copy_row){.bytes = copy->command.count};
        return;
    }
    const struct trace_pair *run = trace_live_pairs(warp_of(copy), &copy->command) + number;
    *out = (struct mnp_copy_row){.global = run->at, .bytes = (uint32_t)run->value};
}

static bool move(struct mnp_live_core *base, uint32_t token, uint32_t number, uint32_t at, uint32_t bytes)
{
    (void)base, (void)token, (void)number, (void)at, (void)bytes;
    return true;
}

/* Unknown values are added as zero. */
static bool elements(struct mnp_live_core *base, uint32_t token, uint32_t number, uint32_t at, uint32_t bytes,
                     struct mnp_copy_elements *out)
{
    (void)base, (void)token, (void)number, (void)at;
    *out = (struct mnp_copy_elements){
        .operation = EXECUTE_ATOMIC_ADD, .type = EXECUTE_u32, .bytes = 4, .count = (uint8_t)(bytes / 4)};
    return true;
}

static bool arrive(struct mnp_live_core *base, uint32_t token)
{
    const struct trace_live_copy *copy = copy_at(base, token);
    struct trace_live_warp *warp = warp_of(copy);
    base->flipped = 0;
    if (copy->command.operation != MNP_COPY_IN || !(targets_of(warp->cta, &copy->command) >> warp->cta->rank & 1))
        return true;
    return trace_live_change(warp, trace_live_place(warp->cta, copy->command.address).offset, EXECUTE_MBARRIER_COMPLETE,
                             copy->command.count);
}

/* Makes a parcel for another CTA: its mbarrier, and the number of bytes to count, which only the last piece carries. */
static bool parcel(struct mnp_live_core *base, uint32_t token, uint32_t rank, uint32_t number, uint32_t at,
                   uint32_t bytes, struct mnp_parcel *out)
{
    const struct trace_live_copy *copy = copy_at(base, token);
    bool last = !bytes || at + bytes == copy->command.count;
    (void)rank, (void)number;
    *out = (struct mnp_parcel){
        .word = {trace_live_place(warp_of(copy)->cta, copy->command.address).offset, last ? copy->command.count : 0}};
    return true;
}

static bool receive(struct mnp_live_core *base, struct mnp_cta_code *code, const struct mnp_parcel *from)
{
    struct trace_live_cta *cta = ((struct cta_buffers *)code->owner)->live;
    uint32_t offset = (uint32_t)from->word[0];
    base->flipped = 0;
    if (from->word[1] && offset + sizeof base->refused <= cta->shared_bytes)
        memcpy(&base->refused, cta->shared + offset, sizeof base->refused);
    if (from->word[1] && !execute_live_counts(EXECUTE_MBARRIER_COMPLETE, base->refused, from->word[1]))
        return false;
    return !from->word[1] || trace_live_change(&cta->warp[0], offset, EXECUTE_MBARRIER_COMPLETE, from->word[1]);
}

static void refused(struct mnp_live_core *base, uint32_t token, uint32_t rank, uint64_t object)
{
    (void)rank, (void)object;
    trace_live_wrong(warp_of(copy_at(base, token)), "more bytes outstanding than another block's mbarrier counts");
}

static void lost(struct mnp_live_core *base, uint32_t token)
{
    trace_live_wrong(warp_of(copy_at(base, token)), "a copy goes to a block of its cluster that has ended");
}

/* ===== products ===== */

uint32_t trace_live_start_product(struct trace_live_warp *warp, const struct trace_command *command)
{
    struct mnp_product product = {.n = command->n,
                                  .k = command->k,
                                  .registers = command->registers,
                                  .sparse = command->sparse,
                                  .halves = command->halves};
    if ((warp->number | 3) >= warp->cta->warps)
        return trace_live_wrong(warp, "a product is one of a warpgroup, which has four warps");
    if (execute_live_start_product(&warp->common, &product) == LIVE_PRODUCTS)
        return MNP_LIVE_PARKED;
    warp->common.product_group += command->commits;
    return MNP_LIVE_PRODUCT;
}

static bool multiply(struct mnp_live_warp *base)
{
    execute_live_end_product((struct live_warp *)base);
    return true;
}

/* Functions for tensor memory are missing, because a trace has no such commands. */
const struct mnp_live_async trace_live_async = {.row = row,
                                                .move = move,
                                                .elements = elements,
                                                .has_read = execute_live_copy_has_read,
                                                .arrive = arrive,
                                                .finish = execute_live_copy_finish,
                                                .parcel = parcel,
                                                .receive = receive,
                                                .refused = refused,
                                                .counts = execute_live_counts,
                                                .lost = lost,
                                                .phase = execute_live_phase,
                                                .multiply = multiply};
