/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

enum {
    FIRST_PAGES = 16,     /* places of a new table of pages */
    SPILL_LIMIT = 1 << 20 /* pages beyond the limit that one epoch is trusted not to need */
};

static uint64_t mix(uint64_t value)
{
    value *= UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 32;
}

static uint32_t bucket_of(uint64_t page_number)
{
    return (uint32_t)(mix(page_number) >> 16) % MNP_MEMORY_BUCKETS;
}

/* ===== flat memory ===== */

void mnp_memory_init(struct mnp_memory *memory, uint32_t page_limit)
{
    MNP_REQUIRE(page_limit > 0 && page_limit < UINT32_MAX / 2, "a memory of %u pages", page_limit);
    memset(memory, 0, sizeof *memory);
    memory->page_limit = page_limit;
    memory->generation = 1;
    mnp_arena_init(&memory->pool, (size_t)page_limit * MNP_MEMORY_PAGE);
    for (uint32_t i = 0; i < MNP_MEMORY_BUCKETS; i++) {
        memory->tables[i].pages = mnp_allocate(FIRST_PAGES, sizeof(struct mnp_page));
        memory->tables[i].mask = FIRST_PAGES - 1;
    }
}

void mnp_memory_drop_overlays(struct mnp_memory *memory)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        for (uint32_t i = 0; i < memory->overlay_count[kind]; i++) {
            struct mnp_arena arena = memory->overlays[kind][i]->arena; /* the overlay itself lies in it */
            mnp_arena_release(&arena);
        }
        free(memory->overlays[kind]);
        memory->overlays[kind] = NULL;
        memory->overlay_count[kind] = 0;
    }
}

void mnp_memory_release(struct mnp_memory *memory)
{
    mnp_memory_drop_overlays(memory);
    for (uint32_t i = 0; i < MNP_MEMORY_BUCKETS; i++)
        free(memory->tables[i].pages);
    mnp_arena_release(&memory->pool);
    mnp_arena_release(&memory->spill);
    memset(memory, 0, sizeof *memory);
}

void mnp_memory_clear(struct mnp_memory *memory)
{
    for (uint32_t i = 0; i < MNP_MEMORY_BUCKETS; i++) {
        struct mnp_page_table *table = &memory->tables[i];
        memset(table->pages, 0, ((size_t)table->mask + 1) * sizeof *table->pages);
        table->count = 0;
    }
    mnp_arena_clear(&memory->pool);
    mnp_arena_clear(&memory->spill);
    atomic_store(&memory->page_count, 0);
    atomic_store(&memory->dirty, false);
    memory->generation++;
    for (uint32_t kind = 0; kind < 2; kind++)
        for (uint32_t i = 0; i < memory->overlay_count[kind]; i++)
            memory->overlays[kind][i]->memo_page = NULL;
}

/* The place of a page in its table, or the empty place where it would stand. */
static struct mnp_page *place_of(const struct mnp_page_table *table, uint64_t number)
{
    uint32_t i = (uint32_t)mix(number) & table->mask;
    while (table->pages[i].data && table->pages[i].number != number)
        i = (i + 1) & table->mask;
    return &table->pages[i];
}

static const unsigned char *find_page(const struct mnp_memory *memory, uint64_t number)
{
    return place_of(&memory->tables[bucket_of(number)], number)->data;
}

static void double_table(struct mnp_page_table *table)
{
    struct mnp_page_table larger = {.mask = 2 * table->mask + 1, .count = table->count};
    larger.pages = mnp_allocate((size_t)larger.mask + 1, sizeof(struct mnp_page));
    for (uint32_t i = 0; i <= table->mask; i++)
        if (table->pages[i].data)
            *place_of(&larger, table->pages[i].number) = table->pages[i];
    free(table->pages);
    *table = larger;
}

