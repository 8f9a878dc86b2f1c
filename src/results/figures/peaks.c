/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every figure is a quotient of sums of counters and elapsed amounts, so that it holds for one kernel, for all of a
 * name and for the run. From 60 per cent of a peak on, that part of the machine is taken for the limit, as Nsight
 * Compute's first rule does; below, what the schedulers waited for.
 */
#include "results/figures/peaks.h"

#include "results/figures/slices.h"

#include <string.h>

enum { MOST_TERMS = 3, MOST_FACTORS = 3 };
#define BUSY    0.6
#define WAITING 0.5

/* A sum of statistics times machine keys. A key "+K" is one more than K; FP64_UNITS is no key. */
struct product {
    const char *terms[MOST_TERMS];
    const char *keys[MOST_FACTORS];
    double factor; /* 0: 1 */
};
#define FP64_UNITS "units"

/* The term of instructions that the SM's memory pipeline takes: results_lsu_instructions. */
#define LSU_TAKEN "lsu"

struct peak_row {
    struct results_peak peak;
    struct product done, possible;
    struct product also; /* is done, too; without terms: nothing */
};

/* The pipe of a class of instructions: cycles for which those of all sub-cores were taken. */
#define PIPE(NAME, SHORT, CLASS, REMEDY)                                                                               \
    {                                                                                                                  \
        {NAME " pipe", SHORT, "cycles", "pipe_cycles_" CLASS " / (sm_cycles sm.subcores)", REMEDY, 0, 0, 1,            \
         "per cycle",  true},                                                                                          \
            {{"pipe_cycles_" CLASS}, {NULL}, 0},                                                                       \
        {                                                                                                              \
            {"sm_cycles"}, {"sm.subcores"}, 0                                                                          \
        }                                                                                                              \
    }

