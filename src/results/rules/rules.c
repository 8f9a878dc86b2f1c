/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases are made of sums by name of kernel; findings are sorted by what they gain of the run's time. Copies of a
 * program's input and output may be most of that, and yet its kernels are what a reader tunes: these come first. */
#include "results/rules/rules.h"

#include "base/text.h"
#include "results/figures/links.h"
#include "results/rules/lift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A fault of kernels that costs this share of their time is told before copies around all kernels. */
#define MAJOR 0.2

/* Loads by the waits for their data; stores, for which nothing waits, by their sectors. */
#define RESULTS_LOADS "(awaited * (sectors > 0) + 0.001 * sectors)"

/* Loads of constants whose lanes have addresses of their own; those into uniform registers (ULDC) have one. */
#define RESULTS_CONSTANTS "((text LIKE '%LDC%' AND text NOT LIKE '%ULDC%') OR text LIKE '%ld.const%') * "

const struct results_rule results_rules[] = {
#define RESULTS_RULE(FIND, NAME, TITLE, RUN, LIFT, BLAME, REMEDY) {NAME, TITLE, REMEDY, RUN, FIND, LIFT, BLAME},
#include "results/rules/list.h"
#undef RESULTS_RULE
#undef RESULTS_LOADS
#undef RESULTS_CONSTANTS
};
const uint32_t results_rule_count = sizeof results_rules / sizeof *results_rules;

/* ===== cases ===== */

double results_case_sum(const struct results_case *of, const char *statistic)
{
    return results_sum(of->reading, of->group, statistic);
}

double results_case_key(const struct results_case *of, const char *key)
{
    return results_key(of->reading, key);
}

/* Resources that the first launch of a group asks of an SM. */
static void read_shape(struct results_case *of)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *row =
        results_sqlite_prepare(of->reading->database,
                               "SELECT block_x * block_y * block_z, ctas_by_warps, ctas_by_registers, shared_bytes,"
                               " EXISTS (SELECT 1 FROM kernel AS other WHERE other.run = kernel.run AND other.name ="
                               " kernel.name AND partial) FROM kernel WHERE run = ? AND id = ?",
                               &ignored);
    if (!row)
        return;
    sqlite3_bind_int64(row, 1, of->reading->run);
    sqlite3_bind_int64(row, 2, (sqlite3_int64)of->group->first);
    if (sqlite3_step(row) == SQLITE_ROW) {
        of->threads = sqlite3_column_double(row, 0);
        for (int i = 0; i < 2; i++)
            of->room[i] = sqlite3_column_double(row, 1 + i);
        /* Share of all that shared memory can have, whichever part of it the L1 has been given. */
        double taken = sqlite3_column_double(row, 3) + results_case_key(of, "sm.shared.reserved");
        of->room[2] = taken > 0 ? floor(results_case_key(of, "sm.shared.max") / taken) : of->room[0];
        of->room[3] = results_case_key(of, "sm.ctas");
        of->cut = sqlite3_column_int(row, 4);
    }
    sqlite3_finalize(row);
    of->warps = ceil(of->threads / 32);
    of->resident = of->room[0];
    for (int i = 1; i < 4; i++)
        of->resident = fmin(of->resident, of->room[i]);
}

/* Shares of issue slots of sub-cores with a warp. */
static void read_slots(struct results_case *of)
{
    double all = 0;
    for (int i = 0; i < RESULTS_CLASSES - 1; i++)
        all += results_case_sum(of, results_classes[i].statistic);
    for (int i = 0; i < RESULTS_CLASSES - 1; i++)
        of->slots[i] = all > 0 ? results_case_sum(of, results_classes[i].statistic) / all : 0;
}

double results_case_places(const struct results_case *of)
{
    return of->ctas < of->sms * of->resident ? 1 : of->resident;
}

double results_case_waves(const struct results_case *of)
{
    return of->resident > 0 ? of->ctas / (of->sms * results_case_places(of)) : 0;
}

/* The share of the SMs' places for CTAs that a launch fills, until the last of its waves ends. */
static double filled_places(const struct results_case *of)
{
    double waves = results_case_waves(of);
    return waves > 1 ? waves / ceil(waves) : fmin(of->ctas / of->sms, 1);
}

