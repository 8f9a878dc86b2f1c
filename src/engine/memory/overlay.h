/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overlays: the bytes that each unit has written in the current span, by lines, on top of flat memory (pages.h).
 *
 * An overlay is used by the thread that runs its unit, and read by all threads while it is applied. All overlays of a
 * memory are emptied at once, by incrementing the generation.
 */
#ifndef MNP_ENGINE_MEMORY_OVERLAY_H
#define MNP_ENGINE_MEMORY_OVERLAY_H

#include "engine/memory/pages.h"

enum { MNP_MEMORY_LINE = 128 /* bytes of an overlay entry */ };

enum mnp_overlay_kind { MNP_OVERLAY_CORE, MNP_OVERLAY_SLICE, MNP_OVERLAY_KINDS };

/* A line with bytes that its unit has written in this span. */
struct mnp_overlay_entry {
    uint64_t line;       /* address / MNP_MEMORY_LINE */
    uint64_t written[2]; /* one bit per byte */
    uint64_t bucket;     /* table of the line's page (mnp_pages_bucket) */
    unsigned char data[MNP_MEMORY_LINE];
};

struct mnp_overlay_slot {
    uint32_t generation; /* the slot is in use only if this is the current generation */
    uint32_t entry;
};

struct mnp_overlays;

/* The writes of one unit in the current span. */
struct mnp_overlay {
    struct mnp_overlays *all;          /* the set to which this overlay belongs */
    struct mnp_overlay_entry *entries; /* [capacity] ordered by first write */
    struct mnp_overlay_slot *slots;    /* [mask + 1] hash table from lines to entries */
    uint32_t mask;
    uint32_t capacity;
    uint32_t count; /* entries in use if `generation` is current; otherwise all are free */
    uint32_t generation;
    uint32_t unit; /* id of the owning unit */
    /* The page that was looked up last; existing pages never move. */
    uint64_t memo_number;
    const unsigned char *memo_page;
    struct mnp_arena arena;
};

struct mnp_overlays {                             /* the overlays of one memory */
    const struct mnp_pages *pages;                /* flat memory below the overlays */
    struct mnp_overlay **list[MNP_OVERLAY_KINDS]; /* [count of the kind] in the order of their units */
    uint32_t count[MNP_OVERLAY_KINDS];
    uint32_t generation; /* never 0; incrementing it empties all overlays */
    /* an overlay has entries; on its own cache line, because many threads write it */
    alignas(MNP_CACHE_LINE) _Atomic bool dirty;
};

/* ===== all overlays ===== */

void mnp_overlays_init(struct mnp_overlays *overlays, const struct mnp_pages *pages);

/* Removes all overlays; their writes must have been applied. */
void mnp_overlays_drop(struct mnp_overlays *overlays);

/* Adds the overlay of a unit with room for `lines` lines per span. Units of a kind must be added in ascending order. */
struct mnp_overlay *mnp_overlays_add(struct mnp_overlays *overlays, enum mnp_overlay_kind kind, uint32_t unit,
                                     uint32_t lines);

/* Empties all overlays. */
void mnp_overlays_empty(struct mnp_overlays *overlays);

/* Clears memoised pages, after pages have been cleared. */
void mnp_overlays_forget_pages(struct mnp_overlays *overlays);

/* Number of overlays of both kinds, and an overlay by index, cores' first. */
static inline uint32_t mnp_overlays_count(const struct mnp_overlays *overlays)
{
    return overlays->count[MNP_OVERLAY_CORE] + overlays->count[MNP_OVERLAY_SLICE];
}

static inline struct mnp_overlay *mnp_overlays_at(const struct mnp_overlays *overlays, uint32_t place)
{
    uint32_t cores = overlays->count[MNP_OVERLAY_CORE];
    return place < cores ? overlays->list[MNP_OVERLAY_CORE][place] : overlays->list[MNP_OVERLAY_SLICE][place - cores];
}

/* Hash of pending writes, for a run that stops inside a span. */
uint64_t mnp_overlays_hash(const struct mnp_overlays *overlays);

/* ===== access by the owning unit, inside its advance ===== */

/* Reads from the owner's view: its own writes of the span, on top of flat memory. */
void mnp_overlay_read(struct mnp_overlay *overlay, uint64_t address, uint32_t bytes, void *out);

/* Writes for the owner. If the overlay is full, returns false and leaves the affected line unchanged; the unit then
 * records a fault with the text of mnp_overlay_full. */
bool mnp_overlay_write(struct mnp_overlay *overlay, uint64_t address, uint32_t bytes, const void *in);

/* Read and write the lanes of `mask`: lane i's value (1 … 16 bytes) is at out + i·stride. Lanes are processed in
 * ascending order, so the highest lane that writes a byte wins. */
void mnp_overlay_read_lanes(struct mnp_overlay *overlay, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                            void *out, size_t stride);
bool mnp_overlay_write_lanes(struct mnp_overlay *overlay, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                             const void *in, size_t stride);

/* The error of a unit whose overlay is full. */
struct mnp_error mnp_overlay_full(const struct mnp_overlay *overlay);

/* Number of lines written in the current span. */
static inline uint32_t mnp_overlay_lines(const struct mnp_overlay *overlay)
{
    return overlay->generation == overlay->all->generation ? overlay->count : 0;
}

/* ===== for the end of a span ===== */

/* Returns the entry of a line for writing, creating it if necessary; NULL if the overlay is full. */
struct mnp_overlay_entry *mnp_overlay_entry_for_writing(struct mnp_overlay *overlay, uint64_t line);

/* Copies the written bytes of an entry to the line at `out`. */
void mnp_overlay_copy(const struct mnp_overlay_entry *entry, unsigned char out[MNP_MEMORY_LINE]);

#endif
