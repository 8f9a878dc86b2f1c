/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/device/device.h"

#include "base/range.h"
#include "contract/space.h"
#include "engine/core/port.h"
#include "gpu/device/latency.h"
#include "gpu/device/topology.h"
#include "gpu/sm/sm.h"
#include "gpu/sm/tcgen05/tcgen05.h"

#include <stdlib.h>

/* ===== building ===== */

struct builder {
    struct mnp_engine *engine;
    struct gpu_device *device;
    const struct gpu_parameters *p;
    struct gpu_link_times times;
    uint32_t sm_credits, credits, far_credits; /* the latter two between GPCs and partitions */
    uint32_t devices, hubs;                    /* devices that a fabric joins; hubs of this device: one or none */
    bool executes;
};

enum { CORE_LINES = 4096, SLICE_LINES = 4096 }; /* lines of overlays that can be written in an epoch */

/* Packets of values that one access to a line can need: 32 bytes of 32 lanes. */
enum { VALUE_PACKETS = 32 * 32 / 8 / GPU_VALUES };

/* Values are sent with the request that waits in the SM, so none is under way for more requests than can be. */
static uint32_t values_of_sms(const struct builder *b, uint64_t sms)
{
    return (uint32_t)(sms * (b->p->sm.egress + b->sm_credits) * VALUE_PACKETS);
}

/* Whether stretches of what is executed are passed over. */
static bool passes_over(const struct builder *b)
{
    return b->executes && b->p->sm.steady_period;
}

static bool is_far(const struct gpu_parameters *p, uint64_t gpc, uint64_t partition)
{
    uint64_t halves = p->partition.halves;
    return gpu_part_of(gpc, p->gpc.count, halves) != gpu_part_of(partition, p->partition.count, halves);
}

/* Whether the links between them are those to another part: an L2 with copies has the longer way in its slices. */
static bool has_far_links(const struct gpu_parameters *p, uint64_t gpc, uint64_t partition)
{
    return !p->partition.copies && is_far(p, gpc, partition);
}

/* The share that a partition has of the links from its part of the L2 and to it, and the GPCs that lie in it. */
static struct gpu_part_link part_link(const struct gpu_parameters *p, uint64_t index)
{
    uint64_t count = p->partition.count, halves = p->partition.halves, part = gpu_part_of(index, count, halves);
    if (!p->partition.link || halves < 2 || p->network.ideal)
        return (struct gpu_part_link){0};
    uint64_t siblings = gpu_first_of_part(part + 1, count, halves) - gpu_first_of_part(part, count, halves);
    mnp_time sector = mnp_edge(p->machine.clock_noc, siblings * GPU_SECTOR) / p->partition.link;
    return (struct gpu_part_link){.sector = sector ? sector : 1,
                                  .period = mnp_edge(p->machine.clock_l2, 1),
                                  .near_from = gpu_first_of_part(part, p->gpc.count, halves),
                                  .near_to = gpu_first_of_part(part + 1, p->gpc.count, halves),
                                  .gpcs = (uint32_t)p->gpc.count};
}

/* Bytes per network cycle that the link from a part can carry, stated once: for the first partition of the part. */
static uint64_t link_peak(const struct gpu_parameters *p, uint64_t partition)
{
    uint64_t halves = p->partition.halves, part = gpu_part_of(partition, p->partition.count, halves);
    return halves > 1 && partition == gpu_first_of_part(part, p->partition.count, halves) ? p->partition.link : 0;
}

/* Credits for a round trip over two links, whose slower end takes or gives a packet a cycle. */
static uint32_t credits_for(const struct builder *b, mnp_time out, mnp_time back, uint64_t hertz, uint64_t others_hertz)
{
    uint64_t slower = hertz < others_hertz ? hertz : others_hertz;
    return gpu_network_credits(&b->p->network, mnp_cycle_at(slower, out) + mnp_cycle_at(slower, back) + 4);
}

static void find_credits(struct builder *b)
{
    const struct gpu_machine_parameters *m = &b->p->machine;
    const struct gpu_link_times *t = &b->times;
    b->sm_credits = credits_for(b, t->sm_to_gpc, t->gpc_to_sm, m->clock_core, m->clock_noc);
    b->credits = credits_for(b, t->gpc_to_partition[0], t->partition_to_gpc[0], m->clock_noc, m->clock_l2);
    b->far_credits = credits_for(b, t->gpc_to_partition[1], t->partition_to_gpc[1], m->clock_noc, m->clock_l2);
}

