/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/lives.h"

#include "base/allocate.h"
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static uint32_t class_of(const struct ptx_live_sets *sets, uint32_t number)
{
    uint32_t class = PTX_CLASS_COUNT - 1;
    while (class && number < sets->start[class])
        class --;
    return class;
}

/* ===== what takes no register ===== */

static void count_writers(struct ptx_lives *lives)
{
    for (uint32_t i = 0; i < lives->sets->graph.op_count; i++) {
        uint32_t refs[PTX_MOST_REFERENCES];
        uint32_t count = ptx_results_of(lives->decoder->code, ptx_lives_op(lives, i), refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = ptx_reference_number(lives->sets, refs[j]);
            if (number != PTX_NONE)
                lives->writers[number]++;
        }
    }
}

static bool is_block_size(const struct execute_code *code, uint32_t ref)
{
    for (uint32_t i = EXECUTE_SPECIAL_NTID_X; i <= EXECUTE_SPECIAL_NTID_Z; i++)
        if (code->special_offset[i] != PTX_NONE && code->special_offset[i] == (ref & EXECUTE_OFFSET_MASK))
            return true;
    return false;
}

/* Whether an instruction has it as an immediate or from the constant bank. */
static bool is_operand(const struct ptx_lives *lives, uint32_t ref)
{
    uint32_t base = ref >> EXECUTE_BASE_SHIFT, number = ptx_reference_number(lives->sets, ref);
    if (ref == EXECUTE_TRUE || base == EXECUTE_BASE_CONSTANT)
        return true;
    if (base == EXECUTE_BASE_SPECIAL)
        return is_block_size(lives->decoder->code, ref);
    return number != PTX_NONE && number >= lives->sets->start[PTX_CLASS_SMALL] && lives->writers[number] == 1 &&
           !ptx_value_at(lives, number)->width;
}

static bool copies_operands(const struct ptx_lives *lives, const struct execute_op *op)
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(lives->decoder->code, op, refs);
    bool copy = op->kind == EXECUTE_KIND_CVTA || (op->kind == EXECUTE_KIND_LANES && !op->sass &&
                                                  !(op->flags & (EXECUTE_OP_READS_B | EXECUTE_OP_READS_C)));
    for (uint32_t i = 0; copy && i < count; i++)
        copy = is_operand(lives, refs[i]);
    return copy;
}

/* Whether the assembler knows all inputs of an operation, and hence its result. */
static bool is_known(const struct ptx_lives *lives, const struct execute_op *op)
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(lives->decoder->code, op, refs);
    bool known = op->kind == EXECUTE_KIND_PART ||
                 (execute_kind_is(op->kind, EXECUTE_IS_PURE) && op->kind != EXECUTE_KIND_LOAD_PARAMETER);
    for (uint32_t i = 0; known && i < count; i++) {
        uint32_t number = ptx_reference_number(lives->sets, refs[i]);
        known = refs[i] == EXECUTE_TRUE || refs[i] >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_CONSTANT ||
                (number != PTX_NONE && lives->known[number]);
    }
    return known;
}

/* A parameter, also one that is read through an address that the assembler knows. */
static bool loads_parameter(const struct ptx_lives *lives, const struct execute_op *op)
{
    if (op->kind == EXECUTE_KIND_LOAD_PARAMETER)
        return true;
    if (op->kind != EXECUTE_KIND_LOAD || op->access.space != EXECUTE_SPACE_PARAM || op->a == EXECUTE_NO_REF)
        return false;
    uint32_t number = ptx_reference_number(lives->sets, op->a);
    return number != PTX_NONE && lives->known[number];
}

/* Finds values that are operands instead of registers: parameters, constants, values computed from constants, and
 * copies, if written once. */
