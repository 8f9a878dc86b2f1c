/* SPDX-License-Identifier: BSD-3-Clause */
/* Several runs in a terminal: two of the same work with all that differs, more of them with a line each. */
#include "base/print.h"
#include "base/range.h"
#include "base/text.h"
#include "results/figures/energy.h"
#include "results/report/counts.h"
#include "results/report/layout.h"
#include "results/report/page.h"
#include "results/report/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 15 };

/* ===== two runs ===== */

static void write_pair(const char *name, double a, double b, const char *unit, FILE *out)
{
    bool cycles = !*unit;
    mnp_print_text(out, "  %-23s %16.*f %16.*f %-3s", name, cycles ? 0 : 2, a, cycles ? 0 : 2, b, unit);
    if (strcmp(unit, "%") == 0)
        mnp_print_text(out, " %+11.2f\n", b - a);
    else if (a > 0)
        mnp_print_text(out, " %+11.2f %%\n", 100 * (b - a) / a);
    else
        fputc('\n', out);
}

static double microseconds(const struct results_reading *reading, double cycles)
{
    return 1e6 * results_report_seconds(reading, cycles);
}

static void write_times(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    double cycles[] = {results_report_end(a), results_report_end(b)};
    if (a->busy_share < 1 || b->busy_share < 1) {
        write_pair("Time with kernels", microseconds(a, results_sum(a, &a->busy, "gpu_sim_cycle")),
                   microseconds(b, results_sum(b, &b->busy, "gpu_sim_cycle")), "us", out);
        write_pair("Time in all", microseconds(a, results_report_cycles(a, &a->total)),
                   microseconds(b, results_report_cycles(b, &b->total)), "us", out);
        write_pair("Cycle of the last end", cycles[0], cycles[1], "", out);
        return;
    }
    write_pair("Cycles", cycles[0], cycles[1], "", out);
    write_pair("Time", microseconds(a, cycles[0]), microseconds(b, cycles[1]), "us", out);
}

static void write_shares(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    struct results_peak left[RESULTS_PEAKS], right[RESULTS_PEAKS];
    uint32_t count = results_peaks(a, &a->busy, left), others = results_peaks(b, &b->busy, right);
    for (uint32_t i = 0; i < count; i++) {
        const struct results_peak *other = results_peak_find(right, others, left[i].short_name);
        if (other && (!left[i].seldom || left[i].done > 0 || other->done > 0))
            write_pair(left[i].name, 100 * results_peak_share(&left[i]), 100 * results_peak_share(other), "%", out);
    }
    for (int i = 0; i < RESULTS_CLASSES; i++) {
        char name[32];
        snprintf(name, sizeof name, "slots: %s", results_classes[i].name);
        write_pair(name, 100 * results_report_slots(a, &a->busy, i), 100 * results_report_slots(b, &b->busy, i), "%",
                   out);
    }
}

/* A name of kernels in both runs, and by how much longer it took in B. */
struct pair {
    const struct results_group *a, *b;
    double seconds[2];
};

static int by_difference(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    double first = fabs(a->seconds[1] - a->seconds[0]), second = fabs(b->seconds[1] - b->seconds[0]);
    return first != second ? (first < second ? 1 : -1) : strcmp(a->a->name, b->a->name);
}

static int by_name(const void *left, const void *right)
{
    return strcmp((*(const struct results_group *const *)left)->name,
                  (*(const struct results_group *const *)right)->name);
}

/* Names of kernels that both runs have; to be freed. */
static struct pair *find_pairs(const struct results_reading *a, const struct results_reading *b, uint32_t *count)
{
    const struct results_group **others = calloc(b->group_count + 1, sizeof *others);
    struct pair *pairs = calloc(a->group_count + 1, sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; others && i < b->group_count; i++)
        others[i] = &b->groups[i];
    if (others && b->group_count)
        qsort(others, b->group_count, sizeof *others, by_name);
    for (uint32_t i = 0; others && pairs && b->group_count && i < a->group_count; i++) {
        const struct results_group *key = &a->groups[i],
                                   **found = bsearch(&key, others, b->group_count, sizeof *others, by_name);
        if (found)
            pairs[(*count)++] = (struct pair){key,
                                              *found,
                                              {results_report_seconds(a, results_sum(a, key, "gpu_sim_cycle")),
                                               results_report_seconds(b, results_sum(b, *found, "gpu_sim_cycle"))}};
    }
    free(others);
    if (*count)
        qsort(pairs, *count, sizeof *pairs, by_difference);
    return pairs;
}

