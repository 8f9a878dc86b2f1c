/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/operations/sass.h"

static const struct row {
    const char *name;
    enum isa_opcode opcode;
} rows[PTX_SASS_COUNT] = {
#define X(enumerator, mnemonic, text) [PTX_SASS_##enumerator] = {text, ISA_##mnemonic},
    PTX_SASS_LIST(X)
#undef X
};

const char *ptx_sass_text(uint8_t sass)
{
    return rows[sass].name;
}

const struct isa_opcode_row *ptx_sass_opcode(uint8_t sass)
{
    return &isa_opcodes[rows[sass].opcode];
}
