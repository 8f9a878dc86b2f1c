/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches of equal name, grid and block are a group, to begin with. Two ways to go on:
 *
 * STEM+ROOT (MICRO 2025, doi 10.1145/3725843.3757107): of a group with mean m and deviation s, (1.96 s / (e m))^2
 * launches, drawn at random, give the mean to within e in 95 of 100 cases. A group is cut in two, by the amount of
 * work, if the two together then need less to be simulated. What is ours: a group's first launch, which finds caches
 * without its data, stands for itself alone; and the number drawn has a lower bound, for launches of equal work need
 * not take equal time.
 *
 * Sieve (ISPASS 2023): a group whose work deviates by less than 0.4 of its mean is one stratum, for which its first
 * launch stands; others are cut, here in two where the squares of the deviations become least, until that is so.
 */
#include "cli/plan/groups.h"

#include "base/arena.h"
#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 12 };

struct maker {
    const struct plan_order *order;
    struct mnp_plan *plan;
    uint64_t random;
};

struct moments {
    double mean, deviation; /* both are of the whole population */
};

static struct moments moments_of(const struct plan_launch *launches, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += launches[i].amount;
    double mean = sum / count;
    for (uint32_t i = 0; i < count; i++)
        squares += (launches[i].amount - mean) * (launches[i].amount - mean);
    return (struct moments){mean, __builtin_sqrt(squares / count)};
}

static double spread_of(struct moments moments)
{
    return moments.mean > 0 ? moments.deviation / moments.mean : 0;
}

/* ===== drawing ===== */

static uint64_t next_random(uint64_t *state)
{
    return mnp_mix(*state += MNP_MIX_STEP);
}

static void add_group(struct maker *maker, const struct plan_launch *launches, uint32_t count, uint32_t chosen)
{
    struct mnp_plan *plan = maker->plan;
    double spread = spread_of(moments_of(launches, count)) * 1e6;
    plan->groups = mnp_reallocate(plan->groups, plan->group_count + 1, sizeof *plan->groups);
    struct mnp_plan_group *group = &plan->groups[plan->group_count];
    *group = (struct mnp_plan_group){
        .launches = count, .chosen = chosen, .spread = (uint32_t)spread, .name = strdup(launches->name)};
    memcpy(group->grid, launches->grid, sizeof group->grid);
    memcpy(group->block, launches->block, sizeof group->block);
    plan->chosen = mnp_reallocate(plan->chosen, plan->chosen_count + chosen, sizeof *plan->chosen);
    /* `left` of the remaining launches are still to be taken: each equally likely. The first one for Sieve. */
    for (uint32_t i = 0, left = chosen; left; i++) {
        bool taken = maker->order->sieve || next_random(&maker->random) % (count - i) < left;
        if (taken) {
            plan->chosen[plan->chosen_count++] = (struct mnp_plan_launch){launches[i].number, plan->group_count};
            left--;
        }
    }
    plan->group_count++;
}

/* ===== cutting ===== */

