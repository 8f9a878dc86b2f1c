/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static _Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "maniple: out of memory (%zu bytes wanted); free memory or simulate a smaller machine\n", bytes);
    exit(MNP_EXIT_USER);
}

void mnp_arena_init(struct mnp_arena *arena, size_t capacity)
{
    size_t page = 4096;
    capacity = (capacity + page - 1) / page * page;
    void *base = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        out_of_memory(capacity);
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

void *mnp_arena_take(struct mnp_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->capacity)
        out_of_memory(bytes);
    bytes = (bytes + MNP_CACHE_LINE - 1) / MNP_CACHE_LINE * MNP_CACHE_LINE;
    MNP_REQUIRE(bytes <= arena->capacity - arena->used, "arena of %zu bytes is too small", arena->capacity);
    void *piece = arena->base + arena->used;
    arena->used += bytes;
    return piece;
}

void *mnp_allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (!block)
        out_of_memory(count * size);
    return block;
}

void *mnp_reallocate(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory(SIZE_MAX);
    block = realloc(block, bytes ? bytes : 1);
    if (!block)
        out_of_memory(bytes);
    return block;
}
