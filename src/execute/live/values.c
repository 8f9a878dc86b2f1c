/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values of those instructions of a live warp that are looked at (struct mnp_live_values).
 *
 * Units of sixteen lanes take a warp in two halves, so that on their wires and latches the operand of lane i + 16
 * follows that of lane i. Tensor cores take rows of A and of the sums, and columns of B, one after another; in the
 * registers of a product, a row lies four lanes behind the one before it (PTX ISA 9.0, fragments of mma). The bits in
 * which two such words differ have toggled. Lanes that are not active toggle nothing, and are not counted.
 *
 * Only registers count: constants, predicates and uniform registers do not. In machine code, double precision has
 * operands of two words; other operands count with their first word. The word of machine code itself is compared with
 * the one in front of it, which is fetched before it, whatever the instruction does.
 */
#include "execute/live/live_state.h"

#include "base/bits.h"
#include "base/sample.h"
#include "execute/code/timing.h"
#include "execute/matrix/matrix.h"
#include "execute/matrix/operand.h"
#include "execute/matrix/tcgen05.h"
#include "execute/warp/frame.h"

#include <string.h>

typedef uint32_t __attribute__((may_alias)) word;

enum { HALF = 16, ROW = 4, MOST_RESULTS = 16, MACHINE_UNIFORM = 0x80 /* a bit of op.variant: step_words.c */ };

enum shape { UNSEEN, OPERANDS, LOAD, STORE, ATOMIC, PRODUCT, GROUP_PRODUCT, TENSOR_COMMAND };

struct result {
    uint32_t ref;
    word before[64];
};

struct look {
    struct execute_live_warp *live;
    const struct execute_op *op;
    const struct execute_code_function *place;
    struct mnp_live_values *values;
    bool machine; /* code is machine code: all registers have words of 32 bits */
    uint32_t lanes;
    uint32_t words; /* registers side by side that an operand has: 2 in machine code of double precision */
    uint32_t result_count;
    struct result results[MOST_RESULTS];
};

/* ===== which instructions ===== */

/* The first instruction of a block of `every` that is looked at: a number that kernel, CTA, warp and block decide. */
static uint64_t pick(const struct execute_live_warp *live, uint64_t block, uint64_t every)
{
    const struct execute_cta *cta = &live->cta->cta;
    uint64_t key = UINT64_C(0x9e3779b97f4a7c15) * (live->warp->number + 64 * cta->number) +
                   UINT64_C(0xd1342543de82ef95) * cta->launch->number;
    return mnp_sample_of_block(block, every, key);
}

void execute_live_values_start(struct execute_live_warp *live)
{
    uint64_t every = live->cta->core->common.core->values.every;
    live->look = every ? pick(live, 0, every) : UINT64_MAX;
}

static enum shape shape_of(const struct execute_op *op)
{
    switch ((enum execute_kind)op->kind) {
    case EXECUTE_KIND_WORDS:
        return op->variant & MACHINE_UNIFORM ? UNSEEN : OPERANDS;
    case EXECUTE_KIND_LANES:
    case EXECUTE_KIND_FLOAT:
    case EXECUTE_KIND_TEST:
    case EXECUTE_KIND_TEST_TO:
    case EXECUTE_KIND_SELECT:
    case EXECUTE_KIND_LOP3P:
    case EXECUTE_KIND_CARRY:
    case EXECUTE_KIND_CONVERT:
        return OPERANDS;
    case EXECUTE_KIND_LOAD:
        return LOAD;
    case EXECUTE_KIND_LOAD_MATRIX:
        return op->combine ? STORE : LOAD;
    case EXECUTE_KIND_STORE:
        return STORE;
    case EXECUTE_KIND_ATOMIC:
        return execute_is_wide_atomic(op) ? UNSEEN : ATOMIC;
    case EXECUTE_KIND_MATRIX:
        return PRODUCT;
    case EXECUTE_KIND_WGMMA:
        return GROUP_PRODUCT;
    case EXECUTE_KIND_TCGEN05:
        return op->tcgen05.command == EXECUTE_TCGEN05_MULTIPLY ? TENSOR_COMMAND : UNSEEN;
    default:
        return UNSEEN;
    }
}

