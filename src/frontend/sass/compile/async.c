/* SPDX-License-Identifier: BSD-3-Clause */
/* Hopper's own: barriers with transactions, bulk copies by the tensor memory accelerator, products of warpgroups. */
#include "frontend/sass/compile/compiler.h"

#include "execute/copy/tensor_map.h"
#include "execute/warp/warp.h"
#include "frontend/sass/decode.h"

#include <stdlib.h>
#include <string.h>

/* The entry of `names` that a modifier is; `otherwise`: none is. */
struct choice {
    const char *text;
    uint8_t value;
};

static int choose(const struct sass_instruction *instruction, const struct choice *choices, int otherwise)
{
    for (; choices->text; choices++)
        if (sass_has(instruction, choices->text))
            return choices->value;
    return otherwise;
}

/* ===== mbarriers: SYNCS, ARRIVES ===== */

/* An address in shared memory: register, uniform register, offset. */
static void put_shared(struct sass_compiler *compiler, const struct sass_operand *operand, struct execute_op *op)
{
    op->immediate = operand->value;
    op->access.space = EXECUTE_SPACE_SHARED;
    op->access.type = EXECUTE_b64;
    op->access.count = 1;
    op->access.slot = 4;
    if (operand->index != SASS_RZ) {
        op->a = sass_register_ref(compiler, operand->index);
        op->flags |= EXECUTE_OP_READS_A;
    }
    if (operand->uniform == SASS_RZ || !(operand->flags & SASS_ADDED))
        return;
    op->access.added = EXECUTE_ADDRESS_ONE;
    op->reconverge = sass_uniform_ref(compiler, operand->uniform);
    op->list = sass_add_list(compiler, op->reconverge);
    op->list_sources = 1;
}

static void put_count(struct sass_compiler *compiler, uint32_t ref, struct execute_op *op)
{
    (void)compiler;
    op->b = ref;
    op->flags |= EXECUTE_OP_READS_B;
}

/* PHASECHK: the phase is the highest bit of a word, as it is of a state. */
static bool build_phase_check(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                              struct execute_op *op)
{
    const struct sass_operand *operands = instruction->operands;
    op->kind = EXECUTE_KIND_MBARRIER;
    op->variant = EXECUTE_MBARRIER_WAIT_UPPER;
    op->combine = sass_has(instruction, "TRYWAIT");
    put_shared(compiler, &operands[1], op);
    put_count(compiler, sass_source_ref(compiler, &operands[2], false), op);
    op->d = sass_predicate_result(&operands[0]);
    op->flags |= EXECUTE_OP_WRITES_D;
    return true;
}

/* The initial value of an mbarrier, computed by the program, is written unchanged. */
static bool build_barrier_exchange(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                                   struct execute_op *op)
{
    const struct sass_operand *operands = instruction->operands;
    if (operands[0].index != SASS_RZ)
        return sass_refuse(compiler, "the barrier's value that it returns");
    op->kind = EXECUTE_KIND_STORE;
    put_shared(compiler, &operands[1], op);
    op->access.type = EXECUTE_b32;
    op->access.count = 2;
    uint32_t address = op->reconverge;
    op->list = sass_add_list(compiler, sass_uniform_ref(compiler, operands[2].index));
    sass_add_list(compiler, sass_uniform_ref(compiler, (uint8_t)(operands[2].index + 1)));
    sass_add_list(compiler, address);
    op->list_sources = 3;
    return operands[2].index != SASS_RZ || sass_refuse(compiler, "the barrier's value");
}

