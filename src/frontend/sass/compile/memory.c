/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads, stores, atomics, and copies from global to shared memory. */
#include "frontend/sass/compile/compiler.h"

#include "execute/memory/atomic.h"
#include "execute/warp/warp.h"

#include <string.h>

/* ===== widths and addresses ===== */

/* Sets the size and number of the registers of an access. */
void sass_put_width(const struct sass_instruction *instruction, struct execute_op *op)
{
    static const char *const names[] = {"U8", "S8", "U16", "S16", "64", "128", "U.128", NULL};
    static const uint8_t types[] = {EXECUTE_u8, EXECUTE_s8, EXECUTE_u16, EXECUTE_s16};
    int choice = sass_choice_of(instruction, names);
    op->access.type = choice >= 0 && choice < 4 ? types[choice] : EXECUTE_b32;
    op->access.count = choice == 4 ? 2 : choice > 4 ? 4 : 1;
    op->access.slot = 4;
}

static bool begins(const struct sass_modifier *modifier, const char *text)
{
    size_t length = strlen(text);
    return modifier->length >= length && strncmp(modifier->text, text, length) == 0;
}

/* Whether it is performed at the L2: .STRONG of more than this SM, also where strength and scope are two modifiers. */
static bool is_strong(const struct sass_instruction *instruction)
{
    bool strong = false, narrow = false;
    for (uint32_t i = 0; i < instruction->modifier_count; i++) {
        const struct sass_modifier *modifier = &instruction->modifiers[i];
        strong |= begins(modifier, "STRONG") || begins(modifier, "MMIO");
        narrow |= begins(modifier, "STRONG.SM") || begins(modifier, "SM") || begins(modifier, "CTA");
    }
    return strong && !narrow;
}

/* Additional registers of an access: upper words of addresses and values added to addresses. They are in the list
 * behind the data, for code that searches for registers in use. */
struct extras {
    uint32_t refs[4], count;
};

static void put_address(struct sass_compiler *compiler, const struct sass_operand *operand, struct execute_op *op,
                        bool global, struct extras *extras)
{
    bool pair = global && !(operand->flags & SASS_NARROW);
    op->immediate = operand->value;
    op->access.wide_address = pair ? EXECUTE_ADDRESS_PAIR : global ? EXECUTE_ADDRESS_ONE : EXECUTE_ADDRESS_NARROW;
    if (operand->index != SASS_RZ) {
        op->a = sass_register_ref(compiler, operand->index);
        op->flags |= EXECUTE_OP_READS_A;
        op->access.scale = global || !operand->bank ? 0 : (uint8_t)(operand->bank + 1); /* times 4, 8, 16 */
        if (pair)
            extras->refs[extras->count++] = op->a + EXECUTE_SMALL_BYTES;
    }
    if (operand->uniform == SASS_RZ || !(operand->flags & SASS_ADDED))
        return;
    op->reconverge = sass_uniform_ref(compiler, operand->uniform);
    op->access.added = global ? EXECUTE_ADDRESS_PAIR : EXECUTE_ADDRESS_ONE;
    extras->refs[extras->count++] = op->reconverge;
    if (global)
        extras->refs[extras->count++] = op->reconverge + EXECUTE_SMALL_BYTES;
}

/* Adds `count` adjacent registers, and the additional ones. */
static void put_registers(struct sass_compiler *compiler, const struct sass_operand *operand, uint32_t count,
                          bool results, const struct extras *extras, struct execute_op *op)
{
    bool none = operand && operand->index == SASS_RZ;
    op->list = compiler->code->list.count;
    for (uint32_t i = 0; i < count; i++)
        sass_add_list(compiler, none && results ? sass_nowhere(compiler)
                                : none          ? sass_value_ref(compiler, 0, true)
                                                : sass_register_ref(compiler, (uint8_t)(operand->index + i)));
    for (uint32_t i = 0; i < extras->count; i++)
        sass_add_list(compiler, extras->refs[i]);
    op->list_results = (uint8_t)(results ? count : 0);
    op->list_sources = (uint8_t)(extras->count + (results ? 0 : count));
}

static uint32_t number_of_registers(const struct execute_op *op)
{
    return op->access.count;
}

/* ===== loads and stores ===== */

struct space_row {
    const char *name; /* name of the instruction behind LD or ST */
    uint8_t space;
    bool global;
};

