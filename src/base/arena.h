/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An arena is one block of memory that is divided into pieces while a machine is built, and freed as a whole. A unit
 * keeps its whole state in one arena, so that the state can be hashed, saved and restored as plain bytes.
 *
 * The size of an arena is not computed by hand. A layout, i.e. a function that takes all pieces, runs twice: first in
 * an arena that only measures (pieces are NULL), and then in an arena of exactly the measured size.
 */
#ifndef MNP_BASE_ARENA_H
#define MNP_BASE_ARENA_H

#include "base/allocate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MNP_CACHE_LINE 64

struct mnp_arena {
    unsigned char *base; /* zeroed, page-aligned */
    size_t used;
    size_t capacity; /* reserved address space; pages are backed when first written */
    bool measures;   /* measuring: sizes are added up and mnp_arena_take returns NULL */
};

/* Reserves `capacity` bytes of address space. If that fails, the program ends with an error message. */
void mnp_arena_init(struct mnp_arena *arena, size_t capacity);
void mnp_arena_release(struct mnp_arena *arena);

/* Zeroes all bytes and returns their memory to the system; pieces keep their addresses. */
void mnp_arena_clear(struct mnp_arena *arena);

/* Initialises a measuring arena: mnp_arena_take returns NULL, and `used` becomes the total size of all pieces. Nothing
 * needs to be released. */
void mnp_arena_measure(struct mnp_arena *arena);

/* Takes all pieces that `self` consists of. It runs twice, so it must not depend on the pieces being present. */
typedef void mnp_layout(void *self, struct mnp_arena *arena);

/* Runs a layout in a measuring arena, and then in an arena of exactly the measured size. */
void mnp_arena_lay_out(struct mnp_arena *arena, mnp_layout *layout, void *self);

/* Takes `count` zeroed elements of `size` bytes, aligned to a cache line. Returns NULL in a measuring arena. */
void *mnp_arena_take(struct mnp_arena *arena, size_t count, size_t size);

#endif
