/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/types.h"

#include <string.h>

struct type_row {
    const char *name;
    unsigned bytes;
};

static const struct type_row rows[EXECUTE_TYPE_COUNT] = {[EXECUTE_NO_TYPE] = {"", 0},
#define X(name, bytes) [EXECUTE_##name] = {#name, bytes},
                                                         EXECUTE_TYPES(X)
#undef X
};

unsigned execute_type_bytes(enum execute_type type)
{
    return rows[type].bytes;
}

const char *execute_type_name(enum execute_type type)
{
    return rows[type].name;
}

enum execute_type ptx_type_of(const char *word, size_t length)
{
    for (int type = 1; type < EXECUTE_TYPE_COUNT; type++)
        if (strlen(rows[type].name) == length && memcmp(rows[type].name, word, length) == 0)
            return (enum execute_type)type;
    return EXECUTE_NO_TYPE;
}