static const struct space_row *space_of(const char *name)
{
    static const struct space_row rows[] = {{"G", EXECUTE_SPACE_GLOBAL, true},
                                            {"S", EXECUTE_SPACE_SHARED, false},
                                            {"L", EXECUTE_SPACE_LOCAL, false},
                                            {"", EXECUTE_SPACE_GENERIC, true}};
    uint32_t i = 0;
    while (i < 3 && strcmp(rows[i].name, name + 2) != 0)
        i++;
    return &rows[i];
}

/* Loads and stores of 256 bits have their data in two groups of four registers; masks of bytes are not supported. */
static bool put_eight(struct sass_compiler *compiler, const struct sass_operand *data, const struct sass_operand *rest,
                      uint32_t rest_count, bool results, const struct extras *extras, struct execute_op *op)
{
    op->access.count = 8;
    op->list = compiler->code->list.count;
    sass_put_range(compiler, &data[results], 4, 1, results); /* a load names the upper sixteen bytes first */
    sass_put_range(compiler, &data[!results], 4, 1, results);
    for (uint32_t i = 0; i < extras->count; i++)
        sass_add_list(compiler, extras->refs[i]);
    op->list_results = results ? 8 : 0;
    op->list_sources = (uint8_t)(extras->count + (results ? 0 : 8));
    for (uint32_t i = 0; i < rest_count; i++)
        if (!(rest[i].flags & SASS_HIDDEN))
            return sass_refuse(compiler, "the bytes that it leaves out");
    return true;
}

static bool build_load(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                       struct execute_op *op)
{
    const struct sass_operand *operands = instruction->operands;
    const struct space_row *row = space_of(instruction->form->name);
    struct extras extras = {{0}, 0};
    op->kind = EXECUTE_KIND_LOAD;
    sass_put_width(instruction, op);
    op->access.space = row->space;
    op->access.strong = row->global && is_strong(instruction);
    op->access.bypass = op->access.strong;
    op->access.read_only = sass_has(instruction, "CONSTANT");
    if (sass_has(instruction, "256")) {
        put_address(compiler, &operands[2], op, true, &extras);
        return put_eight(compiler, operands, operands + 3, 2, true, &extras, op);
    }
    put_address(compiler, &operands[1], op, row->global, &extras);
    if (instruction->operand_count > 2 && !(operands[2].flags & SASS_HIDDEN))
        return sass_refuse(compiler, "a predicate beside a load");
    put_registers(compiler, &operands[0], number_of_registers(op), true, &extras, op);
    return true;
}

static bool build_store(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                        struct execute_op *op)
{
    const struct space_row *row = space_of(instruction->form->name);
    struct extras extras = {{0}, 0};
    op->kind = EXECUTE_KIND_STORE;
    sass_put_width(instruction, op);
    op->access.space = row->space;
    op->access.strong = row->global && is_strong(instruction);
    op->access.bypass = op->access.strong;
    put_address(compiler, &instruction->operands[0], op, row->global, &extras);
    if (sass_has(instruction, "256"))
        return put_eight(compiler, instruction->operands + 1, instruction->operands + 3, 1, false, &extras, op);
    put_registers(compiler, &instruction->operands[1], number_of_registers(op), false, &extras, op);
    return true;
}

/* The selector with which a byte permutation (PRMT) extracts one or two bytes, at byte `at` of a word; 0: the type has
 * another size. */
static uint32_t byte_choice(enum execute_type type, uint32_t at)
{
    enum { ZERO = 4, SIGN = 8 };
    bool two = type == EXECUTE_u16 || type == EXECUTE_s16 || type == EXECUTE_b16;
    if (!two && type != EXECUTE_u8 && type != EXECUTE_s8 && type != EXECUTE_b8)
        return 0;
    uint32_t last = at + two, above = type == EXECUTE_s8 || type == EXECUTE_s16 ? SIGN | last : ZERO;
    return at | (two ? last : above) << 4 | above << 8 | above << 12;
}

/* The part of a word of a bank that a load of less than a word moves. */
static bool build_part(struct sass_compiler *compiler, const struct sass_operand *from, const struct sass_operand *to,
                       uint32_t choice, struct execute_op *op)
{
    op->access = (struct execute_access_form){0};
    op->kind = EXECUTE_KIND_WORDS;
    op->a = sass_bank_ref(compiler, from->bank, (uint32_t)from->value & ~3u, false);
    op->b = sass_value_ref(compiler, choice, false);
    op->c = sass_value_ref(compiler, 0, false);
    op->d = sass_result_ref(compiler, to);
    op->size = 4;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    op->variant = to->kind == SASS_UNIFORM ? 0x80 : 0;
    op->words = compiler->words->functions[EXECUTE_WORDS_prmt];
    return op->a != EXECUTE_NO_REF;
}

