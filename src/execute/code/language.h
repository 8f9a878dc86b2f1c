/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interface of a language: it compiles kernels into operations (op.h), whose registers are numbered places in a warp's
 * frame, and answers queries that operations alone cannot. No query is made per executed operation.
 */
#ifndef EXECUTE_LANGUAGE_H
#define EXECUTE_LANGUAGE_H

#include "base/error.h"
#include "contract/instruction.h"
#include "execute/code/code.h"
#include "execute/code/module.h"

struct execute_device;

struct execute_source_line {
    const char *file;
    uint32_t line;
};

/* Location of an operation, for messages. */
struct execute_location {
    const char *file;
    uint32_t line;    /* 0: not known */
    const char *text; /* the instruction */
    /* machine code: the function that contains it; NULL: the language has no addresses */
    const char *function;
    uint64_t address;                  /* machine code: the address in the function */
    struct execute_source_line source; /* location in the source that was compiled; its file is NULL if unknown */
    /* location into which that line is inlined; its file is NULL if there is none, or if it is unknown */
    struct execute_source_line caller;
};

enum { EXECUTE_TRACE_NAME = 48, EXECUTE_TEXT = 256 };

struct execute_language {
    const char *name;  /* name in a device's journal (journal.h) */
    const char *title; /* name in messages */
    bool binary;       /* code is valid for one architecture, and later ones of the same major number */
    /* Whether the texts make a module, without a device; NULL: the language has no linker. */
    bool (*check)(const char *name, const struct execute_text *texts, uint32_t count, struct mnp_error *error);
    /* Loads a module onto a device; it begins to exist for journals (journal.h). NULL: an error. */
    struct execute_module *(*load)(struct execute_device *device, const char *name, const struct execute_text *texts,
                                   uint32_t count, struct mnp_error *error);
    /* Takes it off the device, and frees it. */
    void (*unload)(struct execute_module *module, struct execute_device *device);
    /* The target architecture of the module, for example 80. */
    uint32_t (*architecture)(const struct execute_module *module);
    /* The address and size of a variable. False: there is no such variable. */
    bool (*variable)(const struct execute_module *module, const char *name, uint64_t *address, uint64_t *bytes);
    /* Enumerates the names of the kernels in the order of the text: returns the first one from *place on, and advances
     * *place. NULL: no more. */
    const char *(*next_kernel)(const struct execute_module *module, uint32_t *place);
    bool (*has_kernel)(const struct execute_module *module, const char *name);
    /* Returns a kernel, compiling it on first use; the module keeps it. NULL: it does not exist, or compilation
     * failed. */
    const struct execute_code *(*kernel)(struct execute_module *module, const char *name, struct mnp_error *error);
    /* Returns a kernel without its operations, and without the members that follow from these; the module keeps it.
     * NULL: it does not exist. The function pointer may be NULL: compile the kernel instead. */
    const struct execute_code *(*outline)(struct execute_module *module, const char *name);
    /* Returns one timing-model instruction for each operation; the caller frees them. */
    struct mnp_static_instruction *(*instructions)(const struct execute_code *code);
    /* Returns struct execute_timing.toggles, which the caller frees. NULL: the language has no words. */
    uint8_t *(*toggles)(const struct execute_code *code);
    /* `op`: a place in code.ops. */
    struct execute_location (*locate)(const struct execute_code *code, uint32_t op);
    /* Writes the instruction with its operands, for tables. */
    void (*print)(const struct execute_code *code, uint32_t op, char text[EXECUTE_TEXT]);
    /* Writes an operation's name in a trace of machine code; returns `name`. */
    const char *(*trace_name)(const struct execute_code *code, const struct execute_op *op,
                              const struct mnp_static_instruction *timing, char name[EXECUTE_TRACE_NAME]);
};

#endif
