/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/memory/epoch.h"

#include "engine/memory/memory.h"

#include <string.h>

enum { SPILL_LIMIT = 1 << 20 /* number of pages beyond the limit that no epoch is expected to need */ };

/* ===== the apply step ===== */

static bool is_dirty(void *context)
{
    return atomic_load_explicit(&((struct mnp_memory *)context)->overlays.dirty, memory_order_relaxed);
}

static void apply_entry(struct mnp_pages *pages, const struct mnp_overlay_entry *entry)
{
    uint64_t address = entry->line * MNP_MEMORY_LINE;
    struct mnp_page *page = mnp_pages_make(pages, address / MNP_MEMORY_PAGE);
    mnp_overlay_copy(entry, page->data + address % MNP_MEMORY_PAGE);
}

/* Applies the writes to the pages of one shard's tables, in the order (kind, unit, first write of the line). */
static void apply(void *context, uint32_t shard, uint32_t shards)
{
    struct mnp_memory *memory = context;
    for (uint32_t place = 0; place < mnp_overlays_count(&memory->overlays); place++) {
        const struct mnp_overlay *overlay = mnp_overlays_at(&memory->overlays, place);
        uint32_t lines = mnp_overlay_lines(overlay);
        for (uint32_t i = 0; i < lines; i++)
            if (overlay->entries[i].bucket % shards == shard)
                apply_entry(&memory->pages, &overlay->entries[i]);
    }
}

/* Checks the number of pages. All writes of the epoch have been applied even if there are too many, so that the
 * contents do not depend on the order of threads. */
static bool after_apply(void *context, struct mnp_error *error)
{
    struct mnp_memory *memory = context;
    mnp_overlays_empty(&memory->overlays);
    return mnp_pages_check(&memory->pages, error);
}

/* ===== the same memory in several processes ===== */

/* Header of a line in a message; only its written bytes follow. */
struct sent_line {
    uint64_t line, written[2];
    uint32_t overlay; /* index of the overlay, cores' first */
    uint32_t bytes;
};

static bool is_written(const uint64_t written[2], uint32_t byte)
{
    return written[byte / 64] >> byte % 64 & 1;
}

static unsigned char *pack_line(unsigned char *to, uint32_t place, const struct mnp_overlay_entry *entry)
{
    struct sent_line line = {.line = entry->line, .written = {entry->written[0], entry->written[1]}, .overlay = place};
    unsigned char *data = to + sizeof line;
    for (uint32_t i = 0; i < MNP_MEMORY_LINE; i++)
        if (is_written(entry->written, i))
            data[line.bytes++] = entry->data[i];
    memcpy(to, &line, sizeof line);
    return data + line.bytes;
}

/* Packs the lines in the order (overlay, first write), in which they are applied. */
static size_t pack(void *context, const bool *foreign, void **bytes)
{
    const struct mnp_overlays *overlays = &((const struct mnp_memory *)context)->overlays;
    size_t lines = 0;
    for (uint32_t place = 0; place < mnp_overlays_count(overlays); place++)
        lines +=
            foreign[mnp_overlays_at(overlays, place)->unit] ? 0 : mnp_overlay_lines(mnp_overlays_at(overlays, place));
    unsigned char *start = mnp_allocate(lines, sizeof(struct sent_line) + MNP_MEMORY_LINE), *end = start;
    for (uint32_t place = 0; place < mnp_overlays_count(overlays); place++) {
        const struct mnp_overlay *overlay = mnp_overlays_at(overlays, place);
        for (uint32_t i = 0; !foreign[overlay->unit] && i < mnp_overlay_lines(overlay); i++)
            end = pack_line(end, place, &overlay->entries[i]);
    }
    *bytes = start;
    return (size_t)(end - start);
}

/* Adds other processes' writes to the local copies of their units' overlays. Adding them twice has no effect. */
static void unpack(void *context, const void *bytes, size_t length)
{
    const struct mnp_overlays *overlays = &((const struct mnp_memory *)context)->overlays;
    const unsigned char *from = bytes;
    for (size_t at = 0; at < length;) {
        struct sent_line line;
        memcpy(&line, from + at, sizeof line);
        at += sizeof line;
        struct mnp_overlay_entry *entry =
            mnp_overlay_entry_for_writing(mnp_overlays_at(overlays, line.overlay), line.line);
        MNP_REQUIRE(entry, "an overlay of another process does not fit its copy");
        memcpy(entry->written, line.written, sizeof entry->written);
        for (uint32_t i = 0; i < MNP_MEMORY_LINE; i++)
            if (is_written(line.written, i))
                entry->data[i] = from[at++];
    }
}

/* ===== the engine's hook ===== */

static uint64_t hash_contents(void *context)
{
    return mnp_memory_hash(context);
}

struct mnp_epoch_hook mnp_memory_hook(struct mnp_memory *memory)
{
    size_t lines = 1;
    for (uint32_t place = 0; place < mnp_overlays_count(&memory->overlays); place++)
        lines += mnp_overlays_at(&memory->overlays, place)->capacity;
    mnp_pages_spill(&memory->pages, lines < SPILL_LIMIT ? lines : SPILL_LIMIT);
    return (struct mnp_epoch_hook){.dirty = is_dirty,
                                   .apply = apply,
                                   .applied = after_apply,
                                   .hash = hash_contents,
                                   .pack = pack,
                                   .unpack = unpack,
                                   .context = memory};
}