static void find_operands(struct ptx_lives *lives)
{
    for (uint32_t i = 0; i < lives->sets->graph.op_count; i++) {
        const struct execute_op *op = ptx_lives_op(lives, i);
        bool loaded = loads_parameter(lives, op), known = is_known(lives, op);
        if (op->guard != EXECUTE_TRUE || (!loaded && !known && !copies_operands(lives, op)))
            continue;
        uint32_t refs[PTX_MOST_REFERENCES], count = ptx_results_of(lives->decoder->code, op, refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = ptx_reference_number(lives->sets, refs[j]);
            if (number == PTX_NONE || lives->writers[number] != 1)
                continue;
            ptx_value_at(lives, number)->width = 0;
            lives->known[number] = known;
            lives->pointer[number] = loaded && class_of(lives->sets, number) == PTX_CLASS_LARGE;
        }
    }
}

/* PTX ISA 9.0, wmma: fragments of A and B of halves have eight registers, in which each element is twice. Machine code
 * of ptxas 13.0 has each once, in four registers that ldmatrix loads. */
static void find_doubles(struct ptx_lives *lives)
{
    enum { REGISTERS = 8 };
    const struct execute_code *code = lives->decoder->code;
    for (uint32_t i = 0; i < lives->sets->graph.op_count; i++) {
        const struct execute_op *op = ptx_lives_op(lives, i);
        uint32_t refs[PTX_MOST_REFERENCES];
        if (op->kind != EXECUTE_KIND_WMMA_ACCESS || !op->variant)
            continue;
        const struct execute_matrix_form *form = (const struct execute_matrix_form *)code->matrices.items + op->matrix;
        bool factor = form->fragment == 'a' || form->fragment == 'b';
        if (!factor || form->a_type != EXECUTE_f16 || ptx_results_of(code, op, refs) != REGISTERS)
            continue;
        for (uint32_t j = REGISTERS / 2; j < REGISTERS; j++) {
            uint32_t number = ptx_reference_number(lives->sets, refs[j]);
            if (number != PTX_NONE && lives->writers[number] == 1)
                ptx_value_at(lives, number)->width = 0;
        }
    }
}

/* ===== uniform registers ===== */

/* A CTA's coordinate. */
static bool is_coordinate(const struct execute_code *code, uint32_t ref)
{
    if (ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_SPECIAL)
        return false;
    for (uint32_t i = EXECUTE_SPECIAL_CTAID_X; i <= EXECUTE_SPECIAL_CTAID_Z; i++)
        if (code->special_offset[i] != PTX_NONE && code->special_offset[i] == (ref & EXECUTE_OFFSET_MASK))
            return true;
    return false;
}

/* Whether all lanes have the same value, computed by operations that exist as uniform instructions: integers and
 * predicates. */
static bool is_uniform(const struct ptx_lives *lives, const bool *uniform, const struct execute_op *op)
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(lives->decoder->code, op, refs);
    bool same =
        op->kind == EXECUTE_KIND_PART || (execute_kind_is(op->kind, EXECUTE_IS_PURE) &&
                                          op->kind != EXECUTE_KIND_LOAD_PARAMETER && op->kind != EXECUTE_KIND_FLOAT);
    for (uint32_t i = 0; same && i < count; i++) {
        uint32_t number = ptx_reference_number(lives->sets, refs[i]);
        same = is_operand(lives, refs[i]) || is_coordinate(lives->decoder->code, refs[i]) ||
               (number != PTX_NONE && uniform[number]);
    }
    return same;
}

/* Marks values that are stored to memory: they must be in a thread's registers. */
static void find_given(const struct ptx_lives *lives, bool *given)
{
    for (uint32_t i = 0; i < lives->sets->graph.op_count; i++) {
        const struct execute_op *op = ptx_lives_op(lives, i);
        uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(lives->decoder->code, op, refs);
        for (uint32_t j = 0; j < count && execute_kinds[op->kind].memory == EXECUTE_MEMORY_WRITE; j++) {
            uint32_t number = ptx_reference_number(lives->sets, refs[j]);
            if (number != PTX_NONE && refs[j] != op->a)
                given[number] = true;
        }
    }
}

