/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules of PTX on a device: linked from texts, their variables placed in its memory, their kernels decoded. */
#ifndef FRONTEND_PTX_PROGRAM_H
#define FRONTEND_PTX_PROGRAM_H

#include "execute/device.h"
#include "execute/language.h"
#include "frontend/ptx/compile/image.h"
#include "frontend/ptx/operations/opcode.h"
#include "frontend/ptx/text/module.h"

/* A module on a device. Kernels are decoded when they are first asked for. */
struct ptx_program {
    struct execute_module base; /* a module of ptx_language */
    struct ptx_module *module;
    struct ptx_image image;
    struct ptx_opcodes opcodes;    /* of the kernels that have been decoded */
    struct execute_code **kernels; /* [module functions] NULL: not decoded yet */
};

/* PTX, for a device that replays what another one has noted (execute/journal.h). */
extern const struct execute_language ptx_language;

bool ptx_program_load(struct ptx_program *program, struct execute_device *device, const char *name, const char *text,
                      size_t length, struct mnp_error *error);
/* Several modules, linked. */
bool ptx_program_link(struct ptx_program *program, struct execute_device *device, const char *name,
                      const struct execute_text *texts, uint32_t count, struct mnp_error *error);
void ptx_program_unload(struct ptx_program *program, struct execute_device *device);
/* NULL: there is no such kernel, or an instruction of it is not supported. */
const struct execute_code *ptx_program_kernel(struct ptx_program *program, const char *name, struct mnp_error *error);
/* Decodes every kernel: the first one that cannot be is the error. */
bool ptx_program_check(struct ptx_program *program, struct mnp_error *error);
/* The address and size of a variable. */
bool ptx_program_variable(const struct ptx_program *program, const char *name, uint64_t *address, uint64_t *bytes);

/* ===== about code that was decoded from a program ===== */

static inline const struct ptx_program *ptx_program_of(const struct execute_code *code)
{
    return (const struct ptx_program *)code->module;
}

/* The statement that an operation comes from; NULL: the end of a function, which has none. */
static inline const struct ptx_statement *ptx_statement_of(const struct execute_code *code, const struct execute_op *op)
{
    const struct ptx_module *module = ptx_program_of(code)->module;
    return op->statement < module->statements.count ? ptx_statement_at(module, op->statement) : NULL;
}

/* The same as a place in the source. */
struct execute_location ptx_locate(const struct execute_code *code, uint32_t op);

/* What its opcode says. */
const struct ptx_opcode *ptx_opcode_of(const struct execute_code *code, const struct execute_op *op);

#endif
