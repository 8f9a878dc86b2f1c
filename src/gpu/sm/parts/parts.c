/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/parts/parts.h"

#include "base/range.h"
#include "engine/configure/part_error.h"
#include "engine/count/statistics.h"
#include "engine/declare/declare.h"
#include "gpu/sm/distinct.h"
#include "gpu/sm/events.h"
#include "gpu/sm/loads.h"
#include "gpu/sm/state.h"

/* ===== building ===== */

enum { PREFETCHES, PREFETCHES_USED, PREFETCHES_UNUSED, PREFETCH_STATISTICS };

static const struct mnp_statistic prefetch_statistics[PREFETCH_STATISTICS] = {
    [PREFETCHES] = MNP_COUNTER_ROW("l1d_prefetches", "line", "lines that the prefetcher of the L1 data cache fetched"),
    [PREFETCHES_USED] = MNP_COUNTER_ROW("l1d_prefetches_used", "line", "those of them that a load then asked for"),
    [PREFETCHES_UNUSED] = MNP_COUNTER_ROW("l1d_prefetches_unused", "line", "those that were replaced before"),
};

uint32_t sm_parts_statistics(const struct sm_parameters *p, struct sm_part_table tables[SM_PART_TABLES])
{
    uint32_t count = 0;
    const struct mnp_part *parts[] = {p->prefetcher.part, p->called_scheduler.part, p->called_stage.part};
    if (p->prefetcher.part || p->called_stage.part)
        tables[count++] = (struct sm_part_table){.rows = prefetch_statistics, .count = PREFETCH_STATISTICS};
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i])
            tables[count++] = (struct sm_part_table){.rows = parts[i]->statistics, .count = parts[i]->statistic_count};
    if (p->distinct)
        tables[count++] = sm_distinct_table(p);
    return count;
}

/* Zeroed words for a state of so many bytes. */
static void *take(struct mnp_arena *arena, uint64_t bytes)
{
    return mnp_arena_take(arena, (size_t)mnp_divide_up(bytes, sizeof(uint64_t)), sizeof(uint64_t));
}

static struct sm_scheduler_shape shape_of(const struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    struct mnp_cache_shape l1d = mnp_cache_shape_of(&p->l1d, p->l1d_line, p->l1d_sector, MNP_HASH_XOR);
    return (struct sm_scheduler_shape){
        .subcores = (uint32_t)p->subcores, .warps = (uint32_t)p->warps, .lines = mnp_cache_lines(&l1d)};
}

/* Places of the parts' counters behind those of the SM, in the order of sm_parts_statistics. */
static void place_counters(struct sm_parts *parts)
{
    parts->prefetch_counters = mnp_statistic_width(&sm_model);
    parts->prefetcher_counters =
        parts->prefetch_counters + (parts->prefetcher || parts->stage ? PREFETCH_STATISTICS : 0);
    parts->scheduler_counters =
        parts->prefetcher_counters + (parts->prefetcher ? parts->prefetcher->part.statistic_count : 0);
    parts->stage_counters = parts->scheduler_counters + (parts->scheduler ? parts->scheduler->part.statistic_count : 0);
    parts->distinct_counters = parts->stage_counters + (parts->stage ? parts->stage->part.statistic_count : 0);
}

static void choose_parts(struct sm_parts *parts, const struct sm_parameters *p)
{
    parts->prefetcher = (const void *)p->prefetcher.part;
    parts->scheduler = (const void *)p->called_scheduler.part;
    parts->stage = (const void *)p->called_stage.part;
    parts->tells_pc = p->tells_pc;
    parts->watches_l1d = parts->prefetcher || parts->stage ||
                         (parts->scheduler && (parts->scheduler->looked_up || parts->scheduler->replaced));
    parts->called = parts->watches_l1d || parts->tells_pc || p->l1d.policy.part;
}

void sm_parts_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    const struct sm_parameters *p = sm->parameters;
    struct sm_parts *parts = &sm->parts;
    struct sm_scheduler_shape shape = shape_of(sm);
    choose_parts(parts, p);
    place_counters(parts);
    if (parts->prefetcher || parts->stage)
        parts->prefetched = take(arena, shape.lines);
    if (parts->prefetcher)
        parts->prefetcher_state = take(arena, parts->prefetcher->bytes(p->prefetcher.values));
    if (parts->stage)
        parts->stage_state = take(arena, parts->stage->bytes(p->called_stage.values));
    if (!parts->scheduler)
        return;
    parts->scheduler_state = take(arena, parts->scheduler->bytes(&shape, p->called_scheduler.values));
    if (!arena->measures && parts->scheduler->init)
        parts->scheduler->init(parts->scheduler_state, &shape, p->called_scheduler.values);
}

/* ===== the L1 data cache ===== */

uint64_t sm_parts_pc(const struct sm *sm, uint16_t load)
{
    return sm->views[sm->loads[load].warp].code_base + sm_load_instruction(sm, load)->pc;
}

