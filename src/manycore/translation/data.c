/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data processing, multiplies and some media instructions as C. Flags are deferred (translated.h): a comparison notes
 * its operands, and a condition behind it in the same block becomes a comparison of C.
 */
#include "manycore/translation/translate.h"

/* ===== conditions ===== */

static const char *const of_flags[14] = {
    "z == 0", "z != 0", "c",        "!c",           "n >> 31",      "!(n >> 31)",        "v",
    "!v",     "c && z", "!c || !z", "n >> 31 == v", "n >> 31 != v", "z && n >> 31 == v", "!z || n >> 31 != v"};
static const char *const of_sub[14] = {
    "fa == fb",          "fa != fb",          "fa >= fb", "fa < fb",  "(s32)(fa - fb) < 0", "(s32)(fa - fb) >= 0",
    "SUB_V(fa, fb)",     "!SUB_V(fa, fb)",    "fa > fb",  "fa <= fb", "(s32)fa >= (s32)fb", "(s32)fa < (s32)fb",
    "(s32)fa > (s32)fb", "(s32)fa <= (s32)fb"};
static const char *const of_add[14] = {"fa + fb == 0",
                                       "fa + fb != 0",
                                       "fa + fb < fa",
                                       "fa + fb >= fa",
                                       "(s32)(fa + fb) < 0",
                                       "(s32)(fa + fb) >= 0",
                                       "ADD_V(fa, fb)",
                                       "!ADD_V(fa, fb)",
                                       "fa + fb < fa && fa + fb",
                                       "fa + fb >= fa || !(fa + fb)",
                                       "(fa + fb) >> 31 == ADD_V(fa, fb)",
                                       "(fa + fb) >> 31 != ADD_V(fa, fb)",
                                       "fa + fb && (fa + fb) >> 31 == ADD_V(fa, fb)",
                                       "!(fa + fb) || (fa + fb) >> 31 != ADD_V(fa, fb)"};
static const char *const of_logic[14] = {"fa == 0",
                                         "fa != 0",
                                         "c",
                                         "!c",
                                         "(s32)fa < 0",
                                         "(s32)fa >= 0",
                                         "v",
                                         "!v",
                                         "c && fa",
                                         "!c || !fa",
                                         "fa >> 31 == v",
                                         "fa >> 31 != v",
                                         "fa && fa >> 31 == v",
                                         "!fa || fa >> 31 != v"};

const char *manycore_translate_condition(struct manycore_writer *writer, uint32_t condition)
{
    static const char *const *const tables[4] = {of_flags, of_sub, of_add, of_logic};
    if (writer->kind == MANYCORE_KIND_UNKNOWN) {
        fputs(" SETTLE", writer->out);
        writer->kind = MANYCORE_KIND_PLAIN;
    }
    return tables[writer->kind][condition];
}

/* Makes the C variables c and v hold the truth. */
static void settle_carry(struct manycore_writer *writer)
{
    if (writer->kind != MANYCORE_KIND_PLAIN && writer->kind != MANYCORE_KIND_LOGIC)
        fputs(" SETTLE_CARRY", writer->out);
}

static void settle(struct manycore_writer *writer)
{
    if (writer->kind != MANYCORE_KIND_PLAIN)
        fputs(" SETTLE", writer->out);
    writer->kind = MANYCORE_KIND_PLAIN;
}

/* ===== operands ===== */

/* The second operand into the C variable y, and with `carry` its carry into c, which is true before. */
static void shifted(struct manycore_writer *writer, const struct a32_op *op, bool carry)
{
    FILE *out = writer->out;
    const char *m = writer->name[op->m];
    uint32_t by = op->shift >> 2, type = op->shift & 3;
    if (type == 3 && by == 0) {
        fprintf(out, " y = c << 31 | %s >> 1;", m);
    } else if (type == 0) {
        fprintf(out, " y = %s << %u;", m, by);
    } else if (type == 1) {
        fprintf(out, " y = (u32)((u64)%s >> %u);", m, by ? by : 32);
    } else if (type == 2) {
        fprintf(out, " y = (u32)((s32)%s >> %u);", m, by ? by : 31);
    } else {
        fprintf(out, " y = ROTATE(%s, %u);", m, by);
    }
    if (!carry)
        return;
    uint32_t bit = type == 0 ? 32 - by : by ? by - 1 : type == 3 ? 0 : 31;
    fprintf(out, " c = %s >> %u & 1;", m, bit);
}

