/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processors there are, and where threads and units are placed on them. Topologies are hwloc's synthetic ones. */
#include "engine/core/engine.h"
#include "engine/executors/homes.h"
#include "engine/executors/placement.h"
#include "engine/executors/processors.h"
#include "engine/executors/team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static cpu_set_t set_of(const char *list)
{
    cpu_set_t set, all;
    char part[32];
    memset(&all, 0xff, sizeof all);
    assert_null(mnp_processors_parse(list, &all, &set, part));
    return set;
}

/* ===== lists ===== */

static void lists(void **state)
{
    (void)state;
    static const struct {
        const char *text, *canonical;
    } good[] = {{"0", "0"},         {"3,1,2", "1-3"}, {"0-3,8,10-14:2", "0-3,8,10,12,14"},
                {"0-6:3", "0,3,6"}, {"5-", "5-7"},    {"1,1-1", "1"}};
    static const char *const bad[] = {"", ",", "1,", "x", "-1", "1-x", "2-1", "0-3:0", "3:2", "1--2", "0x", "1024",
                                      "99999999999999999999", "0-1023,0000000000000000000000000000000000000001"};
    cpu_set_t among = set_of("0-7"), set;
    char text[64], part[32];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_null(mnp_processors_parse(good[i].text, &among, &set, part));
        assert_string_equal(mnp_processors_format(&set, text, sizeof text), good[i].canonical);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(mnp_processors_parse(bad[i], &among, &set, part));
    set = set_of("0-1023:2");
    mnp_processors_format(&set, text, 8);
    assert_int_equal(strlen(text), 7);
}

