/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory system of every built-in machine under the load of all its SMs: L2 and DRAM come within five percent of
 * what ports, timing and refresh allow, and latencies under half that load stay near the unloaded ones. Stand-ins send
 * the requests, so that nothing but GPCs, slices and channels can be the bound.
 */
#include "built_in.h"
#include "gpu/device/latency.h"
#include "machines.h"
#include "memory_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct memory_run serial = {0};

/* ===== machines ===== */

static void describe(const struct gpu_parameters *p, struct memory_options *options)
{
    struct gpu_link_times links = {0};
    uint64_t extra = 0;
    memory_defaults(options);
    assert_true(gpu_find_link_times(p, &links) && gpu_dram_extra(p, &extra));
    options->sms = (uint32_t)p->sm.count;
    options->gpcs = (uint32_t)p->gpc.count;
    options->partition = p->partition;
    options->network = p->network;
    options->core_hertz = p->machine.clock_core;
    options->noc_hertz = p->machine.clock_noc;
    options->l2_hertz = p->machine.clock_l2;
    options->dram_hertz = p->machine.clock_dram;
    options->link_cycles = mnp_cycle_at(options->core_hertz, links.sm_to_gpc);
    options->dram_extra = extra;
}

/* Of each SM, if all together send so many. */
static uint64_t requests(const struct memory_options *options, uint64_t all)
{
    return all / options->sms;
}

enum { CHECKS = 4 };

/* A board has its parts from another machine's file. */
static bool is_board(const struct mnp_machine_file *file)
{
    return strstr(file->text, "extends = ") && !strstr(file->text, "default_for = ");
}

/* Calls check number `which` with each GPU; boards have one of the checks, in turn. */
static void for_every_machine(void (*check)(const char *name, struct memory_options *options), uint32_t which)
{
    uint32_t boards = 0;
    for (const struct mnp_machine_file *file = mnp_built_in_machines; file->name; file++) {
        struct gpu_parameters parameters;
        struct memory_options options;
        if (!built_in_gpu(file->name, &parameters) || (is_board(file) && boards++ % CHECKS != which))
            continue;
        describe(&parameters, &options);
        check(file->name, &options);
    }
}

/* ===== what is measured ===== */

struct outcome {
    uint64_t picoseconds; /* of the middle half of the run, by replies */
    uint64_t sectors;     /* moved in it */
    uint64_t latency;     /* mean of the replies in it, core cycles */
};

static uint64_t received(const struct memory_machine *machine)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < machine->options.sms; i++)
        sum += machine->sms[i].state->received;
    return sum;
}

static uint64_t latency_sum(const struct memory_machine *machine)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < machine->options.sms; i++)
        sum += machine->sms[i].state->latency_sum;
    return sum;
}

/* Runs until `target` replies have come, looking every 64 cycles; returns the cycle. */
static uint64_t run_to(struct memory_machine *machine, uint64_t target, uint64_t cycle)
{
    while (received(machine) < target) {
        cycle += 64;
        assert_true(cycle < 10000000);
        memory_run(machine, &serial, cycle);
    }
    return cycle;
}

/* Sectors per time in the middle half of the run, when all is full and nothing has ended. */
static struct outcome measure(const struct memory_options *options, uint32_t sectors)
{
    struct memory_machine machine;
    memory_build(&machine, options);
    uint64_t all = options->sms * options->requests;
    uint64_t begin = run_to(&machine, all / 4, 0), from = received(&machine);
    uint64_t before = latency_sum(&machine);
    uint64_t end = run_to(&machine, all / 4 * 3, begin), to = received(&machine);
    struct outcome outcome = {.picoseconds = mnp_edge(options->core_hertz, end - begin) / 1000,
                              .sectors = (to - from) * sectors,
                              .latency = (latency_sum(&machine) - before) / (to - from)};
    memory_release(&machine);
    return outcome;
}

