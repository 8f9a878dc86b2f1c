/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces as Accel-Sim 2.0 keeps them (.tracez), put together here from the published layout: they read as the text that
 * they hold, whatever their pieces and with or without a dictionary; damaged ones are refused with their place.
 */
#include "folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zdict.h>
#include <zstd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct bytes {
    unsigned char at[1 << 16];
    size_t length;
};

static void put(struct bytes *bytes, uint64_t number, int size)
{
    for (int i = 0; i < size; i++)
        bytes->at[bytes->length++] = (unsigned char)(number >> 8 * i);
}

static void put_text(struct bytes *bytes, const char *text, size_t length)
{
    memcpy(bytes->at + bytes->length, text, length);
    bytes->length += length;
}

struct layout {
    const char *header;
    uint32_t grid, warps, lines_of_piece;
    uint32_t cluster; /* blocks of a cluster along x */
    bool dictionary, last_first;
    const char *lines[64]; /* of each warp */
    uint32_t count;
};

static size_t train(const struct layout *layout, char *dictionary, size_t room)
{
    char samples[1 << 14];
    size_t sizes[512], used = 0, count = 0;
    for (; count < 512; count++) {
        const char *line = layout->lines[count % layout->count];
        sizes[count] = strlen(line) < 31 ? strlen(line) : 31;
        memcpy(samples + used, line, sizes[count]);
        used += sizes[count];
    }
    size_t size = ZDICT_trainFromBuffer(dictionary, room, samples, sizes, (unsigned)count);
    assert_false(ZDICT_isError(size));
    return size;
}

/* Every warp has all lines. `joined`: pieces end without their last line's end, as the published writer has them. */
static struct bytes make(const struct layout *layout)
{
    struct bytes file = {.length = 0}, index = {.length = 0};
    char dictionary[4096], piece[4096], packed[8192];
    size_t size = layout->dictionary ? train(layout, dictionary, sizeof dictionary) : 0;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    put_text(&file, layout->header, strlen(layout->header) + 1);
    put(&file, size, 4);
    put(&file, layout->lines_of_piece, 4);
    put_text(&file, dictionary, size);
    put(&index, layout->grid, 4);
    for (uint32_t i = 0; i < layout->grid; i++) {
        uint32_t block = layout->last_first ? layout->grid - 1 - i : i, within = block % layout->cluster;
        uint64_t numbers[] = {block, 0, 0, block / layout->cluster, 0, 0, within, 0, 0, within, layout->warps};
        for (size_t n = 0; n < COUNT(numbers); n++)
            put(&index, numbers[n], 4);
        for (uint32_t warp = 0; warp < layout->warps; warp++) {
            uint32_t each = layout->lines_of_piece, pieces = (layout->count + each - 1) / each;
            for (int twice = 0; twice < 2; twice++) {
                put(twice ? &file : &index, layout->count, 4);
                put(twice ? &file : &index, pieces, 4);
                if (!twice)
                    put(&index, file.length, 8);
            }
            for (uint32_t first = 0; first < layout->count; first += each) {
                uint32_t some = first + each <= layout->count ? each : layout->count - first;
                size_t used = 0;
                for (uint32_t l = 0; l < some; l++)
                    used += (size_t)snprintf(piece + used, sizeof piece - used, "%s%s", l ? "\n" : "",
                                             layout->lines[first + l]);
                size_t bytes =
                    ZSTD_compress_usingDict(context, packed, sizeof packed, piece, used, dictionary, size, 3);
                put(&file, bytes, 4);
                put_text(&file, packed, bytes);
                put(&index, some, 4);
            }
        }
    }
    uint64_t at = file.length;
    put_text(&file, (const char *)index.at, index.length);
    put(&file, at, 8);
    ZSTD_freeCCtx(context);
    return file;
}

#define HEADER_SIX HEADER_OF("(4,1,1)", "(64,1,1)", "6")