static void choice_names_what_is_wrong(void **state)
{
    (void)state;
    struct mnp_processors host = {set_of("0-7"), set_of("0-6"), set_of("0-3")};
    static const struct {
        const char *list, *message;
    } rows[] = {{"0-3", NULL},
                {"2-", NULL},
                {"4,8", "has no processor 8"},
                {"0,7", "processor 7 is offline"},
                {"3-5", "may not use processor 4-5"},
                {"a", "\"a\" is not a whole number"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cpu_set_t chosen;
        struct mnp_error error = {""};
        assert_int_equal(mnp_processors_choose(rows[i].list, &host, &chosen, &error), rows[i].message == NULL);
        if (rows[i].message) {
            assert_non_null(strstr(error.text, rows[i].message));
            assert_non_null(strstr(error.text, "0-3")); /* the remedy */
        }
    }
}

/* ===== control groups ===== */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void quotas(void **state)
{
    (void)state;
    char root[] = "/tmp/maniple-quota-XXXXXX", path[128];
    assert_non_null(mkdtemp(root));
    static const char *const folders[] = {"/cpu", "/cpu/box", "/a", "/a/b"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    char membership[128], deep[128], box[128];
    snprintf(membership, sizeof membership, "%s/membership", root);
    snprintf(deep, sizeof deep, "%s/a/b", root);
    snprintf(box, sizeof box, "%s/cpu/box", root);
    write_file(root, "membership", "0::/a/b\n");
    assert_int_equal(mnp_processor_quota(membership, root), 0); /* no group states a limit */
    write_file(deep, "cpu.max", "max 100000\n");
    assert_int_equal(mnp_processor_quota(membership, root), 0);
    write_file(deep, "cpu.max", "250000 100000\n");
    assert_int_equal(mnp_processor_quota(membership, root), 2500);
    snprintf(path, sizeof path, "%s/a", root);
    write_file(path, "cpu.max", "50000 100000\n"); /* the group around it has less */
    assert_int_equal(mnp_processor_quota(membership, root), 500);
    write_file(root, "membership", "3:cpuset:/box\n4:cpu,cpuacct:/box\n0::/\n"); /* the first version */
    write_file(box, "cpu.cfs_quota_us", "-1\n");
    write_file(box, "cpu.cfs_period_us", "100000\n");
    assert_int_equal(mnp_processor_quota(membership, root), 0);
    write_file(box, "cpu.cfs_quota_us", "400000\n");
    assert_int_equal(mnp_processor_quota(membership, root), 4000);
    write_file(root, "membership", "4:cpu:/elsewhere/in/a/container\n"); /* the root is what there is */
    snprintf(path, sizeof path, "%s/cpu", root);
    write_file(path, "cpu.cfs_quota_us", "150000\n");
    write_file(path, "cpu.cfs_period_us", "100000\n");
    assert_int_equal(mnp_processor_quota(membership, root), 1500);
    write_file(path, "cpu.cfs_quota_us", "nonsense\n");
    assert_int_equal(mnp_processor_quota(membership, root), 0);
    assert_int_equal(mnp_processor_quota("/nonexistent", root), 0);
    snprintf(path, sizeof path, "rm -r %s", root);
    assert_int_equal(system(path), 0);
}

/* ===== order ===== */

#ifdef MANIPLE_HAVE_HWLOC
static void assert_order(const char *topology, const char *usable, const char *processors, const char *nodes)
{
    cpu_set_t set = set_of(usable);
    setenv("HWLOC_SYNTHETIC", topology, 1);
    struct mnp_placement placement = mnp_placement_of(&set);
    unsetenv("HWLOC_SYNTHETIC");
    char order[128] = "", where[128] = "";
    for (uint32_t i = 0; i < placement.count; i++) {
        snprintf(order + strlen(order), sizeof order - strlen(order), " %u", placement.processors[i]);
        snprintf(where + strlen(where), sizeof where - strlen(where), " %u", placement.nodes[i]);
    }
    assert_string_equal(order, processors);
    assert_string_equal(where, nodes);
    mnp_placement_release(&placement);
}
#endif

static void cores_before_hardware_threads(void **state)
{
    (void)state;
#ifdef MANIPLE_HAVE_HWLOC
    assert_order("numa:2 core:2 pu:2", "0-7", " 0 2 4 6 1 3 5 7", " 0 0 1 1 0 0 1 1");
    assert_order("numa:2 core:2 pu:2", "1-3,6", " 1 2 6 3", " 0 0 1 0"); /* of core 0 only the second one is usable */
    assert_order("numa:1 core:4 pu:1", "1,3", " 1 3", " 0 0");
    assert_order("numa:1 core:2 pu:1", "0-3", " 0 1 2 3", " 0 0 0 0"); /* the topology knows less than the system */
#else
    skip();
#endif
}

/* ===== units ===== */

static mnp_time sleeps(struct mnp_unit *unit, mnp_time until)
{
    (void)unit;
    (void)until;
    return MNP_NEVER;
}

static void units_have_homes_in_even_shares(void **state)
{
    (void)state;
    static const struct mnp_model core = {.name = "core", .advance = sleeps};
    static const struct mnp_model slice = {.name = "slice", .advance = sleeps};
    static const uint32_t nodes[] = {0, 0, 0, 1}; /* three threads on one node, one on the other */
    struct mnp_engine engine;
    struct mnp_homes homes = {.several = false};
    mnp_engine_init(&engine);
    for (uint32_t i = 0; i < 12; i++)
        mnp_engine_create_unit(&engine, &(struct mnp_unit_plan){
                                            .model = i < 8 ? &core : &slice, .name = "unit", .hertz = 1000000000});
    mnp_homes_divide(&homes, &engine, nodes, 4);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(homes.unit[i], i == 6 || i == 7 || i == 11); /* a quarter of each model's */
    mnp_homes_release(&homes);
    struct mnp_arena *state_of_one = &engine.units[0]->state;
    memset(state_of_one->base, 0xa5, state_of_one->capacity); /* moving keeps it, whether or not the host can */
    mnp_placement_move(state_of_one->base, state_of_one->capacity, 0);
    for (size_t i = 0; i < state_of_one->capacity; i++)
        assert_int_equal(((unsigned char *)state_of_one->base)[i], 0xa5);
    mnp_engine_release(&engine);
}

/* ===== teams ===== */

static void pause_first(void *context, uint32_t worker, uint32_t workers)
{
    (void)workers;
    struct timespec millisecond = {.tv_nsec = 1000000};
    if (worker == 0)
        nanosleep(&millisecond, NULL);
    else
        ++*(_Atomic uint32_t *)context;
}

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Threads that wait for a slow one cost next to nothing: 200 jobs of a millisecond for four threads on each processor
 * cost 600 milliseconds for each processor, were they to spin. What the host has besides to do changes no CPU time. */
static void who_waits_sleeps(void **state)
{
    (void)state;
    enum { JOBS = 200 };
    uint32_t threads = 4 * mnp_usable_processors();
    if (threads > 64)
        threads = 64;
    for (uint32_t few = 0; few < 2; few++) {
        struct mnp_team *team = mnp_team_start(few ? mnp_team_processors(1) : threads, true);
        _Atomic uint32_t done = 0;
        double before = processor_seconds();
        for (int i = 0; i < JOBS; i++)
            mnp_team_run(team, threads, pause_first, &done);
        double seconds = processor_seconds() - before;
        assert_int_equal(done, JOBS * (mnp_team_size(team) - 1));
        assert_true(seconds < 0.3e-3 * JOBS * mnp_team_size(team)); /* of 1 ms for each thread and job */
        if (!few)
            assert_int_equal(mnp_team_placed(team)->binding, MNP_BINDING_CROWDED);
        mnp_team_stop(team);
    }
}

/* A process that may use one processor of several binds nothing, and wants one thread. */
static void inside_a_mask(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(mnp_granted_processors(), 1);
    struct mnp_team *team = mnp_team_start(2, true);
    assert_int_equal(mnp_team_placed(team)->binding, MNP_BINDING_CROWDED);
    mnp_team_stop(team);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(choice_names_what_is_wrong),
        cmocka_unit_test(quotas),
        cmocka_unit_test(cores_before_hardware_threads),
        cmocka_unit_test(units_have_homes_in_even_shares),
        cmocka_unit_test(who_waits_sleeps),
        cmocka_unit_test(inside_a_mask),
    };
    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