void results_case_make(struct results_case *of, const struct results_reading *reading,
                       const struct results_group *group)
{
    *of = (struct results_case){.reading = reading, .group = group};
    double all = results_case_sum(of, "gpu_sim_cycle"), launches = (double)(group->kernels ? group->kernels : 1);
    of->cycles = fmax(all - results_case_sum(of, "kernel_launch_cycle"), 1);
    of->active = all > 0 ? of->cycles / all : 1;
    of->sms = fmax(results_case_key(of, "sm.count"), 1);
    of->ctas = results_case_sum(of, "gpu_ctas") / launches;
    of->peak_count = results_peaks(reading, group, of->peaks);
    double elapsed = results_case_sum(of, "sm_cycles") * of->active;
    of->busy = elapsed > 0 ? fmin(results_case_sum(of, "sm_active_cycles") / elapsed, 1) : 1;
    read_shape(of);
    of->lasting = fmin(of->busy / filled_places(of), 1);
    read_slots(of);
}

double results_case_use(const struct results_case *of, const char *peak)
{
    const struct results_peak *found = results_peak_find(of->peaks, of->peak_count, peak);
    return found ? fmin(results_peak_share(found) / of->active, 1) : 0;
}

/* Whether a word is one of several between spaces. */
static bool is_among(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

/* The use of a part that holds work up when it is full. Where the integer pipe takes single precision, too, the pipe of
 * multiplications alone is full only with products of integers; otherwise both are. */
static double holding(const struct results_case *of, const char *part)
{
    double use = results_case_use(of, part), lanes = results_case_key(of, "sm.imad.lanes");
    if (strcmp(part, "FMA") != 0 || results_case_key(of, "sm.fp32.on_int") <= 0)
        return use;
    double products = results_case_sum(of, "instructions_imad") * 32 / fmax(lanes, 1);
    double own = products / fmax(results_case_sum(of, "pipe_cycles_fp32"), 1);
    return fmax(use * fmin(own, 1), (use + results_case_use(of, "ALU")) / 2);
}

double results_case_floor(const struct results_case *of, const char *but)
{
    double most = 0;
    for (uint32_t i = 0; i < of->peak_count; i++)
        if (!is_among(but, of->peaks[i].short_name) && !(of->lifted && is_among(of->lifted, of->peaks[i].short_name)))
            most = fmax(most, holding(of, of->peaks[i].short_name));
    return most;
}

double results_case_slots(const struct results_case *of, const char *class)
{
    for (int i = 0; i < RESULTS_CLASSES; i++)
        if (strcmp(results_classes[i].name, class) == 0)
            return of->slots[i];
    return 0;
}

double results_case_waiting(const struct results_case *of)
{
    double warps = results_case_sum(of, "resident_warp_cycles");
    return fmax(1 - results_case_sum(of, "gpgpu_n_tot_w_icount") / fmax(warps, 1), 0);
}

double results_case_fixed(const struct results_case *of)
{
    enum { SHORT = 40 }; /* instructions of a kernel without loops; pieces of unrolled ones can be shared out */
    struct mnp_error ignored = {0};
    double warps = of->ctas * of->warps * (double)of->group->kernels;
    double each = results_case_sum(of, "gpgpu_n_tot_w_icount") / fmax(warps, 1), once = 0;
    sqlite3_stmt *row = results_sqlite_prepare(
        of->reading->database, "SELECT count(*) FROM instruction WHERE run = ? AND kernel = ? AND issues > 0",
        &ignored);
    if (row) {
        sqlite3_bind_int64(row, 1, of->reading->run);
        sqlite3_bind_text(row, 2, of->group->name, -1, SQLITE_STATIC);
        once = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_double(row, 0) : 0;
    }
    sqlite3_finalize(row);
    return fmin((once > 0 ? fmin(once, SHORT) : SHORT) / fmax(each, 1), 1);
}

double results_case_gain(const struct results_case *of, const char *but, double stalled, double rest)
{
    double left = 0; /* the use of what becomes less */
    for (uint32_t i = 0; i < of->peak_count; i++)
        if (is_among(but, of->peaks[i].short_name))
            left = fmax(left, rest * results_case_use(of, of->peaks[i].short_name));
    left = fmax(left, results_case_floor(of, but));
    if (of->ctas >= of->sms) /* while SMs have CTAs: the tail, in which nothing is used, becomes shorter as they do */
        left = fmin(left / fmax(of->busy, 0.01), 1);
    return fmax(fmin(stalled * (1 - rest) * of->lasting, 1 - left), 0);
}

/* ===== findings ===== */

/* The share of its group's time that is saved: as measured, where it was, or as is hoped for. */
static double saved(const struct results_finding *finding)
{
    return fmax(results_is_measured(finding) ? finding->measured : finding->gain, finding->hope);
}

bool results_is_dismissed(const struct results_finding *finding)
{
    return results_is_measured(finding) && 1 - fmin(saved(finding), 0.999) > 1 / 1.005;
}

uint32_t results_rules_kept(const struct results_finding *found, uint32_t count)
{
    while (count && results_is_dismissed(&found[count - 1]))
        count--;
    return count;
}

static int by_rank(const void *a, const void *b)
{
    const struct results_finding *left = a, *right = b;
    bool out = results_is_dismissed(left);
    if (out != results_is_dismissed(right))
        return out ? 1 : -1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? 1 : -1;
    return (left->rule > right->rule) - (left->rule < right->rule);
}

void results_rules_sort(struct results_finding *found, uint32_t count)
{
    double least = INFINITY; /* the least share of the run's time of a major fault */
    for (uint32_t i = 0; i < count; i++) {
        found[i].rank = found[i].weight * saved(&found[i]);
        if (found[i].group && found[i].of_kernels * saved(&found[i]) >= MAJOR)
            least = fmin(least, found[i].rank);
    }
    for (uint32_t i = 0; i < count; i++)
        if (found[i].around)
            found[i].rank = fmin(found[i].rank, 0.999 * least);
    if (count)
        qsort(found, count, sizeof *found, by_rank);
}

/* Keeps the best RESULTS_FINDINGS, sorted. */
static uint32_t keep(struct results_finding *found, uint32_t count, const struct results_finding *one)
{
    if (saved(one) * one->of_kernels < RESULTS_WORTH)
        return count;
    if (count < RESULTS_FINDINGS)
        found[count++] = *one;
    else if (one->weight * saved(one) > found[count - 1].rank)
        found[count - 1] = *one;
    results_rules_sort(found, count);
    return count;
}

bool results_run_time(const struct results_reading *reading, struct results_run_time *time)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *rows = results_sqlite_prepare(
        reading->database,
        "SELECT kind = 'kernel', start, \"end\", kind = 'fill' FROM span WHERE run = ? AND kind IN ('kernel',"
        " 'copy', 'fill') ORDER BY start, \"end\"",
        &ignored);
    double first = -1, any = 0, kernel = 0, with_any = 0, with_kernel = 0, launched = -1;
    int status = SQLITE_ERROR;
    *time = (struct results_run_time){0};
    if (!rows)
        return false;
    sqlite3_bind_int64(rows, 1, reading->run);
    while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
        bool launch = sqlite3_column_int(rows, 0);
        double start = sqlite3_column_double(rows, 1), end = sqlite3_column_double(rows, 2);
        first = first < 0 ? start : first;
        if (launch && launched < 0) {
            launched = start;
            time->before = 1e-15 * fmax(start - first - with_any, 0);
        }
        with_any += fmax(end - fmax(start, any), 0);
        any = fmax(any, end);
        with_kernel += launch ? fmax(end - fmax(start, kernel), 0) : 0;
        kernel = launch ? fmax(kernel, end) : kernel;
        *(launch ? &time->launches : &time->copies) += 1;
        time->fills += sqlite3_column_int(rows, 3);
    }
    sqlite3_finalize(rows);
    time->all = 1e-15 * (any - fmax(first, 0));
    time->copied = 1e-15 * (with_any - with_kernel);
    time->of_node = results_has_links(reading) && time->copies < 1;
    if (time->of_node) /* from the first call on: copies are the host's, and stand in no GPU's results */
        time->all = fmax(time->all, results_report_seconds(reading, results_report_cycles(reading, &reading->total)));
    time->gaps = time->all - 1e-15 * with_any;
    time->around = 1e-15 * (launched < 0 ? any - fmax(first, 0) : launched - first + any - kernel);
    return status == SQLITE_DONE;
}

