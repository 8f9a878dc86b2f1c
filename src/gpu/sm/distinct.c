/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/distinct.h"

#include "engine/count/distinct.h"
#include "engine/count/statistics.h"
#include "engine/declare/declare.h"
#include "gpu/sm/parts/parts.h"
#include "gpu/sm/state.h"

enum { LINES, SECTORS, STATISTICS };

static const struct mnp_statistic statistics[STATISTICS] = {
    [LINES] = MNP_STATISTIC_ROW(&mnp_kind_distinct, "distinct_lines", "line",
                                "different lines of global and local memory that instructions access"),
    [SECTORS] = MNP_STATISTIC_ROW(&mnp_kind_distinct, "distinct_sectors", "sector",
                                  "different sectors of global and local memory that instructions access"),
};

struct sm_part_table sm_distinct_table(const struct sm_parameters *p)
{
    return (struct sm_part_table){statistics, STATISTICS, mnp_distinct_counters((uint32_t)p->distinct)};
}

/* ===== the listener: its sets are counters of the SM, behind those of its parts ===== */

static void *open_sm(struct sm *sm)
{
    return sm->parameters->distinct ? sm : NULL;
}

static void memory_accessed(void *own, const struct sm *sm, uint32_t warp, uint32_t index, uint32_t sectors,
                            uint64_t cycle)
{
    const struct sm_access *access = &sm->state->lsu.access;
    uint32_t counters = mnp_distinct_counters((uint32_t)sm->parameters->distinct);
    uint64_t *lines = sm_counters_of(sm, warp) + sm->parts.distinct_counters;
    uint64_t sector = sm->parameters->l1d_sector;
    (void)own, (void)index, (void)sectors, (void)cycle;
    for (uint32_t i = 0; i < access->part_count; i++) {
        const struct sm_part *part = &access->parts[i];
        mnp_distinct_add(lines, counters, part->line);
        for (uint32_t bits = part->sectors; bits; bits &= bits - 1)
            mnp_distinct_add(lines + counters, counters, part->line + (uint64_t)__builtin_ctz(bits) * sector);
    }
}

const struct gpu_listener sm_distinct_listener = {
    .name = "distinct", .open_sm = open_sm, .sm = {.memory_accessed = memory_accessed}};