static void operand(struct manycore_writer *writer, const struct a32_op *op, uint32_t form, bool carry)
{
    FILE *out = writer->out;
    switch (form) {
    case A32_IMMEDIATE:
        fprintf(out, " y = 0x%xu;", op->value);
        if (carry && (op->flags & A32_CARRY_OUT_IMMEDIATE))
            fprintf(out, " c = %u;", op->value >> 31);
        break;
    case A32_REGISTER:
        fprintf(out, " y = %s;", writer->name[op->m]);
        break;
    case A32_SHIFTED:
        shifted(writer, op, carry);
        break;
    default:
        fprintf(out, " y = shift_by(%s, %u, %s);", writer->name[op->m], op->shift & 3, writer->name[op->s]);
        if (carry)
            fprintf(out, " c = carry_by(%s, %u, %s, c);", writer->name[op->m], op->shift & 3, writer->name[op->s]);
        break;
    }
}

/* ===== data processing: x and y are the operands, x becomes the result ===== */

static void logical(struct manycore_writer *writer, uint32_t opcode, bool flags)
{
    static const char *const results[16] = {
        [A32_AND] = "x & y", [A32_TST] = "x & y", [A32_EOR] = "x ^ y",  [A32_TEQ] = "x ^ y",
        [A32_ORR] = "x | y", [A32_MOV] = "y",     [A32_BIC] = "x & ~y", [A32_MVN] = "~y"};
    fprintf(writer->out, " x = %s;", results[opcode]);
    if (flags) {
        fputs(" fa = x; kind = 3;", writer->out);
        writer->kind = MANYCORE_KIND_LOGIC;
    }
}

/* Additions and subtractions with a carry into them. */
static void with_carry(struct manycore_writer *writer, uint32_t opcode, bool flags)
{
    FILE *out = writer->out;
    if (opcode == A32_SBC)
        fputs(" y = ~y;", out);
    if (opcode == A32_RSC)
        fputs(" p32 = ~x; x = y; y = p32;", out);
    if (!flags) {
        fputs(" x = x + y + c;", out);
        return;
    }
    fputs(" wide = (u64)x + y + c; n = z = (u32)wide; c = (u32)(wide >> 32); v = ((x ^ n) & (y ^ n)) >> 31; x = n;"
          " kind = 0;",
          out);
    writer->kind = MANYCORE_KIND_PLAIN;
}

static void arithmetic(struct manycore_writer *writer, uint32_t opcode, bool flags)
{
    bool adds = opcode == A32_ADD || opcode == A32_CMN, reverses = opcode == A32_RSB;
    const char *result = adds ? "x + y" : reverses ? "y - x" : "x - y";
    if (flags) {
        fprintf(writer->out, " fa = %s; fb = %s; kind = %d;", reverses ? "y" : "x", reverses ? "x" : "y", adds ? 2 : 1);
        writer->kind = adds ? MANYCORE_KIND_ADD : MANYCORE_KIND_SUB;
    }
    fprintf(writer->out, " x = %s;", result);
}

void manycore_translate_data(struct manycore_writer *writer, const struct a32_op *op)
{
    bool to_pc = op->handler == A32_DATA_TO_PC;
    uint32_t handler = to_pc ? op->s : op->handler;
    uint32_t opcode = handler >> 3, form = handler >> 1 & 3;
    bool flags = handler & 1, tests = opcode >= A32_TST && opcode <= A32_CMN;
    bool carries = opcode == A32_ADC || opcode == A32_SBC || opcode == A32_RSC;
    bool adds = carries || (opcode >= A32_SUB && opcode <= A32_ADD) || opcode == A32_CMP || opcode == A32_CMN;
    bool rotates = form == A32_SHIFTED && op->shift == 3;
    if (rotates || carries || (flags && !adds))
        settle_carry(writer);
    operand(writer, op, form, flags && !adds);
    fprintf(writer->out, " x = %s;", opcode == A32_MOV || opcode == A32_MVN ? "0" : writer->name[op->n]);
    if (carries)
        with_carry(writer, opcode, flags);
    else if (adds)
        arithmetic(writer, opcode, flags);
    else
        logical(writer, opcode, flags);
    if (to_pc) {
        fputs(" pc = x & ~3u; loaded = 0;", writer->out);
        manycore_translate_taken(writer, &writer->after, 0);
        fputs(" goto dispatch;", writer->out);
    } else if (!tests) {
        fprintf(writer->out, " %s = x;", writer->name[op->d]);
    }
}

/* ===== multiplies ===== */

static void long_multiply(struct manycore_writer *writer, const struct a32_op *op)
{
    FILE *out = writer->out;
    bool is_signed = op->handler == A32_SMULL || op->handler == A32_SMLAL;
    bool adds = op->handler == A32_UMLAL || op->handler == A32_SMLAL;
    const char *low = writer->name[op->d], *high = writer->name[op->n];
    if (op->flags & A32_SET_FLAGS)
        settle(writer);
    const char *type = is_signed ? "(s64)(s32)" : "(u64)";
    fprintf(out, " wide = (u64)(%s%s * %s%s);", type, writer->name[op->m], type, writer->name[op->s]);
    if (adds)
        fprintf(out, " wide += (u64)%s << 32 | %s;", high, low);
    fprintf(out, " %s = (u32)wide; %s = (u32)(wide >> 32);", low, high);
    if (op->flags & A32_SET_FLAGS)
        fputs(" n = (u32)(wide >> 32); z = (u32)(wide >> 32) | (u32)wide;", out);
    fprintf(out, " clock += %uu;", writer->parameters->timing.long_multiply - 1);
}

