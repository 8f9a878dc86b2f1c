/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPC (see gpc.h). Sets of SMs and ports with something to do are bit masks, and only those are visited. */
#include "base/range.h"
#include "contract/space.h"
#include "engine/core/port.h"
#include "gpu/gpc/state.h"
#include "parts/arbitration.h"

#include <stdio.h>
#include <stdlib.h>

#define NEVER UINT64_MAX

/* ===== building ===== */

static uint32_t words_for(uint32_t bits)
{
    return (bits + 63) / 64;
}

void gpu_gpc_lay_out(void *self, struct mnp_arena *arena)
{
    struct gpu_gpc *gpc = self;
    const struct gpu_gpc_config *config = &gpc->config;
    gpc->totals = mnp_arena_take(arena, 1, sizeof *gpc->totals);
    if (config->parameters->model)
        gpc->activity = mnp_arena_take(arena, 1, sizeof *gpc->activity);
    gpc->fresh = mnp_arena_take(arena, gpc->sm_words, sizeof *gpc->fresh);
    gpc->answering = mnp_arena_take(arena, gpc->sm_words, sizeof *gpc->answering);
    gpc->active = mnp_arena_take(arena, gpc->port_words, sizeof *gpc->active);
    gpc->waiting = mnp_arena_take(arena, (size_t)config->partitions * gpc->sm_words, sizeof *gpc->waiting);
    gpc->sms = mnp_arena_take(arena, gpc->sm_ports, sizeof *gpc->sms);
    gpc->ports = mnp_arena_take(arena, config->partitions, sizeof *gpc->ports);
    if (config->touches)
        gpc->may_touch = mnp_arena_take(arena, config->partitions, sizeof *gpc->may_touch);
    if (config->touches)
        gpc->told = mnp_arena_take(arena, GPU_GPC_TOLD, sizeof *gpc->told);
    gpc->queued = mnp_arena_take(arena, (size_t)gpc->sm_ports * gpc->room, sizeof *gpc->queued);
    if (gpc->reply_width)
        gpc->all = mnp_arena_take(arena, 1, sizeof *gpc->all);
    if (gpc->port_sms > 1)
        gpc->owed = mnp_arena_take(arena, config->sms, sizeof *gpc->owed);
    gpc->replies = mnp_arena_take(arena, gpc->reply_capacity, sizeof *gpc->replies);
    gpc->next_reply = mnp_arena_take(arena, gpc->reply_capacity, sizeof *gpc->next_reply);
    gpu_gpc_code_lay_out(gpc, arena);
}

/* Sizes and cycles that follow from the configuration. */
static void derive(struct gpu_gpc *gpc)
{
    const struct gpu_gpc_config *config = &gpc->config;
    const struct gpu_network_parameters *network = config->network;
    gpc->port_sms = config->parameters->port_sms > 1 ? (uint32_t)config->parameters->port_sms : 1;
    gpc->sm_ports = (config->sms + gpc->port_sms - 1) / gpc->port_sms;
    gpc->room = gpc->port_sms * config->sm_credits;
    gpc->sm_words = words_for(gpc->sm_ports);
    gpc->port_words = words_for(config->partitions);
    gpc->reply_capacity = config->partitions * config->reply_credits + config->sms * config->fetches;
    gpc->next = NEVER;
    gpc->reply_width = network->ideal ? 0 : config->parameters->reply_width;
    for (uint32_t sectors = 0; sectors <= 4; sectors++) {
        gpc->request_cycles[sectors] = gpu_network_port_cycles(network, network->request_width, sectors);
        gpc->reply_cycles[sectors] = gpu_network_port_cycles(network, network->reply_width, sectors);
    }
}

