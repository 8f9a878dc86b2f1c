/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routers of a block: input queues with credits, XY routing, one packet per output and cycle, round robin or oldest
 * access first. Requests and replies have queues of their own, so that a bank that waits for room for its reply can
 * always be relieved: replies end in cores, which always take them. XY routes without cycles do the rest against
 * deadlock in a mesh. In a torus each ring would be a cycle; there a packet changes over to a second virtual channel at
 * the link that closes the ring (the dateline; Dally & Towles, Principles and Practices of Interconnection Networks,
 * 14.2.3), and since the shorter way never passes that link twice, no ring of waiting packets can close.
 */
#include "manycore/machine.h"

static struct manycore_entry *entry_at(const struct manycore_block *block, uint32_t place, uint32_t queue, uint32_t at)
{
    const struct manycore_parameters *p = block->machine->parameters;
    uint32_t depth = (uint32_t)p->mesh_queue;
    return &block->entries[((size_t)place * manycore_queues(p) + queue) * depth + (at >= depth ? at - depth : at)];
}

void manycore_router_wake(struct manycore_block *block, uint32_t place)
{
    uint64_t bit = UINT64_C(1) << place % 64, *word = &block->active[place / 64];
    block->active_count += !(*word & bit);
    *word |= bit;
}

/* `since`: the cycle from which it is blocked; UINT64_MAX: it is empty. */
static void pass_over(struct manycore_block *block, uint32_t place, uint64_t since)
{
    block->use[place].blocked_since = since;
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
    router->occupied |= 1u << queue;
    entry->packet = *packet;
    entry->ready = (uint32_t)ready;
    manycore_router_wake(block, place);
}

void manycore_router_credit(struct manycore_block *block, uint32_t place, uint32_t port, uint32_t channel)
{
    block->router[place].credits[port][channel]++;
    if (block->use[place].blocked_since != UINT64_MAX) /* an empty router has no use for it yet */
        manycore_router_wake(block, place);
}

/* The way along one axis: 1 upwards, -1 downwards, 0 it is there. In a torus the shorter one; where both are equally
 * long, which is so at the source alone, tiles take turns. */
static int32_t direction(const struct manycore_parameters *p, uint32_t at, uint32_t to, uint32_t size)
{
    if (at == to)
        return 0;
    if (!p->mesh_torus)
        return to > at ? 1 : -1;
    uint32_t up = to > at ? to - at : to + size - at;
    if (2 * up == size)
        return at % 2 ? -1 : 1;
    return 2 * up < size ? 1 : -1;
}

/* Output towards a tile: first along the row, then along the column. */
static uint32_t route(const struct manycore_block *block, uint32_t place, uint32_t to)
{
    const struct manycore_parameters *p = block->machine->parameters;
    const struct manycore_around *here = &block->around[place];
    struct manycore_point there = block->points[to];
    int32_t across = direction(p, here->x, there.x, (uint32_t)p->width);
    if (across)
        return across > 0 ? MANYCORE_EAST : MANYCORE_WEST;
    int32_t along = direction(p, here->y, there.y, (uint32_t)p->height);
    return along == 0 ? MANYCORE_LOCAL : along > 0 ? MANYCORE_SOUTH : MANYCORE_NORTH;
}

/* Fills in the neighbours within the block, around the rings of a torus if they lie in it as a whole. */
void manycore_router_look_around(struct manycore_block *block)
{
    const struct manycore_parameters *p = block->machine->parameters;
    uint32_t columns = block->columns, rows = block->rows;
    bool ring_x = p->mesh_torus && columns == p->width, ring_y = p->mesh_torus && rows == p->height;
    for (uint32_t place = 0; place < block->tiles; place++) {
        uint32_t x = place % columns, y = place / columns;
        uint32_t next[4] = {[MANYCORE_NORTH] = y        ? place - columns
                                               : ring_y ? place + (rows - 1) * columns
                                                        : UINT32_MAX,
                            [MANYCORE_EAST] = x + 1 < columns ? place + 1
                                              : ring_x        ? place + 1 - columns
                                                              : UINT32_MAX,
                            [MANYCORE_SOUTH] = y + 1 < rows ? place + columns
                                               : ring_y     ? x
                                                            : UINT32_MAX,
                            [MANYCORE_WEST] = x        ? place - 1
                                              : ring_x ? place + columns - 1
                                                       : UINT32_MAX};
        struct manycore_around *around = &block->around[place];
        around->x = (uint8_t)(block->left + x);
        around->y = (uint8_t)(block->top + y);
        for (uint32_t out = 0; out < 4; out++)
            around->next[out] = (uint16_t)(next[out] == UINT32_MAX ? MANYCORE_OUTSIDE : next[out]);
    }
}