static void half_multiply(struct manycore_writer *writer, const struct a32_op *op)
{
    fprintf(writer->out, " wide = (u64)((s64)(s16)(%s >> %d) * (s16)(%s >> %d));", writer->name[op->m],
            op->flags & A32_TOP_A ? 16 : 0, writer->name[op->s], op->flags & A32_TOP_B ? 16 : 0);
    if (op->handler == A32_SMLA_XY)
        fprintf(writer->out, " wide += (u64)(s64)(s32)%s; T32(T_Q) |= (s64)wide != (s32)wide;", writer->name[op->d]);
    fprintf(writer->out, " %s = (u32)wide;", writer->name[op->n]);
}

void manycore_translate_multiply(struct manycore_writer *writer, const struct a32_op *op)
{
    FILE *out = writer->out;
    const char *d = writer->name[op->n];
    switch (op->handler) {
    case A32_MUL:
    case A32_MLA:
        if (op->flags & A32_SET_FLAGS)
            settle_carry(writer);
        fprintf(out, " %s = %s * %s", d, writer->name[op->m], writer->name[op->s]);
        fprintf(out, " + %s;", op->handler == A32_MLA ? writer->name[op->d] : "0");
        if (op->flags & A32_SET_FLAGS) {
            fprintf(out, " fa = %s; kind = 3;", d);
            writer->kind = MANYCORE_KIND_LOGIC;
        }
        fprintf(out, " clock += %uu;", writer->parameters->timing.multiply - 1);
        break;
    case A32_SMUL_XY:
    case A32_SMLA_XY:
        half_multiply(writer, op);
        fprintf(out, " clock += %uu;", writer->parameters->timing.multiply - 1);
        break;
    default:
        long_multiply(writer, op);
        break;
    }
}

/* ===== media ===== */

static void extend(struct manycore_writer *writer, const struct a32_op *op)
{
    FILE *out = writer->out;
    uint32_t by = (op->value >> 10 & 3) * 8, kind = op->value >> 20 & 3;
    bool is_unsigned = op->value >> 22 & 1;
    const char *m = writer->name[op->m], *n = op->n == 15 ? "0u" : writer->name[op->n];
    const char *type = kind == 3 ? (is_unsigned ? "u16" : "s16") : is_unsigned ? "u8" : "s8";
    if (by)
        fprintf(out, " x = ROTATE(%s, %u);", m, by);
    else
        fprintf(out, " x = %s;", m);
    if (kind == 0)
        fprintf(out, " %s = ((%s + (u32)(%s)x) & 0xFFFF) | ((%s >> 16) + (u32)(%s)(x >> 16)) << 16;",
                writer->name[op->d], n, type, n, type);
    else
        fprintf(out, " %s = %s + (u32)(%s)x;", writer->name[op->d], n, type);
}

static void saturate(struct manycore_writer *writer, const struct a32_op *op)
{
    uint32_t to = op->value >> 16 & 31;
    bool is_unsigned = op->value >> 22 & 1;
    long high = is_unsigned ? (1L << to) - 1 : (1L << to) - 1, low = is_unsigned ? 0 : -high - 1;
    shifted(writer, op, false);
    fprintf(writer->out,
            " if ((s32)y > %ldll) { y = (u32)%ldll; T32(T_Q) |= 1; }"
            " else if ((s32)y < %ldll) { y = (u32)(%ldll); T32(T_Q) |= 1; } %s = y;",
            high, high, low, low, writer->name[op->d]);
}

void manycore_translate_media(struct manycore_writer *writer, const struct a32_op *op)
{
    FILE *out = writer->out;
    const char *d = writer->name[op->d], *m = writer->name[op->m];
    switch (op->handler) {
    case A32_CLZ:
        fprintf(out, " %s = %s ? (u32)__builtin_clz(%s) : 32;", d, m, m);
        break;
    case A32_SATURATE:
        saturate(writer, op);
        break;
    case A32_EXTEND:
        extend(writer, op);
        break;
    default:
        fprintf(out, " x = (%s & 0x00FF00FFu) << 8 | (%s >> 8 & 0x00FF00FFu);", m, m);
        fprintf(out, " %s = %s;", d, op->value >> 22 & 1 ? "(u32)(s16)x" : op->value >> 7 & 1 ? "x" : "ROTATE(x, 16)");
        break;
    }
}
