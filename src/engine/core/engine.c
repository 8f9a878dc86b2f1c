/* SPDX-License-Identifier: BSD-3-Clause */
/* Construction of a machine from units and links. Running it is in run.c. */
#include "engine/core/engine.h"

#include "base/allocate.h"
#include "base/error.h"
#include "engine/core/port.h"
#include "engine/core/stages.h"
#include "engine/count/statistics.h"
#include "engine/spread/ranks.h"

#include <stdlib.h>
#include <string.h>

void mnp_engine_init(struct mnp_engine *engine)
{
    memset(engine, 0, sizeof *engine);
    engine->lookahead = MNP_NEVER;
    engine->finish = MNP_NEVER;
    engine->fault_time = MNP_NEVER;
}

static void release_unit(struct mnp_unit *unit)
{
    mnp_arena_release(&unit->state);
    mnp_inbox_release(&unit->inbox);
    mnp_ports_release(unit);
    free(unit->out);
    free(unit->dirty);
    free(unit);
}

void mnp_engine_release(struct mnp_engine *engine)
{
    if (engine->kept)
        engine->release_kept(engine->kept);
    for (uint32_t i = 0; i < engine->unit_count; i++)
        release_unit(engine->units[i]);
    for (uint32_t i = 0; i < engine->link_count; i++)
        free(engine->links[i]);
    mnp_ranks_release(engine);
    mnp_arena_release(&engine->rings);
    free(engine->units);
    free(engine->links);
    free((void *)engine->wake);
    free((void *)engine->link_news);
    free(engine->horizon_latency);
    mnp_stages_release(engine);
    mnp_engine_init(engine);
}

/* Makes room for one more element in a list whose capacity doubles. */
static void *grow(void *list, uint32_t count, size_t size)
{
    bool full = count == 0 || (count >= 8 && (count & (count - 1)) == 0);
    return full ? mnp_reallocate(list, count ? 2 * (size_t)count : 8, size) : list;
}

void mnp_engine_begin_group(struct mnp_engine *engine, uint32_t group, const char *prefix)
{
    MNP_REQUIRE(strlen(prefix) < sizeof engine->prefix, "a prefix as long as \"%s\"", prefix);
    engine->group = group;
    strcpy(engine->prefix, prefix);
}

/* Appends a unit, without an arena. */
static struct mnp_unit *append_unit(struct mnp_engine *engine, const struct mnp_unit_plan *plan)
{
    MNP_REQUIRE(!engine->frozen, "unit %s added to a frozen machine", plan->name);
    struct mnp_unit *unit = aligned_alloc(MNP_CACHE_LINE, (sizeof *unit + MNP_CACHE_LINE - 1) & ~(MNP_CACHE_LINE - 1));
    MNP_NEED_MEMORY(unit != NULL, "a unit");
    *unit = (struct mnp_unit){.model = plan->model,
                              .self = plan->self,
                              .id = engine->unit_count,
                              .group = engine->group,
                              .bundle = plan->bundle,
                              .slots = plan->slots};
    snprintf(unit->name, sizeof unit->name, "%s%.*s", engine->prefix,
             (int)(sizeof unit->name - 1 - strlen(engine->prefix)), plan->name);
    mnp_cursor_init(&unit->clock, plan->hertz);
    unit->counter_width = (uint32_t)mnp_statistic_width(plan->model);
    mnp_ports_init(unit, plan->lengths);
    engine->units = grow(engine->units, engine->unit_count, sizeof *engine->units);
    engine->units[engine->unit_count++] = unit;
    return unit;
}

static void lay_out_unit(void *self, struct mnp_arena *arena)
{
    struct mnp_unit *unit = self;
    unit->counters = mnp_arena_take(arena, (size_t)unit->slots * unit->counter_width, sizeof(uint64_t));
    if (unit->model->lay_out)
        unit->model->lay_out(unit->self, arena);
}

struct mnp_unit *mnp_engine_create_unit(struct mnp_engine *engine, const struct mnp_unit_plan *plan)
{
    struct mnp_unit *unit = append_unit(engine, plan);
    mnp_arena_lay_out(&unit->state, lay_out_unit, unit);
    return unit;
}

