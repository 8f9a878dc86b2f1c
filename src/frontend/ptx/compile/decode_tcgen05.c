/* SPDX-License-Identifier: BSD-3-Clause */
/* tcgen05: tensor memory, products, copies (PTX ISA 9.0, TensorCore of the 5th generation). */
#include "frontend/ptx/compile/decode.h"

#include "execute/matrix/tcgen05.h"

#include <stdio.h>

enum { MOST_REGISTERS = 128, MASKS = 4 };

/* ===== what all have in common ===== */

/* Whether it is of a pair of CTAs. */
static bool take_group(struct ptx_decoder *decoder, bool *pair)
{
    *pair = ptx_take_word(decoder, "cta_group::2");
    decoder->code->pairs |= *pair;
    return *pair || ptx_take_word(decoder, "cta_group::1") ||
           ptx_decode_fail(decoder, "it needs .cta_group::1 or .cta_group::2");
}

static bool take_warp(struct ptx_decoder *decoder)
{
    return (ptx_take_word(decoder, "sync") && ptx_take_word(decoder, "aligned")) ||
           ptx_decode_fail(decoder, "it needs .sync.aligned");
}

static bool has_type(struct ptx_decoder *decoder, enum execute_type type)
{
    return (decoder->type_count == 1 && decoder->types[0] == type) ||
           ptx_decode_fail(decoder, "its type is .%s", execute_type_name(type));
}

/* An address in tensor memory, in brackets. */
static bool take_address(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t *ref, int32_t *offset)
{
    /* 32-bit addresses, like those of shared memory */
    struct execute_access_form form = {.space = EXECUTE_SPACE_SHARED};
    int64_t added;
    if (!ptx_decode_address_of(decoder, operand, &form, ref, &added))
        return false;
    *offset = (int32_t)added;
    return (*ref != EXECUTE_NO_REF && !form.wide_address) ||
           ptx_decode_fail(decoder, "an address of tensor memory is in a register of 32 bits");
}

/* ===== allocations ===== */

static bool decode_allocate(struct ptx_decoder *decoder)
{
    struct execute_access_form form = {.count = 1, .type = EXECUTE_b32, .slot = 4};
    enum execute_space space = EXECUTE_SPACE_GENERIC;
    uint32_t address, columns;
    int64_t offset;
    bool pair;
    ptx_take_space(decoder, &space);
    form.space = (uint8_t)space;
    if (!take_group(decoder, &pair) || !take_warp(decoder) || !has_type(decoder, EXECUTE_b32) ||
        !ptx_operand_count_is(decoder, 2, 2) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), &form, &address, &offset) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1), EXECUTE_u32, &columns))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TMEM_ALLOCATE);
    op->variant = pair ? EXECUTE_TMEM_ALLOCATE_PAIR : EXECUTE_TMEM_ALLOCATE;
    op->access = form;
    op->a = address;
    op->b = columns;
    op->immediate = offset;
    op->flags = (uint8_t)(EXECUTE_OP_READS_B | (address != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0));
    return ptx_all_taken(decoder);
}

static bool decode_give_back(struct ptx_decoder *decoder)
{
    uint32_t address, columns;
    bool pair;
    if (!take_group(decoder, &pair) || !take_warp(decoder) || !has_type(decoder, EXECUTE_b32) ||
        !ptx_operand_count_is(decoder, 2, 2) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 0), EXECUTE_b32, &address) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1), EXECUTE_u32, &columns))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TMEM_ALLOCATE);
    op->variant = pair ? EXECUTE_TMEM_GIVE_BACK_PAIR : EXECUTE_TMEM_GIVE_BACK;
    op->a = address;
    op->b = columns;
    op->flags = EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    return ptx_all_taken(decoder);
}

static bool decode_no_more(struct ptx_decoder *decoder)
{
    bool pair;
    if (!take_group(decoder, &pair) || !take_warp(decoder) || !ptx_operand_count_is(decoder, 0, 0))
        return false;
    ptx_emit(decoder, EXECUTE_KIND_TMEM_ALLOCATE)->variant = EXECUTE_TMEM_NO_MORE;
    return ptx_all_taken(decoder);
}

