/* SPDX-License-Identifier: BSD-3-Clause */
/* Equality is decided on the values as they were written; deviations, for people, are in floating point. */
#include "results/compare/compare.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/print.h"
#include "results/compare/machine.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same(const json_t *a, const json_t *b)
{
    return a == b || json_equal(a, b); /* json_equal: members that both lack are not equal */
}

/* ===== reading ===== */

bool results_read(struct mnp_read_results *results, const char *path, struct mnp_error *error)
{
    *results = (struct mnp_read_results){.path = path};
    struct stat status;
    bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    char *file = mnp_join_path(path, "results.json");
    size_t length;
    char *text = NULL;
    if (folder && access(file, F_OK) != 0)
        mnp_fail_at(error, path, 0, "has no results.json; give a folder that `maniple run -o` wrote");
    else
        text = mnp_read_file(folder ? file : path, SIZE_MAX / 4, &length, error);
    json_error_t problem;
    if (text) {
        results->root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
        const char *format = json_string_value(json_object_get(results->root, "format"));
        if (!results->root)
            mnp_fail_at(error, folder ? file : path, (unsigned long)problem.line,
                        "is not JSON: %.200s; give a folder that `maniple run -o` wrote, or its results.json",
                        problem.text);
        else if (!format || strcmp(format, "maniple-results-1") != 0)
            mnp_fail(error, "%.300s: its format is not maniple-results-1; give what `maniple run -o` wrote",
                     folder ? file : path);
        else if (json_object_get(results->root, "devices"))
            mnp_fail_at(error, path, 0, "has the results of several GPUs; give the folder of one of them, %sgpu0",
                        folder ? "in it: " : "beside it: ");
    }
    free(text);
    free(file);
    if (error->text[0])
        results_free(results);
    return !error->text[0];
}

void results_free(struct mnp_read_results *results)
{
    json_decref(results->root);
    results->root = NULL;
}

static const json_t *get(const struct mnp_read_results *results, const char *section, const char *name)
{
    return json_object_get(json_object_get(results->root, section), name);
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static const char *get_text(const struct mnp_read_results *results, const char *section, const char *name)
{
    return text_of(json_object_get(results->root, section), name);
}

double results_run_number(const struct mnp_read_results *results, const char *name)
{
    return json_number_value(get(results, "run", name));
}

const char *results_run_text(const struct mnp_read_results *results, const char *name)
{
    const char *text = json_string_value(get(results, "run", name));
    return text ? text : "";
}

/* ===== whether they must be equal ===== */

static bool same_launches(const json_t *a, const json_t *b)
{
    static const char *const what[] = {"id", "name", "grid", "block", "stream"};
    if (json_array_size(a) != json_array_size(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++)
        for (size_t j = 0; j < sizeof what / sizeof *what; j++)
            if (!same(json_object_get(json_array_get(a, i), what[j]), json_object_get(json_array_get(b, i), what[j])))
                return false;
    return true;
}

/* The work of a run, for people and to be compared: the program and its arguments, which stand behind "--" in the
 * command, or the input. `*program`: the former. */
static void describe_work(const struct mnp_read_results *results, char *text, size_t room, bool *program)
{
    const json_t *command = get(results, "run", "command");
    FILE *out = fmemopen(text, room, "w");
    *program = false;
    for (size_t i = 0; out && i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));
        if (*program)
            mnp_print_text(out, "%s ", word ? word : "");
        *program |= word && strcmp(word, "--") == 0;
    }
    if (out && !*program)
        mnp_print_text(out, "%s ", results_run_text(results, "input"));
    if (out)
        fclose(out);
    text[room - 1] = 0;
    text[strcspn(text, "\n")] = 0;
    size_t length = strlen(text);
    if (length && text[length - 1] == ' ')
        text[length - 1] = 0;
}