struct mnp_cache_access sm_parts_access(const struct sm *sm, const struct sm_part *part, uint16_t load,
                                        enum mnp_access_kind kind)
{
    return (struct mnp_cache_access){.address = part->line,
                                     .pc = sm_parts_pc(sm, load),
                                     .sm = sm->index,
                                     .warp = sm->loads[load].warp,
                                     .kind = (uint8_t)kind};
}

/* Address of the first byte that a part wants. */
static uint64_t first_byte(const struct sm_part *part)
{
    if (part->bytes[0])
        return part->line + (uint64_t)__builtin_ctzll(part->bytes[0]);
    return part->line + (part->bytes[1] ? 64 + (uint64_t)__builtin_ctzll(part->bytes[1]) : 0);
}

/* A load asks for a line that may have been prefetched. */
static void use_prefetched(struct sm *sm, const struct sm_part *part, uint64_t *counters)
{
    uint32_t line = mnp_cache_find(&sm->l1d, part->set, part->line >> sm->l1d.line_shift);
    if (line == MNP_NO_LINE || !sm->parts.prefetched[line])
        return;
    sm->parts.prefetched[line] = 0;
    counters[sm->parts.prefetch_counters + PREFETCHES_USED]++;
}

static uint32_t ask_prefetcher(struct sm *sm, const struct sm_part *part, const struct sm_look_up *look_up,
                               struct sm_part asked[SM_PREFETCH_MOST])
{
    const struct sm_prefetcher *prefetcher = sm->parts.prefetcher;
    uint64_t addresses[SM_PREFETCH_MOST], *counters = sm_counters_of(sm, look_up->access.warp);
    uint32_t count = prefetcher->observe(sm->parts.prefetcher_state, sm->parameters->prefetcher.values, look_up,
                                         counters + sm->parts.prefetcher_counters, addresses);
    if (__builtin_expect(count > SM_PREFETCH_MOST, 0))
        mnp_part_fail(&prefetcher->part, "asks for %u lines at once; the most are %d", count, SM_PREFETCH_MOST);
    for (uint32_t i = 0; i < count; i++)
        asked[i] = (struct sm_part){.line = addresses[i] & ~(sm->parameters->l1d_line - 1), .sectors = part->sectors};
    return count;
}

uint32_t sm_parts_looked_up(struct sm *sm, const struct sm_part *part, uint16_t load, bool hit, uint64_t cycle,
                            struct sm_part asked[SM_PREFETCH_MOST])
{
    const struct sm_called_scheduler *scheduler = sm->parts.scheduler;
    const struct sm_called_stage *stage = sm->parts.stage;
    const struct sm_access *access = &sm->state->lsu.access;
    struct sm_look_up look_up = {.access = sm_parts_access(sm, part, load, MNP_ACCESS_LOAD),
                                 .first = first_byte(part),
                                 .cycle = cycle,
                                 .line_bytes = (uint32_t)sm->parameters->l1d_line,
                                 .sectors = part->sectors,
                                 .hit = hit,
                                 .leads = part == &access->parts[access->order[0]]};
    if (scheduler && scheduler->looked_up)
        scheduler->looked_up(sm->parts.scheduler_state, sm->parameters->called_scheduler.values, &look_up,
                             sm_counters_of(sm, look_up.access.warp) + sm->parts.scheduler_counters);
    if (sm->parts.prefetched)
        use_prefetched(sm, part, sm_counters_of(sm, look_up.access.warp));
    if (stage && stage->looked_up) {
        stage->looked_up(sm->parts.stage_state, sm->parameters->called_stage.values, &look_up,
                         sm_counters_of(sm, look_up.access.warp) + sm->parts.stage_counters);
        sm_wake_stage(sm, SM_TURN_PARTS, cycle + 1);
    }
    return sm->parts.prefetcher ? ask_prefetcher(sm, part, &look_up, asked) : 0;
}

void sm_parts_replaced(struct sm *sm, uint32_t line, uint64_t number, uint16_t warp)
{
    const struct sm_called_scheduler *scheduler = sm->parts.scheduler;
    uint32_t shift = sm->l1d.line_shift;
    uint64_t old = mnp_cache_is_free(&sm->l1d, line) ? UINT64_MAX : mnp_cache_line(&sm->l1d, line)->tag << shift;
    if (sm->parts.prefetched && sm->parts.prefetched[line]) {
        sm->parts.prefetched[line] = 0;
        sm_counters_of(sm, warp)[sm->parts.prefetch_counters + PREFETCHES_UNUSED]++;
    }
    if (scheduler && scheduler->replaced)
        scheduler->replaced(sm->parts.scheduler_state, sm->parameters->called_scheduler.values, line, old,
                            number << shift, warp);
}

void sm_parts_prefetched(struct sm *sm, uint32_t line, uint16_t warp)
{
    sm->parts.prefetched[line] = 1;
    sm_counters_of(sm, warp)[sm->parts.prefetch_counters + PREFETCHES]++;
}
