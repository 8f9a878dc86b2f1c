/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about how many warps an SM holds, and what they wait for when these are too few. */
#include "results/rules/rules.h"

#include <math.h>

#define EVIDENCE(...) snprintf(finding->evidence, sizeof finding->evidence, __VA_ARGS__)

enum { WARPS, REGISTERS, SHARED, SLOTS };

/* Waits of warps that other warps would hide. */
static double waiting(const struct results_case *of)
{
    return results_case_slots(of, "memory") + results_case_slots(of, "dependence") + results_case_slots(of, "barrier") +
           results_case_slots(of, "fetch");
}

/* One room limits the CTAs of an SM, where the grid has more for it. The gain: the same warps' waits are spread over
 * as many as fit without that limit. */
static bool find_limit(const struct results_case *of, int room, const char *what, struct results_finding *finding)
{
    double others = ceil(of->ctas / of->sms);
    for (int i = 0; i < 4; i++)
        others = i == room ? others : fmin(others, of->room[i]);
    if (of->resident <= 0 || of->room[room] > of->resident || others <= of->resident)
        return false;
    double floor = results_case_floor(of, ""), gain = (1 - of->resident / others) * waiting(of);
    finding->gain = fmin(gain, 1 - floor) * of->lasting;
    EVIDENCE("%s: an SM holds %.0f CTA%s of %.0f threads, %.0f of %.0f warps; without, it would hold %.0f; in %.1f %% "
             "of the issue slots warps wait",
             what, of->resident, of->resident == 1 ? "" : "s", of->threads, of->resident * of->warps,
             results_case_key(of, "sm.warps"), others, 100 * waiting(of));
    return true;
}

bool results_rule_registers(const struct results_case *of, struct results_finding *finding)
{
    return find_limit(of, REGISTERS, "registers", finding);
}

bool results_rule_shared(const struct results_case *of, struct results_finding *finding)
{
    snprintf(finding->lift, sizeof finding->lift, "sm.shared.max=4MiB sm.l1d.size=8MiB sm.shared.options=[]");
    return find_limit(of, SHARED, "shared memory", finding);
}

bool results_rule_slots(const struct results_case *of, struct results_finding *finding)
{
    return find_limit(of, SLOTS, "slots for CTAs", finding);
}

/* The share of a warp's time that arithmetic instructions make it wait, if each has to wait for the one before it. Data
 * of loads that has a known time of arrival is waited for in the same issue slots. */
static double waits_for_arithmetic(const struct results_case *of)
{
    static const char *const classes[][2] = {{"instructions_fp32", "sm.fp32.latency"},
                                             {"instructions_int", "sm.int.latency"},
                                             {"instructions_imad", "sm.imad.latency"},
                                             {"instructions_half", "sm.half.latency"}};
    double cycles = 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        cycles += results_case_sum(of, classes[i][0]) * fmax(results_case_key(of, classes[i][1]) - 1, 0);
    return cycles / fmax(results_case_sum(of, "resident_warp_cycles"), 1);
}

/* The time without these waits, by Little's law as for few warps: until a part of the machine is full. Code that comes
 * meanwhile is waited for instead. */
bool results_rule_dependence(const struct results_case *of, struct results_finding *finding)
{
    double share = results_case_slots(of, "dependence"), own = fmin(share, waits_for_arithmetic(of));
    double floor = results_case_fullest(of);
    if (results_case_misses_code(of))
        own = fmax(own - results_case_slots(of, "fetch"), 0);
    finding->gain = fmax(1 - hypot(1 - own, floor), 0) * of->lasting;
    EVIDENCE("in %.1f %% of the issue slots all warps wait for results of fixed latency, %.1f warps to a sub-core; no "
             "part is used more than %.1f %%",
             100 * share,
             results_case_sum(of, "resident_warp_cycles") /
                 fmax(results_case_sum(of, "sm_active_cycles") * results_case_key(of, "sm.subcores"), 1),
             100 * floor);
    return share > 0;
}

/* The share of the warps that SMs with work have room for. */
static double occupancy(const struct results_case *of)
{
    return results_case_sum(of, "resident_warp_cycles") / fmax(results_case_sum(of, "possible_warp_cycles"), 1);
}

/* How many times as many CTAs the SMs have room for as a grid has that gives each SM one. */
static double room_for(const struct results_case *of)
{
    return of->ctas >= of->sms && of->resident > 0 && !of->cut ? of->sms * of->resident / fmax(of->ctas, 1) : 1;
}

/* The share of the time that is saved where the grid has as many CTAs as there is room for, whose threads share out
 * the work. Little's law: what is under way grows with them, and its rate too, until a part of the machine is full. */
static double saved_by_warps(const struct results_case *of)
{
    double floor = results_case_fullest(of), fixed = results_case_fixed(of);
    return (1 - fixed) * (1 - sqrt(1 / (room_for(of) * room_for(of)) + floor * floor)) * of->lasting;
}

static double saved_by_loads(const struct results_case *of)
{
    double floor = results_case_fullest(of);
    return 0.5 * results_case_slots(of, "memory") * (1 - floor) * (1 - floor) * of->lasting;
}