bool results_of_one_work(const struct mnp_read_results *a, const struct mnp_read_results *b, struct mnp_error *error)
{
    const json_t *kernels[] = {json_object_get(a->root, "kernels"), json_object_get(b->root, "kernels")};
    char what[2][300] = {"", ""}, launched[2][40] = {"", ""};
    bool program[2];
    describe_work(a, what[0], sizeof what[0], &program[0]);
    describe_work(b, what[1], sizeof what[1], &program[1]);
    bool named = strcmp(what[0], what[1]) == 0 && (program[0] || !json_array_size(kernels[0]));
    bool launches = json_array_size(kernels[0]) && same_launches(kernels[0], kernels[1]);
    if (same(get(a, "machine", "kind"), get(b, "machine", "kind")) && (named || launches))
        return true;
    for (int i = 0; i < 2 && (json_array_size(kernels[0]) || json_array_size(kernels[1])); i++)
        snprintf(launched[i], sizeof launched[i], ", %zu kernels", json_array_size(kernels[i]));
    return mnp_fail(error,
                    "%.200s and %.200s are runs of different inputs (%s%s; %s%s), which cannot be "
                    "compared; give runs of the same launches, or of one program with the same arguments",
                    a->path, b->path, what[0], launched[0], what[1], launched[1]);
}

static bool is_relaxed(const struct mnp_read_results *results)
{
    return strncmp(get_text(results, "run", "executor"), "relaxed", 7) == 0;
}

static bool is_interrupted(const struct mnp_read_results *results)
{
    const char *end = get_text(results, "total", "end");
    return strcmp(end, "interrupted") == 0 || strcmp(end, "time limit") == 0;
}

/* Whether what ran was a program, not a trace. */
static bool is_of_program(const struct mnp_read_results *results)
{
    char text[300] = "";
    bool program;
    describe_work(results, text, sizeof text, &program);
    return program;
}

static const char *find_excuse(const struct mnp_read_results *a, const struct mnp_read_results *b)
{
    bool limit = strcmp(get_text(a, "total", "end"), "limit") == 0 || strcmp(get_text(b, "total", "end"), "limit") == 0;
    if (!same(json_object_get(a->root, "machine"), json_object_get(b->root, "machine")))
        return "the machines differ";
    if (is_relaxed(a) || is_relaxed(b))
        return "a run was relaxed";
    if (is_interrupted(a) || is_interrupted(b))
        return "a run was interrupted";
    if (limit && !same(get(a, "total", "end"), get(b, "total", "end")))
        return "one run was stopped by a limit";
    if (!limit && !same_launches(json_object_get(a->root, "kernels"), json_object_get(b->root, "kernels")))
        return "the launches differ";
    if (!same(get(a, "total", "estimate"), get(b, "total", "estimate")) &&
        (!get(a, "total", "estimate") || !get(b, "total", "estimate")))
        return "one run is an estimate (--steady, --plan)";
    if (is_of_program(a) != is_of_program(b))
        return "one run is of a program, whose host takes time, and the other of a trace";
    return "";
}

/* ===== deviations ===== */

struct distance { /* distance of two values, number by number where they have several */
    double a, b, apart;
    bool single, alike; /* one number each; of the same shape */
};

static void add_distance(const json_t *a, const json_t *b, struct distance *sum)
{
    sum->alike = sum->alike && a && b && json_is_number(a) == json_is_number(b) && json_is_array(a) == json_is_array(b);
    if (!sum->alike)
        return;
    if (json_is_number(a)) {
        sum->a += json_number_value(a);
        sum->b += json_number_value(b);
        sum->apart += fabs(json_number_value(b) - json_number_value(a));
        return;
    }
    sum->single = false;
    sum->alike = json_array_size(a) == json_array_size(b) && json_object_size(a) == json_object_size(b);
    for (size_t i = 0; sum->alike && i < json_array_size(a); i++)
        add_distance(json_array_get(a, i), json_array_get(b, i), sum);
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)a, name, value) add_distance(value, json_object_get(b, name), sum);
}

