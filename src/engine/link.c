/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/link.h"

#include "base/error.h"
#include "engine/unit.h"

#include <string.h>

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
    MNP_REQUIRE(arrival >= link->last_arrival && arrival >= from->until, "%s sends out of order on link %u",
                from->name, link->id);
    if (link->tail == link->sent_before) {
        MNP_REQUIRE(from->dirty_count < from->out_count, "%s: dirty list overflows", from->name);
        from->dirty[from->dirty_count++] = link;
    }
    uint64_t consumed = atomic_load_explicit(&link->consumed, memory_order_acquire);
    MNP_REQUIRE(link->tail - consumed <= link->mask, "link %u from %s to %s overflows its %u places", link->id,
                from->name, link->to->name, link->mask + 1);
    unsigned char *entry = link->ring + (link->tail & link->mask) * link->stride;
    link->tail++;
    link->last_arrival = arrival;
    memcpy(entry, &arrival, sizeof arrival);
    return memset(entry + sizeof arrival, 0, link->payload);
}

static mnp_time head_arrival(const struct mnp_inbox *inbox, uint32_t i)
{
    const struct mnp_link *link = inbox->links[i];
    mnp_time arrival;
    memcpy(&arrival, link->ring + (inbox->head[i] & link->mask) * link->stride, sizeof arrival);
    return arrival;
}

/* Finds the first packet in order: the least arrival, and among equals the least link. */
static void find_first(struct mnp_inbox *inbox)
{
    inbox->next = MNP_NEVER;
    for (uint32_t word = 0; word * 64 < inbox->count; word++) {
        for (uint64_t bits = inbox->occupied[word]; bits; bits &= bits - 1) {
            uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (inbox->arrival[i] < inbox->next) {
                inbox->next = inbox->arrival[i];
                inbox->first = i;
            }
        }
    }
}

/* Finds the next link after `link` whose packet arrives at the same time as the one just taken. It is the first then, as
 * links before it have been passed: where many packets arrive at once, two looks at each link are enough for all. */
static bool find_same(struct mnp_inbox *inbox, uint32_t link)
{
    uint32_t word = link / 64;
    uint64_t bits = inbox->occupied[word] & ~(UINT64_MAX >> (63 - link % 64));
    for (;;) {
        for (; bits; bits &= bits - 1) {
            uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);
            if (inbox->arrival[i] == inbox->next) {
                inbox->first = i;
                return true;
            }
        }
        if (++word * 64 >= inbox->count)
            return false;
        bits = inbox->occupied[word];
    }
}

void mnp_inbox_open(struct mnp_inbox *inbox)
{
    for (uint32_t i = 0; i < inbox->count; i++) {
        uint64_t published = atomic_load(&inbox->links[i]->published); /* see publish in window.c */
        if (published == inbox->seen[i])
            continue;
        if (inbox->head[i] == inbox->seen[i]) {
            inbox->arrival[i] = head_arrival(inbox, i);
            inbox->occupied[i / 64] |= UINT64_C(1) << (i % 64);
        }
        inbox->seen[i] = published;
    }
    find_first(inbox);
}

void mnp_inbox_take(struct mnp_inbox *inbox)
{
    uint32_t i = inbox->first;
    inbox->head[i]++;
    if (inbox->head[i] == inbox->seen[i]) {
        inbox->arrival[i] = MNP_NEVER;
        inbox->occupied[i / 64] &= ~(UINT64_C(1) << (i % 64));
    } else {
        mnp_time arrival = head_arrival(inbox, i);
        if (arrival == inbox->arrival[i])
            return; /* still the first: arrivals on a link never decrease */
        inbox->arrival[i] = arrival;
    }
    if (!find_same(inbox, i))
        find_first(inbox);
}

void mnp_inbox_close(struct mnp_inbox *inbox)
{
    for (uint32_t i = 0; i < inbox->count; i++) {
        struct mnp_link *link = inbox->links[i];
        if (atomic_load_explicit(&link->consumed, memory_order_relaxed) != inbox->head[i])
            atomic_store_explicit(&link->consumed, inbox->head[i], memory_order_release);
    }
}