void ptx_lives_leave_uniform(struct ptx_lives *lives)
{
    bool *uniform = mnp_allocate((size_t)lives->sets->count + 1, sizeof *uniform);
    bool *given = mnp_allocate((size_t)lives->sets->count + 1, sizeof *given);
    find_given(lives, given);
    for (uint32_t i = 0; i < lives->sets->graph.op_count; i++) {
        const struct execute_op *op = ptx_lives_op(lives, i);
        uint32_t refs[PTX_MOST_REFERENCES], count = ptx_results_of(lives->decoder->code, op, refs);
        if (op->guard != EXECUTE_TRUE || !is_uniform(lives, uniform, op))
            continue;
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = ptx_reference_number(lives->sets, refs[j]);
            if (number == PTX_NONE || lives->writers[number] != 1)
                continue;
            uniform[number] = true;
            if (!given[number])
                ptx_value_at(lives, number)->width = 0;
        }
    }
    free(uniform);
    free(given);
}

/* ===== lives ===== */

static void add_piece(struct ptx_lives *lives, uint32_t number, uint32_t first, uint32_t end)
{
    if (!ptx_value_at(lives, number)->width || first >= end)
        return;
    *(struct ptx_piece *)mnp_array_add(&lives->pieces, 1, sizeof(struct ptx_piece)) =
        (struct ptx_piece){number, first, end};
    ptx_value_at(lives, number)->pieces++;
}

struct block {
    uint64_t *live;  /* [words] behind the operation that is looked at */
    uint32_t *until; /* [references] end of the lives of live values */
};

/* A guarded write preserves the old value in other lanes. Unused results of a texture instruction are masked out. */
static void step_results(struct ptx_lives *lives, struct block *block, const struct execute_op *op, uint32_t unit)
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_results_of(lives->decoder->code, op, refs);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = ptx_reference_number(lives->sets, refs[i]);
        if (number == PTX_NONE)
            continue;
        bool live = ptx_has_bit(block->live, number);
        if (!live && op->kind == EXECUTE_KIND_TEXTURE)
            continue;
        block->until[number] = live ? block->until[number] : unit + 1;
        if (op->guard == EXECUTE_TRUE) {
            add_piece(lives, number, unit, block->until[number]);
            ptx_clear_bit(block->live, number);
        } else {
            ptx_set_bit(block->live, number);
        }
    }
}

static void step_sources(struct ptx_lives *lives, struct block *block, const struct execute_op *op, uint32_t unit)
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(lives->decoder->code, op, refs);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = ptx_reference_number(lives->sets, refs[i]);
        if (number == PTX_NONE || ptx_has_bit(block->live, number))
            continue;
        ptx_set_bit(block->live, number);
        block->until[number] = unit;
    }
}

static void find_in_block(struct ptx_lives *lives, struct block *block, uint32_t b)
{
    uint32_t first = lives->sets->graph.block_first[b], end = lives->sets->graph.block_first[b + 1];
    ptx_live_out(lives->sets, b, block->live);
    for (size_t w = 0; w < lives->sets->words; w++)
        for (uint64_t rest = block->live[w]; rest; rest &= rest - 1)
            block->until[w * 64 + (uint32_t)__builtin_ctzll(rest)] = end + b + 1;
    for (uint32_t i = end; i-- > first;) {
        step_results(lives, block, ptx_lives_op(lives, i), i + b + 1);
        step_sources(lives, block, ptx_lives_op(lives, i), i + b + 1);
    }
    for (size_t w = 0; w < lives->sets->words; w++)
        for (uint64_t rest = block->live[w]; rest; rest &= rest - 1) {
            uint32_t number = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest);
            add_piece(lives, number, first + b, block->until[number]);
        }
}