/* A: arrivals, T: bytes; 0, 1, or R: from the register, X: subtracts bytes. */
static bool build_arrive(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                         struct execute_op *op)
{
    enum { A1TR = 0, A1T0, A0T1, A0TR, A0TX, ART0 };
    static const struct choice kinds[] = {{"A1T0", A1T0}, {"A0T1", A0T1}, {"A0TR", A0TR},
                                          {"A0TX", A0TX}, {"ART0", ART0}, {NULL, 0}};
    static const uint8_t variants[] = {
        [A1TR] = EXECUTE_MBARRIER_ARRIVE, [A1T0] = EXECUTE_MBARRIER_ARRIVE,   [A0T1] = EXECUTE_MBARRIER_EXPECT,
        [A0TR] = EXECUTE_MBARRIER_EXPECT, [A0TX] = EXECUTE_MBARRIER_COMPLETE, [ART0] = EXECUTE_MBARRIER_ARRIVE};
    const struct sass_operand *operands = instruction->operands;
    int kind = choose(instruction, kinds, A1TR);
    if (sass_has(instruction, "TMASK"))
        return sass_refuse(compiler, "the lanes that it returns");
    op->kind = EXECUTE_KIND_MBARRIER;
    op->variant = variants[kind];
    bool drops = sass_has(instruction, "OPTOUT");
    if (drops && op->variant != EXECUTE_MBARRIER_ARRIVE)
        return sass_refuse(compiler, ".OPTOUT without an arrival");
    if (drops)
        op->variant = EXECUTE_MBARRIER_ARRIVE_DROP;
    op->combine = kind == A1TR;
    put_shared(compiler, &operands[1], op);
    bool one = kind == A1T0 || kind == A0T1;
    put_count(compiler, one ? sass_value_ref(compiler, 1, false) : sass_source_ref(compiler, &operands[2], false), op);
    if (operands[0].index == SASS_RZ)
        return true;
    op->d = sass_result_ref(compiler, &operands[0]);
    op->size = 8;
    op->access.pairs = true;
    op->flags |= EXECUTE_OP_WRITES_D;
    return true;
}

static bool build_syncs(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                        struct execute_op *op)
{
    if (sass_has(instruction, "PHASECHK"))
        return build_phase_check(compiler, instruction, op);
    if (sass_has(instruction, "EXCH"))
        return build_barrier_exchange(compiler, instruction, op);
    if (sass_has(instruction, "ARRIVE"))
        return build_arrive(compiler, instruction, op);
    op->kind = EXECUTE_KIND_NOTHING; /* CCTL.IV: invalidates the barrier, which has no effect */
    return true;
}

/* Ampere's barriers, whose words are created and tested by the program: an arrival, and the previous words. */
bool sass_build_arrival(struct sass_compiler *compiler, const struct sass_operand *address,
                        const struct sass_operand *to, struct execute_op *op)
{
    op->kind = EXECUTE_KIND_MBARRIER;
    op->variant = EXECUTE_MBARRIER_ARRIVE_WORDS;
    put_shared(compiler, address, op);
    put_count(compiler, sass_value_ref(compiler, 1, false), op);
    if (!to || to->index == SASS_RZ)
        return true;
    op->d = sass_result_ref(compiler, to);
    op->size = 8;
    op->access.pairs = true;
    op->flags |= EXECUTE_OP_WRITES_D;
    return true;
}

/* An arrival, or a byte less, when a thread's copies so far have landed. */
static bool build_arrives(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    bool arrives = sass_has(instruction, "ARVCNT");
    op->access.landed = true;
    if (!arrives && !sass_has(instruction, "TRANSCNT"))
        return sass_build_arrival(compiler, &instruction->operands[0], NULL, op);
    op->kind = EXECUTE_KIND_MBARRIER;
    op->variant = arrives ? EXECUTE_MBARRIER_ARRIVE : EXECUTE_MBARRIER_COMPLETE;
    put_shared(compiler, &instruction->operands[0], op);
    put_count(compiler, sass_value_ref(compiler, 1, false), op);
    return true;
}

static const struct choice reductions[] = {
    {"ADD", EXECUTE_ATOMIC_ADD}, {"MIN", EXECUTE_ATOMIC_MIN}, {"MAX", EXECUTE_ATOMIC_MAX},
    {"INC", EXECUTE_ATOMIC_INC}, {"DEC", EXECUTE_ATOMIC_DEC}, {"AND", EXECUTE_ATOMIC_AND},
    {"OR", EXECUTE_ATOMIC_OR},   {"XOR", EXECUTE_ATOMIC_XOR}, {NULL, 0}};

