/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/time/timing.h"

#include "base/arena.h"
#include "frontend/ptx/compile/references.h"
#include "frontend/ptx/operations/sass.h"

#include <string.h>

enum { NUMBERED = 254 }; /* registers that a static instruction can name */

static const char *const names[PTX_KIND_COUNT] = {
    [PTX_KIND_LANES] = "ALU",
    [PTX_KIND_INSERT] = "BFI",
    [PTX_KIND_TEST] = "SETP",
    [PTX_KIND_TEST_TO] = "SET",
    [PTX_KIND_TESTP] = "TESTP",
    [PTX_KIND_SELECT] = "SELP",
    [PTX_KIND_LOGIC] = "PLOP",
    [PTX_KIND_LOP3P] = "LOP3",
    [PTX_KIND_CARRY] = "ADDC",
    [PTX_KIND_FLOAT] = "FLOAT",
    [PTX_KIND_CONVERT] = "CVT",
    [PTX_KIND_PACK] = "PACK",
    [PTX_KIND_UNPACK] = "UNPACK",
    [PTX_KIND_CLOCK] = "CLOCK",
    [PTX_KIND_FRAME_ADDRESS] = "FRAME",
    [PTX_KIND_ISSPACEP] = "ISSPACEP",
    [PTX_KIND_CVTA] = "CVTA",
    [PTX_KIND_LOAD_PARAMETER] = "LDPARAM",
    [PTX_KIND_LOAD] = "LD",
    [PTX_KIND_STORE] = "ST",
    [PTX_KIND_ATOMIC] = "ATOM",
    [PTX_KIND_PREFETCH] = "HINT",
    [PTX_KIND_COPY_ASYNC] = "CPASYNC",
    [PTX_KIND_COPY_BULK] = "CPBULK",
    [PTX_KIND_MBARRIER] = "MBARRIER",
    [PTX_KIND_LOAD_MATRIX] = "LDMATRIX",
    [PTX_KIND_MATRIX] = "MMA",
    [PTX_KIND_WMMA_ACCESS] = "WMMA",
    [PTX_KIND_TEXTURE] = "TEX",
    [PTX_KIND_SURFACE_LOAD] = "SULD",
    [PTX_KIND_SURFACE_STORE] = "SUST",
    [PTX_KIND_VIDEO] = "VIDEO",
    [PTX_KIND_MOVE_MATRIX] = "MOVMATRIX",
    [PTX_KIND_BRANCH] = "BRA",
    [PTX_KIND_BRANCH_INDEXED] = "BRX",
    [PTX_KIND_CALL] = "CALL",
    [PTX_KIND_SYSTEM] = "SYSCALL",
    [PTX_KIND_RETURN] = "RET",
    [PTX_KIND_EXIT] = "EXIT",
    [PTX_KIND_TRAP] = "TRAP",
    [PTX_KIND_BARRIER] = "BAR",
    [PTX_KIND_FENCE] = "MEMBAR",
    [PTX_KIND_PART] = "PART",
    [PTX_KIND_NOTHING] = "NOP",
    [PTX_KIND_SHUFFLE] = "SHFL",
    [PTX_KIND_VOTE] = "VOTE",
    [PTX_KIND_MATCH] = "MATCH",
    [PTX_KIND_REDUX] = "REDUX",
    [PTX_KIND_ACTIVE_MASK] = "ACTIVEMASK",
    [PTX_KIND_ELECT] = "ELECT",
};

const char *ptx_timing_opcode(uint16_t opcode)
{
    return opcode < PTX_KIND_COUNT && names[opcode] ? names[opcode] : "?";
}

/* ===== registers ===== */

/* The register that a place in the frame stands for: 32-bit places first, then pairs, then predicates. Frames beyond
 * 254 registers fold, which adds dependences and loses none. */
static struct mnp_registers registers_at(const struct ptx_code_function *place, uint32_t ref, uint32_t large_start)
{
    if (ref == PTX_NO_REF || ref >> PTX_BASE_SHIFT != PTX_BASE_FRAME || ref == PTX_TRUE)
        return (struct mnp_registers){0, 0};
    uint32_t smalls = (large_start - place->predicate_bytes) / PTX_SMALL_BYTES;
    uint32_t larges = (place->frame_bytes - large_start) / PTX_LARGE_BYTES, number, count = 1;
    if (ref < place->predicate_bytes) {
        number = smalls + 2 * larges + ref / 4;
    } else if (ref < large_start) {
        number = (ref - place->predicate_bytes) / PTX_SMALL_BYTES;
    } else {
        number = smalls + 2 * ((ref - large_start) / PTX_LARGE_BYTES);
        count = 2;
    }
    return (struct mnp_registers){(uint8_t)(number % (NUMBERED - 1)), (uint8_t)count};
}

