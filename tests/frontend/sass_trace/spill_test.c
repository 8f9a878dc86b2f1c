/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions beyond a bound of memory: what is read page by page is what lies in memory without a bound, in any
 * order; the file has no name; a full disk is an error with its remedy.
 */
#include "folder.h"

#include "frontend/mtrace/mtrace.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { CTAS = 6, RECORDS = 700, PAGED = 1, UNBOUNDED = 0 };

/* Blocks of two warps, of which one has many instructions with random addresses, and the other one or none. */
static const char *write_trace(const struct folder *folder)
{
    size_t room = (size_t)CTAS * RECORDS * 700, length = 0;
    char *text = malloc(room);
    uint64_t random = 1;
    assert_non_null(text);
    length += (size_t)snprintf(text, room, HEADER_OF("(%d,1,1)", "(64,1,1)", "5"), CTAS);
    for (int cta = 0; cta < CTAS; cta++) {
        int empty = cta % 2, count = RECORDS - 127 * cta; /* ends of pages and warps meet in different ways */
        length += (size_t)snprintf(text + length, room - length,
                                   "#BEGIN_TB\n\nthread block = %d,0,0\n\nwarp = 0\ninsts = %d\n", cta, count);
        for (int i = 0; i < count - 1; i++) {
            length += (size_t)snprintf(text + length, room - length, "0000 0000ffff 1 R4 LDG.E 1 R2 4 0");
            for (int lane = 0; lane < 16; lane++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
                length += (size_t)snprintf(text + length, room - length, " 0x%llx",
                                           (unsigned long long)(random >> (i % 3 ? 32 : 16)));
            }
            length += (size_t)snprintf(text + length, room - length, " 0 \n");
        }
        length += (size_t)snprintf(text + length, room - length,
                                   "0010 ffffffff 0 EXIT 0 0 0 \n\nwarp = 1\ninsts = %d\n%s\n#END_TB\n\n", !empty,
                                   empty ? "" : "0010 ffffffff 0 EXIT 0 0 0 \n");
    }
    const char *list = folder_write_kernel(folder, text);
    free(text);
    return list;
}

static struct mnp_source *open_first(const char *path, bool packed, uint64_t memory, struct mnp_kernel **kernel)
{
    struct mnp_error error = {{0}};
    struct mnp_command command;
    struct mnp_sass_trace_options text = {.memory = memory};
    struct mnp_mtrace_options other = {.decoder = &trace_decoder, .memory = memory};
    struct mnp_source *source = packed ? mtrace_open(path, &other, &error) : trace_open(path, &text, &error);
    if (!source || !source->next(source, &command, &error))
        fail_msg("%s", error.text);
    *kernel = command.kernel;
    return source;
}

static uint32_t files_in(const char *path)
{
    uint32_t files = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        files += entry->d_name[0] != '.';
    closedir(folder);
    return files;
}

/* Reads a warp's records from its start and, by great leaps, in another order. */
static void compare_warps(const struct mnp_warp_stream *whole, const struct mnp_warp_stream *paged)
{
    uint64_t *words = calloc(whole->count + 1, sizeof *words);
    assert_int_equal(whole->count, paged->count);
    for (uint64_t i = 0; i < whole->count; i++)
        words[i + 1] = words[i] + whole->records[i].address_words;
    for (uint64_t i = 0; i < 2 * whole->count; i++) {
        uint64_t place = i < whole->count ? i : i * 389 % whole->count;
        const struct mnp_record *record = mnp_paged_record(paged->paged, place);
        const uint64_t *addresses = mnp_paged_words(paged->paged, place, words[place]);
        assert_memory_equal(record, &whole->records[place], sizeof *record);
        assert_memory_equal(addresses, whole->addresses + words[place], record->address_words * sizeof *addresses);
    }
    free(words);
}

static void compare(const char *path, bool packed)
{
    struct mnp_kernel *kernel, *same;
    struct mnp_error error = {{0}};
    struct mnp_source *whole = open_first(path, packed, UNBOUNDED, &kernel);
    struct mnp_source *paged = open_first(path, packed, PAGED, &same);
    struct mnp_cta_code left[CTAS] = {{0}}, right[CTAS] = {{0}};
    for (uint64_t cta = 0; cta < CTAS; cta++) { /* all at once: their pages lie side by side in the file */
        assert_true(whole->load_cta(whole, kernel, cta, &left[cta], &error));
        assert_true(paged->load_cta(paged, same, cta, &right[cta], &error));
    }
    assert_int_equal(files_in(getenv("TMPDIR")), 0);
    for (uint64_t cta = 0; cta < CTAS; cta++) {
        assert_int_equal(right[cta].warp_count, 2);
        for (uint32_t warp = 0; warp < 2; warp++)
            compare_warps(&left[cta].warps[warp], &right[cta].warps[warp]);
        whole->release_cta(whole, &left[cta]);
        paged->release_cta(paged, &right[cta]);
    }
    whole->close(whole);
    paged->close(paged);
}

static const char *pack(const struct folder *folder, const char *list, char path[static 128])
{
    struct mnp_error error = {{0}};
    struct mnp_sass_trace_options options = {0};
    struct mnp_mtrace_written written;
    struct mnp_source *source = trace_open(list, &options, &error);
    assert_non_null(source);
    snprintf(path, 128, "%s/packed.mtrace", folder->path);
    assert_true(mtrace_write(source, path, NULL, NULL, &written, &error));
    source->close(source);
    return path;
}

static void test_pages(void **state)
{
    char packed[128];
    const char *list = write_trace(*state);
    compare(list, false);
    compare(pack(*state, list, packed), true);
}

static void expect_error(const char *path, bool packed, const char *what)
{
    struct mnp_kernel *kernel;
    struct mnp_error error = {{0}};
    struct mnp_cta_code code = {0};
    struct mnp_source *source = open_first(path, packed, PAGED, &kernel);
    assert_false(source->load_cta(source, kernel, 0, &code, &error));
    assert_non_null(strstr(error.text, what));
    assert_non_null(strstr(error.text, "let TMPDIR name another folder"));
    assert_null(code.owner);
    source->close(source);
}

/* A file that may not grow behaves as a disk that is full. */
static void test_full_disk(void **state)
{
    char packed[128];
    const char *list = write_trace(*state);
    struct rlimit before, small;
    pack(*state, list, packed);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 8192, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    expect_error(list, false, "File too large");
    expect_error(packed, true, "File too large");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    setenv("TMPDIR", "/does/not/exist", 1);
    expect_error(list, false, "/does/not/exist: cannot write a temporary file");
}

static int set_up(void **state)
{
    static struct folder folders[2];
    folder_make(&folders[0]);
    folder_make(&folders[1]);
    setenv("TMPDIR", folders[1].path, 1);
    *state = folders;
    return 0;
}

static int tear_down(void **state)
{
    struct folder *folders = *state;
    folder_remove(&folders[0]);
    folder_remove(&folders[1]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_pages, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_full_disk, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
