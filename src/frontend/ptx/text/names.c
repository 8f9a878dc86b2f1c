/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/text/names.h"

#include <string.h>

enum execute_type ptx_type_of(const char *word, size_t length)
{
    for (int type = 1; type < EXECUTE_f16x4; type++) { /* later types have no name in PTX */
        const char *name = execute_type_name((enum execute_type)type);
        if (strlen(name) == length && memcmp(name, word, length) == 0)
            return (enum execute_type)type;
    }
    return EXECUTE_NO_TYPE;
}
