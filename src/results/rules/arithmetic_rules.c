/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about instructions: lanes that do nothing, units of which there are few, code. */
#include "results/rules/rules.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define EVIDENCE(...) snprintf(finding->evidence, sizeof finding->evidence, __VA_ARGS__)

/* Lanes of the instructions issued, of all. Those that no lane of the warp performs are none of them: their warps go
 * one way. */
static double lanes_used(const struct results_case *of)
{
    double all = 32 * (results_case_sum(of, "gpgpu_n_tot_w_icount") - results_case_sum(of, "instructions_zero_mask"));
    return all > 0 ? results_case_sum(of, "gpu_sim_insn") / all : 1;
}

/* Slots whose number goes with the instructions of a warp. */
static double by_instructions(const struct results_case *of)
{
    return results_case_slots(of, "issued") + results_case_slots(of, "pipe") + results_case_slots(of, "dependence") +
           results_case_slots(of, "fetch") + results_case_slots(of, "operands");
}

/* The most that fewer instructions save: what memory, its way, or a slice of the L2 with atomics is full for stays. */
static double without_memory(const struct results_case *of)
{
    double full = fmax(results_case_floor(of, "issue FP32 ALU FMA FP16 FP64 XU tensor"), results_case_hot_slice(of));
    return fmax(1 - full, 0);
}

/* A core that is as much faster as lanes are unused does in a time what full warps would. */
static void set_clock(const struct results_case *of, double used, struct results_finding *finding)
{
    double hertz = results_case_key(of, "clock.core") / used;
    snprintf(finding->lift, sizeof finding->lift, "clock.core=%.0fMHz", fmin(hertz / 1e6, 10000));
}

/* Threads of a CTA, of the lanes of its warps. */
static double filled(const struct results_case *of)
{
    return of->warps > 0 ? of->threads / (32 * of->warps) : 1;
}

bool results_rule_divergence(const struct results_case *of, struct results_finding *finding)
{
    double used = fmin(lanes_used(of) / filled(of), 1);
    double none =
        results_case_sum(of, "instructions_zero_mask") / fmax(results_case_sum(of, "gpgpu_n_tot_w_icount"), 1);
    double share = (1 - used) * (1 - none);
    finding->gain = fmin(share * by_instructions(of) * of->lasting, without_memory(of));
    set_clock(of, 1 - share, finding);
    EVIDENCE("%.1f of 32 lanes are active in an instruction that any lane performs, on average; %.1f %% of the "
             "instructions have none",
             32 * used, 100 * none);
    return used < 0.97;
}

/* Fuller warps are fewer, and each takes as long. They save time where CTAs wait for room in the SMs, and where warps
 * hold one another up at the scheduler: not more than what the others of a sub-core issue. */
bool results_rule_partial_warps(const struct results_case *of, struct results_finding *finding)
{
    double used = filled(of), waves = of->resident > 0 ? of->ctas / (of->sms * of->resident) : 1;
    double fewer_waves = 1 - fmax(1, waves * used) / fmax(1, waves);
    double warps = results_case_sum(of, "resident_warp_cycles") /
                   fmax(results_case_sum(of, "sm_active_cycles") * results_case_key(of, "sm.subcores"), 1);
    double ready = results_case_slots(of, "issued") + results_case_slots(of, "pipe");
    double less_work = ready * fmin(1 - used, 1 - 1 / fmax(warps, 1));
    finding->gain = fmax(by_instructions(of) * fewer_waves, less_work) * of->lasting;
    if (by_instructions(of) * fewer_waves >= less_work)
        set_clock(of, 1 - fewer_waves, finding);
    else if (ready > 0.8)
        set_clock(of, used, finding);
    EVIDENCE("CTAs of %.0f threads are %.0f warp%s: %.1f %% of their lanes have no thread", of->threads, of->warps,
             of->warps == 1 ? "" : "s", 100 * (1 - used));
    return used < 0.97;
}

/* Lanes of a sub-core for single precision, those that it shares with integers included. */
static double single_lanes(const struct results_case *of)
{
    return results_case_key(of, "sm.fp32.lanes") * (results_case_key(of, "sm.fp32.on_int") > 0 ? 2 : 1);
}

/* A pipe that takes `rest` of its time were it as fast as that of single precision; `but`: this pipe, and others that
 * are lifted with it. */
