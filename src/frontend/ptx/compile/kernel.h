/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel as PTX keeps it: the code that executes, and where in the module's text its operations come from. */
#ifndef FRONTEND_PTX_COMPILE_KERNEL_H
#define FRONTEND_PTX_COMPILE_KERNEL_H

#include "execute/language.h"
#include "frontend/ptx/text/module.h"

struct ptx_program;

struct ptx_kernel {
    struct execute_code code;
    const struct ptx_module *module;
};

/* The kernel that some code is the first member of. */
static inline const struct ptx_kernel *ptx_kernel_of(const struct execute_code *code)
{
    return (const struct ptx_kernel *)code;
}

/* Decodes a kernel and all functions that it can reach; `entry`: its function in the module. NULL: an error located in
 * the source. */
struct ptx_kernel *ptx_decode(const struct ptx_program *program, uint32_t entry, struct mnp_error *error);
void ptx_kernel_free(struct ptx_kernel *kernel);

/* The statement that an operation comes from; NULL: the end of a function, which has none. */
const struct ptx_statement *ptx_kernel_statement(const struct execute_code *code, const struct execute_op *op);

/* That statement as a place in the source. */
struct execute_location ptx_kernel_locate(const struct execute_code *code, uint32_t op);

#endif
