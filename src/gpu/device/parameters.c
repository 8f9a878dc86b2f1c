/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/device/parameters.h"

#include "engine/declare/declare.h"
#include "gpu/device/latency.h"
#include "gpu/device/topology.h"
#include "gpu/sm/sm.h"

#define MNP_TABLE_OF struct gpu_machine_parameters
#define CLOCK(KEY, FIELD, HELP)                                                                                        \
    MNP_CLOCK_ROW(KEY, FIELD, NULL, 1000000, UINT64_C(10000000000), HELP, "vendor specification")
/* The clock that latencies were measured with: of the machine as the file that states latency.l2 describes it. */
#define MEASURED(KEY, CLOCK_KEY, FIELD, HELP)                                                                          \
    {                                                                                                                  \
        .key = KEY, .type = MNP_HERTZ, .unit = "Hz", .offset = MNP_FIELD(uint64_t, FIELD), .minimum = 1000000,         \
        .maximum = UINT64_C(10000000000), .help = HELP, .source = "the measurement that latencies are from",           \
        .follows = CLOCK_KEY, .beside = "latency.l2"                                                                   \
    }

enum { LATENCY_MAX = 100000 /* cycles */ };

static const struct mnp_parameter machine_table[] = {
    CLOCK("clock.core", clock_core, "clock of the SMs and the dispatcher"),
    CLOCK("clock.noc", clock_noc, "clock of the GPCs and the crossbar"),
    CLOCK("clock.l2", clock_l2, "clock of the L2 slices"),
    CLOCK("clock.dram", clock_dram, "command clock of the DRAM channels"),
    {.key = "clock.sm2sm",
     .type = MNP_HERTZ,
     .unit = "Hz",
     .offset = MNP_FIELD(uint64_t, clock_sm2sm),
     .minimum = 1000000,
     .maximum = UINT64_C(10000000000),
     .help = "clock of the SM-to-SM network; not stated: that of the crossbar",
     .source = "assumed",
     .follows = "clock.noc"},
    MNP_NUMBER_ROW(
        "latency.l2", "cycle", latency_l2, NULL, 16, LATENCY_MAX,
        "L2 hit, issue to dependent issue, unloaded, in cycles of latency.clock.core; the links are what remains of it",
        "microbenchmarks, see the machine file"),
    MNP_NUMBER_ROW("latency.l2_far", "cycle", latency_l2_far, "0", 0, LATENCY_MAX,
                   "the same where GPC and partition lie in different parts (l2.halves); 0: as latency.l2",
                   "microbenchmarks, see the machine file"),
    MNP_NUMBER_ROW("latency.l2_strong", "cycle", latency_l2_strong, "0", 0, LATENCY_MAX,
                   "hit of a strong read with l2.strong_home, the mean over lines of all parts: latency.l2 for those "
                   "of the nearer part, the rest for others, which writes and atomics take, too; 0: latency.l2_far",
                   "microbenchmarks, see the machine file"),
    MNP_NUMBER_ROW(
        "latency.dram", "cycle", latency_dram, NULL, 16, LATENCY_MAX,
        "L2 miss in a closed row, issue to dependent issue, unloaded, in cycles of latency.clock.core; with l2.copies "
        "the mean over lines of all parts",
        "microbenchmarks, see the machine file"),
    MNP_NUMBER_ROW(
        "latency.sm_to_sm", "cycle", latency_sm_to_sm, "180", 1, LATENCY_MAX,
        "load from the shared memory of another SM of the GPC, issue to dependent issue, unloaded, in cycles "
        "of latency.clock.core: of the nearest pair, to which sm2sm.reach adds",
        "Luo et al., arXiv 2402.13499"),
    MEASURED("latency.clock.core", "clock.core", measured_core,
             "core clock of the machine that latencies were measured on, and in whose cycles they are stated"),
    MEASURED("latency.clock.noc", "clock.noc", measured_noc, "network clock of that machine"),
    MEASURED("latency.clock.l2", "clock.l2", measured_l2, "L2 clock of that machine"),
    MEASURED("latency.clock.dram", "clock.dram", measured_dram, "DRAM clock of that machine"),
    MEASURED("latency.clock.sm2sm", "clock.noc", measured_sm2sm,
             "clock of the SM-to-SM network of that machine; to be stated where clock.sm2sm is"),
    MNP_FLAG_ROW(
        "memcpy_warms_l2", memcpy_warms_l2, "false",
        "copies to the device and fills leave their lines in the L2; in a trace they wait for the kernels before them",
        "Khairy et al., Accel-Sim, ISCA 2020; GPGPU-Sim, perf_sim_memcpy"),
    MNP_FLAG_ROW(
        "ptx.schedule", ptx_schedule, "true",
        "programs that are executed: independent operations of PTX are reordered as an assembler does, so that loads "
        "overlap; false: the order of the text",
        "list scheduling, docs/ptx-compiler.md"),
    MNP_NUMBER_ROW("livelock", "cycle", livelock, "10000000", 0, UINT64_C(1) << 40,
                   "core cycles without progress after which a run ends with a report; 0: never",
                   "DESIGN of the engine"),
    MNP_FLAG_ROW(
        "ptx.select", ptx_select, "true",
        "programs that are executed: operations of PTX become the instructions that an assembler makes of them; false: "
        "one instruction each",
        "docs/ptx-compiler.md, output of ptxas 13"),
    MNP_FLAG_ROW("ptx.unroll", ptx_unroll, "false",
                 "programs that are executed: short loops of PTX that count by a constant are unrolled as an assembler "
                 "does, with ptx.select alone",
                 "docs/ptx-compiler.md, output of ptxas 13"),
};
const struct mnp_model gpu_machine_model = {
    .name = "gpu",
    .summary = "The GPU as a whole: clocks, and the latencies that microbenchmarks see",
    MNP_PARAMETERS(machine_table),
};

