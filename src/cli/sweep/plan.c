/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/plan.h"

#include "base/allocate.h"
#include "base/file.h"
#include "base/mix.h"
#include "base/text.h"
#include "cli/run/options.h"
#include "cli/sweep/apps.h"
#include "cli/sweep/check.h"
#include "cli/sweep/name.h"
#include "cli/sweep/objectives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 16 << 20, MOST_VALUES = 100000 };

#define VARY "vary is a list of groups: vary = ( { key = \"sm.count\"; values = [8, 16]; } )"

static const char run_app[] = "run"; /* the word of maniple-apps */
static const char *const shapes[] = {"grid", "list", "random", "one-at-a-time"};

static bool fail_at(const struct sweep_plan *plan, const config_setting_t *where, struct mnp_error *error,
                    const char *what)
{
    return mnp_fail_at(error, plan->file, where ? config_setting_source_line(where) : 0, "%s", what);
}

/* ===== reading ===== */

/* Every name in a group must be known. */
static bool check_names(const struct sweep_plan *plan, const config_setting_t *group, const char *const *known,
                        size_t count, struct mnp_error *error)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *each = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(each);
        size_t at = 0;
        while (at < count && strcmp(known[at], name) != 0)
            at++;
        if (at < count)
            continue;
        const char *nearest = mnp_nearest_word(name, known, count);
        return mnp_fail_at(error, plan->file, config_setting_source_line(each),
                           "a sweep has no \"%.100s\"%s%s%s (docs/sweep.md has all of them)", name,
                           nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    }
    return true;
}

/* A list of texts, or one. */
static bool read_texts(const struct sweep_plan *plan, const config_setting_t *from, struct mnp_array *to,
                       struct mnp_error *error)
{
    bool one = from && config_setting_type(from) == CONFIG_TYPE_STRING;
    if (from && !one && !config_setting_is_aggregate(from))
        return fail_at(plan, from, error, "is not a list of texts; write [\"one\", \"two\"]");
    for (int i = 0; from && i < (one ? 1 : config_setting_length(from)); i++) {
        const config_setting_t *each = one ? from : config_setting_get_elem(from, (unsigned)i);
        const char *text = each ? config_setting_get_string(each) : NULL;
        if (!text)
            return fail_at(plan, from, error, "is not a list of texts; write [\"one\", \"two\"]");
        *(const char **)mnp_array_add(to, 1, sizeof text) = text;
    }
    return true;
}

static char *text_of(const config_setting_t *setting)
{
    char *text = NULL;
    int length = -1;
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_STRING:
        return strdup(config_setting_get_string(setting));
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        length = asprintf(&text, "%lld", config_setting_get_int64(setting));
        break;
    case CONFIG_TYPE_BOOL:
        return strdup(config_setting_get_bool(setting) ? "true" : "false");
    case CONFIG_TYPE_FLOAT:
        length = asprintf(&text, "%.15g", config_setting_get_float(setting));
        break;
    default:
        break;
    }
    return length < 0 ? NULL : text;
}

/* The text is the axis's from now on. */
static bool add_value(const struct sweep_plan *plan, struct sweep_axis *axis, char *text, struct mnp_error *error)
{
    if (axis->values.count == MOST_VALUES) {
        free(text);
        return mnp_fail_at(error, plan->file, axis->line, "more than %d values of %.100s; state fewer", MOST_VALUES,
                           axis->key);
    }
    *(char **)mnp_array_add(&axis->values, 1, sizeof text) = text;
    return true;
}

static bool is_whole(const config_setting_t *setting)
{
    return config_setting_type(setting) == CONFIG_TYPE_INT || config_setting_type(setting) == CONFIG_TYPE_INT64;
}

/* Reads a whole number, which in a text has a unit behind it: 8, "64KiB". */
static bool read_whole(const config_setting_t *setting, long long *number, const char **unit)
{
    const char *text = config_setting_get_string(setting);
    char *end;
    if (!text) {
        *number = config_setting_get_int64(setting);
        return is_whole(setting);
    }
    *number = strtoll(text, &end, 10);
    *unit = end;
    return end > text && !strpbrk(end, "0123456789.");
}

struct range {
    long long from, to, step, factor; /* one of the last two */
    const char *unit;
};

