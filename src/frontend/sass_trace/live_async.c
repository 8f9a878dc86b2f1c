/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and products of live CTAs of a trace, as a machine's async units perform them (contract/async.h). */
#include "frontend/sass_trace/live_state.h"

#include "execute/code/op.h"

#include <string.h>

/* ===== copies begin ===== */

static struct trace_live_copy *copy_at(const struct trace_live_core *core, uint32_t token)
{
    return mnp_numbered_at(&core->copies, token, sizeof(struct trace_live_copy));
}

/* CTAs whose mbarriers learn of a copy into shared memory, by rank, one bit each; of one across, where it goes. */
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
        return trace_live_park(warp, MNP_PARK_ROOM, 0);
    uint32_t token = mnp_numbered_take(&cta->core->copies, sizeof(struct trace_live_copy));
    *copy_at(cta->core, token) = (struct trace_live_copy){.warp = warp, .command = *command, .group = warp->copy_group};
    warp->copies++;
    bool across = command->operation == MNP_COPY_ACROSS;
    core->copies[core->copy_count++] =
        (struct mnp_copy){.token = token,
                          .rows = across ? 1 : command->pairs,
                          .row_bytes = command->count,
                          .direction = command->operation,
                          .rank = command->map ? command->rank : 0,
                          .targets = (uint16_t)(across ? targets : targets & ~(1u << cta->rank)),
                          .map = command->map};
    return 0;
}

uint32_t trace_live_wait_copies(struct trace_live_warp *warp, const struct trace_command *command)
{
    const struct trace_live_core *core = warp->cta->core;
    for (uint32_t token = 0; warp->copies && token < core->copies.items.count; token++) {
        const struct trace_live_copy *copy = copy_at(core, token);
        bool out = copy->warp == warp &&
                   (copy->command.operation == MNP_COPY_OUT || copy->command.operation == MNP_COPY_REDUCE);
        if (out && !copy->posted && !(command->read && copy->has_read) &&
            copy->group + (uint64_t)command->number < warp->copy_group)
            return trace_live_park(warp, MNP_PARK_COPIES, 0);
    }
    return 0;
}

/* ===== copies go on ===== */

static void row(struct mnp_live_core *base, uint32_t token, uint32_t number, struct mnp_copy_row *out)
{
    const struct trace_live_copy *copy = copy_at(base->owner, token);
    if (copy->command.operation == MNP_COPY_ACROSS) {
        *out = (struct mnp_copy_row){.bytes = copy->command.count};
        return;
    }
    const struct trace_pair *run = trace_live_pairs(copy->warp, &copy->command) + number;
    *out = (struct mnp_copy_row){.global = run->at, .bytes = (uint32_t)run->value};
}

static bool move(struct mnp_live_core *base, uint32_t token, uint32_t number, uint32_t at, uint32_t bytes)
{
    (void)base, (void)token, (void)number, (void)at, (void)bytes;
    return true;
}

/* What is not known is added as zero. */
static bool elements(struct mnp_live_core *base, uint32_t token, uint32_t number, uint32_t at, uint32_t bytes,
                     struct mnp_copy_elements *out)
{
    (void)base, (void)token, (void)number, (void)at;
    *out = (struct mnp_copy_elements){
        .operation = EXECUTE_ATOMIC_ADD, .type = EXECUTE_u32, .bytes = 4, .count = (uint8_t)(bytes / 4)};
    return true;
}

static void has_read(struct mnp_live_core *base, uint32_t token, bool posted)
{
    struct trace_live_copy *copy = copy_at(base->owner, token);
    copy->has_read = true;
    copy->posted = posted;
}

static bool arrive(struct mnp_live_core *base, uint32_t token)
{
    const struct trace_live_copy *copy = copy_at(base->owner, token);
    struct trace_live_warp *warp = copy->warp;
    base->flipped = 0;
    if (copy->command.operation != MNP_COPY_IN || !(targets_of(warp->cta, &copy->command) >> warp->cta->rank & 1))
        return true;
    return trace_live_change(warp, trace_live_place(warp->cta, copy->command.address).offset, EXECUTE_MBARRIER_COMPLETE,
                             copy->command.count);
}

static void finish(struct mnp_live_core *base, uint32_t token)
{
    struct trace_live_core *core = base->owner;
    struct trace_live_copy *copy = copy_at(core, token);
    copy->warp->copies--;
    copy->warp = NULL;
    mnp_numbered_give(&core->copies, token);
}

