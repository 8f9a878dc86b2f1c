/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/mtrace/catalogue.h"

#include "base/error.h"

void mtrace_catalogue_init(struct catalogue *catalogue)
{
    *catalogue = (struct catalogue){.entries = mnp_allocate(MOST_INDEXES, sizeof *catalogue->entries),
                                    .first = mnp_allocate(MOST_INDEXES, sizeof *catalogue->first),
                                    .stamps = mnp_allocate(MOST_INDEXES, sizeof *catalogue->stamps),
                                    .names = mnp_allocate(MOST_INDEXES, sizeof *catalogue->names)};
}

void mtrace_catalogue_release(struct catalogue *catalogue)
{
    free(catalogue->entries);
    free(catalogue->first);
    free(catalogue->stamps);
    free(catalogue->names);
    free(catalogue->warps);
    free(catalogue->records);
    bytes_free(&catalogue->text);
}

void mtrace_catalogue_start(struct catalogue *catalogue)
{
    memset(catalogue->entries, 0, MOST_INDEXES * sizeof *catalogue->entries);
    memset(catalogue->first, 0, MOST_INDEXES * sizeof *catalogue->first);
    catalogue->next_free = MOST_INDEXES;
    catalogue->text.length = 0;
}

/* ===== entries ===== */

static bool is_entry(const struct catalogue *catalogue, uint32_t index, uint32_t pc, const char *text, uint32_t length)
{
    const struct catalogue_entry *entry = &catalogue->entries[index];
    return entry->used && entry->pc == pc && entry->length == length &&
           memcmp(catalogue->text.data + entry->offset, text, length) == 0;
}

/* Selects the index for a new entry; MOST_INDEXES: none is free. Index 0 is reserved for PC 0, because 0 ends a
 * list. */
static uint32_t choose(struct catalogue *catalogue, uint32_t pc, uint32_t home)
{
    if (pc == home * PC_BYTES && !catalogue->entries[home].used)
        return home;
    while (catalogue->next_free > 1) {
        uint32_t index = --catalogue->next_free;
        if (catalogue->entries[index].used)
            continue;
        catalogue->entries[index].next = catalogue->first[home];
        catalogue->first[home] = (uint16_t)index;
        return index;
    }
    return MOST_INDEXES;
}

/* Returns the index of an instruction, adding it if it is new. MOST_INDEXES: the list is full. */
static uint32_t place_of_text(struct catalogue *catalogue, uint32_t pc, const char *text, uint32_t length)
{
    uint32_t home = pc / PC_BYTES % MOST_INDEXES;
    if (is_entry(catalogue, home, pc, text, length))
        return home;
    for (uint32_t index = catalogue->first[home]; index; index = catalogue->entries[index].next)
        if (is_entry(catalogue, index, pc, text, length))
            return index;
    uint32_t index = choose(catalogue, pc, home);
    if (index == MOST_INDEXES)
        return index;
    struct catalogue_entry *entry = &catalogue->entries[index];
    entry->used = true;
    entry->pc = pc;
    entry->offset = (uint32_t)catalogue->text.length;
    entry->length = (uint8_t)length;
    put_bytes(&catalogue->text, text, length);
    return index;
}

/* ===== a CTA ===== */

static bool learn(struct catalogue *catalogue, const struct mnp_source *source, const struct mnp_kernel *kernel,
                  const struct mnp_cta_code *code, uint32_t index)
{
    uint32_t length;
    const char *text = source->instruction_text(source, kernel, code, index, &length);
    MNP_REQUIRE(text && length <= MOST_TEXT, "an instruction that was loaded has no text");
    uint32_t place = place_of_text(catalogue, code->instructions[index].pc, text, length);
    catalogue->stamps[index] = catalogue->stamp;
    catalogue->names[index] = (uint16_t)place;
    return place < MOST_INDEXES;
}

/* Copies the records with their indices in the list. */
static void rename_records(struct catalogue *catalogue, const struct mnp_cta_code *code, uint64_t records,
                           struct mnp_cta_code *named)
{
    if (catalogue->record_capacity < records) {
        catalogue->record_capacity = records + records / 2;
        catalogue->records = mnp_reallocate(catalogue->records, catalogue->record_capacity, sizeof *catalogue->records);
    }
    if (catalogue->warp_capacity < code->warp_count) {
        catalogue->warp_capacity = code->warp_count;
        catalogue->warps = mnp_reallocate(catalogue->warps, catalogue->warp_capacity, sizeof *catalogue->warps);
    }
    struct mnp_record *record = catalogue->records;
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        const struct mnp_warp_stream *stream = &code->warps[warp];
        catalogue->warps[warp] = *stream;
        catalogue->warps[warp].records = record;
        for (uint64_t i = 0; i < stream->count; i++, record++) {
            *record = stream->records[i];
            record->index = catalogue->names[record->index];
        }
    }
    named->warps = catalogue->warps;
}

bool mtrace_catalogue_add(struct catalogue *catalogue, const struct mnp_source *source, const struct mnp_kernel *kernel,
                          const struct mnp_cta_code *code, struct mnp_cta_code *named)
{
    uint64_t records = 0;
    bool renamed = false;
    *named = *code;
    catalogue->stamp++;
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        const struct mnp_warp_stream *stream = &code->warps[warp];
        for (uint64_t i = 0; i < stream->count; i++) {
            uint32_t index = stream->records[i].index;
            if (catalogue->stamps[index] != catalogue->stamp && !learn(catalogue, source, kernel, code, index))
                return false;
            renamed |= catalogue->names[index] != index;
        }
        records += stream->count;
    }
    if (renamed)
        rename_records(catalogue, code, records, named);
    return true;
}
