/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines with the names and the accumulation that scripts made for GPGPU-Sim and Accel-Sim expect: cycles and
 * instructions of a kernel stand beside totals so far, and cache, network and DRAM counters are totals so far.
 */
#include "base/arena.h"
#include "base/text.h"
#include "results/results.h"

#include <inttypes.h>
#include <stdlib.h>

/* A line of a total so far: what stands before the number, and the statistic that it is. */
struct line {
    const char *lead;
    const char *statistic;
};

static const struct line accumulated[] = {
    {"gpgpu_n_tot_w_icount = ", "gpgpu_n_tot_w_icount"},
    {"\tL1I_total_cache_accesses = ", "L1I_total_cache_accesses"},
    {"\tL1I_total_cache_misses = ", "L1I_total_cache_misses"},
    {"\tL1D_total_cache_accesses = ", "L1D_total_cache_accesses"},
    {"\tL1D_total_cache_misses = ", "L1D_total_cache_misses"},
    {"\tL1D_total_cache_pending_hits = ", "L1D_total_cache_pending_hits"},
    {"\tL1D_total_cache_reservation_fails = ", "L1D_total_cache_reservation_fails"},
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
    fprintf(out, "%s%" PRIu64 "\n", lead, value);
}

static void write_quotient(FILE *out, const char *lead, uint64_t numerator, uint64_t denominator, const char *tail)
{
    char text[MNP_NUMBER_TEXT];
    fprintf(out, "%s%12s%s\n", lead, mnp_format_ratio_decimals(text, numerator, 1, denominator, 4), tail);
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

static void write_kernel(const struct mnp_kernel_results *kernel, const struct mnp_statistic_set *sum, uint64_t ctas,
                         FILE *out)
{
    const struct mnp_statistic_set *own = &kernel->statistics;
    uint64_t cycles = mnp_statistics_get(own, "gpu_sim_cycle"), all_cycles = mnp_statistics_get(sum, "gpu_sim_cycle");
    uint64_t insns = mnp_statistics_get(own, "gpu_sim_insn"), all_insns = mnp_statistics_get(sum, "gpu_sim_insn");
    fprintf(out, "kernel_name = %s\n", kernel->name);
    write_number(out, "kernel_launch_uid = ", kernel->id);
    write_number(out, "kernel_stream_id = ", kernel->stream);
    write_number(out, "gpu_sim_cycle = ", cycles);
    write_number(out, "gpu_sim_insn = ", insns);
    write_quotient(out, "gpu_ipc = ", insns, cycles, "");
    write_number(out, "gpu_tot_sim_cycle = ", all_cycles);
    write_number(out, "gpu_tot_sim_insn = ", all_insns);
    write_quotient(out, "gpu_tot_ipc = ", all_insns, all_cycles, "");
    write_number(out, "gpu_tot_issued_cta = ", ctas);
    struct mnp_statistic_value occupancy;
    if (mnp_statistics_find(own, "gpu_occupancy", &occupancy) && !occupancy.values) {
        char text[MNP_NUMBER_TEXT];
        fprintf(out, "gpu_occupancy = %s%%\n",
                mnp_format_ratio_decimals(text, occupancy.numerator, occupancy.row->scale, occupancy.denominator, 4));
    }
    write_accumulated(sum, out);
    fputc('\n', out);
}

static void write_host(const struct mnp_results *results, const struct mnp_statistic_set *sum, FILE *out)
{
    const uint64_t second = UINT64_C(1000000000);
    uint64_t ns = results->run.wall_ns, seconds = (ns + second / 2) / second;
    char rate[MNP_NUMBER_TEXT];
    fputs("----- host: differs from run to run -----\n", out);
    fprintf(out,
            "gpgpu_simulation_time = %" PRIu64 " days, %" PRIu64 " hrs, %" PRIu64 " min, %" PRIu64 " sec (%" PRIu64
            " sec)\n",
            seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, seconds);
    fprintf(out, "gpgpu_simulation_rate = %s (inst/sec)\n",
            mnp_format_ratio_decimals(rate, mnp_statistics_get(sum, "gpu_sim_insn"), second, ns, 0));
    fprintf(out, "gpgpu_simulation_rate = %s (cycle/sec)\n",
            mnp_format_ratio_decimals(rate, mnp_statistics_get(sum, "gpu_sim_cycle"), second, ns, 0));
}

void mnp_results_write_gpgpusim(const struct mnp_results *results, FILE *out)
{
    /* Sums of the kernels so far, block by block as in the total. */
    const struct mnp_statistic_set *total = &results->total;
    const struct mnp_model **models = mnp_allocate(total->block_count, sizeof *models);
    for (uint32_t i = 0; i < total->block_count; i++)
        models[i] = total->blocks[i].model;
    struct mnp_statistic_set sum;
    mnp_statistics_init(&sum, models, total->block_count, false);
    uint64_t ctas = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        const struct mnp_kernel_results *kernel = results->kernels[i];
        mnp_statistics_merge(&sum, &kernel->statistics);
        ctas += (uint64_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
        write_kernel(kernel, &sum, ctas, out);
    }
    if (results->end != MNP_END_FINISHED)
        fprintf(out, "GPGPU-Sim: ** break due to: %s **\n", mnp_end_name(results->end));
    write_host(results, &sum, out);
    mnp_statistics_release(&sum);
    free(models);
}
