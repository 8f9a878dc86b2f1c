/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register estimation by graph colouring: values that are never live in the same unit of time may share a register
 * (Chaitin et al., 1981). Wider values are coloured first, pairs and vectors at multiples of their width; then values
 * in the order of the start of their lives get the lowest free number. Register files of Volta and later have two
 * banks, the even and the odd numbers (Jia et al., arXiv 1804.06826). Like ptxas 13.0, the sources of an instruction
 * are placed in different banks, unless that takes the kernel beyond 32 registers, which all threads of an SM can have;
 * pairs count as even.
 */
#include "frontend/ptx/compile/registers.h"

#include "base/allocate.h"
#include "frontend/ptx/compile/lives.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 512,     /* number of registers available; further values share the last one */
    STACK_POINTER = 1,   /* R1 is reserved */
    RESERVED = 2,        /* counted, and never seen in machine code: of Volta and later (ptxas 13.0) */
    FREE_REGISTERS = 32, /* available to each of the 2048 threads of an SM */
    CALL_REGISTERS = 24, /* minimum for functions that call others: the calling convention of ptxas 13.0 */
    MOST_VECTOR = 8,     /* registers of a vector */
    MOST_BANKED = 6,     /* maximum number of sources considered for bank conflicts */
};

struct colours {
    struct ptx_lives lives;
    uint64_t *rows[MOST_ROWS]; /* [units / 64 + 1] units in which a register is taken; NULL: never */
    uint32_t used;             /* the highest number that is taken, plus one */
    uint32_t banked;           /* registers below which banks are looked at; 0: they are not */
    uint32_t *sorted, count;   /* values that live, by the start of their lives */
};

/* ===== banks, vectors ===== */

/* Assigns banks: wide values use both, beginning with the even one; of three narrow sources, the first and the last
 * should differ. */
static void choose_banks(struct ptx_lives *lives, const struct execute_op *op)
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(lives->decoder->code, op, refs), narrow = 0;
    struct ptx_value *values[MOST_BANKED];
    bool wide = false;
    if (count > MOST_BANKED || op->kind == EXECUTE_KIND_PART)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = ptx_reference_number(lives->sets, refs[i]);
        if (number == PTX_NONE)
            continue;
        wide |= ptx_value_at(lives, number)->width > 1 || lives->pointer[number];
        if (ptx_value_at(lives, number)->width == 1)
            values[narrow++] = ptx_value_at(lives, number);
    }
    for (uint32_t i = 0; wide && i < narrow; i++)
        values[i]->bank = values[i]->bank ? values[i]->bank : PTX_BANK_ODD;
    if (wide || narrow < 2 || values[0] == values[narrow - 1])
        return;
    struct ptx_value *a = values[0], *b = values[narrow - 1];
    if (!a->bank)
        a->bank = b->bank == PTX_BANK_EVEN ? PTX_BANK_ODD : PTX_BANK_EVEN;
    if (!b->bank)
        b->bank = a->bank == PTX_BANK_EVEN ? PTX_BANK_ODD : PTX_BANK_EVEN;
}

static bool gives_vector(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_MATRIX || op->kind == EXECUTE_KIND_LOAD_MATRIX ||
           op->kind == EXECUTE_KIND_TEXTURE;
}

/* The results of an operation that lie side by side; 0: they need not. */
static uint32_t vector_of(const struct ptx_lives *lives, const struct execute_op *op, uint32_t members[MOST_VECTOR])
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_results_of(lives->decoder->code, op, refs), width = 0;
    if (count < 2 || count > MOST_VECTOR || !gives_vector(op))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        members[i] = ptx_reference_number(lives->sets, refs[i]);
        if (members[i] == PTX_NONE || !ptx_value_at(lives, members[i])->pieces)
            return 0;
        width += ptx_value_at(lives, members[i])->width;
    }
    return width <= MOST_VECTOR ? count : 0;
}

/* ===== colours ===== */

