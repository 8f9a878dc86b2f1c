/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/kernel.h"

#include <stdlib.h>

void ptx_kernel_free(struct ptx_kernel *kernel)
{
    if (!kernel)
        return;
    execute_code_release(&kernel->code);
    free(kernel);
}

const struct ptx_statement *ptx_kernel_statement(const struct execute_code *code, const struct execute_op *op)
{
    const struct ptx_module *module = ptx_kernel_of(code)->module;
    return op->statement < module->statements.count ? ptx_statement_at(module, op->statement) : NULL;
}

struct execute_location ptx_kernel_locate(const struct execute_code *code, uint32_t op)
{
    const struct ptx_module *module = ptx_kernel_of(code)->module;
    const struct ptx_statement *statement = ptx_kernel_statement(code, execute_op_at(code, op));
    return (struct execute_location){.file = module->source_name,
                                     .line = statement ? statement->line : 0,
                                     .text = statement ? ptx_name_text(module, statement->name) : "ret"};
}
