/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/compare/first_difference.h"

#include "base/file.h"
#include "base/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 8 };

/* A table that is read a row at a time. */
struct table {
    FILE *in;
    char *head, *row; /* without the ends of their lines; row NULL: the table has ended */
    size_t head_size, row_size;
    uint64_t time; /* time of the row */
};

static bool next_line(FILE *in, char **line, size_t *size)
{
    ssize_t length = getline(line, size, in);
    if (length > 0 && (*line)[length - 1] == '\n')
        (*line)[length - 1] = 0;
    return length > 0;
}

static bool next_row(struct table *table)
{
    bool there = next_line(table->in, &table->row, &table->row_size);
    table->time = there ? strtoull(table->row, NULL, 10) : UINT64_MAX;
    return there;
}

static bool open_table(struct table *table, const char *folder)
{
    char *path = mnp_join_path(folder, "epochs.csv");
    *table = (struct table){.in = fopen(path, "re")};
    free(path);
    return table->in && next_line(table->in, &table->head, &table->head_size) && next_row(table);
}

static void close_table(struct table *table)
{
    if (table->in)
        fclose(table->in);
    free(table->head);
    free(table->row);
}

/* Writes the names of the columns in which two rows differ, and how many more there are. */
static void write_differences(const struct table *a, const struct table *b, FILE *out)
{
    char *names = a->head, *left = a->row, *right = b->row;
    unsigned differing = 0;
    for (char *name; (name = strsep(&names, ",")) && left && right;) {
        const char *in_a = strsep(&left, ","), *in_b = strsep(&right, ",");
        if (strcmp(in_a, in_b) != 0 && ++differing <= MOST_NAMED)
            mnp_print_text(out, "%s%s", differing > 1 ? ", " : "", name);
    }
    if (differing > MOST_NAMED)
        fprintf(out, " and %u more", differing - MOST_NAMED);
}

static void compare_rows(struct table *a, struct table *b, FILE *out)
{
    uint64_t common = 0, agreed = 0;
    while (a->time != UINT64_MAX && b->time != UINT64_MAX) {
        if (a->time < b->time) {
            next_row(a);
        } else if (b->time < a->time) {
            next_row(b);
        } else if (strcmp(a->row, b->row) == 0) {
            agreed = a->time;
            common++;
            next_row(a);
            next_row(b);
        } else {
            fprintf(out, "The states part in the epoch that ends at %" PRIu64 " fs", a->time);
            fprintf(out, " (they agree at %" PRIu64 " fs), in: ", agreed);
            write_differences(a, b, out);
            fputc('\n', out);
            return;
        }
    }
    if (common == 0)
        fputs("The epochs of the two runs have no common times: where they part cannot be told\n", out);
    else
        fprintf(out, "The states agree at all %" PRIu64 " common ends of epochs\n", common);
}

bool results_compare_epochs(const char *first, const char *second, FILE *out)
{
    struct table a = {0}, b = {0};
    bool there = open_table(&a, first) && open_table(&b, second);
    if (there && strcmp(a.head, b.head) != 0)
        fputs("The machines have different units: where the runs part cannot be told\n", out);
    else if (there)
        compare_rows(&a, &b, out);
    close_table(&a);
    close_table(&b);
    return there;
}
