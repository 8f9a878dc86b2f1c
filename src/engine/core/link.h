/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links and inboxes, the only way in which units affect one another (DESIGN §2.2, §2.3, §2.8).
 *
 * A link is a one-way channel with a minimum latency of at least one cycle. Packets in flight are stored in a ring with
 * free-running indices: the sender's thread writes behind `tail`, the receiver's thread reads at `head`. A packet sent
 * in a window arrives at the window's end or later. Therefore neither thread waits for the other, and the packets that
 * a receiver sees do not depend on which of the two ran first.
 *
 * Order of calls: mnp_link_init by the builder; then, inside the sender's advance, mnp_link_send, followed by filling
 * in the payload; inside the receiver's advance, mnp_inbox_peek and mnp_inbox_take. The engine opens and closes both
 * ends.
 *
 * Capacity: twice the number of packets that the protocol allows in flight, because a receiver frees entries only at
 * the end of its advance. Overflow is a bug of the protocol and is reported as such.
 */
#ifndef MNP_ENGINE_CORE_LINK_H
#define MNP_ENGINE_CORE_LINK_H

#include "base/arena.h"
#include "base/error.h"
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
    uint32_t id;      /* index in the machine */
    mnp_time latency;
    struct mnp_unit *from, *to;
    uint32_t in_index;  /* position in the receiver's inbox */
    uint32_t in_flight; /* maximum number of packets in flight allowed by the protocol; the sender's initial credits */
    bool crosses;       /* connects units of different stages (engine/core/stages.h) */
    _Atomic uint64_t *news; /* word of the receiver's set of links with new packets, … */
    uint64_t news_bit;      /* … and this link's bit there */

    /* Owned by the sender. */
    alignas(MNP_CACHE_LINE) uint64_t tail; /* number of packets sent so far */
    mnp_time last_arrival;
    uint64_t sent_before; /* tail when the sender's current advance began */
    uint64_t room;        /* value of the tail up to which the ring is known to have room */

    /* Shared: `published` is written by the sender after each advance, `consumed` by the receiver. */
    alignas(MNP_CACHE_LINE) _Atomic uint64_t published;
    /* Number of the packet at the ring's beginning. When nothing is in flight, the sender restarts at the beginning, so
     * that a large, little-used ring occupies little host memory. */
    uint64_t base;
    alignas(MNP_CACHE_LINE) _Atomic uint64_t consumed;
};

/* Initialises a link. `in_flight` is the maximum number of packets in flight allowed by the protocol. The engine
 * provides the ring, which has mnp_link_ring_bytes zeroed bytes. */
void mnp_link_init(struct mnp_link *link, uint32_t id, struct mnp_unit *from, struct mnp_unit *to, mnp_time latency,
                   uint32_t payload, uint32_t in_flight);
size_t mnp_link_ring_bytes(const struct mnp_link *link);

/* The address of a packet's entry, by packet number. */
static inline unsigned char *mnp_link_entry(const struct mnp_link *link, uint64_t number)
{
    return link->ring + ((number - link->base) & link->mask) * link->stride;
}

/* Appends a packet that departs at `departure` (not before the current edge, nor before an earlier packet) and returns
 * its zeroed payload, which must be filled in at once. */
void *mnp_link_send(struct mnp_link *link, mnp_time departure);

/* Returns the arrival of a packet that is the first of its advance, or comes when the ring may be full, or in the past.
 * A packet out of order or without room is a bug. */
mnp_time mnp_link_prepare(struct mnp_link *link, mnp_time arrival);

/* Number of packets of a link that are prefetched: most rings exceed the host's caches. */
enum { MNP_LINK_AHEAD = 4 };

/* Like mnp_link_send, for callers that set all bytes of the payload, which holds an older packet. */
static inline void *mnp_link_put(struct mnp_link *link, mnp_time departure)
{
    mnp_time arrival = departure + link->latency;
    if (link->tail == link->sent_before || link->tail >= link->room || arrival < link->last_arrival)
        arrival = mnp_link_prepare(link, arrival);
    unsigned char *entry = mnp_link_entry(link, link->tail);
    link->tail++;
    link->last_arrival = arrival;
    __builtin_memcpy(entry, &arrival, sizeof arrival);
    __builtin_prefetch(entry + (size_t)MNP_LINK_AHEAD * link->stride, 1);
    return entry + sizeof arrival;
}

/* Makes the packets sent so far visible to the receiver's next mnp_inbox_open. */
void mnp_link_publish(struct mnp_link *link);

/* Number of packets in flight: sent but not yet taken. Valid between windows. */
static inline uint64_t mnp_link_in_flight(const struct mnp_link *link)
{
    return link->tail - atomic_load_explicit(&link->consumed, memory_order_relaxed);
}

