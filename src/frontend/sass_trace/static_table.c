/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/static_table.h"

#include <sys/mman.h>

/* Instructions of a CTA's own table that are not where their PC says. They are in lists by the place that they would
 * have; 0 ends a list, so that place 0 is no variant's. */
struct variants {
    uint32_t used_count, most_used;
    uint32_t next_free;                /* variants go downwards from here */
    uint16_t first[MOST_INSTRUCTIONS]; /* indexed by PC / 16 modulo their number */
    uint16_t next[MOST_INSTRUCTIONS];  /* indexed by place */
    uint16_t used[MOST_INSTRUCTIONS];  /* places that are taken, for emptying the table */
};

enum {
    INSTRUCTION_SPACE = MOST_INSTRUCTIONS * sizeof(struct mnp_static_instruction),
    TEXT_SPACE = MOST_INSTRUCTIONS * sizeof(struct static_text),
};

static size_t space_of(bool own)
{
    return INSTRUCTION_SPACE + TEXT_SPACE + (own ? sizeof(struct variants) : 0);
}

bool trace_static_table_open(struct static_table *table, bool own)
{
    /* A single mapping, because thousands of CTAs may be loaded and the kernel limits the number of mappings. */
    char *space = mmap(NULL, space_of(own), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return false;
    *table = (struct static_table){.instructions = (struct mnp_static_instruction *)space,
                                   .texts = (struct static_text *)(space + INSTRUCTION_SPACE)};
    if (own) {
        table->variants = (struct variants *)(space + INSTRUCTION_SPACE + TEXT_SPACE);
        table->variants->next_free = MOST_INSTRUCTIONS;
    }
    return true;
}

void trace_static_table_close(struct static_table *table)
{
    if (table->instructions)
        munmap(table->instructions, space_of(table->variants != NULL));
    *table = (struct static_table){0};
}

static uint32_t home_of(uint32_t pc)
{
    return pc / PC_STEP % MOST_INSTRUCTIONS;
}

void trace_static_table_reset(struct static_table *table)
{
    struct variants *variants = table->variants;
    for (uint32_t i = 0; i < variants->used_count; i++) {
        uint16_t index = variants->used[i];
        atomic_store_explicit(&table->texts[index].ready, 0, memory_order_relaxed);
        variants->first[home_of(table->instructions[index].pc)] = 0;
    }
    variants->used_count = 0;
    variants->next_free = MOST_INSTRUCTIONS;
}

size_t trace_static_table_bytes(const struct static_table *table)
{
    size_t each = sizeof *table->instructions + sizeof *table->texts + 3 * sizeof(uint16_t);
    return table->variants ? table->variants->most_used * each : 0;
}

uint32_t trace_static_table_find(const struct static_table *table, uint32_t pc, const char *text, const char *end)
{
    uint32_t home = home_of(pc);
    if (static_match(table, home, pc, text, end))
        return home;
    for (uint32_t index = table->variants->first[home]; index; index = table->variants->next[index])
        if (static_match(table, index, pc, text, end))
            return index;
    return MOST_INSTRUCTIONS;
}

uint32_t trace_static_table_choose(struct static_table *table, uint32_t pc)
{
    uint32_t home = home_of(pc);
    struct variants *variants = table->variants;
    if (static_has_home(pc) && !static_is_ready(table, home))
        return home;
    while (variants->next_free > 1) {
        uint32_t index = --variants->next_free;
        if (static_is_ready(table, index))
            continue;
        variants->next[index] = variants->first[home];
        variants->first[home] = (uint16_t)index;
        return index;
    }
    return MOST_INSTRUCTIONS;
}

void trace_static_table_put(struct static_table *table, uint32_t index,
                            const struct mnp_static_instruction *instruction, const char *text, size_t length)
{
    struct static_text *known = &table->texts[index];
    struct variants *variants = table->variants;
    table->instructions[index] = *instruction;
    known->length = (uint8_t)length;
    memcpy(known->text, text, length);
    if (variants) {
        variants->used[variants->used_count++] = (uint16_t)index;
        if (variants->used_count > variants->most_used)
            variants->most_used = variants->used_count;
    }
    atomic_store_explicit(&known->ready, 1, memory_order_release);
}
