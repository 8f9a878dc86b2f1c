/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory contents of execution-driven runs (DESIGN §3.1).
 *
 * Flat memory (pages.h) is constant during a span, so that any thread may read it. Writes of the units during a span
 * are stored in overlays (overlay.h), one per unit. A core's overlay holds its own plain stores and is consulted by
 * that core's plain loads; a slice's overlay holds the writes performed by the slice and is consulted by its reads.
 * After a span's last window, the overlays are applied to flat memory (epoch.h).
 *
 * Order of calls: init; add the overlays (cores and slices each in the order of their units); mnp_memory_hook returns
 * the engine's hook. mnp_memory_read and mnp_memory_write serve the host program, between windows. The overlay
 * functions serve the owning unit, inside its advance.
 */
#ifndef MNP_ENGINE_MEMORY_MEMORY_H
#define MNP_ENGINE_MEMORY_MEMORY_H

#include "engine/memory/epoch.h"
#include "engine/memory/multicast.h"
#include "engine/memory/overlay.h"
#include "engine/memory/pages.h"

struct mnp_memory {
    struct mnp_pages pages;
    struct mnp_overlays overlays;
    struct mnp_multicasts multicasts;
};

/* Initialises an empty memory (all zeros) of at most `page_limit` pages. Address space is reserved but not used. The
 * memory must not be moved. */
static inline void mnp_memory_init(struct mnp_memory *memory, uint32_t page_limit)
{
    mnp_pages_init(&memory->pages, page_limit);
    mnp_overlays_init(&memory->overlays, &memory->pages);
    memory->multicasts = (struct mnp_multicasts){{0}};
}

/* Removes all overlays, whose writes must have been applied, so that another machine can be built on the memory. */
static inline void mnp_memory_drop_overlays(struct mnp_memory *memory)
{
    mnp_overlays_drop(&memory->overlays);
}

static inline void mnp_memory_release(struct mnp_memory *memory)
{
    mnp_multicasts_release(&memory->multicasts);
    mnp_overlays_drop(&memory->overlays);
    mnp_pages_release(&memory->pages);
}

/* Zeroes all contents, between windows. Overlays stay, and are empty. */
static inline void mnp_memory_clear(struct mnp_memory *memory)
{
    mnp_pages_clear(&memory->pages);
    mnp_overlays_empty(&memory->overlays);
    mnp_overlays_forget_pages(&memory->overlays);
}

/* Zeroes a range of whole pages; no pending write may refer to it. */
static inline void mnp_memory_clear_range(struct mnp_memory *memory, uint64_t address, uint64_t bytes)
{
    mnp_pages_clear_range(&memory->pages, address / MNP_MEMORY_PAGE, bytes / MNP_MEMORY_PAGE);
}

/* Adds the overlay of a unit with room for `lines` lines per span. Units of a kind must be added in ascending order,
 * because writes are applied in that order. The address stays valid. */
static inline struct mnp_overlay *mnp_memory_add_overlay(struct mnp_memory *memory, enum mnp_overlay_kind kind,
                                                         uint32_t unit, uint32_t lines)
{
    return mnp_overlays_add(&memory->overlays, kind, unit, lines);
}

/* ===== the host program's view, between windows ===== */

static inline void mnp_memory_read(const struct mnp_memory *memory, uint64_t address, uint64_t bytes, void *out)
{
    mnp_pages_read(&memory->pages, address, bytes, out);
}

/* Returns false, with an error, if the pages are exhausted. */
static inline bool mnp_memory_write(struct mnp_memory *memory, uint64_t address, uint64_t bytes, const void *in,
                                    struct mnp_error *error)
{
    return mnp_pages_write(&memory->pages, address, bytes, in, error);
}

/* The page (MNP_MEMORY_PAGE bytes) that contains an address, for a reader that makes many accesses; NULL if never
 * written, i.e. all zeros. */
static inline const unsigned char *mnp_memory_page(const struct mnp_memory *memory, uint64_t address)
{
    return mnp_pages_find(&memory->pages, address / MNP_MEMORY_PAGE);
}

/* The page for writing, until the next hash. Returns NULL, with an error, if the pages are exhausted. */
static inline unsigned char *mnp_memory_page_for_writing(struct mnp_memory *memory, uint64_t address,
                                                         struct mnp_error *error)
{
    struct mnp_page *page = mnp_pages_make_within(&memory->pages, address / MNP_MEMORY_PAGE, error);
    return page ? page->data : NULL;
}

/* Hash of the contents, and of pending writes. It depends neither on the order in which pages were created, nor on
 * whether a page of zeros exists. */
static inline uint64_t mnp_memory_hash(struct mnp_memory *memory)
{
    return mnp_overlays_hash(&memory->overlays) + mnp_pages_hash(&memory->pages);
}

#endif
