/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Separation of a kernel into the part that determines time and pure values. Time depends on the paths of its threads,
 * their active lanes, and the addresses that they access. Everything else is values. The former are a program slice
 * (Weiser, ICSE 1981), computed backwards: operands of branches, guards, addresses and barriers are needed, and so are
 * the operands of any operation whose result is needed. PTX registers are mostly written once, so the order of
 * operations is ignored. If a needed value is read from memory, the kernel's own stores to that memory are needed, too;
 * stores of other kernels are not considered (code.follows_memory).
 */
#include "frontend/ptx/compile/values.h"

#include "base/allocate.h"
#include "frontend/ptx/compile/references.h"

#include <stdlib.h>

enum { LOCAL = 1, SHARED = 2, GLOBAL = 4, ALL = 7 };

struct slice {
    struct execute_code *code;
    uint32_t first, count;           /* operations */
    uint32_t start[PTX_CLASS_COUNT]; /* number of a class's first reference */
    bool *needed;                    /* [references] */
    bool *executed;                  /* [operations] */
    uint8_t read;                    /* spaces out of which something needed is read */
    bool changed;
};

/* ===== operations ===== */

static bool is_access(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_STORE || op->kind == EXECUTE_KIND_LOAD_MATRIX ||
           op->kind == EXECUTE_KIND_WMMA_ACCESS || op->kind == EXECUTE_KIND_COPY_ASYNC;
}

/* Whether an operation has no effect except its results, or its stores. The L2 needs the values of operations it
 * performs. */
static bool is_optional(const struct execute_op *op)
{
    bool access = is_access(op) && (op->kind == EXECUTE_KIND_WMMA_ACCESS || !op->access.strong);
    return access || execute_kind_is(op->kind, EXECUTE_IS_PURE) || op->kind == EXECUTE_KIND_PART ||
           op->kind == EXECUTE_KIND_MATRIX || op->kind == EXECUTE_KIND_MOVE_MATRIX || op->kind == EXECUTE_KIND_VIDEO ||
           execute_kinds[op->kind].memory == EXECUTE_MEMORY_TOGETHER;
}

static uint8_t space_of(const struct slice *s, const struct execute_op *op)
{
    const struct execute_matrix_form *forms = s->code->matrices.items;
    switch (op->kind == EXECUTE_KIND_WMMA_ACCESS ? forms[op->matrix].space : op->access.space) {
    case EXECUTE_SPACE_CONST:
    case EXECUTE_SPACE_PARAM:
        return 0;
    case EXECUTE_SPACE_LOCAL:
        return LOCAL;
    case EXECUTE_SPACE_SHARED:
    case EXECUTE_SPACE_CLUSTER:
        return SHARED;
    case EXECUTE_SPACE_GLOBAL:
        return GLOBAL;
    default:
        return ALL;
    }
}

/* The memory that an operation stores to. */
static uint8_t written(const struct slice *s, const struct execute_op *op)
{
    bool stores = op->kind == EXECUTE_KIND_STORE || op->kind == EXECUTE_KIND_COPY_ASYNC ||
                  (op->kind == EXECUTE_KIND_LOAD_MATRIX && op->combine) ||
                  (op->kind == EXECUTE_KIND_WMMA_ACCESS && !op->variant);
    return stores ? space_of(s, op) : 0;
}

/* The memory that its results come from. */
static uint8_t read_by(const struct slice *s, const struct execute_op *op)
{
    if (op->kind == EXECUTE_KIND_COPY_ASYNC)
        return GLOBAL;
    if ((is_access(op) && !written(s, op)) || op->kind == EXECUTE_KIND_ATOMIC)
        return space_of(s, op);
    bool other = op->kind == EXECUTE_KIND_TEXTURE || op->kind == EXECUTE_KIND_SURFACE_LOAD ||
                 op->kind == EXECUTE_KIND_WGMMA || op->kind == EXECUTE_KIND_TMEM_LOAD;
    return other ? ALL : 0;
}

/* ===== the slice ===== */

