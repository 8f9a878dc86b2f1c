/* SPDX-License-Identifier: BSD-3-Clause */
/* Packed traces: what goes in comes out, from any thread in any order; and no damaged file does any harm. */
#include "base/arena.h"
#include "fake.h"
#include "frontend/mtrace/kernel.h"
#include "frontend/mtrace/mtrace.h"
#include "frontend/sass_trace/sass_trace.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct folder {
    char path[32], file[64], other[64];
};

static int make_folder(void **state)
{
    struct folder *folder = mnp_allocate(1, sizeof *folder);
    strcpy(folder->path, "/tmp/maniple-test-XXXXXX");
    if (!mkdtemp(folder->path))
        return -1;
    snprintf(folder->file, sizeof folder->file, "%s/file", folder->path);
    snprintf(folder->other, sizeof folder->other, "%s/other", folder->path);
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;
    unlink(folder->file);
    unlink(folder->other);
    int failed = rmdir(folder->path); /* also a check that nothing else was left behind */
    free(folder);
    return failed;
}

static void write_fake(struct fake *fake, const char *path)
{
    struct mnp_error error = {{0}};
    struct mnp_mtrace_written written;
    if (!mtrace_write(&fake->source, path, NULL, NULL, &written, &error))
        fail_msg("%s", error.text);
    assert_int_equal(written.kernels, fake->kernels);
    assert_int_equal(written.ctas, (uint64_t)fake->kernels * fake->ctas);
}

static struct mnp_source *open_packed(const char *path, struct mnp_error *error)
{
    struct mnp_mtrace_options options = {.decoder = &trace_decoder, .unknown_as_alu = true, .keep_addresses = true};
    return mtrace_open(path, &options, error);
}

static struct mnp_source *must_open(const char *path)
{
    struct mnp_error error = {{0}};
    struct mnp_source *source = open_packed(path, &error);
    if (!source)
        fail_msg("%s", error.text);
    return source;
}

static struct mnp_kernel *must_launch(struct mnp_source *source)
{
    struct mnp_error error = {{0}};
    struct mnp_command command = {.kind = MNP_COMMAND_COPY};
    while (command.kind == MNP_COMMAND_COPY)
        if (!source->next(source, &command, &error))
            fail_msg("%s", error.text);
    assert_int_equal(command.kind, MNP_COMMAND_KERNEL);
    return command.kernel;
}

static void check_cta(const struct fake *fake, struct mnp_source *source, struct mnp_kernel *kernel, uint64_t cta)
{
    struct mnp_error error = {{0}};
    struct mnp_cta_code packed = {0}, made = {0};
    if (!source->load_cta(source, kernel, cta, &packed, &error))
        fail_msg("%s", error.text);
    fake_cta(fake, kernel->id, cta, &made);
    assert_true(same_cta(&packed, &made));
    source->release_cta(source, &packed);
    fake_release(&made);
}

/* ===== round trips ===== */

static void check_kernel(const struct mnp_kernel *kernel, const struct mnp_kernel *made)
{
    assert_int_equal(kernel->id, made->id);
    assert_string_equal(kernel->name, made->name);
    assert_memory_equal(kernel->grid, made->grid, sizeof made->grid);
    assert_memory_equal(kernel->block, made->block, sizeof made->block);
    assert_true(kernel->cta_count == made->cta_count && kernel->threads == made->threads);
    assert_true(kernel->shared_bytes == made->shared_bytes && kernel->registers == made->registers);
    assert_true(kernel->architecture == made->architecture && kernel->stream == made->stream);
    assert_true(kernel->shared_base == made->shared_base && kernel->local_base == made->local_base);
}

static void compare_all(struct fake *fake, const char *path)
{
    struct mnp_error error = {{0}};
    struct mnp_command command, made;
    struct mnp_source *source = must_open(path);
    assert_int_equal(source->kernel_count, fake->kernels);
    assert_int_equal(source->architecture, 80);
    fake->at = 0;
    do {
        assert_true(source->next(source, &command, &error) && fake->source.next(&fake->source, &made, &error));
        assert_int_equal(command.kind, made.kind);
        assert_true(command.address == made.address && command.bytes == made.bytes);
        if (command.kind == MNP_COMMAND_KERNEL) {
            check_kernel(command.kernel, made.kernel);
            for (uint64_t cta = 0; cta < fake->ctas; cta++)
                check_cta(fake, source, command.kernel, cta);
            source->kernel_done(source, command.kernel);
        }
    } while (command.kind != MNP_COMMAND_END);
    source->close(source);
}

