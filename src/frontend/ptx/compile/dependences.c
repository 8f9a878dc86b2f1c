/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/dependences.h"

#include "base/arena.h"
#include "frontend/ptx/operations/origin.h"
#include "frontend/ptx/operations/sass.h"

#include <stdlib.h>
#include <string.h>

/* Latencies assumed by the scheduler; Jia et al., arXiv 1804.06826 (V100) and 1903.07486 (T4): fixed latency 4 to 6,
 * loads that hit the L1 28 to 32, shared memory 19 to 24, special functions about 20; parameters and constants come
 * from a cache that instructions read as operands. The simulated machine's latencies are not used, because an assembler
 * does not know them either. */
enum {
    LATENCY_FIXED = 4,
    LATENCY_CONSTANT = 8,
    LATENCY_DOUBLE = 8,
    LATENCY_CONVERT = 12,
    LATENCY_VARIABLE = 20, /* special functions, shuffles, tensor cores */
    LATENCY_SHARED = 24
};

static uint8_t expected_latency(const struct execute_code *code, const struct execute_op *op, uint8_t memory)
{
    if (!(op->flags & EXECUTE_OP_WRITES_D) && !op->list_results)
        return 1; /* no operation waits for it */
    switch (ptx_execution_class(op, ptx_opcode_of(code, op))) {
    case MNP_CLASS_MEMORY: {
        bool stated = op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_LOAD_MATRIX;
        bool shared = stated && op->access.space == EXECUTE_SPACE_SHARED;
        bool constant =
            op->kind == EXECUTE_KIND_LOAD_PARAMETER ||
            (stated && (op->access.space == EXECUTE_SPACE_CONST || op->access.space == EXECUTE_SPACE_PARAM));
        return constant ? LATENCY_CONSTANT : shared ? LATENCY_SHARED : memory;
    }
    case MNP_CLASS_FP64:
        return LATENCY_DOUBLE;
    case MNP_CLASS_CONVERT:
        return LATENCY_CONVERT;
    case MNP_CLASS_SFU:
    case MNP_CLASS_TENSOR:
    case MNP_CLASS_SPECIAL:
        return LATENCY_VARIABLE;
    default:
        return LATENCY_FIXED;
    }
}

/* ===== memory ===== */

struct touch {
    uint32_t op; /* index in the piece */
    uint8_t effect;
    uint8_t space; /* enum execute_space */
    bool known;    /* base, offset and bytes describe the accessed range */
    bool read_only;
    uint32_t base; /* the register that has the address, or EXECUTE_NO_REF */
    int64_t offset;
    uint32_t bytes;
};

/* Whether it accesses memory that a kernel does not write: constants, parameters. */
static bool reads_only(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_LOAD &&
           (op->access.space == EXECUTE_SPACE_CONST || op->access.space == EXECUTE_SPACE_PARAM);
}

static enum execute_memory effect_of(const struct execute_op *op)
{
    bool access = op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_STORE;
    if (access && op->access.strong)
        return EXECUTE_MEMORY_FENCE;
    if (op->kind == EXECUTE_KIND_LOAD_MATRIX && op->combine)
        return EXECUTE_MEMORY_WRITE;
    if (op->kind == EXECUTE_KIND_WMMA_ACCESS && op->variant)
        return EXECUTE_MEMORY_READ;
    return (enum execute_memory)execute_kinds[op->kind].memory;
}

bool ptx_divides(const struct execute_op *op)
{
    /* ends the assembler's block: a divider, or the branch to a slow path inside a sequence */
    /* operands of warpgroup products are only covered by wgmma.wait_group */
    bool meeting = op->kind == EXECUTE_KIND_BARRIER && op->variant == EXECUTE_BARRIER_GROUP;
    return meeting || execute_kind_is(op->kind, EXECUTE_IS_DIVIDER) || execute_op_is_flow(op) ||
           (op->kind == EXECUTE_KIND_PART && op->sass == PTX_SASS_BRA);
}

static bool spaces_meet(uint8_t a, uint8_t b)
{
    bool shared = (a == EXECUTE_SPACE_CLUSTER && b == EXECUTE_SPACE_SHARED) ||
                  (a == EXECUTE_SPACE_SHARED && b == EXECUTE_SPACE_CLUSTER);
    return a == b || a == EXECUTE_SPACE_GENERIC || b == EXECUTE_SPACE_GENERIC || shared;
}

