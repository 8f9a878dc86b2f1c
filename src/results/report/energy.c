/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy in reports: by part and by kernel, and what costs the most, of runs with --energy. */
#include "results/figures/energy.h"
#include "base/print.h"
#include "results/report/layout.h"
#include "results/report/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 15, BAR = 30 };

static double energy_of(const struct results_reading *reading, const struct results_group *group)
{
    double all = 0;
    for (int i = 0; i < RESULTS_ENERGY_PARTS; i++)
        all += results_energy_of(reading, group, &results_energy_parts[i]);
    return all;
}

static double watts_of(const struct results_reading *reading, const struct results_group *group)
{
    return results_energy_watts(energy_of(reading, group), results_sum(reading, group, "energy_time"));
}

/* Energy of a part; `done`: of what is done alone, without what passes with the time. */
static double part_of(const struct results_reading *reading, const struct results_group *group,
                      const struct results_energy_part *part, bool done)
{
    double passing = done ? results_energy_passing(reading, group, part) : 0;
    return (1 - passing) * results_energy_of(reading, group, part);
}

/* The part that took the most of a group's energy; `done`: of what is done alone. */
static const struct results_energy_part *most_of(const struct results_reading *reading,
                                                 const struct results_group *group, bool done)
{
    const struct results_energy_part *most = &results_energy_parts[done ? RESULTS_ENERGY_CLOCKS + 1 : 0];
    for (const struct results_energy_part *part = most; part < results_energy_parts + RESULTS_ENERGY_PARTS; part++)
        if (part_of(reading, group, part, done) > part_of(reading, group, most, done))
            most = part;
    return most;
}

#define MOSTLY 0.5 /* share of the energy of DRAM that is worth a word where refreshes take it */

static double refreshes_of(const struct results_reading *reading)
{
    return results_energy_passing(reading, &reading->total, &results_energy_parts[RESULTS_ENERGY_DRAM]);
}

/* ===== in a terminal ===== */

static void write_bar(double share, FILE *out)
{
    for (int i = 0; i < (int)(share * BAR + 0.5) && i < BAR; i++)
        fputc('#', out);
}

static void write_verdict(const struct results_reading *reading, FILE *out)
{
    char text[RESULTS_ENERGY_TEXT];
    for (int done = 0; done < 2; done++) {
        const struct results_energy_part *most = most_of(reading, &reading->total, done);
        if (done &&
            (most == most_of(reading, &reading->total, false) || part_of(reading, &reading->total, most, true) <= 0))
            continue;
        mnp_print_text(out, "  %s %s; %s\n", done ? "What is done costs most in" : "Most is", most->name, most->remedy);
    }
    if (refreshes_of(reading) > MOSTLY)
        mnp_print_text(out, "  Of DRAM %.1f %% are refreshes, which pass with the time; the rest is %s\n",
                       100 * refreshes_of(reading),
                       results_energy_text(
                           text, part_of(reading, &reading->total, &results_energy_parts[RESULTS_ENERGY_DRAM], true)));
}

/* Energy of all launches of each kernel. */
static void list_kernels(const struct results_reading *reading, FILE *out)
{
    if (reading->group_count)
        mnp_print_text(out, "\nEnergy by kernel, of all its launches\n  %12s %10s  %-14s %s\n", "energy", "mean power",
                       "most in", "name");
    for (uint32_t i = 0; i < reading->group_count && i < MOST_KERNELS; i++) {
        const struct results_group *group = &reading->groups[i];
        char text[RESULTS_ENERGY_TEXT], name[37];
        mnp_print_text(out, "  %12s %8.1f W  %-14s %s\n", results_energy_text(text, energy_of(reading, group)),
                       watts_of(reading, group), most_of(reading, group, false)->name,
                       results_report_fit_name(group->name, name, sizeof name - 1));
    }
}

void results_report_energy(const struct results_reading *reading, FILE *out)
{
    if (!results_has_energy(reading))
        return;
    char text[RESULTS_ENERGY_TEXT];
    double all = energy_of(reading, &reading->total);
    mnp_print_text(out, "\nEnergy: %s, %.1f W in the mean\n", results_energy_text(text, all),
                   watts_of(reading, &reading->total));
    for (int i = 0; i < RESULTS_ENERGY_PARTS; i++) {
        double part = results_energy_of(reading, &reading->total, &results_energy_parts[i]);
        double share = all > 0 ? part / all : 0;
        if (part <= 0)
            continue;
        mnp_print_text(out, "  %-19s %6.2f %%  ", results_energy_parts[i].name, 100 * share);
        write_bar(share, out);
        mnp_print_text(out, " %s\n", results_energy_text(text, part));
    }
    write_verdict(reading, out);
    list_kernels(reading, out);
}

