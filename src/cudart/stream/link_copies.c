/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/link_copies.h"

#include "base/arena.h"
#include "base/range.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/streams.h"

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
    uint64_t starts;              /* fs: its first byte */
    uint64_t rate;                /* current rate; 0: it has not started, or has ended */
    work left;
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

static struct share share_of(const struct flow *flows, uint32_t count, uint32_t resource, uint64_t time)
{
    struct share share = {0, 0};
    uint64_t used = 0;
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
static bool give_least(struct flow *flows, uint32_t count, uint64_t time)
{
    struct flow *least = NULL;
    uint64_t rate = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < 2 && flows[i].left && flows[i].starts <= time && !flows[i].rate; j++) {
            struct share share = share_of(flows, count, flows[i].resource[j], time);
            if (share.left / share.flows >= rate)
                continue;
            rate = share.left / share.flows;
            least = &flows[i];
        }
    if (least)
        least->rate = mnp_max(rate, 1);
    return least;
}

/* Rates from a time on. Returns the time until which they hold: a flow starts or ends then. */
static uint64_t set_rates(struct flow *flows, uint32_t count, uint64_t time)
{
    uint64_t until = MNP_NEVER;
    for (uint32_t i = 0; i < count; i++)
        flows[i].rate = 0;
    while (give_least(flows, count, time)) {
    }
    for (uint32_t i = 0; i < count; i++) {
        if (flows[i].left && flows[i].starts > time)
            mnp_lower(&until, flows[i].starts);
        else if (flows[i].left)
            mnp_lower(&until, time + (uint64_t)((flows[i].left + flows[i].rate - 1) / flows[i].rate));
    }
    return until;
}

/* Lets flows go on from a time to another (MNP_NEVER: to their ends). `ends`: their copies are told. */
static void go_on(struct flow *flows, uint32_t count, uint64_t time, uint64_t until, bool ends)
{
    while (time < until) {
        uint64_t next = mnp_min(set_rates(flows, count, time), until);
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
                         .starts = starts,
                         .left = (bytes << FRACTION) * FS_PER_US};
}

/* Sets the ends of all copies under way, if no other begins. */
static void foresee(const struct cudart *rt)
{
    const struct cudart_link_copies *links = &rt->clock->links;
    struct flow *flows = mnp_allocate(links->flows.count, sizeof *flows);
    memcpy(flows, links->flows.items, links->flows.count * sizeof *flows);
    go_on(flows, links->flows.count, links->time, MNP_NEVER, true);
    free(flows);
}

void cudart_begin_over_links(struct cudart *rt, struct cudart_operation *copy, uint64_t time)
{
    struct cudart_link_copies *links = &rt->clock->links;
    mnp_raise(&time, engine_of(copy)->link_free);
    mnp_raise(&time, links->time);
    go_on(flows_of(rt), links->flows.count, links->time, time, false);
    links->time = time;
    copy->begins = time;
    *(struct flow *)mnp_array_add(&links->flows, 1, sizeof(struct flow)) =
        make_flow(copy, time + engine_of(copy)->fabric.copy_latency * CUDART_FS_PER_NS);
    foresee(rt);
    for (uint32_t i = 0; i < links->flows.count; i++)
        cudart_await_end_of(rt, flows_of(rt)[i].copy);
}

void cudart_end_over_links(struct cudart *rt, const struct cudart_operation *copy)
{
    struct mnp_array *flows = &rt->clock->links.flows;
    struct flow *all = flows->items;
    struct cudart_device *device = engine_of(copy);
    if (engines_in_use(rt, device) >= device->fabric.copy_engines)
        mnp_raise(&device->link_free, copy->ends);
    for (uint32_t i = 0; i < flows->count; i++)
        if (all[i].copy == copy) {
            memmove(&all[i], &all[i + 1], (--flows->count - i) * sizeof *all);
            return;
        }
}