/* Whether two accesses of a lane may touch the same byte. Generic addresses include windows of state spaces, so equal
 * registers imply equal addresses only within one space. If the base register is written between the two accesses, they
 * are ordered by that: the writer comes after the first and before the second. */
static bool may_meet(const struct touch *a, const struct touch *b)
{
    if (!spaces_meet(a->space, b->space))
        return false;
    if (!a->known || !b->known || a->space != b->space || a->base != b->base)
        return true;
    return a->offset < b->offset + (int64_t)b->bytes && b->offset < a->offset + (int64_t)a->bytes;
}

/* A non-coherent load (.nc) may pass stores, unless it evidently reads the stored address. */
static bool excused(const struct touch *store, const struct touch *load)
{
    return store->effect == EXECUTE_MEMORY_WRITE && load->read_only &&
           !(store->known && load->known && store->base == load->base);
}

static bool in_order(const struct touch *a, const struct touch *b)
{
    if (a->effect == EXECUTE_MEMORY_FENCE || b->effect == EXECUTE_MEMORY_FENCE)
        return true;
    if (a->effect == EXECUTE_MEMORY_TOGETHER || b->effect == EXECUTE_MEMORY_TOGETHER)
        return a->effect != EXECUTE_MEMORY_READ && b->effect != EXECUTE_MEMORY_READ;
    return (a->effect == EXECUTE_MEMORY_WRITE || b->effect == EXECUTE_MEMORY_WRITE) && may_meet(a, b);
}

/* ===== registers ===== */

struct reader {
    uint32_t op, next;
};

struct last { /* last accesses to a reference in the piece */
    uint32_t piece;
    uint32_t writer;  /* PTX_NONE: not yet */
    uint32_t readers; /* since then: in history.readers, or PTX_NONE */
};

struct ptx_history {
    const struct ptx_live_sets *sets;
    uint32_t piece;
    struct last *last;        /* [sets->count] */
    struct mnp_array readers; /* struct reader */
    struct mnp_array touches; /* struct touch */
};

struct ptx_history *ptx_history_make(const struct ptx_live_sets *sets)
{
    struct ptx_history *history = mnp_allocate(1, sizeof *history);
    history->sets = sets;
    history->last = mnp_allocate((size_t)sets->count + 1, sizeof *history->last);
    return history;
}

void ptx_history_free(struct ptx_history *history)
{
    free(history->last);
    free(history->readers.items);
    free(history->touches.items);
    free(history);
}

static void depend(struct ptx_dependences *d, uint32_t from, uint32_t to, uint32_t latency)
{
    if (from == to)
        return;
    struct ptx_dependence *edge = mnp_array_add(&d->edges, 1, sizeof *edge);
    *edge = (struct ptx_dependence){.to = to, .next = d->first[from], .latency = latency};
    d->first[from] = d->edges.count - 1;
    d->waits[to]++;
}

static struct last *last_of(struct ptx_history *h, uint32_t number)
{
    struct last *last = &h->last[number];
    if (last->piece != h->piece)
        *last = (struct last){h->piece, PTX_NONE, PTX_NONE};
    return last;
}

struct finder {
    struct ptx_dependences *d;
    struct ptx_history *h;
    const struct execute_code *code;
    uint32_t first;
};

static void reads(struct finder *f, uint32_t op, uint32_t number)
{
    struct last *last = last_of(f->h, number);
    if (last->writer != PTX_NONE)
        depend(f->d, last->writer, op, f->d->latency[last->writer]);
    struct reader *reader = mnp_array_add(&f->h->readers, 1, sizeof *reader);
    *reader = (struct reader){op, last->readers};
    last->readers = f->h->readers.count - 1;
}

static void writes(struct finder *f, uint32_t op, uint32_t number)
{
    struct last *last = last_of(f->h, number);
    const struct reader *readers = f->h->readers.items;
    for (uint32_t at = last->readers; at != PTX_NONE; at = readers[at].next)
        depend(f->d, readers[at].op, op, 0);
    if (last->writer != PTX_NONE)
        depend(f->d, last->writer, op, f->d->latency[last->writer]);
    last->writer = op;
    last->readers = PTX_NONE;
}

