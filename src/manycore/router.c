/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routers of a block: input queues with credits, XY routing, one packet per output and cycle, round robin. Requests
 * and replies have queues of their own, so that a bank that waits for room for its reply can always be relieved:
 * replies end in cores, which always take them. XY routes without cycles do the rest against deadlock.
 */
#include "manycore/machine.h"

static struct manycore_entry *entry_at(const struct manycore_block *block, uint32_t place, uint32_t queue, uint32_t at)
{
    uint32_t depth = (uint32_t)block->machine->parameters->mesh_queue;
    return &block->entries[((size_t)place * MANYCORE_QUEUES + queue) * depth + (at >= depth ? at - depth : at)];
}

void manycore_router_wake(struct manycore_block *block, uint32_t place)
{
    uint64_t bit = UINT64_C(1) << place % 64, *word = &block->active[place / 64];
    block->active_count += !(*word & bit);
    *word |= bit;
}

static void pass_over(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    block->use[place].blocked_since = cycle;
    block->active[place / 64] &= ~(UINT64_C(1) << place % 64);
    block->active_count--;
}

void manycore_router_push(struct manycore_block *block, uint32_t place, uint32_t queue,
                          const struct manycore_packet *packet, uint64_t ready)
{
    struct manycore_router *router = &block->router[place];
    uint32_t depth = (uint32_t)block->machine->parameters->mesh_queue;
    MNP_REQUIRE(router->count[queue] < depth, "%s: a router's queue overflows", block->unit->name);
    struct manycore_entry *entry =
        entry_at(block, place, queue, (uint32_t)router->head[queue] + router->count[queue]++);
    entry->packet = *packet;
    entry->ready = ready;
    manycore_router_wake(block, place);
}

void manycore_router_credit(struct manycore_block *block, uint32_t place, uint32_t port, uint32_t class)
{
    block->router[place].credits[port][class]++;
    manycore_router_wake(block, place);
}

/* Output towards a tile: first along the row, then along the column. */
static uint32_t route(const struct manycore_block *block, uint32_t place, uint32_t to)
{
    uint32_t width = (uint32_t)block->machine->parameters->width;
    uint32_t x = block->left + place % block->columns, y = block->top + place / block->columns;
    uint32_t to_x = to % width, to_y = to / width;
    if (to_x != x)
        return to_x > x ? MANYCORE_EAST : MANYCORE_WEST;
    return to_y == y ? MANYCORE_LOCAL : to_y > y ? MANYCORE_SOUTH : MANYCORE_NORTH;
}

/* The place beyond an output; UINT32_MAX when it lies in another block. */
static uint32_t neighbour(const struct manycore_block *block, uint32_t place, uint32_t out)
{
    uint32_t x = place % block->columns, y = place / block->columns;
    switch (out) {
    case MANYCORE_NORTH:
        return y ? place - block->columns : UINT32_MAX;
    case MANYCORE_SOUTH:
        return y + 1 < block->rows ? place + block->columns : UINT32_MAX;
    case MANYCORE_WEST:
        return x ? place - 1 : UINT32_MAX;
    default:
        return x + 1 < block->columns ? place + 1 : UINT32_MAX;
    }
}

static bool bank_has_room(const struct manycore_block *block, uint32_t place)
{
    return block->router[place].count[MANYCORE_LOCAL * 2 + MANYCORE_REPLY] < block->machine->parameters->mesh_queue;
}

static bool is_local(const struct manycore_block *block, uint32_t place)
{
    return block->local[place / 64] >> place % 64 & 1;
}

/* Whether an output can take a packet of a class in this cycle. */
static bool accepts(const struct manycore_block *block, uint32_t place, uint32_t out, uint32_t class)
{
    const struct manycore_router *router = &block->router[place];
    if (out != MANYCORE_LOCAL)
        return router->credits[out][class] > 0;
    if (class == MANYCORE_REPLY)
        return true;
    return bank_has_room(block, place) && !(is_local(block, place) && router->local_turn);
}