/* ===== loads and stores ===== */

/* Takes the shape and its number of registers: those of .x1 times N of .xN. */
static bool take_shape(struct ptx_decoder *decoder, struct execute_tmem_form *form)
{
    static const struct {
        const char *word;
        uint8_t shape, registers;
    } shapes[] = {{"32x32b", EXECUTE_TMEM_32X32B, 1},
                  {"16x64b", EXECUTE_TMEM_16X64B, 1},
                  {"16x128b", EXECUTE_TMEM_16X128B, 2},
                  {"16x256b", EXECUTE_TMEM_16X256B, 4},
                  {"16x32bx2", EXECUTE_TMEM_16X32BX2, 1}};
    static const char *const times[] = {"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !form->count; i++)
        if (ptx_take_word(decoder, shapes[i].word)) {
            form->shape = shapes[i].shape;
            form->count = shapes[i].registers;
        }
    bool found = false;
    for (size_t i = 0; i < sizeof times / sizeof *times && !found; i++)
        if ((found = ptx_take_word(decoder, times[i])))
            form->count = (uint16_t)(form->count << i);
    if (!form->count || !found || form->count > MOST_REGISTERS)
        return ptx_decode_fail(decoder, "its shape is .32x32b, .16x64b, .16x128b, .16x256b or .16x32bx2, with .x1 … "
                                        ".x128 for at most 128 registers");
    return true;
}

/* Columns between the halves of .16x32bx2. */
static bool take_split(struct ptx_decoder *decoder, uint32_t *next, struct execute_tmem_form *form)
{
    uint64_t value;
    if (form->shape != EXECUTE_TMEM_16X32BX2)
        return true;
    if (!ptx_immediate(decoder, ptx_operand_of(decoder, (*next)++), &value))
        return false;
    form->split = (int32_t)value;
    return true;
}

static bool take_registers(struct ptx_decoder *decoder, const struct ptx_operand *vector, uint32_t count, bool load,
                           uint32_t *refs)
{
    bool list = vector && vector->kind == PTX_OPERAND_VECTOR;
    if (!vector || (list ? vector->count : 1) != count)
        return ptx_decode_fail(decoder, "%u registers are needed here, as a list", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *operand = list ? ptx_operand_at(decoder->module, vector->index + i) : vector;
        if (load ? !ptx_destination(decoder, operand, EXECUTE_b32, &refs[i])
                 : !ptx_source(decoder, operand, EXECUTE_b32, &refs[i]))
            return false;
    }
    return true;
}

/* tcgen05.ld.red: a minimum or maximum of each thread's registers. */
static bool take_reduction(struct ptx_decoder *decoder, struct execute_tmem_form *form)
{
    bool least = ptx_take_word(decoder, "min"), most = ptx_take_word(decoder, "max");
    bool absolute = ptx_take_word(decoder, "abs"), nan = ptx_take_word(decoder, "NaN");
    enum execute_type type = decoder->type_count == 1 ? decoder->types[0] : EXECUTE_b32;
    if (least == most)
        return ptx_decode_fail(decoder, ".red needs .min or .max");
    if (type != EXECUTE_f32 && ((type != EXECUTE_u32 && type != EXECUTE_s32) || absolute || nan))
        return ptx_decode_fail(decoder, ".red is of .u32, .s32 or .f32, and .abs and .NaN are of .f32");
    if ((form->shape != EXECUTE_TMEM_32X32B && form->shape != EXECUTE_TMEM_16X32BX2) || form->count < 2)
        return ptx_decode_fail(decoder, ".red is of .32x32b and .16x32bx2, from .x2 on");
    form->reduces = (uint8_t)((least ? EXECUTE_TMEM_REDUCE_MIN : EXECUTE_TMEM_REDUCE_MAX) |
                              (absolute ? EXECUTE_TMEM_REDUCE_ABS : 0) | (nan ? EXECUTE_TMEM_REDUCE_NAN : 0));
    form->type = (uint8_t)type;
    return true;
}

static bool decode_move(struct ptx_decoder *decoder, bool load)
{
    struct execute_tmem_form form = {0};
    uint32_t address, refs[MOST_REGISTERS + 1], next = load ? 1 : 0;
    bool reduces = load && ptx_take_word(decoder, "red");
    if (!take_warp(decoder) || !take_shape(decoder, &form) ||
        !(reduces ? take_reduction(decoder, &form) : has_type(decoder, EXECUTE_b32)))
        return false;
    form.halves = !reduces && ptx_take_word(decoder, load ? "pack::16b" : "unpack::16b");
    uint32_t count = 2u + (form.shape == EXECUTE_TMEM_16X32BX2) + reduces;
    if (!ptx_operand_count_is(decoder, count, count) ||
        (reduces &&
         !ptx_destination(decoder, ptx_operand_of(decoder, next++), (enum execute_type)form.type, &refs[form.count])) ||
        !take_address(decoder, ptx_operand_of(decoder, next++), &address, &form.offset) ||
        !take_split(decoder, &next, &form) ||
        !take_registers(decoder, ptx_operand_of(decoder, load ? 0 : next), form.count, load, refs))
        return false;
    struct execute_op *op = ptx_emit(decoder, load ? EXECUTE_KIND_TMEM_LOAD : EXECUTE_KIND_TMEM_STORE);
    op->tmem = form;
    op->a = address;
    op->flags = EXECUTE_OP_READS_A;
    op->list_results = (uint8_t)(load ? form.count + reduces : 0);
    op->list_sources = (uint8_t)(load ? 0 : form.count);
    for (uint32_t i = 0; i < (uint32_t)form.count + reduces; i++)
        ptx_list_add(decoder, refs[i]);
    return ptx_all_taken(decoder);
}

static bool decode_wait(struct ptx_decoder *decoder, enum execute_async_group group)
{
    if (!take_warp(decoder) || !ptx_operand_count_is(decoder, 0, 0))
        return false;
    ptx_emit(decoder, EXECUTE_KIND_ASYNC_GROUP)->variant = (uint8_t)group;
    return ptx_all_taken(decoder);
}

/* ===== products ===== */

static bool take_kind(struct ptx_decoder *decoder, struct execute_tcgen05_form *form)
{
    static const char *const kinds[] = {
        [EXECUTE_TCGEN05_F16] = "kind::f16",           [EXECUTE_TCGEN05_TF32] = "kind::tf32",
        [EXECUTE_TCGEN05_F8F6F4] = "kind::f8f6f4",     [EXECUTE_TCGEN05_I8] = "kind::i8",
        [EXECUTE_TCGEN05_MXF8F6F4] = "kind::mxf8f6f4", [EXECUTE_TCGEN05_MXF4] = "kind::mxf4",
        [EXECUTE_TCGEN05_MXF4NVF4] = "kind::mxf4nvf4",
    };
    static const char *const uses[] = {"fill", "use", "lastuse", "discard"};
    static const char *const buffers[] = {"a", "b0", "b1", "b2", "b3"};
    bool found = false, weights = form->flags & EXECUTE_TCGEN05_WEIGHTS;
    char text[32];
    for (uint8_t i = 0; i < sizeof kinds / sizeof *kinds && !found; i++)
        if ((found = ptx_take_word(decoder, kinds[i])))
            form->kind = i;
    for (size_t i = weights; i < (weights ? sizeof buffers / sizeof *buffers : 1); i++)
        for (size_t use = 0; use < sizeof uses / sizeof *uses; use++) {
            snprintf(text, sizeof text, "collector::%s::%s", buffers[i], uses[use]);
            ptx_take_word(decoder, text); /* leave to keep A or B, which need not be taken */
        }
    return found || ptx_decode_fail(decoder, "its kinds are kind::f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 and mxf4nvf4");
}

/* Takes the scale factors of a kind with block scaling; the default if none are stated. */
static bool take_factors(struct ptx_decoder *decoder, struct execute_tcgen05_form *form)
{
    static const struct {
        uint8_t kind;
        const char *vector, *block;
        uint8_t factors;
    } rows[] = {{EXECUTE_TCGEN05_MXF8F6F4, "scale_vec::1X", "block32", 1},
                {EXECUTE_TCGEN05_MXF4, "scale_vec::2X", "block32", 2},
                {EXECUTE_TCGEN05_MXF4NVF4, "scale_vec::2X", "block32", 2},
                {EXECUTE_TCGEN05_MXF4NVF4, "scale_vec::4X", "block16", 4}};
    bool scaled = form->kind >= EXECUTE_TCGEN05_MXF8F6F4;
    if (ptx_take_word(decoder, "block_scale") != scaled)
        return ptx_decode_fail(decoder, ".block_scale is of kind::mxf8f6f4, mxf4 and mxf4nvf4, which need it");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !form->factors; i++)
        if (rows[i].kind == form->kind &&
            (ptx_take_word(decoder, rows[i].vector) || ptx_take_word(decoder, rows[i].block)))
            form->factors = rows[i].factors;
    if (scaled && !form->factors && form->kind != EXECUTE_TCGEN05_MXF4NVF4)
        form->factors = form->kind == EXECUTE_TCGEN05_MXF4 ? 2 : 1;
    return !scaled || form->factors ||
           ptx_decode_fail(decoder, "kind::mxf4nvf4 needs .scale_vec::2X or .scale_vec::4X");
}

