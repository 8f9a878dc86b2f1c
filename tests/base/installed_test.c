/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of the installation: beside the program first, then by the way to the libraries, wherever both are moved to. */
#include "base/allocate.h"
#include "base/file.h"
#include "base/installed.h"
#include "base/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/installed_folder.h"

static void write_text(const char *folder, const char *name, const char *text)
{
    struct mnp_error error = {{0}};
    struct mnp_output output = {0};
    char *path = mnp_join_path(folder, name);
    assert_true(mnp_make_folder(folder, &error) && mnp_output_open(&output, path, &error));
    fputs(text, output.stream);
    assert_true(mnp_output_finish(&output, &error) && mnp_output_commit(&output, &error));
    mnp_output_discard(&output);
    free(path);
}

static void assert_content(const char *path, const char *expected)
{
    struct mnp_error error = {{0}};
    size_t length;
    assert_non_null(path);
    char *text = mnp_read_file(path, 100, &length, &error);
    assert_string_equal(text, expected);
    free(text);
}

static void test_way_from_program(void **state)
{
    (void)state;
    char root[] = "/tmp/maniple-test-XXXXXX", *moved;
    assert_non_null(mkdtemp(root));
    if (MNP_INSTALLED_FOLDER[0] == '/')
        skip();
    char *programs = mnp_join_path(root, "bin"), *libraries = mnp_join_path(programs, MNP_INSTALLED_FOLDER);
    write_text(programs, "both", "beside");
    write_text(libraries, "both", "installed");
    write_text(libraries, "one", "installed");
    char *path = mnp_find_installed(programs, "both");
    assert_content(path, "beside");
    free(path);
    path = mnp_find_installed(programs, "one");
    assert_content(path, "installed");
    assert_null(strstr(path, ".."));
    free(path);
    assert_null(mnp_find_installed(programs, "none"));

    assert_true(asprintf(&moved, "%s-moved", root) > 0 && rename(root, moved) == 0);
    char *there = mnp_join_path(moved, "bin");
    path = mnp_find_installed(there, "one");
    assert_content(path, "installed");
    assert_ptr_equal(strstr(path, moved), path);
    free(path);
    free(there);
    free(programs);
    free(libraries);
    mnp_temporary_remove(moved);
}

/* The test's own folder is not that of a program of Maniple's; but it is known. */
static void test_running_program(void **state)
{
    (void)state;
    char *folder = mnp_program_folder(), *path = mnp_find_installed(NULL, "installed_test"),
         *where = mnp_say_installed(NULL);
    assert_non_null(folder);
    assert_int_equal(folder[0], '/');
    assert_ptr_equal(strstr(path, folder), path);
    assert_non_null(strstr(where, "neither beside maniple nor in "));
    free(where);
    free(path);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_running_program),
        cmocka_unit_test(test_way_from_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