/* Of the queues `claims`, those whose first packet belongs to the oldest access. */
static uint32_t oldest(const struct manycore_block *block, uint32_t place, uint32_t claims)
{
    uint32_t first = 0, born = 0;
    if ((claims & (claims - 1)) == 0)
        return claims;
    for (uint32_t rest = claims; rest; rest &= rest - 1) {
        uint32_t queue = (uint32_t)__builtin_ctz(rest);
        uint32_t its = entry_at(block, place, queue, block->router[place].head[queue])->packet.born;
        if (!first || (int32_t)(its - born) < 0) {
            first = 0;
            born = its;
        }
        first |= its == born ? 1u << queue : 0;
    }
    return first;
}

/* Decides what a router moves in this cycle, appending to the moves. */
static uint32_t arbitrate(struct manycore_block *block, uint32_t place, uint64_t cycle, uint32_t count)
{
    struct manycore_router *router = &block->router[place];
    uint32_t wanted[MANYCORE_PORTS] = {0}, before = count;
    bool coming = false, holds = false;
    bool oldest_first = block->machine->parameters->mesh_arbitration == MANYCORE_OLDEST;
    for (uint32_t queue = 0; queue < MANYCORE_QUEUES; queue++) {
        if (!router->count[queue])
            continue;
        const struct manycore_entry *entry = entry_at(block, place, queue, router->head[queue]);
        holds |= entry->ready <= cycle;
        coming |= entry->ready > cycle;
        if (entry->ready > cycle)
            continue;
        uint32_t out = route(block, place, entry->packet.to);
        if (accepts(block, place, out, queue % 2))
            wanted[out] |= 1u << queue;
    }
    struct manycore_use *use = &block->use[place];
    if (use->blocked_since != UINT64_MAX) {
        use->blocked += cycle - use->blocked_since;
        use->blocked_since = UINT64_MAX;
    }
    for (uint32_t out = 0; out < MANYCORE_PORTS; out++) {
        if (!wanted[out])
            continue;
        uint32_t turn = router->turn[out], claims = oldest_first ? oldest(block, place, wanted[out]) : wanted[out];
        uint32_t later = claims >> turn << turn, queue = (uint32_t)__builtin_ctz(later ? later : claims);
        block->moves[count++] = (struct manycore_move){(uint16_t)place, (uint8_t)queue, (uint8_t)out};
    }
    if (count == before) {
        if (coming)
            use->blocked += holds;
        else if (holds)
            pass_over(block, place, cycle);
        else { /* empty */
            pass_over(block, place, cycle);
            use->blocked_since = UINT64_MAX;
        }
    }
    return count;
}

/* Gives a place of a queue back to whoever fills it. */
static void give_back(struct manycore_block *block, uint32_t place, uint32_t queue, mnp_time time)
{
    uint32_t port = queue / 2, width = (uint32_t)block->machine->parameters->width;
    if (port == MANYCORE_LOCAL)
        return;
    uint32_t from = neighbour(block, place, port), opposite = port ^ 2;
    if (from != UINT32_MAX) {
        manycore_router_credit(block, from, opposite, queue % 2);
        return;
    }
    static const int32_t across[4] = {0, 1, 0, -1}, along[4] = {-1, 0, 1, 0};
    uint32_t tile = manycore_tile_of(block, place, width);
    struct manycore_flit *flit = mnp_link_send(block->out[port], time);
    flit->router = (uint16_t)((int32_t)tile + across[port] + along[port] * (int32_t)width);
    flit->port = (uint8_t)opposite;
    flit->class = queue % 2;
    flit->is_credit = 1;
}

/* Takes a packet out of the mesh: a reply goes to the core, a request to the bank. */
static void deliver(struct manycore_block *block, uint32_t place, struct manycore_packet *packet, uint32_t class,
                    uint64_t cycle, mnp_time time)
{
    const struct manycore_machine *machine = block->machine;
    if (class == MANYCORE_REPLY) {
        manycore_block_answer(block, place, packet, cycle + 1);
        return;
    }
    const struct manycore_parameters *p = machine->parameters;
    manycore_bank_serve(block->unit, block->tile[place].versions, MANYCORE_VERSIONS, machine->shared.base, packet,
                        time);
    block->router[place].local_turn = 1;
    manycore_router_push(block, place, MANYCORE_LOCAL * 2 + MANYCORE_REPLY, packet, cycle + 1 + p->shared_latency);
}

