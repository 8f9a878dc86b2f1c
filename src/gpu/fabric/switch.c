/* SPDX-License-Identifier: BSD-3-Clause */
/* The switch (see switch.h). */
#include "gpu/fabric/switch.h"

#include "base/range.h"
#include "engine/core/port.h"
#include "engine/declare/declare.h"
#include "parts/queue.h"

#include <stdio.h>
#include <stdlib.h>

#define NEVER UINT64_MAX

enum switch_ports { LANES_IN, LANES_OUT, CREDITS_OUT, CREDITS_IN, PORTS };

/* Queues of a port: requests and replies by device, requests to multicast objects in one. */
enum { MULTICAST = GPU_CHANNELS, CLASSES };

struct waiting { /* in a buffer */
    struct gpu_transfer packet;
    uint64_t taken; /* cycle */
    uint64_t left;  /* MULTICAST: bits of the devices that it has still to go to */
};

struct input {
    struct mnp_pool pool;        /* places of the buffer, for both channels */
    uint32_t owed[GPU_CHANNELS]; /* flits */
};

struct output {
    struct gpu_lane sender;
    uint32_t waiting; /* packets, in all queues */
    uint32_t reserved;
};

struct totals {
    uint64_t counted; /* cycles counted as passed */
    uint64_t kept;    /* replies of members have been taken out of buffers, whose flits are to be given back */
};

struct gpu_switch {
    struct gpu_switch_config config;
    struct mnp_unit *unit;
    uint32_t ports, places; /* number of ports; places of a buffer, for both channels */
    uint64_t next, known_to;
    mnp_time now;

    /* In the arena. */
    struct totals *totals;
    struct input *inputs;     /* [ports] */
    struct output *outputs;   /* [ports] */
    struct mnp_chain *queues; /* [ports · classes · devices] */
    struct waiting *waiting;  /* [ports · places] */
    uint32_t *next_waiting;
    uint8_t *awaited; /* [devices · outstanding] replies of members that a multicast request lacks */
};

/* ===== building ===== */

static void lay_out(void *self, struct mnp_arena *arena)
{
    struct gpu_switch *chip = self;
    size_t ports = chip->ports;
    chip->totals = mnp_arena_take(arena, 1, sizeof *chip->totals);
    chip->inputs = mnp_arena_take(arena, ports, sizeof *chip->inputs);
    chip->outputs = mnp_arena_take(arena, ports, sizeof *chip->outputs);
    chip->queues = mnp_arena_take(arena, ports * CLASSES * chip->config.devices, sizeof *chip->queues);
    chip->waiting = mnp_arena_take(arena, ports * chip->places, sizeof *chip->waiting);
    chip->next_waiting = mnp_arena_take(arena, ports * chip->places, sizeof *chip->next_waiting);
    chip->awaited = mnp_arena_take(arena, (size_t)chip->config.devices * chip->config.outstanding, 1);
}

struct gpu_switch *gpu_switch_create(struct mnp_engine *engine, const struct gpu_switch_config *config)
{
    struct gpu_switch *chip = mnp_allocate(1, sizeof *chip);
    chip->config = *config;
    chip->ports = config->devices * config->lanes;
    chip->places = GPU_CHANNELS * config->buffer;
    chip->next = NEVER;
    char name[24];
    snprintf(name, sizeof name, "switch %u", config->index);
    const uint32_t lengths[PORTS] = {chip->ports, chip->ports, chip->ports, chip->ports};
    chip->unit = mnp_engine_create_unit(engine, &(struct mnp_unit_plan){.model = &gpu_switch_model,
                                                                        .name = name,
                                                                        .self = chip,
                                                                        .hertz = config->hertz,
                                                                        .slots = config->devices,
                                                                        .lengths = lengths});
    for (uint32_t i = 0; i < chip->ports; i++)
        mnp_pool_init(&chip->inputs[i].pool, chip->next_waiting + (size_t)i * chip->places, chip->places);
    for (uint32_t i = 0; i < chip->ports * CLASSES * config->devices; i++)
        chip->queues[i] = MNP_EMPTY_CHAIN;
    return chip;
}

