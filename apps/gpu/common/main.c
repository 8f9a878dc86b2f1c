/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple-apps: all workloads in one program. `maniple app` starts it: with `list`, `show NAME` and `facts` it prints
 * what there is; `run NAME [--SIZE N]…` runs one, on whatever libcuda.so.1 is loaded; `check NAME [--SIZE N]…` only
 * reads the arguments, for plans of sweeps.
 */
#include "common/app.h"

#include "base/text.h"
#include "results/encoding/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APP(name) extern const struct app app_##name;
#include "list.h"
#undef APP

#define APP(name) &app_##name,
static const struct app *const apps[] = {
#include "list.h"
};
#undef APP

enum { APPS = sizeof apps / sizeof *apps };

static const char *const usage =
    "usage: maniple app list | show NAME | run NAME [--SIZE N]... [OPTIONS of maniple run]\n";

static void print_size(const struct app_size *size)
{
    if (size->words)
        printf("  --%-12s %s: %s\n", size->name, size->help, size->words);
    else if (size->multiple > 1)
        printf("  --%-12s %s (%u; %u to %u, a multiple of %u)\n", size->name, size->help, size->usual, size->least,
               size->most, size->multiple);
    else
        printf("  --%-12s %s (%u; %u to %u)\n", size->name, size->help, size->usual, size->least, size->most);
}

