/* SPDX-License-Identifier: BSD-3-Clause */
/* The toy's memory slice: serves requests in order, one per interval; performs atomics and strong accesses on flat
 * memory through its own overlay; acknowledges everything. */
#include "toy.h"

#include <string.h>

static void receive(struct mnp_unit *unit, mnp_time time)
{
    struct toy_slice *slice = unit->self;
    struct toy_slice_state *state = slice->state;
    uint32_t index;
    for (const void *payload; (payload = mnp_inbox_peek(&unit->inbox, time, &index)); mnp_inbox_take(&unit->inbox)) {
        if (index == 1) {
            state->port.credits[TOY_REPLY] += ((const struct toy_credit *)payload)->count[TOY_REPLY];
            continue;
        }
        const struct toy_packet *packet = payload;
        toy_receive(&state->port, unit, packet);
        MNP_REQUIRE(state->in.count < slice->machine->parameters.depth, "%s: the queue overflows", unit->name);
        MNP_REQUIRE(packet->sequence == state->expected[packet->core], "%s: requests of core %u overtake one another",
                    unit->name, packet->core);
        state->expected[packet->core]++;
        toy_push(&state->in, packet);
    }
}

static uint64_t masked(uint64_t value, uint32_t bytes)
{
    return bytes == 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* Performs a request on the contents of memory and returns the value before. */
static uint64_t perform(struct mnp_unit *unit, const struct toy_packet *request, mnp_time time)
{
    struct toy_slice *slice = unit->self;
    uint64_t old = 0, new = request->value;
    mnp_overlay_read(slice->overlay, request->address, request->bytes, &old);
    if (request->action == TOY_FETCH_ADD)
        new += old;
    bool writes = request->action != TOY_READ &&
                  (request->action != TOY_COMPARE || old == masked(request->compare, request->bytes));
    mnp_counters(unit, 0)[TOY_SLICE_PERFORMED]++;
    if (!writes)
        return old;
    if (masked(new, request->bytes) != old) {
        unit->progress = time;
        mnp_counters(unit, 0)[TOY_SLICE_CHANGES]++;
    }
    if (!mnp_overlay_write(slice->overlay, request->address, request->bytes, &new)) {
        struct mnp_error error = mnp_overlay_full(slice->overlay);
        mnp_unit_fault(unit, time, &error);
    }
    return old;
}

static bool can_serve(const struct toy_slice *slice)
{
    const struct toy_parameters *parameters = &slice->machine->parameters;
    bool stuck = parameters->stuck_after && slice->state->served >= parameters->stuck_after;
    return slice->state->in.count > 0 && slice->state->out.count < parameters->reply_depth && !stuck;
}

static void serve(struct mnp_unit *unit, uint64_t cycle, mnp_time time)
{
    struct toy_slice *slice = unit->self;
    struct toy_slice_state *state = slice->state;
    const struct toy_packet *request = toy_head(&state->in);
    struct toy_packet reply = {.address = request->address, .from = (uint16_t)slice->node, .to = request->from,
                               .core = request->core, .class = TOY_REPLY, .action = request->action,
                               .bytes = request->bytes, .entry = request->entry};
    if (request->action != TOY_TIMING && !unit->fault.set)
        reply.value = perform(unit, request, time);
    state->ready[(state->out.head + state->out.count) % TOY_DEPTH] = cycle + slice->machine->parameters.slice_latency;
    toy_push(&state->out, &reply);
    toy_pop(&state->in);
    toy_give_back(slice->credit, TOY_REQUEST, time);
    state->free_at = cycle + slice->machine->parameters.slice_interval;
    state->first_served = state->served ? state->first_served : cycle;
    state->last_served = cycle;
    state->served++;
    state->idle_since = time;
    mnp_counters(unit, 0)[TOY_SLICE_SERVED]++;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The next cycle after `cycle` in which a request can be served or a reply can leave. */
static uint64_t next_cycle(const struct toy_slice *slice, uint64_t cycle)
{
    struct toy_slice_state *state = slice->state;
    uint64_t next = can_serve(slice) ? later(state->free_at, cycle + 1) : UINT64_MAX;
    if (state->out.count > 0 && state->port.credits[TOY_REPLY] > 0) {
        uint64_t leave = later(state->ready[state->out.head], cycle + 1);
        next = leave < next ? leave : next;
    }
    return next;
}

static void count_cycles(struct mnp_unit *unit, uint64_t cycles)
{
    const struct toy_slice *slice = unit->self;
    bool busy = slice->state->in.count + slice->state->out.count > 0;
    mnp_counters(unit, 0)[busy ? TOY_SLICE_BUSY : TOY_SLICE_IDLE] += cycles;
}

static uint64_t step(struct mnp_unit *unit, uint64_t cycle, mnp_time time)
{
    struct toy_slice *slice = unit->self;
    struct toy_slice_state *state = slice->state;
    receive(unit, time);
    if (can_serve(slice) && cycle >= state->free_at)
        serve(unit, cycle, time);
    if (state->out.count > 0 && state->ready[state->out.head] <= cycle && state->port.credits[TOY_REPLY] > 0) {
        toy_send(&state->port, slice->reply, toy_head(&state->out), time);
        state->ready[state->out.head] = 0;
        toy_pop(&state->out);
    }
    count_cycles(unit, 1);
    return next_cycle(slice, cycle);
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct toy_slice *slice = unit->self;
    return toy_run(unit, until, &slice->state->progress, step, count_cycles);
}

static bool wait_of(const struct mnp_unit *unit, uint32_t index, struct mnp_wait *wait)
{
    const struct toy_slice *slice = unit->self;
    bool blocked = slice->state->out.count > 0;
    if (index > 0 || (!blocked && slice->state->in.count == 0))
        return false;
    wait->on = blocked ? slice->reply->to : NULL;
    wait->since = slice->state->idle_since;
    snprintf(wait->what, sizeof wait->what, blocked ? "a place for %u replies" : "%u requests are not served",
             blocked ? slice->state->out.count : slice->state->in.count);
    return true;
}

static const struct mnp_statistic statistics[] = {
    MNP_COUNTER_ROW("busy", "cycle", "cycles with requests or replies"),
    MNP_COUNTER_ROW("idle", "cycle", "cycles without"),
    MNP_COUNTER_ROW("served", "request", "requests served"),
    MNP_COUNTER_ROW("performed", "request", "of these, those performed on the contents"),
    MNP_COUNTER_ROW("changes", "request", "of these, those that changed memory"),
};

enum { REQUESTS, REPLY_CREDITS, REPLIES, REQUEST_CREDITS };
static const struct mnp_port ports[] = {
    [REQUESTS] = MNP_IN_ROW("requests", "toy_router", toy_packet, "requests"),
    [REPLY_CREDITS] = MNP_IN_ROW("reply credits", "toy_router", toy_credit, "places free in the router"),
    [REPLIES] = MNP_OUT_ROW("replies", "toy_router", toy_packet, "acknowledgements"),
    [REQUEST_CREDITS] = MNP_OUT_ROW("request credits", "toy_router", toy_credit, "places free here"),
};

static void lay_out(void *self, struct mnp_arena *arena)
{
    struct toy_slice *slice = self;
    slice->state = mnp_arena_take(arena, 1, sizeof *slice->state);
}

static void freeze(struct mnp_unit *unit)
{
    struct toy_slice *slice = unit->self;
    slice->reply = mnp_port_link(unit, REPLIES);
    slice->credit = mnp_port_link(unit, REQUEST_CREDITS);
}

static const struct mnp_state_field fields[] = {
    MNP_STATE_ROW("in", "packet", "requests that wait"),
    MNP_STATE_ROW("out", "packet", "replies under way or waiting"),
};

const struct mnp_model toy_slice_model = {
    .name = "toy_slice",
    .domain = MNP_DOMAIN_MEMORY,
    .summary = "memory slice that performs atomics and strong accesses in order",
    MNP_PORTS(ports),
    MNP_STATISTICS(statistics),
    MNP_STATE(fields),
    .lay_out = lay_out,
    .freeze = freeze,
    .advance = advance,
    .wait = wait_of,
};
