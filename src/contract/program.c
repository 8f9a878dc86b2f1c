/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/program.h"

#include <stdlib.h>
#include <string.h>

const struct mnp_symbol *mnp_program_function(const struct mnp_program *program, uint32_t address)
{
    uint32_t low = 0, high = program->function_count;
    while (low < high) { /* find the last function that begins at or before the address */
        uint32_t middle = low + (high - low) / 2;
        if (program->functions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct mnp_symbol *found = &program->functions[low - 1];
    return found->bytes == 0 || address - found->address < found->bytes ? found : NULL;
}

void mnp_program_release(struct mnp_program *program)
{
    free(program->functions);
    free(program->file);
    memset(program, 0, sizeof *program);
}
