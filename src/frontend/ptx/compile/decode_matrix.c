/* SPDX-License-Identifier: BSD-3-Clause */
/* mma, wmma, ldmatrix, stmatrix, movmatrix. */
#include "execute/matrix/matrix.h"
#include "frontend/ptx/compile/decode.h"

#include <stdio.h>
#include <string.h>

static bool opcode_is(const struct ptx_decoder *decoder, const char *text)
{
    return strlen(text) == decoder->words[0].length && memcmp(text, decoder->words[0].text, strlen(text)) == 0;
}

/* ===== shapes ===== */

static bool take_shape(struct ptx_decoder *decoder, struct execute_matrix_form *form)
{
    static const uint16_t shapes[][3] = {{16, 8, 4},   {16, 8, 8},   {16, 8, 16}, {16, 8, 32}, {16, 8, 64},
                                         {16, 8, 128}, {16, 8, 256}, {8, 8, 4},   {8, 8, 16},  {8, 8, 32},
                                         {8, 8, 128},  {16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 16, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char text[24];
        snprintf(text, sizeof text, "m%un%uk%u", shapes[i][0], shapes[i][1], shapes[i][2]);
        if (ptx_take_word(decoder, text)) {
            form->m = shapes[i][0];
            form->n = shapes[i][1];
            form->k = shapes[i][2];
            return true;
        }
    }
    return ptx_decode_fail(decoder, "this shape is not supported");
}

/* Registers of a fragment of rows × columns elements, one per lane and 32 bits (64 for .f64). */
static uint8_t mma_registers(unsigned elements, enum execute_type type)
{
    unsigned bits = execute_matrix_bits(type), per_lane = elements * bits / 32;
    return (uint8_t)(type == EXECUTE_f64 ? per_lane / 64 : (per_lane + 31) / 32);
}

/* Number of registers of a wmma fragment, from the ISA's tables (9.7.15.4); some elements are replicated. */
static uint8_t wmma_registers(const struct execute_matrix_form *form, char fragment, enum execute_type type)
{
    unsigned bits = execute_matrix_bits(type);
    if (type == EXECUTE_f64)
        return fragment == 'a' || fragment == 'b' ? 1 : 2;
    if (fragment == 'c' || fragment == 'd')
        return (uint8_t)(form->m * form->n * bits / 1024);
    if (type == EXECUTE_f16)
        return 8;
    unsigned elements = fragment == 'a' ? form->m * form->k : form->n * form->k;
    return (uint8_t)(elements * bits / 1024 ? elements * bits / 1024 : 1);
}

/* Takes .e4m3 and .e5m2, which exist for matrices only: the types of A and of B, in this order. Returns false if there
 * are none. */
static bool take_tiny_types(struct ptx_decoder *decoder, struct execute_matrix_form *form)
{
    uint8_t found[2];
    uint32_t count = 0;
    for (uint32_t i = 1; i < decoder->word_count; i++) {
        bool e4m3 = ptx_word_is(&decoder->words[i], "e4m3"), e5m2 = ptx_word_is(&decoder->words[i], "e5m2");
        if (decoder->words[i].taken || (!e4m3 && !e5m2) || count == 2)
            continue;
        decoder->words[i].taken = true;
        found[count++] = e4m3 ? EXECUTE_e4m3x2 : EXECUTE_e5m2x2;
    }
    if (count == 2)
        form->a_type = found[0], form->b_type = found[1];
    return count == 2;
}

static bool take_types(struct ptx_decoder *decoder, struct execute_matrix_form *form)
{
    const uint8_t *t = decoder->types;
    if (decoder->type_count == 2 && !form->wmma && take_tiny_types(decoder, form)) {
        form->d_type = t[0];
        form->c_type = t[1];
        return true;
    }
    if (decoder->type_count == 2 && form->wmma) { /* .dtype.ctype of half precision */
        form->d_type = t[0];
        form->a_type = form->b_type = EXECUTE_f16;
        form->c_type = t[1];
    } else if (decoder->type_count == 4) {
        form->d_type = t[0];
        form->a_type = t[1];
        form->b_type = t[2];
        form->c_type = t[3];
    } else {
        return ptx_decode_fail(decoder, "it needs the types of all four matrices");
    }
    return true;
}

static bool is_whole(enum execute_type type)
{
    return type == EXECUTE_u4 || type == EXECUTE_s4 || type == EXECUTE_u8 || type == EXECUTE_s8 || type == EXECUTE_b1;
}

static bool is_tiny(enum execute_type type)
{
    return type == EXECUTE_e4m3x2 || type == EXECUTE_e5m2x2;
}

static bool check_types(struct ptx_decoder *decoder, const struct execute_matrix_form *form)
{
    enum execute_type a = (enum execute_type)form->a_type, b = (enum execute_type)form->b_type;
    enum execute_type c = (enum execute_type)form->c_type, d = (enum execute_type)form->d_type;
    bool good;
    if (is_whole(a))
        good = execute_matrix_bits(a) == execute_matrix_bits(b) && is_whole(b) && c == EXECUTE_s32 && d == EXECUTE_s32;
    else if (a == EXECUTE_f64)
        good = b == a && c == a && d == a;
    else if (is_tiny(a))
        good = is_tiny(b) && c == d && (c == EXECUTE_f32 || c == EXECUTE_f16);
    else if (a == EXECUTE_f16)
        good = b == a && (c == EXECUTE_f32 || c == EXECUTE_f16) && (d == EXECUTE_f32 || d == EXECUTE_f16);
    else
        good = (a == EXECUTE_bf16 || a == EXECUTE_tf32) && b == a && c == EXECUTE_f32 && d == EXECUTE_f32;
    return good || ptx_decode_fail(decoder, "a product of these types is not supported");
}

/* The amount of k that the types have shapes for (ISA 9.0, tables of mma and wmma). */
static bool check_shape(struct ptx_decoder *decoder, const struct execute_matrix_form *form)
{
    unsigned bits = execute_matrix_bits((enum execute_type)form->a_type), k = form->k;
    bool good;
    if (form->wmma)
        good = form->a_type == EXECUTE_tf32 ? form->m == 16 && form->n == 16 && k == 8
               : bits == 64                 ? form->m == 8 && k == 4
               : bits < 8                   ? form->m == 8 && form->n == 8 && k == 128 / bits
                                            : k == 16 && form->m * form->n == 256;
    else if (form->quads)
        good = form->n == 8 && form->a_type == EXECUTE_f16;
    else if (form->sparse)
        good = form->m == 16 && form->n == 8 && bits > 1 && bits < 64 &&
               (k * bits == 512 || (k * bits == 256 && !is_tiny((enum execute_type)form->a_type)));
    else if (form->m == 8)
        good = form->n == 8 && (bits == 64 ? k == 4 : bits <= 8 && k == 128 / bits);
    else
        good = form->n == 8 && form->m == 16 &&
               (bits == 64 ? k == 4 || k == 8 || k == 16 : k * bits == 128 || k * bits == 256);
    return good || ptx_decode_fail(decoder, "this shape with these types is not supported");
}

/* ===== operands ===== */

static bool fragment_refs(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                          uint32_t count, bool result, uint32_t refs[16])
{
    if (!operand)
        return ptx_decode_fail(decoder, "a matrix is missing");
    if (operand->kind != PTX_OPERAND_VECTOR)
        return ptx_decode_fail(decoder, "registers in braces are needed for a matrix: %u of them", count);
    if (operand->count != count || count > 16)
        return ptx_decode_fail(decoder, "%u registers are needed for a matrix, not %u", count, operand->count);
    enum execute_type as = type == EXECUTE_f64 ? EXECUTE_f64 : EXECUTE_b32;
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *element = ptx_operand_at(decoder->module, operand->index + i);
        if (!(result ? ptx_destination(decoder, element, as, &refs[i]) : ptx_source(decoder, element, as, &refs[i])))
            return false;
    }
    return true;
}