static void write_kernels(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    uint32_t count;
    struct pair *pairs = find_pairs(a, b, &count);
    if (count)
        mnp_print_text(out, "\n  %-44s %10s %10s %11s\n", "Kernels by difference, and what limits them", "A", "B",
                       "B against A");
    for (uint32_t i = 0; i < count && i < MOST_KERNELS; i++) {
        struct results_verdict of_a, of_b;
        char times[2][RESULTS_REPORT_TIME], name[45], change[24] = "";
        results_judge(a, pairs[i].a, &of_a);
        results_judge(b, pairs[i].b, &of_b);
        if (pairs[i].seconds[0] > 0)
            snprintf(change, sizeof change, "%+.2f %%", 100 * (pairs[i].seconds[1] / pairs[i].seconds[0] - 1));
        results_report_fit_name(pairs[i].a->name, name, sizeof name - 1);
        mnp_print_text(out, "  %-44s %10s %10s %11s\n", name, results_report_time(times[0], pairs[i].seconds[0]),
                       results_report_time(times[1], pairs[i].seconds[1]), change);
        if (strcmp(of_a.limit, of_b.limit) == 0)
            mnp_print_text(out, "    A and B: %s\n", of_a.limit);
        else
            mnp_print_text(out, "    A: %s; B: %s\n", of_a.limit, of_b.limit);
    }
    if (count > MOST_KERNELS)
        mnp_print_text(out, "  and %u other names of kernels\n", count - MOST_KERNELS);
    free(pairs);
}

/* Parts of the cycles of cores, side by side. */
static void write_tiles(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    static const char *const quotients[][2] = {{"ipc", " "}, {"s_event_latency", "cyc"}, {"noc_mean_hops", "hop"}};
    struct results_share left[RESULTS_TILE_PARTS], right[RESULTS_TILE_PARTS];
    uint32_t count = results_tiles_shares(a, left);
    results_tiles_shares(b, right);
    for (uint32_t i = 0; i < count; i++)
        if (left[i].share > 0 || right[i].share > 0)
            write_pair(left[i].name, 100 * left[i].share, 100 * right[i].share, "%", out);
    for (size_t i = 0; i < sizeof quotients / sizeof *quotients; i++) {
        char text[MNP_NUMBER_TEXT];
        double values[2];
        results_count_text(a, quotients[i][0], text, &values[0]);
        results_count_text(b, quotients[i][0], text, &values[1]);
        if (values[0] > 0 || values[1] > 0)
            write_pair(quotients[i][0], values[0], values[1], quotients[i][1], out);
    }
}

/* Energies of runs that both have them. */
static void write_energies(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    if (!results_has_energy(a) || !results_has_energy(b))
        return;
    write_pair("Energy", 1e-6 * results_sum(a, &a->total, "energy"), 1e-6 * results_sum(b, &b->total, "energy"), "uJ",
               out);
    for (int i = 0; i < RESULTS_ENERGY_PARTS; i++) {
        char name[24];
        double left = results_energy_of(a, &a->total, &results_energy_parts[i]);
        double right = results_energy_of(b, &b->total, &results_energy_parts[i]);
        snprintf(name, sizeof name, "energy: %s", results_energy_parts[i].name);
        if (left > 0 || right > 0)
            write_pair(name, 1e-6 * left, 1e-6 * right, "uJ", out);
    }
}

/* A letter's run, with its machine and what was set of it. */
static void write_subject(const char *letter, const struct results_reading *reading, FILE *out)
{
    char *set = results_report_settings(reading), text[1024], escaped[4 * sizeof text];
    snprintf(text, sizeof text, "%s on %s%s%s", reading->label, reading->machine, *set ? " with " : "", set);
    free(set);
    results_report_paragraph(letter, mnp_escape(escaped, sizeof escaped, text), out);
}

void results_report_two(const struct results_reading *a, const struct results_reading *b, FILE *out)
{
    write_subject("A", a, out);
    write_subject("B", b, out);
    mnp_print_text(out, "\n  %-23s %16s %16s %-3s %12s\n", "A and B", "A", "B", "", "B against A");
    write_times(a, b, out);
    if (!results_same_launches(a, b))
        fputs("  The launches differ: each kernel is compared with that of its name\n", out);
    if (results_has_tiles(a) && results_has_tiles(b))
        write_tiles(a, b, out);
    write_energies(a, b, out);
    if (!results_counts(a, "issue_slots"))
        return;
    write_shares(a, b, out);
    write_kernels(a, b, out);
}