static struct distance distance_of(const json_t *a, const json_t *b)
{
    struct distance distance = {.single = true, .alike = true};
    add_distance(json_object_get(a, "value"), json_object_get(b, "value"), &distance);
    return distance;
}

static const char *format_deviation(char text[32], const struct distance *distance, bool equal)
{
    if (equal)
        return "0";
    if (!distance->alike)
        return "of another shape";
    double apart = distance->single ? distance->b - distance->a : distance->apart;
    if (distance->a == 0)
        return "from 0";
    snprintf(text, 32, distance->single ? "%+.4f %%" : "%.4f %% apart", 100 * apart / distance->a);
    return text;
}

static void write_row(FILE *out, const char *name, const json_t *a, const json_t *b)
{
    char deviation[32];
    if (!a || !b) {
        mnp_print_text(out, "  %-44s only in %s\n", name, a ? "A" : "B");
        return;
    }
    struct distance distance = distance_of(a, b);
    bool whole = json_is_integer(json_object_get(a, "value")) || !distance.single;
    mnp_print_text(out, "  %-44s %18.*f %18.*f  %s\n", name, whole ? 0 : 6, distance.a, whole ? 0 : 6, distance.b,
                   format_deviation(deviation, &distance, same(a, b)));
}

/* ===== tables ===== */

/* Statistics by which Wang & Gao judge their simulators; ours has "dram" in the name of the reads. */
static const char *const six[] = {
    "gpu_sim_cycle",    "L1I_total_cache_accesses", "L2_total_cache_accesses", "icnt_total_pkts_mem_to_simt",
    "total_dram_reads", "gpgpu_n_tot_w_icount",
};

static bool is_of_six(const char *name)
{
    for (size_t i = 0; i < sizeof six / sizeof *six; i++)
        if (strcmp(six[i], name) == 0)
            return true;
    return false;
}

static void write_six(FILE *out, const json_t *a, const json_t *b)
{
    bool any = false; /* runs of the coprocessor have none of them */
    for (size_t i = 0; i < sizeof six / sizeof *six; i++)
        any |= json_object_get(a, six[i]) || json_object_get(b, six[i]);
    if (!any)
        return;
    mnp_print_text(out, "\n  %-44s %18s %18s  %s\n", "The whole run: Wang & Gao's six statistics", "A", "B",
                   "deviation");
    for (size_t i = 0; i < sizeof six / sizeof *six; i++)
        if (json_object_get(a, six[i]) || json_object_get(b, six[i]))
            write_row(out, six[i], json_object_get(a, six[i]), json_object_get(b, six[i]));
        else
            mnp_print_text(out, "  %-44s %18s %18s\n", six[i], "-", "-");
}

/* Whether a statistic has the values of units whose sum differs, too: a row of its own says that already. */
static bool repeats_sum(const json_t *a, const json_t *b, const char *name)
{
    static const char suffix[] = "_per_unit";
    char whole[128];
    size_t length = strlen(name), cut = sizeof suffix - 1;
    if (length <= cut || length >= sizeof whole || strcmp(name + length - cut, suffix) != 0)
        return false;
    snprintf(whole, sizeof whole, "%.*s", (int)(length - cut), name);
    const json_t *sum = json_object_get(a, whole), *other = json_object_get(b, whole);
    return sum && other && !same(sum, other);
}

/* Counts the statistics of a set, writing those that differ, or all, but the six; `out` NULL: none. */
static uint64_t compare_set(FILE *out, bool all, json_t *a, json_t *b, struct mnp_comparison *comparison)
{
    uint64_t deviating = 0;
    const char *name;
    json_t *value;
    json_object_foreach(a, name, value)
    {
        json_t *other = json_object_get(b, name);
        bool equal = same(value, other);
        comparison->compared++;
        deviating += !equal;
        if (out && (all || (!equal && !repeats_sum(a, b, name))) && !is_of_six(name))
            write_row(out, name, value, other);
    }
    json_object_foreach(b, name, value)
    {
        if (json_object_get(a, name))
            continue;
        comparison->compared++;
        deviating++;
        if (out)
            write_row(out, name, NULL, value);
    }
    comparison->deviating += deviating;
    return deviating;
}

