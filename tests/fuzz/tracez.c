/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of traces by warps (.tracez). Compression would keep a fuzzer out, so the first byte says which part of a
 * file its bytes stand for, and the rest is made to match: the header; the texts of the warps, one behind another with
 * a zero byte between them; the index; or changes of a good file, each two bytes of place and one of value.
 */
#include "kernel_file.h"
#include "memory_file.h"

#include "execute/trace/tracez.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum part { PART_HEADER, PART_TEXTS, PART_INDEX, PART_CHANGES, PARTS };
enum { BLOCKS = 2, WARPS = 2 };

static const char header[] =
    "-kernel name = test\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 8\n"
    "-binary version = 80\n-cuda stream id = 0\n-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n"
    "-accelsim tracer version = 6\n-enable lineinfo = 0\n\n#traces format = none\n";
static const char lines[] = "0000 ffffffff 1 R1 LDC 1 R255 0 40 NoVal\n"
                            "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 NoVal\n"
                            "0020 ffffffff 0 BAR.SYNC 0 0 1 64 NoVal\n"
                            "0030 ffffffff 0 EXIT 0 0 0 NoVal\n";

struct text {
    const char *bytes;
    size_t length;
};

static uint64_t count_lines(const struct text *text)
{
    uint64_t count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += text->bytes[i] == '\n';
    return count;
}

/* A file of two blocks with two warps each. */
static void write_file(FILE *out, const struct text *head, const struct text texts[BLOCKS * WARPS])
{
    fwrite(head->bytes, 1, head->length, out);
    struct execute_tracez *tracez = execute_tracez_open(out);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        execute_tracez_block(tracez,
                             &(struct execute_tracez_block){.number = i, .place = {i}, .cluster = {i}, .warps = WARPS});
        for (uint32_t w = 0; w < WARPS; w++) {
            const struct text *text = &texts[i * WARPS + w];
            execute_tracez_warp(tracez, text->bytes, text->length, count_lines(text));
        }
    }
    execute_tracez_close(tracez);
}

/* The texts of the warps: the input's, as far as it goes, each ended by a line's end. */
static void split(const uint8_t *data, size_t size, struct text texts[BLOCKS * WARPS])
{
    for (int i = 0; i < BLOCKS * WARPS && size > 0; i++) {
        const uint8_t *end = memchr(data, 0, size);
        size_t length = end ? (size_t)(end - data) : size, taken = length + (end != NULL);
        while (length > 0 && data[length - 1] != '\n')
            length--;
        texts[i] = (struct text){(const char *)data, length};
        data += taken;
        size -= taken;
    }
}

/* Puts the input in place of the index, or over bytes of the file. */
static char *spoil(enum part part, const uint8_t *data, size_t size, char *file, size_t *length)
{
    uint64_t index;
    if (part == PART_CHANGES) {
        for (; size >= 3; data += 3, size -= 3)
            file[(size_t)(data[0] | data[1] << 8) % *length] = (char)data[2];
        return file;
    }
    memcpy(&index, file + *length - sizeof index, sizeof index);
    char *other = mnp_allocate(index + size + sizeof index, 1);
    memcpy(other, file, index);
    memcpy(other + index, data, size);
    memcpy(other + index + size, &index, sizeof index);
    *length = index + size + sizeof index;
    free(file);
    return other;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text head = {header, sizeof header - 1}, texts[BLOCKS * WARPS];
    struct memory_file memory;
    char *file = NULL;
    size_t length = 0;
    if (size == 0)
        return 0;
    enum part part = data[0] % PARTS;
    for (int i = 0; i < BLOCKS * WARPS; i++)
        texts[i] = (struct text){lines, sizeof lines - 1};
    if (part == PART_HEADER)
        head = (struct text){(const char *)data + 1, size - 1};
    if (part == PART_TEXTS)
        split(data + 1, size - 1, texts);
    FILE *out = open_memstream(&file, &length);
    write_file(out, &head, texts);
    fclose(out);
    if (part == PART_INDEX || part == PART_CHANGES)
        file = spoil(part, data + 1, size - 1, file, &length);
    memory_file_open(&memory, (const uint8_t *)file, length);
    read_kernel_file(memory.path, size & 1, size % 8 == 0);
    memory_file_close(&memory);
    free(file);
    return 0;
}