/* Reads the bounds; what is wrong with a word of them, or NULL. */
static const char *read_bounds(const config_setting_t *group, struct range *range)
{
    static const char *const names[] = {"from", "to", "step", "factor"};
    static const char *const wrong[] = {"from is no whole number", "to is no whole number", "step is no whole number",
                                        "factor is no whole number"};
    long long *const numbers[] = {&range->from, &range->to, &range->step, &range->factor};
    for (int i = 0; i < 4; i++) {
        const config_setting_t *each = config_setting_get_member(group, names[i]);
        const char *unit = "";
        if (each && !read_whole(each, numbers[i], &unit))
            return wrong[i];
        if (i == 0)
            range->unit = unit;
        if (each && strcmp(unit, i == 3 ? "" : range->unit) != 0)
            return i == 3 ? "factor has no unit" : "from, to and step are of one unit";
    }
    return NULL;
}

/* Returns what is wrong with a range; NULL: nothing. */
static const char *check_range(const config_setting_t *group, const struct range *range)
{
    bool step = config_setting_get_member(group, "step"), factor = config_setting_get_member(group, "factor");
    if (!config_setting_get_member(group, "from") || !config_setting_get_member(group, "to") || (!step && !factor))
        return "it needs values, or from, to, and step or factor";
    if (step && factor)
        return "it has step or factor, not both";
    if (range->to < range->from)
        return "to is below from";
    if (range->from < 0 || range->to > INT64_MAX / 2 || range->step > INT64_MAX / 2)
        return "numbers are 0 to 2^62";
    if (factor && range->factor < 2)
        return "factor is 2 or more";
    if (factor && range->from == 0)
        return "from is 1 or more where there is a factor";
    return step && range->step < 1 ? "step is 1 or more" : NULL;
}

/* `from`, `to`, and `step` or `factor`. */
static bool read_range(const struct sweep_plan *plan, const config_setting_t *group, struct sweep_axis *axis,
                       struct mnp_error *error)
{
    struct range range = {0};
    const char *wrong = read_bounds(group, &range);
    wrong = wrong ? wrong : check_range(group, &range);
    if (wrong)
        return mnp_fail_at(error, plan->file, axis->line,
                           "%.100s: %s; write values = [...], or from = 1; to = 8; factor = 2, or from = \"64KiB\"; "
                           "to = \"256KiB\"; step = \"64KiB\"",
                           axis->key, wrong);
    bool done = true;
    for (long long value = range.from; done && value <= range.to;) {
        char *text = NULL;
        done = asprintf(&text, "%lld%s", value, range.unit) > 0 && add_value(plan, axis, text, error);
        if (range.factor > 1 && value > range.to / range.factor)
            break;
        value = range.factor > 1 ? value * range.factor : value + range.step;
    }
    return done;
}

static bool read_values(const struct sweep_plan *plan, const config_setting_t *values, struct sweep_axis *axis,
                        struct mnp_error *error)
{
    for (int i = 0; i < config_setting_length(values); i++) {
        char *text = text_of(config_setting_get_elem(values, (unsigned)i));
        if (!text)
            return fail_at(plan, values, error,
                           "has a value that is neither a number nor a text; write [1, 2] or "
                           "[\"64KiB\"]");
        if (!add_value(plan, axis, text, error))
            return false;
    }
    return axis->values.count || fail_at(plan, values, error, "has no value; state some");
}

static const struct sweep_axis *axis_at(const struct sweep_plan *plan, uint32_t place)
{
    return (const struct sweep_axis *)plan->axes.items + place;
}

static bool read_axis(struct sweep_plan *plan, const config_setting_t *group, struct mnp_error *error)
{
    static const char *const known[] = {"key", "values", "from", "to", "step", "factor"};
    const char *key = NULL;
    if (!config_setting_is_group(group))
        return fail_at(plan, group, error, VARY);
    if (!check_names(plan, group, known, sizeof known / sizeof *known, error))
        return false;
    if (!config_setting_lookup_string(group, "key", &key))
        return fail_at(plan, group, error, "states no key; write key = \"sm.count\";");
    for (uint32_t i = 0; i < plan->axes.count; i++)
        if (strcmp(axis_at(plan, i)->key, key) == 0)
            return fail_at(plan, group, error,
                           "varies a key for the second time; state all of its values in one group");
    struct sweep_axis *axis = mnp_array_add(&plan->axes, 1, sizeof *axis);
    axis->key = key;
    axis->line = config_setting_source_line(group);
    const config_setting_t *values = config_setting_get_member(group, "values");
    return values ? read_values(plan, values, axis, error) : read_range(plan, group, axis, error);
}

