/* SPDX-License-Identifier: BSD-3-Clause */
/* Flat memory and overlays against a plain array of bytes; the order of the apply step; the hash; the bounds. */
#include "engine/memory/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { SPAN = 3 * MNP_MEMORY_PAGE, UNITS = 6, PAGES = 64 };

#define BASE (UINT64_C(0x7f0000000000) - MNP_MEMORY_PAGE / 2) /* begins inside a page */

struct model { /* what memory should be, byte by byte */
    unsigned char flat[SPAN];
    unsigned char own[UNITS][SPAN];
    bool written[UNITS][SPAN];
};

static void apply_model(struct model *model)
{
    for (uint32_t unit = 0; unit < UNITS; unit++) /* units 0 … 3 are cores, 4 and 5 slices */
        for (uint32_t i = 0; i < SPAN; i++)
            if (model->written[unit][i])
                model->flat[i] = model->own[unit][i];
    memset(model->written, 0, sizeof model->written);
}

static void apply(struct mnp_memory *memory, uint32_t shards)
{
    struct mnp_epoch_hook hook = mnp_memory_hook(memory);
    struct mnp_error error = {""};
    if (!hook.dirty(hook.context))
        return;
    for (uint32_t shard = shards; shard-- > 0;)
        hook.apply(hook.context, shard, shards);
    assert_true(hook.applied(hook.context, &error));
    assert_false(hook.dirty(hook.context));
}

static void add_overlays(struct mnp_memory *memory, struct mnp_overlay **overlay, uint32_t lines)
{
    for (uint32_t i = 0; i < UNITS; i++)
        overlay[i] = mnp_memory_add_overlay(memory, i < 4 ? MNP_OVERLAY_CORE : MNP_OVERLAY_SLICE, i, lines);
}

static void write_both(struct mnp_overlay *overlay, struct model *model, uint32_t unit, uint32_t at, uint32_t bytes)
{
    unsigned char data[40];
    for (uint32_t i = 0; i < bytes; i++) {
        data[i] = (unsigned char)rand();
        model->own[unit][at + i] = data[i];
        model->written[unit][at + i] = true;
    }
    assert_true(mnp_overlay_write(overlay, BASE + at, bytes, data));
}

static void check_read(struct mnp_overlay *overlay, const struct model *model, uint32_t unit, uint32_t at,
                       uint32_t bytes)
{
    unsigned char data[40];
    mnp_overlay_read(overlay, BASE + at, bytes, data);
    for (uint32_t i = 0; i < bytes; i++)
        assert_int_equal(data[i], model->written[unit][at + i] ? model->own[unit][at + i] : model->flat[at + i]);
}

/* Places that meet often, and some that straddle lines and pages. */
static uint32_t random_place(void)
{
    uint32_t span = rand() % 4 ? 600 : SPAN - 64;
    return (uint32_t)rand() % span + (rand() % 2 ? MNP_MEMORY_PAGE / 2 - 300 : 0) % (SPAN - 64 - span + 1);
}

static void against_bytes(void **state)
{
    (void)state;
    srand(5);
    struct model *model = mnp_allocate(1, sizeof *model);
    struct mnp_memory memory;
    struct mnp_overlay *overlay[UNITS];
    static unsigned char contents[SPAN];
    mnp_memory_init(&memory, PAGES);
    add_overlays(&memory, overlay, 2048);
    for (uint32_t epoch = 0; epoch < 300; epoch++) {
        uint32_t accesses = (uint32_t)rand() % 200;
        for (uint32_t i = 0; i < accesses; i++) {
            uint32_t unit = (uint32_t)rand() % UNITS, bytes = 1 + (uint32_t)rand() % 40;
            uint32_t at = random_place();
            if (rand() % 2)
                write_both(overlay[unit], model, unit, at, bytes);
            else
                check_read(overlay[unit], model, unit, at, bytes);
        }
        apply(&memory, 1 + epoch % 70);
        apply_model(model);
        mnp_memory_read(&memory, BASE, SPAN, contents);
        assert_memory_equal(contents, model->flat, SPAN);
    }
    mnp_memory_release(&memory);
    free(model);
}

