/* SPDX-License-Identifier: BSD-3-Clause */
/* Opcodes: NVIDIA CUDA binary utilities, instruction sets of Volta to Hopper. What is fused, or part of a sequence,
 * says so itself (sass.h); any other operation is what its statement says. */
#include "frontend/ptx/operations/sass_name.h"

#include "frontend/ptx/compile/kernel.h"
#include "frontend/ptx/operations/sass.h"
#include "frontend/ptx/text/names.h"

#include <stdio.h>
#include <string.h>

enum column { INTEGER, SINGLE, DOUBLE, HALF, COLUMNS };

/* By the first word of the statement, and the execution class. */
static const struct arithmetic {
    const char *word, *name[COLUMNS];
} arithmetic[] = {
    {"add", {"IADD3", "FADD", "DADD", "HADD2"}},
    {"sub", {"IADD3", "FADD", "DADD", "HADD2"}},
    {"mul", {"IMAD", "FMUL", "DMUL", "HMUL2"}},
    {"mul24", {"IMAD", NULL, NULL, NULL}},
    {"mad", {"IMAD", "FFMA", "DFMA", "HFMA2"}},
    {"mad24", {"IMAD", NULL, NULL, NULL}},
    {"fma", {"IMAD", "FFMA", "DFMA", "HFMA2"}},
    {"sad", {"VABSDIFF", NULL, NULL, NULL}},
    {"abs", {"IABS", "FADD", "DADD", "HADD2"}},
    {"min", {"IMNMX", "FMNMX", "DMNMX", "HMNMX2"}},
    {"max", {"IMNMX", "FMNMX", "DMNMX", "HMNMX2"}},
    {"and", {"LOP3.LUT", NULL, NULL, NULL}},
    {"or", {"LOP3.LUT", NULL, NULL, NULL}},
    {"xor", {"LOP3.LUT", NULL, NULL, NULL}},
    {"not", {"LOP3.LUT", NULL, NULL, NULL}},
    {"cnot", {"LOP3.LUT", NULL, NULL, NULL}},
    {"lop3", {"LOP3.LUT", NULL, NULL, NULL}},
    {"shl", {"SHF.L.U32", NULL, NULL, NULL}},
    {"shr", {"SHF.R.U32", NULL, NULL, NULL}},
    {"shf", {"SHF.L.W.U32", NULL, NULL, NULL}},
    {"bfe", {"SGXT", NULL, NULL, NULL}},
    {"bfi", {"LOP3.LUT", NULL, NULL, NULL}},
    {"bmsk", {"BMSK", NULL, NULL, NULL}},
    {"szext", {"SGXT", NULL, NULL, NULL}},
    {"prmt", {"PRMT", NULL, NULL, NULL}},
    {"dp4a", {"IDP.4A", NULL, NULL, NULL}},
    {"dp2a", {"IDP.2A", NULL, NULL, NULL}},
    {"selp", {"SEL", "SEL", "SEL", "SEL"}},
    {"slct", {"SEL", "FSEL", "SEL", "SEL"}},
    {"mov", {"MOV", "MOV", "MOV", "MOV"}},
    {"div", {"IMAD", "FFMA", "DFMA", "HFMA2"}},
    {"rem", {"IMAD", NULL, NULL, NULL}},
    {"rcp", {NULL, "FFMA", "DFMA", "HFMA2"}},
    {"sqrt", {NULL, "FFMA", "DFMA", "HFMA2"}},
    {"rsqrt", {NULL, "FFMA", "DFMA", "HFMA2"}},
    {"copysign", {"LOP3.LUT", "LOP3.LUT", "LOP3.LUT", "LOP3.LUT"}},
    {"setp", {"ISETP", "FSETP", "DSETP", "HSETP2"}},
    {"set", {"SEL", "FSET", "DADD", "HSET2"}},
    {"testp", {"ISETP", "FSETP", "DSETP", "HSETP2"}},
};

static const struct special {
    const char *word, *name;
} specials[] = {{"sin", "MUFU.SIN"}, {"cos", "MUFU.COS"},   {"ex2", "MUFU.EX2"},   {"lg2", "MUFU.LG2"},
                {"rcp", "MUFU.RCP"}, {"rsqrt", "MUFU.RSQ"}, {"sqrt", "MUFU.SQRT"}, {"tanh", "MUFU.TANH"},
                {"div", "MUFU.RCP"}, {"popc", "POPC"},      {"clz", "FLO.U32"},    {"bfind", "FLO.U32"},
                {"brev", "BREV"}};

/* ===== arithmetic ===== */

static const char *text_of(const struct execute_code *code, const struct execute_op *op)
{
    const struct ptx_statement *statement = ptx_kernel_statement(code, op);
    return statement ? ptx_name_text(ptx_kernel_of(code)->module, statement->name) : "";
}

