/* SPDX-License-Identifier: BSD-3-Clause */
/* What the server makes of bytes: messages cut out of a stream, and launches that are checked. */
#include "offload/record.h"
#include "offload/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HEADER = sizeof(struct mnp_offload_header), REGION = 1 << 20 };

static const struct offload_limits limits = {REGION, 1u << MNP_OFFLOAD_ELF | 1u << MNP_OFFLOAD_PTX, 4096};

/* ===== streams ===== */

static size_t put(struct offload_stream *stream, uint16_t type, uint32_t sequence, uint32_t length, size_t sent)
{
    struct mnp_offload_header header = {.magic = MNP_OFFLOAD_MAGIC,
                                        .version = MNP_OFFLOAD_VERSION,
                                        .type = type,
                                        .sequence = sequence,
                                        .length = length};
    unsigned char message[HEADER + 256] = {0};
    header.check = mnp_offload_check(&header);
    memcpy(message, &header, HEADER);
    memset(message + HEADER, 0x5a, length);
    size_t room, bytes = sent < HEADER + length ? sent : HEADER + length;
    unsigned char *to = offload_stream_room(stream, &room);
    assert_true(room >= bytes);
    memcpy(to, message, bytes);
    stream->used += bytes;
    return bytes;
}

static void expect_message(struct offload_stream *stream, uint32_t sequence)
{
    struct mnp_offload_header header;
    const unsigned char *payload;
    assert_true(offload_stream_next(stream, &header, &payload));
    assert_int_equal(header.sequence, sequence);
    for (uint32_t i = 0; i < header.length; i++)
        assert_int_equal(payload[i], 0x5a);
}

static void expect_nothing(struct offload_stream *stream)
{
    struct mnp_offload_header header;
    const unsigned char *payload;
    assert_false(offload_stream_next(stream, &header, &payload));
}

static void test_messages_in_any_pieces(void **state)
{
    struct offload_stream *whole = calloc(1, sizeof *whole), *stream = calloc(1, sizeof *stream);
    (void)state;
    for (uint32_t i = 1; i <= 20; i++)
        put(whole, MNP_OFFLOAD_PING, i, i * 7 % 65, SIZE_MAX);
    for (size_t piece = 1; piece < 200; piece += 13) {
        uint32_t next = 1;
        struct mnp_offload_header header;
        const unsigned char *payload;
        memset(stream, 0, sizeof *stream);
        for (size_t at = 0; at < whole->used; at += piece) {
            size_t count = piece < whole->used - at ? piece : whole->used - at;
            memcpy(stream->bytes + stream->used, whole->bytes + at, count);
            stream->used += count;
            while (offload_stream_next(stream, &header, &payload))
                assert_int_equal(header.sequence, next++);
        }
        assert_int_equal(next, 21);
        assert_int_equal(stream->skipped, 0);
    }
    free(stream);
    free(whole);
}

static void test_rubbish_is_skipped(void **state)
{
    struct offload_stream *stream = calloc(1, sizeof *stream);
    (void)state;
    for (int i = 0; i < 1000; i++)
        stream->bytes[stream->used++] = (unsigned char)(i * 77 + i / 3);
    put(stream, MNP_OFFLOAD_PING, 5, 4, SIZE_MAX);
    expect_message(stream, 5);
    assert_int_equal(stream->skipped, 1000);
    /* A header whose check is wrong is rubbish, whatever length it states. */
    size_t at = stream->used;
    put(stream, MNP_OFFLOAD_PING, 6, 200, SIZE_MAX);
    stream->bytes[at + 24] ^= 1;
    put(stream, MNP_OFFLOAD_PING, 7, 0, SIZE_MAX);
    expect_message(stream, 7);
    expect_nothing(stream);
    free(stream);
}

static void test_hello_behind_half_a_message(void **state)
{
    struct offload_stream *stream = calloc(1, sizeof *stream);
    (void)state;
    put(stream, MNP_OFFLOAD_LAUNCH, 8, 200, 100);
    expect_nothing(stream);
    put(stream, MNP_OFFLOAD_PING, 9, 0, SIZE_MAX); /* not a HELLO: it may be the payload's */
    expect_nothing(stream);
    put(stream, MNP_OFFLOAD_HELLO, 10, 0, SIZE_MAX);
    expect_message(stream, 10);
    assert_int_equal(stream->skipped, 132);
    free(stream);
}

/* ===== launches ===== */

struct message {
    struct mnp_offload_launch launch;
    struct mnp_offload_buffer buffers[3];
    struct mnp_offload_argument arguments[2];
    char text[8];
};

static struct message good(uint32_t kind)
{
    struct message m = {.launch = {.kind = kind,
                                   .program_at = MNP_OFFLOAD_HEAD,
                                   .program_bytes = 1000,
                                   .grid = {1, 1, 1},
                                   .block = {32, 1, 1},
                                   .buffer_count = 3,
                                   .argument_count = 2,
                                   .text_bytes = 8},
                        .text = {'p', 'r', 'o', 'g', 'r', 'a', 'm', '1'}};
    for (uint32_t i = 0; i < 3; i++)
        m.buffers[i] = (struct mnp_offload_buffer){
            .at = MNP_OFFLOAD_HEAD + 4096 * (i + 1), .bytes = 4096, .flags = MNP_OFFLOAD_IN | MNP_OFFLOAD_OUT};
    m.arguments[0] = (struct mnp_offload_argument){2, 0, 0};
    m.arguments[1] = (struct mnp_offload_argument){77, 4, 0};
    return m;
}

