/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/link.h"

#include "base/error.h"
#include "engine/core/unit.h"

#include <stdlib.h>
#include <string.h>

/* Number of packets of a link that are prefetched: most rings exceed the host's caches. */
enum { AHEAD = 4 };

void mnp_link_init(struct mnp_link *link, uint32_t id, struct mnp_unit *from, struct mnp_unit *to, mnp_time latency,
                   uint32_t payload, uint32_t in_flight)
{
    MNP_REQUIRE(latency > 0 && in_flight > 0 && in_flight < UINT32_C(1) << 30 && payload % 8 == 0,
                "link %u is badly made", id);
    uint32_t capacity = 4;
    while (capacity < 2 * in_flight)
        capacity *= 2;
    memset(link, 0, sizeof *link);
    link->id = id;
    link->from = from;
    link->to = to;
    link->latency = latency;
    link->payload = payload;
    link->in_flight = in_flight;
    link->stride = payload + (uint32_t)sizeof(mnp_time);
    link->mask = capacity - 1;
}

size_t mnp_link_ring_bytes(const struct mnp_link *link)
{
    size_t bytes = ((size_t)link->mask + 1) * link->stride;
    return (bytes + MNP_CACHE_LINE - 1) / MNP_CACHE_LINE * MNP_CACHE_LINE;
}

void *mnp_link_send(struct mnp_link *link, mnp_time departure)
{
    mnp_time arrival = departure + link->latency;
    struct mnp_unit *from = link->from;
    if (arrival < from->until && from->relaxed)
        arrival = from->until;
    mnp_time least = link->crosses ? from->beyond : from->until;
    MNP_REQUIRE(arrival >= link->last_arrival && arrival >= least, "%s sends out of order on link %u", from->name,
                link->id);
    uint64_t consumed = atomic_load_explicit(&link->consumed, memory_order_acquire);
    if (link->tail == link->sent_before) {
        MNP_REQUIRE(from->dirty_count < from->out_count, "%s: dirty list overflows", from->name);
        from->dirty[from->dirty_count++] = link;
        /* the receiver has taken all packets, and will see this change before it looks for more (publish) */
        if (consumed == link->tail)
            link->base = link->tail;
    }
    MNP_REQUIRE(link->tail - consumed <= link->mask, "link %u from %s to %s overflows its %u places", link->id,
                from->name, link->to->name, link->mask + 1);
    unsigned char *entry = mnp_link_entry(link, link->tail);
    link->tail++;
    link->last_arrival = arrival;
    memcpy(entry, &arrival, sizeof arrival);
    __builtin_prefetch(mnp_link_entry(link, link->tail + AHEAD), 1);
    return memset(entry + sizeof arrival, 0, link->payload);
}

/* ===== inbox ===== */

#define NO_PACKET UINT64_MAX

/* Arrivals that are so far behind the origin have no exact key. */
#define FAR (UINT64_C(1) << (63 - MNP_INBOX_LINK_BITS))

static mnp_time head_arrival(const struct mnp_inbox_end *end)
{
    mnp_time arrival;
    memcpy(&arrival, mnp_inbox_entry(end, end->head), sizeof arrival);
    return arrival;
}

void mnp_inbox_freeze(struct mnp_inbox *inbox)
{
    MNP_REQUIRE(inbox->count < UINT32_C(1) << MNP_INBOX_LINK_BITS, "%u links lead to one unit", inbox->count);
    inbox->leaves = 2;
    while (inbox->leaves < inbox->count)
        inbox->leaves *= 2;
    inbox->ends = mnp_allocate(inbox->count, sizeof *inbox->ends);
    inbox->keys = mnp_allocate(2 * (size_t)inbox->leaves, sizeof *inbox->keys);
    for (uint32_t i = 0; i < 2 * inbox->leaves; i++)
        inbox->keys[i] = NO_PACKET;
    for (uint32_t i = 0; i < inbox->count; i++)
        inbox->ends[i] = (struct mnp_inbox_end){
            .ring = inbox->links[i]->ring, .mask = inbox->links[i]->mask, .stride = inbox->links[i]->stride};
    inbox->next = MNP_NEVER;
}

void mnp_inbox_release(struct mnp_inbox *inbox)
{
    free(inbox->links);
    free(inbox->ends);
    free(inbox->keys);
    *inbox = (struct mnp_inbox){0};
}