static void write_kernels(FILE *out, const json_t *a, const json_t *b, struct mnp_comparison *comparison)
{
    double sum = 0, most = 0;
    size_t kernels = json_array_size(a) < json_array_size(b) ? json_array_size(a) : json_array_size(b), differing = 0;
    for (size_t i = 0; i < kernels; i++) {
        const json_t *left = json_array_get(a, i), *right = json_array_get(b, i);
        json_t *mine = json_object_get(left, "statistics"), *theirs = json_object_get(right, "statistics");
        uint64_t deviating = compare_set(NULL, false, mine, theirs, comparison);
        struct distance cycles =
            distance_of(json_object_get(mine, "gpu_sim_cycle"), json_object_get(theirs, "gpu_sim_cycle"));
        double share = cycles.alike && cycles.a > 0 ? 100 * cycles.apart / cycles.a : 0;
        sum += share;
        most = share > most ? share : most;
        if (deviating && differing++ == 0)
            mnp_print_text(out, "\n  %-44s %18s %18s  %s\n", "Kernels that differ: gpu_sim_cycle", "A", "B",
                           "deviation");
        if (!deviating)
            continue;
        char name[46], deviation[32];
        snprintf(name, sizeof name, "%lld %s", (long long)json_integer_value(json_object_get(left, "id")),
                 text_of(left, "name"));
        mnp_print_text(out, "  %-44s %18.0f %18.0f  %s; %llu statistics differ\n", name, cycles.a, cycles.b,
                       format_deviation(deviation, &cycles, cycles.apart == 0), (unsigned long long)deviating);
    }
    if (differing)
        mnp_print_text(out,
                       "  %zu of %zu kernels differ; their cycles by %.4f %% in the mean of all, %.4f %% at most\n",
                       differing, kernels, sum / (double)kernels, most);
    if (json_array_size(a) != json_array_size(b))
        mnp_print_text(out, "\n  A has %zu kernels, B %zu\n", json_array_size(a), json_array_size(b));
}

static void write_runs(FILE *out, const struct mnp_read_results *a, const struct mnp_read_results *b)
{
    const struct mnp_read_results *each[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        const char *executor = get_text(each[i], "run", "executor"), *host = get_text(each[i], "run", "host");
        mnp_print_text(
            out,
            "%c: %s\n   executor %s, %.0f thread%s, %.0f windows, on %s (%.0f processors): %.3f s, %.3f s of CPU\n",
            i ? 'B' : 'A', each[i]->path, executor, results_run_number(each[i], "threads"),
            results_run_number(each[i], "threads") == 1 ? "" : "s", results_run_number(each[i], "windows"), host,
            results_run_number(each[i], "host_processors"), results_run_number(each[i], "wall_seconds"),
            results_run_number(each[i], "cpu_seconds"));
    }
    double wall = results_run_number(b, "wall_seconds"), cpu = results_run_number(b, "cpu_seconds");
    if (wall > 0 && cpu > 0)
        mnp_print_text(out, "B against A: %.3f times as fast in wall time, %.3f times in CPU time\n",
                       results_run_number(a, "wall_seconds") / wall, results_run_number(a, "cpu_seconds") / cpu);
}

/* Before hundreds of rows: ends that differ are the reason for most of them. */
static void write_ends(FILE *out, const struct mnp_read_results *a, const struct mnp_read_results *b)
{
    const char *ends[] = {get_text(a, "total", "end"), get_text(b, "total", "end")};
    if (strcmp(ends[0], ends[1]) != 0)
        mnp_print_text(out, "A ended by \"%s\" and B by \"%s\": counts and times are of different parts of the work\n",
                       ends[0], ends[1]);
}