/* Whether most waits are for data of memory, and the grid has too few warps to hide them. */
static bool has_few_warps(const struct results_case *of)
{
    double data = results_case_slots(of, "memory") * (1 - results_case_constant_share(of));
    return room_for(of) > 1 && data > 0.5 * waiting(of) && saved_by_warps(of) > saved_by_loads(of);
}

bool results_rule_latency(const struct results_case *of, struct results_finding *finding)
{
    double share = results_case_slots(of, "memory");
    double floor = results_case_fullest(of);
    finding->gain = saved_by_loads(of);
    EVIDENCE("in %.1f %% of the issue slots warps wait for memory, of whose parts none is used more than %.1f %%; "
             "occupancy %.1f %%",
             100 * share, 100 * floor, 100 * occupancy(of));
    return share > 0 && !has_few_warps(of);
}

bool results_rule_few_warps(const struct results_case *of, struct results_finding *finding)
{
    double floor = results_case_fullest(of);
    finding->gain = saved_by_warps(of);
    EVIDENCE("%.0f CTAs of %.0f threads are %.1f warps to an SM, which holds %.0f; in %.1f %% of the issue slots all "
             "of them wait for memory, of whose parts none is used more than %.1f %%",
             of->ctas, of->threads, of->ctas * of->warps / of->sms, results_case_key(of, "sm.warps"),
             100 * results_case_slots(of, "memory"), 100 * floor);
    return has_few_warps(of);
}

/* Waits at barriers and for fences are one class of slots: which it is, accesses to barriers say. */
bool results_rule_barriers(const struct results_case *of, struct results_finding *finding)
{
    double share = results_case_slots(of, "barrier"), barriers = results_case_sum(of, "barriers");
    double each = barriers > 0 ? (results_case_sum(of, "gpgpu_n_tot_w_icount") / barriers) : 0;
    finding->gain = share * (1 - results_case_floor(of, "")) * of->lasting;
    EVIDENCE("in %.1f %% of the issue slots warps wait at barriers; a barrier comes every %.0f instructions of a warp",
             100 * share, each);
    return barriers > 0 && results_case_sum(of, "instructions_sync") < 2 * barriers;
}

/* The share of their time for which warps wait at fences, 0 … 1, by the table of instructions; -1: there is none. Issue
 * slots tell less: one in which any warp waits for memory is a wait for memory. */
static double fenced_by_table(const struct results_case *of)
{
    struct mnp_error ignored = {0};
    double share = -1;
    sqlite3_stmt *row = results_sqlite_prepare(
        of->reading->database,
        "SELECT sum(fence * (text LIKE '%membar%' OR text LIKE '%fence%')) * 1.0 /"
        " sum(ready + result + memory + barrier + fence + fetch + ended) FROM instruction WHERE run = ? AND kernel = ?",
        &ignored);
    if (!row)
        return share;
    sqlite3_bind_int64(row, 1, of->reading->run);
    sqlite3_bind_text(row, 2, of->group->name, -1, SQLITE_STATIC);
    if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_type(row, 0) != SQLITE_NULL)
        share = sqlite3_column_double(row, 0);
    sqlite3_finalize(row);
    return share;
}

/* The same without a table: a fence waits about as long as a store takes to the L2 and back. Waits for asynchronous
 * copies are counted with fences; kernels that have them read shared memory as often. */
static double fenced_by_latency(const struct results_case *of, double fences)
{
    double each = results_case_key(of, "latency.l2") + results_case_key(of, "sm.fence");
    double stores = results_case_sum(of, "accesses_global_store") + results_case_sum(of, "accesses_global_atomic") +
                    results_case_sum(of, "accesses_global_reduction");
    if (results_case_sum(of, "accesses_shared_load") >= fences)
        return 0;
    return fmin(fmin(fences, stores) * each / fmax(results_case_sum(of, "resident_warp_cycles"), 1), 1);
}

bool results_rule_fences(const struct results_case *of, struct results_finding *finding)
{
    double slots = results_case_slots(of, "barrier"), table = fenced_by_table(of);
    double fences = results_case_sum(of, "instructions_sync") - results_case_sum(of, "barriers");
    bool others = fences <= results_case_sum(of, "barriers"); /* the slots of barriers are those of barriers */
    double share = table >= 0 ? table : fenced_by_latency(of, fences);
    if (fences <= 0)
        return false;
    if (share >= slots || others) {
        finding->gain = fmin(share, 1 - results_case_floor(of, "")) * of->lasting;
        EVIDENCE("warps wait at fences for %.1f %% of their time (%s), until what they have stored has come to the L2 "
                 "and back; there are %.0f fences",
                 100 * share, table >= 0 ? "by instruction" : "by the latency of the L2", fences);
    } else {
        finding->gain = slots * (1 - results_case_floor(of, "")) * of->lasting;
        EVIDENCE("in %.1f %% of the issue slots warps wait for fences and for cp.async, of which there are %.0f",
                 100 * slots, fences);
    }
    finding->gain += results_case_forgotten(of);
    finding->bound = RESULTS_GAIN_LEAST; /* compilers move loads across where no fence stands */
    if (share > 0 || results_case_key(of, "sm.fence") > 0)
        snprintf(finding->lift, sizeof finding->lift, "ideal.fences=true");
    return true;
}
