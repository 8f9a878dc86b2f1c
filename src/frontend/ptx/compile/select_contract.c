/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contraction: a product and the sum that reads it, neither of which states a rounding, are one operation with one
 * rounding (FFMA, DFMA, HFMA2), as ptxas 13.0 makes them. The rules are measured (docs/lab/ptx.md, contraction):
 *
 *   - Both are in one region (select_regions.c) and have the same type and .ftz; the product is unguarded,
 *     without .sat, and no product by 1 or of two constants.
 *   - All that reads the product are such sums, each with one of its operands.
 *   - Sums that can take either operand: products with a single reader come first, in the order of the sums, but for
 *     pairs; then the others, of which a sum takes the one that has fewer readers; of two alike the first operand.
 *   - What a sum leaves as its addend stays a product of its own, and so do its other sums from there on.
 *   - Neither of two equal products that are added is taken, but of pairs.
 *
 * Of .f32x2, ptxas takes those that state .rn as well.
 */
#include "frontend/ptx/compile/selector.h"

#include "base/allocate.h"
#include "frontend/ptx/operations/origin.h"

#include <stdlib.h>
#include <string.h>

/* ===== forms ===== */

/* Types that are contracted. */
static const struct type {
    const char *name;
    enum execute_words_name fused;
    enum execute_lane lane; /* the same without modifiers */
    uint32_t bits;          /* modifiers of the type */
    uint8_t sass;
    uint64_t one; /* the number 1 */
    bool pair;    /* two numbers */
} types[] = {
    {"f32", EXECUTE_WORDS_ffma, EXECUTE_LANE_fma_rn_f32, 0, PTX_SASS_FFMA, 0x3f800000, false},
    {"f64", EXECUTE_WORDS_dfma, EXECUTE_LANE_fma_rn_f64, EXECUTE_WORDS_WHOLE, PTX_SASS_DFMA,
     UINT64_C(0x3ff0000000000000), false},
    {"f16", EXECUTE_WORDS_hfma2, EXECUTE_LANE_fma_rn_f16, EXECUTE_WORDS_LOWER, PTX_SASS_HFMA2, 0x3c00, false},
    {"f16x2", EXECUTE_WORDS_hfma2, EXECUTE_LANE_fma_rn_f16x2, 0, PTX_SASS_HFMA2, 0x3c003c00, true},
    {"bf16", EXECUTE_WORDS_hfma2, EXECUTE_LANE_COUNT, EXECUTE_WORDS_BF16 | EXECUTE_WORDS_LOWER, PTX_SASS_HFMA2, 0x3f80,
     false},
    {"bf16x2", EXECUTE_WORDS_hfma2, EXECUTE_LANE_COUNT, EXECUTE_WORDS_BF16, PTX_SASS_HFMA2, 0x3f803f80, true},
    {"f32x2", EXECUTE_WORDS_ffma2, EXECUTE_LANE_fma_rn_f32x2, EXECUTE_WORDS_WHOLE, PTX_SASS_FFMA2,
     UINT64_C(0x3f8000003f800000), true},
};
enum { TYPES = sizeof types / sizeof *types };

static bool takes(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0 || ((*text)[length] && (*text)[length] != '.'))
        return false;
    *text += length + ((*text)[length] == '.');
    return true;
}

struct ptx_contract_form ptx_contract_form_of(const char *text)
{
    struct ptx_contract_form form = {.kind = PTX_CONTRACT_NONE};
    enum ptx_contract_kind kind = takes(&text, "mul")   ? PTX_CONTRACT_PRODUCT
                                  : takes(&text, "add") ? PTX_CONTRACT_SUM
                                  : takes(&text, "sub") ? PTX_CONTRACT_DIFFERENCE
                                                        : PTX_CONTRACT_NONE;
    if (kind == PTX_CONTRACT_NONE)
        return form;
    bool rounded = takes(&text, "rn"), flush = takes(&text, "ftz"), saturate = takes(&text, "sat");
    for (uint8_t i = 0; i < TYPES; i++)
        if (strcmp(text, types[i].name) == 0 && (!rounded || types[i].fused == EXECUTE_WORDS_ffma2))
            form = (struct ptx_contract_form){(uint8_t)kind, i, flush, saturate};
    return form;
}

struct ptx_contract_form ptx_select_form(const struct ptx_selector *s, uint32_t place)
{
    const struct execute_op *op = ptx_select_op(s, place);
    const struct ptx_statement *statement = ptx_statement_of(s->decoder->code, op);
    bool candidate = !s->dead[place] && (op->kind == EXECUTE_KIND_LANES || op->kind == EXECUTE_KIND_FLOAT) &&
                     !op->sass && statement && op->flags & EXECUTE_OP_READS_B && !(op->flags & EXECUTE_OP_READS_C);
    return candidate ? ptx_contract_form_of(ptx_name_text(s->decoder->module, statement->name))
                     : (struct ptx_contract_form){.kind = PTX_CONTRACT_NONE};
}

