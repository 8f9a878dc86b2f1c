/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a language is to execution: it compiles kernels into operations (op.h) with registers as numbered places in a
 * warp's frame, and answers the few questions about them that need more than the operations. Nothing here is asked for
 * each operation that runs.
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

/* Where an operation comes from, for messages. */
struct execute_location {
    const char *file;
    uint32_t line;                     /* 0: not known */
    const char *text;                  /* the instruction */
    const char *function;              /* of machine code: that it is in; NULL: the language has no addresses */
    uint64_t address;                  /* … and its address in there */
    struct execute_source_line source; /* in what was compiled to the language; its file NULL: not known */
    struct execute_source_line caller; /* where that line is inlined; its file NULL: nowhere, or not known */
};

enum { EXECUTE_TRACE_NAME = 48 };

struct execute_language {
    const char *name;  /* in notes of a device (journal.h) */
    const char *title; /* in messages */
    bool binary;       /* for one architecture, and later ones of the same major number */
    /* Whether the texts make a module, without a device; NULL: the language has no linker. */
    bool (*check)(const char *name, const struct execute_text *texts, uint32_t count, struct mnp_error *error);
    /* Loads a module onto a device; it begins to exist for journals (journal.h). NULL: an error. */
    struct execute_module *(*load)(struct execute_device *device, const char *name, const struct execute_text *texts,
                                   uint32_t count, struct mnp_error *error);
    /* Takes it off the device, and frees it. */
    void (*unload)(struct execute_module *module, struct execute_device *device);
    /* What the module was written for, as 80. */
    uint32_t (*architecture)(const struct execute_module *module);
    /* The address and size of a variable. False: there is no such variable. */
    bool (*variable)(const struct execute_module *module, const char *name, uint64_t *address, uint64_t *bytes);
    /* The names of the kernels in the order of the text: that of the first one from *place on, which moves behind it.
     * NULL: there are no more. */
    const char *(*next_kernel)(const struct execute_module *module, uint32_t *place);
    bool (*has_kernel)(const struct execute_module *module, const char *name);
    /* Compiled when first asked for, and kept. NULL: there is no such kernel, or it cannot be compiled. */
    const struct execute_code *(*kernel)(struct execute_module *module, const char *name, struct mnp_error *error);
    /* A kernel before it is compiled: without its operations, and what follows from them. Kept. NULL: there is no such
     * kernel. May be NULL itself: it is to be compiled. */
    const struct execute_code *(*outline)(struct execute_module *module, const char *name);
    /* One instruction for the models of time for each operation; free them. */
    struct mnp_static_instruction *(*instructions)(const struct execute_code *code);
    /* `op`: a place in code.ops. */
    struct execute_location (*locate)(const struct execute_code *code, uint32_t op);
    /* What an operation is called in a trace of machine code; returns `name`. */
    const char *(*trace_name)(const struct execute_code *code, const struct execute_op *op,
                              const struct mnp_static_instruction *timing, char name[EXECUTE_TRACE_NAME]);
};

#endif
