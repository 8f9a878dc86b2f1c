/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiler from machine code to operations (execute/code/op.h), one per instruction. Tables define the semantics: rows
 * of words (words_rows.c) for arithmetic on registers, rows of builder functions for all other instructions.
 *
 * A warp's frame begins with a page of predicates (TRUE, P0 to P6, an unused one, UP0 to UP6), followed by registers of
 * 32 lanes each: R0 and on; UR0 and on, whose lanes are all equal; the convergence barriers; a dummy destination for
 * RZ; the result of a barrier's reduction; and Rpc.
 */
#ifndef FRONTEND_SASS_COMPILE_COMPILER_H
#define FRONTEND_SASS_COMPILE_COMPILER_H

#include "execute/code/code.h"
#include "execute/lanes/words.h"
#include "frontend/sass/instruction.h"
#include "frontend/sass/program.h"

enum {
    SASS_P0 = 8,
    SASS_NO_PREDICATE = 36,
    SASS_UP0 = 40,
    SASS_BARRIER_PREDICATE = 72,
    SASS_PREDICATE_BYTES = 128,
    SASS_SPARE_REGISTERS = 8,
    SASS_NAMES = 512,
    SASS_WORDS_MET = 1 << 15
};

struct sass_compiler;

/* Fills in `op`. False: compiler.refused says why. */
typedef bool (*sass_builder)(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                             struct execute_op *op);

struct sass_builder_row {
    const char *name;
    sass_builder build;
};

/* Rows and builder of an instruction's name. */
struct sass_name_entry {
    const char *name;                          /* name of a form; NULL: nothing has been searched for */
    const struct sass_words_row *first, *last; /* rows of words_rows.h; NULL: none */
    sass_builder build;                        /* NULL: none */
    bool anywhere;                             /* the builder's operation is the same at all places of a word */
};

/* A word met before in a kernel, and its operation: kernels of libraries have millions of words and repeat most. */
struct sass_met {
    struct sass_word word;
    bool met, built;
    struct execute_op op; /* if `built` */
};

struct sass_compiler {
    struct sass_program *program;
    const struct sass_kernel *kernel; /* the kernel that contains the instruction */
    const bool *reached;              /* [kernels] functions that the kernel may come to */
    struct execute_code *code;
    const struct execute_words_table *words;
    struct mnp_error *error;
    uint32_t registers, uniform_registers; /* numbers of registers in the frame */
    uint32_t place;                        /* index of the operation in code.ops */
    uint32_t first;                        /* first operation of the function */
    bool copies_in_bulk;                   /* the code has groups of bulk copies */
    bool copies_by_lane;                   /* the code has LDGSTS */
    bool reads_cga_size;                   /* SR_CgaSize, in front of here */
    bool placed;                           /* the operation has an address of the program's on its device */
    bool bank_placed;                      /* words of code.bank have such addresses */
    const char *refused;                   /* why an instruction has no operation */
    struct mnp_array bank;                 /* struct sass_bank_place, beside code.bank */
    /* Names found last, by the lowest bits of the operation: kernels have up to millions of instructions. */
    struct sass_name_entry names[SASS_NAMES];
    struct sass_met *met; /* [SASS_WORDS_MET], by a hash of the word: the latest one of each; NULL: no memory */
};

struct sass_bank_place { /* identifies the constant in a word of code.bank */
    uint32_t bank, offset;
};

/* ===== compile.c ===== */

/* The next function of those whose operations are behind a kernel's own; `*next`: 0 at first. NULL: there is none. */
const struct sass_kernel *sass_next_part(const struct sass_program *program, size_t *next);
/* Builds the operation of a place; one that nothing comes to is a fault. False: the compiler's error. */
bool sass_build_at(struct sass_compiler *compiler, uint32_t place, struct execute_op *op);

/* ===== operands.c ===== */

