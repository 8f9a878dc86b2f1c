/* SPDX-License-Identifier: BSD-3-Clause */
/* The temperature of a chip (gpu/energy/thermal.h) against the exponential that a step of power leads to. */
#include "gpu/energy/thermal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { WATTS = 300, FJ_PER_W_NS = 1000000 };

static struct gpu_thermal begin(uint64_t degrees, struct gpu_energy_stage chip, struct gpu_energy_stage cooler)
{
    const struct gpu_energy_parameters p = {.temperature = degrees,
                                            .thermal = {.ambient = 25, .chip = chip, .cooler = cooler}};
    struct gpu_thermal thermal;
    gpu_thermal_init(&thermal, &p);
    assert_int_equal(gpu_thermal_now(&thermal), 1000 * degrees);
    return thermal;
}

/* Degrees above the air of a stage that began at `above` and has had a constant power since. */
static double exponential(struct gpu_energy_stage stage, double above, double nanoseconds)
{
    double end = (double)stage.resistance / 1000 * WATTS;
    return stage.constant ? end + (above - end) * exp(-nanoseconds / (1000 * (double)stage.constant)) : 0;
}

/* Compares ten time constants of a step of power with the exponentials of both stages, within a thousandth. */
static void compare(uint64_t degrees, struct gpu_energy_stage chip, struct gpu_energy_stage cooler, uint64_t interval)
{
    struct gpu_thermal thermal = begin(degrees, chip, cooler);
    double all = (double)(chip.resistance + cooler.resistance), above = (double)degrees - 25;
    uint64_t steps = 10 * 1000 * (cooler.constant > chip.constant ? cooler.constant : chip.constant) / interval;
    for (uint64_t step = 1; step <= steps; step++) {
        gpu_thermal_step(&thermal, interval, WATTS * FJ_PER_W_NS * interval);
        double time = (double)(step * interval), expected = 25;
        expected += exponential(chip, above * (double)chip.resistance / all, time);
        expected += exponential(cooler, above * (double)cooler.resistance / all, time);
        double found = (double)gpu_thermal_now(&thermal) / 1000;
        if (fabs(found - expected) > 0.001 * all / 1000 * WATTS + 0.001)
            fail_msg("after %g ns: %g degrees, %g by the exponential", time, found, expected);
    }
    double end = 25 + all / 1000 * WATTS, found = (double)gpu_thermal_now(&thermal) / 1000;
    assert_true(fabs(found - end) < 0.002 * all / 1000 * WATTS);
}

static void a_step_of_power_is_an_exponential(void **context)
{
    (void)context;
    const struct gpu_energy_stage none = {0}, chip = {20, 20000}, cooler = {120, 2000000}, quick = {200, 30};
    compare(25, chip, none, 20000);
    compare(25, none, cooler, 100000);
    compare(25, chip, cooler, 50000);
    compare(80, chip, cooler, 1000000);
    compare(90, quick, none, 1000);
    compare(25, quick, none, 3000); /* a tenth of the constant, the longest interval that is allowed */
}

static void it_cools_to_the_air(void **context)
{
    (void)context;
    struct gpu_thermal thermal = begin(90, (struct gpu_energy_stage){20, 1000}, (struct gpu_energy_stage){100, 30000});
    uint64_t before = gpu_thermal_now(&thermal);
    for (int i = 0; i < 10000; i++) {
        gpu_thermal_step(&thermal, 100000, 0);
        assert_true(gpu_thermal_now(&thermal) <= before);
        before = gpu_thermal_now(&thermal);
    }
    assert_int_equal(before, 25000);
}

static void steps_do_not_matter(void **context)
{
    (void)context;
    const struct gpu_energy_stage chip = {25, 15000}, cooler = {90, 9000000};
    struct gpu_thermal fine = begin(40, chip, cooler), coarse = fine;
    for (int i = 1; i <= 100000; i++) {
        gpu_thermal_step(&fine, 1000, UINT64_C(500) * FJ_PER_W_NS * 1000);
        if (i % 1000 == 0)
            gpu_thermal_step(&coarse, 1000000, UINT64_C(500) * FJ_PER_W_NS * 1000000);
    }
    int64_t apart = (int64_t)gpu_thermal_now(&fine) - (int64_t)gpu_thermal_now(&coarse);
    assert_in_range(apart + 20, 0, 40); /* thousandths of a degree, of 12 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_of_power_is_an_exponential),
        cmocka_unit_test(it_cools_to_the_air),
        cmocka_unit_test(steps_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
