/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An arena: one block of memory carved into pieces while a machine is built, and freed as a whole.
 * A unit keeps its whole state in one, so that the state can be hashed, saved and restored as plain bytes.
 *
 * The size of an arena is not summed up by hand: a layout, a function that takes all pieces, runs twice. The first time
 * the arena only measures, and the pieces have no address (NULL); the second time it has exactly the room for them.
 */
#ifndef MNP_BASE_ARENA_H
#define MNP_BASE_ARENA_H

#include "base/allocate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MNP_CACHE_LINE 64

struct mnp_arena {
    unsigned char *base; /* zeroed, aligned to a page */
    size_t used;
    size_t capacity; /* address space reserved; pages are backed when first written */
    bool measures;   /* pieces are counted and have no address */
};

/* Reserves `capacity` bytes of address space. Running out of memory ends the program with an error message. */
void mnp_arena_init(struct mnp_arena *arena, size_t capacity);
void mnp_arena_release(struct mnp_arena *arena);

/* Makes all bytes zero again and gives their memory back; pieces keep their places. */
void mnp_arena_clear(struct mnp_arena *arena);

/* Makes an arena that measures: mnp_arena_take returns NULL, and `used` becomes the bytes that all pieces need. There
 * is nothing to release. */
void mnp_arena_measure(struct mnp_arena *arena);

/* Takes all pieces that `self` consists of, and does nothing that depends on their being there: runs twice. */
typedef void mnp_layout(void *self, struct mnp_arena *arena);

/* Runs a layout in an arena that measures, and then in one of just the size found. */
void mnp_arena_lay_out(struct mnp_arena *arena, mnp_layout *layout, void *self);

/* Carves `count` elements of `size` bytes, zeroed and aligned to a cache line. NULL where the arena measures. */
void *mnp_arena_take(struct mnp_arena *arena, size_t count, size_t size);

#endif
