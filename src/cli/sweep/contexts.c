/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/contexts.h"

#include "base/allocate.h"

#include <math.h>
#include <stdlib.h>

struct view {
    const struct sweep_plan *plan;
    const double *objective;
    uint32_t axis;
    bool whole; /* the other axes are part of a context */
};

static const struct sweep_place *place_at(const struct view *view, uint32_t place)
{
    return (const struct sweep_place *)view->plan->places.items + place;
}

static bool of_machines(const struct view *view)
{
    return view->axis == view->plan->axes.count;
}

static uint32_t value_of(const struct view *view, const struct sweep_place *place)
{
    return of_machines(view) ? place->machine : place->values[view->axis];
}

/* Places that differ in nothing but the axis are equal. */
static int by_context(const struct view *view, const struct sweep_place *a, const struct sweep_place *b)
{
    if (a->input != b->input)
        return a->input < b->input ? -1 : 1;
    if (!of_machines(view) && a->machine != b->machine)
        return a->machine < b->machine ? -1 : 1;
    for (uint32_t i = 0; (view->whole || of_machines(view)) && i < view->plan->axes.count; i++)
        if (i != view->axis && a->values[i] != b->values[i])
            return a->values[i] < b->values[i] ? -1 : 1;
    return 0;
}

static int by_context_and_value(const void *a, const void *b, void *context)
{
    const struct view *view = context;
    const struct sweep_place *left = place_at(view, *(const uint32_t *)a),
                             *right = place_at(view, *(const uint32_t *)b);
    int order = by_context(view, left, right);
    uint32_t first = value_of(view, left), second = value_of(view, right);
    return order ? order : (first > second) - (first < second);
}

static bool tells(const struct view *view, const struct sweep_place *place)
{
    for (uint32_t i = 0; view->plan->shape == SWEEP_ONE && i < view->plan->axes.count; i++)
        if (i != view->axis && place->values[i])
            return false;
    return true;
}

/* The cell of `count` places of one context and value. */
static struct sweep_cell cell_of(const struct view *view, const uint32_t *order, uint32_t count)
{
    const struct sweep_place *first = place_at(view, order[0]);
    struct sweep_cell cell = {.value = value_of(view, first), .machine = first->machine, .input = first->input};
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double value = view->objective[place_at(view, order[i])->run];
        sum += value > 0 && isfinite(value) ? log(value) : NAN;
    }
    cell.mean = sum / count;
    return cell;
}

static void give_context(const struct view *view, const uint32_t *order, uint32_t count, struct sweep_cell *cells,
                         cli_sweep_take *take, void *to)
{
    uint32_t cell_count = 0;
    for (uint32_t i = 0, next; i < count; i = next) {
        uint32_t value = value_of(view, place_at(view, order[i]));
        for (next = i + 1; next < count && value_of(view, place_at(view, order[next])) == value;)
            next++;
        cells[cell_count++] = cell_of(view, order + i, next - i);
    }
    take(to, cells, cell_count);
}

void cli_sweep_contexts(const struct sweep_plan *plan, uint32_t axis, const double *objective, cli_sweep_take *take,
                        void *to)
{
    struct view view = {.plan = plan,
                        .objective = objective,
                        .axis = axis,
                        .whole = plan->shape == SWEEP_GRID || plan->shape == SWEEP_ONE};
    uint32_t *order = mnp_allocate(plan->places.count + 1, sizeof *order), count = 0;
    struct sweep_cell *cells = mnp_allocate(plan->places.count + 1, sizeof *cells);
    for (uint32_t i = 0; i < plan->places.count; i++)
        if (tells(&view, place_at(&view, i)))
            order[count++] = i;
    qsort_r(order, count, sizeof *order, by_context_and_value, &view);
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1;
             next < count && by_context(&view, place_at(&view, order[i]), place_at(&view, order[next])) == 0;)
            next++;
        give_context(&view, order + i, next - i, cells, take, to);
    }
    free(cells);
    free(order);
}
