/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependency: liblzma, one call for a whole file. */
#include "base/packed.h"

#include <lzma.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Memory is mapped, not taken from malloc: after a program has freed a large block, malloc serves later large requests
 * from its heap, and every calloc of them would have to clear the block. */
enum { HEAD = 64 }; /* bytes in front of a block, which hold its mapped size; 64 keeps the alignment of malloc */

static void *map(void *unused, size_t count, size_t size)
{
    (void)unused;
    size_t bytes = count * size + HEAD; /* cannot overflow: liblzma's requests and the tables are bounded */
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return (char *)block + HEAD;
}

static void unmap(void *unused, void *block)
{
    (void)unused;
    if (!block)
        return;
    void *start = (char *)block - HEAD;
    size_t bytes;
    memcpy(&bytes, start, sizeof bytes);
    munmap(start, bytes);
}

char *mnp_unpack(const struct mnp_packed *table, const char *name, const char **why)
{
    static const lzma_allocator allocator = {.alloc = map, .free = unmap};
    *why = NULL;
    while (table->name && strcmp(table->name, name) != 0)
        table++;
    if (!table->name)
        return NULL;
    uint64_t limit = UINT64_MAX;
    size_t from = 0, to = 0;
    char *text = map(NULL, table->characters + 1, 1);
    lzma_ret result = !text ? LZMA_MEM_ERROR
                            : lzma_stream_buffer_decode(&limit, 0, &allocator, table->bytes, &from, table->count,
                                                        (uint8_t *)text, &to, table->characters);
    if (result == LZMA_OK && to == table->characters) {
        text[to] = 0;
        return text;
    }
    mnp_unpacked_free(text);
    *why = result == LZMA_MEM_ERROR ? "there is no memory to unpack it" : "it is damaged in this program's file";
    return NULL;
}

void mnp_unpacked_free(char *text)
{
    unmap(NULL, text);
}
