/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routers of a block: input queues with credits, XY routing, one packet a cycle of all queues or per output, round
 * robin or oldest access first. Requests and replies have queues of their own, so that a bank that waits for room for
 * its reply can always be relieved: replies end in cores, which always take them. XY routes without cycles do the rest
 * against deadlock in a mesh. In a torus each ring would be a cycle; there a packet changes over to a second virtual
 * channel at the link that closes the ring (the dateline; Dally & Towles, Principles and Practices of Interconnection
 * Networks, 14.2.3), and since the shorter way never passes that link twice, no ring of waiting packets can close.
 */
#include "manycore/mesh/delivery.h"
#include "manycore/mesh/flight.h"

MNP_APART void manycore_router_wake(struct manycore_block *block, uint32_t place)
{
    struct mesh mesh = mesh_of(block, block->shape.torus);
    wake(&mesh, place);
    block->is_active = true;
}

MNP_APART void manycore_router_push(struct manycore_block *block, uint32_t place, uint32_t queue,
                                    const struct manycore_packet *packet, uint64_t ready)
{
    struct mesh mesh = mesh_of(block, block->shape.torus);
    struct seat at = seat_of(&mesh, place);
    if (!mesh.flights || !take_off(&mesh, &at, queue, packet, ready))
        append(&mesh, &at, queue, packet, ready, ready);
    block->is_active = true;
}

MNP_INLINE static void credit(const struct mesh *mesh, uint32_t place, uint32_t port, uint32_t channel)
{
    mesh->router[place].credits[port][channel]++;
    if (mesh->node[place].claims.wants[port]) /* otherwise it has no use for it yet */
        wake(mesh, place);
}

MNP_APART void manycore_router_credit(struct manycore_block *block, uint32_t place, uint32_t port, uint32_t channel)
{
    struct mesh mesh = mesh_of(block, block->shape.torus);
    credit(&mesh, place, port, channel);
    block->is_active = true;
}

/* ===== deciding: what stood in the queues when the cycle began ===== */

/* Queues whose packet the tile itself can take in this cycle. */
MNP_INLINE static uint32_t accepted_here(const struct mesh *mesh, const struct seat *at, uint32_t wanted, bool room)
{
    return room && !(at->router->local_turn && is_local(mesh->block, at->place)) ? wanted : wanted & REPLIES;
}

/* Kinds of packets for which there is room beyond an output of a mesh. */
MNP_INLINE static uint32_t kinds_beyond(const struct seat *at, uint32_t out)
{
    const uint8_t *credits = at->router->credits[out];
    return (credits[MANYCORE_REQUEST] ? REQUESTS : 0) | (credits[MANYCORE_REPLY] ? REPLIES : 0);
}

/* Queues whose packet the next router can take in this cycle. */
MNP_INLINE static uint32_t accepted(const struct mesh *mesh, const struct seat *at, uint32_t out, uint32_t wanted)
{
    const uint8_t *credits = at->router->credits[out];
    if (!mesh->torus)
        return wanted & kinds_beyond(at, out);
    uint32_t result = 0;
    for (uint32_t rest = wanted; rest; rest &= rest - 1)
        if (credits[channel_beyond(mesh, at, (uint32_t)__builtin_ctz(rest), out)])
            result |= rest & -rest;
    return result;
}

MNP_DEVICE static uint32_t born_at(const void *owner, uint32_t queue)
{
    return ((const struct manycore_claims *)owner)->born[queue];
}

/* The queue that an output serves; `wanted` is not 0. */
MNP_INLINE static uint32_t choose_queue(const struct mesh *mesh, const struct seat *at, uint32_t out, uint32_t wanted)
{
    uint64_t places = wanted;
    struct mnp_claims claims = {.places = &places, .words = 1, .turn = at->router->turn[turn_at(mesh->single, out)]};
    if ((wanted & (wanted - 1)) == 0)
        return (uint32_t)__builtin_ctz(wanted);
    return mnp_arbitrate(mesh->arbitration, &claims, born_at, &at->node->claims);
}

/* Takes the first packet out of a queue, for an output. Result: whether the one behind it, if there is one, has the
 * same aim, so that the queue goes on asking for the same output; otherwise `behind` notes the queue. */