/* L2 cycles by which the way to another part of the L2 and back is longer, where that is not a matter of the links. */
static uint64_t copy_cycles(const struct builder *b)
{
    const struct gpu_partition_parameters *l2 = &b->p->partition;
    const struct gpu_link_times *t = &b->times;
    mnp_time far = t->gpc_to_partition[1] + t->partition_to_gpc[1];
    mnp_time near = t->gpc_to_partition[0] + t->partition_to_gpc[0];
    return l2->copies && l2->halves > 1 ? mnp_cycle_at(b->p->machine.clock_l2, far - near) : 0;
}

/* The same for what is answered where its line belongs. */
static uint64_t home_cycles(const struct builder *b, uint64_t far)
{
    return far && b->p->machine.latency_l2_strong ? mnp_cycle_at(b->p->machine.clock_l2, gpu_home_time(b->p)) : far;
}

/* SMs of a GPC reach one another where programs are executed: traces say nothing of it. */
static bool has_network(const struct builder *b)
{
    return b->executes && b->p->sm2sm.lanes;
}

static uint32_t gpc_of(const struct gpu_parameters *p, uint64_t sm)
{
    uint32_t gpc = 0;
    while (gpu_first_sm(p, gpc + 1) <= sm)
        gpc++;
    return gpc;
}

/* Finds the groups of SMs, the order of placement, and the places of SMs in their GPCs. */
static void find_places(struct builder *b)
{
    struct gpu_device *d = b->device;
    const struct gpu_parameters *p = b->p;
    d->groups = mnp_allocate(gpu_group_count(p), sizeof *d->groups);
    d->places = mnp_allocate(p->sm.count, 1);
    for (uint32_t i = 0; i < gpu_group_count(p); i++)
        d->groups[i] = gpu_group_at(p, i);
    d->order = mnp_allocate(p->sm.count, sizeof *d->order);
    gpu_placement_order(p, d->order);
    for (uint64_t i = 0; i < p->sm.count; i++)
        d->places[i] = (uint8_t)(i - gpu_first_sm(p, gpc_of(p, i)));
}

static struct sm_peers peers_of(const struct builder *b, uint64_t sm)
{
    const struct gpu_parameters *p = b->p;
    uint32_t gpc = gpc_of(p, sm), count = gpu_first_sm(p, gpc + 1) - gpu_first_sm(p, gpc);
    return (struct sm_peers){.parameters = &p->sm2sm,
                             .hertz = p->machine.clock_sm2sm,
                             .barrier = gpu_barrier_cycles(p),
                             .count = has_network(b) ? count : 0};
}

static void create_dispatch(struct builder *b, struct mnp_source *source)
{
    const struct gpu_parameters *p = b->p;
    b->device->dispatch =
        dispatch_create(b->engine, &(struct dispatch_config){.parameters = &p->dispatch,
                                                             .sm = &p->sm,
                                                             .source = source,
                                                             .hertz = p->machine.clock_core,
                                                             .launch_cycles = gpu_launch_cycles(p),
                                                             .first_cycles = gpu_first_cycles(p),
                                                             .order = b->device->order,
                                                             .graph_cycles = gpu_graph_cycles(p),
                                                             .gap_cycles = gpu_gap_cycles(p),
                                                             .record_cycles = gpu_record_cycles(p),
                                                             .partitions = (uint32_t)p->partition.count,
                                                             .groups = b->device->groups,
                                                             .group_count = has_network(b) ? gpu_group_count(p) : 0,
                                                             .places = b->device->places,
                                                             .copies_warm = p->machine.memcpy_warms_l2});
}

/* SMs that share a port of the network, counted from 1; 0: they share none. */
static uint32_t bundle_of(const struct gpu_parameters *p, uint64_t sm)
{
    uint64_t port_sms = p->gpc.port_sms, gpc = gpc_of(p, sm), before = 0;
    if (port_sms < 2)
        return 0;
    for (uint64_t i = 0; i < gpc; i++)
        before += mnp_divide_up(gpu_first_sm(p, i + 1) - gpu_first_sm(p, i), port_sms);
    return (uint32_t)(1 + before + (sm - gpu_first_sm(p, gpc)) / port_sms);
}

