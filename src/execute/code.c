/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/code.h"

#include <stdlib.h>

void execute_code_release(struct execute_code *code)
{
    struct mnp_array *arrays[] = {&code->ops,   &code->functions,  &code->list,     &code->targets,
                                  &code->calls, &code->transfers,  &code->matrices, &code->constants,
                                  &code->wide,  &code->parameters, &code->bank};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        mnp_array_release(arrays[i]);
    free(code->function_index);
}
