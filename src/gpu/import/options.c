/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of options as GPGPU-Sim reads them: words between blanks, an option begins with a dash, its value is the next
 * word, quotes hold a value together over blanks and line breaks, and # begins a comment.
 */
#include "base/arena.h"
#include "gpu/import/import.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct scanner {
    const char *at, *end;
    const char *file;
    unsigned line;
    struct mnp_error *error;
};

enum { MOST_OPTIONS = 4096, LONGEST_WORD = 1024 };

static void skip_blanks(struct scanner *scanner)
{
    for (; scanner->at < scanner->end; scanner->at++) {
        if (*scanner->at == '\n')
            scanner->line++;
        else if (*scanner->at == '#')
            while (scanner->at + 1 < scanner->end && scanner->at[1] != '\n')
                scanner->at++;
        else if (!isspace((unsigned char)*scanner->at))
            return;
    }
}

static bool ends_word(char c)
{
    return isspace((unsigned char)c) || c == '#';
}

static char *copy(const char *from, size_t length)
{
    char *word = mnp_allocate(length + 1, 1);
    memcpy(word, from, length);
    return word;
}

/* A value in quotes; blanks inside it do not count. */
static char *read_quoted(struct scanner *scanner)
{
    unsigned line = scanner->line;
    char word[LONGEST_WORD];
    size_t length = 0;
    for (scanner->at++; scanner->at < scanner->end && *scanner->at != '"'; scanner->at++) {
        scanner->line += *scanner->at == '\n';
        if (isspace((unsigned char)*scanner->at))
            continue;
        if (length == sizeof word) {
            mnp_fail_at(scanner->error, scanner->file, line,
                        "this quoted value has more than %d characters; shorten it", LONGEST_WORD);
            return NULL;
        }
        word[length++] = *scanner->at;
    }
    if (scanner->at == scanner->end) {
        mnp_fail_at(scanner->error, scanner->file, line, "a quoted value begins here and never ends; close its quotes");
        return NULL;
    }
    scanner->at++;
    return copy(word, length);
}

/* The next word; NULL: an error. */
static char *read_word(struct scanner *scanner)
{
    if (*scanner->at == '"')
        return read_quoted(scanner);
    const char *start = scanner->at;
    while (scanner->at < scanner->end && !ends_word(*scanner->at))
        scanner->at++;
    size_t length = (size_t)(scanner->at - start);
    if (length > LONGEST_WORD) {
        mnp_fail_at(scanner->error, scanner->file, scanner->line, "this word has more than %d characters; shorten it",
                    LONGEST_WORD);
        return NULL;
    }
    return copy(start, length);
}

static bool begins_option(const struct scanner *scanner)
{
    return scanner->end - scanner->at >= 2 && scanner->at[0] == '-' && isalpha((unsigned char)scanner->at[1]);
}

static struct gpu_import_option *add_option(struct gpu_import *import, const struct scanner *scanner, char *name)
{
    uint32_t count = import->option_count;
    if ((count & (count - 1)) == 0)
        import->options = mnp_reallocate(import->options, count ? 2 * (size_t)count : 1, sizeof *import->options);
    struct gpu_import_option *option = &import->options[import->option_count++];
    *option = (struct gpu_import_option){.name = name, .file = scanner->file, .line = scanner->line};
    return option;
}

static bool read_option(struct gpu_import *import, struct scanner *scanner)
{
    if (!begins_option(scanner))
        return mnp_fail_at(scanner->error, scanner->file, scanner->line,
                           "an option such as -gpgpu_n_clusters should begin here; write a # before comments");
    if (import->option_count == MOST_OPTIONS)
        return mnp_fail_at(scanner->error, scanner->file, scanner->line, "there are more than %d options; remove some",
                           MOST_OPTIONS);
    char *name = read_word(scanner);
    if (!name)
        return false;
    struct gpu_import_option *option = add_option(import, scanner, name);
    skip_blanks(scanner);
    option->value = scanner->at == scanner->end || begins_option(scanner) ? copy("", 0) : read_word(scanner);
    return option->value != NULL;
}

bool gpu_import_read(struct gpu_import *import, const char *file, const char *text, size_t length,
                     struct mnp_error *error)
{
    MNP_REQUIRE(import->file_count < GPU_IMPORT_FILES, "too many files are imported");
    char *name = import->files[import->file_count++] = copy(file, strlen(file));
    struct scanner scanner = {.at = text, .end = text + length, .file = name, .line = 1, .error = error};
    const char *zero = memchr(text, 0, length);
    if (zero)
        return mnp_fail(error, "%s: is no text: it holds a zero byte", name);
    for (skip_blanks(&scanner); scanner.at < scanner.end; skip_blanks(&scanner))
        if (!read_option(import, &scanner))
            return false;
    return true;
}

struct gpu_import_option *gpu_import_find(struct gpu_import *import, const char *name)
{
    for (uint32_t i = import->option_count; i-- > 0;)
        if (strcmp(import->options[i].name, name) == 0)
            return &import->options[i];
    return NULL;
}

void gpu_import_release(struct gpu_import *import)
{
    for (uint32_t i = 0; i < import->option_count; i++) {
        free(import->options[i].name);
        free(import->options[i].value);
    }
    free(import->options);
    for (uint32_t i = 0; i < import->file_count; i++)
        free(import->files[i]);
    *import = (struct gpu_import){0};
}