/* STAS, REDAS: a pair of registers holds two addresses in shared memory, of the data and of the barrier. */
static bool build_store_async(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                              struct execute_op *op)
{
    static const struct choice types[] = {{"S32", EXECUTE_s32}, {"64", EXECUTE_u64}, {"S64", EXECUTE_s64}, {NULL, 0}};
    const struct sass_operand *to = &instruction->operands[0], *data = &instruction->operands[1];
    bool reduces = instruction->form->name[0] == 'R';
    bool added = to->flags & SASS_ADDED && to->uniform != SASS_RZ;
    if (to->index == SASS_RZ || to->flags & SASS_NARROW || to->value || added)
        return sass_refuse(compiler, "the way in which its addresses are made");
    op->access.type = EXECUTE_b32;
    op->access.slot = 4;
    op->access.count = sass_has(instruction, "128") ? 4 : sass_has(instruction, "64") ? 2 : 1;
    op->kind = EXECUTE_KIND_MBARRIER;
    op->variant = EXECUTE_MBARRIER_STORE;
    op->access.space = EXECUTE_SPACE_SHARED;
    if (reduces) {
        op->access.type = (uint8_t)choose(instruction, types, EXECUTE_u32);
        op->access.count = (uint8_t)(execute_type_bytes((enum execute_type)op->access.type) / 4);
        op->access.operation = (uint8_t)choose(instruction, reductions, EXECUTE_ATOMIC_ADD);
        op->access.reduction = true;
    }
    op->a = sass_register_ref(compiler, to->index);
    op->b = sass_value_ref(compiler, 0, false); /* kinds of mbarrier operations have one */
    op->flags |= EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    op->list = sass_add_list(compiler, sass_register_ref(compiler, (uint8_t)(to->index + 1)));
    sass_put_range(compiler, data, op->access.count, 1, false);
    op->list_sources = (uint8_t)(1 + op->access.count);
    return true;
}

/* ===== bulk copies ===== */

/* Adds constants for the offsets of the global address, and of the barrier. */
static uint32_t offsets(struct sass_compiler *compiler, uint64_t global)
{
    uint32_t place = compiler->code->wide.count;
    uint64_t *to = mnp_array_add(&compiler->code->wide, 2, sizeof *to);
    to[0] = global;
    to[1] = 0;
    return place;
}

/* `shared`: the uniform register of the shared address; for a load, the barrier's follows. `coordinates`: the first of
 * them. */
static void put_copy(struct sass_compiler *compiler, struct execute_op *op, uint8_t shared, uint8_t global,
                     uint8_t coordinates, bool barrier)
{
    op->kind = EXECUTE_KIND_TENSOR_COPY;
    bool across = op->tensor.direction >= EXECUTE_TENSOR_ACROSS;
    op->tensor.flags |= EXECUTE_TENSOR_MACHINE | (across ? 0 : EXECUTE_TENSOR_WIDE_GLOBAL);
    op->a = sass_uniform_ref(compiler, shared);
    op->b = sass_uniform_ref(compiler, global);
    op->flags |= EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    op->target = offsets(compiler, across ? EXECUTE_CLUSTER_BASE : 0);
    op->list = compiler->code->list.count;
    for (uint8_t i = 0; i < op->tensor.rank; i++)
        sass_add_list(compiler, sass_uniform_ref(compiler, (uint8_t)(coordinates + i)));
    op->list_sources = op->tensor.rank;
    if (barrier) {
        op->tensor.flags |= EXECUTE_TENSOR_BARRIER;
        sass_add_list(compiler, sass_uniform_ref(compiler, (uint8_t)((across ? global : shared) + 1)));
        op->list_sources++;
    }
}

/* The mask of blocks, or the offsets of im2col, or both, stand in the list behind the coordinates, in front of the
 * barrier. */
static void put_mask(struct sass_compiler *compiler, struct execute_op *op, uint8_t mask)
{
    uint32_t barrier = *((const uint32_t *)compiler->code->list.items + op->list + op->list_sources - 1u);
    *((uint32_t *)compiler->code->list.items + op->list + op->list_sources - 1u) = sass_uniform_ref(compiler, mask);
    sass_add_list(compiler, barrier);
    op->list_sources++;
}

/* UTMALDG [to], [map], UTMASTG [from], [map], UTMAREDG: coordinates lie behind the address in shared memory, and of a
 * load behind the barrier's address too. */