static struct mnp_unit *create_unit(struct gpu_gpc *gpc, struct mnp_engine *engine)
{
    const struct gpu_gpc_config *config = &gpc->config;
    char name[32];
    snprintf(name, sizeof name, "gpc %u", config->index);
    const uint32_t lengths[GPU_GPC_PORTS] = {
        [GPU_GPC_SM_REQUESTS] = config->sms,    [GPU_GPC_SM_CREDITS] = config->sms,
        [GPU_GPC_SM_REPLIES] = config->sms,     [GPU_GPC_REQUESTS] = config->partitions,
        [GPU_GPC_REPLIES] = config->partitions, [GPU_GPC_REQUEST_CREDITS] = config->partitions,
        [GPU_GPC_SM_VALUES] = config->sms,      [GPU_GPC_REPLY_CREDITS] = config->partitions,
        [GPU_GPC_SM_RESULTS] = config->sms,     [GPU_GPC_VALUES] = config->partitions,
        [GPU_GPC_RESULTS] = config->partitions, [GPU_GPC_SM_TOUCHES] = config->sms,
        [GPU_GPC_TOUCHES] = config->partitions,
    };
    const struct mnp_model *model = config->parameters->model;
    return mnp_engine_create_unit(engine, &(struct mnp_unit_plan){.model = model ? model : &gpu_gpc_model,
                                                                  .name = name,
                                                                  .self = gpc,
                                                                  .hertz = config->hertz,
                                                                  .slots = config->slots,
                                                                  .lengths = lengths});
}

struct gpu_gpc *gpu_gpc_create(struct mnp_engine *engine, const struct gpu_gpc_config *config)
{
    struct gpu_gpc *gpc = mnp_allocate(1, sizeof *gpc);
    const struct gpu_network_parameters *network = config->network;
    MNP_REQUIRE(config->sms > 0 && config->partitions > 0 && config->request_credits >= network->credit_batch &&
                    config->reply_credits >= network->credit_batch && config->sm_credits >= network->credit_batch,
                "GPC %u is badly made", config->index);
    gpc->config = *config;
    derive(gpc);
    gpc->unit = create_unit(gpc, engine);
    mnp_pool_init(&gpc->totals->pool, gpc->next_reply, gpc->reply_capacity);
    for (uint32_t port = 0; port < gpc->sm_ports; port++)
        gpc->sms[port].replies = MNP_EMPTY_CHAIN;
    return gpc;
}

void gpu_gpc_freeze(struct mnp_unit *unit)
{
    struct gpu_gpc *gpc = unit->self;
    gpc->sm_credits = mnp_port_links(unit, GPU_GPC_SM_CREDITS);
    gpc->sm_replies = mnp_port_links(unit, GPU_GPC_SM_REPLIES);
    gpc->requests = mnp_port_links(unit, GPU_GPC_REQUESTS);
    gpc->reply_credits = mnp_port_links(unit, GPU_GPC_REPLY_CREDITS);
    gpc->values = mnp_port_links(unit, GPU_GPC_VALUES);
    gpc->results = mnp_port_links(unit, GPU_GPC_SM_RESULTS);
    gpc->touches = mnp_port_links(unit, GPU_GPC_TOUCHES);
    for (uint32_t i = 0; i < gpc->config.partitions; i++) {
        gpc->ports[i].credits = gpc->requests[i]->in_flight;
        MNP_REQUIRE(gpc->ports[i].credits <= gpc->config.request_credits, "%s has too many credits", unit->name);
    }
}

void gpu_gpc_release(struct gpu_gpc *gpc)
{
    free(gpc);
}

struct mnp_unit *gpu_gpc_unit(const struct gpu_gpc *gpc)
{
    return gpc->unit;
}

/* ===== bit masks ===== */

