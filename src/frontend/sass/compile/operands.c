/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * References of operands. In the frame, a register is 32 words, one per lane, and the registers follow the predicates
 * in this order, counted in registers:
 *     R0 …                      compiler.registers
 *     UR0 …                     compiler.uniform_registers, the same word in all lanes
 *     B0 … B15                  convergence barriers
 *     results that go to RZ     two, because a result may be a pair
 *     a barrier's reduction     its result, until it is read
 *     Rpc.LO, Rpc.HI            the return address
 * A pair of registers is two consecutive ones, the lower word first. PT and RZ have no register: they are read as
 * constants, and what is written to them goes to a place that is never read.
 */
#include "frontend/sass/compile/compiler.h"

#include "base/array.h"

#include <string.h>

uint32_t sass_register_ref(const struct sass_compiler *compiler, uint8_t index)
{
    (void)compiler;
    return SASS_PREDICATE_BYTES + (uint32_t)index * EXECUTE_SMALL_BYTES;
}

uint32_t sass_uniform_ref(const struct sass_compiler *compiler, uint8_t index)
{
    return SASS_PREDICATE_BYTES + (compiler->registers + index) * EXECUTE_SMALL_BYTES;
}

uint32_t sass_barrier_ref(const struct sass_compiler *compiler, uint8_t index)
{
    return SASS_PREDICATE_BYTES +
           (compiler->registers + compiler->uniform_registers + (index & 15u)) * EXECUTE_SMALL_BYTES;
}

uint32_t sass_nowhere(const struct sass_compiler *compiler)
{
    return SASS_PREDICATE_BYTES + (compiler->registers + compiler->uniform_registers + 16) * EXECUTE_SMALL_BYTES;
}

uint32_t sass_barrier_result(const struct sass_compiler *compiler)
{
    return sass_nowhere(compiler) + 2 * EXECUTE_SMALL_BYTES;
}

static bool is_return(const struct sass_operand *operand)
{
    return operand->kind == SASS_TEXT && strncmp(operand->text.text, "Rpc", operand->text.length) == 0;
}

/* Rpc.LO and Rpc.HI, where ptxas keeps registers for a while (sm_100). */
static uint32_t return_ref(const struct sass_compiler *compiler, const struct sass_operand *operand)
{
    bool high = operand->suffixes[0].length && operand->suffixes[0].text[0] == 'H';
    return sass_barrier_result(compiler) + (1 + high) * EXECUTE_SMALL_BYTES;
}

uint32_t sass_frame_end(const struct sass_compiler *compiler)
{
    return sass_barrier_result(compiler) + 4 * EXECUTE_SMALL_BYTES;
}

/* A constant is stored as a register: its word in all 32 lanes, for a pair followed by the upper word. A constant that
 * exists already is used again; the halves of a pair may be two constants that happen to be neighbours. */
uint32_t sass_value_ref(struct sass_compiler *compiler, uint64_t value, bool pair)
{
    struct mnp_array *constants = &compiler->code->constants;
    const uint32_t *known = constants->items;
    uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    for (uint32_t i = 0; i + (pair ? 64 : 32) <= constants->count / 4; i += 32)
        if (known[i] == low && (!pair || known[i + 32] == high))
            return (uint32_t)EXECUTE_BASE_CONSTANT << EXECUTE_BASE_SHIFT | i * 4;
    uint32_t at = constants->count, words = pair ? 64 : 32;
    uint32_t *to = mnp_array_add(constants, words * 4, 1);
    for (uint32_t i = 0; i < words; i++)
        to[i] = i < 32 ? low : high;
    return (uint32_t)EXECUTE_BASE_CONSTANT << EXECUTE_BASE_SHIFT | at;
}

static bool is_place(const struct sass_compiler *compiler, uint32_t index, uint32_t bank, uint32_t offset)
{
    const struct sass_bank_place *places = compiler->bank.items;
    return index < compiler->bank.count && places[index].bank == bank && places[index].offset == offset;
}

static bool add_bank_word(struct sass_compiler *compiler, uint32_t bank, uint32_t offset)
{
    struct execute_bank_word word = {0};
    bool placed = compiler->placed;
    compiler->placed = false;
    if (!sass_bank_word(compiler, bank, offset, &word))
        return false;
    compiler->bank_placed |= compiler->placed;
    compiler->placed |= placed;
    *(struct execute_bank_word *)mnp_array_add(&compiler->code->bank, 1, sizeof word) = word;
    *(struct sass_bank_place *)mnp_array_add(&compiler->bank, 1, sizeof(struct sass_bank_place)) =
        (struct sass_bank_place){bank, offset};
    return true;
}

