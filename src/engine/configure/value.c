/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/configure/value.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { MOST_CHOICES = 64 /* number of choices compared with a misspelt word */ };

static void limits(const struct mnp_parameter *row, uint64_t *minimum, uint64_t *maximum)
{
    *minimum = row->minimum;
    *maximum = row->maximum ? row->maximum : MNP_NUMBER_MAX;
    if (row->type == MNP_HERTZ) { /* range in which engine/core/time.h is exact */
        if (*minimum < 1)
            *minimum = 1;
        if (*maximum > UINT64_C(10000000000))
            *maximum = UINT64_C(10000000000);
    }
}

static const char *format_number(const struct mnp_parameter *row, uint64_t value, char text[MNP_NUMBER_TEXT])
{
    if (row->type == MNP_SIZE)
        return mnp_format_size(text, value);
    if (row->type == MNP_HERTZ)
        return mnp_format_hertz(text, value);
    snprintf(text, MNP_NUMBER_TEXT, "%" PRIu64, value);
    return text;
}

const char *mnp_parameter_type_name(enum mnp_parameter_type type)
{
    static const char *const names[] = {
        [MNP_UINT] = "number",   [MNP_SIZE] = "size", [MNP_HERTZ] = "clock", [MNP_BOOL] = "boolean",
        [MNP_CHOICE] = "choice", [MNP_LIST] = "list", [MNP_TEXT] = "text",
    };
    return names[type];
}

const char *mnp_settings_choice(const struct mnp_parameter *row, const struct mnp_joined *joined, uint64_t number,
                                const struct mnp_part **part)
{
    *part = NULL;
    for (const char *const *choice = row->choices; choice && *choice; choice++)
        if (number-- == 0)
            return *choice;
    for (const struct mnp_part *const *each = row->parts; each && *each && !*part; each++)
        *part = number-- == 0 ? *each : NULL;
    for (uint32_t i = 0; row->joins && joined && i < joined->count && !*part; i++)
        if (strcmp(joined->parts[i].joins, row->joins) == 0 && number-- == 0)
            *part = joined->parts[i].part;
    return *part ? (*part)->name : NULL;
}

static void describe_choices(const struct mnp_parameter *row, const struct mnp_joined *joined, char *text, size_t room)
{
    const struct mnp_part *part;
    int used = snprintf(text, room, "%s", mnp_settings_choice(row, joined, 1, &part) ? "one of " : "");
    const char *name;
    for (uint64_t i = 0; (name = mnp_settings_choice(row, joined, i, &part)) && used >= 0 && (size_t)used < room; i++)
        used += snprintf(text + used, room - (size_t)used, "%s\"%s\"", i ? ", " : "", name);
}

void mnp_value_expectation(const struct mnp_parameter *row, const struct mnp_joined *joined, char *text, size_t room)
{
    static const char *const kinds[] = {
        [MNP_UINT] = "a whole number",
        [MNP_SIZE] = "a size such as \"64KiB\"",
        [MNP_HERTZ] = "a frequency such as \"1365MHz\"",
        [MNP_BOOL] = "true or false",
        [MNP_CHOICE] = "",
        [MNP_LIST] = "a list of up to 16 numbers such as [1, 2]",
        [MNP_TEXT] = "a text in quotes of up to 95 bytes",
    };
    if (row->type == MNP_CHOICE) {
        describe_choices(row, joined, text, room);
        return;
    }
    int used = snprintf(text, room, "%s", kinds[row->type]);
    if (row->type == MNP_BOOL || row->type == MNP_TEXT || (!row->minimum && !row->maximum && row->type != MNP_HERTZ))
        return;
    uint64_t minimum, maximum;
    char low[MNP_NUMBER_TEXT], high[MNP_NUMBER_TEXT];
    limits(row, &minimum, &maximum);
    format_number(row, minimum, low);
    if (maximum == MNP_NUMBER_MAX)
        snprintf(text + used, room - (size_t)used, ", at least %s", low);
    else
        snprintf(text + used, room - (size_t)used, " from %s to %s", low, format_number(row, maximum, high));
}

bool mnp_setting_fail(const struct mnp_setting *setting, struct mnp_error *error, const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return mnp_fail_at(error, setting->option ? setting->option : setting->file, setting->line, "%s", text);
}

/* ===== reading ===== */

static void describe_value(const struct mnp_value *value, char *text, size_t room)
{
    switch (value->kind) {
    case MNP_VALUE_INTEGER:
        snprintf(text, room, "%" PRId64, value->integer);
        break;
    case MNP_VALUE_BOOLEAN:
        snprintf(text, room, "%s", value->integer ? "true" : "false");
        break;
    case MNP_VALUE_STRING:
        snprintf(text, room, "\"%.100s\"", value->text);
        break;
    case MNP_VALUE_REAL:
    case MNP_VALUE_LOOSE:
        snprintf(text, room, "%.100s", value->text);
        break;
    case MNP_VALUE_LIST:
        snprintf(text, room, "a list");
        break;
    }
}

