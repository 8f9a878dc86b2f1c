/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of sections, functions and symbols of a cubin on a device. */
#include "frontend/sass/program.h"

#include "execute/warp/paths.h"
#include "frontend/sass/cubin_parts.h"

#include <string.h>

enum { NOBODYS_CALL = 0x1000 }; /* behind the system functions: an address that no function has */

uint64_t sass_section_address(const struct sass_program *program, const struct sass_section *section)
{
    return program->section_addresses[section - program->cubin->sections];
}

uint64_t sass_function_address(const struct sass_program *program, const struct sass_kernel *kernel)
{
    return EXECUTE_FUNCTION_WINDOW + program->function_offsets[kernel - program->cubin->kernels];
}

static bool system_address(const char *name, uint64_t *address)
{
    static const char *const names[] = {[EXECUTE_SYSTEM_PRINTF] = "vprintf",
                                        [EXECUTE_SYSTEM_ASSERT] = "__assertfail",
                                        [EXECUTE_SYSTEM_MALLOC] = "malloc",
                                        [EXECUTE_SYSTEM_FREE] = "free"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *address = EXECUTE_SYSTEM_WINDOW + 16 * (uint64_t)i;
            return true;
        }
    /* __cuda_syscall_…: functions of the driver for code of sm_120 whose copies go to another block. They are not
     * modelled: a call faults. */
    *address = EXECUTE_SYSTEM_WINDOW + NOBODYS_CALL;
    return strncmp(name, "__cuda_syscall_", 15) == 0;
}

bool sass_symbol_address(const struct sass_program *program, uint32_t index, uint64_t *address)
{
    const struct sass_cubin *cubin = program->cubin;
    const struct sass_symbol *symbol = &cubin->symbols[index];
    for (size_t i = 0; i < cubin->kernel_count && !symbol->section; i++)
        if (!cubin->kernels[i].section && strcmp(cubin->kernels[i].name, symbol->name) == 0) {
            *address = sass_function_address(program, &cubin->kernels[i]);
            return true;
        }
    if (!symbol->section || symbol->section >= cubin->section_count)
        return system_address(symbol->name, address);
    *address = symbol->value;
    if (program->section_addresses[symbol->section]) {
        *address += program->section_addresses[symbol->section];
        return true;
    }
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (cubin->kernels[i].section == symbol->section && !cubin->kernels[i].entry)
            *address += sass_function_address(program, &cubin->kernels[i]);
    return true; /* relative to the beginning of the kernel's own code, or of shared memory */
}