static bool begins_with_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == '.' || text[length] == 0);
}

/* The types that a conversion names last: to, from. */
static void conversion_types(const char *text, enum execute_type *to, enum execute_type *from)
{
    const char *last = strrchr(text, '.'), *before = last;
    *to = *from = EXECUTE_NO_TYPE;
    if (!last)
        return;
    *from = ptx_type_of(last + 1, strlen(last + 1));
    while (before > text && *--before != '.')
        ;
    if (*before == '.')
        *to = ptx_type_of(before + 1, (size_t)(last - before - 1));
}

static const char *conversion(const char *text)
{
    enum execute_type to, from;
    conversion_types(text, &to, &from);
    bool wide_to = execute_type_bytes(to) == 8, wide_from = execute_type_bytes(from) == 8;
    if (!execute_type_is_float(to) && !execute_type_is_float(from))
        return wide_to && execute_type_is_signed(from) ? "SHF.R.S32.HI" : wide_to || wide_from ? "MOV" : "PRMT";
    if (execute_type_is_float(to) && execute_type_is_float(from))
        return wide_to ? "F2F.F64.F32" : wide_from ? "F2F.F32.F64" : "F2F.F32.F16";
    if (execute_type_is_float(to))
        return wide_to ? (wide_from ? "I2F.F64.S64" : "I2F.F64") : wide_from ? "I2F.S64" : "I2F.S32";
    return wide_from ? (wide_to ? "F2I.S64.F64" : "F2I.F64") : wide_to ? "F2I.S64" : "F2I";
}

static const char *arithmetic_name(const char *text, uint8_t class)
{
    static const char *const others[COLUMNS] = {"IADD3", "FADD", "DADD", "HADD2"};
    if (class == MNP_CLASS_SFU || class == MNP_CLASS_CONVERT)
        for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
            if (begins_with_word(text, specials[i].word))
                return specials[i].name;
    if (class == MNP_CLASS_CONVERT || (class == MNP_CLASS_INT && begins_with_word(text, "cvt")))
        return conversion(text);
    if (class == MNP_CLASS_IMAD)
        return strstr(text, ".wide") ? "IMAD.WIDE" : strstr(text, ".hi") ? "IMAD.HI" : "IMAD";
    enum column column = class == MNP_CLASS_FP32   ? SINGLE
                         : class == MNP_CLASS_FP64 ? DOUBLE
                         : class == MNP_CLASS_HALF ? HALF
                                                   : INTEGER;
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++)
        if (begins_with_word(text, arithmetic[i].word) && arithmetic[i].name[column])
            return arithmetic[i].name[column];
    return others[column];
}

/* ===== memory ===== */

static const char *width_of(const struct execute_op *op, uint8_t width)
{
    enum execute_type type = (enum execute_type)op->access.type;
    bool is_signed = type == EXECUTE_s8 || type == EXECUTE_s16;
    switch (width) {
    case 1:
        return is_signed ? ".S8" : ".U8";
    case 2:
        return is_signed ? ".S16" : ".U16";
    case 8:
        return ".64";
    case 16:
        return ".128";
    default:
        return "";
    }
}

static const char *space_letter(const struct execute_op *op, uint8_t space)
{
    return space == MNP_SPACE_SHARED                   ? "S"
           : space == MNP_SPACE_LOCAL                  ? "L"
           : space == MNP_SPACE_CONSTANT               ? "C"
           : op->access.space == EXECUTE_SPACE_GENERIC ? ""
                                                       : "G";
}

static const char *atomic_operation(const struct execute_op *op)
{
    static const char *const names[] = {
        [EXECUTE_ATOMIC_ADD] = "ADD",   [EXECUTE_ATOMIC_MIN] = "MIN", [EXECUTE_ATOMIC_MAX] = "MAX",
        [EXECUTE_ATOMIC_AND] = "AND",   [EXECUTE_ATOMIC_OR] = "OR",   [EXECUTE_ATOMIC_XOR] = "XOR",
        [EXECUTE_ATOMIC_EXCH] = "EXCH", [EXECUTE_ATOMIC_CAS] = "CAS", [EXECUTE_ATOMIC_INC] = "INC",
        [EXECUTE_ATOMIC_DEC] = "DEC"};
    return op->access.operation < sizeof names / sizeof *names ? names[op->access.operation] : "ADD";
}