static void set_pipe_gain(const struct results_case *of, const char *pipe, const char *but, double share, double rest,
                          struct results_finding *finding)
{
    double use = fmin(results_case_use(of, pipe) / fmax(of->busy, 0.01), 1); /* use by SMs with CTAs */
    double floor = fmin(results_case_floor(of, but) / fmax(of->busy, 0.01), 1);
    double waits =
        fmin(results_case_slots(of, "dependence") + results_case_slots(of, "pipe"), 1 - floor) * share * (1 - rest);
    finding->gain = fmax(fmax(use - fmax(floor, use * rest), 0), waits) * of->lasting;
}

bool results_rule_double(const struct results_case *of, struct results_finding *finding)
{
    double count = results_case_sum(of, "instructions_fp64"), all = results_case_sum(of, "gpgpu_n_tot_w_icount");
    double lanes = results_case_key(of, "sm.fp64.lanes") * results_fp64_units(of->reading);
    double single = single_lanes(of) * results_case_key(of, "sm.subcores");
    double use = results_case_use(of, "FP64");
    if (count <= 0 || lanes <= 0 || 4 * lanes > single) /* half as many are no fault of the program */
        return false;
    /* Conversions from and to single precision go with it. */
    bool converts = results_case_sum(of, "instructions_convert") > 0.1 * count;
    set_pipe_gain(of, "FP64", converts ? "FP64 XU" : "FP64", count / all, lanes / single, finding);
    finding->bound = converts ? RESULTS_GAIN_LEAST : RESULTS_GAIN_ABOUT; /* faster conversions are still as many */
    snprintf(finding->lift, sizeof finding->lift, "sm.fp64.lanes=%d sm.fp64.shared=false sm.fp64.latency=%.0f%s",
             results_case_key(of, "sm.fp32.on_int") > 0 ? 32 : (int)results_case_key(of, "sm.fp32.lanes"),
             results_case_key(of, "sm.fp32.latency"),
             converts ? " sm.convert.lanes=32 sm.convert.latency=4 sm.convert.on_sfu=false" : "");
    EVIDENCE("%.1f %% of the instructions are of double precision, for which an SM has %.0f lanes, of %.0f for single; "
             "they are used %.1f %% of the time%s",
             100 * count / all, lanes, single, 100 * use,
             converts ? "; conversions to and from them, as literals like 1.5 bring them, are among the others" : "");
    return true;
}

/* One of the two classes that share the special-function pipe. */
static bool find_slow(const struct results_case *of, const char *count_of, const char *other_of, double lanes,
                      double share_pipe, const char *what, struct results_finding *finding)
{
    double count = results_case_sum(of, count_of), all = results_case_sum(of, "gpgpu_n_tot_w_icount");
    if (count <= 0 || lanes <= 0 || (share_pipe > 0 && results_case_sum(of, other_of) > count))
        return false;
    double rest = lanes / fmax(single_lanes(of), lanes);
    set_pipe_gain(of, "XU", "XU", count / all, rest, finding);
    EVIDENCE("%.1f %% of the instructions are %s, for which a sub-core has %.0f lanes; their pipe is taken for %.1f %% "
             "of the time",
             100 * count / all, what, lanes, 100 * results_case_use(of, "XU"));
    return rest < 0.9;
}

bool results_rule_special(const struct results_case *of, struct results_finding *finding)
{
    return find_slow(of, "instructions_sfu", "instructions_convert", results_case_key(of, "sm.sfu.lanes"),
                     results_case_key(of, "sm.convert.on_sfu"), "special functions", finding);
}

bool results_rule_conversions(const struct results_case *of, struct results_finding *finding)
{
    return find_slow(of, "instructions_convert", "instructions_sfu", results_case_key(of, "sm.convert.lanes"),
                     results_case_key(of, "sm.convert.on_sfu"), "conversions", finding);
}

/* Divisions of integers, as ptxas 13.0 makes them of `div` and `rem`: a reciprocal of the divisor (of 64 bits, a
 * function), which divisions by the same value share, and instructions for each of them, less one that a multiplication
 * or a mask takes in their place. */
struct divisions {
    double count, work;
};

static struct divisions read_divisions(const struct results_case *of)
{
    enum { LONG_HIGHS = 9 }; /* IMAD.HI of a division of 64 bits */
    double word = results_case_sum(of, "lanes_division_u32"), whole = results_case_sum(of, "lanes_division_s32"),
           wide = results_case_sum(of, "lanes_division_64"), both = word + whole;
    double highs = results_case_sum(of, "lanes_imad_hi") - LONG_HIGHS * wide;
    double shared = both > 0 ? fmax(highs - 2 * both, 0) : 0; /* beside the one that follows each reciprocal */
    return (struct divisions){both + wide + shared,
                              16 * word + 22 * whole + 75 * wide + shared * (7 * word + 10 * whole) / fmax(both, 1)};
}

