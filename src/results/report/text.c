/* SPDX-License-Identifier: BSD-3-Clause */
/* The report in a terminal. */
#include "base/text.h"
#include "base/print.h"
#include "results/report/counts.h"
#include "results/report/layout.h"
#include "results/report/queries.h"
#include "results/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 14, MOST_KERNELS = 15, LINE = 200 };

/* The length of a bar; a damaged database has shares that are none. */
static int bar_of(double share)
{
    return share > 0 ? (int)(share < 1 ? share * BAR + 0.5 : BAR) : 0;
}

static void write_bar(double share, FILE *out)
{
    for (int i = 0; i < bar_of(share); i++)
        fputc('#', out);
}

/* The command, as a shell would take it: keys and sizes that machine and input do not tell of. */
static void write_command(const struct results_reading *reading, FILE *out)
{
    sqlite3_stmt *words = results_report_ask_command(reading);
    char *line = NULL;
    size_t length = 0;
    FILE *text = open_memstream(&line, &length);
    MNP_NEED_MEMORY(text, "a command");
    while (words && sqlite3_step(words) == SQLITE_ROW) {
        const char *word = results_report_text_of(words, 0);
        bool first = ftell(text) == 0;
        char *quoted = mnp_shell_word(first ? results_report_place(word) : word);
        mnp_print_text(text, "%s%s", first ? "" : " ", quoted);
        free(quoted);
    }
    sqlite3_finalize(words);
    fclose(text);
    if (length)
        results_report_paragraph("Command", line, out);
    free(line);
}

/* Faults of kernels, failed launches, and what else the run has warned of. */
static void write_warnings(const struct results_reading *reading, FILE *out)
{
    sqlite3_stmt *rows = results_report_ask_warnings(reading);
    char escaped[LINE * 8];
    while (rows && sqlite3_step(rows) == SQLITE_ROW)
        results_report_paragraph("Warning", mnp_escape(escaped, sizeof escaped, results_report_text_of(rows, 0)), out);
    sqlite3_finalize(rows);
}

static void write_estimate(const struct results_reading *reading, FILE *out)
{
    char *text = results_report_estimate(reading);
    if (*text)
        results_report_paragraph("Estimate", text, out);
    free(text);
}

/* " +- 14.0 % (estimate)" behind a time; empty: it is exact. */
static const char *margin_of(const struct results_reading *reading, char text[LINE])
{
    double margin = results_report_margin(reading);
    *text = '\0';
    if (margin > 0)
        snprintf(text, LINE, " +- %.1f %% (estimate)", 100 * margin);
    return text;
}

/* Command, input, machine and warnings; `letter`: its name in a comparison, or "Run". */
static void write_head(const struct results_reading *reading, const char *letter, FILE *out)
{
    char text[LINE * 4], escaped[LINE * 4];
    snprintf(text, sizeof text, "%s", mnp_escape(escaped, sizeof escaped, reading->label));
    results_report_paragraph(letter, text, out);
    write_command(reading, out);
    const char *input = *reading->program ? reading->program : reading->input;
    results_report_paragraph("Input", mnp_escape(escaped, sizeof escaped, input), out);
    char *set = results_report_settings(reading);
    snprintf(text, sizeof text, "%s%s%s%s: %s", reading->machine, *set ? " with " : "", set, *set ? "; otherwise" : "",
             reading->description);
    free(set);
    results_report_paragraph("Machine", mnp_escape(escaped, sizeof escaped, text), out);
    if (strcmp(reading->ended, "finished") != 0)
        mnp_print_text(out, "%-12searly (%s): the figures are of what was done until then\n", "Ended", reading->ended);
    write_warnings(reading, out);
    write_estimate(reading, out);
    fputc('\n', out);
}

