/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include "base/allocate.h"
#include "base/error.h"
#include "base/range.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

void mnp_arena_init(struct mnp_arena *arena, size_t capacity)
{
    capacity = mnp_round_up(mnp_max(capacity, 1), PAGE);
    void *base = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        mnp_out_of_memory(capacity);
    *arena = (struct mnp_arena){.base = base, .capacity = capacity};
}

void mnp_arena_release(struct mnp_arena *arena)
{
    if (arena->base)
        munmap(arena->base, arena->capacity);
    *arena = (struct mnp_arena){0};
}

void mnp_arena_clear(struct mnp_arena *arena)
{
    if (arena->base)
        MNP_REQUIRE(madvise(arena->base, arena->capacity, MADV_DONTNEED) == 0, "an arena cannot be cleared");
}

void mnp_arena_measure(struct mnp_arena *arena)
{
    *arena = (struct mnp_arena){.capacity = SIZE_MAX - MNP_CACHE_LINE, .measures = true};
}

void mnp_arena_lay_out(struct mnp_arena *arena, mnp_layout *layout, void *self)
{
    mnp_arena_measure(arena);
    layout(self, arena);
    mnp_arena_init(arena, arena->used);
    layout(self, arena);
}

void *mnp_arena_take(struct mnp_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->capacity)
        mnp_out_of_memory(bytes);
    bytes = mnp_round_up(bytes, MNP_CACHE_LINE);
    if (bytes > arena->capacity - arena->used && arena->measures)
        mnp_out_of_memory(bytes);
    MNP_REQUIRE(bytes <= arena->capacity - arena->used, "arena of %zu bytes is too small", arena->capacity);
    void *piece = arena->measures ? NULL : arena->base + arena->used;
    arena->used += bytes;
    return piece;
}