enum { MOST_REST = 2 * MASKS + EXECUTE_TCGEN05_PLACES + 1 };

struct product { /* operands of tcgen05.mma */
    uint32_t d, a, b, descriptor, adds;
    bool flip;
    uint32_t rest[MOST_REST], rest_count; /* operands behind the descriptor */
    uint64_t offsets;
};

/* [d], a or [a], b */
static bool take_matrices(struct ptx_decoder *decoder, struct execute_tcgen05_form *form, struct product *product)
{
    const struct ptx_operand *a = ptx_operand_of(decoder, 1);
    bool tensor = a && a->memory;
    form->flags |= tensor ? EXECUTE_TCGEN05_A_TMEM : 0;
    if (form->flags & EXECUTE_TCGEN05_A_DOWN && !tensor)
        return ptx_decode_fail(decoder, ".ashift needs A in tensor memory");
    return take_address(decoder, ptx_operand_of(decoder, 0), &product->d, &form->offset) &&
           (tensor ? take_address(decoder, a, &product->a, &form->a_offset)
                   : ptx_source(decoder, a, EXECUTE_b64, &product->a)) &&
           ptx_source(decoder, ptx_operand_of(decoder, 2), EXECUTE_b64, &product->b);
}

/* Takes an address of tensor memory at the end of the list: metadata or scale factors. */
static bool take_place(struct ptx_decoder *decoder, uint32_t place, uint32_t operand, struct product *product)
{
    uint32_t ref;
    int32_t offset;
    if (!take_address(decoder, ptx_operand_of(decoder, operand), &ref, &offset))
        return false;
    if (offset < 0 || offset >> EXECUTE_TCGEN05_OFFSET_BITS)
        return ptx_decode_fail(decoder, "what is added to the address of metadata or factors is 0 to %u",
                               (1u << EXECUTE_TCGEN05_OFFSET_BITS) - 1);
    product->offsets |= (uint64_t)offset << EXECUTE_TCGEN05_OFFSET_BITS * place;
    product->rest[product->rest_count++] = ref;
    return true;
}