static struct execute_op *emit_matrix(struct ptx_decoder *decoder, enum execute_kind kind,
                                      const struct execute_matrix_form *form)
{
    *(struct execute_matrix_form *)mnp_array_add(&decoder->code->matrices, 1, sizeof *form) = *form;
    struct execute_op *op = ptx_emit(decoder, kind);
    op->matrix = decoder->code->matrices.count - 1;
    return op;
}

/* Takes the sparsity metadata and the selector of the lanes that hold it. */
static bool take_metadata(struct ptx_decoder *decoder, struct execute_matrix_form *form, uint32_t *ref)
{
    uint64_t selector;
    if (!ptx_source(decoder, ptx_operand_of(decoder, 4), EXECUTE_b32, ref) ||
        !ptx_immediate(decoder, ptx_operand_of(decoder, 5), &selector))
        return false;
    form->selector = (uint8_t)selector;
    return selector < execute_sparse_selectors(form) ||
           ptx_decode_fail(decoder, "the selector of this shape is below %u", execute_sparse_selectors(form));
}

static bool decode_product(struct ptx_decoder *decoder, struct execute_matrix_form *form)
{
    uint32_t operands = form->sparse ? 6 : 4;
    if (!ptx_operand_count_is(decoder, operands, operands))
        return false;
    struct {
        enum execute_type type;
        uint8_t *count;
        unsigned elements;
    } const parts[] = {{(enum execute_type)form->d_type, &form->d_count, form->m * form->n},
                       {(enum execute_type)form->a_type, &form->a_count, (unsigned)(form->m * form->k) >> form->sparse},
                       {(enum execute_type)form->b_type, &form->b_count, form->k * form->n},
                       {(enum execute_type)form->c_type, &form->c_count, form->m * form->n}};
    uint32_t refs[64], count = 0;
    for (uint32_t i = 0; i < 4; i++) {
        *parts[i].count = form->wmma ? wmma_registers(form, "dabc"[i], parts[i].type)
                                     : mma_registers(parts[i].elements * (form->quads ? 4 : 1), parts[i].type);
        if (!fragment_refs(decoder, ptx_operand_of(decoder, i), parts[i].type, *parts[i].count, i == 0, refs + count))
            return false;
        count += *parts[i].count;
    }
    if (form->sparse && !take_metadata(decoder, form, &refs[count++]))
        return false;
    struct execute_op *op = emit_matrix(decoder, EXECUTE_KIND_MATRIX, form);
    op->list_results = form->d_count;
    op->list_sources = (uint8_t)(count - form->d_count);
    for (uint32_t i = 0; i < count; i++)
        ptx_list_add(decoder, refs[i]);
    return ptx_all_taken(decoder);
}

