/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/name.h"

#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "base/version.h"
#include "cli/load_machine.h"
#include "cli/run/program.h"
#include "fingerprint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

enum { PIECE = 1 << 20, LARGEST_LIST = 256 << 20 };

static void write_hash(const XXH3_state_t *state, char hash[SWEEP_NAME])
{
    XXH128_hash_t value = XXH3_128bits_digest(state);
    snprintf(hash, SWEEP_NAME, "%016" PRIx64 "%016" PRIx64, (uint64_t)value.high64, (uint64_t)value.low64);
}

/* ===== inputs ===== */

static bool hash_file(XXH3_state_t *state, const char *path, struct mnp_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return mnp_fail_at(error, path, 0, "cannot be opened: %s", strerror(errno));
    unsigned char *piece = mnp_allocate(PIECE, 1);
    size_t count;
    while ((count = fread(piece, 1, PIECE, file)) > 0)
        XXH3_128bits_update(state, piece, count);
    bool well = !ferror(file) || mnp_fail_at(error, path, 0, "cannot be read: %s", strerror(errno));
    fclose(file);
    free(piece);
    return well;
}

/* The files that the lines of a list name, beside the list: a name and its contents for each. */
static bool hash_named(XXH3_state_t *state, const char *list, char *lines, struct mnp_error *error)
{
    const char *slash = strrchr(list, '/');
    char *folder = slash ? strndup(list, (size_t)(slash - list)) : strdup("."), *rest = lines;
    bool done = true;
    for (char *line; done && (line = strsep(&rest, "\n"));) {
        line[strcspn(line, " \t\r,")] = 0;
        struct stat status;
        char *path = mnp_join_path(folder, line);
        if (*line && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
            XXH3_128bits_update(state, line, strlen(line) + 1);
            done = hash_file(state, path, error);
        }
        free(path);
    }
    free(folder);
    return done;
}

static bool is_list(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, ".g") == 0;
}

static bool hash_trace(XXH3_state_t *state, const char *path, struct mnp_error *error)
{
    if (!hash_file(state, path, error) || !is_list(path))
        return !error->text[0];
    size_t length;
    char *lines = mnp_read_file(path, LARGEST_LIST, &length, error);
    bool done = lines && hash_named(state, path, lines, error);
    free(lines);
    return done;
}

/* A script's name stands behind its interpreter, and so do the files that a program reads. */
static bool hash_program(XXH3_state_t *state, char *const *words, struct mnp_error *error)
{
    char *path = cli_run_cuda_locate(words[0]);
    bool done = hash_file(state, path, error);
    for (char *const *word = words + 1; done && *word; word++) {
        struct stat status;
        if (stat(*word, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        XXH3_128bits_update(state, *word, strlen(*word) + 1);
        done = hash_file(state, *word, error);
    }
    free(path);
    return done;
}

bool cli_sweep_hash_input(char *const *words, bool program, char hash[SWEEP_NAME], struct mnp_error *error)
{
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    bool done = program ? hash_program(state, words, error) : hash_trace(state, words[0], error);
    write_hash(state, hash);
    XXH3_freeState(state);
    return done;
}

bool cli_sweep_names_open(struct sweep_names *names, const struct sweep_plan *plan, struct mnp_error *error)
{
    const struct sweep_input *inputs = plan->inputs.items;
    *names = (struct sweep_names){.plan = plan, .inputs = mnp_allocate(plan->inputs.count, SWEEP_NAME)};
    bool done = true;
    for (uint32_t i = 0; done && i < plan->inputs.count; i++)
        done = cli_sweep_hash_input(inputs[i].words, inputs[i].program, names->inputs[i], error);
    return done;
}

void cli_sweep_names_close(struct sweep_names *names)
{
    free(names->inputs);
    *names = (struct sweep_names){0};
}

/* ===== runs ===== */

char *cli_sweep_name_machine(const struct plugin_set *plugins, const char *machine, const char *const *overrides,
                             size_t count, struct mnp_error *error)
{
    const struct mnp_machine_kind *kind;
    struct mnp_settings *settings = cli_load_machine(plugins, machine, overrides, count, &kind, error);
    char *text = NULL;
    size_t size;
    if (settings && kind->check(settings, error)) {
        mnp_settings_show_all(settings); /* an option of the run, such as --energy, may make hidden keys count */
        FILE *out = open_memstream(&text, &size);
        mnp_settings_write_values(settings, out);
        fclose(out);
    }
    mnp_settings_free(settings);
    return text;
}

static void add_text(XXH3_state_t *state, const char *text)
{
    XXH3_128bits_update(state, text, strlen(text) + 1);
}

/* The last part of a path is in results, where it lies is not. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool cli_sweep_same_words(char *const *a, char *const *b)
{
    bool same = strcmp(last_part(a[0]), last_part(b[0])) == 0;
    for (a++, b++; same && *a && *b; a++, b++)
        same = strcmp(*a, *b) == 0;
    return same && !*a && !*b;
}

void cli_sweep_write_plugins(const struct plugin_set *plugins, FILE *out)
{
    for (uint32_t i = 0; plugins && i < plugins->count; i++) {
        fputs(" --plugin ", out);
        mnp_put_shell(plugins->files[i].file, out);
    }
}

char *cli_sweep_name_run(const struct sweep_named *what, char name[SWEEP_NAME])
{
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    add_text(state, MANIPLE_VERSION " " MANIPLE_FINGERPRINT);
    add_text(state, what->machine);
    for (uint32_t i = 0; i < what->option_count; i++)
        add_text(state, what->options[i]);
    add_text(state, what->program ? "program" : "trace");
    add_text(state, last_part(what->input[0]));
    for (char *const *word = what->input + 1; *word; word++)
        add_text(state, *word);
    add_text(state, what->contents);
    for (uint32_t i = 0; what->plugins && i < what->plugins->count; i++)
        add_text(state, what->plugins->files[i].sha256);
    write_hash(state, name);
    XXH3_freeState(state);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out,
            "version " MANIPLE_VERSION ", sources " MANIPLE_FINGERPRINT
            "\nname %s\ncontents of the input %s\nmaniple run",
            name, what->contents);
    cli_sweep_write_plugins(what->plugins, out);
    for (char *const *word = what->words; *word; word++)
        fprintf(out, " %s", *word);
    fputc('\n', out);
    fclose(out);
    return text;
}