static const struct peak_row rows[] = {
    {{"Issue slots", "issue", "slots", "issue_slots_issued / (sm_cycles sm.subcores)",
      "fewer instructions: vector loads, less address arithmetic, work done once per warp", 0, 0, 1, "per cycle"},
     {{"issue_slots_issued"}, {NULL}, 0},
     {{"sm_cycles"}, {"sm.subcores"}, 0}},
    {{"FP32 lanes", "FP32", "lanes",
      "32 instructions_fp32 / (sm_cycles sm.subcores sm.fp32.lanes (1 + sm.fp32.on_int))",
      "half precision or tensor cores where the numbers allow that", 0, 0, 1, "per cycle"},
     {{"instructions_fp32"}, {NULL}, 32},
     {{"sm_cycles"}, {"sm.subcores", "sm.fp32.lanes", "+sm.fp32.on_int"}, 0}},
    PIPE("ALU", "ALU", "int",
         "fewer integer instructions: addresses worked out once, 32 bits in place of 64, comparisons out of loops"),
    PIPE("FMA", "FMA", "fp32",
         "half precision or tensor cores where the numbers allow that; fewer multiplications of integers, which take "
         "this pipe on most machines"),
    PIPE("FP16", "FP16", "half", "tensor cores, where it is a product of matrices"),
    {{"FP64 pipe", "FP64", "cycles", "pipe_cycles_fp64 / sm_cycles, of each sub-core or the unit that they share",
      "single precision where the numbers allow that; a machine with more lanes for FP64", 0, 0, 1, "per cycle", true},
     {{"pipe_cycles_fp64"}, {NULL}, 0},
     {{"sm_cycles"}, {FP64_UNITS}, 0}},
    PIPE("XU", "XU", "sfu",
         "fewer special functions and conversions: polynomials instead, tables, conversions out of loops"),
    {{"Tensor pipe", "tensor", "cycles", "(pipe_cycles_tensor + wgmma_cycles sm.subcores) / (sm_cycles sm.subcores)",
      "smaller types (FP8, INT8) or sparse products; else it is what the machine can do", 0, 0, 1, "per cycle", true},
     {{"pipe_cycles_tensor"}, {NULL}, 0},
     {{"sm_cycles"}, {"sm.subcores"}, 0},
     {{"wgmma_cycles"}, {"sm.subcores"}, 0}},
    {{"SM memory pipeline", "LSU", "cycles",
      "the instructions of accesses_… and sm_to_sm_accesses sm.memory.interval / sm_cycles",
      "wider loads and stores (64 or 128 bits a lane), operands kept in registers (larger tiles per thread)", 0, 0, 1,
      "per cycle"},
     {{LSU_TAKEN}, {"sm.memory.interval"}, 0},
     {{"sm_cycles"}, {NULL}, 0}},
    {{"L1 and shared banks", "L1", "cycles",
      "(L1D_data_wavefronts + shared_accesses + shared_conflict_cycles) / sm_cycles",
      "accesses of neighbouring lanes to neighbouring words; padding against bank conflicts", 0, 0, 1, "per cycle"},
     {{"L1D_data_wavefronts", "shared_accesses", "shared_conflict_cycles"}, {NULL}, 0},
     {{"sm_cycles"}, {NULL}, 0}},
    {{"Network, SM to L2", "requests", "bytes", "noc_sm_to_gpc_bytes / noc_sm_to_gpc_peak_bytes",
      "fewer stores and atomics: combine them in shared memory first", 0, 0, 1e-9, "GB/s"},
     {{"noc_sm_to_gpc_bytes"}, {NULL}, 0},
     {{"noc_sm_to_gpc_peak_bytes"}, {NULL}, 0}},
    {{"Network, L2 to SM", "replies", "bytes", "noc_partition_to_gpc_bytes / noc_partition_to_gpc_peak_bytes",
      "reuse in the SM: larger tiles in shared memory or registers", 0, 0, 1e-9, "GB/s"},
     {{"noc_partition_to_gpc_bytes"}, {NULL}, 0},
     {{"noc_partition_to_gpc_peak_bytes"}, {NULL}, 0}},
    {{"L2 look-ups", "L2", "cycles", "L2_busy_cycles / L2_slice_cycles",
      "whole lines per access; reuse in the SM; look at the balance of slices (l2.hash)", 0, 0, 1, "per cycle"},
     {{"L2_busy_cycles"}, {NULL}, 0},
     {{"L2_slice_cycles"}, {NULL}, 0}},
    {{"DRAM bandwidth", "DRAM", "bytes",
      "dram_bytes / dram_peak_bytes; of a kernel with a share of write-backs, as of the sectors written to the L2",
      "fewer bytes: fusion of kernels, smaller types, blocking for the L2", 0, 0, 1e-9, "GB/s"},
     {{"dram_bytes"}, {NULL}, 0},
     {{"dram_peak_bytes"}, {NULL}, 0}},
};
_Static_assert(sizeof rows / sizeof *rows == RESULTS_PEAKS, "a row for each peak");

const struct results_class results_classes[RESULTS_CLASSES] = {
    {"issued", "issue_slots_issued", "an instruction was issued", "an instruction issued", NULL},
    {"memory", "issue_slots_memory", "waiting for memory", "a warp waited for memory, and none for less",
     "more loads under way: independent loads early, unrolling, higher occupancy, asynchronous copies; better "
     "locality"},
    {"pipe", "issue_slots_pipe", "execution pipe or queue not free",
     "a warp was ready, but its execution pipe or the memory queue was not",
     "fewer or wider memory instructions; another mix of instructions"},
    {"dependence", "issue_slots_dependence", "waiting for arithmetic", "a warp waited for a result of fixed latency",
     "independent instructions between dependent ones (unrolling, several sums), more warps per scheduler"},
    {"barrier", "issue_slots_barrier", "waiting at barriers or fences", "warps waited for barriers or fences",
     "smaller CTAs or more of them per SM, fewer barriers, warp-level synchronisation"},
    {"fetch", "issue_slots_fetch", "waiting for instructions", "a warp waited for its next instruction",
     "less unrolling: code that fits into the instruction caches"},
    {"operands", "issue_slots_operands", "register reads in the way", "register reads held a ready warp back",
     "another allocation of registers: the compiler's task"},
    {"drained", "issue_slots_drained", "all warps at their end", "all warps had issued their last instruction",
     "CTAs of equal length; stores early in the kernel"},
    {"idle", "issue_slots_idle", "no warp there", "no warp was resident on the sub-core",
     "more CTAs, or a grid that fills all SMs evenly; kernels side by side in streams"},
};

