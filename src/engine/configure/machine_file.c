/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/configure/machine_file.h"

#include "base/allocate.h"
#include "base/text.h"

#include <ctype.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 16,       /* maximum nesting of groups and lists */
    KEY_MAX = 128,        /* maximum length of a complete key */
    LIST_ELEMENTS = 4096, /* maximum length of a list, far beyond any parameter's */
};

/* ===== the scanner ===== */

struct scanner {
    const char *at, *end;
    const char *file;
    unsigned line;
    unsigned depth;
    struct mnp_error *error;
};

static bool scan_error(const struct scanner *scanner, unsigned line, const char *problem)
{
    return mnp_fail_at(scanner->error, scanner->file, line, "%s", problem);
}

static bool scan_string(struct scanner *scanner)
{
    unsigned start = scanner->line;
    for (scanner->at++; scanner->at < scanner->end && *scanner->at != '"'; scanner->at++) {
        if (*scanner->at == '\n')
            return scan_error(scanner, start, "a text has no closing quote on its line; add \"");
        if (*scanner->at == '\\' && scanner->at + 1 < scanner->end)
            scanner->at++;
    }
    if (scanner->at == scanner->end)
        return scan_error(scanner, start, "a text has no closing quote; add \"");
    scanner->at++;
    return true;
}

static void skip_line(struct scanner *scanner)
{
    while (scanner->at < scanner->end && *scanner->at != '\n')
        scanner->at++;
}

static bool scan_comment(struct scanner *scanner)
{
    unsigned start = scanner->line;
    for (scanner->at += 2; scanner->at + 1 < scanner->end; scanner->at++) {
        if (scanner->at[0] == '*' && scanner->at[1] == '/') {
            scanner->at += 2;
            return true;
        }
        scanner->line += *scanner->at == '\n';
    }
    return scan_error(scanner, start, "a comment has no end; close it with */");
}

/* Scans letters and digits: a key, a word or a number. Checks that numbers do not overflow. */
static bool scan_word(struct scanner *scanner)
{
    char word[64];
    size_t length = 0;
    bool number = isdigit((unsigned char)*scanner->at);
    while (scanner->at < scanner->end && (isalnum((unsigned char)*scanner->at) || strchr("_.-*", *scanner->at))) {
        if (length < sizeof word - 1)
            word[length++] = *scanner->at;
        scanner->at++;
    }
    word[length] = 0;
    bool hexadecimal = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    if (!number || (!hexadecimal && word[strspn(word, "0123456789L")]))
        return true; /* a word, a real number, or a token that libconfig will reject */
    size_t digits = strcspn(word, "L");
    bool wide = word[digits] == 'L';
    word[digits] = 0;
    uint64_t value;
    if (length == sizeof word - 1 || mnp_parse_number(word, &value) != NULL)
        return scan_error(scanner, scanner->line,
                          "a number is too large or malformed; the greatest is 9223372036854775807L");
    if (!wide && value > INT32_MAX)
        return scan_error(scanner, scanner->line,
                          "a number above 2147483647 needs an L after it (5000000000L), or a unit in quotes");
    return true;
}

static bool scan_one(struct scanner *scanner)
{
    char c = *scanner->at;
    if (c == '"')
        return scan_string(scanner);
    if (c == '#' || (c == '/' && scanner->at[1] == '/')) {
        skip_line(scanner);
        return true;
    }
    if (c == '/' && scanner->at[1] == '*')
        return scan_comment(scanner);
    if (isalnum((unsigned char)c))
        return scan_word(scanner);
    if (c == '@')
        return scan_error(scanner, scanner->line, "includes are not supported; use machine: { extends = \"…\"; }");
    if ((unsigned char)c < ' ' && !isspace((unsigned char)c))
        return scan_error(scanner, scanner->line, "this is not a text file; a machine file is plain text");
    if (strchr("{[(", c) && ++scanner->depth > DEPTH_MAX)
        return scan_error(scanner, scanner->line, "groups are nested too deeply; no machine key has so many parts");
    if (strchr("}])", c) && scanner->depth)
        scanner->depth--;
    scanner->line += c == '\n';
    scanner->at++;
    return true;
}

static bool scan(const char *text, size_t length, const char *file, struct mnp_error *error)
{
    if (memchr(text, 0, length))
        return mnp_fail_at(error, file, 0, "this is not a text file; a machine file is plain text");
    struct scanner scanner = {.at = text, .end = text + length, .file = file, .line = 1, .error = error};
    while (scanner.at < scanner.end)
        if (!scan_one(&scanner))
            return false;
    return true;
}

/* ===== from libconfig's tree to the flat list ===== */

struct reader {
    const char *file;
    struct mnp_setting_list *list;
    struct mnp_error *error;
};

