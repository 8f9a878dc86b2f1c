/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of a kernel that is being decoded: input of the statement decoders, and functions that emit operations.
 * References into the function's frame are virtual, a class and a number; when the function is complete, liveness.c
 * assigns places.
 */
#ifndef FRONTEND_PTX_COMPILE_BUILDER_H
#define FRONTEND_PTX_COMPILE_BUILDER_H

#include "execute/code/code.h"
#include "frontend/ptx/compile/image.h"
#include "frontend/ptx/operations/forms.h"
#include "frontend/ptx/operations/opcode.h"

enum { PTX_CLASS_PREDICATE, PTX_CLASS_SMALL, PTX_CLASS_LARGE, PTX_CLASS_QUAD, PTX_CLASS_COUNT };
/* Encoding of virtual references: the class from bit PTX_CLASS_SHIFT on, the number within the class below. */
enum { PTX_CLASS_SHIFT = 28, PTX_MAX_WORDS = 20, PTX_OPCODE_LENGTH = 96 };

struct ptx_word {
    const char *text;
    uint32_t length;
    bool taken;
};

/* The reciprocal of a divisor, computed in front of a loop. */
struct ptx_reciprocal {
    uint32_t place; /* number of the function's operation that it stands in front of */
    uint32_t ref;   /* the divisor */
    bool is_signed;
};

struct ptx_decoder {
    const struct ptx_module *module;
    const struct ptx_image *image;
    struct ptx_opcodes *opcodes;
    struct execute_code *code;
    struct mnp_error *error;
    const struct execute_words_table *table;

    uint32_t entry;                     /* the kernel, a function of the module */
    uint32_t most_registers;            /* maximum number requested by its setmaxnreg.inc; 0: none */
    uint32_t most_left;                 /* maximum number left by its setmaxnreg.dec; 0: none */
    const struct ptx_statement *leaves; /* the statement of that setmaxnreg.dec */
    bool *reached;                      /* [module functions] the kernel can reach it (shared.h) */
    uint32_t *shared_offset;            /* [module variables] */
    uint32_t *parameter_offset;         /* [module variables] of the kernel's parameters, or PTX_NONE */
    bool any_function;                  /* there are indirect calls: all of `reached` is part of the kernel */

    const struct ptx_function *function;
    uint32_t place; /* index of the function in code.functions */
    const struct ptx_statement *statement;
    uint32_t statement_index;
    struct ptx_word words[PTX_MAX_WORDS]; /* words of the opcode; 0: the opcode itself */
    uint32_t word_count;
    uint8_t types[8]; /* the types among them, in order */
    uint32_t type_count;

    uint32_t counts[PTX_CLASS_COUNT]; /* virtual references of the function */
    uint32_t *register_refs;          /* [registers of the function] EXECUTE_NO_REF: not used yet */
    uint32_t *frame_offset;           /* [module variables] in the function's local memory */
    uint32_t *label_ops;              /* [statements + 1 of the function] first operation */
    uint32_t *form_cache;             /* [names] enum execute_lane, PTX_NO_FORM; PTX_NONE: not looked up */
    uint8_t *opcode_cache;            /* [names] 0: not looked up (decode.c) */
    bool *name_checked;               /* [names] its words go together, and with the target (features.h) */
    struct mnp_array reciprocals;     /* struct ptx_reciprocal, in front of the function's loops */
    uint32_t *constant_slots;         /* hash table of code.constants */
    uint32_t constant_mask, constant_count;
};

/* ===== words, operations ===== */
bool ptx_decode_fail(struct ptx_decoder *decoder, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ptx_take_word(struct ptx_decoder *decoder, const char *word); /* marks it; false: not there */
bool ptx_has_word(const struct ptx_decoder *decoder, const char *word);
bool ptx_word_is(const struct ptx_word *word, const char *text);
bool ptx_all_taken(struct ptx_decoder *decoder);
/* An operation without operands, guard and target. `list`: the place of its list in the code. */
static inline struct execute_op ptx_empty_op(enum execute_kind kind, uint32_t list, uint32_t statement)
{
    return (struct execute_op){.kind = (uint8_t)kind,
                               .guard = EXECUTE_TRUE,
                               .d = EXECUTE_NO_REF,
                               .a = EXECUTE_NO_REF,
                               .b = EXECUTE_NO_REF,
                               .c = EXECUTE_NO_REF,
                               .list = list,
                               .target = PTX_NONE,
                               .reconverge = PTX_NONE,
                               .statement = statement};
}

struct execute_op *ptx_emit(struct ptx_decoder *decoder, enum execute_kind kind);
/* Returns the operand with that number; fails if there is none. */
const struct ptx_operand *ptx_operand_of(struct ptx_decoder *decoder, uint32_t number);
/* The declared type of a register; EXECUTE_NO_TYPE: the operand is not a register. */
enum execute_type ptx_register_type(const struct ptx_decoder *decoder, const struct ptx_operand *operand);
bool ptx_operand_count_is(struct ptx_decoder *decoder, uint32_t least, uint32_t most);
/* The place of a function in the code, taken up if it is new. */
uint32_t ptx_code_add_function(struct execute_code *code, uint32_t function);
uint32_t ptx_list_add(struct ptx_decoder *decoder, uint32_t ref);
/* Checks that the module's target and version support a form; `what` describes it in the message: a part of the
 * statement followed by a blank, or "". */
bool ptx_needs(struct ptx_decoder *decoder, uint32_t target, uint32_t version, const char *what);

/* ===== references ===== */
uint32_t ptx_class_of(enum execute_type type);
uint32_t ptx_new_ref(struct ptx_decoder *decoder, uint32_t class);
uint32_t ptx_constant(struct ptx_decoder *decoder, uint32_t class, uint64_t value);
static inline bool ptx_is_frame_variable(const struct ptx_decoder *decoder, uint32_t variable)
{
    return decoder->frame_offset[variable] != PTX_NONE &&
           ptx_variable_at(decoder->module, variable)->function ==
               execute_code_function_at(decoder->code, decoder->place)->function;
}

static inline uint32_t ptx_ref_class(uint32_t ref)
{
    return ref >> PTX_CLASS_SHIFT & 3;
}

/* Modifiers of functions over words (words.h) that say which halves a type has. */
static inline uint32_t ptx_half_bits(enum execute_type type)
{
    return (type == EXECUTE_bf16 || type == EXECUTE_bf16x2 ? EXECUTE_WORDS_BF16 : 0u) |
           (type == EXECUTE_f16 || type == EXECUTE_bf16 ? EXECUTE_WORDS_LOWER : 0u);
}

#endif