static void find_of_registers(struct finder *f, uint32_t i)
{
    const struct execute_op *op = execute_op_at(f->code, f->first + i);
    /* the carry flag, which instructions do not name */
    const uint32_t carry = f->h->sets->start[PTX_CLASS_PREDICATE] + 1;
    bool reads_carry = op->kind == EXECUTE_KIND_CARRY && (op->combine & 1);
    bool writes_carry = op->kind == EXECUTE_KIND_CARRY && (op->combine & 2);
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(f->code, op, refs), number;
    for (uint32_t j = 0; j < count; j++)
        if (refs[j] != EXECUTE_TRUE && (number = ptx_reference_number(f->h->sets, refs[j])) != PTX_NONE)
            reads(f, i, number);
    if (reads_carry)
        reads(f, i, carry);
    count = ptx_results_of(f->code, op, refs);
    for (uint32_t j = 0; j < count; j++) /* under a guard, also a use of the old value: that is the writer before */
        if ((number = ptx_reference_number(f->h->sets, refs[j])) != PTX_NONE)
            writes(f, i, number);
    if (writes_carry)
        writes(f, i, carry);
}

static struct touch touch_of(const struct finder *f, const struct execute_op *op, uint32_t i)
{
    /* offsets that do not wrap round where the register has 32 bits; an address without a register is whole */
    const int64_t most = op->flags & EXECUTE_OP_READS_A ? INT64_C(1) << 30 : INT64_C(1) << 62;
    struct touch touch = {.op = i, .effect = (uint8_t)effect_of(op), .base = EXECUTE_NO_REF};
    if (op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_STORE) {
        touch.space = op->access.space;
        touch.read_only = op->access.read_only;
        touch.base = op->flags & EXECUTE_OP_READS_A ? op->a : op->access.framed ? EXECUTE_NO_REF - 1 : EXECUTE_NO_REF;
        touch.offset = op->immediate;
        touch.bytes = op->access.count * execute_type_bytes((enum execute_type)op->access.type);
        touch.known = op->immediate > -most && op->immediate < most;
    } else if (op->kind == EXECUTE_KIND_LOAD_MATRIX) { /* lanes read rows that others name */
        touch.space = op->access.space;
    } else if (op->kind == EXECUTE_KIND_WMMA_ACCESS) {
        touch.space = ((const struct execute_matrix_form *)f->code->matrices.items + op->matrix)->space;
    }
    return touch;
}

static void find_of_memory(struct finder *f, uint32_t i)
{
    const struct execute_op *op = execute_op_at(f->code, f->first + i);
    if (effect_of(op) == EXECUTE_MEMORY_NONE || reads_only(op))
        return;
    struct touch touch = touch_of(f, op, i);
    const struct touch *touches = f->h->touches.items;
    for (uint32_t j = f->h->touches.count; j-- > 0;) {
        const struct touch *before = &touches[j];
        if (in_order(before, &touch) && !excused(before, &touch))
            depend(f->d, before->op, i, 0);
        if (before->effect == EXECUTE_MEMORY_FENCE)
            break; /* earlier ones are ordered by it */
    }
    *(struct touch *)mnp_array_add(&f->h->touches, 1, sizeof touch) = touch;
}

void ptx_find_dependences(struct ptx_dependences *d, struct ptx_history *history, const struct execute_code *code,
                          uint32_t first, uint32_t count)
{
    struct finder finder = {d, history, code, first};
    MNP_REQUIRE(count <= PTX_PIECE_OPS, "a piece of code is too long");
    d->count = count;
    d->edges.count = history->readers.count = history->touches.count = 0;
    history->piece++;
    for (uint32_t i = 0; i < count; i++) {
        d->first[i] = PTX_NONE;
        d->waits[i] = 0;
        d->latency[i] = expected_latency(code, execute_op_at(code, first + i), d->memory);
    }
    for (uint32_t i = 0; i < count; i++) {
        find_of_memory(&finder, i);
        find_of_registers(&finder, i);
    }
}
