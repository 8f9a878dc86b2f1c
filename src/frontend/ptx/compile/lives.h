/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of a decoded function, as machine code would have them, and their live ranges: the input of register
 * estimation (registers.h). There is a unit of time behind each operation, and one before each block; a source that is
 * read for the last time and the result of that operation are never live in the same unit.
 */
#ifndef FRONTEND_PTX_COMPILE_LIVES_H
#define FRONTEND_PTX_COMPILE_LIVES_H

#include "frontend/ptx/compile/live_sets.h"

/* The lower bit of a register's number is its bank. */
enum ptx_bank { PTX_BANK_ANY, PTX_BANK_EVEN, PTX_BANK_ODD };

struct ptx_piece { /* part of a value's life: units from `first` up to `end`, exclusive */
    uint32_t value, first, end;
};

/* A value that needs one or more adjacent machine registers. */
struct ptx_value {
    uint8_t width;                /* number of adjacent 32-bit registers; 0: it needs none */
    uint8_t bank;                 /* preferred bank: enum ptx_bank */
    uint16_t reg;                 /* assigned register plus one; 0: none yet */
    uint32_t vector;              /* first value of the vector to which it belongs; PTX_NONE: none */
    uint32_t first_piece, pieces; /* range in `sorted` */
    uint32_t start;               /* first unit of its life */
};

struct ptx_lives {
    const struct ptx_decoder *decoder;
    const struct ptx_live_sets *sets;
    uint32_t units;
    uint32_t *order;         /* [operations] machine-code order; units of time refer to it */
    uint32_t *writers;       /* [references] number of operations that write it */
    bool *pointer;           /* [references] it is a pointer among the kernel's parameters */
    bool *known;             /* [references] it is written once, and its value is computed from constants */
    struct mnp_array values; /* struct ptx_value: references of the function, then others */
    struct mnp_array pieces; /* struct ptx_piece */
    struct ptx_piece *sorted;
    uint32_t *pressure; /* [units + 1] registers in use */
};

static inline struct execute_op *ptx_lives_op(const struct ptx_lives *lives, uint32_t place)
{
    return execute_op_at(lives->decoder->code, lives->sets->graph.first_op + lives->order[place]);
}

static inline struct ptx_value *ptx_value_at(const struct ptx_lives *lives, uint32_t number)
{
    return (struct ptx_value *)lives->values.items + number;
}

/* Finds the values of the decoder's current function and their lives, in the order of its operations. */
void ptx_lives_make(struct ptx_lives *lives, const struct ptx_decoder *decoder, const struct ptx_live_sets *sets);
/* Recomputes all lives after a change of the order. */
void ptx_lives_find(struct ptx_lives *lives);
/* Adds a value with a life of one piece. */
void ptx_lives_add(struct ptx_lives *lives, uint32_t width, uint32_t first, uint32_t end);
/* Sorts the pieces, so that those of each value are adjacent; no more values may be added. */
void ptx_lives_sort(struct ptx_lives *lives);
/* Removes values that are computed only from parameters and a CTA's coordinates, because they use uniform registers
 * (Turing and later). Lives must then be recomputed. */
void ptx_lives_leave_uniform(struct ptx_lives *lives);
void ptx_lives_free(struct ptx_lives *lives);

/* lives_others.c: adds values that are not PTX registers: pointers among the parameters at their uses, and temporaries
 * of the slow paths of divisions and roots. */
void ptx_lives_add_others(struct ptx_lives *lives);
/* sink.c: blocks in which many registers are in use have their operations as late as their results are needed; if
 * `loads`, those from memory too. */
void ptx_lives_sink(struct ptx_lives *lives, bool loads);

#endif