static bool check_sm(const struct gpu_parameters *p, const struct mnp_settings *settings, struct mnp_error *error)
{
    const struct sm_parameters *sm = &p->sm;
    if (sm->warps > sm->subcores * 64)
        return mnp_settings_fail(settings, "sm.warps", error,
                                 "a sub-core holds at most 64 warps; use at most %lu or "
                                 "more sub-cores",
                                 (unsigned long)sm->subcores * 64);
    if (sm->latency_l1 <= sm->memory_front)
        return mnp_settings_fail(settings, "latency.l1", error, "must be greater than sm.memory.front (%lu)",
                                 (unsigned long)sm->memory_front);
    if (sm->latency_shared <= sm->memory_front)
        return mnp_settings_fail(settings, "latency.shared", error, "must be greater than sm.memory.front (%lu)",
                                 (unsigned long)sm->memory_front);
    if (sm->l1d_line % sm->l1d_sector || (sm->l1d_line & (sm->l1d_line - 1)))
        return mnp_settings_fail(settings, "sm.l1d.line", error, "must be a power of two of at least a sector");
    if (sm->l1d_line != p->partition.line)
        return mnp_settings_fail(settings, "sm.l1d.line", error, "must equal l2.line (%lu)",
                                 (unsigned long)p->partition.line);
    if (p->gpc.count > sm->count)
        return mnp_settings_fail(settings, "gpc.count", error,
                                 "there are more GPCs than SMs (%lu); lower it to as many", (unsigned long)sm->count);
    if (sm->texture_latency <= sm->memory_front)
        return mnp_settings_fail(settings, "sm.texture.latency", error, "must be greater than sm.memory.front (%lu)",
                                 (unsigned long)sm->memory_front);
    return (sm_check(sm, error) && gpu_gpc_code_check(&p->gpc, p->partition.line, error)) ||
           mnp_settings_place(settings, error);
}

/* Cycles of one kind of memory are none of another: who states another kind states timing, too. The first six are those
 * without which a kind's own are taken. */