struct mnp_link *mnp_engine_add_link(struct mnp_engine *engine, struct mnp_unit *from, struct mnp_unit *to,
                                     mnp_time latency, uint32_t payload, uint32_t in_flight)
{
    MNP_REQUIRE(!engine->frozen, "link added to a frozen machine");
    struct mnp_link *link = aligned_alloc(MNP_CACHE_LINE, sizeof *link);
    MNP_NEED_MEMORY(link != NULL, "a link");
    mnp_link_init(link, engine->link_count, from, to, latency, payload, in_flight);
    engine->links = grow(engine->links, engine->link_count, sizeof *engine->links);
    engine->links[engine->link_count++] = link;
    from->out = grow(from->out, from->out_count, sizeof *from->out);
    from->out[from->out_count++] = link;
    struct mnp_inbox *inbox = &to->inbox;
    inbox->links = grow(inbox->links, inbox->count, sizeof *inbox->links);
    link->in_index = inbox->count;
    to->incoming = grow(to->incoming, inbox->count, sizeof *to->incoming); /* filled in by mnp_connect */
    inbox->links[inbox->count++] = link;
    if (latency < engine->lookahead) {
        engine->lookahead = latency;
        engine->shortest = link;
    }
    return link;
}

/* All rings share one mapping, so that pages that no packet ever reaches are never touched. */
static void provide_rings(struct mnp_engine *engine)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < engine->link_count; i++)
        bytes += mnp_link_ring_bytes(engine->links[i]);
    if (bytes == 0) /* a machine of one unit */
        return;
    mnp_arena_init(&engine->rings, bytes);
    for (uint32_t i = 0; i < engine->link_count; i++)
        engine->links[i]->ring = mnp_arena_take(&engine->rings, 1, mnp_link_ring_bytes(engine->links[i]));
}

static _Atomic uint64_t *allocate_news(const struct mnp_engine *engine)
{
    size_t words = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        words += mnp_inbox_words(&engine->units[i]->inbox);
    return mnp_allocate(words, sizeof *engine->link_news);
}

void mnp_engine_freeze(struct mnp_engine *engine, mnp_time epoch)
{
    MNP_REQUIRE(engine->unit_count > 0, "a machine needs units");
    MNP_REQUIRE(engine->link_count > 0 || epoch > 0, "a machine without links has no lookahead: state its epoch");
    engine->epoch = epoch ? epoch : engine->lookahead;
    mnp_stages_freeze(engine);
    provide_rings(engine);
    engine->wake = mnp_allocate(engine->unit_count, sizeof *engine->wake);
    engine->horizon_latency = mnp_allocate(engine->unit_count, sizeof *engine->horizon_latency);
    _Atomic uint64_t *news = engine->link_news = allocate_news(engine);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        struct mnp_unit *unit = engine->units[i];
        mnp_ports_check(unit);
        mnp_inbox_freeze(&unit->inbox, news);
        news += mnp_inbox_words(&unit->inbox);
        unit->dirty = mnp_allocate(unit->out_count, sizeof(struct mnp_link *));
        atomic_store(&engine->wake[i], MNP_NEVER);
        engine->horizon_latency[i] = MNP_NEVER;
        for (uint32_t j = 0; j < unit->out_count; j++)
            if (unit->out[j]->latency < engine->horizon_latency[i])
                engine->horizon_latency[i] = unit->out[j]->latency;
    }
    engine->frozen = true;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        if (engine->units[i]->model->freeze)
            engine->units[i]->model->freeze(engine->units[i]);
}

void mnp_engine_relax(struct mnp_engine *engine, mnp_time window)
{
    MNP_REQUIRE(engine->frozen && engine->now == 0 && window > 0, "a machine that has run cannot be relaxed");
    engine->relaxed = true;
    engine->epoch = window;
    engine->span = window > engine->span ? window : engine->span - engine->span % window;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        engine->units[i]->relaxed = true;
}
