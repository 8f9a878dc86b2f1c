/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files and warnings: nothing half-written stays behind, and every failure says why. */
#include "base/arena.h"
#include "base/file.h"
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct folder {
    char path[32];
    char file[64];
};

static int make_folder(void **state)
{
    struct folder *folder = mnp_allocate(1, sizeof *folder);
    strcpy(folder->path, "/tmp/maniple-test-XXXXXX");
    if (!mkdtemp(folder->path))
        return -1;
    snprintf(folder->file, sizeof folder->file, "%s/file", folder->path);
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;
    unlink(folder->file);
    int failed = rmdir(folder->path); /* also a check that nothing else was left behind */
    free(folder);
    return failed;
}

static void test_commit(void **state)
{
    struct folder *folder = *state;
    struct mnp_error error = {0};
    struct mnp_output output;
    assert_true(mnp_output_open(&output, folder->file, &error));
    fputs("hello", output.stream);
    assert_int_not_equal(access(folder->file, F_OK), 0); /* not before it is whole */
    assert_true(mnp_output_finish(&output, &error));
    assert_int_not_equal(access(folder->file, F_OK), 0);
    assert_true(mnp_output_commit(&output, &error));
    mnp_output_discard(&output);
    size_t length;
    char *text = mnp_read_file(folder->file, 100, &length, &error);
    assert_non_null(text);
    assert_int_equal(length, 5);
    assert_string_equal(text, "hello");
    free(text);
}

static void test_discard_keeps_the_old_file(void **state)
{
    struct folder *folder = *state;
    struct mnp_error error = {0};
    FILE *old = fopen(folder->file, "w");
    fputs("old", old);
    fclose(old);
    struct mnp_output output;
    assert_true(mnp_output_open(&output, folder->file, &error));
    fputs("new", output.stream);
    mnp_output_discard(&output);
    size_t length;
    char *text = mnp_read_file(folder->file, 100, &length, &error);
    assert_string_equal(text, "old");
    free(text);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct mnp_error error = {0};
    struct mnp_output output;
    assert_true(mnp_output_open(&output, "/dev/full", &error));
    fputs("hello", output.stream);
    assert_false(mnp_output_finish(&output, &error));
    assert_non_null(strstr(error.text, "/dev/full: cannot write: No space left on device"));
    struct stat status;
    assert_int_equal(stat("/dev/full", &status), 0);

    FILE *full = fopen("/dev/full", "w");
    fputs("hello", full);
    memset(&error, 0, sizeof error);
    assert_false(mnp_check_stream(full, "the test", &error));
    assert_string_equal(error.text, "cannot write to the test: No space left on device");
    fclose(full);
}

static void test_open_fails(void **state)
{
    (void)state;
    struct mnp_error error = {0};
    struct mnp_output output;
    assert_false(mnp_output_open(&output, "/nowhere/at/all", &error));
    assert_non_null(strstr(error.text, "/nowhere/at/all: cannot write: No such file or directory"));
}

static void test_read_fails(void **state)
{
    struct folder *folder = *state;
    size_t length;
    struct mnp_error error = {0};
    assert_null(mnp_read_file(folder->file, 100, &length, &error));
    assert_non_null(strstr(error.text, "cannot open"));
    memset(&error, 0, sizeof error);
    assert_null(mnp_read_file(folder->path, 100, &length, &error));
    assert_non_null(strstr(error.text, "is a folder"));
    memset(&error, 0, sizeof error);
    assert_null(mnp_read_file("/dev/zero", 10000, &length, &error)); /* endless */
    assert_non_null(strstr(error.text, "is longer than 10000 bytes"));
}

static void test_folders(void **state)
{
    struct folder *folder = *state;
    struct mnp_error error = {0};
    char deep[64], deeper[64];
    snprintf(deep, sizeof deep, "%s/a", folder->path);
    snprintf(deeper, sizeof deeper, "%s/a/b/", folder->path);
    assert_true(mnp_make_folder(deeper, &error));
    assert_true(mnp_make_folder(deeper, &error)); /* there already */
    rmdir(deeper);
    rmdir(deep);
    assert_false(mnp_make_folder("/dev/null", &error));
    assert_non_null(strstr(error.text, "is not a folder"));
    memset(&error, 0, sizeof error);
    assert_false(mnp_make_folder("/proc/nothing/here", &error));
    assert_non_null(strstr(error.text, "cannot make this folder"));
}

static void test_join_path(void **state)
{
    (void)state;
    char *path = mnp_join_path("a", "b");
    assert_string_equal(path, "a/b");
    free(path);
    path = mnp_join_path("/", "b");
    assert_string_equal(path, "/b");
    free(path);
}

static void test_warnings(void **state)
{
    (void)state;
    struct mnp_log log;
    mnp_log_init(&log, MNP_NORMAL);
    for (int i = 0; i < 3; i++)
        mnp_warn(&log, "the same");
    for (int i = 0; i < 200; i++)
        mnp_warn(&log, "number %d", i);
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    mnp_log_summary(&log, out);
    fclose(out);
    assert_non_null(strstr(text, "maniple: warning: the same (3 times)\n"));
    assert_non_null(strstr(text, "101 more warnings"));
    free(text);
    mnp_log_release(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_commit, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_discard_keeps_the_old_file, make_folder, remove_folder),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_open_fails),
        cmocka_unit_test_setup_teardown(test_read_fails, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_folders, make_folder, remove_folder),
        cmocka_unit_test(test_join_path),
        cmocka_unit_test(test_warnings),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