/* The page to be written, made if it does not exist. Called by the table's shard. */
static struct mnp_page *page_for_writing(struct mnp_memory *memory, uint64_t number)
{
    struct mnp_page_table *table = &memory->tables[bucket_of(number)];
    struct mnp_page *page = place_of(table, number);
    if (!page->data) {
        if (2 * (table->count + 1) > table->mask) {
            double_table(table);
            page = place_of(table, number);
        }
        /* Which page gets which piece of the pool depends on the threads, and is seen by nobody. */
        uint32_t piece = atomic_fetch_add_explicit(&memory->page_count, 1, memory_order_relaxed);
        bool over = piece >= memory->page_limit;
        const struct mnp_arena *pool = over ? &memory->spill : &memory->pool;
        size_t offset = (size_t)(over ? piece - memory->page_limit : piece) * MNP_MEMORY_PAGE;
        MNP_REQUIRE(offset < pool->capacity, "the pool of pages overflows");
        *page = (struct mnp_page){.number = number, .data = pool->base + offset};
        table->count++;
    }
    page->stale = true;
    return page;
}

static bool too_many_pages(const struct mnp_memory *memory, struct mnp_error *error)
{
    mnp_fail(error, "the program writes to more than %u pages of %u bytes: raise the machine's limit of memory pages",
             memory->page_limit, (unsigned)MNP_MEMORY_PAGE);
    return false;
}

/* Bytes from `address` to the end of its page or of the access, whichever comes first. */
static uint64_t piece_in(uint64_t address, uint64_t bytes, uint64_t unit)
{
    uint64_t room = unit - address % unit;
    return bytes < room ? bytes : room;
}

void mnp_memory_read(const struct mnp_memory *memory, uint64_t address, uint64_t bytes, void *out)
{
    for (unsigned char *to = out; bytes > 0;) {
        uint64_t piece = piece_in(address, bytes, MNP_MEMORY_PAGE);
        const unsigned char *page = find_page(memory, address / MNP_MEMORY_PAGE);
        if (page)
            memcpy(to, page + address % MNP_MEMORY_PAGE, piece);
        else
            memset(to, 0, piece);
        to += piece, address += piece, bytes -= piece;
    }
}

bool mnp_memory_write(struct mnp_memory *memory, uint64_t address, uint64_t bytes, const void *in,
                      struct mnp_error *error)
{
    for (const unsigned char *from = in; bytes > 0;) {
        uint64_t piece = piece_in(address, bytes, MNP_MEMORY_PAGE);
        uint64_t number = address / MNP_MEMORY_PAGE;
        if (!find_page(memory, number) && atomic_load(&memory->page_count) >= memory->page_limit)
            return too_many_pages(memory, error);
        struct mnp_page *page = page_for_writing(memory, number);
        memcpy(page->data + address % MNP_MEMORY_PAGE, from, piece);
        from += piece, address += piece, bytes -= piece;
    }
    return true;
}

const unsigned char *mnp_memory_page(const struct mnp_memory *memory, uint64_t address)
{
    return find_page(memory, address / MNP_MEMORY_PAGE);
}

unsigned char *mnp_memory_page_for_writing(struct mnp_memory *memory, uint64_t address, struct mnp_error *error)
{
    uint64_t number = address / MNP_MEMORY_PAGE;
    if (!find_page(memory, number) && atomic_load(&memory->page_count) >= memory->page_limit) {
        too_many_pages(memory, error);
        return NULL;
    }
    return page_for_writing(memory, number)->data;
}

/* ===== overlays ===== */

struct mnp_overlay *mnp_memory_add_overlay(struct mnp_memory *memory, enum mnp_overlay_kind kind, uint32_t unit,
                                           uint32_t lines)
{
    MNP_REQUIRE(lines > 0 && lines <= UINT32_MAX / 4, "an overlay of %u lines", lines);
    uint32_t count = memory->overlay_count[kind];
    MNP_REQUIRE(count == 0 || memory->overlays[kind][count - 1]->unit < unit, "overlays are not in the units' order");
    uint32_t slots = 16;
    while (slots < 2 * lines)
        slots *= 2;
    struct mnp_arena arena;
    mnp_arena_init(&arena, sizeof(struct mnp_overlay) + lines * sizeof(struct mnp_overlay_entry) +
                               slots * sizeof(struct mnp_overlay_slot) + 3 * MNP_CACHE_LINE);
    struct mnp_overlay *overlay = mnp_arena_take(&arena, 1, sizeof *overlay);
    *overlay = (struct mnp_overlay){.memory = memory, .mask = slots - 1, .capacity = lines, .unit = unit};
    overlay->entries = mnp_arena_take(&arena, lines, sizeof(struct mnp_overlay_entry));
    overlay->slots = mnp_arena_take(&arena, slots, sizeof(struct mnp_overlay_slot));
    overlay->arena = arena;
    memory->overlays[kind] = mnp_reallocate(memory->overlays[kind], (size_t)count + 1, sizeof overlay);
    memory->overlays[kind][memory->overlay_count[kind]++] = overlay;
    return overlay;
}

