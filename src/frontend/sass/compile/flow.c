/* SPDX-License-Identifier: BSD-3-Clause */
/* Branches, calls, convergence, barriers. */
#include "frontend/sass/compile/compiler.h"

#include "execute/warp/paths.h"
#include "execute/warp/warp.h"

#include <string.h>

/* Addresses of the operation being compiled, as programs see them: from 0 on in the kernel, which is the first
 * function; in the function window in all others. */
static uint64_t own_address(const struct sass_compiler *compiler)
{
    uint64_t in_function = (uint64_t)(compiler->place - compiler->first) * SASS_WORD_BYTES;
    return compiler->first ? sass_function_address(compiler->program, compiler->kernel) + in_function : in_function;
}

static uint64_t next_address(const struct sass_compiler *compiler)
{
    return own_address(compiler) + SASS_WORD_BYTES;
}

/* Further predicates in front of other operands: where the guard says nothing, they take its place. */
static bool take_predicate(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                           struct execute_op *op, uint32_t *rest)
{
    *rest = 0;
    const struct sass_operand *first = instruction->operands;
    if (!instruction->operand_count || (first->kind != SASS_PREDICATE && first->kind != SASS_UNIFORM_PREDICATE))
        return true;
    *rest = 1;
    bool inverted;
    uint32_t ref = sass_predicate_ref(first, &inverted);
    if (ref == EXECUTE_TRUE && !inverted)
        return true;
    if (op->guard != EXECUTE_TRUE || op->guard_flip) { /* a further predicate, as branches of the executor have */
        op->list = sass_add_list(compiler, ref);
        op->list_sources = 1;
        op->combine = inverted;
        return true;
    }
    op->guard = ref;
    op->guard_flip = inverted ? ~0u : 0;
    return true;
}

/* The place in code.ops of a branch's target, which must be an instruction of the same function. */
static bool place_of_target(struct sass_compiler *compiler, const struct sass_operand *operand, uint32_t *place)
{
    const struct sass_kernel *kernel = compiler->kernel;
    int64_t at = operand->value + (operand->flags & SASS_FIXED ? 0 : (int64_t)next_address(compiler));
    int64_t start = compiler->first ? (int64_t)sass_function_address(compiler->program, kernel) : 0;
    if (operand->kind != SASS_TARGET || (at - start) % SASS_WORD_BYTES || at < start ||
        (uint64_t)(at - start) >= kernel->words * SASS_WORD_BYTES)
        return sass_refuse(compiler, "its target, which lies outside its function");
    *place = compiler->first + (uint32_t)((at - start) / SASS_WORD_BYTES);
    return true;
}

/* BRA. .U: all lanes or none, .U.ANY: all if any. A uniform register is a mask of lanes (.DIV, .CONV): the branch is
 * taken if some of these lanes are elsewhere or, with .CONV, if all are here. */
static bool build_branch(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                         struct execute_op *op)
{
    uint32_t next;
    if (!take_predicate(compiler, instruction, op, &next))
        return false;
    const struct sass_operand *operand = &instruction->operands[next];
    op->kind = EXECUTE_KIND_BRANCH;
    op->reconverge = EXECUTE_NONE;
    op->variant = !sass_has(instruction, "U")    ? EXECUTE_BRANCH_EACH
                  : sass_has(instruction, "ANY") ? EXECUTE_BRANCH_ANY
                                                 : EXECUTE_BRANCH_ALL;
    if (operand->kind == SASS_UNIFORM) {
        op->kind = EXECUTE_KIND_BRANCH_PARTED;
        op->a = sass_source_ref(compiler, operand, false);
        op->flags = EXECUTE_OP_READS_A | (operand->flags & SASS_INVERTED ? EXECUTE_OP_FLIP_A : 0);
        op->variant = sass_has(instruction, "CONV"); /* the lanes of a mask are here */
        /* the guard is part of the vote, not of the branch */
        if (operand->index != SASS_RZ && op->guard != EXECUTE_TRUE) {
            op->c = op->guard;
            op->flags |= EXECUTE_OP_READS_C | (op->guard_flip ? EXECUTE_OP_FLIP_C : 0);
            op->guard = EXECUTE_TRUE;
            op->guard_flip = 0;
        }
        operand++;
    } else if (sass_has(instruction, "DIV") || sass_has(instruction, "CONV")) { /* without a mask: all lanes */
        op->kind = EXECUTE_KIND_BRANCH_PARTED;
        op->a = sass_value_ref(compiler, EXECUTE_ALL_LANES, false);
        op->flags = EXECUTE_OP_READS_A;
        op->variant = sass_has(instruction, "CONV");
    }
    return place_of_target(compiler, operand, &op->target);
}