static bool check_kind(const struct mnp_settings *settings, struct mnp_error *error)
{
    static const char *const timing[] = {"dram.timing.cl",  "dram.timing.rcd",  "dram.timing.ras", "dram.timing.rp",
                                         "dram.timing.rc",  "dram.timing.ccd",  "dram.timing.rrd", "dram.timing.faw",
                                         "dram.timing.wl",  "dram.timing.ccdl", "dram.timing.wr",  "dram.timing.refi",
                                         "dram.timing.rfc", "dram.timing.rfcb"};
    const char *inherited = NULL;
    for (int i = sizeof timing / sizeof *timing - 1; i >= 0; i--) {
        if (mnp_settings_number(settings, timing[i]) == 0)
            continue;
        if (!mnp_settings_is_nearer(settings, "dram.kind", timing[i]))
            return true;
        inherited = i < 6 ? timing[i] : inherited;
    }
    return !inherited || !mnp_settings_is_changed(settings, "dram.kind") ||
           mnp_settings_fail(
               settings, "dram.kind", error,
               "%s and others of dram.timing remain in cycles of the kind of memory before; state those of "
               "this kind, or 0 for cl, rcd, ras, rp, rc and ccd to have its own",
               inherited);
}

/* Clocks far from those of the measurement make links of any length: they end where a latency's own limit does. */
static bool check_links(const struct gpu_parameters *p, const struct mnp_settings *settings, struct mnp_error *error)
{
    struct gpu_link_times times;
    if (!gpu_find_link_times(p, &times))
        return mnp_settings_fail(settings, "latency.l2", error,
                                 "%lu cycles of latency.clock.core are less than the pipelines take, and "
                                 "the links two cycles each; state at least %lu",
                                 (unsigned long)p->machine.latency_l2, (unsigned long)gpu_least_l2_latency(p));
    uint64_t longest = gpu_longest_link(p, &times), to_sm = mnp_cycle_at(p->machine.clock_core, times.to_sm);
    if (longest > LATENCY_MAX)
        return mnp_settings_fail(settings, "latency.l2", error,
                                 "with these clocks a link takes %lu cycles, and %d is the most; bring clock.* nearer "
                                 "to latency.clock.*",
                                 (unsigned long)longest, LATENCY_MAX);
    if (to_sm > DISPATCH_WAY_MAX)
        return mnp_settings_fail(settings, "launch.to_sm", error,
                                 "with these clocks it is %lu core cycles, and %d is the most; bring clock.* nearer "
                                 "to latency.clock.*",
                                 (unsigned long)to_sm, DISPATCH_WAY_MAX);
    if (p->sm2sm.lanes && p->machine.latency_sm_to_sm < gpu_least_sm_to_sm(p))
        return mnp_settings_fail(settings, "latency.sm_to_sm", error,
                                 "%lu cycles of latency.clock.core are less than the pipelines take, and "
                                 "the links two cycles each; state at least %lu",
                                 (unsigned long)p->machine.latency_sm_to_sm, (unsigned long)gpu_least_sm_to_sm(p));
    return true;
}

/* latency.l2_strong is a mean of latency.l2 and of no more than latency.l2_far. */
static bool check_strong(const struct gpu_parameters *p, const struct mnp_settings *settings, struct mnp_error *error)
{
    uint64_t near = p->machine.latency_l2, far = p->machine.latency_l2_far, parts = p->partition.halves;
    uint64_t strong = p->machine.latency_l2_strong, most = near + (far - near) * (parts - 1) / parts;
    if (!strong)
        return true;
    if (!p->partition.strong_home || parts < 2)
        return mnp_settings_fail(settings, "latency.l2_strong", error,
                                 "is for strong reads that l2.strong_home sends to another part of the L2; state "
                                 "l2.strong_home = true, or leave it out");
    return (strong >= near && strong <= most) ||
           mnp_settings_fail(settings, "latency.l2_strong", error,
                             "%lu cycles are no mean of latency.l2 and at most latency.l2_far; state %lu to %lu",
                             (unsigned long)strong, (unsigned long)near, (unsigned long)most);
}

