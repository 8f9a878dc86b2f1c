/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/types.h"

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