/* {lanes that are left out} */
static bool take_masks(struct ptx_decoder *decoder, uint32_t *next, struct execute_tcgen05_form *form,
                       struct product *product)
{
    const struct ptx_operand *masks = ptx_operand_of(decoder, *next);
    uint32_t count = form->flags & EXECUTE_TCGEN05_PAIR ? 2 * MASKS : MASKS;
    if (!masks || masks->kind != PTX_OPERAND_VECTOR)
        return true;
    if (form->factors || form->flags & EXECUTE_TCGEN05_WEIGHTS)
        return ptx_decode_fail(decoder, "lanes are not left out with .block_scale or .ws");
    form->flags |= EXECUTE_TCGEN05_MASKED;
    product->rest_count = count;
    (*next)++;
    return take_registers(decoder, masks, count, false, product->rest);
}

/* Takes the operands behind the predicate: the scale of D, or a zero-column mask. */
static bool take_last(struct ptx_decoder *decoder, uint32_t *next, struct execute_tcgen05_form *form,
                      struct product *product)
{
    uint64_t scale = 0;
    if (decoder->statement->operand_count <= *next)
        return true;
    if (form->flags & EXECUTE_TCGEN05_WEIGHTS) {
        form->flags |= EXECUTE_TCGEN05_ZEROES;
        return ptx_source(decoder, ptx_operand_of(decoder, (*next)++), EXECUTE_b64,
                          &product->rest[product->rest_count++]);
    }
    if (!ptx_immediate(decoder, ptx_operand_of(decoder, (*next)++), &scale))
        return false;
    if (scale > 15 || form->kind > EXECUTE_TCGEN05_TF32)
        return ptx_decode_fail(decoder, "scale-input-d is 0 to 15, of kind::f16 and kind::tf32");
    form->scale = (uint8_t)scale;
    return true;
}

