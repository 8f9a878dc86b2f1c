/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PTX module, as built by the parser: names, variables with their initialisers, functions with their statements. All
 * tables are growing arrays, and references are indices. The module is independent of execution; decode.h converts a
 * kernel to micro-operations.
 */
#ifndef FRONTEND_PTX_TEXT_MODULE_H
#define FRONTEND_PTX_TEXT_MODULE_H

#include "base/array.h"
#include "base/error.h"
#include "execute/code/module.h"
#include "execute/code/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTX_NONE UINT32_MAX

enum {
    PTX_MAX_REGISTERS = 1 << 20, /* maximum number per function */
    PTX_MAX_ALIGN = 1 << 16,
};

#define PTX_MAX_OBJECT (UINT64_C(1) << 36) /* bytes of one variable */

enum ptx_linkage { PTX_LINKAGE_NONE, PTX_LINKAGE_EXTERN, PTX_LINKAGE_VISIBLE, PTX_LINKAGE_WEAK, PTX_LINKAGE_COMMON };

/* A place in an initialiser that an address goes to. */
struct ptx_relocation {
    uint32_t offset;             /* offset in the variable */
    uint8_t bytes;               /* 1 … 8 */
    uint8_t shift;               /* mask operators: right shift in bits before storing */
    bool generic;                /* generic(name): not an address of the variable's own space */
    uint32_t variable, function; /* one of them is set; the other is PTX_NONE */
    int64_t addend;
};

struct ptx_variable {
    uint32_t name;
    uint8_t space; /* enum execute_space */
    uint8_t type;
    uint8_t linkage;
    bool sized;     /* false: `name[]`, extern */
    bool parameter; /* function parameter or result */
    uint32_t align;
    uint32_t function; /* that it belongs to, or PTX_NONE */
    uint32_t line;
    uint64_t bytes;
    unsigned char *initial; /* [initial_bytes], the rest is zero; NULL: all zero */
    uint64_t initial_bytes;
    uint32_t first_relocation, relocation_count;
};

enum ptx_operand_kind {
    PTX_OPERAND_REGISTER, /* index */
    PTX_OPERAND_INTEGER,  /* value */
    PTX_OPERAND_SINGLE,   /* value: bits of a float */
    PTX_OPERAND_DOUBLE,   /* value: bits of a double */
    PTX_OPERAND_SPECIAL,  /* index: enum execute_special */
    PTX_OPERAND_VARIABLE, /* index, plus value bytes */
    PTX_OPERAND_FUNCTION, /* index */
    PTX_OPERAND_LABEL,    /* index of a statement */
    PTX_OPERAND_LIST,     /* index: list of targets (.branchtargets), or prototype */
    PTX_OPERAND_VECTOR,   /* index: first element, count */
    PTX_OPERAND_SINK,     /* _ */
};

struct ptx_operand {
    uint8_t kind;   /* enum ptx_operand_kind */
    bool memory;    /* in brackets: the address is this plus value */
    bool negated;   /* !p */
    bool paired;    /* `d|p`: the next operand is the one after the bar */
    uint32_t count; /* PTX_OPERAND_VECTOR */
    uint32_t index;
    uint32_t parts; /* register: enum ptx_parts */
    uint64_t value;
};

/* Part selectors `r.b1`, `r.h10` and negation `-r`, which only video instructions accept: up to four numbers of bytes
 * or halves, the first one in the lowest three bits, and their count. */
enum ptx_parts { PTX_PARTS_COUNT_SHIFT = 12, PTX_PARTS_HALVES = 1 << 15, PTX_PARTS_MINUS = 1 << 16 };

/* A line of the source that was compiled to PTX (.loc). */
struct ptx_source_line {
    uint32_t file; /* a name; while its text is read, the number that .file gives one; PTX_NONE: no .file does */
    uint32_t line;
    uint32_t caller; /* the source line that it is inlined at, or PTX_NONE */
};

/* `.file 1 "name"` */
struct ptx_source_file {
    uint32_t number, name;
};

struct ptx_statement {
    uint32_t name;  /* the whole opcode, "add.rn.f32" */
    uint32_t guard; /* register, or PTX_NONE */
    bool guard_negated;
    bool nounroll; /* .pragma "nounroll" stands in front of it */
    uint8_t operand_count;
    uint32_t first_operand;
    uint32_t line, column;
    uint32_t text, text_length; /* the statement as it is written, in `module.bodies` */
    uint32_t source;            /* index in module.source_lines, or PTX_NONE */
};