/* The number of a reference; PTX_NONE: it is no register. */
static uint32_t number_of(const struct slice *s, uint32_t ref)
{
    if (ref == EXECUTE_NO_REF || ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_FRAME)
        return PTX_NONE;
    return s->start[ptx_ref_class(ref)] + (ref & ((1u << PTX_CLASS_SHIFT) - 1));
}

static void need(struct slice *s, uint32_t ref)
{
    uint32_t number = number_of(s, ref);
    if (number == PTX_NONE || s->needed[number])
        return;
    s->needed[number] = s->changed = true;
}

static void read_from(struct slice *s, uint8_t spaces)
{
    s->changed |= (spaces & ~s->read) != 0;
    s->read |= spaces;
}

/* Marks the operands on which time depends, whether or not the operation's results are needed. */
static void need_always(struct slice *s, const struct execute_op *op)
{
    need(s, op->guard);
    if (is_access(op)) {
        need(s, op->a);
        if (op->kind == EXECUTE_KIND_WMMA_ACCESS || op->kind == EXECUTE_KIND_COPY_ASYNC)
            need(s, op->b);
        if (op->kind == EXECUTE_KIND_COPY_ASYNC)
            need(s, op->c);
    } else if (op->kind == EXECUTE_KIND_SHUFFLE) { /* the member mask */
        for (uint32_t i = 0; i < op->list_sources; i++)
            need(s, ((const uint32_t *)s->code->list.items)[op->list + op->list_results + i]);
    } else if (execute_kinds[op->kind].memory == EXECUTE_MEMORY_TOGETHER) {
        need(s, op->b);
    }
    if (op->kind == EXECUTE_KIND_SYSTEM)
        read_from(s, LOCAL); /* its arguments are in local memory */
    if (op->kind == EXECUTE_KIND_TENSOR_MAP)
        read_from(s, ALL);
}

static bool has_needed_result(const struct slice *s, const struct execute_op *op)
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_results_of(s->code, op, refs);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = number_of(s, refs[i]);
        if (number != PTX_NONE && s->needed[number])
            return true;
    }
    return false;
}

static void look_at(struct slice *s, uint32_t i)
{
    const struct execute_op *op = execute_op_at(s->code, s->first + i);
    uint32_t refs[PTX_MOST_REFERENCES];
    bool result = has_needed_result(s, op), store = (written(s, op) & s->read) != 0;
    if (result || store)
        read_from(s, read_by(s, op));
    if (s->executed[i] || !(result || store || !is_optional(op)))
        return;
    s->executed[i] = s->changed = true;
    for (uint32_t count = ptx_sources_of(s->code, op, refs); count-- > 0;)
        need(s, refs[count]);
}

static bool calls(const struct ptx_decoder *decoder, uint32_t first, uint32_t count)
{
    bool any = decoder->place != 0;
    for (uint32_t i = 0; i < count; i++)
        any |= execute_op_at(decoder->code, first + i)->kind == EXECUTE_KIND_CALL;
    return any;
}

void ptx_mark_values(struct ptx_decoder *decoder)
{
    const struct execute_code_function *place = execute_code_function_at(decoder->code, decoder->place);
    struct slice s = {.code = decoder->code, .first = place->first_op, .count = place->op_count};
    uint32_t references = 0;
    if (calls(decoder, s.first, s.count))
        return;
    for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
        s.start[class] = references;
        references += decoder->counts[class];
    }
    s.needed = mnp_allocate((size_t)references + 1, sizeof *s.needed);
    s.executed = mnp_allocate((size_t)s.count + 1, sizeof *s.executed);
    for (uint32_t i = 0; i < s.count; i++)
        need_always(&s, execute_op_at(s.code, s.first + i));
    for (s.changed = true; s.changed;) {
        s.changed = false;
        for (uint32_t i = s.count; i-- > 0;)
            look_at(&s, i);
    }
    for (uint32_t i = 0; i < s.count; i++) {
        execute_op_at(s.code, s.first + i)->flags |= s.executed[i] ? 0 : EXECUTE_OP_VALUE;
        s.code->has_values |= !s.executed[i];
    }
    s.code->follows_memory = s.code->has_values && (s.read & GLOBAL);
    free(s.needed);
    free(s.executed);
}
