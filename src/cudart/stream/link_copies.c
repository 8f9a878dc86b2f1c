/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/link_copies.h"

#include "base/arena.h"
#include "base/range.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/streams.h"
#include "gpu/system/kind.h"
#include "gpu/system/ways.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 work; /* bytes · 2^16 · fs of a microsecond */

enum { FRACTION = 16 /* bits of a rate below MB/s, which are bytes of a microsecond */ };

#define FS_PER_US UINT64_C(1000000000)

/* A copy that has begun. */
struct flow {
    struct cudart_operation *copy;
    struct cudart_device *engine; /* device whose engine carries it */
    uint32_t resource[2];         /* numbers of what it uses, the same twice for straight links */
    uint64_t capacity;            /* MB/s of each of these, with a fraction */
    uint64_t raw;                 /* the same with headers, without a fraction */
    uint64_t starts;              /* fs: its first byte */
    uint64_t rate;                /* current rate; 0: it has not started, or has ended */
    work left;
};

/* A resource that copies have shared with packets. */
struct lent {
    uint32_t resource;
    uint64_t capacity, raw; /* the same as in its flows */
    uint64_t needed;        /* by copies: of the capacity */
    uint64_t before;        /* bytes of packets when the machine went on */
    uint64_t taken;         /* by packets since then: of the capacity */
};

static struct flow *flows_of(const struct cudart *rt)
{
    return rt->clock->links.flows.items;
}

static struct cudart_device *sender(const struct cudart_operation *copy)
{
    return cudart_home(copy->device, copy->area.from);
}

static struct cudart_device *receiver(const struct cudart_operation *copy)
{
    return cudart_home(copy->device, copy->area.to);
}

/* The engine is one of the stream's device, if that is an end of the copy. */
static struct cudart_device *engine_of(const struct cudart_operation *copy)
{
    return copy->device == receiver(copy) ? copy->device : sender(copy);
}

bool cudart_uses_links(const struct cudart_operation *copy)
{
    return copy->kind == CUDART_COPY && copy->engine == CUDART_BOTH_ENGINES &&
           cudart_link_rate(sender(copy), receiver(copy));
}

/* ===== shares ===== */

/* The rest of a resource for flows without a rate, and how many of these there are. */
struct share {
    uint64_t left;
    uint32_t flows;
};

static struct lent *find_lent(const struct cudart_link_copies *links, uint32_t resource)
{
    struct lent *all = links->lent.items;
    for (uint32_t i = 0; i < links->lent.count; i++)
        if (all[i].resource == resource)
            return &all[i];
    return NULL;
}

/* Rate of packets on a resource at a time; 0 behind the time up to which they are known. */
static uint64_t taken_of(const struct cudart_link_copies *links, uint32_t resource, uint64_t time)
{
    const struct lent *lent = time < links->counted ? find_lent(links, resource) : NULL;
    return lent ? lent->taken : 0;
}

static struct share share_of(const struct cudart_link_copies *links, const struct flow *flows, uint32_t resource,
                             uint64_t time)
{
    struct share share = {0, 0};
    uint64_t used = taken_of(links, resource, time);
    uint32_t count = links->flows.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct flow *each = &flows[i];
        if (!each->left || each->starts > time || (each->resource[0] != resource && each->resource[1] != resource))
            continue;
        share.left = each->capacity;
        share.flows += !each->rate;
        used += each->rate;
    }
    share.left -= mnp_min(used, share.left);
    return share;
}

/* The least rate that a resource leaves to a flow without one: that of the flow is now known. False: all have rates. */
static bool give_least(const struct cudart_link_copies *links, struct flow *flows, uint64_t time)
{
    struct flow *least = NULL;
    uint64_t rate = UINT64_MAX;
    uint32_t count = links->flows.count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < 2 && flows[i].left && flows[i].starts <= time && !flows[i].rate; j++) {
            struct share share = share_of(links, flows, flows[i].resource[j], time);
            if (share.left / share.flows >= rate)
                continue;
            rate = share.left / share.flows;
            least = &flows[i];
        }
    if (least)
        least->rate = mnp_max(rate, 1);
    return least;
}

/* Rates from a time on. Returns the time until which they hold: a flow starts or ends then, or no more is known of
 * packets. */