static uint64_t key_of(const struct mnp_inbox *inbox, uint32_t i, mnp_time arrival)
{
    mnp_time ahead = arrival - inbox->origin;
    return (ahead < FAR ? ahead : FAR) << MNP_INBOX_LINK_BITS | i;
}

/* Moves the origin to the arrival of the first of all packets and recomputes all keys. */
static __attribute__((noinline)) void move_origin(struct mnp_inbox *inbox)
{
    inbox->origin = MNP_NEVER;
    for (uint32_t i = 0; i < inbox->count; i++)
        if (inbox->ends[i].head != inbox->ends[i].seen && head_arrival(&inbox->ends[i]) < inbox->origin)
            inbox->origin = head_arrival(&inbox->ends[i]);
    for (uint32_t i = 0; i < inbox->count; i++) {
        const struct mnp_inbox_end *end = &inbox->ends[i];
        inbox->keys[inbox->leaves + i] = end->head == end->seen ? NO_PACKET : key_of(inbox, i, head_arrival(end));
    }
    for (uint32_t node = inbox->leaves - 1; node > 0; node--) {
        uint64_t left = inbox->keys[2 * node], right = inbox->keys[2 * node + 1];
        inbox->keys[node] = right < left ? right : left;
    }
}

/* Sets a new key of link `i` and replays its matches up to the root. */
static inline void play(struct mnp_inbox *inbox, uint32_t i, uint64_t key)
{
    uint64_t *keys = inbox->keys;
    uint32_t node = inbox->leaves + i;
    keys[node] = key;
    while (node > 1) {
        uint64_t other = keys[node ^ 1];
        key = other < key ? other : key;
        node /= 2;
        keys[node] = key;
    }
}

/* Updates `first` and `next` from the root. */
static inline void find_first(struct mnp_inbox *inbox)
{
    if (__builtin_expect(inbox->keys[1] >> MNP_INBOX_LINK_BITS == FAR, 0))
        move_origin(inbox);
    uint64_t key = inbox->keys[1];
    inbox->first = (uint32_t)(key & ((1u << MNP_INBOX_LINK_BITS) - 1));
    inbox->next = key == NO_PACKET ? MNP_NEVER : inbox->origin + (key >> MNP_INBOX_LINK_BITS);
}

/* Handles packets that have become visible at an end that had none. */
static void show(struct mnp_inbox *inbox, uint32_t i)
{
    mnp_time arrival = head_arrival(&inbox->ends[i]);
    if (__builtin_expect(arrival < inbox->origin, 0))
        move_origin(inbox);
    else
        play(inbox, i, key_of(inbox, i, arrival));
    find_first(inbox);
}

void mnp_inbox_open(struct mnp_inbox *inbox)
{
    for (uint32_t i = 0; i < inbox->count; i++) {
        const struct mnp_link *link = inbox->links[i];
        struct mnp_inbox_end *end = &inbox->ends[i];
        uint64_t published = atomic_load(&link->published); /* must be an ordered load: see publish in window.c */
        if (published == end->seen)
            continue;
        bool empty = end->head == end->seen;
        end->seen = published;
        end->base = link->base;
        for (uint64_t k = end->head; k < published && k < end->head + AHEAD; k++)
            __builtin_prefetch(mnp_inbox_entry(end, k));
        if (empty)
            show(inbox, i);
    }
}

void mnp_inbox_take(struct mnp_inbox *inbox)
{
    uint32_t i = inbox->first;
    struct mnp_inbox_end *end = &inbox->ends[i];
    end->head++;
    __builtin_prefetch(mnp_inbox_entry(end, end->head + AHEAD));
    mnp_time arrival = end->head == end->seen ? MNP_NEVER : head_arrival(end);
    if (arrival == inbox->next) /* the link still has the first packet, because arrivals on a link never decrease */
        return;
    play(inbox, i, arrival == MNP_NEVER ? NO_PACKET : key_of(inbox, i, arrival));
    find_first(inbox);
}

void mnp_inbox_close(struct mnp_inbox *inbox)
{
    for (uint32_t i = 0; i < inbox->count; i++) {
        struct mnp_link *link = inbox->links[i];
        if (atomic_load_explicit(&link->consumed, memory_order_relaxed) != inbox->ends[i].head)
            atomic_store_explicit(&link->consumed, inbox->ends[i].head, memory_order_release);
    }
}
