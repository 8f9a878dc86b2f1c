/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass/compile/words_rows.h"

#include "execute/lanes/words.h"

#include <stddef.h>

#define W(name)       EXECUTE_WORDS_##name
#define SIGNED        EXECUTE_WORDS_SIGNED
#define ORDERED(code) ((uint32_t)(code) << EXECUTE_WORDS_ORDER_SHIFT)
#define ROUNDED(code) ((uint32_t)EXECUTE_WORDS_##code << EXECUTE_WORDS_ROUND_SHIFT)
#define SCALED(code)  ((uint32_t)(code) << EXECUTE_WORDS_SCALE_SHIFT)
#define BYTE(code)    ((uint32_t)(code) << EXECUTE_WORDS_AMOUNT_SHIFT)

static const struct sass_modifier_bits none[] = {{NULL, 0}};
/* Operands are signed unless .U32 is present: SIGNED is among the row's bits, and .U32 removes it. */
static const struct sass_modifier_bits sign[] = {
    {"U32", SIGNED}, {"X", 0},    {"WIDE", 0}, {"HI", 0},
    {"MOV", 0},      {"IADD", 0}, {"SHL", 0},  {"RELU", EXECUTE_WORDS_RELU},
    {"S32", 0},      {NULL, 0}};
static const struct sass_modifier_bits sums[] = {{"32", 0}, {"S32", 0}, {NULL, 0}};
static const struct sass_modifier_bits held_sums[] = {{"S32", 0}, {"ISAT", 0}, {NULL, 0}};
static const struct sass_modifier_bits fours[] = {{"U8x4", 0}, {"S8x4", SIGNED}, {NULL, 0}};
static const struct sass_modifier_bits firsts[] = {{"BROADCAST", 0}, {"FILL", 0}, {NULL, 0}};
static const struct sass_modifier_bits spills[] = {{"SPILL", 0}, {NULL, 0}};
static const struct sass_modifier_bits barriers[] = {{"32", 0}, {"CLEAR", 0}, {NULL, 0}};
static const struct sass_modifier_bits moves[] = {{"MOV", 0}, {"U32", 0}, {NULL, 0}};
static const struct sass_modifier_bits pairs[] = {
    {"U16x2", 0}, {"S16x2", SIGNED}, {"RELU", EXECUTE_WORDS_RELU}, {"16x2", 0}, {NULL, 0}};
static const struct sass_modifier_bits orders[] = {
    {"F", ORDERED(0)},  {"LT", ORDERED(1)},         {"EQ", ORDERED(2)}, {"LE", ORDERED(3)}, {"GT", ORDERED(4)},
    {"NE", ORDERED(5)}, {"GE", ORDERED(6)},         {"T", ORDERED(7)},  {"U32", SIGNED},    {"AND", EXECUTE_WORDS_AND},
    {"OR", 0},          {"XOR", EXECUTE_WORDS_XOR}, {"EX", 0},          {NULL, 0}};
static const struct sass_modifier_bits orders_64[] = {
    {"F", ORDERED(0)},          {"LT", ORDERED(1)}, {"EQ", ORDERED(2)},         {"LE", ORDERED(3)}, {"GT", ORDERED(4)},
    {"NE", ORDERED(5)},         {"GE", ORDERED(6)}, {"T", ORDERED(7)},          {"S64", 0},         {"U64", SIGNED},
    {"AND", EXECUTE_WORDS_AND}, {"OR", 0},          {"XOR", EXECUTE_WORDS_XOR}, {NULL, 0}};
