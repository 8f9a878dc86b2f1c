/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/code/kinds.h"

#include "contract/instruction.h"

#include <stddef.h>

enum { MNP_CLASS_OPCODE = EXECUTE_CLASS_OPCODE };

/* Flags as the rows have them. */
enum {
    FLOW = EXECUTE_IS_FLOW,
    FOR_ALL = EXECUTE_IS_FOR_ALL,
    PURE = EXECUTE_IS_PURE,
    DIVIDER = EXECUTE_IS_DIVIDER,
    CONSTANTS = EXECUTE_IS_CONSTANTS,
    ACCESS = EXECUTE_IS_ACCESS
};

const struct execute_kind_row execute_kinds[EXECUTE_KIND_COUNT] = {
#define X(enumerator, text, group, effect, properties, opcode, executor)                                               \
    [EXECUTE_KIND_##enumerator] = {.name = text,                                                                       \
                                   .class = MNP_CLASS_##group,                                                         \
                                   .memory = EXECUTE_MEMORY_##effect,                                                  \
                                   .flags = properties,                                                                \
                                   .instruction = opcode},
    EXECUTE_KINDS(X)
#undef X
};

const char *execute_kind_name(uint16_t kind)
{
    return kind < EXECUTE_KIND_COUNT ? execute_kinds[kind].name : "?";
}