/* Percent of a bound in sectors per cycle of a clock, `parts` of them side by side and each busy `cycles` a sector. */
static uint64_t percent(const struct outcome *outcome, uint64_t hertz, uint64_t parts, uint64_t cycles)
{
    unsigned __int128 possible = (unsigned __int128)outcome->picoseconds * hertz / UINT64_C(1000000000000);
    return (uint64_t)((unsigned __int128)outcome->sectors * 100 * cycles / (possible * parts));
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ===== L2 ===== */

/* Every SM walks through the same lines, each from a place of its own; they fit into the L2. */
static uint64_t resident(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    uint64_t lines = 4096;
    request->line = (number + sm->index * (lines / sm->options->sms)) % lines * 128;
    request->sectors = 15;
    return number * sm->options->interval;
}

/* L2 cycles for which a line occupies a slice: its lookup or its reply port. */
static uint64_t slice_cycles(const struct memory_options *options)
{
    uint64_t port = options->partition.port;
    return larger((128 + port - 1) / port, gpu_port_cycles(options->network.header, options->network.reply_width, 4));
}

/* Percent of what the slices' lookups and reply ports, and the SMs' reply ports, allow. */
static uint64_t l2_percent(const struct memory_options *options, const struct outcome *outcome)
{
    const struct gpu_partition_parameters *l2 = &options->partition;
    uint64_t sm = gpu_port_cycles(options->network.header, options->network.reply_width, 4);
    uint64_t of_slices = percent(outcome, options->l2_hertz, 4 * l2->count * l2->slices, slice_cycles(options));
    uint64_t of_sms = percent(outcome, options->noc_hertz, 4 * (uint64_t)options->sms, sm);
    return larger(of_slices, of_sms);
}

/* Whether slices could answer nearly all that SMs can ask for. Then the ports of GPCs are the bound, as a request whose
 * port another SM has holds back those behind it. */
static bool is_crossing_bound(const struct memory_options *options)
{
    const struct gpu_partition_parameters *l2 = &options->partition;
    uint64_t sm = gpu_port_cycles(options->network.header, options->network.reply_width, 4);
    return 10 * l2->count * l2->slices * sm * options->l2_hertz >
           8 * options->sms * slice_cycles(options) * options->noc_hertz;
}

static void check_l2(const char *name, struct memory_options *options)
{
    options->make = resident;
    options->requests = requests(options, 200000); /* far more than wait at once, while lines are new, too */
    options->outstanding = 256;
    options->partition.coalesce = 1; /* each read by itself: all SMs read the same lines, nearly together */
    struct outcome full = measure(options, 4);
    uint64_t reached = l2_percent(options, &full);
    print_message("%-10s L2   %3llu %% of the ports, loaded latency %llu\n", name, (unsigned long long)reached,
                  (unsigned long long)full.latency);
    assert_in_range(reached, is_crossing_bound(options) ? 75 : 95, 101);
}

static void l2_streams_at_the_rate_of_its_ports(void **state)
{
    (void)state;
    for_every_machine(check_l2, 0);
}

/* ===== DRAM ===== */

static uint64_t cold(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    request->line = (number * sm->options->sms + sm->index) * 128;
    request->sectors = 15;
    return number * sm->options->interval;
}

/* DRAM cycles for which one sector keeps a data bus. */
static uint64_t burst_of(const struct memory_options *options)
{
    const struct mnp_dram_parameters *dram = &options->partition.dram;
    return larger(32 * dram->pseudo_channels / dram->bus_width / dram->data_rate, dram->timing.ccd);
}

/* Percent of the data buses' time that refreshes of all banks leave; refreshes of one bank are hidden by the others. */
static uint64_t dram_percent(const struct memory_options *options, const struct outcome *outcome)
{
    const struct mnp_dram_parameters *dram = &options->partition.dram;
    uint64_t buses = options->partition.count * dram->pseudo_channels;
    uint64_t of_bus = percent(outcome, options->dram_hertz, buses, burst_of(options));
    if (dram->refresh == MNP_DRAM_REFRESH_BANK || dram->timing.refi == 0)
        return of_bus;
    return of_bus * dram->timing.refi / (dram->timing.refi - dram->timing.rfc);
}

static void check_dram(const char *name, struct memory_options *options)
{
    options->make = cold;
    options->requests = requests(options, 60000);
    options->outstanding = 512;
    struct outcome full = measure(options, 4);
    uint64_t reached = dram_percent(options, &full);
    print_message("%-10s DRAM %3llu %% of the bus, loaded latency %llu\n", name, (unsigned long long)reached,
                  (unsigned long long)full.latency);
    assert_in_range(reached, 95, 101);
}

static void dram_streams_at_the_rate_of_its_bus(void **state)
{
    (void)state;
    for_every_machine(check_dram, 1);
}

/* ===== reads and writes ===== */

/* A line is read, the next one written in full; all lines are new, so that as much is written back. */
static uint64_t copy(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    cold(sm, number, request);
    if (number % 2) {
        request->kind = GPU_WRITE;
        request->bytes[0] = request->bytes[1] = UINT64_MAX;
    }
    return 0;
}

/* Percent of the bus's time that moves data when rows are open and a drain of high - low writes alternates with as many
 * reads. */
static uint64_t turning_percent(const struct memory_options *options)
{
    const struct mnp_dram_parameters *dram = &options->partition.dram;
    const struct mnp_dram_timing *t = &dram->timing;
    uint64_t burst = burst_of(options), each = (dram->write_high - dram->write_low) / dram->pseudo_channels;
    uint64_t turns = t->cl + burst + 2 - t->wl + t->wl + burst + t->cdlr - 2 * burst;
    return 200 * each * burst / (2 * each * burst + turns);
}

static void check_copy(const char *name, struct memory_options *options)
{
    uint64_t lines = 8 * options->partition.cache.ways * options->partition.count * options->partition.slices;
    options->make = copy;
    options->requests = requests(options, larger(100000, 5 * lines));
    options->outstanding = 512;
    options->partition.cache.size = 8 * options->partition.cache.ways * 128; /* full before the measurement begins */
    struct outcome full = measure(options, 4);
    uint64_t reached = dram_percent(options, &full), possible = turning_percent(options);
    print_message("%-10s copy %3llu %% of the bus, turning it leaves %llu\n", name, (unsigned long long)reached,
                  (unsigned long long)possible);
    /* The timings of these are their kinds' presets, which hold a bus back by more than its turning. */
    bool preset = strncmp(name, "rtx4", 4) == 0 || strncmp(name, "rtx5", 4) == 0 || strncmp(name, "rtx-", 4) == 0 ||
                  name[0] == 'l';
    assert_in_range(reached, possible * (preset ? 80 : 95) / 100, 101);
}

static void copies_lose_what_turning_the_bus_costs(void **state)
{
    (void)state;
    for_every_machine(check_copy, 2);
}

/* ===== latency under half the load ===== */

static uint64_t paced(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    const struct memory_options *options = sm->options;
    cold(sm, number, request);
    if (options->seed == 2)
        resident(sm, number, request);
    return (number * options->sms + sm->index) * options->interval / options->sms;
}

/* Core cycles between two requests of an SM at half of so many sectors per cycle of a clock. */
static uint64_t half_interval(const struct memory_options *options, uint64_t hertz, uint64_t parts, uint64_t cycles)
{
    return 2 * 4 * (uint64_t)options->sms * cycles * (options->core_hertz / 1000) / (parts * (hertz / 1000)) + 1;
}

static void check_half(const char *name, struct memory_options *options)
{
    struct gpu_partition_parameters *memory = &options->partition;
    uint64_t slice = slice_cycles(options), buses = memory->count * memory->dram.pseudo_channels;
    uint64_t links = 4 * options->link_cycles + 2 * GPU_GPC_CYCLES;
    options->make = paced;
    options->requests = requests(options, 16000);
    options->outstanding = 512;
    options->interval = half_interval(options, options->dram_hertz, buses, burst_of(options));
    struct outcome dram = measure(options, 4);
    uint64_t idle =
        links + options->dram_extra + gpu_partition_dram_cycles(memory, options->l2_hertz, options->dram_hertz, false);
    options->seed = 2;
    options->requests = requests(options, 150000); /* what waits while lines are new is gone in a quarter of them */
    options->interval = half_interval(options, options->l2_hertz, 4 * memory->count * memory->slices, slice);
    struct outcome l2 = measure(options, 4);
    uint64_t l2_idle = links + gpu_partition_hit_cycles(memory);
    assert_in_range(dram.latency, idle * 80 / 100, idle * 107 / 100);
    assert_in_range(l2.latency, l2_idle, l2_idle * 103 / 100);
    print_message("%-10s half load: DRAM %llu, unloaded %llu; L2 %llu, unloaded %llu\n", name,
                  (unsigned long long)dram.latency, (unsigned long long)idle, (unsigned long long)l2.latency,
                  (unsigned long long)l2_idle);
}

static void half_the_load_hardly_waits(void **state)
{
    (void)state;
    for_every_machine(check_half, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(l2_streams_at_the_rate_of_its_ports),
        cmocka_unit_test(dram_streams_at_the_rate_of_its_bus),
        cmocka_unit_test(copies_lose_what_turning_the_bus_costs),
        cmocka_unit_test(half_the_load_hardly_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