static char *join(char *const *words)
{
    size_t room = 1;
    for (char *const *word = words; *word; word++)
        room += strlen(*word) + 1;
    char *text = mnp_allocate(room, 1), *at = text;
    for (char *const *word = words; *word; word++)
        at += sprintf(at, "%s%s", word == words ? "" : " ", *word);
    return text;
}

enum input_kind { INPUT_TRACE, INPUT_PROGRAM, INPUT_APP };

static void add_input(struct sweep_plan *plan, const struct mnp_array *words, enum input_kind kind)
{
    struct sweep_input *input = mnp_array_add(&plan->inputs, 1, sizeof *input);
    uint32_t first = kind == INPUT_APP ? 2 : 0;
    input->program = kind != INPUT_TRACE;
    input->words = mnp_allocate(first + words->count + 1, sizeof *input->words);
    if (kind == INPUT_APP) {
        input->words[0] = plan->apps;
        input->words[1] = (char *)(uintptr_t)run_app;
    }
    for (uint32_t i = 0; i < words->count; i++)
        input->words[first + i] = (char *)(uintptr_t)((const char *const *)words->items)[i];
    input->text = join(input->words + first);
}

/* Programs or workloads: each a list of words, or one word. */
static bool read_programs(struct sweep_plan *plan, const config_setting_t *list, enum input_kind kind,
                          struct mnp_error *error)
{
    if (list && !config_setting_is_aggregate(list))
        return fail_at(plan, list, error,
                       kind == INPUT_APP ? "apps is a list: apps = ( [\"sgemm\", \"--size\", \"128\"], \"bfs\" );"
                                         : "programs is a list: programs = ( [\"./program\", \"argument\"] );");
    if (list && kind == INPUT_APP && !plan->apps && !(plan->apps = cli_sweep_apps_find(error)))
        return false;
    bool done = true;
    for (int i = 0; done && list && i < config_setting_length(list); i++) {
        const config_setting_t *each = config_setting_get_elem(list, (unsigned)i);
        struct mnp_array words = {0};
        done = read_texts(plan, each, &words, error) &&
               (words.count || fail_at(plan, list, error, "has a program without a name")) &&
               (kind != INPUT_APP || cli_sweep_apps_check(plan->apps, words.items, words.count, plan->file,
                                                          config_setting_source_line(each), error));
        if (done)
            add_input(plan, &words, kind);
        mnp_array_release(&words);
    }
    return done;
}

static bool read_traces(struct sweep_plan *plan, const config_setting_t *list, struct mnp_error *error)
{
    struct mnp_array paths = {0};
    bool done = read_texts(plan, list, &paths, error);
    for (uint32_t i = 0; done && i < paths.count; i++) {
        struct mnp_array one = {.items = (const char **)paths.items + i, .count = 1};
        add_input(plan, &one, INPUT_TRACE);
    }
    mnp_array_release(&paths);
    return done;
}

/* Inputs of all kinds, in the order in which the plan states them. */
static bool read_inputs(struct sweep_plan *plan, const config_setting_t *root, struct mnp_error *error)
{
    bool done = true;
    for (int i = 0; done && i < config_setting_length(root); i++) {
        const config_setting_t *each = config_setting_get_elem(root, (unsigned)i);
        const char *name = config_setting_name(each);
        if (strcmp(name, "inputs") == 0)
            done = read_traces(plan, each, error);
        else if (strcmp(name, "programs") == 0 || strcmp(name, "apps") == 0)
            done = read_programs(plan, each, name[0] == 'a' ? INPUT_APP : INPUT_PROGRAM, error);
    }
    return done && (plan->inputs.count ||
                    mnp_fail_at(error, plan->file, 0,
                                "states no input; write inputs = [\"traces/kernelslist.g\"];, programs = ( "
                                "[\"./program\", \"argument\"] ); or apps = ( \"sgemm\" );"));
}