MNP_INLINE static bool take_first(const struct mesh *mesh, const struct seat *at, uint32_t queue,
                                  const struct manycore_entry *entry, uint64_t cycle, uint32_t *behind)
{
    struct manycore_router *router = at->router;
    uint32_t head = wrapped(mesh, router->head[queue] + 1u), count = router->count[queue] - 1u;
    router->head[queue] = (uint8_t)head;
    router->count[queue] = (uint8_t)count;
    if (!count)
        return false;
    const struct manycore_entry *next = entry_of(mesh, at->place, queue, head);
    if (next->packet.to == entry->packet.to && (int32_t)(next->ready - (uint32_t)cycle) <= 1) {
        at->node->claims.born[queue] = next->packet.born;
        return true;
    }
    *behind |= 1u << queue;
    return false;
}

/* An output has served a queue; `wants`: those that still ask for it. */
MNP_INLINE static void count_out(const struct mesh *mesh, const struct seat *at, uint32_t queue, uint32_t out,
                                 uint32_t wants, uint64_t cycle)
{
    struct manycore_use *use = &at->node->use;
    use->out[out]++;
    use->stalled[out] += (uint32_t)cycle - use->since[out];
    use->since[out] = wants ? (uint32_t)cycle + 1 : 0;
    at->node->claims.wants[out] = wants;
    at->router->turn[turn_at(mesh->single, out)] =
        turn_behind(queue, mesh->torus ? MANYCORE_QUEUES : MANYCORE_MESH_QUEUES);
}

/* A packet goes to a queue in which others are before it at once, as nobody looks at it before they have left; the
 * place that it leaves is given back when all have decided. False: it crosses to another block, or would be the
 * first. */
MNP_INLINE static bool hand_on(const struct mesh *mesh, const struct seat *at, uint32_t queue, uint32_t out,
                               const struct manycore_packet *packet, uint64_t cycle)
{
    uint32_t port = queue / 2, next = at->place + (uint32_t)mesh->steps[out];
    uint32_t beyond = manycore_queue(out ^ 2u, queue % 2), from = at->place + (uint32_t)mesh->steps[port];
    if (!mesh->flights || leads_outside(at, out) || leads_outside(at, port))
        return false;
    struct manycore_router *router = &mesh->router[next];
    uint32_t count = router->count[beyond];
    if (count == 0)
        return false;
    MNP_INVARIANT(count < mesh->depth, "a queue of router %u overflows", next);
    struct manycore_entry *entry = entry_of(mesh, next, beyond, wrapped(mesh, router->head[beyond] + count));
    entry->packet = *packet;
    entry->ready = (uint32_t)cycle + 1;
    router->count[beyond] = (uint8_t)(count + 1);
    if (port != MANYCORE_LOCAL)
        mesh->block->credits[mesh->block->credit_count++] = from << 4 | (port ^ 2u) << 1 | queue % 2;
    return true;
}

/* Decision of a router: the number of moves, including earlier ones, and whether packets that are already there may
 * move in the next cycle. Otherwise the router is not visited before a packet or a credit arrives. */
struct decided {
    uint32_t moves;
    bool stays;
};

/* Updates a router after packets have left it. Packets behind them (queues as bits) are considered in the next
 * cycle. */
MNP_INLINE static bool go_on(const struct mesh *mesh, const struct seat *at, uint32_t asked, uint32_t behind,
                             uint64_t cycle)
{
    struct manycore_use *use = &at->node->use;
    struct manycore_claims *claims = &at->node->claims;
    bool stays = false;
    claims->asked = (uint8_t)asked;
    if (use->blocked_since < cycle)
        use->blocked += cycle - use->blocked_since;
    use->blocked_since = asked ? cycle + 1 : UINT64_MAX;
    for (uint32_t rest = behind; rest; rest &= rest - 1) {
        uint32_t queue = (uint32_t)__builtin_ctz(rest);
        uint32_t out = look_at_first(mesh, at, queue, first_of(mesh, at, queue), cycle + 1);
        stays |= out >= MANYCORE_LOCAL || accepted(mesh, at, out, 1u << queue);
    }
    return stays;
}

/* First packets that may be moved from this cycle on. */
MNP_STEP static void admit(const struct mesh *mesh, const struct seat *at, uint64_t cycle)
{
    for (uint32_t rest = at->node->claims.coming; rest; rest &= rest - 1) {
        uint32_t queue = (uint32_t)__builtin_ctz(rest);
        const struct manycore_entry *entry = first_of(mesh, at, queue);
        if ((int32_t)(entry->ready - (uint32_t)cycle) > 0)
            continue;
        at->node->claims.coming &= ~(1u << queue);
        ask(at, queue, route_of(mesh, at, &entry->packet), cycle);
    }
}

