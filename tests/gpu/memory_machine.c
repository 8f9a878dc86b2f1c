/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory_machine.h"

#include "engine/core/port.h"
#include "engine/declare/declare.h"
#include "gpu/gpc/state.h"
#include "gpu/partition/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

uint64_t memory_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* ===== the stand-in for an SM ===== */

static void take_reply(struct stand_in *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    struct stand_in_state *state = sm->state;
    assert_true(reply->tag < MAX_OUTSTANDING && state->tags[reply->tag].used);
    assert_int_equal(reply->sm, sm->index);
    assert_true(reply->line == state->tags[reply->tag].line);
    assert_int_equal(reply->kind, state->tags[reply->tag].kind);
    assert_int_equal(reply->sectors, state->tags[reply->tag].sectors);
    uint64_t latency = cycle - state->tags[reply->tag].cycle;
    state->latency_sum += latency;
    state->latency_max = latency > state->latency_max ? latency : state->latency_max;
    state->last_reply = cycle;
    if (state->received++ == 0)
        state->first_reply = cycle;
    state->sectors += gpu_reply_sectors(reply->kind, reply->sectors);
    state->tags[reply->tag].used = false;
    state->tags[reply->tag].next = state->free_tag;
    state->free_tag = reply->tag;
}

static void take_packets(struct stand_in *sm, mnp_time time, uint64_t cycle)
{
    uint32_t place;
    const void *packet;
    while ((packet = mnp_inbox_peek(&sm->unit->inbox, time, &place))) {
        if (place == 0)
            sm->state->credits += ((const struct gpu_credit *)packet)->packets;
        else
            take_reply(sm, packet, cycle);
        mnp_inbox_take(&sm->unit->inbox);
        sm->wake = cycle < sm->wake ? cycle : sm->wake;
    }
}

static bool may_send(const struct stand_in *sm)
{
    const struct stand_in_state *state = sm->state;
    return state->sent < sm->options->requests && state->credits > 0 &&
           state->sent - state->received < sm->options->outstanding;
}

static void send(struct stand_in *sm, uint64_t cycle)
{
    struct stand_in_state *state = sm->state;
    struct gpu_request request = {.sm = (uint16_t)sm->index, .tag = state->free_tag, .kernel = 1};
    uint64_t earliest = sm->options->make(sm, state->sent, &request);
    if (earliest > cycle) {
        state->next = earliest;
        return;
    }
    struct gpu_request *packet = mnp_link_send(sm->requests, mnp_cursor_edge(&sm->unit->clock, cycle));
    *packet = request;
    state->free_tag = state->tags[request.tag].next;
    state->tags[request.tag].used = true;
    state->tags[request.tag].cycle = cycle;
    state->tags[request.tag].line = request.line;
    state->tags[request.tag].kind = request.kind;
    state->tags[request.tag].sectors = request.sectors;
    state->sent++;
    state->credits--;
    state->next = cycle + sm->options->interval;
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct stand_in *sm = unit->self;
    if (sm->known_to != sm->state->known_to) /* restored */
        sm->wake = unit->visited = sm->state->known_to;
    uint64_t limit = mnp_cycle_at(unit->clock.hertz, until);
    mnp_cursor_move(&unit->clock, limit ? limit - 1 : 0);
    for (;;) {
        uint64_t cycle = sm->wake;
        if (unit->inbox.next < until) {
            uint64_t arrival = mnp_cycle_at(unit->clock.hertz, unit->inbox.next);
            cycle = arrival < cycle ? arrival : cycle;
        }
        if (unit->no_skip)
            cycle = unit->visited;
        if (cycle >= limit)
            break;
        mnp_visit(unit, cycle);
        take_packets(sm, mnp_edge(unit->clock.hertz, cycle), cycle);
        if (may_send(sm) && sm->state->next <= cycle)
            send(sm, cycle);
        sm->wake = may_send(sm) ? (sm->state->next > cycle ? sm->state->next : cycle + 1) : UINT64_MAX;
    }
    if (until)
        take_packets(sm, until - 1, limit);
    sm->known_to = sm->state->known_to = limit;
    mnp_pass(unit, limit);
    return sm->wake == UINT64_MAX ? MNP_NEVER : mnp_edge(unit->clock.hertz, sm->wake);
}