/* First the changes, then their sums. */
static void find_pressure(struct ptx_lives *lives)
{
    const struct ptx_piece *pieces = lives->pieces.items;
    memset(lives->pressure, 0, (lives->units + 1) * sizeof *lives->pressure);
    for (uint32_t i = 0; i < lives->pieces.count; i++) {
        lives->pressure[pieces[i].first] += ptx_value_at(lives, pieces[i].value)->width;
        lives->pressure[pieces[i].end] -= ptx_value_at(lives, pieces[i].value)->width;
    }
    for (uint32_t i = 1; i <= lives->units; i++)
        lives->pressure[i] += lives->pressure[i - 1];
}

void ptx_lives_find(struct ptx_lives *lives)
{
    struct block block = {.live = mnp_allocate(lives->sets->words, sizeof *block.live),
                          .until = mnp_allocate((size_t)lives->sets->count + 1, sizeof *block.until)};
    lives->pieces.count = 0;
    lives->values.count = lives->sets->count;
    for (uint32_t n = 0; n < lives->sets->count; n++)
        ptx_value_at(lives, n)->pieces = 0;
    for (uint32_t b = 0; b < lives->sets->graph.block_count; b++)
        find_in_block(lives, &block, b);
    find_pressure(lives);
    free(block.live);
    free(block.until);
}

void ptx_lives_add(struct ptx_lives *lives, uint32_t width, uint32_t first, uint32_t end)
{
    uint32_t number = lives->values.count;
    *(struct ptx_value *)mnp_array_add(&lives->values, 1, sizeof(struct ptx_value)) =
        (struct ptx_value){.width = (uint8_t)width, .vector = PTX_NONE};
    add_piece(lives, number, first, end);
    for (uint32_t unit = first; unit < end; unit++)
        lives->pressure[unit] += width;
}

void ptx_lives_sort(struct ptx_lives *lives)
{
    const struct ptx_piece *pieces = lives->pieces.items;
    uint32_t next = 0;
    lives->sorted = mnp_reallocate(lives->sorted, (size_t)lives->pieces.count + 1, sizeof *lives->sorted);
    for (uint32_t n = 0; n < lives->values.count; n++) {
        struct ptx_value *value = ptx_value_at(lives, n);
        value->first_piece = next;
        next += value->pieces;
        value->pieces = 0;
        value->start = PTX_NONE;
    }
    for (uint32_t i = 0; i < lives->pieces.count; i++) {
        struct ptx_value *value = ptx_value_at(lives, pieces[i].value);
        lives->sorted[value->first_piece + value->pieces++] = pieces[i];
        value->start = pieces[i].first < value->start ? pieces[i].first : value->start;
    }
}

void ptx_lives_make(struct ptx_lives *lives, const struct ptx_decoder *decoder, const struct ptx_live_sets *sets)
{
    uint32_t ops = sets->graph.op_count;
    *lives = (struct ptx_lives){.decoder = decoder, .sets = sets, .units = ops + sets->graph.block_count};
    lives->order = mnp_allocate(ops, sizeof *lives->order);
    lives->writers = mnp_allocate((size_t)sets->count + 1, sizeof *lives->writers);
    lives->pointer = mnp_allocate((size_t)sets->count + 1, sizeof *lives->pointer);
    lives->known = mnp_allocate((size_t)sets->count + 1, sizeof *lives->known);
    lives->pressure = mnp_allocate((size_t)lives->units + 1, sizeof *lives->pressure);
    for (uint32_t i = 0; i < ops; i++)
        lives->order[i] = i;
    for (uint32_t n = 0; n < sets->count; n++)
        *(struct ptx_value *)mnp_array_add(&lives->values, 1, sizeof(struct ptx_value)) =
            (struct ptx_value){.width = ptx_class_registers[class_of(sets, n)], .vector = PTX_NONE};
    count_writers(lives);
    find_operands(lives);
    find_doubles(lives);
    ptx_lives_find(lives);
}

void ptx_lives_free(struct ptx_lives *lives)
{
    free(lives->order);
    free(lives->writers);
    free(lives->pointer);
    free(lives->known);
    free(lives->pressure);
    free(lives->values.items);
    free(lives->pieces.items);
    free(lives->sorted);
}
