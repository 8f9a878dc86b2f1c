/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cubin on a device: its variables and constant banks are placed in memory, relocations are applied, and kernels are
 * compiled to operations on first use.
 */
#ifndef FRONTEND_SASS_PROGRAM_H
#define FRONTEND_SASS_PROGRAM_H

#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/sass/cubin.h"

struct sass_decoder;
struct sass_lines;

/* Results of compiling a kernel, for the same kernel of this image on another device (compile/again.c). */
struct sass_made {
    bool *reached;                         /* [kernels] functions that it may come to; NULL: it is not compiled */
    uint32_t registers, uniform_registers; /* numbers of registers in the frame */
    bool copies_in_bulk, copies_by_lane;
    bool bank_placed;        /* words of constant banks come from the device's memory: it cannot be used again */
    struct mnp_array places; /* uint32_t: operations with addresses of the program's on its device */
    struct mnp_array bank;   /* struct sass_bank_place, beside code.bank */
};

struct sass_program {
    struct execute_module base; /* a module of sass_language */
    unsigned char *image;       /* a copy of the cubin, relocated */
    size_t bytes;
    struct execute_device *device;
    bool shares;        /* other devices may take its kernels' operations */
    bool forgets;       /* each word is compiled as if it had not been met before; false but in tests */
    uint64_t digest[2]; /* hash of the image before its relocation */
    char *name;
    struct sass_cubin *cubin;
    struct sass_decoder *decoder;
    uint64_t base_address;       /* address of the part in memory; 0: there is none */
    uint64_t *section_addresses; /* 0: not in memory */
    /* [kernels] offsets from EXECUTE_FUNCTION_WINDOW of functions that are not kernels */
    uint64_t *function_offsets;
    struct execute_code **codes;     /* [kernels] NULL: not compiled yet */
    struct sass_made *made;          /* [kernels] */
    struct execute_code **outlines;  /* [kernels] NULL: not requested yet */
    const struct sass_kernel *entry; /* kernel that is being compiled */
    uint32_t stack_bytes;            /* stack size of that kernel */
    /* source lines of instructions; NULL: unknown, or no kernel has been compiled yet */
    struct sass_lines *lines;
    bool lines_read;
};

/* Machine code, of Volta to Hopper. */
extern const struct execute_language sass_language;

/* Whether each kernel of a cubin can be compiled: where not, a program does better with its PTX. */
bool sass_program_executes(const unsigned char *image, size_t bytes);

/* ===== between the files of this room ===== */

/* The address of a section in the device's memory; 0: it is not in memory. */
uint64_t sass_section_address(const struct sass_program *program, const struct sass_section *section);
/* The address of a function that is no kernel. */
uint64_t sass_function_address(const struct sass_program *program, const struct sass_kernel *kernel);
/* Resolves a symbol. Returns false if it is undefined. */
bool sass_symbol_address(const struct sass_program *program, uint32_t symbol, uint64_t *address);
/* Fills in the addresses that relocations ask for, in the image. */
bool sass_relocate(struct sass_program *program, struct mnp_error *error);
/* Compiles a kernel. NULL: refused, with the instruction. */
struct execute_code *sass_compile(struct sass_program *program, const struct sass_kernel *kernel,
                                  struct mnp_error *error);
/* Compiles it from the code of the same image on another device. NULL: it cannot be. */
struct execute_code *sass_compile_again(struct sass_program *program, const struct sass_kernel *kernel,
                                        const struct sass_program *other);
/* The same without its operations. */
struct execute_code *sass_outline(const struct sass_program *program, const struct sass_kernel *kernel);
/* Source location for messages and traces (execute/code/language.h). */
struct execute_location sass_locate(const struct execute_code *code, uint32_t op);
void sass_print(const struct execute_code *code, uint32_t op, char text[EXECUTE_TEXT]);
const char *sass_trace_name(const struct execute_code *code, const struct execute_op *op,
                            const struct mnp_static_instruction *timing, char name[EXECUTE_TRACE_NAME]);
/* Returns one timing-model instruction per operation. */
struct mnp_static_instruction *sass_timing_instructions(const struct execute_code *code);
/* Bits that toggle between words that follow one another (execute/code/timing.h). NULL: codes of several devices share
 * what is made here, but not the addresses in their words. */
uint8_t *sass_word_toggles(const struct execute_code *code);
/* Decodes the instructions of a kernel's code again, given the places of their operations in ascending order. */
struct sass_instruction;
struct sass_reader {
    const struct sass_program *program;
    const struct sass_kernel *part; /* the kernel, or function, of the instruction; NULL: behind the last one */
    uint64_t address;               /* place of the instruction in its part */
    uint32_t first;                 /* place of the part's first operation */
    size_t next;                    /* among the cubin's kernels */
};
void sass_reader_begin(struct sass_reader *reader, const struct execute_code *code);
/* Finds the word of an instruction; returns false if there is none. */
struct sass_word;
bool sass_reader_find(struct sass_reader *reader, uint32_t op, struct sass_word *word);
/* Decodes an instruction; returns false if there is none, or if its word has no form. */
bool sass_reader_take(struct sass_reader *reader, uint32_t op, struct sass_instruction *instruction);
/* Decodes one instruction, given the place of its operation; returns false if there is none. */
bool sass_instruction_of(const struct execute_code *code, uint32_t op, struct sass_instruction *instruction,
                         const struct sass_kernel **kernel, uint64_t *address);

#endif