static void lay_out(void *self, struct mnp_arena *arena)
{
    struct stand_in *sm = self;
    sm->state = mnp_arena_take(arena, 1, sizeof *sm->state);
}

static const struct mnp_statistic no_statistics[] = {MNP_COUNTER_ROW("unused", "", "")};

enum { REQUESTS, CREDITS, REPLIES };
static const struct mnp_port ports[] = {
    [REQUESTS] = MNP_OUT_ROW("requests", "gpc", gpu_request, "credited"),
    [CREDITS] = MNP_IN_ROW("credits", "gpc", gpu_credit, "places given back in the GPC's queue"),
    [REPLIES] = MNP_IN_ROW("replies", "gpc", gpu_reply, "always accepted"),
};

static const struct mnp_model stand_in_model = {
    .name = "sm", MNP_STATISTICS(no_statistics), MNP_PORTS(ports), .lay_out = lay_out, .advance = advance};

/* ===== the machine ===== */

void memory_defaults(struct memory_options *options)
{
    *options = (struct memory_options){
        .sms = 4,
        .gpcs = 2,
        .core_hertz = 1000000000,
        .noc_hertz = 1000000000,
        .l2_hertz = 1000000000,
        .dram_hertz = 1000000000,
        .link_cycles = 20,
        .requests = 1,
        .outstanding = 64,
        .interval = 1,
        .seed = 88172645463325252,
        .network = {.request_width = 40, .reply_width = 40, .header = 8, .queue = 8, .credit_batch = 1},
        .partition = {.count = 2, .slices = 2, .line = 128, .sector = 32, .fetch = 32, .mshrs = 32,
                      .cache = {.size = 16384, .ways = 4, .replacement = MNP_REPLACE_LRU},
                      .merge = 4, .waiters = 128, .hash = MNP_HASH_IPOLY, .interleave = 256, .latency = 10,
                      .port = 32, .atomic_cycles = 2, .miss_queue = 16, .reply_queue = 16,
                      .dram = {.kind = MNP_DRAM_KIND_GDDR6, .pseudo_channels = 1, .banks = 16, .bank_groups = 4,
                               .bus_width = 2, .burst = 16, .data_rate = 4, .scheduler = MNP_DRAM_FRFCFS, .queue = 64,
                               .write_queue = 64, .write_high = 48, .write_low = 16, .row = 2048,
                               .bank_interleave = 128, .banks_interleaved = 2,
                               .timing = {.ccd = 4, .rrd = 12, .rcd = 24, .ras = 55, .rp = 24, .rc = 78, .cl = 24,
                                          .wl = 8, .cdlr = 10, .wr = 24, .ccdl = 6, .rtpl = 4}}},
    };
}

static void add_sm(struct memory_machine *machine, uint32_t index)
{
    struct stand_in *sm = &machine->sms[index];
    char name[32];
    snprintf(name, sizeof name, "sm %u", index);
    *sm = (struct stand_in){.options = &machine->options, .index = index};
    sm->unit = mnp_engine_create_unit(&machine->engine, &(struct mnp_unit_plan){.model = &stand_in_model,
                                                                                .name = name,
                                                                                .self = sm,
                                                                                .hertz = machine->options.core_hertz,
                                                                                .slots = 1});
    sm->state->credits = machine->sm_credits;
    for (uint32_t i = 0; i < MAX_OUTSTANDING; i++)
        sm->state->tags[i].next = i + 1;
}

/* SMs of GPC number `gpc`: first and count. */
static uint32_t share(const struct memory_options *options, uint32_t gpc)
{
    return (uint32_t)((uint64_t)gpc * options->sms / options->gpcs);
}