/* ===== many runs ===== */

/* Whether a key of the machine has one value in all runs. */
static bool is_shared(const struct results_reading *readings, uint32_t count, const char *key)
{
    char *first = NULL;
    bool shared = true;
    for (uint32_t i = 0; i < count && shared; i++) {
        sqlite3_stmt *row = results_report_ask(&readings[i], "SELECT value FROM machine WHERE run = ? AND key = ?");
        bool known =
            row && sqlite3_bind_text(row, 2, key, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW;
        const char *value = known ? results_report_text_of(row, 0) : "";
        shared = !first || strcmp(first, value) == 0;
        first = first ? first : strdup(value);
        sqlite3_finalize(row);
    }
    free(first);
    return shared;
}

/* The program with its arguments, or the trace. */
static const char *work_of(const struct results_reading *reading)
{
    return *reading->program ? reading->program : reading->input;
}

/* Whether all runs are of the first one's program or trace. */
static bool are_of_one_work(const struct results_reading *readings, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(work_of(&readings[i]), work_of(&readings[0])) != 0)
            return false;
    return true;
}

char *results_many_settings(const struct results_reading *readings, uint32_t count, uint32_t place,
                            struct mnp_array *shared)
{
    sqlite3_stmt *rows = results_report_ask_settings(&readings[place]);
    char line[512] = "";
    size_t length = 0;
    if (!are_of_one_work(readings, count))
        length = (size_t)snprintf(line, sizeof line, "input %.200s", work_of(&readings[place]));
    while (rows && sqlite3_step(rows) == SQLITE_ROW) {
        const char *key = results_report_text_of(rows, 0);
        const struct results_named *known = shared->items;
        uint32_t i = 0;
        while (i < shared->count && strcmp(known[i].name, key) != 0)
            i++;
        bool same = i < shared->count || is_shared(readings, count, key);
        if (same && i == shared->count)
            results_named_add(shared, key, 1);
        if (!same && length < sizeof line)
            length += (size_t)snprintf(line + length, sizeof line - length, "%s%s=%s", length ? ", " : "", key,
                                       results_report_text_of(rows, 1));
    }
    sqlite3_finalize(rows);
    return strdup(line);
}

static void write_settings(const char *settings, FILE *out)
{
    char escaped[2048];
    if (*settings)
        results_report_paragraph("  with", mnp_escape(escaped, sizeof escaped, settings), out);
}

bool results_many_ended_early(const struct results_reading *reading)
{
    return strcmp(reading->ended, "finished") != 0;
}

bool results_many_comparable(const struct results_reading *first, const struct results_reading *reading)
{
    struct mnp_error other = {0};
    return results_many_seconds(first) > 0 && !results_many_ended_early(first) && !results_many_ended_early(reading) &&
           results_same_work(first, reading, &other);
}

double results_many_seconds(const struct results_reading *reading)
{
    bool part = reading->busy_share < 1;
    return results_report_seconds(reading, part ? results_sum(reading, &reading->busy, "gpu_sim_cycle")
                                                : results_report_end(reading));
}

/* The limit of a run; to be freed. */
static char *limit_of(const struct results_reading *reading)
{
    struct results_verdict verdict;
    if (results_has_tiles(reading))
        return strdup(results_tiles_limit(reading));
    results_judge(reading, &reading->busy, &verdict);
    return strdup(verdict.limit);
}

/* Columns of names: as wide as they have to be, where a line has room for them. */
struct widths {
    size_t label, machine, limit;
};

enum {
    ROOM = 41,
    MOST_NAME = 40,
    LEAST_LABEL = 16
}; /* columns for the three; widest of each; narrowest name of a run */

static size_t width_of(const char *text)
{
    char fitted[MOST_NAME + 1];
    return strlen(results_report_fit(text, fitted, MOST_NAME));
}