static void add_source(struct mnp_static_instruction *instruction, struct mnp_registers registers)
{
    if (registers.count && instruction->source_count < MNP_MAX_SOURCES)
        instruction->source[instruction->source_count++] = registers;
}

static void fill_registers(const struct ptx_code *code, const struct ptx_code_function *place, const struct ptx_op *op,
                           struct mnp_static_instruction *instruction)
{
    uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(code, op, refs), large = place->large_start;
    for (uint32_t i = 0; i < count; i++)
        add_source(instruction, registers_at(place, refs[i], large));
    count = ptx_results_of(code, op, refs);
    instruction->destination = registers_at(place, count ? refs[0] : PTX_NO_REF, large);
    /* the results of a vector load lie side by side in hardware; here they stand for what follows the first one */
    if (op->list_results > 1 &&
        instruction->destination.first + op->list_results * instruction->destination.count < NUMBERED)
        instruction->destination.count = (uint8_t)(op->list_results * instruction->destination.count);
}

/* ===== classes ===== */

static uint8_t class_of_type(enum ptx_type type)
{
    return type == PTX_f64                                                                  ? MNP_CLASS_FP64
           : type == PTX_f32                                                                ? MNP_CLASS_FP32
           : type == PTX_f16 || type == PTX_f16x2 || type == PTX_bf16 || type == PTX_bf16x2 ? MNP_CLASS_HALF
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
    enum ptx_type from = ptx_type_of(last + 1, strlen(last + 1));
    enum ptx_type to = before > text ? ptx_type_of(before + 1, (size_t)(last - before - 1)) : PTX_NO_TYPE;
    return from != PTX_NO_TYPE && to != PTX_NO_TYPE && class_of_type(from) == MNP_CLASS_INT &&
           class_of_type(to) == MNP_CLASS_INT && !ptx_type_is_float(from) && !ptx_type_is_float(to);
}

/* By the statement's opcode and last type. Comparisons and the like of single precision take the integer pipe. */
static uint8_t arithmetic_class(const struct ptx_code *code, const struct ptx_op *op)
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
    enum ptx_type type = last ? ptx_type_of(last + 1, strlen(last + 1)) : PTX_NO_TYPE;
    uint8_t class = class_of_type(type);
    if (begins_with(text, special) && ptx_type_is_float(type))
        return type == PTX_f64 ? MNP_CLASS_FP64 : MNP_CLASS_SFU;
    if (strncmp(text, "cvt.", 4) == 0 && is_between_integers(text))
        return MNP_CLASS_INT;
    if (begins_with(text, converting))
        return MNP_CLASS_CONVERT;
    if (begins_with(text, products) && class == MNP_CLASS_INT)
        return MNP_CLASS_IMAD;
    bool compares = class == MNP_CLASS_FP32 && begins_with(text, comparing);
    return compares || begins_with(text, moving) ? MNP_CLASS_INT : class;
}

