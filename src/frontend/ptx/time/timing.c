/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/time/timing.h"

#include "base/allocate.h"
#include "execute/memory/atomic.h"
#include "frontend/ptx/compile/references.h"
#include "frontend/ptx/operations/origin.h"
#include "frontend/ptx/operations/sass.h"
#include "frontend/ptx/time/sass_name.h"
#include "isa/widths.h"

#include <string.h>

enum { NUMBERED = 254 }; /* registers that a static instruction can name */

/* ===== registers ===== */

/* The register that a place in the frame stands for: 32-bit places first, then pairs, then predicates. Frames beyond
 * 254 registers fold, which adds dependences and loses none. */
static struct mnp_registers registers_at(const struct execute_code_function *place, uint32_t ref, uint32_t large_start)
{
    if (ref == EXECUTE_NO_REF || ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_FRAME || ref == EXECUTE_TRUE)
        return (struct mnp_registers){0, 0};
    uint32_t smalls = (large_start - place->predicate_bytes) / EXECUTE_SMALL_BYTES;
    uint32_t larges = (place->frame_bytes - large_start) / EXECUTE_LARGE_BYTES, number, count = 1;
    if (ref < place->predicate_bytes) {
        number = smalls + 2 * larges + ref / 4;
    } else if (ref < large_start) {
        number = (ref - place->predicate_bytes) / EXECUTE_SMALL_BYTES;
    } else {
        number = smalls + 2 * ((ref - large_start) / EXECUTE_LARGE_BYTES);
        count = 2;
    }
    return (struct mnp_registers){(uint8_t)(number % (NUMBERED - 1)), (uint8_t)count};
}

static void add_source(struct mnp_static_instruction *instruction, struct mnp_registers registers)
{
    if (registers.count && instruction->source_count < MNP_MAX_SOURCES)
        instruction->source[instruction->source_count++] = registers;
}

static void fill_registers(const struct execute_code *code, const struct execute_code_function *place,
                           const struct execute_op *op, struct mnp_static_instruction *instruction)
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(code, op, refs), large = place->large_start;
    for (uint32_t i = 0; i < count; i++)
        add_source(instruction, registers_at(place, refs[i], large));
    count = ptx_results_of(code, op, refs);
    instruction->destination = registers_at(place, count ? refs[0] : EXECUTE_NO_REF, large);
    /* In hardware, the results of a vector load are adjacent registers; here the first one represents all of them. */
    if (op->list_results > 1 &&
        instruction->destination.first + op->list_results * instruction->destination.count < NUMBERED)
        instruction->destination.count = (uint8_t)(op->list_results * instruction->destination.count);
}

/* ===== accesses ===== */

static uint8_t space_of(enum execute_space space)
{
    return space == EXECUTE_SPACE_SHARED || space == EXECUTE_SPACE_CLUSTER ? MNP_SPACE_SHARED
           : space == EXECUTE_SPACE_LOCAL                                  ? MNP_SPACE_LOCAL
           : space == EXECUTE_SPACE_CONST || space == EXECUTE_SPACE_PARAM  ? MNP_SPACE_CONSTANT
                                                                           : MNP_SPACE_GLOBAL;
}