/* The bits of a word that are units from `first` up to `end`. */
static uint64_t units_in(uint32_t word, uint32_t first, uint32_t end)
{
    uint64_t bits = ~UINT64_C(0);
    bits &= first / 64 == word ? ~UINT64_C(0) << first % 64 : bits;
    bits &= end / 64 == word ? (UINT64_C(1) << end % 64) - 1 : bits;
    return bits;
}

static bool is_free(const struct colours *c, const struct ptx_value *value, uint32_t reg)
{
    if (reg + value->width > MOST_ROWS || (reg <= STACK_POINTER && reg + value->width > STACK_POINTER))
        return false;
    for (uint32_t r = reg; r < reg + value->width; r++)
        for (uint32_t i = 0; c->rows[r] && i < value->pieces; i++) {
            const struct ptx_piece *piece = &c->lives.sorted[value->first_piece + i];
            for (uint32_t word = piece->first / 64; word <= (piece->end - 1) / 64; word++)
                if (c->rows[r][word] & units_in(word, piece->first, piece->end))
                    return false;
        }
    return true;
}

static void take(struct colours *c, struct ptx_value *value, uint32_t reg)
{
    value->reg = (uint16_t)(reg + 1);
    c->used = reg + value->width > c->used ? reg + value->width : c->used;
    for (uint32_t r = reg; r < reg + value->width; r++) {
        if (!c->rows[r])
            c->rows[r] = mnp_allocate(c->lives.units / 64 + 1, sizeof *c->rows[r]);
        for (uint32_t i = 0; i < value->pieces; i++) {
            const struct ptx_piece *piece = &c->lives.sorted[value->first_piece + i];
            for (uint32_t word = piece->first / 64; word <= (piece->end - 1) / 64; word++)
                c->rows[r][word] |= units_in(word, piece->first, piece->end);
        }
    }
}

/* Whether a register is taken where a value's life begins, as most that are not free are. */
static inline bool is_taken(const struct colours *c, const struct ptx_value *value, uint32_t reg)
{
    return c->rows[reg] && c->rows[reg][value->start / 64] >> value->start % 64 & 1;
}

/* Finds a register for a value. If none is free, the value gets none, and the number in use becomes MOST_ROWS. */
static void place(struct colours *c, struct ptx_value *value)
{
    for (uint32_t r = value->bank == PTX_BANK_ODD; value->width == 1 && value->bank && r < c->banked; r += 2)
        if (!is_taken(c, value, r) && is_free(c, value, r)) {
            take(c, value, r);
            return;
        }
    for (uint32_t r = 0; r < MOST_ROWS; r += value->width)
        if (!is_taken(c, value, r) && is_free(c, value, r)) {
            take(c, value, r);
            return;
        }
    c->used = MOST_ROWS;
}

static bool take_vector(struct colours *c, const uint32_t *members, uint32_t count, uint32_t reg)
{
    for (uint32_t i = 0, at = reg; i < count; at += ptx_value_at(&c->lives, members[i++])->width)
        if (!is_free(c, ptx_value_at(&c->lives, members[i]), at))
            return false;
    for (uint32_t i = 0, at = reg; i < count; at += ptx_value_at(&c->lives, members[i++])->width)
        take(c, ptx_value_at(&c->lives, members[i]), at);
    return true;
}

/* Places vectors at multiples of two or four, unless a part belongs to another vector already. */
static void place_vectors(struct colours *c)
{
    for (uint32_t i = 0; i < c->lives.sets->graph.op_count; i++) {
        uint32_t members[MOST_VECTOR], count = vector_of(&c->lives, ptx_lives_op(&c->lives, i), members), width = 0;
        for (uint32_t j = 0; j < count; j++) {
            width += ptx_value_at(&c->lives, members[j])->width;
            count = ptx_value_at(&c->lives, members[j])->reg ? 0 : count;
        }
        uint32_t align = width > 2 ? 4 : 2;
        for (uint32_t reg = align; count && reg < MOST_ROWS; reg += align)
            if (take_vector(c, members, count, reg))
                break;
    }
}