static bool read_objectives(struct sweep_plan *plan, const config_setting_t *from, struct mnp_error *error)
{
    struct mnp_array names = {0};
    bool done =
        read_texts(plan, from, &names, error) &&
        (names.count <= 2 || fail_at(plan, from, error,
                                     "more than two objectives; write objectives = [\"kernel-time\"]; or, for a front "
                                     "of two, objectives = [\"kernel-time\", \"sm.count\"];"));
    for (uint32_t i = 0; done && i < names.count; i++) {
        const char *name = ((const char *const *)names.items)[i];
        struct sweep_objective *objective = mnp_array_add(&plan->objectives, 1, sizeof *objective);
        objective->most = strncmp(name, "max:", 4) == 0;
        objective->name = objective->most ? name + 4 : name;
        objective->line = config_setting_source_line(from);
        const char *nearest;
        if (plan->plugins && !cli_sweep_objective_known(plan->plugins, objective->name, &objective->energies, &nearest))
            done = mnp_fail_at(error, plan->file, objective->line,
                               "objectives: there is no statistic or key \"%.100s\"%s%s%s (time, kernel-time, "
                               "energy-delay, or what `maniple models` lists)",
                               objective->name, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                               nearest ? "\"?" : "");
    }
    mnp_array_release(&names);
    return done;
}

/* The axis that is compared must be one that the plan varies, or the machines. */
static bool read_compare(struct sweep_plan *plan, const config_setting_t *from, struct mnp_error *error)
{
    if (!from)
        return true;
    plan->compare = config_setting_get_string(from);
    bool known = plan->compare && strcmp(plan->compare, "machine") == 0;
    char keys[300] = "nothing";
    for (uint32_t i = 0, length = 0; plan->compare && i < plan->axes.count; i++) {
        const char *key = ((const struct sweep_axis *)plan->axes.items)[i].key;
        known |= strcmp(key, plan->compare) == 0;
        if (length + strlen(key) + 3 < sizeof keys)
            length += (uint32_t)snprintf(keys + length, sizeof keys - length, i ? ", %s" : "%s", key);
    }
    return known || mnp_fail_at(error, plan->file, config_setting_source_line(from),
                                "compare = \"%.100s\" is neither \"machine\" nor a key of vary, which has: %s",
                                plan->compare ? plan->compare : "", keys);
}

/* Options that would change where a run is made or what its results are called belong to the command. */
static bool check_options(struct sweep_plan *plan, const config_setting_t *where, struct mnp_error *error)
{
    static const char *const ours[] = {"--threads", "--machine", "--set", "-o", "--executor", "--format", "--cpus"};
    const char *const *words = plan->options.items;
    for (uint32_t i = 0; i < plan->options.count; i++) {
        for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
            if (strncmp(words[i], ours[k], strlen(ours[k])) == 0)
                return mnp_fail_at(error, plan->file, config_setting_source_line(where),
                                   "options: %s is the sweep's own; use machines, vary, or options of the command",
                                   ours[k]);
        plan->limited |= strncmp(words[i], "--max-cycles", 12) == 0;
        int takes = cli_run_options_takes(words[i]);
        if (!takes)
            return mnp_fail_at(error, plan->file, config_setting_source_line(where),
                               "options: `maniple run` has no option %.100s; `maniple run --help` has all of them",
                               words[i]);
        i += takes > 1;
    }
    return true;
}

/* ===== points of the plan ===== */

struct points {
    enum sweep_shape shape;
    uint64_t samples, seed;
};

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t count_points(const struct sweep_plan *plan, const struct points *points)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < plan->axes.count; i++) {
        uint64_t values = axis_at(plan, i)->values.count;
        if (points->shape == SWEEP_GRID)
            count = multiply(count, values);
        else if (points->shape == SWEEP_ONE)
            count += values - 1;
        else if (points->shape == SWEEP_LIST)
            count = values;
    }
    return points->shape == SWEEP_RANDOM ? points->samples : count;
}

/* A number that depends on the seed and the place alone. */
static uint64_t mix(uint64_t seed, uint64_t place)
{
    return mnp_mix(seed + (place + 1) * MNP_MIX_STEP);
}