static bool build_exit(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                       struct execute_op *op)
{
    uint32_t next;
    op->kind = EXECUTE_KIND_EXIT;
    return take_predicate(compiler, instruction, op, &next);
}

/* BSSY: the barrier's register gets the mask of the lanes that are here. */
static bool build_set_barrier(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                              struct execute_op *op)
{
    uint32_t next;
    op->kind = EXECUTE_KIND_CONVERGE_SET;
    if (!take_predicate(compiler, instruction, op, &next))
        return false;
    op->a = sass_barrier_ref(compiler, instruction->operands[next].index);
    return true;
}

/* BSYNC waits for the lanes of a barrier, BREAK takes lanes out of it, YIELD lets other lanes run. */
static bool build_converge(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                           struct execute_op *op)
{
    uint32_t next;
    const char *name = instruction->form->name;
    op->kind = EXECUTE_KIND_CONVERGE;
    if (!take_predicate(compiler, instruction, op, &next))
        return false;
    op->variant = strcmp(name, "BSYNC") == 0   ? EXECUTE_CONVERGE_SYNC
                  : strcmp(name, "BREAK") == 0 ? EXECUTE_CONVERGE_BREAK
                                               : EXECUTE_CONVERGE_YIELD;
    if (op->variant != EXECUTE_CONVERGE_YIELD)
        op->a = sass_barrier_ref(compiler, instruction->operands[next].index);
    return true;
}

/* NANOSLEEP. With .SYNCS it sleeps until an mbarrier wakes it: its wait has been one at the mbarrier. */
static bool build_sleep(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                        struct execute_op *op)
{
    uint32_t next;
    op->kind = EXECUTE_KIND_CONVERGE;
    op->variant = sass_has(instruction, "SYNCS") ? EXECUTE_CONVERGE_YIELD : EXECUTE_CONVERGE_SLEEP;
    if (!take_predicate(compiler, instruction, op, &next))
        return false;
    if (op->variant == EXECUTE_CONVERGE_SLEEP)
        op->a = sass_source_ref(compiler, &instruction->operands[next], false);
    op->flags |= op->variant == EXECUTE_CONVERGE_SLEEP ? EXECUTE_OP_READS_A : 0;
    return true;
}

/* WARPSYNC: ALL, with a mask, .EXCLUSIVE, and .COLLECTIVE, whose target only states where the lanes diverge again. */
static bool build_warp_sync(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                            struct execute_op *op)
{
    uint32_t next;
    op->kind = EXECUTE_KIND_CONVERGE;
    bool apart = sass_has(instruction, "EXCLUSIVE") || sass_has(instruction, "COLLECTIVE");
    op->variant = apart ? EXECUTE_CONVERGE_GROUPS : EXECUTE_CONVERGE_WARP;
    if (!take_predicate(compiler, instruction, op, &next))
        return false;
    const struct sass_operand *mask = &instruction->operands[next];
    bool has_mask = next < instruction->operand_count && (mask->kind == SASS_REGISTER || mask->kind == SASS_IMMEDIATE);
    op->a = has_mask ? sass_source_ref(compiler, mask, false) : sass_value_ref(compiler, EXECUTE_ALL_LANES, false);
    op->flags = EXECUTE_OP_READS_A;
    return true;
}

/* ===== calls and indirect branches ===== */

/* System calls find their arguments from R4 on, and go back to where R20 and R21 say. */
static void fill_jump(const struct sass_compiler *compiler, struct execute_op *op)
{
    op->kind = EXECUTE_KIND_JUMP;
    op->b = sass_register_ref(compiler, 4);
    op->c = sass_register_ref(compiler, 20);
}

