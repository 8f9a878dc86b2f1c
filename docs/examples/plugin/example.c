/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plug-in with one part of each kind: a prefetcher of the next lines, which misses of a load ask for; a replacement
 * policy by which the line that was used last goes; a warp scheduler that prefers the youngest warp; an address hash that
 * folds every other bit; a stage of the SM; and the ring of cores (docs/examples/ring) as a kind of machine.
 *
 *     cc -O2 -shared -fPIC $(pkg-config --cflags maniple-plugin) example.c ../ring/ring.c -o example.so
 *     maniple --plugin ./example.so run --set sm.l1d.prefetcher=next-line TRACE/kernelslist.g
 */
#include <maniple/plugin.h>

#include "../ring/ring.h"

/* ===== a prefetcher: it has a parameter and a statistic, and no state ===== */

struct next_line_values {
    uint64_t degree;
};

#define MNP_TABLE_OF struct next_line_values
static const struct mnp_parameter next_line_parameters[] = {
    MNP_NUMBER_ROW("next-line.degree", "line", degree, "1", 1, SM_PREFETCH_MOST, "lines asked for at a miss",
                   "example"),
};

enum { NEXT_LINE_ASKS };
static const struct mnp_statistic next_line_statistics[] = {
    [NEXT_LINE_ASKS] = MNP_COUNTER_ROW("next_line_asks", "line", "lines that the example has asked for"),
};

static uint64_t next_line_bytes(const uint64_t *values)
{
    (void)values;
    return 0;
}

static uint32_t next_line_observe(void *state, const uint64_t *values, const struct sm_look_up *look_up,
                                  uint64_t *counters, uint64_t asked[SM_PREFETCH_MOST])
{
    (void)state;
    if (look_up->hit)
        return 0;
    for (uint64_t i = 0; i < values[0]; i++)
        asked[i] = look_up->access.address + (i + 1) * look_up->line_bytes;
    counters[NEXT_LINE_ASKS] += values[0];
    return (uint32_t)values[0];
}

static const struct sm_prefetcher next_line = {
    .part = {.name = "next-line",
             .help = "the lines behind one that a load has missed",
             .source = "example",
             .parameters = next_line_parameters,
             .parameter_count = MNP_ROWS(next_line_parameters),
             .statistics = next_line_statistics,
             .statistic_count = MNP_ROWS(next_line_statistics)},
    .bytes = next_line_bytes,
    .observe = next_line_observe,
};

/* ===== a replacement policy: per way, the time of its last use ===== */

static void last_use(const struct mnp_policy_set *set, uint32_t way)
{
    uint32_t *clock = set->own, *times = set->ways;
    times[way] = ++*clock;
}

static void last_free(const struct mnp_policy_set *set, uint32_t way)
{
    ((uint32_t *)set->ways)[way] = 0;
}

static uint32_t last_victim(const struct mnp_policy_set *set, mnp_policy_barred *barred, const void *cache)
{
    const uint32_t *times = set->ways;
    uint32_t found = MNP_NO_WAY;
    for (uint32_t way = 0; way < set->count; way++)
        if (!barred(cache, way) && (found == MNP_NO_WAY || times[way] > times[found]))
            found = way;
    return found;
}

static const struct mnp_policy last_used = {
    .part = {.name = "last-used", .help = "the line that was used last", .source = "example"},
    .way_bytes = sizeof(uint32_t),
    .set_bytes = sizeof(uint32_t),
    .use = last_use,
    .insert = last_use,
    .free = last_free,
    .victim = last_victim,
};

/* ===== a warp scheduler: greedy, then the warp at the highest place ===== */

static uint64_t highest_bytes(const struct sm_scheduler_shape *shape, const uint64_t *values)
{
    (void)shape, (void)values;
    return 0;
}