static void create_sms(struct builder *b, struct mnp_source *source)
{
    struct gpu_device *d = b->device;
    const struct gpu_parameters *p = b->p;
    d->view = (struct sm_device){.source = source, .kernels = dispatch_descriptions(d->dispatch)};
    for (uint64_t i = 0; i < p->sm.count; i++)
        d->sms[i] = sm_create(b->engine, &(struct sm_config){.parameters = &p->sm,
                                                             .network = &p->network,
                                                             .peers = peers_of(b, i),
                                                             .device = &d->view,
                                                             .index = (uint16_t)i,
                                                             .hertz = p->machine.clock_core,
                                                             .slots = DISPATCH_SLOTS,
                                                             .bundle = bundle_of(p, i)});
}

static struct gpu_gpc *create_gpc(struct builder *b, const struct mnp_source *source, uint32_t index)
{
    const struct gpu_parameters *p = b->p;
    uint64_t hertz = p->machine.clock_noc;
    return gpu_gpc_create(b->engine, &(struct gpu_gpc_config){
                                         .parameters = &p->gpc,
                                         .network = &p->network,
                                         .map = &b->device->map,
                                         .index = index,
                                         .fetches = (uint32_t)p->sm.l1i_misses,
                                         .line = (uint32_t)p->partition.line,
                                         .first_sm = gpu_first_sm(p, index),
                                         .sms = gpu_first_sm(p, index + 1) - gpu_first_sm(p, index),
                                         .partitions = (uint32_t)p->partition.count + b->hubs,
                                         .devices = b->devices,
                                         .device = b->device->number,
                                         .multicast = source->memory != NULL,
                                         .sm_credits = b->sm_credits,
                                         .request_credits = b->far_credits,
                                         .reply_credits = b->far_credits,
                                         .touches = passes_over(b),
                                         .hertz = hertz,
                                         .slots = DISPATCH_SLOTS,
                                     });
}

static struct gpu_partition *create_partition(struct builder *b, uint32_t index, uint64_t dram_extra,
                                              const struct mnp_source *source)
{
    const struct gpu_parameters *p = b->p;
    uint64_t hertz = p->machine.clock_l2;
    return gpu_partition_create(b->engine, &(struct gpu_partition_config){
                                               .parameters = &p->partition,
                                               .network = &p->network,
                                               .map = &b->device->map,
                                               .index = index,
                                               .gpcs = (uint32_t)p->gpc.count + b->hubs,
                                               .hubs = b->hubs,
                                               .sms = b->hubs ? (uint32_t)p->sm.count : 0,
                                               .request_credits = b->far_credits,
                                               .reply_credits = b->far_credits,
                                               .l2_hertz = hertz,
                                               .dram_hertz = p->machine.clock_dram,
                                               .link = part_link(p, index),
                                               .link_hertz = p->machine.clock_noc,
                                               .link_peak = link_peak(p, index),
                                               .far_cycles = copy_cycles(b),
                                               .home_cycles = home_cycles(b, copy_cycles(b)),
                                               .dram_extra = dram_extra,
                                               .slots = DISPATCH_SLOTS,
                                               .code_is_warm = p->machine.memcpy_warms_l2 && !p->dispatch.flush_l2,
                                               .atomic = source->atomic,
                                           });
}

static void create_hub(struct builder *b, const struct mnp_source *source, const struct gpu_hub_lanes *lanes)
{
    struct gpu_device *d = b->device;
    const struct gpu_parameters *p = b->p;
    d->gpc_of = mnp_allocate(p->sm.count, sizeof *d->gpc_of);
    for (uint64_t i = 0; i < p->sm.count; i++)
        d->gpc_of[i] = (uint16_t)gpc_of(p, i);
    d->hub_values = values_of_sms(b, p->sm.count) + (p->gpc.count * b->credits + lanes->outstanding) * VALUE_PACKETS;
    d->hub_results = p->sm.count * p->sm.loads * (MNP_WARP_SIZE + VALUE_PACKETS);
    d->hub = gpu_hub_create(b->engine,
                            &(struct gpu_hub_config){.network = &p->network,
                                                     .map = &d->map,
                                                     .lanes = lanes,
                                                     .gpc_of = d->gpc_of,
                                                     .multicasts = source->memory ? &source->memory->multicasts : NULL,
                                                     .combine = source->combine,
                                                     .device = d->number,
                                                     .devices = b->devices,
                                                     .gpcs = (uint32_t)p->gpc.count,
                                                     .partitions = (uint32_t)p->partition.count,
                                                     .sms = (uint32_t)p->sm.count,
                                                     .request_credits = b->credits,
                                                     .reply_credits = b->credits,
                                                     .hertz = p->machine.clock_noc,
                                                     .slots = DISPATCH_SLOTS});
}