static enum mnp_offload_status check(const struct message *m)
{
    struct offload_request *request = calloc(1, sizeof *request);
    struct mnp_error error = {0};
    enum mnp_offload_status status =
        offload_request_read((const unsigned char *)m, sizeof *m, &limits, request, &error);
    assert_int_equal(status == MNP_OFFLOAD_OK, error.text[0] == 0);
    free(request);
    return status;
}

static void test_a_good_launch(void **state)
{
    struct message m = good(MNP_OFFLOAD_PTX);
    struct offload_request *request = calloc(1, sizeof *request);
    struct mnp_error error = {0};
    (void)state;
    assert_int_equal(offload_request_read((const unsigned char *)&m, sizeof m, &limits, request, &error),
                     MNP_OFFLOAD_OK);
    assert_string_equal(request->text, "program1");
    assert_int_equal(request->buffers[2].at, MNP_OFFLOAD_HEAD + 3 * 4096);
    assert_int_equal(request->arguments[1].value, 77);
    free(request);
}

#define REFUSED(kind, status, change)                                                                                  \
    do {                                                                                                               \
        struct message m = good(kind);                                                                                 \
        if ((kind) == MNP_OFFLOAD_ELF) {                                                                               \
            m.launch.argument_count = 0;                                                                               \
            m.launch.text_bytes += sizeof m.arguments;                                                                 \
            memset(m.arguments, 'x', sizeof m.arguments);                                                              \
        }                                                                                                              \
        assert_int_equal(check(&m), MNP_OFFLOAD_OK);                                                                   \
        change;                                                                                                        \
        assert_int_equal(check(&m), status);                                                                           \
    } while (0)

static void test_places_outside(void **state)
{
    (void)state;
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REGION, m.launch.program_at = MNP_OFFLOAD_HEAD - 1);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REGION, m.launch.program_at = REGION - 999);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REGION, m.launch.program_at = UINT64_MAX - 500);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REGION, m.launch.program_bytes = UINT64_MAX);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REGION, m.buffers[1].at = 0);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REGION, m.buffers[1].at = REGION - 4095);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REGION, m.buffers[2].bytes = UINT64_MAX - 4096);
    REFUSED(MNP_OFFLOAD_PTX, MNP_OFFLOAD_BAD_REGION, m.buffers[0].at = UINT64_MAX);
    struct message m = good(MNP_OFFLOAD_PTX); /* up to the last byte is inside */
    m.buffers[2].at = REGION - 4096;
    assert_int_equal(check(&m), MNP_OFFLOAD_OK);
}

static void test_fields_that_make_no_sense(void **state)
{
    (void)state;
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.launch.kind = 0);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.launch.kind = 40);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.launch.cores = 4097);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.launch.buffer_count = MNP_OFFLOAD_BUFFERS + 1);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_MESSAGE, m.launch.buffer_count = 2);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.launch.text_bytes = UINT32_MAX);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.text[3] = 0);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.buffers[1].at = m.buffers[0].at + 4095);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.buffers[0].flags = 0);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.buffers[0].flags |= 64);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.buffers[0].flags |= MNP_OFFLOAD_SPREAD);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.buffers[0].flags |= MNP_OFFLOAD_PRIVATE);
    REFUSED(MNP_OFFLOAD_ELF, MNP_OFFLOAD_BAD_REQUEST, m.buffers[0].bytes = 0);
    REFUSED(MNP_OFFLOAD_PTX, MNP_OFFLOAD_BAD_REQUEST, m.buffers[0].address = 4);
    REFUSED(MNP_OFFLOAD_PTX, MNP_OFFLOAD_BAD_REQUEST, m.launch.grid[2] = 0);
    REFUSED(MNP_OFFLOAD_PTX, MNP_OFFLOAD_BAD_REQUEST, m.arguments[0].value = 3);
    REFUSED(MNP_OFFLOAD_PTX, MNP_OFFLOAD_BAD_REQUEST, m.arguments[1].bytes = 3);
    REFUSED(MNP_OFFLOAD_PTX, MNP_OFFLOAD_BAD_REQUEST, m.arguments[1].zero = 1);
}

/* ===== records ===== */

/* Any number of launches: the latest are listed, sums are of all, and the log has few lines of those refused. */
static void test_records_are_bounded(void **state)
{
    (void)state;
    enum { MORE = 1000, ALL = OFFLOAD_ROWS + MORE };
    char *text = NULL;
    size_t length = 0, lines = 0;
    struct offload_records records = {.log = open_memstream(&text, &length)};
    for (uint32_t i = 0; i < ALL; i++)
        offload_records_add(&records, &(struct offload_record){.sequence = i, .cycles = 1, .status = i % 2}, true);
    const struct offload_record *rows = records.rows.items;
    assert_int_equal(records.rows.count, OFFLOAD_ROWS);
    assert_int_equal(rows[records.oldest].sequence, MORE);
    assert_int_equal(rows[records.oldest - 1].sequence, ALL - 1);
    assert_int_equal(records.count, ALL);
    assert_int_equal(records.sum.cycles, ALL);
    assert_int_equal(records.failed, ALL / 2);
    fclose(records.log);
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, OFFLOAD_REFUSALS_LOGGED + 1);
    free(text);
    mnp_array_release(&records.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_in_any_pieces),
        cmocka_unit_test(test_rubbish_is_skipped),
        cmocka_unit_test(test_hello_behind_half_a_message),
        cmocka_unit_test(test_a_good_launch),
        cmocka_unit_test(test_places_outside),
        cmocka_unit_test(test_fields_that_make_no_sense),
        cmocka_unit_test(test_records_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
