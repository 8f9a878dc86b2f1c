/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop polls if it ends with a branch back over a few instructions that are nothing but loads and comparisons, and no
 * load changes an address of its own: each round then reads the same words. Such rounds are executed instructions, and
 * would otherwise look like work.
 */
#include "results/report/polling.h"

#include "base/text.h"
#include "results/report/layout.h"
#include "results/report/queries.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 8, WORD = 4 }; /* instructions of a loop; bytes of one */

/* An instruction of the function that is looked at. */
struct row {
    sqlite3_int64 pc;
    char text[48], source[256];
    double issues, memory;
    bool counted;
};

/* The target of a branch, which may have a condition; -1: it is none, or a call. */
static sqlite3_int64 target_of(const char *text)
{
    static const char conditions[] = "eq ne hs lo mi pl vs vc hi ls ge lt gt le cs cc";
    size_t length = strcspn(text, " ");
    char condition[3] = "";
    if (text[0] != 'b' || (length != 1 && length != 3) || !strstr(text, "#0x"))
        return -1;
    memcpy(condition, text + 1, length - 1);
    return length == 1 || strstr(conditions, condition) ? strtoll(strstr(text, "#0x") + 1, NULL, 16) : -1;
}

/* A load whose address is the same in each round, as nothing else changes registers. */
static bool is_still_load(const char *text)
{
    const char *name = text + strcspn(text, " "), *base = strchr(text, '[');
    size_t length = strcspn(name + strspn(name, " "), ",");
    name += strspn(name, " ");
    return mnp_begins(text, "ldr") && base && !strstr(text, "]!") && !strstr(text, "],") &&
           !(strncmp(base + 1, name, length) == 0 && strchr(",]", base[1 + length]));
}

static bool is_comparison(const char *text)
{
    return mnp_begins(text, "cmp ") || mnp_begins(text, "cmn ") || mnp_begins(text, "tst ") || mnp_begins(text, "teq ");
}

/* Whether the rows from `first` to the branch at `last` poll. */
static bool polls(const struct row *rows, uint32_t first, uint32_t last)
{
    bool loads = false;
    for (uint32_t i = first; i < last; i++) {
        bool load = is_still_load(rows[i].text);
        if ((!load && !is_comparison(rows[i].text)) || rows[i].counted || rows[i].pc + WORD != rows[i + 1].pc)
            return false;
        loads |= load && rows[i].memory > 0;
    }
    return loads;
}

/* Adds the loop that ends at the last of some rows, if there is one. */
static void add_loop(struct row *rows, uint32_t count, const char *function, struct results_polling *polling)
{
    uint32_t last = count - 1, first = last;
    sqlite3_int64 target = target_of(rows[last].text);
    double cycles = 0;
    while (first && rows[first].pc != target)
        first--;
    if (rows[first].pc != target || !polls(rows, first, last))
        return;
    for (uint32_t i = first; i <= last; i++) {
        polling->issues += rows[i].issues;
        polling->memory += rows[i].memory;
        cycles += rows[i].issues + rows[i].memory;
        rows[i].counted = true;
    }
    if (cycles <= polling->most)
        return;
    polling->most = cycles;
    char name[31], place[31] = "";
    if (rows[first].source[0])
        results_report_fit(results_report_place(rows[first].source), place, sizeof place - 1);
    snprintf(polling->where, sizeof polling->where, "%s%s%s", results_report_fit(function, name, sizeof name - 1),
             place[0] ? ", " : "", place);
}

bool results_find_polling(const struct results_reading *reading, struct results_polling *polling)
{
    sqlite3_stmt *all = results_report_ask(
        reading, "SELECT kernel, pc, text, source, issues, memory FROM instruction WHERE run = ? ORDER BY kernel, pc");
    struct row rows[LONGEST];
    char function[64] = "";
    uint32_t count = 0;
    bool any = false;
    *polling = (struct results_polling){0};
    for (; all && sqlite3_step(all) == SQLITE_ROW; any = true) {
        char name[64];
        snprintf(name, sizeof name, "%s", results_report_text_of(all, 0));
        if (strcmp(name, function) != 0)
            count = 0;
        memcpy(function, name, sizeof function);
        if (count == LONGEST)
            memmove(rows, rows + 1, --count * sizeof *rows);
        struct row *row = &rows[count++];
        *row = (struct row){.pc = sqlite3_column_int64(all, 1),
                            .issues = sqlite3_column_double(all, 4),
                            .memory = sqlite3_column_double(all, 5)};
        snprintf(row->text, sizeof row->text, "%s", results_report_text_of(all, 2));
        snprintf(row->source, sizeof row->source, "%s", results_report_text_of(all, 3));
        add_loop(rows, count, function, polling);
    }
    sqlite3_finalize(all);
    return any;
}