/* The link beyond an output closes a ring of the torus. */
static bool wraps(const struct manycore_block *block, uint32_t place, uint32_t out)
{
    const struct manycore_parameters *p = block->machine->parameters;
    const struct manycore_around *here = &block->around[place];
    switch (out) {
    case MANYCORE_NORTH:
        return here->y == 0;
    case MANYCORE_SOUTH:
        return here->y + 1u == p->height;
    case MANYCORE_WEST:
        return here->x == 0;
    default:
        return here->x + 1u == p->width;
    }
}

/* The channel of the queue beyond an output. In a torus a packet enters each ring on virtual channel 0 and goes on on
 * channel 1 behind the link that closes the ring. */
static uint32_t channel_beyond(const struct manycore_block *block, uint32_t place, uint32_t queue, uint32_t out)
{
    uint32_t class = queue % 2;
    if (!block->machine->parameters->mesh_torus || out == MANYCORE_LOCAL)
        return class;
    bool in_its_ring = queue >= MANYCORE_MESH_QUEUES && queue / 2 % MANYCORE_PORTS % 2 == out % 2;
    return class + (in_its_ring || wraps(block, place, out) ? 2 : 0);
}

static bool bank_has_room(const struct manycore_block *block, uint32_t place)
{
    return block->router[place].count[MANYCORE_LOCAL * 2 + MANYCORE_REPLY] < block->machine->parameters->mesh_queue;
}

static bool is_local(const struct manycore_block *block, uint32_t place)
{
    return block->local[place / 64] >> place % 64 & 1;
}

/* Whether an output can take a packet of a queue in this cycle. */
static bool accepts(const struct manycore_block *block, uint32_t place, uint32_t out, uint32_t queue)
{
    const struct manycore_router *router = &block->router[place];
    if (out != MANYCORE_LOCAL)
        return router->credits[out][channel_beyond(block, place, queue, out)] > 0;
    if (queue % 2 == MANYCORE_REPLY)
        return true;
    return bank_has_room(block, place) && !(is_local(block, place) && router->local_turn);
}

/* A router, as the arbitration sees it. */
struct place_of_claims {
    const struct manycore_block *block;
    uint32_t place;
};

/* When the access was begun that the first packet of a queue belongs to. */
static uint32_t born_at(const void *owner, uint32_t queue)
{
    const struct place_of_claims *at = owner;
    return entry_at(at->block, at->place, queue, at->block->router[at->place].head[queue])->packet.born;
}

/* The queue that an output serves; `wanted` is not 0. */
static uint32_t choose_queue(const struct manycore_block *block, uint32_t place, uint32_t out, uint32_t wanted)
{
    enum mnp_arbitration arbitration = (enum mnp_arbitration)block->machine->parameters->mesh_arbitration;
    struct place_of_claims at = {block, place};
    uint64_t places = wanted;
    struct mnp_claims claims = {.places = &places, .words = 1, .turn = block->router[place].turn[out]};
    if ((wanted & (wanted - 1)) == 0)
        return (uint32_t)__builtin_ctz(wanted);
    return mnp_arbitrate(arbitration, &claims, born_at, &at);
}

/* Brings the counts of a router up to date that has been passed over. */
static void count_blocked(struct manycore_use *use, uint64_t cycle)
{
    if (use->blocked_since == UINT64_MAX)
        return;
    uint64_t cycles = cycle - use->blocked_since;
    use->blocked += cycles;
    for (uint32_t out = 0; out < MANYCORE_PORTS; out++)
        use->stalled[out] += use->blocked_outs >> out & 1 ? cycles : 0;
    use->blocked_since = UINT64_MAX;
}

/* Where the first packets of a router's queues want to go. */
struct claims {
    uint32_t wanted[MANYCORE_PORTS]; /* queues whose packet this output can take */
    uint32_t asked;                  /* outputs that a packet is there for, one bit each */
    bool coming;                     /* packets are on their way into the router */
};

static void gather_claims(const struct manycore_block *block, uint32_t place, uint64_t cycle, struct claims *claims)
{
    const struct manycore_router *router = &block->router[place];
    for (uint32_t rest = router->occupied; rest; rest &= rest - 1) {
        uint32_t queue = (uint32_t)__builtin_ctz(rest);
        const struct manycore_entry *entry = entry_at(block, place, queue, router->head[queue]);
        if ((int32_t)(entry->ready - (uint32_t)cycle) > 0) {
            claims->coming = true;
            continue;
        }
        uint32_t out = route(block, place, entry->packet.to);
        claims->asked |= 1u << out;
        if (accepts(block, place, out, queue))
            claims->wanted[out] |= 1u << queue;
    }
}

