/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/code/code.h"

#include "base/arena.h"
#include "execute/code/share.h"
#include "execute/code/timing.h"

#include <stdlib.h>
#include <string.h>

struct execute_code *execute_code_create(const struct execute_module *module)
{
    struct execute_code *code = mnp_allocate(1, sizeof *code);
    code->module = module;
    code->table = execute_words_best();
    mnp_array_add(&code->list, 1, sizeof(uint32_t));
    mnp_array_add(&code->targets, 1, sizeof(uint32_t));
    mnp_array_add(&code->transfers, 1, sizeof(struct execute_transfer));
    mnp_array_add(&code->wide, 1, sizeof(uint64_t));
    return code;
}

void execute_code_release(struct execute_code *code)
{
    struct mnp_array *arrays[] = {&code->ops,   &code->functions,  &code->list,     &code->targets,
                                  &code->calls, &code->transfers,  &code->matrices, &code->constants,
                                  &code->wide,  &code->parameters, &code->bank};
    execute_share_release(code);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        mnp_array_release(arrays[i]);
    free(code->function_index);
    execute_timing_drop(code->timing);
}

bool execute_launches_kernels(const char *function)
{
    static const char *const beginnings[] = {"cudaLaunchDevice", "cudaGetParameterBuffer", "__cudaCDP2"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(function, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}