/* The slot of a line, or the empty one where it would stand. */
static struct mnp_overlay_slot *slot_of(const struct mnp_overlay *overlay, uint64_t line)
{
    uint32_t generation = overlay->memory->generation;
    uint32_t i = (uint32_t)mix(line) & overlay->mask;
    while (overlay->slots[i].generation == generation && overlay->entries[overlay->slots[i].entry].line != line)
        i = (i + 1) & overlay->mask;
    return &overlay->slots[i];
}

/* The entry of a line to be written, made if it does not exist; NULL when the overlay is full. */
static struct mnp_overlay_entry *entry_for_writing(struct mnp_overlay *overlay, uint64_t line)
{
    struct mnp_memory *memory = overlay->memory;
    if (overlay->generation != memory->generation) {
        overlay->generation = memory->generation;
        overlay->count = 0;
        atomic_store_explicit(&memory->dirty, true, memory_order_relaxed);
    }
    struct mnp_overlay_slot *slot = slot_of(overlay, line);
    if (slot->generation == memory->generation)
        return &overlay->entries[slot->entry];
    if (overlay->count == overlay->capacity)
        return NULL;
    *slot = (struct mnp_overlay_slot){.generation = memory->generation, .entry = overlay->count};
    struct mnp_overlay_entry *entry = &overlay->entries[overlay->count++];
    entry->line = line;
    entry->written[0] = entry->written[1] = 0;
    entry->bucket = bucket_of(line / (MNP_MEMORY_PAGE / MNP_MEMORY_LINE));
    return entry;
}

/* Bits `first` … `first + count - 1` of a line's bytes, as the word `half` of a mask. */
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
        uint32_t piece = (uint32_t)piece_in(address, bytes, MNP_MEMORY_LINE);
        uint32_t offset = address % MNP_MEMORY_LINE;
        struct mnp_overlay_entry *entry = entry_for_writing(overlay, address / MNP_MEMORY_LINE);
        if (!entry)
            return false;
        memcpy(entry->data + offset, from, piece);
        entry->written[0] |= bits_of(0, offset, piece);
        entry->written[1] |= bits_of(1, offset, piece);
        from += piece, address += piece, bytes -= piece;
    }
    return true;
}

/* Copies the bytes of `written` that lie in [first, first + count) from `data` to `out`, where `first` stands at 0. */
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
        const unsigned char *page = find_page(overlay->memory, number);
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
        uint32_t piece = (uint32_t)piece_in(address, bytes, MNP_MEMORY_LINE);
        read_flat(overlay, address, piece, to);
        if (mnp_overlay_lines(overlay) > 0) {
            const struct mnp_overlay_slot *slot = slot_of(overlay, address / MNP_MEMORY_LINE);
            if (slot->generation == overlay->memory->generation) {
                const struct mnp_overlay_entry *entry = &overlay->entries[slot->entry];
                copy_written(entry->written, entry->data, address % MNP_MEMORY_LINE, piece, to);
            }
        }
        to += piece, address += piece, bytes -= piece;
    }
}

/* The bytes of a line that the owner has written; NULL: none. */
static const struct mnp_overlay_entry *entry_of(const struct mnp_overlay *overlay, uint64_t line)
{
    if (mnp_overlay_lines(overlay) == 0)
        return NULL;
    const struct mnp_overlay_slot *slot = slot_of(overlay, line);
    return slot->generation == overlay->memory->generation ? &overlay->entries[slot->entry] : NULL;
}

