/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about the run: what a program does beside its kernels; and about how many CTAs a kernel has. */
#include "results/rules/pace.h"
#include "results/rules/rules.h"

#include <math.h>

#define EVIDENCE(...) snprintf(finding->evidence, sizeof finding->evidence, __VA_ARGS__)

/* Whether most of the time with no kernel lies before the first and behind the last. */
static bool lies_around(const struct results_run_time *time)
{
    return time->around > 0.5 * (time->copied + time->gaps);
}

/* Whether copies or calls are a fault: around all kernels they are a program's input and output, and are none unless no
 * kernel is there for half of the time. */
static bool judge_around(const struct results_run_time *time, struct results_finding *finding)
{
    finding->around = lies_around(time);
    return !finding->around || time->copied + time->gaps >= 0.5 * time->all;
}

/* "1 copy and 2 fills", "3 copies", "1 fill". */
static void name_copies(const struct results_run_time *time, char *text, size_t room)
{
    double copies = time->copies - time->fills;
    int length = copies > 0 ? snprintf(text, room, "%.0f cop%s", copies, copies == 1 ? "y" : "ies") : 0;
    if (time->fills > 0)
        snprintf(text + length, room - (size_t)length, "%s%.0f fill%s", length ? " and " : "", time->fills,
                 time->fills == 1 ? "" : "s");
}

bool results_rule_copies(const struct results_case *of, struct results_finding *finding)
{
    const struct results_run_time *time = of->run;
    double calls = time->gaps * time->copies / fmax(time->copies + time->launches, 1); /* calls that copy */
    finding->gain = time->all > 0 ? (time->copied + calls) / time->all : 0;
    bool fault = judge_around(time, finding);
    char by_calls[48] = "", names[64] = "";
    name_copies(time, names, sizeof names);
    if (finding->gain > 0.01 && calls > 0.01 * time->all)
        snprintf(by_calls, sizeof by_calls, ", and their calls %.1f %%", 100 * calls / time->all);
    bool one = time->copies == 1;
    EVIDENCE("%s, %.2f us%s, take%s %.1f %% of the time from the first of them or of the kernels to the end, with no "
             "kernel beside them%s%s",
             names, 1e6 * time->copied / fmax(time->copies, 1), one ? "" : " each", one ? "s" : "",
             time->all > 0 ? 100 * time->copied / time->all : 0, by_calls,
             finding->around ? "; most of it before the first kernel and behind the last" : "");
    return time->copied > 0 && fault;
}

/* The share of the run's time that launches and the gaps between them would not take as kernels of one CUDA graph, by
 * the machine's keys: behind another of its graph a kernel waits for launch.graph, not launch.kernel and launch.gap. */
static double saved_by_graph(const struct results_case *of, double launch, double gaps)
{
    const struct results_run_time *time = of->run;
    double clock = results_case_key(of, "latency.clock.core"), graph = results_case_key(of, "launch.graph");
    double core = results_case_key(of, "clock.core"), cycles = graph * (clock > 0 ? core / clock : 1);
    double least = (time->launches - 1) * results_report_seconds(of->reading, cycles);
    return graph > 0 && time->all > 0 ? fmax(launch + gaps - least / time->all, 0) : 0;
}

/* Fewer launches are what is measured; the saving of a graph is the machine's own statement. */
bool results_rule_launches(const struct results_case *of, struct results_finding *finding)
{
    const struct results_run_time *time = of->run;
    double sum = 0, launch = 0, kernels = time->all - time->copied - time->gaps;
    char graph[80] = "the machine has no launch.graph, and CUDA graphs gain nothing on it";
    for (uint32_t i = 0; i < of->reading->group_count; i++) {
        sum += results_sum(of->reading, &of->reading->groups[i], "gpu_sim_cycle");
        launch += results_sum(of->reading, &of->reading->groups[i], "kernel_launch_cycle");
    }
    double share = sum > 0 && time->all > 0 ? launch / sum * kernels / time->all : 0;
    double gaps = time->copies > 1 || time->of_node || time->all <= 0 ? 0 : time->gaps / time->all;
    double before = gaps > 0 ? fmin(time->before / time->all, gaps) : 0,
           saved = saved_by_graph(of, share, gaps - before);
    finding->gain = share + gaps;
    if (results_case_key(of, "launch.graph") > 0)
        snprintf(graph, sizeof graph, "a CUDA graph that is there already saves at most x%.2f",
                 1 / (1 - fmin(saved, 0.999)));
    EVIDENCE(
        "of the time of %.0f launches, %.1f %% passes between their requests and their first CTAs, %.1f %% between "
        "kernels, %.1f %% before them with nothing; a kernel takes %.2f us; %s",
        time->launches, 100 * share, 100 * (gaps - before), 100 * before,
        1e6 * results_report_seconds(of->reading, (sum - launch) / fmax(time->launches, 1)), graph);
    return time->launches > 1;
}