/* The values of point number `point`: of a grid the last axis runs fastest. */
static void choose_values(const struct sweep_plan *plan, const struct points *points, uint64_t point, uint32_t *values)
{
    uint64_t rest = point;
    for (uint32_t i = plan->axes.count; i-- > 0;) {
        uint64_t count = axis_at(plan, i)->values.count;
        values[i] = 0;
        if (points->shape == SWEEP_GRID) {
            values[i] = (uint32_t)(rest % count);
            rest /= count;
        } else if (points->shape == SWEEP_LIST) {
            values[i] = (uint32_t)point;
        } else if (points->shape == SWEEP_RANDOM) {
            values[i] = (uint32_t)(mix(points->seed, point * plan->axes.count + i) % count);
        }
    }
    rest = point;
    for (uint32_t i = 0; points->shape == SWEEP_ONE && rest && i < plan->axes.count; i++) {
        uint64_t others = axis_at(plan, i)->values.count - 1;
        values[i] = rest <= others ? (uint32_t)rest : 0;
        rest = rest <= others ? 0 : rest - others;
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A value that is stated twice would be drawn twice as often; two draws need not show it. */
static bool check_once(const struct sweep_plan *plan, const struct sweep_axis *axis, struct mnp_error *error)
{
    char **sorted = mnp_allocate(axis->values.count + 1, sizeof *sorted);
    memcpy(sorted, axis->values.items, axis->values.count * sizeof *sorted);
    qsort(sorted, axis->values.count, sizeof *sorted, by_text);
    bool once = true;
    for (uint32_t i = 1; once && i < axis->values.count; i++)
        once = strcmp(sorted[i - 1], sorted[i]) != 0 ||
               mnp_fail_at(error, plan->file, axis->line, "%.100s: the values %.60s and %.60s are one; state it once",
                           axis->key, sorted[i], sorted[i]);
    free(sorted);
    return once;
}

static bool read_points(struct sweep_plan *plan, const config_setting_t *root, struct points *points,
                        struct mnp_error *error)
{
    const config_setting_t *shape = config_setting_get_member(root, "plan");
    const config_setting_t *samples = config_setting_get_member(root, "samples");
    const config_setting_t *seed = config_setting_get_member(root, "seed");
    const char *name = shape ? config_setting_get_string(shape) : "grid";
    int word = 3;
    while (name && word >= 0 && strcmp(name, shapes[word]) != 0)
        word--;
    if (!name || word < 0)
        return fail_at(plan, shape, error, "plan is not one of grid, list, random, one-at-a-time");
    points->shape = (enum sweep_shape)word;
    plan->shape = points->shape;
    if ((samples && !is_whole(samples)) || (seed && !is_whole(seed)))
        return fail_at(plan, samples && !is_whole(samples) ? samples : seed, error,
                       "samples and seed are whole numbers: samples = 20; seed = 1;");
    points->samples =
        samples && config_setting_get_int64(samples) > 0 ? (uint64_t)config_setting_get_int64(samples) : 0;
    points->seed = seed ? (uint64_t)config_setting_get_int64(seed) : 1;
    if (points->shape == SWEEP_RANDOM && !points->samples)
        return fail_at(plan, shape, error, "a random plan needs samples = N; with N greater than 0");
    for (uint32_t i = 0; points->shape == SWEEP_RANDOM && i < plan->axes.count; i++)
        if (!check_once(plan, axis_at(plan, i), error))
            return false;
    for (uint32_t i = 1; points->shape == SWEEP_LIST && i < plan->axes.count; i++)
        if (axis_at(plan, i)->values.count != axis_at(plan, 0)->values.count)
            return mnp_fail_at(error, plan->file, axis_at(plan, i)->line,
                               "%.100s has %u values and %.100s %u; those of a list go together", axis_at(plan, i)->key,
                               axis_at(plan, i)->values.count, axis_at(plan, 0)->key, axis_at(plan, 0)->values.count);
    return true;
}

/* The words of all axes in a line: their keys, or the values of a point. */
static char *join_axes(struct sweep_plan *plan, uint32_t value, bool keys)
{
    char *text = NULL;
    for (uint32_t i = 0; i < plan->axes.count; i++) {
        const struct sweep_axis *axis = axis_at(plan, i);
        char *before = text;
        if (asprintf(&text, "%s%s%s", before ? before : "", before ? ", " : "",
                     keys ? axis->key : ((char *const *)axis->values.items)[value]) < 0)
            mnp_out_of_memory(strlen(axis->key));
        free(before);
    }
    return text;
}

/* Effects of keys that change together cannot be told apart. */
static void join_list(struct sweep_plan *plan)
{
    if (plan->shape != SWEEP_LIST || plan->axes.count < 2)
        return;
    plan->together.key = join_axes(plan, 0, true);
    for (uint32_t i = 0; i < axis_at(plan, 0)->values.count; i++)
        *(char **)mnp_array_add(&plan->together.values, 1, sizeof(char *)) = join_axes(plan, i, false);
}

const struct sweep_axis *cli_sweep_axis(const struct sweep_plan *plan, uint32_t axis)
{
    return plan->together.key ? &plan->together : (const struct sweep_axis *)plan->axes.items + axis;
}

/* ===== runs ===== */

static char *override_of(const struct sweep_axis *axis, uint32_t value)
{
    char *text = NULL;
    if (asprintf(&text, "%s=%s", axis->key, ((char *const *)axis->values.items)[value]) < 0)
        mnp_out_of_memory(strlen(axis->key));
    return text;
}

/* The words of a run, behind `maniple run`. */
static char **words_of(const struct sweep_plan *plan, const struct sweep_run *run, char **overrides)
{
    const struct sweep_input *input = (const struct sweep_input *)plan->inputs.items + run->input;
    size_t count = 0, inputs = 0;
    while (input->words[inputs])
        inputs++;
    char **words = mnp_allocate(2 + 2 * (size_t)plan->axes.count + plan->options.count + inputs + 2, sizeof *words);
    words[count++] = strdup("--machine");
    words[count++] = strdup(((const char *const *)plan->machines.items)[run->machine]);
    for (uint32_t i = 0; i < plan->axes.count; i++) {
        words[count++] = strdup("--set");
        words[count++] = strdup(overrides[i]);
    }
    for (uint32_t i = 0; i < plan->options.count; i++)
        words[count++] = strdup(((const char *const *)plan->options.items)[i]);
    if (input->program)
        words[count++] = strdup("--");
    for (size_t i = 0; i < inputs; i++)
        words[count++] = strdup(input->words[i]);
    return words;
}

static int by_name(const void *a, const void *b)
{
    const struct sweep_run *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->machine > right->machine) - (left->machine < right->machine);
}

/* The line of a plan that asks for a machine that is none: that of the keys that vary, unless it is none without
 * them. */
static unsigned long line_of_problem(const struct sweep_plan *plan, const char *machine)
{
    struct mnp_error ignored = {0};
    const config_setting_t *machines = config_lookup(&plan->config, "machines");
    char *alone = cli_sweep_name_machine(plan->plugins, machine, NULL, 0, &ignored);
    bool keys = alone && plan->axes.count;
    free(alone);
    return keys ? axis_at(plan, 0)->line : machines ? config_setting_source_line(machines) : 0;
}

/* The runs of one point on one machine, for all inputs. */
static bool add_runs(struct sweep_plan *plan, struct sweep_names *names, const uint32_t *values, uint32_t machine,
                     struct mnp_error *error)
{
    char **overrides = mnp_allocate(plan->axes.count + 1, sizeof *overrides);
    for (uint32_t i = 0; i < plan->axes.count; i++)
        overrides[i] = override_of(axis_at(plan, i), values[i]);
    struct mnp_error problem = {0};
    const char *name = ((const char *const *)plan->machines.items)[machine];
    char *described =
        cli_sweep_name_machine(plan->plugins, name, (const char *const *)overrides, plan->axes.count, &problem);
    if (!described)
        mnp_fail_at(error, plan->file, line_of_problem(plan, name), "%.100s%s%.800s",
                    plan->machines.count > 1 ? name : "", plan->machines.count > 1 ? ": " : "", problem.text);
    for (uint32_t i = 0; described && i < plan->inputs.count; i++) {
        struct sweep_run *run = mnp_array_add(&plan->runs, 1, sizeof *run);
        run->machine = machine;
        run->input = i;
        run->values = mnp_allocate(plan->axes.count + 1, sizeof *run->values);
        memcpy(run->values, values, plan->axes.count * sizeof *values);
        run->words = words_of(plan, run, overrides);
        const struct sweep_input *input = (const struct sweep_input *)plan->inputs.items + i;
        const struct sweep_named named = {.machine = described,
                                          .options = plan->options.items,
                                          .option_count = plan->options.count,
                                          .input = input->words,
                                          .program = input->program,
                                          .contents = names->inputs[i],
                                          .words = run->words,
                                          .plugins = plan->plugins};
        run->note = cli_sweep_name_run(&named, run->name);
    }
    for (uint32_t i = 0; i < plan->axes.count; i++)
        free(overrides[i]);
    free(overrides);
    free(described);
    return !error->text[0];
}

static void release_run(struct sweep_run *run)
{
    for (char **word = run->words; *word; word++)
        free(*word);
    free(run->words);
    free(run->note);
}

/* Whether a random plan has drawn the place before: places of one run are few. */
static bool is_drawn(const struct sweep_plan *plan, const struct sweep_run *run, uint32_t kept)
{
    const struct sweep_place *places = plan->places.items;
    for (uint32_t i = 0; plan->shape == SWEEP_RANDOM && i < plan->places.count; i++)
        if (places[i].run == kept && places[i].machine == run->machine && places[i].input == run->input &&
            memcmp(places[i].values, run->values, plan->axes.count * sizeof *run->values) == 0)
            return true;
    return false;
}

/* The run becomes a place of the run number `kept`, to which its values belong from now on. */
static void add_place(struct sweep_plan *plan, const struct sweep_run *run, uint32_t kept, bool again)
{
    if (again && is_drawn(plan, run, kept)) {
        free(run->values);
        return;
    }
    struct sweep_place *place = mnp_array_add(&plan->places, 1, sizeof *place);
    *place = (struct sweep_place){
        .run = kept, .machine = run->machine, .input = run->input, .values = run->values, .again = again};
}

/* Two places that differ in one value, or in their machines, and are one run: the value or machine is stated twice, and
 * would weigh twice in every mean. */
static bool refuse_double(const struct sweep_plan *plan, const struct sweep_run *run, const struct sweep_run *first,
                          struct mnp_error *error)
{
    const config_setting_t *machines = config_lookup(&plan->config, "machines");
    uint32_t differ = run->machine != first->machine, axis = plan->axes.count;
    for (uint32_t i = 0; i < plan->axes.count; i++)
        if (run->values[i] != first->values[i]) {
            differ++;
            axis = i;
        }
    if (plan->shape == SWEEP_LIST && differ && run->machine == first->machine)
        return mnp_fail_at(error, plan->file, axis_at(plan, 0)->line,
                           "the points %u and %u of the list are one; state it once", first->values[0] + 1,
                           run->values[0] + 1);
    if (differ != 1) /* drawn twice, or machines that become one by a key */
        return true;
    if (axis == plan->axes.count)
        return mnp_fail_at(error, plan->file, config_setting_source_line(machines),
                           "the machines %.100s and %.100s are one: their values are the same; state one of them",
                           ((const char *const *)plan->machines.items)[first->machine],
                           ((const char *const *)plan->machines.items)[run->machine]);
    char *const *values = axis_at(plan, axis)->values.items;
    return mnp_fail_at(error, plan->file, axis_at(plan, axis)->line,
                       "%.100s: the values %.60s and %.60s are one; state it once", axis_at(plan, axis)->key,
                       values[first->values[axis]], values[run->values[axis]]);
}

/* Points may coincide: drawn twice, or machines that become one by a key. The first of each is kept, in order. */
static bool drop_doubles(struct sweep_plan *plan, struct mnp_error *error)
{
    struct sweep_run *runs = plan->runs.items;
    uint32_t count = plan->runs.count, kept = 0;
    if (!count)
        return true;
    struct sweep_run *sorted = mnp_allocate(count, sizeof *sorted);
    memcpy(sorted, runs, count * sizeof *runs);
    for (uint32_t i = 0; i < count; i++)
        sorted[i].machine = i; /* its place */
    qsort(sorted, count, sizeof *sorted, by_name);
    uint32_t *first = mnp_allocate(count, sizeof *first); /* the place of the first of its name; then its new one */
    for (uint32_t i = 0; i < count; i++) {
        bool same = i && strcmp(sorted[i].name, sorted[i - 1].name) == 0;
        first[sorted[i].machine] = same ? first[sorted[i - 1].machine] : sorted[i].machine;
    }
    bool done = true;
    for (uint32_t i = 0; done && i < count; i++)
        done = first[i] == i || refuse_double(plan, &runs[i], &runs[first[i]], error);
    for (uint32_t i = 0; i < count; i++) {
        bool again = first[i] != i;
        first[i] = again ? first[first[i]] : kept;
        add_place(plan, &runs[i], first[i], again);
        if (again)
            release_run(&runs[i]);
        else
            runs[kept++] = runs[i];
    }
    plan->runs.count = kept;
    free(sorted);
    free(first);
    return done;
}

static bool make_runs(struct sweep_plan *plan, const struct points *points, uint64_t most, struct mnp_error *error)
{
    uint64_t count = count_points(plan, points);
    uint64_t all = multiply(multiply(count, plan->machines.count), plan->inputs.count);
    if (all > most)
        return mnp_fail_at(error, plan->file, 0,
                           "asks for %" PRIu64 " runs, and %" PRIu64 " are allowed%s; vary less, or take a random plan",
                           all, most, most < SWEEP_MOST ? " without --force" : "");
    struct sweep_names names;
    uint32_t *values = mnp_allocate(plan->axes.count + 1, sizeof *values);
    bool done = cli_sweep_names_open(&names, plan, error) && cli_sweep_check(plan, &names, error);
    for (uint64_t point = 0; done && point < count; point++) {
        choose_values(plan, points, point, values);
        for (uint32_t machine = 0; done && machine < plan->machines.count; machine++)
            done = add_runs(plan, &names, values, machine, error);
    }
    cli_sweep_names_close(&names);
    free(values);
    return drop_doubles(plan, error) && done;
}

bool cli_sweep_plan_read(struct sweep_plan *plan, const struct plugin_set *plugins, const char *file, uint64_t most,
                         struct mnp_error *error)
{
    static const char *const known[] = {"machines", "inputs",  "programs", "apps",       "options", "vary",
                                        "plan",     "samples", "seed",     "objectives", "compare"};
    size_t length;
    struct points points = {0};
    *plan = (struct sweep_plan){.file = file, .plugins = plugins};
    config_init(&plan->config);
    char *text = mnp_read_file(file, LARGEST_FILE, &length, error);
    if (!text)
        return false;
    bool read = config_read_string(&plan->config, text) == CONFIG_TRUE ||
                mnp_fail_at(error, file, (unsigned long)config_error_line(&plan->config),
                            "%.200s; a sweep is written like a machine file, with texts and units in quotes",
                            config_error_text(&plan->config));
    free(text);
    const config_setting_t *root = read ? config_root_setting(&plan->config) : NULL;
    if (root && !config_setting_length(root)) {
        mnp_fail_at(error, file, 0, "is empty; a plan states machines, and inputs, programs or apps (docs/sweep.md)");
        root = NULL;
    }
    const config_setting_t *vary = root ? config_setting_get_member(root, "vary") : NULL;
    const config_setting_t *options = root ? config_setting_get_member(root, "options") : NULL;
    bool done =
        root && check_names(plan, root, known, sizeof known / sizeof *known, error) &&
        read_texts(plan, config_setting_get_member(root, "machines"), &plan->machines, error) &&
        (plan->machines.count || mnp_fail_at(error, file, 0, "states no machine; write machines = [\"rtx3070\"];")) &&
        read_inputs(plan, root, error) && read_texts(plan, options, &plan->options, error) &&
        check_options(plan, options, error) &&
        read_objectives(plan, config_setting_get_member(root, "objectives"), error);
    if (done && vary && config_setting_type(vary) != CONFIG_TYPE_LIST)
        done = fail_at(plan, vary, error, VARY);
    for (int i = 0; done && vary && i < config_setting_length(vary); i++)
        done = read_axis(plan, config_setting_get_elem(vary, (unsigned)i), error);
    done = done && read_compare(plan, config_setting_get_member(root, "compare"), error) &&
           read_points(plan, root, &points, error) && make_runs(plan, &points, most, error);
    if (done)
        join_list(plan);
    return done;
}

static void release_values(struct sweep_axis *axis)
{
    for (uint32_t i = 0; i < axis->values.count; i++)
        free(((char **)axis->values.items)[i]);
    mnp_array_release(&axis->values);
}

void cli_sweep_plan_release(struct sweep_plan *plan)
{
    struct sweep_run *runs = plan->runs.items;
    struct sweep_input *inputs = plan->inputs.items;
    struct sweep_axis *axes = plan->axes.items;
    for (uint32_t i = 0; i < plan->runs.count; i++)
        release_run(&runs[i]);
    for (uint32_t i = 0; i < plan->places.count; i++)
        free(((struct sweep_place *)plan->places.items)[i].values);
    for (uint32_t i = 0; i < plan->inputs.count; i++) {
        free(inputs[i].words);
        free(inputs[i].text);
    }
    for (uint32_t i = 0; i < plan->axes.count; i++)
        release_values(&axes[i]);
    release_values(&plan->together);
    free((char *)plan->together.key);
    for (uint32_t i = 0; i < plan->shown.count; i++)
        free(((char **)plan->shown.items)[i]);
    struct mnp_array *arrays[] = {&plan->shown, &plan->machines,   &plan->inputs, &plan->options,
                                  &plan->axes,  &plan->objectives, &plan->runs,   &plan->places};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        mnp_array_release(arrays[i]);
    free(plan->apps);
    config_destroy(&plan->config);
}
