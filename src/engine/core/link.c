/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/link.h"

#include "base/error.h"
#include "engine/core/unit.h"

#include <stdlib.h>
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
    link->in_flight = in_flight;
    link->stride = payload + (uint32_t)sizeof(mnp_time);
    link->mask = capacity - 1;
}

size_t mnp_link_ring_bytes(const struct mnp_link *link)
{
    size_t bytes = ((size_t)link->mask + 1) * link->stride;
    return (bytes + MNP_CACHE_LINE - 1) / MNP_CACHE_LINE * MNP_CACHE_LINE;
}

mnp_time mnp_link_prepare(struct mnp_link *link, mnp_time arrival)
{
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
    link->room = consumed + link->mask + 1;
    MNP_REQUIRE(link->tail < link->room, "link %u from %s to %s overflows its %u places", link->id, from->name,
                link->to->name, link->mask + 1);
    return arrival;
}

void *mnp_link_send(struct mnp_link *link, mnp_time departure)
{
    return memset(mnp_link_put(link, departure), 0, link->payload);
}

/* The order is that of publish in window.c: the mark stands before the wake-up is read. A mark that stands already is
 * taken by an opening that comes later, and sees what is published here. */
void mnp_link_publish(struct mnp_link *link)
{
    atomic_store_explicit(&link->published, link->tail, memory_order_seq_cst);
    link->sent_before = link->tail;
    if (!(atomic_load(link->news) & link->news_bit))
        atomic_fetch_or(link->news, link->news_bit);
}

/* ===== inbox ===== */

enum { NO_PACKET = UINT32_MAX, NO_LINK = UINT32_MAX, FIRST_CAPACITY = 32 };

void mnp_inbox_freeze(struct mnp_inbox *inbox, _Atomic uint64_t *news)
{
    inbox->news = news;
    inbox->open = mnp_allocate(mnp_inbox_words(inbox), sizeof *inbox->open);
    inbox->ends = mnp_allocate(inbox->count, sizeof *inbox->ends);
    for (uint32_t i = 0; i < inbox->count; i++) {
        struct mnp_link *link = inbox->links[i];
        inbox->ends[i] = (struct mnp_inbox_end){.ring = link->ring, .mask = link->mask, .stride = link->stride};
        link->news = news + i / 64;
        link->news_bit = UINT64_C(1) << i % 64;
    }
    inbox->capacity = FIRST_CAPACITY;
    inbox->packets = mnp_allocate(inbox->capacity, sizeof *inbox->packets);
    inbox->at = NO_PACKET;
    inbox->first = NO_LINK;
    inbox->next = inbox->later = MNP_NEVER;
}

void mnp_inbox_release(struct mnp_inbox *inbox)
{
    free(inbox->links);
    free(inbox->ends);
    free(inbox->open);
    free(inbox->packets);
    *inbox = (struct mnp_inbox){0};
}

/* Makes the first packet of the first slot that has any the first of all. */
static inline void find_first(struct mnp_inbox *inbox)
{
    bool any = inbox->occupied != 0;
    inbox->at = any ? inbox->heads[__builtin_ctzll(inbox->occupied)] : NO_PACKET;
    inbox->first = any ? inbox->packets[inbox->at].link : NO_LINK;
    inbox->next = any ? inbox->packets[inbox->at].arrival : inbox->later;
}

/* Puts packet `new` into a slot in which packets stand that do not all arrive before it, behind those that arrive no
 * later. Links come in ascending order, so that of packets that arrive together the last one has the last link.
 * `*behind` is the packet of the same link before it, if that is in the slot, and otherwise NO_PACKET. */
static void insert(struct mnp_inbox *inbox, uint32_t slot, uint32_t new, uint32_t behind)
{
    struct mnp_inbox_packet *packets = inbox->packets;
    uint32_t after = behind == NO_PACKET ? inbox->heads[slot] : packets[behind].next;
    while (after != NO_PACKET && packets[after].arrival <= packets[new].arrival) {
        behind = after;
        after = packets[after].next;
    }
    packets[new].next = after;
    if (behind == NO_PACKET)
        inbox->heads[slot] = new;
    else
        packets[behind].next = new;
    if (after == NO_PACKET)
        inbox->tails[slot] = new;
}

static __attribute__((noinline)) void grow(struct mnp_inbox *inbox)
{
    inbox->capacity *= 2;
    inbox->packets = mnp_reallocate(inbox->packets, inbox->capacity, sizeof *inbox->packets);
}

/* The slots of a window. */
struct slots {
    mnp_time from;  /* arrivals up to here are in the first slot */
    mnp_time until; /* those from here on are in none */
    uint32_t shift; /* log2 of a slot's time */
    uint32_t used;  /* places of the inbox's packets that are taken */
};

