/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names: NVIDIA CUDA binary utilities, instruction sets of Volta to Hopper. Fused operations and parts of sequences
 * carry their own instruction (sass.h); any other arithmetic operation is determined by its statement.
 */
#include "frontend/ptx/operations/opcode.h"

#include "base/allocate.h"
#include "contract/instruction.h"
#include "frontend/ptx/operations/conversions.h"
#include "frontend/ptx/operations/sass.h"
#include "frontend/ptx/operations/sequences.h"
#include "frontend/ptx/text/names.h"

#include <stdlib.h>
#include <string.h>

enum column { INTEGER, SINGLE, DOUBLE, HALF, COLUMNS };

enum rule {
    PLAIN,      /* the class is the type's */
    FUNCTION,   /* floats: special function unit, except double precision */
    CONVERTING, /* the unit of conversions */
    MOVING,     /* the integer pipe */
    PRODUCT,    /* integers: the multiply-add pipe */
    COMPARING,  /* single precision takes the integer pipe */
};

/* Indexed by a statement's first word. */
static const struct row {
    const char *word;
    enum rule rule;
    const char *name[COLUMNS];
    const char *function; /* machine instruction if it runs in a unit of its own */
} rows[] = {
    {"add", PLAIN, {"IADD3", "FADD", "DADD", "HADD2"}, NULL},
    {"sub", PLAIN, {"IADD3", "FADD", "DADD", "HADD2"}, NULL},
    {"mul", PRODUCT, {"IMAD", "FMUL", "DMUL", "HMUL2"}, NULL},
    {"mul24", PRODUCT, {"IMAD", NULL, NULL, NULL}, NULL},
    {"mad", PRODUCT, {"IMAD", "FFMA", "DFMA", "HFMA2"}, NULL},
    {"mad24", PRODUCT, {"IMAD", NULL, NULL, NULL}, NULL},
    {"fma", PLAIN, {"IMAD", "FFMA", "DFMA", "HFMA2"}, NULL},
    {"sad", PLAIN, {"VABSDIFF", NULL, NULL, NULL}, NULL},
    {"abs", PLAIN, {"IABS", "FADD", "DADD", "HADD2"}, NULL},
    {"min", COMPARING, {"IMNMX", "FMNMX", "DMNMX", "HMNMX2"}, NULL},
    {"max", COMPARING, {"IMNMX", "FMNMX", "DMNMX", "HMNMX2"}, NULL},
    {"and", PLAIN, {"LOP3.LUT", NULL, NULL, NULL}, NULL},
    {"or", PLAIN, {"LOP3.LUT", NULL, NULL, NULL}, NULL},
    {"xor", PLAIN, {"LOP3.LUT", NULL, NULL, NULL}, NULL},
    {"not", PLAIN, {"LOP3.LUT", NULL, NULL, NULL}, NULL},
    {"cnot", PLAIN, {"LOP3.LUT", NULL, NULL, NULL}, NULL},
    {"lop3", PLAIN, {"LOP3.LUT", NULL, NULL, NULL}, NULL},
    {"shl", PLAIN, {"SHF.L.U32", NULL, NULL, NULL}, NULL},
    {"shr", PLAIN, {"SHF.R.U32", NULL, NULL, NULL}, NULL},
    {"shf", PLAIN, {"SHF.L.W.U32", NULL, NULL, NULL}, NULL},
    {"bfe", PLAIN, {"SGXT", NULL, NULL, NULL}, NULL},
    {"bfi", PLAIN, {"LOP3.LUT", NULL, NULL, NULL}, NULL},
    {"bmsk", PLAIN, {"BMSK", NULL, NULL, NULL}, NULL},
    {"szext", PLAIN, {"SGXT", NULL, NULL, NULL}, NULL},
    {"prmt", PLAIN, {"PRMT", NULL, NULL, NULL}, NULL},
    {"dp4a", PLAIN, {"IDP.4A", NULL, NULL, NULL}, NULL},
    {"dp2a", PLAIN, {"IDP.2A", NULL, NULL, NULL}, NULL},
    {"selp", MOVING, {"SEL", "SEL", "SEL", "SEL"}, NULL},
    {"slct", COMPARING, {"SEL", "FSEL", "SEL", "SEL"}, NULL},
    {"mov", MOVING, {"MOV", "MOV", "MOV", "MOV"}, NULL},
    {"div", FUNCTION, {"IMAD", "FFMA", "DFMA", "HFMA2"}, "MUFU.RCP"},
    {"rem", PLAIN, {"IMAD", NULL, NULL, NULL}, NULL},
    {"rcp", FUNCTION, {NULL, "FFMA", "DFMA", "HFMA2"}, "MUFU.RCP"},
    {"sqrt", FUNCTION, {NULL, "FFMA", "DFMA", "HFMA2"}, "MUFU.SQRT"},
    {"rsqrt", FUNCTION, {NULL, "FFMA", "DFMA", "HFMA2"}, "MUFU.RSQ"},
    {"copysign", PLAIN, {"LOP3.LUT", "LOP3.LUT", "LOP3.LUT", "LOP3.LUT"}, NULL},
    {"setp", COMPARING, {"ISETP", "FSETP", "DSETP", "HSETP2"}, NULL},
    {"set", COMPARING, {"SEL", "FSET", "DADD", "HSET2"}, NULL},
    {"testp", COMPARING, {"ISETP", "FSETP", "DSETP", "HSETP2"}, NULL},
    {"sin", FUNCTION, {NULL, NULL, NULL, NULL}, "MUFU.SIN"},
    {"cos", FUNCTION, {NULL, NULL, NULL, NULL}, "MUFU.COS"},
    {"ex2", FUNCTION, {NULL, NULL, NULL, NULL}, "MUFU.EX2"},
    {"lg2", FUNCTION, {NULL, NULL, NULL, NULL}, "MUFU.LG2"},
    {"tanh", FUNCTION, {NULL, NULL, NULL, NULL}, "MUFU.TANH"},
    {"popc", CONVERTING, {NULL, NULL, NULL, NULL}, "POPC"},
    {"clz", CONVERTING, {NULL, NULL, NULL, NULL}, "FLO.U32"},
    {"bfind", CONVERTING, {NULL, NULL, NULL, NULL}, "FLO.U32"},
    {"brev", CONVERTING, {NULL, NULL, NULL, NULL}, "BREV"},
    {"madc", PRODUCT, {NULL, NULL, NULL, NULL}, NULL},
};