/* Seconds of launches that leave SMs without a CTA, of one stream and one after another, and the least that they could
 * take side by side. */
static bool read_small(const struct results_case *of, double *taken, double *least, double *count)
{
    struct mnp_error ignored = {0};
    double streams = 0, overlaps = 0, longest = 0, sum = 0;
    sqlite3_stmt *row = results_sqlite_prepare(
        of->reading->database,
        "WITH small AS (SELECT kernel.stream AS stream, start, \"end\", \"end\" - start AS took,"
        " 1.0 * grid_x * grid_y * grid_z / ?2 AS filled, lag(\"end\") OVER (ORDER BY start) AS before"
        " FROM span JOIN kernel ON kernel.run = span.run AND kernel.id = span.kernel"
        " WHERE span.run = ?1 AND span.kind = 'kernel' AND grid_x * grid_y * grid_z < ?2)"
        " SELECT count(*), count(DISTINCT stream), sum(before > start), 1e-15 * sum(took), 1e-15 * max(took),"
        " 1e-15 * sum(took * filled) FROM small",
        &ignored);
    if (!row)
        return false;
    sqlite3_bind_int64(row, 1, of->reading->run);
    sqlite3_bind_double(row, 2, of->sms);
    if (sqlite3_step(row) == SQLITE_ROW) {
        *count = sqlite3_column_double(row, 0);
        streams = sqlite3_column_double(row, 1);
        overlaps = sqlite3_column_double(row, 2);
        *taken = sqlite3_column_double(row, 3);
        longest = sqlite3_column_double(row, 4);
        sum = sqlite3_column_double(row, 5);
    }
    sqlite3_finalize(row);
    *least = fmax(longest, sum);
    return *count > 1 && streams == 1 && overlaps == 0;
}

bool results_rule_one_stream(const struct results_case *of, struct results_finding *finding)
{
    double taken = 0, least = 0, count = 0;
    if (!read_small(of, &taken, &least, &count) || of->run->all <= 0)
        return false;
    finding->gain = (taken - least) / of->run->all;
    finding->bound = RESULTS_GAIN_MOST; /* some may need what others have made */
    finding->around = true;
    EVIDENCE("%.0f launches of one stream, one after another, have fewer CTAs than the %.0f SMs; they take %.1f %% of "
             "the time, and side by side, where none needs another's results, %.1f %% at least",
             count, of->sms, 100 * taken / of->run->all, 100 * least / of->run->all);
    return true;
}

bool results_rule_calls(const struct results_case *of, struct results_finding *finding)
{
    const struct results_run_time *time = of->run;
    finding->gain = time->all > 0 ? time->gaps / time->all : 0;
    bool fault = judge_around(time, finding);
    EVIDENCE("in %.1f %% of the time there was neither a kernel nor a copy: calls of the host", 100 * finding->gain);
    return time->copies > 1 && fault;
}

/* ===== CTAs ===== */

/* Work of the same kind on `sms` SMs instead: their number is what a second run sets, and its time is scaled. */
static void set_sms(const struct results_case *of, double sms, struct results_finding *finding)
{
    snprintf(finding->lift, sizeof finding->lift, "sm.count=%.0f gpc.count=%.0f", sms,
             fmin(sms, results_case_key(of, "gpc.count")));
    finding->scale = sms / of->sms;
}

/* SMs as wide as several: what their warps take from one another they do not, as on as many SMs. */
static void set_width(const struct results_case *of, double times, struct results_finding *finding)
{
    enum { SUBCORES = 8 }; /* the most that an SM may have */
    double old = results_case_key(of, "sm.subcores"), wide = floor(fmin(old * times, SUBCORES));
    double by = old > 0 ? wide / old : 1, interval = results_case_key(of, "sm.memory.interval");
    if (by <= 1)
        return;
    snprintf(finding->lift, sizeof finding->lift, "sm.subcores=%.0f sm.memory.interval=%.0f sm.l1d.tags=%.0f", wide,
             fmax(floor(interval / by), 1), fmin(ceil(results_case_key(of, "sm.l1d.tags") * by), 16));
    finding->bound = wide < floor(old * times) ? RESULTS_GAIN_LEAST : RESULTS_GAIN_ABOUT;
}

/* The use, while SMs have CTAs, of what an SM has one of however many its sub-cores are: a second run with more of them
 * tells nothing of warps that wait for that. */
static double undivided(const struct results_case *of)
{
    bool one = results_case_key(of, "sm.fp64.shared") > 0;
    double use = fmax(results_case_use(of, "L1"), one ? results_case_use(of, "FP64") : 0);
    return use / fmax(of->busy, 0.01);
}

/* Two gains: warps that are spread over all SMs no longer take turns, and wait as long for memory as before; that
 * threads share out their work is up to the program. */
