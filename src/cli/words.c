/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/words.h"

#include "base/file.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OPTIONS = 100 };

bool cli_unknown_word(const char *title, const char *what, const char *word, const char *const *known, size_t count,
                      struct mnp_error *error)
{
    const char *nearest = mnp_nearest_word(word, known, count);
    return mnp_fail(error, "%s has no %s %.200s%s%s%s (`%s --help` tells more)", title, what, word,
                    nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "", title);
}

/* Options that argp adds to every table. */
static bool is_of_argp(const char *name, size_t length)
{
    return (length == 4 && memcmp("help", name, 4) == 0) || (length == 5 && memcmp("usage", name, 5) == 0);
}

/* The option of a long name or, if `cut`, the first option whose name begins so; NULL: there is none. Names are whole
 * here, although argp takes cut ones: a script would break as soon as another option began with the same letters. */
static const struct argp_option *find_long(const struct argp_option *table, const char *name, size_t length, bool cut)
{
    for (; table->name || table->key || table->doc; table++)
        if (table->name && strncmp(table->name, name, length) == 0 && (cut || strlen(table->name) == length))
            return table;
    return NULL;
}

static const struct argp_option *find_letter(const struct argp_option *table, char letter)
{
    for (; table->name || table->key || table->doc; table++)
        if (table->key == letter)
            return table;
    return NULL;
}

static bool unknown_option(const struct argp_option *table, const char *title, const char *word,
                           struct mnp_error *error)
{
    char texts[MOST_OPTIONS][40], option[200];
    const char *known[MOST_OPTIONS];
    size_t count = 0;
    const struct argp_option *begun = find_long(table, word + 2, strcspn(word + 2, "="), true);
    for (; (table->name || table->key || table->doc) && count < MOST_OPTIONS; table++) {
        if (!table->name)
            continue;
        snprintf(texts[count], sizeof texts[count], "--%s", table->name);
        known[count] = texts[count];
        count++;
    }
    snprintf(option, sizeof option, "%.*s", (int)strcspn(word, "="), word);
    if (begun && strlen(option) > 2)
        return mnp_fail(error, "%s has no option %s; did you mean --%s? (`%s --help` tells more)", title, option,
                        begun->name, title);
    return cli_unknown_word(title, "option", option, known, count, error);
}

/* A word of one or several letters. `*valued`: the last one, if it takes a value: what stands behind it or, NULL, the
 * next word. */
static bool check_letters(const struct argp_option *table, const char *title, const char *word,
                          const struct argp_option **valued, const char **value, struct mnp_error *error)
{
    for (const char *at = word + 1; *at; at++) {
        const struct argp_option *option = find_letter(table, *at);
        if (!option && *at != '?')
            return mnp_fail(error, "%s has no option -%c (`%s --help` tells more)", title, *at, title);
        if (option && option->arg) {
            *valued = option;
            *value = at[1] ? at + 1 : NULL;
            return true;
        }
    }
    return true;
}

/* Values of the options of a command line, by place in their table; whether it asks for no warnings (-qq). */
struct given {
    const char *value[MOST_OPTIONS];
    bool silent;
};

/* -qq, or -q twice. */
static bool is_silent(int count, char **words)
{
    uint32_t letters = 0;
    for (int i = 1; i < count && strcmp(words[i], "--") != 0; i++)
        letters += strcmp(words[i], "-qq") == 0 ? 2 : strcmp(words[i], "-q") == 0 || strcmp(words[i], "--quiet") == 0;
    return letters > 1;
}

/* An option with another value than it has had: the last one counts, so that a script may put its defaults in front. An
 * option that may be repeated says so in its help. */
static void warn_of_second(const struct argp_option *table, const char *title, const struct argp_option *option,
                           const char *value, struct given *given)
{
    size_t place = (size_t)(option - table);
    if (place >= MOST_OPTIONS || !value || given->silent)
        return;
    const char *before = given->value[place];
    given->value[place] = value;
    if (!before || strcmp(before, value) == 0 || (option->doc && strstr(option->doc, "may be repeated")))
        return;
    const char *dashes = option->name ? "--" : "-", letter[] = {(char)option->key, 0};
    mnp_print_text(stderr, "maniple: warning: %s: %s%s is there twice, with %.100s and %.100s: the last one counts\n",
                   title, dashes, option->name ? option->name : letter, before, value);
}

