/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets in transit when an epoch ends on a GPU. On the device they are in slots between tiles, or in accesses to the
 * global space. On the host they are in queues, since the routers of a block reach one another within the cycle, and on
 * links between units. This file puts them into the host's places, so that the state has the host's hash, and takes
 * them from the links before the device continues.
 */
#include "manycore/gpu/gpu.h"
#include "manycore/mesh/place.h"

#include <stdlib.h>

/* A packet or a place given back, by its code in the slot's order, reaches a router of the same block. */
static void reach(struct manycore_block *block, uint32_t place, uint32_t port, const struct manycore_slot *slot,
                  uint32_t code, uint64_t cycle)
{
    struct manycore_router *router = &block->router[place];
    if (code != MANYCORE_SLOT_PACKET) {
        router->credits[port][code - 1]++;
        return;
    }
    uint32_t depth = block->shape.depth, queue = manycore_queue(port, slot->channel);
    uint32_t last = router->head[queue] + router->count[queue]++;
    struct manycore_entry *entry = &block->entries[(size_t)place * block->shape.places + queue * depth + last % depth];
    *entry = (struct manycore_entry){slot->packet, (uint32_t)cycle};
}

/* Places the items that a tile has sent over one of its links in the cycle before `cycle`, in the order of sending. */
static void place_slot(struct manycore_block *block, uint32_t place, uint32_t out, const struct manycore_slot *slot,
                       uint64_t cycle)
{
    uint32_t next = block->node[place].around.next[out];
    for (uint32_t shift = 3 * MANYCORE_CHANNELS + 3; shift; shift -= 3) {
        uint32_t code = slot->order >> (shift - 3) & 7;
        if (code == 0)
            continue;
        if (next != MANYCORE_OUTSIDE)
            reach(block, next, out ^ 2u, slot, code, cycle);
        else if (code == MANYCORE_SLOT_PACKET)
            manycore_border_pass(block, place, out, slot->channel, &slot->packet, cycle - 1);
        else
            manycore_border_give(block, place, out, code - 1, cycle - 1);
    }
}

static bool is_sent_at(const struct manycore_slot *slot, uint64_t cycle)
{
    return slot->order && slot->cycle == (uint32_t)cycle;
}

static bool place_slots(struct manycore_gpu *gpu, struct mnp_error *error)
{
    struct manycore_machine *machine = gpu->machine;
    struct manycore_slot *slots = manycore_array_get(gpu, MANYCORE_GPU_SLOTS, error);
    uint64_t cycle = gpu->until;
    if (!slots)
        return false;
    const struct manycore_slot *slot = slots + ((cycle - 1) & 1) * 4 * (size_t)gpu->tiles;
    for (uint32_t i = 0; i < machine->block_count; i++)
        for (uint32_t place = 0; place < machine->blocks[i].tiles; place++)
            for (uint32_t out = 0; out < 4; out++, slot++)
                if (is_sent_at(slot, cycle - 1))
                    place_slot(&machine->blocks[i], place, out, slot, cycle);
    free(slots);
    return true;
}

/* An access that is on its way to the global space or back. */
struct journey {
    uint64_t cycle; /* in which it has set out */
    uint32_t tile;
    bool back;
    const struct manycore_packet *packet;
};

static int by_departure(const void *a, const void *b)
{
    const struct journey *left = a, *right = b;
    if (left->cycle != right->cycle)
        return left->cycle < right->cycle ? -1 : 1;
    return left->tile < right->tile ? -1 : left->tile > right->tile;
}

static bool place_accesses(struct manycore_gpu *gpu, struct mnp_error *error)
{
    struct manycore_machine *machine = gpu->machine;
    struct manycore_global *global = &machine->global;
    struct manycore_access *accesses = manycore_array_get(gpu, MANYCORE_GPU_ACCESS, error);
    uint32_t count = 0;
    if (!accesses)
        return false;
    struct journey *journeys = mnp_allocate(gpu->tiles, sizeof *journeys);
    for (uint32_t i = 0; i < gpu->tiles; i++) {
        const struct manycore_access *access = &accesses[i];
        if (access->due != UINT64_MAX)
            journeys[count++] = (struct journey){access->due - gpu->device.there, access->tile, false, &access->packet};
        else if (access->answered != UINT64_MAX)
            journeys[count++] =
                (struct journey){access->answered - gpu->device.back, access->tile, true, &access->packet};
    }
    qsort(journeys, count, sizeof *journeys, by_departure);
    for (uint32_t i = 0; i < count; i++) {
        const struct journey *journey = &journeys[i];
        uint32_t block = global->block_of[journey->tile];
        struct mnp_link *link = journey->back ? global->out[block] : machine->blocks[block].out[MANYCORE_LOCAL];
        *(struct manycore_packet *)mnp_link_send(link, mnp_edge(machine->parameters->clock, journey->cycle)) =
            *journey->packet;
    }
    free(journeys);
    free(accesses);
    return true;
}

bool manycore_gpu_place_transit(struct manycore_gpu *gpu, struct mnp_error *error)
{
    struct mnp_engine *engine = &gpu->machine->engine;
    bool mesh = gpu->machine->parameters->network == MANYCORE_MESH;
    bool good = gpu->until == 0 || (mesh ? place_slots(gpu, error) : place_accesses(gpu, error));
    for (uint32_t i = 0; i < engine->link_count; i++)
        engine->links[i]->sent_before = engine->links[i]->tail;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        engine->units[i]->dirty_count = 0; /* no unit receives them */
    return good;
}

void manycore_gpu_take_transit(struct manycore_gpu *gpu)
{
    struct mnp_engine *engine = &gpu->machine->engine;
    for (uint32_t i = 0; i < engine->link_count; i++)
        atomic_store_explicit(&engine->links[i]->consumed, engine->links[i]->tail, memory_order_relaxed);
}

/* Anything has gone from block to block since the cycle before `from`. */
static bool slots_moved(const struct manycore_gpu *gpu, const struct manycore_slot *slots, uint64_t from)
{
    const struct manycore_machine *machine = gpu->machine;
    const struct manycore_slot *slot = slots;
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t i = 0; i < machine->block_count; i++)
            for (uint32_t place = 0; place < machine->blocks[i].tiles; place++)
                for (uint32_t out = 0; out < 4; out++, slot++)
                    if (machine->blocks[i].node[place].around.next[out] == MANYCORE_OUTSIDE && slot->order &&
                        (int32_t)(slot->cycle + 1 - (uint32_t)from) >= 0)
                        return true;
    return false;
}

/* An access has set out, been performed or come back since then. */
static bool accesses_moved(const struct manycore_gpu *gpu, const struct manycore_access *accesses, uint64_t from)
{
    const struct manycore_device *device = &gpu->device;
    uint64_t served = device->news.served;
    if (served && served - 1 + device->back >= from)
        return true;
    for (uint32_t i = 0; i < gpu->tiles; i++)
        if (accesses[i].due != UINT64_MAX && accesses[i].due - device->there >= from)
            return true;
    return false;
}

bool manycore_gpu_count_transit(struct manycore_gpu *gpu, uint64_t from, struct mnp_error *error)
{
    bool mesh = gpu->machine->parameters->network == MANYCORE_MESH;
    void *array = manycore_array_get(gpu, mesh ? MANYCORE_GPU_SLOTS : MANYCORE_GPU_ACCESS, error);
    if (!array)
        return false;
    gpu->machine->engine.device.moved += mesh ? slots_moved(gpu, array, from) : accesses_moved(gpu, array, from);
    free(array);
    return true;
}