static void fill_access(const struct execute_code *code, const struct execute_op *op, struct mnp_static_instruction *to)
{
    if (op->kind == EXECUTE_KIND_WMMA_ACCESS) {
        const struct execute_matrix_form *form = (const struct execute_matrix_form *)code->matrices.items + op->matrix;
        to->space = space_of((enum execute_space)form->space);
        to->operation = op->variant ? MNP_LOAD : MNP_STORE;
        to->width = 4;
        return;
    }
    if (op->kind == EXECUTE_KIND_TEXTURE) {
        to->space = MNP_SPACE_TEXTURE;
        to->operation = MNP_LOAD;
        to->width = 4;
        return;
    }
    const struct execute_access_form *form = &op->access;
    uint32_t bytes = form->count * execute_type_bytes((enum execute_type)form->type);
    to->space = space_of((enum execute_space)form->space);
    if (op->kind == EXECUTE_KIND_MBARRIER) {
        to->space = MNP_SPACE_SHARED;
        to->operation = MNP_ATOMIC;
        to->width = 8;
        return;
    }
    if (op->kind == EXECUTE_KIND_TENSOR_COPY) {
        to->space = MNP_SPACE_GLOBAL;
        to->operation = op->tensor.direction == EXECUTE_TENSOR_LOAD ? MNP_LOAD : MNP_STORE;
        to->width = 16;
        return;
    }
    bool store = op->kind == EXECUTE_KIND_STORE || op->kind == EXECUTE_KIND_SURFACE_STORE;
    to->operation = store ? (op->combine && op->kind != EXECUTE_KIND_STORE ? MNP_REDUCTION : MNP_STORE)
                    : op->kind == EXECUTE_KIND_ATOMIC ? (form->reduction ? MNP_REDUCTION : MNP_ATOMIC)
                                                      : MNP_LOAD;
    to->flags |= form->bypass ? MNP_FLAG_BYPASS_L1 : 0;
    if (op->kind == EXECUTE_KIND_COPY_ASYNC) {
        to->space = MNP_SPACE_GLOBAL; /* the read of the source determines the timing */
        to->copies = 1;
        bytes = form->type;
    } else if (execute_is_wide_atomic(op)) {
        bytes = form->count * op->size;
    } else if (op->kind == EXECUTE_KIND_LOAD_MATRIX) {
        to->operation = op->combine ? MNP_STORE : MNP_LOAD;
        bytes = 16;
    }
    to->width = (uint8_t)(bytes > 16 ? 16 : bytes);
}

/* A branch and a guard wait longer for predicates than operands, which find them as registers. */
static bool writes_predicate(const struct execute_op *op, const struct execute_code_function *place)
{
    return (op->flags & EXECUTE_OP_WRITES_D) && op->d != EXECUTE_NO_REF &&
           op->d >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_FRAME && op->d < place->predicate_bytes &&
           !execute_op_is_flow(op);
}

static bool is_guarded(const struct execute_op *op)
{
    return op->guard != EXECUTE_NO_REF && op->guard != EXECUTE_TRUE;
}

/* Flags of a part of a sequence: writing a predicate, or a branch that waits for one. */
static uint8_t part_flags(const struct execute_op *op)
{
    switch (op->sass) {
    case PTX_SASS_FCHK: /* traces do not name its predicate, so that its opcode has none */
        return MNP_FLAG_PREDICATE;
    case PTX_SASS_CALL:
    /* comparison of the upper words; the one of the lower words counts as writing the predicate that is waited for */
    case PTX_SASS_ISETP_EX:
        return 0;
    default:
        return ptx_sass_opcode(op->sass)->flags & (MNP_FLAG_PREDICATE | MNP_FLAG_BRANCH);
    }
}

/* Ends of groups of copies that lanes make, and waits for them. */
static void fill_copy_group(const struct execute_op *op, struct mnp_static_instruction *to)
{
    if (op->kind != EXECUTE_KIND_ASYNC_GROUP)
        return;
    if (op->variant == EXECUTE_GROUP_LANES_COMMIT) {
        mnp_set_group_end(to);
    } else if (op->variant == EXECUTE_GROUP_LANES_WAIT) {
        to->flags |= MNP_FLAG_FENCE;
        mnp_set_group_wait(to, (uint64_t)op->immediate);
    }
}

static void fill_group(const struct execute_code *code, const struct execute_op *op, struct mnp_static_instruction *to)
{
    char name[EXECUTE_TRACE_NAME];
    if (isa_has_operation_group(to->class))
        to->group = isa_operation_group(ptx_sass_name(code, op, to, name));
}

/* Bits of an element as the assembler multiplies it: ptxas 13.0 makes products of halves of FP8's for data-centre GPUs
 * from Hopper on, and of bytes of 4-bit integers' for all GPUs from Hopper on. */
static uint32_t multiplied_bits(enum execute_type type, uint32_t architecture)
{
    bool is_fp8 = type == EXECUTE_e4m3x2 || type == EXECUTE_e5m2x2;
    uint32_t bits = execute_matrix_bits(type);
    if (is_fp8 && architecture >= 90 && architecture < 120)
        return 16;
    return bits == 4 && architecture >= 90 ? 8 : bits;
}