/* Cores before slices, lower units before higher ones, and only the bytes that were written. */
static void order_of_applying(void **state)
{
    (void)state;
    struct mnp_memory memory;
    struct mnp_overlay *overlay[UNITS];
    mnp_memory_init(&memory, PAGES);
    add_overlays(&memory, overlay, 16);
    uint64_t address = 0x1000, value;
    mnp_overlay_write(overlay[4], address, 4, "AAAA"); /* the slice first in time, last in order */
    mnp_overlay_write(overlay[2], address, 8, "cccccccc");
    mnp_overlay_write(overlay[1], address + 4, 4, "bbbb");
    mnp_overlay_write(overlay[1], address + 8, 1, "b");
    mnp_overlay_write(overlay[1], address + 8, 1, "B");
    apply(&memory, 3);
    char text[10] = {0};
    mnp_memory_read(&memory, address, 9, text);
    assert_string_equal(text, "AAAAccccB");
    mnp_memory_read(&memory, UINT64_C(0xffffffffffff0000), 8, &value); /* never written */
    assert_int_equal(value, 0);
    mnp_memory_release(&memory);
}

/* Nobody sees another's writes before they are applied, and a unit sees its own at once. */
static void constant_during_an_epoch(void **state)
{
    (void)state;
    struct mnp_memory memory;
    struct mnp_overlay *overlay[UNITS];
    struct mnp_error error = {""};
    uint32_t value = 7;
    mnp_memory_init(&memory, PAGES);
    add_overlays(&memory, overlay, 16);
    assert_true(mnp_memory_write(&memory, 64, 4, &value, &error));
    value = 8;
    mnp_overlay_write(overlay[0], 64, 4, &value);
    mnp_overlay_read(overlay[1], 64, 4, &value);
    assert_int_equal(value, 7);
    mnp_overlay_read(overlay[0], 64, 4, &value);
    assert_int_equal(value, 8);
    apply(&memory, 2);
    mnp_overlay_read(overlay[1], 64, 4, &value);
    assert_int_equal(value, 8);
    assert_int_equal(mnp_overlay_lines(overlay[0]), 0);
    mnp_memory_release(&memory);
}

static void lanes(void **state)
{
    (void)state;
    struct mnp_memory memory;
    struct mnp_overlay *overlay[UNITS];
    mnp_memory_init(&memory, PAGES);
    add_overlays(&memory, overlay, 64);
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
        uint64_t addresses[32];
        unsigned char in[32][16], out[32][16];
        uint32_t mask = 0xdeadbeef;
        for (uint32_t i = 0; i < 32; i++) {
            addresses[i] = 0x8000 * bytes + (i & ~1u) * 24 * bytes; /* lanes 2i and 2i+1 meet */
            memset(in[i], (int)(i + 1), sizeof in[i]);
        }
        memset(out, 0, sizeof out);
        assert_true(mnp_overlay_write_lanes(overlay[3], mask, addresses, bytes, in, sizeof in[0]));
        mnp_overlay_read_lanes(overlay[3], mask, addresses, bytes, out, sizeof out[0]);
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t winner = mask >> (i | 1) & 1 ? i | 1 : i; /* the higher lane */
            assert_int_equal(out[i][0], mask >> i & 1 ? winner + 1 : 0);
            assert_int_equal(out[i][bytes - 1], out[i][0]);
            assert_true(bytes == 16 || out[i][bytes] == 0);
        }
        apply(&memory, 4);
    }
    mnp_memory_release(&memory);
}

/* The hash is of the contents: not of the order of pages, nor of pages of zeros; and it sees every byte. */
static void hash(void **state)
{
    (void)state;
    struct mnp_memory a, b;
    struct mnp_error error = {""};
    mnp_memory_init(&a, PAGES);
    mnp_memory_init(&b, PAGES);
    uint64_t empty = mnp_memory_hash(&a);
    for (uint64_t i = 0; i < 40; i++) {
        uint64_t value = i * i + 1, zero = 0;
        assert_true(mnp_memory_write(&a, i * MNP_MEMORY_PAGE + i, 8, &value, &error));
        uint64_t j = 39 - i, other = j * j + 1;
        assert_true(mnp_memory_write(&b, j * MNP_MEMORY_PAGE + j, 8, &other, &error));
        assert_true(mnp_memory_write(&b, (50 + i % 4) * MNP_MEMORY_PAGE, 8, &zero, &error));
    }
    assert_int_equal(mnp_memory_hash(&a), mnp_memory_hash(&b));
    assert_true(mnp_memory_hash(&a) != empty);
    assert_true(mnp_memory_write(&a, 39 * MNP_MEMORY_PAGE + 65535, 1, "x", &error));
    assert_true(mnp_memory_hash(&a) != mnp_memory_hash(&b));
    uint64_t before = mnp_memory_hash(&b);
    struct mnp_overlay *overlay = mnp_memory_add_overlay(&b, MNP_OVERLAY_CORE, 0, 4);
    mnp_overlay_write(overlay, 0, 1, "y"); /* pending writes count, for a run may stop inside an epoch */
    assert_true(mnp_memory_hash(&b) != before);
    mnp_memory_release(&a);
    mnp_memory_release(&b);
}

