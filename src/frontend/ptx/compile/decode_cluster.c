/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clusters of CTAs (ISA 9.0): barrier.cluster, mapa, getctarank, st.async and red.async, and other additions for
 * Hopper's kernels: setmaxnreg, griddepcontrol.
 */
#include "frontend/ptx/compile/decode.h"

enum { HOPPER = 90 };

static bool needs_target(struct ptx_decoder *decoder)
{
    return decoder->module->architecture >= HOPPER ||
           ptx_decode_fail(decoder, "clusters need .target sm_90 or higher; compile for -arch=sm_90");
}

bool ptx_decode_cluster_barrier(struct ptx_decoder *decoder)
{
    bool arrives = ptx_take_word(decoder, "arrive"), waits = !arrives && ptx_take_word(decoder, "wait");
    if (!arrives && !waits)
        return ptx_decode_fail(decoder, "its forms are barrier.cluster.arrive and barrier.cluster.wait");
    bool relaxed = arrives && !ptx_take_word(decoder, "release") && ptx_take_word(decoder, "relaxed");
    if (waits)
        ptx_take_word(decoder, "acquire");
    ptx_take_word(decoder, "aligned");
    if (!needs_target(decoder) || !ptx_operand_count_is(decoder, 0, 0))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_BARRIER);
    op->variant = arrives ? EXECUTE_BARRIER_CLUSTER_ARRIVE : EXECUTE_BARRIER_CLUSTER_WAIT;
    op->combine = arrives && !relaxed; /* orders the warp's writes before it */
    return ptx_all_taken(decoder);
}

/* mapa d, a, rank; getctarank d, a: of shared::cluster, or generic addresses */
bool ptx_decode_mapa(struct ptx_decoder *decoder)
{
    bool maps = ptx_word_is(&decoder->words[0], "mapa"), shared = ptx_take_word(decoder, "shared::cluster");
    const struct ptx_operand *from = ptx_operand_of(decoder, 1);
    enum execute_type type = decoder->type_count == 1 ? (enum execute_type)decoder->types[0] : EXECUTE_NO_TYPE;
    uint32_t d, a, rank = EXECUTE_NO_REF;
    if (!needs_target(decoder) || !ptx_operand_count_is(decoder, 2 + maps, 2 + maps))
        return false;
    if (type != EXECUTE_u64 && (type != EXECUTE_u32 || !shared))
        return ptx_decode_fail(decoder, "its type is .u32 or .u64 for shared::cluster, .u64 for generic addresses");
    bool variable = from->kind == PTX_OPERAND_VARIABLE;
    if (variable && (!shared || ptx_variable_at(decoder->module, from->index)->space != EXECUTE_SPACE_SHARED))
        return ptx_decode_fail(decoder, "a variable here lies in .shared, and the form is .shared::cluster");
    if (!ptx_source(decoder, from, type, &a) ||
        (maps && !ptx_source(decoder, ptx_operand_of(decoder, 2), EXECUTE_u32, &rank)) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), maps ? type : EXECUTE_u32, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_CLUSTER_ADDRESS);
    op->variant = maps ? EXECUTE_CLUSTER_MAP : EXECUTE_CLUSTER_RANK;
    op->combine = type == EXECUTE_u64;
    op->size = maps && type == EXECUTE_u64 ? 8 : 4;
    op->d = d;
    op->a = a;
    op->b = rank;
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | (maps ? EXECUTE_OP_READS_B : 0));
    return ptx_all_taken(decoder);
}

/* ===== st.async, red.async ===== */

/* The bytes arrive at the mbarrier when they have been written. */
static bool emit_complete(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t bytes)
{
    struct execute_access_form form = {.space = EXECUTE_SPACE_CLUSTER, .count = 1, .slot = 8, .type = EXECUTE_b64};
    uint32_t address, number = ptx_constant(decoder, PTX_CLASS_SMALL, bytes);
    int64_t offset;
    if (!ptx_decode_address_of(decoder, operand, &form, &address, &offset))
        return false;
    struct execute_op *op = ptx_emit_access(decoder, EXECUTE_KIND_MBARRIER, &form, address, offset);
    op->variant = EXECUTE_MBARRIER_COMPLETE;
    op->b = number;
    op->flags |= EXECUTE_OP_READS_B;
    return true;
}

static bool take_async(struct ptx_decoder *decoder, struct execute_access_form *form)
{
    bool relaxed = ptx_take_word(decoder, "relaxed"), weak = !relaxed && ptx_take_word(decoder, "weak");
    if (!weak)
        ptx_take_word(decoder, "cluster");
    bool cluster = ptx_take_word(decoder, "shared::cluster");
    bool bytes = ptx_take_word(decoder, "mbarrier::complete_tx::bytes");
    *form = (struct execute_access_form){.space = EXECUTE_SPACE_CLUSTER};
    form->count = ptx_take_word(decoder, "v2") ? 2 : ptx_take_word(decoder, "v4") ? 4 : 1;
    form->type = decoder->type_count == 1 ? decoder->types[0] : EXECUTE_NO_TYPE;
    if (!cluster || !bytes)
        return ptx_decode_fail(decoder, "its form is .async.shared::cluster.mbarrier::complete_tx::bytes");
    uint32_t size = execute_type_bytes((enum execute_type)form->type);
    if (size != 4 && size != 8)
        return ptx_decode_fail(decoder, "its type has 32 or 64 bits");
    return needs_target(decoder) && ptx_operand_count_is(decoder, 3, 3);
}