static const struct sass_modifier_bits extremes_64[] = {{"S64", 0}, {"U64", SIGNED}, {NULL, 0}};
static const struct sass_modifier_bits float_orders[] = {{"F", ORDERED(0)},
                                                         {"LT", ORDERED(1)},
                                                         {"EQ", ORDERED(2)},
                                                         {"LE", ORDERED(3)},
                                                         {"GT", ORDERED(4)},
                                                         {"NE", ORDERED(5)},
                                                         {"GE", ORDERED(6)},
                                                         {"NUM", ORDERED(7)},
                                                         {"NAN", ORDERED(8)},
                                                         {"LTU", ORDERED(9)},
                                                         {"EQU", ORDERED(10)},
                                                         {"LEU", ORDERED(11)},
                                                         {"GTU", ORDERED(12)},
                                                         {"NEU", ORDERED(13)},
                                                         {"GEU", ORDERED(14)},
                                                         {"T", ORDERED(15)},
                                                         {"FTZ", EXECUTE_WORDS_FLUSH},
                                                         {"AND", EXECUTE_WORDS_AND},
                                                         {"OR", 0},
                                                         {"XOR", EXECUTE_WORDS_XOR},
                                                         {"BF", EXECUTE_WORDS_SATURATE},
                                                         {"BF16_V2", EXECUTE_WORDS_BF16},
                                                         {"H_AND", EXECUTE_WORDS_NAN},
                                                         {NULL, 0}};
static const struct sass_modifier_bits extremes[] = {{"MIN", 0}, {"MAX", EXECUTE_WORDS_NAN}, {"AND", EXECUTE_WORDS_AND},
                                                     {"OR", 0},  {"XOR", EXECUTE_WORDS_XOR}, {NULL, 0}};
static const struct sass_modifier_bits logic[] = {{"LUT", 0}, {"PAND", EXECUTE_WORDS_AND}, {NULL, 0}};
static const struct sass_modifier_bits bytes[] = {{"B1", BYTE(1)}, {"B2", BYTE(2)}, {"B3", BYTE(3)}, {NULL, 0}};
static const struct sass_modifier_bits shifts[] = {{"L", 0},
                                                   {"R", EXECUTE_WORDS_RIGHT},
                                                   {"W", EXECUTE_WORDS_WRAP},
                                                   {"S64", SIGNED | EXECUTE_WORDS_LARGE},
                                                   {"U64", EXECUTE_WORDS_LARGE},
                                                   {"S32", SIGNED},
                                                   {"U32", 0},
                                                   {"HI", EXECUTE_WORDS_HIGH},
                                                   {NULL, 0}};
static const struct sass_modifier_bits addresses[] = {
    {"X", EXECUTE_WORDS_WRAP}, {"HI", 0}, {"SX32", SIGNED}, {NULL, 0}};
static const struct sass_modifier_bits masks[] = {{"W", EXECUTE_WORDS_WRAP}, {"U32", SIGNED}, {NULL, 0}};
static const struct sass_modifier_bits finds[] = {{"U32", SIGNED}, {"SH", EXECUTE_WORDS_HIGH}, {NULL, 0}};
static const struct sass_modifier_bits dots[] = {
    {"4A", 0}, {"2A.LO", 0}, {"2A.HI", EXECUTE_WORDS_RIGHT}, {"U8", 0}, {"S8", 0}, {"U16", 0}, {"S16", 0}, {NULL, 0}};
static const struct sass_modifier_bits distances[] = {
    {"U8", SIGNED}, {"U32", SIGNED}, {"ACC", EXECUTE_WORDS_HIGH}, {NULL, 0}};
static const struct sass_modifier_bits floats[] = {{"FTZ", EXECUTE_WORDS_FLUSH},
                                                   {"SAT", EXECUTE_WORDS_SATURATE},
                                                   {"FMZ", EXECUTE_WORDS_ZERO | EXECUTE_WORDS_FLUSH},
                                                   {"NAN", EXECUTE_WORDS_NAN},
                                                   {"XORSIGN", 0},
                                                   {"RM", ROUNDED(RM)},
                                                   {"RP", ROUNDED(RP)},
                                                   {"RZ", ROUNDED(RZ)},
                                                   {"D8", SCALED(1)},
                                                   {"D4", SCALED(2)},
                                                   {"D2", SCALED(3)},
                                                   {"M2", SCALED(5)},
                                                   {"M4", SCALED(6)},
                                                   {"M8", SCALED(7)},
                                                   {NULL, 0}};