/* All units, in the order of their numbers. */
static void create_units(struct builder *b, struct mnp_source *source, const struct gpu_hub_lanes *lanes)
{
    struct gpu_device *d = b->device;
    uint64_t extra;
    bool fits = gpu_dram_extra(b->p, &extra);
    MNP_REQUIRE(fits, "a device is built from parameters that were not checked");
    create_dispatch(b, source);
    create_sms(b, source);
    for (uint32_t i = 0; i < b->p->gpc.count; i++)
        d->gpcs[i] = create_gpc(b, source, i);
    for (uint32_t i = 0; i < b->p->partition.count; i++)
        d->partitions[i] = create_partition(b, i, extra, source);
    if (b->hubs)
        create_hub(b, source, lanes);
    if (b->p->energy_model)
        d->energy = gpu_energy_create(b->engine, b->p->energy_model, &b->p->energy_pace, DISPATCH_SLOTS);
}

/* ===== links: their order is part of the machine, as their numbers order packets ===== */

static void connect_sm(struct builder *b, uint32_t index)
{
    struct gpu_device *d = b->device;
    struct mnp_unit *sm = sm_unit(d->sms[index]), *dispatch = dispatch_unit(d->dispatch);
    uint64_t ctas = b->p->sm.ctas;
    mnp_connect(b->engine, mnp_at_port(dispatch, "launch", index), mnp_at_port(sm, "launch", 0), b->times.to_sm,
                ctas + 2 * DISPATCH_SLOTS);
    mnp_connect(b->engine, mnp_at_port(sm, "finish", 0), mnp_at_port(dispatch, "finish", index), b->times.to_sm, ctas);
}

/* Packets that a port, which sends one a cycle at most, can have on a link to a unit that takes them at its next edge:
 * those of the link's time and of two periods of the receiver, or `least`. */
static uint64_t port_in_flight(mnp_time latency, uint64_t hertz, uint64_t receivers_hertz, uint64_t least)
{
    uint64_t most = mnp_cycle_at(hertz, latency + mnp_edge(receivers_hertz, 2)) + 2;
    return most > least ? most : least;
}

/* Touches on a link: what was saved up, and what came beside it in the link's time. */
static uint64_t touches_in_flight(mnp_time latency, uint64_t hertz, uint64_t receivers_hertz)
{
    return GPU_TOUCHES_AT_ONCE + GPU_TOUCHES_A_CYCLE * port_in_flight(latency, hertz, receivers_hertz, 1);
}

/* An SM and its GPC, in which it has number `place`. */
static void connect_sm_to_gpc(struct builder *b, struct mnp_unit *sm, struct mnp_unit *gpc, uint32_t place)
{
    struct mnp_engine *engine = b->engine;
    const struct gpu_machine_parameters *p = &b->p->machine;
    mnp_time out = b->times.sm_to_gpc, back = b->times.gpc_to_sm;
    uint64_t replies = port_in_flight(back, p->clock_noc, p->clock_core, 4 * p->latency_l2);
    if (b->p->network.ideal) /* all that the GPC may have been sent */
        replies = (b->p->partition.count + b->hubs) * b->far_credits + b->p->sm.l1i_misses;
    mnp_connect(engine, mnp_at_port(sm, "request", 0), mnp_at_port(gpc, "sm requests", place), out, b->sm_credits);
    mnp_connect(engine, mnp_at_port(gpc, "sm credits", place), mnp_at_port(sm, "credit", 0), back, b->sm_credits);
    mnp_connect(engine, mnp_at_port(gpc, "sm replies", place), mnp_at_port(sm, "reply", 0), back, replies);
    if (!b->executes)
        return;
    uint64_t results = b->p->sm.loads * (MNP_WARP_SIZE + VALUE_PACKETS);
    mnp_connect(engine, mnp_at_port(sm, "values", 0), mnp_at_port(gpc, "sm values", place), out, values_of_sms(b, 1));
    mnp_connect(engine, mnp_at_port(gpc, "sm results", place), mnp_at_port(sm, "results", 0), back, results);
    if (passes_over(b))
        mnp_connect(engine, mnp_at_port(sm, "touches", 0), mnp_at_port(gpc, "sm touches", place), out,
                    touches_in_flight(out, p->clock_core, p->clock_noc));
}

