/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links and inboxes: the only way in which units affect one another (DESIGN §2.2, §2.3, §2.8).
 *
 * A link is a one-way channel with a minimum latency of at least one cycle. It stores what is in flight in a ring with
 * free-running indices: the sender's thread writes behind `tail`, the receiver's thread reads at `head`. A packet sent
 * in a window arrives at the window's end or later, so neither thread waits for the other, and what a receiver sees
 * does not depend on which of the two ran first.
 *
 * Order of calls: mnp_link_init by the builder; then, inside the sender's advance, mnp_link_send and fill in the
 * payload; inside the receiver's advance, mnp_inbox_peek and mnp_inbox_take. The engine opens and closes both ends.
 *
 * Capacity: twice what the protocol above the link allows in flight, because a receiver gives places back only at the
 * end of its advance. Overflow is a bug of the protocol's and is reported as such.
 */
#ifndef MNP_ENGINE_CORE_LINK_H
#define MNP_ENGINE_CORE_LINK_H

#include "base/arena.h"
#include "engine/core/time.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

struct mnp_unit;

struct mnp_link {
    /* Fixed once built. */
    unsigned char *ring; /* [mask + 1] entries of `stride` bytes: arrival time, then the payload */
    uint32_t mask;
    uint32_t stride;
    uint32_t payload; /* bytes */
    uint32_t id;      /* place in the machine */
    mnp_time latency;
    struct mnp_unit *from, *to;
    uint32_t in_index;  /* place in the receiver's inbox */
    uint32_t in_flight; /* packets that the protocol allows in flight: credits that the sender holds at first */
    bool crosses;       /* from one stage of the machine to another (engine/core/stages.h) */

    /* The sender's. */
    alignas(MNP_CACHE_LINE) uint64_t tail; /* packets ever sent */
    mnp_time last_arrival;
    uint64_t sent_before; /* tail when the sender's present advance began */

    /* Shared: published by the sender after each advance, and by the receiver. */
    alignas(MNP_CACHE_LINE) _Atomic uint64_t published;
    uint64_t base; /* the packet at the ring's beginning: when nothing is in flight, the sender begins there again, so
                      that a long ring of which little is used takes little of the host's memory */
    alignas(MNP_CACHE_LINE) _Atomic uint64_t consumed;
};

/* Sets up a link. `in_flight` is the greatest number of packets that the protocol allows in flight. Its ring, of
 * mnp_link_ring_bytes zeroed bytes, is the engine's to provide. */
void mnp_link_init(struct mnp_link *link, uint32_t id, struct mnp_unit *from, struct mnp_unit *to, mnp_time latency,
                   uint32_t payload, uint32_t in_flight);
size_t mnp_link_ring_bytes(const struct mnp_link *link);

/* Where a packet lies, by its number. */
static inline unsigned char *mnp_link_entry(const struct mnp_link *link, uint64_t number)
{
    return link->ring + ((number - link->base) & link->mask) * link->stride;
}

/* Appends a packet that leaves at `departure` (not before the present edge, nor before an earlier packet's) and returns
 * its payload, zeroed, to be filled in at once. */
void *mnp_link_send(struct mnp_link *link, mnp_time departure);

/* Packets in flight: sent and not yet taken. Valid between windows. */
static inline uint64_t mnp_link_in_flight(const struct mnp_link *link)
{
    return link->tail - atomic_load_explicit(&link->consumed, memory_order_relaxed);
}

/* ===== inbox: the receiving ends of all links into one unit ===== */

/* A link as the inbox sees it, in one piece of the host's memory. */
struct mnp_inbox_end {
    const unsigned char *ring;
    uint64_t base; /* as the link had it when it was last opened */
    uint64_t head; /* packets ever taken */
    uint64_t seen; /* packets visible to this advance */
    uint32_t mask, stride;
};

enum { MNP_INBOX_LINK_BITS = 20 }; /* links into a unit: fewer than 2 to this */

struct mnp_inbox {
    struct mnp_link **links; /* in order of their ids */
    struct mnp_inbox_end *ends;
    /* A tournament of the packets at the heads: leaf i, at keys[leaves + i], is link i's; each inner node holds the
     * lesser of its two children; keys[1] is the first of all. A key is the arrival, counted from `origin`, above the
     * link, so that keys are in the order (arrival, link). Packets too far from the origin have the greatest keys but
     * that of no packet; the origin moves before one of them comes first. */
    uint64_t *keys;  /* [2 · leaves] */
    mnp_time origin; /* no packet arrives before it */
    uint32_t leaves; /* a power of two, at least 2 and at least the number of links */
    uint32_t count;
    uint32_t first; /* link with the first packet, when next < MNP_NEVER */
    mnp_time next;  /* its arrival */
};

/* Ends the building of an inbox, once all its links are known. */
void mnp_inbox_freeze(struct mnp_inbox *inbox);
void mnp_inbox_release(struct mnp_inbox *inbox);

/* Makes visible what the senders have published. The engine calls it before each advance. */
void mnp_inbox_open(struct mnp_inbox *inbox);

/* Gives the places of the packets taken back to the senders. The engine calls it after each advance. */
void mnp_inbox_close(struct mnp_inbox *inbox);

/* Where a packet lies, by its number. */
static inline const unsigned char *mnp_inbox_entry(const struct mnp_inbox_end *end, uint64_t number)
{
    return end->ring + ((number - end->base) & end->mask) * end->stride;
}

/* The payload of the next packet that has arrived at `now`, in the order (arrival, link, sequence), or NULL; `*link`
 * becomes the index of its link among the unit's incoming ones. */
static inline const void *mnp_inbox_peek(const struct mnp_inbox *inbox, mnp_time now, uint32_t *link)
{
    if (inbox->next > now)
        return NULL;
    const struct mnp_inbox_end *end = &inbox->ends[inbox->first];
    *link = inbox->first;
    return mnp_inbox_entry(end, end->head) + sizeof(mnp_time);
}

/* Packets of link `i` that this advance may still see, and the payload of one of them: to ask the host's memory ahead
 * for what they will need, and for nothing else. */
static inline uint32_t mnp_inbox_coming(const struct mnp_inbox *inbox, uint32_t i)
{
    return (uint32_t)(inbox->ends[i].seen - inbox->ends[i].head);
}

static inline const void *mnp_inbox_look(const struct mnp_inbox *inbox, uint32_t i, uint32_t place)
{
    return mnp_inbox_entry(&inbox->ends[i], inbox->ends[i].head + place) + sizeof(mnp_time);
}

/* Removes the packet that mnp_inbox_peek showed. */
void mnp_inbox_take(struct mnp_inbox *inbox);

#endif
