/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory contents of execution-driven runs (DESIGN §3.1).
 *
 * Flat memory is constant during an epoch, so that any thread may read it. What the units write meanwhile lies in
 * overlays, one per unit: a core's overlay holds its own plain stores and is consulted by that core's plain loads; a
 * slice's overlay holds the writes performed by the slice and is consulted by its reads. After an epoch's last window
 * the overlays are applied: cores first, then slices, each in the order of the units; inside an overlay a later write
 * to a byte has already replaced an earlier one. Only bytes that were written are applied.
 *
 * Work of the apply step is divided by page: every page belongs to one of MNP_MEMORY_BUCKETS tables, and every table to
 * one shard, so that no two threads touch one table and nothing is locked.
 *
 * Order of calls: init; add the overlays (cores and slices each in the order of their units); mnp_memory_hook gives
 * what the engine needs. mnp_memory_read and mnp_memory_write serve the host program, between windows. The overlay
 * functions serve the owning unit, inside its advance.
 */
#ifndef MNP_ENGINE_MEMORY_MEMORY_H
#define MNP_ENGINE_MEMORY_MEMORY_H

#include "base/arena.h"
#include "base/error.h"
#include "engine/core/engine.h"

#include <stdalign.h>
#include <stdatomic.h>

enum {
    MNP_MEMORY_PAGE = 64 * 1024, /* bytes */
    MNP_MEMORY_LINE = 128,       /* bytes of an overlay entry */
    MNP_MEMORY_BUCKETS = 64,
};

enum mnp_overlay_kind { MNP_OVERLAY_CORE, MNP_OVERLAY_SLICE };

struct mnp_memory;

/* A line with bytes that its unit has written in this epoch. */
struct mnp_overlay_entry {
    uint64_t line;       /* address / MNP_MEMORY_LINE */
    uint64_t written[2]; /* one bit per byte */
    uint64_t bucket;     /* of the line's page */
    unsigned char data[MNP_MEMORY_LINE];
};

struct mnp_overlay_slot {
    uint32_t generation; /* the slot is empty unless this is the memory's */
    uint32_t entry;
};

/* The writes of one unit in the present epoch. Used by the thread that runs the unit, and read by all while applied. */
struct mnp_overlay {
    struct mnp_memory *memory;
    struct mnp_overlay_entry *entries; /* [capacity] in the order of their first write */
    struct mnp_overlay_slot *slots;    /* [mask + 1] from a hash of the line to its entry */
    uint32_t mask;
    uint32_t capacity;
    uint32_t count;      /* entries in use, if `generation` is the memory's; otherwise none is */
    uint32_t generation;
    uint32_t unit;       /* its owner's id */
    /* The page that was looked up last; pages that exist never move. */
    uint64_t memo_number;
    const unsigned char *memo_page;
    struct mnp_arena arena;
};

struct mnp_page {
    uint64_t number; /* address / MNP_MEMORY_PAGE */
    unsigned char *data; /* NULL: an empty place of the table */
    uint64_t hash; /* of the contents when last hashed; 0 for a page of zeros */
    bool stale;    /* written since */
};

/* A table of pages: open addressing, doubled when half full. */
struct mnp_page_table {
    alignas(MNP_CACHE_LINE) struct mnp_page *pages; /* [mask + 1] */
    uint32_t mask;
    uint32_t count;
};

struct mnp_memory {
    struct mnp_page_table tables[MNP_MEMORY_BUCKETS];
    struct mnp_arena pool;     /* [page_limit] pages */
    struct mnp_arena spill;    /* as many more as one epoch can need, so that a write is never dropped */
    uint32_t page_limit;
    _Atomic uint32_t page_count; /* pages in use; more than the limit: a fault */
    uint32_t generation;       /* of overlay contents; changed by the apply step, which so empties all overlays */
    struct mnp_overlay **overlays[2]; /* [kind][overlay_count[kind]] in the order of their units */
    uint32_t overlay_count[2];
    alignas(MNP_CACHE_LINE) _Atomic bool dirty; /* an overlay has entries; apart, because many threads write it */
};

/* Sets up an empty memory (all zeros) of at most `page_limit` pages. Address space is reserved, not used. */
void mnp_memory_init(struct mnp_memory *memory, uint32_t page_limit);
void mnp_memory_release(struct mnp_memory *memory);

/* Makes all contents zero again, between windows. Overlays stay, and are empty. */
void mnp_memory_clear(struct mnp_memory *memory);

/* Adds the overlay of a unit with room for `lines` lines per epoch. Units of a kind must come in rising order, for
 * that is the order in which their writes are applied. The address stays valid. */
struct mnp_overlay *mnp_memory_add_overlay(struct mnp_memory *memory, enum mnp_overlay_kind kind, uint32_t unit,
                                           uint32_t lines);

/* Makes all contents zero again; no writes may wait to be applied. Overlays stay. */
void mnp_memory_clear(struct mnp_memory *memory);

/* Takes all overlays away, whose writes must have been applied: another machine may be built on the memory. */
void mnp_memory_drop_overlays(struct mnp_memory *memory);

/* What the engine calls at the end of epochs: to be assigned to engine.hook, once all overlays are added. */
struct mnp_epoch_hook mnp_memory_hook(struct mnp_memory *memory);

/* ===== the host program's view, between windows ===== */

void mnp_memory_read(const struct mnp_memory *memory, uint64_t address, uint64_t bytes, void *out);

/* Returns false, with an error, when the pages are exhausted. */
bool mnp_memory_write(struct mnp_memory *memory, uint64_t address, uint64_t bytes, const void *in,
                      struct mnp_error *error);

/* The page (MNP_MEMORY_PAGE bytes) that an address lies in, for a reader that makes many accesses; NULL: never written,
 * all zeros. */
const unsigned char *mnp_memory_page(const struct mnp_memory *memory, uint64_t address);

/* The same for writing, until the next hash. NULL, with an error, when the pages are exhausted. */
unsigned char *mnp_memory_page_for_writing(struct mnp_memory *memory, uint64_t address, struct mnp_error *error);

/* Hash of the contents, and of writes not yet applied. It does not depend on the order in which pages were made, nor
 * on whether a page of zeros exists. */
uint64_t mnp_memory_hash(struct mnp_memory *memory);

/* ===== a unit's view, inside its advance ===== */

/* Reads what the owner sees: its own writes of the epoch over flat memory. */
void mnp_overlay_read(struct mnp_overlay *overlay, uint64_t address, uint32_t bytes, void *out);

/* Writes for the owner. Returns false, having written nothing of the line concerned, when the overlay is full: the
 * unit then records a fault with the text of mnp_overlay_full. */
bool mnp_overlay_write(struct mnp_overlay *overlay, uint64_t address, uint32_t bytes, const void *in);

/* The same for the lanes of `mask`: lane i's value (1 … 16 bytes) stands at out + i·stride. Lanes act in their order,
 * so the highest lane that writes a byte wins. */
void mnp_overlay_read_lanes(struct mnp_overlay *overlay, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                            void *out, size_t stride);
bool mnp_overlay_write_lanes(struct mnp_overlay *overlay, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                             const void *in, size_t stride);

/* The error of a unit whose overlay is full. */
struct mnp_error mnp_overlay_full(const struct mnp_overlay *overlay);

/* Lines written in the present epoch. */
static inline uint32_t mnp_overlay_lines(const struct mnp_overlay *overlay)
{
    return overlay->generation == overlay->memory->generation ? overlay->count : 0;
}

#endif
