/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/comparison.h"

#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "cli/sweep/contexts.h"
#include "cli/sweep/interval.h"
#include "results/charts/grouped_bars.h"
#include "results/report/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 24, RATIOS = 54 /* characters for names and for ratios in a line of 80 */, NARROWEST = 8 };

#define MEAN_NAME "geometric mean"

/* Logarithms of ratios, and of the objective, of `count` pairs of runs out of those that the plan has. */
struct cell {
    double sum, least, greatest, objective;
    uint32_t count, planned;
};

struct table {
    const struct sweep_comparison *comparison;
    uint32_t axis; /* the number of axes: the machines */
    uint32_t values, inputs, machines;
    bool brief;         /* short names of inputs, which differ */
    struct cell *cells; /* [machines + 1][inputs][values]; the last machine: all of them */
};

static bool of_machines(const struct table *t)
{
    return t->axis == t->comparison->plan->axes.count;
}

static const char *value_name(const struct table *t, uint32_t value)
{
    const struct sweep_plan *plan = t->comparison->plan;
    return of_machines(t) ? ((const char *const *)plan->shown.items)[value]
                          : ((const char *const *)cli_sweep_axis(plan, t->axis)->values.items)[value];
}

static const char *axis_name(const struct table *t)
{
    return of_machines(t) ? "machine" : cli_sweep_axis(t->comparison->plan, t->axis)->key;
}

/* The name of a workload of ours, or a program without its folder and with its arguments; a trace as it is written. */
static const char *brief_name(const struct sweep_plan *plan, uint32_t input)
{
    const struct sweep_input *of = (const struct sweep_input *)plan->inputs.items + input;
    if (plan->apps && of->words[0] == plan->apps)
        return of->words[2];
    const char *name = of->text;
    for (size_t i = 0, end = of->program ? strcspn(of->text, " ") : 0; i < end; i++)
        if (of->text[i] == '/')
            name = of->text + i + 1;
    return name;
}

static bool has_brief_names(const struct sweep_plan *plan)
{
    for (uint32_t i = 0; i < plan->inputs.count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(brief_name(plan, i), brief_name(plan, k)) == 0)
                return false;
    return true;
}

static const char *input_name(const struct table *t, uint32_t input)
{
    const struct sweep_plan *plan = t->comparison->plan;
    return t->brief ? brief_name(plan, input) : ((const struct sweep_input *)plan->inputs.items)[input].text;
}

static const char *machine_name(const struct table *t, uint32_t machine)
{
    return machine < t->machines ? ((const char *const *)t->comparison->plan->shown.items)[machine] : "all";
}

static struct cell *cell_at(const struct table *t, uint32_t machine, uint32_t input, uint32_t value)
{
    return &t->cells[((size_t)machine * t->inputs + input) * t->values + value];
}

/* ===== what is compared ===== */

static uint32_t values_of(const struct sweep_plan *plan, uint32_t axis)
{
    return axis < plan->axes.count ? ((const struct sweep_axis *)plan->axes.items)[axis].values.count
                                   : plan->machines.count;
}

/* The axis that the plan names; otherwise the first one with several values, or the machines. */
static uint32_t choose_axis(const struct sweep_plan *plan)
{
    uint32_t count = plan->axes.count;
    for (uint32_t i = 0; i < count; i++) {
        const char *key = ((const struct sweep_axis *)plan->axes.items)[i].key;
        if (plan->compare ? strcmp(key, plan->compare) == 0 : values_of(plan, i) > 1)
            return i;
    }
    return count;
}

bool cli_sweep_compares(const struct sweep_plan *plan)
{
    return (plan->compare || plan->inputs.count > 1) && values_of(plan, choose_axis(plan)) > 1;
}

/* ===== ratios ===== */

static void take(struct cell *cell, double ratio, double objective)
{
    cell->planned++;
    if (isnan(ratio))
        return;
    cell->least = cell->count && cell->least < ratio ? cell->least : ratio;
    cell->greatest = cell->count && cell->greatest > ratio ? cell->greatest : ratio;
    cell->sum += ratio;
    cell->objective += objective;
    cell->count++;
}

static void take_context(void *to, const struct sweep_cell *cells, uint32_t count)
{
    const struct table *t = to;
    double base = cells[0].value == 0 ? cells[0].mean : NAN;
    for (uint32_t i = 0; i < count; i++) {
        const struct sweep_cell *each = &cells[i];
        double ratio = t->comparison->most ? each->mean - base : base - each->mean;
        if (t->machines)
            take(cell_at(t, each->machine, each->input, each->value), ratio, each->mean);
        take(cell_at(t, t->machines, each->input, each->value), ratio, each->mean);
    }
}