/* Cost and operations of a product of a warp: those of the elements of A that are stored. */
static void fill_product(const struct execute_matrix_form *form, uint32_t architecture,
                         struct mnp_static_instruction *to)
{
    uint32_t k = form->k >> form->sparse, quads = form->quads && !form->quad_step ? 4 : 1;
    to->tensor_cycles =
        isa_product_cost(form->m * form->n * k, multiplied_bits((enum execute_type)form->a_type, architecture));
    to->products = (32 - __builtin_clz(quads * form->m * form->n * k | 1)) & 31;
    to->operand = mnp_operand_of(execute_matrix_bits((enum execute_type)form->a_type)) & 7;
}

static void fill_one(const struct execute_code *code, const struct execute_code_function *place,
                     const struct execute_op *op, struct mnp_static_instruction *to)
{
    to->opcode = op->kind;
    to->class = ptx_execution_class(op, ptx_opcode_of(code, op));
    fill_registers(code, place, op, to);
    if (op->kind ==
        /* the sums have a wait of their own, and the instruction only occupies the tensor cores' queue */
        EXECUTE_KIND_WGMMA) {
        to->destination = (struct mnp_registers){0, 0};
        to->tensor_cycles = ISA_PRODUCT_ISSUE;
    }
    if (to->class == MNP_CLASS_MEMORY)
        fill_access(code, op, to);
    else if (op->kind == EXECUTE_KIND_MBARRIER)
        to->space = MNP_SPACE_SHARED;
    if (op->kind == EXECUTE_KIND_EXIT || op->kind == EXECUTE_KIND_RETURN)
        to->flags |= MNP_FLAG_EXIT;
    if (execute_op_is_flow(op))
        to->flags |= MNP_FLAG_BRANCH;
    if (writes_predicate(op, place) || (execute_op_is_flow(op) && is_guarded(op)))
        to->flags |= MNP_FLAG_PREDICATE;
    to->guarded = is_guarded(op);
    if (op->kind == EXECUTE_KIND_PART)
        to->flags |= part_flags(op);
    if (op->kind == EXECUTE_KIND_BARRIER)
        to->flags |= op->variant == EXECUTE_BARRIER_ARRIVE || op->variant == EXECUTE_BARRIER_CLUSTER_ARRIVE
                         ? MNP_FLAG_ARRIVE
                         : MNP_FLAG_BARRIER;
    if (op->kind == EXECUTE_KIND_BARRIER && op->variant == EXECUTE_BARRIER_CLUSTER_ARRIVE && op->combine)
        to->flags |= MNP_FLAG_FENCE;
    bool access = op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_STORE || op->kind == EXECUTE_KIND_ATOMIC;
    if (op->kind == EXECUTE_KIND_FENCE || (access && op->access.release))
        to->flags |= MNP_FLAG_FENCE;
    if (op->kind == EXECUTE_KIND_FENCE)
        to->fence = op->variant;
    if (op->kind == EXECUTE_KIND_MATRIX)
        fill_product((const struct execute_matrix_form *)code->matrices.items + op->matrix, code->architecture, to);
    fill_copy_group(op, to);
    fill_group(code, op, to);
}

/* Arithmetic of halves takes two pipes in turn: as the assembler has it for 8.0 to 9.0, HFMA2.MMA and HFMA2. */
static void alternate(const struct execute_code *code, struct mnp_static_instruction *to, uint32_t *halves)
{
    if (to->class != MNP_CLASS_HALF || to->group == MNP_GROUP_OTHER || code->architecture < 80 ||
        code->architecture > 90)
        return;
    to->matrix = (*halves)++ % 2 == 0;
}

struct mnp_static_instruction *ptx_timing_instructions(const struct execute_code *code)
{
    struct mnp_static_instruction *made = mnp_allocate((size_t)code->ops.count + 1, sizeof *made);
    for (uint32_t f = 0; f < code->functions.count; f++) {
        const struct execute_code_function *place = execute_code_function_at(code, f);
        uint32_t halves = 0;
        for (uint32_t i = 0; i < place->op_count; i++) {
            uint32_t at = place->first_op + i;
            made[at].pc = 16 * at;
            fill_one(code, place, execute_op_at(code, at), &made[at]);
            alternate(code, &made[at], &halves);
            mnp_mark_instruction(&made[at]);
        }
    }
    return made;
}