static void start(struct mnp_unit *unit)
{
    struct gpu_switch *chip = unit->self;
    for (uint32_t i = 0; i < chip->ports; i++)
        for (uint32_t channel = 0; channel < GPU_CHANNELS; channel++)
            chip->outputs[i].sender.credits[channel] = chip->config.buffer;
}

void gpu_switch_release(struct gpu_switch *chip)
{
    free(chip);
}

struct mnp_unit *gpu_switch_unit(const struct gpu_switch *chip)
{
    return chip->unit;
}

struct gpu_lane *gpu_switch_sender(const struct gpu_switch *chip, uint32_t port)
{
    return &chip->outputs[port].sender;
}

/* ===== arrivals ===== */

static struct mnp_chain *queue_of(const struct gpu_switch *chip, uint32_t input, uint32_t class, uint32_t device)
{
    return &chip->queues[((size_t)input * CLASSES + class) * chip->config.devices + (class == MULTICAST ? 0 : device)];
}

static struct waiting *waiting_at(const struct gpu_switch *chip, uint32_t input, uint32_t place)
{
    return &chip->waiting[(size_t)input * chip->places + place];
}

static uint8_t *awaited_of(const struct gpu_switch *chip, const struct gpu_transfer *packet)
{
    return &chip->awaited[(size_t)packet->asker * chip->config.outstanding + packet->tag];
}

/* A reply of a member: whether it is the last one, which goes on. Others leave their buffer at once. */
static bool is_last(struct gpu_switch *chip, uint32_t input, const struct gpu_transfer *packet)
{
    if (!--*awaited_of(chip, packet))
        return true;
    chip->inputs[input].owed[GPU_CHANNEL_REPLIES] += gpu_lane_flits(chip->config.parameters, packet);
    chip->totals->kept = 1;
    return false;
}

/* Devices that a packet goes to, as bits. */
static uint32_t receivers(const struct gpu_switch *chip, const struct gpu_transfer *packet)
{
    if (packet->channel == GPU_CHANNEL_REQUESTS && packet->multicast == GPU_MULTICAST)
        return mnp_multicast_at(chip->config.multicasts, packet->line).devices;
    return UINT32_C(1) << gpu_lane_receiver(packet);
}

static void take_packet(struct gpu_switch *chip, uint32_t input, const struct gpu_transfer *packet, uint64_t cycle)
{
    bool reply = packet->channel == GPU_CHANNEL_REPLIES, many = packet->multicast && !reply;
    uint32_t *next = chip->next_waiting + (size_t)input * chip->places, lanes = chip->config.lanes;
    if (packet->multicast && reply && !is_last(chip, input, packet))
        return;
    uint32_t place = mnp_pool_take(&chip->inputs[input].pool, next), devices = receivers(chip, packet);
    struct waiting *waiting = waiting_at(chip, input, place);
    *waiting = (struct waiting){.packet = *packet, .taken = cycle, .left = many ? devices : 0};
    if (packet->multicast)
        waiting->packet.multicast = GPU_MULTICAST; /* the last reply stands for all */
    if (many)
        *awaited_of(chip, packet) = (uint8_t)__builtin_popcount(devices);
    mnp_chain_append(queue_of(chip, input, many ? MULTICAST : packet->channel, (uint32_t)__builtin_ctz(devices)), next,
                     place);
    for (; devices; devices &= devices - 1)
        chip->outputs[(uint32_t)__builtin_ctz(devices) * lanes + input % lanes].waiting++;
}

static void take_packets(struct gpu_switch *chip, mnp_time time, uint64_t cycle)
{
    struct mnp_inbox *inbox = &chip->unit->inbox;
    uint32_t place;
    const void *packet;
    while ((packet = mnp_inbox_peek(inbox, time, &place))) {
        struct mnp_port_place from = mnp_port_of(chip->unit, place);
        if (from.port == LANES_IN)
            take_packet(chip, from.index, packet, cycle);
        else
            for (uint32_t channel = 0; channel < GPU_CHANNELS; channel++)
                chip->outputs[from.index].sender.credits[channel] +=
                    ((const struct gpu_lane_credit *)packet)->flits[channel];
        mnp_inbox_take(inbox);
        if (cycle < chip->next)
            chip->next = cycle;
    }
}

