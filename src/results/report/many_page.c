/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of three and more runs: a table with a row for each, issue slots below one another, and what ran. */
#include "base/print.h"
#include "base/text.h"
#include "base/version.h"
#include "results/report/counts.h"
#include "results/report/page.h"

#include <math.h>
#include <stdlib.h>

/* The fault that is worth most, or that there is none. */
static void write_fault(const struct results_reading *reading, FILE *out)
{
    struct results_finding found[RESULTS_FINDINGS];
    uint32_t count = results_rules_find(reading, found);
    fputs("<td class=\"left words\">", out);
    mnp_put_html(count ? found[0].rule->title : "none", out);
}

/* Shares of the peaks of the first run, in its order; a machine that has no such part has a dash. */
static void write_peaks(const struct results_reading *reading, const struct results_peak *of_first, uint32_t count,
                        FILE *out)
{
    struct results_peak peaks[RESULTS_PEAKS];
    uint32_t known = results_peaks(reading, &reading->busy, peaks);
    for (uint32_t i = 0; i < count; i++) {
        const struct results_peak *peak = results_peak_find(peaks, known, of_first[i].short_name);
        if (peak)
            mnp_print_html(out, "<td data-v=\"%.6f\">%.2f", results_peak_share(peak), 100 * results_peak_share(peak));
        else
            fputs("<td>-", out);
    }
}

/* Quotients that tell runs of the coprocessor from one another. */
static const char *const quotients[][2] = {{"ipc", "instructions of all cores in a cycle"},
                                           {"s_event_latency", "cycles of an access to shared memory"},
                                           {"noc_mean_hops", "hops of a packet"}};

enum { QUOTIENTS = sizeof quotients / sizeof *quotients };

static void write_quotients(const struct results_reading *reading, FILE *out)
{
    for (int i = 0; i < QUOTIENTS; i++) {
        char text[MNP_NUMBER_TEXT];
        double value;
        results_count_text(reading, quotients[i][0], text, &value);
        mnp_print_html(out, "<td data-v=\"%.9g\">%s", value, text);
    }
}

static void write_row(const struct results_reading *readings, const char *settings, uint32_t place, double longest,
                      FILE *out)
{
    const struct results_reading *reading = &readings[place];
    struct results_verdict verdict;
    char time[RESULTS_REPORT_TIME];
    double seconds = results_many_seconds(reading), first = results_many_seconds(&readings[0]);
    results_judge(reading, &reading->busy, &verdict);
    fputs("<tr><td class=\"name\">", out);
    mnp_put_html(reading->label, out);
    if (results_many_ended_early(reading))
        mnp_print_html(out, "<br><b>ended early (%s): figures are of what was done until then</b>", reading->ended);
    fputs("<td class=\"left\">", out);
    mnp_put_html(reading->machine, out);
    fputs("<td class=\"left\">", out);
    mnp_put_html(settings, out);
    mnp_print_html(out,
                   "<td data-v=\"%.9g\">%s<td data-v=\"%.9g\"><div class=\"bar cost\"><i style=\"width:%.1f%%\"></i>"
                   "</div>",
                   seconds, results_report_time(time, seconds), seconds,
                   longest > 0 ? fmin(100 * seconds / longest, 100) : 0);
    if (results_many_comparable(&readings[0], reading))
        mnp_print_html(out, "<td data-v=\"%.6f\">%.3f", seconds / first, seconds / first);
    else
        fputs("<td>-", out);
    fputs("<td class=\"left\">", out);
    mnp_put_html(results_has_tiles(reading) ? results_tiles_limit(reading) : verdict.limit, out);
    write_fault(reading, out);
}