/* ===== words ===== */

/* Each bit of the lower half twice: for values of two words, side by side. */
static uint32_t twice(uint32_t lanes)
{
    uint64_t x = lanes & 0xffff;
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    x = (x | x << 1) & 0x55555555;
    return (uint32_t)(x | x << 1);
}

/* Words of a lane that a reference to a register names: 0 if it names none. */
static uint32_t words_at(const struct look *look, uint32_t ref)
{
    const struct execute_code_function *place = look->place;
    if (ref == EXECUTE_NO_REF || ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_FRAME || ref < place->predicate_bytes)
        return 0;
    if (look->machine)
        return ref < place->predicate_bytes + place->registers * EXECUTE_SMALL_BYTES;
    return ref < place->large_start ? 1 : ref < place->quad_start ? 2 : 0;
}

static void add(struct look *look, enum mnp_live_toggle kind, uint32_t toggled, uint32_t bits)
{
    look->values->of[kind].toggled += toggled;
    look->values->of[kind].bits += bits;
}

static uint32_t differ(const struct look *look, const word *a, const word *b, uint32_t lanes, uint32_t count)
{
    return lanes ? look->live->warp->launch->code->table->differ(a, b, lanes, count) : 0;
}

/* Differences between the halves of a register. Returns the bits that were compared. */
static uint32_t halves_at(const struct look *look, uint32_t ref, uint32_t *toggled)
{
    const word *at = execute_at(look->live->warp, ref);
    uint32_t both = look->lanes & look->lanes >> HALF, words = words_at(look, ref);
    if (words == 1)
        *toggled += differ(look, at, at + HALF, both, HALF);
    else if (words)
        *toggled += differ(look, at, at + 2 * HALF, twice(both), 2 * HALF);
    return 32 * words * mnp_ones(both);
}

/* The same, of a register and those side by side with it. */
static uint32_t halves(const struct look *look, uint32_t ref, uint32_t words, uint32_t *toggled)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < words && words_at(look, ref); i++)
        bits += halves_at(look, ref + i * EXECUTE_SMALL_BYTES, toggled);
    return bits;
}

/* Differences between rows of a matrix in a register. */
static uint32_t rows(const struct look *look, uint32_t ref, uint32_t *toggled)
{
    const word *at = execute_at(look->live->warp, ref);
    uint32_t words = words_at(look, ref);
    if (words == 1)
        *toggled += differ(look, at, at + ROW, ~0u >> ROW, 32 - ROW);
    else if (words)
        *toggled += differ(look, at, at + 2 * ROW, ~0u, 32) +
                    differ(look, at + 32, at + 32 + 2 * ROW, ~0u >> 2 * ROW, 32 - 2 * ROW);
    return 32 * words * (32 - ROW);
}

/* ===== results, whose registers are compared with what they were ===== */

static void keep(struct look *look, uint32_t ref, uint32_t words)
{
    for (uint32_t i = 0; i < words && words_at(look, ref) && look->result_count < MOST_RESULTS; i++) {
        struct result *result = &look->results[look->result_count++];
        result->ref = ref + i * EXECUTE_SMALL_BYTES;
        memcpy(result->before, execute_at(look->live->warp, result->ref), (size_t)128 * words_at(look, result->ref));
    }
}

static void compare_writes(struct look *look)
{
    for (uint32_t i = 0; i < look->result_count; i++) {
        const struct result *result = &look->results[i];
        const word *now = execute_at(look->live->warp, result->ref);
        uint32_t toggled, words = words_at(look, result->ref);
        if (words == 1)
            toggled = differ(look, result->before, now, look->lanes, 32);
        else
            toggled = differ(look, result->before, now, twice(look->lanes), 32) +
                      differ(look, result->before + 32, now + 32, twice(look->lanes >> HALF), 32);
        add(look, MNP_TOGGLE_WRITE, toggled, 32 * words * mnp_ones(look->lanes));
    }
}

/* ===== instructions ===== */

static const uint32_t *list_of(const struct look *look)
{
    return (const uint32_t *)look->live->warp->launch->code->list.items + look->op->list;
}

