/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines with the names and the accumulation that scripts made for GPGPU-Sim and Accel-Sim expect: cycles and
 * instructions of a kernel stand beside totals so far, and cache, network and DRAM counters are totals so far.
 */
#include "base/arena.h"
#include "base/print.h"
#include "base/text.h"
#include "results/write/results.h"

#include <inttypes.h>
#include <stdlib.h>

/* A line of a total so far: what stands before the number, and the statistic that it is. */
struct line {
    const char *lead;
    const char *statistic;
};

#define CORE(ACCESS, OUTCOME) "\tTotal_core_cache_stats_breakdown[" ACCESS "][" OUTCOME "] = "
#define CORE_FAIL(REASON)     "\tTotal_core_cache_fail_stats_breakdown[GLOBAL_ACC_R][" REASON "] = "
#define L2(ACCESS, OUTCOME)   "\tL2_cache_stats_breakdown[" ACCESS "][" OUTCOME "] = "
#define L2_FAIL(REASON)       "\tL2_cache_stats_fail_breakdown[GLOBAL_ACC_R][" REASON "] = "

static const struct line accumulated[] = {
    {"gpgpu_n_tot_w_icount = ", "gpgpu_n_tot_w_icount"},
    {"\tL1I_total_cache_accesses = ", "L1I_total_cache_accesses"},
    {"\tL1I_total_cache_misses = ", "L1I_total_cache_misses"},
    {"\tL1D_total_cache_accesses = ", "L1D_total_cache_accesses"},
    {"\tL1D_total_cache_misses = ", "L1D_total_cache_misses"},
    {"\tL1D_total_cache_pending_hits = ", "L1D_total_cache_pending_hits"},
    {"\tL1D_total_cache_reservation_fails = ", "L1D_total_cache_reservation_fails"},
    {CORE("GLOBAL_ACC_R", "HIT"), "L1D_read_hits"},
    {CORE("GLOBAL_ACC_R", "MISS"), "L1D_total_cache_misses"},
    {CORE("GLOBAL_ACC_R", "RESERVATION_FAIL"), "L1D_total_cache_reservation_fails"},
    {CORE("GLOBAL_ACC_R", "MSHR_HIT"), "L1D_total_cache_pending_hits"},
    {CORE("GLOBAL_ACC_R", "TOTAL_ACCESS"), "L1D_read_accesses"},
    {CORE("GLOBAL_ACC_W", "HIT"), "L1D_write_hits"},
    {CORE("GLOBAL_ACC_W", "TOTAL_ACCESS"), "L1D_write_accesses"},
    {CORE_FAIL("LINE_ALLOC_FAIL"), "L1D_fails_line"},
    {CORE_FAIL("MISS_QUEUE_FULL"), "L1D_fails_port"},
    {CORE_FAIL("MSHR_ENRTY_FAIL"), "L1D_fails_mshr"}, /* spelling of GPGPU-Sim */
    {CORE_FAIL("MSHR_MERGE_ENRTY_FAIL"), "L1D_fails_merge"},
    {L2("GLOBAL_ACC_R", "HIT"), "L2_read_hits"},
    {L2("GLOBAL_ACC_R", "MISS"), "L2_read_misses"},
    {L2("GLOBAL_ACC_R", "RESERVATION_FAIL"), "L2_total_cache_reservation_fails"},
    {L2("GLOBAL_ACC_R", "MSHR_HIT"), "L2_total_cache_pending_hits"},
    {L2("GLOBAL_ACC_R", "TOTAL_ACCESS"), "L2_reads"},
    {L2("GLOBAL_ACC_W", "HIT"), "L2_write_hits"},
    {L2("GLOBAL_ACC_W", "MISS"), "L2_write_misses"},
    {L2("GLOBAL_ACC_W", "TOTAL_ACCESS"), "L2_writes"},
    {L2_FAIL("LINE_ALLOC_FAIL"), "L2_fails_reserved"},
    {L2_FAIL("MISS_QUEUE_FULL"), "L2_fails_miss_queue"},
    {L2_FAIL("MSHR_ENRTY_FAIL"), "L2_fails_mshr"},
    {"\tL2_total_cache_accesses = ", "L2_total_cache_accesses"},
    {"\tL2_total_cache_misses = ", "L2_total_cache_misses"},
    {"\tL2_total_cache_pending_hits = ", "L2_total_cache_pending_hits"},
    {"\tL2_total_cache_reservation_fails = ", "L2_total_cache_reservation_fails"},
    {"total dram reads = ", "total_dram_reads"},
    {"total dram writes = ", "total_dram_writes"},
    {"icnt_total_pkts_mem_to_simt=", "icnt_total_pkts_mem_to_simt"},
    {"icnt_total_pkts_simt_to_mem=", "icnt_total_pkts_simt_to_mem"},
};

