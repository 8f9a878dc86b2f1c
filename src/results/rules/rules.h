/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults that cost a program time and could be mended. Each rule looks for one fault in the counters of a kernel's
 * launches, or of the whole run, and estimates which share of the time would be saved. Rules stand in list.h; a rule
 * may name keys of the machine that lift its limit, so that a second run measures what the first one estimates.
 */
#ifndef MNP_RESULTS_RULES_H
#define MNP_RESULTS_RULES_H

#include "results/figures/figures.h"

struct results_finding;

/* Parts of a program's time, from the first kernel or copy to the end of the last, in seconds. */
struct results_run_time {
    double all;
    double copied;           /* with copies or fills, and no kernel */
    double gaps;             /* with neither */
    double around;           /* the part of both before the first kernel and behind the last */
    double before;           /* the part of `gaps` before the first kernel */
    double copies, launches; /* numbers of these; fills are among the copies */
    double fills;
    bool of_node; /* the run is a GPU's of several: what lies between kernels is the host's, and not known */
};

/* A kernel's launches, or the run, as rules see them. All shares are 0 … 1. */
struct results_case {
    const struct results_reading *reading;
    const struct results_group *group;
    double cycles;             /* core cycles of its launches between their first CTAs and their ends */
    double active;             /* active cycles as a share of the time over which elapsed amounts were added up */
    double sms, ctas, threads; /* numbers of the machine; of a launch; of a CTA */
    double warps;              /* warps of a CTA, the last one filled or not */
    double room[4];            /* CTAs that an SM's warps, registers, shared memory and CTA slots hold; 0: unknown */
    double resident;           /* the least of these */
    struct results_peak peaks[RESULTS_PEAKS];
    uint32_t peak_count;
    double slots[RESULTS_CLASSES]; /* shares of issue slots, of sub-cores with a warp: by results_classes, idle is 0 */
    double busy;                   /* share of the time in which SMs had a CTA, the mean over all SMs */
    double lasting; /* the same of SMs and waves that a launch fills: the share that shrinks as CTAs do */
    bool cut;       /* the run ended before one of its launches: how its CTAs fill the SMs is not known */
    const struct results_run_time *run;
    const char *lifted; /* parts of the machine that are taken never to be full, by short names; NULL: none */
};

/* False: the database cannot be read. */
bool results_run_time(const struct results_reading *reading, struct results_run_time *time);

struct results_rule {
    const char *name;  /* a word for scripts: "coalescing" */
    const char *title; /* names the fault */
    const char *remedy;
    bool run; /* a rule about the whole run (copies, launches), not about kernels */
    /* Fills in gain and evidence, and more where it knows it. Whether the fault is there. */
    bool (*find)(const struct results_case *of, struct results_finding *finding);
    const char *lift;  /* "KEY=VALUE KEY=VALUE …" that lifts the limit; NULL: `find` states it, or no key does */
    const char *blame; /* the order of instructions, an expression of SQL over the table `instruction`; NULL: by
                        * cycles; empty: none is */
};

/* A gain's bound: mending the source gains about as much; at most, as CTAs may not be divided evenly; at least, as the
 * limit is lifted and its work is still done. */
enum results_gain_bound { RESULTS_GAIN_ABOUT, RESULTS_GAIN_MOST, RESULTS_GAIN_LEAST };

struct results_finding {
    const struct results_rule *rule;
    const struct results_group *group; /* group of kernels; NULL: the run */
    double gain;                       /* estimated share of the group's time that is saved */
    enum results_gain_bound bound;
    bool around;       /* most of what is saved lies before the first kernel or behind the last, or nobody knows whether
                        * it can be: it stands behind faults that cost a fifth of the kernels' time */
    double rank;       /* the order of findings: the greatest comes first */
    double weight;     /* the group's share of the run's time */
    double of_kernels; /* … and of the kernels' time; of the run: 1 */
    char evidence[320];
    char lift[480];  /* keys as in the rule; empty: no key of the machine lifts it */
    uint64_t sample; /* no key does, and a run that is sampled so tells the gain (pace.h); 0: neither */
    double most;     /* share of the group's time that a run without that limit may save at most; 0: all */
    double scale;    /* the time of the lifted run is multiplied by this; 0: by 1 */
    double hope;     /* share of the group's time that is saved at most where threads share out their work, too, which
                      * no run can tell; 0: threads have nothing to share */
    double measured; /* share of the group's time that the lifted run has saved; RESULTS_UNMEASURED: nothing */
    char why[160];   /* why nothing was measured, although it was tried; empty: it was not tried, or has worked */
    bool failed;     /* … as the run could not be made */
};

#define RESULTS_UNMEASURED -1e9
static inline bool results_is_measured(const struct results_finding *finding)
{
    return finding->measured > RESULTS_UNMEASURED;
}

/* Whether a second run has measured that mending it gains nothing that two decimals of a factor show, and no more is
 * hoped for: such findings stand behind all others, and are no advice. */
bool results_is_dismissed(const struct results_finding *finding);