static uint64_t set_rates(const struct cudart_link_copies *links, struct flow *flows, uint64_t time)
{
    uint64_t until = time < links->counted ? links->counted : MNP_NEVER;
    uint32_t count = links->flows.count;
    for (uint32_t i = 0; i < count; i++)
        flows[i].rate = 0;
    while (give_least(links, flows, time)) {
    }
    for (uint32_t i = 0; i < count; i++) {
        work most = MNP_NEVER - time;
        if (flows[i].left && flows[i].starts > time)
            mnp_lower(&until, flows[i].starts);
        else if (flows[i].left && (flows[i].left - 1) / flows[i].rate < most)
            mnp_lower(&until, time + (uint64_t)((flows[i].left - 1) / flows[i].rate) + 1);
    }
    return until;
}

/* Lets flows, those under way or a copy of them, go on from the time to which they are known to another (MNP_NEVER: to
 * their ends). `ends`: their copies are told. */
static void go_on(const struct cudart_link_copies *links, struct flow *flows, uint64_t until, bool ends)
{
    uint32_t count = links->flows.count;
    uint64_t time = links->time;
    while (time < until) {
        uint64_t next = mnp_min(set_rates(links, flows, time), until);
        if (next == MNP_NEVER)
            return;
        for (uint32_t i = 0; i < count; i++) {
            work done = (work)flows[i].rate * (next - time);
            bool over = flows[i].left && done >= flows[i].left;
            flows[i].left -= over ? flows[i].left : done;
            if (over && ends)
                flows[i].copy->ends = next;
        }
        time = next;
    }
}

/* ===== beginnings and ends ===== */

static uint32_t engines_in_use(const struct cudart *rt, const struct cudart_device *device)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rt->clock->links.flows.count; i++)
        count += flows_of(rt)[i].engine == device;
    return count;
}

bool cudart_has_engine(const struct cudart *rt, const struct cudart_operation *copy)
{
    const struct cudart_device *device = engine_of(copy);
    return engines_in_use(rt, device) < device->fabric.copy_engines;
}

static struct flow make_flow(struct cudart_operation *copy, uint64_t starts)
{
    const struct cudart_device *from = sender(copy), *to = receiver(copy);
    uint32_t out = from->place, in = MNP_SPACE_DEVICES + to->place;
    uint32_t pair = (2 + from->place) * MNP_SPACE_DEVICES + to->place;
    bool switched = from->fabric.switches.count;
    work bytes = (work)copy->area.width * copy->area.height;
    return (struct flow){.copy = copy,
                         .engine = engine_of(copy),
                         .resource = {switched ? out : pair, switched ? in : pair},
                         .capacity = cudart_link_rate(from, to) << FRACTION,
                         .raw = cudart_links_between(from, to) * from->fabric.lane.rate,
                         .starts = starts,
                         .left = (bytes << FRACTION) * FS_PER_US};
}

/* Sets the ends of all copies under way, if no other begins. */
static void foresee(struct cudart *rt)
{
    const struct cudart_link_copies *links = &rt->clock->links;
    struct flow *flows = mnp_allocate(links->flows.count, sizeof *flows);
    memcpy(flows, links->flows.items, links->flows.count * sizeof *flows);
    go_on(links, flows, MNP_NEVER, true);
    free(flows);
    for (uint32_t i = 0; i < links->flows.count; i++)
        cudart_await_end_of(rt, flows_of(rt)[i].copy);
}

/* Brings all copies under way to a time. */
static void reach(struct cudart_link_copies *links, uint64_t time)
{
    go_on(links, links->flows.items, time, false);
    links->time = time;
}

void cudart_begin_over_links(struct cudart *rt, struct cudart_operation *copy, uint64_t time)
{
    struct cudart_link_copies *links = &rt->clock->links;
    mnp_raise(&time, engine_of(copy)->link_free);
    mnp_raise(&time, links->time);
    reach(links, time);
    copy->begins = time;
    *(struct flow *)mnp_array_add(&links->flows, 1, sizeof(struct flow)) =
        make_flow(copy, time + engine_of(copy)->fabric.copy_latency * CUDART_FS_PER_NS);
    foresee(rt);
}

void cudart_end_over_links(struct cudart *rt, const struct cudart_operation *copy)
{
    struct mnp_array *flows = &rt->clock->links.flows;
    struct flow *all = flows->items;
    struct cudart_device *device = engine_of(copy);
    reach(&rt->clock->links, mnp_max(rt->clock->links.time, copy->ends)); /* the others' shares were of its time, too */
    rt->clock->links.copied[sender(copy)->place][receiver(copy)->place] += copy->area.width * copy->area.height;
    cudart_count_over_links(rt);
    if (engines_in_use(rt, device) >= device->fabric.copy_engines)
        mnp_raise(&device->link_free, copy->ends);
    for (uint32_t i = 0; i < flows->count; i++)
        if (all[i].copy == copy) {
            memmove(&all[i], &all[i + 1], (--flows->count - i) * sizeof *all);
            return;
        }
}

