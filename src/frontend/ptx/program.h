/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules of PTX on a device: linked from texts, their variables placed in its memory, their kernels decoded. */
#ifndef FRONTEND_PTX_PROGRAM_H
#define FRONTEND_PTX_PROGRAM_H

#include "execute/code/language.h"
#include "execute/device/device.h"
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

/* PTX, for a device that replays what another one has noted (execute/device/journal.h). */
extern const struct execute_language ptx_language;

bool ptx_program_load(struct ptx_program *program, struct execute_device *device, const char *name, const char *text,
                      size_t length, struct mnp_error *error);
/* Several modules, linked. The program's address is its identity for its kernels and the device's notes: it stays where
 * it was linked until it is unloaded. */
bool ptx_program_link(struct ptx_program *program, struct execute_device *device, const char *name,
                      const struct execute_text *texts, uint32_t count, struct mnp_error *error);
void ptx_program_unload(struct ptx_program *program, struct execute_device *device);
/* NULL: there is no such kernel, or an instruction of it is not supported. */
const struct execute_code *ptx_program_kernel(struct ptx_program *program, const char *name, struct mnp_error *error);
/* Decodes every kernel: the first one that cannot be is the error. */
bool ptx_program_check(struct ptx_program *program, struct mnp_error *error);
/* The address and size of a variable. */
bool ptx_program_variable(const struct ptx_program *program, const char *name, uint64_t *address, uint64_t *bytes);

#endif