/* The flat contents of a line; NULL: zeros. */
static const unsigned char *flat_line(struct mnp_overlay *overlay, uint64_t line)
{
    uint64_t number = line / (MNP_MEMORY_PAGE / MNP_MEMORY_LINE);
    if (!overlay->memo_page || overlay->memo_number != number) {
        const unsigned char *page = find_page(overlay->memory, number);
        if (!page)
            return NULL;
        overlay->memo_number = number;
        overlay->memo_page = page;
    }
    return overlay->memo_page + line % (MNP_MEMORY_PAGE / MNP_MEMORY_LINE) * MNP_MEMORY_LINE;
}

/* Most accesses are of four bytes: the compiler makes one move of that. */
static inline void copy_piece(void *to, const void *from, uint32_t bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

/* Lanes mostly share lines, so that a line is looked for when it changes. */
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
            entry = entry_for_writing(overlay, line);
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

/* ===== the apply step ===== */

static bool is_dirty(void *context)
{
    return atomic_load_explicit(&((struct mnp_memory *)context)->dirty, memory_order_relaxed);
}

static void apply_entry(struct mnp_memory *memory, const struct mnp_overlay_entry *entry)
{
    uint64_t address = entry->line * MNP_MEMORY_LINE;
    struct mnp_page *page = page_for_writing(memory, address / MNP_MEMORY_PAGE);
    copy_written(entry->written, entry->data, 0, MNP_MEMORY_LINE, page->data + address % MNP_MEMORY_PAGE);
}

/* Applies the writes to the pages of one shard's tables, in the order (kind, unit, first write of the line). */
static void apply(void *context, uint32_t shard, uint32_t shards)
{
    struct mnp_memory *memory = context;
    for (uint32_t kind = 0; kind < 2; kind++) {
        for (uint32_t i = 0; i < memory->overlay_count[kind]; i++) {
            const struct mnp_overlay *overlay = memory->overlays[kind][i];
            uint32_t lines = mnp_overlay_lines(overlay);
            for (uint32_t j = 0; j < lines; j++)
                if (overlay->entries[j].bucket % shards == shard)
                    apply_entry(memory, &overlay->entries[j]);
        }
    }
}

/* Empties all overlays by changing the generation; says whether there are too many pages. All writes of the epoch have
 * been applied even then, so that the contents do not depend on who came first. */
static bool after_apply(void *context, struct mnp_error *error)
{
    struct mnp_memory *memory = context;
    atomic_store_explicit(&memory->dirty, false, memory_order_relaxed);
    if (++memory->generation == 0) { /* after 2^32 epochs with writes: no slot may look used */
        memory->generation = 1;
        for (uint32_t kind = 0; kind < 2; kind++) {
            for (uint32_t i = 0; i < memory->overlay_count[kind]; i++) {
                struct mnp_overlay *overlay = memory->overlays[kind][i];
                memset(overlay->slots, 0, ((size_t)overlay->mask + 1) * sizeof *overlay->slots);
                overlay->generation = 0;
            }
        }
    }
    return atomic_load(&memory->page_count) <= memory->page_limit || too_many_pages(memory, error);
}

/* ===== the same memory in several processes ===== */

/* One line as it is sent; its written bytes, alone, follow. */
struct sent_line {
    uint64_t line, written[2];
    uint32_t overlay; /* place, the cores' first */
    uint32_t bytes;
};

static struct mnp_overlay *overlay_at(const struct mnp_memory *memory, uint32_t place)
{
    uint32_t cores = memory->overlay_count[MNP_OVERLAY_CORE];
    return place < cores ? memory->overlays[MNP_OVERLAY_CORE][place]
                         : memory->overlays[MNP_OVERLAY_SLICE][place - cores];
}

static uint32_t overlays_of(const struct mnp_memory *memory)
{
    return memory->overlay_count[MNP_OVERLAY_CORE] + memory->overlay_count[MNP_OVERLAY_SLICE];
}

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

/* The lines stand in the order (overlay, first write), in which they are applied. */
static size_t pack(void *context, const bool *foreign, void **bytes)
{
    const struct mnp_memory *memory = context;
    size_t lines = 0;
    for (uint32_t place = 0; place < overlays_of(memory); place++)
        lines += foreign[overlay_at(memory, place)->unit] ? 0 : mnp_overlay_lines(overlay_at(memory, place));
    unsigned char *start = mnp_allocate(lines, sizeof(struct sent_line) + MNP_MEMORY_LINE), *end = start;
    for (uint32_t place = 0; place < overlays_of(memory); place++) {
        const struct mnp_overlay *overlay = overlay_at(memory, place);
        for (uint32_t i = 0; !foreign[overlay->unit] && i < mnp_overlay_lines(overlay); i++)
            end = pack_line(end, place, &overlay->entries[i]);
    }
    *bytes = start;
    return (size_t)(end - start);
}

/* Other processes' writes become those of the units' copies here. To take them twice changes nothing. */
static void unpack(void *context, const void *bytes, size_t length)
{
    struct mnp_memory *memory = context;
    const unsigned char *from = bytes;
    for (size_t at = 0; at < length;) {
        struct sent_line line;
        memcpy(&line, from + at, sizeof line);
        at += sizeof line;
        struct mnp_overlay_entry *entry = entry_for_writing(overlay_at(memory, line.overlay), line.line);
        MNP_REQUIRE(entry, "an overlay of another process does not fit its copy");
        memcpy(entry->written, line.written, sizeof entry->written);
        for (uint32_t i = 0; i < MNP_MEMORY_LINE; i++)
            if (is_written(line.written, i))
                entry->data[i] = from[at++];
    }
}

/* ===== hash ===== */

static bool only_zeros(const unsigned char *data)
{
    return data[0] == 0 && memcmp(data, data + 1, MNP_MEMORY_PAGE - 1) == 0;
}

/* Hash of writes that have not been applied, as when a run stops inside an epoch. */
static uint64_t hash_overlays(const struct mnp_memory *memory)
{
    uint64_t hash = 0;
    for (uint32_t kind = 0; kind < 2; kind++) {
        for (uint32_t i = 0; i < memory->overlay_count[kind]; i++) {
            const struct mnp_overlay *overlay = memory->overlays[kind][i];
            uint32_t lines = mnp_overlay_lines(overlay);
            for (uint32_t j = 0; j < lines; j++) {
                const struct mnp_overlay_entry *entry = &overlay->entries[j];
                unsigned char data[MNP_MEMORY_LINE] = {0};
                copy_written(entry->written, entry->data, 0, MNP_MEMORY_LINE, data);
                hash = XXH3_64bits_withSeed(data, sizeof data, hash + entry->line);
                hash = XXH3_64bits_withSeed(entry->written, sizeof entry->written, hash + overlay->unit);
            }
        }
    }
    return hash;
}

uint64_t mnp_memory_hash(struct mnp_memory *memory)
{
    uint64_t sum = hash_overlays(memory);
    for (uint32_t i = 0; i < MNP_MEMORY_BUCKETS; i++) {
        struct mnp_page_table *table = &memory->tables[i];
        for (uint32_t j = 0; j <= table->mask; j++) {
            struct mnp_page *page = &table->pages[j];
            if (page->stale) {
                page->hash =
                    only_zeros(page->data) ? 0 : XXH3_64bits_withSeed(page->data, MNP_MEMORY_PAGE, page->number);
                page->stale = false;
            }
            sum += page->hash; /* a sum, because the order of the pages must not matter */
        }
    }
    return sum;
}

static uint64_t hash_contents(void *context)
{
    return mnp_memory_hash(context);
}

struct mnp_epoch_hook mnp_memory_hook(struct mnp_memory *memory)
{
    size_t lines = 1;
    for (uint32_t kind = 0; kind < 2; kind++)
        for (uint32_t i = 0; i < memory->overlay_count[kind]; i++)
            lines += memory->overlays[kind][i]->capacity;
    mnp_arena_release(&memory->spill);
    mnp_arena_init(&memory->spill, (lines < SPILL_LIMIT ? lines : SPILL_LIMIT) * MNP_MEMORY_PAGE);
    return (struct mnp_epoch_hook){.dirty = is_dirty, .apply = apply, .applied = after_apply, .hash = hash_contents,
                                   .pack = pack, .unpack = unpack, .context = memory};
}