static bool begins_with_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == '.' || text[length] == 0);
}

static const struct row *find_row(const char *text)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (begins_with_word(text, rows[i].word))
            return &rows[i];
    return NULL;
}

/* ===== classes ===== */

static uint8_t class_of_type(enum execute_type type)
{
    return type == EXECUTE_f64                            ? MNP_CLASS_FP64
           : type == EXECUTE_f32 || type == EXECUTE_f32x2 ? MNP_CLASS_FP32
           : type == EXECUTE_f16 || type == EXECUTE_f16x2 || type == EXECUTE_bf16 || type == EXECUTE_bf16x2
               ? MNP_CLASS_HALF
               : MNP_CLASS_INT;
}

/* Determines the class from the first word and the last type. */
static uint8_t class_of(const char *text, const struct row *row)
{
    const char *last = strrchr(text, '.');
    enum execute_type type = last ? ptx_type_of(last + 1, strlen(last + 1)) : EXECUTE_NO_TYPE;
    uint8_t class = class_of_type(type);
    switch (row && last ? row->rule : PLAIN) {
    case FUNCTION:
        return execute_type_is_float(type) && type != EXECUTE_f64 ? MNP_CLASS_SFU : class;
    case CONVERTING:
        return MNP_CLASS_CONVERT;
    case MOVING:
        return MNP_CLASS_INT;
    case PRODUCT:
        return class == MNP_CLASS_INT ? MNP_CLASS_IMAD : class;
    case COMPARING:
        return class == MNP_CLASS_FP32 ? MNP_CLASS_INT : class;
    default:
        return class;
    }
}

/* ===== names ===== */

static const char *name_of(const char *text, const struct row *row, uint8_t class)
{
    static const char *const others[COLUMNS] = {"IADD3", "FADD", "DADD", "HADD2"};
    if ((class == MNP_CLASS_SFU || class == MNP_CLASS_CONVERT) && row && row->function)
        return row->function;
    if (strstr(text, ".f32x2"))
        return text[0] == 'f' ? "FFMA2" : text[0] == 'm' ? "FMUL2" : "FADD2";
    if (class == MNP_CLASS_IMAD)
        return strstr(text, ".wide") ? "IMAD.WIDE" : strstr(text, ".hi") ? "IMAD.HI" : "IMAD";
    enum column column = class == MNP_CLASS_FP32   ? SINGLE
                         : class == MNP_CLASS_FP64 ? DOUBLE
                         : class == MNP_CLASS_HALF ? HALF
                                                   : INTEGER;
    return row && row->name[column] ? row->name[column] : others[column];
}

/* ===== all ===== */

struct ptx_opcode ptx_opcode_read(const char *text)
{
    const struct row *row = find_row(text);
    struct ptx_conversion as = {.class = class_of(text, row)};
    if (begins_with_word(text, "cvt"))
        as = ptx_conversion_of(text);
    else
        as.instruction = name_of(text, row, as.class);
    return (struct ptx_opcode){.class = as.class,
                               .instruction = as.instruction,
                               .sequence = ptx_sequence_of(text),
                               .sequence_by_constant = ptx_sequence_by_constant(text),
                               .sequence_again = ptx_sequence_again(text)};
}

void ptx_opcodes_add(struct ptx_opcodes *opcodes, const struct ptx_module *module, uint32_t name)
{
    if (!opcodes->place) {
        opcodes->place = mnp_allocate((size_t)module->names.count + 1, sizeof *opcodes->place);
        memset(opcodes->place, 0xff, ((size_t)module->names.count + 1) * sizeof *opcodes->place);
    }
    if (opcodes->place[name] != PTX_NONE)
        return;
    opcodes->place[name] = opcodes->read.count;
    struct ptx_opcode *opcode = mnp_array_add(&opcodes->read, 1, sizeof *opcode);
    *opcode = ptx_opcode_read(ptx_name_text(module, name));
}

void ptx_opcodes_release(struct ptx_opcodes *opcodes)
{
    free(opcodes->place);
    mnp_array_release(&opcodes->read);
}

uint8_t ptx_execution_class(const struct execute_op *op, const struct ptx_opcode *opcode)
{
    if (op->sass)
        return ptx_sass_opcode(op->sass)->class;
    /* a wait or a question takes no part in the memory's pipeline, on which others depend */
    if (op->kind == EXECUTE_KIND_MBARRIER && op->flags & EXECUTE_OP_WRITES_D && op->size < 8)
        return MNP_CLASS_SPECIAL;
    uint8_t class = execute_kinds[op->kind].class;
    return class == EXECUTE_CLASS_OPCODE ? opcode->class : class;
}