static void test_round_trip(void **state)
{
    const struct folder *folder = *state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct fake fake;
        fake_open(&fake, seed);
        fake.kernels = 1 + seed % 3;
        fake.copies = seed % 4;
        fake.threads = 1 + (uint32_t)(seed * 37 % 1024);
        fake.most_records = seed % 5 ? 60 : 0;
        write_fake(&fake, folder->file);
        compare_all(&fake, folder->file);
        /* Packed again from the packed one, it is the same file. */
        struct mnp_error error = {{0}};
        struct mnp_mtrace_written written;
        struct mnp_source *source = must_open(folder->file);
        assert_true(mtrace_write(source, folder->other, NULL, NULL, &written, &error));
        source->close(source);
        compare_all(&fake, folder->other);
    }
}

static void test_static_instructions(void **state)
{
    const struct folder *folder = *state;
    struct fake fake;
    fake_open(&fake, 1);
    write_fake(&fake, folder->file);
    struct mnp_source *source = must_open(folder->file);
    struct mnp_kernel *kernel = must_launch(source);
    struct mnp_error error = {{0}};
    struct mnp_cta_code code = {0};
    assert_true(source->load_cta(source, kernel, 0, &code, &error));
    uint32_t seen = 0;
    for (uint32_t index = 0; index < FAKE_INSTRUCTIONS; index++) {
        uint32_t length;
        const char *text = source->instruction_text(source, kernel, &code, (uint16_t)index, &length);
        if (!text)
            continue;
        struct mnp_static_instruction expected;
        char opcode[MNP_OPCODE_TEXT];
        assert_memory_equal(text, fake_text(index), length);
        trace_decoder.decode(text, length, &expected, opcode);
        expected.pc = index * 16;
        assert_memory_equal(&code.instructions[index], &expected, sizeof expected);
        seen++;
    }
    assert_in_range(seen, 20, FAKE_INSTRUCTIONS);
    assert_string_equal(source->opcode_name(source, code.instructions[0].opcode), "LDG");
    source->release_cta(source, &code);
    source->close(source);
}

/* ===== threads ===== */

enum { THREADS = 4, MANY_CTAS = 1500 };

struct crew {
    const struct fake *fake;
    struct mnp_source *source;
    struct mnp_kernel *kernel;
    _Atomic uint64_t next;
    _Atomic uint32_t wrong;
};

static void *load_some(void *context)
{
    struct crew *crew = context;
    for (uint64_t i; (i = crew->next++) < MANY_CTAS;) {
        /* Steps as a machine of many SMs takes them: neighbours go to different threads. */
        uint64_t cta = i * 77 % MANY_CTAS;
        struct mnp_error error = {{0}};
        struct mnp_cta_code packed = {0}, made = {0};
        if (crew->source->load_cta(crew->source, crew->kernel, cta, &packed, &error)) {
            fake_cta(crew->fake, crew->kernel->id, cta, &made);
            crew->wrong += !same_cta(&packed, &made);
            crew->source->release_cta(crew->source, &packed);
            fake_release(&made);
        } else {
            crew->wrong++;
        }
    }
    return NULL;
}

static void test_threads(void **state)
{
    const struct folder *folder = *state;
    struct fake fake;
    fake_open(&fake, 99);
    fake.ctas = MANY_CTAS;
    write_fake(&fake, folder->file);
    struct crew crew = {.fake = &fake, .source = must_open(folder->file)};
    crew.kernel = must_launch(crew.source);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_some, &crew), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(crew.wrong, 0);
    const struct groups *groups = &((const struct packed_kernel *)crew.kernel->owner)->groups;
    assert_in_range(groups->count, 10, MANY_CTAS);
    assert_in_range(groups->decompressed, groups->count, 2 * groups->count);
    assert_null(groups->open); /* every group was let go of when all its CTAs had been taken */
    crew.source->close(crew.source);
}

/* ===== opcodes ===== */