/* ===== departures ===== */

/* Gives flits of a buffer back once enough of them are owed. */
static void give_flits(struct gpu_switch *chip, uint32_t input, uint32_t channel, uint32_t flits)
{
    uint32_t *owed = &chip->inputs[input].owed[channel];
    if ((*owed += flits) < GPU_LANE_BATCH)
        return;
    struct gpu_lane_credit *credit = mnp_link_send(chip->unit->ports[CREDITS_OUT].links[input], chip->now);
    credit->flits[channel] = *owed;
    *owed = 0;
}

/* A queue that an output can serve: input and class, and the flits of its first packet. */
struct choice {
    uint32_t input, class, flits;
};

static uint32_t channel_of(const struct choice *choice)
{
    return choice->class == MULTICAST ? GPU_CHANNEL_REQUESTS : choice->class;
}

/* Whether the first packet of a queue goes to a device, and there are credits for it. */
static bool can_go(const struct gpu_switch *chip, const struct output *to, uint32_t device, struct choice *choice)
{
    uint32_t first = queue_of(chip, choice->input, choice->class, device)->first;
    if (first == MNP_NO_ENTRY)
        return false;
    const struct waiting *waiting = waiting_at(chip, choice->input, first);
    if (choice->class == MULTICAST && !(waiting->left >> device & 1))
        return false;
    choice->flits = gpu_lane_flits(chip->config.parameters, &waiting->packet);
    return choice->flits <= to->sender.credits[channel_of(choice)];
}

/* The queue whose turn it is among those with a packet and credits. */
static bool choose(const struct gpu_switch *chip, uint32_t output, struct choice *choice)
{
    const struct gpu_switch_config *config = &chip->config;
    const struct output *to = &chip->outputs[output];
    uint32_t device = output / config->lanes, lane = output % config->lanes, count = config->devices * CLASSES;
    uint32_t at = to->sender.turn;
    for (uint32_t i = 0; to->waiting && i < count; i++, at = at + 1 < count ? at + 1 : 0) {
        *choice = (struct choice){at / CLASSES * config->lanes + lane, at % CLASSES, 0};
        if (can_go(chip, to, device, choice))
            return true;
    }
    return false;
}

/* A packet that leaves for a device. */
static void count(uint64_t *counters, const struct gpu_switch_config *config, uint32_t device, uint64_t bytes,
                  uint64_t waited)
{
    uint32_t row = mnp_min32(config->index, GPU_SWITCHES);
    counters[GPU_SWITCH_PACKETS]++;
    counters[GPU_SWITCH_BYTES] += bytes;
    counters[GPU_SWITCH_WAIT] += waited;
    counters[GPU_SWITCH_OWN_BYTES + row] += bytes;
    counters[GPU_SWITCH_OWN_WAIT + row] += waited;
    counters[GPU_SWITCH_TO_WAIT + device] += waited;
}

/* The packet for a member of a multicast object. */
static void address_member(const struct gpu_switch *chip, uint32_t device, struct gpu_transfer *packet)
{
    struct mnp_multicast_places places = mnp_multicast_at(chip->config.multicasts, packet->line);
    packet->line = mnp_multicast_member(&places, device, packet->line);
    packet->home = (uint8_t)device;
    packet->multicast = GPU_MULTICAST_MEMBER;
}

/* A packet that has left by all of its outputs leaves its buffer. */
static void drop_first(struct gpu_switch *chip, const struct choice *choice, uint32_t device)
{
    uint32_t *next = chip->next_waiting + (size_t)choice->input * chip->places;
    uint32_t place = mnp_chain_pop(queue_of(chip, choice->input, choice->class, device), next);
    give_flits(chip, choice->input, channel_of(choice), choice->flits);
    mnp_pool_give(&chip->inputs[choice->input].pool, next, place);
}

