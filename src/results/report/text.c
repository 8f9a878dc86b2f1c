/* SPDX-License-Identifier: BSD-3-Clause */
/* The report in a terminal. */
#include "base/text.h"
#include "base/demangle.h"
#include "base/print.h"
#include "results/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 30, MOST_KERNELS = 15, LINE = 100 };

/* Writes a text behind a label, in lines that end between words. */
static void write_paragraph(const char *label, const char *text, FILE *out)
{
    int column = mnp_print_text(out, "%-12s", label);
    int indent = column;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column + 1 + word > LINE && column > indent)
            column = mnp_print_text(out, "\n%*s", indent, "") - 1;
        column += mnp_print_text(out, "%s%.*s", column > indent ? " " : "", word, text);
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

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

static void write_head(const struct results_reading *reading, FILE *out)
{
    char text[LINE * 4], escaped[LINE * 4];
    snprintf(text, sizeof text, "%s", mnp_escape(escaped, sizeof escaped, reading->label));
    write_paragraph("Run", text, out);
    write_paragraph("Input", mnp_escape(escaped, sizeof escaped, reading->input), out);
    snprintf(text, sizeof text, "%s: %s", reading->machine, reading->description);
    write_paragraph("Machine", mnp_escape(escaped, sizeof escaped, text), out);
    if (strcmp(reading->ended, "finished") != 0)
        mnp_print_text(out, "%-12searly (%s): the figures are of what was done until then\n", "Ended", reading->ended);
    fputc('\n', out);
}

/* How long it took: of a program, whose copies and calls take time as well, with kernels and in all. */
static void write_time(const struct results_reading *reading, FILE *out)
{
    const struct results_group *total = &reading->total;
    char with[RESULTS_REPORT_TIME], all[RESULTS_REPORT_TIME], cycles[MNP_NUMBER_TEXT], text[LINE * 4];
    const char *plural = reading->kernel_count == 1 ? "" : "s";
    double end = results_sum(reading, total, "gpu_sim_cycle"), run = results_report_cycles(reading, total);
    double launch = 100 * results_launch_share(reading, total);
    mnp_format_grouped(cycles, (uint64_t)end);
    if (reading->busy_share < 1)
        snprintf(text, sizeof text,
                 "%s with kernels, of %s in all (%.1f %%): %" PRIu64 " kernel%s, %.1f %% of whose time is launch "
                 "latency; the last ended in core cycle %s",
                 results_report_time(
                     with, results_report_seconds(reading, results_sum(reading, &reading->busy, "gpu_sim_cycle"))),
                 results_report_time(all, results_report_seconds(reading, run)), 100 * reading->busy_share,
                 reading->kernel_count, plural, launch, cycles);
    else
        snprintf(text, sizeof text,
                 "%s: %s core cycles of %" PRIu64 " kernel%s, %.1f %% of whose time is launch latency",
                 results_report_time(all, results_report_seconds(reading, end)), cycles, reading->kernel_count, plural,
                 launch);
    write_paragraph("Time", text, out);
}

static void write_answer(const struct results_reading *reading, FILE *out)
{
    struct results_verdict verdict, kernels;
    write_time(reading, out);
    results_judge(reading, &reading->total, &verdict);
    results_judge(reading, &reading->busy, &kernels);
    write_paragraph("Limited by", verdict.limit, out);
    write_paragraph("Evidence", verdict.evidence, out);
    write_paragraph("Try", verdict.remedy, out);
    if (strcmp(verdict.kind, kernels.kind) == 0)
        return;
    write_paragraph("Its kernels", kernels.limit, out);
    write_paragraph("Evidence", kernels.evidence, out);
    write_paragraph("Try", kernels.remedy, out);
}

static void write_peaks(const struct results_reading *reading, FILE *out)
{
    struct results_peak peaks[RESULTS_PEAKS];
    const struct results_group *busy = &reading->busy;
    uint32_t count = results_peaks(reading, busy, peaks);
    mnp_print_text(out, "\n%-40s  %*s %22s\n",
                   reading->busy_share < 1 ? "Of the peak, with kernels there" : "Of the peak", BAR - 10, "",
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

/* A name for people, cut to a column. */
static const char *short_name(const char *name, char *text, size_t room)
{
    char *demangled = mnp_demangle(name);
    mnp_escape(text, room, demangled ? demangled : name);
    free(demangled);
    return text;
}

static void write_kernels(const struct results_reading *reading, FILE *out)
{
    double sum = 0;
    for (uint32_t i = 0; i < reading->group_count; i++)
        sum += results_sum(reading, &reading->groups[i], "gpu_sim_cycle");
    if (!reading->group_count)
        return;
    mnp_print_text(out, "\nKernels by time\n  %6s %8s %10s %6s %6s %6s  %-23s %s\n", "%", "launches", "time each",
                   "issue", "L2", "DRAM", "limited by", "name");
    for (uint32_t i = 0; i < reading->group_count && i < MOST_KERNELS; i++) {
        const struct results_group *group = &reading->groups[i];
        struct results_peak peaks[RESULTS_PEAKS];
        struct results_verdict verdict;
        char time[RESULTS_REPORT_TIME], name[30];
        uint32_t count = results_peaks(reading, group, peaks);
        double cycles = results_sum(reading, group, "gpu_sim_cycle");
        results_judge(reading, group, &verdict);
        mnp_print_text(out, "  %6.2f %8" PRIu64 " %10s", sum > 0 ? 100 * cycles / sum : 0, group->kernels,
                       results_report_time(time, results_report_seconds(reading, cycles / (double)group->kernels)));
        for (int j = 0; j < 3; j++) {
            static const char *const shown[] = {"issue", "L2", "DRAM"};
            const struct results_peak *peak = results_peak_find(peaks, count, shown[j]);
            mnp_print_text(out, " %6.2f", peak ? 100 * results_peak_share(peak) : 0);
        }
        mnp_print_text(out, "  %-23.23s %s\n", verdict.limit, short_name(group->name, name, sizeof name));
    }
    if (reading->unowned_bytes > 0 && reading->written > 0)
        fputs("  DRAM: with a share of write-backs, which have no owner, by sectors written to the L2\n", out);
    if (reading->group_count > MOST_KERNELS)
        mnp_print_text(out, "  and %u other names of kernels\n", reading->group_count - MOST_KERNELS);
}

/* A machine whose peaks are not known: what it counts, but what is zero. */
static void write_counts(const struct results_reading *reading, FILE *out)
{
    for (uint32_t i = 0; i < reading->statistic_count; i++) {
        char text[MNP_NUMBER_TEXT];
        if (reading->statistics[i] && reading->total.sums[i] > 0)
            mnp_print_text(out, "  %-44s %20s\n", reading->statistics[i],
                           mnp_format_grouped(text, (uint64_t)reading->total.sums[i]));
    }
}

void results_report_text(const struct results_reading *reading, FILE *out)
{
    write_head(reading, out);
    if (!results_counts(reading, "issue_slots")) {
        if (results_has_tiles(reading))
            results_report_tiles(reading, out);
        write_counts(reading, out);
        return;
    }
    write_answer(reading, out);
    write_peaks(reading, out);
    write_slots(reading, out);
    results_report_lines(reading, out);
    results_report_energy(reading, out);
    write_kernels(reading, out);
}
