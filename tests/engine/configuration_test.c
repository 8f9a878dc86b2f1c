/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine files: what is read, what overrides what, and that every mistake is named with its place and remedy. */
#include "base/file.h"
#include "engine/configure/configuration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct parameters {
    uint64_t count, lanes, size, clock, flag, choice;
    struct mnp_list list;
    struct mnp_text text;
};

static const char *const choices[] = {"gto", "lrr", NULL};

#define ROW(KEY, TYPE, FIELD, ...)                                                                                     \
    {                                                                                                                  \
        .key = KEY, .type = TYPE, .unit = "", .help = "help of " KEY, .source = "none",                                \
        .offset = offsetof(struct parameters, FIELD), __VA_ARGS__                                                      \
    }
static const struct mnp_parameter table[] = {
    ROW("sm.count", MNP_UINT, count, .minimum = 1, .maximum = 4096),
    ROW("sm.fp32.lanes", MNP_UINT, lanes, .fallback = "16"),
    ROW("sm.l1d.size", MNP_SIZE, size, .fallback = "128KiB", .minimum = 1024, .maximum = 1 << 24),
    ROW("clock.core", MNP_HERTZ, clock, .fallback = "1365MHz"),
    ROW("flag", MNP_BOOL, flag, .fallback = "false", .maximum = 1),
    ROW("sm.scheduler", MNP_CHOICE, choice, .fallback = "gto", .choices = choices),
    ROW("sm.list", MNP_LIST, list, .fallback = "[1, 2]"),
    ROW("sm.text", MNP_TEXT, text, .fallback = "plain"),
};
enum { ROWS = sizeof table / sizeof *table };

static const struct mnp_machine_file built_in[] = {
    {"base", "machine: { kind = \"gpu\"; architecture = 86; description = \"a base\"; };\n"
             "sm: { count = 4; l1d: { size = \"64KiB\"; }; };\n"},
    {"derived", "machine: { extends = \"base\"; };\nsm: { count = 8; };\n"},
    {"measured", "clock: { core = \"1GHz\"; }; latency: { l2 = 100; };\n"},
    {"faster", "machine: { extends = \"measured\"; }; clock: { core = \"2GHz\"; };\n"},
    {"again", "machine: { extends = \"faster\"; };\nclock: { core = \"3GHz\"; };\nlatency: { l2 = 90; };\n"},
    {"inherits", "machine: { extends = \"faster\"; };\nlatency: { l2 = 90; };\n"},
    {"stated", "machine: { extends = \"again\"; };\nlatency: { clock = \"1.5GHz\"; };\n"},
    {"clockless", "latency: { l2 = 90; };\n"},
    {"selfish", "machine: { extends = \"selfish\"; };\n"},
    {"one", "machine: { extends = \"two\"; };\n"},
    {"two", "machine: { extends = \"one\"; };\n"},
    {NULL, NULL},
};

/* Reads a machine as `maniple run` does. The caller frees what is returned; NULL: `error` says why. */
static struct mnp_settings *read_machine(const char *machine, const char *const *overrides, size_t count,
                                         struct parameters *parameters, struct mnp_error *error)
{
    struct mnp_settings_source source = {
        .machine = machine, .built_in = built_in, .overrides = overrides, .override_count = count};
    memset(error, 0, sizeof *error);
    memset(parameters, 0, sizeof *parameters);
    struct mnp_settings *settings = mnp_settings_load(&source, error);
    if (settings && mnp_settings_fill(settings, table, ROWS, parameters, error) && mnp_settings_finish(settings, error))
        return settings;
    mnp_settings_free(settings);
    return NULL;
}

/* Reads the text of a machine file; the file is gone afterwards. */
static struct mnp_settings *read_text(const char *text, size_t length, struct parameters *parameters,
                                      struct mnp_error *error)
{
    char path[] = "/tmp/maniple-test-XXXXXX.cfg";
    int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, length), length);
    close(descriptor);
    struct mnp_settings *settings = read_machine(path, NULL, 0, parameters, error);
    unlink(path);
    return settings;
}