/* ===== links that kernels use, too ===== */

static struct gpu_way way_of(uint32_t resource)
{
    if (resource < MNP_SPACE_DEVICES)
        return (struct gpu_way){.from = resource, .to = GPU_WAY_ANY};
    if (resource < 2 * MNP_SPACE_DEVICES)
        return (struct gpu_way){.from = GPU_WAY_ANY, .to = resource - MNP_SPACE_DEVICES};
    return (struct gpu_way){.from = resource / MNP_SPACE_DEVICES - 2, .to = resource % MNP_SPACE_DEVICES};
}

uint64_t cudart_next_over_links(const struct cudart *rt)
{
    uint64_t next = MNP_NEVER;
    const struct flow *flows = flows_of(rt);
    for (uint32_t i = 0; cudart_is_running(rt) && i < rt->clock->links.flows.count; i++)
        if (flows[i].starts > rt->clock->device)
            mnp_lower(&next, flows[i].starts);
    return next;
}

/* Adds what a copy needs of one of its resources. */
static void need(struct cudart_link_copies *links, const struct flow *flow, uint32_t resource)
{
    struct lent *lent = find_lent(links, resource);
    if (!lent) {
        lent = mnp_array_add(&links->lent, 1, sizeof *lent);
        *lent = (struct lent){.resource = resource, .capacity = flow->capacity, .raw = flow->raw};
    }
    lent->needed += flow->rate;
}

static void need_all(struct cudart_link_copies *links)
{
    const struct flow *flows = links->flows.items;
    set_rates(links, links->flows.items, links->time);
    for (uint32_t i = 0; i < links->flows.count; i++)
        for (uint32_t j = 0; j < 2 && flows[i].rate; j++)
            if (j == 0 || flows[i].resource[1] != flows[i].resource[0])
                need(links, &flows[i], flows[i].resource[j]);
}

void cudart_lend_links(struct cudart *rt)
{
    struct cudart_link_copies *links = &rt->clock->links;
    struct lent *all = links->lent.items;
    bool shared = links->flows.count && cudart_is_running(rt);
    if (!rt->simulation->session || !rt->simulation->timed || (!shared && !links->lent.count))
        return;
    struct gpu_system *system = gpu_system_of(rt->simulation->session);
    uint64_t rate = system->fabric.parameters->lane.rate;
    if (links->flows.count)
        reach(links, mnp_max(links->time, rt->clock->device));
    for (uint32_t i = 0; i < links->lent.count; i++)
        gpu_way_lend(system, way_of(all[i].resource), 0);
    links->lent.count = 0;
    links->counted = 0;
    if (shared)
        need_all(links);
    all = links->lent.items;
    for (uint32_t i = 0; i < links->lent.count; i++) {
        struct gpu_way way = way_of(all[i].resource);
        all[i].before = gpu_way_bytes(system, way);
        gpu_way_lend(system, way, mnp_min((uint64_t)((work)all[i].needed * rate / all[i].capacity), rate / 2));
    }
}

void cudart_regain_links(struct cudart *rt)
{
    struct cudart_link_copies *links = &rt->clock->links;
    struct lent *all = links->lent.items;
    if (!links->lent.count || rt->clock->device <= links->time)
        return;
    uint64_t passed = rt->clock->device - links->time;
    for (uint32_t i = 0; i < links->lent.count; i++) {
        work bytes = gpu_way_bytes(gpu_system_of(rt->simulation->session), way_of(all[i].resource)) - all[i].before;
        all[i].taken = (uint64_t)(bytes * all[i].capacity * FS_PER_US / all[i].raw / passed);
    }
    links->counted = rt->clock->device;
    foresee(rt);
}

void cudart_count_over_links(struct cudart *rt)
{
    struct cudart_link_copies *links = &rt->clock->links;
    for (uint32_t i = 0; rt->simulation->session && i < rt->machine_devices; i++)
        for (uint32_t k = 0; k < rt->machine_devices; k++) {
            if (links->copied[i][k])
                gpu_way_count(gpu_system_of(rt->simulation->session), i, k, links->copied[i][k]);
            links->copied[i][k] = 0;
        }
}
