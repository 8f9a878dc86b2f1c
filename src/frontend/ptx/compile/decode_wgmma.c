/* SPDX-License-Identifier: BSD-3-Clause */
/* wgmma: matrix products of a warpgroup (PTX ISA 9.0, asynchronous warpgroup-level matrix instructions). */
#include "frontend/ptx/compile/decode.h"

#include <stdio.h>
#include <string.h>

/* Words behind wgmma.mma_async, or wgmma.mma_async.sp: sync.aligned.SHAPE.D.A.B */
enum { WORD_SYNC, WORD_ALIGNED, WORD_SHAPE, WORD_D, WORD_A, WORD_B, WORDS };

/* Types of A and B; k of an instruction, doubled if A is sparse; types of D; and whether the other operand may have the
 * next or the previous type. */
static const struct type_row {
    const char *word;
    uint8_t type; /* enum execute_wgmma_type */
    uint16_t k;
    uint8_t d[2]; /* enum execute_type */
    uint8_t family;
} types[] = {
    {"f16", EXECUTE_WGMMA_F16, 16, {EXECUTE_f32, EXECUTE_f16}, 0},
    {"bf16", EXECUTE_WGMMA_BF16, 16, {EXECUTE_f32, 0}, 1},
    {"tf32", EXECUTE_WGMMA_TF32, 8, {EXECUTE_f32, 0}, 2},
    {"e4m3", EXECUTE_WGMMA_E4M3, 32, {EXECUTE_f32, EXECUTE_f16}, 3},
    {"e5m2", EXECUTE_WGMMA_E5M2, 32, {EXECUTE_f32, EXECUTE_f16}, 3},
    {"s8", EXECUTE_WGMMA_S8, 32, {EXECUTE_s32, 0}, 4},
    {"u8", EXECUTE_WGMMA_U8, 32, {EXECUTE_s32, 0}, 4},
    {"b1", EXECUTE_WGMMA_B1, 256, {EXECUTE_s32, 0}, 5},
};

static bool is_sparse(const struct ptx_decoder *decoder)
{
    return decoder->word_count > 2 && ptx_word_is(&decoder->words[2], "sp");
}

static bool word_is(const struct ptx_decoder *decoder, uint32_t number, const char *text)
{
    number += 2u + is_sparse(decoder);
    const struct ptx_word *word = &decoder->words[number];
    return number < decoder->word_count && strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

static const struct type_row *type_of(const struct ptx_decoder *decoder, uint32_t number)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (word_is(decoder, number, types[i].word))
            return &types[i];
    return NULL;
}

/* m64nNkK: N is a multiple of 8 up to 256; of integers 8, 24, and multiples of 16. */
static bool take_shape(struct ptx_decoder *decoder, const struct type_row *a, struct execute_wgmma_form *form)
{
    char text[24];
    bool integers = a->d[0] == EXECUTE_s32, found = false;
    unsigned k = form->flags & EXECUTE_WGMMA_SPARSE ? 2u * a->k : a->k;
    for (uint16_t n = 8; n <= 256 && !found; n += 8) {
        snprintf(text, sizeof text, "m64n%uk%u", n, k);
        found = word_is(decoder, WORD_SHAPE, text);
        form->n = n;
    }
    if (!found || (integers && form->n % 16 && form->n != 8 && form->n != 24))
        return ptx_decode_fail(decoder, "its shape is m64nNk%u with N = 8, 16, … 256%s", k,
                               integers ? ", of integers 8, 24 and multiples of 16" : "");
    return true;
}

/* The types and the shape; all words but those behind them become taken. */
static bool take_form(struct ptx_decoder *decoder, struct execute_wgmma_form *form, const struct type_row **a_row)
{
    bool sparse = is_sparse(decoder);
    const struct type_row *a = type_of(decoder, WORD_A), *b = type_of(decoder, WORD_B);
    bool good = word_is(decoder, WORD_SYNC, "sync") && word_is(decoder, WORD_ALIGNED, "aligned") && a && b &&
                a->family == b->family;
    for (unsigned i = 0; i < 2 && good && !form->d_type; i++)
        if (a->d[i] && word_is(decoder, WORD_D, execute_type_name((enum execute_type)a->d[i])))
            form->d_type = a->d[i];
    if (!good || !form->d_type || (sparse && a->type == EXECUTE_WGMMA_B1))
        return ptx_decode_fail(decoder,
                               "its form is wgmma.mma_async{.sp}.sync.aligned.m64nNkK.D.A.B with types that go "
                               "together");
    form->a_type = a->type;
    form->b_type = b->type;
    *a_row = a;
    form->flags |= sparse ? EXECUTE_WGMMA_SPARSE : 0;
    for (uint32_t i = 0; i < WORDS + 2u + sparse; i++)
        decoder->words[i].taken = true;
    if (a->type == EXECUTE_WGMMA_B1 && !(ptx_take_word(decoder, "and") && ptx_take_word(decoder, "popc")))
        return ptx_decode_fail(decoder, "products of single bits have .and.popc");
    if (a->family == 4 && ptx_take_word(decoder, "satfinite"))
        form->flags |= EXECUTE_WGMMA_SATURATE;
    return take_shape(decoder, a, form) && ptx_all_taken(decoder);
}

