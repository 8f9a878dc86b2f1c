/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about memory: how warps access it, and where the data is found. */
#include "results/figures/slices.h"
#include "results/rules/rules.h"

#include <math.h>
#include <string.h>

/* Parts on the way of data. */
#define RESULTS_MEMORY "LSU L1 requests replies L2 DRAM"

#define EVIDENCE(...) snprintf(finding->evidence, sizeof finding->evidence, __VA_ARGS__)

/* Slots in which warps wait for memory, or for room on the way there: those of a full pipe are, unless a pipe of
 * arithmetic is used more than all of the way. */
static double stalled(const struct results_case *of)
{
    bool way = results_case_floor(of, "issue FP32 ALU FMA FP16 FP64 XU tensor") >=
               results_case_floor(of, RESULTS_MEMORY " issue");
    return results_case_slots(of, "memory") + (way ? results_case_slots(of, "pipe") : 0) +
           results_case_slots(of, "drained");
}

/* The share of a wait for the L2 that an L1 saves. */
static double nearer(const struct results_case *of)
{
    double near = results_case_key(of, "latency.l1"), far = results_case_key(of, "latency.l2");
    return far > near ? 1 - near / far : 0;
}

/* The use of DRAM, with CTAs there, for sectors that are needed however warps access them. */
static double needed_of_dram(const struct results_case *of, double least)
{
    enum { SECTOR = 32 };
    const struct results_peak *dram = results_peak_find(of->peaks, of->peak_count, "DRAM");
    double moved = dram ? dram->done / SECTOR : 0; /* with its share of write-backs, which have no owner */
    return fmin(results_case_use(of, "DRAM") / fmax(of->busy, 0.01), 1) * (moved > least ? least / moved : 1);
}

/* The use of the L1's banks by shared memory, with CTAs there. */
static double shared_of_l1(const struct results_case *of)
{
    double shared = results_case_sum(of, "shared_accesses") + results_case_sum(of, "shared_conflict_cycles");
    double all = shared + results_case_sum(of, "L1D_data_wavefronts");
    return all > 0 ? fmin(results_case_use(of, "L1") / fmax(of->busy, 0.01), 1) * shared / all : 0;
}

/* The share of the time for which the slice with most of them performs atomics. */
static double hot_atomics(const struct results_case *of, double *share)
{
    return results_hot_atomics(of->reading, of->group, share) / of->cycles;
}

bool results_rule_coalescing(const struct results_case *of, struct results_finding *finding)
{
    double loads = results_case_sum(of, "accesses_global_load"), stores = results_case_sum(of, "accesses_global_store");
    double sectors = results_case_sum(of, "sectors_global_load") + results_case_sum(of, "sectors_global_store");
    double least = results_case_sum(of, "least_sectors_load") + results_case_sum(of, "least_sectors_store");
    if (sectors <= 0 || least <= 0 || loads + stores <= 0)
        return false;
    double share, hot = fmin(hot_atomics(of, &share), 1); /* atomics on few places are as many */
    finding->gain = fmin(results_case_gain(of, "L1 LSU requests replies L2 DRAM", stalled(of), least / sectors),
                         1 - fmax(fmax(needed_of_dram(of, least), shared_of_l1(of)), hot));
    EVIDENCE("%.1f sectors for each access to global memory where %.1f would do (loads %.1f, stores %.1f)",
             sectors / (loads + stores), least / (loads + stores),
             results_case_sum(of, "sectors_global_load") / fmax(loads, 1),
             results_case_sum(of, "sectors_global_store") / fmax(stores, 1));
    return sectors > 1.05 * least;
}

/* Slots in which warps wait for data of local memory that the L1 has: from its look-up on, the time of its arrival is
 * known, as that of a result. */
