/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/interactions.h"

#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "cli/sweep/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 10 /* pairs that the text has; the table has all */, NAMES = 56 };

/* A cause: an axis, or the machines. */
struct factor {
    const char *name;
    const struct mnp_array *values; /* items: const char * */
    size_t stride;                  /* places from a value to the next one, with all else equal */
};

/* Differences of differences of one input. */
struct cell {
    double sum;
    uint32_t count;
};

/* The interaction of a value of one factor with one of another. */
struct interaction {
    uint32_t first, second, a, b; /* factors and values */
    double mean;                  /* mean of logarithms; NAN: none */
    struct sweep_ratio ratio;     /* the same with its interval */
    uint32_t done, planned;       /* contexts */
};

struct view {
    const struct sweep_plan *plan;
    const double *objective;
    struct factor *factors;
    uint32_t count;
    struct cell *cells; /* [inputs] */
};

static const struct sweep_axis *axis_at(const struct sweep_plan *plan, uint32_t place)
{
    return (const struct sweep_axis *)plan->axes.items + place;
}

/* Places of a grid have their inputs fastest, then machines, then the last axis. */
static void find_factors(struct view *view)
{
    const struct sweep_plan *plan = view->plan;
    size_t stride = plan->inputs.count;
    view->factors = mnp_allocate(plan->axes.count + 1, sizeof *view->factors);
    if (plan->machines.count > 1)
        view->factors[view->count++] = (struct factor){"machine", &plan->shown, stride};
    stride *= plan->machines.count;
    for (uint32_t i = plan->axes.count; i-- > 0;) {
        const struct sweep_axis *axis = axis_at(plan, i);
        if (axis->values.count > 1)
            view->factors[view->count++] = (struct factor){axis->key, &axis->values, stride};
        stride *= axis->values.count;
    }
}

bool cli_sweep_interacts(const struct sweep_plan *plan)
{
    uint32_t several = plan->machines.count > 1;
    for (uint32_t i = 0; i < plan->axes.count; i++)
        several += axis_at(plan, i)->values.count > 1;
    return plan->shape == SWEEP_GRID && several > 1;
}

static const char *value_at(const struct factor *factor, uint32_t value)
{
    return ((const char *const *)factor->values->items)[value];
}

static double logarithm(const struct view *view, size_t place)
{
    double value = view->objective[((const struct sweep_place *)view->plan->places.items)[place].run];
    return value > 0 && isfinite(value) ? log(value) : NAN;
}

/* Sums the contexts of a pair of values: all places where both factors have their first ones. */
static void sum_contexts(const struct view *view, struct interaction *pair)
{
    const struct factor *f = &view->factors[pair->first], *g = &view->factors[pair->second];
    uint32_t inputs = view->plan->inputs.count;
    size_t far = pair->a * f->stride, wide = pair->b * g->stride;
    for (size_t place = 0; place < view->plan->places.count; place++) {
        if (place / f->stride % f->values->count || place / g->stride % g->values->count)
            continue;
        double both = logarithm(view, place + far + wide) - logarithm(view, place + wide),
               alone = logarithm(view, place + far) - logarithm(view, place);
        pair->planned++;
        if (isnan(both - alone))
            continue;
        pair->done++;
        view->cells[place % inputs].sum += both - alone;
        view->cells[place % inputs].count++;
    }
}

/* The mean over inputs of means over an input's contexts, and its interval. */
static void find_interaction(const struct view *view, struct interaction *pair)
{
    struct sweep_sample sample = {0};
    uint32_t inputs = view->plan->inputs.count;
    memset(view->cells, 0, inputs * sizeof *view->cells);
    sum_contexts(view, pair);
    for (uint32_t i = 0; i < inputs; i++)
        if (view->cells[i].count)
            cli_sweep_sample_add(&sample, view->cells[i].sum / view->cells[i].count);
    pair->mean = sample.count ? sample.sum / sample.count : NAN;
    pair->ratio = cli_sweep_sample_mean(&sample);
}

static double size_of(const struct interaction *pair)
{
    return isnan(pair->mean) ? -1 : fabs(pair->mean);
}