static void read_operands(struct look *look)
{
    const uint32_t refs[] = {look->op->a, look->op->b, look->op->c};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t toggled = 0, bits = halves(look, refs[i], look->words, &toggled);
        add(look, MNP_TOGGLE_UNIT, toggled, bits);
        add(look, MNP_TOGGLE_READ, toggled, bits);
    }
}

static void read_address(struct look *look)
{
    uint32_t toggled = 0;
    uint32_t bits = halves(look, look->op->a, look->op->access.wide_address == EXECUTE_ADDRESS_PAIR ? 2 : 1, &toggled);
    add(look, MNP_TOGGLE_READ, toggled, bits);
}

static void read_data_at(struct look *look, uint32_t ref)
{
    uint32_t toggled = 0, bits = halves(look, ref, look->words, &toggled);
    add(look, MNP_TOGGLE_READ, toggled, bits);
    add(look, MNP_TOGGLE_DATA, toggled, bits);
}

static void read_data(struct look *look)
{
    const uint32_t *refs = list_of(look);
    for (uint32_t i = 0; i < look->op->access.count; i++)
        read_data_at(look, refs[i]);
}

static const struct execute_matrix_form *form_of(const struct look *look)
{
    return (const struct execute_matrix_form *)look->live->warp->launch->code->matrices.items + look->op->matrix;
}

/* The sums count for the unit as results. */
static void read_product(struct look *look)
{
    const struct execute_matrix_form *form = form_of(look);
    const uint32_t *refs = list_of(look) + form->d_count;
    uint32_t operands = form->a_count + form->b_count;
    for (uint32_t i = 0; i < operands + form->c_count; i++)
        for (uint32_t k = 0; k < look->words; k++) {
            uint32_t toggled = 0, bits = rows(look, refs[i] + k * EXECUTE_SMALL_BYTES, &toggled);
            add(look, MNP_TOGGLE_READ, toggled, bits);
            if (i < operands)
                add(look, MNP_TOGGLE_UNIT, toggled, bits);
        }
}

static void take_product(struct look *look)
{
    for (uint32_t i = 0; i < look->result_count; i++) {
        uint32_t toggled = 0, bits = rows(look, look->results[i].ref, &toggled);
        add(look, MNP_TOGGLE_UNIT, toggled, bits);
    }
}

static void take_results(struct look *look, enum mnp_live_toggle kind)
{
    for (uint32_t i = 0; i < look->result_count; i++) {
        uint32_t toggled = 0, bits = halves_at(look, look->results[i].ref, &toggled);
        add(look, kind, toggled, bits);
    }
}

/* ===== products of a warpgroup, with operands in shared memory ===== */

enum { CHUNKS = 2, CHUNK_WORDS = EXECUTE_PRODUCT_CHUNK / 4, GROUP_ROWS = 16 };

/* Differences between rows of A or columns of B, of so many. Those that lie along k only; an operand that lies across
 * is left out. */
static void group_rows(struct look *look, const struct execute_operand_reader *reader, enum mnp_live_toggle kind,
                       uint32_t first, uint32_t count)
{
    word words[2][CHUNK_WORDS];
    uint32_t toggled = 0, bits = 0;
    for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
        bool follows = false;
        for (uint32_t row = first; row < first + count; row++) {
            const unsigned char *bytes = execute_operand_peek(reader, row, chunk);
            if (bytes)
                memcpy(words[row & 1], bytes, sizeof words[0]);
            if (bytes && follows) {
                toggled += differ(look, words[0], words[1], ~0u >> (32 - CHUNK_WORDS), CHUNK_WORDS);
                bits += 32 * CHUNK_WORDS;
            }
            follows = bytes;
        }
    }
    add(look, kind, toggled, bits);
}