static const struct layout six = {
    .header = HEADER_SIX,
    .grid = 4,
    .warps = 2,
    .lines_of_piece = 3,
    .cluster = 2,
    .count = 16,
    .lines = {
        "0000 ffffffff 1 R1 LDC 1 R255 0 40 NoVal", "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 NoVal",
        "0020 00000001 0 SYNCS.EXCH.64 2 UR4 UR6 8 0 0x10 0 Val 1 00000010 1 7ffff800001ffffe",
        "0030 00000001 0 UTMALDG.2D 2 UR8 UR4 32 10 0 128 0 4 0x700000000080 4 32 32 32 0 0 NoVal",
        "0040 00000001 0 UTMALDG.2D.MULTICAST 2 UR8 UR4 32 10 1 3 64 32 3 2 0x80 0xa0 0 NoVal",
        "0050 ffffffff 0 REPLAY_START 0 0 0 NoVal",
        "0050 00000003 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R2 R3 8 2 0x10 0 0 Val 1 0 1 10 1 80000000",
        "0050 ffffffff 0 REPLAY_END 0 0 0 NoVal", "0060 ffffffff 1 R24 HGMMA.64x8x16.F32 1 R24 0 0 0 NoVal",
        "0070 ffffffff 1 R24 HGMMA.64x8x16.F32 1 R24 1 0 0 NoVal", "0080 ffffffff 0 WARPGROUP.DEPBAR.LE 0 0 0 0 NoVal",
        "0090 ffffffff 0 BAR.SYNC 0 0 1 64 NoVal",
        "00a0 ffffffff 0 BAR.SYNC 1 R5 0 64 0 Val 32 0 1 2 3 4 5 6 7 8 9 a b c d e f 0 1 2 3 4 5 6 7 8 9 a b c d e f",
        "00b0 ffffffff 0 UBLKCP.S.G 2 UR4 UR6 32 10 0 32 0 4 0x2000 1 0 NoVal",
        "00c0 ffffffff 1 R6 LDS 1 R7 4 1 0x0 4 0 NoVal", "00d0 ffffffff 0 EXIT 0 0 0 NoVal"}};

static bool read_bytes(const struct folder *folder, const struct bytes *file, struct totals *totals,
                       struct mnp_error *error)
{
    static const char list[] = "kernel-1.tracez\n";
    folder_write(folder, "kernel-1.tracez", file->at, file->length);
    *error = (struct mnp_error){0};
    return read_trace(folder_write(folder, "kernelslist.g", list, strlen(list)), false, totals, error);
}

/* The same as plain text. */
static void read_text(const struct folder *folder, const struct layout *layout, struct totals *totals)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct mnp_error error = {{0}};
    fputs(layout->header, out);
    for (uint32_t block = 0; block < layout->grid; block++) {
        fprintf(out, "\n#BEGIN_TB\n\nthread block = %u,0,0\ncluster id = 0,0,0\n\n", block);
        for (uint32_t warp = 0; warp < layout->warps; warp++) {
            fprintf(out, "warp = %u\ninsts = %u\n", warp, layout->count);
            for (uint32_t i = 0; i < layout->count; i++)
                fprintf(out, "%s\n", layout->lines[i]);
            fputc('\n', out);
        }
        fputs("#END_TB\n", out);
    }
    fclose(out);
    assert_true(read_trace(folder_write_kernel(folder, text), false, totals, &error));
    free(text);
}

static void test_reads_as_text(void **state)
{
    const struct folder *folder = *state;
    struct totals text, warps;
    struct mnp_error error;
    read_text(folder, &six, &text);
    assert_int_equal(text.records, 4 * 2 * 14); /* without the two lines that are no instructions */
    assert_int_equal(text.ctas, 4);
    for (uint32_t way = 0; way < 12; way++) {
        static const uint32_t lines[] = {1, 3, 2048};
        struct layout layout = six;
        layout.lines_of_piece = lines[way % 3];
        layout.dictionary = way / 3 & 1;
        layout.last_first = way / 6;
        struct bytes file = make(&layout);
        if (!read_bytes(folder, &file, &warps, &error))
            fail_msg("way %u: %s", way, error.text);
        assert_memory_equal(&warps, &text, sizeof text);
    }
}

/* What is cut off anywhere is refused, with the file's name and what to do. */
static void test_cut_off(void **state)
{
    struct bytes whole = make(&six);
    for (size_t length = 0; length < whole.length; length += whole.length - length < 80 ? 1 : 13) {
        struct bytes cut = whole;
        struct totals totals;
        struct mnp_error error;
        cut.length = length;
        assert_false(read_bytes(*state, &cut, &totals, &error));
        assert_non_null(strstr(error.text, "kernel-1.tracez"));
        assert_non_null(strstr(error.text, "trace again"));
    }
}