static void release_value(struct mnp_value *value)
{
    for (uint32_t i = 0; i < value->count; i++)
        release_value(&value->values[i]);
    free(value->values);
    free(value->text);
}

static bool read_value(const struct reader *reader, const char *key, const config_setting_t *from,
                       struct mnp_value *value);

static bool read_list(const struct reader *reader, const char *key, const config_setting_t *from,
                      struct mnp_value *value)
{
    int length = config_setting_length(from);
    if (length > LIST_ELEMENTS)
        return mnp_fail_at(reader->error, reader->file, config_setting_source_line(from),
                           "the list %s has %d elements; no parameter takes so many", key, length);
    value->kind = MNP_VALUE_LIST;
    value->values = mnp_allocate((size_t)length, sizeof *value->values);
    for (int i = 0; i < length; i++) {
        const config_setting_t *element = config_setting_get_elem(from, (unsigned)i);
        if (config_setting_is_aggregate(element))
            return mnp_fail_at(reader->error, reader->file, config_setting_source_line(element),
                               "%s is a list of groups or lists; it should hold plain values", key);
        value->count++;
        if (!read_value(reader, key, element, &value->values[i]))
            return false;
    }
    return true;
}

static bool read_value(const struct reader *reader, const char *key, const config_setting_t *from,
                       struct mnp_value *value)
{
    switch (config_setting_type(from)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        *value = (struct mnp_value){.kind = MNP_VALUE_INTEGER, .integer = config_setting_get_int64(from)};
        return true;
    case CONFIG_TYPE_BOOL:
        *value = (struct mnp_value){.kind = MNP_VALUE_BOOLEAN, .integer = config_setting_get_bool(from)};
        return true;
    case CONFIG_TYPE_FLOAT:
        *value = (struct mnp_value){.kind = MNP_VALUE_REAL};
        if (asprintf(&value->text, "%g", config_setting_get_float(from)) < 0)
            value->text = NULL;
        return true;
    case CONFIG_TYPE_STRING:
        *value = (struct mnp_value){.kind = MNP_VALUE_STRING, .text = strdup(config_setting_get_string(from))};
        return true;
    case CONFIG_TYPE_ARRAY:
    case CONFIG_TYPE_LIST:
        return read_list(reader, key, from, value);
    default:
        return mnp_fail_at(reader->error, reader->file, config_setting_source_line(from), "%s has no value", key);
    }
}

static bool read_group(const struct reader *reader, const char *prefix, const config_setting_t *group)
{
    int length = config_setting_length(group);
    for (int i = 0; i < length; i++) {
        const config_setting_t *child = config_setting_get_elem(group, (unsigned)i);
        char key[KEY_MAX];
        unsigned line = config_setting_source_line(child);
        int needed = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", config_setting_name(child));
        if (needed >= (int)sizeof key)
            return mnp_fail_at(reader->error, reader->file, line, "the key %s… is longer than any known one", key);
        if (config_setting_is_group(child)) {
            if (!read_group(reader, key, child))
                return false;
            continue;
        }
        struct mnp_setting setting = {.file = reader->file, .line = line};
        if (!read_value(reader, key, child, &setting.value)) {
            release_value(&setting.value);
            return false;
        }
        setting.key = strdup(key);
        mnp_setting_append(reader->list, &setting);
    }
    return true;
}

bool mnp_machine_file_read(const char *text, size_t length, const char *file, struct mnp_setting_list *list,
                           struct mnp_error *error)
{
    if (!scan(text, length, file, error))
        return false;
    config_t config;
    config_init(&config);
    struct reader reader = {.file = file, .list = list, .error = error};
    bool done = false;
    if (!config_read_string(&config, text)) {
        const char *problem = config_error_text(&config);
        bool duplicate = problem && strstr(problem, "duplicate");
        mnp_fail_at(error, file, (unsigned long)config_error_line(&config), "%s; %s",
                    problem ? problem : "syntax error",
                    duplicate ? "state each key once, and each group in one place"
                              : "write KEY = VALUE; or GROUP: { … }; with texts and units in quotes");
    } else {
        done = read_group(&reader, "", config_root_setting(&config));
    }
    config_destroy(&config);
    return done;
}

void mnp_setting_append(struct mnp_setting_list *list, const struct mnp_setting *setting)
{
    list->settings = mnp_reallocate(list->settings, list->count + 1, sizeof *list->settings);
    list->settings[list->count++] = *setting;
}

void mnp_setting_release(struct mnp_setting *setting)
{
    free(setting->key);
    release_value(&setting->value);
    *setting = (struct mnp_setting){0};
}

void mnp_setting_list_release(struct mnp_setting_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        mnp_setting_release(&list->settings[i]);
    free(list->settings);
    *list = (struct mnp_setting_list){0};
}
