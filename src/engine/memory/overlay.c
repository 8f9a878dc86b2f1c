/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/memory/overlay.h"

#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

/* ===== all overlays ===== */

void mnp_overlays_init(struct mnp_overlays *overlays, const struct mnp_pages *pages)
{
    memset(overlays, 0, sizeof *overlays);
    overlays->pages = pages;
    overlays->generation = 1;
}

void mnp_overlays_drop(struct mnp_overlays *overlays)
{
    for (uint32_t kind = 0; kind < MNP_OVERLAY_KINDS; kind++) {
        for (uint32_t i = 0; i < overlays->count[kind]; i++) {
            /* copy it, because the overlay itself is stored in its arena */
            struct mnp_arena arena = overlays->list[kind][i]->arena;
            mnp_arena_release(&arena);
        }
        free(overlays->list[kind]);
        overlays->list[kind] = NULL;
        overlays->count[kind] = 0;
    }
}

void mnp_overlays_forget_pages(struct mnp_overlays *overlays)
{
    for (uint32_t place = 0; place < mnp_overlays_count(overlays); place++)
        mnp_overlays_at(overlays, place)->memo_page = NULL;
}

void mnp_overlays_empty(struct mnp_overlays *overlays)
{
    atomic_store_explicit(&overlays->dirty, false, memory_order_relaxed);
    if (++overlays->generation != 0)
        return;
    overlays->generation = 1; /* after 2^32 epochs with writes: slots of old generations must not look used */
    for (uint32_t place = 0; place < mnp_overlays_count(overlays); place++) {
        struct mnp_overlay *overlay = mnp_overlays_at(overlays, place);
        memset(overlay->slots, 0, ((size_t)overlay->mask + 1) * sizeof *overlay->slots);
        overlay->generation = 0;
    }
}

struct mnp_overlay *mnp_overlays_add(struct mnp_overlays *overlays, enum mnp_overlay_kind kind, uint32_t unit,
                                     uint32_t lines)
{
    MNP_REQUIRE(lines > 0 && lines <= UINT32_MAX / 4, "an overlay of %u lines", lines);
    uint32_t count = overlays->count[kind];
    MNP_REQUIRE(count == 0 || overlays->list[kind][count - 1]->unit < unit, "overlays are not in the units' order");
    uint32_t slots = 16;
    while (slots < 2 * lines)
        slots *= 2;
    struct mnp_arena arena;
    mnp_arena_init(&arena, sizeof(struct mnp_overlay) + lines * sizeof(struct mnp_overlay_entry) +
                               slots * sizeof(struct mnp_overlay_slot) + 3 * MNP_CACHE_LINE);
    struct mnp_overlay *overlay = mnp_arena_take(&arena, 1, sizeof *overlay);
    *overlay = (struct mnp_overlay){.all = overlays, .mask = slots - 1, .capacity = lines, .unit = unit};
    overlay->entries = mnp_arena_take(&arena, lines, sizeof(struct mnp_overlay_entry));
    overlay->slots = mnp_arena_take(&arena, slots, sizeof(struct mnp_overlay_slot));
    overlay->arena = arena;
    overlays->list[kind] = mnp_reallocate(overlays->list[kind], (size_t)count + 1, sizeof overlay);
    overlays->list[kind][overlays->count[kind]++] = overlay;
    return overlay;
}

/* ===== one overlay ===== */

/* Finds the slot of a line, or the empty one where it would be inserted. */
static struct mnp_overlay_slot *slot_of(const struct mnp_overlay *overlay, uint64_t line)
{
    uint32_t generation = overlay->all->generation;
    uint32_t i = (uint32_t)mnp_pages_mix(line) & overlay->mask;
    while (overlay->slots[i].generation == generation && overlay->entries[overlay->slots[i].entry].line != line)
        i = (i + 1) & overlay->mask;
    return &overlay->slots[i];
}

struct mnp_overlay_entry *mnp_overlay_entry_for_writing(struct mnp_overlay *overlay, uint64_t line)
{
    struct mnp_overlays *all = overlay->all;
    if (overlay->generation != all->generation) {
        overlay->generation = all->generation;
        overlay->count = 0;
        atomic_store_explicit(&all->dirty, true, memory_order_relaxed);
    }
    struct mnp_overlay_slot *slot = slot_of(overlay, line);
    if (slot->generation == all->generation)
        return &overlay->entries[slot->entry];
    if (overlay->count == overlay->capacity)
        return NULL;
    *slot = (struct mnp_overlay_slot){.generation = all->generation, .entry = overlay->count};
    struct mnp_overlay_entry *entry = &overlay->entries[overlay->count++];
    entry->line = line;
    entry->written[0] = entry->written[1] = 0;
    entry->bucket = mnp_pages_bucket(line / (MNP_MEMORY_PAGE / MNP_MEMORY_LINE));
    return entry;
}

