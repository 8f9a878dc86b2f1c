/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/live/core.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* ===== cores and CTAs ===== */

/* CTAs of a core are kept when they end: the next CTA reuses the memory, with the contents that it has. */
void *execute_live_take_cta(struct live_core *core, struct mnp_live_core *machine, const struct mnp_live_async *async,
                            size_t bytes)
{
    struct live_cta *cta = core->free;
    core->core = machine;
    machine->async = async;
    machine->owner = core;
    if (!cta)
        return mnp_allocate(1, bytes);
    core->free = cta->next_free;
    return cta;
}

void execute_live_give_cta(struct live_core *core, struct live_cta *cta)
{
    cta->next_free = core->free;
    core->free = cta;
}

void execute_live_release_core(struct live_core *core, void (*release)(struct live_cta *cta))
{
    for (struct live_cta *cta = core->free, *next; cta; cta = next) {
        next = cta->next_free;
        release(cta);
        free(cta);
    }
    mnp_numbered_release(&core->copies);
}

/* ===== accesses performed elsewhere ===== */

/* States an access that this core does not perform: the L2 does or, if `remote`, another CTA of the cluster. */
void execute_live_leave(struct mnp_live_access *access, enum mnp_live_l2 kind, bool remote, uint8_t operation,
                        uint8_t type, uint32_t bytes)
{
    access->at_l2 = (uint8_t)kind;
    access->remote = remote;
    access->bytes = (uint8_t)bytes;
    access->operation = operation;
    access->type = type;
    access->seen = false;
    access->stores = kind != MNP_LIVE_LOAD && kind != MNP_LIVE_COMBINED;
}

/* ===== waits ===== */

/* A warp that is parked has done nothing: the core has it execute the same instruction again after the event `why`. */
uint32_t execute_live_park(struct live_warp *warp, enum mnp_park why, uint64_t address)
{
    warp->base.park = (uint8_t)why;
    warp->base.park_address = address;
    return MNP_LIVE_PARKED;
}

/* setmaxnreg. `more`: waits until the CTA's pool has the additional registers. An increase to fewer registers than the
 * warp has, or a decrease to more, changes nothing. The core then takes the difference from the pool, or adds it. */
uint32_t execute_live_change_registers(struct live_warp *warp, bool more, uint32_t count)
{
    struct mnp_live_core *core = warp->core->core;
    if (more && count > core->registers && count - core->registers > core->pool)
        return execute_live_park(warp, MNP_PARK_REGISTERS, count);
    if (more ? count > core->registers : count < core->registers)
        core->registers = count;
    return 0;
}

uint32_t execute_live_wait_grid(struct live_warp *warp)
{
    return warp->core->core->grid_waits ? execute_live_park(warp, MNP_PARK_GRID, 0) : 0;
}

/* Waits until at most `most` of the latest closed groups of outgoing copies are pending, for each of the lanes. A
 * lane's copies are in the group copy_group[lane] until that is closed, which increments it: a copy in group g keeps
 * the lane waiting if g + most < copy_group[lane]. `read`: a copy that has read its source does not count. */
uint32_t execute_live_wait_copies(struct live_warp *warp, uint32_t lanes, int64_t most, bool read)
{
    const struct live_core *core = warp->core;
    for (uint32_t token = 0; warp->copies && token < core->copies.items.count; token++) {
        const struct live_copy *copy = execute_live_copy_at(core, token);
        if (copy->warp == warp && copy->out && lanes >> copy->lane & 1 && !copy->posted && !(read && copy->has_read) &&
            copy->group + most < warp->copy_group[copy->lane])
            return execute_live_park(warp, MNP_PARK_COPIES, 0);
    }
    return 0;
}

/* The same for products, which end in the order in which they were started: it suffices to test the oldest one.
 * Products of the group that is still open are not waited for. */
uint32_t execute_live_wait_products(struct live_warp *warp, int64_t most)
{
    uint32_t group = warp->product_groups[warp->first_product];
    bool waits = warp->products && group < warp->product_group && warp->product_group - group > most;
    return waits ? execute_live_park(warp, MNP_PARK_PRODUCTS, 0) : 0;
}

/* ===== copies and products ===== */

/* Adds a copy to the commands of the current instruction. Its token is its index in core.copies, which stays taken
 * until the machine has finished the copy, or until execute_live_drop_copy withdraws the command. */
void *execute_live_start_copy(struct live_warp *warp, uint32_t lane, const struct mnp_copy *copy)
{
    struct live_core *core = warp->core;
    struct mnp_copy *command = &core->core->copies[core->core->copy_count++];
    *command = *copy;
    command->token = mnp_numbered_take(&core->copies, core->copy_bytes);
    warp->copies++;
    struct live_copy *item = execute_live_copy_at(core, command->token);
    *item = (struct live_copy){.warp = warp,
                               .lane = lane,
                               .group = warp->copy_group[lane],
                               .out = copy->direction == MNP_COPY_OUT || copy->direction == MNP_COPY_REDUCE};
    return item;
}

static void give_token(struct live_core *core, uint32_t token)
{
    struct live_copy *copy = execute_live_copy_at(core, token);
    copy->warp->copies--;
    copy->warp = NULL;
    mnp_numbered_give(&core->copies, token);
}

void execute_live_drop_copy(struct live_warp *warp)
{
    struct mnp_live_core *core = warp->core->core;
    give_token(warp->core, core->copies[--core->copy_count].token);
}

/* Returns the product's place in the warp's ring of pending products; LIVE_PRODUCTS: the ring or the machine's queue is
 * full, and the warp is parked. */
uint32_t execute_live_start_product(struct live_warp *warp, const struct mnp_product *product)
{
    struct mnp_live_core *core = warp->core->core;
    if (warp->products == LIVE_PRODUCTS || !core->product_room) {
        execute_live_park(warp, MNP_PARK_ROOM, 0);
        return LIVE_PRODUCTS;
    }
    uint32_t place = (warp->first_product + warp->products++) % LIVE_PRODUCTS;
    warp->product_groups[place] = warp->product_group;
    core->product = *product;
    return place;
}

uint32_t execute_live_end_product(struct live_warp *warp)
{
    uint32_t place = warp->first_product;
    warp->first_product = (place + 1) % LIVE_PRODUCTS;
    warp->products--;
    return place;
}

void execute_live_copy_has_read(struct mnp_live_core *core, uint32_t token, bool posted)
{
    struct live_copy *copy = execute_live_copy_at(core->owner, token);
    copy->has_read = true;
    copy->posted = posted;
}

void execute_live_copy_finish(struct mnp_live_core *core, uint32_t token)
{
    give_token(core->owner, token);
}

bool execute_live_counts(uint8_t operation, uint64_t object, uint64_t number)
{
    return execute_mbarrier_fault(operation, object, number) == EXECUTE_FAULT_NONE;
}

void execute_live_phase(const struct mnp_cta_code *code, uint64_t address, char *text, size_t room)
{
    uint64_t object;
    text[0] = 0;
    if (!code->shared || address > code->shared_bytes || code->shared_bytes - address < sizeof object)
        return;
    memcpy(&object, code->shared + address, sizeof object);
    execute_mbarrier_describe(object, text, room);
}
