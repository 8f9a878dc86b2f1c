/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The many-core machine on a GPU (after Raghav et al., TPDS 2015): one thread for each tile, with the steps that the
 * host has too. One launch runs the machine over many cycles; in every cycle in which anything happens all threads meet
 * once, and once more where architecture I performs accesses. For comparison, as the paper has it, a launch for each of
 * these steps too, between which the host finds the next cycle. PTX 7.0 is the oldest version that has all instructions
 * used here, so that older drivers load the kernels.
 */
// nvcc sm_75
// version 7.0
#define MANYCORE_LANES 32
#include "base/device.h"

#include <string.h>

/* What the steps use of the C library. */
__device__ static int compare_bytes(const void *a, const void *b, size_t bytes)
{
    const unsigned char *left = (const unsigned char *)a, *right = (const unsigned char *)b;
    for (size_t i = 0; i < bytes; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

__device__ static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}

#define memcmp compare_bytes
#define strlen length_of

/* The steps. */
#include "manycore/core/access.c"
#include "manycore/core/arithmetic.c"
#include "manycore/mesh/bank.c"
#include "manycore/core/core.c"
#include "manycore/mesh/delivery.c"
#include "manycore/gpu/device.h"
#include "manycore/mesh/events.c"
#include "manycore/core/execute.c"
#include "manycore/mesh/flight.c"
#include "manycore/mesh/flight_cycle.c"
#include "manycore/mesh/free.c"
#include "manycore/mesh/local.c"
#include "manycore/mesh/router.c"
#include "manycore/mesh/router_state.c"
#include "manycore/mesh/service.c"
#include "manycore/mesh/tile.c"

typedef unsigned long long wide;

#define NEVER UINT64_MAX

__device__ static void raise_to(uint64_t *most, uint64_t value)
{
    if (*(volatile uint64_t *)most < value)
        atomicMax((wide *)most, (wide)value);
}

/* ===== what the steps ask for ===== */

/* Pages of 32 tiles lie together: the first of them that writes one takes memory for all. */
__device__ unsigned char *manycore_page_take(const struct manycore_place *place, uint32_t page)
{
    enum { MAKING = 1, MISSING = 2, BYTES = MANYCORE_PAGE * MANYCORE_LANES };
    struct manycore_pool *pool = place->pool, *common = pool->common;
    wide *entry = (wide *)&pool->pages[page], known = atomicCAS(entry, 0ull, (wide)MAKING);
    if (known == 0) {
        wide at = atomicAdd((wide *)&common->used, (wide)BYTES);
        known = at + BYTES <= common->capacity ? (wide)(common->base + at) : (wide)MISSING;
        __threadfence();
        atomicExch(entry, known);
    }
    while (known == MAKING)
        known = *(volatile wide *)entry;
    if (known == MISSING)
        return NULL;
    uint32_t *own = (uint32_t *)known + place->lane;
    const uint32_t *image = (const uint32_t *)place->readable[page];
    for (uint32_t i = 0; i < MANYCORE_PAGE / 4; i++)
        own[i * MANYCORE_LANES] = image[i * MANYCORE_LANES];
    return (unsigned char *)own;
}

__device__ bool manycore_output_put(struct manycore_block *block, uint32_t place, uint64_t cycle, uint32_t address,
                                    uint32_t bytes)
{
    struct manycore_device *device = block->device;
    struct manycore_text head = {cycle, manycore_tile_of(block, place, block->shape.width), bytes};
    uint64_t room = sizeof head + (bytes + 7u) / 8 * 8;
    unsigned char last;
    if (bytes && !(manycore_copy_out(&block->place[place], address, 1, &last) &&
                   manycore_copy_out(&block->place[place], address + bytes - 1, 1, &last)))
        return false;
    uint64_t at = atomicAdd((wide *)&device->news.text_bytes, (wide)room);
    if (at + room > device->text_room) {
        atomicAdd((wide *)&device->news.texts_lost, (wide)room);
        return true;
    }
    *(struct manycore_text *)(device->texts + at) = head;
    return manycore_copy_out(&block->place[place], address, bytes, device->texts + at + sizeof head);
}

__device__ static struct manycore_slot *slot_of(struct manycore_block *block, uint32_t out, uint64_t cycle)
{
    struct manycore_device *device = block->device;
    struct manycore_slot *slot = &device->slots[((cycle & 1) * device->tiles + block->number) * 4 + out];
    if (slot->cycle != (uint32_t)cycle) {
        slot->cycle = (uint32_t)cycle;
        slot->full = 0;
        slot->order = 0;
    }
    block->sent = cycle;
    return slot;
}

__device__ void manycore_border_pass(struct manycore_block *block, uint32_t place, uint32_t out, uint32_t channel,
                                     const struct manycore_packet *packet, uint64_t cycle)
{
    struct manycore_slot *slot = slot_of(block, out, cycle);
    (void)place;
    slot->packet = *packet;
    slot->full = 1;
    slot->channel = (uint8_t)channel;
    slot->order = (uint16_t)(slot->order << 3 | MANYCORE_SLOT_PACKET);
}

__device__ void manycore_border_give(struct manycore_block *block, uint32_t place, uint32_t port, uint32_t channel,
                                     uint64_t cycle)
{
    (void)place;
    struct manycore_slot *slot = slot_of(block, port, cycle);
    slot->order = (uint16_t)(slot->order << 3 | (channel + 1));
}

__device__ void manycore_border_ask(struct manycore_block *block, const struct manycore_packet *packet, uint64_t cycle)
{
    struct manycore_access *access = &block->device->access[block->number];
    access->packet = *packet;
    access->tile = packet->from;
    access->due = cycle + block->device->there;
}

/* ===== a cycle of a tile ===== */

/* What its neighbours have sent in the cycle before. */
__device__ static void receive(struct manycore_device *device, struct manycore_block *block, uint64_t cycle)
{
    const struct manycore_slot *slots = device->slots + ((cycle - 1) & 1) * (uint64_t)device->tiles * 4;
    for (uint32_t port = 0; port < 4; port++) {
        int32_t from = device->neighbours[block->number * 4 + port];
        if (from == MANYCORE_NOBODY)
            continue;
        const struct manycore_slot *slot = &slots[from * 4 + (port ^ 2u)];
        if (slot->cycle != (uint32_t)(cycle - 1))
            continue;
        for (uint32_t order = slot->order; order; order >>= 3)
            if ((order & 7) != MANYCORE_SLOT_PACKET)
                manycore_router_credit(block, 0, port, (order & 7) - 1);
        if (slot->full)
            manycore_router_push(block, 0, manycore_queue(port, slot->channel), &slot->packet, cycle);
    }
}

/* Architecture I: the value comes back, or the access is due and joins the list of its place. */
__device__ static void go_on_with_access(struct manycore_device *device, struct manycore_block *block, uint64_t cycle)
{
    struct manycore_access *access = &device->access[block->number];
    if (access->answered == cycle) {
        struct manycore_answer answer = {access->packet, 0, cycle};
        access->answered = NEVER;
        manycore_tile_answer(block, &answer);
    }
    if (access->due == cycle)
        access->next =
            atomicExch(&device->lists[access->packet.request.address / 8 % MANYCORE_LISTS], block->number + 1);
}

/* Result: the device's clocks that the mesh has taken of it. */
__device__ static uint64_t visit(struct manycore_device *device, struct manycore_block *block, uint64_t cycle)
{
    uint64_t exited = block->state->exited, clocks = 0;
    block->state->cycle = cycle;
    if (device->neighbours)
        receive(device, block, cycle);
    else
        go_on_with_access(device, block, cycle);
    while (manycore_event_first(block) <= cycle)
        if (!manycore_tile_act(block, manycore_event_take(block), cycle))
            atomicMin((wide *)&device->news.fault, (wide)(cycle << 16 | block->number));
    if (block->is_active || block->local_count) {
        uint64_t begin = (uint64_t)clock64();
        manycore_mesh_cycle(block, cycle);
        clocks = (uint64_t)clock64() - begin;
        for (uint32_t i = 0; i < block->answer_count; i++)
            manycore_tile_answer(block, &block->answers[i]);
    }
    block->state->cycle = cycle + 1;
    raise_to(&device->news.progress, block->progress);
    raise_to(&device->news.due, block->due);
    if (block->state->exited != exited) {
        atomicAdd((wide *)&device->news.exited, 1ull);
        raise_to(&device->news.last_exit, block->state->last_exit);
    }
    return clocks;
}

/* The next cycle after this one in which the tile does something. */
__device__ static uint64_t next_of(const struct manycore_device *device, const struct manycore_block *block,
                                   uint64_t cycle)
{
    if (block->is_active || block->local_count || block->sent == cycle)
        return cycle + 1;
    uint64_t next = manycore_event_first(block);
    if (device->neighbours)
        return next;
    const struct manycore_access *access = &device->access[block->number];
    next = access->due < next ? access->due : next;
    return access->answered < next ? access->answered : next;
}

/* Performs the accesses of a list, in the order of their tiles, if this one's is the first: of one cycle all, and all
 * that can meet in a place of the tables. */
__device__ static void serve(struct manycore_device *device, struct manycore_block *block, uint64_t cycle)
{
    struct manycore_access *mine = &device->access[block->number];
    uint32_t *list = &device->lists[mine->packet.request.address / 8 % MANYCORE_LISTS],
             first = *(volatile uint32_t *)list;
    if (mine->due != cycle)
        return;
    for (uint32_t at = first; at; at = device->access[at - 1].next)
        if (device->access[at - 1].tile < mine->tile)
            return;
    for (int64_t last = -1;;) {
        struct manycore_access *best = NULL;
        for (uint32_t at = first; at; at = device->access[at - 1].next) {
            struct manycore_access *each = &device->access[at - 1];
            if ((int64_t)each->tile > last && (!best || each->tile < best->tile))
                best = each;
        }
        if (!best)
            break;
        last = best->tile;
        raise_to(&device->news.served, cycle + 1);
        if (manycore_bank_serve(&device->global, block->shared, &best->packet)) {
            raise_to(&device->news.progress, cycle);
            raise_to(&device->news.changed, cycle + 1);
        }
        best->due = NEVER;
        best->answered = cycle + device->back;
    }
    *(volatile uint32_t *)list = 0;
}

/* ===== all tiles ===== */

/* All threads of the grid meet: what one has written before, all see behind it. */
__device__ static void meet(struct manycore_device *device)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile uint32_t *meetings = &device->meetings;
        uint32_t now = *meetings;
        __threadfence();
        if (atomicAdd(&device->arrived, 1u) == gridDim.x - 1) {
            device->arrived = 0;
            __threadfence();
            *meetings = now + 1;
        } else {
            while (*meetings == now)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

/* The least of all threads' values, by a place of the device that begins as NEVER. */
__device__ static void cast(uint64_t *place, uint64_t value)
{
    for (uint32_t away = 16; away; away /= 2) {
        uint64_t other = __shfl_xor_sync(0xFFFFFFFFu, (wide)value, (int)away);
        value = other < value ? other : value;
    }
    if (threadIdx.x % 32 == 0 && value != NEVER)
        atomicMin((wide *)place, (wide)value);
}

/* ===== the steps of a cycle, for the tiles of this thread ===== */

__device__ static uint32_t first_tile(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static uint64_t visit_all(struct manycore_device *device, uint64_t cycle)
{
    uint64_t clocks = 0;
    for (uint32_t i = first_tile(); i < device->tiles; i += gridDim.x * blockDim.x)
        clocks += visit(device, &device->blocks[i], cycle);
    return clocks;
}

/* Adds what a thread has taken since `begin`, and of that in the mesh. */
__device__ static void add_clocks(struct manycore_device *device, uint64_t begin, uint64_t mesh)
{
    atomicAdd((wide *)&device->news.clocks, (wide)((uint64_t)clock64() - begin));
    atomicAdd((wide *)&device->news.mesh_clocks, (wide)mesh);
}

__device__ static void serve_all(struct manycore_device *device, uint64_t cycle)
{
    for (uint32_t i = first_tile(); i < device->tiles; i += gridDim.x * blockDim.x)
        serve(device, &device->blocks[i], cycle);
}

/* Votes for the next cycle that anything happens in, and for the next in which an access is performed. */
__device__ static void look_all(struct manycore_device *device, uint64_t cycle, uint32_t turn)
{
    uint64_t next = NEVER, serves = NEVER;
    wide pending = 0;
    for (uint32_t i = first_tile(); i < device->tiles; i += gridDim.x * blockDim.x) {
        uint64_t mine = next_of(device, &device->blocks[i], cycle);
        next = mine < next ? mine : next;
        pending += device->blocks[i].pending;
        mine = device->neighbours ? NEVER : device->access[i].due;
        serves = mine < serves ? mine : serves;
    }
    if (pending)
        atomicAdd((wide *)&device->pending, pending);
    cast(&device->vote[turn], next);
    cast(&device->serve[turn], serves);
}

/* ===== executor cuda: one launch runs over many cycles ===== */

extern "C" __global__ void manycore_run(struct manycore_device *device)
{
    uint32_t first = first_tile();
    uint64_t cycle = device->news.next, until = device->until, due = device->serve[2];
    uint64_t begin = (uint64_t)clock64(), mesh = 0;
    for (uint32_t turn = 0; cycle < until; turn = turn == 2 ? 0 : turn + 1) {
        mesh += visit_all(device, cycle);
        if (due == cycle) {
            meet(device);
            serve_all(device, cycle);
        }
        look_all(device, cycle, turn);
        if (first == 0) {
            device->vote[turn == 2 ? 0 : turn + 1] = device->serve[turn == 2 ? 0 : turn + 1] = NEVER;
            device->news.cycles++;
        }
        meet(device);
        cycle = *(volatile uint64_t *)&device->vote[turn];
        due = *(volatile uint64_t *)&device->serve[turn];
    }
    meet(device);
    add_clocks(device, begin, mesh);
    if (first == 0) {
        device->news.next = cycle;
        device->serve[2] = due;
    }
}

/* ===== executor cuda:relaunch: a launch for each step of a cycle, whose number the host says ===== */

extern "C" __global__ void manycore_visit(struct manycore_device *device, uint64_t cycle)
{
    uint64_t begin = (uint64_t)clock64();
    add_clocks(device, begin, visit_all(device, cycle));
    if (first_tile() == 0) {
        device->vote[0] = device->serve[0] = NEVER;
        device->pending = 0;
        device->news.cycles++;
    }
}

extern "C" __global__ void manycore_serve(struct manycore_device *device, uint64_t cycle)
{
    uint64_t begin = (uint64_t)clock64();
    serve_all(device, cycle);
    add_clocks(device, begin, 0);
}

extern "C" __global__ void manycore_look(struct manycore_device *device, uint64_t cycle)
{
    uint64_t begin = (uint64_t)clock64();
    look_all(device, cycle, 0);
    add_clocks(device, begin, 0);
}

/* ===== executor cuda:s-events: besides these, outside of cycles ===== */

extern "C" __global__ void manycore_phase(struct manycore_device *device, uint64_t unused)
{
    uint64_t begin = (uint64_t)clock64();
    (void)unused;
    for (uint32_t i = first_tile(); i < device->tiles; i += gridDim.x * blockDim.x)
        manycore_free_phase(&device->blocks[i]);
    add_clocks(device, begin, 0);
}

extern "C" __global__ void manycore_finish(struct manycore_device *device, uint64_t unused)
{
    (void)unused;
    for (uint32_t i = first_tile(); i < device->tiles; i += gridDim.x * blockDim.x) {
        manycore_free_settle(&device->blocks[i]);
        raise_to(&device->news.due, device->blocks[i].due);
    }
}
