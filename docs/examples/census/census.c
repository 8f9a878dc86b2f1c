/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A census of events: CTAs and warps, instructions by opcode class, sectors at the L1 and the L2, commands of the DRAM.
 * The worked example of docs/extending.md for a listener. It needs no record: its statistics (rows.h) keep the counts.
 */
#include "gpu/partition/state.h"
#include "gpu/sm/state.h"

static void *open_sm(struct sm *sm)
{
    return sm;
}

static void *open_partition(struct gpu_partition *partition)
{
    return partition;
}

static void cta_begins(void *own, const struct sm *sm, uint32_t slot, uint64_t cycle)
{
    (void)own, (void)cycle;
    mnp_counters(sm->unit, sm->ctas[slot].kernel)[SM_CENSUS_CTAS]++;
}

static void warp_ends(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    (void)own, (void)cycle;
    sm_counters_of(sm, warp)[SM_CENSUS_WARPS]++;
}

static void completed(void *own, const struct sm *sm, uint32_t warp, uint64_t cycle)
{
    (void)own, (void)cycle;
    sm_counters_of(sm, warp)[SM_CENSUS_COMPLETED]++;
}

static void issued(void *own, const struct sm *sm, uint32_t warp, const struct mnp_record *record, uint64_t cycle)
{
    (void)own, (void)cycle;
    sm_counters_of(sm, warp)[SM_CENSUS_CLASS + sm->views[warp].instructions[record->index].class]++;
}

static void l1d_accessed(void *own, const struct sm *sm, uint32_t warp, uint32_t kind, uint32_t sectors,
                         uint32_t missed, uint64_t cycle)
{
    (void)own, (void)cycle;
    sm_counters_of(sm, warp)[SM_CENSUS_L1D] += sectors;
    sm_counters_of(sm, warp)[SM_CENSUS_L1D_MISSED] += kind == GPU_READ ? missed : 0;
}

static void l2_accessed(void *own, const struct gpu_partition *partition, uint32_t kernel, uint32_t kind,
                        uint32_t sectors, uint32_t missed, uint64_t cycle)
{
    (void)own, (void)kind, (void)cycle;
    gpu_partition_counters(partition, kernel)[GPU_CENSUS_L2] += sectors;
    gpu_partition_counters(partition, kernel)[GPU_CENSUS_L2_MISSED] += missed;
}

static void dram_commanded(void *own, const struct gpu_partition *partition, uint32_t kernel, uint32_t command,
                           uint64_t cycle)
{
    (void)own, (void)cycle;
    gpu_partition_counters(partition, kernel)[GPU_CENSUS_DRAM + command]++;
}

const struct gpu_listener gpu_census_listener = {
    .name = "census",
    .open_sm = open_sm,
    .open_partition = open_partition,
    .sm = {.cta_begins = cta_begins,
           .warp_ends = warp_ends,
           .issued = issued,
           .completed = completed,
           .l1d_accessed = l1d_accessed},
    .partition = {.l2_accessed = l2_accessed, .dram_commanded = dram_commanded},
};
