/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/device/latency.h"

#include "gpu/sm/sm.h"

enum { LEAST_LINK = 2 /* cycles */ };

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ===== what is stated: cycles of the core clock of the measurement ===== */

/* Cycles of that clock that so many of another take, rounded up. */
static uint64_t in_core_cycles(const struct gpu_parameters *p, uint64_t hertz, uint64_t cycles)
{
    return hertz == p->machine.measured_core ? cycles : mnp_cycle_at(p->machine.measured_core, mnp_edge(hertz, cycles));
}

/* Core cycles inside an SM, of an unloaded access that leaves it. */
static uint64_t sm_cycles(const struct gpu_parameters *p)
{
    return p->sm.memory_front + SM_MISS_CYCLES + p->sm.fill_latency;
}

/* Cycles of an unloaded L2 hit that are not spent on links. */
static uint64_t pipeline_cycles(const struct gpu_parameters *p)
{
    return sm_cycles(p) + in_core_cycles(p, p->machine.measured_noc, 2 * GPU_GPC_CYCLES) +
           in_core_cycles(p, p->machine.measured_l2, gpu_partition_hit_cycles(&p->partition));
}

uint64_t gpu_least_l2_latency(const struct gpu_parameters *p)
{
    return pipeline_cycles(p) + 4 * (uint64_t)LEAST_LINK;
}

/* ===== links ===== */

/* The time of links that took so many cycles of the core clock of the measurement. */
static mnp_time network_time(const struct gpu_parameters *p, uint64_t cycles)
{
    typedef unsigned __int128 wide;
    const struct gpu_machine_parameters *m = &p->machine;
    return (mnp_time)((wide)cycles * m->measured_noc * MNP_SECOND / ((wide)m->measured_core * m->clock_noc));
}

/* The link between SM and GPC, of whose cycles as many as `own` are the SM's. */
static mnp_time sm_link_time(const struct gpu_parameters *p, uint64_t cycles, uint64_t own)
{
    const struct gpu_machine_parameters *m = &p->machine;
    own = lesser(own, cycles);
    /* Whole cycles of one clock, where the two are as far apart as they were: no time is lost in adding. */
    if ((unsigned __int128)m->measured_noc * m->clock_core == (unsigned __int128)m->measured_core * m->clock_noc)
        own = cycles;
    return mnp_edge(m->clock_core, own) + network_time(p, cycles - own);
}

/* A link's time, but two cycles of the slower one of its ends' clocks at least, and of the core clock: every window has
 * a cycle of the SMs, and those who make it shorter count in these. */
static mnp_time long_enough(const struct gpu_parameters *p, mnp_time time, uint64_t hertz, uint64_t others_hertz)
{
    mnp_time least = mnp_edge(lesser(lesser(hertz, others_hertz), p->machine.clock_core), LEAST_LINK);
    return time > least ? time : least;
}

bool gpu_find_link_times(const struct gpu_parameters *p, struct gpu_link_times *times)
{
    const struct gpu_machine_parameters *m = &p->machine;
    if (m->latency_l2 < gpu_least_l2_latency(p))
        return false;
    uint64_t rest = m->latency_l2 - pipeline_cycles(p), quarter = rest / 4;
    uint64_t far = m->latency_l2_far ? m->latency_l2_far - m->latency_l2 : 0;
    uint64_t inside = sm_cycles(p), own = p->sm.latency_l1 > inside ? p->sm.latency_l1 - inside : 0;
    uint64_t core = m->clock_core, noc = m->clock_noc, l2 = m->clock_l2;
    times->sm_to_gpc = long_enough(p, sm_link_time(p, quarter, own / 2), core, noc);
    times->gpc_to_sm = long_enough(p, sm_link_time(p, quarter, own - own / 2), noc, core);
    for (uint64_t other = 0; other < 2; other++) {
        uint64_t out = quarter + other * (far / 2), back = rest - 3 * quarter + other * (far - far / 2);
        times->gpc_to_partition[other] = long_enough(p, network_time(p, out), noc, l2);
        times->partition_to_gpc[other] = long_enough(p, network_time(p, back), l2, noc);
    }
    times->to_sm = long_enough(p, network_time(p, p->dispatch.to_sm), core, core);
    return true;
}

mnp_time gpu_home_time(const struct gpu_parameters *p)
{
    uint64_t parts = p->partition.halves;
    return network_time(p, (p->machine.latency_l2_strong - p->machine.latency_l2) * parts / (parts - 1));
}

/* The time of links between SMs that took so many cycles of the core clock of the measurement. */
static mnp_time sm2sm_time(const struct gpu_parameters *p, uint64_t cycles)
{
    typedef unsigned __int128 wide;
    const struct gpu_machine_parameters *m = &p->machine;
    if ((wide)m->measured_sm2sm * m->clock_core == (wide)m->measured_core * m->clock_sm2sm)
        return mnp_edge(m->clock_core, cycles);
    return (mnp_time)((wide)cycles * m->measured_sm2sm * MNP_SECOND / ((wide)m->measured_core * m->clock_sm2sm));
}