static bool check(const struct argp_option *table, int count, char **words, struct mnp_error *error)
{
    struct given given = {.silent = is_silent(count, words)};
    for (int i = 1; i < count; i++) {
        const char *word = words[i], *value = NULL;
        const struct argp_option *option = NULL;
        bool takes_next = false;
        if (word[0] != '-' || !word[1])
            continue;
        if (strcmp(word, "-h") == 0 && !find_letter(table, 'h'))
            words[i][1] = '?'; /* argp's letter of help */
        if (word[1] != '-') {
            if (!check_letters(table, words[0], word, &option, &value, error))
                return false;
            takes_next = option && !value;
        } else {
            size_t length = strcspn(word + 2, "=");
            option = find_long(table, word + 2, length, false);
            if (!option && !is_of_argp(word + 2, length))
                return unknown_option(table, words[0], word, error);
            takes_next = option && option->arg && !(option->flags & OPTION_ARG_OPTIONAL) && !word[2 + length];
            value = option && word[2 + length] ? word + 2 + length + 1 : NULL;
        }
        i += takes_next;
        if (takes_next && i < count)
            value = words[i];
        if (option)
            warn_of_second(table, words[0], option, value, &given);
    }
    return true;
}

/* argp ends the program behind its help: a standard output that takes none of it is an error then, too. */
static void check_help(void)
{
    struct mnp_error error = {{0}};
    if (!mnp_check_stream(stdout, "standard output", &error))
        _exit(cli_report_error(&error));
}

static bool asks_for_help(int count, char **words)
{
    for (int i = 1; i < count; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-?") == 0 || strcmp(words[i], "--usage") == 0)
            return true;
    return false;
}

void cli_parse(const struct argp *argp, int count, char **words, void *input)
{
    struct mnp_error error = {0};
    if (!check(argp->options, count, words, &error))
        exit(cli_report_error(&error));
    if (asks_for_help(count, words))
        atexit(check_help);
    argp_parse(argp, count, words, 0, NULL, input);
}

/* Value behind --format at a word, which takes `*taken` words; NULL: another word. */
static const char *format_at(const struct command_line *line, int word, int *taken)
{
    static const char option[] = "--format";
    const size_t length = sizeof option - 1;
    const char *text = line->argv[word];
    if (strncmp(text, option, length) != 0 || (text[length] && text[length] != '='))
        return NULL;
    *taken = text[length] ? 1 : 2;
    if (text[length])
        return text + length + 1;
    return word + 1 < line->argc ? line->argv[word + 1] : "";
}

bool cli_take_format(struct command_line *line, bool *json, int *status)
{
    static const char *const formats[] = {"text", "json"};
    int kept = 1, taken;
    *json = false;
    for (int word = 1; word < line->argc; word += taken) {
        const char *format = format_at(line, word, &taken);
        if (!format) {
            taken = 1;
            line->argv[kept++] = line->argv[word];
            continue;
        }
        *json = strcmp(format, formats[1]) == 0;
        if (!*json && strcmp(format, formats[0]) != 0) {
            struct mnp_error error = {0};
            cli_unknown_word(line->argv[0], "format", format, formats, 2, &error);
            *status = cli_report_error(&error);
            return false;
        }
    }
    line->argc = kept;
    return true;
}

bool cli_only_help(const struct command_line *line, const char *arguments, const char *text, int *status)
{
    for (int i = 1; i < line->argc; i++) {
        const char *word = line->argv[i];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            mnp_print_text(stdout, "Usage: %s%s%s\n\n", line->argv[0], *arguments ? " " : "", arguments);
            fputs(text, stdout);
            *status = cli_finish_output(MNP_EXIT_DONE);
            return false;
        }
        if (word[0] == '-' && word[1]) {
            struct mnp_error error = {0};
            static const char *const known[] = {"--help"};
            cli_unknown_word(line->argv[0], "option", word, known, 1, &error);
            *status = cli_report_error(&error);
            return false;
        }
    }
    if (!line->program)
        return true;
    mnp_print_text(stderr, "maniple: error: %s takes nothing after --\n", line->argv[0]);
    *status = MNP_EXIT_USER;
    return false;
}