/* The two layouts, which stand one after the other. */
static bool take_layouts(struct ptx_decoder *decoder, struct execute_matrix_form *form)
{
    bool *const columns[] = {&form->a_column, &form->b_column};
    uint32_t found = 0;
    for (uint32_t i = 1; i < decoder->word_count && found < 2; i++) {
        struct ptx_word *word = &decoder->words[i];
        bool row = word->length == 3 && memcmp(word->text, "row", 3) == 0;
        bool column = word->length == 3 && memcmp(word->text, "col", 3) == 0;
        if (row || column) {
            *columns[found++] = column;
            word->taken = true;
        }
    }
    return found == 2 || ptx_decode_fail(decoder, "it needs the layouts of a and b");
}

static bool decode_mma(struct ptx_decoder *decoder)
{
    struct execute_matrix_form form = {0};
    bool sync = ptx_take_word(decoder, "sync");
    if (!sync || !ptx_take_word(decoder, "aligned") || !take_shape(decoder, &form) || !take_layouts(decoder, &form) ||
        !take_types(decoder, &form))
        return sync ? false : ptx_decode_fail(decoder, "it needs .sync.aligned");
    form.sparse = ptx_take_word(decoder, "sp") || ptx_take_word(decoder, "sp::ordered_metadata");
    form.and_popc = ptx_take_word(decoder, "and");
    form.xor_popc = ptx_take_word(decoder, "xor");
    ptx_take_word(decoder, "popc");
    form.saturate = ptx_take_word(decoder, "satfinite");
    if (decoder->type_count && decoder->types[0] == EXECUTE_f64)
        ptx_take_word(decoder, "rn");
    form.quads = !form.sparse && form.m == 8 && form.k == 4 && decoder->types[0] != EXECUTE_f64;
    if (!form.quads && (form.a_column || !form.b_column))
        return ptx_decode_fail(decoder, "only .row.col is supported");
    return check_types(decoder, &form) && check_shape(decoder, &form) && decode_product(decoder, &form);
}