/* Returns bits `first` … `first + count - 1` of a line's byte mask that fall into its word `half`. */
static uint64_t bits_of(uint32_t half, uint32_t first, uint32_t count)
{
    uint32_t from = half * 64, to = from + 64;
    uint32_t low = first > from ? first : from;
    uint32_t high = first + count < to ? first + count : to;
    if (low >= high)
        return 0;
    return (high - low == 64 ? UINT64_MAX : (UINT64_C(1) << (high - low)) - 1) << (low - from);
}

bool mnp_overlay_write(struct mnp_overlay *overlay, uint64_t address, uint32_t bytes, const void *in)
{
    for (const unsigned char *from = in; bytes > 0;) {
        uint32_t piece = (uint32_t)mnp_pages_piece(address, bytes, MNP_MEMORY_LINE);
        uint32_t offset = address % MNP_MEMORY_LINE;
        struct mnp_overlay_entry *entry = mnp_overlay_entry_for_writing(overlay, address / MNP_MEMORY_LINE);
        if (!entry)
            return false;
        memcpy(entry->data + offset, from, piece);
        entry->written[0] |= bits_of(0, offset, piece);
        entry->written[1] |= bits_of(1, offset, piece);
        from += piece, address += piece, bytes -= piece;
    }
    return true;
}

/* Copies the bytes of `written` that lie in [first, first + count) from `data` to `out`; byte `first` goes to
 * out[0]. */
static void copy_written(const uint64_t written[2], const unsigned char *data, uint32_t first, uint32_t count,
                         unsigned char *out)
{
    for (uint32_t half = 0; half < 2; half++) {
        for (uint64_t bits = written[half] & bits_of(half, first, count); bits;) {
            uint32_t start = (uint32_t)__builtin_ctzll(bits);
            uint64_t rest = ~(bits >> start);
            uint32_t length = rest ? (uint32_t)__builtin_ctzll(rest) : 64;
            uint32_t place = half * 64 + start;
            memcpy(out + (place - first), data + place, length);
            bits &= ~(((length == 64 ? 0 : UINT64_C(1) << length) - 1) << start);
        }
    }
}

static void read_flat(struct mnp_overlay *overlay, uint64_t address, uint32_t bytes, unsigned char *out)
{
    uint64_t number = address / MNP_MEMORY_PAGE;
    if (!overlay->memo_page || overlay->memo_number != number) {
        const unsigned char *page = mnp_pages_find(overlay->all->pages, number);
        if (!page) {
            memset(out, 0, bytes);
            return;
        }
        overlay->memo_number = number;
        overlay->memo_page = page;
    }
    memcpy(out, overlay->memo_page + address % MNP_MEMORY_PAGE, bytes);
}

void mnp_overlay_read(struct mnp_overlay *overlay, uint64_t address, uint32_t bytes, void *out)
{
    for (unsigned char *to = out; bytes > 0;) {
        uint32_t piece = (uint32_t)mnp_pages_piece(address, bytes, MNP_MEMORY_LINE);
        read_flat(overlay, address, piece, to);
        if (mnp_overlay_lines(overlay) > 0) {
            const struct mnp_overlay_slot *slot = slot_of(overlay, address / MNP_MEMORY_LINE);
            if (slot->generation == overlay->all->generation) {
                const struct mnp_overlay_entry *entry = &overlay->entries[slot->entry];
                copy_written(entry->written, entry->data, address % MNP_MEMORY_LINE, piece, to);
            }
        }
        to += piece, address += piece, bytes -= piece;
    }
}

/* The entry with the bytes of a line that the owner has written; NULL: none. */
static const struct mnp_overlay_entry *entry_of(const struct mnp_overlay *overlay, uint64_t line)
{
    if (mnp_overlay_lines(overlay) == 0)
        return NULL;
    const struct mnp_overlay_slot *slot = slot_of(overlay, line);
    return slot->generation == overlay->all->generation ? &overlay->entries[slot->entry] : NULL;
}

