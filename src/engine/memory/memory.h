/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory contents of execution-driven runs (DESIGN §3.1).
 *
 * Flat memory (pages.h) is constant during a span, so that any thread may read it. What the units write meanwhile
 * lies in overlays (overlay.h), one per unit: a core's overlay holds its own plain stores and is consulted by that
 * core's plain loads; a slice's overlay holds the writes performed by the slice and is consulted by its reads. After an
 * span's last window the overlays are applied to flat memory (epoch.h).
 *
 * Order of calls: init; add the overlays (cores and slices each in the order of their units); mnp_memory_hook gives
 * what the engine needs. mnp_memory_read and mnp_memory_write serve the host program, between windows. The overlay
 * functions serve the owning unit, inside its advance.
 */
#ifndef MNP_ENGINE_MEMORY_MEMORY_H
#define MNP_ENGINE_MEMORY_MEMORY_H

#include "engine/memory/epoch.h"
#include "engine/memory/overlay.h"
#include "engine/memory/pages.h"

struct mnp_memory {
    struct mnp_pages pages;
    struct mnp_overlays overlays;
};

/* Sets up an empty memory (all zeros) of at most `page_limit` pages. Address space is reserved, not used. The memory
 * must stay where it is. */
static inline void mnp_memory_init(struct mnp_memory *memory, uint32_t page_limit)
{
    mnp_pages_init(&memory->pages, page_limit);
    mnp_overlays_init(&memory->overlays, &memory->pages);
}

/* Takes all overlays away, whose writes must have been applied: another machine may be built on the memory. */
static inline void mnp_memory_drop_overlays(struct mnp_memory *memory)
{
    mnp_overlays_drop(&memory->overlays);
}

static inline void mnp_memory_release(struct mnp_memory *memory)
{
    mnp_overlays_drop(&memory->overlays);
    mnp_pages_release(&memory->pages);
}

/* Makes all contents zero again, between windows. Overlays stay, and are empty. */
static inline void mnp_memory_clear(struct mnp_memory *memory)
{
    mnp_pages_clear(&memory->pages);
    mnp_overlays_empty(&memory->overlays);
    mnp_overlays_forget_pages(&memory->overlays);
}

/* The same of a range, whole pages; no write to it may wait to be applied. */
static inline void mnp_memory_clear_range(struct mnp_memory *memory, uint64_t address, uint64_t bytes)
{
    mnp_pages_clear_range(&memory->pages, address / MNP_MEMORY_PAGE, bytes / MNP_MEMORY_PAGE);
}

/* Adds the overlay of a unit with room for `lines` lines per span. Units of a kind must come in rising order, for
 * that is the order in which their writes are applied. The address stays valid. */
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

/* Returns false, with an error, when the pages are exhausted. */
static inline bool mnp_memory_write(struct mnp_memory *memory, uint64_t address, uint64_t bytes, const void *in,
                                    struct mnp_error *error)
{
    return mnp_pages_write(&memory->pages, address, bytes, in, error);
}

/* The page (MNP_MEMORY_PAGE bytes) that an address lies in, for a reader that makes many accesses; NULL: never written,
 * all zeros. */
static inline const unsigned char *mnp_memory_page(const struct mnp_memory *memory, uint64_t address)
{
    return mnp_pages_find(&memory->pages, address / MNP_MEMORY_PAGE);
}

/* The same for writing, until the next hash. NULL, with an error, when the pages are exhausted. */
static inline unsigned char *mnp_memory_page_for_writing(struct mnp_memory *memory, uint64_t address,
                                                         struct mnp_error *error)
{
    struct mnp_page *page = mnp_pages_make_within(&memory->pages, address / MNP_MEMORY_PAGE, error);
    return page ? page->data : NULL;
}

/* Hash of the contents, and of writes not yet applied. It does not depend on the order in which pages were made, nor
 * on whether a page of zeros exists. */
static inline uint64_t mnp_memory_hash(struct mnp_memory *memory)
{
    return mnp_overlays_hash(&memory->overlays) + mnp_pages_hash(&memory->pages);
}

#endif
