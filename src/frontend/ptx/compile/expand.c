/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/expand.h"

#include "base/allocate.h"
#include "frontend/ptx/compile/flow.h"
#include "frontend/ptx/compile/select.h"
#include "frontend/ptx/operations/origin.h"
#include "frontend/ptx/operations/sass.h"
#include "frontend/ptx/operations/sequences.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 128 }; /* instructions of a sequence */

static const char *sequence_at(const struct ptx_decoder *decoder, const struct execute_op *op)
{
    bool candidate = op->kind == EXECUTE_KIND_LANES || op->kind == EXECUTE_KIND_FLOAT ||
                     op->kind == EXECUTE_KIND_TEST || op->kind == EXECUTE_KIND_SELECT;
    if (op->kind == EXECUTE_KIND_LANES && (op->sass == PTX_SASS_LEA_HI_X || op->sass == PTX_SASS_IADD3_X))
        return op->sass == PTX_SASS_LEA_HI_X ? "L0Y1" : "a0x1";
    if (!candidate || op->sass)
        return NULL;
    const struct ptx_opcode *opcode = ptx_opcode_of(decoder->code, op);
    bool constant = op->flags & EXECUTE_OP_READS_B && op->b >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_CONSTANT;
    if (op->kind == EXECUTE_KIND_LANES && op->variant == PTX_KNOWN_DIVISOR && opcode->sequence_again)
        return opcode->sequence_again;
    return constant ? opcode->sequence_by_constant : opcode->sequence;
}

/* Makes the operation read one register more. */
static void add_source(struct ptx_decoder *decoder, struct execute_op *op, uint32_t ref)
{
    uint32_t count = (uint32_t)op->list_results + op->list_sources, first = decoder->code->list.count;
    for (uint32_t i = 0; i < count; i++)
        ptx_list_add(decoder, ((const uint32_t *)decoder->code->list.items)[op->list + i]);
    ptx_list_add(decoder, ref);
    op->list = first;
    op->list_sources++;
}

/* Emits the instructions in front of `op`, which is the last one. In a guarded sequence they write no registers:
 * otherwise the old values would be preserved in other lanes, and count as live from the beginning. */
static void put(struct ptx_decoder *decoder, const char *sequence, struct execute_op *op, struct execute_op *to)
{
    uint32_t count = (uint32_t)strlen(sequence) / 2, results[MOST];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t back = (uint32_t)(sequence[2 * i + 1] - '0');
        bool waits = back && op->guard == EXECUTE_TRUE;
        struct execute_op *made = i + 1 < count ? &to[i] : op;
        if (made != op) {
            *made = ptx_empty_op(EXECUTE_KIND_PART, op->list, op->statement);
            made->guard = op->guard;
            made->guard_flip = op->guard_flip;
            results[i] = made->guard == EXECUTE_TRUE ? ptx_new_ref(decoder, PTX_CLASS_SMALL) : EXECUTE_NO_REF;
            made->d = results[i];
            made->flags = results[i] == EXECUTE_NO_REF ? 0 : EXECUTE_OP_WRITES_D;
            if (back == 0) {
                made->flags |= op->flags & (EXECUTE_OP_READS_A | EXECUTE_OP_READS_B);
                made->a = op->a;
                made->b = op->b;
            } else if (waits) {
                made->flags |= EXECUTE_OP_READS_A;
                made->a = results[i - back];
            }
        } else if (waits) {
            add_source(decoder, op, results[i - back]);
        }
        made->sass = ptx_sequence_sass(sequence[2 * i]);
    }
}

/* The instructions of a reciprocal in front of a loop; returns how many they are. `to`: NULL: only counts. */
static uint32_t put_reciprocal(struct ptx_decoder *decoder, const struct ptx_reciprocal *reciprocal,
                               const struct execute_op *before, struct execute_op *to)
{
    const char *sequence = ptx_sequence_reciprocal(reciprocal->is_signed);
    uint32_t count = (uint32_t)strlen(sequence) / 2, results[MOST];
    for (uint32_t i = 0; i < count && to; i++) {
        uint32_t back = (uint32_t)(sequence[2 * i + 1] - '0');
        to[i] = ptx_empty_op(EXECUTE_KIND_PART, before->list, before->statement);
        to[i].d = results[i] = ptx_new_ref(decoder, PTX_CLASS_SMALL);
        to[i].a = back ? results[i - back] : reciprocal->ref;
        to[i].flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
        to[i].sass = ptx_sequence_sass(sequence[2 * i]);
    }
    return count;
}

/* The reciprocals in front of an operation; returns how many instructions they are. */
static uint32_t put_reciprocals(struct ptx_decoder *decoder, uint32_t place, const struct execute_op *op,
                                struct execute_op *to)
{
    const struct ptx_reciprocal *all = decoder->reciprocals.items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < decoder->reciprocals.count; i++)
        if (all[i].place == place)
            count += put_reciprocal(decoder, &all[i], op, to ? to + count : NULL);
    return count;
}

void ptx_expand(struct ptx_decoder *decoder, uint32_t first_target)
{
    struct execute_code *code = decoder->code;
    struct execute_code_function *place = execute_code_function_at(code, decoder->place);
    uint32_t count = place->op_count, total = 0;
    const char **sequences = mnp_allocate(count, sizeof *sequences);
    for (uint32_t i = 0; i < count; i++) {
        sequences[i] = sequence_at(decoder, execute_op_at(code, place->first_op + i));
        total += sequences[i] ? (uint32_t)strlen(sequences[i]) / 2 : 1;
        total += put_reciprocals(decoder, i, NULL, NULL);
    }
    /* limit of the sequence: the number that timing models can represent */
    if (total != count && place->first_op + total <= UINT16_MAX) {
        struct execute_op *made = mnp_allocate(total, sizeof *made);
        uint32_t *to = mnp_allocate(count, sizeof *to), at = 0;
        for (uint32_t i = 0; i < count; i++) {
            struct execute_op *op = execute_op_at(code, place->first_op + i);
            to[i] = place->first_op + at;
            at += put_reciprocals(decoder, i, op, made + at);
            if (sequences[i]) {
                put(decoder, sequences[i], op, made + at);
                at += (uint32_t)strlen(sequences[i]) / 2 - 1;
            }
            made[at++] = *op;
        }
        mnp_array_add(&code->ops, total - count, sizeof *made);
        memcpy(execute_op_at(code, place->first_op), made, total * sizeof *made);
        place->op_count = total;
        ptx_move_labels(code, place, to, NULL, first_target);
        free(made);
        free(to);
    }
    free(sequences);
}