static bool build_box_copy(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                           struct execute_op *op)
{
    static const struct choice ranks[] = {{"1D", 1}, {"2D", 2}, {"3D", 3}, {"4D", 4}, {"5D", 5}, {NULL, 0}};
    const struct sass_operand *operands = instruction->operands;
    const char *name = instruction->form->name;
    bool load = strcmp(name, "UTMALDG") == 0, reduce = strcmp(name, "UTMAREDG") == 0;
    static const char *const others[] = {"W", "W128", "GATHER4", "SCATTER4", NULL};
    bool columns = sass_has(instruction, "IM2COL"), multicast = sass_has(instruction, "MULTICAST");
    bool pair = sass_has(instruction, "2CTA"); /* the barrier may belong to the pair's other block */
    if (sass_choice_of(instruction, others) >= 0 || (pair && multicast) ||
        (columns && (sass_has(instruction, "1D") || sass_has(instruction, "2D"))))
        return sass_refuse(compiler, "how it copies");
    op->tensor.direction = load ? EXECUTE_TENSOR_LOAD : reduce ? EXECUTE_TENSOR_REDUCE : EXECUTE_TENSOR_STORE;
    op->tensor.rank = (uint8_t)choose(instruction, ranks, 1);
    op->tensor.operation = (uint8_t)choose(instruction, reductions, 0);
    put_copy(compiler, op, operands[0].index, operands[1].index, (uint8_t)(operands[0].index + 1 + load), load);
    op->tensor.flags |= (uint8_t)((columns ? EXECUTE_TENSOR_IM2COL : 0) | (load && pair ? EXECUTE_TENSOR_PAIR : 0));
    if (load && (columns || multicast))
        put_mask(compiler, op, operands[2].index);
    if (load && multicast)
        op->tensor.flags |= EXECUTE_TENSOR_MULTICAST;
    return true;
}

/* UBLKCP and UBLKRED [to], [from], bytes: between shared and global memory, or to the shared memory of another block
 * of the cluster. */
static bool build_bytes_copy(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                             struct execute_op *op)
{
    static const struct choice types[] = {
        {"S32", EXECUTE_s32},    {"U64", EXECUTE_u64},    {"S64", EXECUTE_s64},      {"F16.RN", EXECUTE_f16},
        {"F32.RN", EXECUTE_f32}, {"F64.RN", EXECUTE_f64}, {"BF16.RN", EXECUTE_bf16}, {NULL, 0}};
    const struct sass_operand *operands = instruction->operands;
    bool to_shared = sass_bit(&instruction->word, 73), from_shared = sass_bit(&instruction->word, 74);
    bool reduce = strcmp(instruction->form->name, "UBLKRED") == 0;
    bool across = to_shared && from_shared;
    if ((!to_shared && !from_shared) || sass_has(instruction, "DST_G_BYTE_MASK") ||
        (!to_shared && sass_has(instruction, "MULTICAST")))
        return sass_refuse(compiler, "a copy inside global memory, or of some bytes");
    const struct sass_operand *shared = &operands[from_shared], *global = &operands[!from_shared];
    op->tensor.direction = across      ? (reduce ? EXECUTE_TENSOR_ACROSS_REDUCE : EXECUTE_TENSOR_ACROSS)
                           : to_shared ? EXECUTE_TENSOR_LOAD
                           : reduce    ? EXECUTE_TENSOR_REDUCE
                                       : EXECUTE_TENSOR_STORE;
    op->tensor.operation = (uint8_t)choose(instruction, reductions, 0);
    op->tensor.type = (uint8_t)(reduce ? choose(instruction, types, EXECUTE_u32) : 0);
    put_copy(compiler, op, shared->index, global->index, 0, to_shared);
    op->c = sass_uniform_ref(compiler, operands[2].index);
    op->flags |= EXECUTE_OP_READS_C;
    if (to_shared && sass_has(instruction, "MULTICAST")) {
        put_mask(compiler, op, operands[2].index);
        op->tensor.flags |= EXECUTE_TENSOR_MULTICAST;
    }
    return true;
}

static bool build_flush(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                        struct execute_op *op)
{
    (void)compiler, (void)instruction;
    op->kind = EXECUTE_KIND_ASYNC_GROUP;
    op->variant = EXECUTE_GROUP_COPIES_COMMIT;
    return true;
}

/* Whether writes of bulk copies must be visible after a wait: ptxas then places CCTL.IVALL behind it, in the same
 * block. There is none behind a wait for sources to be read. */
static bool is_seen_behind(const struct sass_compiler *compiler)
{
    static const char *const ends[] = {"DEPBAR", "UTMACMDFLUSH", "BRA", "BRX", "EXIT", "RET", "CALL", "BSYNC"};
    struct sass_instruction next;
    for (uint32_t at = compiler->place - compiler->first + 1; at < compiler->kernel->words; at++) {
        struct sass_word word = sass_kernel_word(compiler->kernel, at);
        if (sass_decode(compiler->program->decoder, word, &next) != SASS_DECODED)
            return true;
        if (strcmp(next.form->name, "CCTL") == 0 && sass_has(&next, "IVALL"))
            return true;
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            if (strcmp(next.form->name, ends[i]) == 0)
                return false;
    }
    return false;
}

