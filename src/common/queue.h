/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bounded first-in first-out queue over an array of plain structs. The queue itself is only two numbers, so that it
 * can stand in a unit's state; the array and its capacity are the owner's and are passed in.
 *
 *     entries[mnp_queue_push(&queue, capacity)] = entry;
 *     struct entry *first = &entries[queue.head];        (while queue.count > 0)
 *     mnp_queue_pop(&queue, capacity);
 */
#ifndef MNP_COMMON_QUEUE_H
#define MNP_COMMON_QUEUE_H

#include "base/error.h"

#include <stdint.h>

struct mnp_queue {
    uint32_t head;  /* place of the oldest entry */
    uint32_t count; /* entries */
};

/* The place of entry number `i` from the oldest, i <= count. */
static inline uint32_t mnp_queue_place(const struct mnp_queue *queue, uint32_t capacity, uint32_t i)
{
    uint32_t place = queue->head + i;
    return place < capacity ? place : place - capacity;
}

/* Appends an entry and returns its place. Overflow is a bug: the owner looks for room first. */
static inline uint32_t mnp_queue_push(struct mnp_queue *queue, uint32_t capacity)
{
    MNP_REQUIRE(queue->count < capacity, "a queue of %u entries overflows", capacity);
    return mnp_queue_place(queue, capacity, queue->count++);
}

/* Removes the oldest entry. An empty queue begins at the array's start again, which keeps it in the host's cache. */
static inline void mnp_queue_pop(struct mnp_queue *queue, uint32_t capacity)
{
    queue->count--;
    queue->head = queue->count == 0 ? 0 : mnp_queue_place(queue, capacity, 1);
}

#endif