static void write_number(FILE *out, const char *lead, uint64_t value)
{
    fputs(lead, out);
    mnp_print_text(out, "%" PRIu64 "\n", value);
}

static void write_quotient(FILE *out, const char *lead, uint64_t numerator, uint64_t denominator, const char *tail)
{
    char text[MNP_NUMBER_TEXT];
    fputs(lead, out);
    mnp_print_text(out, "%12s%s\n", mnp_format_ratio_decimals(text, numerator, 1, denominator, 4), tail);
}

/* Lines of the statistics that this machine has. */
static void write_accumulated(const struct mnp_statistic_set *sum, FILE *out)
{
    for (size_t i = 0; i < sizeof accumulated / sizeof *accumulated; i++) {
        struct mnp_statistic_value value;
        if (mnp_statistics_find(sum, accumulated[i].statistic, &value) && value.values)
            write_number(out, accumulated[i].lead, value.values[0]);
    }
}

/* A ratio, as percent. */
static void write_percent(FILE *out, const char *lead, const struct mnp_statistic_set *set, const char *name)
{
    struct mnp_statistic_value value;
    char text[MNP_NUMBER_TEXT];
    if (mnp_statistics_find(set, name, &value) && !value.values)
        mnp_print_text(out, "%s%s%%\n", lead,
                       mnp_format_ratio_decimals(text, value.numerator, value.scale, value.denominator, 4));
}

/* Sectors that the L2 was asked for, in 10^9 bytes per second of simulated time. */
static void write_bandwidth(FILE *out, const char *lead, const struct mnp_statistic_set *set, uint64_t core_hertz)
{
    uint64_t cycles = mnp_statistics_get(set, "gpu_sim_cycle");
    uint64_t bytes = 32 * mnp_statistics_get(set, "L2_total_cache_accesses");
    char text[MNP_NUMBER_TEXT];
    if (core_hertz) /* bytes per cycle, times kilohertz, over a million */
        mnp_print_text(out, "%s%12s GB/Sec\n", lead,
                       mnp_format_ratio_decimals(text, bytes, core_hertz / 1000, cycles * 1000000, 4));
}

/* One of the numbers that a kernel is described by; 1 where it is not. */
static uint64_t number_of(const struct mnp_part_results *kernel, const char *name, uint32_t place)
{
    const struct mnp_attribute *attribute = mnp_part_attribute(kernel, name);
    return attribute ? attribute->value[place] : 1;
}