static void send(struct gpu_switch *chip, uint32_t output, const struct choice *choice, uint64_t cycle)
{
    const struct gpu_switch_config *config = &chip->config;
    struct output *to = &chip->outputs[output];
    uint32_t device = output / config->lanes;
    struct waiting *waiting =
        waiting_at(chip, choice->input, queue_of(chip, choice->input, choice->class, device)->first);
    mnp_time leaves = gpu_lane_take(config->parameters, &to->sender, channel_of(choice), choice->flits, chip->now);
    struct gpu_transfer *packet = mnp_link_send(chip->unit->ports[LANES_OUT].links[output], leaves);
    *packet = waiting->packet;
    if (choice->class == MULTICAST)
        address_member(chip, device, packet);
    uint64_t *counters = mnp_counters(chip->unit, device);
    count(counters, config, device, choice->flits * config->parameters->flit, cycle - waiting->taken);
    to->sender.turn = choice->input / config->lanes * CLASSES + choice->class + 1;
    to->sender.turn %= config->devices * CLASSES;
    to->waiting--;
    waiting->left &= ~(UINT64_C(1) << device);
    if (!waiting->left)
        drop_first(chip, choice, device);
}

/* Gives back what kept replies have occupied. */
static void give_kept(struct gpu_switch *chip)
{
    for (uint32_t input = 0; chip->totals->kept && input < chip->ports; input++)
        give_flits(chip, input, GPU_CHANNEL_REPLIES, 0);
    chip->totals->kept = 0;
}

/* ===== running ===== */

static void step(struct gpu_switch *chip, uint64_t cycle)
{
    struct choice choice;
    mnp_visit(chip->unit, cycle);
    chip->now = mnp_cursor_edge(&chip->unit->clock, cycle);
    take_packets(chip, chip->now, cycle);
    give_kept(chip);
    mnp_time end = mnp_cursor_edge(&chip->unit->clock, cycle + 1);
    chip->next = NEVER;
    for (uint32_t output = 0; output < chip->ports; output++) {
        const struct gpu_lane *sender = &chip->outputs[output].sender;
        bool any;
        while ((any = choose(chip, output, &choice)) && sender->free < end)
            send(chip, output, &choice, cycle);
        if (any)
            chip->next = mnp_min(chip->next, gpu_lane_cycle(&chip->unit->clock, sender->free));
    }
}

static uint64_t next_cycle(const struct gpu_switch *chip, mnp_time until)
{
    const struct mnp_unit *unit = chip->unit;
    if (unit->no_skip)
        return unit->visited;
    if (unit->inbox.next >= until)
        return chip->next;
    return mnp_min(chip->next, mnp_cursor_cycle_at(&unit->clock, unit->inbox.next));
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct gpu_switch *chip = unit->self;
    if (chip->known_to != chip->totals->counted) /* the state has been restored: look at everything once */
        chip->next = unit->visited = chip->totals->counted;
    if (chip->totals->counted - unit->clock.cycle > 512) /* near the present, the cursor's arithmetic is fast */
        mnp_cursor_move(&unit->clock, chip->totals->counted);
    uint64_t limit = mnp_cursor_cycle_at(&unit->clock, until), cycle;
    while ((cycle = next_cycle(chip, until)) < limit)
        step(chip, cycle);
    if (until > 0)
        take_packets(chip, until - 1, limit); /* packets that arrive behind the last edge before `until` */
    chip->totals->counted = chip->known_to = limit;
    mnp_pass(unit, limit);
    return chip->next == NEVER ? MNP_NEVER : mnp_cursor_edge(&unit->clock, chip->next);
}

static void pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace)
{
    const struct gpu_switch *chip = unit->self;
    (void)row;
    *pace = (struct mnp_pace){.hertz = chip->config.parameters->rate * 1000000, .amount = chip->config.lanes};
}

static void report(const struct mnp_unit *unit, FILE *out)
{
    const struct gpu_switch *chip = unit->self;
    for (uint32_t i = 0; i < chip->ports; i++)
        if (chip->outputs[i].waiting)
            fprintf(out, "%s: %u packets wait for lane %u of GPU %u\n", unit->name, chip->outputs[i].waiting,
                    i % chip->config.lanes, i / chip->config.lanes);
}

