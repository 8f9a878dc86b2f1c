/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sequences are those of ptxas 13.0 for one statement at compute capability 9.0, on the path of ordinary operands
 * (rare cases of a division are calls behind a branch). Each instruction is a letter and a digit. The digit is the
 * distance to the preceding instruction whose result it needs last; 0: it only needs the operands.
 */
#include "frontend/ptx/operations/sequences.h"

#include "frontend/ptx/operations/sass.h"

#include <stdbool.h>
#include <string.h>

static const struct letter {
    char letter;
    uint8_t sass;
} letters[] = {
    {'a', PTX_SASS_IADD3},    {'x', PTX_SASS_IADD3_X},    {'m', PTX_SASS_IMAD},     {'w', PTX_SASS_IMAD_WIDE},
    {'h', PTX_SASS_IMAD_HI},  {'l', PTX_SASS_LOP3},       {'s', PTX_SASS_SHF},      {'p', PTX_SASS_ISETP},
    {'X', PTX_SASS_ISETP_EX}, {'e', PTX_SASS_SEL},        {'v', PTX_SASS_MOV},      {'b', PTX_SASS_IABS},
    {'I', PTX_SASS_I2F},      {'i', PTX_SASS_I2F_U32_RP}, {'j', PTX_SASS_I2F_RP},   {'k', PTX_SASS_I2F_U64_RP},
    {'t', PTX_SASS_F2I},      {'r', PTX_SASS_MUFU_RCP},   {'q', PTX_SASS_MUFU_RSQ}, {'u', PTX_SASS_MUFU},
    {'A', PTX_SASS_FADD},     {'M', PTX_SASS_FMUL},       {'F', PTX_SASS_FFMA},     {'P', PTX_SASS_FSETP},
    {'E', PTX_SASS_FSEL},     {'K', PTX_SASS_FCHK},       {'D', PTX_SASS_DADD},     {'U', PTX_SASS_DMUL},
    {'G', PTX_SASS_DFMA},     {'S', PTX_SASS_DSETP},      {'o', PTX_SASS_POPC},     {'L', PTX_SASS_LEA},
    {'Y', PTX_SASS_LEA_HI_X}, {'c', PTX_SASS_FLO},        {'B', PTX_SASS_BRA},      {'C', PTX_SASS_CALL},
};