static const char *const taken_by_lsu[] = {
    "accesses_global_load",   "accesses_global_store",     "accesses_global_atomic", "accesses_global_reduction",
    "accesses_local_load",    "accesses_local_store",      "accesses_shared_load",   "accesses_shared_store",
    "accesses_shared_atomic", "accesses_shared_reduction", "accesses_texture",       "sm_to_sm_accesses",
};

double results_lsu_instructions(const struct results_reading *reading, const struct results_group *group)
{
    double sum = 0;
    for (size_t i = 0; i < sizeof taken_by_lsu / sizeof *taken_by_lsu; i++)
        sum += results_sum(reading, group, taken_by_lsu[i]);
    return sum;
}

static bool complete(const struct results_reading *reading, const struct product *product)
{
    for (int i = 0; i < MOST_TERMS && product->terms[i]; i++)
        if (!results_counts(reading, strcmp(product->terms[i], LSU_TAKEN) == 0 ? *taken_by_lsu : product->terms[i]))
            return false;
    return true;
}

double results_fp64_units(const struct results_reading *reading)
{
    return results_key(reading, "sm.fp64.shared") ? 1 : results_key(reading, "sm.subcores");
}

static double factor_of(const struct results_reading *reading, const char *key)
{
    if (strcmp(key, FP64_UNITS) == 0)
        return results_fp64_units(reading);
    return key[0] == '+' ? 1 + results_key(reading, key + 1) : results_key(reading, key);
}

static double product_of(const struct results_reading *reading, const struct results_group *group,
                         const struct product *product)
{
    double sum = 0;
    for (int i = 0; i < MOST_TERMS && product->terms[i]; i++) {
        const char *term = product->terms[i];
        sum += strcmp(term, "dram_bytes") == 0 ? results_dram_bytes(reading, group)
               : strcmp(term, LSU_TAKEN) == 0  ? results_lsu_instructions(reading, group)
                                               : results_sum(reading, group, term);
    }
    for (int i = 0; i < MOST_FACTORS && product->keys[i]; i++)
        sum *= factor_of(reading, product->keys[i]);
    return product->factor ? sum * product->factor : sum;
}

double results_peak_share(const struct results_peak *peak)
{
    return peak->possible > 0 ? peak->done / peak->possible : 0;
}

uint32_t results_peaks(const struct results_reading *reading, const struct results_group *group,
                       struct results_peak peaks[RESULTS_PEAKS])
{
    uint32_t count = 0;
    for (size_t i = 0; i < RESULTS_PEAKS; i++) {
        if (!complete(reading, &rows[i].done) || !complete(reading, &rows[i].possible))
            continue;
        struct results_peak *peak = &peaks[count];
        *peak = rows[i].peak;
        peak->done = product_of(reading, group, &rows[i].done) + product_of(reading, group, &rows[i].also);
        peak->possible = product_of(reading, group, &rows[i].possible);
        count += peak->possible > 0;
    }
    return count;
}

const struct results_peak *results_peak_find(const struct results_peak *peaks, uint32_t count, const char *short_name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(peaks[i].short_name, short_name) == 0)
            return &peaks[i];
    return NULL;
}

/* ===== what limits ===== */

static double share_of(const struct results_reading *reading, const struct results_group *group, const char *part,
                       const char *whole)
{
    double all = results_sum(reading, group, whole);
    return all > 0 ? results_sum(reading, group, part) / all : 0;
}

double results_launch_share(const struct results_reading *reading, const struct results_group *group)
{
    bool run = group == &reading->total || group == &reading->busy;
    double all = run ? 0 : results_sum(reading, group, "gpu_sim_cycle");
    for (uint32_t i = 0; run && i < reading->group_count; i++)
        all += results_sum(reading, &reading->groups[i], "gpu_sim_cycle");
    return all > 0 ? results_sum(reading, group, "kernel_launch_cycle") / all : 0;
}