static void access_name(const struct execute_op *op, const struct mnp_static_instruction *timing,
                        char name[EXECUTE_TRACE_NAME])
{
    const char *letter = space_letter(op, timing->space), *width = width_of(op, timing->width);
    const char *extended = timing->space == MNP_SPACE_GLOBAL ? ".E" : "";
    const char *strong = timing->flags & MNP_FLAG_BYPASS_L1 ? ".STRONG.GPU" : "";
    if (op->kind == EXECUTE_KIND_ATOMIC && timing->space == MNP_SPACE_SHARED)
        snprintf(name, EXECUTE_TRACE_NAME, "ATOMS.%s%s", atomic_operation(op), width);
    else if (op->kind == EXECUTE_KIND_ATOMIC && timing->operation == MNP_REDUCTION)
        snprintf(name, EXECUTE_TRACE_NAME, "RED.E.%s%s.STRONG.GPU", atomic_operation(op), width);
    else if (op->kind == EXECUTE_KIND_ATOMIC)
        snprintf(name, EXECUTE_TRACE_NAME, "ATOM%s.E.%s%s.STRONG.GPU", letter, atomic_operation(op), width);
    else if (op->kind == EXECUTE_KIND_COPY_ASYNC)
        snprintf(name, EXECUTE_TRACE_NAME, "LDGSTS.E%s%s", timing->flags & MNP_FLAG_BYPASS_L1 ? ".BYPASS" : "", width);
    else if (op->kind == EXECUTE_KIND_LOAD_MATRIX)
        snprintf(name, EXECUTE_TRACE_NAME, "%s.16.M88.4", timing->operation == MNP_STORE ? "STSM" : "LDSM");
    else if (op->kind == EXECUTE_KIND_TEXTURE)
        snprintf(name, EXECUTE_TRACE_NAME, "TEX.SCR.LL");
    else if (op->kind == EXECUTE_KIND_WMMA_ACCESS) /* its form says no more than the space */
        snprintf(name, EXECUTE_TRACE_NAME, "%s%s%s", timing->operation == MNP_STORE ? "ST" : "LD",
                 timing->space == MNP_SPACE_SHARED ? "S" : "G", extended);
    else
        snprintf(name, EXECUTE_TRACE_NAME, "%s%s%s%s%s", timing->operation == MNP_STORE ? "ST" : "LD", letter, extended,
                 width, strong);
}

static void matrix_name(const struct execute_code *code, const struct execute_op *op, char name[EXECUTE_TRACE_NAME])
{
    const struct execute_matrix_form *form = (const struct execute_matrix_form *)code->matrices.items + op->matrix;
    enum execute_type type = (enum execute_type)form->a_type;
    const char *kind = type == EXECUTE_f64           ? "DMMA"
                       : type == EXECUTE_b1          ? "BMMA"
                       : execute_type_is_float(type) ? "HMMA"
                       : form->m * form->k > 16 * 8  ? "IMMA"
                                                     : "HMMA"; /* tf32 is not a type of registers */
    snprintf(name, EXECUTE_TRACE_NAME, "%s.%ux%ux%u%s", kind, form->m, form->n, form->k, kind[0] == 'H' ? ".F32" : "");
}

/* ===== all ===== */

static const char *fixed_name(const struct execute_code *code, const struct execute_op *op)
{
    bool in_kernel =
        op - (const struct execute_op *)code->ops.items <
        (ptrdiff_t)execute_code_function_at(code, 0)->first_op + execute_code_function_at(code, 0)->op_count;
    switch (op->kind) {
    case EXECUTE_KIND_RETURN:
        return in_kernel ? "EXIT" : execute_kinds[op->kind].instruction;
    case EXECUTE_KIND_BARRIER:
        return op->variant == EXECUTE_BARRIER_ARRIVE ? "BAR.ARV" : "BAR.SYNC";
    case EXECUTE_KIND_NOTHING:
        return op->variant == EXECUTE_NOTHING_WARP ? "WARPSYNC" : "NOP";
    default:
        return execute_kinds[op->kind].instruction;
    }
}

const char *ptx_sass_name(const struct execute_code *code, const struct execute_op *op,
                          const struct mnp_static_instruction *timing, char name[EXECUTE_TRACE_NAME])
{
    const char *fixed = op->sass ? ptx_sass_text(op->sass) : fixed_name(code, op);
    if (fixed)
        snprintf(name, EXECUTE_TRACE_NAME, "%s", fixed);
    else if (op->kind == EXECUTE_KIND_LOAD_PARAMETER)
        snprintf(name, EXECUTE_TRACE_NAME, timing->width == 8 ? "LDC.64" : "LDC");
    else if (timing->class == MNP_CLASS_MEMORY)
        access_name(op, timing, name);
    else if (op->kind == EXECUTE_KIND_MATRIX)
        matrix_name(code, op, name);
    else
        snprintf(name, EXECUTE_TRACE_NAME, "%s", arithmetic_name(text_of(code, op), timing->class));
    return name;
}
