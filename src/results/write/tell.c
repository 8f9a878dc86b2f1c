/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/write/tell.h"

#include "base/print.h"
#include "base/text.h"
#include "engine/executors/placement.h"

#include <inttypes.h>
#include <stdio.h>

void results_tell_end(const struct mnp_results *results)
{
    mnp_log_summary(&results->log, stderr);
    for (uint32_t i = 0; i < results->device_count; i++) {
        const struct mnp_log *log = &results->devices[i]->log;
        if (log->warning_count && log->verbosity != MNP_SILENT)
            mnp_print_text(stderr, "maniple: %s %u:\n", results->form->device, i);
        mnp_log_summary(log, stderr);
    }
    if (results->report)
        mnp_put_lines(results->report, stderr);
    if (results->end != MNP_END_FINISHED)
        mnp_print_text(stderr, "maniple: %s: the results are partial\n",
                       results->end == MNP_END_LIMIT         ? "stopped at --max-cycles"
                       : results->end == MNP_END_TIME        ? "stopped at --max-time"
                       : results->end == MNP_END_SNAPSHOT    ? "ended at --snapshot-at"
                       : results->end == MNP_END_INTERRUPTED ? "interrupted"
                       : results->end == MNP_END_HANG        ? "the simulated machine hangs"
                                                             : "the simulated program makes no progress (livelock)");
    if (results->log.verbosity <= MNP_QUIET)
        return;
    char wall[MNP_NUMBER_TEXT], cpu[MNP_NUMBER_TEXT], rate[MNP_NUMBER_TEXT], before[MNP_NUMBER_TEXT + 64] = "";
    const struct mnp_run_info *info = &results->run;
    const struct mnp_results_form *form = results->form;
    uint64_t simulation_ns = info->wall_ns - info->translation_ns;
    if (form->work)
        mnp_format_ratio_decimals(rate, mnp_statistics_get(&results->total, form->work), form->speed_scale,
                                  simulation_ns, form->speed_decimals);
    if (info->translation_ns)
        snprintf(before, sizeof before, "; before that, %s s to translate the program",
                 mnp_format_ratio_decimals(wall, info->translation_ns, 1, UINT64_C(1000000000), 3));
    mnp_print_text(stderr, "maniple: %s s (%s s of CPU) on %u thread%s%s%s%s%s%s\n",
                   mnp_format_ratio_decimals(wall, simulation_ns, 1, UINT64_C(1000000000), 3),
                   mnp_format_ratio_decimals(cpu, info->cpu_ns, 1, UINT64_C(1000000000), 3), info->threads,
                   info->threads == 1 ? "" : "s", form->work ? ", " : "", form->work ? rate : "", form->work ? " " : "",
                   form->work ? form->speed : "", before);
}

/* Traffic between several processes. */
static void tell_exchanges(const struct mnp_run_info *info)
{
    char mean[MNP_NUMBER_TEXT], share[MNP_NUMBER_TEXT];
    mnp_print_text(stderr,
                   "maniple: %u processes; %" PRIu64 " exchanges; packets of all: %s bytes in each on average, at most "
                   "%" PRIu64 ", of one process at most %" PRIu64 "; %s %% of the time of the first\n",
                   info->processes, info->exchanges,
                   mnp_format_ratio_decimals(mean, info->exchange_bytes_of_all, 1, info->exchanges, 0),
                   info->exchange_most_of_all, info->exchange_most_of_one,
                   mnp_format_ratio_decimals(share, info->exchange_ns, 100, info->wall_ns, 1));
}

void results_tell_how(const struct mnp_results *results)
{
    const struct mnp_run_info *info = &results->run;
    if (results->log.verbosity != MNP_VERBOSE)
        return;
    mnp_print_text(stderr, "maniple: lookahead: the link from %s\n", info->shortest_link);
    mnp_print_text(stderr,
                   "maniple: %" PRIu64 " windows; executor %s, schedule %s, %u thread%s of at most %u processors\n",
                   info->windows, info->executor, info->schedule, info->threads, info->threads == 1 ? "" : "s",
                   info->host_processors);
    mnp_placement_describe(&info->placed, "maniple: placement: ", stderr);
    if (info->processes > 1)
        tell_exchanges(info);
    mnp_print_text(stderr, "maniple: state hash %s\n", results->hash);
}