/* The contents of a line in flat memory; NULL: zeros. */
static const unsigned char *flat_line(struct mnp_overlay *overlay, uint64_t line)
{
    uint64_t number = line / (MNP_MEMORY_PAGE / MNP_MEMORY_LINE);
    if (!overlay->memo_page || overlay->memo_number != number) {
        const unsigned char *page = mnp_pages_find(overlay->all->pages, number);
        if (!page)
            return NULL;
        overlay->memo_number = number;
        overlay->memo_page = page;
    }
    return overlay->memo_page + line % (MNP_MEMORY_PAGE / MNP_MEMORY_LINE) * MNP_MEMORY_LINE;
}

/* Copies a value. Most accesses have four bytes, which the compiler turns into one move. */
static inline void copy_piece(void *to, const void *from, uint32_t bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

/* Neighbouring lanes mostly share lines, so a line is looked up only when it changes. */
void mnp_overlay_read_lanes(struct mnp_overlay *overlay, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                            void *out, size_t stride)
{
    uint64_t line = UINT64_MAX;
    const struct mnp_overlay_entry *entry = NULL;
    const unsigned char *flat = NULL;
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask), offset = addresses[lane] % MNP_MEMORY_LINE;
        unsigned char *to = (unsigned char *)out + lane * stride;
        if (addresses[lane] / MNP_MEMORY_LINE != line) {
            line = addresses[lane] / MNP_MEMORY_LINE;
            entry = entry_of(overlay, line);
            flat = flat_line(overlay, line);
        }
        if (offset + bytes > MNP_MEMORY_LINE) {
            mnp_overlay_read(overlay, addresses[lane], bytes, to);
            continue;
        }
        if (flat)
            copy_piece(to, flat + offset, bytes);
        else
            memset(to, 0, bytes);
        if (entry)
            copy_written(entry->written, entry->data, offset, bytes, to);
    }
}

bool mnp_overlay_write_lanes(struct mnp_overlay *overlay, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                             const void *in, size_t stride)
{
    uint64_t line = UINT64_MAX;
    struct mnp_overlay_entry *entry = NULL;
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask), offset = addresses[lane] % MNP_MEMORY_LINE;
        const unsigned char *from = (const unsigned char *)in + lane * stride;
        if (offset + bytes > MNP_MEMORY_LINE) {
            if (!mnp_overlay_write(overlay, addresses[lane], bytes, from))
                return false;
            continue;
        }
        if (addresses[lane] / MNP_MEMORY_LINE != line) {
            line = addresses[lane] / MNP_MEMORY_LINE;
            entry = mnp_overlay_entry_for_writing(overlay, line);
            if (!entry)
                return false;
        }
        copy_piece(entry->data + offset, from, bytes);
        uint64_t bits = bytes >= 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1;
        entry->written[offset / 64] |= bits << offset % 64;
        if (offset % 64 + bytes > 64)
            entry->written[1] |= bits >> (64 - offset % 64);
    }
    return true;
}

struct mnp_error mnp_overlay_full(const struct mnp_overlay *overlay)
{
    struct mnp_error error = {""};
    mnp_fail(&error, "more than %u lines of %u bytes are written within one epoch: raise the machine's limit of lines",
             overlay->capacity, (unsigned)MNP_MEMORY_LINE);
    return error;
}

void mnp_overlay_copy(const struct mnp_overlay_entry *entry, unsigned char out[MNP_MEMORY_LINE])
{
    copy_written(entry->written, entry->data, 0, MNP_MEMORY_LINE, out);
}

/* ===== hash ===== */

uint64_t mnp_overlays_hash(const struct mnp_overlays *overlays)
{
    uint64_t hash = 0;
    for (uint32_t place = 0; place < mnp_overlays_count(overlays); place++) {
        const struct mnp_overlay *overlay = mnp_overlays_at(overlays, place);
        uint32_t lines = mnp_overlay_lines(overlay);
        for (uint32_t i = 0; i < lines; i++) {
            const struct mnp_overlay_entry *entry = &overlay->entries[i];
            unsigned char data[MNP_MEMORY_LINE] = {0};
            mnp_overlay_copy(entry, data);
            hash = XXH3_64bits_withSeed(data, sizeof data, hash + entry->line);
            hash = XXH3_64bits_withSeed(entry->written, sizeof entry->written, hash + overlay->unit);
        }
    }
    return hash;
}
