/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/energy/voltage.h"

#include "base/error.h"
#include "base/range.h"
#include "engine/count/statistics.h"
#include "gpu/energy/rows.h"

#include <string.h>

struct term {
    size_t count, raised;              /* counters */
    const struct mnp_term *terms, *of; /* the row's, and the count's */
    uint64_t more;                     /* fJ of an event, above that of the lowest clock */
};

static size_t place_of(const struct mnp_model *model, const char *name)
{
    for (size_t row = 0; row < model->statistic_count; row++)
        if (strcmp(model->statistics[row].name, name) == 0) {
            MNP_REQUIRE(!model->statistics[row].kind->part, "%s has an energy and is computed", name);
            return mnp_statistic_place(model, row);
        }
    mnp_bug(__FILE__, __LINE__, "%s has no statistic %s", model->name, name);
}

/* The term of what voltages add; NULL: the row follows none. */
static const struct mnp_term *raised_by(const struct mnp_term *terms)
{
    for (; terms->name; terms++)
        if (gpu_energy_is_of_voltage(terms->name))
            return terms;
    return NULL;
}

static void add_row(struct gpu_voltage *voltage, const struct mnp_model *model, const struct mnp_term *terms)
{
    const struct mnp_term *raised = raised_by(terms);
    for (const struct mnp_term *of = terms; raised && of->name; of++) {
        if (!of->key || !gpu_energy_has_term(voltage->p, of))
            continue;
        struct term *term = mnp_array_add(&voltage->terms, 1, sizeof *term);
        *term = (struct term){place_of(model, of->name), place_of(model, raised->name), terms, of, 0};
    }
}

void gpu_voltage_init(struct gpu_voltage *voltage, const struct mnp_settings *settings,
                      const struct gpu_energy_parameters *p, const struct mnp_model *model, enum gpu_energy_place place)
{
    uint64_t core = mnp_settings_number(settings, "clock.core");
    size_t count;
    const struct mnp_statistic *rows = gpu_energy_rows(place, &count);
    *voltage = (struct gpu_voltage){.settings = settings, .p = p, .lowest = mnp_min(p->lowest, core)};
    for (size_t row = 0; row < count; row++)
        if (rows[row].with)
            add_row(voltage, model, rows[row].with);
    gpu_voltage_turn(voltage, core);
}

void gpu_voltage_release(struct gpu_voltage *voltage)
{
    mnp_array_release(&voltage->terms);
}

uint32_t gpu_voltage_width(const struct gpu_voltage *voltage)
{
    return voltage->terms.count;
}

void gpu_voltage_turn(struct gpu_voltage *voltage, uint64_t hertz)
{
    struct term *terms = voltage->terms.items;
    for (uint32_t i = 0; i < voltage->terms.count; i++) {
        uint64_t least = gpu_energy_weight(voltage->settings, voltage->p, voltage->lowest, terms[i].terms, terms[i].of);
        uint64_t now = gpu_energy_weight(voltage->settings, voltage->p, hertz, terms[i].terms, terms[i].of);
        terms[i].more = now > least ? now - least : 0;
    }
}

void gpu_voltage_add(const struct gpu_voltage *voltage, uint64_t *counters, uint64_t *seen)
{
    const struct term *terms = voltage->terms.items;
    for (uint32_t i = 0; i < voltage->terms.count; i++) {
        uint64_t count = counters[terms[i].count];
        counters[terms[i].raised] += (count - seen[i]) * terms[i].more;
        seen[i] = count;
    }
}