/* ===== declaration ===== */

static const struct mnp_port ports[] = {
    [LANES_IN] = MNP_IN_ROW("lanes in", "hub", gpu_transfer, "one link for each lane of each device"),
    [LANES_OUT] = MNP_OUT_ROW("lanes out", "hub", gpu_transfer, "one link for each lane of each device"),
    [CREDITS_OUT] = MNP_OUT_ROW("lane credits out", "hub", gpu_lane_credit, "flits given back in the buffers here"),
    [CREDITS_IN] = MNP_IN_ROW("lane credits in", "hub", gpu_lane_credit, "flits given back in a hub's buffers"),
};

#define OWN(NUMBER)                                                                                                    \
    [GPU_SWITCH_OWN_BYTES +                                                                                            \
        (NUMBER)] = MNP_COUNTER_ROW("switch" #NUMBER "_bytes", "byte", "bytes passed on by switch " #NUMBER),          \
        [GPU_SWITCH_OWN_WAIT + (NUMBER)] = MNP_COUNTER_ROW("switch" #NUMBER "_wait_cycles", "cycle",                   \
                                                           "cycles that packets waited in switch " #NUMBER ", summed")

#define TO(DEVICE)                                                                                                     \
    [GPU_SWITCH_TO_WAIT + (DEVICE)] =                                                                                  \
        MNP_COUNTER_ROW("switch_wait_cycles_to_gpu" #DEVICE, "cycle",                                                  \
                        "cycles that packets waited for ports that lead to that GPU, summed")

static const struct mnp_statistic statistics[] = {
    [GPU_SWITCH_PACKETS] = MNP_COUNTER_ROW("switch_packets", "packet", "packets passed on by switches"),
    [GPU_SWITCH_BYTES] = MNP_COUNTER_ROW("switch_bytes", "byte", "bytes passed on, headers included"),
    [GPU_SWITCH_PEAK] = MNP_ELAPSED_ROW("switch_peak_bytes", "byte", "what the ports that lead to the GPU could send"),
    [GPU_SWITCH_UTILISATION] =
        MNP_PERCENT_ROW("switch_utilisation", "bytes passed on, of the peak", "switch_bytes", "switch_peak_bytes"),
    [GPU_SWITCH_WAIT] =
        MNP_COUNTER_ROW("switch_wait_cycles", "cycle", "cycles that packets waited for port or credit, summed"),
    OWN(0),
    OWN(1),
    OWN(2),
    OWN(3),
    OWN(4),
    OWN(5),
    [GPU_SWITCH_OWN_BYTES_LAST] =
        MNP_COUNTER_ROW("switches_more_bytes", "byte", "bytes passed on by switches from 6 on"),
    [GPU_SWITCH_OWN_WAIT_LAST] = MNP_COUNTER_ROW("switches_more_wait_cycles", "cycle",
                                                 "cycles that packets waited in switches from 6 on, summed"),
    TO(0),
    TO(1),
    TO(2),
    TO(3),
    TO(4),
    TO(5),
    TO(6),
    TO(7),
    TO(8),
    TO(9),
    TO(10),
    TO(11),
    TO(12),
    TO(13),
    TO(14),
    TO(15),
};

static const struct mnp_state_field state[] = {
    MNP_STATE_ROW("buffers", "packet", "queues of each port by channel and device"),
    MNP_STATE_ROW("lanes", "", "when each is free, flits held and owed, whose turn it is"),
    MNP_STATE_ROW("sums", "request", "replies of members that each multicast request lacks"),
};

const struct mnp_model gpu_switch_model = {
    .name = "switch",
    .domain = MNP_DOMAIN_MEMORY,
    .relays = true,
    .summary = "A switch between GPUs: buffers and ports, which packets cross in turn.",
    MNP_PORTS(ports),
    MNP_STATISTICS(statistics),
    MNP_STATE(state),
    .lay_out = lay_out,
    .freeze = start,
    .advance = advance,
    .pace = pace,
    .report = report,
};