/* ===== wmma ===== */

static bool decode_wmma_access(struct ptx_decoder *decoder, struct execute_matrix_form *form, bool load)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    uint32_t chosen = 0;
    while (chosen < 4 && !ptx_take_word(decoder, names[chosen]))
        chosen++;
    if (chosen == 4 || (load ? chosen == 3 : chosen != 3) || decoder->type_count != 1)
        return ptx_decode_fail(decoder, "it loads a, b or c, or stores d, of one type");
    form->fragment = (uint8_t)names[chosen][0];
    form->column = ptx_take_word(decoder, "col");
    ptx_take_word(decoder, "row");
    form->a_type = decoder->types[0];
    struct execute_access_form access = {.count = 1};
    enum execute_space space = EXECUTE_SPACE_GENERIC;
    ptx_take_space(decoder, &space);
    access.space = (uint8_t)space;
    enum execute_type type = (enum execute_type)form->a_type;
    bool accumulator = chosen >= 2;
    if (!execute_matrix_bits(type) ||
        (accumulator && type != EXECUTE_f32 && type != EXECUTE_f16 && type != EXECUTE_s32 && type != EXECUTE_f64))
        return ptx_decode_fail(decoder, ".%s is not supported", execute_type_name(type));
    form->a_count = wmma_registers(form, names[chosen][0], type);
    uint32_t refs[16], address, stride = EXECUTE_NO_REF, number = load ? 1 : 0,
                                count = decoder->statement->operand_count;
    int64_t offset;
    if (!ptx_operand_count_is(decoder, 2, 3) ||
        !fragment_refs(decoder, ptx_operand_of(decoder, load ? 0 : 1), type, form->a_count, load, refs) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, number), &access, &address, &offset) ||
        (count == 3 && !ptx_source(decoder, ptx_operand_of(decoder, 2), EXECUTE_u32, &stride)))
        return false;
    form->space = access.space;
    form->wide_address = access.wide_address;
    struct execute_op *op = emit_matrix(decoder, EXECUTE_KIND_WMMA_ACCESS, form);
    op->variant = load;
    op->a = address;
    op->b = stride;
    op->immediate = offset;
    op->flags = (uint8_t)((address != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0) |
                          (stride != EXECUTE_NO_REF ? EXECUTE_OP_READS_B : 0));
    *(load ? &op->list_results : &op->list_sources) = form->a_count;
    for (uint32_t i = 0; i < form->a_count; i++)
        ptx_list_add(decoder, refs[i]);
    return ptx_all_taken(decoder);
}