/* The ratio of an input, with the least and the greatest one. */
static struct sweep_ratio ratio_of(const struct cell *cell)
{
    if (!cell->count)
        return (struct sweep_ratio){NAN, NAN, NAN};
    return (struct sweep_ratio){exp(cell->sum / cell->count), exp(cell->least), exp(cell->greatest)};
}

/* The geometric mean over inputs, with its interval. */
static struct sweep_ratio mean_of(const struct table *t, uint32_t machine, uint32_t value)
{
    struct sweep_sample sample = {0};
    for (uint32_t i = 0; i < t->inputs; i++) {
        const struct cell *cell = cell_at(t, machine, i, value);
        if (cell->count)
            cli_sweep_sample_add(&sample, cell->sum / cell->count);
    }
    return cli_sweep_sample_mean(&sample);
}

/* ===== the three files ===== */

/* The pairs of a cell, or of a mean over inputs. */
static struct cell pairs_of(const struct table *t, uint32_t machine, uint32_t first, uint32_t end, uint32_t value)
{
    struct cell all = {0};
    for (uint32_t input = first; input < end; input++) {
        const struct cell *cell = cell_at(t, machine, input, value);
        all.count += cell->count;
        all.planned += cell->planned;
    }
    return all;
}

/* Inputs by the names of the table of runs, so that both can be joined; those of drawings are labels. */
static void write_csv(const struct table *t, FILE *out)
{
    const struct sweep_input *inputs = t->comparison->plan->inputs.items;
    mnp_print_csv(out, "input,machine,%s,%s,ratio,low,high,pairs_done,pairs_planned,label\n", axis_name(t),
                  t->comparison->objective);
    for (uint32_t input = 0; input <= t->inputs; input++)
        for (uint32_t machine = 0; machine <= t->machines; machine++)
            for (uint32_t value = 0; value < t->values; value++) {
                bool is_mean = input == t->inputs;
                const struct cell *cell = is_mean ? NULL : cell_at(t, machine, input, value);
                struct sweep_ratio ratio = is_mean ? mean_of(t, machine, value) : ratio_of(cell);
                mnp_print_csv(out, "%s,%s,%s,", is_mean ? MEAN_NAME : inputs[input].text, machine_name(t, machine),
                              value_name(t, value));
                if (cell && cell->count)
                    fprintf(out, "%.6g", exp(cell->objective / cell->count));
                cli_sweep_ratio_csv(&ratio, out);
                struct cell pairs = pairs_of(t, machine, is_mean ? 0 : input, is_mean ? t->inputs : input + 1, value);
                mnp_print_csv(out, ",%u,%u,%s\n", pairs.count, pairs.planned,
                              is_mean ? MEAN_NAME : input_name(t, input));
            }
}

/* A text in LaTeX. */
static void put_latex(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("#$%&_{}", *text))
            fprintf(out, "\\%c", *text);
        else if (*text == '\\')
            fputs("\\textbackslash{}", out);
        else if (*text == '~' || *text == '^')
            fprintf(out, "\\%c{}", *text);
        else if (*text == '-' && text[1] == '-') /* two are a dash */
            fputs("-{}", out);
        else if ((unsigned char)*text >= ' ')
            putc(*text, out);
    }
}

static void write_latex_row(const struct table *t, const char *name, const char *machine,
                            const struct sweep_ratio *ratios, FILE *out)
{
    put_latex(name, out);
    if (machine) {
        fputs(", ", out);
        put_latex(machine, out);
    }
    for (uint32_t value = 1; value < t->values; value++) {
        const struct sweep_ratio *ratio = &ratios[value];
        if (isfinite(ratio->value))
            fprintf(out, " & %.3f", ratio->value);
        else
            fputs(" & --", out);
        if (strcmp(name, MEAN_NAME) == 0 && isfinite(ratio->low))
            fprintf(out, " (%.3f--%.3f)", ratio->low, ratio->high);
    }
    fputs(" \\\\\n", out);
}