static double local_hits(const struct results_case *of)
{
    double after = fmax(results_case_key(of, "latency.l1") - results_case_key(of, "sm.memory.front"), 0);
    double cycles = results_case_sum(of, "accesses_local_load") * after;
    double slots = results_case_slots(of, "dependence"), others = 1 - results_case_slots(of, "issued");
    double waits = others > 0 ? results_case_waiting(of) * slots / others : 0; /* for results, of a warp's time */
    double share = cycles / fmax(results_case_sum(of, "resident_warp_cycles"), 1);
    return waits > 0 ? slots * fmin(share / waits, 1) : 0;
}

/* The accesses are saved, and what they are waited for; work on their addresses stays. */
bool results_rule_local(const struct results_case *of, struct results_finding *finding)
{
    double local = results_case_sum(of, "accesses_local_load") + results_case_sum(of, "accesses_local_store");
    double all = results_lsu_instructions(of->reading, of->group);
    double share = all > 0 ? local / all : 0;
    share = fmin(share, 1);
    finding->gain =
        share > 0 ? results_case_gain(of, RESULTS_MEMORY, stalled(of) + local_hits(of) / share, 1 - share) : 0;
    finding->bound = RESULTS_GAIN_LEAST;
    EVIDENCE("%.1f %% of the memory instructions access local memory (%.0f loads, %.0f stores): spilled registers, or "
             "arrays with indices that are not known when compiled",
             100 * share, results_case_sum(of, "accesses_local_load"), results_case_sum(of, "accesses_local_store"));
    return local > 0;
}

bool results_rule_l1_bypass(const struct results_case *of, struct results_finding *finding)
{
    double past = results_case_sum(of, "L1D_bypasses"), reads = results_case_sum(of, "L1D_read_accesses");
    double lines = results_case_sum(of, "L2_lines_touched");
    double once = fmin(4 * lines * of->sms, past); /* sectors that each SM must fetch once, at most */
    if (past <= 0)
        return false;
    double share = past / fmax(past + reads, 1), rest = 1 - share * (1 - once / past);
    finding->gain = results_case_gain(of, "requests replies L2", stalled(of) * nearer(of), rest);
    EVIDENCE("%.1f %% of the sectors read go past the L1, each %.1f times in every SM", 100 * share,
             past / fmax(once, 1));
    return true;
}

/* Whether fences that make the L1 forget stand in loops: what comes again is no fault of the L1's size. */
static bool forgets(const struct results_case *of)
{
    enum { LOOP = 8 }; /* fences of a warp */
    double fences = results_case_sum(of, "instructions_sync") - results_case_sum(of, "barriers");
    return fences >= LOOP * of->ctas * of->warps * (double)of->group->kernels;
}

double results_case_forgotten(const struct results_case *of)
{
    double misses = results_case_sum(of, "L1D_total_cache_misses") - results_case_sum(of, "L1D_bypasses");
    double once = 4 * results_case_sum(of, "L2_lines_touched") * of->sms;
    if (!forgets(of) || once <= 0 || once >= misses)
        return 0;
    return results_case_gain(of, "requests replies L2", stalled(of) * nearer(of), once / misses);
}

/* Sectors that came to the SMs through misses, and those that came for the first time. */
bool results_rule_l1_capacity(const struct results_case *of, struct results_finding *finding)
{
    double misses = results_case_sum(of, "L1D_total_cache_misses") - results_case_sum(of, "L1D_bypasses");
    double reads = results_case_sum(of, "L1D_read_accesses");
    double once = 4 * results_case_sum(of, "L2_lines_touched") * of->sms;
    if (misses <= 0 || once >= misses || once <= 0 || forgets(of))
        return false;
    finding->gain = results_case_gain(of, "requests replies L2", stalled(of) * nearer(of), once / misses);
    snprintf(finding->lift, sizeof finding->lift, "sm.l1d.size=%.0f", 16 * results_case_key(of, "sm.l1d.size"));
    EVIDENCE("sectors come to the SMs %.1f times each: the L1 misses %.1f %% of the reads", misses / once,
             100 * misses / fmax(reads, 1));
    return true;
}

/* The most lines that a count of L2_lines_touched stands for: twice the standard deviation of what is sampled more
 * (docs/statistics.md); counts of at most 128 lines in each partition are exact. */