/* Emits waits for bulk copies, if the code contains any. The values of other copies are available immediately, and only
 * timing waits (timing.c). */
static bool build_counter_wait(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                               struct execute_op *op)
{
    op->kind = EXECUTE_KIND_NOTHING;
    if (!compiler->copies_in_bulk || !sass_has(instruction, "LE"))
        return true;
    op->kind = EXECUTE_KIND_ASYNC_GROUP;
    op->variant = is_seen_behind(compiler) ? EXECUTE_GROUP_COPIES_WAIT : EXECUTE_GROUP_COPIES_WAIT_READ;
    op->immediate = instruction->operands[1].value;
    op->combine = !compiler->copies_by_lane;
    return true;
}

static bool build_hint(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                       struct execute_op *op)
{
    (void)compiler, (void)instruction;
    op->kind = EXECUTE_KIND_NOTHING;
    return true;
}

/* ===== products of warpgroups ===== */

static uint8_t wgmma_type(const struct sass_instruction *instruction, bool b)
{
    const struct sass_word *word = &instruction->word;
    switch (instruction->form->name[0]) {
    case 'Q':
        return sass_bit(word, b ? 77 : 76) ? EXECUTE_WGMMA_E5M2 : EXECUTE_WGMMA_E4M3;
    case 'I':
        return sass_bit(word, b ? 82 : 76) ? EXECUTE_WGMMA_S8 : EXECUTE_WGMMA_U8;
    default:
        return sass_has(instruction, "BF16")   ? EXECUTE_WGMMA_BF16
               : sass_has(instruction, "TF32") ? EXECUTE_WGMMA_TF32
                                               : EXECUTE_WGMMA_F16;
    }
}

/* Columns, of a shape 64x128x16. */
static uint16_t columns_of(const struct sass_instruction *instruction)
{
    const struct sass_modifier *shape = &instruction->modifiers[sass_has(instruction, "SP")];
    return shape->length > 3 ? (uint16_t)strtoul(shape->text + 3, NULL, 10) : 0;
}

/* Checks the depth: halves are 16 deep, .TF32 eight, and twice that if A is sparse. */
static bool fits_depth(const struct sass_instruction *instruction, const struct execute_wgmma_form *form)
{
    bool sparse = sass_has(instruction, "SP"), wide = form->a_type == EXECUTE_WGMMA_TF32;
    const struct sass_modifier *shape = &instruction->modifiers[sparse];
    const char *depth = sparse ? (wide ? "x16" : "x32") : wide ? "x8" : "x16";
    size_t length = strlen(depth);
    return instruction->form->name[0] != 'H' ||
           (shape->length > length && strncmp(shape->text + shape->length - length, depth, length) == 0);
}

static void put_details(const struct sass_instruction *instruction, bool registers, struct execute_wgmma_form *form)
{
    const struct sass_word *word = &instruction->word;
    bool whole = instruction->form->name[0] == 'I', halves = instruction->form->name[0] == 'H';
    form->n = columns_of(instruction);
    form->a_type = wgmma_type(instruction, false);
    form->b_type = wgmma_type(instruction, true);
    form->d_type = whole ? EXECUTE_s32 : sass_has(instruction, "F32") ? EXECUTE_f32 : EXECUTE_f16;
    form->flags = (uint8_t)((registers ? EXECUTE_WGMMA_A_REGISTERS : 0) |
                            (!whole && sass_bit(word, 72) ? EXECUTE_WGMMA_NEGATE_A : 0) |
                            (!whole && sass_bit(word, 63) ? EXECUTE_WGMMA_NEGATE_B : 0) |
                            (halves && !registers && sass_bit(word, 61) ? EXECUTE_WGMMA_TRANSPOSE_A : 0) |
                            (halves && sass_bit(word, 62) ? EXECUTE_WGMMA_TRANSPOSE_B : 0) |
                            (sass_has(instruction, "SP") ? EXECUTE_WGMMA_SPARSE : 0) |
                            (sass_has(instruction, "SAT") ? EXECUTE_WGMMA_SATURATE : 0));
}