/* The class of the most slots in which nothing was issued; `active`: of SMs with work. */
static const struct results_class *worst_class(const struct results_reading *reading, const struct results_group *group,
                                               bool active)
{
    const struct results_class *worst = &results_classes[1];
    for (int i = 1; i < (active ? RESULTS_CLASSES - 2 : RESULTS_CLASSES); i++)
        if (results_sum(reading, group, results_classes[i].statistic) > results_sum(reading, group, worst->statistic))
            worst = &results_classes[i];
    return worst;
}

/* The share of the time behind launches in which sub-cores had no warp that could go on: slots that are neither idle
 * nor drained are taken from all, because kernels own no idle slots. */
static double idle_share(const struct results_reading *reading, const struct results_group *group, double launch)
{
    double all = results_sum(reading, group, "sm_cycles") * results_key(reading, "sm.subcores") * (1 - launch);
    double used = 0;
    for (int i = 0; i < RESULTS_CLASSES - 2; i++)
        used += results_sum(reading, group, results_classes[i].statistic);
    return all > used ? 1 - used / all : 0;
}

static void judge_latency(const struct results_reading *reading, const struct results_group *group,
                          struct results_verdict *verdict)
{
    const struct results_class *worst = worst_class(reading, group, true);
    bool pipe = strcmp(worst->name, "pipe") == 0;
    verdict->kind = pipe ? "issue" : "latency";
    snprintf(verdict->limit, sizeof verdict->limit, "%s (%s)", verdict->kind, worst->name);
    snprintf(verdict->evidence, sizeof verdict->evidence,
             "no part is at 60 %% of its peak; in %.1f %% of the issue slots %s; occupancy %.1f %%",
             100 * share_of(reading, group, worst->statistic, "issue_slots"), worst->what,
             100 * share_of(reading, group, "resident_warp_cycles", "possible_warp_cycles"));
    verdict->remedy = worst->remedy;
}

/* The share of the time behind launches for which one slice of the L2 performs atomics, while others do nothing. */
static double hot_slice(const struct results_reading *reading, const struct results_group *group, double launch)
{
    double sms = results_key(reading, "sm.count"), share;
    double cycles = sms > 0 ? results_sum(reading, group, "sm_cycles") / sms * (1 - launch) : 0;
    return cycles > 0 ? results_hot_atomics(reading, group, &share) / cycles : 0;
}

static void judge_slice(const struct results_reading *reading, const struct results_group *group, double hot,
                        struct results_verdict *verdict)
{
    const struct results_class *worst = worst_class(reading, group, false);
    verdict->kind = "bandwidth";
    strcpy(verdict->limit, "bandwidth (atomics)");
    snprintf(verdict->evidence, sizeof verdict->evidence,
             "one slice of the L2 performs atomics for %.1f %% of the time behind launches; in %.1f %% of the issue "
             "slots %s",
             100 * (hot < 1 ? hot : 1), 100 * share_of(reading, group, worst->statistic, "issue_slots"), worst->what);
    verdict->remedy = "atomics combined in registers or shared memory first; counters in sectors of their own";
}

/* `launch`: the share of the time that launches take. A peak that is reached behind them alone is said to be so. */
static void judge_peak(const struct results_reading *reading, const struct results_group *group,
                       const struct results_peak *peak, double launch, struct results_verdict *verdict)
{
    double share = results_peak_share(peak);
    char behind[48] = "";
    const struct results_class *worst = worst_class(reading, group, false);
    bool issue = strcmp(peak->short_name, "issue") == 0 || strcmp(peak->unit, "lanes") == 0 || peak->seldom;
    verdict->kind = issue ? "issue" : "bandwidth";
    snprintf(verdict->limit, sizeof verdict->limit, "%s (%s)", verdict->kind,
             strcmp(peak->short_name, "issue") == 0 ? "slots" : peak->short_name);
    if (share < BUSY)
        snprintf(behind, sizeof behind, ", %.1f %% behind launches", 100 * share / (1 - launch));
    snprintf(verdict->evidence, sizeof verdict->evidence,
             "%s at %.1f %% of the peak%s; in %.1f %% of the issue slots %s", peak->name, 100 * share, behind,
             100 * share_of(reading, group, worst->statistic, "issue_slots"), worst->what);
    verdict->remedy = peak->remedy;
}