/* Indexed by the statement's first word, its last type, and a word between them; the first matching row applies. */
static const struct row {
    const char *word, *middle, *types, *sequence;
} rows[] = {
    {"add", "", "s64 u64", "a0x1"},
    {"sub", "", "s64 u64", "a0x1"},
    {"neg", "", "s64", "a0x1"},
    {"and", "", "b64", "l0l0"},
    {"or", "", "b64", "l0l0"},
    {"xor", "", "b64", "l0l0"},
    {"not", "", "b64", "l0l0"},
    {"shl", "", "b64", "s0s0"},
    {"shr", "", "b64 s64 u64", "s0s0"},
    {"mov", "", "b64 s64 u64 f64", "v0v0"},
    {"selp", "", "b64 s64 u64 f64", "e0e0"},
    {"setp", "", "b64 s64 u64", "p0X1"},
    {"min", "", "s64 u64", "p0X1e1e2"},
    {"max", "", "s64 u64", "p0X1e1e2"},
    {"abs", "", "s64", "a0p0x2e2e2"},
    {"mul", ".lo", "s64 u64", "m0w0m2a1"},
    {"mad", ".lo", "s64 u64", "m0w0m2a1"},
    {"mul", ".hi", "s64", "p0w0w1w0x2a2v4w1a1e1x2a2e2p0x2e2e2"},
    {"mul", ".hi", "u64", "w0w1w0x2v3a3w1"},
    {"mad", ".hi", "s32 u32", "v0h1"},
    {"mul24", ".lo", "s32 u32", "s0s0m1"},
    {"mad24", ".lo", "s32 u32", "s0s0m1"},
    {"bfe", "", "s32 u32", "s0s1"},
    {"popc", "", "b64", "o0o0a1"},
    {"clz", "", "b32", "c0a1"},
    {"clz", "", "b64", "p0e1c1a1a2v1"},
    {"brev", "", "b64", "c0c0"},
    {"div", "", "s16", "v0l0l0C0b2v0I2P1P2E2E1p9M2b9l9r3s2I4M3a1M1v5v9t3l1a1v0v2C0v2"},
    {"rem", "", "s16", "v0l0l0C0b2v0I2P1P2E2E1p9M2b9l9r3s2I4M3a1M1v5v9t3l1a1m1v0v2C0v2"},
    {"div", "", "u16", "v0C0I0v0I0P3P4E2E1p0M2r1M1a1v9M2v0t2l1C0v2"},
    {"rem", "", "u16", "v0C0I0v0P2P3E2E1p0M2I0r2M1a1M1v0t2l1a1m1v9C0v2"},
    {"div", "", "s32", "b0b0j2r1a1b0l0t3p2v0v3m1a9h2h1m1p1a1a2p0p3a1a1l1"},
    {"div", "", "u32", "i0a0p0r3a1t1v0m2h1h1a1m1p1a1a2p2a1l1"},
    {"rem", "", "s32", "b0b0j2b0p0r3a1v6t2v0v2m1h1h1m1p1a1p0p2a1a1l1"},
    {"rem", "", "u32", "i0v0p0r3a1t1v0m2h1h1v1m1p1a1p1a1l1"},
    {"div", "", "u64",
     "v0C0k0r1a1t1w1m1a2m2h2x2v7w2m3h2h5a2x2w2x2m2a3m2h2x2v0w2m3h2h5a2x2h2x2w2m2h2h4a2x2w2x2a2m3p2m2x1a5a9p3x3x3e3e4e4e"
     "4"
     "p4v0a5p3p0x3e3p3e3v9e3e3C0v4v4"},
    {"div", "", "s64",
     "v0C0a0p0p0x3e3e2k2r1a1t1w1m1a2m2h2x2v7m2w3h4h2a1x3w2x2m2a3m2h2x2a0w2e2x3h3e2m7h8a2v0x3h3x2w2m2h2h4a2x2w2x2a2m3a6p"
     "3"
     "m3x3x2a7p2x2e2e3e3p3e6a4p3l0x3e3p3e3a3p0x2e3v0e3v9p6e1e2C0v4v4"},
    {"rem", "", "s64",
     "v0C0a0p0x2e2e2k2r1a1t1w1m1a2m2h2x2v7m2w3h4h2a1x3w2x2p0m3a4m2h2x2a0w2e2x3h3m6h7a2x2e6h3x3v0h2w4m4h2x1a2x1w2m1a2m2p"
     "2"
     "x2a4p2x2e2e2p2a3p2x2e2e2a2p0e2x3v0p4e3v9e3e3C0v4v4"},
    {"rem", "", "u64",
     "v0C0k0r1a1t1w1m1a2m2h2x2v7m2w3h4h2a1x3w2x2m2a3m2h2x2v0w2m3h2h5a2x2h2x2w2m2h2h4a2x2w2x2m2a3v9m3p3x2a5p2x2e2e2p2a3p"
     "2"
     "p0x3e3v0p4e4e2e2C0v4v4"},
    {"div", ".rn", "f32", "r0K0F2F1F1F1B0F2"},
    {"div", ".full.ftz", "f32", "P0M1M2r2M1"},
    {"div", ".full", "f32", "P0P0M2M3M2M2r2M1"},
    {"div", ".approx.ftz", "f32", "r0M1"},
    {"div", ".approx", "f32", "P0M1M2r2M1"},
    {"rcp", ".rn", "f32", "a0l1p1B0r0F1A1F1"},
    {"rcp", ".approx.ftz", "f32", NULL},
    {"rcp", ".approx", "f32", "v0P0P0E2E1M1r1M1"},
    {"sqrt", ".rn", "f32", "a0q0p2B0M3M4F2F1"},
    {"sqrt", ".approx.ftz", "f32", NULL},
    {"sqrt", ".approx", "f32", "P0M1q1M1"},
    {"rsqrt", ".approx.ftz", "f32", NULL},
    {"rsqrt", ".approx", "f32", "P0M1q1M1"},
    {"sin", ".approx", "f32", "M0u1"},
    {"cos", ".approx", "f32", "M0u1"},
    {"ex2", ".approx.ftz", "f32", NULL},
    {"ex2", ".approx", "f32", "P0M1u1M1"},
    {"lg2", ".approx.ftz", "f32", NULL},
    {"lg2", ".approx", "f32", "P0M1u1A1"},
    {"div", ".rn", "f64", "v0r0P0G2G1G1G1G1U1G1F1P1B0G4"},
    {"rcp", ".rn", "f64", "r0a0P1G2G1G1G1B0G2"},
    {"sqrt", ".rn", "f64", "v0v0q0a0p1U2G1G1U2G1U1a2v3G3B0G2"},
    {"rsqrt", ".approx", "f64", "v0v0v0q0a0p1U3G1G1U2B0G2"},
    {"rcp", ".approx", "f64", "r0v0"},
    {"min", "", "f64", "v0S0v0E1e3l2v1"},
    {"max", "", "f64", "v0S0v0E1e3l2v1"},
};