/* Sums as results and as sources, then A where it lies in registers, and the metadata of a sparse one. */
static void put_sums(struct sass_compiler *compiler, const struct sass_instruction *instruction, uint32_t count,
                     bool registers, const struct sass_operand *metadata, struct execute_op *op)
{
    const struct sass_operand *operands = instruction->operands;
    op->list = compiler->code->list.count;
    for (uint32_t twice = 0; twice < 2; twice++)
        for (uint32_t i = 0; i < count; i++)
            sass_add_list(compiler, sass_register_ref(compiler, (uint8_t)(operands[0].index + i)));
    for (uint32_t i = 0; i < 4 && registers; i++)
        sass_add_list(compiler, sass_register_ref(compiler, (uint8_t)(operands[1].index + i)));
    if (metadata)
        sass_add_list(compiler, sass_register_ref(compiler, metadata->index));
    op->list_results = (uint8_t)count;
    op->list_sources = (uint8_t)(count + (registers ? 4 : 0) + !!metadata);
}

/* gdesc names four uniform registers: the descriptors of A, unused if A is in registers, and of B. */
static bool build_group_product(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                                struct execute_op *op)
{
    const struct sass_operand *operands = instruction->operands;
    bool registers = operands[1].kind == SASS_REGISTER;
    const struct sass_operand *descriptor = &operands[1 + registers], *sums = descriptor + 1, *scale = sums + 1;
    const struct sass_operand *metadata = sass_has(instruction, "SP") ? scale + 1 : NULL;
    const struct sass_operand *last = scale + 1;
    struct execute_wgmma_form form = {0};
    put_details(instruction, registers, &form);
    if (metadata)
        last += instruction->form->name[0] == 'H' ? 2 : 1;
    uint32_t count = form.d_type == EXECUTE_f16 ? form.n / 4u : form.n / 2u;
    if (sums->index != SASS_RZ && sums->index != operands[0].index)
        return sass_refuse(compiler, "sums that are added from other registers");
    if (!form.n || !fits_depth(instruction, &form) || operands[0].index + count > SASS_RZ ||
        operands[1].index + 4u * registers > SASS_RZ)
        return sass_refuse(compiler, "the shape of its matrices");
    op->kind = EXECUTE_KIND_WGMMA;
    put_sums(compiler, instruction, count, registers, metadata, op);
    op->immediate = metadata && last == metadata + 2 ? metadata[1].value : 0;
    op->a = registers ? EXECUTE_NO_REF : sass_uniform_ref(compiler, descriptor->index);
    op->b = sass_uniform_ref(compiler, (uint8_t)(descriptor->index + 2));
    op->flags = (uint8_t)(EXECUTE_OP_READS_B | (registers ? 0 : EXECUTE_OP_READS_A));
    bool never = scale->index == SASS_PT && scale->flags & SASS_INVERTED;
    form.flags |= never || sums->index == SASS_RZ ? EXECUTE_WGMMA_FRESH : 0;
    if (scale->index != SASS_PT) {
        bool inverted;
        op->c = sass_predicate_ref(scale, &inverted);
        op->flags |= EXECUTE_OP_READS_C | (inverted ? EXECUTE_OP_FLIP_C : 0);
    }
    op->combine = last->text.length > 0; /* gsb0: the last product of a group */
    op->wgmma = form;
    return true;
}

/* WARPGROUP.ARRIVE; WARPGROUP.DEPBAR.LE gsb0, with the number of groups that may stay pending. */
static bool build_group_meeting(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                                struct execute_op *op)
{
    bool waits = sass_has(instruction, "DEPBAR");
    op->kind = EXECUTE_KIND_BARRIER;
    op->variant = EXECUTE_BARRIER_GROUP;
    op->a = sass_value_ref(compiler, 0, false);
    op->flags = EXECUTE_OP_READS_A;
    op->immediate = waits ? instruction->operands[1].value : INT64_MAX;
    return true;
}

const struct sass_builder_row sass_async_rows[] = {
    {"SYNCS", build_syncs},
    {"ARRIVES", build_arrives},
    {"STAS", build_store_async},
    {"REDAS", build_store_async},
    {"UTMALDG", build_box_copy},
    {"UTMASTG", build_box_copy},
    {"UTMAREDG", build_box_copy},
    {"UBLKCP", build_bytes_copy},
    {"UBLKRED", build_bytes_copy},
    {"UTMACMDFLUSH", build_flush},
    {"DEPBAR", build_counter_wait},
    {"PMTRIG", build_hint},
    {"UTMAPF", build_hint},
    {"UBLKPF", build_hint},
    {"UTMACCTL", build_hint},
    {"HGMMA", build_group_product},
    {"IGMMA", build_group_product},
    {"QGMMA", build_group_product},
    {"WARPGROUP", build_group_meeting},
    {NULL, NULL},
};