/* What another CTA learns: its mbarrier, and bytes that it counts; none but with the last piece. */
static bool parcel(struct mnp_live_core *base, uint32_t token, uint32_t rank, uint32_t number, uint32_t at,
                   uint32_t bytes, struct mnp_parcel *out)
{
    const struct trace_live_copy *copy = copy_at(base->owner, token);
    bool last = !bytes || at + bytes == copy->command.count;
    (void)rank, (void)number;
    *out = (struct mnp_parcel){
        .word = {trace_live_place(copy->warp->cta, copy->command.address).offset, last ? copy->command.count : 0}};
    return true;
}

static bool counts(uint8_t operation, uint64_t object, uint64_t number)
{
    return execute_mbarrier_fault(operation, object, number) == EXECUTE_FAULT_NONE;
}

static bool receive(struct mnp_live_core *base, struct mnp_cta_code *code, const struct mnp_parcel *from)
{
    struct trace_live_cta *cta = ((struct cta_buffers *)code->owner)->live;
    uint32_t offset = (uint32_t)from->word[0];
    base->flipped = 0;
    if (from->word[1] && offset + sizeof base->refused <= cta->shared_bytes)
        memcpy(&base->refused, cta->shared + offset, sizeof base->refused);
    if (from->word[1] && !counts(EXECUTE_MBARRIER_COMPLETE, base->refused, from->word[1]))
        return false;
    return !from->word[1] || trace_live_change(&cta->warp[0], offset, EXECUTE_MBARRIER_COMPLETE, from->word[1]);
}

static void refused(struct mnp_live_core *base, uint32_t token, uint32_t rank, uint64_t object)
{
    (void)rank, (void)object;
    trace_live_wrong(copy_at(base->owner, token)->warp, "more bytes outstanding than another block's mbarrier counts");
}

static void lost(struct mnp_live_core *base, uint32_t token)
{
    trace_live_wrong(copy_at(base->owner, token)->warp, "a copy goes to a block of its cluster that has ended");
}

static void phase(const struct mnp_cta_code *code, uint64_t address, char *text, size_t room)
{
    uint64_t object;
    text[0] = 0;
    if (!code->shared || address > code->shared_bytes || code->shared_bytes - address < sizeof object)
        return;
    memcpy(&object, code->shared + address, sizeof object);
    execute_mbarrier_describe(object, text, room);
}

/* ===== products ===== */

uint32_t trace_live_start_product(struct trace_live_warp *warp, const struct trace_command *command)
{
    struct mnp_live_core *core = warp->cta->core->core;
    if ((warp->number | 3) >= warp->cta->warps)
        return trace_live_wrong(warp, "a product is one of a warpgroup, which has four warps");
    if (warp->products == TRACE_LIVE_PRODUCTS || !core->product_room)
        return trace_live_park(warp, MNP_PARK_ROOM, 0);
    warp->groups[(warp->first + warp->products++) % TRACE_LIVE_PRODUCTS] = warp->product_group;
    warp->product_group += command->commits;
    core->product = (struct mnp_product){
        .n = command->n, .k = command->k, .registers = command->registers, .sparse = command->sparse};
    return MNP_LIVE_PRODUCT;
}

uint32_t trace_live_wait_products(struct trace_live_warp *warp, const struct trace_command *command)
{
    uint32_t group = warp->groups[warp->first];
    bool waits = warp->products && group < warp->product_group && warp->product_group - group > command->number;
    return waits ? trace_live_park(warp, MNP_PARK_PRODUCTS, 0) : 0;
}

static bool multiply(struct mnp_live_warp *base)
{
    struct trace_live_warp *warp = (struct trace_live_warp *)base;
    warp->first = (warp->first + 1) % TRACE_LIVE_PRODUCTS;
    warp->products--;
    return true;
}

/* A trace has no commands of tensor memory, which nobody asks of it. */
const struct mnp_live_async trace_live_async = {.row = row,
                                                .move = move,
                                                .elements = elements,
                                                .has_read = has_read,
                                                .arrive = arrive,
                                                .finish = finish,
                                                .parcel = parcel,
                                                .receive = receive,
                                                .refused = refused,
                                                .counts = counts,
                                                .lost = lost,
                                                .phase = phase,
                                                .multiply = multiply};