static uint32_t look(const struct results_case *of, bool run, double weight, double of_kernels,
                     struct results_finding *found, uint32_t count)
{
    for (uint32_t i = 0; i < results_rule_count; i++) {
        const struct results_rule *rule = &results_rules[i];
        struct results_finding one = {.rule = rule,
                                      .group = run ? NULL : of->group,
                                      .weight = weight,
                                      .of_kernels = of_kernels,
                                      .scale = 1,
                                      .measured = RESULTS_UNMEASURED};
        if (rule->run != run || !rule->find(of, &one))
            continue;
        if (rule->lift && !one.lift[0])
            snprintf(one.lift, sizeof one.lift, "%s", rule->lift);
        results_lift_reduce(of->reading, one.lift);
        one.gain = fmin(fmax(one.gain, 0), 0.999);
        one.hope = fmin(fmax(one.hope, 0), 0.999);
        count = keep(found, count, &one);
    }
    return count;
}

uint32_t results_rules_find(const struct results_reading *reading, struct results_finding found[RESULTS_FINDINGS])
{
    struct results_case of;
    uint32_t count = 0;
    if (!results_counts(reading, "issue_slots") || !reading->group_count)
        return 0;
    struct results_run_time time;
    if (!results_run_time(reading, &time))
        return 0;
    double sum = 0, kernels = time.all - time.copied - time.gaps;
    for (uint32_t i = 0; i < reading->group_count; i++)
        sum += results_report_seconds(reading, results_sum(reading, &reading->groups[i], "gpu_sim_cycle"));
    results_case_make(&of, reading, &reading->total);
    of.run = &time;
    count = look(&of, true, 1, 1, found, count);
    for (uint32_t i = 0; i < reading->group_count && i < RESULTS_CASES && sum > 0; i++) {
        results_case_make(&of, reading, &reading->groups[i]);
        of.run = &time;
        /* Kernels that overlap have, together, no more than the time in which one was there. */
        double seconds = results_report_seconds(reading, of.cycles), share = seconds * kernels / sum;
        count = look(&of, false, time.all > 0 ? fmin(share / time.all, 1) : 1, seconds / sum, found, count);
    }
    return count;
}