/* Decides what a router moves in this cycle, appending to the moves. */
static uint32_t arbitrate(struct manycore_block *block, uint32_t place, uint64_t cycle, uint32_t count)
{
    struct manycore_use *use = &block->use[place];
    struct claims claims = {0};
    uint32_t before = count;
    gather_claims(block, place, cycle, &claims);
    count_blocked(use, cycle);
    for (uint32_t rest = claims.asked; rest; rest &= rest - 1) {
        uint32_t out = (uint32_t)__builtin_ctz(rest), wanted = claims.wanted[out];
        if (!wanted)
            continue;
        uint32_t queue = choose_queue(block, place, out, wanted);
        block->moves[count++] = (struct manycore_move){(uint16_t)place, (uint8_t)queue, (uint8_t)out};
        claims.asked &= ~(1u << out);
    }
    if (count == before && !claims.coming) { /* nothing changes until somebody wakes it */
        pass_over(block, place, claims.asked ? cycle : UINT64_MAX);
        use->blocked_outs = claims.asked;
        return count;
    }
    use->blocked += count == before && claims.asked;
    for (uint32_t rest = claims.asked; rest; rest &= rest - 1)
        use->stalled[__builtin_ctz(rest)]++;
    return count;
}

/* Fills in where a flit goes that leaves the block through an output. */
static struct manycore_flit *send_flit(struct manycore_block *block, uint32_t place, uint32_t out, uint32_t channel,
                                       mnp_time time)
{
    const struct manycore_parameters *p = block->machine->parameters;
    uint32_t width = (uint32_t)p->width, height = (uint32_t)p->height;
    uint32_t x = block->around[place].x, y = block->around[place].y;
    x = (x + (out == MANYCORE_EAST) + (out == MANYCORE_WEST ? width - 1 : 0)) % width;
    y = (y + (out == MANYCORE_SOUTH) + (out == MANYCORE_NORTH ? height - 1 : 0)) % height;
    struct manycore_flit *flit = mnp_link_send(block->out[out], time);
    flit->router = (uint16_t)(y * width + x);
    flit->port = (uint8_t)(out ^ 2u);
    flit->channel = (uint8_t)channel;
    return flit;
}

/* Gives a place of a queue back to whoever fills it. */
static void give_back(struct manycore_block *block, uint32_t place, uint32_t queue, mnp_time time)
{
    uint32_t port = queue / 2 % MANYCORE_PORTS, channel = queue % 2 + (queue >= MANYCORE_MESH_QUEUES ? 2 : 0);
    if (port == MANYCORE_LOCAL)
        return;
    uint32_t from = block->around[place].next[port];
    if (from != MANYCORE_OUTSIDE)
        manycore_router_credit(block, from, port ^ 2u, channel);
    else
        send_flit(block, place, port, channel, time)->is_credit = 1;
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
    struct manycore_bank bank = manycore_bank_of(&block->tile[place]);
    manycore_bank_serve(block->unit, &bank, machine->shared.base, packet, time);
    block->router[place].local_turn = 1;
    block->use[place].served++;
    manycore_router_push(block, place, MANYCORE_LOCAL * 2 + MANYCORE_REPLY, packet, cycle + 1 + p->shared_latency);
}

static void move(struct manycore_block *block, const struct manycore_move *move, uint64_t cycle, mnp_time time)
{
    const struct manycore_parameters *p = block->machine->parameters;
    uint32_t place = move->router, class = move->queue % 2, depth = (uint32_t)p->mesh_queue;
    struct manycore_router *router = &block->router[place];
    struct manycore_packet packet = entry_at(block, place, move->queue, router->head[move->queue])->packet;
    router->head[move->queue] = (uint8_t)(router->head[move->queue] + 1u == depth ? 0 : router->head[move->queue] + 1);
    if (--router->count[move->queue] == 0)
        router->occupied &= ~(1u << move->queue);
    router->turn[move->out] = (uint8_t)(move->queue + 1u == manycore_queues(p) ? 0 : move->queue + 1);
    block->use[place].out[move->out]++;
    manycore_router_wake(block, place);
    give_back(block, place, move->queue, time);
    if (move->out == MANYCORE_LOCAL) {
        deliver(block, place, &packet, class, cycle, time);
        return;
    }
    uint32_t next = block->around[place].next[move->out];
    uint32_t channel = channel_beyond(block, place, move->queue, move->out);
    router->credits[move->out][channel]--;
    if (next != MANYCORE_OUTSIDE)
        manycore_router_push(block, next, manycore_queue(move->out ^ 2u, channel), &packet, cycle + 1);
    else
        send_flit(block, place, move->out, channel, time)->packet = packet;
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
            block->use[place].served++;
            block->local[word] &= ~(bits & -bits);
            block->local_count--;
            struct manycore_bank bank = manycore_bank_of(&block->tile[place]);
            struct manycore_packet packet = {.request = block->tile[place].core.request};
            packet.from = packet.to =
                (uint16_t)manycore_tile_of(block, place, (uint32_t)block->machine->parameters->width);
            manycore_bank_serve(block->unit, &bank, block->machine->shared.base, &packet, time);
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
