/* SPDX-License-Identifier: BSD-3-Clause */
/* A weighted sum over the units of a machine: in the ledger's total, of each unit, and over time. */
#include "toy.h"

#include "engine/count/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SEED = 4242 };

static const struct mnp_model *const models[] = {&toy_core_model};

static struct toy_machine *run(struct mnp_ledger *ledger)
{
    struct toy_parameters parameters = toy_random_parameters(SEED);
    struct toy_machine *machine = mnp_allocate(1, sizeof *machine);
    struct toy_program(*programs)[TOY_THREADS] = mnp_allocate(parameters.cores, sizeof *programs);
    struct mnp_run_options options = {
        .executor = &mnp_executor_serial, .threads = 1, .limit = MNP_SECOND / 1000, .hash_epochs = false};
    toy_random_programs(&parameters, SEED, 2, programs);
    toy_build(machine, &parameters, (const struct toy_program(*)[TOY_THREADS])programs);
    mnp_ledger_init(ledger, &machine->engine, 0, models, 1);
    assert_int_equal(mnp_engine_run(&machine->engine, &options), MNP_STOP_FINISHED);
    free(programs);
    return machine;
}

static void end(struct toy_machine *machine, struct mnp_ledger *ledger)
{
    mnp_ledger_release(ledger);
    toy_release(machine);
    free(machine);
}

static uint64_t energy_of(const struct mnp_unit *unit)
{
    const uint64_t *counters = mnp_counters(unit, 0);
    return counters[TOY_CORE_ISSUED] * 250 + counters[TOY_CORE_STORES] * 4000;
}

static void sums_over_units(void **state)
{
    (void)state;
    struct mnp_ledger ledger;
    struct toy_machine *machine = run(&ledger);
    struct mnp_statistic_set set;
    struct mnp_statistic_value value;
    uint64_t all = 0;
    mnp_statistics_init(&set, models, 1, true);
    mnp_ledger_total(&ledger, machine->engine.now, &set);
    for (uint32_t i = 0; i < machine->parameters.cores; i++) {
        all += energy_of(machine->core_unit[i]);
        assert_true(mnp_statistics_read_unit(&set, &set.blocks[0], TOY_CORE_ENERGY, i, &value));
        assert_int_equal(value.numerator, energy_of(machine->core_unit[i]));
    }
    assert_true(all > 0);
    assert_true(mnp_statistics_find(&set, "energy", &value));
    assert_int_equal(value.numerator, all);
    assert_int_equal(value.denominator, 1000);
    mnp_statistics_release(&set);
    end(machine, &ledger);
}

/* The first interval has everything, those behind it nothing: two of them are joined in the end. */
static void sums_over_time(void **state)
{
    (void)state;
    struct mnp_ledger ledger;
    struct toy_machine *machine = run(&ledger);
    struct mnp_samples samples;
    struct mnp_error error = {0};
    uint64_t all = 0, issued = 0;
    for (uint32_t i = 0; i < machine->parameters.cores; i++) {
        all += energy_of(machine->core_unit[i]);
        issued += mnp_counters(machine->core_unit[i], 0)[TOY_CORE_ISSUED];
    }
    assert_true(mnp_samples_init(&samples, models, 1, "energy,energy_per_instruction", 100, &error));
    for (uint64_t i = 1; i < MNP_SAMPLE_ROWS; i++)
        assert_int_equal(mnp_samples_take(&samples, &ledger, 100 * i, machine->engine.now), 100);
    struct mnp_statistic_value energy = mnp_samples_value(&samples, 0, 0);
    struct mnp_statistic_value each = mnp_samples_value(&samples, 0, 1);
    assert_true(energy.numerator == all && energy.scale == 1 && energy.denominator == 1000);
    assert_true(each.numerator == all && each.scale == 1 && each.denominator == issued);
    assert_int_equal(mnp_samples_value(&samples, 1, 0).numerator, 0);
    assert_int_equal(mnp_samples_take(&samples, &ledger, 100 * MNP_SAMPLE_ROWS, machine->engine.now), 200);
    energy = mnp_samples_value(&samples, 0, 0);
    each = mnp_samples_value(&samples, 0, 1);
    assert_true(energy.numerator == all && energy.denominator == 1000);
    assert_true(each.numerator == all && each.denominator == issued);
    mnp_samples_release(&samples);
    end(machine, &ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_over_units), cmocka_unit_test(sums_over_time)};
    return cmocka_run_group_tests_name("toy energy", tests, NULL, NULL);
}