static void write_kernel(const struct mnp_part_results *kernel, const struct mnp_statistic_set *sum, uint64_t ctas,
                         uint64_t core_hertz, FILE *out)
{
    const struct mnp_statistic_set *own = &kernel->statistics;
    uint64_t cycles = mnp_statistics_get(own, "gpu_sim_cycle"), all_cycles = mnp_statistics_get(sum, "gpu_sim_cycle");
    uint64_t insns = mnp_statistics_get(own, "gpu_sim_insn"), all_insns = mnp_statistics_get(sum, "gpu_sim_insn");
    mnp_print_text(out, "kernel_name = %s\n", kernel->name);
    write_number(out, "kernel_launch_uid = ", kernel->id);
    write_number(out, "kernel_stream_id = ", number_of(kernel, "stream", 0));
    write_number(out, "gpu_sim_cycle = ", cycles);
    write_number(out, "gpu_sim_insn = ", insns);
    write_quotient(out, "gpu_ipc = ", insns, cycles, "");
    write_number(out, "gpu_tot_sim_cycle = ", all_cycles);
    write_number(out, "gpu_tot_sim_insn = ", all_insns);
    write_quotient(out, "gpu_tot_ipc = ", all_insns, all_cycles, "");
    write_number(out, "gpu_tot_issued_cta = ", ctas);
    write_percent(out, "gpu_occupancy = ", own, "gpu_occupancy");
    write_percent(out, "gpu_tot_occupancy = ", sum, "gpu_occupancy");
    write_bandwidth(out, "L2_BW  = ", own, core_hertz);
    write_bandwidth(out, "L2_BW_total  = ", sum, core_hertz);
    write_accumulated(sum, out);
    fputc('\n', out);
}

static void write_host(const struct mnp_results *results, const struct mnp_statistic_set *sum, uint64_t core_hertz,
                       FILE *out)
{
    const uint64_t second = UINT64_C(1000000000);
    uint64_t ns = results->run.wall_ns, seconds = (ns + second / 2) / second;
    char rate[MNP_NUMBER_TEXT];
    fputs("----- host: differs from run to run -----\n", out);
    mnp_print_text(out,
                   "gpgpu_simulation_time = %" PRIu64 " days, %" PRIu64 " hrs, %" PRIu64 " min, %" PRIu64
                   " sec (%" PRIu64 " sec)\n",
                   seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, seconds);
    mnp_print_text(out, "gpgpu_simulation_rate = %s (inst/sec)\n",
                   mnp_format_ratio_decimals(rate, mnp_statistics_get(sum, "gpu_sim_insn"), second, ns, 0));
    mnp_print_text(out, "gpgpu_simulation_rate = %s (cycle/sec)\n",
                   mnp_format_ratio_decimals(rate, mnp_statistics_get(sum, "gpu_sim_cycle"), second, ns, 0));
    uint64_t per_second =
        ns ? (uint64_t)((unsigned __int128)mnp_statistics_get(sum, "gpu_sim_cycle") * second / ns) : 0;
    if (core_hertz)
        mnp_print_text(out, "gpgpu_silicon_slowdown = %" PRIu64 "x\n", per_second ? core_hertz / per_second : 0);
}

/* The clock of the SMs; 0: the machine has none. */
static uint64_t core_clock(const struct mnp_results *results)
{
    return results->machine ? mnp_settings_number(results->machine, "clock.core") : 0;
}

void results_write_gpgpusim(const struct mnp_results *results, FILE *out)
{
    if (results_each_device(results, results_write_gpgpusim, out))
        return;
    /* Sums of the kernels so far, block by block as in the total. */
    const struct mnp_statistic_set *total = &results->total;
    const struct mnp_model **models = mnp_allocate(total->block_count, sizeof *models);
    for (uint32_t i = 0; i < total->block_count; i++)
        models[i] = total->blocks[i].model;
    struct mnp_statistic_set sum;
    mnp_statistics_init(&sum, models, total->block_count, false);
    sum.machine = total->machine;
    uint64_t ctas = 0, core_hertz = core_clock(results);
    for (uint32_t i = 0; i < results->part_count; i++) {
        const struct mnp_part_results *kernel = results->parts[i];
        mnp_statistics_merge(&sum, &kernel->statistics);
        ctas += number_of(kernel, "grid", 0) * number_of(kernel, "grid", 1) * number_of(kernel, "grid", 2);
        write_kernel(kernel, &sum, ctas, core_hertz, out);
    }
    if (results->end != MNP_END_FINISHED)
        mnp_print_text(out, "GPGPU-Sim: ** break due to: %s **\n", mnp_end_name(results->end));
    write_host(results, &sum, core_hertz, out);
    mnp_statistics_release(&sum);
    free(models);
}