static void add_units(struct memory_machine *machine)
{
    const struct memory_options *options = &machine->options;
    for (uint32_t i = 0; i < options->sms; i++)
        add_sm(machine, i);
    for (uint32_t i = 0; i < options->gpcs; i++) {
        static const struct gpu_gpc_parameters without_code = {0};
        struct gpu_gpc_config config = {.parameters = &without_code,
                                        .network = &machine->options.network,
                                        .map = &machine->map,
                                        .index = i,
                                        .first_sm = share(options, i),
                                        .sms = share(options, i + 1) - share(options, i),
                                        .partitions = (uint32_t)options->partition.count,
                                        .sm_credits = machine->sm_credits,
                                        .request_credits = machine->request_credits,
                                        .reply_credits = machine->reply_credits,
                                        .hertz = options->noc_hertz,
                                        .slots = MEMORY_SLOTS};
        machine->gpcs[i] = gpu_gpc_create(&machine->engine, &config);
    }
    for (uint32_t i = 0; i < options->partition.count; i++) {
        struct gpu_partition_config config = {.parameters = &machine->options.partition,
                                              .network = &machine->options.network,
                                              .map = &machine->map,
                                              .index = i,
                                              .gpcs = options->gpcs,
                                              .request_credits = machine->request_credits,
                                              .reply_credits = machine->reply_credits,
                                              .l2_hertz = options->l2_hertz,
                                              .dram_hertz = options->dram_hertz,
                                              .dram_extra = options->dram_extra,
                                              .far_cycles = options->far_cycles,
                                              .slots = MEMORY_SLOTS};
        machine->partitions[i] = gpu_partition_create(&machine->engine, &config);
    }
}

static struct mnp_link *join(struct memory_machine *machine, struct mnp_port_end from, struct mnp_port_end to,
                             uint32_t in_flight)
{
    mnp_time latency = mnp_edge(machine->options.core_hertz, machine->options.link_cycles);
    return mnp_connect(&machine->engine, from, to, latency, in_flight);
}

static void join_sms(struct memory_machine *machine, uint32_t index)
{
    struct mnp_unit *gpc = gpu_gpc_unit(machine->gpcs[index]);
    uint32_t first = share(&machine->options, index), end = share(&machine->options, index + 1);
    for (uint32_t i = first; i < end; i++) {
        struct mnp_unit *sm = machine->sms[i].unit;
        uint32_t credits = machine->sm_credits, replies = 4 * (uint32_t)machine->options.outstanding + 64;
        uint32_t k = i - first;
        machine->sms[i].requests =
            join(machine, mnp_at_port(sm, "requests", 0), mnp_at_port(gpc, "sm requests", k), credits);
        join(machine, mnp_at_port(gpc, "sm credits", k), mnp_at_port(sm, "credits", 0), credits);
        join(machine, mnp_at_port(gpc, "sm replies", k), mnp_at_port(sm, "replies", 0), replies);
    }
}

static void join_partition(struct memory_machine *machine, uint32_t g, uint32_t p)
{
    struct mnp_unit *gpc = gpu_gpc_unit(machine->gpcs[g]);
    struct mnp_unit *memory = gpu_partition_unit(machine->partitions[p]);
    uint32_t out = machine->request_credits, back = machine->reply_credits;
    join(machine, mnp_at_port(gpc, "requests", p), mnp_at_port(memory, "requests", g), out);
    join(machine, mnp_at_port(memory, "request credits", g), mnp_at_port(gpc, "request credits", p), out);
    join(machine, mnp_at_port(memory, "replies", g), mnp_at_port(gpc, "replies", p), back);
    join(machine, mnp_at_port(gpc, "reply credits", p), mnp_at_port(memory, "reply credits", g), back);
}

void memory_build(struct memory_machine *machine, const struct memory_options *options)
{
    struct mnp_error error = {{0}};
    *machine = (struct memory_machine){.options = *options};
    if (!gpu_partition_check(&options->partition, &error))
        fail_msg("%s", error.text);
    assert_true(options->outstanding <= MAX_OUTSTANDING);
    mnp_engine_init(&machine->engine);
    gpu_partition_map(&options->partition, &machine->map);
    machine->sms = mnp_allocate(options->sms, sizeof *machine->sms);
    machine->gpcs = mnp_allocate(options->gpcs, sizeof(struct gpu_gpc *));
    machine->partitions = mnp_allocate(options->partition.count, sizeof(struct gpu_partition *));
    uint32_t round_trip = (uint32_t)(2 * options->link_cycles * (options->noc_hertz / options->core_hertz + 1)) + 8;
    machine->sm_credits = machine->request_credits = machine->reply_credits =
        gpu_network_credits(&options->network, round_trip);
    add_units(machine);
    for (uint32_t i = 0; i < options->gpcs; i++) {
        join_sms(machine, i);
        for (uint32_t p = 0; p < options->partition.count; p++)
            join_partition(machine, i, p);
    }
    mnp_engine_freeze(&machine->engine, 0);
    for (uint32_t i = 0; i < options->sms; i++)
        mnp_engine_wake(&machine->engine, machine->sms[i].unit, 0);
}

