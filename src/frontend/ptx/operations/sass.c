/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/operations/sass.h"

#include "contract/instruction.h"

static const struct row {
    const char *name;
    uint8_t class;
} rows[PTX_SASS_COUNT] = {
#define X(enumerator, text, group) [PTX_SASS_##enumerator] = {text, MNP_CLASS_##group},
    PTX_SASS_LIST(X)
#undef X
};

const char *ptx_sass_text(uint8_t sass)
{
    return rows[sass].name;
}

uint8_t ptx_sass_class(uint8_t sass)
{
    return rows[sass].class;
}