/* A constant at a place that is known is moved; another one is loaded from where its bank lies. */
static bool build_constant(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                           struct execute_op *op)
{
    const struct sass_operand *from = &instruction->operands[1], *to = &instruction->operands[0];
    struct extras extras = {{0}, 0};
    sass_put_width(instruction, op);
    bool uniform = to->kind == SASS_UNIFORM;
    bool indexed = (from->index != SASS_RZ || from->uniform != SASS_RZ) &&
                   !sass_bank_is_of_cluster(compiler, from->bank, from->value);
    static const char *const refused[] = {"IL", "IS", "ISL", "TEXUNPACK", "HDRUNPACK", NULL};
    if (from->flags & SASS_BOUND || sass_choice_of(instruction, refused) >= 0)
        return sass_refuse(compiler, "how it names the bank");
    if (op->access.type == EXECUTE_b32 && from->value % 4)
        return sass_refuse(compiler, "the place of the constant, which is no multiple of four bytes");
    if (!indexed && op->access.type == EXECUTE_b32 && op->access.count <= 2 && from->value >= 0) {
        bool pair = op->access.count == 2;
        op->access = (struct execute_access_form){0};
        op->kind = EXECUTE_KIND_WORDS;
        op->a = sass_bank_ref(compiler, from->bank, (uint32_t)from->value, pair);
        op->d = sass_result_ref(compiler, to);
        op->size = pair ? 8 : 4;
        op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
        op->variant = uniform ? 0x80 : 0;
        op->words = compiler->words->functions[pair ? EXECUTE_WORDS_mov2 : EXECUTE_WORDS_mov];
        if (pair) {
            op->list = sass_add_list(compiler, op->d + EXECUTE_SMALL_BYTES);
            op->list_sources = 1;
        }
        return op->a != EXECUTE_NO_REF;
    }
    uint32_t choice = byte_choice((enum execute_type)op->access.type, (uint32_t)from->value & 3);
    if (!indexed && choice && from->value >= 0)
        return build_part(compiler, from, to, choice, op);
    if (!sass_bank_place_of(compiler, from->bank, &op->access.space, &op->immediate))
        return false;
    op->kind = EXECUTE_KIND_LOAD;
    op->immediate += from->value;
    op->access.wide_address = EXECUTE_ADDRESS_ONE;
    if (from->index != SASS_RZ) {
        op->a = sass_register_ref(compiler, from->index);
        op->flags |= EXECUTE_OP_READS_A;
    } else if (from->uniform != SASS_RZ) {
        op->a = sass_uniform_ref(compiler, from->uniform);
        op->flags |= EXECUTE_OP_READS_A;
    }
    if (!uniform) {
        put_registers(compiler, to, number_of_registers(op), true, &extras, op);
        return true;
    }
    op->list = compiler->code->list.count;
    for (uint32_t i = 0; i < op->access.count; i++)
        sass_add_list(compiler, to->index == SASS_RZ ? sass_nowhere(compiler)
                                                     : sass_uniform_ref(compiler, (uint8_t)(to->index + i)));
    op->list_results = op->access.count;
    op->access.uniform = true;
    return true;
}

/* ===== atomics ===== */

struct word_row {
    const char *text;
    uint8_t value;
};

static int value_of(const struct sass_instruction *instruction, const struct word_row *rows, int otherwise)
{
    for (; rows->text; rows++)
        if (sass_has(instruction, rows->text))
            return rows->value;
    return otherwise;
}

static const struct word_row atomic_operations[] = {{"POPC", EXECUTE_ATOMIC_ADD}, /* adds one for each lane */
                                                    {"ADD", EXECUTE_ATOMIC_ADD},
                                                    {"MIN", EXECUTE_ATOMIC_MIN},
                                                    {"MAX", EXECUTE_ATOMIC_MAX},
                                                    {"INC", EXECUTE_ATOMIC_INC},
                                                    {"DEC", EXECUTE_ATOMIC_DEC},
                                                    {"AND", EXECUTE_ATOMIC_AND},
                                                    {"OR", EXECUTE_ATOMIC_OR},
                                                    {"XOR", EXECUTE_ATOMIC_XOR},
                                                    {"EXCH", EXECUTE_ATOMIC_EXCH},
                                                    {"CAS", EXECUTE_ATOMIC_CAS},
                                                    {"CAST", EXECUTE_ATOMIC_CAS},
                                                    {"CAST.SPIN", EXECUTE_ATOMIC_CAS},
                                                    {NULL, 0}};
