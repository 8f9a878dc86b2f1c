/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/swaps.h"

#include "base/allocate.h"
#include "frontend/ptx/compile/flow.h"
#include "frontend/ptx/operations/sass.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 2, MOST = 10 + MOST_PARTS }; /* operations of a loop */

/* Instructions between the load and the conditional store; the first one uses the loaded value. NULL: a machine
 * instruction exists. */
static const uint8_t *parts_of(const struct execute_op *op)
{
    static const uint8_t single[] = {PTX_SASS_FADD, 0}, twice[] = {PTX_SASS_DADD, 0}, halves[] = {PTX_SASS_HADD2, 0},
                         half[] = {PTX_SASS_HADD2, PTX_SASS_LOP3, 0}, sum[] = {PTX_SASS_IADD3, PTX_SASS_IADD3_X, 0},
                         order[] = {PTX_SASS_ISETP, PTX_SASS_ISETP_EX, 0}, bits[] = {PTX_SASS_LOP3, PTX_SASS_LOP3, 0};
    bool compared = op->access.operation == EXECUTE_ATOMIC_MIN || op->access.operation == EXECUTE_ATOMIC_MAX;
    bool shared = op->access.space == EXECUTE_SPACE_SHARED, generic = op->access.space == EXECUTE_SPACE_GENERIC;
    if (op->kind != EXECUTE_KIND_ATOMIC || !(shared || generic) || execute_is_wide_atomic(op) ||
        op->access.operation == EXECUTE_ATOMIC_CAS || op->access.operation == EXECUTE_ATOMIC_EXCH)
        return NULL;
    if (generic && (!(op->flags & EXECUTE_OP_READS_A) || ptx_ref_class(op->a) != PTX_CLASS_LARGE ||
                    !execute_type_is_float((enum execute_type)op->access.type)))
        return NULL; /* ATOM does it in shared memory, too */
    switch (op->access.type) {
    case EXECUTE_f32:
        return single;
    case EXECUTE_f64:
        return twice;
    case EXECUTE_f16x2:
    case EXECUTE_bf16x2:
        return halves;
    case EXECUTE_f16:
    case EXECUTE_bf16:
        return half;
    case EXECUTE_b64:
    case EXECUTE_u64:
    case EXECUTE_s64:
        return op->access.operation == EXECUTE_ATOMIC_ADD ? sum : compared ? order : bits;
    default:
        return NULL;
    }
}

static uint32_t class_of(const struct execute_op *op)
{
    return op->access.slot == 8 ? PTX_CLASS_LARGE : PTX_CLASS_SMALL;
}

static uint32_t length_of(const struct execute_op *op, const uint8_t *parts)
{
    bool returns = op->flags & EXECUTE_OP_WRITES_D, wide = op->access.slot == 8;
    uint32_t first = op->access.space == EXECUTE_SPACE_GENERIC ? 3 : 0;
    return (op->guard != EXECUTE_TRUE) + first + 1 + (uint32_t)strlen((const char *)parts) + 1 + wide + 1 + 1 + returns;
}

static struct execute_op *add(struct execute_op *made, uint32_t *count, const struct execute_op *from,
                              enum execute_kind kind, uint8_t sass)
{
    struct execute_op *op = &made[(*count)++];
    *op = ptx_empty_op(kind, from->list, from->statement);
    op->sass = sass;
    return op;
}

static void set(struct execute_op *op, uint32_t d, uint32_t a, uint32_t b)
{
    op->d = d;
    op->a = a;
    op->b = b;
    op->flags =
        (uint8_t)((d == EXECUTE_NO_REF ? 0 : EXECUTE_OP_WRITES_D) | (a == EXECUTE_NO_REF ? 0 : EXECUTE_OP_READS_A) |
                  (b == EXECUTE_NO_REF ? 0 : EXECUTE_OP_READS_B));
}

/* Emits a load of the word at the address, as bits. */
static uint32_t add_load(struct ptx_decoder *decoder, const struct execute_op *from, struct execute_op *made,
                         uint32_t *count)
{
    uint32_t found = ptx_new_ref(decoder, class_of(from));
    unsigned bytes = execute_type_bytes((enum execute_type)from->access.type);
    struct execute_op *op = add(made, count, from, EXECUTE_KIND_LOAD, 0);
    op->access = from->access;
    op->access.type = (uint8_t)(bytes == 8 ? EXECUTE_b64 : bytes == 4 ? EXECUTE_b32 : EXECUTE_b16);
    op->access.strong = op->access.acquire = op->access.release = op->access.reduction = false;
    op->access.operation = 0;
    op->a = from->a;
    op->immediate = from->immediate;
    op->flags = from->flags & EXECUTE_OP_READS_A;
    op->list = ptx_list_add(decoder, found);
    op->list_results = 1;
    return found;
}

/* Generic address: emits the atomic for lanes that do not access shared memory, which then continue at the target of
 * the returned branch. */
static struct execute_op *add_elsewhere(struct ptx_decoder *decoder, const struct execute_op *from,
                                        struct execute_op *made, uint32_t *count)
{
    uint32_t shared = ptx_new_ref(decoder, PTX_CLASS_PREDICATE);
    struct execute_op *op = add(made, count, from, EXECUTE_KIND_ISSPACEP, PTX_SASS_ISETP);
    op->variant = EXECUTE_SPACE_SHARED;
    set(op, shared, from->a, EXECUTE_NO_REF);
    op = &made[(*count)++];
    *op = *from;
    op->guard = shared;
    op->guard_flip = ~0u;
    op = add(made, count, from, EXECUTE_KIND_BRANCH, PTX_SASS_BRA);
    op->guard = shared;
    op->guard_flip = ~0u;
    return op;
}