/* Whether a size or a frequency that is not 0 is stated as a number alone. */
static bool lacks_unit(const struct mnp_parameter *row, const struct mnp_value *value)
{
    bool plain = value->kind == MNP_VALUE_INTEGER ? value->integer != 0
                                                  : value->text[strspn(value->text, "0123456789")] == 0 &&
                                                        value->text[strspn(value->text, "0")] != 0;
    return (row->type == MNP_SIZE || row->type == MNP_HERTZ) && plain;
}

static const char *read_number(const struct mnp_parameter *row, enum mnp_parameter_type type,
                               const struct mnp_value *value, uint64_t *number)
{
    const char *problem = NULL;
    if (value->kind == MNP_VALUE_INTEGER) {
        if (value->integer < 0)
            return "is negative";
        *number = (uint64_t)value->integer;
    } else if (value->kind == MNP_VALUE_STRING || value->kind == MNP_VALUE_LOOSE) {
        if (type == MNP_UINT && value->kind == MNP_VALUE_STRING)
            return "is a text, not a number";
        problem = type == MNP_SIZE    ? mnp_parse_size(value->text, number)
                  : type == MNP_HERTZ ? mnp_parse_hertz(value->text, number)
                                      : mnp_parse_number(value->text, number);
    } else {
        problem = "has the wrong type";
    }
    uint64_t minimum, maximum;
    limits(row, &minimum, &maximum);
    if (!problem && *number < minimum)
        problem = !lacks_unit(row, value) ? "is too small"
                  : type == MNP_HERTZ     ? "has no unit, so that it is in hertz, and too small"
                                          : "has no unit, so that it is in bytes, and too small";
    if (!problem && *number > maximum)
        problem = "is too large";
    return problem;
}

static const char *read_boolean(const struct mnp_value *value, uint64_t *number)
{
    if (value->kind == MNP_VALUE_BOOLEAN) {
        *number = value->integer != 0;
        return NULL;
    }
    bool yes = value->kind == MNP_VALUE_LOOSE && strcmp(value->text, "true") == 0;
    bool no = value->kind == MNP_VALUE_LOOSE && strcmp(value->text, "false") == 0;
    *number = yes;
    return yes || no ? NULL : "is neither true nor false";
}

/* Returns the text of a string or loose value, without the quotes that a loose value may have. */
static bool plain_text(const struct mnp_value *value, char *text, size_t room)
{
    if (value->kind != MNP_VALUE_STRING && value->kind != MNP_VALUE_LOOSE)
        return false;
    const char *from = value->text;
    size_t length = strlen(from);
    if (value->kind == MNP_VALUE_LOOSE && length >= 2 && from[0] == '"' && from[length - 1] == '"') {
        from++;
        length -= 2;
    }
    if (length >= room)
        return false;
    memcpy(text, from, length);
    text[length] = 0;
    return true;
}

static const char *read_choice(const struct mnp_parameter *row, const struct mnp_joined *joined,
                               const struct mnp_value *value, struct mnp_resolved *resolved)
{
    char text[MNP_TEXT_MAX];
    if (!plain_text(value, text, sizeof text))
        return "is not a text";
    uint64_t *number = &resolved->number;
    for (*number = 0; (resolved->word = mnp_settings_choice(row, joined, *number, &resolved->part)); ++*number)
        if (strcmp(resolved->word, text) == 0)
            return NULL;
    return "is not known";
}

/* Returns the choice nearest to a misspelt word, or NULL. */
static const char *guess_choice(const struct mnp_parameter *row, const struct mnp_joined *joined, const char *word)
{
    const char *names[MOST_CHOICES];
    const struct mnp_part *part;
    size_t count = 0;
    while (count < MOST_CHOICES && (names[count] = mnp_settings_choice(row, joined, count, &part)))
        count++;
    return mnp_nearest_word(word, names, count);
}

/* Elements are whole numbers, or quoted sizes and clocks. */
static enum mnp_parameter_type element_type(const char *text)
{
    return strstr(text, "Hz") ? MNP_HERTZ : MNP_SIZE;
}

static const char *read_loose_list(const struct mnp_parameter *row, const char *text, struct mnp_list *list)
{
    char copy[512];
    if (strlen(text) >= sizeof copy)
        return "is too long";
    strcpy(copy, text);
    char *rest = copy;
    list->count = 0;
    for (char *word = strtok_r(copy, "[]()\", ", &rest); word; word = strtok_r(NULL, "[]()\", ", &rest)) {
        if (list->count == MNP_LIST_MAX)
            return "has too many elements";
        struct mnp_value element = {.kind = MNP_VALUE_LOOSE, .text = word};
        const char *problem = read_number(row, element_type(word), &element, &list->value[list->count++]);
        if (problem)
            return problem;
    }
    return NULL;
}

