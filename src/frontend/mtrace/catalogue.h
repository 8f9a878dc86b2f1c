/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The static instructions of a kernel that is being written. In a source, each CTA may have a table of its own, and one
 * PC may have several texts; a packed kernel has one list. The first text at a PC has the index PC / 16, and each
 * further one the highest free index, so the list depends only on the order of the trace.
 */
#ifndef MNP_FRONTEND_MTRACE_CATALOGUE_H
#define MNP_FRONTEND_MTRACE_CATALOGUE_H

#include "contract/instruction.h"
#include "frontend/mtrace/bytes.h"

struct catalogue_entry {
    uint32_t pc, offset; /* the latter into the texts */
    uint8_t length;
    bool used;
    uint16_t next; /* next entry with the same home index; 0: none */
};

struct catalogue {
    struct catalogue_entry *entries; /* [MOST_INDEXES] */
    uint16_t *first;                 /* [MOST_INDEXES] of the entries that are not at their place; 0: none */
    uint32_t next_free;              /* such entries go downwards from here */
    struct bytes text;

    uint64_t *stamps; /* [MOST_INDEXES] by a CTA's index: the CTA that `names` was made for */
    uint64_t stamp;
    uint16_t *names; /* [MOST_INDEXES] by a CTA's index: that in the list */
    struct mnp_warp_stream *warps;
    struct mnp_record *records; /* records of a CTA whose indices differ in the list */
    size_t warp_capacity, record_capacity;
};

void mtrace_catalogue_init(struct catalogue *catalogue);
void mtrace_catalogue_release(struct catalogue *catalogue);

/* A new kernel. */
void mtrace_catalogue_start(struct catalogue *catalogue);

/* Enters the instructions of a CTA. `named` becomes the CTA with indices into the list, valid until the next call; it
 * shares memory with `code`. False: the list is full. */
bool mtrace_catalogue_add(struct catalogue *catalogue, const struct mnp_source *source, const struct mnp_kernel *kernel,
                          const struct mnp_cta_code *code, struct mnp_cta_code *named);

/* Whether an entry is where its PC says. */
static inline bool catalogue_at_home(const struct catalogue *catalogue, uint32_t index)
{
    return catalogue->entries[index].pc == index * PC_BYTES;
}

#endif