/* ===== on the page ===== */

static void write_parts(const struct results_reading *reading, double all, FILE *out)
{
    char text[RESULTS_ENERGY_TEXT];
    fputs("<div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Part<th class=\"left\">what<th>energy<th>% of all"
          "<th>watts</tr></thead><tbody>\n",
          out);
    double time = results_sum(reading, &reading->total, "energy_time");
    for (int i = 0; i < RESULTS_ENERGY_PARTS; i++) {
        const struct results_energy_part *part = &results_energy_parts[i];
        double of = results_energy_of(reading, &reading->total, part);
        mnp_print_html(out,
                       "<tr><td><span style=\"color:%s\">&#9632;</span> %s</td><td class=\"left\">%s</td>"
                       "<td data-v=\"%.9g\">%s</td><td data-v=\"%.6f\">%.2f</td><td data-v=\"%.6f\">%.2f</td></tr>\n",
                       part->colour, part->name, part->what, of, results_energy_text(text, of),
                       all > 0 ? 100 * of / all : 0, all > 0 ? 100 * of / all : 0, results_energy_watts(of, time),
                       results_energy_watts(of, time));
    }
    fputs("</tbody></table></div>\n", out);
}

/* A row for each name of kernels, with a bar of its parts. */
static void write_kernel(const struct results_reading *reading, const struct results_group *group, FILE *out)
{
    char text[RESULTS_ENERGY_TEXT];
    double all = energy_of(reading, group), each = all / (double)(group->kernels ? group->kernels : 1), x = 0;
    fputs("<tr><td class=\"name\">", out);
    results_page_kernel_name(group->name, out);
    mnp_print_html(out,
                   "</td><td data-v=\"%" PRIu64 "\">%" PRIu64 "</td><td data-v=\"%.9g\">%s</td><td data-v=\"%.6f\">"
                   "%.1f</td><td class=\"left\"><svg width=\"300\" height=\"12\" viewBox=\"0 0 300 12\">",
                   group->kernels, group->kernels, each, results_energy_text(text, each), watts_of(reading, group),
                   watts_of(reading, group));
    for (int i = 0; i < RESULTS_ENERGY_PARTS && all > 0; i++) {
        double width = 300 * results_energy_of(reading, group, &results_energy_parts[i]) / all;
        mnp_print_html(out, "<rect x=\"%.1f\" width=\"%.1f\" height=\"12\" fill=\"%s\"><title>%s</title></rect>", x,
                       width, results_energy_parts[i].colour, results_energy_parts[i].name);
        x += width;
    }
    mnp_print_html(out, "</svg></td><td class=\"left\">%s</td></tr>\n", most_of(reading, group, false)->name);
}

static void write_kernels(const struct results_reading *reading, FILE *out)
{
    fputs("<div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Kernel<th>launches<th>energy each<th>watts"
          "<th class=\"left\">parts<th class=\"left\">most</tr></thead><tbody>\n",
          out);
    for (uint32_t i = 0; i < reading->group_count && i < MOST_KERNELS; i++)
        write_kernel(reading, &reading->groups[i], out);
    fputs("</tbody></table></div>\n", out);
}

void results_page_energy(const struct results_reading *reading, FILE *out)
{
    char text[RESULTS_ENERGY_TEXT];
    double all = energy_of(reading, &reading->total);
    const struct results_energy_part *most = most_of(reading, &reading->total, false);
    const struct results_energy_part *done = most_of(reading, &reading->total, true);
    mnp_print_html(out, "<p><b>%s</b>, %.1f W in the mean. Most is <b>%s</b> (%.1f %%): %s.",
                   results_energy_text(text, all), watts_of(reading, &reading->total), most->name,
                   all > 0 ? 100 * results_energy_of(reading, &reading->total, most) / all : 0, most->remedy);
    double of_done = part_of(reading, &reading->total, done, true);
    if (done != most && of_done > 0)
        mnp_print_html(out, " What is done costs most in <b>%s</b> (%.1f %%): %s.", done->name,
                       all > 0 ? 100 * of_done / all : 0, done->remedy);
    if (refreshes_of(reading) > MOSTLY)
        mnp_print_html(out, " Of DRAM, %.1f %% are refreshes, which pass with the time, whatever is done.",
                       100 * refreshes_of(reading));
    fputs("</p>\n", out);
    write_parts(reading, all, out);
    results_page_power(reading, out);
    if (reading->group_count)
        write_kernels(reading, out);
    results_page_energy_lines(reading, out);
    fputs("<p class=\"soft\">Static power of a kernel is that of the whole machine in its time. Energies of this "
          "machine: see energy.basis below.</p>\n",
          out);
}