static void expect_error(const char *text, const char *part, const char *line)
{
    struct parameters parameters;
    struct mnp_error error;
    struct mnp_settings *settings = read_text(text, strlen(text), &parameters, &error);
    if (settings)
        fail_msg("accepted: %s", text);
    if (!strstr(error.text, part) || !strstr(error.text, line))
        fail_msg("of \"%s\": \"%s\" holds no \"%s\" and \"%s\"", text, error.text, part, line);
}

static void test_defaults(void **state)
{
    (void)state;
    struct parameters p;
    struct mnp_error error;
    struct mnp_settings *settings = read_text("sm: { count = 3; };", 19, &p, &error);
    assert_non_null(settings);
    assert_int_equal(p.count, 3);
    assert_int_equal(p.lanes, 16);
    assert_int_equal(p.size, 128 * 1024);
    assert_int_equal(p.clock, 1365000000);
    assert_int_equal(p.flag, 0);
    assert_int_equal(p.choice, 0);
    assert_int_equal(p.list.count, 2);
    assert_int_equal(p.list.value[1], 2);
    assert_string_equal(p.text.text, "plain");
    mnp_settings_free(settings);
}

static void test_every_type(void **state)
{
    (void)state;
    const char *text = "sm: { count = 0x10; fp32: { lanes = 5000000000L; }; l1d: { size = 2048; };\n"
                       "scheduler = \"lrr\"; list = [\"1KiB\", \"2\"]; text = \"a \\\"b\\\"\"; };\n"
                       "clock = { core = \"3500.5MHz\" }; flag = TRUE; # a remark\n";
    struct parameters p;
    struct mnp_error error;
    struct mnp_settings *settings = read_text(text, strlen(text), &p, &error);
    if (!settings)
        fail_msg("%s", error.text);
    assert_int_equal(p.count, 16);
    assert_int_equal(p.lanes, 5000000000);
    assert_int_equal(p.size, 2048);
    assert_int_equal(p.clock, 3500500000);
    assert_int_equal(p.flag, 1);
    assert_int_equal(p.choice, 1);
    assert_int_equal(p.list.value[0], 1024);
    assert_int_equal(p.list.value[1], 2);
    assert_string_equal(p.text.text, "a \"b\"");
    mnp_settings_free(settings);
}

static void test_precedence(void **state)
{
    (void)state;
    struct parameters p;
    struct mnp_error error;
    struct mnp_settings *settings = read_machine("derived", NULL, 0, &p, &error);
    assert_non_null(settings);
    assert_int_equal(p.count, 8);
    assert_int_equal(p.size, 65536);
    assert_int_equal(mnp_settings_architecture(settings), 86);
    assert_string_equal(mnp_settings_name(settings), "derived");
    assert_string_equal(mnp_settings_description(settings), "");
    mnp_settings_free(settings);

    const char *overrides[] = {"sm.count=9", "sm.count=10",       "sm.l1d.size=1MiB", "sm.scheduler=lrr",
                               "flag=true",  "clock.core=1.7GHz", "sm.list=[4,5,6]",  "sm.text=\"in quotes\""};
    settings = read_machine("derived", overrides, 8, &p, &error);
    if (!settings)
        fail_msg("%s", error.text);
    assert_int_equal(p.count, 10);
    assert_int_equal(p.size, 1 << 20);
    assert_int_equal(p.choice, 1);
    assert_int_equal(p.flag, 1);
    assert_int_equal(p.clock, 1700000000);
    assert_int_equal(p.list.count, 3);
    assert_int_equal(p.list.value[2], 6);
    assert_string_equal(p.text.text, "in quotes");
    mnp_settings_free(settings);
}

