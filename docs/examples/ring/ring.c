/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small kind of machine: cores on a one-way ring pass a token. A core that gets the token passes the token on in the
 * same cycle; a link takes `ring.latency` cycles. The run ends after `ring.rounds` rounds: cores × rounds × latency.
 */
#include "ring.h"

#include "engine/core/port.h"
#include "engine/declare/declare.h"

#include <stdlib.h>

struct parameters {
    uint64_t hertz, cores, rounds, latency;
};

#define MNP_TABLE_OF struct parameters
static const struct mnp_parameter parameter_rows[] = {
    MNP_CLOCK_ROW("clock.core", hertz, "1GHz", 1000, 10000000000, "clock of the cores", "example"),
    MNP_NUMBER_ROW("ring.cores", "core", cores, NULL, 2, 4096, "cores on the ring", "example"),
    MNP_NUMBER_ROW("ring.rounds", "round", rounds, "1", 1, 1000000, "that the token makes", "example"),
    MNP_NUMBER_ROW("ring.latency", "cycle", latency, "1", 1, 1000, "from a core to the next", "example"),
};

struct token {
    uint64_t hops;
};

struct ring {
    struct parameters parameters;
    struct mnp_engine engine;
    struct mnp_unit **cores;
};

enum { HOPS, CYCLES, CYCLES_PER_HOP };
static const struct mnp_statistic statistic_rows[] = {
    [HOPS] = MNP_COUNTER_ROW("ring_hops", "packet", "tokens sent to the next core"),
    [CYCLES] = MNP_MAXIMUM_ROW("ring_cycles", "cycle", "cycle of the last token"),
    [CYCLES_PER_HOP] =
        MNP_RATIO_ROW("ring_cycles_per_hop", "cycle/packet", "time from core to core", "ring_cycles", "ring_hops"),
};

enum { FROM_RING, TO_RING };
static const struct mnp_port port_rows[] = {
    [FROM_RING] = MNP_IN_ROW("in", "ring_core", token, "the token from the core before"),
    [TO_RING] = MNP_OUT_ROW("out", "ring_core", token, "the token to the next core"),
};

/* Takes a token: passes it on, or ends the run. */
static void take(struct ring *ring, struct mnp_unit *unit, uint64_t hops) /* the unit's clock stands at the present */
{
    const struct parameters *p = &ring->parameters;
    mnp_counters(unit, 0)[CYCLES] = unit->clock.cycle;
    unit->progress = unit->clock.time;
    if (hops == p->cores * p->rounds) {
        mnp_engine_finish(&ring->engine, unit->clock.time);
        return;
    }
    ((struct token *)mnp_link_send(mnp_port_link(unit, TO_RING), unit->clock.time))->hops = hops + 1;
    mnp_counters(unit, 0)[HOPS]++;
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct ring *ring = unit->self;
    uint32_t link;
    if (unit == ring->cores[0] && !mnp_counters(unit, 0)[HOPS]) /* the first one holds the token at the start */
        take(ring, unit, 0);
    while (unit->inbox.next < until) { /* a token that comes between two edges is seen at the second one */
        mnp_cursor_move(&unit->clock, mnp_cursor_cycle_at(&unit->clock, unit->inbox.next));
        if (unit->clock.time >= until)
            break;
        mnp_visit(unit, unit->clock.cycle);
        const struct token *token = mnp_inbox_peek(&unit->inbox, unit->clock.time, &link);
        take(ring, unit, token->hops);
        mnp_inbox_take(&unit->inbox);
    }
    return MNP_NEVER; /* without a token, nothing happens */
}

static const struct mnp_model core_model = {
    .name = "ring_core",
    .summary = "A core that passes on the token which it gets.",
    MNP_PARAMETERS(parameter_rows),
    MNP_PORTS(port_rows),
    MNP_STATISTICS(statistic_rows),
    .advance = advance,
};

static bool read_parameters(struct parameters *p, struct mnp_settings *settings, struct mnp_error *error)
{
    return mnp_settings_fill_model(settings, &core_model, p, error) && mnp_settings_finish(settings, error);
}

static bool check(struct mnp_settings *settings, struct mnp_error *error)
{
    return read_parameters(&(struct parameters){0}, settings, error);
}

static bool open_ring(struct mnp_session *session, struct mnp_settings *settings, const struct mnp_work *work,
                      struct mnp_error *error)
{
    struct ring *ring = session->machine = mnp_allocate(1, sizeof *ring);
    const struct parameters *p = &ring->parameters;
    (void)work; /* there is none: see `inputs` below */
    if (!read_parameters(&ring->parameters, settings, error))
        return false;
    mnp_engine_init(&ring->engine);
    ring->cores = mnp_allocate(p->cores, sizeof *ring->cores);
    for (uint32_t i = 0; i < p->cores; i++) {
        char name[24];
        snprintf(name, sizeof name, "core %u", i);
        struct mnp_unit_plan plan = {.model = &core_model, .self = ring, .name = name, .hertz = p->hertz, .slots = 1};
        ring->cores[i] = mnp_engine_create_unit(&ring->engine, &plan);
    }
    for (uint32_t i = 0; i < p->cores; i++)
        mnp_connect(&ring->engine, mnp_at_port(ring->cores[i], "out", 0),
                    mnp_at_port(ring->cores[(i + 1) % p->cores], "in", 0), mnp_edge(p->hertz, p->latency), 1);
    mnp_engine_freeze(&ring->engine, 0);
    mnp_engine_wake(&ring->engine, ring->cores[0], 0);
    session->engine = &ring->engine;
    session->hertz = p->hertz;
    return true;
}

static void close_ring(struct mnp_session *session)
{
    struct ring *ring = session->machine;
    mnp_engine_release(&ring->engine);
    free(ring->cores);
    free(ring);
}

static const struct mnp_model *const models[] = {&core_model, NULL};

const struct mnp_machine_kind ring_kind = {
    .name = "ring",
    .summary = "Cores on a ring that pass a token.",
    .models = models,
    .counting = models,
    .inputs = MNP_INPUT_NONE,
    .cores = "ring.cores",
    .samples = "ring_hops",
    .check = check,
    .open = open_ring,
    .close = close_ring,
};