static bool check(const struct gpu_parameters *p, const struct mnp_settings *settings, struct mnp_error *error)
{
    uint64_t extra;
    uint64_t far = p->machine.latency_l2_far;
    if (far && far < p->machine.latency_l2)
        return mnp_settings_fail(settings, "latency.l2_far", error,
                                 "is less than latency.l2 (%lu); state at least that, or 0 for the same",
                                 (unsigned long)p->machine.latency_l2);
    if (p->partition.copies && p->partition.halves > 1 && !far)
        return mnp_settings_fail(settings, "l2.copies", error,
                                 "changes nothing where every part is as far; state latency.l2_far, or false");
    if (!check_strong(p, settings, error))
        return false;
    if (p->partition.channels && p->partition.channels != p->partition.count)
        return mnp_settings_fail(settings, "dram.channels", error, "must equal partition.count (%lu), or be left out",
                                 (unsigned long)p->partition.count);
    return check_sm(p, settings, error) && gpu_energy_check(&p->energy, settings, error) &&
           ((gpu_topology_check(p, error) && gpu_partition_check(&p->partition, error)) ||
            mnp_settings_place(settings, error)) &&
           check_kind(settings, error) && check_links(p, settings, error) &&
           (gpu_dram_extra(p, &extra) ||
            mnp_settings_fail(settings, "latency.dram", error,
                              "%lu cycles of latency.clock.core are less than latency.l2 and an access "
                              "to the DRAM take; state at least %lu",
                              (unsigned long)p->machine.latency_dram, (unsigned long)gpu_least_dram_latency(p)));
}

/* Lists of the SMs of each GPC are those of one number of SMs and GPCs. Who states another number, and no list, wants
 * them dealt out evenly. */
static bool leave_lists(struct mnp_settings *settings, struct mnp_error *error)
{
    static const char *const lists[][2] = {{"gpc.sms", "gpc.sms=[]"}, {"gpc.groups", "gpc.groups=[]"}};
    for (uint32_t i = 0; i < 2; i++)
        if ((mnp_settings_is_nearer(settings, "sm.count", lists[i][0]) ||
             mnp_settings_is_nearer(settings, "gpc.count", lists[i][0])) &&
            !mnp_settings_add_override(settings, lists[i][1], error))
            return false;
    return true;
}

/* Sets what follows from the chosen parts: whether SMs send the PC to the L2, the width of an SM's port, and models
 * without energy. */
static bool settle_parts(struct gpu_parameters *p)
{
    const struct mnp_policy *policy = (const void *)p->partition.cache.policy.part;
    p->sm.tells_pc = policy && policy->asks;
    p->network.sm_width = p->network.ideal ? gpu_packet_bytes(&p->network, GPU_LINE_SECTORS) : p->network.request_width;
    p->sm.model = &sm_model;
    p->sm.energy_counters = p->sm.values = 0;
    p->gpc.model = p->partition.model = p->energy_model = NULL;
    return true;
}

bool gpu_parameters_read(struct gpu_parameters *p, struct mnp_settings *settings, struct mnp_error *error)
{
    return leave_lists(settings, error) && mnp_settings_fill_model(settings, &gpu_machine_model, &p->machine, error) &&
           mnp_settings_fill_model(settings, &dispatch_model, &p->dispatch, error) &&
           mnp_settings_fill_model(settings, &sm_model, &p->sm, error) &&
           mnp_settings_fill_model(settings, &gpu_gpc_model, &p->gpc, error) &&
           mnp_settings_fill_model(settings, &gpu_network_model, &p->network, error) &&
           mnp_settings_fill_model(settings, &gpu_sm2sm_model, &p->sm2sm, error) &&
           mnp_settings_fill_model(settings, &gpu_partition_model, &p->partition, error) &&
           mnp_settings_fill_model(settings, &gpu_host_model, &p->host, error) &&
           gpu_energy_read(&p->energy, settings, error) && mnp_settings_finish(settings, error) && settle_parts(p) &&
           (gpu_partition_complete(&p->partition, p->machine.clock_dram, error) ||
            mnp_settings_place(settings, error)) &&
           check(p, settings, error);
}