uint32_t sass_register_ref(const struct sass_compiler *compiler, uint8_t index);
uint32_t sass_uniform_ref(const struct sass_compiler *compiler, uint8_t index);
uint32_t sass_barrier_ref(const struct sass_compiler *compiler, uint8_t index);
/* The dummy destination for unused results. */
uint32_t sass_nowhere(const struct sass_compiler *compiler);
/* The register that holds the result of a barrier's reduction until it is read. */
uint32_t sass_barrier_result(const struct sass_compiler *compiler);
/* The size of a frame. */
uint32_t sass_frame_end(const struct sass_compiler *compiler);
/* Constants of all lanes; zero has 64 bits. */
uint32_t sass_value_ref(struct sass_compiler *compiler, uint64_t value, bool pair);
/* A word of a constant bank, or two. EXECUTE_NO_REF: refused. */
uint32_t sass_bank_ref(struct sass_compiler *compiler, uint32_t bank, uint32_t offset, bool pair);
/* A source: register, uniform register, immediate, constant. EXECUTE_NO_REF: refused. */
uint32_t sass_source_ref(struct sass_compiler *compiler, const struct sass_operand *operand, bool pair);
uint32_t sass_result_ref(struct sass_compiler *compiler, const struct sass_operand *operand);
/* The predicate of an operand, and whether it is inverted. */
uint32_t sass_predicate_ref(const struct sass_operand *operand, bool *inverted);
uint32_t sass_predicate_result(const struct sass_operand *operand);
uint32_t sass_add_list(struct sass_compiler *compiler, uint32_t ref); /* appends to code.list; returns the index */

/* Whether the instruction has a modifier of that text. */
bool sass_has(const struct sass_instruction *instruction, const char *modifier);
/* The number of the first of `names` that is a modifier; -1: none. */
int sass_choice_of(const struct sass_instruction *instruction, const char *const *names);

/* memory.c: sets the size and number of the registers of an access. */
void sass_put_width(const struct sass_instruction *instruction, struct execute_op *op);

/* matrix.c: adds `count` elements of `each` registers, side by side, to code.list. */
void sass_put_range(struct sass_compiler *compiler, const struct sass_operand *operand, uint32_t count, uint32_t each,
                    bool result);

/* async.c: an arrival at a barrier of Ampere in shared memory; `to`: where its words before it go; NULL: nowhere. */
bool sass_build_arrival(struct sass_compiler *compiler, const struct sass_operand *address,
                        const struct sass_operand *to, struct execute_op *op);

/* Keeps the first reason; false. */
static inline bool sass_refuse(struct sass_compiler *compiler, const char *why)
{
    if (!compiler->refused)
        compiler->refused = why;
    return false;
}

/* ===== builders ===== */

/* Operations of words_rows.c; `entry` is of the instruction's name, `found`: there is a row. */
bool sass_build_words(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                      const struct sass_name_entry *entry, struct execute_op *op, bool *found);
extern const struct sass_builder_row sass_flow_rows[], sass_memory_rows[], sass_special_rows[], sass_async_rows[],
    sass_matrix_rows[], sass_texture_rows[]; /* NULL names end them */

/* ===== bank.c ===== */

/* A special register that is computed for each warp, and from now on one that the kernel uses. */
uint32_t sass_special_ref(struct sass_compiler *compiler, uint32_t special);

/* The word of a constant bank; false: refused. */
bool sass_bank_word(struct sass_compiler *compiler, uint32_t bank, uint32_t offset, struct execute_bank_word *word);
/* Whether the value added to an offset into a bank is a multiple of SR_CgaSize, i.e. zero. */
bool sass_bank_is_of_cluster(const struct sass_compiler *compiler, uint32_t bank, int64_t offset);
/* Location of a bank for loads: the state space, and the address of its first byte. */
bool sass_bank_place_of(struct sass_compiler *compiler, uint32_t bank, uint8_t *space, int64_t *address);

#endif
