/* SPDX-License-Identifier: BSD-3-Clause */
/* Links of every built-in machine, with its own clocks and with any others. */
#include "built_in.h"

#include "gpu/device/latency.h"
#include "machines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void expect_links(const char *name, const struct gpu_parameters *p)
{
    const uint64_t core = p->machine.clock_core, noc = p->machine.clock_noc, l2 = p->machine.clock_l2;
    struct gpu_link_times t;
    assert_true(gpu_find_link_times(p, &t));
    const struct {
        mnp_time time;
        uint64_t hertz[2];
    } links[] = {
        {t.sm_to_gpc, {core, noc}},
        {t.gpc_to_sm, {noc, core}},
        {t.gpc_to_partition[0], {noc, l2}},
        {t.partition_to_gpc[0], {l2, noc}},
        {t.gpc_to_partition[1], {noc, l2}},
        {t.partition_to_gpc[1], {l2, noc}},
        {t.to_sm, {core, core}},
    };
    for (uint32_t i = 0; i < sizeof links / sizeof *links; i++)
        if (links[i].time < mnp_edge(core, 2) || links[i].time < mnp_edge(links[i].hertz[0], 2) ||
            links[i].time < mnp_edge(links[i].hertz[1], 2))
            fail_msg("%s, %lu, %lu, %lu Hz: link %u of %lu fs", name, (unsigned long)core, (unsigned long)noc,
                     (unsigned long)l2, i, (unsigned long)links[i].time);
}

/* On any clocks no link is shorter than two cycles of its ends, and no window need be shorter than a core cycle. With
 * its own clocks, links and pipelines of a machine add up to the L2 latency that it states. */
static void test_links_on_any_clocks(void **state)
{
    (void)state;
    static const uint64_t clocks[] = {1000000, 345000000, UINT64_C(10000000000)};
    for (const struct mnp_machine_file *file = mnp_built_in_machines; file->name; file++) {
        struct gpu_parameters p;
        struct gpu_link_times t;
        if (!built_in_gpu(file->name, &p))
            continue;
        assert_true(gpu_find_link_times(&p, &t));
        const mnp_time links[] = {t.sm_to_gpc, t.gpc_to_partition[0], t.partition_to_gpc[0], t.gpc_to_sm};
        uint64_t cycles = gpu_least_l2_latency(&p) - 4 * 2;
        for (uint32_t i = 0; i < 4; i++)
            cycles += mnp_cycle_at(p.machine.clock_core, links[i]);
        assert_int_equal(cycles, p.machine.latency_l2);
        expect_links(file->name, &p);
        for (uint32_t i = 0; i < 27; i++) {
            p.machine.clock_core = clocks[i % 3];
            p.machine.clock_noc = clocks[i / 3 % 3];
            p.machine.clock_l2 = clocks[i / 9];
            expect_links(file->name, &p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_links_on_any_clocks)};
    return cmocka_run_group_tests_name("gpu links", tests, NULL, NULL);
}