static void bounds(void **state)
{
    (void)state;
    struct mnp_memory memory;
    struct mnp_overlay *overlay[UNITS];
    struct mnp_error error = {""};
    mnp_memory_init(&memory, 2);
    add_overlays(&memory, overlay, 3);
    for (uint64_t round = 0; round < 3; round++) { /* the pool is empty again after every epoch */
        for (uint64_t i = 0; i < 3; i++)
            assert_true(mnp_overlay_write(overlay[0], i * MNP_MEMORY_LINE, 1, "a"));
        assert_false(mnp_overlay_write(overlay[0], 3 * MNP_MEMORY_LINE, 1, "a"));
        assert_true(mnp_overlay_write(overlay[0], 2 * MNP_MEMORY_LINE + 127, 1, "b"));
        assert_non_null(strstr(mnp_overlay_full(overlay[0]).text, "more than 3 lines"));
        apply(&memory, 2);
    }
    assert_true(mnp_memory_write(&memory, MNP_MEMORY_PAGE, 1, "c", &error));
    assert_false(mnp_memory_write(&memory, 2 * MNP_MEMORY_PAGE, 1, "d", &error));
    assert_non_null(strstr(error.text, "more than 2 pages"));
    assert_true(mnp_memory_write(&memory, 2 * MNP_MEMORY_PAGE - 1, 2, "c", &error)); /* zeros need none */
    assert_null(mnp_memory_page(&memory, 2 * MNP_MEMORY_PAGE));
    struct mnp_epoch_hook hook = mnp_memory_hook(&memory);
    struct mnp_error other = {""};
    mnp_overlay_write(overlay[1], 5 * MNP_MEMORY_PAGE, 1, "e");
    hook.apply(hook.context, 0, 1);
    assert_false(hook.applied(hook.context, &other));
    assert_non_null(strstr(other.text, "more than 2 pages"));
    mnp_memory_release(&memory);
}

/* A page that processes have in common is zeroed for all of them, and takes no memory then; others are left alone. */
static void emptied(void **state)
{
    (void)state;
    enum { FIRST = 7, COMMON = 3 };
    struct mnp_memory memory;
    struct mnp_error error = {""};
    unsigned char got[2];
    struct stat before, after;
    int file = memfd_create("window", 0);
    assert_int_equal(ftruncate(file, COMMON * MNP_MEMORY_PAGE), 0);
    unsigned char *window = mmap(NULL, COMMON * MNP_MEMORY_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(window, MAP_FAILED);
    mnp_memory_init(&memory, 4);
    mnp_pages_share(&memory.pages, window, FIRST, COMMON, true);
    uint64_t hash = mnp_memory_hash(&memory);
    for (uint64_t i = 0; i < COMMON; i++)
        assert_true(mnp_memory_write(&memory, (FIRST + i) * MNP_MEMORY_PAGE + 5, 1, "a", &error));
    assert_true(mnp_memory_write(&memory, 3 * MNP_MEMORY_PAGE, 1, "b", &error));
    assert_int_equal(fstat(file, &before), 0);
    assert_false(mnp_pages_empty(&memory.pages, 3));
    assert_false(mnp_pages_empty(&memory.pages, FIRST + COMMON));
    assert_true(mnp_pages_empty(&memory.pages, FIRST + 1));
    assert_int_equal(fstat(file, &after), 0);
    assert_true(after.st_blocks < before.st_blocks);
    mnp_memory_read(&memory, (FIRST + 1) * MNP_MEMORY_PAGE + 5, 1, got);
    mnp_memory_read(&memory, (FIRST + 2) * MNP_MEMORY_PAGE + 5, 1, got + 1);
    assert_int_equal(got[0], 0);
    assert_int_equal(got[1], 'a');
    assert_int_equal(window[MNP_MEMORY_PAGE + 5], 0);
    assert_true(mnp_pages_empty(&memory.pages, FIRST) && mnp_pages_empty(&memory.pages, FIRST + 2));
    assert_true(mnp_memory_write(&memory, 3 * MNP_MEMORY_PAGE, 1, "", &error));
    assert_int_equal(mnp_memory_hash(&memory), hash);
    mnp_memory_release(&memory);
    munmap(window, COMMON * MNP_MEMORY_PAGE);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_bytes),
        cmocka_unit_test(order_of_applying),
        cmocka_unit_test(constant_during_an_epoch),
        cmocka_unit_test(lanes),
        cmocka_unit_test(hash),
        cmocka_unit_test(bounds),
        cmocka_unit_test(emptied),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