/* ===== inbox: the receiving ends of all links into one unit ===== */

/* The inbox's copy of a link's fields, contiguous in host memory for speed. */
struct mnp_inbox_end {
    const unsigned char *ring;
    uint64_t base; /* value of the link's `base` when the link was last opened */
    uint64_t head; /* number of packets taken so far */
    uint64_t seen; /* number of packets visible to this advance */
    uint32_t mask, stride;
};

/* Slots of an inbox: packets of one window are sorted into them by arrival time. */
enum { MNP_INBOX_SLOT_BITS = 6, MNP_INBOX_SLOTS = 1 << MNP_INBOX_SLOT_BITS };

struct mnp_inbox_packet { /* a packet of the present window */
    mnp_time arrival;
    uint32_t link; /* position among the unit's incoming links */
    uint32_t next; /* the packet behind it in its slot; UINT32_MAX: none */
};

/* All that arrives in a window is sorted once, when the window begins: packets lie in slots of equal times, and in a
 * slot in a chain in the order (arrival, link, sequence). */
struct mnp_inbox {
    struct mnp_link **links; /* sorted by link id */
    struct mnp_inbox_end *ends;
    /* Sets of links, one bit each, in words of 64: those with packets published since the last opening, which senders
     * mark; and those that the present or last advance has looked at and that had packets left at its end. Most links
     * of a machine are silent most of the time, and each has lines of host memory of its own. */
    _Atomic uint64_t *news; /* the engine's memory */
    uint64_t *open;
    struct mnp_inbox_packet *packets; /* [capacity] of the present window, taken ones included */
    uint64_t occupied;                /* slots that have packets, one bit each */
    uint32_t heads[MNP_INBOX_SLOTS], tails[MNP_INBOX_SLOTS];
    mnp_time later; /* arrival time of the first packet behind the window */
    uint32_t capacity;
    uint32_t count; /* links */
    uint32_t at;    /* place of the first packet; UINT32_MAX: none is left in the window */
    uint32_t first; /* link of the first packet */
    mnp_time next;  /* arrival time of the first packet, behind the window too; MNP_NEVER: there is none */
};

/* Words of a set of the inbox's links. */
static inline uint32_t mnp_inbox_words(const struct mnp_inbox *inbox)
{
    return (inbox->count + 63) / 64;
}

/* Completes an inbox, once all its links are known. `news`: mnp_inbox_words zeroed words, which stay the caller's. */
void mnp_inbox_freeze(struct mnp_inbox *inbox, _Atomic uint64_t *news);
void mnp_inbox_release(struct mnp_inbox *inbox);

/* Makes published packets visible and those takable that arrive before `until`. Called by the engine before each
 * advance. No packet has to arrive after `from`, but most should. */
void mnp_inbox_open(struct mnp_inbox *inbox, mnp_time from, mnp_time until);

/* Returns the entries of taken packets to the senders. Called by the engine after each advance. */
void mnp_inbox_close(struct mnp_inbox *inbox);

/* The address of a packet's entry, by packet number. */
static inline const unsigned char *mnp_inbox_entry(const struct mnp_inbox_end *end, uint64_t number)
{
    return end->ring + ((number - end->base) & end->mask) * end->stride;
}

/* Returns the payload of the next packet that has arrived at `now`, in the order (arrival, link, sequence), or NULL.
 * `*link` is set to the index of its link among the unit's incoming links. */
static inline const void *mnp_inbox_peek(const struct mnp_inbox *inbox, mnp_time now, uint32_t *link)
{
    if (inbox->next > now)
        return NULL;
    MNP_REQUIRE(inbox->at != UINT32_MAX, "a packet that arrives at %llu fs is taken before its window",
                (unsigned long long)inbox->next);
    const struct mnp_inbox_end *end = &inbox->ends[inbox->first];
    *link = inbox->first;
    return mnp_inbox_entry(end, end->head) + sizeof(mnp_time);
}

/* The number of packets of link `i` that this advance may still see, and the payload of one of them. Use these only to
 * prefetch host memory that the packets will need. */
static inline uint32_t mnp_inbox_coming(const struct mnp_inbox *inbox, uint32_t i)
{
    return (uint32_t)(inbox->ends[i].seen - inbox->ends[i].head);
}

static inline const void *mnp_inbox_look(const struct mnp_inbox *inbox, uint32_t i, uint32_t place)
{
    return mnp_inbox_entry(&inbox->ends[i], inbox->ends[i].head + place) + sizeof(mnp_time);
}

/* Removes the packet that mnp_inbox_peek returned. */
void mnp_inbox_take(struct mnp_inbox *inbox);

#endif
