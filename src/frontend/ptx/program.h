/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules of PTX on a device: linked from texts, their variables placed in its memory, their kernels decoded. */
#ifndef FRONTEND_PTX_PROGRAM_H
#define FRONTEND_PTX_PROGRAM_H

#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/ptx/compile/image.h"
#include "frontend/ptx/operations/opcode.h"
#include "frontend/ptx/text/module.h"

/* A PTX module on a device. Kernels are decoded on first use. */
struct ptx_program {
    struct execute_module base; /* a module of ptx_language */
    struct ptx_module *module;
    struct ptx_image image;
    struct ptx_opcodes opcodes;    /* opcodes of the kernels decoded so far */
    struct execute_code **kernels; /* [module functions] NULL: not decoded yet */
};

/* The PTX language, for a device that replays another device's journal (execute/device/journal.h). */
extern const struct execute_language ptx_language;

bool ptx_program_load(struct ptx_program *program, struct execute_device *device, const char *name, const char *text,
                      size_t length, struct mnp_error *error);
/* Links several modules. The program's address identifies it for its kernels and for the device's journal: it must not
 * move until it is unloaded. */
bool ptx_program_link(struct ptx_program *program, struct execute_device *device, const char *name,
                      const struct execute_text *texts, uint32_t count, struct mnp_error *error);
void ptx_program_unload(struct ptx_program *program, struct execute_device *device);
/* Returns a kernel, or NULL if it does not exist or contains an unsupported instruction. */
const struct execute_code *ptx_program_kernel(struct ptx_program *program, const char *name, struct mnp_error *error);
/* Decodes every kernel: the first one that cannot be is the error. */
bool ptx_program_check(struct ptx_program *program, struct mnp_error *error);
/* The address and size of a variable. */
bool ptx_program_variable(const struct ptx_program *program, const char *name, uint64_t *address, uint64_t *bytes);

#endif