static void read_group_product(struct look *look)
{
    struct execute_warp *warp = look->live->warp;
    const struct execute_wgmma_form *form = &look->op->wgmma;
    struct execute_wgmma_kept kept;
    execute_wgmma_keep(warp, look->op, look->lanes, &kept);
    for (uint32_t i = 0; i < 4 && form->flags & EXECUTE_WGMMA_A_REGISTERS; i++) {
        uint32_t toggled = differ(look, kept.a[i], kept.a[i] + ROW, ~0u >> ROW, 32 - ROW);
        add(look, MNP_TOGGLE_UNIT, toggled, 32 * (32 - ROW));
        add(look, MNP_TOGGLE_READ, toggled, 32 * (32 - ROW));
    }
    const struct execute_operand_reader of_a = {warp, warp->cta, execute_operand_of_wgmma(kept.from_a), CHUNKS, NULL};
    const struct execute_operand_reader of_b = {warp, warp->cta, execute_operand_of_wgmma(kept.from_b), CHUNKS, NULL};
    if (!(form->flags & (EXECUTE_WGMMA_A_REGISTERS | EXECUTE_WGMMA_TRANSPOSE_A)))
        group_rows(look, &of_a, MNP_TOGGLE_UNIT, warp->number % 4 * GROUP_ROWS, GROUP_ROWS);
    if (!(form->flags & EXECUTE_WGMMA_TRANSPOSE_B))
        group_rows(look, &of_b, MNP_TOGGLE_UNIT, 0, form->n);
}

/* ===== products of tensor memory, which one lane commands ===== */

static void command_rows(struct look *look, uint32_t ref, uint32_t count)
{
    struct execute_warp *warp = look->live->warp;
    uint64_t descriptor = execute_long_at(warp, ref, (uint32_t)__builtin_ctz(look->lanes));
    struct execute_operand_reader reader = {.warp = warp, .cta = warp->cta, .chunks = CHUNKS};
    if (execute_operand_of_tcgen05(descriptor, &reader.operand))
        group_rows(look, &reader, MNP_TOGGLE_TENSOR, 0, count);
}

/* Rows of A and columns of B in the own shared memory; an A in tensor memory is left out. */
static void read_command(struct look *look)
{
    const struct execute_tcgen05_form *form = &look->op->tcgen05;
    const word *descriptors = execute_at(look->live->warp, list_of(look)[1]);
    struct execute_tcgen05_shape shape;
    if (!execute_tcgen05_read_shape(descriptors[__builtin_ctz(look->lanes)], form, &shape))
        return; /* a fault, when it executes */
    if (!(form->flags & EXECUTE_TCGEN05_A_TMEM) && !shape.across_a)
        command_rows(look, look->op->a, shape.rows);
    if (!shape.across_b)
        command_rows(look, look->op->b, form->flags & EXECUTE_TCGEN05_PAIR ? shape.n / 2u : shape.n);
}

/* ===== an instruction ===== */

static void before(struct look *look, enum shape shape)
{
    const struct execute_op *op = look->op;
    const uint32_t *refs = list_of(look);
    switch (shape) {
    case OPERANDS:
        read_operands(look);
        keep(look, op->d, look->machine && op->size == 8 ? 2 : 1);
        break;
    case LOAD:
        read_address(look);
        for (uint32_t i = 0; i < op->access.count; i++)
            keep(look, refs[i], look->words);
        break;
    case STORE:
        read_address(look);
        read_data(look);
        break;
    case ATOMIC:
        read_address(look);
        read_data_at(look, op->b);
        read_data_at(look, op->c);
        keep(look, op->d, look->words);
        break;
    case PRODUCT:
        read_product(look);
        for (uint32_t i = 0; i < form_of(look)->d_count; i++)
            keep(look, refs[i], look->words);
        break;
    case GROUP_PRODUCT:
        read_group_product(look);
        break;
    case TENSOR_COMMAND:
        read_command(look);
        break;
    case UNSEEN:
        break;
    }
}

static void after(struct look *look, enum shape shape)
{
    if ((shape == LOAD || shape == ATOMIC) && look->live->cta->access->at_l2) {
        look->live->cta->access->seen = true; /* the values come later */
        return;
    }
    if (shape == OPERANDS)
        take_results(look, MNP_TOGGLE_UNIT);
    else if (shape == LOAD || shape == ATOMIC)
        take_results(look, MNP_TOGGLE_DATA);
    else if (shape == PRODUCT)
        take_product(look);
    compare_writes(look);
}