static const struct sass_modifier_bits halves[] = {{"FTZ", EXECUTE_WORDS_FLUSH},
                                                   {"SAT", EXECUTE_WORDS_SATURATE},
                                                   {"FMZ", EXECUTE_WORDS_FLUSH},
                                                   {"RELU", EXECUTE_WORDS_RELU},
                                                   {"F32", EXECUTE_WORDS_SINGLE},
                                                   {"BF16_V2", EXECUTE_WORDS_BF16},
                                                   {"MMA", 0},
                                                   {"NAN", EXECUTE_WORDS_NAN},
                                                   {"XORSIGN", EXECUTE_WORDS_XORSIGN},
                                                   {NULL, 0}};
/* the sign that XORSIGN gives to three operands is unknown */
static const struct sass_modifier_bits extremes_of_halves[] = {
    {"FTZ", EXECUTE_WORDS_FLUSH}, {"BF16_V2", EXECUTE_WORDS_BF16}, {"NAN", EXECUTE_WORDS_NAN}, {NULL, 0}};
static const struct sass_modifier_bits packs[] = {{"BF16", EXECUTE_WORDS_BF16},
                                                  {"F16", 0},
                                                  {"F32", 0},
                                                  {"PACK_AB", 0},
                                                  {"MERGE_C", 0},
                                                  {"PACK_B", 0},
                                                  {"TF32", 0},
                                                  {"RZ", ROUNDED(RZ)},
                                                  {"RELU", EXECUTE_WORDS_RELU},
                                                  {"SATFINITE", EXECUTE_WORDS_LARGEST},
                                                  {NULL, 0}};
static const struct sass_modifier_bits held[] = {
    {"U8", 0},  {"S8", SIGNED}, {"U16", EXECUTE_WORDS_HIGH}, {"S16", EXECUTE_WORDS_HIGH | SIGNED}, {"S32", 0},
    {"SAT", 0}, {NULL, 0}};
static const struct sass_modifier_bits few_bits[] = {{"U2", EXECUTE_WORDS_HIGH},
                                                     {"S2", EXECUTE_WORDS_HIGH | SIGNED},
                                                     {"U4", 0},
                                                     {"S4", SIGNED},
                                                     {"S32", 0},
                                                     {"SAT", 0},
                                                     {NULL, 0}};
static const struct sass_modifier_bits rounded_bytes[] = {
    {"U8", 0}, {"S8", SIGNED}, {"F32", 0}, {"TRUNC", EXECUTE_WORDS_HIGH}, {"NTZ", 0}, {"RELU", EXECUTE_WORDS_RELU},
    {NULL, 0}};
static const struct sass_modifier_bits matches[] = {{"ANY", 0}, {"ALL", 0}, {"U64", EXECUTE_WORDS_LARGE}, {NULL, 0}};
static const struct sass_modifier_bits reductions[] = {{"S32", SIGNED}, {"OR", 0},  {"XOR", 0}, {"SUM", 0},
                                                       {"MIN", 0},      {"MAX", 0}, {NULL, 0}};
static const struct sass_modifier_bits single_reductions[] = {{"F32", 0},
                                                              {"NAN", EXECUTE_WORDS_NAN},
                                                              {"MIN", 0},
                                                              {"MAX", EXECUTE_WORDS_MOST},
                                                              {"MINABS", EXECUTE_WORDS_ABSOLUTE_A},
                                                              {"MAXABS", EXECUTE_WORDS_MOST | EXECUTE_WORDS_ABSOLUTE_A},
                                                              {NULL, 0}};
static const struct sass_modifier_bits functions[] = {{"COS", 0},  {"SIN", 0},  {"EX2", 0},    {"LG2", 0},
                                                      {"RCP", 0},  {"RSQ", 0},  {"RCP64H", 0}, {"RSQ64H", 0},
                                                      {"SQRT", 0}, {"TANH", 0}, {NULL, 0}};
static const struct sass_modifier_bits functions_of_halves[] = {
    {"EX2", 0}, {"TANH", BYTE(1)}, {"F16", 0}, {"BF16", EXECUTE_WORDS_BF16}, {NULL, 0}};
static const struct sass_modifier_bits single_to_integer[] = {
    {"FTZ", EXECUTE_WORDS_FLUSH}, {"U32", 0}, {"TRUNC", 0}, {"NTZ", 0}, {NULL, 0}};