/* The registers in a vector. */
static bool take_registers(struct ptx_decoder *decoder, const struct ptx_operand *vector, uint32_t count,
                           enum execute_type type, uint32_t *refs)
{
    if (!vector || vector->kind != PTX_OPERAND_VECTOR || vector->count != count)
        return ptx_decode_fail(decoder, "%u registers are needed here, as a list", count);
    for (uint32_t i = 0; i < count; i++)
        if (!ptx_source(decoder, ptx_operand_at(decoder->module, vector->index + i), type, &refs[i]))
            return false;
    return true;
}

/* Takes a constant that must be one of two; *second: it is the second one. */
static bool take_either(struct ptx_decoder *decoder, uint32_t *next, int64_t first, int64_t second, bool *is_second)
{
    uint64_t value;
    if (!ptx_immediate(decoder, ptx_operand_of(decoder, (*next)++), &value))
        return false;
    *is_second = (int64_t)value == second;
    return (int64_t)value == first || *is_second ||
           ptx_decode_fail(decoder, "%ld or %ld is needed here", (long)first, (long)second);
}

/* scale-d: a predicate, or a constant. */
static bool take_scale(struct ptx_decoder *decoder, uint32_t *next, struct execute_wgmma_form *form, uint32_t *ref,
                       bool *flip)
{
    const struct ptx_operand *operand = ptx_operand_of(decoder, (*next)++);
    *ref = EXECUTE_NO_REF;
    *flip = false;
    if (operand && operand->kind == PTX_OPERAND_INTEGER) {
        form->flags |= operand->value ? 0 : EXECUTE_WGMMA_FRESH;
        return true;
    }
    *flip = operand && operand->negated;
    return ptx_predicate(decoder, operand, ref);
}

/* imm-scale-a, imm-scale-b; of 16-bit types imm-trans-a (of A in shared memory), imm-trans-b. */
static bool take_details(struct ptx_decoder *decoder, uint32_t *next, struct execute_wgmma_form *form)
{
    bool minus_a = false, minus_b = false, across_a = false, across_b = false;
    bool integers = form->d_type == EXECUTE_s32, halves = form->a_type <= EXECUTE_WGMMA_BF16;
    bool registers = form->flags & EXECUTE_WGMMA_A_REGISTERS;
    if (!integers && (!take_either(decoder, next, 1, -1, &minus_a) || !take_either(decoder, next, 1, -1, &minus_b)))
        return false;
    if (halves &&
        ((!registers && !take_either(decoder, next, 0, 1, &across_a)) || !take_either(decoder, next, 0, 1, &across_b)))
        return false;
    form->flags |= (uint8_t)((minus_a ? EXECUTE_WGMMA_NEGATE_A : 0) | (minus_b ? EXECUTE_WGMMA_NEGATE_B : 0) |
                             (across_a ? EXECUTE_WGMMA_TRANSPOSE_A : 0) | (across_b ? EXECUTE_WGMMA_TRANSPOSE_B : 0));
    return ptx_operand_count_is(decoder, *next, *next);
}

/* sp-meta, sp-sel of a sparse A. */
static bool take_metadata(struct ptx_decoder *decoder, uint32_t *next, const struct execute_wgmma_form *form,
                          uint32_t *metadata, uint64_t *selector)
{
    uint32_t most = form->a_type <= EXECUTE_WGMMA_TF32; /* with 8-bit types, all threads hold metadata */
    *selector = 0;
    if (!(form->flags & EXECUTE_WGMMA_SPARSE))
        return true;
    return ptx_source(decoder, ptx_operand_of(decoder, (*next)++), EXECUTE_b32, metadata) &&
           ptx_immediate(decoder, ptx_operand_of(decoder, (*next)++), selector) &&
           (*selector <= most || ptx_decode_fail(decoder, "the sparsity selector is %s", most ? "0 or 1" : "0"));
}

