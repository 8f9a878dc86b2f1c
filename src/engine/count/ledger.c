/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/ledger.h"

#include "base/array.h"
#include "base/range.h"
#include "base/zeros.h"
#include "engine/core/course.h"
#include "engine/count/kinds/kind.h"
#include "engine/spread/ranks.h"

#include <stdlib.h>
#include <string.h>

static uint32_t find_model(const struct mnp_ledger *ledger, const struct mnp_model *model)
{
    uint32_t i = 0;
    while (i < ledger->model_count && ledger->models[i] != model)
        i++;
    return i;
}

/* Adds a unit's rates to those of its model. The units of a model share their clocks. */
static void add_paces(const struct mnp_unit *unit, struct mnp_pace *paces)
{
    const struct mnp_model *model = unit->model;
    for (size_t row = 0; row < model->statistic_count; row++) {
        if (!model->statistics[row].kind->paced)
            continue;
        struct mnp_pace pace = {0};
        model->pace(unit, row, &pace);
        MNP_REQUIRE(paces[row].hertz == 0 || paces[row].hertz == pace.hertz, "%s: %s has a clock of its own",
                    unit->name, model->statistics[row].name);
        paces[row].hertz = pace.hertz;
        paces[row].course = pace.course;
        MNP_REQUIRE(!pace.levels || !paces[row].amount, "%s: of several units, only one has a rate that changes",
                    unit->name);
        paces[row].levels = pace.levels;
        paces[row].amount += pace.amount;
    }
}

void mnp_ledger_init(struct mnp_ledger *ledger, struct mnp_engine *engine, uint32_t group,
                     const struct mnp_model *const *models, uint32_t model_count)
{
    *ledger = (struct mnp_ledger){.engine = engine, .group = group, .models = models, .model_count = model_count};
    ledger->lives = mnp_allocate(engine->unit_count, sizeof *ledger->lives);
    ledger->model_of = mnp_allocate(engine->unit_count, sizeof *ledger->model_of);
    ledger->paces = mnp_allocate(model_count, sizeof *ledger->paces);
    for (uint32_t i = 0; i < model_count; i++)
        ledger->paces[i] = mnp_allocate(models[i]->statistic_count + 1, sizeof **ledger->paces);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_unit *unit = engine->units[i];
        uint32_t model = unit->group == group ? find_model(ledger, unit->model) : model_count;
        ledger->model_of[i] = model;
        ledger->lives[i] = mnp_allocate(unit->counter_width + 1, sizeof **ledger->lives);
        if (model < model_count)
            add_paces(unit, ledger->paces[model]);
    }
}

void mnp_ledger_release(struct mnp_ledger *ledger)
{
    for (uint32_t i = 0; ledger->engine && i < ledger->engine->unit_count; i++)
        free(ledger->lives[i]);
    for (uint32_t i = 0; i < ledger->model_count; i++)
        free(ledger->paces[i]);
    free((void *)ledger->lives);
    free((void *)ledger->paces);
    free(ledger->model_of);
    *ledger = (struct mnp_ledger){0};
}

/* Cycles of a rate's clock up to a time. */
static uint64_t cycles_to(const struct mnp_pace *pace, mnp_time time)
{
    return pace->course ? mnp_course_cycle_at(pace->course, time) : mnp_cycle_at(pace->hertz, time);
}

/* The amount that has accumulated between two times at a rate that changes. */
static uint64_t passed_by_levels(const struct mnp_pace *pace, mnp_time from, mnp_time to)
{
    const struct mnp_pace_level *levels = pace->levels->items;
    uint64_t sum = 0;
    for (uint32_t i = 0, count = pace->levels->count; i < count; i++) {
        mnp_time begin = mnp_max(from, levels[i].from), end = i + 1 < count ? mnp_min(to, levels[i + 1].from) : to;
        if (begin < end)
            sum += (cycles_to(pace, end) - cycles_to(pace, begin)) * levels[i].amount;
    }
    return sum;
}

/* The amount that has accumulated between two times. */
static uint64_t passed(const struct mnp_pace *pace, mnp_time from, mnp_time to)
{
    if (!pace->hertz || to <= from)
        return 0;
    return pace->levels ? passed_by_levels(pace, from, to)
                        : (cycles_to(pace, to) - cycles_to(pace, from)) * pace->amount;
}

