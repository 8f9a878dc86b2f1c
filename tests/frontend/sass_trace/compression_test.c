/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed traces: each coding, several streams one behind another, and damaged ones. */
#include "folder.h"

#include "base/arena.h"
#include "base/input.h"

#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

enum { ROOM = 1 << 20, CODINGS = 3 };

struct bytes {
    unsigned char data[ROOM];
    size_t size;
};

static void add_gzip(struct bytes *to, const void *data, size_t size)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)data, .avail_in = (uInt)size};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_out = to->data + to->size;
    z.avail_out = (uInt)(ROOM - to->size);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    to->size = ROOM - z.avail_out;
    deflateEnd(&z);
}

static void add_xz(struct bytes *to, const void *data, size_t size)
{
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, data, size, to->data, &to->size, ROOM),
                     LZMA_OK);
}

static void add_zstd(struct bytes *to, const void *data, size_t size)
{
    size_t got = ZSTD_compress(to->data + to->size, ROOM - to->size, data, size, 3);
    assert_false(ZSTD_isError(got));
    to->size += got;
}

static const struct {
    const char *name, *ending;
    void (*add)(struct bytes *to, const void *data, size_t size);
} codings[CODINGS] = {{"gzip", ".gz", add_gzip}, {"xz", ".xz", add_xz}, {"zstd", ".zst", add_zstd}};

/* A kernel of many blocks: text enough for several buffers. */
static char *make_kernel(uint32_t blocks)
{
    char *text = mnp_allocate(1, (size_t)blocks * 160 + 1024);
    int used = sprintf(text,
                       "-grid dim = (%u,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 5\n"
                       "-enable lineinfo = 0\n\n",
                       blocks);
    for (uint32_t i = 0; i < blocks; i++)
        used += sprintf(text + used,
                        "#BEGIN_TB\n\nthread block = %u,0,0\n\nwarp = 0\ninsts = 2\n"
                        "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4 0 \n0010 ffffffff 0 EXIT 0 0 0 \n\n#END_TB\n\n",
                        i, i * 2654435761u);
    return text;
}

static void expect_same(const char *list, const struct totals *plain)
{
    struct totals totals;
    struct mnp_error error = {{0}};
    if (!read_trace(list, false, &totals, &error))
        fail_msg("%s", error.text);
    assert_int_equal(totals.records, plain->records);
    assert_int_equal(totals.digest, plain->digest);
}

static void test_codings(void **state)
{
    const struct folder *folder = *state;
    struct totals plain;
    struct mnp_error error = {{0}};
    char *text = make_kernel(6000);
    size_t length = strlen(text);
    assert_true(read_trace(folder_write_kernel(folder, text), false, &plain, &error));
    struct bytes *file = mnp_allocate(1, sizeof *file);
    for (int i = 0; i < CODINGS; i++) {
        for (int streams = 1; streams <= 3; streams++) {
            char name[64];
            file->size = 0;
            for (int piece = 0; piece < streams; piece++) {
                size_t from = length * (size_t)piece / (size_t)streams,
                       to = length * (size_t)(piece + 1) / (size_t)streams;
                codings[i].add(file, text + from, to - from);
            }
            codings[i].add(file, "", 0); /* an empty stream is one, too */
            /* The list names it with its ending, without it, and under a wrong one: the content decides. */
            snprintf(name, sizeof name, "k%d%s\n", i, codings[i].ending);
            name[strlen(name) - 1] = 0;
            folder_write(folder, name, file->data, file->size);
            expect_same(folder_write(folder, "kernelslist.g", name, strlen(name)), &plain);
            expect_same(folder_write(folder, "kernelslist.g", name, 2), &plain);
            folder_write(folder, "wrong.txt", file->data, file->size);
            expect_same(folder_write(folder, "kernelslist.g", "wrong.txt", 9), &plain);
        }
    }
    free(file);
    free(text);
}

/* A file cut anywhere, or with a wrong byte, must not be taken for a whole one. */
static void test_damage(void **state)
{
    const struct folder *folder = *state;
    char *text = make_kernel(200);
    size_t length = strlen(text);
    struct bytes *file = mnp_allocate(1, sizeof *file);
    for (int i = 0; i < CODINGS; i++) {
        file->size = 0;
        codings[i].add(file, text, length);
        const char *list = folder_write(folder, "kernelslist.g", "cut", 3);
        char kept[512], expected[64];
        snprintf(kept, sizeof kept, "%s", list);
        snprintf(expected, sizeof expected, "the %s data are corrupt or truncated", codings[i].name);
        for (size_t size = 8; size < file->size; size += 1 + file->size / 97) {
            struct totals totals;
            struct mnp_error error = {{0}};
            folder_write(folder, "cut", file->data, size);
            assert_false(read_trace(kept, false, &totals, &error));
            if (!strstr(error.text, expected) || !strchr(error.text, ';'))
                fail_msg("%s", error.text);
        }
        file->data[file->size / 2] ^= 0x55;
        file->data[file->size / 2 + 1] ^= 0x55;
        folder_write(folder, "cut", file->data, file->size);
        struct totals totals;
        struct mnp_error error = {{0}};
        assert_false(read_trace(kept, false, &totals, &error));
    }
    free(file);
    free(text);
}

/* Reading in pieces of any size gives the same bytes. */
static void test_pieces(void **state)
{
    const struct folder *folder = *state;
    char *text = make_kernel(300);
    size_t length = strlen(text);
    struct bytes *file = mnp_allocate(1, sizeof *file);
    char *got = mnp_allocate(1, length + 64);
    for (int i = 0; i <= CODINGS; i++) {
        file->size = 0;
        if (i < CODINGS)
            codings[i].add(file, text, length);
        const char *path =
            folder_write(folder, "piece", i < CODINGS ? (void *)file->data : text, i < CODINGS ? file->size : length);
        struct mnp_error error = {{0}};
        struct mnp_input *input = mnp_input_open(path, &error);
        assert_non_null(input);
        size_t used = 0;
        int64_t bytes;
        for (size_t size = 1; (bytes = mnp_input_read(input, got + used, size % 61 + 1, &error)) > 0; size += 7)
            used += (size_t)bytes;
        assert_int_equal(bytes, 0);
        assert_int_equal(mnp_input_read(input, got, 1, &error), 0);
        assert_int_equal(used, length);
        assert_memory_equal(got, text, length);
        mnp_input_close(input);
    }
    free(got);
    free(file);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_codings), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