static void connect_gpc_to_partition(struct builder *b, uint32_t g, uint32_t p)
{
    struct gpu_device *d = b->device;
    struct mnp_engine *engine = b->engine;
    struct mnp_unit *gpc = gpu_gpc_unit(d->gpcs[g]), *partition = gpu_partition_unit(d->partitions[p]);
    bool far = has_far_links(b->p, g, p);
    mnp_time out = b->times.gpc_to_partition[far], back = b->times.partition_to_gpc[far];
    uint32_t credits = far ? b->far_credits : b->credits;
    mnp_connect(engine, mnp_at_port(gpc, "requests", p), mnp_at_port(partition, "requests", g), out, credits);
    mnp_connect(engine, mnp_at_port(partition, "replies", g), mnp_at_port(gpc, "replies", p), back, credits);
    mnp_connect(engine, mnp_at_port(gpc, "reply credits", p), mnp_at_port(partition, "reply credits", g), out, credits);
    mnp_connect(engine, mnp_at_port(partition, "request credits", g), mnp_at_port(gpc, "request credits", p), back,
                credits);
    if (!b->executes)
        return;
    uint64_t sms = gpu_first_sm(b->p, g + 1) - gpu_first_sm(b->p, g);
    uint64_t in_flight = values_of_sms(b, sms) + (uint64_t)credits * VALUE_PACKETS;
    uint64_t back_flight = sms * b->p->sm.loads * (MNP_WARP_SIZE + VALUE_PACKETS);
    mnp_connect(engine, mnp_at_port(gpc, "values", p), mnp_at_port(partition, "values", g), out, in_flight);
    mnp_connect(engine, mnp_at_port(partition, "results", g), mnp_at_port(gpc, "results", p), back, back_flight);
    if (passes_over(b))
        mnp_connect(engine, mnp_at_port(gpc, "touches", p), mnp_at_port(partition, "touches", g), out,
                    touches_in_flight(out, b->p->machine.clock_noc, b->p->machine.clock_l2));
}

/* The hub is one more partition for the GPCs, … */
static void connect_gpc_to_hub(struct builder *b, uint32_t g)
{
    const struct gpu_device *d = b->device;
    struct mnp_engine *engine = b->engine;
    struct mnp_unit *gpc = gpu_gpc_unit(d->gpcs[g]), *hub = gpu_hub_unit(d->hub);
    uint32_t place = (uint32_t)b->p->partition.count;
    mnp_time out = b->times.gpc_to_partition[0], back = b->times.partition_to_gpc[0];
    mnp_connect(engine, mnp_at_port(gpc, "requests", place), mnp_at_port(hub, "requests", g), out, b->credits);
    mnp_connect(engine, mnp_at_port(hub, "replies", g), mnp_at_port(gpc, "replies", place), back, b->credits);
    mnp_connect(engine, mnp_at_port(gpc, "reply credits", place), mnp_at_port(hub, "reply credits", g), out,
                b->credits);
    mnp_connect(engine, mnp_at_port(hub, "request credits", g), mnp_at_port(gpc, "request credits", place), back,
                b->credits);
    if (!b->executes)
        return;
    mnp_connect(engine, mnp_at_port(gpc, "values", place), mnp_at_port(hub, "values", g), out, d->hub_values);
    mnp_connect(engine, mnp_at_port(hub, "results", g), mnp_at_port(gpc, "results", place), back, d->hub_results);
}

/* Results that a partition can have under way to the hub: a slice performs a request a cycle. */
static uint64_t results_in_flight(const struct builder *b)
{
    uint64_t cycles = mnp_cycle_at(b->p->machine.clock_l2, b->times.partition_to_gpc[0]) +
                      mnp_cycle_at(b->p->machine.clock_l2, mnp_edge(b->p->machine.clock_noc, 2));
    uint64_t flow = 2 * (cycles + 2) * b->p->partition.slices * VALUE_PACKETS;
    return mnp_min(b->devices * b->device->hub_results, flow);
}