static void set_bit(uint64_t *mask, uint32_t bit)
{
    mask[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void clear_bit(uint64_t *mask, uint32_t bit)
{
    mask[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

/* The SM that a port serves next. */
static uint32_t next_in_turn(const struct gpu_gpc *gpc, uint32_t partition)
{
    struct mnp_claims claims = {.places = gpc->waiting + (size_t)partition * gpc->sm_words,
                                .words = gpc->sm_words,
                                .turn = gpc->ports[partition].turn};
    return mnp_arbitration_round_robin(&claims, NULL, NULL);
}

/* ===== arrivals ===== */

/* Destination of accesses to a line: a partition, or the hub if another device owns the line, or several do. */
static inline struct mnp_address_place find_place(const struct gpu_gpc *gpc, uint64_t line)
{
    const struct gpu_gpc_config *config = &gpc->config;
    if (config->devices && (mnp_space_home(line, config->devices, config->device) != config->device ||
                            (config->multicast && mnp_space_is_multicast(line))))
        return (struct mnp_address_place){.partition = config->partitions - 1};
    return mnp_address_place(config->map, line);
}

static struct gpu_gpc_request *place_of(const struct gpu_gpc *gpc, uint32_t port, uint32_t place)
{
    return &gpc->queued[(size_t)port * gpc->room + place];
}

static void take_request(struct gpu_gpc *gpc, uint32_t sm, const struct gpu_request *packet, uint64_t cycle)
{
    uint32_t port = gpu_gpc_port_of(gpc, sm);
    struct gpu_gpc_sm *unit = &gpc->sms[port];
    if (__builtin_expect(gpc->activity != NULL, 0)) {
        gpu_gpc_note_packet(gpc, packet->kernel, cycle);
        gpc->activity->requests++;
    }
    struct gpu_gpc_request *request = place_of(gpc, port, mnp_queue_push(&unit->requests, gpc->room));
    struct mnp_address_place target = find_place(gpc, packet->line);
    request->packet = *packet;
    request->packet.slice = (uint16_t)target.slice;
    request->partition = target.partition;
    request->taken = cycle;
    request->sm = sm - port;
    if (unit->requests.count == 1)
        set_bit(gpc->fresh, port);
    mnp_counters(gpc->unit, packet->kernel)[GPU_PACKETS_TO_MEMORY]++;
}

static void take_reply(struct gpu_gpc *gpc, uint32_t partition, const struct gpu_reply *packet, uint64_t cycle)
{
    uint32_t sm = packet->sm - gpc->config.first_sm;
    MNP_REQUIRE(sm < gpc->config.sms, "%s takes a reply for SM %u", gpc->unit->name, packet->sm);
    if (packet->kind == GPU_FETCH)
        gpu_gpc_code_reply(gpc, packet, cycle);
    gpu_gpc_queue_reply(gpc, sm, partition, packet, cycle);
}

static void take_credit(struct gpu_gpc *gpc, uint32_t partition, const struct gpu_credit *packet)
{
    struct gpu_gpc_port *port = &gpc->ports[partition];
    port->credits += packet->packets;
    if (port->waiting)
        set_bit(gpc->active, partition);
}

/* Values cost no time of their own, and must not be later than the packets that they belong to. */
static void pass_values_on(struct gpu_gpc *gpc, uint32_t port, const struct gpu_values *packet, uint64_t cycle)
{
    struct mnp_link *link = gpc->results[port == GPU_GPC_RESULTS ? packet->sm - gpc->config.first_sm : 0];
    if (port == GPU_GPC_SM_VALUES)
        link = gpc->values[find_place(gpc, packet->line).partition];
    *(struct gpu_values *)mnp_link_send(link, mnp_cursor_edge(&gpc->unit->clock, cycle)) = *packet;
}

/* Whether an SM of the GPC has reported the same sectors recently. A line that stays among the recent ones is reported
 * again only after about GPU_GPC_TOLD other lines, and the L2 holds many times as many. */
static bool is_told(struct gpu_gpc *gpc, const struct gpu_touch *packet)
{
    enum { WRITTEN = 1 << 4, BELOW = 2 * WRITTEN - 1 }; /* beside the sectors, in the lower bits of the address */
    uint64_t hash = packet->line / gpc->config.line * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t *kept = &gpc->told[hash >> 32 & (GPU_GPC_TOLD - 1)];
    uint64_t what = packet->line | packet->sectors | (packet->written ? WRITTEN : 0);
    if ((*kept ^ packet->line) > BELOW)
        *kept = 0;
    bool known = !(what & ~*kept);
    *kept |= what;
    return known;
}

/* Forwards a line reported from a passed-over stretch, without waiting. Reports beyond GPU_TOUCHES_A_CYCLE per cycle
 * are dropped, since a link has a bounded capacity. */
static void pass_touch_on(struct gpu_gpc *gpc, const struct gpu_touch *packet, uint64_t cycle)
{
    uint32_t partition = mnp_address_place(gpc->config.map, packet->line).partition;
    struct gpu_gpc_touches *may = &gpc->may_touch[partition];
    if (cycle > may->cycle) {
        uint64_t more = (cycle - may->cycle) * GPU_TOUCHES_A_CYCLE;
        may->left = more > GPU_TOUCHES_AT_ONCE - may->left ? GPU_TOUCHES_AT_ONCE : may->left + more;
        may->cycle = cycle;
    }
    if (!may->left || is_told(gpc, packet))
        return;
    may->left--;
    struct mnp_link *link = gpc->touches[partition];
    *(struct gpu_touch *)mnp_link_send(link, mnp_cursor_edge(&gpc->unit->clock, cycle)) = *packet;
}

/* Takes the packets that have come by `time`; they count from network cycle `cycle` on. */
static void take_packets(struct gpu_gpc *gpc, mnp_time time, uint64_t cycle)
{
    struct mnp_inbox *inbox = &gpc->unit->inbox;
    uint32_t place;
    const void *packet;
    while ((packet = mnp_inbox_peek(inbox, time, &place))) {
        struct mnp_port_place known = mnp_port_of(gpc->unit, place);
        if (known.port == GPU_GPC_SM_REQUESTS)
            take_request(gpc, known.index, packet, cycle);
        else if (known.port == GPU_GPC_REPLIES)
            take_reply(gpc, known.index, packet, cycle);
        else if (known.port == GPU_GPC_REQUEST_CREDITS)
            take_credit(gpc, known.index, packet);
        else if (known.port == GPU_GPC_SM_TOUCHES)
            pass_touch_on(gpc, packet, cycle);
        else
            pass_values_on(gpc, known.port, packet, cycle);
        mnp_inbox_take(inbox);
        if (cycle < gpc->next)
            gpc->next = cycle;
    }
}

/* ===== departures ===== */

/* Gives a credit back once a whole group of them is owed. */
static void give_credit(const struct gpu_gpc *gpc, struct mnp_link *link, uint32_t *owed)
{
    if (++*owed < gpc->config.network->credit_batch)
        return;
    *(struct gpu_credit *)mnp_link_put(link, gpc->leave) = (struct gpu_credit){.packets = *owed};
    *owed = 0;
}

/* The first request of a port has left its queue; the next one shows after so many cycles. */
static void pop_request(struct gpu_gpc *gpc, uint32_t port, uint64_t cycle, uint32_t cycles)
{
    struct gpu_gpc_sm *unit = &gpc->sms[port];
    if (gpc->owed) { /* a port of several SMs is occupied here, that of one at the SM */
        uint32_t sm = port + place_of(gpc, port, unit->requests.head)->sm;
        unit->next = cycle + (cycles ? cycles : 1);
        give_credit(gpc, gpc->sm_credits[sm], &gpc->owed[sm]);
    } else {
        unit->next = cycle + 1;
        give_credit(gpc, gpc->sm_credits[port], &unit->owed);
    }
    mnp_queue_pop(&unit->requests, gpc->room);
    if (__builtin_expect(gpc->activity != NULL, 0))
        gpc->activity->requests--;
    if (unit->requests.count)
        set_bit(gpc->fresh, port);
}

/* First requests that have come to the head of their queues ask for their ports. */
static void ask_for_ports(struct gpu_gpc *gpc, uint64_t cycle)
{
    for (uint32_t word = 0; word < gpc->sm_words; word++) {
        for (uint64_t bits = gpc->fresh[word]; bits; bits &= bits - 1) {
            uint32_t port = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (gpc->sms[port].next > cycle)
                continue;
            const struct gpu_gpc_request *request = place_of(gpc, port, gpc->sms[port].requests.head);
            if (request->packet.kind == GPU_FETCH &&
                gpu_gpc_code_request(gpc, port + request->sm, &request->packet, cycle)) {
                clear_bit(gpc->fresh, port);
                pop_request(gpc, port, cycle, 1);
                continue;
            }
            uint32_t partition = request->partition;
            clear_bit(gpc->fresh, port);
            set_bit(gpc->waiting + (size_t)partition * gpc->sm_words, port);
            if (gpc->ports[partition].waiting++ == 0 && gpc->ports[partition].credits)
                set_bit(gpc->active, partition);
        }
    }
}

/* The activity of a packet's bytes, as it states it. */
static uint64_t activity_of(uint8_t stated)
{
    return stated ? stated - 1u : GPU_RANDOM_ACTIVITY;
}

/* Sends the request whose turn it is through a port. */
static void send_request(struct gpu_gpc *gpc, uint32_t partition, uint64_t cycle)
{
    struct gpu_gpc_port *port = &gpc->ports[partition];
    uint64_t *waiting = gpc->waiting + (size_t)partition * gpc->sm_words;
    uint32_t from = next_in_turn(gpc, partition);
    const struct gpu_gpc_request *request = place_of(gpc, from, gpc->sms[from].requests.head);
    struct gpu_request *packet = mnp_link_put(gpc->requests[partition], gpc->leave);
    *packet = request->packet;
    uint32_t cycles = gpc->request_cycles[gpu_request_sectors(packet->kind, packet->sectors)];
    uint64_t *counters = mnp_counters(gpc->unit, packet->kernel);
    counters[GPU_GPC_REQUEST_WAIT] += cycle - request->taken;
    counters[GPU_GPC_REQUEST_BUSY] += cycles;
    uint64_t bytes = gpu_packet_bytes(gpc->config.network, gpu_request_sectors(packet->kind, packet->sectors));
    counters[GPU_GPC_TO_PARTITION_BYTES] += bytes;
    if (gpc->config.parameters->values)
        counters[GPU_GPC_REQUEST_ACTIVITY] += bytes * activity_of(packet->activity);
    clear_bit(waiting, from);
    port->turn = from + 1 < gpc->sm_ports ? from + 1 : 0;
    port->until = cycle + cycles;
    port->waiting--;
    port->credits--;
    if (!port->waiting || !port->credits)
        clear_bit(gpc->active, partition);
    pop_request(gpc, from, cycle, cycles);
}

/* Sends the first reply of a port, and returns its bytes. */
static uint64_t send_reply(struct gpu_gpc *gpc, uint32_t port, uint64_t cycle)
{
    struct gpu_gpc_sm *unit = &gpc->sms[port];
    uint32_t index = mnp_chain_pop(&unit->replies, gpc->next_reply);
    const struct gpu_gpc_reply *reply = &gpc->replies[index];
    uint32_t sm = reply->packet.sm - gpc->config.first_sm;
    struct gpu_reply *packet = mnp_link_put(gpc->sm_replies[sm], gpc->leave);
    *packet = reply->packet;
    uint32_t cycles = gpc->reply_cycles[gpu_reply_sectors(packet->kind, packet->sectors)];
    uint64_t *counters = mnp_counters(gpc->unit, packet->kernel);
    counters[GPU_GPC_PACKETS_TO_SMS]++;
    counters[GPU_GPC_REPLY_WAIT] += cycle - reply->taken;
    counters[GPU_GPC_REPLY_BUSY] += cycles;
    uint64_t bytes = gpu_packet_bytes(gpc->config.network, gpu_reply_sectors(packet->kind, packet->sectors));
    counters[GPU_GPC_TO_SM_BYTES] += bytes;
    if (gpc->config.parameters->values)
        counters[GPU_GPC_REPLY_ACTIVITY] += bytes * activity_of(packet->activity);
    unit->until = cycle + cycles;
    if (unit->replies.first == MNP_NO_ENTRY)
        clear_bit(gpc->answering, port);
    if (reply->partition != GPU_GPC_OWN)
        give_credit(gpc, gpc->reply_credits[reply->partition], &gpc->ports[reply->partition].owed);
    mnp_pool_give(&gpc->totals->pool, gpc->next_reply, index);
    return bytes;
}

/* Sends through every port that can, and returns the next cycle at which one might. */
static uint64_t step_ports(struct gpu_gpc *gpc, uint64_t cycle)
{
    uint64_t next = NEVER;
    for (uint32_t word = 0; word < gpc->port_words; word++) {
        for (uint64_t bits = gpc->active[word]; bits; bits &= bits - 1) {
            uint32_t partition = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (gpc->ports[partition].until <= cycle)
                send_request(gpc, partition, cycle);
            if (gpc->active[word] & bits & -bits)
                next = mnp_min(next, gpc->ports[partition].until);
        }
    }
    return next;
}

/* The same where all replies pass one port: the SMs take turns, and whose turn it is when a cycle is full comes first
 * in the next one. */
static uint64_t step_replies_in_turn(struct gpu_gpc *gpc, uint64_t cycle)
{
    struct gpu_gpc_reply_port *all = gpc->all;
    uint64_t next = NEVER, width = gpc->reply_width;
    for (uint32_t i = 0, port = all->turn; i < gpc->sm_ports; i++, port = port + 1 < gpc->sm_ports ? port + 1 : 0) {
        uint64_t bit = UINT64_C(1) << port % 64, *answering = &gpc->answering[port / 64];
        if (!(*answering & bit))
            continue;
        if (gpc->sms[port].until <= cycle) {
            if (all->sent >= (cycle + 1) * width) {
                all->turn = port;
                return mnp_min(next, all->sent / width);
            }
            all->sent = mnp_max(all->sent, cycle * width) + send_reply(gpc, port, cycle);
        }
        if (*answering & bit)
            next = mnp_min(next, gpc->sms[port].until);
    }
    return next;
}

static uint64_t step_replies(struct gpu_gpc *gpc, uint64_t cycle)
{
    if (__builtin_expect(gpc->all != NULL, 0))
        return step_replies_in_turn(gpc, cycle);
    uint64_t next = NEVER;
    for (uint32_t word = 0; word < gpc->sm_words; word++) {
        for (uint64_t bits = gpc->answering[word]; bits; bits &= bits - 1) {
            uint32_t port = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (gpc->sms[port].until <= cycle)
                send_reply(gpc, port, cycle);
            if (gpc->answering[word] & bits & -bits)
                next = mnp_min(next, gpc->sms[port].until);
        }
    }
    return next;
}

static bool any(const uint64_t *mask, uint32_t words)
{
    for (uint32_t word = 0; word < words; word++)
        if (mask[word])
            return true;
    return false;
}

/* ===== running ===== */

static void step(struct gpu_gpc *gpc, uint64_t cycle)
{
    mnp_visit(gpc->unit, cycle);
    take_packets(gpc, mnp_cursor_edge(&gpc->unit->clock, cycle), cycle);
    gpc->leave = mnp_cursor_edge(&gpc->unit->clock, cycle + GPU_GPC_CYCLES);
    ask_for_ports(gpc, cycle);
    uint64_t next;
    do /* more than once with an ideal network alone, whose ports no packet occupies */
        next = mnp_min(step_ports(gpc, cycle), step_replies(gpc, cycle));
    while (next <= cycle);
    if (__builtin_expect(gpc->activity && !gpc->activity->requests && !gpc->totals->pool.used, 0))
        gpu_gpc_count_activity(gpc, cycle + 1);
    /* A queue whose first request has just left shows the next one in the following cycle. */
    gpc->next = any(gpc->fresh, gpc->sm_words) ? cycle + 1 : next;
}

static uint64_t next_cycle(const struct gpu_gpc *gpc, mnp_time until)
{
    const struct mnp_unit *unit = gpc->unit;
    if (unit->no_skip)
        return unit->visited;
    if (unit->inbox.next >= until)
        return gpc->next;
    return mnp_min(gpc->next, mnp_cursor_cycle_at(&unit->clock, unit->inbox.next));
}

mnp_time gpu_gpc_advance(struct mnp_unit *unit, mnp_time until)
{
    struct gpu_gpc *gpc = unit->self;
    if (gpc->known_to != gpc->totals->counted) /* the state has been restored: look at everything once */
        gpc->next = unit->visited = gpc->totals->counted;
    if (gpc->totals->counted - unit->clock.cycle > 512) /* near the present, the cursor's arithmetic is fast */
        mnp_cursor_move(&unit->clock, gpc->totals->counted);
    uint64_t limit = mnp_cursor_cycle_at(&unit->clock, until), cycle;
    while ((cycle = next_cycle(gpc, until)) < limit)
        step(gpc, cycle);
    if (until > 0)
        take_packets(gpc, until - 1, limit); /* packets that arrive behind the last edge before `until` */
    if (__builtin_expect(gpc->activity != NULL, 0))
        gpu_gpc_count_activity(gpc, limit);
    gpc->totals->counted = gpc->known_to = limit;
    mnp_pass(unit, limit);
    return gpc->next == NEVER ? MNP_NEVER : mnp_cursor_edge(&unit->clock, gpc->next);
}

void gpu_gpc_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace)
{
    const struct gpu_gpc *gpc = unit->self;
    const struct gpu_network_parameters *network = gpc->config.network;
    uint64_t to_partitions = gpc->config.partitions, to_sms = gpc->sm_ports;
    pace->hertz = unit->clock.hertz;
    pace->course = unit->clock.course;
    pace->amount = row == GPU_GPC_REQUEST_CYCLES      ? to_partitions
                   : row == GPU_GPC_TO_PARTITION_PEAK ? to_partitions * network->request_width
                   : row == GPU_GPC_REPLY_CYCLES      ? to_sms
                   : row >= GPU_GPC_STATISTICS        ? 1
                                                      : to_sms * network->reply_width;
}

bool gpu_gpc_wait(const struct mnp_unit *unit, uint32_t index, struct mnp_wait *wait)
{
    const struct gpu_gpc *gpc = unit->self;
    for (uint32_t port = 0; port < gpc->sm_ports; port++) {
        if (gpc->sms[port].requests.count == 0)
            continue;
        const struct gpu_gpc_request *request = place_of(gpc, port, gpc->sms[port].requests.head);
        if (gpc->ports[request->partition].credits || index--)
            continue;
        *wait = (struct mnp_wait){.on = gpc->requests[request->partition]->to,
                                  .since = mnp_cursor_edge(&unit->clock, request->taken)};
        snprintf(wait->what, sizeof wait->what, "credit for %u requests of SM %u", gpc->sms[port].requests.count,
                 gpc->config.first_sm + port + request->sm);
        return true;
    }
    return false;
}

void gpu_gpc_report(const struct mnp_unit *unit, FILE *out)
{
    const struct gpu_gpc *gpc = unit->self;
    for (uint32_t port = 0; port < gpc->sm_ports; port++) {
        if (!gpc->sms[port].requests.count)
            continue;
        const struct gpu_gpc_request *request = place_of(gpc, port, gpc->sms[port].requests.head);
        fprintf(out, "%s: %u requests of SM %u wait, the first for partition %u (%u credits)\n", unit->name,
                gpc->sms[port].requests.count, gpc->config.first_sm + port + request->sm, request->partition,
                gpc->ports[request->partition].credits);
    }
    if (gpc->totals->pool.used)
        fprintf(out, "%s: %u replies wait for ports to SMs\n", unit->name, gpc->totals->pool.used);
}