void memory_release(struct memory_machine *machine)
{
    mnp_engine_release(&machine->engine);
    for (uint32_t i = 0; i < machine->options.gpcs; i++)
        gpu_gpc_release(machine->gpcs[i]);
    for (uint32_t i = 0; i < machine->options.partition.count; i++)
        gpu_partition_release(machine->partitions[i]);
    free(machine->sms);
    free(machine->gpcs);
    free(machine->partitions);
}

void memory_run(struct memory_machine *machine, const struct memory_run *how, uint64_t cycles)
{
    memory_run_to(machine, how, mnp_edge(machine->options.core_hertz, cycles));
}

void memory_run_to(struct memory_machine *machine, const struct memory_run *how, mnp_time limit)
{
    struct mnp_run_options options = {
        .executor = how->executor ? how->executor : &mnp_executor_serial,
        .threads = how->threads ? how->threads : 1,
        .window = how->window ? mnp_edge(machine->options.core_hertz, how->window) : 0,
        .limit = limit,
        .no_skip = how->no_skip,
    };
    enum mnp_stop why = mnp_engine_run(&machine->engine, &options); /* a machine at rest is a hang to the engine */
    assert_true(why == MNP_STOP_LIMIT || why == MNP_STOP_HANG);
}

static uint64_t sum(const struct mnp_unit *unit, uint32_t statistic)
{
    uint64_t total = 0;
    for (uint32_t slot = 0; slot < MEMORY_SLOTS; slot++)
        total += mnp_counters(unit, slot)[statistic];
    return total;
}

uint64_t memory_partition_sum(const struct memory_machine *machine, uint32_t statistic)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < machine->options.partition.count; i++)
        total += sum(gpu_partition_unit(machine->partitions[i]), statistic);
    return total;
}

uint64_t memory_gpc_sum(const struct memory_machine *machine, uint32_t statistic)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < machine->options.gpcs; i++)
        total += sum(gpu_gpc_unit(machine->gpcs[i]), statistic);
    return total;
}

static bool partition_rests(const struct memory_machine *machine, uint32_t index)
{
    const struct gpu_partition *partition = machine->partitions[index];
    bool rests = partition->totals->pool.used == 0 && partition->totals->releases.count == 0;
    for (uint32_t i = 0; i < partition->slice_count; i++) {
        const struct gpu_slice *slice = &partition->slices[i];
        rests = rests && slice->immediate == 0 && slice->delayed == 0 && slice->misses.count == 0 && slice->stall == 0;
        rests = rests && partition->mshrs[i].pool->entries == 0 && partition->mshrs[i].pool->waiters == 0;
    }
    for (uint32_t gpc = 0; gpc < machine->options.gpcs; gpc++) {
        const struct gpu_gpc_port *port = &machine->gpcs[gpc]->ports[index];
        rests = rests && partition->credits[gpc] + port->owed == machine->reply_credits;
        rests = rests && port->credits + partition->owed[gpc] == machine->request_credits;
    }
    return rests;
}

bool memory_is_at_rest(const struct memory_machine *machine)
{
    bool rests = true;
    for (uint32_t i = 0; i < machine->options.partition.count; i++)
        rests = rests && partition_rests(machine, i);
    for (uint32_t i = 0; i < machine->options.gpcs; i++) {
        const struct gpu_gpc *gpc = machine->gpcs[i];
        rests = rests && gpc->totals->pool.used == 0;
        for (uint32_t sm = 0; sm < gpc->config.sms; sm++) {
            const struct stand_in_state *state = machine->sms[gpc->config.first_sm + sm].state;
            rests = rests && gpc->sms[sm].requests.count == 0;
            rests = rests && state->credits + gpc->sms[sm].owed == machine->sm_credits;
            rests = rests && state->sent == machine->options.requests && state->received == state->sent;
        }
    }
    for (uint32_t i = 0; i < machine->engine.link_count; i++)
        rests = rests && mnp_link_in_flight(machine->engine.links[i]) == 0;
    return rests;
}