/* … and one more GPC for the partitions. What all may have under way there comes from hubs like this one. */
static void connect_hub_to_partition(struct builder *b, uint32_t p)
{
    const struct gpu_device *d = b->device;
    struct mnp_engine *engine = b->engine;
    struct mnp_unit *hub = gpu_hub_unit(d->hub), *partition = gpu_partition_unit(d->partitions[p]);
    uint32_t place = (uint32_t)b->p->gpc.count;
    mnp_time out = b->times.gpc_to_partition[0], back = b->times.partition_to_gpc[0];
    mnp_connect(engine, mnp_at_port(hub, "home requests", p), mnp_at_port(partition, "requests", place), out,
                b->credits);
    mnp_connect(engine, mnp_at_port(partition, "replies", place), mnp_at_port(hub, "home replies", p), back,
                b->credits);
    mnp_connect(engine, mnp_at_port(hub, "home reply credits", p), mnp_at_port(partition, "reply credits", place), out,
                b->credits);
    mnp_connect(engine, mnp_at_port(partition, "request credits", place), mnp_at_port(hub, "home request credits", p),
                back, b->credits);
    if (!b->executes)
        return;
    mnp_connect(engine, mnp_at_port(hub, "home values", p), mnp_at_port(partition, "values", place), out,
                b->devices * d->hub_values);
    mnp_connect(engine, mnp_at_port(partition, "results", place), mnp_at_port(hub, "home results", p), back,
                results_in_flight(b));
}

/* Host copies that warm the L2, and its flushes. At most one of each is told of in a cycle. */
static void connect_copies(struct builder *b)
{
    struct gpu_device *d = b->device;
    mnp_time to_sm = b->times.to_sm;
    uint64_t in_flight = 2 * port_in_flight(to_sm, b->p->machine.clock_core, b->p->machine.clock_l2, 4);
    for (uint32_t i = 0; i < b->p->partition.count; i++)
        mnp_connect(b->engine, mnp_at_port(dispatch_unit(d->dispatch), "copies", i),
                    mnp_at_port(gpu_partition_unit(d->partitions[i]), "copies", 0), to_sm, in_flight);
}

/* The SM-to-SM network of a GPC: between each pair, and from an SM to itself, where two CTAs of a cluster share it. */
static void connect_sms(struct builder *b, uint32_t gpc)
{
    struct gpu_device *d = b->device;
    struct mnp_engine *engine = b->engine;
    const struct gpu_parameters *p = b->p;
    uint32_t first = gpu_first_sm(p, gpc), count = gpu_first_sm(p, gpc + 1) - first;
    uint64_t answers = p->sm2sm.requests + p->sm.tma_copies; /* accesses, and multicasts */
    uint64_t requests = answers + 3 * p->sm.ctas;            /* plus messages about barriers */
    for (uint32_t from = 0; from < count; from++) {
        for (uint32_t to = 0; to < count; to++) {
            struct mnp_unit *a = sm_unit(d->sms[first + from]), *c = sm_unit(d->sms[first + to]);
            mnp_time out, back;
            gpu_sm2sm_times(p, from, to, &out, &back);
            mnp_connect(engine, mnp_at_port(a, "remote requests out", to), mnp_at_port(c, "remote requests", from), out,
                        requests + ((from ^ to) == 1 ? SM_TCGEN05_PARCELS : 0)); /* parcels of pairs of CTAs in a TPC */
            mnp_connect(engine, mnp_at_port(a, "remote answers out", to), mnp_at_port(c, "remote answers", from), back,
                        answers);
        }
    }
}

static void connect_units(struct builder *b)
{
    struct gpu_device *d = b->device;
    const struct gpu_parameters *p = b->p;
    for (uint32_t i = 0; i < p->sm.count; i++)
        connect_sm(b, i);
    for (uint32_t gpc = 0; gpc < p->gpc.count; gpc++)
        for (uint32_t i = gpu_first_sm(p, gpc); i < gpu_first_sm(p, gpc + 1); i++)
            connect_sm_to_gpc(b, sm_unit(d->sms[i]), gpu_gpc_unit(d->gpcs[gpc]), i - gpu_first_sm(p, gpc));
    for (uint32_t gpc = 0; gpc < p->gpc.count; gpc++)
        for (uint32_t i = 0; i < p->partition.count; i++)
            connect_gpc_to_partition(b, gpc, i);
    for (uint32_t gpc = 0; b->hubs && gpc < p->gpc.count; gpc++)
        connect_gpc_to_hub(b, gpc);
    for (uint32_t i = 0; b->hubs && i < p->partition.count; i++)
        connect_hub_to_partition(b, i);
    if (p->machine.memcpy_warms_l2 || p->dispatch.flush_l2)
        connect_copies(b);
    for (uint32_t gpc = 0; has_network(b) && gpc < p->gpc.count; gpc++)
        connect_sms(b, gpc);
}