static const char *read_list(const struct mnp_parameter *row, const struct mnp_value *value, struct mnp_list *list)
{
    if (value->kind == MNP_VALUE_LOOSE)
        return read_loose_list(row, value->text, list);
    if (value->kind != MNP_VALUE_LIST)
        return "is not a list";
    if (value->count > MNP_LIST_MAX)
        return "has too many elements";
    list->count = value->count;
    for (uint32_t i = 0; i < value->count; i++) {
        const struct mnp_value *element = &value->values[i];
        enum mnp_parameter_type type = element->text ? element_type(element->text) : MNP_SIZE;
        const char *problem = read_number(row, type, element, &list->value[i]);
        if (problem)
            return problem;
    }
    return NULL;
}

bool mnp_value_convert(const struct mnp_parameter *row, const struct mnp_joined *joined,
                       const struct mnp_setting *setting, struct mnp_resolved *resolved, struct mnp_error *error)
{
    const struct mnp_value *value = &setting->value;
    const char *problem = NULL;
    const char *guess = NULL;
    switch (row->type) {
    case MNP_UINT:
    case MNP_SIZE:
    case MNP_HERTZ:
        problem = read_number(row, row->type, value, &resolved->number);
        break;
    case MNP_BOOL:
        problem = read_boolean(value, &resolved->number);
        break;
    case MNP_CHOICE:
        problem = read_choice(row, joined, value, resolved);
        guess = problem && value->text ? guess_choice(row, joined, value->text) : NULL;
        break;
    case MNP_LIST:
        problem = read_list(row, value, &resolved->list);
        break;
    case MNP_TEXT:
        problem = plain_text(value, resolved->text.text, sizeof resolved->text.text) ? NULL : "is no such text";
        break;
    }
    if (!problem)
        return true;
    char written[128], expectation[256];
    describe_value(value, written, sizeof written);
    mnp_value_expectation(row, joined, expectation, sizeof expectation);
    /* The help of a choice explains each word behind its first clause, which `maniple models` shows. */
    int brief = (int)(row->type == MNP_CHOICE ? strcspn(row->help, ";") : strlen(row->help));
    return mnp_setting_fail(setting, error, "%s = %s %s; state %s%s%s%s%s (%.*s)", row->key, written, problem,
                            expectation, row->joins ? ", or load the plug-in that has it (--plugin FILE.so)" : "",
                            guess ? "; did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "", brief, row->help);
}

/* ===== storing and writing ===== */

void mnp_value_store(const struct mnp_resolved *resolved, void *parameters)
{
    char *at = (char *)parameters + resolved->row->offset;
    if (resolved->row->type == MNP_LIST)
        memcpy(at, &resolved->list, sizeof resolved->list);
    else if (resolved->row->type == MNP_TEXT)
        memcpy(at, &resolved->text, sizeof resolved->text);
    else
        memcpy(at, &resolved->number, sizeof resolved->number);
    if (resolved->row->parts || resolved->row->joins)
        *(struct mnp_chosen *)(void *)((char *)parameters + resolved->row->chosen) =
            (struct mnp_chosen){.part = resolved->part};
}

static void write_integer(uint64_t number, FILE *out)
{
    fprintf(out, "%" PRIu64 "%s", number, number > INT32_MAX ? "L" : "");
}

void mnp_value_write_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\x%02x", (unsigned)*text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void write_list(const struct mnp_list *list, FILE *out)
{
    bool wide = false; /* libconfig requires one type per array */
    for (uint64_t i = 0; i < list->count; i++)
        wide |= list->value[i] > INT32_MAX;
    fputc('[', out);
    for (uint64_t i = 0; i < list->count; i++)
        fprintf(out, "%s%" PRIu64 "%s", i ? ", " : "", list->value[i], wide ? "L" : "");
    fputc(']', out);
}

void mnp_value_write(const struct mnp_resolved *resolved, FILE *out)
{
    char text[MNP_NUMBER_TEXT];
    switch (resolved->row->type) {
    case MNP_UINT:
        write_integer(resolved->number, out);
        break;
    case MNP_SIZE:
        fprintf(out, "\"%s\"", mnp_format_size(text, resolved->number));
        break;
    case MNP_HERTZ:
        fprintf(out, "\"%s\"", mnp_format_hertz(text, resolved->number));
        break;
    case MNP_BOOL:
        fputs(resolved->number ? "true" : "false", out);
        break;
    case MNP_CHOICE:
        fprintf(out, "\"%s\"", resolved->word);
        break;
    case MNP_LIST:
        write_list(&resolved->list, out);
        break;
    case MNP_TEXT:
        mnp_value_write_text(resolved->text.text, out);
        break;
    }
}