/* A byte that changed is refused, or changes what is read, or nothing; but nothing else happens. */
static void test_changed_bytes(void **state)
{
    struct bytes whole = make(&six);
    uint32_t refused = 0, tried = 0;
    for (size_t at = 0; at < whole.length; at += 11) {
        struct bytes changed = whole;
        struct totals totals;
        struct mnp_error error;
        changed.at[at] ^= (unsigned char)(1 + at % 255);
        bool good = read_bytes(*state, &changed, &totals, &error);
        assert_int_equal(good, error.text[0] == 0);
        refused += !good;
        tried++;
    }
    assert_true(refused > tried / 2);
}

static void refuse(void **state, const struct layout *layout, const char *what)
{
    struct bytes file = make(layout);
    struct totals totals;
    struct mnp_error error;
    assert_false(read_bytes(*state, &file, &totals, &error));
    if (!strstr(error.text, what))
        fail_msg("expected '%s' in: %s", what, error.text);
}

/* What is wrong with a line is told with its block, warp and instruction. */
static void test_lines(void **state)
{
    static const struct {
        const char *line, *what;
    } cases[] = {
        {"0030 00000001 0 UTMALDG.2D 2 UR8 UR4 32 10 0 128 0 4 0x80 4 32 32 0 NoVal",
         "thread block = 0,0,0, warp 0, instruction 4: expected the group of a product, or the bytes and addresses"},
        {"0030 00000001 0 UTMALDG.2D 2 UR8 UR4 32 10 2 128 0 4 0x80 1 0 NoVal", "expected the group of a product"},
        {"0030 00000001 0 UTMALDG.2D 2 UR8 UR4 32 10 0 128 0 1 0x80 1 0 NoVal", "expected the group of a product"},
        {"0030 ffffffff 1 R24 HGMMA.64x8x16.F32 1 R24 2 0 0 NoVal", "instruction 4: expected the group"},
        {"0030 ffffffff 1 R24 HGMMA.64x8x16.F32 1 R24 0 NoVal", "instruction 4: expected the group"},
        {"0030 ffffffff 1 R4 MOV 0 0 0 Nothing", "instruction 4: expected an immediate or two"},
        {"0030 ffffffff 1 R4 MOV 0 0 0 Val 2 1 1", "expected an immediate or two"},
        {"0030 ffffffff 1 R4 MOV 0 0 0 Val 32 1 1", "expected an immediate or two"},
        {"0030 ffffffff 1 R4 MOV 0 0 0 NoVal 7", "expected an immediate or two"},
        {"0030 ffffffff 1 Q4 MOV 0 0 0 NoVal", "instruction 4: expected 'n [destinations] opcode"},
        {"0030 ffffffff 1 R4 FROB 0 0 0 NoVal", "instruction 4: opcode FROB is not known"},
        {"0030 ffffffff 1 R4 LDG.E 1 R2 4 7 0x1000 4 0 NoVal", "instruction 4: expected a memory width"},
        {"#END_TB", "instruction 4: an empty line is missing"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct layout layout = six;
        layout.lines[3] = cases[i].line;
        refuse(state, &layout, cases[i].what);
    }
}

static void test_index(void **state)
{
    struct layout layout = six;
    layout.grid = 3;
    refuse(state, &layout, "the index has 3 of the 4 thread blocks");
    layout = six;
    layout.warps = 1;
    refuse(state, &layout, "another number of warps than its threads make");
    layout = six;
    layout.cluster = 3; /* of which the grid is no multiple */
    refuse(state, &layout, "the grid is no multiple of its clusters");
}

/* A frame that states gigabytes is not believed. */
static void test_bomb(void **state)
{
    struct bytes file = make(&six);
    static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    unsigned char *frame = memmem(file.at, file.length, magic, sizeof magic);
    assert_non_null(frame);
    static const unsigned char single_of_8_bytes[] = {0xe0, 0, 0, 0, 0x40, 0, 0, 0, 0};
    memcpy(frame + 4, single_of_8_bytes, sizeof single_of_8_bytes);
    struct totals totals;
    struct mnp_error error;
    assert_false(read_bytes(*state, &file, &totals, &error));
    assert_non_null(strstr(error.text, "states a size that its bytes cannot hold"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_as_text), cmocka_unit_test(test_cut_off), cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_lines),         cmocka_unit_test(test_index),   cmocka_unit_test(test_bomb),
    };
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
