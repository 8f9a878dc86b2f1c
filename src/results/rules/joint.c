/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/rules/joint.h"

#include "base/text.h"
#include "results/rules/lift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAJOR 0.2 /* share of the kernels' time that each of two faults is worth if the other is mended */
#define HELD  0.1 /* … and by which it is worth more so than alone */

/* Parts of the machine that have less to do without a fault, by short names of peaks. */
static const char *const relieved[][2] = {
    {"banks", "L1 LSU"},
    {"shared-atomics", "L1 LSU"},
    {"coalescing", "L1 LSU requests replies L2 DRAM"},
    {"local-memory", "L1 LSU requests replies L2 DRAM"},
    {"l1-bypass", "requests replies L2"},
    {"l1-capacity", "requests replies L2"},
    {"l2-capacity", "DRAM"},
    {"double", "FP64"},
    {"special-functions", "XU"},
    {"conversions", "XU"},
    {"divergence", "issue FP32 ALU FMA FP16"},
    {"integer-division", "issue ALU FMA XU"},
    {"atomics", "L2 requests"},
};

static const char *parts_of(const struct results_rule *rule)
{
    for (size_t i = 0; i < sizeof relieved / sizeof *relieved; i++)
        if (strcmp(rule->name, relieved[i][0]) == 0)
            return relieved[i][1];
    return NULL;
}

/* ===== keys ===== */

/* The value of a key among "KEY=VALUE KEY=VALUE …"; NULL: it is not there. `length`: of the key with its sign. */
static const char *value_of(const char *lift, const char *key, size_t length)
{
    for (const char *at = lift; (at = strstr(at, key)); at += length)
        if ((at == lift || at[-1] == ' ') && strncmp(at, key, length) == 0)
            return at + length;
    return NULL;
}

/* Adds the keys of a lift to others. False: one has another value there. */
static bool add_keys(char *lift, size_t room, const char *more)
{
    char *copy = strdup(more), *rest = copy;
    bool done = true;
    for (char *word; done && (word = strsep(&rest, " "));) {
        char *equals = strchr(word, '=');
        if (!equals)
            continue;
        size_t length = (size_t)(equals + 1 - word), end = strlen(lift);
        char key[80];
        snprintf(key, sizeof key, "%.*s", (int)length, word);
        const char *value = value_of(lift, key, length);
        if (value)
            done = strcspn(value, " ") == strlen(equals + 1) && mnp_begins(value, equals + 1);
        else
            done = (size_t)snprintf(lift + end, room - end, "%s%s", end ? " " : "", word) < room - end;
    }
    free(copy);
    return done;
}

bool results_joint_lift(const struct results_joint *joint, uint32_t count, struct results_finding *both)
{
    *both = joint->of[0];
    both->lift[0] = both->why[0] = 0;
    both->most = both->hope = 0;
    both->failed = false;
    both->scale = 1;
    both->measured = RESULTS_UNMEASURED;
    bool done = count > 0;
    for (uint32_t i = 0; done && i < count; i++)
        done = add_keys(both->lift, sizeof both->lift, joint->of[i].lift);
    return done;
}

/* ===== faults that hold one another up ===== */

/* A fault of a kernel that keys lift, as if the parts `lifted` of the machine were never full. */
static bool look(struct results_case *of, const struct results_rule *rule, const char *lifted,
                 struct results_finding *finding)
{
    of->lifted = lifted;
    *finding = (struct results_finding){
        .rule = rule, .group = of->group, .scale = 1, .measured = RESULTS_UNMEASURED, .weight = 1, .of_kernels = 1};
    bool found = !rule->run && rule->find(of, finding);
    of->lifted = NULL;
    if (found && rule->lift && !finding->lift[0])
        snprintf(finding->lift, sizeof finding->lift, "%s", rule->lift);
    results_lift_reduce(of->reading, finding->lift);
    finding->gain = fmin(fmax(finding->gain, 0), 0.999);
    return found && finding->lift[0] && finding->scale == 1;
}

/* Whether two faults of a kernel hold one another up. */
static bool hold(struct results_case *of, const struct results_finding *a, const struct results_finding *b,
                 struct results_joint *joint)
{
    struct results_finding freed[2], both;
    if (!look(of, a->rule, parts_of(b->rule), &freed[0]) || !look(of, b->rule, parts_of(a->rule), &freed[1]))
        return false;
    double least = fmin(freed[0].gain, freed[1].gain);
    if (least < MAJOR || fmin(freed[0].gain - a->gain, freed[1].gain - b->gain) < HELD)
        return false;
    *joint = (struct results_joint){
        .of = {*a, *b}, .count = 2, .held = true, .gain = least, .both = RESULTS_UNMEASURED, .all = RESULTS_UNMEASURED};
    return results_joint_lift(joint, 2, &both);
}

static void look_at(struct results_case *of, double share, double *best, struct results_joint *joint)
{
    enum { MOST = 16 };
    struct results_finding some[MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < results_rule_count && count < MOST; i++)
        if (parts_of(&results_rules[i]) && look(of, &results_rules[i], NULL, &some[count]))
            count++;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            struct results_joint one;
            if (hold(of, &some[i], &some[k], &one) && one.gain * share > *best) {
                *best = one.gain * share;
                *joint = one;
            }
        }
}

void results_joint_find(const struct results_reading *reading, struct results_joint *joint)
{
    struct results_case of;
    struct results_run_time time;
    double sum = 0, best = MAJOR;
    *joint = (struct results_joint){.count = 0};
    if (!results_counts(reading, "issue_slots") || !results_run_time(reading, &time))
        return;
    for (uint32_t i = 0; i < reading->group_count; i++)
        sum += results_sum(reading, &reading->groups[i], "gpu_sim_cycle");
    for (uint32_t i = 0; i < reading->group_count && i < RESULTS_CASES && sum > 0; i++) {
        results_case_make(&of, reading, &reading->groups[i]);
        of.run = &time;
        look_at(&of, of.cycles / sum, &best, joint);
    }
}

/* ===== leading findings ===== */

void results_joint_leading(const struct results_finding *found, uint32_t count, struct results_joint *joint)
{
    const struct results_group *group = NULL;
    if (joint->count)
        return;
    *joint = (struct results_joint){.both = RESULTS_UNMEASURED, .all = RESULTS_UNMEASURED};
    for (uint32_t i = 0; i < count && joint->count < RESULTS_JOINT; i++) {
        const struct results_finding *one = &found[i];
        struct results_finding both;
        if (!one->group || !one->lift[0] || one->scale != 1 || !results_is_measured(one) ||
            (group && group != one->group))
            continue;
        group = one->group;
        joint->of[joint->count++] = *one;
        if (!results_joint_lift(joint, joint->count, &both))
            joint->count--;
    }
    if (joint->count < 2)
        joint->count = 0;
}