/* BRX and RET.REL count from the next instruction; RET.ABS does not. */
static bool build_jump(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                       struct execute_op *op)
{
    uint32_t next;
    if (!take_predicate(compiler, instruction, op, &next))
        return false;
    const struct sass_operand *target = &instruction->operands[next];
    bool absolute = sass_has(instruction, "ABS"), uniform = target->flags & SASS_ADDED;
    fill_jump(compiler, op);
    op->a = target->index == SASS_RZ ? EXECUTE_NO_REF
            : uniform                ? sass_uniform_ref(compiler, target->index)
                                     : sass_register_ref(compiler, target->index);
    op->flags = EXECUTE_OP_READS_A;
    op->immediate = target->value + (absolute ? 0 : (int64_t)next_address(compiler));
    return true;
}

static bool build_call(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                       struct execute_op *op)
{
    uint32_t next;
    if (!take_predicate(compiler, instruction, op, &next))
        return false;
    const struct sass_operand *target = &instruction->operands[next];
    if (target->kind == SASS_REGISTER) {
        fill_jump(compiler, op);
        op->a = sass_source_ref(compiler, target, true);
        op->flags = EXECUTE_OP_READS_A;
        return true;
    }
    if (target->kind == SASS_TARGET && target->index != SASS_RZ)
        return build_jump(compiler, instruction, op);
    if (target->flags & SASS_FIXED) {
        fill_jump(compiler, op);
        op->immediate = target->value;
        return true;
    }
    op->kind = EXECUTE_KIND_BRANCH;
    op->reconverge = EXECUTE_NONE;
    return place_of_target(compiler, target, &op->target);
}

/* Loads the instruction's own address, or one relative to the next instruction. */
static bool build_address(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    bool relative = instruction->operand_count > 1;
    uint64_t address =
        relative ? next_address(compiler) + (uint64_t)instruction->operands[1].value : own_address(compiler);
    op->kind = EXECUTE_KIND_WORDS;
    op->d = sass_result_ref(compiler, &instruction->operands[0]);
    op->size = 8;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    op->a = sass_value_ref(compiler, address, true);
    op->words = compiler->words->functions[EXECUTE_WORDS_mov2];
    return true;
}

/* ===== barriers and what does nothing here ===== */

static bool build_barrier(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    static const char *const kinds[] = {"SYNC", "ARV", "RED", "SYNCALL", NULL};
    static const char *const reductions[] = {"POPC", "AND", "OR", NULL};
    static const uint8_t variants[] = {EXECUTE_BARRIER_POPC, EXECUTE_BARRIER_AND, EXECUTE_BARRIER_OR};
    int kind = sass_choice_of(instruction, kinds);
    const struct sass_operand *operands = instruction->operands;
    if (kind < 0)
        return sass_refuse(compiler, "the kind of barrier");
    op->kind = EXECUTE_KIND_BARRIER;
    op->variant = kind == 1 ? EXECUTE_BARRIER_ARRIVE : EXECUTE_BARRIER_SYNC;
    op->a = sass_source_ref(compiler, &operands[0], false);
    op->b = instruction->operand_count > 1 && !(operands[1].flags & SASS_HIDDEN)
                ? sass_source_ref(compiler, &operands[1], false)
                : EXECUTE_NO_REF;
    op->flags = EXECUTE_OP_READS_A;
    if (op->b != EXECUTE_NO_REF && operands[0].kind == SASS_REGISTER && operands[1].kind == SASS_REGISTER) {
        op->b = EXECUTE_NO_REF; /* the form has one register for both */
        op->combine = true;
    }
    if (kind != 2)
        return true;
    bool inverted;
    int reduction = sass_choice_of(instruction, reductions);
    op->variant = variants[reduction < 0 ? 0 : reduction];
    op->c = sass_predicate_ref(&operands[instruction->operand_count - 1], &inverted);
    op->flags |= EXECUTE_OP_READS_C | (inverted ? EXECUTE_OP_FLIP_C : 0) | EXECUTE_OP_WRITES_D;
    op->d = op->variant == EXECUTE_BARRIER_POPC ? sass_barrier_result(compiler) : SASS_BARRIER_PREDICATE;
    return true;
}

