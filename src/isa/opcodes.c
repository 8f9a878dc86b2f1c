/* SPDX-License-Identifier: BSD-3-Clause */
#include "isa/opcodes.h"

#include <string.h>

/* Flags as the rows have them. */
enum {
    BARRIER = MNP_FLAG_BARRIER,
    BRANCH = MNP_FLAG_BRANCH,
    EXIT = MNP_FLAG_EXIT,
    FENCE = MNP_FLAG_FENCE,
    PREDICATE = MNP_FLAG_PREDICATE
};

const struct isa_opcode_row isa_opcodes[ISA_OPCODE_COUNT] = {
#define X(mnemonic, group, memory, access, properties, registers, first)                                               \
    {.name = #mnemonic,                                                                                                \
     .class = MNP_CLASS_##group,                                                                                       \
     .space = MNP_SPACE_##memory,                                                                                      \
     .operation = MNP_##access,                                                                                        \
     .flags = properties,                                                                                              \
     .operands = ISA_OPERANDS_##registers,                                                                             \
     .from = first},
    ISA_OPCODES(X)
#undef X
};

bool isa_opcode_copies(uint16_t opcode)
{
    return opcode == ISA_UTMALDG || opcode == ISA_UTMASTG || opcode == ISA_UTMAPF || opcode == ISA_UTMAREDG ||
           opcode == ISA_UBLKCP || opcode == ISA_UBLKPF || opcode == ISA_UBLKRED;
}

const struct isa_opcode_row *isa_opcode_find(const char *name, size_t length)
{
    uint32_t low = 0, high = ISA_OPCODE_COUNT;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = strncmp(name, isa_opcodes[middle].name, length);
        if (order == 0 && isa_opcodes[middle].name[length])
            order = -1;
        if (order == 0)
            return &isa_opcodes[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