bool results_rule_division(const struct results_case *of, struct results_finding *finding)
{
    struct divisions divisions = read_divisions(of);
    double count = divisions.count, work = divisions.work, all = results_case_sum(of, "gpu_sim_insn");
    double share = all > 0 ? fmin(work / all, 0.95) : 0;
    finding->gain = fmin(share * by_instructions(of) * of->lasting, without_memory(of));
    set_clock(of, 1 - share, finding);
    EVIDENCE("%.1f %% of the instructions are divisions of integers by numbers that are unknown when compiled, %.0f "
             "instructions each",
             100 * share, work / fmax(count, 1));
    return count > 0;
}

/* ===== functions ===== */

/* Functions of single precision that have a fast form: its machine instructions as ptxas 13.0 makes them for sm_86, and
 * how many of them are special functions. */
static const struct function {
    const char *name;
    double fast, special;
} functions[] = {{"powf", 9, 2}, {"sinf", 2, 1},   {"cosf", 2, 1}, {"sincosf", 3, 2}, {"tanf", 8, 3},
                 {"expf", 5, 1}, {"exp10f", 5, 1}, {"logf", 5, 1}, {"log2f", 4, 1},   {"log10f", 5, 1}};

/* Whether a line of the source calls a function by this very name. */
static bool calls(const char *line, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = line; (at = strstr(at, name)); at += length) {
        bool begins = at == line || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && at[length + strspn(at + length, " ")] == '(')
            return true;
    }
    return false;
}

/* Machine instructions of the lines that call such functions. */
struct precise {
    double instructions, calls; /* instructions of all; lines, as often as warps come to them */
    double fast, special;       /* instructions, and special functions, that fast forms would take */
    const char *name;           /* function of the line with most instructions */
};

static void add_line(const char *line, double instructions, double times, struct precise *precise)
{
    double fast = 0, special = 0;
    const char *name = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (calls(line, functions[i].name)) {
            fast += functions[i].fast;
            special += functions[i].special;
            name = name ? name : functions[i].name;
        }
    if (!name || instructions <= times * fast)
        return;
    precise->name = precise->name ? precise->name : name;
    precise->instructions += instructions;
    precise->calls += times;
    precise->fast += times * fast;
    precise->special += times * special;
}

/* Reads lines with their text, of a run with --by-instruction; those with most instructions first. */
static void read_precise(const struct results_case *of, struct precise *precise)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *rows = results_sqlite_prepare(
        of->reading->database,
        "SELECT source_line.text, sum(issues), max(issues) FROM instruction JOIN source_line ON source_line.run ="
        " instruction.run AND source_line.source = instruction.source WHERE instruction.run = ? AND kernel = ?"
        " GROUP BY instruction.source ORDER BY 2 DESC, instruction.source",
        &ignored);
    if (!rows)
        return;
    sqlite3_bind_int64(rows, 1, of->reading->run);
    sqlite3_bind_text(rows, 2, of->group->name, -1, SQLITE_STATIC);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const char *line = (const char *)sqlite3_column_text(rows, 0);
        add_line(line ? line : "", sqlite3_column_double(rows, 1), sqlite3_column_double(rows, 2), precise);
    }
    sqlite3_finalize(rows);
}

/* The fast forms take their instructions' time, and that of the units for special functions, of which there are few: as
 * warps issue in both at random, the time is more than either. */
bool results_rule_precise(const struct results_case *of, struct results_finding *finding)
{
    struct precise precise = {0};
    double all = results_case_sum(of, "gpgpu_n_tot_w_icount");
    read_precise(of, &precise);
    if (!precise.name || all <= 0)
        return false;
    double lanes = fmax(results_case_key(of, "sm.sfu.lanes"), 1);
    double cycles = results_case_sum(of, "sm_active_cycles") * results_case_key(of, "sm.subcores");
    double units = precise.special * 32 / lanes / fmax(cycles, 1);
    double saved = fmin((precise.instructions - precise.fast) / all, 0.95) * by_instructions(of);
    double left = fmin(hypot(1 - saved, units), 1);
    finding->gain = fmin((1 - left) * of->lasting, without_memory(of));
    set_clock(of, left, finding);
    EVIDENCE("%.1f %% of the instructions are of lines that call %s or the like, %.0f instructions each time, of which "
             "fast forms have about %.0f",
             100 * precise.instructions / all, precise.name, precise.instructions / precise.calls,
             precise.fast / precise.calls);
    return true;
}