static double most_lines(const struct results_case *of, double lines)
{
    double partitions = fmax(results_case_key(of, "partition.count"), 1);
    return lines > 128 * partitions ? lines * (1 + 2 * 0.13 / sqrt(partitions)) : lines;
}

bool results_rule_l2_capacity(const struct results_case *of, struct results_finding *finding)
{
    double reads = results_case_sum(of, "total_dram_reads"), lines = results_case_sum(of, "L2_lines_touched");
    double once = 4 * most_lines(of, lines);
    if (reads <= once || lines <= 0)
        return false;
    finding->gain = results_case_gain(of, "DRAM", stalled(of), once / reads);
    snprintf(finding->lift, sizeof finding->lift, "l2.slice.size=%.0f", 16 * results_case_key(of, "l2.slice.size"));
    EVIDENCE("DRAM is read %.1f times for each sector: the kernel touches %.1f MiB, the L2 holds %.1f MiB",
             reads / lines / 4, lines * 128 / 1048576,
             results_case_key(of, "l2.slice.size") * results_case_key(of, "l2.slices_per_partition") *
                 results_case_key(of, "partition.count") / 1048576);
    return true;
}

/* Keys with which a slice performs a request's atomics faster, and the cycles that it then takes. */
static double set_atomics(const struct results_case *of, double sectors, struct results_finding *finding)
{
    double interval = results_case_key(of, "l2.atomic_interval"), now = results_atomic_cycles(of->reading, sectors);
    if (interval > 1)
        snprintf(finding->lift, sizeof finding->lift, "l2.atomic_interval=1");
    else if (interval <= 0 && sectors <= 2 && now > sectors)
        snprintf(finding->lift, sizeof finding->lift, "l2.atomic_interval=1 l2.request_port=256");
    else if (sectors > 2)
        snprintf(finding->lift, sizeof finding->lift,
                 "l2.atomic_interval=0 l2.port=128 l2.write_port=128 l2.request_port=256");
    else
        return now;
    return interval <= 1 && sectors > 2 ? 2 : sectors;
}

/* The share of the time for which the partition with most look-ups other than of atomics is busy with them; `most`:
 * its share of them. */
static double hot_lookups(const struct results_case *of, double *most)
{
    double sum, atomics = results_case_sum(of, "L2_atomics") *
                          results_atomic_cycles(of->reading, results_atomic_sectors(of->reading, of->group));
    results_partition_lookups(of->reading, of->group, most, &sum);
    *most = sum > 0 ? *most / sum : 0;
    double own = fmax(results_case_sum(of, "L2_busy_cycles") - atomics, 0);
    return fmin(own * results_l2_cycle(of->reading) * *most / of->cycles, 1);
}

double results_case_hot_slice(const struct results_case *of)
{
    if (of->lifted && strstr(of->lifted, "L2"))
        return 0;
    double most, share, atomics = hot_atomics(of, &share), busy = hot_lookups(of, &most);
    bool uneven = most * fmax(results_case_key(of, "partition.count"), 1) > 1.3;
    return fmin(fmax(atomics, uneven ? busy : 0), 1);
}

/* The use of the port of the constant cache, which takes an address a cycle. */
static double constant_port(const struct results_case *of)
{
    double cycles = results_case_sum(of, "sm_active_cycles");
    return cycles > 0 ? fmin(results_case_sum(of, "constant_passes") / cycles, 1) * of->busy : 0;
}

double results_case_fullest(const struct results_case *of)
{
    return fmax(fmax(results_case_floor(of, ""), results_case_hot_slice(of)), constant_port(of));
}