/* Parses {[metadata],} descriptor, {{disabled lanes},} {[factors], [factors],} predicate for adding D {, …} */
static bool take_rest(struct ptx_decoder *decoder, struct execute_tcgen05_form *form, struct product *product)
{
    bool sparse = form->flags & EXECUTE_TCGEN05_SPARSE;
    uint32_t next = 4 + sparse;
    if (!ptx_source(decoder, ptx_operand_of(decoder, 3 + sparse), EXECUTE_b32, &product->descriptor) ||
        !take_masks(decoder, &next, form, product) ||
        (sparse && !take_place(decoder, EXECUTE_TCGEN05_METADATA, 3, product)))
        return false;
    for (uint32_t i = EXECUTE_TCGEN05_FACTORS_A; i < EXECUTE_TCGEN05_PLACES && form->factors; i++)
        if (!take_place(decoder, i, next++, product))
            return false;
    const struct ptx_operand *adds = ptx_operand_of(decoder, next++);
    product->flip = adds && adds->negated;
    return ptx_predicate(decoder, adds, &product->adds) && take_last(decoder, &next, form, product) &&
           ptx_operand_count_is(decoder, next, next);
}

/* .ws, .sp and the group. */
static bool take_way(struct ptx_decoder *decoder, struct execute_tcgen05_form *form)
{
    bool pair, keeps_a = ptx_has_word(decoder, "collector::a::use") || ptx_has_word(decoder, "collector::a::fill");
    form->flags |= ptx_take_word(decoder, "ws") ? EXECUTE_TCGEN05_WEIGHTS : 0;
    form->flags |= ptx_take_word(decoder, "sp") ? EXECUTE_TCGEN05_SPARSE : 0;
    if (!take_group(decoder, &pair) || !take_kind(decoder, form) || !take_factors(decoder, form))
        return false;
    form->flags |= pair ? EXECUTE_TCGEN05_PAIR : 0;
    form->flags |= ptx_take_word(decoder, "ashift") ? EXECUTE_TCGEN05_A_DOWN : 0;
    if (form->flags & EXECUTE_TCGEN05_A_DOWN && (form->flags & EXECUTE_TCGEN05_WEIGHTS || form->factors || keeps_a))
        return ptx_decode_fail(decoder,
                               ".ashift is of products without .ws, .block_scale, .collector::a::use and fill");
    if (form->flags & EXECUTE_TCGEN05_WEIGHTS && (pair || form->factors))
        return ptx_decode_fail(decoder, ".ws is of .cta_group::1 and kind::f16, tf32, f8f6f4 and i8");
    return true;
}