/* The product's references: sums as results, and as sources; A, and metadata. */
static void list_product(struct ptx_decoder *decoder, struct execute_op *op, const uint32_t *d, const uint32_t *others)
{
    for (uint32_t twice = 0; twice < 2; twice++)
        for (uint32_t i = 0; i < op->list_results; i++)
            ptx_list_add(decoder, d[i]);
    for (uint32_t i = 0; i + op->list_results < op->list_sources; i++)
        ptx_list_add(decoder, others[i]);
}

static bool decode_product(struct ptx_decoder *decoder)
{
    struct execute_wgmma_form form = {0};
    const struct type_row *row;
    uint32_t d[128], others[5], a = EXECUTE_NO_REF, b, scale, next = 2;
    uint64_t selector;
    bool flip;
    if (!take_form(decoder, &form, &row))
        return false;
    uint32_t count = form.d_type == EXECUTE_f16 ? form.n / 4u : form.n / 2u;
    const struct ptx_operand *of_a = ptx_operand_of(decoder, 1);
    enum execute_type d_type = form.d_type == EXECUTE_f32 ? EXECUTE_f32 : EXECUTE_b32;
    if (!take_registers(decoder, ptx_operand_of(decoder, 0), count, d_type, d))
        return false;
    if (of_a && of_a->kind == PTX_OPERAND_VECTOR)
        form.flags |= EXECUTE_WGMMA_A_REGISTERS;
    if (of_a && of_a->kind == PTX_OPERAND_VECTOR ? !take_registers(decoder, of_a, 4, EXECUTE_b32, others)
                                                 : !ptx_source(decoder, of_a, EXECUTE_b64, &a))
        return false;
    if (!ptx_source(decoder, ptx_operand_of(decoder, next++), EXECUTE_b64, &b) ||
        !take_metadata(decoder, &next, &form, &others[a == EXECUTE_NO_REF ? 4 : 0], &selector) ||
        !take_scale(decoder, &next, &form, &scale, &flip) || !take_details(decoder, &next, &form))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_WGMMA);
    op->wgmma = form;
    op->a = a;
    op->b = b;
    op->c = scale;
    op->flags = (uint8_t)(EXECUTE_OP_READS_B | (a != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0) |
                          (scale != EXECUTE_NO_REF ? EXECUTE_OP_READS_C : 0) | (flip ? EXECUTE_OP_FLIP_C : 0));
    op->list_results = (uint8_t)count;
    op->list_sources = (uint8_t)(count + (a == EXECUTE_NO_REF ? 4 : 0) + !!(form.flags & EXECUTE_WGMMA_SPARSE));
    op->immediate = (int64_t)selector;
    list_product(decoder, op, d, others);
    return true;
}

/* wgmma.fence, and wgmma.wait_group N. Without a machine, the four warps synchronise there: before the first product,
 * and when products must be complete. `most`: number of groups that may stay pending; a fence waits for none. */
static void emit_meeting(struct ptx_decoder *decoder, int64_t most)
{
    uint32_t zero = ptx_constant(decoder, PTX_CLASS_SMALL, 0);
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_BARRIER);
    op->variant = EXECUTE_BARRIER_GROUP;
    op->a = zero;
    op->immediate = most;
    op->flags = EXECUTE_OP_READS_A;
}

bool ptx_decode_wgmma(struct ptx_decoder *decoder)
{
    if (ptx_has_word(decoder, "mma_async"))
        return decode_product(decoder);
    bool fence = ptx_take_word(decoder, "fence"), wait = !fence && ptx_take_word(decoder, "wait_group");
    bool commit = !fence && !wait && ptx_take_word(decoder, "commit_group");
    uint64_t most = INT64_MAX;
    if ((!fence && !wait && !commit) || !ptx_take_word(decoder, "sync") || !ptx_take_word(decoder, "aligned"))
        return ptx_decode_fail(decoder, "its forms are wgmma.{fence,commit_group,wait_group,mma_async}.sync.aligned");
    if (!ptx_operand_count_is(decoder, wait, wait) ||
        (wait && !ptx_immediate(decoder, ptx_operand_of(decoder, 0), &most)))
        return false;
    if (commit)
        ptx_emit(decoder, EXECUTE_KIND_ASYNC_GROUP)->variant = EXECUTE_GROUP_PRODUCTS_COMMIT;
    else
        emit_meeting(decoder, (int64_t)most);
    return ptx_all_taken(decoder);
}