/* The cycles of a program's run have copies and calls of the host in them; those of its kernels do not. */
static void write_kernels_cycles(FILE *out, const struct mnp_read_results *a, const struct mnp_read_results *b)
{
    const json_t *kernels[] = {json_object_get(a->root, "kernels"), json_object_get(b->root, "kernels")};
    double cycles[2] = {0};
    if (!is_of_program(a) && !is_of_program(b))
        return;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < json_array_size(kernels[i]); k++)
            cycles[i] += json_number_value(json_object_get(
                json_object_get(json_object_get(json_array_get(kernels[i], k), "statistics"), "gpu_sim_cycle"),
                "value"));
    if (cycles[0] > 0)
        mnp_print_text(out, "  %-44s %18.0f %18.0f  %+.4f %%\n", "gpu_sim_cycle of kernels, without copies", cycles[0],
                       cycles[1], 100 * (cycles[1] / cycles[0] - 1));
}

static bool has_no_hash(const json_t *section)
{
    const char *hash = json_string_value(json_object_get(section, "hash"));
    return hash && !*hash;
}

/* Results of one device of several have no hash of the state, so that there is none to compare. */
static bool same_section(json_t *a, json_t *b)
{
    if (!has_no_hash(a) && !has_no_hash(b))
        return same(a, b);
    json_t *x = json_copy(a), *y = json_copy(b);
    json_object_del(x, "hash");
    json_object_del(y, "hash");
    bool equal = same(x, y);
    json_decref(x);
    json_decref(y);
    return equal;
}

void results_compare(const struct mnp_read_results *a, const struct mnp_read_results *b, bool all, FILE *out,
                     struct mnp_comparison *comparison)
{
    static const char *const sections[] = {"machine", "kernels", "total", "warnings"};
    *comparison = (struct mnp_comparison){.equal = true};
    snprintf(comparison->different_by, sizeof comparison->different_by, "%s", find_excuse(a, b));
    write_runs(out, a, b);
    write_ends(out, a, b);
    json_t *total_a = json_object_get(json_object_get(a->root, "total"), "statistics");
    json_t *total_b = json_object_get(json_object_get(b->root, "total"), "statistics");
    write_six(out, total_a, total_b);
    write_kernels_cycles(out, a, b);
    mnp_print_text(out, "\n  %s\n", all ? "All others" : "Others that differ");
    uint64_t others = compare_set(out, all, total_a, total_b, comparison);
    for (size_t i = 0; i < sizeof six / sizeof *six; i++)
        others -= json_object_get(total_a, six[i]) &&
                  !same(json_object_get(total_a, six[i]), json_object_get(total_b, six[i]));
    if (!others && !all)
        mnp_print_text(out, "  none\n");
    write_kernels(out, json_object_get(a->root, "kernels"), json_object_get(b->root, "kernels"), comparison);
    results_compare_machines(json_object_get(a->root, "machine"), json_object_get(b->root, "machine"), out);
    mnp_print_text(out, "\n%llu of %llu statistics differ, those of kernels included\n",
                   (unsigned long long)comparison->deviating, (unsigned long long)comparison->compared);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (same_section(json_object_get(a->root, sections[i]), json_object_get(b->root, sections[i])))
            continue;
        mnp_print_text(out, "%s%s", comparison->equal ? "Sections that differ: " : ", ", sections[i]);
        comparison->equal = false;
    }
    if (!*comparison->different_by && !comparison->deviating &&
        !same(get(a, "total", "values"), get(b, "total", "values")))
        snprintf(comparison->different_by, sizeof comparison->different_by,
                 "one run computed what is needed alone (--values needed); no statistic differs");
    fputs(comparison->equal ? "All but the description of the runs is equal\n" : "\n", out);
}
