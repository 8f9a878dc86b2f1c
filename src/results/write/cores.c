/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary of a run of the coprocessor, on half a screen: the time, what the cores executed and waited for, their
 * caches, the mesh. What the machine does not have, has no line. */
#include "base/print.h"
#include "base/text.h"
#include "results/write/text_parts.h"

#include <stdio.h>
#include <string.h>

/* A counter as a share of the cycles of all cores. */
static void write_share(const struct mnp_results *results, const char *label, const char *name, const char *rest,
                        FILE *out)
{
    const struct mnp_statistic_set *total = &results->total;
    uint64_t cores = results->machine ? mnp_settings_number(results->machine, "tile.count") : 0;
    uint64_t all = cores * mnp_statistics_get(total, "global_cycles"), part = mnp_statistics_get(total, name);
    char text[MNP_NUMBER_TEXT + 2];
    if (!all || !part)
        return;
    mnp_format_ratio_decimals(text, part, 100, all, 2);
    strcat(text, " %");
    results_text_line(label, text, rest, out);
}

/* The tile or link with most of a count, per cycle of the run. */
static void write_busiest(const struct mnp_results *results, const char *label, const char *name, const char *what,
                          FILE *out)
{
    const struct mnp_statistic_set *total = &results->total;
    uint64_t most = mnp_statistics_get(total, name), cycles = mnp_statistics_get(total, "global_cycles");
    char text[MNP_NUMBER_TEXT], percent[MNP_NUMBER_TEXT], rest[120];
    if (!most || !cycles)
        return;
    snprintf(rest, sizeof rest, "%s: one in %s %% of the cycles", what,
             mnp_format_ratio_decimals(percent, most, 100, cycles, 1));
    results_text_line(label, mnp_format_grouped(text, most), rest, out);
}

/* The router with most packets: one that moves one a cycle may be the limit. */
static void write_router(const struct mnp_results *results, FILE *out)
{
    if (results->machine && mnp_settings_number(results->machine, "mesh.selection") == 0) /* "one", the first choice */
        write_busiest(results, "Busiest router", "noc_busiest_router", "packets", out);
}

static void write_failures(const struct mnp_results *results, FILE *out)
{
    uint64_t stores = mnp_statistics_get(&results->total, "exclusive_stores"),
             failures = mnp_statistics_get(&results->total, "exclusive_failures");
    char text[MNP_NUMBER_TEXT + 2], count[MNP_NUMBER_TEXT], rest[100];
    if (!failures)
        return;
    mnp_format_ratio_decimals(text, failures, 100, stores, 1);
    strcat(text, " %");
    snprintf(rest, sizeof rest, "of %s exclusive stores failed, and were to be tried again",
             mnp_format_grouped(count, stores));
    results_text_line("Contention", text, rest, out);
    uint64_t neighbours = mnp_statistics_get(&results->total, "exclusive_neighbour_failures");
    if (!neighbours)
        return;
    mnp_format_ratio_decimals(text, neighbours, 100, failures, 1);
    strcat(text, " %");
    results_text_line("", text, "of these because of the other word of 8 bytes, which are reserved together", out);
}

static void write_accesses(const struct mnp_results *results, FILE *out)
{
    const struct mnp_statistic_set *total = &results->total;
    results_text_count(total, "Shared memory", "s_events", "accesses", out);
    results_text_ratio(total, "", "s_event_latency", false, "cycles each, on average", out);
    write_share(results, "", "s_event_wait_cycles", "of the cores' cycles waited for them", out);
    write_failures(results, out);
    write_share(results, "", "exclusive_again_cycles", "of the cores' cycles went by until the next try had ended",
                out);
    write_share(results, "Polls", "poll_cycles", "of the cores' cycles in loops that read a word until it changes",
                out);
}

static void write_mesh(const struct mnp_results *results, FILE *out)
{
    char text[32];
    if (!results->map_width)
        return;
    snprintf(text, sizeof text, "%u x %u", results->map_width, results->map_height);
    results_text_line("Mesh", text, "tiles", out);
    results_text_ratio(&results->total, "", "noc_mean_hops", false, "hops of a packet, of %s packets", out);
}

void results_text_cores(const struct mnp_results *results, FILE *out)
{
    const struct mnp_statistic_set *total = &results->total;
    results_text_head(results, out);
    results_text_time(results, "Cycles", mnp_statistics_get(total, "global_cycles"),
                      results->end == MNP_END_FINISHED ? ", until the last core had ended" : ", until the run ended",
                      out);
    results_text_count(total, "Instructions", "instructions", "of all cores", out);
    results_text_ratio(total, "IPC", "ipc", false, "of all cores together", out);
    write_accesses(results, out);
    if (mnp_statistics_get(total, "l1i_misses"))
        write_share(results, "Cache misses", "cache_miss_cycles", "of the cores' cycles", out);
    results_text_ratio(total, "L1D hits", "l1d_miss_rate", true, "of %s accesses to private memory", out);
    write_mesh(results, out);
    write_busiest(results, "Busiest bank", "bank_accesses", "accesses", out);
    write_router(results, out);
    write_busiest(results, "Busiest link", "noc_busiest_link", "packets", out);
    fputc('\n', out);
    results_text_energy(results, out);
    fputs("All statistics: --long, or stats.txt in the folder of -o; what limits it: maniple report on\nthat folder\n",
          out);
    mnp_print_text(out, "State hash %s\n", results->hash[0] ? results->hash : "none");
}
