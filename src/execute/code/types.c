/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/code/types.h"

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

unsigned execute_matrix_bits(enum execute_type type)
{
    switch (type) {
    case EXECUTE_b1:
        return 1;
    case EXECUTE_u4:
    case EXECUTE_s4:
        return 4;
    case EXECUTE_u8:
    case EXECUTE_s8:
    case EXECUTE_e4m3x2: /* size of one element of the pair */
    case EXECUTE_e5m2x2:
        return 8;
    case EXECUTE_f16:
    case EXECUTE_bf16:
        return 16;
    case EXECUTE_f32:
    case EXECUTE_tf32:
    case EXECUTE_s32:
        return 32;
    case EXECUTE_f64:
        return 64;
    default:
        return 0;
    }
}