bool results_rule_atomics(const struct results_case *of, struct results_finding *finding)
{
    double own = results_case_sum(of, "L2_atomics"), share, hot = hot_atomics(of, &share);
    double sectors = results_atomic_sectors(of->reading, of->group), now = results_atomic_cycles(of->reading, sectors),
           then = set_atomics(of, sectors, finding);
    if (own <= 0)
        return false;
    /* The rest where no key makes them faster: as if they were spread over all slices. */
    double rest = then < now ? then / now : 1 / fmax(share > 0 ? share * results_slices(of->reading) : 1, 1);
    double left = fmax(results_case_floor(of, "L2 requests"), hot * rest);
    /* A slice that has time left holds up what meets in it, and seldom the warps. */
    finding->gain = fmin(fmax(fmin(hot, 1) - left, 0), 1) * pow(fmin(hot, 1), 4);
    finding->bound = RESULTS_GAIN_LEAST; /* faster atomics are still as many */
    EVIDENCE(
        "%.0f atomics on sectors, %.1f %% of them in one partition, whose slice performs %.0f in %.0f cycles: that "
        "takes %.1f %% of the time",
        own, 100 * share, sectors, now, 100 * fmin(hot, 1));
    return true;
}

bool results_rule_camping(const struct results_case *of, struct results_finding *finding)
{
    double most, even = 1 / fmax(results_case_key(of, "partition.count"), 1), hot = hot_lookups(of, &most);
    double mean = hot * even / fmax(most, even);
    finding->gain = fmax(hot - fmax(results_case_floor(of, "L2 replies requests DRAM"), mean), 0);
    EVIDENCE("one partition of %.0f has %.1f %% of the look-ups of the L2, atomics left out, and is busy with them for "
             "%.1f %% of the time",
             1 / even, 100 * most, 100 * hot);
    return most > 1.3 * even;
}

/* Cycles of a read that opens a row: as stated, or about 14 ns to open and 14 to read, which standards of all kinds of
 * memory have within 5 ns. */
#define COLUMN 14e-9

static double least_read(const struct results_case *of)
{
    double stated = results_case_key(of, "dram.timing.rcd") + results_case_key(of, "dram.timing.cl");
    return stated > 0 ? stated : 2 * COLUMN * results_case_key(of, "clock.dram");
}

/* Rows that open at once; machines that have the times of their kind of memory need the others stated as well. */
static void set_rows(const struct results_case *of, struct results_finding *finding)
{
    double rate = fmax(results_case_key(of, "dram.data_rate"), 1);
    int length = snprintf(finding->lift, sizeof finding->lift,
                          "dram.timing.rcd=1 dram.timing.rp=1 dram.timing.ras=1 dram.timing.rc=2 dram.timing.rrd=1 "
                          "dram.timing.faw=0");
    if (results_case_key(of, "dram.timing.cl") <= 0)
        snprintf(finding->lift + length, sizeof finding->lift - (size_t)length,
                 " dram.timing.ccd=%.0f dram.timing.cl=%.0f", fmax(round(results_case_key(of, "dram.burst") / rate), 1),
                 COLUMN * results_case_key(of, "clock.dram"));
}

bool results_rule_dram_rows(const struct results_case *of, struct results_finding *finding)
{
    double all = results_case_sum(of, "dram_accesses"), hits = results_case_sum(of, "dram_row_hits");
    double each = results_case_sum(of, "dram_read_cycles") / fmax(results_case_sum(of, "total_dram_reads"), 1);
    double least = least_read(of);
    double use = results_case_use(of, "DRAM");
    if (all <= 0 || least <= 0 || each < 4 * least)
        return false;
    double miss = 1 - hits / all;
    /* Sectors that nobody needs are the fault of how warps access memory. */
    double needed = results_case_sum(of, "least_sectors_load") + results_case_sum(of, "least_sectors_store");
    double touched = results_case_sum(of, "sectors_global_load") + results_case_sum(of, "sectors_global_store");
    double own = touched > 0 ? needed / touched : 1;
    finding->gain = own * fmin(results_case_slots(of, "memory") * miss * (1 - use), 1 - results_case_floor(of, "DRAM"));
    set_rows(of, finding);
    EVIDENCE("%.1f %% of the sectors moved open a row of DRAM first; a read waits %.0f DRAM cycles, and the data buses "
             "are used %.1f %%",
             100 * miss, each, 100 * use);
    return miss > 0.3;
}