/* ===== code ===== */

bool results_case_misses_code(const struct results_case *of)
{
    return results_case_sum(of, "L0I_total_cache_misses") > 0.2 * results_case_sum(of, "L0I_total_cache_accesses");
}

/* Lines of code that a warp walks through, each as often as it comes to it. */
static double lines_walked(const struct results_case *of)
{
    double warps = of->ctas * of->warps * (double)of->group->kernels;
    return results_case_sum(of, "L0I_total_cache_accesses") / fmax(warps, 1);
}

/* Whether all code that a warp walks through has room in the L0: what misses there comes for the first time. */
static bool is_cold(const struct results_case *of)
{
    double line = results_case_key(of, "sm.l1i.line");
    return line > 0 && lines_walked(of) <= results_case_key(of, "sm.l0i.size") / line;
}

bool results_rule_cold_code(const struct results_case *of, struct results_finding *finding)
{
    double share = results_case_slots(of, "fetch"), launches = (double)of->group->kernels, lines = lines_walked(of);
    finding->gain = share * of->lasting;
    EVIDENCE(
        "in %.1f %% of the issue slots of %.0f launch%s warps wait for their next instruction; a warp walks through "
        "%.0f line%s of code, for which the L0 cache has room, so they come there for the first time",
        100 * share, launches, launches == 1 ? "" : "es", lines, lines < 1.5 ? "" : "s");
    return results_case_misses_code(of) && is_cold(of);
}

bool results_rule_instruction_cache(const struct results_case *of, struct results_finding *finding)
{
    double looks = results_case_sum(of, "L0I_total_cache_accesses"),
           misses = results_case_sum(of, "L0I_total_cache_misses");
    double share = results_case_slots(of, "fetch"), missed = results_case_sum(of, "L1I_total_cache_misses");
    if (looks <= 0)
        return false;
    finding->gain = share * of->lasting;
    EVIDENCE("in %.1f %% of the issue slots warps wait for their next instruction; %.1f %% of the lines of code are "
             "not in the L0 cache, %.0f come from beyond the L1",
             100 * share, 100 * misses / looks, missed);
    return results_case_misses_code(of) && !is_cold(of);
}

bool results_rule_branches(const struct results_case *of, struct results_finding *finding)
{
    double branches = results_case_sum(of, "instructions_branch"), all = results_case_sum(of, "gpgpu_n_tot_w_icount");
    double share = results_case_slots(of, "fetch");
    finding->gain = share * of->lasting * (1 - results_case_floor(of, ""));
    EVIDENCE(
        "in %.1f %% of the issue slots warps wait for their next instruction; one of %.0f instructions is a branch",
        100 * share, all / fmax(branches, 1));
    return branches > 0.1 * all && !results_case_misses_code(of);
}

bool results_rule_operands(const struct results_case *of, struct results_finding *finding)
{
    double share = results_case_slots(of, "operands");
    finding->gain = share * of->lasting;
    EVIDENCE("in %.1f %% of the issue slots a warp was ready, and reads of registers held it back", 100 * share);
    return share > 0;
}

/* Multiply-adds of a thread for each number or vector that it loads from shared memory: 16 in products whose tiles of
 * 8 x 8 stay in registers. Kernels with more are no products of matrices. */
#define FFMA_A_LOAD 32

bool results_rule_tensor(const struct results_case *of, struct results_finding *finding)
{
    double ffma = results_case_sum(of, "lanes_ffma") + results_case_sum(of, "lanes_hfma");
    double barriers = results_case_sum(of, "barriers"), shared = results_case_sum(of, "accesses_shared_load");
    double all = results_case_sum(of, "gpu_sim_insn"),
           use = fmax(results_case_use(of, "FMA"), results_case_use(of, "FP16"));
    if (results_case_key(of, "sm.tensor.lanes") <= 0 || results_case_sum(of, "instructions_tensor") > 0 || all <= 0)
        return false;
    finding->gain = fmax(use - results_case_floor(of, "FMA FP16 FP32 issue ALU LSU L1"), 0);
    EVIDENCE("%.1f %% of the work is multiply-add of tiles in shared memory, which keeps its pipe for %.1f %% of the "
             "time; the tensor cores do nothing",
             100 * ffma / all, 100 * use);
    return ffma > 0.5 * all && barriers > 0 && 32 * shared * FFMA_A_LOAD > ffma;
}
