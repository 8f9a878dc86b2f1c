/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/types.h"

#include <string.h>

struct type_row {
    const char *name;
    unsigned bytes;
};

static const struct type_row rows[PTX_TYPE_COUNT] = {[PTX_NO_TYPE] = {"", 0},
#define X(name, bytes) [PTX_##name] = {#name, bytes},
                                                     PTX_TYPES(X)
#undef X
};

unsigned ptx_type_bytes(enum ptx_type type)
{
    return rows[type].bytes;
}

const char *ptx_type_name(enum ptx_type type)
{
    return rows[type].name;
}

enum ptx_type ptx_type_of(const char *word, size_t length)
{
    for (int type = 1; type < PTX_TYPE_COUNT; type++)
        if (strlen(rows[type].name) == length && memcmp(rows[type].name, word, length) == 0)
            return (enum ptx_type)type;
    return PTX_NO_TYPE;
}