static uint32_t highest_choose(void *state, const uint64_t *values, const struct sm_choice *choice, uint64_t *counters)
{
    (void)state, (void)values, (void)counters;
    return choice->ready >> choice->last & 1 ? choice->last : 63 - (uint32_t)__builtin_clzll(choice->ready);
}

static const struct sm_called_scheduler highest = {
    .part = {.name = "highest", .help = "greedy, then the warp at the highest place", .source = "example"},
    .bytes = highest_bytes,
    .choose = highest_choose,
};

/* ===== an address hash ===== */

static uint32_t fold_bit(uint32_t bit, uint32_t bits, uint32_t polynomial)
{
    (void)polynomial;
    return bit % 2 ? 0 : UINT32_C(1) << bit / 2 % bits;
}

static const struct mnp_hash_function fold = {
    .part = {.name = "fold", .help = "every other bit folded onto the low part", .source = "example"},
    .bit = fold_bit,
};

/* ===== a stage: it hears loads miss, and fetches the line behind the last one that did a hundred cycles later ===== */

struct behind {
    uint64_t line, at; /* address of the line to fetch, cycle; 0: none */
};

static uint64_t behind_bytes(const uint64_t *values)
{
    (void)values;
    return sizeof(struct behind);
}

static void behind_looked_up(void *state, const uint64_t *values, const struct sm_look_up *look_up, uint64_t *counters)
{
    (void)values, (void)counters;
    if (!look_up->hit)
        *(struct behind *)state =
            (struct behind){.line = look_up->access.address + look_up->line_bytes, .at = look_up->cycle + 100};
}

enum { BEHIND_ISSUED, BEHIND_FETCHES };
static const struct mnp_statistic behind_statistics[] = {
    [BEHIND_ISSUED] = MNP_COUNTER_ROW("behind_issued", "instruction", "instructions that the example has heard issue"),
    [BEHIND_FETCHES] = MNP_COUNTER_ROW("behind_fetches", "line", "lines that it has fetched"),
};

static void behind_issued(void *state, const uint64_t *values, const struct sm_issued *issued, uint64_t *counters)
{
    (void)state, (void)values, (void)issued;
    counters[BEHIND_ISSUED]++;
}

static uint64_t behind_next(const void *state, const uint64_t *values, uint64_t cycle)
{
    const struct behind *behind = state;
    (void)values;
    return !behind->at ? UINT64_MAX : behind->at > cycle ? behind->at : cycle + 1;
}

static uint32_t behind_cycle(void *state, const uint64_t *values, uint64_t cycle, uint64_t *counters,
                             uint64_t asked[SM_PREFETCH_MOST])
{
    struct behind *behind = state;
    (void)values;
    if (!behind->at || behind->at > cycle)
        return 0;
    asked[0] = behind->line;
    behind->at = 0;
    counters[BEHIND_FETCHES]++;
    return 1;
}

static const struct sm_called_stage behind = {
    .part = {.name = "behind",
             .help = "fetches the line behind the last miss",
             .source = "example",
             .statistics = behind_statistics,
             .statistic_count = MNP_ROWS(behind_statistics)},
    .bytes = behind_bytes,
    .issued = behind_issued,
    .looked_up = behind_looked_up,
    .next = behind_next,
    .cycle = behind_cycle,
};

/* ===== the plug-in ===== */

const struct maniple_plugin maniple_plugin = {
    MANIPLE_PLUGIN_HEADER,
    .name = "example",
    .summary = "one part of each kind",
    .kinds = (const struct mnp_machine_kind *const[]){&ring_kind, NULL},
    .policies = (const struct mnp_policy *const[]){&last_used, NULL},
    .prefetchers = (const struct sm_prefetcher *const[]){&next_line, NULL},
    .schedulers = (const struct sm_called_scheduler *const[]){&highest, NULL},
    .hashes = (const struct mnp_hash_function *const[]){&fold, NULL},
    .stages = (const struct sm_called_stage *const[]){&behind, NULL},
};