/* Sorts the packets of one link that arrive in the window into its slots, and notes the first that arrives later. */
static void sort_link(struct mnp_inbox *inbox, uint32_t i, struct slots *slots)
{
    const struct mnp_inbox_end *end = &inbox->ends[i];
    uint32_t last_slot = UINT32_MAX, last = NO_PACKET;
    for (uint64_t number = end->head; number != end->seen; number++) {
        mnp_time arrival;
        memcpy(&arrival, mnp_inbox_entry(end, number), sizeof arrival);
        if (arrival >= slots->until) {
            inbox->later = arrival < inbox->later ? arrival : inbox->later;
            return;
        }
        if (slots->used == inbox->capacity)
            grow(inbox);
        uint32_t new = slots->used++;
        uint32_t slot = arrival > slots->from ? (uint32_t)((arrival - slots->from) >> slots->shift) : 0;
        struct mnp_inbox_packet *packets = inbox->packets;
        packets[new] = (struct mnp_inbox_packet){.arrival = arrival, .link = i, .next = NO_PACKET};
        if (!(inbox->occupied >> slot & 1)) {
            inbox->occupied |= UINT64_C(1) << slot;
            inbox->heads[slot] = inbox->tails[slot] = new;
        } else if (packets[inbox->tails[slot]].arrival <= arrival) {
            packets[inbox->tails[slot]].next = new;
            inbox->tails[slot] = new;
        } else {
            insert(inbox, slot, new, slot == last_slot ? last : NO_PACKET);
        }
        last_slot = slot;
        last = new;
    }
}

/* Sees what has been published on a link, and asks the host's memory for all of it: most packets have left the host's
 * caches since they were sent, and sorting, whose branches depend on their times, would wait for one after another. */
static inline void open_link(struct mnp_inbox *inbox, uint32_t i)
{
    const struct mnp_link *link = inbox->links[i];
    struct mnp_inbox_end *end = &inbox->ends[i];
    uint64_t published = atomic_load(&link->published); /* must be an ordered load: see publish in window.c */
    if (published != end->seen) {
        end->seen = published;
        end->base = link->base;
    }
    const unsigned char *ring = end->ring;
    uint32_t mask = end->mask, stride = end->stride, place = (uint32_t)(end->head - end->base);
    for (uint32_t count = (uint32_t)(end->seen - end->head); count; count--)
        __builtin_prefetch(ring + (size_t)(place++ & mask) * stride);
}

void mnp_inbox_open(struct mnp_inbox *inbox, mnp_time from, mnp_time until)
{
    struct slots slots = {.from = from, .until = until};
    if (until > from && (until - from - 1) >> MNP_INBOX_SLOT_BITS)
        slots.shift = 64 - MNP_INBOX_SLOT_BITS - (uint32_t)__builtin_clzll(until - from - 1);
    inbox->occupied = 0;
    inbox->later = MNP_NEVER;
    for (uint32_t word = 0; word < mnp_inbox_words(inbox); word++) {
        if (atomic_load(&inbox->news[word]))
            inbox->open[word] |= atomic_exchange(&inbox->news[word], 0);
        /* Three rounds, since a round's accesses do not wait for one another. */
        for (uint64_t left = inbox->open[word]; left; left &= left - 1)
            __builtin_prefetch((const void *)&inbox->links[64 * word + (uint32_t)__builtin_ctzll(left)]->published);
        for (uint64_t left = inbox->open[word]; left; left &= left - 1)
            open_link(inbox, 64 * word + (uint32_t)__builtin_ctzll(left));
        for (uint64_t left = inbox->open[word]; left; left &= left - 1)
            sort_link(inbox, 64 * word + (uint32_t)__builtin_ctzll(left), &slots);
    }
    find_first(inbox);
}

void mnp_inbox_take(struct mnp_inbox *inbox)
{
    const struct mnp_inbox_packet *packet = &inbox->packets[inbox->at];
    inbox->ends[inbox->first].head++;
    if (packet->next == NO_PACKET) {
        inbox->occupied &= inbox->occupied - 1;
        find_first(inbox);
        return;
    }
    inbox->at = packet->next;
    packet = &inbox->packets[inbox->at];
    inbox->first = packet->link;
    inbox->next = packet->arrival;
}

void mnp_inbox_close(struct mnp_inbox *inbox)
{
    for (uint32_t word = 0; word < mnp_inbox_words(inbox); word++) {
        for (uint64_t left = inbox->open[word]; left; left &= left - 1) {
            uint32_t i = 64 * word + (uint32_t)__builtin_ctzll(left);
            const struct mnp_inbox_end *end = &inbox->ends[i];
            struct mnp_link *link = inbox->links[i];
            if (atomic_load_explicit(&link->consumed, memory_order_relaxed) != end->head)
                atomic_store_explicit(&link->consumed, end->head, memory_order_release);
            if (end->head == end->seen)
                inbox->open[word] &= ~(left & (0 - left));
        }
    }
}