bool results_rule_narrow(const struct results_case *of, struct results_finding *finding)
{
    double loads = results_case_sum(of, "accesses_global_load") + results_case_sum(of, "accesses_global_store");
    double least = results_case_sum(of, "least_sectors_load") + results_case_sum(of, "least_sectors_store");
    double all = results_lsu_instructions(of->reading, of->group), use = results_case_use(of, "LSU");
    double shared = results_case_sum(of, "shared_accesses");
    if (all <= 0 || use < 0.4)
        return false;
    double sectors = loads > 0 ? least / loads : 4; /* for an access: 4 are a word of each lane */
    double rest = shared > loads ? 0.25 : fmin(sectors / 16, 1);
    finding->gain = fmax(use - fmax(results_case_floor(of, "LSU L1"), rest * use), 0);
    if (results_case_key(of, "sm.memory.interval") > 1)
        snprintf(finding->lift, sizeof finding->lift, "sm.memory.interval=1");
    finding->bound = RESULTS_GAIN_LEAST; /* a pipeline that is faster has as many instructions to take */
    EVIDENCE("the memory pipeline of the SM is taken for %.1f %% of the time, by %.0f accesses to global memory of "
             "%.0f byte%s a lane and %.0f to shared memory",
             100 * use, loads, sectors, round(sectors) == 1 ? "" : "s", shared);
    double local = results_case_sum(of, "accesses_local_load") + results_case_sum(of, "accesses_local_store");
    return rest < 0.9 && local < 0.3 * all;
}

/* The share of waits for memory that is for constants: each line that their cache lacks, of all that loads wait for. */
double results_case_constant_share(const struct results_case *of)
{
    double misses = results_case_sum(of, "constant_misses");
    double others = results_case_sum(of, "accesses_global_load") + results_case_sum(of, "accesses_local_load");
    return misses > 0 ? misses / (misses + others) : 0;
}

bool results_rule_constants(const struct results_case *of, struct results_finding *finding)
{
    double loads = results_case_sum(of, "constant_accesses"), misses = results_case_sum(of, "constant_misses");
    double warps = of->ctas * of->warps * (double)of->group->kernels;
    if (loads < 8 * warps || misses <= 0) /* the parameters of a kernel are constants, too */
        return false;
    double floor = results_case_floor(of, "");
    double share = results_case_constant_share(of),
           waits = results_case_slots(of, "memory") + results_case_slots(of, "fetch");
    finding->gain = fmin(waits * share, 1 - floor) * of->lasting;
    EVIDENCE("%.1f %% of %.0f loads of constants wait for a line of their cache of %.0f bytes", 100 * misses / loads,
             loads, results_case_key(of, "sm.constant.size"));
    return misses > 0.02 * loads;
}

bool results_rule_divergent_constants(const struct results_case *of, struct results_finding *finding)
{
    double loads = results_case_sum(of, "constant_accesses"), passes = results_case_sum(of, "constant_passes");
    double taken = (passes - loads) / fmax(results_case_sum(of, "sm_active_cycles"), 1);
    if (loads <= 0 || passes < 1.5 * loads)
        return false;
    finding->gain = fmax(1 - hypot(1 - fmin(taken, 1), results_case_floor(of, "")), 0) * of->lasting;
    EVIDENCE(
        "%.1f different addresses among the lanes of each of %.0f loads of constants, whose cache takes one a cycle "
        "for %.1f %% of the time",
        passes / loads, loads, 100 * fmin(taken, 1));
    return true;
}

/* ===== shared memory ===== */

/* The share of an SM's time that its banks lose to conflicts, or the way back from them where a cycle of the banks
 * takes several there. Warps that wait for one another's accesses wait for the same cycles, so no more is saved. */
static double lost_share(const struct results_case *of, double lost)
{
    double each = fmax(results_case_key(of, "sm.memory.wavefront"), 1);
    return fmin(lost * each / fmax(results_case_sum(of, "sm_active_cycles"), 1), 1);
}