struct ptx_register {
    uint8_t type;
};

/* Targets of brx.idx, or the parameters of a prototype. */
struct ptx_list {
    uint32_t first, count; /* range of statements in `module.list_items` */
};

struct ptx_function {
    uint32_t name;
    bool entry, defined, external;
    uint8_t linkage;
    uint32_t line;
    uint32_t first_parameter, parameter_count; /* variables */
    uint32_t first_result, result_count;       /* variables, before the parameters */
    uint32_t first_register, register_count;
    uint32_t first_statement, statement_count;
    uint32_t maxntid[3], reqntid[3]; /* 0: not stated */
    uint32_t allocated;              /* registers that an assembler has given it, by a pragma; 0: not known */
    uint32_t minnctapersm, maxnreg, cluster[3], maxclusterrank;
    bool explicit_cluster, counts_clusters; /* .explicitcluster, .blocksareclusters */
};

struct ptx_name {
    uint32_t text, length; /* in `module.text` */
    uint32_t hash;
    uint32_t binding; /* while parsing: its binding in the current scope */
};

struct ptx_module {
    char *source_name;
    uint32_t version; /* major · 10 + minor */
    uint32_t architecture;
    bool specific;           /* the target is one architecture or family only: sm_90a, sm_100f */
    bool wide;               /* .address_size 64 */
    bool plain;              /* instruction selection is disabled (select.h) */
    bool keeps_order;        /* reordering of operations is disabled (schedule.h) */
    bool unrolls;            /* counted loops are unrolled (unroll.h) */
    struct mnp_array text;   /* char */
    struct mnp_array bodies; /* char: texts of statements, for tables of instructions */
    struct mnp_array names;  /* struct ptx_name */
    uint32_t *name_slots;    /* [name_mask + 1] index + 1 */
    uint32_t name_mask;
    struct mnp_array variables;    /* struct ptx_variable */
    struct mnp_array functions;    /* struct ptx_function */
    struct mnp_array registers;    /* struct ptx_register */
    struct mnp_array statements;   /* struct ptx_statement */
    struct mnp_array operands;     /* struct ptx_operand */
    struct mnp_array relocations;  /* struct ptx_relocation */
    struct mnp_array lists;        /* struct ptx_list */
    struct mnp_array list_items;   /* uint32_t */
    struct mnp_array source_lines; /* struct ptx_source_line */
};

/* Reads a module. NULL: an error, located in `name`. Free it with ptx_module_free. */
struct ptx_module *ptx_module_parse(const char *name, const char *text, size_t length, struct mnp_error *error);
/* Links modules into one. Names that are .extern, .visible, .weak or .common are shared; other names are private to
 * each module. Lines are numbered through all texts, as if these were concatenated line by line. */
struct ptx_module *ptx_module_link(const char *name, const struct execute_text *texts, uint32_t count,
                                   struct mnp_error *error);
void ptx_module_free(struct ptx_module *module);

/* The function of that name, or PTX_NONE. */
uint32_t ptx_module_function(const struct ptx_module *module, const char *name);
uint32_t ptx_module_variable(const struct ptx_module *module, const char *name);

/* ===== for the parser ===== */

/* The number of a name, made if new. */
uint32_t ptx_name_of(struct ptx_module *module, const char *text, size_t length);

static inline const char *ptx_name_text(const struct ptx_module *module, uint32_t name)
{
    const struct ptx_name *names = module->names.items;
    return (const char *)module->text.items + names[name].text; /* ends with a zero byte */
}

static inline struct ptx_variable *ptx_variable_at(const struct ptx_module *module, uint32_t index)
{
    return (struct ptx_variable *)module->variables.items + index;
}

static inline struct ptx_function *ptx_function_at(const struct ptx_module *module, uint32_t index)
{
    return (struct ptx_function *)module->functions.items + index;
}

static inline struct ptx_statement *ptx_statement_at(const struct ptx_module *module, uint32_t index)
{
    return (struct ptx_statement *)module->statements.items + index;
}

static inline struct ptx_operand *ptx_operand_at(const struct ptx_module *module, uint32_t index)
{
    return (struct ptx_operand *)module->operands.items + index;
}

#endif