bool results_rule_few_ctas(const struct results_case *of, struct results_finding *finding)
{
    double times = of->ctas > 0 ? of->sms / of->ctas : 1, spread = fmin(times, fmax(of->warps, 1));
    double turns = results_case_floor(of, RESULTS_PARTS_SHARED) / fmax(of->busy, 0.01);
    double taken = fmin(fmax(turns, results_case_slots(of, "issued")), 1), fixed = results_case_fixed(of);
    double shared = fmax(results_case_floor(of, RESULTS_PARTS_OF_SM), results_case_hot_slice(of));
    if (of->ctas >= of->sms || of->cut)
        return false;
    finding->gain = (1 - 1 / spread) * taken * taken;
    finding->hope = (1 - fixed) * (1 - fmax(1 / times, shared));
    if (undivided(of) < 0.5)
        set_width(of, spread, finding);
    EVIDENCE("%.0f CTA%s for %.0f SMs: these have work in %.1f %% of the time; in those that have, warps issue in "
             "%.1f %% of the slots of their sub-cores, and wait in the others",
             of->ctas, of->ctas == 1 ? "" : "s", of->sms, 100 * of->busy, 100 * results_case_slots(of, "issued"));
    return true;
}

/* The number of SMs that whole waves of the CTAs fill best, no fewer than there are. */
static double even_sms(const struct results_case *of, double whole)
{
    double best = 0, least = INFINITY;
    for (double waves = whole; waves >= 1; waves--) {
        double sms = ceil(of->ctas / results_case_places(of) / waves), places = sms * waves * results_case_places(of);
        if (places < least) {
            least = places;
            best = sms;
        }
    }
    return best;
}

/* The most that can be saved of the time of SMs without CTAs: what some part of the machine is full for stays. */
static double without_limit(const struct results_case *of)
{
    return fmax(1 - results_case_fullest(of), 0);
}

bool results_rule_tail(const struct results_case *of, struct results_finding *finding)
{
    double waves = results_case_waves(of), whole = floor(waves);
    double left = of->ctas - whole * results_case_places(of) * of->sms; /* CTAs of the last wave */
    if (of->ctas < of->sms || waves < 1 || left < 0.5 || of->cut)
        return false;
    finding->gain = fmin(fmin(1 - of->busy, 1 - waves / ceil(waves)), without_limit(of));
    set_sms(of, even_sms(of, whole), finding);
    if (results_case_places(of) < of->resident)
        EVIDENCE("%.0f CTAs on %.0f SMs are %.0f for some and %.0f for others: in %.1f %% of their time, SMs have no "
                 "CTA",
                 of->ctas, of->sms, ceil(waves), whole, 100 * (1 - of->busy));
    else
        EVIDENCE("%.0f CTAs on %.0f SMs, which hold %.0f each, are %.2f waves: in %.1f %% of their time, SMs have no "
                 "CTA",
                 of->ctas, of->sms, results_case_places(of), waves, 100 * (1 - of->busy));
    return true;
}

/* The share of all kernels' cycles by which the SM that had CTAs for longest had them for longer than the mean SM.
 * Cycles in which no SM has any, as stores drain, are no fault of the CTAs' lengths. */
static double uneven(const struct results_case *of)
{
    struct mnp_error ignored = {0};
    double cycles = 0, share = 1;
    for (uint32_t i = 0; i < of->reading->group_count; i++)
        cycles += results_sum(of->reading, &of->reading->groups[i], "gpu_sim_cycle") -
                  results_sum(of->reading, &of->reading->groups[i], "kernel_launch_cycle");
    sqlite3_stmt *row = results_sqlite_prepare(of->reading->database,
                                               "SELECT max(value), sum(value) FROM unit_value JOIN statistic ON id ="
                                               " statistic WHERE run = ? AND name = 'sm_active_cycles'",
                                               &ignored);
    if (row && sqlite3_bind_int64(row, 1, of->reading->run) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW &&
        cycles > 0)
        share = (sqlite3_column_double(row, 0) - sqlite3_column_double(row, 1) / of->sms) / cycles;
    sqlite3_finalize(row);
    return fmax(share, 0);
}

bool results_rule_imbalance(const struct results_case *of, struct results_finding *finding)
{
    double waves = results_case_waves(of);
    struct results_finding last = {0}; /* SMs that have no CTA of the last wave are no fault of the CTAs' lengths */
    double tail = results_rule_tail(of, &last) ? last.gain : 0;
    if (of->ctas < of->sms || of->cut)
        return false;
    finding->gain = fmin(fmin(1 - of->busy, uneven(of)) - tail, without_limit(of));
    finding->most = without_limit(of);
    finding->bound = RESULTS_GAIN_MOST;
    finding->sample = results_pace_interval(of->reading, of->group->name);
    EVIDENCE(
        "%.0f CTAs, %.2f waves, and SMs have none in %.1f %% of their time, more than the last wave explains: some "
        "CTAs take longer than others",
        of->ctas, waves, 100 * (1 - of->busy));
    return tail < 0.5 * (1 - of->busy);
}
