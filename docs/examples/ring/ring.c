/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kind of machine as small as one can be: cores on a one-way ring, which pass a token. A core that gets the token
 * passes it on in the same cycle; links take `ring.latency` cycles. After `ring.rounds` rounds the machine has ended, at
 * cycle cores × rounds × latency.
 *
 * All of a new kind is in this file: parameters, a model, a builder, and the constant that the list of kinds names.
 */
#include "ring.h"

#include <stdlib.h>

struct parameters {
    uint64_t hertz, livelock, cores, rounds, latency;
};

#define ROW(KEY, TYPE, UNIT, FIELD, FALLBACK, MINIMUM, MAXIMUM, HELP)                                                  \
    {                                                                                                                  \
        .key = KEY, .type = TYPE, .unit = UNIT, .offset = offsetof(struct parameters, FIELD), .fallback = FALLBACK,    \
        .minimum = MINIMUM, .maximum = MAXIMUM, .help = HELP, .source = "example"                                      \
    }
static const struct mnp_parameter parameter_rows[] = {
    ROW("clock.core", MNP_HERTZ, "Hz", hertz, "1GHz", 1000, UINT64_C(10000000000), "clock of the cores"),
    ROW("livelock", MNP_UINT, "cycle", livelock, "100000", 1, 0xffffffff, "cycles without progress that end a run"),
    ROW("ring.cores", MNP_UINT, "core", cores, NULL, 2, 4096, "cores on the ring"),
    ROW("ring.rounds", MNP_UINT, "round", rounds, "1", 1, 1000000, "rounds that the token makes"),
    ROW("ring.latency", MNP_UINT, "cycle", latency, "1", 1, 1000, "of the link from a core to the next"),
};
enum { PARAMETERS = sizeof parameter_rows / sizeof *parameter_rows };

struct token {
    uint64_t hops; /* so far */
};

struct core {
    const struct parameters *parameters;
    struct mnp_engine *engine;
    struct mnp_unit *unit;
    struct mnp_link *next;
    uint64_t *holds; /* state: 1 until the core has passed on the token that it holds at the start */
};

struct ring {
    struct parameters parameters;
    struct mnp_engine engine;
    struct core *cores;
};

/* ===== the model of a core ===== */

enum { HOPS, CYCLES, CYCLES_PER_HOP, STATISTICS };
static const struct mnp_statistic statistic_rows[STATISTICS] = {
    [HOPS] = {.name = "ring_hops", .kind = MNP_COUNTER, .unit = "packet", .help = "tokens sent to the next core"},
    [CYCLES] = {.name = "ring_cycles", .kind = MNP_MAXIMUM, .unit = "cycle", .help = "cycle of the last token"},
    [CYCLES_PER_HOP] = {.name = "ring_cycles_per_hop", .kind = MNP_RATIO, .unit = "cycle/packet",
                        .help = "time from core to core", .numerator = "ring_cycles", .denominator = "ring_hops",
                        .scale = 1},
};
static const struct mnp_state_field state_rows[] = {{"holds", "token", "the token that the core holds at the start"}};

/* Takes a token in the cycle that the unit's clock shows: passes it on, or ends the run. */
static void take(struct core *core, uint64_t hops)
{
    const struct parameters *p = core->parameters;
    struct mnp_unit *unit = core->unit;
    uint64_t *counters = mnp_counters(unit, 0);
    counters[CYCLES] = unit->clock.cycle;
    unit->progress = unit->clock.time;
    if (hops == p->cores * p->rounds) {
        mnp_engine_finish(core->engine, unit->clock.time);
        return;
    }
    struct token *token = mnp_link_send(core->next, unit->clock.time);
    token->hops = hops + 1;
    counters[HOPS]++;
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct core *core = unit->self;
    uint32_t link;
    if (*core->holds)
        take(core, 0);
    *core->holds = 0;
    while (unit->inbox.next < until) { /* a token that comes between two edges is seen at the second one */
        uint64_t cycle = mnp_cursor_cycle_at(&unit->clock, unit->inbox.next);
        if (mnp_cursor_edge(&unit->clock, cycle) >= until)
            break;
        mnp_cursor_move(&unit->clock, cycle);
        const struct token *token = mnp_inbox_peek(&unit->inbox, unit->clock.time, &link);
        uint64_t hops = token->hops;
        mnp_inbox_take(&unit->inbox);
        take(core, hops);
    }
    return MNP_NEVER; /* without a token, nothing happens */
}

static const struct mnp_model core_model = {
    .name = "ring_core",
    .summary = "A core that passes on the token which it gets.",
    .parameters = parameter_rows, .parameter_count = PARAMETERS,
    .statistics = statistic_rows, .statistic_count = STATISTICS,
    .state = state_rows, .state_count = 1,
    .advance = advance,
};

/* ===== the machine ===== */

static bool read_parameters(struct parameters *p, struct mnp_settings *settings, struct mnp_error *error)
{
    return mnp_settings_fill(settings, parameter_rows, PARAMETERS, p, error) && mnp_settings_finish(settings, error);
}

static bool check(struct mnp_settings *settings, struct mnp_error *error)
{
    struct parameters parameters;
    return read_parameters(&parameters, settings, error);
}

static void build(struct ring *ring)
{
    const struct parameters *p = &ring->parameters;
    char name[24];
    mnp_engine_init(&ring->engine);
    ring->cores = mnp_allocate(p->cores, sizeof *ring->cores);
    for (uint32_t i = 0; i < p->cores; i++) {
        struct core *core = &ring->cores[i];
        snprintf(name, sizeof name, "core %u", i);
        core->parameters = p;
        core->engine = &ring->engine;
        core->unit = mnp_engine_add_unit(&ring->engine, &core_model, name, core, p->hertz, MNP_CACHE_LINE, 1);
        core->holds = mnp_arena_take(&core->unit->state, 1, sizeof *core->holds);
        *core->holds = i == 0;
    }
    for (uint32_t i = 0; i < p->cores; i++)
        ring->cores[i].next =
            mnp_engine_add_link(&ring->engine, ring->cores[i].unit, ring->cores[(i + 1) % p->cores].unit,
                                mnp_edge(p->hertz, p->latency), sizeof(struct token), 1);
    mnp_engine_freeze(&ring->engine, 0);
    mnp_engine_wake(&ring->engine, ring->cores[0].unit, 0);
}

static bool open_ring(struct mnp_session *session, struct mnp_settings *settings, const struct mnp_work *work,
                      struct mnp_error *error)
{
    struct ring *ring = session->machine = mnp_allocate(1, sizeof *ring);
    (void)work;
    if (!read_parameters(&ring->parameters, settings, error))
        return false;
    build(ring);
    session->engine = &ring->engine;
    session->hertz = ring->parameters.hertz;
    session->livelock = ring->parameters.livelock;
    return true;
}

static void close_ring(struct mnp_session *session)
{
    struct ring *ring = session->machine;
    if (session->engine)
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
