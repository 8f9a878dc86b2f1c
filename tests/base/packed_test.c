/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that are built in compressed: found by name; a damaged or shortened one is reported. */
#include "base/packed.h"

#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n";

static size_t pack(unsigned char *to, size_t room)
{
    size_t at = 0;
    assert_int_equal(
        lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text, strlen(text), to, &at, room),
        LZMA_OK);
    return at;
}

static void test_found(void **state)
{
    (void)state;
    unsigned char bytes[512];
    const struct mnp_packed table[] = {
        {"other", (const unsigned char *)"", 0, 0}, {"one", bytes, pack(bytes, sizeof bytes), strlen(text)}, {0}};
    const char *why = "";
    char *found = mnp_unpack(table, "one", &why);
    assert_non_null(found);
    assert_null(why);
    assert_string_equal(found, text);
    mnp_unpacked_free(found);
    assert_null(mnp_unpack(table, "two", &why));
    assert_null(why);
}

static void test_damaged(void **state)
{
    (void)state;
    unsigned char bytes[512];
    size_t count = pack(bytes, sizeof bytes);
    for (size_t i = 0; i < count; i++) { /* any byte changed, or any number of bytes at the end missing */
        struct mnp_packed table[] = {{"one", bytes, count, strlen(text)}, {"short", bytes, i, strlen(text)}, {0}};
        const char *why;
        bytes[i] ^= 0x55;
        assert_null(mnp_unpack(table, "one", &why));
        assert_string_equal(why, "it is damaged in this program's file");
        bytes[i] ^= 0x55;
        assert_null(mnp_unpack(table, "short", &why));
        assert_non_null(why);
    }
    struct mnp_packed table[] = {{"one", bytes, count, strlen(text) - 1}, {0}};
    const char *why;
    assert_null(mnp_unpack(table, "one", &why));
    assert_non_null(why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_found), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
