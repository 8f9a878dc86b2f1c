/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/time/timing.h"

#include "base/arena.h"
#include "frontend/ptx/compile/references.h"
#include "frontend/ptx/operations/sass.h"

#include <string.h>

enum { NUMBERED = 254 }; /* registers that a static instruction can name */

static const char *const names[EXECUTE_KIND_COUNT] = {
    [EXECUTE_KIND_LANES] = "ALU",
    [EXECUTE_KIND_INSERT] = "BFI",
    [EXECUTE_KIND_TEST] = "SETP",
    [EXECUTE_KIND_TEST_TO] = "SET",
    [EXECUTE_KIND_TESTP] = "TESTP",
    [EXECUTE_KIND_SELECT] = "SELP",
    [EXECUTE_KIND_LOGIC] = "PLOP",
    [EXECUTE_KIND_LOP3P] = "LOP3",
    [EXECUTE_KIND_CARRY] = "ADDC",
    [EXECUTE_KIND_FLOAT] = "FLOAT",
    [EXECUTE_KIND_CONVERT] = "CVT",
    [EXECUTE_KIND_PACK] = "PACK",
    [EXECUTE_KIND_UNPACK] = "UNPACK",
    [EXECUTE_KIND_CLOCK] = "CLOCK",
    [EXECUTE_KIND_FRAME_ADDRESS] = "FRAME",
    [EXECUTE_KIND_ISSPACEP] = "ISSPACEP",
    [EXECUTE_KIND_CVTA] = "CVTA",
    [EXECUTE_KIND_LOAD_PARAMETER] = "LDPARAM",
    [EXECUTE_KIND_LOAD] = "LD",
    [EXECUTE_KIND_STORE] = "ST",
    [EXECUTE_KIND_ATOMIC] = "ATOM",
    [EXECUTE_KIND_PREFETCH] = "HINT",
    [EXECUTE_KIND_COPY_ASYNC] = "CPASYNC",
    [EXECUTE_KIND_COPY_BULK] = "CPBULK",
    [EXECUTE_KIND_MBARRIER] = "MBARRIER",
    [EXECUTE_KIND_LOAD_MATRIX] = "LDMATRIX",
    [EXECUTE_KIND_MATRIX] = "MMA",
    [EXECUTE_KIND_WMMA_ACCESS] = "WMMA",
    [EXECUTE_KIND_TEXTURE] = "TEX",
    [EXECUTE_KIND_SURFACE_LOAD] = "SULD",
    [EXECUTE_KIND_SURFACE_STORE] = "SUST",
    [EXECUTE_KIND_VIDEO] = "VIDEO",
    [EXECUTE_KIND_MOVE_MATRIX] = "MOVMATRIX",
    [EXECUTE_KIND_BRANCH] = "BRA",
    [EXECUTE_KIND_BRANCH_INDEXED] = "BRX",
    [EXECUTE_KIND_CALL] = "CALL",
    [EXECUTE_KIND_SYSTEM] = "SYSCALL",
    [EXECUTE_KIND_RETURN] = "RET",
    [EXECUTE_KIND_EXIT] = "EXIT",
    [EXECUTE_KIND_TRAP] = "TRAP",
    [EXECUTE_KIND_BARRIER] = "BAR",
    [EXECUTE_KIND_FENCE] = "MEMBAR",
    [EXECUTE_KIND_PART] = "PART",
    [EXECUTE_KIND_NOTHING] = "NOP",
    [EXECUTE_KIND_SHUFFLE] = "SHFL",
    [EXECUTE_KIND_VOTE] = "VOTE",
    [EXECUTE_KIND_MATCH] = "MATCH",
    [EXECUTE_KIND_REDUX] = "REDUX",
    [EXECUTE_KIND_ACTIVE_MASK] = "ACTIVEMASK",
    [EXECUTE_KIND_ELECT] = "ELECT",
};

const char *ptx_timing_opcode(uint16_t opcode)
{
    return opcode < EXECUTE_KIND_COUNT && names[opcode] ? names[opcode] : "?";
}

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
    /* the results of a vector load lie side by side in hardware; here they stand for what follows the first one */
    if (op->list_results > 1 &&
        instruction->destination.first + op->list_results * instruction->destination.count < NUMBERED)
        instruction->destination.count = (uint8_t)(op->list_results * instruction->destination.count);
}

/* ===== classes ===== */

static uint8_t class_of_type(enum execute_type type)
{
    return type == EXECUTE_f64   ? MNP_CLASS_FP64
           : type == EXECUTE_f32 ? MNP_CLASS_FP32
           : type == EXECUTE_f16 || type == EXECUTE_f16x2 || type == EXECUTE_bf16 || type == EXECUTE_bf16x2
               ? MNP_CLASS_HALF
               : MNP_CLASS_INT;
}