/* ===== products ===== */

struct contraction {
    struct ptx_selector *s;
    struct ptx_contract_form *forms; /* [operations] */
    uint32_t *regions;               /* [operations] */
    uint32_t *readers;               /* [operations] of a product: sums that read it */
    bool *can;                       /* [operations] a product that all its readers can take */
};

static bool is_sum(const struct ptx_contract_form *form)
{
    return form->kind == PTX_CONTRACT_SUM || form->kind == PTX_CONTRACT_DIFFERENCE;
}

/* Whether an assembler has no product here: a factor is 1 or -1 (but of pairs), or both are numbers. */
static bool vanishes(const struct contraction *c, uint32_t place)
{
    const struct execute_op *op = ptx_select_op(c->s, place);
    const struct type *type = &types[c->forms[place].type];
    bool wide = op->size == 8;
    uint64_t values[2] = {0, 0}, sign = wide ? UINT64_C(1) << 63 : type->one < 0x10000 ? 0x8000u : 0x80000000u;
    bool a = ptx_select_constant(c->s, op->a, 8, &values[0]), b = ptx_select_constant(c->s, op->b, 8, &values[1]);
    for (uint32_t i = 0; i < 2; i++)
        values[i] = (wide ? values[i] : (uint32_t)values[i]) & ~sign;
    return (a && b) || (!type->pair && ((a && values[0] == type->one) || (b && values[1] == type->one)));
}

/* The product that a sum reads there; PTX_NONE: none that it can take. */
static uint32_t product_of(const struct contraction *c, uint32_t place, uint32_t ref)
{
    const struct ptx_selector *s = c->s;
    if (!ptx_select_in_frame(ref) || s->writers[ptx_select_number(s, ref)] != 1)
        return PTX_NONE;
    uint32_t writer = s->writer[ptx_select_number(s, ref)];
    return writer < place && c->can[writer] ? writer : PTX_NONE;
}

/* Two products of the same factors. */
static bool equal_products(const struct contraction *c, uint32_t a, uint32_t b)
{
    const struct execute_op *one = ptx_select_op(c->s, a), *other = ptx_select_op(c->s, b);
    return (one->a == other->a && one->b == other->b) || (one->a == other->b && one->b == other->a);
}

static void find_products(struct contraction *c)
{
    const struct ptx_selector *s = c->s;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct execute_op *op = ptx_select_op(s, i);
        c->can[i] = c->forms[i].kind == PTX_CONTRACT_PRODUCT && !c->forms[i].saturate && op->guard == EXECUTE_TRUE &&
                    s->writers[ptx_select_number(s, op->d)] == 1 && !vanishes(c, i);
    }
}

static bool reads_only(const struct contraction *c, uint32_t place, uint32_t product)
{
    const struct ptx_contract_form *sum = &c->forms[place], *form = &c->forms[product];
    const struct execute_op *op = ptx_select_op(c->s, place);
    return is_sum(sum) && product < place && c->regions[product] == c->regions[place] && sum->type == form->type &&
           sum->flush == form->flush && op->a != op->b;
}

/* Counts the readers of products, and leaves out those that anything else reads. */
static void find_readers(struct contraction *c)
{
    struct ptx_selector *s = c->s;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t *refs[PTX_MOST_REFERENCES], count = 0;
        if (!s->dead[i])
            count = ptx_source_places(s->decoder->code, ptx_select_op(s, i), refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = ptx_select_in_frame(*refs[j]) ? ptx_select_number(s, *refs[j]) : 0;
            uint32_t writer = number && s->writers[number] == 1 ? s->writer[number] : PTX_NONE;
            if (writer == PTX_NONE || !c->can[writer])
                continue;
            c->readers[writer]++;
            c->can[writer] = reads_only(c, i, writer);
        }
    }
}

static void leave_out_equals(struct contraction *c)
{
    for (uint32_t i = 0; i < c->s->count; i++) {
        if (c->forms[i].kind != PTX_CONTRACT_SUM || types[c->forms[i].type].pair)
            continue;
        const struct execute_op *op = ptx_select_op(c->s, i);
        uint32_t a = product_of(c, i, op->a), b = product_of(c, i, op->b);
        if (a != PTX_NONE && b != PTX_NONE && equal_products(c, a, b))
            c->can[a] = c->can[b] = false;
    }
}

/* ===== sums ===== */

/* Whether the factors of a product are still there where the sum is. A factor that a loop changes in between is kept by
 * a move in the product's place, if this is its only sum. */