uint8_t ptx_sequence_sass(char letter)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].letter == letter)
            return letters[i].sass;
    return PTX_SASS_BY_STATEMENT;
}

/* Whether one of the words of a list is this one. */
static bool among(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static const struct row *find_row(const char *opcode, const struct row *table, size_t count)
{
    const char *dot = strchr(opcode, '.'), *last = strrchr(opcode, '.');
    size_t length = dot ? (size_t)(dot - opcode) : 0;
    for (size_t i = 0; dot && i < count; i++)
        if (strncmp(opcode, table[i].word, length) == 0 && !table[i].word[length] && among(table[i].types, last + 1) &&
            strstr(opcode, table[i].middle))
            return &table[i];
    return NULL;
}

/* Divisions by a constant are shorter. */
static const struct row by_constant[] = {
    {"div", "", "s32", "j0r1a1t1v0m2h1b0l0h3p2m2p1a1a1p2a1v1"},
    {"div", "", "u32", "i0r1a1t1v0m2h1h1m1p1a1a2p2a1"},
    {"rem", "", "s32", "j0r1a1t1v0m2h1b0p0h3m1p1a1p1a1a1"},
    {"rem", "", "u32", "i0r1a1t1v0m2h1h1m1p1a1p1a1"},
};

/* Divisions whose divisor has been one before: what they have apart from its reciprocal. */
static const struct row again[] = {
    {"div", "", "s32", "b0h1v1m1p1m1a2p2l0p1a3e1"},
    {"div", "", "u32", "h0a1m1p1m1a2p2a1e1"},
    {"rem", "", "s32", "b0h1v1m1p1m1p1m1p0e2"},
    {"rem", "", "u32", "h0a1m1p1m1p1a1e1"},
};

const char *ptx_sequence_of(const char *opcode)
{
    const struct row *row = find_row(opcode, rows, sizeof rows / sizeof *rows);
    return row ? row->sequence : NULL;
}

const char *ptx_sequence_by_constant(const char *opcode)
{
    const struct row *row = find_row(opcode, by_constant, sizeof by_constant / sizeof *by_constant);
    return row ? row->sequence : ptx_sequence_of(opcode);
}

const char *ptx_sequence_again(const char *opcode)
{
    const struct row *row = find_row(opcode, again, sizeof again / sizeof *again);
    return row ? row->sequence : NULL;
}

const char *ptx_sequence_reciprocal(bool is_signed)
{
    return is_signed ? "b0j1v0r2a1t1v0m2h1p0l0" : "i0v0r2a1t1v0m2h1p0l0";
}