static bool decode_wmma(struct ptx_decoder *decoder)
{
    struct execute_matrix_form form = {.wmma = true};
    bool load = ptx_take_word(decoder, "load"), store = !load && ptx_take_word(decoder, "store");
    bool product = !load && !store && ptx_take_word(decoder, "mma");
    bool sync = ptx_take_word(decoder, "sync") && ptx_take_word(decoder, "aligned");
    if ((!load && !store && !product) || !sync)
        return ptx_decode_fail(decoder, "its forms are wmma.{load,store,mma}.sync.aligned");
    if (!take_shape(decoder, &form))
        return false;
    if (!product)
        return decode_wmma_access(decoder, &form, load);
    form.and_popc = ptx_take_word(decoder, "and");
    form.xor_popc = ptx_take_word(decoder, "xor");
    ptx_take_word(decoder, "popc");
    form.saturate = ptx_take_word(decoder, "satfinite");
    if (decoder->type_count && decoder->types[0] == EXECUTE_f64)
        ptx_take_word(decoder, "rn");
    return take_layouts(decoder, &form) && take_types(decoder, &form) && check_types(decoder, &form) &&
           check_shape(decoder, &form) && decode_product(decoder, &form);
}

/* ===== ldmatrix, stmatrix, movmatrix ===== */

static bool decode_move_matrix(struct ptx_decoder *decoder)
{
    uint32_t d, a;
    if (!ptx_take_word(decoder, "trans") || decoder->type_count != 1 || decoder->types[0] != EXECUTE_b16 ||
        !ptx_operand_count_is(decoder, 2, 2))
        return ptx_decode_fail(decoder, "its form is movmatrix.sync.aligned.m8n8.trans.b16");
    if (!ptx_source(decoder, ptx_operand_of(decoder, 1), EXECUTE_b32, &a) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), EXECUTE_b32, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_MOVE_MATRIX);
    op->size = 4;
    op->d = d;
    op->a = a;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    return ptx_all_taken(decoder);
}

static bool decode_load_matrix(struct ptx_decoder *decoder)
{
    bool load = opcode_is(decoder, "ldmatrix");
    struct execute_access_form form = {.type = EXECUTE_b16, .slot = 4};
    enum execute_space space = EXECUTE_SPACE_GENERIC;
    bool trans = ptx_take_word(decoder, "trans");
    form.count = ptx_take_word(decoder, "x4") ? 4 : ptx_take_word(decoder, "x2") ? 2 : ptx_take_word(decoder, "x1");
    ptx_take_space(decoder, &space);
    form.space = (uint8_t)space;
    if (!form.count || decoder->type_count != 1 || decoder->types[0] != EXECUTE_b16 ||
        !ptx_operand_count_is(decoder, 2, 2))
        return ptx_decode_fail(decoder, "its form is ldmatrix.sync.aligned.m8n8.{x1,x2,x4}.b16");
    uint32_t refs[16], address;
    int64_t offset;
    if (!fragment_refs(decoder, ptx_operand_of(decoder, load ? 0 : 1), EXECUTE_b32, form.count, load, refs) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, load ? 1 : 0), &form, &address, &offset))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_LOAD_MATRIX);
    op->access = form;
    op->variant = trans;
    op->combine = !load;
    op->a = address;
    op->immediate = offset;
    op->flags = address != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0;
    *(load ? &op->list_results : &op->list_sources) = form.count;
    for (uint32_t i = 0; i < form.count; i++)
        ptx_list_add(decoder, refs[i]);
    return ptx_all_taken(decoder);
}

bool ptx_decode_matrix(struct ptx_decoder *decoder)
{
    if (opcode_is(decoder, "mma"))
        return decode_mma(decoder);
    if (opcode_is(decoder, "wmma"))
        return decode_wmma(decoder);
    bool good = ptx_take_word(decoder, "sync") && ptx_take_word(decoder, "aligned") && ptx_take_word(decoder, "m8n8");
    if (!good && (ptx_has_word(decoder, "m16n16") || ptx_has_word(decoder, "m8n16") || ptx_has_word(decoder, "m16n8")))
        return ptx_decode_fail(decoder, "matrices of bytes and of fewer bits (.m16n16, .m8n16, .m16n8) are not "
                                        "supported; use .m8n8 and .b16");
    if (!good)
        return ptx_decode_fail(decoder, "it needs .sync.aligned.m8n8");
    return opcode_is(decoder, "movmatrix") ? decode_move_matrix(decoder) : decode_load_matrix(decoder);
}