/* How long it took: of a program, whose copies and calls take time as well, with kernels and in all. */
static void write_time(const struct results_reading *reading, FILE *out)
{
    const struct results_group *total = &reading->total;
    char with[RESULTS_REPORT_TIME], all[RESULTS_REPORT_TIME], cycles[MNP_NUMBER_TEXT], text[LINE * 4], margin[LINE];
    const char *plural = reading->kernel_count == 1 ? "" : "s";
    double end = results_sum(reading, total, "gpu_sim_cycle"), run = results_report_cycles(reading, total);
    double launch = 100 * results_launch_share(reading, total);
    mnp_format_grouped(cycles, (uint64_t)end);
    if (reading->busy_share < 1)
        snprintf(text, sizeof text,
                 "%s%s with kernels, of %s in all, copies and calls included (%.1f %%): %" PRIu64
                 " kernel%s, %.1f %% of whose time is launch "
                 "latency; the last ended in core cycle %s",
                 results_report_time(
                     with, results_report_seconds(reading, results_sum(reading, &reading->busy, "gpu_sim_cycle"))),
                 margin_of(reading, margin), results_report_time(all, results_report_seconds(reading, run)),
                 100 * reading->busy_share, reading->kernel_count, plural, launch, cycles);
    else
        snprintf(text, sizeof text,
                 "%s%s: %s core cycles of %" PRIu64 " kernel%s, %.1f %% of whose time is launch latency",
                 results_report_time(all, results_report_seconds(reading, end)), margin_of(reading, margin), cycles,
                 reading->kernel_count, plural, launch);
    results_report_paragraph("Time", text, out);
}

/* Faults worth mending, then the limit; a change against the limit only where no rule knows better. */
static void write_answer(const struct results_reading *reading, const struct results_findings *findings, FILE *out)
{
    struct results_verdict verdict, kernels;
    bool none = !results_rules_kept(findings->all, findings->count) && !findings->joint.held;
    write_time(reading, out);
    results_report_findings(reading, findings, out);
    results_judge(reading, &reading->total, &verdict);
    results_judge(reading, &reading->busy, &kernels);
    results_report_paragraph("Limited by", verdict.limit, out);
    results_report_paragraph("Evidence", verdict.evidence, out);
    if (none)
        results_report_paragraph("Try", verdict.remedy, out);
    if (strcmp(verdict.kind, kernels.kind) == 0)
        return;
    results_report_paragraph("Its kernels", kernels.limit, out);
    results_report_paragraph("Evidence", kernels.evidence, out);
    if (none)
        results_report_paragraph("Try", kernels.remedy, out);
}

static void write_peaks(const struct results_reading *reading, FILE *out)
{
    struct results_peak peaks[RESULTS_PEAKS];
    const struct results_group *busy = &reading->busy;
    uint32_t count = results_peaks(reading, busy, peaks);
    mnp_print_text(out, "\n%-40s %36s\n", reading->busy_share < 1 ? "Of the peak, with kernels there" : "Of the peak",
                   "done of possible");
    for (uint32_t i = 0; i < count; i++) {
        const struct results_peak *peak = &peaks[i];
        char rate[64];
        if (peak->seldom && peak->done <= 0)
            continue;
        mnp_print_text(out, "  %-19s %6.2f %%  ", peak->name, 100 * results_peak_share(peak));
        write_bar(results_peak_share(peak), out);
        snprintf(rate, sizeof rate, "%.1f of %.1f %s", results_report_rate(reading, busy, peak, peak->done),
                 results_report_rate(reading, busy, peak, peak->possible), peak->scale == 1 ? peak->unit : peak->rate);
        mnp_print_text(out, "%*s %s%s\n", BAR - bar_of(results_peak_share(peak)), "", rate,
                       peak->scale == 1 ? " a cycle" : "");
    }
}

static void write_slots(const struct results_reading *reading, FILE *out)
{
    mnp_print_text(out, "\nIssue slots\n");
    for (int i = 0; i < RESULTS_CLASSES; i++) {
        double share = results_report_slots(reading, &reading->busy, i);
        mnp_print_text(out, "  %-19s %6.2f %%  ", results_classes[i].name, 100 * share);
        write_bar(share, out);
        mnp_print_text(out, "%*s %s\n", BAR - bar_of(share), "", results_classes[i].brief);
    }
}