/* In lines of at most 100 characters. */
static void print_wrapped(const char *text)
{
    for (size_t column = 0; *text;) {
        size_t length = strcspn(text, " ");
        bool breaks = column && column + 1 + length > 100;
        printf("%s%.*s", breaks ? "\n" : column ? " " : "", (int)length, text);
        column = breaks ? length : column + (column > 0) + length;
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

static int show(const struct app *app)
{
    printf("%s: %s\n\n", app->name, app->summary);
    print_wrapped(app->stresses);
    printf("\nOf the kind in: %s\nTolerance: %s\nSizes:\n", app->suite, app->tolerance);
    for (const struct app_size *size = app->sizes; size->name; size++)
        print_size(size);
    return 0;
}

static int list(void)
{
    for (int i = 0; i < APPS; i++)
        printf("%-14s %-13s %s\n", apps[i]->name, apps[i]->suite, apps[i]->summary);
    return 0;
}

static void list_size(struct mnp_json *json, const struct app_size *size)
{
    results_json_open_inline(json, NULL, '{');
    results_json_text(json, "name", size->name);
    results_json_text(json, "help", size->help);
    if (size->words) {
        results_json_text(json, "words", size->words);
    } else {
        results_json_number(json, "usual", size->usual);
        results_json_number(json, "least", size->least);
        results_json_number(json, "most", size->most);
        if (size->multiple > 1)
            results_json_number(json, "multiple", size->multiple);
    }
    results_json_close_inline(json, '}');
}

static int list_as_json(void)
{
    struct mnp_json json = {.out = stdout};
    results_json_open(&json, NULL, '[');
    for (int i = 0; i < APPS; i++) {
        results_json_open(&json, NULL, '{');
        results_json_text(&json, "name", apps[i]->name);
        results_json_text(&json, "suite", apps[i]->suite);
        results_json_text(&json, "summary", apps[i]->summary);
        results_json_text(&json, "stresses", apps[i]->stresses);
        results_json_text(&json, "tolerance", apps[i]->tolerance);
        results_json_open(&json, "sizes", '[');
        for (const struct app_size *size = apps[i]->sizes; size->name; size++)
            list_size(&json, size);
        results_json_close(&json, ']');
        results_json_close(&json, '}');
    }
    results_json_close(&json, ']');
    return 0;
}

/* Prints the table of docs/apps.md and the paragraphs of docs/workloads.md. */
static int facts(void)
{
    puts("| workload | as in | what it does | results | sizes |\n| --- | --- | --- | --- | --- |");
    for (int i = 0; i < APPS; i++) {
        printf("| `%s` | %s | %s | %s |", apps[i]->name, apps[i]->suite, apps[i]->summary, apps[i]->tolerance);
        for (const struct app_size *size = apps[i]->sizes; size->name; size++)
            printf(" `--%s%s`", size->name, size->words ? " WORD" : "");
        puts(" |");
    }
    puts("\n## What they stress\n");
    for (int i = 0; i < APPS; i++)
        printf("**%s.** %s\n\n", apps[i]->name, apps[i]->stresses);
    printf("%d workloads.\n", APPS);
    return 0;
}

/* The app of that name; otherwise says which is the nearest, or all there are where the message may be long. */
static const struct app *find(const char *name, bool may_list)
{
    for (int i = 0; i < APPS; i++)
        if (strcmp(apps[i]->name, name) == 0)
            return apps[i];
    const char *names[APPS];
    char shown[200];
    for (int i = 0; i < APPS; i++)
        names[i] = apps[i]->name;
    const char *nearest = mnp_nearest_word(name, names, APPS);
    fprintf(stderr, "maniple: error: there is no workload \"%s\"", mnp_escape(shown, sizeof shown, name));
    if (nearest)
        fprintf(stderr, "; did you mean %s?", nearest);
    if (may_list)
        fputs(nearest ? " There are:" : "; there are:", stderr);
    for (int i = 0; may_list && i < APPS; i++)
        fprintf(stderr, " %s", names[i]);
    fputc('\n', stderr);
    return NULL;
}

static int word_at(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int index = 0; *words; index++) {
        size_t span = strcspn(words, " ");
        if (length && span == length && memcmp(words, word, span) == 0)
            return index;
        words += span + (words[span] == ' ');
    }
    return -1;
}

static bool read_value(const struct app *app, const struct app_size *size, const char *text, uint32_t *value)
{
    if (size->words) {
        int index = word_at(size->words, text);
        if (index < 0)
            fprintf(stderr, "maniple: error: %s: --%s %s: is none of: %s\n", app->name, size->name, text, size->words);
        *value = (uint32_t)index;
        return index >= 0;
    }
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    bool good = *text >= '0' && *text <= '9' && !*end && number >= size->least && number <= size->most &&
                (!size->multiple || number % size->multiple == 0);
    if (!good && size->multiple > 1)
        fprintf(stderr, "maniple: error: %s: --%s %s: is no multiple of %u from %u to %u\n", app->name, size->name,
                text, size->multiple, size->least, size->most);
    else if (!good)
        fprintf(stderr, "maniple: error: %s: --%s %s: is no number from %u to %u\n", app->name, size->name, text,
                size->least, size->most);
    *value = (uint32_t)number;
    return good;
}

static bool read_argument(struct app_run *run, const char *word, const char *value)
{
    const struct app *app = run->app;
    for (uint32_t i = 0; app->sizes[i].name; i++) {
        if (strncmp(word, "--", 2) != 0 || strcmp(word + 2, app->sizes[i].name) != 0)
            continue;
        if (!value)
            fprintf(stderr, "maniple: error: %s: %s: needs a value\n", app->name, word);
        return value && read_value(app, &app->sizes[i], value, &run->sizes[i]);
    }
    char shown[200];
    fprintf(stderr, "maniple: error: %s: there is no argument \"%s\"; there are:", app->name,
            mnp_escape(shown, sizeof shown, word));
    for (const struct app_size *size = app->sizes; size->name; size++)
        fprintf(stderr, " --%s", size->name);
    fputc('\n', stderr);
    return false;
}

static bool read_arguments(struct app_run *run, char **words)
{
    for (uint32_t i = 0; run->app->sizes[i].name; i++)
        run->sizes[i] = run->app->sizes[i].usual;
    for (; *words; words++) {
        if (strcmp(*words, "--sabotage") == 0) {
            run->sabotage = true;
            continue;
        }
        char *equals = strchr(*words, '='), *value = equals ? equals + 1 : words[1];
        if (equals)
            *equals = 0;
        if (!read_argument(run, *words, value))
            return false;
        words += !equals;
    }
    return true;
}

static int act(const struct app *app, char **words)
{
    struct app_run run = {.app = app};
    if (!read_arguments(&run, words))
        return 2;
    app_open(&run);
    app->run(&run);
    app_close(&run);
    if (!run.checks && !app_has_values(&run)) {
        printf("%s: not checked: its values have not been computed\n", app->name);
        return 0;
    }
    bool good = run.checks && !run.failed;
    printf("%s: %s (%u of %u checks)\n", app->name, good ? "PASS" : "FAIL", run.checks - run.failed, run.checks);
    return good ? 0 : 1;
}

/* A full disk shows here. */
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("maniple: error: cannot write to standard output");
    return 2;
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    if (argc == 2 && strcmp(verb, "list") == 0)
        return finish(list());
    if (argc == 3 && strcmp(verb, "list") == 0 && strcmp(argv[2], "json") == 0)
        return finish(list_as_json());
    if (argc == 2 && strcmp(verb, "facts") == 0)
        return finish(facts());
    bool checks = strcmp(verb, "check") == 0, runs = strcmp(verb, "run") == 0;
    const struct app *app = argc > 2 && (strcmp(verb, "show") == 0 || checks || runs) ? find(argv[2], !checks) : NULL;
    if (app && checks)
        return read_arguments(&(struct app_run){.app = app}, argv + 3) ? 0 : 2;
    if (app && argc == 3 && strcmp(verb, "show") == 0)
        return finish(show(app));
    if (app && runs)
        return act(app, argv + 3);
    if (argc <= 2)
        fputs(usage, stderr);
    return 2;
}
