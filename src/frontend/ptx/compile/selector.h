/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about a function for the passes of the selection (select.h): the number of operations that write and read a
 * reference. A reference with a single, unguarded writer has the same value wherever that operation dominates; the same
 * holds for the operation's sources of this kind.
 */
#ifndef FRONTEND_PTX_COMPILE_SELECTOR_H
#define FRONTEND_PTX_COMPILE_SELECTOR_H

#include "frontend/ptx/compile/flow.h"
#include "frontend/ptx/compile/references.h"
#include "frontend/ptx/operations/sass.h"

/* State of the selection for one function. Passes mark operations as dead; select.c removes them at the end. */
struct ptx_selector {
    struct ptx_decoder *decoder;
    const struct execute_words_table *table;
    uint32_t first, count; /* the function's operations; places are counted from its first one */
    struct ptx_graph graph;
    uint32_t *dominator;             /* [blocks] */
    uint32_t start[PTX_CLASS_COUNT]; /* number of a class's first reference */
    uint32_t references;             /* total number in all classes, with those that passes add */
    uint32_t *writers, *readers;     /* [references] number of operations that write it, and that read it */
    uint32_t *writer;                /* [references] position of the last operation that writes it */
    uint32_t *sums;                  /* [references] select_fuse.c: reads of them by 64-bit sums */
    bool *dead;                      /* [count] operations to be removed */
};

static inline struct execute_op *ptx_select_op(const struct ptx_selector *s, uint32_t place)
{
    return execute_op_at(s->decoder->code, s->first + place);
}

static inline bool ptx_select_is(const struct ptx_selector *s, const struct execute_op *op, enum execute_lane lane)
{
    return op->kind == EXECUTE_KIND_LANES && op->words == s->table->lanes[lane];
}

static inline bool ptx_select_in_frame(uint32_t ref)
{
    return ref != EXECUTE_NO_REF && ref >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_FRAME;
}

/* The number of a reference into the frame. */
static inline uint32_t ptx_select_number(const struct ptx_selector *s, uint32_t ref)
{
    return s->start[ptx_ref_class(ref)] + (ref & ((1u << PTX_CLASS_SHIFT) - 1));
}

/* Counts readers and writers anew, without the dead. */
void ptx_select_count(struct ptx_selector *s);
/* Takes the first bytes of a constant, at most 8, as a number. False: the reference is none of a constant. */
bool ptx_select_constant(const struct ptx_selector *s, uint32_t ref, uint32_t bytes, uint64_t *value);
/* The position of the single, unguarded operation that writes a reference and dominates `place`; PTX_NONE: there is
 * none. */
uint32_t ptx_select_writer(const struct ptx_selector *s, uint32_t ref, uint32_t place);
/* Whether every way to `to` leads through `from`. */
bool ptx_select_dominates(const struct ptx_selector *s, uint32_t from, uint32_t to);
bool ptx_select_writes(const struct ptx_selector *s, uint32_t place, uint32_t ref);
/* Whether a reference that is read at `from` has the same value at `to`, to which every way leads through `from`. */
bool ptx_select_unchanged(const struct ptx_selector *s, uint32_t ref, uint32_t from, uint32_t to);
/* How many operations read a reference. */
static inline uint32_t ptx_select_readers(const struct ptx_selector *s, uint32_t ref)
{
    return s->readers[ptx_select_number(s, ref)];
}

/* select_copies.c: replaces copies by their sources in readers, and writes results directly to the destinations of
 * later moves. */
void ptx_select_copies(struct ptx_selector *s);
void ptx_select_coalesce(struct ptx_selector *s);
/* select_regions.c: numbers the region of each operation. */
void ptx_select_regions(const struct ptx_selector *s, uint32_t *regions);

/* select_contract.c: a product or a sum of floating point, as its statement is written. */
enum ptx_contract_kind { PTX_CONTRACT_NONE, PTX_CONTRACT_PRODUCT, PTX_CONTRACT_SUM, PTX_CONTRACT_DIFFERENCE };
struct ptx_contract_form {
    uint8_t kind; /* enum ptx_contract_kind; NONE also where a rounding is stated */
    uint8_t type; /* number of the type among those that are contracted */
    bool flush, saturate;
};
/* Reads an opcode's text, "mul.ftz.f32". */
struct ptx_contract_form ptx_contract_form_of(const char *text);
/* The form of an operation. */
struct ptx_contract_form ptx_select_form(const struct ptx_selector *s, uint32_t place);
void ptx_select_contract(struct ptx_selector *s);

/* select_names.c: tells values apart that products share a register with. */
void ptx_select_names(struct ptx_selector *s);

/* select_divisors.c: marks divisions by a value whose reciprocal is there. */
void ptx_select_divisors(struct ptx_selector *s);

/* select_fuse.c */
void ptx_select_fuse(struct ptx_selector *s);
/* Marks dead operations. */
void ptx_select_sweep(struct ptx_selector *s);
/* Converts atomics whose results are unused to reductions, as ptxas converts atom to RED; runs after the sweep. */
void ptx_select_reductions(struct ptx_selector *s);

#endif