/* Queues whose packet may leave through an output in this cycle. */
MNP_INLINE static uint32_t may_go(const struct mesh *mesh, const struct seat *at, uint32_t out, bool room)
{
    uint32_t wants = at->node->claims.wants[out];
    return out == MANYCORE_LOCAL ? accepted_here(mesh, at, wants, room) : accepted(mesh, at, out, wants);
}

/* A router of one packet a cycle chooses it: `queue`, as a bit. Result: its output, as a bit; 0: none may go. */
MNP_STEP static uint32_t choose_one(const struct mesh *mesh, const struct seat *at, bool room, uint32_t *queue,
                                    bool *stays)
{
    uint32_t all = 0, output = 0;
    for (uint32_t rest = at->node->claims.asked; rest; rest &= rest - 1)
        all |= may_go(mesh, at, (uint32_t)__builtin_ctz(rest), room);
    if (!all)
        return 0;
    *queue = 1u << choose_queue(mesh, at, 0, all);
    *stays |= all != *queue;
    for (uint32_t rest = at->node->claims.asked; !output; rest &= rest - 1)
        output = at->node->claims.wants[__builtin_ctz(rest)] & *queue ? rest & -rest : 0;
    return output;
}

/* Decides what a router moves in this cycle, takes it out of its queues and appends it to the moves. No other router
 * sees anything of it before all have decided. `through`: nothing is coming, and nothing wants to its own tile. */
MNP_STEP static struct decided decide(const struct mesh *mesh, const struct seat *at, uint64_t cycle, uint32_t count,
                                      bool through)
{
    struct manycore_claims *claims = &at->node->claims;
    struct manycore_router *router = at->router;
    uint32_t behind = 0;
    bool stays = false, moved = false;
    if (!through && claims->coming)
        admit(mesh, at, cycle);
    if (!through && mesh->block->spinning_count && (claims->wants[MANYCORE_LOCAL] & REQUESTS))
        manycore_local_wake(mesh->block, at->place, cycle);
    bool room = through || has_room(mesh, at);
    uint32_t asked = claims->asked, only = 0;
    for (uint32_t rest = mesh->single ? choose_one(mesh, at, room, &only, &stays) : asked; rest; rest &= rest - 1) {
        uint32_t out = (uint32_t)__builtin_ctz(rest), wants = claims->wants[out], wanted;
        bool here = !through && out == MANYCORE_LOCAL;
        wanted = only ? only : may_go(mesh, at, out, room);
        if (!wanted)
            continue;
        uint32_t queue = choose_queue(mesh, at, out, wanted);
        const struct manycore_entry *entry = first_of(mesh, at, queue);
        if (!take_first(mesh, at, queue, entry, cycle, &behind))
            wants &= ~(1u << queue);
        asked &= wants ? ~0u : ~(1u << out);
        count_out(mesh, at, queue, out, wants, cycle);
        if (here || mesh->torus || !hand_on(mesh, at, queue, out, &entry->packet, cycle))
            mesh->moves[count++] =
                (struct manycore_move){&entry->packet, (uint16_t)at->place, (uint8_t)queue, (uint8_t)out};
        moved = true;
        if (!here)
            router->credits[out][channel_beyond(mesh, at, queue, out)]--;
        else if (queue % 2 == MANYCORE_REQUEST && is_local(mesh->block, at->place))
            router->local_turn = 2; /* the bank is taken */
        if (!here && wants)
            stays |= accepted(mesh, at, out, wants) != 0;
    }
    if (moved)
        stays |= go_on(mesh, at, asked, behind, cycle);
    if (!through)
        stays |= claims->coming || (moved && claims->asked >> MANYCORE_LOCAL);
    return (struct decided){count, stays};
}

/* The same for the routers of a mesh that have to do with their own tile. */
MNP_DEVICE __attribute__((noinline)) static struct decided decide_here(struct manycore_block *block, uint32_t place,
                                                                       uint64_t cycle, uint32_t count)
{
    const struct mesh mesh = mesh_of(block, false);
    const struct seat at = seat_of(&mesh, place);
    return decide(&mesh, &at, cycle, count, false);
}

/* ===== moving ===== */