static void write_latex(const struct table *t, FILE *out)
{
    struct sweep_ratio *ratios = mnp_allocate(t->values, sizeof *ratios);
    fputs("% Written by maniple sweep --summary. More than 1 is better; means with 95 % intervals.\n\\begin{tabular}{l",
          out);
    for (uint32_t value = 1; value < t->values; value++)
        putc('r', out);
    fputs("}\n\\hline\n", out);
    for (uint32_t value = 1; value < t->values; value++) {
        fputs(" & ", out);
        put_latex(value_name(t, value), out);
    }
    fputs(" \\\\\n\\hline\n", out);
    for (uint32_t input = 0; input < t->inputs; input++) {
        for (uint32_t value = 1; value < t->values; value++)
            ratios[value] = ratio_of(cell_at(t, t->machines, input, value));
        write_latex_row(t, input_name(t, input), NULL, ratios, out);
    }
    fputs("\\hline\n", out);
    for (uint32_t machine = t->machines > 1 ? 0 : t->machines; machine <= t->machines; machine++) {
        for (uint32_t value = 1; value < t->values; value++)
            ratios[value] = mean_of(t, machine, value);
        write_latex_row(t, MEAN_NAME, machine < t->machines ? machine_name(t, machine) : NULL, ratios, out);
    }
    fputs("\\hline\n", out);
    if (*t->comparison->incomplete)
        mnp_print_text(out, "\\multicolumn{%u}{l}{%s} \\\\\n", t->values, t->comparison->incomplete);
    fputs("\\end{tabular}\n", out);
    free(ratios);
}

static void draw(const struct table *t, FILE *out)
{
    uint32_t by_machine = t->machines > 1 ? t->machines : 0, groups = t->inputs + by_machine + 1,
             series = t->values - 1;
    struct results_bar *bars = mnp_allocate((size_t)groups * series, sizeof *bars);
    const char **names = mnp_allocate(groups, sizeof *names), **values = mnp_allocate(series, sizeof *values);
    char title[320], scale[200];
    for (uint32_t group = 0; group < groups; group++)
        for (uint32_t i = 0; i < series; i++) {
            struct sweep_ratio ratio = group < t->inputs
                                           ? ratio_of(cell_at(t, t->machines, group, i + 1))
                                           : mean_of(t, group + 1 < groups ? group - t->inputs : t->machines, i + 1);
            bars[group * series + i] = (struct results_bar){ratio.value, ratio.low, ratio.high};
        }
    for (uint32_t group = 0; group < groups; group++)
        names[group] = group < t->inputs    ? input_name(t, group)
                       : group + 1 < groups ? machine_name(t, group - t->inputs)
                                            : MEAN_NAME;
    for (uint32_t i = 0; i < series; i++)
        values[i] = value_name(t, i + 1);
    snprintf(title, sizeof title, "%.80s against %.80s, by input, and geometric means%s%s", axis_name(t),
             value_name(t, 0), *t->comparison->incomplete ? "; " : "", t->comparison->incomplete);
    snprintf(scale, sizeof scale, "gain in %.80s (more than 1 is better)", t->comparison->objective);
    const struct results_grouped_bars drawing = {.bars = bars,
                                                 .group_names = names,
                                                 .series_names = values,
                                                 .groups = groups,
                                                 .series = series,
                                                 .apart = t->inputs,
                                                 .title = title,
                                                 .y = scale};
    results_draw_grouped_bars(&drawing, out);
    free(bars);
    free(names);
    free(values);
}

static bool write_file(const struct table *t, const char *prefix, const char *suffix,
                       void (*write)(const struct table *, FILE *), struct mnp_error *error)
{
    struct mnp_output output = {0};
    char *path = NULL;
    if (asprintf(&path, "%s-by-input.%s", prefix, suffix) < 0)
        mnp_out_of_memory(strlen(prefix));
    bool open = mnp_output_open(&output, path, error);
    if (open)
        write(t, output.stream);
    bool done = open && mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
    mnp_output_discard(&output);
    free(path);
    return done;
}

/* ===== the table for people ===== */

/* Width of a column: the longest name of a value. */
static int column_width(const struct table *t)
{
    size_t width = NARROWEST;
    for (uint32_t value = 1; value < t->values; value++)
        width = strlen(value_name(t, value)) > width ? strlen(value_name(t, value)) : width;
    return width < RATIOS ? (int)width : RATIOS - 1;
}

static void write_number(double value, int width, FILE *out)
{
    if (isfinite(value))
        fprintf(out, " %*.3f", width, value);
    else
        mnp_print_text(out, " %*s", width, "-");
}