static const struct results_group *group_named(const struct results_reading *reading, const char *name)
{
    for (uint32_t i = 0; i < reading->group_count; i++)
        if (strcmp(reading->groups[i].name, name) == 0)
            return &reading->groups[i];
    return NULL;
}

double results_rules_seconds(const struct results_reading *reading, const struct results_finding *finding)
{
    if (!finding->group) {
        struct results_run_time time;
        return results_run_time(reading, &time) ? time.all : 0;
    }
    const struct results_group *group = group_named(reading, finding->group->name);
    return group ? results_report_seconds(reading, results_sum(reading, group, "gpu_sim_cycle") -
                                                       results_sum(reading, group, "kernel_launch_cycle"))
                 : 0;
}

bool results_rules_same_work(const struct results_reading *reading, const struct results_reading *other,
                             const struct results_finding *finding)
{
    if (!finding->group)
        return true;
    const struct results_group *theirs = group_named(other, finding->group->name);
    return theirs && theirs->kernels == finding->group->kernels &&
           results_sum(other, theirs, "gpu_ctas") == results_sum(reading, finding->group, "gpu_ctas");
}

/* ===== lines ===== */

void results_rules_blame(const struct results_reading *reading, const struct results_finding *finding, char *text,
                         size_t room)
{
    struct mnp_error ignored = {0};
    char sql[600];
    size_t length = 0;
    text[0] = 0;
    if (!finding->group || (finding->rule->blame && !finding->rule->blame[0]))
        return;
    const char *by =
        finding->rule->blame ? finding->rule->blame : "issues + ready + result + memory + barrier + fence + fetch";
    snprintf(sql, sizeof sql,
             "SELECT source, sum(%s) AS cost, sum(sum(%s)) OVER () FROM instruction WHERE run = ? AND kernel = ?"
             " AND source IS NOT NULL GROUP BY source ORDER BY cost DESC, source LIMIT 3",
             by, by);
    sqlite3_stmt *rows = results_sqlite_prepare(reading->database, sql, &ignored);
    if (!rows)
        return;
    sqlite3_bind_int64(rows, 1, reading->run);
    sqlite3_bind_text(rows, 2, finding->group->name, -1, SQLITE_STATIC);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        double share = sqlite3_column_double(rows, 1) / fmax(sqlite3_column_double(rows, 2), 1e-9);
        const char *source = (const char *)sqlite3_column_text(rows, 0), *slash = strrchr(source, '/');
        char place[81]; /* a database may be somebody else's, and its texts steer terminals */
        if (share < 0.1 || length + 100 > room)
            break;
        length += (size_t)snprintf(text + length, room - length, "%s%s (%.0f %%)", length ? ", " : "",
                                   mnp_escape(place, sizeof place, slash ? slash + 1 : source), 100 * share);
    }
    sqlite3_finalize(rows);
}