static void test_extends_by_path(void **state)
{
    (void)state;
    char folder[] = "/tmp/maniple-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char below[64], above[64];
    snprintf(below, sizeof below, "%s/below.cfg", folder);
    snprintf(above, sizeof above, "%s/above.cfg", folder);
    FILE *file = fopen(below, "w");
    fputs("machine: { extends = \"base\"; }; sm: { count = 7; };", file);
    fclose(file);
    file = fopen(above, "w");
    fputs("machine: { extends = \"below.cfg\"; };", file); /* beside the file that names it */
    fclose(file);
    struct parameters p;
    struct mnp_error error;
    struct mnp_settings *settings = read_machine(above, NULL, 0, &p, &error);
    if (!settings)
        fail_msg("%s", error.text);
    assert_int_equal(p.count, 7);
    assert_int_equal(p.size, 65536);
    mnp_settings_free(settings);

    file = fopen(below, "w");
    fprintf(file, "machine: { extends = \"%s\"; };", above);
    fclose(file);
    assert_null(read_machine(above, NULL, 0, &p, &error));
    assert_non_null(strstr(error.text, "extends itself"));
    unlink(below);
    assert_null(read_machine(above, NULL, 0, &p, &error));
    assert_non_null(strstr(error.text, "above.cfg:1"));
    unlink(above);
    rmdir(folder);
}

static const struct mnp_parameter following[] = {
    ROW("clock.core", MNP_HERTZ, clock),
    ROW("latency.l2", MNP_UINT, count),
    ROW("latency.clock", MNP_HERTZ, size, .follows = "clock.core", .beside = "latency.l2"),
};

/* A clock follows what the file that states the latency, or one that it extends, says of it; --set is none of them. */
static void test_rows_that_follow(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *overrides[3];
        uint64_t megahertz, follows;
        const char *origin;
    } cases[] = {
        {"measured", {NULL}, 1000, 1000, "measured.cfg:1"},
        {"measured", {"clock.core=5GHz", NULL}, 5000, 1000, "measured.cfg:1"},
        {"measured", {"clock.core=5GHz", "latency.l2=7", NULL}, 5000, 1000, "measured.cfg:1"},
        {"measured", {"clock.core=5GHz", "clock.core=6GHz", NULL}, 6000, 1000, "measured.cfg:1"},
        {"measured", {"clock.core=5GHz", "latency.clock=4GHz", NULL}, 5000, 4000, "--set"},
        {"faster", {NULL}, 2000, 1000, "measured.cfg:1"},
        {"faster", {"clock.core=5GHz", NULL}, 5000, 1000, "measured.cfg:1"},
        {"again", {"clock.core=5GHz", NULL}, 5000, 3000, "again.cfg:2"},
        {"inherits", {"clock.core=5GHz", NULL}, 5000, 2000, "faster.cfg:1"},
        {"stated", {"clock.core=5GHz", NULL}, 5000, 1500, "stated.cfg:2"},
        {"clockless", {"clock.core=5GHz", NULL}, 5000, 5000, "--set"},
    };
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mnp_settings_source source = {
            .machine = cases[c].machine, .built_in = built_in, .overrides = cases[c].overrides};
        while (cases[c].overrides[source.override_count])
            source.override_count++;
        struct parameters p;
        struct mnp_error error = {{0}};
        struct mnp_settings *settings = mnp_settings_load(&source, &error);
        assert_non_null(settings);
        assert_true(mnp_settings_fill(settings, following, 3, &p, &error) && mnp_settings_finish(settings, &error));
        assert_int_equal(p.clock, cases[c].megahertz * 1000000);
        assert_int_equal(p.size, cases[c].follows * 1000000);
        char *text = NULL, expected[64];
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        mnp_settings_write(settings, false, out);
        fclose(out);
        snprintf(expected, sizeof expected, "; // %s\n};\n", cases[c].origin); /* of latency.clock, the last row */
        if (length < strlen(expected) || strcmp(text + length - strlen(expected), expected) != 0)
            fail_msg("case %u: %s", c, text);
        free(text);
        mnp_settings_free(settings);
    }
    struct mnp_settings_source source = {.machine = "clockless", .built_in = built_in};
    struct mnp_error error = {{0}};
    struct mnp_settings *settings = mnp_settings_load(&source, &error);
    assert_false(mnp_settings_fill(settings, following, 3, NULL, &error));
    assert_non_null(strstr(error.text, "clock.core is missing"));
    mnp_settings_free(settings);
}