/* The intervals of the means of all machines, for values from `first` to `end`. */
static void write_intervals(const struct table *t, uint32_t first, uint32_t end, int width, FILE *out)
{
    static const char *const ends[] = {"  95 % interval from", "                 to"};
    bool wide = false;
    for (int i = 0; i < 2; i++) {
        mnp_print_text(out, "%-24s", ends[i]);
        for (uint32_t value = first; value < end; value++) {
            struct sweep_ratio mean = mean_of(t, t->machines, value);
            wide |= isfinite(mean.value) && !isfinite(mean.low);
            write_number(i ? mean.high : mean.low, width, out);
        }
        putc('\n', out);
    }
    if (wide)
        mnp_print_text(out,
                       "  -: the interval over %u inputs is wider than x%.0f and says nothing;\n"
                       "     give more inputs\n",
                       t->inputs, CLI_SWEEP_WIDEST);
}

/* How many of the pairs of each value are there. */
static void write_pairs(const struct table *t, uint32_t first, uint32_t end, int width, FILE *out)
{
    mnp_print_text(out, "%-24s", "  pairs that are there");
    for (uint32_t value = first; value < end; value++) {
        struct cell pairs = pairs_of(t, t->machines, 0, t->inputs, value);
        char text[32];
        snprintf(text, sizeof text, "%u/%u", pairs.count, pairs.planned);
        mnp_print_text(out, " %*s", width, text);
    }
    putc('\n', out);
}

/* Columns from value `first` to `end`. */
static void write_block(const struct table *t, uint32_t first, uint32_t end, int width, FILE *out)
{
    mnp_print_text(out, "%-*.*s", NAMES, NAMES, "");
    for (uint32_t value = first; value < end; value++)
        mnp_print_text(out, " %*.*s", width, width, value_name(t, value));
    putc('\n', out);
    for (uint32_t input = 0; input < t->inputs; input++) {
        char name[25];
        mnp_print_text(out, "%-24s", results_report_fit(input_name(t, input), name, sizeof name - 1));
        for (uint32_t value = first; value < end; value++)
            write_number(ratio_of(cell_at(t, t->machines, input, value)).value, width, out);
        putc('\n', out);
    }
    for (uint32_t machine = t->machines > 1 ? 0 : t->machines; machine <= t->machines; machine++) {
        mnp_print_text(out, "%-*.*s", NAMES, NAMES, machine < t->machines ? machine_name(t, machine) : MEAN_NAME);
        for (uint32_t value = first; value < end; value++)
            write_number(mean_of(t, machine, value).value, width, out);
        fputs(machine < t->machines ? "  mean\n" : "\n", out);
    }
    if (t->inputs > 1)
        write_intervals(t, first, end, width, out);
    if (t->comparison->lacks)
        write_pairs(t, first, end, width, out);
}

bool cli_sweep_comparison_write(const struct sweep_comparison *comparison, const char *prefix, FILE *out,
                                struct mnp_error *error)
{
    const struct sweep_plan *plan = comparison->plan;
    struct table t = {.comparison = comparison,
                      .axis = choose_axis(plan),
                      .inputs = plan->inputs.count,
                      .brief = has_brief_names(plan)};
    t.values = values_of(plan, t.axis);
    t.machines = of_machines(&t) ? 0 : plan->machines.count;
    t.cells = mnp_allocate(((size_t)t.machines + 1) * t.inputs * t.values, sizeof *t.cells);
    cli_sweep_contexts(plan, t.axis, comparison->value, take_context, &t);
    mnp_print_text(out,
                   "\nGain in %s by input: %s against %s; more than 1 is better (%s-by-input.csv, .svg, .tex)%s%s\n",
                   comparison->objective, axis_name(&t), value_name(&t, 0), prefix, *comparison->incomplete ? "; " : "",
                   comparison->incomplete);
    int width = column_width(&t);
    uint32_t columns = (uint32_t)(RATIOS / (width + 1)), compared = 0;
    for (uint32_t value = 1; value < t.values; value++)
        compared += pairs_of(&t, t.machines, 0, t.inputs, value).count;
    if (!compared)
        mnp_print_text(out, "no run is there whose counterpart with %s is\n", value_name(&t, 0));
    for (uint32_t first = 1; compared && first < t.values; first += columns)
        write_block(&t, first, first + columns < t.values ? first + columns : t.values, width, out);
    bool done = write_file(&t, prefix, "csv", write_csv, error) && write_file(&t, prefix, "svg", draw, error) &&
                write_file(&t, prefix, "tex", write_latex, error);
    free(t.cells);
    return done;
}
