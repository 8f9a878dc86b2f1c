/* SPDX-License-Identifier: BSD-3-Clause */
#include "parameters.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

void parameters_add(struct parameters *parameters, const struct parameter *table)
{
    for (; table->name; table++) {
        MNP_REQUIRE(parameters->count < MOST_PARAMETERS, "too many parameters");
        parameters->list[parameters->count++] = *table;
    }
}

static struct parameter *find(struct parameters *parameters, const char *name, size_t length)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (strlen(parameters->list[i].name) == length && memcmp(parameters->list[i].name, name, length) == 0)
            return &parameters->list[i];
    return NULL;
}

static bool unknown(const struct parameters *parameters, const char *text, int length, struct mnp_error *error)
{
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < parameters->count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", parameters->list[i].name);
    return mnp_fail(error, "'%.*s' is no parameter of this kind; use one of: %s", length, text, names);
}

/* The number of a word in "first|second|…". */
static bool find_word(const char *words, const char *text, uint64_t *value)
{
    size_t length = strlen(text);
    *value = 0;
    for (const char *at = words;; at++, ++*value) {
        const char *end = strchrnul(at, '|');
        if ((size_t)(end - at) == length && memcmp(at, text, length) == 0)
            return true;
        if (!*end)
            return false;
        at = end;
    }
}

bool parameters_set(struct parameters *parameters, const char *text, struct mnp_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return mnp_fail(error, "expected key=value but found '%s'; see maniple-tracegen --help", text);
    struct parameter *known = find(parameters, text, (size_t)(equals - text));
    if (!known)
        return unknown(parameters, text, (int)(equals - text), error);
    if (known->words) {
        if (!find_word(known->words, equals + 1, &known->value))
            return mnp_fail(error, "%s is '%s'; use one of %s", known->name, equals + 1, known->words);
        return true;
    }
    uint64_t value;
    const char *problem = mnp_parse_size(equals + 1, &value);
    if (problem && mnp_parse_number(equals + 1, &value) != NULL)
        return mnp_fail(error, "%s: '%s' %s; give a number from %" PRIu64 " to %" PRIu64, known->name, equals + 1,
                        problem, known->least, known->most);
    if (value < known->least || value > known->most)
        return mnp_fail(error, "%s is %" PRIu64 "; give a number from %" PRIu64 " to %" PRIu64, known->name, value,
                        known->least, known->most);
    known->value = value;
    return true;
}

uint64_t parameter(const struct parameters *parameters, const char *name)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i].name, name) == 0)
            return parameters->list[i].value;
    mnp_bug(__FILE__, __LINE__, "no parameter %s", name);
}

/* The word with a number. */
static void print_word(const char *words, uint64_t number, FILE *stream)
{
    for (; number; number--)
        words = strchr(words, '|') + 1;
    fprintf(stream, "%.*s", (int)strcspn(words, "|"), words);
}

void parameters_print(const struct parameter *table, FILE *stream)
{
    for (; table->name; table++) {
        fprintf(stream, "    %-12s %s (", table->name, table->help);
        if (table->words) {
            fprintf(stream, "%s; default ", table->words);
            print_word(table->words, table->value, stream);
        } else {
            fprintf(stream, "default %" PRIu64, table->value);
        }
        fputs(")\n", stream);
    }
}
