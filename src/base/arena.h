/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An arena: one block of memory carved into pieces while a machine is built, and freed as a whole.
 * A unit keeps its whole state in one, so that the state can be hashed, saved and restored as plain bytes.
 */
#ifndef MNP_BASE_ARENA_H
#define MNP_BASE_ARENA_H

#include "base/allocate.h"

#include <stddef.h>
#include <stdint.h>

#define MNP_CACHE_LINE 64

struct mnp_arena {
    unsigned char *base; /* zeroed, aligned to a page */
    size_t used;
    size_t capacity; /* address space reserved; pages are backed when first written */
};

/* Reserves `capacity` bytes of address space. Running out of memory ends the program with an error message. */
void mnp_arena_init(struct mnp_arena *arena, size_t capacity);
void mnp_arena_release(struct mnp_arena *arena);

/* Makes all bytes zero again and gives their memory back; pieces keep their places. */
void mnp_arena_clear(struct mnp_arena *arena);

/* Carves `count` elements of `size` bytes, zeroed and aligned to a cache line. */
void *mnp_arena_take(struct mnp_arena *arena, size_t count, size_t size);

#endif
