/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of static instructions, with the texts that identify lines whose instruction is already decoded.
 *
 * One table is shared by all CTAs of a kernel: the instruction at a PC has the index PC / 16, so that an index does not
 * depend on which thread sees the instruction first. An entry is written once, under the kernel's lock, and then
 * published.
 *
 * Tracers count the PCs of each function from 0, so in a program with functions that were not inlined, one PC may have
 * several instructions. The first one seen in the shared table would depend on the host; therefore the shared table
 * never resolves a conflict. A CTA that contains another text than the table's, or a PC without an entry in it, is
 * parsed again with a table of its own. There, the first text at a PC also has the index PC / 16, and each further one
 * the highest free index. A record's index and its meaning therefore depend only on the CTA's text.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_STATIC_TABLE_H
#define MNP_FRONTEND_SASS_TRACE_STATIC_TABLE_H

#include "contract/instruction.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 65536, STATIC_TEXT = 94, PC_STEP = 16 };

struct static_text { /* the text between mask and memory width */
    _Atomic uint8_t ready;
    uint8_t length;
    char text[STATIC_TEXT];
};

struct variants;

struct static_table {
    /* [MOST_INSTRUCTIONS], reserved address space; only used pages are backed */
    struct mnp_static_instruction *instructions;
    struct static_text *texts; /* [MOST_INSTRUCTIONS], likewise */
    struct variants *variants; /* texts of a CTA's own table; NULL: the table is shared */
};

/* Reserves an empty table. False: there is no memory for it. */
bool trace_static_table_open(struct static_table *table, bool own);
void trace_static_table_close(struct static_table *table);

/* Empties a CTA's own table for the next CTA. */
void trace_static_table_reset(struct static_table *table);

/* Memory that the fullest state of a CTA's own table has taken. */
size_t trace_static_table_bytes(const struct static_table *table);

/* The place of an instruction in a CTA's own table; MOST_INSTRUCTIONS: it is not there. */
uint32_t trace_static_table_find(const struct static_table *table, uint32_t pc, const char *text, const char *end);

/* The place for a new instruction; MOST_INSTRUCTIONS: the table is full. */
uint32_t trace_static_table_choose(struct static_table *table, uint32_t pc);

/* Enters an instruction at a place that has been chosen, and publishes it. */
void trace_static_table_put(struct static_table *table, uint32_t index,
                            const struct mnp_static_instruction *instruction, const char *text, size_t length);

/* Whether PCs are where a table has a place of their own for them. */
static inline bool static_has_home(uint64_t pc)
{
    return pc % PC_STEP == 0 && pc / PC_STEP < MOST_INSTRUCTIONS;
}

static inline bool static_is_ready(const struct static_table *table, uint32_t index)
{
    return atomic_load_explicit(&table->texts[index].ready, memory_order_acquire);
}

/* Steps over the text of the instruction at a place. NULL: another instruction, or none, is there. */
static inline const char *static_match(const struct static_table *table, uint32_t index, uint64_t pc, const char *text,
                                       const char *end)
{
    const struct static_text *known = &table->texts[index];
    if (!static_is_ready(table, index) || table->instructions[index].pc != pc || known->length > (size_t)(end - text) ||
        memcmp(known->text, text, known->length) != 0)
        return NULL;
    return text + known->length;
}

#endif
