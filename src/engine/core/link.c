/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/core/link.h"

#include "base/error.h"
#include "engine/core/unit.h"

#include <stdlib.h>
#include <string.h>

/* Packets of a link that the host asks its memory for ahead: most rings are longer than what its caches keep. */
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
        if (consumed == link->tail) /* the receiver has taken all, and sees this before it looks for more (publish) */
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

static mnp_time head_arrival(const struct mnp_inbox *inbox, uint32_t i)
{
    const struct mnp_link *link = inbox->links[i];
    mnp_time arrival;
    memcpy(&arrival, mnp_link_entry(link, inbox->head[i]), sizeof arrival);
    return arrival;
}

void mnp_inbox_freeze(struct mnp_inbox *inbox)
{
    inbox->leaves = 2;
    while (inbox->leaves < inbox->count)
        inbox->leaves *= 2;
    inbox->head = mnp_allocate(inbox->count, sizeof *inbox->head);
    inbox->seen = mnp_allocate(inbox->count, sizeof *inbox->seen);
    inbox->heads = mnp_allocate(2 * (size_t)inbox->leaves, sizeof *inbox->heads);
    for (uint32_t i = 0; i < inbox->leaves; i++) {
        inbox->heads[i].arrival = MNP_NEVER;
        inbox->heads[inbox->leaves + i] = (struct mnp_inbox_head){.arrival = MNP_NEVER, .link = i};
    }
    inbox->next = MNP_NEVER;
}

void mnp_inbox_release(struct mnp_inbox *inbox)
{
    free(inbox->links);
    free(inbox->head);
    free(inbox->seen);
    free(inbox->heads);
    *inbox = (struct mnp_inbox){0};
}

/* Gives link `i` a new arrival and plays its matches again, up to the root. Of equal arrivals the left one wins, whose
 * links are the lesser ones. */
static void play(struct mnp_inbox *inbox, uint32_t i, mnp_time arrival)
{
    struct mnp_inbox_head *heads = inbox->heads;
    uint32_t node = inbox->leaves + i;
    heads[node].arrival = arrival;
    for (node /= 2; node > 0; node /= 2) {
        const struct mnp_inbox_head *left = &heads[2 * node], *right = left + 1;
        heads[node] = right->arrival < left->arrival ? *right : *left;
    }
    inbox->first = (uint32_t)heads[1].link;
    inbox->next = heads[1].arrival;
}

void mnp_inbox_open(struct mnp_inbox *inbox)
{
    for (uint32_t i = 0; i < inbox->count; i++) {
        uint64_t published = atomic_load(&inbox->links[i]->published); /* see publish in window.c */
        if (published == inbox->seen[i])
            continue;
        bool empty = inbox->head[i] == inbox->seen[i];
        inbox->seen[i] = published;
        const struct mnp_link *link = inbox->links[i];
        for (uint64_t k = inbox->head[i]; k < published && k < inbox->head[i] + AHEAD; k++)
            __builtin_prefetch(mnp_link_entry(link, k));
        if (empty)
            play(inbox, i, head_arrival(inbox, i));
    }
}

void mnp_inbox_take(struct mnp_inbox *inbox)
{
    uint32_t i = inbox->first;
    inbox->head[i]++;
    const struct mnp_link *link = inbox->links[i];
    __builtin_prefetch(mnp_link_entry(link, inbox->head[i] + AHEAD));
    mnp_time arrival = inbox->head[i] == inbox->seen[i] ? MNP_NEVER : head_arrival(inbox, i);
    if (arrival != inbox->next) /* otherwise it is still the first: arrivals on a link never decrease */
        play(inbox, i, arrival);
}

void mnp_inbox_close(struct mnp_inbox *inbox)
{
    for (uint32_t i = 0; i < inbox->count; i++) {
        struct mnp_link *link = inbox->links[i];
        if (atomic_load_explicit(&link->consumed, memory_order_relaxed) != inbox->head[i])
            atomic_store_explicit(&link->consumed, inbox->head[i], memory_order_release);
    }
}
