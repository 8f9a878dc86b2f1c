/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside the decoder. While a function is decoded, references into its frame are virtual: a class and a number. When
 * the function is complete, liveness.c gives them places.
 */
#ifndef FRONTEND_PTX_COMPILE_DECODE_H
#define FRONTEND_PTX_COMPILE_DECODE_H

#include "execute/code.h"
#include "frontend/ptx/compile/image.h"
#include "frontend/ptx/operations/forms.h"
#include "frontend/ptx/operations/opcode.h"

enum { PTX_CLASS_PREDICATE, PTX_CLASS_SMALL, PTX_CLASS_LARGE, PTX_CLASS_QUAD, PTX_CLASS_COUNT };
enum { PTX_CLASS_SHIFT = 28, PTX_MAX_WORDS = 20, PTX_OPCODE_LENGTH = 96 };

struct ptx_program;

/* Decodes a kernel and all functions that it can reach; `entry`: its function in the module. NULL: an error located in
 * the source. */
struct execute_code *ptx_decode(struct ptx_program *program, uint32_t entry, struct mnp_error *error);
void ptx_code_free(struct execute_code *code);

struct ptx_word {
    const char *text;
    uint32_t length;
    bool taken;
};

struct ptx_decoder {
    const struct ptx_module *module;
    const struct ptx_image *image;
    struct ptx_opcodes *opcodes;
    struct execute_code *code;
    struct mnp_error *error;
    const struct execute_lane_table *table;

    uint32_t entry;             /* the kernel, a function of the module */
    uint32_t *shared_offset;    /* [module variables] */
    uint32_t *parameter_offset; /* [module variables] of the kernel's parameters, or PTX_NONE */
    bool any_function;          /* there are indirect calls: every function is part of the kernel */

    const struct ptx_function *function;
    uint32_t place; /* of the function in code.functions */
    const struct ptx_statement *statement;
    uint32_t statement_index;
    struct ptx_word words[PTX_MAX_WORDS]; /* of the opcode; 0: the opcode itself */
    uint32_t word_count;
    uint8_t types[8]; /* the types among them, in order */
    uint32_t type_count;

    uint32_t counts[PTX_CLASS_COUNT]; /* virtual references of the function */
    uint32_t *register_refs;          /* [registers of the function] EXECUTE_NO_REF: not used yet */
    uint32_t *frame_offset;           /* [module variables] in the function's local memory */
    uint32_t *label_ops;              /* [statements + 1 of the function] first operation */
    int32_t *form_cache;              /* [names] -1: not looked up, -2: none */
    uint32_t *constant_slots;         /* hash table of code.constants */
    uint32_t constant_mask, constant_count;
};