/* Rows about several machines that are alike are written where they are stated, and never with one of these. */
static void test_rows_of_the_system(void **state)
{
    (void)state;
    static const struct mnp_parameter row = ROW("gpu.devices", MNP_UINT, lanes, .fallback = "1", .of_system = true);
    static const char *const stated[] = {"sm.count=5", "gpu.devices=2"};
    for (size_t count = 1; count <= 2; count++)
        for (int one = 0; one < 2; one++) {
            struct mnp_settings_source source = {
                .machine = "base", .built_in = built_in, .overrides = stated, .override_count = count};
            struct parameters p;
            struct mnp_error error = {{0}};
            struct mnp_settings *settings = mnp_settings_load(&source, &error);
            char *text = NULL;
            size_t length = 0;
            assert_true(mnp_settings_fill(settings, &row, 1, &p, &error) &&
                        mnp_settings_fill(settings, table, ROWS, &p, &error) && mnp_settings_finish(settings, &error));
            FILE *out = open_memstream(&text, &length);
            mnp_settings_write(settings, one, out);
            fclose(out);
            bool shown = count == 2 && !one;
            assert_int_equal(strstr(text, "devices = 2; // --set") != NULL, shown);
            assert_int_equal(mnp_settings_override(settings, one, 1) != NULL, shown);
            free(text);
            mnp_settings_free(settings);
        }
}

static void test_cycles(void **state)
{
    (void)state;
    struct parameters p;
    struct mnp_error error;
    const char *const names[] = {"selfish", "one", "two"};
    for (int i = 0; i < 3; i++) {
        assert_null(read_machine(names[i], NULL, 0, &p, &error));
        assert_non_null(strstr(error.text, "extends itself"));
    }
}

/* More files than may extend one another, and no cycle. */
static void test_long_chain(void **state)
{
    enum { FILES = 20 };
    char folder[] = "/tmp/maniple-chain-XXXXXX", path[FILES + 1][64];
    struct parameters p;
    struct mnp_error error;
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i <= FILES; i++) {
        snprintf(path[i], sizeof path[i], "%s/%d.cfg", folder, i);
        FILE *file = fopen(path[i], "w");
        assert_non_null(file);
        if (i < FILES)
            fprintf(file, "machine: { extends = \"%d.cfg\"; };\n", i + 1);
        fclose(file);
    }
    assert_null(read_machine(path[0], NULL, 0, &p, &error));
    assert_non_null(strstr(error.text, "15.cfg:1: more than 16 machine files extend one another"));
    for (int i = 0; i <= FILES; i++)
        unlink(path[i]);
    rmdir(folder);
}

static void test_no_such_machine(void **state)
{
    (void)state;
    struct parameters p;
    struct mnp_error error;
    assert_null(read_machine("derivd", NULL, 0, &p, &error));
    assert_non_null(strstr(error.text, "did you mean derived?"));
    assert_null(read_machine("/nowhere/x.cfg", NULL, 0, &p, &error));
    assert_non_null(strstr(error.text, "/nowhere/x.cfg: cannot open"));
    assert_null(read_machine("/tmp", NULL, 0, &p, &error));
    assert_non_null(strstr(error.text, "is a folder"));
}