/* The limit is shortened first, to its first word; then the run's name; then the machine. */
static struct widths find_widths(const struct results_reading *readings, uint32_t count)
{
    struct widths widths = {strlen("Run"), strlen("machine"), strlen("limited by")};
    size_t word = widths.limit;
    for (uint32_t i = 0; i < count; i++) {
        char *limit = limit_of(&readings[i]);
        widths.label = mnp_max(widths.label, width_of(readings[i].label));
        widths.machine = mnp_max(widths.machine, width_of(readings[i].machine));
        widths.limit = mnp_max(widths.limit, width_of(limit));
        word = mnp_max(word, strcspn(limit, " "));
        free(limit);
    }
    if (widths.label + widths.machine + widths.limit <= ROOM)
        return widths;
    widths.limit = word;
    if (widths.label + widths.machine + word > ROOM) {
        size_t room = ROOM - word, rest = room > widths.machine ? room - widths.machine : 0;
        widths.label = mnp_min(widths.label, mnp_max(rest, LEAST_LABEL));
        widths.machine = mnp_min(widths.machine, room - widths.label);
    }
    widths.limit = ROOM - widths.label - widths.machine;
    return widths;
}

/* Figures of the coprocessor. */
static const struct figure {
    const char *name, *numerator, *denominator;
} figures[] = {{"ipc", "instructions", "global_cycles"},
               {"wait", "s_event_wait_cycles", "s_events"},
               {"hops", "noc_hops", "noc_packets"}};

static void write_figure(const struct results_reading *reading, const struct figure *figure, FILE *out)
{
    double of = results_sum(reading, &reading->total, figure->denominator);
    double value = of > 0 ? results_sum(reading, &reading->total, figure->numerator) / of : 0;
    if (of > 0)
        mnp_print_text(out, " %5.*f", value < 10 ? 2 : value < 1000 ? 1 : 0, value);
    else
        fputs("     -", out);
}

static void write_row(const struct results_reading *reading, const struct results_reading *first,
                      const struct widths *widths, bool tiles, FILE *out)
{
    static const char *const shown[] = {"issue", "L2", "DRAM"};
    struct results_peak peaks[RESULTS_PEAKS];
    char label[MOST_NAME + 1], machine[MOST_NAME + 1], limit[MOST_NAME + 1], time[RESULTS_REPORT_TIME];
    char of_first[24] = "-", *limited = limit_of(reading);
    uint32_t known = results_peaks(reading, &reading->busy, peaks);
    if (results_many_comparable(first, reading))
        snprintf(of_first, sizeof of_first, "%.3f", results_many_seconds(reading) / results_many_seconds(first));
    mnp_print_text(out, "%-*s %-*s %10s %7s %-*s", (int)widths->label,
                   results_report_fit(reading->label, label, widths->label), (int)widths->machine,
                   results_report_fit(reading->machine, machine, widths->machine),
                   results_report_time(time, results_many_seconds(reading)), of_first, (int)widths->limit,
                   results_report_fit_limit(limited, limit, widths->limit));
    free(limited);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        const struct results_peak *peak = results_peak_find(peaks, known, shown[k]);
        if (tiles)
            write_figure(reading, &figures[k], out);
        else if (peak)
            mnp_print_text(out, " %5.1f", 100 * results_peak_share(peak));
        else
            fputs("     -", out);
    }
    fputc('\n', out);
}

void results_report_many(const struct results_reading *readings, uint32_t count, FILE *out)
{
    struct mnp_array shared = {0};
    struct widths widths = find_widths(readings, count);
    bool part = false, tiles = true;
    for (uint32_t i = 0; i < count; i++)
        tiles &= results_has_tiles(&readings[i]);
    mnp_print_text(out, "%-*s %-*s %10s %7s %-*s %s\n", (int)widths.label, "Run", (int)widths.machine, "machine",
                   "time", "x first", (int)widths.limit, "limited by",
                   tiles ? "  ipc  wait  hops" : "issue    L2  DRAM");
    for (uint32_t i = 0; i < count; i++) {
        write_row(&readings[i], &readings[0], &widths, tiles, out);
        char *settings = results_many_settings(readings, count, i, &shared);
        write_settings(settings, out);
        free(settings);
        if (results_many_ended_early(&readings[i]))
            mnp_print_text(out, "  %-9s early (%s): the figures are of what was done until then\n", "ended",
                           readings[i].ended);
        part |= readings[i].busy_share < 1;
    }
    results_named_release(&shared);
    fputs(part ? "time, limited by, peaks: of the time with kernels, without copies and calls.\n" : "", out);
    fputs("x first: its time by that of the first run; -: another program, or a run that\n"
          "ended early. ",
          out);
    fputs(tiles ? "ipc: of all cores; wait: cycles of an access to shared memory\n"
                  "(s_event_latency); hops: of a packet (noc_mean_hops). Of one run, or of two, a\n"
                  "report says more.\n"
                : "Per cent of the peaks of issue slots, L2 and DRAM. Of one run, or\n"
                  "of two, a report says more.\n",
          out);
}
