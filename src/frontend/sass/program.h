/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cubin on a device: its variables and constant banks placed in memory, addresses filled in where its relocations
 * say, its kernels compiled to operations when they are first asked for.
 */
#ifndef FRONTEND_SASS_PROGRAM_H
#define FRONTEND_SASS_PROGRAM_H

#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/sass/cubin.h"

struct sass_decoder;
struct sass_lines;

struct sass_program {
    struct execute_module base; /* a module of sass_language */
    unsigned char *image;       /* a copy of the cubin, relocated */
    size_t bytes;
    char *name;
    struct sass_cubin *cubin;
    struct sass_decoder *decoder;
    uint64_t base_address;           /* of what lies in memory; 0: nothing does */
    uint64_t *section_addresses;     /* 0: not in memory */
    uint64_t *function_offsets;      /* [kernels] bytes behind EXECUTE_FUNCTION_WINDOW of what is no kernel */
    struct execute_code **codes;     /* [kernels] NULL: not compiled yet */
    struct execute_code **outlines;  /* [kernels] NULL: nobody has asked */
    const struct sass_kernel *entry; /* that is being compiled */
    uint32_t stack_bytes;            /* of it */
    struct sass_lines *lines;        /* where instructions come from; NULL: not known, or no kernel was compiled yet */
    bool lines_read;
};

/* Machine code, of Volta to Hopper. */
extern const struct execute_language sass_language;

/* Whether each kernel of a cubin can be compiled: where not, a program does better with its PTX. */
bool sass_program_executes(const unsigned char *image, size_t bytes);

/* ===== between the files of this room ===== */

/* Where a section lies in the device's memory; 0: it does not. */
uint64_t sass_section_address(const struct sass_program *program, const struct sass_section *section);
/* The address of a function that is no kernel. */
uint64_t sass_function_address(const struct sass_program *program, const struct sass_kernel *kernel);
/* What a symbol stands for. False: nothing knows it. */
bool sass_symbol_address(const struct sass_program *program, uint32_t symbol, uint64_t *address);
/* Fills in the addresses that relocations ask for, in the image. */
bool sass_relocate(struct sass_program *program, struct mnp_error *error);
/* Compiles a kernel. NULL: refused, with the instruction. */
struct execute_code *sass_compile(struct sass_program *program, const struct sass_kernel *kernel,
                                  struct mnp_error *error);
/* The same without its operations. */
struct execute_code *sass_outline(const struct sass_program *program, const struct sass_kernel *kernel);
/* For messages and traces, as execute/code/language.h has them. */
struct execute_location sass_locate(const struct execute_code *code, uint32_t op);
const char *sass_trace_name(const struct execute_code *code, const struct execute_op *op,
                            const struct mnp_static_instruction *timing, char name[EXECUTE_TRACE_NAME]);
/* One instruction for the models of time for each operation. */
struct mnp_static_instruction *sass_timing_instructions(const struct execute_code *code);
/* Decodes an instruction of a kernel's code again, by the place of its operation; false: there is none. */
struct sass_instruction;
bool sass_instruction_of(const struct execute_code *code, uint32_t op, struct sass_instruction *instruction,
                         const struct sass_kernel **kernel, uint64_t *address);

#endif
