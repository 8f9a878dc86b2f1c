/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependency: liblzma, one call for a whole file. */
#include "base/packed.h"

#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

char *mnp_unpack(const struct mnp_packed *table, const char *name, const char **why)
{
    *why = NULL;
    while (table->name && strcmp(table->name, name) != 0)
        table++;
    if (!table->name)
        return NULL;
    uint64_t limit = UINT64_MAX;
    size_t from = 0, to = 0;
    char *text = malloc(table->characters + 1);
    lzma_ret result = !text ? LZMA_MEM_ERROR
                            : lzma_stream_buffer_decode(&limit, 0, NULL, table->bytes, &from, table->count,
                                                        (uint8_t *)text, &to, table->characters);
    if (result == LZMA_OK && to == table->characters) {
        text[to] = 0;
        return text;
    }
    free(text);
    *why = result == LZMA_MEM_ERROR ? "there is no memory to unpack it" : "it is damaged in this program's file";
    return NULL;
}