static const struct word_row atomic_types[] = {{"S32", EXECUTE_s32},
                                               {"64", EXECUTE_u64},
                                               {"S64", EXECUTE_s64},
                                               {"F32.FTZ.RN", EXECUTE_f32},
                                               {"F32.RN", EXECUTE_f32},
                                               {"F16x2.RN", EXECUTE_f16x2},
                                               {"F64.RN", EXECUTE_f64},
                                               {"BF16_V2.RN", EXECUTE_bf16x2},
                                               {"BF16x2.RN", EXECUTE_bf16x2},
                                               {"F16x4.RN", EXECUTE_f16x4},
                                               {"F16x8.RN", EXECUTE_f16x4},
                                               {"BF16x4.RN", EXECUTE_bf16x4},
                                               {"BF16x8.RN", EXECUTE_bf16x4},
                                               {"F32x2.RN", EXECUTE_f32x2},
                                               {"F32x4.RN", EXECUTE_f32x2},
                                               {"F32x2.FTZ.RN", EXECUTE_f32x2},
                                               {"F32x4.FTZ.RN", EXECUTE_f32x2},
                                               {NULL, 0}};

/* Registers of 32 bits of a vector, or of 128 bits. */
static uint8_t wide_count(const struct sass_instruction *instruction)
{
    static const struct word_row counts[] = {{"128", 4},          {"F16x4.RN", 2}, {"F16x8.RN", 4}, {"BF16x4.RN", 2},
                                             {"BF16x8.RN", 4},    {"F32x2.RN", 2}, {"F32x4.RN", 4}, {"F32x2.FTZ.RN", 2},
                                             {"F32x4.FTZ.RN", 4}, {NULL, 0}};
    return (uint8_t)value_of(instruction, counts, 1);
}

/* Sets the operation on memory, and the state space. */
static bool put_atomic_form(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                            struct execute_op *op)
{
    const char *name = instruction->form->name;
    int operation = value_of(instruction, atomic_operations, -1);
    bool shared = strcmp(name, "ATOMS") == 0;
    if (operation < 0)
        return sass_refuse(compiler, "what it does to memory");
    op->kind = EXECUTE_KIND_ATOMIC;
    op->access.operation = (uint8_t)operation;
    op->access.type = (uint8_t)value_of(instruction, atomic_types, EXECUTE_u32);
    op->access.count = wide_count(instruction);
    op->access.slot = op->access.count == 1 && execute_type_bytes((enum execute_type)op->access.type) == 8 ? 8 : 4;
    op->access.pairs = op->access.slot == 8;
    op->access.space = shared                      ? EXECUTE_SPACE_SHARED
                       : strcmp(name, "ATOM") == 0 ? EXECUTE_SPACE_GENERIC
                                                   : EXECUTE_SPACE_GLOBAL;
    op->access.strong = !shared;
    op->combine = sass_has(instruction, "CAST") || sass_has(instruction, "CAST.SPIN");
    op->access.reduction = name[0] == 'R';
    if (sass_has(instruction, "128")) /* exchanged in halves, which is atomic here */
        op->access.type = operation == EXECUTE_ATOMIC_CAS ? EXECUTE_b128 : EXECUTE_b64;
    return true;
}

/* Sets the operands from `operand` on, behind the address: a number, and the value that a comparison stores. */
static void put_atomic_sources(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                               const struct sass_operand *operand, struct execute_op *op, struct extras *extras)
{
    const struct sass_operand *end = instruction->operands + instruction->operand_count;
    if (sass_has(instruction, "POPC")) {
        op->b = sass_value_ref(compiler, 1, false);
        op->flags |= EXECUTE_OP_READS_B;
    } else if (operand < end) {
        op->b = sass_source_ref(compiler, operand, op->access.pairs);
        op->flags |= EXECUTE_OP_READS_B;
        if (op->access.pairs && operand->index != SASS_RZ)
            extras->refs[extras->count++] = op->b + EXECUTE_SMALL_BYTES;
        operand++;
    }
    if (operand < end && operand->kind == SASS_REGISTER) {
        op->c = sass_source_ref(compiler, operand, op->access.pairs);
        op->flags |= EXECUTE_OP_READS_C;
    }
    if (op->access.operation == EXECUTE_ATOMIC_CAS && op->c != EXECUTE_NO_REF && op->access.pairs && extras->count < 4)
        extras->refs[extras->count++] = op->c + EXECUTE_SMALL_BYTES;
}

