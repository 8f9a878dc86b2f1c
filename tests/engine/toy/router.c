/* SPDX-License-Identifier: BSD-3-Clause */
/* The toy's router: two inputs (ring, port) of two classes, two outputs, one packet per output and cycle, by turns. */
#include "toy.h"

static uint32_t output_of(const struct toy_router *router, const struct toy_packet *packet)
{
    return packet->to == router->node ? TOY_TO_PORT : TOY_TO_RING;
}

/* Whether the head of a queue can leave: it exists, and the next queue has room, two places when it enters the ring. */
static bool can_leave(const struct toy_router *router, uint32_t from, uint32_t class, uint32_t output)
{
    struct toy_router_state *state = router->state;
    struct toy_queue *queue = &state->in[from][class];
    if (queue->count == 0 || output_of(router, toy_head(queue)) != output)
        return false;
    bool enters = from == TOY_FROM_PORT && output == TOY_TO_RING && router->machine->parameters.bubble;
    return state->port[output].credits[class] >= (enters ? 2 : 1);
}

static void receive(struct mnp_unit *unit, mnp_time time)
{
    struct toy_router *router = unit->self;
    struct toy_router_state *state = router->state;
    uint32_t index;
    for (const void *payload; (payload = mnp_inbox_peek(&unit->inbox, time, &index)); mnp_inbox_take(&unit->inbox)) {
        if (index == 1 || index == 3) { /* credits */
            const struct toy_credit *credit = payload;
            for (uint32_t class = 0; class < TOY_CLASSES; class++)
                state->port[index / 2].credits[class] += credit->count[class];
            continue;
        }
        const struct toy_packet *packet = payload;
        uint32_t from = index / 2;
        struct toy_queue *queue = &state->in[from][packet->class];
        MNP_REQUIRE(queue->count < router->machine->parameters.depth, "%s: a queue overflows", unit->name);
        toy_receive(&state->port[from], unit, packet);
        if (queue->count == 0)
            state->since[from][packet->class] = time;
        toy_push(queue, packet);
    }
}

/* Moves at most one packet to an output, starting with whose turn it is. */
static bool serve(struct toy_router *router, uint32_t output, mnp_time time)
{
    struct toy_router_state *state = router->state;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t choice = (state->turn[output] + i) % 4;
        uint32_t from = choice / 2, class = choice % 2;
        if (!can_leave(router, from, class, output))
            continue;
        struct toy_queue *queue = &state->in[from][class];
        toy_send(&state->port[output], router->out[output], toy_head(queue), time);
        toy_pop(queue);
        state->since[from][class] = time;
        toy_give_back(router->credit[from], class, time);
        state->turn[output] = choice + 1;
        return true;
    }
    return false;
}

static bool is_empty(const struct toy_router_state *state)
{
    return state->in[0][0].count + state->in[0][1].count + state->in[1][0].count + state->in[1][1].count == 0;
}

static uint64_t step(struct mnp_unit *unit, uint64_t cycle, mnp_time time)
{
    struct toy_router *router = unit->self;
    receive(unit, time);
    bool moved = serve(router, TOY_TO_RING, time);
    moved |= serve(router, TOY_TO_PORT, time);
    uint32_t what = moved ? TOY_ROUTER_MOVED : is_empty(router->state) ? TOY_ROUTER_IDLE : TOY_ROUTER_BLOCKED;
    mnp_counters(unit, 0)[what]++;
    for (uint32_t i = 0; i < 8; i++)
        if (can_leave(router, i / 4, i / 2 % 2, i % 2))
            return cycle + 1;
    return UINT64_MAX;
}

static void idle(struct mnp_unit *unit, uint64_t cycles)
{
    struct toy_router *router = unit->self;
    mnp_counters(unit, 0)[is_empty(router->state) ? TOY_ROUTER_IDLE : TOY_ROUTER_BLOCKED] += cycles;
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct toy_router *router = unit->self;
    return toy_run(unit, until, &router->state->progress, step, idle);
}

static bool wait_of(const struct mnp_unit *unit, uint32_t index, struct mnp_wait *wait)
{
    const struct toy_router *router = unit->self;
    for (uint32_t i = 0; i < 4; i++) {
        struct toy_queue *queue = &router->state->in[i / 2][i % 2];
        if (queue->count == 0 || index-- > 0)
            continue;
        uint32_t output = output_of(router, toy_head(queue));
        wait->on = router->out[output]->to;
        wait->since = router->state->since[i / 2][i % 2];
        snprintf(wait->what, sizeof wait->what, "a place for %u %s from the %s", queue->count,
                 i % 2 == TOY_REQUEST ? "requests" : "replies", i / 2 == TOY_FROM_RING ? "ring" : "port");
        return true;
    }
    return false;
}

static const struct mnp_statistic statistics[] = {
    MNP_COUNTER_ROW("moved", "cycle", "cycles in which a packet moved"),
    MNP_COUNTER_ROW("blocked", "cycle", "cycles in which packets stood still"),
    MNP_COUNTER_ROW("idle", "cycle", "cycles without packets"),
};

enum { RING_IN, RING_CREDITS_IN, PORT_IN, PORT_CREDITS_IN, RING_OUT, RING_CREDITS_OUT, PORT_OUT, PORT_CREDITS_OUT };
static const struct mnp_port ports[] = {
    [RING_IN] = MNP_IN_ROW("ring", "toy_router", toy_packet, "from the node before"),
    [RING_CREDITS_IN] = MNP_IN_ROW("ring credits", "toy_router", toy_credit, "places free in the next node"),
    [PORT_IN] = MNP_IN_ROW("port", "", toy_packet, "from the node's own part"),
    [PORT_CREDITS_IN] = MNP_IN_ROW("port credits", "", toy_credit, "places free in the node's own part"),
    [RING_OUT] = MNP_OUT_ROW("ring", "toy_router", toy_packet, "to the next node"),
    [RING_CREDITS_OUT] = MNP_OUT_ROW("ring credits", "toy_router", toy_credit, "places free here, to the node before"),
    [PORT_OUT] = MNP_OUT_ROW("port", "", toy_packet, "to the node's own part"),
    [PORT_CREDITS_OUT] = MNP_OUT_ROW("port credits", "", toy_credit, "places free here, to the node's own part"),
};

static void lay_out(void *self, struct mnp_arena *arena)
{
    struct toy_router *router = self;
    router->state = mnp_arena_take(arena, 1, sizeof *router->state);
}

static void freeze(struct mnp_unit *unit)
{
    struct toy_router *router = unit->self;
    router->out[TOY_TO_RING] = mnp_port_link(unit, RING_OUT);
    router->out[TOY_TO_PORT] = mnp_port_link(unit, PORT_OUT);
    router->credit[TOY_FROM_RING] = mnp_port_link(unit, RING_CREDITS_OUT);
    router->credit[TOY_FROM_PORT] = mnp_port_link(unit, PORT_CREDITS_OUT);
}

static const struct mnp_state_field fields[] = {
    MNP_STATE_ROW("in", "packet", "queues, by input and class"),
    MNP_STATE_ROW("credits", "packet", "places free downstream, by output and class"),
};

const struct mnp_model toy_router_model = {
    .name = "toy_router",
    .domain = MNP_DOMAIN_MEMORY,
    .summary = "router of a one-way ring with two classes of packets",
    MNP_PORTS(ports),
    MNP_STATISTICS(statistics),
    MNP_STATE(fields),
    .relays = true,
    .lay_out = lay_out,
    .freeze = freeze,
    .advance = advance,
    .wait = wait_of,
};