uint8_t ptx_timing_class(const struct ptx_code *code, const struct ptx_op *op)
{
    if (op->sass)
        return ptx_sass_class(op->sass);
    switch (op->kind) {
    case PTX_KIND_LOAD:
    case PTX_KIND_STORE:
    case PTX_KIND_ATOMIC:
    case PTX_KIND_COPY_ASYNC:
    case PTX_KIND_COPY_BULK:
    case PTX_KIND_LOAD_MATRIX:
    case PTX_KIND_WMMA_ACCESS:
    case PTX_KIND_LOAD_PARAMETER:
    case PTX_KIND_TEXTURE:
    case PTX_KIND_SURFACE_LOAD:
    case PTX_KIND_SURFACE_STORE:
        return MNP_CLASS_MEMORY;
    case PTX_KIND_BRANCH:
    case PTX_KIND_BRANCH_INDEXED:
    case PTX_KIND_CALL:
    case PTX_KIND_SYSTEM:
    case PTX_KIND_RETURN:
    case PTX_KIND_EXIT:
    case PTX_KIND_TRAP:
        return MNP_CLASS_BRANCH;
    case PTX_KIND_BARRIER:
    case PTX_KIND_FENCE:
        return MNP_CLASS_SYNC;
    case PTX_KIND_MBARRIER: /* a wait or a question takes no part in the memory's pipeline, on which others depend */
        return op->flags & PTX_OP_WRITES_D && op->size < 8 ? MNP_CLASS_SPECIAL : MNP_CLASS_MEMORY;
    case PTX_KIND_SHUFFLE:
    case PTX_KIND_VOTE:
    case PTX_KIND_MATCH:
    case PTX_KIND_REDUX:
    case PTX_KIND_ELECT:
    case PTX_KIND_ACTIVE_MASK:
    case PTX_KIND_CLOCK:
    case PTX_KIND_MOVE_MATRIX:
        return MNP_CLASS_SPECIAL;
    case PTX_KIND_MATRIX:
        return MNP_CLASS_TENSOR;
    case PTX_KIND_CONVERT:
        return MNP_CLASS_CONVERT;
    default:
        return arithmetic_class(code, op);
    }
}

static uint8_t space_of(enum ptx_space space)
{
    return space == PTX_SPACE_SHARED                              ? MNP_SPACE_SHARED
           : space == PTX_SPACE_LOCAL                             ? MNP_SPACE_LOCAL
           : space == PTX_SPACE_CONST || space == PTX_SPACE_PARAM ? MNP_SPACE_CONSTANT
                                                                  : MNP_SPACE_GLOBAL;
}

static void fill_access(const struct ptx_code *code, const struct ptx_op *op, struct mnp_static_instruction *to)
{
    if (op->kind == PTX_KIND_WMMA_ACCESS) {
        const struct ptx_matrix_form *form = (const struct ptx_matrix_form *)code->matrices.items + op->matrix;
        to->space = space_of((enum ptx_space)form->space);
        to->operation = op->variant ? MNP_LOAD : MNP_STORE;
        to->width = 4;
        return;
    }
    if (op->kind == PTX_KIND_TEXTURE) {
        to->space = MNP_SPACE_TEXTURE;
        to->operation = MNP_LOAD;
        to->width = 4;
        return;
    }
    const struct ptx_access_form *form = &op->access;
    uint32_t bytes = form->count * ptx_type_bytes((enum ptx_type)form->type);
    to->space = space_of((enum ptx_space)form->space);
    if (op->kind == PTX_KIND_MBARRIER) {
        to->space = MNP_SPACE_SHARED;
        to->operation = MNP_ATOMIC;
        to->width = 8;
        return;
    }
    if (op->kind == PTX_KIND_COPY_BULK) {
        to->space = MNP_SPACE_GLOBAL;
        to->operation = op->variant ? MNP_LOAD : MNP_STORE;
        to->width = 16;
        return;
    }
    bool store = op->kind == PTX_KIND_STORE || op->kind == PTX_KIND_SURFACE_STORE;
    to->operation = store                         ? MNP_STORE
                    : op->kind == PTX_KIND_ATOMIC ? (form->reduction ? MNP_REDUCTION : MNP_ATOMIC)
                                                  : MNP_LOAD;
    to->flags |= form->bypass ? MNP_FLAG_BYPASS_L1 : 0;
    if (op->kind == PTX_KIND_COPY_ASYNC) {
        to->space = MNP_SPACE_GLOBAL; /* its reading is what takes time */
        bytes = form->type;
    } else if (op->kind == PTX_KIND_LOAD_MATRIX) {
        to->operation = op->combine ? MNP_STORE : MNP_LOAD;
        bytes = 16;
    }
    to->width = (uint8_t)(bytes > 16 ? 16 : bytes);
}

/* A branch and a guard wait longer for predicates than operands, which find them as registers. */
static bool writes_predicate(const struct ptx_op *op, const struct ptx_code_function *place)
{
    return (op->flags & PTX_OP_WRITES_D) && op->d != PTX_NO_REF && op->d >> PTX_BASE_SHIFT == PTX_BASE_FRAME &&
           op->d < place->predicate_bytes && !ptx_op_is_flow(op);
}