/* The list has: the result, the operand, the value that a comparison stores, and then the additional registers. */
static bool build_wide_atomic(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                              const struct sass_operand *operand, struct execute_op *op)
{
    const struct sass_operand *end = instruction->operands + instruction->operand_count;
    struct extras extras = {{0}, 0};
    const struct sass_operand *result = op->access.reduction ? NULL : operand++;
    uint32_t count = op->access.count;
    op->size = 4;
    put_address(compiler, operand++, op, op->access.space != EXECUTE_SPACE_SHARED, &extras);
    op->list = compiler->code->list.count;
    if (result)
        sass_put_range(compiler, result, count, 1, true);
    op->list_results = (uint8_t)(result ? count : 0);
    for (; operand < end && operand->kind == SASS_REGISTER; operand++, op->list_sources += (uint8_t)count)
        sass_put_range(compiler, operand, count, 1, false);
    for (uint32_t i = 0; i < extras.count; i++, op->list_sources++)
        sass_add_list(compiler, extras.refs[i]);
    return op->list_sources >= count * (op->access.type == EXECUTE_b128 ? 2 : 1) ||
           sass_refuse(compiler, "what it does to memory");
}

static bool build_atomic(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                         struct execute_op *op)
{
    const struct sass_operand *operand = instruction->operands, *end = operand + instruction->operand_count;
    struct extras extras = {{0}, 0};
    if (sass_has(instruction, "ARRIVE"))
        return sass_build_arrival(compiler, &operand[1], &operand[0], op);
    if (!put_atomic_form(compiler, instruction, op))
        return false;
    bool swaps = strcmp(instruction->form->name, "ATOMS") == 0; /* CAST.SPIN of Blackwell: whether it has stored */
    for (; operand < end && operand->kind == SASS_PREDICATE; operand++) /* whether it has been done */
        if (swaps || operand->index != SASS_PT) {
            op->variant = swaps ? EXECUTE_ATOMIC_SWAPS : EXECUTE_ATOMIC_GLOBAL_ALONE;
            op->target = sass_predicate_result(operand);
        }
    if (execute_is_wide_atomic(op))
        return build_wide_atomic(compiler, instruction, operand, op);
    if (!op->access.reduction && op->variant != EXECUTE_ATOMIC_SWAPS) {
        op->d = sass_result_ref(compiler, operand++);
        op->flags |= EXECUTE_OP_WRITES_D;
        op->size = op->access.slot;
    }
    put_address(compiler, operand++, op, op->access.space != EXECUTE_SPACE_SHARED, &extras);
    put_atomic_sources(compiler, instruction, operand, op, &extras);
    put_registers(compiler, NULL, 0, true, &extras, op);
    return true;
}

/* ===== copies and matrices ===== */

/* LDGSTS: shared address, global address, and a predicate without which zeros are written. */
static bool build_copy(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                       struct execute_op *op)
{
    const struct sass_operand *to = &instruction->operands[0], *from = &instruction->operands[1];
    struct extras extras = {{0}, 0};
    op->kind = EXECUTE_KIND_COPY_ASYNC;
    sass_put_width(instruction, op);
    uint32_t bytes = 4u * op->access.count;
    if (to->uniform != SASS_RZ && to->flags & SASS_ADDED)
        return sass_refuse(compiler, "a uniform register in its shared address");
    if (from->uniform != SASS_RZ && from->flags & SASS_ADDED)
        return sass_refuse(compiler, "a uniform register in its global address");
    if (from->flags & SASS_NARROW)
        return sass_refuse(compiler, "a global address of 32 bits");
    put_address(compiler, to, op, false, &extras);
    op->access.type = (uint8_t)bytes;
    op->access.space = EXECUTE_SPACE_SHARED;
    op->b = from->index == SASS_RZ ? EXECUTE_NO_REF : sass_register_ref(compiler, from->index);
    op->flags |= EXECUTE_OP_READS_B;
    op->access.bypass = EXECUTE_ADDRESS_PAIR;
    extras.refs[extras.count++] = op->b + EXECUTE_SMALL_BYTES;
    op->target = compiler->code->wide.count;
    *(uint64_t *)mnp_array_add(&compiler->code->wide, 1, sizeof(uint64_t)) = (uint64_t)from->value;
    if (instruction->operand_count > 2 && !(instruction->operands[2].flags & SASS_HIDDEN)) {
        bool inverted;
        op->c = sass_predicate_ref(&instruction->operands[2], &inverted);
        op->flags |= EXECUTE_OP_READS_C | (inverted ? EXECUTE_OP_FLIP_C : 0);
        op->variant = EXECUTE_COPY_PREDICATE;
    }
    op->variant |= (uint8_t)(EXECUTE_COPY_MACHINE | (sass_has(instruction, "ZFILL") ? EXECUTE_COPY_ZEROS : 0));
    put_registers(compiler, NULL, 0, true, &extras, op);
    return true;
}