static bool keeps_factors(struct contraction *c, uint32_t product, uint32_t place, uint32_t factors[2])
{
    struct ptx_selector *s = c->s;
    struct execute_op *op = ptx_select_op(s, product);
    factors[0] = op->a;
    factors[1] = op->b;
    bool good[2] = {ptx_select_unchanged(s, op->a, product, place), ptx_select_unchanged(s, op->b, product, place)};
    if (good[0] && good[1])
        return true;
    if ((!good[0] && !good[1] && op->a != op->b) || c->readers[product] != 1)
        return false;
    uint32_t changed = good[0] ? op->b : op->a, kept = ptx_new_ref(s->decoder, ptx_ref_class(changed));
    for (uint32_t i = 0; i < 2; i++)
        factors[i] = good[i] ? factors[i] : kept;
    op->kind = EXECUTE_KIND_LANES;
    op->words = s->table->lanes[op->size == 8 ? EXECUTE_LANE_mov_b64 : EXECUTE_LANE_mov_b32];
    op->immediate = 0;
    op->sass = PTX_SASS_MOV;
    op->d = kept;
    op->a = changed;
    op->b = EXECUTE_NO_REF;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A;
    c->forms[product].kind = PTX_CONTRACT_NONE;
    return true;
}

/* Makes the sum one operation with the product. `second`: the product is its second operand. */
static void fuse(struct contraction *c, uint32_t place, uint32_t product, bool second)
{
    struct ptx_selector *s = c->s;
    struct execute_op *op = ptx_select_op(s, place);
    const struct ptx_contract_form *form = &c->forms[place];
    const struct type *type = &types[form->type];
    uint32_t other = second ? op->a : op->b, addend = product_of(c, place, other);
    uint32_t factors[2];
    if (!keeps_factors(c, product, place, factors))
        return;
    bool minus = form->kind == PTX_CONTRACT_DIFFERENCE, plain = !minus && !form->flush && !form->saturate;
    if (addend != PTX_NONE)
        c->can[addend] = false;
    uint32_t bits =
        type->bits | (form->flush ? EXECUTE_WORDS_FLUSH : 0u) | (form->saturate ? EXECUTE_WORDS_SATURATE : 0u);
    bits |= !minus ? 0u : second ? (uint32_t)EXECUTE_WORDS_NEGATE_A : (uint32_t)EXECUTE_WORDS_NEGATE_C;
    plain = plain && type->lane != EXECUTE_LANE_COUNT;
    op->kind = plain ? EXECUTE_KIND_LANES : EXECUTE_KIND_FLOAT;
    op->variant = EXECUTE_FLOAT_NUMBER;
    op->words = plain ? s->table->lanes[type->lane] : s->table->functions[type->fused];
    op->immediate = plain ? 0 : bits;
    op->sass = type->sass;
    op->a = factors[0];
    op->b = factors[1];
    op->c = other;
    op->flags |= EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    c->forms[place].kind = PTX_CONTRACT_NONE;
    c->readers[product]--;
    s->dead[product] = !c->readers[product] && c->forms[product].kind == PTX_CONTRACT_PRODUCT;
}

static void fuse_sums(struct contraction *c, const uint32_t *all, bool single)
{
    for (uint32_t i = 0; i < c->s->count; i++) {
        const struct execute_op *op = ptx_select_op(c->s, i);
        if (!is_sum(&c->forms[i]) || (single && types[c->forms[i].type].pair))
            continue;
        uint32_t a = product_of(c, i, op->a), b = product_of(c, i, op->b);
        a = a != PTX_NONE && single && all[a] != 1 ? PTX_NONE : a;
        b = b != PTX_NONE && single && all[b] != 1 ? PTX_NONE : b;
        if (a == PTX_NONE && b == PTX_NONE)
            continue;
        bool second = a == PTX_NONE || (b != PTX_NONE && all[b] < all[a]);
        fuse(c, i, second ? b : a, second);
    }
}

void ptx_select_contract(struct ptx_selector *s)
{
    struct contraction c = {.s = s};
    bool products = false, sums = false;
    c.forms = mnp_allocate(s->count, sizeof *c.forms);
    for (uint32_t i = 0; i < s->count; i++) {
        c.forms[i] = ptx_select_form(s, i);
        products |= c.forms[i].kind == PTX_CONTRACT_PRODUCT;
        sums |= is_sum(&c.forms[i]);
    }
    if (products && sums) {
        c.regions = mnp_allocate(s->count, sizeof *c.regions);
        c.readers = mnp_allocate(s->count, sizeof *c.readers);
        c.can = mnp_allocate(s->count, sizeof *c.can);
        ptx_select_regions(s, c.regions);
        find_products(&c);
        find_readers(&c);
        leave_out_equals(&c);
        uint32_t *all = mnp_allocate(s->count, sizeof *all);
        memcpy(all, c.readers, s->count * sizeof *all);
        fuse_sums(&c, all, true);
        fuse_sums(&c, all, false);
        ptx_select_count(s);
        free(all);
        free(c.regions);
        free(c.readers);
        free(c.can);
    }
    free(c.forms);
}