static void settle(const struct mnp_ledger *ledger, uint32_t slot, bool ends)
{
    if (ledger->settling.settle)
        ledger->settling.settle(ledger->settling.own, slot, ends);
}

void mnp_ledger_collect(struct mnp_ledger *ledger, uint32_t slot, mnp_time from, mnp_time to,
                        struct mnp_statistic_set *set)
{
    settle(ledger, slot, true);
    mnp_ranks_gather_counters(ledger->engine, slot);
    for (uint32_t i = 0; i < ledger->engine->unit_count; i++) {
        const struct mnp_unit *unit = ledger->engine->units[i];
        uint64_t *counters = mnp_counters(unit, slot);
        uint32_t model = ledger->model_of[i];
        size_t bytes = unit->counter_width * sizeof *counters;
        /* skipped: true for most units, if the part is small */
        if (model == ledger->model_count || mnp_only_zeros(counters, bytes))
            continue;
        mnp_statistics_combine(unit->model, set->blocks[model].values, counters);
        mnp_statistics_combine(unit->model, ledger->lives[i], counters);
        memset(counters, 0, bytes);
    }
    for (uint32_t model = 0; model < ledger->model_count; model++)
        for (size_t row = 0; row < ledger->models[model]->statistic_count; row++)
            if (ledger->paces[model][row].hertz)
                set->blocks[model].values[mnp_statistic_place(ledger->models[model], row)] =
                    passed(&ledger->paces[model][row], from, to);
}

/* Adds everything collected so far and the contents of the first `slots` slots of each unit. */
static void add_up(const struct mnp_ledger *ledger, uint32_t slots, mnp_time to, struct mnp_statistic_set *set)
{
    for (uint32_t i = 0; i < ledger->engine->unit_count; i++) {
        const struct mnp_unit *unit = ledger->engine->units[i];
        const struct mnp_model *model = unit->model;
        if (ledger->model_of[i] == ledger->model_count)
            continue;
        uint64_t *counters = mnp_allocate(unit->counter_width + 1, sizeof *counters);
        mnp_statistics_combine(model, counters, ledger->lives[i]);
        for (uint32_t slot = 0; slot < unit->slots && slot < slots; slot++)
            mnp_statistics_combine(model, counters, mnp_counters(unit, slot));
        for (size_t row = 0; row < model->statistic_count; row++) {
            if (!model->statistics[row].kind->paced)
                continue;
            struct mnp_pace pace = {0};
            model->pace(unit, row, &pace);
            counters[mnp_statistic_place(model, row)] = passed(&pace, 0, to);
        }
        mnp_statistics_add(set, model, counters);
        free(counters);
    }
}

void mnp_ledger_total(const struct mnp_ledger *ledger, mnp_time to, struct mnp_statistic_set *set)
{
    settle(ledger, 0, false);
    mnp_ranks_gather_counters(ledger->engine, 0);
    add_up(ledger, 1, to, set);
}

void mnp_ledger_present(const struct mnp_ledger *ledger, mnp_time now, struct mnp_statistic_set *set)
{
    settle(ledger, MNP_ALL_SLOTS, false);
    add_up(ledger, UINT32_MAX, now, set);
}

void mnp_ledger_gather(const struct mnp_ledger *ledger)
{
    settle(ledger, MNP_ALL_SLOTS, false);
    mnp_ranks_gather_counters(ledger->engine, MNP_ALL_SLOTS);
}

uint64_t mnp_ledger_sum(const struct mnp_ledger *ledger, uint32_t model, size_t row, uint32_t bin, mnp_time now)
{
    const struct mnp_model *of = ledger->models[model];
    const struct mnp_statistic *statistic = &of->statistics[row];
    if (statistic->kind->paced)
        return passed(&ledger->paces[model][row], 0, now);
    size_t place = mnp_statistic_place(of, row) + bin;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ledger->engine->unit_count; i++) {
        const struct mnp_unit *unit = ledger->engine->units[i];
        if (ledger->model_of[i] != model)
            continue;
        mnp_statistic_add(statistic->kind, &sum, ledger->lives[i][place]);
        for (uint32_t slot = 0; slot < unit->slots; slot++)
            mnp_statistic_add(statistic->kind, &sum, mnp_counters(unit, slot)[place]);
    }
    return sum;
}