static void test_unknown_opcode(void **state)
{
    const struct folder *folder = *state;
    struct fake fake;
    fake_open(&fake, 5);
    write_fake(&fake, folder->file);
    struct mnp_error error = {{0}};
    struct mnp_cta_code code = {0}, made = {0};
    struct mnp_mtrace_options options = {.decoder = &trace_decoder};
    struct mnp_source *source = mtrace_open(folder->file, &options, &error);
    assert_non_null(source); /* a launch that is not selected does no harm */
    struct mnp_kernel *kernel = must_launch(source);
    assert_false(source->load_cta(source, kernel, 0, &code, &error));
    assert_non_null(strstr(error.text, "opcode FROB.NICATE"));
    source->close(source);

    options.unknown_as_alu = true;
    source = mtrace_open(folder->file, &options, &error);
    kernel = must_launch(source);
    uint64_t unknown = 0;
    for (uint64_t cta = 0; cta < fake.ctas; cta++) {
        assert_true(source->load_cta(source, kernel, cta, &code, &error));
        fake_cta(&fake, 1, cta, &made);
        /* What a table does not know as an access has no addresses: as the text reader has it. */
        for (uint32_t warp = 0; warp < made.warp_count; warp++) {
            const uint64_t *words = made.warps[warp].addresses, *kept = code.warps[warp].addresses;
            for (uint64_t i = 0; i < made.warps[warp].count; i++) {
                const struct mnp_record *record = &made.warps[warp].records[i], *got = &code.warps[warp].records[i];
                bool memory = code.instructions[record->index].space != MNP_SPACE_NONE;
                unknown += (code.instructions[record->index].flags & MNP_FLAG_UNKNOWN) != 0;
                assert_int_equal(got->address_words, memory ? record->address_words : 0);
                assert_memory_equal(kept, words, 8 * (size_t)got->address_words);
                kept += got->address_words;
                words += record->address_words;
            }
        }
        source->release_cta(source, &code);
        fake_release(&made);
    }
    source->kernel_done(source, kernel);
    assert_true(unknown > 0 && source->unknown_opcodes == unknown);
    source->close(source);
}

/* ===== damage ===== */

/* Reads all of a file; true: every CTA of every kernel could be loaded. */
static bool reads(const char *path, struct mnp_error *error)
{
    struct mnp_source *source = open_packed(path, error);
    bool good = source;
    struct mnp_command command = {.kind = MNP_COMMAND_COPY};
    while (good && command.kind != MNP_COMMAND_END) {
        good = source->next(source, &command, error);
        for (uint64_t cta = 0; good && command.kind == MNP_COMMAND_KERNEL && cta < command.kernel->cta_count; cta++) {
            struct mnp_cta_code code = {0};
            good = source->load_cta(source, command.kernel, cta, &code, error);
            if (good)
                source->release_cta(source, &code);
        }
    }
    if (source)
        source->close(source);
    return good;
}

static void put_file(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    fwrite(bytes, 1, length, file);
    assert_int_equal(fclose(file), 0);
}

static uint8_t *get_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = mnp_allocate(1 << 20, 1);
    *length = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    assert_in_range(*length, 100, (1 << 20) - 1);
    return bytes;
}

static void test_damage(void **state)
{
    const struct folder *folder = *state;
    struct fake fake;
    fake_open(&fake, 3);
    fake.ctas = 2;
    fake.most_records = 20;
    fake.copies = 1;
    write_fake(&fake, folder->file);
    size_t length;
    uint8_t *bytes = get_file(folder->file, &length);
    for (size_t cut = 0; cut < length; cut++) {
        struct mnp_error error = {{0}};
        put_file(folder->other, bytes, cut);
        assert_false(reads(folder->other, &error));
        assert_non_null(strstr(error.text, "other: at byte "));
    }
    for (size_t i = 0; i < length; i++) {
        struct mnp_error error = {{0}};
        bytes[i] ^= (uint8_t)(1 << i % 8);
        put_file(folder->other, bytes, length);
        assert_false(reads(folder->other, &error));
        assert_non_null(strstr(error.text, "other: at byte "));
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    bytes[8] = 2;
    struct mnp_error error = {{0}};
    put_file(folder->other, bytes, length);
    assert_false(reads(folder->other, &error));
    assert_non_null(strstr(error.text, "version 2 of the format is not known, 1 is"));
    free(bytes);
}

/* ===== failures of writing ===== */

static bool stop_now(void *context)
{
    uint32_t *asked = context;
    return ++*asked == 3;
}

static void test_nothing_left(void **state)
{
    const struct folder *folder = *state;
    struct mnp_error error = {{0}};
    struct mnp_mtrace_written written;
    struct fake fake;
    uint32_t asked = 0;
    fake_open(&fake, 8);
    assert_false(mtrace_write(&fake.source, folder->file, stop_now, &asked, &written, &error));
    assert_non_null(strstr(error.text, "interrupted"));
    error.text[0] = 0;
    fake.at = 0;
    fake.fail_at = 5;
    assert_false(mtrace_write(&fake.source, folder->file, NULL, NULL, &written, &error));
    assert_non_null(strstr(error.text, "not to be had"));
    assert_int_equal(access(folder->file, F_OK), -1); /* and the folder is empty: see remove_folder */
    error.text[0] = 0;
    fake.at = 0;
    fake.fail_at = UINT64_MAX;
    fake.ctas = 1000; /* more than fits into what a stream buffers */
    if (access("/dev/full", W_OK) == 0) {
        assert_false(mtrace_write(&fake.source, "/dev/full", NULL, NULL, &written, &error));
        assert_non_null(strstr(error.text, "No space left on device"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_static_instructions, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_threads, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_unknown_opcode, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_damage, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_nothing_left, make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("mtrace", tests, NULL, NULL);
}