static bool is_guarded(const struct ptx_op *op)
{
    return op->guard != PTX_NO_REF && op->guard != PTX_TRUE;
}

/* Of the parts of sequences: what writes a predicate, and the branch that waits for it. */
static uint8_t part_flags(const struct ptx_op *op)
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

static void fill_one(const struct ptx_code *code, const struct ptx_code_function *place, const struct ptx_op *op,
                     struct mnp_static_instruction *to)
{
    to->opcode = op->kind;
    to->class = ptx_timing_class(code, op);
    fill_registers(code, place, op, to);
    if (to->class == MNP_CLASS_MEMORY)
        fill_access(code, op, to);
    if (op->kind == PTX_KIND_EXIT || op->kind == PTX_KIND_RETURN)
        to->flags |= MNP_FLAG_EXIT;
    if (ptx_op_is_flow(op))
        to->flags |= MNP_FLAG_BRANCH;
    if (writes_predicate(op, place) || (ptx_op_is_flow(op) && is_guarded(op)))
        to->flags |= MNP_FLAG_PREDICATE;
    to->guarded = is_guarded(op);
    if (op->kind == PTX_KIND_PART)
        to->flags |= part_flags(op);
    if (op->kind == PTX_KIND_BARRIER)
        to->flags |= op->variant == PTX_BARRIER_ARRIVE ? MNP_FLAG_ARRIVE : MNP_FLAG_BARRIER;
    bool access = op->kind == PTX_KIND_LOAD || op->kind == PTX_KIND_STORE || op->kind == PTX_KIND_ATOMIC;
    if (op->kind == PTX_KIND_FENCE || (access && op->access.release))
        to->flags |= MNP_FLAG_FENCE;
    if (op->kind == PTX_KIND_MATRIX) {
        const struct ptx_matrix_form *form = (const struct ptx_matrix_form *)code->matrices.items + op->matrix;
        uint32_t cost = 4u * form->m * form->n * form->k / (16 * 8 * 16);
        to->tensor_cycles = (uint8_t)(cost < 1 ? 1 : cost > 255 ? 255 : cost);
    }
}

struct mnp_static_instruction *ptx_timing_instructions(const struct ptx_code *code)
{
    struct mnp_static_instruction *made = mnp_allocate((size_t)code->ops.count + 1, sizeof *made);
    for (uint32_t f = 0; f < code->functions.count; f++) {
        const struct ptx_code_function *place = ptx_code_function_at(code, f);
        for (uint32_t i = 0; i < place->op_count; i++) {
            uint32_t at = place->first_op + i;
            made[at].pc = 16 * at;
            fill_one(code, place, ptx_op_at(code, at), &made[at]);
        }
    }
    return made;
}

/* ===== addresses ===== */

/* Local memory of a warp: words of its lanes side by side, warp after warp, in a range that nothing else uses. */
static uint64_t local_address(const struct ptx_local_place *local, uint32_t lane, uint64_t address)
{
    return PTX_LOCAL_WINDOW + UINT64_C(0x100000000) + local->warp * local->bytes * 32 + address / 4 * 128 + lane * 4 +
           address % 4;
}

uint32_t ptx_timing_addresses(const struct ptx_code *code, const struct ptx_record *record,
                              const struct ptx_local_place *local, uint64_t words[32], uint8_t *flags)
{
    uint32_t count = 0;
    if (!record->bytes || record->space == PTX_SPACE_PARAM)
        return 0;
    const struct ptx_op *op = ptx_op_at(code, record->op);
    bool generic = (op->kind == PTX_KIND_LOAD || op->kind == PTX_KIND_STORE || op->kind == PTX_KIND_ATOMIC ||
                    op->kind == PTX_KIND_LOAD_MATRIX) &&
                   op->access.space == PTX_SPACE_GENERIC;
    uint64_t window = record->space == PTX_SPACE_SHARED && generic ? PTX_SHARED_WINDOW : 0;
    if (record->mask == PTX_ALL_LANES && record->space != PTX_SPACE_LOCAL) {
        for (; count < 32; count++)
            words[count] = record->addresses[count] + window;
    } else {
        for (uint32_t rest = record->mask; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            uint64_t address = record->addresses[lane];
            words[count++] = record->space == PTX_SPACE_LOCAL ? local_address(local, lane, address) : address + window;
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