static void write_table(const struct results_reading *readings, uint32_t count, FILE *out)
{
    struct results_peak peaks[RESULTS_PEAKS];
    struct mnp_array shared = {0};
    uint32_t known = results_peaks(&readings[0], &readings[0].busy, peaks), shown = 0;
    double longest = 0;
    bool tiles = true;
    for (uint32_t i = 0; i < count; i++)
        tiles &= results_has_tiles(&readings[i]);
    for (uint32_t i = 0; i < count; i++)
        longest = fmax(longest, results_many_seconds(&readings[i]));
    for (uint32_t i = 0; i < known; i++)
        if (results_page_shows(&readings[0], &peaks[i]))
            peaks[shown++] = peaks[i];
    fputs("<div class=\"wide\"><table class=\"sorts tight\"><thead><tr><th>Run<th class=\"left\">machine"
          "<th class=\"left\">set<th>time<th class=\"left\">&nbsp;<th>times the first<th class=\"left\">limited by"
          "<th class=\"left\">mend first",
          out);
    for (uint32_t i = 0; i < shown; i++)
        mnp_print_html(out, "<th title=\"%s: %s\">%s %%", peaks[i].name, peaks[i].what, peaks[i].short_name);
    for (int i = 0; tiles && i < QUOTIENTS; i++)
        mnp_print_html(out, "<th title=\"%s\">%s", quotients[i][1], quotients[i][0]);
    fputs("</tr></thead><tbody>\n", out);
    for (uint32_t i = 0; i < count; i++) {
        char *settings = results_many_settings(readings, count, i, &shared);
        write_row(readings, settings, i, longest, out);
        write_peaks(&readings[i], peaks, shown, out);
        if (tiles)
            write_quotients(&readings[i], out);
        fputs("</tr>\n", out);
        free(settings);
    }
    fputs("</tbody></table></div>\n", out);
    results_named_release(&shared);
}

/* A section of each run under its name. */
static void write_each(const char *title, void (*write)(const struct results_reading *reading, FILE *out),
                       const struct results_reading *readings, uint32_t count, FILE *out)
{
    mnp_print_html(out, "<h2>%s</h2>", title);
    for (uint32_t i = 0; i < count; i++) {
        fputs("<details><summary>", out);
        results_page_subject(&readings[i], out);
        fputs("</summary>\n", out);
        write(&readings[i], out);
        fputs("</details>\n", out);
    }
}

/* A bar of issue slots, or of the cycles of cores, for each run. */
static void write_slots(const struct results_reading *readings, uint32_t count, FILE *out)
{
    fputs("<h2>Issue slots</h2><div class=\"legend\">", out);
    for (int i = 0; i < RESULTS_CLASSES; i++)
        mnp_print_html(out, "<span><i style=\"background:%s\"></i>%s: %s</span>", results_page_colours[i],
                       results_classes[i].name, results_classes[i].brief);
    fputs("</div>\n", out);
    for (uint32_t k = 0; k < count; k++) {
        const struct results_reading *reading = &readings[k];
        fputs("<div class=\"row\"><div>", out);
        mnp_put_html(reading->label, out);
        fputs("</div><div class=\"bars\"><div class=\"stack\">", out);
        for (int i = 0; i < RESULTS_CLASSES; i++) {
            double share = 100 * results_report_slots(reading, &reading->busy, i);
            if (share > 0)
                mnp_print_html(out, "<i style=\"width:%.2f%%;background:%s\" title=\"%s %.2f %%\"></i>", share,
                               results_page_colours[i], results_classes[i].name, share);
        }
        mnp_print_html(out, "</div></div><div class=\"num\">%.2f %% issued</div></div>\n",
                       100 * results_report_slots(reading, &reading->busy, 0));
    }
}

void results_page_many(const struct results_reading *readings, uint32_t count, FILE *out)
{
    bool slots = true, part = false;
    for (uint32_t i = 0; i < count; i++) {
        slots &= results_counts(&readings[i], "issue_slots");
        part |= readings[i].busy_share < 1;
    }
    mnp_print_html(out,
                   "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                   "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
                   "<title>Maniple: %u runs</title><style>",
                   count);
    fputs(results_page_style, out);
    mnp_print_html(out, "</style></head><body>\n<h1>%u runs</h1>\n", count);
    write_table(readings, count, out);
    fputs(part ? "<p class=\"soft\">Time, limits and peaks: of the time with kernels, without copies and calls.</p>"
               : "",
          out);
    fputs("<p class=\"soft\">Set: keys of the machine that not all runs share. -: another program, or a run that ended "
          "early.</p>\n",
          out);
    if (slots)
        write_slots(readings, count, out);
    write_each("What ran", results_page_ran, readings, count, out);
    fputs("<p class=\"soft\">Written by maniple " MANIPLE_VERSION "</p><script>", out);
    fputs(results_page_script, out);
    fputs("</script></body></html>\n", out);
}