static void test_wrong_values(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"\nsm: { count = 0; };", "sm.count = 0 is too small; state a whole number from 1 to 4096"},
        {"\nsm: { count = -4; };", "sm.count = -4 is negative"},
        {"\nsm: { count = 4097; };", "is too large"},
        {"\nsm: { count = \"4\"; };", "is a text, not a number"},
        {"\nsm: { count = 4.5; };", "sm.count = 4.5 has the wrong type"},
        {"\nsm: { count = true; };", "has the wrong type"},
        {"\nsm: { count = [1]; };", "has the wrong type"},
        {"\nsm: { count = 99999999999999999999; };", "a number is too large"},
        {"\nsm: { count = 5000000000; };", "needs an L"},
        {"\nsm: { count = 1; l1d: { size = \"64KB\"; }; };", "has no known unit of size (use B, KiB"},
        {"\nsm: { count = 1; l1d: { size = \"1\"; }; };",
         "is in bytes, and too small; state a size such as \"64KiB\" from 1KiB to "},
        {"\nsm: { count = 1; l1d: { size = \"99999999999TiB\"; }; };", "is too large"},
        {"\nsm: { count = 1; l1d: { size = \"-1KiB\"; }; };", "is negative"},
        {"\nsm: { count = 1; l1d: { size = \"1.0001KiB\"; }; };", "not a whole number of bytes"},
        {"\nclock: { core = 0; }; sm: { count = 1; };", "clock.core = 0 is too small"},
        {"\nclock: { core = \"11GHz\"; }; sm: { count = 1; };", "is too large"},
        {"\nclock: { core = \"1365 mhz\"; }; sm: { count = 1; };", "has no known unit of frequency"},
        {"\nclock: { core = \"0.1Hz\"; }; sm: { count = 1; };", "not a whole number of hertz"},
        {"\nflag = 1; sm: { count = 1; };", "neither true nor false"},
        {"\nsm: { count = 1; scheduler = \"gtoo\"; };", "one of \"gto\", \"lrr\"; did you mean \"gto\"?"},
        {"\nsm: { count = 1; scheduler = 1; };", "is not a text"},
        {"\nsm: { count = 1; list = 5; };", "is not a list"},
        {"\nsm: { count = 1; list = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]; };",
         "has too many elements"},
        {"\nsm: { count = 1; text = 1; };", "a text in quotes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(cases[i].text, cases[i].part, ".cfg:2: ");
}

static void test_wrong_keys(void **state)
{
    (void)state;
    expect_error("sm: { count = 1;\n l1d: { sice = 4096; }; };", "unknown key sm.l1d.sice; did you mean sm.l1d.size?",
                 ".cfg:2: ");
    expect_error("\nsm: { cont = 1; };", "unknown key sm.cont; did you mean sm.count, which is missing?", ".cfg:2: ");
    expect_error("sm: { count = 1; l1d = 5; };", "sm.l1d is a group of keys", ".cfg:1: ");
    expect_error("sm: { count = 1; count = 2; };", "duplicate setting name; state each key once", ".cfg:1: ");
    expect_error("machine: { nam = \"x\"; }; sm: { count = 1; };", "did you mean machine.name?", ".cfg:1: ");
    expect_error("sm: { count = 1; }; entirely: { else = 1; };", "`maniple models` lists", ".cfg:1: ");
    expect_error("", "is empty; a machine file states at least", "extends");
    expect_error("// nothing\n", "is empty; a machine file states at least", "extends");
    expect_error("machine: { name = \"x\"; };", "sm.count is missing; state a whole number from 1 to 4096",
                 "--set sm.count=");
}

static void test_wrong_syntax(void **state)
{
    (void)state;
    expect_error("sm: { count = ; };", "syntax error; write KEY = VALUE;", ".cfg:1: ");
    expect_error("sm: { count = 64KiB; };", "syntax error", ".cfg:1: ");
    expect_error("sm: { count = 1; };\n/* no end", "a comment has no end", ".cfg:2: ");
    expect_error("sm: { count = 1; text = \"no end; };\n", "no closing quote", ".cfg:1: ");
    expect_error("@include \"/etc/passwd\"", "includes are not supported", ".cfg:1: ");
    expect_error("a = ((((((((((((((((((1))))))))))))))))));", "nested too deeply", ".cfg:1: ");
    expect_error("a = ({ b = 1; });", "is a list of groups", ".cfg:1: ");
    struct parameters p;
    struct mnp_error error;
    assert_null(read_text("sm\0: {", 6, &p, &error));
    assert_non_null(strstr(error.text, "not a text file"));
    assert_null(read_text("\177ELF\2\1\1", 7, &p, &error));
    assert_non_null(strstr(error.text, ".cfg"));
}