/* Faults of one kernel whose limits are lifted together (joint.h). */
enum { RESULTS_JOINT = 4 };
struct results_joint {
    struct results_finding of[RESULTS_JOINT];
    uint32_t count;   /* 0: there are none */
    bool held;        /* the first two hold one another up: neither alone saves what it would without the other */
    double gain;      /* … and save this share of the kernel's time together, by estimate */
    double both, all; /* measured with the limits of the first two lifted, and of all; RESULTS_UNMEASURED: not */
    char why[160];    /* why nothing was measured, although it was tried */
    bool failed;      /* … as the run could not be made */
};

enum { RESULTS_FINDINGS = 12 };
struct results_findings { /* findings of a run, the best first */
    struct results_finding all[RESULTS_FINDINGS];
    uint32_t count;
    struct results_joint joint;
};
#define RESULTS_WORTH 0.05 /* gains below are not worth a word */

/* Finds what is worth a word, of the run's time or of the kernels', that with the most gain for the run first; what
 * lies around all kernels stands behind faults that cost a fifth of the kernels' time. Returns how many were found, at
 * most RESULTS_FINDINGS. */
uint32_t results_rules_find(const struct results_reading *reading, struct results_finding found[RESULTS_FINDINGS]);

/* Sorts findings in this order, by gains as measured where that was done, or else as estimated. Those that are
 * dismissed come last. */
void results_rules_sort(struct results_finding *found, uint32_t count);

/* The number of findings that are not dismissed; these come first. */
uint32_t results_rules_kept(const struct results_finding *found, uint32_t count);

/* The lines of the source, or instructions, that cause a finding: "kernel.cu:12, 31"; empty where no instructions were
 * tallied. */
void results_rules_blame(const struct results_reading *reading, const struct results_finding *finding, char *text,
                         size_t room);

/* The time that a finding's gain refers to, in seconds: of the kernels of that name in a run, without what launches
 * take, or of the run. */
double results_rules_seconds(const struct results_reading *reading, const struct results_finding *finding);

/* Whether another run launches the same kernels with as many CTAs, those that the finding is about. */
bool results_rules_same_work(const struct results_reading *reading, const struct results_reading *other,
                             const struct results_finding *finding);

/* All rules; `count` of them. */
extern const struct results_rule results_rules[];
extern const uint32_t results_rule_count;

/* ===== for rules ===== */

enum { RESULTS_CASES = 8 }; /* names of kernels that are looked at, longest first */

/* Sets what rules see of a kernel's launches, or of the run, but for its times. */
void results_case_make(struct results_case *of, const struct results_reading *reading,
                       const struct results_group *group);

double results_case_sum(const struct results_case *of, const char *statistic);
double results_case_key(const struct results_case *of, const char *key);

/* CTAs of an SM that run side by side: fewer than it has room for where the grid has no more. */
double results_case_places(const struct results_case *of);

/* Parts of the machine that each SM has for itself, as results_case_floor takes them; the others are shared by SMs. */
#define RESULTS_PARTS_OF_SM  "issue FP32 ALU FMA FP16 FP64 XU tensor LSU L1"
#define RESULTS_PARTS_SHARED "requests replies L2 DRAM"

/* How many times all these places are filled. */
double results_case_waves(const struct results_case *of);

/* The use of a part of the machine, by the short name of its peak, between the first CTA and the end. */
double results_case_use(const struct results_case *of, const char *peak);

/* The greatest use of all parts but those named, words between spaces. */
double results_case_floor(const struct results_case *of, const char *but);

/* The use of the slice of the L2 that has most to do, where one has more than the others; otherwise by atomics. */
double results_case_hot_slice(const struct results_case *of);

/* The use of what is used most: of any part of the machine, or of the busiest slice of the L2. */
double results_case_fullest(const struct results_case *of);

/* The share of the time that is saved where fences in loops no longer make the L1 forget. */
double results_case_forgotten(const struct results_case *of);

/* Whether warps often come to code that their instruction caches lack. */
bool results_case_misses_code(const struct results_case *of);

/* The share of its time for which a warp waits, neither issues nor has ended, 0 … 1. */
double results_case_waiting(const struct results_case *of);

/* The share of the issue slots of a class, by its name, of sub-cores with a warp. */
double results_case_slots(const struct results_case *of, const char *class);

/* The share of waits for memory that is for constants, 0 … 1. */
double results_case_constant_share(const struct results_case *of);

/* The share of a warp's instructions that stay where more threads do the same work together: each instruction once. */
double results_case_fixed(const struct results_case *of);

/* The gain where the use of the parts `but` falls to `rest` of what it is (0 … 1), and with it the stalls `stalled`. */
double results_case_gain(const struct results_case *of, const char *but, double stalled, double rest);

#define RESULTS_RULE(FIND, NAME, TITLE, RUN, LIFT, BLAME, REMEDY)                                                      \
    bool FIND(const struct results_case *of, struct results_finding *finding);
#include "results/rules/list.h"
#undef RESULTS_RULE

#endif