static int by_amount(const void *a, const void *b)
{
    const struct plan_launch *left = a, *right = b;
    if (left->amount != right->amount)
        return left->amount < right->amount ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

static int by_number(const void *a, const void *b)
{
    const struct plan_launch *left = a, *right = b;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Place at which launches in the order of their amounts are best cut in two: 2-means on a line. 0: all are equal. */
static uint32_t cut_of(const struct plan_launch *launches, uint32_t count)
{
    double all = 0, left = 0, best = 0;
    uint32_t cut = 0;
    for (uint32_t i = 0; i < count; i++)
        all += launches[i].amount;
    for (uint32_t i = 1; i < count; i++) {
        left += launches[i - 1].amount;
        double right = all - left; /* least squares within the parts: most of this */
        double between = left * left / i + right * right / (count - i);
        if (launches[i].amount > launches[i - 1].amount && between > best) {
            best = between;
            cut = i;
        }
    }
    return cut;
}

static uint32_t bounded(double wanted, uint32_t count)
{
    return wanted >= count ? count : wanted < 1 ? 1 : (uint32_t)(wanted + 0.999999);
}

/* Work of a group that is to be simulated: launches times their mean amount. */
static double cost_of(const struct maker *maker, struct moments m, uint32_t count)
{
    double c = 1.96 / maker->order->error, s = spread_of(m);
    return bounded(c * s * c * s, count) * m.mean;
}

/* The same of two groups, which share the error (STEM's allocation). */
static double cost_of_two(const struct maker *maker, const struct moments m[2], const uint32_t count[2])
{
    double c = 1.96 / maker->order->error, weighted = 0, total = 0, cost = 0;
    for (int i = 0; i < 2; i++) {
        weighted += count[i] * m[i].deviation * __builtin_sqrt(m[i].mean);
        total += count[i] * m[i].mean;
    }
    for (int i = 0; i < 2; i++) {
        double root = __builtin_sqrt(m[i].mean);
        double wanted = root > 0 ? weighted / (total / c * (total / c)) * count[i] * m[i].deviation / root : 0;
        cost += bounded(wanted, count[i]) * m[i].mean;
    }
    return cost;
}

static bool is_worth_cutting(const struct maker *maker, const struct plan_launch *launches, uint32_t count,
                             uint32_t cut)
{
    const uint32_t counts[2] = {cut, count - cut};
    const struct moments whole = moments_of(launches, count),
                         halves[2] = {moments_of(launches, cut), moments_of(launches + cut, count - cut)};
    if (maker->order->sieve)
        return spread_of(whole) >= 0.4;
    return counts[0] >= 2 && counts[1] >= 2 && cost_of_two(maker, halves, counts) < cost_of(maker, whole, count);
}

/* Launches in the order of their amounts. */
static void cut_up(struct maker *maker, struct plan_launch *launches, uint32_t count, uint32_t cuts)
{
    uint32_t cut = cuts < MOST_CUTS ? cut_of(launches, count) : 0;
    if (cut && is_worth_cutting(maker, launches, count, cut)) {
        cut_up(maker, launches, cut, cuts + 1);
        cut_up(maker, launches + cut, count - cut, cuts + 1);
        return;
    }
    struct moments moments = moments_of(launches, count);
    double c = 1.96 / maker->order->error, wanted = c * spread_of(moments) * c * spread_of(moments);
    uint32_t chosen = maker->order->sieve ? 1 : bounded(wanted, count);
    if (!maker->order->sieve && chosen < maker->order->least)
        chosen = maker->order->least < count ? maker->order->least : count;
    qsort(launches, count, sizeof *launches, by_number);
    add_group(maker, launches, count, chosen);
}

/* ===== launches that are alike ===== */

static int by_shape(const struct plan_launch *left, const struct plan_launch *right)
{
    int order = strcmp(left->name, right->name);
    for (int i = 0; !order && i < 3; i++)
        order = left->grid[i] < right->grid[i] ? -1 : left->grid[i] > right->grid[i];
    for (int i = 0; !order && i < 3; i++)
        order = left->block[i] < right->block[i] ? -1 : left->block[i] > right->block[i];
    return order;
}

static int by_shape_and_number(const void *a, const void *b)
{
    int order = by_shape(a, b);
    return order ? order : by_number(a, b);
}

static void group_alike(struct maker *maker, struct plan_launch *launches, uint32_t count)
{
    if (!maker->order->sieve && count > maker->order->least) {
        add_group(maker, launches, 1, 1);
        launches++;
        count--;
    }
    qsort(launches, count, sizeof *launches, by_amount);
    cut_up(maker, launches, count, 0);
}

struct mnp_plan *cli_plan_make(struct plan_launch *launches, uint32_t count, const struct plan_order *order)
{
    struct maker maker = {.order = order, .plan = mnp_allocate(1, sizeof *maker.plan), .random = order->seed};
    maker.plan->launches = count;
    qsort(launches, count, sizeof *launches, by_shape_and_number);
    for (uint32_t first = 0, next; first < count; first = next) {
        next = first + 1;
        while (next < count && by_shape(&launches[first], &launches[next]) == 0)
            next++;
        group_alike(&maker, launches + first, next - first);
    }
    return maker.plan;
}