static bool build_matrix_rows(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                              struct execute_op *op)
{
    static const char *const counts[] = {"2", "4", NULL};
    bool store = strcmp(instruction->form->name, "STSM") == 0;
    int count = sass_choice_of(instruction, counts);
    struct extras extras = {{0}, 0};
    if (!sass_has(instruction, "16") || (!sass_has(instruction, "M88") && !sass_has(instruction, "MT88")))
        return sass_refuse(compiler, "the shape of its matrices");
    op->kind = EXECUTE_KIND_LOAD_MATRIX;
    op->variant = sass_has(instruction, "MT88");
    op->combine = store;
    op->access.type = EXECUTE_b32;
    op->access.count = count < 0 ? 1 : count == 0 ? 2 : 4;
    op->access.slot = 4;
    op->access.space = EXECUTE_SPACE_SHARED;
    put_address(compiler, &instruction->operands[!store], op, false, &extras);
    put_registers(compiler, &instruction->operands[store], op->access.count, !store, &extras, op);
    return true;
}

/* Sets the operation of a reducing load, and its elements' type. */
static bool put_reduction(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    static const struct word_row operations[] = {
        {"F32ADD", EXECUTE_ATOMIC_ADD}, {"HPADD", EXECUTE_ATOMIC_ADD}, {"ADD", EXECUTE_ATOMIC_ADD},
        {"MIN", EXECUTE_ATOMIC_MIN},    {"MAX", EXECUTE_ATOMIC_MAX},   {"AND", EXECUTE_ATOMIC_AND},
        {"OR", EXECUTE_ATOMIC_OR},      {"XOR", EXECUTE_ATOMIC_XOR},   {NULL, 0}};
    int operation = value_of(instruction, operations, -1);
    if (operation < 0)
        return sass_refuse(compiler, "what it combines");
    op->access.operation = (uint8_t)operation;
    op->access.reduced = (uint8_t)(value_of(instruction, atomic_types, EXECUTE_u32) + 1);
    op->access.single = sass_has(instruction, "F32ADD") || sass_has(instruction, "HPADD");
    return true;
}

/* LDGMC: a load of a multicast object, of whose memories it combines the elements. */
static bool build_multicast_load(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                                 struct execute_op *op)
{
    static const struct word_row doubles[] = {{"64", 2}, {"S64", 2}, {"F64.RN", 2}, {NULL, 0}};
    struct extras extras = {{0}, 0};
    op->kind = EXECUTE_KIND_LOAD;
    op->access.type = EXECUTE_b32;
    op->access.slot = 4;
    op->access.count = (uint8_t)value_of(instruction, doubles, wide_count(instruction));
    op->access.space = EXECUTE_SPACE_GLOBAL;
    op->access.strong = true;
    op->access.bypass = true;
    if (!put_reduction(compiler, instruction, op))
        return false;
    put_address(compiler, &instruction->operands[1], op, true, &extras);
    put_registers(compiler, &instruction->operands[0], op->access.count, true, &extras, op);
    return true;
}

const struct sass_builder_row sass_memory_rows[] = {
    {"LDGMC", build_multicast_load},
    {"LD", build_load},
    {"LDG", build_load},
    {"LDS", build_load},
    {"LDL", build_load},
    {"LDC", build_constant},
    {"ULDC", build_constant},
    {"LDCU", build_constant},
    {"ST", build_store},
    {"STG", build_store},
    {"STS", build_store},
    {"STL", build_store},
    {"ATOM", build_atomic},
    {"ATOMG", build_atomic},
    {"ATOMS", build_atomic},
    {"RED", build_atomic},
    {"REDG", build_atomic},
    {"LDGSTS", build_copy},
    {"LDSM", build_matrix_rows},
    {"STSM", build_matrix_rows},
    {NULL, NULL},
};