static bool decode_product(struct ptx_decoder *decoder)
{
    struct execute_tcgen05_form form = {.command = EXECUTE_TCGEN05_MULTIPLY};
    struct product product = {0};
    if (!take_way(decoder, &form) || !ptx_operand_count_is(decoder, 5, 8) || !take_matrices(decoder, &form, &product) ||
        !take_rest(decoder, &form, &product))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TCGEN05);
    op->tcgen05 = form;
    op->a = product.a;
    op->b = product.b;
    op->c = product.adds;
    op->immediate = (int64_t)product.offsets;
    op->flags = (uint8_t)(EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C |
                          (product.flip ? EXECUTE_OP_FLIP_C : 0));
    op->list_sources = (uint8_t)(2 + product.rest_count);
    ptx_list_add(decoder, product.d);
    ptx_list_add(decoder, product.descriptor);
    for (uint32_t i = 0; i < product.rest_count; i++)
        ptx_list_add(decoder, product.rest[i]);
    return ptx_all_taken(decoder);
}

/* ===== copies, commits ===== */

static bool take_copy_shape(struct ptx_decoder *decoder, struct execute_tcgen05_form *form)
{
    static const struct {
        const char *shape, *warps;
    } rows[] = {
        [EXECUTE_TCGEN05_128X256B] = {"128x256b", NULL},
        [EXECUTE_TCGEN05_4X256B] = {"4x256b", NULL},
        [EXECUTE_TCGEN05_128X128B] = {"128x128b", NULL},
        [EXECUTE_TCGEN05_64X128B_02_13] = {"64x128b", "warpx2::02_13"},
        [EXECUTE_TCGEN05_64X128B_01_23] = {"64x128b", "warpx2::01_23"},
        [EXECUTE_TCGEN05_32X128B] = {"32x128b", "warpx4"},
    };
    for (uint8_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ptx_has_word(decoder, rows[i].shape) && (!rows[i].warps || ptx_take_word(decoder, rows[i].warps))) {
            form->kind = i;
            return ptx_take_word(decoder, rows[i].shape);
        }
    return ptx_decode_fail(decoder, "its shapes are .128x256b, .4x256b, .128x128b, .64x128b.warpx2::02_13 or 01_23 and "
                                    ".32x128b.warpx4");
}

static bool decode_copy(struct ptx_decoder *decoder)
{
    struct execute_tcgen05_form form = {.command = EXECUTE_TCGEN05_COPY};
    uint32_t address, descriptor;
    bool pair;
    if (!take_group(decoder, &pair) || !take_copy_shape(decoder, &form) || !ptx_operand_count_is(decoder, 2, 2) ||
        !take_address(decoder, ptx_operand_of(decoder, 0), &address, &form.offset) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 1), EXECUTE_b64, &descriptor))
        return false;
    bool packed = ptx_take_word(decoder, "b8x16");
    form.scale = ptx_take_word(decoder, "b6x16_p32") ? 6 : ptx_take_word(decoder, "b4x16_p64") ? 4 : 0;
    if (packed != (form.scale != 0))
        return ptx_decode_fail(decoder, "it unpacks with .b8x16.b6x16_p32 or .b8x16.b4x16_p64");
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TCGEN05);
    op->tcgen05 = form;
    op->tcgen05.flags = pair ? EXECUTE_TCGEN05_PAIR : 0;
    op->b = descriptor;
    op->flags = EXECUTE_OP_READS_B;
    op->list_sources = 1;
    ptx_list_add(decoder, address);
    return ptx_all_taken(decoder);
}

/* 31 rows of 32 bytes. */
static bool decode_shift(struct ptx_decoder *decoder)
{
    struct execute_tcgen05_form form = {.command = EXECUTE_TCGEN05_SHIFT};
    uint32_t address;
    bool pair;
    if (!take_group(decoder, &pair) || !ptx_operand_count_is(decoder, 1, 1) ||
        !take_address(decoder, ptx_operand_of(decoder, 0), &address, &form.offset))
        return false;
    if (!ptx_take_word(decoder, "down"))
        return ptx_decode_fail(decoder, "it needs .down");
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TCGEN05);
    form.flags = pair ? EXECUTE_TCGEN05_PAIR : 0;
    op->tcgen05 = form;
    op->list_sources = 1;
    ptx_list_add(decoder, address);
    return ptx_all_taken(decoder);
}

