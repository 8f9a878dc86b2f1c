/* SPDX-License-Identifier: BSD-3-Clause */
/* Results for people, on one screen: the answer first, then the issue slots and the longest kernels. */
#include "base/print.h"
#include "base/text.h"
#include "results/write/results.h"
#include "results/write/text_parts.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_KERNELS = 10, LABEL_WIDTH = 16, VALUE_WIDTH = 16 };

static void write_line(const char *label, const char *value, const char *rest, FILE *out)
{
    mnp_print_text(out, "%-*s %*s%s%s\n", LABEL_WIDTH, label, VALUE_WIDTH, value, *rest ? "  " : "", rest);
}

static void write_count(const struct mnp_statistic_set *set, const char *label, const char *name, const char *rest,
                        FILE *out)
{
    struct mnp_statistic_value value;
    char text[MNP_NUMBER_TEXT];
    if (mnp_statistics_find(set, name, &value))
        write_line(label, mnp_format_grouped(text, value.values[0]), rest, out);
}

/* A ratio; with `inverse`, what lacks to its greatest value: hits for misses. */
static void write_ratio(const struct mnp_statistic_set *set, const char *label, const char *name, bool inverse,
                        const char *rest, FILE *out)
{
    struct mnp_statistic_value value;
    char text[MNP_NUMBER_TEXT + 2], of[MNP_NUMBER_TEXT], behind[160];
    if (!mnp_statistics_find(set, name, &value) || !value.row->kind->quotient || value.denominator == 0)
        return;
    uint64_t part = inverse ? value.denominator - value.numerator : value.numerator;
    mnp_format_ratio_decimals(text, part, value.scale, value.denominator, value.scale == 100 ? 2 : 3);
    if (value.scale == 100)
        strcat(text, " %");
    snprintf(behind, sizeof behind, rest, mnp_format_grouped(of, value.denominator));
    write_line(label, text, behind, out);
}

/* What the cycles are at the clock of the machine. */
static void write_cycles(const struct mnp_results *results, FILE *out)
{
    uint64_t hertz = results->machine ? mnp_settings_number(results->machine, "clock.core") : 0;
    uint64_t cycles = mnp_statistics_get(&results->total, "gpu_sim_cycle");
    char time[MNP_NUMBER_TEXT], clock[MNP_NUMBER_TEXT], rest[160] = "";
    if (hertz)
        snprintf(rest, sizeof rest, "%s us at %s, of %u kernel%s",
                 mnp_format_ratio_decimals(time, cycles, 1000000, hertz, 3), mnp_format_hertz(clock, hertz),
                 results->part_count, results->part_count == 1 ? "" : "s");
    write_count(&results->total, "Cycles", "gpu_sim_cycle", rest, out);
}

/* The class of issue slots that took the most beside those that issued an instruction. */
static void write_limit(const struct mnp_statistic_set *set, FILE *out)
{
    static const char prefix[] = "issue_slots_";
    const struct mnp_statistic *worst = NULL;
    uint64_t most = 0, all = mnp_statistics_get(set, "issue_slots");
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_model *model = set->blocks[i].model;
        for (size_t row = 0; row < model->statistic_count; row++) {
            const struct mnp_statistic *each = &model->statistics[row];
            if (strncmp(each->name, prefix, sizeof prefix - 1) != 0 || !each->kind->counted ||
                strcmp(each->name, "issue_slots_issued") == 0 || mnp_statistics_get(set, each->name) <= most)
                continue;
            worst = each;
            most = mnp_statistics_get(set, each->name);
        }
    }
    char percent[MNP_NUMBER_TEXT], rest[240];
    if (!worst)
        return;
    snprintf(rest, sizeof rest, "%s %% of the issue slots: %s", mnp_format_ratio_decimals(percent, most, 100, all, 2),
             worst->help);
    write_line("Limited most by", worst->name + sizeof prefix - 1, rest, out);
}

static void write_answer(const struct mnp_results *results, FILE *out)
{
    const struct mnp_statistic_set *total = &results->total;
    write_cycles(results, out);
    write_count(total, "Instructions", "gpu_sim_insn", "of threads", out);
    write_count(total, "", "gpgpu_n_tot_w_icount", "of warps", out);
    write_ratio(total, "IPC", "gpu_ipc", false, "instructions of threads in a cycle", out);
    write_ratio(total, "", "gpu_warp_ipc", false, "instructions of warps in a cycle", out);
    write_ratio(total, "Occupancy", "gpu_occupancy", false, "of the warps that SMs with work have room for", out);
    write_ratio(total, "L1D hits", "L1D_total_cache_miss_rate", true, "of %s sectors", out);
    write_ratio(total, "L2 hits", "L2_total_cache_miss_rate", true, "of %s sectors", out);
    write_count(total, "DRAM traffic", "dram_bytes", "bytes", out);
    write_ratio(total, "", "dram_bandwidth_utilisation", false, "of its bandwidth", out);
    write_limit(total, out);
    fputc('\n', out);
}

void results_write_summary(const struct mnp_results *results, FILE *out)
{
    struct mnp_statistic_value cycles;
    if (results_each_device(results, results_write_summary, out))
        return;
    if (!mnp_statistics_find(&results->total, "gpu_sim_cycle", &cycles)) {
        results_write_text(results, out); /* a machine whose statistics are few */
        return;
    }
    results_text_head(results, out);
    results_text_estimate(results, false, out);
    write_answer(results, out);
    results_text_energy(results, out);
    results_text_kernels(results, MOST_KERNELS, out);
    results_text_issue_slots(&results->total, out);
    mnp_print_text(out, "\nAll statistics: --long on the command line, or stats.txt in the folder of -o\n");
    mnp_print_text(out, "State hash %s\n", results->hash[0] ? results->hash : "none");
}