#define ROW(n, w, o, function, m)                                                                                      \
    {                                                                                                                  \
        .name = n, .when = w, .operands = o, .plain = W(function), .modifiers = m                                      \
    }
#define SIGNED_ROW(n, w, o, function, m)                                                                               \
    {                                                                                                                  \
        .name = n, .when = w, .operands = o, .plain = W(function), .modifiers = m, .bits = SIGNED                      \
    }
#define OUTS_ROW(n, w, o, function, with, m)                                                                           \
    {                                                                                                                  \
        .name = n, .when = w, .operands = o, .plain = W(function), .outs = W(with), .modifiers = m                     \
    }
#define FLOAT_ROW(n, o, function)                                                                                      \
    {                                                                                                                  \
        .name = n, .when = "", .operands = o, .plain = W(function), .rounded = W(function##_r), .modifiers = floats    \
    }
#define DOUBLE_ROW(n, o, function)                                                                                     \
    {                                                                                                                  \
        .name = n, .when = "", .operands = o, .plain = W(function), .rounded = W(function##_r), .modifiers = floats    \
    }

/* clang-format off */
const struct sass_words_row sass_words_rows[] = {
    /* moves and selections */
    ROW("MOV", "64", "DA", mov2, none),
    ROW("MOV", "", "da", mov, spills),
    ROW("UMOV", "64", "DA", mov2, none),
    ROW("UMOV", "", "da", mov, none),
    ROW("SEL", "64", "DABp", sel2, none),
    ROW("SEL", "", "dabp", sel, none),
    ROW("USEL", "64", "DABp", sel2, none),
    ROW("USEL", "", "dabp", sel, none),
    ROW("PRMT", "F4E", "dabc", prmt_f4e, NULL),
    ROW("PRMT", "B4E", "dabc", prmt_b4e, NULL),
    ROW("PRMT", "RC8", "dabc", prmt_rc8, NULL),
    ROW("PRMT", "ECL", "dabc", prmt_ecl, NULL),
    ROW("PRMT", "ECR", "dabc", prmt_ecr, NULL),
    ROW("PRMT", "RC16", "dabc", prmt_rc16, NULL),
    ROW("PRMT", "", "dabc", prmt, none),
    ROW("UPRMT", "", "dabc", prmt, none),
    ROW("P2R", "", "d-ab", p2r, bytes),
    ROW("R2P", "", "-ab", r2p, none),
    ROW("UP2UR", "", "d-ab", p2r, bytes),
    ROW("UR2UP", "", "-ab", r2p, none),
    ROW("R2UR", "OR", "Oda", first_or, NULL),
    ROW("R2UR", "", "oda", first, firsts),
    ROW("BMOV", "32", "da", mov, barriers),
    ROW("RPCMOV", "32", "da", mov, barriers),

    /* sums */
    ROW("IADD3", "X", "dooabcpp", iadd3_x, sign),
    OUTS_ROW("IADD3", "", "dooabc", iadd3, iadd3_carry, none),
    ROW("UIADD3", "X", "dooabcpp", iadd3_x, sign),
    ROW("UIADD3", "64", "DooABC", iadd3_64, none),
    OUTS_ROW("UIADD3", "", "dooabc", iadd3, iadd3_carry, none),
    ROW("LEA", "HI X SX32", "doabsp", lea_hi, addresses),
    ROW("LEA", "HI SX32", "doabs", lea_hi, addresses),
    ROW("LEA", "HI X", "doabcsp", lea_hi, addresses),
    ROW("LEA", "HI", "doabcs", lea_hi, addresses),
    ROW("LEA", "X", "doabsp", lea_carry, addresses),
    OUTS_ROW("LEA", "", "doabs", lea, lea_carry, none),
    ROW("ULEA", "HI X SX32", "doabsp", lea_hi, addresses),
    ROW("ULEA", "HI SX32", "doabs", lea_hi, addresses),
    ROW("ULEA", "HI X", "doabcsp", lea_hi, addresses),
    ROW("ULEA", "HI", "doabcs", lea_hi, addresses),
    ROW("ULEA", "X", "doabsp", lea_carry, addresses),
    OUTS_ROW("ULEA", "", "doabs", lea, lea_carry, none),
    ROW("VIADD", "16x2", "dab", iadd_pair, pairs),
    ROW("VIADD", "S32 ISAT", "dab", iadd_sat, held_sums),
    ROW("VIADD", "U8x4", "dab", iadd_four, fours),
    ROW("VIADD", "S8x4", "dab", iadd_four, fours),
    ROW("VIADD", "S16x2", "dab", iadd_pair, pairs),
    ROW("VIADD", "", "dab", iadd, sums),
    ROW("IADD", "64 X", "DoABp", iadd_64x, addresses),
    ROW("IADD", "64", "DoAB", iadd_64, none),
    ROW("IADD", "X", "doabp", iadd_x, sign),
    OUTS_ROW("IADD", "", "doab", iadd, iadd_carry, none),
    ROW("IABS", "", "da", iabs, none),
    ROW("I2I", "", "da", i2i, held),
    ROW("I2IP", "SAT", "dabc", i2ip, held),
    ROW("I2IP", "SAT", "dabc", i2ip_few, few_bits),
    ROW("F2IP", "", "dabc", f2ip, rounded_bytes),
    SIGNED_ROW("IMNMX", "S64", "ooDABpp", imnmx_64, extremes_64),
    SIGNED_ROW("IMNMX", "U64", "ooDABpp", imnmx_64, extremes_64),
    SIGNED_ROW("UIMNMX", "S64", "ooDABpp", imnmx_64, extremes_64),
    SIGNED_ROW("UIMNMX", "U64", "ooDABpp", imnmx_64, extremes_64),
    SIGNED_ROW("IMNMX", "", "dabp", imnmx, sign),
    ROW("VIMNMX", "U16x2", "dooabp", imnmx_pair, pairs),
    ROW("VIMNMX", "S16x2", "dooabp", imnmx_pair, pairs),
    SIGNED_ROW("VIMNMX", "", "dooabp", imnmx, sign),
    ROW("VIMNMX", "U8x4", "dabp", imnmx_four, fours),
    ROW("VIMNMX", "S8x4", "dabp", imnmx_four, fours),
    ROW("VIMNMX", "U16x2", "dabp", imnmx_pair, pairs),
    ROW("VIMNMX", "S16x2", "dabp", imnmx_pair, pairs),
    SIGNED_ROW("VIMNMX", "", "dabp", imnmx, sign),
    ROW("UVIMNMX", "U8x4", "dabp", imnmx_four, fours),
    ROW("UVIMNMX", "S8x4", "dabp", imnmx_four, fours),
    ROW("UVIMNMX", "U16x2", "dabp", imnmx_pair, pairs),
    ROW("UVIMNMX", "S16x2", "dabp", imnmx_pair, pairs),
    SIGNED_ROW("UVIMNMX", "", "dabp", imnmx, sign),
    ROW("VIMNMX3", "U16x2", "dabcp", imnmx3_pair, pairs),
    ROW("VIMNMX3", "S16x2", "dabcp", imnmx3_pair, pairs),
    ROW("VIADDMNMX", "U16x2", "dabcp", iaddmnmx_pair, pairs),
    ROW("VIADDMNMX", "S16x2", "dabcp", iaddmnmx_pair, pairs),
    SIGNED_ROW("VIMNMX3", "", "dabcp", imnmx3, sign),
    SIGNED_ROW("VIADDMNMX", "", "dabcp", iaddmnmx, sign),
    SIGNED_ROW("ISETP", "S64", "ooABp", isetp_64, orders_64),
    SIGNED_ROW("ISETP", "U64", "ooABp", isetp_64, orders_64),
    SIGNED_ROW("UISETP", "S64", "ooABp", isetp_64, orders_64),
    SIGNED_ROW("UISETP", "U64", "ooABp", isetp_64, orders_64),
    SIGNED_ROW("ISETP", "EX", "ooabpp", isetp_ex, orders),
    SIGNED_ROW("ISETP", "", "ooabp", isetp, orders),
    SIGNED_ROW("UISETP", "EX", "ooabpp", isetp_ex, orders),
    SIGNED_ROW("UISETP", "", "ooabp", isetp, orders),

    /* products */
    {.name = "IMAD", .when = "MOV", .operands = "d--a", .plain = W(mov), .modified = W(neg), .modifiers = moves},
    SIGNED_ROW("IMAD", "WIDE X", "DoabCp", imad_wide_x, sign),
    SIGNED_ROW("IMAD", "WIDE", "DoabC", imad_wide, sign),
    {.name = "IMAD", .when = "HI", .operands = "doabC", .plain = W(imad_hi), .outs = W(imad_hi_carry),
     .modifiers = sign, .bits = SIGNED},
    SIGNED_ROW("IMAD", "X", "dabcp", imad_x, sign),
    SIGNED_ROW("IMAD", "", "dabc", imad, sign),
    SIGNED_ROW("UIMAD", "WIDE X", "DoabCp", imad_wide_x, sign),
    SIGNED_ROW("UIMAD", "WIDE", "DoabC", imad_wide, sign),
    {.name = "UIMAD", .when = "HI", .operands = "doabC", .plain = W(imad_hi), .outs = W(imad_hi_carry),
     .modifiers = sign, .bits = SIGNED},
    SIGNED_ROW("UIMAD", "", "dabc", imad, sign),

    /* bits */
    OUTS_ROW("LOP3", "", "odabclp", lop3, lop3_p, logic),
    OUTS_ROW("ULOP3", "", "odabclp", lop3, lop3_p, logic),
    SIGNED_ROW("FLO", "", "doa", flo, finds),
    SIGNED_ROW("UFLO", "", "doa", flo, finds),
    ROW("BREV", "", "da", brev, none),
    ROW("UBREV", "", "da", brev, none),
    ROW("POPC", "", "da", popc, none),
    ROW("UPOPC", "", "da", popc, none),
    ROW("BMSK", "", "dab", bmsk, masks),
    ROW("UBMSK", "", "dab", bmsk, masks),
    SIGNED_ROW("SGXT", "", "dab", sgxt, masks),
    SIGNED_ROW("USGXT", "", "dab", sgxt, masks),
    ROW("PLOP3", "", "ooppplL", plop3, logic),
    ROW("PLOP3", "", "ooabclL", plop3_signs, logic),
    ROW("UPLOP3", "", "ooppplL", plop3, logic),
    ROW("IDP", "4A", "dabc", idp4, dots),
    ROW("IDP", "", "dabc", idp2, dots),
    SIGNED_ROW("VABSDIFF4", "", "doabc", vabsdiff4, distances),
    SIGNED_ROW("VABSDIFF", "", "doabc", vabsdiff, distances),
    ROW("SHF", "", "dabc", shf, shifts),
    ROW("USHF", "", "dabc", shf, shifts),

    /* single and double precision */
    FLOAT_ROW("FADD", "dab", fadd),
    FLOAT_ROW("FMUL", "dab", fmul),
    FLOAT_ROW("FFMA", "dabc", ffma),
    FLOAT_ROW("UFADD", "dab", fadd),
    FLOAT_ROW("UFMUL", "dab", fmul),
    FLOAT_ROW("UFFMA", "dabc", ffma),
    ROW("UFSEL", "", "dabp", fsel, floats),
    ROW("UFSETP", "", "ooabp", fsetp, float_orders),
    ROW("FMNMX3", "", "dabcp", fmnmx3, floats),
    ROW("FADD2", "", "DAB", fadd2, floats),
    ROW("FMUL2", "", "DAB", fmul2, floats),
    ROW("FFMA2", "", "DABC", ffma2, floats),
    ROW("FSEL", "", "dabp", fsel, floats),
    ROW("FMNMX", "XORSIGN", "dabp", fmnmx_xorsign, floats),
    ROW("FMNMX", "", "dabp", fmnmx, floats),
    ROW("FSETP", "", "ooabp", fsetp, float_orders),
    ROW("FSET", "", "dabp", fset, float_orders),
    ROW("FCHK", "", "oab", fchk, none),
    DOUBLE_ROW("DADD", "DAB", dadd),
    DOUBLE_ROW("DMUL", "DAB", dmul),
    DOUBLE_ROW("DFMA", "DABC", dfma),
    ROW("DSETP", "MIN", "ooABp", dsetp_extreme, extremes),
    ROW("DSETP", "MAX", "ooABp", dsetp_extreme, extremes),
    ROW("DSETP", "", "ooABp", dsetp, float_orders),
    ROW("MUFU", "EX2 F16", "da", mufu_half, functions_of_halves),
    ROW("MUFU", "TANH F16", "da", mufu_half, functions_of_halves),
    ROW("MUFU", "EX2 BF16", "da", mufu_half, functions_of_halves),
    ROW("MUFU", "TANH BF16", "da", mufu_half, functions_of_halves),
    ROW("MUFU", "COS", "da", mufu_cos, functions),
    ROW("MUFU", "SIN", "da", mufu_sin, functions),
    ROW("MUFU", "EX2", "da", mufu_ex2, functions),
    ROW("MUFU", "LG2", "da", mufu_lg2, functions),
    ROW("MUFU", "RCP", "da", mufu_rcp, functions),
    ROW("MUFU", "RSQ", "da", mufu_rsq, functions),
    ROW("MUFU", "RCP64H", "da", mufu_rcp64h, functions),
    ROW("MUFU", "RSQ64H", "da", mufu_rsq64h, functions),
    ROW("MUFU", "SQRT", "da", mufu_sqrt, functions),
    ROW("MUFU", "TANH", "da", mufu_tanh, functions),

    /* halves */
    ROW("HADD2", "", "dab", hadd2, halves),
    ROW("HMUL2", "", "dab", hmul2, halves),
    ROW("HFMA2", "", "dabc", hfma2, halves),
    ROW("HFMA2", "", "dabcp", hfma2, halves),
    ROW("HSET2", "", "dabp", hset2, float_orders),
    ROW("HSETP2", "", "ooabp", hsetp2, float_orders),
    ROW("HMNMX2", "", "dabp", hmnmx2, halves),
    ROW("VHMNMX", "", "dabcp", hmnmx3, extremes_of_halves),
    ROW("F2FP", "PACK_AB", "dab", f2fp, packs),
    ROW("F2FP", "MERGE_C", "dac", f2fp_merge, packs),
    ROW("F2FP", "PACK_B TF32", "da", f2fp_tf32, packs),

    /* conversions that are written often; others in special.c */
    ROW("F2I", "U32 TRUNC", "da", f2i_u32, single_to_integer),
    ROW("F2I", "TRUNC", "da", f2i_s32, single_to_integer),

    /* operations by the lanes of a warp together */
    ROW("VOTE", "ALL", "dop", vote_all, NULL),
    ROW("VOTE", "ANY", "dop", vote_any, NULL),
    ROW("VOTE", "EQ", "dop", vote_eq, NULL),
    ROW("VOTEU", "ALL", "dop", vote_all, NULL),
    ROW("VOTEU", "ANY", "dop", vote_any, NULL),
    ROW("VOTEU", "EQ", "dop", vote_eq, NULL),
    ROW("MATCH", "ANY U64", "dA", match_any, matches),
    ROW("MATCH", "ANY", "da", match_any, matches),
    ROW("MATCH", "ALL U64", "odA", match_all, matches),
    ROW("MATCH", "ALL", "oda", match_all, matches),
    ROW("ELECT", "", "odp", elect, NULL),
    ROW("CREDUX", "MINABS", "da", redux_single, single_reductions),
    ROW("CREDUX", "MAXABS", "da", redux_single, single_reductions),
    ROW("CREDUX", "F32", "da", redux_single, single_reductions),
    ROW("CREDUX", "MIN", "da", redux_min, reductions),
    ROW("CREDUX", "MAX", "da", redux_max, reductions),
    ROW("REDUX", "OR", "da", redux_or, reductions),
    ROW("REDUX", "XOR", "da", redux_xor, reductions),
    ROW("REDUX", "SUM", "da", redux_sum, reductions),
    ROW("REDUX", "MIN", "da", redux_min, reductions),
    ROW("REDUX", "MAX", "da", redux_max, reductions),
    ROW("REDUX", "", "da", redux_and, reductions),
    {.name = NULL},
};
/* clang-format on */