/* The bytes of a lane's widest access to shared memory, by the table of instructions; 4 where there is none. */
static int widest_shared(const struct results_case *of)
{
    struct mnp_error ignored = {0};
    int widest = 4;
    sqlite3_stmt *row = results_sqlite_prepare(
        of->reading->database,
        "SELECT max(CASE WHEN text LIKE '%LDS%.128%' OR text LIKE '%STS%.128%' OR text LIKE '%.shared%.v4._32%' OR"
        " text LIKE '%.shared%.v2._64%' THEN 16 WHEN text LIKE '%LDS%.64%' OR text LIKE '%STS%.64%' OR text LIKE"
        " '%.shared%.v2._32%' OR text LIKE '%.shared%._64%' THEN 8 ELSE 4 END) FROM instruction WHERE run = ? AND"
        " kernel = ? AND issues > 0",
        &ignored);
    if (!row)
        return widest;
    sqlite3_bind_int64(row, 1, of->reading->run);
    sqlite3_bind_text(row, 2, of->group->name, -1, SQLITE_STATIC);
    if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0) > widest)
        widest = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    return widest;
}

static bool find_conflicts(const struct results_case *of, bool atomic, struct results_finding *finding)
{
    double accesses = results_case_sum(of, "shared_accesses"), lost = results_case_sum(of, "shared_conflict_cycles");
    double banks = results_case_sum(of, "L1D_data_wavefronts") + accesses + lost; /* the L1 has the same banks */
    double atomics = results_case_sum(of, "accesses_shared_atomic") + results_case_sum(of, "accesses_shared_reduction");
    if (lost <= 0 || (atomics > 0.3 * accesses) != atomic)
        return false;
    double gain = results_case_gain(of, "L1 LSU", stalled(of) + results_case_slots(of, "barrier"), 1 - lost / banks);
    finding->gain = fmin(gain, lost_share(of, lost) * of->lasting);
    char wide[100] = "";
    int widest = widest_shared(of);
    if (widest > 4)
        snprintf(wide, sizeof wide, "; some have %d bytes a lane, and rows padded by %d words keep them aligned",
                 widest, widest / 4);
    EVIDENCE("%.1f cycles lost to bank conflicts for each of %.0f accesses to shared memory, of which %.0f are "
             "atomics%s",
             lost / accesses, accesses, atomics, wide);
    return true;
}

bool results_rule_banks(const struct results_case *of, struct results_finding *finding)
{
    return find_conflicts(of, false, finding);
}

bool results_rule_shared_atomics(const struct results_case *of, struct results_finding *finding)
{
    finding->bound = RESULTS_GAIN_LEAST;
    return find_conflicts(of, true, finding);
}

bool results_rule_remote_shared(const struct results_case *of, struct results_finding *finding)
{
    double accesses = results_case_sum(of, "sm_to_sm_accesses");
    double all = results_lsu_instructions(of->reading, of->group);
    double share = all > 0 ? accesses / all : 0;
    finding->gain = (results_case_slots(of, "memory") + results_case_slots(of, "barrier")) * fmin(share, 1) *
                    (1 - results_case_floor(of, ""));
    EVIDENCE("%.0f accesses to shared memory of other SMs; their packets wait %.1f cycles for ports", accesses,
             results_case_sum(of, "sm_to_sm_wait_cycles") / fmax(results_case_sum(of, "sm_to_sm_packets"), 1));
    return accesses > 0;
}

bool results_rule_small_copies(const struct results_case *of, struct results_finding *finding)
{
    double copies = results_case_sum(of, "tma_copies"), bytes = results_case_sum(of, "tma_bytes");
    if (copies <= 0)
        return false;
    double use = fmin(copies * results_case_key(of, "sm.tma.command") / (of->cycles * of->sms), 1);
    finding->gain = fmax(use - results_case_floor(of, ""), 0);
    EVIDENCE("%.0f asynchronous copies of %.0f bytes each; to begin them takes %.1f %% of the time", copies,
             bytes / copies, 100 * use);
    return true;
}