/* A word of a constant bank is stored as a register, too, which is filled in when a CTA starts (execute/warp/bank.c).
 * Words are added in the order in which instructions name them, so a pair needs two words that are neighbours in
 * code.bank as they are in the bank. */
uint32_t sass_bank_ref(struct sass_compiler *compiler, uint32_t bank, uint32_t offset, bool pair)
{
    uint32_t index = 0;
    while (index < compiler->bank.count &&
           !(is_place(compiler, index, bank, offset) && (!pair || is_place(compiler, index + 1, bank, offset + 4))))
        index++;
    if (index == compiler->bank.count &&
        (!add_bank_word(compiler, bank, offset) || (pair && !add_bank_word(compiler, bank, offset + 4))))
        return EXECUTE_NO_REF;
    return (uint32_t)EXECUTE_BASE_BANK << EXECUTE_BASE_SHIFT | index * EXECUTE_SMALL_BYTES;
}

uint32_t sass_source_ref(struct sass_compiler *compiler, const struct sass_operand *operand, bool pair)
{
    switch (operand->kind) {
    case SASS_REGISTER:
        return operand->index == SASS_RZ ? sass_value_ref(compiler, 0, true)
                                         : sass_register_ref(compiler, operand->index);
    case SASS_BARRIER:
        return sass_barrier_ref(compiler, operand->index);
    case SASS_TEXT:
        if (!is_return(operand))
            break;
        return return_ref(compiler, operand);
    case SASS_UNIFORM:
        return operand->index == SASS_RZ ? sass_value_ref(compiler, 0, true)
                                         : sass_uniform_ref(compiler, operand->index);
    case SASS_IMMEDIATE:
        return sass_value_ref(compiler,
                              operand->format == 'd' ? (uint64_t)operand->value << 32 /* the upper word of a double */
                              : pair                 ? (uint64_t)operand->value
                                                     : (uint64_t)(uint32_t)operand->value,
                              pair);
    case SASS_CONSTANT:
        if (operand->flags & SASS_BOUND || operand->index != SASS_RZ || operand->uniform != SASS_RZ)
            break;
        return sass_bank_ref(compiler, operand->bank, (uint32_t)operand->value, pair);
    default:
        break;
    }
    sass_refuse(compiler, "one of its operands");
    return EXECUTE_NO_REF;
}

uint32_t sass_result_ref(struct sass_compiler *compiler, const struct sass_operand *operand)
{
    if (operand->kind == SASS_BARRIER)
        return sass_barrier_ref(compiler, operand->index);
    if (is_return(operand))
        return return_ref(compiler, operand);
    if (operand->index == SASS_RZ)
        return sass_nowhere(compiler);
    return operand->kind == SASS_UNIFORM ? sass_uniform_ref(compiler, operand->index)
                                         : sass_register_ref(compiler, operand->index);
}

uint32_t sass_predicate_ref(const struct sass_operand *operand, bool *inverted)
{
    *inverted = operand->flags & SASS_INVERTED;
    if (operand->index == SASS_PT)
        return EXECUTE_TRUE;
    return (operand->kind == SASS_UNIFORM_PREDICATE ? SASS_UP0 : SASS_P0) + 4u * operand->index;
}

uint32_t sass_predicate_result(const struct sass_operand *operand)
{
    bool inverted;
    return operand->index == SASS_PT ? SASS_NO_PREDICATE : sass_predicate_ref(operand, &inverted);
}

uint32_t sass_add_list(struct sass_compiler *compiler, uint32_t ref)
{
    uint32_t place = compiler->code->list.count;
    *(uint32_t *)mnp_array_add(&compiler->code->list, 1, sizeof ref) = ref;
    return place;
}

static bool same_text(const struct sass_modifier *modifier, const char *text)
{
    return strncmp(modifier->text, text, modifier->length) == 0 && !text[modifier->length];
}

bool sass_has(const struct sass_instruction *instruction, const char *modifier)
{
    for (uint32_t i = 0; i < instruction->modifier_count; i++)
        if (same_text(&instruction->modifiers[i], modifier))
            return true;
    return false;
}

int sass_choice_of(const struct sass_instruction *instruction, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (sass_has(instruction, names[i]))
            return i;
    return -1;
}
