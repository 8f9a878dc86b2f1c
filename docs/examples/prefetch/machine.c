/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include "engine/core/port.h"
#include "engine/declare/declare.h"

enum { HERTZ = 1000000000 };

static const struct mnp_cache_shape shape = {
    .sets = 64, .ways = 4, .line_bytes = 128, .sector_bytes = 128, .replacement = MNP_REPLACE_LRU};

struct line_request {
    uint64_t line;
};

struct line_reply {
    uint64_t line;
};

/* The next thing to happen to a unit, if its edge lies before `until`: moves the unit's clock there. */
static bool move_to(struct mnp_unit *unit, mnp_time next, mnp_time until)
{
    if (next >= until || mnp_edge(HERTZ, mnp_cursor_cycle_at(&unit->clock, next)) >= until)
        return false;
    mnp_cursor_move(&unit->clock, mnp_cursor_cycle_at(&unit->clock, next));
    mnp_visit(unit, unit->clock.cycle);
    unit->progress = unit->clock.time;
    return true;
}

/* ===== the reader ===== */

enum { REQUEST, REPLY };
static const struct mnp_port reader_ports[] = {
    [REQUEST] = MNP_OUT_ROW("request", "l2", line_request, "one at a time"),
    [REPLY] = MNP_IN_ROW("reply", "l2", line_reply, "always accepted"),
};

static const struct mnp_statistic reader_statistics[] = {
    MNP_MAXIMUM_ROW("reader_cycles", "cycle", "cycle of the last reply"),
};

static void read_next(const struct prefetch_machine *machine, struct mnp_unit *unit)
{
    struct line_request *request = mnp_link_send(mnp_port_link(unit, REQUEST), unit->clock.time);
    request->line = machine->reads->sent++ * machine->options.stride;
}

static mnp_time advance_reader(struct mnp_unit *unit, mnp_time until)
{
    struct prefetch_machine *machine = unit->self;
    uint32_t place;
    if (!machine->reads->sent) /* it was woken at 0 */
        read_next(machine, unit);
    while (move_to(unit, unit->inbox.next, until)) {
        mnp_inbox_peek(&unit->inbox, unit->clock.time, &place);
        mnp_inbox_take(&unit->inbox);
        mnp_counters(unit, 0)[0] = unit->clock.cycle;
        if (++machine->reads->received == machine->options.reads)
            mnp_engine_finish(&machine->engine, unit->clock.time);
        else
            read_next(machine, unit);
    }
    return MNP_NEVER; /* without a reply, nothing happens */
}

static void lay_out_reader(void *self, struct mnp_arena *arena)
{
    struct prefetch_machine *machine = self;
    machine->reads = mnp_arena_take(arena, 1, sizeof *machine->reads);
}

static const struct mnp_model reader_model = {
    .name = "reader",
    .summary = "Reads one line after another.",
    MNP_PORTS(reader_ports),
    MNP_STATISTICS(reader_statistics),
    .lay_out = lay_out_reader,
    .advance = advance_reader,
};

/* ===== the L2: the prefetcher's ports are optional ===== */

enum { REQUESTS, REPLIES, MISSED, ASKED };
static const struct mnp_port l2_ports[] = {
    [REQUESTS] = MNP_IN_ROW("requests", "reader", line_request, "one at a time"),
    [REPLIES] = MNP_OUT_ROW("replies", "reader", line_reply, "always accepted"),
    [MISSED] = MNP_OPTIONAL_OUT_ROW("misses", "prefetch", prefetch_miss, "each line that is missed"),
    [ASKED] = MNP_OPTIONAL_IN_ROW("asks", "prefetch", prefetch_ask, "fetched unless the L2 has them"),
};

static const struct mnp_statistic l2_statistics[] = {
    [L2_READS] = MNP_COUNTER_ROW("L2_reads", "line", "lines read"),
    [L2_MISSES] = MNP_COUNTER_ROW("L2_misses", "line", "of these, lines neither in the L2 nor on their way"),
    [L2_LATE] = MNP_COUNTER_ROW("L2_late", "line", "of these, lines on their way"),
    [L2_PREFETCHED] = MNP_COUNTER_ROW("L2_prefetched", "line", "lines fetched for the prefetcher"),
    [L2_USEFUL] = MNP_COUNTER_ROW("L2_prefetched_useful", "line", "of these, lines that were read in the L2"),
};

static void reply(struct mnp_unit *unit, uint64_t line)
{
    struct line_reply *packet = mnp_link_send(mnp_port_link(unit, REPLIES), unit->clock.time);
    packet->line = line;
}

static uint32_t find(const struct prefetch_machine *machine, uint64_t line)
{
    return mnp_cache_find(&machine->cache, mnp_cache_set(&machine->cache, line), line);
}

static bool is_on_its_way(const struct l2_state *state, uint64_t line)
{
    for (uint32_t i = 0; i < state->queue.count; i++)
        if (state->fetches[mnp_queue_place(&state->queue, L2_FETCHES, i)].line == line)
            return true;
    return false;
}

static void fetch(struct prefetch_machine *machine, uint64_t line, bool prefetched)
{
    struct l2_state *state = machine->state;
    uint64_t cycle = machine->l2->clock.cycle + machine->options.memory;
    state->fetches[mnp_queue_push(&state->queue, L2_FETCHES)] =
        (struct l2_fetch){.line = line, .cycle = cycle, .prefetched = prefetched};
}