enum { NAME = 22, WHOLE = 74 }; /* columns of a kernel's name behind the others, and on a line of its own */

static void write_kernels(const struct results_reading *reading, FILE *out)
{
    double sum = 0;
    size_t more = (size_t)(mnp_terminal_columns(RESULTS_REPORT_LINE, RESULTS_REPORT_LINE) - RESULTS_REPORT_LINE);
    for (uint32_t i = 0; i < reading->group_count; i++)
        sum += results_sum(reading, &reading->groups[i], "gpu_sim_cycle");
    if (!reading->group_count)
        return;
    mnp_print_text(out, "\nKernels by time\n  %6s %8s %10s %6s  %-19s %s\n", "%", "launches", "time each", "DRAM",
                   "limited by", "name");
    for (uint32_t i = 0; i < reading->group_count && i < MOST_KERNELS; i++) {
        const struct results_group *group = &reading->groups[i];
        struct results_peak peaks[RESULTS_PEAKS];
        struct results_verdict verdict;
        char time[RESULTS_REPORT_TIME], name[1024], whole[1100], limit[20];
        uint32_t known = results_peaks(reading, group, peaks);
        const struct results_peak *dram = results_peak_find(peaks, known, "DRAM");
        double cycles = results_sum(reading, group, "gpu_sim_cycle");
        results_judge(reading, group, &verdict);
        mnp_print_text(out, "  %6.2f %8" PRIu64 " %10s %6.2f", sum > 0 ? 100 * cycles / sum : 0, group->kernels,
                       results_report_time(time, results_report_seconds(reading, cycles / (double)group->kernels)),
                       dram ? 100 * results_peak_share(dram) : 0);
        results_report_fit_name(group->name, name, NAME + more);
        results_report_fit_name(group->name, whole, WHOLE + more);
        results_report_fit_limit(verdict.limit, limit, sizeof limit - 1);
        if (strcmp(name, whole) == 0)
            mnp_print_text(out, "  %-19s %s\n", limit, name);
        else /* a line of its own: shortened names may look alike */
            mnp_print_text(out, "  %s\n      %s\n", limit, whole);
    }
    if (reading->unowned_bytes > 0 && reading->written > 0)
        fputs("  DRAM: with a share of write-backs, which have no owner, by sectors written to\n  the L2\n", out);
    if (reading->group_count > MOST_KERNELS)
        mnp_print_text(out, "  and %u other names of kernels\n", reading->group_count - MOST_KERNELS);
}

/* A machine whose peaks are not known: what it counts, but what is zero. */
static void write_count(const struct results_count *count, void *out)
{
    mnp_print_text(out, "  %-32s %20s %s\n", count->name, count->text, count->unit);
}

void results_report_text(const struct results_reading *reading, const struct results_findings *findings, FILE *out)
{
    write_head(reading, "Run", out);
    if (!results_counts(reading, "issue_slots")) {
        if (results_has_tiles(reading)) {
            results_report_tiles(reading, out);
            fputs("Counters; core_, bank_, router_, link_ and stall_: of the tile that has most\n", out);
        }
        results_counts_each(reading, write_count, out);
        results_report_lines(reading, findings->all, findings->count, out);
        results_report_energy(reading, out);
        results_report_energy_lines(reading, out);
        return;
    }
    write_answer(reading, findings, out);
    write_peaks(reading, out);
    write_slots(reading, out);
    results_report_lines(reading, findings->all, findings->count, out);
    results_report_energy(reading, out);
    results_report_energy_lines(reading, out);
    write_kernels(reading, out);
    results_report_ranges(reading, out);
}

void results_report_answer(const struct results_reading *reading, const char *letter,
                           const struct results_findings *findings, FILE *out)
{
    write_head(reading, letter, out);
    if (results_counts(reading, "issue_slots"))
        write_answer(reading, findings, out);
    else if (results_has_tiles(reading))
        results_report_tiles(reading, out);
}