static bool decode_store_async(struct ptx_decoder *decoder)
{
    struct execute_access_form form;
    uint32_t address, refs[8];
    int64_t offset;
    if (!take_async(decoder, &form) || !ptx_all_taken(decoder) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), &form, &address, &offset) ||
        !ptx_data_refs(decoder, ptx_operand_of(decoder, 1), &form, false, refs))
        return false;
    struct execute_op *op = ptx_emit_access(decoder, EXECUTE_KIND_STORE, &form, address, offset);
    op->list_sources = form.count;
    for (uint32_t i = 0; i < form.count; i++)
        ptx_list_add(decoder, refs[i]);
    return emit_complete(decoder, ptx_operand_of(decoder, 2),
                         form.count * execute_type_bytes((enum execute_type)form.type));
}

static bool decode_reduce_async(struct ptx_decoder *decoder)
{
    static const struct {
        const char *word;
        uint8_t operation;
    } rows[] = {{"add", EXECUTE_ATOMIC_ADD}, {"min", EXECUTE_ATOMIC_MIN}, {"max", EXECUTE_ATOMIC_MAX},
                {"inc", EXECUTE_ATOMIC_INC}, {"dec", EXECUTE_ATOMIC_DEC}, {"and", EXECUTE_ATOMIC_AND},
                {"or", EXECUTE_ATOMIC_OR},   {"xor", EXECUTE_ATOMIC_XOR}};
    struct execute_access_form form;
    uint32_t address, b, row = 0, count = sizeof rows / sizeof *rows;
    int64_t offset;
    if (!take_async(decoder, &form))
        return false;
    while (row < count && !ptx_take_word(decoder, rows[row].word))
        row++;
    enum execute_type type = (enum execute_type)form.type;
    if (row == count || form.count != 1 || execute_type_is_float(type))
        return ptx_decode_fail(decoder, "this operation with this type is not supported");
    form.operation = rows[row].operation;
    form.reduction = form.strong = true;
    form.slot = execute_type_bytes(type) == 8 ? 8 : 4;
    if (!ptx_all_taken(decoder) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), &form, &address, &offset) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1), type, &b))
        return false;
    struct execute_op *op = ptx_emit_access(decoder, EXECUTE_KIND_ATOMIC, &form, address, offset);
    op->b = b;
    op->size = form.slot;
    op->flags |= EXECUTE_OP_READS_B;
    return emit_complete(decoder, ptx_operand_of(decoder, 2), execute_type_bytes(type));
}

bool ptx_decode_store(struct ptx_decoder *decoder)
{
    return ptx_take_word(decoder, "async") ? decode_store_async(decoder) : ptx_decode_access(decoder);
}

bool ptx_decode_reduce(struct ptx_decoder *decoder)
{
    return ptx_take_word(decoder, "async") ? decode_reduce_async(decoder) : ptx_decode_atomic(decoder);
}

/* ===== beside clusters ===== */

/* setmaxnreg.{inc,dec}.sync.aligned.u32 count. Without a known number of registers at the kernel's entry an assembler
 * leaves it out, and says so (ptxas of CUDA 13.0, C7508). */
bool ptx_decode_regs(struct ptx_decoder *decoder)
{
    enum { LEAST = 24, MOST = 256, UNIT = 8 };
    uint64_t count;
    bool more = ptx_take_word(decoder, "inc"), fewer = !more && ptx_take_word(decoder, "dec");
    if ((!more && !fewer) || !ptx_take_word(decoder, "sync") || !ptx_take_word(decoder, "aligned"))
        return ptx_decode_fail(decoder, "its form is setmaxnreg.inc or .dec, .sync.aligned.u32");
    if (decoder->module->architecture < HOPPER || !decoder->module->specific)
        return ptx_decode_fail(decoder, "it needs a target with architecture-specific features, as .target sm_90a; "
                                        "compile for -arch=sm_90a");
    if (!ptx_operand_count_is(decoder, 1, 1) || !ptx_immediate(decoder, ptx_operand_of(decoder, 0), &count))
        return false;
    if (count < LEAST || count > MOST || count % UNIT)
        return ptx_decode_fail(decoder, "registers are a multiple of 8 from 24 to 256, not %lu", (unsigned long)count);
    uint32_t *most = more ? &decoder->most_registers : &decoder->most_left;
    if (!more && count > *most)
        decoder->leaves = decoder->statement;
    *most = count > *most ? (uint32_t)count : *most;
    if (!ptx_knows_registers(decoder)) {
        ptx_emit(decoder, EXECUTE_KIND_PREFETCH);
        return ptx_all_taken(decoder);
    }
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_REGISTERS);
    op->variant = more;
    op->immediate = (int64_t)count;
    return ptx_all_taken(decoder);
}

bool ptx_decode_grid(struct ptx_decoder *decoder)
{
    bool wait = ptx_take_word(decoder, "wait");
    if (!wait && !ptx_take_word(decoder, "launch_dependents"))
        return ptx_decode_fail(decoder, "its forms are griddepcontrol.wait and griddepcontrol.launch_dependents");
    if (!needs_target(decoder) || !ptx_operand_count_is(decoder, 0, 0))
        return false;
    ptx_emit(decoder, EXECUTE_KIND_GRID)->variant = wait ? EXECUTE_GRID_WAIT : EXECUTE_GRID_RELEASE;
    return ptx_all_taken(decoder);
}