/* Registers side by side that operands of an operation have. */
static uint32_t words_of(const struct execute_live_warp *live, const struct execute_op *op, uint32_t pc)
{
    switch (shape_of(op)) {
    case OPERANDS:
        return live->cta->instructions[pc & ((1u << MNP_INDEX_BITS) - 1)].class == MNP_CLASS_FP64 ? 2 : 1;
    case LOAD:
    case STORE:
    case ATOMIC:
        return op->kind != EXECUTE_KIND_LOAD_MATRIX && op->access.pairs ? 2 : 1;
    case PRODUCT:
        return ((const struct execute_matrix_form *)live->warp->launch->code->matrices.items + op->matrix)->a_type ==
                       EXECUTE_f64
                   ? 2
                   : 1;
    default:
        return 1;
    }
}

static bool is_seen(const struct look *look, enum shape shape)
{
    if (!look->lanes || shape == UNSEEN)
        return false;
    return shape != PRODUCT || (look->lanes == EXECUTE_ALL_LANES && !form_of(look)->quads);
}

void execute_live_values_deliver(struct execute_live_warp *live, const struct mnp_live_access *access, uint32_t frame,
                                 uint32_t lanes)
{
    struct execute_warp *warp = live->warp;
    const struct execute_code *code = warp->launch->code;
    const struct execute_op *op = execute_op_at(code, access->token);
    struct mnp_live_values *values = &live->cta->core->common.core->values;
    struct look look; /* results are not initialised */
    look.live = live;
    look.op = op;
    look.place = execute_code_function_at(code, warp->frame[frame].function);
    look.values = values;
    look.machine = code->paths;
    look.lanes = lanes;
    look.words = look.machine ? words_of(live, op, access->token) : 1;
    look.result_count = 0;
    if (!values->seen)
        memset(values->of, 0, sizeof values->of);
    values->seen = true;
    if (shape_of(op) == ATOMIC)
        keep(&look, op->d, look.words);
    for (uint32_t i = 0; shape_of(op) == LOAD && i < op->access.count; i++)
        keep(&look, list_of(&look)[i], look.words);
    execute_deliver(warp, op, lanes, access->data[0], MNP_LIVE_STRIDE);
    take_results(&look, MNP_TOGGLE_DATA);
    compare_writes(&look);
}

/* The instruction's own word. Returns whether there is one, and one in front of it. */
static bool read_word(struct look *look, uint32_t pc)
{
    const uint8_t *toggles = execute_timing_held(look->live->warp->launch->code)->toggles;
    if (!toggles || toggles[pc] == EXECUTE_NO_WORD)
        return false;
    add(look, MNP_TOGGLE_CODE, toggles[pc], EXECUTE_WORD_BITS);
    return true;
}

void execute_live_values_run(struct execute_live_warp *live)
{
    struct execute_warp *warp = live->warp;
    const struct execute_code *code = warp->launch->code;
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    struct mnp_live_values *values = &live->cta->core->common.core->values;
    uint32_t pc = top->pc;
    const struct execute_op *op = execute_op_at(code, pc);
    struct look look; /* results are not initialised */
    look.live = live;
    look.op = op;
    look.place = execute_code_function_at(code, warp->frame[warp->frames - 1].function);
    look.values = values;
    look.machine = code->paths;
    look.lanes = top->mask & (execute_mask_at(warp, op->guard) ^ op->guard_flip);
    look.words = look.machine ? words_of(live, op, pc) : 1;
    look.result_count = 0;
    enum shape shape = shape_of(op);
    bool seen = is_seen(&look, shape);
    memset(values->of, 0, sizeof values->of);
    if (seen)
        before(&look, shape);
    execute_warp_run(warp, 1);
    if (live->cta->again || live->common.base.park || warp->status == EXECUTE_FAULTED)
        return;
    live->look = pick(live, live->common.executed / values->every + 1, values->every);
    seen = seen && live->cta->record.op == pc && live->cta->record.mask == look.lanes;
    if (seen)
        after(&look, shape);
    else
        memset(values->of, 0, sizeof values->of);
    values->seen = read_word(&look, pc) || seen;
}