static void judge_host(const struct results_reading *reading, struct results_verdict *verdict)
{
    verdict->kind = "host";
    strcpy(verdict->limit, "host (no kernel there)");
    int length = snprintf(verdict->evidence, sizeof verdict->evidence,
                          "in %.1f %% of the time no kernel was on the machine", 100 * (1 - reading->busy_share));
    if (reading->copy_seconds > 0)
        snprintf(verdict->evidence + length, sizeof verdict->evidence - (size_t)length,
                 "; copies and fills took %.2f us, calls of the host the rest", 1e6 * reading->copy_seconds);
    else if (results_counts(reading, "fabric_bytes_out"))
        snprintf(verdict->evidence + length, sizeof verdict->evidence - (size_t)length,
                 "; of several GPUs, none has in its results what the host copied and called");
    verdict->remedy = "fewer and larger copies, or copies beside kernels (streams, pinned memory); more work for each "
                      "copy; fewer calls that wait";
}

/* A part of the machine that is full, or what the schedulers waited for. */
static void judge_kernels(const struct results_reading *reading, const struct results_group *group,
                          struct results_verdict *verdict)
{
    struct results_peak peaks[RESULTS_PEAKS];
    uint32_t count = results_peaks(reading, group, peaks), top = 0;
    *verdict = (struct results_verdict){.kind = "unknown", .remedy = "", .limit = "unknown"};
    double launch = results_launch_share(reading, group), idle = idle_share(reading, group, launch);
    if (results_sum(reading, group, "gpu_sim_cycle") <= 0) {
        verdict->kind = "nothing";
        strcpy(verdict->limit, "nothing yet");
        strcpy(verdict->evidence, "no cycle of a kernel was simulated before the run ended");
        verdict->remedy = "let the run go on: a later --max-time or --max-cycles";
        return;
    }
    if (!count)
        return;
    for (uint32_t i = 1; i < count; i++)
        if (results_peak_share(&peaks[i]) > results_peak_share(&peaks[top]))
            top = i;
    if (launch >= WAITING) {
        verdict->kind = "launch";
        strcpy(verdict->limit, "launch (latency)");
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "%.1f %% of the time of kernels passed between their requests and their first CTAs", 100 * launch);
        verdict->remedy = "fewer and longer kernels: fusion, persistent CTAs; kernels side by side in streams";
    } else if (results_peak_share(&peaks[top]) >= BUSY * (1 - launch)) {
        judge_peak(reading, group, &peaks[top], launch, verdict);
    } else if (hot_slice(reading, group, launch) >= BUSY) {
        judge_slice(reading, group, hot_slice(reading, group, launch), verdict);
    } else if (idle >= WAITING) {
        verdict->kind = "parallelism";
        strcpy(verdict->limit, "parallelism (too few CTAs)");
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "behind launches, sub-cores had no warp that could go on in %.1f %% of the issue slots; SMs had CTAs "
                 "%.1f %% of the time",
                 100 * idle, 100 * share_of(reading, group, "sm_active_cycles", "sm_cycles") / (1 - launch));
        verdict->remedy = results_classes[RESULTS_CLASSES - 1].remedy;
    } else {
        judge_latency(reading, group, verdict);
    }
}

void results_judge(const struct results_reading *reading, const struct results_group *group,
                   struct results_verdict *verdict)
{
    if (group == &reading->total && reading->busy_share < WAITING) {
        *verdict = (struct results_verdict){0};
        judge_host(reading, verdict);
    } else {
        judge_kernels(reading, group == &reading->total ? &reading->busy : group, verdict);
    }
}