static void test_wrong_overrides(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"sm.count", "is not of the form KEY=VALUE"},
        {"=4", "is not of the form KEY=VALUE"},
        {"sm.count=", "--set sm.count=: sm.count =  is not a whole number"},
        {"sm.count=0", "--set sm.count=0: sm.count = 0 is too small"},
        {"sm.l1d.size=64", "sm.l1d.size = 64 has no unit, so that it is in bytes, and too small; state a size"},
        {"sm.count=99999999999999999999", "is too large"},
        {"sm.cuont=4", "--set sm.cuont=4: unknown key sm.cuont; did you mean sm.count?"},
        {"sm.scheduler=fifo", "one of \"gto\", \"lrr\""},
        {"machine.name=x", "cannot be overridden"},
        {"flag=1", "neither true nor false"},
        {"sm.list=1,x", "is not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parameters p;
        struct mnp_error error;
        assert_null(read_machine("base", &cases[i].text, 1, &p, &error));
        if (!strstr(error.text, cases[i].part))
            fail_msg("\"%s\" holds no \"%s\"", error.text, cases[i].part);
    }
}

static char *resolved_text(const struct mnp_settings *settings)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    mnp_settings_write(settings, false, out);
    fclose(out);
    return text;
}

static void test_resolved_is_a_machine_file(void **state)
{
    (void)state;
    const char *overrides[] = {"sm.fp32.lanes=5000000000", "sm.text=\"a \\ b\"", "sm.list=1,5000000000"};
    struct parameters first, second;
    struct mnp_error error;
    struct mnp_settings *settings = read_machine("derived", overrides, 3, &first, &error);
    if (!settings)
        fail_msg("%s", error.text);
    char *text = resolved_text(settings);
    assert_non_null(strstr(text, "count = 8; // derived.cfg:2"));
    assert_non_null(strstr(text, "size = \"64KiB\"; // base.cfg:2"));
    assert_non_null(strstr(text, "lanes = 5000000000L; // --set"));
    assert_non_null(strstr(text, "core = \"1365MHz\"; // default"));
    mnp_settings_free(settings);
    settings = read_text(text, strlen(text), &second, &error);
    if (!settings)
        fail_msg("%s\n%s", error.text, text);
    assert_memory_equal(&first, &second, sizeof first);
    assert_string_equal(mnp_settings_name(settings), "derived");
    mnp_settings_free(settings);
    free(text);
}

/* A user's file is named with its line; nobody can change a built-in file, so the remedy is another way. */
static void test_fail_names_the_origin(void **state)
{
    (void)state;
    struct parameters p;
    struct mnp_error error;
    struct mnp_settings *settings = read_machine("base", NULL, 0, &p, &error);
    mnp_settings_fail(settings, "sm.count", &error, "is odd");
    assert_string_equal(error.text, "machine base: sm.count (built in, base.cfg:2): is odd; "
                                    "state another value with --set sm.count=… or in a file that extends the machine");
    memset(&error, 0, sizeof error);
    mnp_settings_fail(settings, "flag", &error, "is odd");
    assert_string_equal(error.text, "machine base: flag (by default): is odd; "
                                    "state another value with --set flag=… or in a file that extends the machine");
    mnp_settings_free(settings);

    static const char own[] = "machine: { extends = \"base\"; };\nsm: { count = 7; };\n";
    settings = read_text(own, sizeof own - 1, &p, &error);
    mnp_settings_fail(settings, "sm.count", &error, "is odd");
    assert_non_null(strstr(error.text, ".cfg:2: sm.count: is odd"));
    assert_null(strstr(error.text, "--set"));
    mnp_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_extends_by_path),
        cmocka_unit_test(test_rows_that_follow),
        cmocka_unit_test(test_rows_of_the_system),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_no_such_machine),
        cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_wrong_keys),
        cmocka_unit_test(test_wrong_syntax),
        cmocka_unit_test(test_wrong_overrides),
        cmocka_unit_test(test_resolved_is_a_machine_file),
        cmocka_unit_test(test_fail_names_the_origin),
    };
    return cmocka_run_group_tests_name("configuration", tests, NULL, NULL);
}