static void move(struct manycore_block *block, const struct manycore_move *move, uint64_t cycle, mnp_time time)
{
    uint32_t place = move->router, class = move->queue % 2, depth = (uint32_t)block->machine->parameters->mesh_queue;
    struct manycore_router *router = &block->router[place];
    struct manycore_packet packet = entry_at(block, place, move->queue, router->head[move->queue])->packet;
    router->head[move->queue] = (uint8_t)(router->head[move->queue] + 1u == depth ? 0 : router->head[move->queue] + 1);
    router->count[move->queue]--;
    router->turn[move->out] = (uint8_t)(move->queue + 1 == MANYCORE_QUEUES ? 0 : move->queue + 1);
    block->use[place].out[move->out]++;
    manycore_router_wake(block, place);
    give_back(block, place, move->queue, time);
    if (move->out == MANYCORE_LOCAL) {
        deliver(block, place, &packet, class, cycle, time);
        return;
    }
    router->credits[move->out][class]--;
    uint32_t next = neighbour(block, place, move->out), port = move->out ^ 2u;
    if (next != UINT32_MAX) {
        manycore_router_push(block, next, port * 2 + class, &packet, cycle + 1);
        return;
    }
    static const int32_t across[4] = {0, 1, 0, -1}, along[4] = {-1, 0, 1, 0};
    uint32_t width = (uint32_t)block->machine->parameters->width, tile = manycore_tile_of(block, place, width);
    struct manycore_flit *flit = mnp_link_send(block->out[move->out], time);
    flit->packet = packet;
    flit->router = (uint16_t)((int32_t)tile + across[move->out] + along[move->out] * (int32_t)width);
    flit->port = (uint8_t)port;
    flit->class = (uint8_t) class;
}

/* Accesses of cores to the banks of their own tiles, which compete with the mesh for the bank alone. `moves` is what
 * the routers have decided. */
static void serve_local(struct manycore_block *block, uint64_t cycle, mnp_time time, uint32_t moves)
{
    for (uint32_t i = 0; i < moves; i++) {
        const struct manycore_move *each = &block->moves[i];
        if (each->out == MANYCORE_LOCAL && each->queue % 2 == MANYCORE_REQUEST)
            block->router[each->router].local_turn |= 2; /* the bank is taken */
    }
    for (uint32_t word = 0; word * 64 < block->tiles && block->local_count; word++) {
        for (uint64_t bits = block->local[word]; bits; bits &= bits - 1) {
            uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(bits);
            struct manycore_router *router = &block->router[place];
            if (router->local_turn & 2)
                continue;
            router->local_turn = 0;
            block->local[word] &= ~(bits & -bits);
            block->local_count--;
            struct manycore_packet packet = {.request = block->tile[place].core.request};
            manycore_bank_serve(block->unit, block->tile[place].versions, MANYCORE_VERSIONS,
                                block->machine->shared.base, &packet, time);
            manycore_block_answer(block, place, &packet, cycle + block->machine->parameters->shared_latency);
            manycore_router_wake(block, place);
        }
    }
    for (uint32_t i = 0; i < moves; i++)
        block->router[block->moves[i].router].local_turn &= 1;
}

void manycore_mesh_cycle(struct manycore_block *block, uint64_t cycle)
{
    mnp_time time = mnp_cursor_edge(&block->unit->clock, cycle);
    uint32_t count = 0;
    for (uint32_t word = 0; word * 64 < block->tiles && block->active_count; word++)
        for (uint64_t bits = block->active[word]; bits; bits &= bits - 1)
            count = arbitrate(block, word * 64 + (uint32_t)__builtin_ctzll(bits), cycle, count);
    if (block->local_count)
        serve_local(block, cycle, time, count);
    for (uint32_t i = 0; i < count; i++)
        move(block, &block->moves[i], cycle, time);
}