/* The memory of a machine that executes: each SM and each partition writes to an overlay of its own in an epoch. A
 * store is executed only when there is room for it in the memory pipeline, whose port sends a line per cycle, and a
 * slice performs one request per cycle. */
static void join_memory(struct builder *b, struct mnp_source *source)
{
    struct gpu_device *d = b->device;
    const struct gpu_parameters *p = b->p;
    for (uint64_t i = 0; i < p->sm.count; i++) {
        struct mnp_live_core *core = sm_core(d->sms[i]);
        core->overlay = mnp_memory_add_overlay(source->memory, MNP_OVERLAY_CORE, sm_unit(d->sms[i])->id, CORE_LINES);
        core->count = (uint32_t)p->sm.count;
    }
    for (uint64_t i = 0; i < p->partition.count; i++)
        gpu_partition_give_overlay(d->partitions[i],
                                   mnp_memory_add_overlay(source->memory, MNP_OVERLAY_SLICE,
                                                          gpu_partition_unit(d->partitions[i])->id, SLICE_LINES));
    source->prepare(source, (uint32_t)p->sm.count);
}

/* Sets the address map of a device. Allocations on a further device have addresses in a range of their own, which the
 * map moves to the range of the first device. Traces have arbitrary addresses, which are not moved unless a fabric
 * assigns them to devices. */
static void find_map(struct builder *b)
{
    struct mnp_address_map *map = &b->device->map;
    uint32_t number = b->device->number;
    gpu_partition_map(&b->p->partition, map);
    if (!number || (!b->executes && !b->devices))
        return;
    map->move_count = 2;
    map->moves[0] = (struct mnp_address_move){mnp_space_base(number), MNP_SPACE_PART_BYTES, mnp_space_base(0)};
    map->moves[1] = (struct mnp_address_move){mnp_space_heap(number), MNP_SPACE_HEAP_BYTES, mnp_space_heap(0)};
}

struct gpu_device *gpu_device_create(struct mnp_engine *engine, const struct gpu_parameters *parameters,
                                     const struct gpu_device_plan *plan)
{
    struct gpu_device *d = mnp_allocate(1, sizeof *d);
    struct mnp_source *source = plan->source;
    *d = (struct gpu_device){.parameters = parameters, .number = plan->number, .source = source};
    struct builder builder = {.engine = engine,
                              .device = d,
                              .p = parameters,
                              .devices = plan->devices,
                              .hubs = plan->devices > 0,
                              .executes = source->memory != NULL};
    bool fits = gpu_find_link_times(parameters, &builder.times);
    MNP_REQUIRE(fits, "a device is built from parameters that were not checked");
    find_map(&builder);
    d->sms = mnp_allocate(parameters->sm.count, sizeof(struct sm *));
    d->gpcs = mnp_allocate(parameters->gpc.count, sizeof(struct gpu_gpc *));
    d->partitions = mnp_allocate(parameters->partition.count, sizeof(struct gpu_partition *));
    find_credits(&builder);
    find_places(&builder);
    create_units(&builder, source, plan->lanes);
    connect_units(&builder);
    if (builder.executes)
        join_memory(&builder, source);
    return d;
}

void gpu_device_close(struct gpu_device *d)
{
    for (uint64_t i = 0; i < d->parameters->sm.count; i++)
        sm_release(d->sms[i]);
}

void gpu_device_release(struct gpu_device *d)
{
    for (uint64_t i = 0; i < d->parameters->gpc.count; i++)
        gpu_gpc_release(d->gpcs[i]);
    for (uint64_t i = 0; i < d->parameters->partition.count; i++)
        gpu_partition_release(d->partitions[i]);
    free(d->groups);
    free(d->places);
    free(d->order);
    free(d->gpc_of);
    gpu_hub_release(d->hub);
    dispatch_release(d->dispatch);
    free((void *)d->sms);
    free((void *)d->gpcs);
    free((void *)d->partitions);
    free(d);
}