/* A generic address in a register of 32 bits. ptxas 13.0 extends it with zeros for UTCBAR, to which it is one of shared
 * memory: programs that were right on a B300 have it (Antoniomv7/gb300-microbench). */
static bool in_small_register(const struct ptx_decoder *decoder, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER &&
           ptx_class_of(ptx_register_type(decoder, operand)) == PTX_CLASS_SMALL;
}

static bool decode_commit(struct ptx_decoder *decoder)
{
    struct execute_access_form form = {.count = 1, .type = EXECUTE_b64, .slot = 8};
    enum execute_space space = EXECUTE_SPACE_GENERIC;
    uint32_t address, mask = EXECUTE_NO_REF;
    int64_t offset;
    bool pair;
    ptx_take_space(decoder, &space);
    bool multicast = ptx_take_word(decoder, "multicast::cluster");
    if (!take_group(decoder, &pair) || !has_type(decoder, EXECUTE_b64) ||
        !ptx_operand_count_is(decoder, 1 + multicast, 1 + multicast))
        return false;
    if (space == EXECUTE_SPACE_GENERIC && in_small_register(decoder, ptx_operand_of(decoder, 0)))
        space = EXECUTE_SPACE_CLUSTER;
    form.space = (uint8_t)space;
    if (!ptx_take_word(decoder, "mbarrier::arrive::one"))
        return ptx_decode_fail(decoder, "it needs .mbarrier::arrive::one");
    if (!ptx_decode_address_of(decoder, ptx_operand_of(decoder, 0), &form, &address, &offset) ||
        (multicast && !ptx_source(decoder, ptx_operand_of(decoder, 1), EXECUTE_b16, &mask)))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_TCGEN05_COMMIT);
    op->access = form;
    op->a = address;
    op->immediate = offset;
    op->flags = address != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0;
    op->list_sources = multicast;
    if (multicast)
        ptx_list_add(decoder, mask);
    return ptx_all_taken(decoder);
}

/* The fence is an operation that none may be moved across. */
static bool decode_fence(struct ptx_decoder *decoder)
{
    if (!ptx_operand_count_is(decoder, 0, 0))
        return false;
    ptx_emit(decoder, EXECUTE_KIND_NOTHING);
    return ptx_all_taken(decoder);
}

bool ptx_decode_tcgen05(struct ptx_decoder *decoder)
{
    if (ptx_take_word(decoder, "mma"))
        return decode_product(decoder);
    if (ptx_take_word(decoder, "ld"))
        return decode_move(decoder, true);
    if (ptx_take_word(decoder, "st"))
        return decode_move(decoder, false);
    if (ptx_take_word(decoder, "cp"))
        return decode_copy(decoder);
    if (ptx_take_word(decoder, "commit"))
        return decode_commit(decoder);
    if (ptx_take_word(decoder, "shift"))
        return decode_shift(decoder);
    if (ptx_take_word(decoder, "wait::ld"))
        return decode_wait(decoder, EXECUTE_GROUP_TMEM_LOADS_WAIT);
    if (ptx_take_word(decoder, "wait::st"))
        return decode_wait(decoder, EXECUTE_GROUP_TMEM_STORES_WAIT);
    if (ptx_take_word(decoder, "fence::before_thread_sync") || ptx_take_word(decoder, "fence::after_thread_sync"))
        return decode_fence(decoder);
    if (ptx_take_word(decoder, "alloc"))
        return decode_allocate(decoder);
    if (ptx_take_word(decoder, "dealloc"))
        return decode_give_back(decoder);
    return ptx_take_word(decoder, "relinquish_alloc_permit")
               ? decode_no_more(decoder)
               : ptx_decode_fail(decoder, "its forms are tcgen05.{alloc, dealloc, relinquish_alloc_permit, ld, st, "
                                          "wait, cp, shift, mma, commit, fence}");
}