/* Emits the computation of the new value from the old one, `found`; returns its last register. */
static uint32_t add_parts(struct ptx_decoder *decoder, const struct execute_op *from, uint32_t found,
                          const uint8_t *parts, struct execute_op *made, uint32_t *count)
{
    uint32_t value = found;
    for (; *parts; parts++) {
        struct execute_op *op = add(made, count, from, EXECUTE_KIND_PART, *parts);
        set(op, ptx_new_ref(decoder, class_of(from)), value, from->b);
        value = op->d;
    }
    return value;
}

/* The attempt, and the branch back to `head` of the lanes for which it failed. */
static void add_attempt(struct ptx_decoder *decoder, const struct execute_op *from, uint32_t found, uint32_t value,
                        uint32_t head, struct execute_op *made, uint32_t *count)
{
    uint32_t class = class_of(from), done = ptx_new_ref(decoder, class);
    uint32_t again = ptx_new_ref(decoder, PTX_CLASS_PREDICATE);
    struct execute_op *op = add(made, count, from, EXECUTE_KIND_ATOMIC, 0);
    op->access = from->access;
    op->access.reduction = false;
    op->variant = EXECUTE_ATOMIC_TRIES;
    op->size = from->size;
    op->immediate = from->immediate;
    set(op, done, from->a, from->b);
    op->c = found;
    op->flags |= EXECUTE_OP_READS_C;
    op->list = ptx_list_add(decoder, value);
    op->list_sources = 1;
    if (class == PTX_CLASS_LARGE)
        set(add(made, count, from, EXECUTE_KIND_PART, PTX_SASS_ISETP), EXECUTE_NO_REF, done, EXECUTE_NO_REF);
    op = add(made, count, from, EXECUTE_KIND_TEST, PTX_SASS_ISETP);
    op->words = decoder->table->tests[class == PTX_CLASS_LARGE ? EXECUTE_TEST_ne_u64 : EXECUTE_TEST_ne_u32];
    set(op, again, done, ptx_constant(decoder, class, 1));
    op = add(made, count, from, EXECUTE_KIND_BRANCH, PTX_SASS_BRA);
    op->guard = again;
    op->target = head;
}

/* The loop in place of an atomic; returns the number of its operations. Branches have places in `made`. */
static uint32_t put(struct ptx_decoder *decoder, const struct execute_op *from, const uint8_t *parts,
                    struct execute_op *made)
{
    uint32_t count = 0;
    struct execute_op *around = NULL, *elsewhere = NULL;
    if (from->guard != EXECUTE_TRUE) {
        around = add(made, &count, from, EXECUTE_KIND_BRANCH, PTX_SASS_BRA);
        around->guard = from->guard;
        around->guard_flip = ~from->guard_flip;
    }
    if (from->access.space == EXECUTE_SPACE_GENERIC)
        elsewhere = add_elsewhere(decoder, from, made, &count);
    uint32_t head = count, found = add_load(decoder, from, made, &count);
    uint32_t value = add_parts(decoder, from, found, parts, made, &count);
    add_attempt(decoder, from, found, value, head, made, &count);
    if (from->flags & EXECUTE_OP_WRITES_D) {
        struct execute_op *op =
            add(made, &count, from, EXECUTE_KIND_SELECT, PTX_SASS_MOV); /* same form as ptx_emit_move */
        set(op, from->d, found, EXECUTE_NO_REF);
        op->b = found;
        op->c = EXECUTE_TRUE;
        op->size = from->access.slot;
        op->flags |= EXECUTE_OP_READS_C;
    }
    if (around)
        around->target = count;
    if (elsewhere)
        elsewhere->target = count;
    return count;
}

/* The operations of the function with their loops; `to` and `own` as ptx_move_labels has them. */
static void put_all(struct ptx_decoder *decoder, const struct execute_code_function *place, struct execute_op *made,
                    uint32_t *to, bool *own)
{
    struct execute_op loop[MOST];
    for (uint32_t i = 0, at = 0; i < place->op_count; i++) {
        const struct execute_op *op = execute_op_at(decoder->code, place->first_op + i);
        const uint8_t *parts = parts_of(op);
        uint32_t length = parts ? put(decoder, op, parts, loop) : 1;
        to[i] = place->first_op + at;
        memcpy(made + at, parts ? loop : op, length * sizeof *made);
        for (uint32_t j = at; parts && j < at + length; j++) {
            own[j] = made[j].kind == EXECUTE_KIND_BRANCH;
            made[j].target += own[j] ? place->first_op + at : 0;
        }
        at += length;
    }
}

void ptx_put_swaps(struct ptx_decoder *decoder, uint32_t first_target)
{
    struct execute_code *code = decoder->code;
    struct execute_code_function *place = execute_code_function_at(code, decoder->place);
    uint32_t count = place->op_count, total = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct execute_op *op = execute_op_at(code, place->first_op + i);
        const uint8_t *parts = parts_of(op);
        total += parts ? length_of(op, parts) : 1;
    }
    /* limit: the number that timing models can represent */
    if (total == count || place->first_op + total > UINT16_MAX)
        return;
    struct execute_op *made = mnp_allocate(total, sizeof *made);
    uint32_t *to = mnp_allocate(count, sizeof *to);
    bool *own = mnp_allocate(total, sizeof *own);
    put_all(decoder, place, made, to, own);
    mnp_array_add(&code->ops, total - count, sizeof *made);
    memcpy(execute_op_at(code, place->first_op), made, total * sizeof *made);
    place->op_count = total;
    ptx_move_labels(code, place, to, own, first_target);
    free(made);
    free(to);
    free(own);
}
