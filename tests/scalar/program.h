/* SPDX-License-Identifier: BSD-3-Clause */
/* A module as the scalar interpreter has parsed it. */
#ifndef TESTS_SCALAR_PROGRAM_H
#define TESTS_SCALAR_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum scalar_operation {
    SCALAR_ADD,
    SCALAR_SUB,
    SCALAR_MUL,
    SCALAR_MAD,
    SCALAR_DIV,
    SCALAR_REM,
    SCALAR_MIN,
    SCALAR_MAX,
    SCALAR_ABS,
    SCALAR_NEG,
    SCALAR_AND,
    SCALAR_OR,
    SCALAR_XOR,
    SCALAR_NOT,
    SCALAR_CNOT,
    SCALAR_SHL,
    SCALAR_SHR,
    SCALAR_SHF,
    SCALAR_LOP3,
    SCALAR_PRMT,
    SCALAR_BFE,
    SCALAR_BFI,
    SCALAR_BREV,
    SCALAR_POPC,
    SCALAR_CLZ,
    SCALAR_BFIND,
    SCALAR_SAD,
    SCALAR_MOV,
    SCALAR_CVT,
    SCALAR_CVTA,
    SCALAR_MAPA,
    SCALAR_SELP,
    SCALAR_SETP,
    SCALAR_LD,
    SCALAR_ST,
    SCALAR_ATOM,
    SCALAR_RED,
    SCALAR_BRA,
    SCALAR_BRX,
    SCALAR_CALL,
    SCALAR_RET,
    SCALAR_EXIT,
    SCALAR_SHFL,
    SCALAR_VOTE,
    SCALAR_MATCH,
    SCALAR_REDUX,
    SCALAR_ELECT,
    SCALAR_BARRIER,
    SCALAR_MBARRIER,
    SCALAR_NOTHING
};

/* Words of an opcode that choose what it does, in the order of their appearance. */
enum scalar_word {
    WORD_NONE,
    WORD_LO,
    WORD_HI,
    WORD_WIDE,
    WORD_L,
    WORD_R,
    WORD_WRAP,
    WORD_CLAMP,
    WORD_EQ,
    WORD_NE,
    WORD_LT,
    WORD_LE,
    WORD_GT,
    WORD_GE,
    WORD_AND,
    WORD_OR,
    WORD_XOR,
    WORD_ADD,
    WORD_MIN,
    WORD_MAX,
    WORD_INC,
    WORD_DEC,
    WORD_CAS,
    WORD_EXCH,
    WORD_POPC,
    WORD_SYNC,
    WORD_ARRIVE,
    WORD_WAIT,
    WORD_RED,
    WORD_WARP,
    WORD_CLUSTER,
    WORD_UP,
    WORD_DOWN,
    WORD_BFLY,
    WORD_IDX,
    WORD_ANY,
    WORD_ALL,
    WORD_UNI,
    WORD_BALLOT,
    WORD_TO,
    WORD_INIT,
    WORD_TEST_WAIT
};

enum scalar_type { TYPE_NONE, TYPE_U8, TYPE_U16, TYPE_U32, TYPE_U64, TYPE_S32, TYPE_S64, TYPE_PRED };
enum scalar_space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM, SPACE_CLUSTER };

enum scalar_kind {
    OPERAND_NONE,     /* `_`, or left out */
    OPERAND_REGISTER, /* `number` */
    OPERAND_VALUE,    /* `value`: an immediate, or the address of a variable or function */
    OPERAND_SPECIAL,  /* `number`: enum scalar_special */
    OPERAND_ADDRESS,  /* register `number` + `value`, or `value` alone where `number` < 0 */
    OPERAND_LABEL,    /* `number`: an instruction of the function */
    OPERAND_TABLE,    /* `number`: a table of labels */
    OPERAND_FUNCTION  /* `number` */
};

enum scalar_special {
    SPECIAL_TID_X,
    SPECIAL_TID_Y,
    SPECIAL_NTID_X,
    SPECIAL_NTID_Y,
    SPECIAL_CTAID_X,
    SPECIAL_NCTAID_X,
    SPECIAL_LANEID,
    SPECIAL_LANEMASK_LT,
    SPECIAL_CLUSTER_CTARANK,
    SPECIAL_CLUSTER_NCTARANK
};

struct scalar_operand {
    enum scalar_kind kind;
    int number;
    bool negated;
    int second; /* a register behind `|`, or -1 */
    uint64_t value;
};

enum { SCALAR_OPERANDS = 8, SCALAR_WORDS = 4 };

struct scalar_instruction {
    enum scalar_operation operation;
    enum scalar_word words[SCALAR_WORDS];
    enum scalar_type type, from; /* cvt has two */
    enum scalar_space space;
    const char *name; /* the opcode with its qualifiers; equal ones have the same pointer */
    int guard;        /* a predicate, or -1 */
    bool guard_negated;
    unsigned count, results, line; /* operands; of a call: results among them */
    struct scalar_operand operands[SCALAR_OPERANDS];
};

struct scalar_table {
    unsigned count;
    int targets[16];
};

struct scalar_function {
    char name[64];
    struct scalar_instruction *code;
    unsigned count, registers, results, parameters; /* results and then parameters are the first registers */
    unsigned local_bytes;
    struct scalar_table *tables;
    unsigned table_count;
};

struct scalar_module {
    struct scalar_function *functions;
    unsigned count, shared_bytes;
    char **names; /* of opcodes */
    unsigned name_count;
};

/* The function of that name, or -1. */
int scalar_function(const struct scalar_module *module, const char *name);

#endif