static bool build_barrier_result(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                                 struct execute_op *op)
{
    if (!sass_has(instruction, "RESULT"))
        return sass_refuse(compiler, "what it reads of a barrier");
    op->kind = EXECUTE_KIND_WORDS;
    op->d = sass_result_ref(compiler, &instruction->operands[0]);
    op->a = sass_barrier_result(compiler);
    op->size = 4;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    op->list = sass_add_list(compiler, sass_predicate_result(&instruction->operands[1]));
    sass_add_list(compiler, SASS_BARRIER_PREDICATE);
    op->list_sources = 2;
    op->variant = 1 | 1 << 2;
    op->words = compiler->words->functions[EXECUTE_WORDS_result];
    return true;
}

static bool build_nothing(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    (void)compiler, (void)instruction;
    op->kind = EXECUTE_KIND_NOTHING;
    return true;
}

/* PREEXIT allows the dependent grid to launch, ACQBULK waits for the preceding one. */
static bool build_grid(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                       struct execute_op *op)
{
    (void)compiler;
    op->kind = EXECUTE_KIND_GRID;
    op->variant = strcmp(instruction->form->name, "ACQBULK") == 0 ? EXECUTE_GRID_WAIT : EXECUTE_GRID_RELEASE;
    return true;
}

/* DEALLOC releases registers; TRY_ALLOC requests some, and its predicate states whether it succeeded: code retries if
 * it is false. */
static bool build_registers(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                            struct execute_op *op)
{
    (void)compiler;
    bool fewer = sass_has(instruction, "DEALLOC");
    op->kind = EXECUTE_KIND_REGISTERS;
    op->variant = !fewer;
    op->immediate = (int64_t)instruction->operands[!fewer].value;
    if (!fewer) {
        op->d = sass_predicate_result(&instruction->operands[0]);
        op->flags |= EXECUTE_OP_WRITES_D;
    }
    return true;
}

static bool build_fence(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                        struct execute_op *op)
{
    (void)compiler, (void)instruction;
    op->kind = EXECUTE_KIND_FENCE;
    return true;
}

static bool build_trap(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                       struct execute_op *op)
{
    (void)compiler;
    op->kind = sass_has(instruction, "TRAP") ? EXECUTE_KIND_TRAP : EXECUTE_KIND_NOTHING;
    return true;
}

static bool build_cluster_barrier(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                                  struct execute_op *op)
{
    (void)compiler;
    op->kind = EXECUTE_KIND_BARRIER;
    op->variant = strcmp(instruction->form->name, "UCGABAR_ARV") == 0 ? EXECUTE_BARRIER_CLUSTER_ARRIVE
                                                                      : EXECUTE_BARRIER_CLUSTER_WAIT;
    return true;
}

const struct sass_builder_row sass_flow_rows[] = {
    {"NOP", build_nothing},
    {"EXIT", build_exit},
    {"BRA", build_branch},
    {"BSSY", build_set_barrier},
    {"BSYNC", build_converge},
    {"BREAK", build_converge},
    {"YIELD", build_converge},
    {"NANOSLEEP", build_sleep},
    {"WARPSYNC", build_warp_sync},
    {"ENDCOLLECTIVE", build_nothing},
    {"CALL", build_call},
    {"RET", build_jump},
    {"BRX", build_jump},
    {"BRXU", build_jump},
    {"LEPC", build_address},
    {"BAR", build_barrier},
    {"B2R", build_barrier_result},
    {"BPT", build_trap},
    {"LDGDEPBAR", build_nothing},
    {"ERRBAR", build_nothing},
    {"CGAERRBAR", build_nothing},
    {"ACQBULK", build_grid},
    {"PREEXIT", build_grid},
    {"CCTL", build_nothing},
    {"MEMBAR", build_fence},
    {"FENCE", build_fence},
    {"UCGABAR_ARV", build_cluster_barrier},
    {"UCGABAR_WAIT", build_cluster_barrier},
    {"USETMAXREG", build_registers},
    {NULL, NULL},
};
