/* SPDX-License-Identifier: BSD-3-Clause */
/* Results for people, on one screen: the answer first, then the issue slots and the longest kernels. */
#include "base/print.h"
#include "base/text.h"
#include "contract/kernel_results.h"
#include "results/write/results.h"
#include "results/write/text_parts.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_KERNELS = 10 };

/* The sum of a statistic over all kernels. */
static uint64_t sum_of_kernels(const struct mnp_results *results, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < results->part_count; i++)
        sum += mnp_statistics_get(&results->parts[i]->statistics, name);
    return sum;
}

/* The kernels' time first; then that of the run, where copies and calls of the host take some. */
static void write_times(const struct mnp_results *results, FILE *out)
{
    uint64_t kernels = sum_of_kernels(results, "gpu_sim_cycle"),
             run = mnp_statistics_get(&results->total, "gpu_sim_cycle");
    uint64_t launch = sum_of_kernels(results, "kernel_launch_cycle");
    char share[MNP_NUMBER_TEXT], rest[160];
    snprintf(rest, sizeof rest, ", of %u kernel%s: %s %% of it launch latency", results->part_count,
             results->part_count == 1 ? "" : "s", mnp_format_ratio_decimals(share, launch, 100, kernels, 1));
    results_text_time(results, "Kernels' cycles", kernels, rest, out);
    if (run > kernels)
        results_text_time(results, "Last kernel ends", run,
                          ", from the first call on, copies and calls before it included", out);
    else if (run < kernels)
        results_text_time(results, "Last kernel ends", run, ", with kernels side by side", out);
}

/* Work of kernels in one of their cycles. */
static void write_rate(const struct mnp_results *results, const char *label, const char *name, const char *rest,
                       FILE *out)
{
    char text[MNP_NUMBER_TEXT];
    uint64_t cycles = sum_of_kernels(results, "gpu_sim_cycle");
    if (cycles)
        results_text_line(label, mnp_format_ratio_decimals(text, sum_of_kernels(results, name), 1, cycles, 3), rest,
                          out);
}

/* The class of issue slots that took the most beside those that issued an instruction, of SMs with work. */
static void write_limit(const struct mnp_statistic_set *set, FILE *out)
{
    static const char prefix[] = "issue_slots_";
    const struct mnp_statistic *worst = NULL;
    uint64_t most = 0, all = mnp_statistics_get(set, "issue_slots") - mnp_statistics_get(set, "issue_slots_idle");
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_model *model = set->blocks[i].model;
        for (size_t row = 0; row < model->statistic_count; row++) {
            const struct mnp_statistic *each = &model->statistics[row];
            if (strncmp(each->name, prefix, sizeof prefix - 1) != 0 || !each->kind->counted ||
                strcmp(each->name, "issue_slots_issued") == 0 || strcmp(each->name, "issue_slots_idle") == 0 ||
                mnp_statistics_get(set, each->name) <= most)
                continue;
            worst = each;
            most = mnp_statistics_get(set, each->name);
        }
    }
    char percent[MNP_NUMBER_TEXT], rest[240];
    if (!worst)
        return;
    snprintf(rest, sizeof rest, "%s %% of the issue slots with a warp: %s",
             mnp_format_ratio_decimals(percent, most, 100, all, 2), worst->help);
    results_text_line("Limited most by", worst->name + sizeof prefix - 1, rest, out);
}

/* Share of the kernels' time in which SMs had work. */
static void write_activity(const struct mnp_results *results, FILE *out)
{
    uint64_t active = sum_of_kernels(results, "sm_active_cycles"), all = sum_of_kernels(results, "sm_cycles");
    char text[MNP_NUMBER_TEXT + 2];
    if (!all)
        return;
    mnp_format_ratio_decimals(text, active, 100, all, 2);
    strcat(text, " %");
    results_text_line("SMs with work", text, "of the kernels' time, launches included", out);
}

/* Hits of reads: stores go past the data of the L1, and say nothing about it. */
static void write_read_hits(const struct mnp_statistic_set *set, FILE *out)
{
    uint64_t reads = mnp_statistics_get(set, "L1D_read_accesses");
    uint64_t hits = mnp_statistics_get(set, "L1D_read_hits") + mnp_statistics_get(set, "L1D_total_cache_pending_hits");
    char text[MNP_NUMBER_TEXT + 2], of[MNP_NUMBER_TEXT], behind[160];
    if (!reads)
        return;
    mnp_format_ratio_decimals(text, hits, 100, reads, 2);
    strcat(text, " %");
    snprintf(behind, sizeof behind, "of %s sectors read", mnp_format_grouped(of, reads));
    results_text_line("L1D hits", text, behind, out);
}

static void write_answer(const struct mnp_results *results, FILE *out)
{
    const struct mnp_statistic_set *total = &results->total;
    write_times(results, out);
    results_text_count(total, "Instructions", "gpu_sim_insn", "of threads", out);
    results_text_count(total, "", "gpgpu_n_tot_w_icount", "of warps", out);
    write_rate(results, "IPC", "gpu_sim_insn", "instructions of threads in a cycle of the kernels", out);
    write_rate(results, "", "gpgpu_n_tot_w_icount", "instructions of warps", out);
    results_text_ratio(total, "Occupancy", "gpu_occupancy", false, "of the warps that SMs with work have room for",
                       out);
    write_read_hits(total, out);
    results_text_ratio(total, "L2 hits", "L2_total_cache_miss_rate", true, "of %s sectors", out);
    results_text_count(total, "DRAM traffic", "dram_bytes", "bytes", out);
    results_text_ratio(total, "", "dram_bandwidth_utilisation", false, "of its bandwidth, over the run's whole time",
                       out);
    write_activity(results, out);
    write_limit(total, out);
    fputc('\n', out);
}

void results_write_summary(const struct mnp_results *results, FILE *out)
{
    struct mnp_statistic_value cycles;
    if (results_each_device(results, results_write_summary, out))
        return;
    if (mnp_statistics_find(&results->total, "s_event_latency", &cycles)) {
        results_text_cores(results, out);
        return;
    }
    if (!mnp_statistics_find(&results->total, "gpu_sim_cycle", &cycles)) {
        results_write_text(results, out);      /* a machine whose statistics are few */
        if (results->form != &mnp_kernel_form) /* else nothing took time */
            fputs("What limits it: maniple report on the folder of -o\n", out);
        return;
    }
    results_text_head(results, out);
    results_text_estimate(results, false, out);
    write_answer(results, out);
    results_text_energy(results, out);
    results_text_kernels(results, MOST_KERNELS, out);
    results_text_issue_slots(results, out);
    mnp_print_text(out, "\nAll statistics: --long, or stats.txt in the folder of -o; what is worth mending: maniple "
                        "report on that folder\n");
    mnp_print_text(out, "State hash %s\n", results->hash[0] ? results->hash : "none");
}
