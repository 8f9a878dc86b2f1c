/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/encoding/csv.h"

#include "base/allocate.h"
#include "base/file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 1 << 30, MOST_COLUMNS = 4096 };

struct reader {
    char *at; /* fields are written over the text that they came from */
    unsigned line;
    const char *path;
    struct mnp_error *error;
};

/* Takes a field in quotes; the text behind the closing one. NULL: it does not close. */
static char *take_quoted(struct reader *r, char **field)
{
    unsigned start = r->line;
    char *to = *field = r->at + 1, *from = r->at + 1;
    for (;; from++) {
        if (!*from) {
            mnp_fail_at(r->error, r->path, start, "a field has no closing quote; add \"");
            return NULL;
        }
        if (*from == '"' && from[1] != '"')
            break;
        from += *from == '"';
        r->line += *from == '\n';
        *to++ = *from;
    }
    r->at = from + 1;
    return to;
}

/* Takes a field and what follows it; `*last`: it ended its row. False: an error. */
static bool take_field(struct reader *r, char **field, bool *last)
{
    char *end;
    if (*r->at == '"') {
        if (!(end = take_quoted(r, field)))
            return false;
        if (*r->at && !strchr(",\r\n", *r->at))
            return mnp_fail_at(r->error, r->path, r->line,
                               "something follows a closing quote; a field in quotes ends there");
    } else {
        *field = r->at;
        end = r->at += strcspn(r->at, ",\r\n");
    }
    char after = *r->at;
    *last = after != ',';
    r->at += after == '\r' && r->at[1] == '\n' ? 2 : after != 0;
    r->line += after == '\n' || after == '\r';
    *end = 0;
    return true;
}

/* Takes a row of at most MOST_COLUMNS fields; their number, or 0 with an error. */
static uint32_t take_row(struct reader *r, char **fields)
{
    uint32_t count = 0;
    for (bool last = false; !last;) {
        if (count == MOST_COLUMNS) {
            mnp_fail_at(r->error, r->path, r->line, "more than %d columns; this is not a table of measurements",
                        MOST_COLUMNS);
            return 0;
        }
        if (!take_field(r, &fields[count++], &last))
            return 0;
    }
    return count;
}

static char **copy(char *const *fields, uint32_t count)
{
    char **of = mnp_allocate(count, sizeof *of);
    memcpy(of, fields, count * sizeof *of);
    return of;
}

/* Notes before the table, as profilers write them, and empty lines. */
static void pass_notes(struct reader *r)
{
    while (*r->at == '#' || *r->at == '\n' || *r->at == '\r' || strncmp(r->at, "==", 2) == 0) {
        r->at += strcspn(r->at, "\n");
        r->line += *r->at == '\n';
        r->at += *r->at == '\n';
    }
}

static bool read_rows(struct results_csv *csv, struct reader *r, char **fields)
{
    pass_notes(r);
    if (!*r->at)
        return mnp_fail_at(r->error, r->path, 0, "is empty; give a table with a line of names");
    csv->columns = take_row(r, fields);
    csv->names = csv->columns ? copy(fields, csv->columns) : NULL;
    if (csv->columns == 1 && strchr(csv->names[0], ';'))
        return mnp_fail_at(r->error, r->path, 1, "has semicolons between its columns; write commas");
    for (pass_notes(r); csv->columns && *r->at; pass_notes(r)) {
        unsigned line = r->line;
        uint32_t count = take_row(r, fields);
        if (!count)
            return false;
        if (count != csv->columns)
            return mnp_fail_at(r->error, r->path, line,
                               "has %u fields, and the line of names %u; a comma in a field needs "
                               "quotes around the field",
                               count, csv->columns);
        *(struct results_csv_row *)mnp_array_add(&csv->rows, 1, sizeof(struct results_csv_row)) =
            (struct results_csv_row){.fields = copy(fields, count), .line = line};
    }
    return csv->columns > 0;
}

bool results_csv_read(struct results_csv *csv, const char *path, struct mnp_error *error)
{
    size_t length;
    *csv = (struct results_csv){.path = strdup(path), .text = mnp_read_file(path, LARGEST_FILE, &length, error)};
    struct reader reader = {.at = csv->text, .line = 1, .path = path, .error = error};
    bool done = csv->text;
    if (done && strlen(csv->text) != length)
        done = mnp_fail_at(error, path, 0, "is not a text file; give comma-separated values");
    if (done && strncmp(csv->text, "\xef\xbb\xbf", 3) == 0)
        reader.at += 3;
    char **fields = mnp_allocate(MOST_COLUMNS, sizeof *fields);
    done = done && read_rows(csv, &reader, fields);
    free(fields);
    if (!done)
        results_csv_release(csv);
    return done;
}

void results_csv_release(struct results_csv *csv)
{
    struct results_csv_row *rows = csv->rows.items;
    for (uint32_t i = 0; i < csv->rows.count; i++)
        free(rows[i].fields);
    mnp_array_release(&csv->rows);
    free(csv->names);
    free(csv->text);
    free(csv->path);
    *csv = (struct results_csv){0};
}

int results_csv_column(const struct results_csv *csv, const char *name)
{
    for (uint32_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->names[i], name) == 0)
            return (int)i;
    return -1;
}

/* Takes the commas out of "1,234,567.5". False: they do not stand between groups of three digits. */
static bool drop_groups(char *to, const char *text)
{
    size_t digits = 0;
    bool grouped = strchr(text, ','), first = true;
    for (; *text == '-'; text++)
        *to++ = *text;
    for (; isdigit((unsigned char)*text) || *text == ','; text++) {
        if (*text != ',') {
            *to++ = *text;
            digits++;
            continue;
        }
        if (digits == 0 || digits > 3 || (!first && digits != 3))
            return false;
        first = false;
        digits = 0;
    }
    if (grouped && digits != 3)
        return false;
    strcpy(to, text);
    return !strchr(text, ',');
}

bool results_csv_number(const struct results_csv *csv, const struct results_csv_row *row, uint32_t column,
                        double *value, struct mnp_error *error)
{
    static const char decimal[] = "0123456789.eE+-"; /* strtod takes others, too: of base 16, nan, inf */
    const char *text = row->fields[column];
    char plain[64], *end = plain;
    if (strlen(text) < sizeof plain && drop_groups(plain, text) && !plain[strspn(plain, decimal)])
        *value = strtod(plain, &end);
    if (end == plain || *end)
        return mnp_fail_at(
            error, csv->path, row->line,
            "%.60s is \"%.60s\", which is no decimal number; write it as 1234.5, with a point, or export "
            "with LC_ALL=C",
            csv->names[column], text);
    return isfinite(*value) || mnp_fail_at(error, csv->path, row->line,
                                           "%.60s is \"%.60s\", which is beyond the greatest number, about 1.8e308; "
                                           "state it in a larger unit",
                                           csv->names[column], text);
}