/* Gives a place of a queue back to whoever fills it. */
MNP_INLINE static void give_back(const struct mesh *mesh, const struct seat *at, uint32_t queue, uint64_t cycle)
{
    bool second = mesh->torus && queue >= MANYCORE_MESH_QUEUES;
    uint32_t port = (second ? queue - MANYCORE_MESH_QUEUES : queue) / 2, channel = queue % 2 + (second ? 2 : 0);
    if (port == MANYCORE_LOCAL)
        return;
    uint32_t from = at->node->around.next[port];
    if (from != MANYCORE_OUTSIDE)
        credit(mesh, from, port ^ 2u, channel);
    else
        manycore_border_give(mesh->block, at->place, port, channel, cycle);
}

/* A packet that has left its queue reaches the next one. */
MNP_STEP static void move(const struct mesh *mesh, const struct manycore_move *move, uint64_t cycle)
{
    uint32_t queue = move->queue, out = move->out;
    const struct seat at = seat_of(mesh, move->router);
    give_back(mesh, &at, queue, cycle);
    if (out == MANYCORE_LOCAL) {
        manycore_deliver(mesh->block, at.place, move->packet, queue % 2, cycle);
        return;
    }
    uint32_t next = at.node->around.next[out], channel = channel_beyond(mesh, &at, queue, out);
    if (next == MANYCORE_OUTSIDE) {
        manycore_border_pass(mesh->block, at.place, out, channel, move->packet, cycle);
        return;
    }
    const struct seat there = seat_of(mesh, next);
    if (mesh->flights && take_off(mesh, &there, manycore_queue(out ^ 2u, channel), move->packet, cycle + 1))
        at.router->credits[out][channel]++;
    else
        append(mesh, &there, manycore_queue(out ^ 2u, channel), move->packet, cycle + 1, cycle + 1);
}

/* Puts moves into the order in which routers and their outputs decide, which that on the links follows. */
MNP_DEVICE static void sort_moves(struct manycore_move *moves, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct manycore_move move = moves[i];
        uint32_t at = i, key = move.router * 8u + move.out;
        for (; at > 0 && moves[at - 1].router * 8u + moves[at - 1].out > key; at--)
            moves[at] = moves[at - 1];
        moves[at] = move;
    }
}

MNP_STEP static void mesh_cycle(struct manycore_block *block, uint64_t cycle, bool torus)
{
    const struct mesh mesh = mesh_of(block, torus);
    uint32_t count = 0, crossing = 0, words = (block->tiles + 63) / 64;
    if (mesh.flights && block->reply_count)
        manycore_send_replies(block, cycle);
    if (mesh.flights && block->ending_count)
        crossing = count = manycore_flights_end(block, cycle);
    for (uint32_t word = 0; word < words; word++) {
        uint64_t stay = 0;
        for (uint64_t bits = mesh.active[word]; bits; bits &= bits - 1) {
            const struct seat at = seat_of(&mesh, word * 64 + (uint32_t)__builtin_ctzll(bits));
            const struct manycore_claims *claims = &at.node->claims;
            bool through = !torus && !(claims->coming | claims->asked >> MANYCORE_LOCAL);
            struct decided decided = through  ? decide(&mesh, &at, cycle, count, true)
                                     : !torus ? decide_here(block, at.place, cycle, count)
                                              : decide(&mesh, &at, cycle, count, false);
            count = decided.moves;
            stay |= decided.stays ? bits & -bits : 0;
        }
        mesh.active[word] = stay;
    }
    if (block->local_count)
        manycore_serve_local(block, cycle);
    if (mesh.flights && block->flight_count + block->ending_count)
        manycore_flights_go_on(block, cycle);
    if (crossing)
        sort_moves(mesh.moves, count);
    for (uint32_t i = 0; i < block->credit_count; i++) {
        uint32_t place = block->credits[i];
        credit(&mesh, place >> 4, place >> 1 & 7, place & 1);
    }
    block->credit_count = 0;
    const struct manycore_move *moves = block->moves;
    for (uint32_t i = 0; i < count; i++)
        move(&mesh, &moves[i], cycle);
    uint64_t active = 0;
    for (uint32_t word = 0; word < words; word++)
        active |= mesh.active[word];
    block->is_active = active != 0 || block->flight_count + block->ending_count || block->reply_count;
}

MNP_APART void manycore_mesh_cycle(struct manycore_block *block, uint64_t cycle)
{
    block->answer_count = 0;
    if (block->shape.torus)
        mesh_cycle(block, cycle, true);
    else
        mesh_cycle(block, cycle, false);
}