/* ===== decode.c ===== */
bool ptx_decode_fail(struct ptx_decoder *decoder, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool ptx_take_word(struct ptx_decoder *decoder, const char *word); /* marks it; false: not there */
bool ptx_has_word(const struct ptx_decoder *decoder, const char *word);
bool ptx_all_taken(struct ptx_decoder *decoder);
struct execute_op *ptx_emit(struct ptx_decoder *decoder, enum execute_kind kind);
/* The operand of that number; false: there is none. */
const struct ptx_operand *ptx_operand_of(struct ptx_decoder *decoder, uint32_t number);
bool ptx_operand_count_is(struct ptx_decoder *decoder, uint32_t least, uint32_t most);
/* The place of a function in the code, taken up if it is new. */
uint32_t ptx_code_add_function(struct execute_code *code, uint32_t function);
uint32_t ptx_list_add(struct ptx_decoder *decoder, uint32_t ref);

/* ===== decode_operand.c ===== */
uint32_t ptx_class_of(enum execute_type type);
uint32_t ptx_new_ref(struct ptx_decoder *decoder, uint32_t class);
uint32_t ptx_constant(struct ptx_decoder *decoder, uint32_t class, uint64_t value);
/* The reference of a source of that type; operations that fetch it are emitted first. */
bool ptx_source(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type, uint32_t *ref);
/* Any register or immediate, with the class that it has (immediates: of the type). */
bool ptx_source_any(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                    uint32_t *ref);
bool ptx_destination(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                     uint32_t *ref);
bool ptx_predicate(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t *ref);
bool ptx_immediate(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint64_t *value);
enum execute_type ptx_register_type(const struct ptx_decoder *decoder, const struct ptx_operand *operand);
/* A module or function variable's address as a number; frame variables are not numbers. */
bool ptx_variable_address(struct ptx_decoder *decoder, uint32_t variable, uint64_t *address);

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

/* ===== decoders of groups of instructions; each for the present statement ===== */
bool ptx_decode_form(struct ptx_decoder *decoder, const struct ptx_form *form);
bool ptx_decode_compare(struct ptx_decoder *decoder);
bool ptx_decode_predicates(struct ptx_decoder *decoder);
bool ptx_decode_select(struct ptx_decoder *decoder);
bool ptx_decode_move(struct ptx_decoder *decoder);
bool ptx_decode_carry(struct ptx_decoder *decoder);
bool ptx_decode_insert(struct ptx_decoder *decoder);
bool ptx_decode_address(struct ptx_decoder *decoder);
bool ptx_decode_lop3(struct ptx_decoder *decoder);
bool ptx_decode_float(struct ptx_decoder *decoder);
bool ptx_decode_convert(struct ptx_decoder *decoder);
bool ptx_decode_testp(struct ptx_decoder *decoder);
bool ptx_decode_access(struct ptx_decoder *decoder);
bool ptx_decode_atomic(struct ptx_decoder *decoder);
bool ptx_decode_hint(struct ptx_decoder *decoder);
bool ptx_decode_copy(struct ptx_decoder *decoder);
bool ptx_decode_branch(struct ptx_decoder *decoder);
bool ptx_decode_call(struct ptx_decoder *decoder);
bool ptx_decode_barrier(struct ptx_decoder *decoder);
bool ptx_decode_fence(struct ptx_decoder *decoder);
bool ptx_decode_warp(struct ptx_decoder *decoder);
/* video.c */
bool ptx_is_video(const char *opcode, uint32_t length);
bool ptx_decode_video(struct ptx_decoder *decoder);
bool ptx_decode_texture(struct ptx_decoder *decoder);
bool ptx_decode_matrix(struct ptx_decoder *decoder);
/* decode_memory.c: the address in an operand. `form` has the space, which may change. */
bool ptx_decode_address_of(struct ptx_decoder *decoder, const struct ptx_operand *operand,
                           struct execute_access_form *form, uint32_t *ref, int64_t *offset);
bool ptx_take_space(struct ptx_decoder *decoder, enum execute_space *space);
/* Registers of a load or store, as form->count and form->type have it; form->slot is filled in. */
bool ptx_data_refs(struct ptx_decoder *decoder, const struct ptx_operand *operand, struct execute_access_form *form,
                   bool load, uint32_t refs[8]);
/* mbarrier.c; of cp.async: .mbarrier.arrive and .bulk */
bool ptx_decode_mbarrier(struct ptx_decoder *decoder);
bool ptx_decode_copy_arrive(struct ptx_decoder *decoder);
bool ptx_decode_copy_bulk(struct ptx_decoder *decoder);
/* surface.c */
bool ptx_decode_surface(struct ptx_decoder *decoder);

/* flow.c: fills in where branches meet again. */
void ptx_flow(struct ptx_decoder *decoder);
/* flow.c: the operations of a function have moved, each to `to` [its old place in the function]; its labels follow. */
void ptx_move_labels(struct execute_code *code, const struct execute_code_function *place, const uint32_t *to,
                     uint32_t first_target);
/* liveness.c: gives virtual references places in the frame. */
void ptx_place_references(struct ptx_decoder *decoder);

#endif