static uint64_t reach_of(const struct gpu_parameters *p, uint64_t place)
{
    return place < p->sm2sm.reach.count ? p->sm2sm.reach.value[place] : 0;
}

void gpu_sm2sm_times(const struct gpu_parameters *p, uint64_t from, uint64_t to, mnp_time *out, mnp_time *back)
{
    const struct gpu_machine_parameters *m = &p->machine;
    uint64_t rest = m->latency_sm_to_sm + reach_of(p, from) + reach_of(p, to) - p->sm.memory_front - p->sm.fill_latency;
    *out = long_enough(p, sm2sm_time(p, rest / 2), m->clock_core, m->clock_sm2sm);
    *back = long_enough(p, sm2sm_time(p, rest - rest / 2), m->clock_core, m->clock_sm2sm);
}

uint64_t gpu_barrier_cycles(const struct gpu_parameters *p)
{
    return mnp_cycle_at(p->machine.clock_core, sm2sm_time(p, p->sm2sm.barrier));
}

uint64_t gpu_least_sm_to_sm(const struct gpu_parameters *p)
{
    return p->sm.memory_front + p->sm.fill_latency + 2 * (uint64_t)LEAST_LINK;
}

uint64_t gpu_longest_link(const struct gpu_parameters *p, const struct gpu_link_times *times)
{
    const struct gpu_machine_parameters *m = &p->machine;
    uint64_t inner = lesser(m->clock_core, m->clock_noc), outer = lesser(m->clock_noc, m->clock_l2);
    const uint64_t cycles[] = {
        mnp_cycle_at(inner, times->sm_to_gpc),
        mnp_cycle_at(inner, times->gpc_to_sm),
        mnp_cycle_at(outer, times->gpc_to_partition[1]),
        mnp_cycle_at(outer, times->partition_to_gpc[1]),
    };
    uint64_t longest = 0;
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++)
        longest = cycles[i] > longest ? cycles[i] : longest;
    return longest;
}

/* Core cycles of a time of the front end, which has no clock here. */
static uint64_t front_cycles(const struct gpu_parameters *p, uint64_t cycles)
{
    return mnp_cycle_at(p->machine.clock_core, mnp_edge(p->machine.measured_core, cycles));
}

uint64_t gpu_launch_cycles(const struct gpu_parameters *p)
{
    return front_cycles(p, p->dispatch.kernel_latency);
}

uint64_t gpu_first_cycles(const struct gpu_parameters *p)
{
    return front_cycles(p, p->dispatch.first);
}

uint64_t gpu_graph_cycles(const struct gpu_parameters *p)
{
    return p->dispatch.graph_latency ? front_cycles(p, p->dispatch.graph_latency) : gpu_launch_cycles(p);
}

uint64_t gpu_gap_cycles(const struct gpu_parameters *p)
{
    return front_cycles(p, p->dispatch.gap);
}

uint64_t gpu_record_cycles(const struct gpu_parameters *p)
{
    return front_cycles(p, p->dispatch.record);
}

/* ===== DRAM ===== */

/* L2 cycles by which a read of a closed row is longer than a hit, without any extra, where it was measured. */
static uint64_t dram_cycles(const struct gpu_parameters *p)
{
    return gpu_partition_dram_cycles(&p->partition, p->machine.measured_l2, p->machine.measured_dram, false) -
           gpu_partition_hit_cycles(&p->partition);
}

/* Core cycles by which a read from DRAM crosses to another part of the L2 on average over all lines. Where parts keep
 * copies, `latency.dram` is of lines of all parts, as chases through memory measure it. */
static uint64_t mean_crossing(const struct gpu_parameters *p)
{
    uint64_t parts = p->partition.halves;
    if (!p->partition.copies || parts < 2 || !p->machine.latency_l2_far)
        return 0;
    return (p->machine.latency_l2_far - p->machine.latency_l2) * (parts - 1) / parts;
}

uint64_t gpu_least_dram_latency(const struct gpu_parameters *p)
{
    return p->machine.latency_l2 + mean_crossing(p) + in_core_cycles(p, p->machine.measured_l2, dram_cycles(p));
}

bool gpu_dram_extra(const struct gpu_parameters *p, uint64_t *cycles)
{
    if (p->machine.latency_dram < gpu_least_dram_latency(p))
        return false;
    uint64_t core = p->machine.latency_dram - p->machine.latency_l2 - mean_crossing(p);
    uint64_t l2 = p->machine.measured_l2 == p->machine.measured_core
                      ? core
                      : mnp_cycle_at(p->machine.measured_l2, mnp_edge(p->machine.measured_core, core));
    *cycles = l2 - dram_cycles(p);
    return true;
}
