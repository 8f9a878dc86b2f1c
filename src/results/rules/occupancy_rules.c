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

bool results_rule_dependence(const struct results_case *of, struct results_finding *finding)
{
    double share = results_case_slots(of, "dependence");
    double floor = fmax(results_case_floor(of, ""), results_case_hot_slice(of));
    finding->gain = share * (1 - floor) * (1 - floor) * of->lasting;
    EVIDENCE("in %.1f %% of the issue slots all warps wait for results of fixed latency, %.1f warps to a sub-core; no "
             "part is used more than %.1f %%",
             100 * share,
             results_case_sum(of, "resident_warp_cycles") /
                 fmax(results_case_sum(of, "sm_active_cycles") * results_case_key(of, "sm.subcores"), 1),
             100 * floor);
    return share > 0;
}

bool results_rule_latency(const struct results_case *of, struct results_finding *finding)
{
    double share = results_case_slots(of, "memory");
    double floor = fmax(results_case_floor(of, ""), results_case_hot_slice(of));
    finding->gain = 0.5 * share * (1 - floor) * (1 - floor) * of->lasting;
    EVIDENCE("in %.1f %% of the issue slots warps wait for memory, of whose parts none is used more than %.1f %%; "
             "occupancy %.1f %%",
             100 * share, 100 * floor,
             100 * results_case_sum(of, "resident_warp_cycles") /
                 fmax(results_case_sum(of, "possible_warp_cycles"), 1));
    return share > 0;
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

bool results_rule_fences(const struct results_case *of, struct results_finding *finding)
{
    double share = results_case_slots(of, "barrier");
    double fences = results_case_sum(of, "instructions_sync") - results_case_sum(of, "barriers");
    finding->gain = share * (1 - results_case_floor(of, "")) * of->lasting;
    EVIDENCE("in %.1f %% of the issue slots warps wait for fences and for cp.async, of which there are %.0f",
             100 * share, fences);
    if (results_case_key(of, "sm.fence") > 0) /* a fence without time of its own waits for its stores */
        snprintf(finding->lift, sizeof finding->lift, "sm.fence=0");
    return fences > results_case_sum(of, "barriers");
}