/* Whether an opcode begins with one of these, the last of which is NULL. */
static bool begins_with(const char *text, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(text, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/* Whether neither of the last two words of a conversion, its types, is one of floats. */
static bool is_between_integers(const char *text)
{
    const char *last = strrchr(text, '.'), *before = last;
    while (before > text && *--before != '.')
        ;
    enum execute_type from = ptx_type_of(last + 1, strlen(last + 1));
    enum execute_type to = before > text ? ptx_type_of(before + 1, (size_t)(last - before - 1)) : EXECUTE_NO_TYPE;
    return from != EXECUTE_NO_TYPE && to != EXECUTE_NO_TYPE && class_of_type(from) == MNP_CLASS_INT &&
           class_of_type(to) == MNP_CLASS_INT && !execute_type_is_float(from) && !execute_type_is_float(to);
}

/* By the statement's opcode and last type. Comparisons and the like of single precision take the integer pipe. */
static uint8_t arithmetic_class(const struct execute_code *code, const struct execute_op *op)
{
    static const char *const special[] = {"sin.",   "cos.",  "ex2.",  "lg2.", "rcp.",
                                          "rsqrt.", "sqrt.", "tanh.", "div.", NULL};
    static const char *const converting[] = {"cvt.", "popc.", "clz.", "bfind.", "brev.", NULL};
    static const char *const moving[] = {"mov.", "selp.", NULL}, *const products[] = {"mul", "mad", NULL};
    static const char *const comparing[] = {"setp.", "set.", "min.", "max.", "slct.", "testp.", NULL};
    if (op->statement >= code->module->statements.count)
        return MNP_CLASS_INT;
    const char *text = ptx_name_text(code->module, ptx_statement_at(code->module, op->statement)->name);
    const char *last = strrchr(text, '.');
    enum execute_type type = last ? ptx_type_of(last + 1, strlen(last + 1)) : EXECUTE_NO_TYPE;
    uint8_t class = class_of_type(type);
    if (begins_with(text, special) && execute_type_is_float(type))
        return type == EXECUTE_f64 ? MNP_CLASS_FP64 : MNP_CLASS_SFU;
    if (strncmp(text, "cvt.", 4) == 0 && is_between_integers(text))
        return MNP_CLASS_INT;
    if (begins_with(text, converting))
        return MNP_CLASS_CONVERT;
    if (begins_with(text, products) && class == MNP_CLASS_INT)
        return MNP_CLASS_IMAD;
    bool compares = class == MNP_CLASS_FP32 && begins_with(text, comparing);
    return compares || begins_with(text, moving) ? MNP_CLASS_INT : class;
}

uint8_t ptx_timing_class(const struct execute_code *code, const struct execute_op *op)
{
    if (op->sass)
        return ptx_sass_class(op->sass);
    switch (op->kind) {
    case EXECUTE_KIND_LOAD:
    case EXECUTE_KIND_STORE:
    case EXECUTE_KIND_ATOMIC:
    case EXECUTE_KIND_COPY_ASYNC:
    case EXECUTE_KIND_COPY_BULK:
    case EXECUTE_KIND_LOAD_MATRIX:
    case EXECUTE_KIND_WMMA_ACCESS:
    case EXECUTE_KIND_LOAD_PARAMETER:
    case EXECUTE_KIND_TEXTURE:
    case EXECUTE_KIND_SURFACE_LOAD:
    case EXECUTE_KIND_SURFACE_STORE:
        return MNP_CLASS_MEMORY;
    case EXECUTE_KIND_BRANCH:
    case EXECUTE_KIND_BRANCH_INDEXED:
    case EXECUTE_KIND_CALL:
    case EXECUTE_KIND_SYSTEM:
    case EXECUTE_KIND_RETURN:
    case EXECUTE_KIND_EXIT:
    case EXECUTE_KIND_TRAP:
        return MNP_CLASS_BRANCH;
    case EXECUTE_KIND_BARRIER:
    case EXECUTE_KIND_FENCE:
        return MNP_CLASS_SYNC;
    case EXECUTE_KIND_MBARRIER: /* a wait or a question takes no part in the memory's pipeline, on which others depend */
        return op->flags & EXECUTE_OP_WRITES_D && op->size < 8 ? MNP_CLASS_SPECIAL : MNP_CLASS_MEMORY;
    case EXECUTE_KIND_SHUFFLE:
    case EXECUTE_KIND_VOTE:
    case EXECUTE_KIND_MATCH:
    case EXECUTE_KIND_REDUX:
    case EXECUTE_KIND_ELECT:
    case EXECUTE_KIND_ACTIVE_MASK:
    case EXECUTE_KIND_CLOCK:
    case EXECUTE_KIND_MOVE_MATRIX:
        return MNP_CLASS_SPECIAL;
    case EXECUTE_KIND_MATRIX:
        return MNP_CLASS_TENSOR;
    case EXECUTE_KIND_CONVERT:
        return MNP_CLASS_CONVERT;
    default:
        return arithmetic_class(code, op);
    }
}

static uint8_t space_of(enum execute_space space)
{
    return space == EXECUTE_SPACE_SHARED                                  ? MNP_SPACE_SHARED
           : space == EXECUTE_SPACE_LOCAL                                 ? MNP_SPACE_LOCAL
           : space == EXECUTE_SPACE_CONST || space == EXECUTE_SPACE_PARAM ? MNP_SPACE_CONSTANT
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
    if (op->kind == EXECUTE_KIND_COPY_BULK) {
        to->space = MNP_SPACE_GLOBAL;
        to->operation = op->variant ? MNP_LOAD : MNP_STORE;
        to->width = 16;
        return;
    }
    bool store = op->kind == EXECUTE_KIND_STORE || op->kind == EXECUTE_KIND_SURFACE_STORE;
    to->operation = store                             ? MNP_STORE
                    : op->kind == EXECUTE_KIND_ATOMIC ? (form->reduction ? MNP_REDUCTION : MNP_ATOMIC)
                                                      : MNP_LOAD;
    to->flags |= form->bypass ? MNP_FLAG_BYPASS_L1 : 0;
    if (op->kind == EXECUTE_KIND_COPY_ASYNC) {
        to->space = MNP_SPACE_GLOBAL; /* its reading is what takes time */
        bytes = form->type;
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

/* Of the parts of sequences: what writes a predicate, and the branch that waits for it. */
static uint8_t part_flags(const struct execute_op *op)
{
    switch (op->sass) {
    case PTX_SASS_ISETP:
    case PTX_SASS_FSETP:
    case PTX_SASS_DSETP:
    case PTX_SASS_FCHK:
        return MNP_FLAG_PREDICATE;
    case PTX_SASS_BRA:
        return MNP_FLAG_PREDICATE | MNP_FLAG_BRANCH;
    default:
        return 0;
    }
}

static void fill_one(const struct execute_code *code, const struct execute_code_function *place,
                     const struct execute_op *op, struct mnp_static_instruction *to)
{
    to->opcode = op->kind;
    to->class = ptx_timing_class(code, op);
    fill_registers(code, place, op, to);
    if (to->class == MNP_CLASS_MEMORY)
        fill_access(code, op, to);
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
        to->flags |= op->variant == EXECUTE_BARRIER_ARRIVE ? MNP_FLAG_ARRIVE : MNP_FLAG_BARRIER;
    bool access = op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_STORE || op->kind == EXECUTE_KIND_ATOMIC;
    if (op->kind == EXECUTE_KIND_FENCE || (access && op->access.release))
        to->flags |= MNP_FLAG_FENCE;
    if (op->kind == EXECUTE_KIND_MATRIX) {
        const struct execute_matrix_form *form = (const struct execute_matrix_form *)code->matrices.items + op->matrix;
        uint32_t cost = 4u * form->m * form->n * form->k / (16 * 8 * 16);
        to->tensor_cycles = (uint8_t)(cost < 1 ? 1 : cost > 255 ? 255 : cost);
    }
}

struct mnp_static_instruction *ptx_timing_instructions(const struct execute_code *code)
{
    struct mnp_static_instruction *made = mnp_allocate((size_t)code->ops.count + 1, sizeof *made);
    for (uint32_t f = 0; f < code->functions.count; f++) {
        const struct execute_code_function *place = execute_code_function_at(code, f);
        for (uint32_t i = 0; i < place->op_count; i++) {
            uint32_t at = place->first_op + i;
            made[at].pc = 16 * at;
            fill_one(code, place, execute_op_at(code, at), &made[at]);
        }
    }
    return made;
}

/* ===== addresses ===== */

/* Local memory of a warp: words of its lanes side by side, warp after warp, in a range that nothing else uses. */
static uint64_t local_address(const struct ptx_local_place *local, uint32_t lane, uint64_t address)
{
    return EXECUTE_LOCAL_WINDOW + UINT64_C(0x100000000) + local->warp * local->bytes * 32 + address / 4 * 128 +
           lane * 4 + address % 4;
}

uint32_t ptx_timing_addresses(const struct execute_code *code, const struct execute_record *record,
                              const struct ptx_local_place *local, uint64_t words[32], uint8_t *flags)
{
    uint32_t count = 0;
    if (!record->bytes || record->space == EXECUTE_SPACE_PARAM)
        return 0;
    const struct execute_op *op = execute_op_at(code, record->op);
    bool generic = (op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_STORE ||
                    op->kind == EXECUTE_KIND_ATOMIC || op->kind == EXECUTE_KIND_LOAD_MATRIX) &&
                   op->access.space == EXECUTE_SPACE_GENERIC;
    uint64_t window = record->space == EXECUTE_SPACE_SHARED && generic ? EXECUTE_SHARED_WINDOW : 0;
    if (record->mask == EXECUTE_ALL_LANES && record->space != EXECUTE_SPACE_LOCAL) {
        for (; count < 32; count++)
            words[count] = record->addresses[count] + window;
    } else {
        for (uint32_t rest = record->mask; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            uint64_t address = record->addresses[lane];
            words[count++] =
                record->space == EXECUTE_SPACE_LOCAL ? local_address(local, lane, address) : address + window;
        }
    }
    uint64_t uneven = count < 3;
    for (uint32_t i = 2; i < count; i++)
        uneven |= words[i] - 2 * words[i - 1] + words[i - 2];
    if (!uneven) {
        words[1] -= words[0];
        return 2;
    }
    *flags = count ? MNP_RECORD_LIST : 0;
    return count;
}