static int by_size(const void *a, const void *b)
{
    const struct interaction *left = a, *right = b;
    double x = size_of(left), y = size_of(right);
    if (x != y)
        return x < y ? 1 : -1;
    return left->first != right->first ? (left->first < right->first ? -1 : 1)
                                       : (left->second > right->second) - (left->second < right->second);
}

/* ===== writing ===== */

static void write_row(const struct view *view, const struct interaction *pair, FILE *out)
{
    const struct factor *f = &view->factors[pair->first], *g = &view->factors[pair->second];
    mnp_print_csv(out, "%s,%s,%s,%s,%s,%s", f->name, value_at(f, pair->a), value_at(f, 0), g->name,
                  value_at(g, pair->b), value_at(g, 0));
    cli_sweep_ratio_csv(&pair->ratio, out);
    fprintf(out, ",%u,%u\n", pair->done, pair->planned);
}

static void tell(const struct view *view, const struct interaction *pair, FILE *out)
{
    const struct factor *f = &view->factors[pair->first], *g = &view->factors[pair->second];
    char *names = NULL;
    if (isnan(pair->mean) || asprintf(&names, "%.60s=%.40s with %.60s=%.40s", f->name, value_at(f, pair->a), g->name,
                                      value_at(g, pair->b)) < 0)
        return;
    mnp_print_text(out, "  %-*s %8.3f", NAMES, names, pair->ratio.value);
    if (!isnan(pair->ratio.low))
        fprintf(out, "  %.3f to %.3f", pair->ratio.low, pair->ratio.high);
    if (pair->done < pair->planned)
        fprintf(out, "  %u of %u", pair->done, pair->planned);
    putc('\n', out);
    free(names);
}

/* Finds the interactions of all values of two factors, writes them, and returns the greatest. */
static struct interaction write_pair(const struct view *view, uint32_t first, uint32_t second, FILE *out)
{
    struct interaction greatest = {.first = first, .second = second, .mean = NAN};
    for (uint32_t a = 1; a < view->factors[first].values->count; a++)
        for (uint32_t b = 1; b < view->factors[second].values->count; b++) {
            struct interaction pair = {.first = first, .second = second, .a = a, .b = b};
            find_interaction(view, &pair);
            write_row(view, &pair, out);
            if (size_of(&pair) > size_of(&greatest))
                greatest = pair;
        }
    return greatest;
}

static bool write_all(const struct view *view, struct interaction *pairs, uint32_t *count, const char *prefix,
                      struct mnp_error *error)
{
    struct mnp_output output = {0};
    char *path = NULL;
    if (asprintf(&path, "%s-interactions.csv", prefix) < 0)
        mnp_out_of_memory(strlen(prefix));
    bool open = mnp_output_open(&output, path, error);
    if (open)
        fputs("key,value,against,with,with_value,with_against,ratio,low,high,contexts_done,contexts_planned\n",
              output.stream);
    for (uint32_t i = view->count; open && i-- > 0;) /* in the order of the plan, machines last */
        for (uint32_t k = i; k-- > 0;)
            pairs[(*count)++] = write_pair(view, i, k, output.stream);
    bool done = open && mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
    mnp_output_discard(&output);
    free(path);
    return done;
}

bool cli_sweep_interactions_write(const struct sweep_plan *plan, const double *objective, const char *name,
                                  const char *prefix, FILE *out, struct mnp_error *error)
{
    struct view view = {.plan = plan, .objective = objective};
    find_factors(&view);
    view.cells = mnp_allocate(plan->inputs.count + 1, sizeof *view.cells);
    struct interaction *pairs = mnp_allocate(view.count * view.count + 1, sizeof *pairs);
    uint32_t count = 0;
    bool done = write_all(&view, pairs, &count, prefix, error);
    if (done && count) {
        qsort(pairs, count, sizeof *pairs, by_size);
        mnp_print_text(out,
                       "\nInteractions in %s, the greatest of each two keys: 1 is none (%s-interactions.csv has all)\n",
                       name, prefix);
        for (uint32_t i = 0; i < count && i < MOST_PAIRS; i++)
            tell(&view, &pairs[i], out);
    }
    free(pairs);
    free(view.cells);
    free(view.factors);
    return done;
}