static void take_request(struct prefetch_machine *machine, struct mnp_unit *unit, uint64_t line)
{
    uint64_t *counters = mnp_counters(unit, 0);
    uint32_t place = find(machine, line);
    counters[L2_READS]++;
    if (place != MNP_NO_LINE) {
        mnp_cache_touch(&machine->cache, place, mnp_cache_set(&machine->cache, line));
        counters[L2_USEFUL] += machine->prefetched[place];
        machine->prefetched[place] = 0;
        reply(unit, line);
        return;
    }
    machine->state->wanted = line + 1;
    if (is_on_its_way(machine->state, line)) {
        counters[L2_LATE]++;
        return;
    }
    counters[L2_MISSES]++;
    fetch(machine, line, false);
    if (machine->prefetcher) {
        struct prefetch_miss *miss = mnp_link_send(mnp_port_link(unit, MISSED), unit->clock.time);
        miss->line = line;
    }
}

/* One place stays for the reader's miss; lines that find no other are not fetched. */
static void take_ask(struct prefetch_machine *machine, struct mnp_unit *unit, const struct prefetch_ask *ask)
{
    for (uint64_t line = ask->first; line < ask->first + ask->count; line++) {
        if (find(machine, line) != MNP_NO_LINE || is_on_its_way(machine->state, line) ||
            machine->state->queue.count + 1 >= L2_FETCHES)
            continue;
        fetch(machine, line, true);
        mnp_counters(unit, 0)[L2_PREFETCHED]++;
    }
}

/* A line has come from memory. */
static void fill(struct prefetch_machine *machine, struct mnp_unit *unit)
{
    struct l2_state *state = machine->state;
    const struct l2_fetch fetched = state->fetches[state->queue.head];
    uint32_t set = mnp_cache_set(&machine->cache, fetched.line), place = mnp_cache_victim(&machine->cache, set);
    bool wanted = state->wanted == fetched.line + 1;
    mnp_queue_pop(&state->queue, L2_FETCHES);
    mnp_cache_replace(&machine->cache, place, set, fetched.line);
    machine->prefetched[place] = fetched.prefetched && !wanted;
    if (!wanted)
        return;
    state->wanted = 0;
    reply(unit, fetched.line);
}

static mnp_time next_fill(const struct l2_state *state)
{
    return state->queue.count ? mnp_edge(HERTZ, state->fetches[state->queue.head].cycle) : MNP_NEVER;
}

/* Lines come before packets are looked at. */
static mnp_time advance_l2(struct mnp_unit *unit, mnp_time until)
{
    struct prefetch_machine *machine = unit->self;
    const void *packet;
    uint32_t place;
    for (;;) {
        mnp_time due = next_fill(machine->state);
        if (!move_to(unit, unit->inbox.next < due ? unit->inbox.next : due, until))
            return due;
        while (next_fill(machine->state) <= unit->clock.time)
            fill(machine, unit);
        while ((packet = mnp_inbox_peek(&unit->inbox, unit->clock.time, &place))) {
            if (mnp_port_of(unit, place).port == REQUESTS)
                take_request(machine, unit, ((const struct line_request *)packet)->line);
            else
                take_ask(machine, unit, packet);
            mnp_inbox_take(&unit->inbox);
        }
    }
}

static void lay_out_l2(void *self, struct mnp_arena *arena)
{
    struct prefetch_machine *machine = self;
    machine->state = mnp_arena_take(arena, 1, sizeof *machine->state);
    machine->prefetched = mnp_arena_take(arena, mnp_cache_lines(&shape), sizeof *machine->prefetched);
    mnp_cache_init(&machine->cache, &shape, arena);
}

static const struct mnp_model l2_model = {
    .name = "l2",
    .summary = "A cache in front of a memory of a fixed latency.",
    MNP_PORTS(l2_ports),
    MNP_STATISTICS(l2_statistics),
    .lay_out = lay_out_l2,
    .advance = advance_l2,
};

/* ===== the machine ===== */

static struct mnp_unit *create(struct prefetch_machine *machine, const struct mnp_model *model)
{
    return mnp_engine_create_unit(
        &machine->engine,
        &(struct mnp_unit_plan){.model = model, .name = model->name, .self = machine, .hertz = HERTZ, .slots = 1});
}

static void connect(struct prefetch_machine *machine, struct mnp_port_end from, struct mnp_port_end to)
{
    mnp_connect(&machine->engine, from, to, mnp_edge(HERTZ, machine->options.link), 2);
}

void prefetch_machine_build(struct prefetch_machine *machine, const struct prefetch_options *options)
{
    *machine = (struct prefetch_machine){.options = *options};
    mnp_engine_init(&machine->engine);
    machine->reader = create(machine, &reader_model);
    machine->l2 = create(machine, &l2_model);
    connect(machine, mnp_at_port(machine->reader, "request", 0), mnp_at_port(machine->l2, "requests", 0));
    connect(machine, mnp_at_port(machine->l2, "replies", 0), mnp_at_port(machine->reader, "reply", 0));
    if (options->prefetch.lines) { /* the whole of what a machine has to do for it */
        machine->prefetcher = prefetch_create(&machine->engine, &machine->options.prefetch, HERTZ);
        connect(machine, mnp_at_port(machine->l2, "misses", 0), mnp_at_port(machine->prefetcher, "misses", 0));
        connect(machine, mnp_at_port(machine->prefetcher, "asks", 0), mnp_at_port(machine->l2, "asks", 0));
    }
    mnp_engine_freeze(&machine->engine, 0);
    mnp_engine_wake(&machine->engine, machine->reader, 0);
}

void prefetch_machine_release(struct prefetch_machine *machine)
{
    mnp_engine_release(&machine->engine);
}