/* Colours all values; returns the number of registers, including reserved ones. */
static uint32_t colour(struct colours *c, uint32_t banked)
{
    for (uint32_t r = 0; r < MOST_ROWS; r++)
        if (c->rows[r])
            memset(c->rows[r], 0, (c->lives.units / 64 + 1) * sizeof *c->rows[r]);
    for (uint32_t n = 0; n < c->lives.values.count; n++)
        ptx_value_at(&c->lives, n)->reg = 0;
    c->banked = banked;
    c->used = STACK_POINTER + 1;
    place_vectors(c);
    for (uint32_t width = 4; width; width /= 2)
        for (uint32_t i = 0; i < c->count; i++) {
            struct ptx_value *value = ptx_value_at(&c->lives, c->sorted[i]);
            if (value->width == width && !value->reg)
                place(c, value);
        }
    return c->used + RESERVED;
}

/* Sorts by the start of their lives; within one unit of time by number. */
static void sort_values(struct colours *c)
{
    const struct ptx_lives *lives = &c->lives;
    uint32_t *next = mnp_allocate((size_t)lives->units + 2, sizeof *next);
    c->sorted = mnp_reallocate(c->sorted, (size_t)lives->values.count + 1, sizeof *c->sorted);
    c->count = 0;
    for (uint32_t n = 0; n < lives->values.count; n++)
        if (ptx_value_at(lives, n)->pieces) {
            next[ptx_value_at(lives, n)->start + 1]++;
            c->count++;
        }
    for (uint32_t unit = 0; unit < lives->units; unit++)
        next[unit + 1] += next[unit];
    for (uint32_t n = 0; n < lives->values.count; n++)
        if (ptx_value_at(lives, n)->pieces)
            c->sorted[next[ptx_value_at(lives, n)->start]++] = n;
    free(next);
}

/* Colours with operations delayed and, if `loads` is set, with loads delayed, too. */
static uint32_t colour_late(struct colours *c, bool loads)
{
    ptx_lives_sink(&c->lives, loads);
    ptx_lives_find(&c->lives);
    ptx_lives_add_others(&c->lives);
    ptx_lives_sort(&c->lives);
    sort_values(c);
    return colour(c, 0);
}

/* Selects the best variant: as many loads as possible are issued early; banks are considered if there are enough
 * registers. If there are not, uniform values are first moved to uniform registers. */
static uint32_t colour_best(struct colours *c)
{
    uint32_t registers = colour_late(c, false);
    if (registers > FREE_REGISTERS) {
        ptx_lives_leave_uniform(&c->lives);
        registers = colour_late(c, false);
    }
    if (registers > FREE_REGISTERS) {
        registers = colour_late(c, true);
        return registers > FREE_REGISTERS ? registers : FREE_REGISTERS;
    }
    for (uint32_t i = 0; i < c->lives.sets->graph.op_count; i++)
        choose_banks(&c->lives, ptx_lives_op(&c->lives, i));
    registers = colour(c, FREE_REGISTERS - RESERVED);
    return registers < FREE_REGISTERS ? registers : FREE_REGISTERS;
}

static bool calls(const struct ptx_lives *lives)
{
    for (uint32_t i = 0; i < lives->sets->graph.op_count; i++) {
        uint8_t kind = ptx_lives_op(lives, i)->kind;
        if (kind == EXECUTE_KIND_CALL || kind == EXECUTE_KIND_SYSTEM)
            return true;
    }
    return false;
}

uint32_t ptx_estimate_registers(const struct ptx_decoder *decoder, const struct ptx_live_sets *sets)
{
    struct colours *c = mnp_allocate(1, sizeof *c);
    ptx_lives_make(&c->lives, decoder, sets);
    ptx_lives_add_others(&c->lives);
    uint32_t registers = colour_best(c);
    if (registers < CALL_REGISTERS && calls(&c->lives))
        registers = CALL_REGISTERS;
    for (uint32_t r = 0; r < MOST_ROWS; r++)
        free(c->rows[r]);
    free(c->sorted);
    ptx_lives_free(&c->lives);
    free(c);
    return registers;
}
