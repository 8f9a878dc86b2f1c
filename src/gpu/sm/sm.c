/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cycle loop of an SM, its reports, and how it is built; tables.c has the model's definition. The loop calls the
 * stages in the order of their dependence within a cycle: what comes by links, CTAs and barriers, the port, instruction
 * caches, the memory pipeline, warps that events concern, then each sub-core.
 */
#include "engine/core/port.h"
#include "gpu/sm/events.h"
#include "gpu/sm/expect.h"
#include "gpu/sm/l1d_inline.h"
#include "gpu/sm/live.h"
#include "gpu/sm/occupancy.h"
#include "gpu/sm/reevaluate.h"

#include <stdlib.h>
#include <string.h>

/* ===== the cycle loop ===== */

/* Whether a packet that has come to a machine that executes is progress: what warps that only poll hear is not. */
static bool is_progress(const struct sm *sm, uint32_t link, const void *packet)
{
    const struct gpu_reply *reply = packet;
    if (link == sm->from_gpc)
        return sm_port_owner_of(reply->tag) != SM_TO_L1D || sm_l1d_is_progress(sm, reply);
    uint32_t port = mnp_port_of(sm->unit, link).port;
    return port != SM_CREDIT && port != SM_RESULTS;
}

/* A CTA comes, or the news that a kernel comes or has ended. */
static void take_launch(struct sm *sm, const struct gpu_launch *launch, uint64_t cycle)
{
    if (launch->kind == GPU_KERNEL_ENDED) {
#define SM_STAGE_FORGETS(INVALIDATE) INVALIDATE(sm);
#include "gpu/sm/stages/rows.h"
#define SM_STAGE_KERNEL_ENDS(END) END(sm, launch->launch, cycle);
#include "gpu/sm/stages/rows.h"
        if (GPU_HEARS(sm, sm.kernel_ends))
            gpu_tell_kernel_ends(&sm->listeners, sm, launch->launch, cycle);
        return;
    }
    if (launch->kind == GPU_KERNEL_COMES) {
        sm_l1i_prefetch(sm, sm_code_base(sm->device->kernels[launch->kernel]->name), launch->cta);
        return;
    }
    const struct sm_code *code = sm_cta_launch(sm, launch, cycle);
    if (!code)
        return;
    if (sm->state->cta.resident_ctas == 1)
        sm_l1d_set_carveout(sm, code->kernel);
    sm_constant_preload(sm, code->code_base);
}

static void take_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    if (GPU_HEARS(sm, sm.replied))
        gpu_tell_replied(&sm->listeners, sm, reply, cycle);
    switch (sm_port_owner_of(reply->tag)) {
#define SM_STAGE_REPLIES(OWNER, REPLY)                                                                                 \
    case OWNER:                                                                                                        \
        REPLY(sm, reply, cycle);                                                                                       \
        break;
#include "gpu/sm/stages/rows.h"
    }
}

/* A packet of a port that a stage has, or of the dispatcher. */
static void take_other(struct sm *sm, uint32_t link, const void *packet, uint64_t cycle)
{
    struct mnp_port_place at = mnp_port_of(sm->unit, link);
    switch (at.port) {
#define SM_STAGE_HEARS(PORT, HEAR)                                                                                     \
    case PORT:                                                                                                         \
        HEAR(sm, at, packet, cycle);                                                                                   \
        break;
#include "gpu/sm/stages/rows.h"
    default:
        take_launch(sm, packet, cycle);
    }
}

static void take_packets(struct sm *sm, uint64_t cycle)
{
    struct mnp_inbox *inbox = &sm->unit->inbox;
    mnp_time now = mnp_cursor_edge(&sm->unit->clock, cycle);
    const void *packet;
    uint32_t link;
    while ((packet = mnp_inbox_peek(inbox, now, &link)) != NULL) {
        if (!sm->live || is_progress(sm, link, packet))
            sm_progress(sm);
        if (link == sm->from_gpc)
            take_reply(sm, packet, cycle);
        else
            take_other(sm, link, packet, cycle);
        mnp_inbox_take(inbox);
    }
}

static void visit_seldom(struct sm *sm, uint64_t cycle)
{
    (void)sm, (void)cycle;
#define SM_STAGE_SELDOM(TURN, CYCLE, NEXT)                                                                             \
    if (sm->due[TURN] <= cycle || sm->unit->no_skip)                                                                   \
        CYCLE(sm, cycle);
#include "gpu/sm/stages/rows.h"
}

/* The next cycle in which a stage has something to do that seldom has. */
static uint64_t next_seldom(struct sm *sm, uint64_t cycle)
{
    uint64_t next = MNP_NEVER;
    (void)sm, (void)cycle;
#define SM_STAGE_SELDOM(TURN, CYCLE, NEXT)                                                                             \
    if (sm->due[TURN] <= cycle)                                                                                        \
        sm->due[TURN] = NEXT(sm, cycle);                                                                               \
    next = sm->due[TURN] < next ? sm->due[TURN] : next;
#include "gpu/sm/stages/rows.h"
    return next;
}

static inline void visit_often(struct sm *sm, uint64_t cycle)
{
#define SM_STAGE_TURN(TURN, CYCLE, NEXT)                                                                               \
    if (sm->due[TURN] <= cycle || sm->unit->no_skip)                                                                   \
        CYCLE(sm, cycle);
#include "gpu/sm/stages/rows.h"
}

/* The next cycle in which one of the others has. */
static inline uint64_t next_often(struct sm *sm, uint64_t cycle)
{
    uint64_t next = MNP_NEVER;
#define SM_STAGE_TURN(TURN, CYCLE, NEXT)                                                                               \
    if (sm->due[TURN] <= cycle)                                                                                        \
        sm->due[TURN] = NEXT(sm, cycle);                                                                               \
    next = sm->due[TURN] < next ? sm->due[TURN] : next;
#include "gpu/sm/stages/rows.h"
    return next;
}

static uint64_t next_of_subcores(const struct sm *sm)
{
    uint64_t next = MNP_NEVER;
    for (uint32_t i = 0; i < sm->parameters->subcores; i++)
        next = sm->subcore_next[i] < next ? sm->subcore_next[i] : next;
    return next;
}

/* Visits a cycle, and those in a row behind it, before `end`, in which sub-cores alone have something to do. Returns
 * the last one visited. */
static uint64_t visit(struct sm *sm, uint64_t cycle, uint64_t end)
{
    if (sm->often_due <= cycle || sm->unit->no_skip)
        visit_often(sm, cycle);
    if (sm->seldom_due <= cycle || sm->unit->no_skip)
        visit_seldom(sm, cycle);
    if (sm->recheck[0] | sm->recheck[1])
        sm_reevaluate_marked(sm, cycle);
    if (sm->subcores_due > cycle && !sm->unit->no_skip) /* most cycles of an SM that waits for memory are such */
        return cycle;
    return sm_issue_cycles(sm, cycle, end);
}

/* The next cycle after `cycle` in which anything can happen, packets aside; in a sub-core, at `next`. */
static inline uint64_t next_cycle(struct sm *sm, uint64_t next, uint64_t cycle)
{
    if (sm->often_due <= cycle)
        sm->often_due = next_often(sm, cycle);
    if (sm->seldom_due <= cycle)
        sm->seldom_due = next_seldom(sm, cycle);
    if (sm->recheck[0] | sm->recheck[1]) /* an instruction has ended the wait of another warp */
        return cycle + 1;
    next = sm->often_due < next ? sm->often_due : next;
    return sm->seldom_due < next ? sm->seldom_due : next;
}

/* The state is not the one that the memos were made from: it has been restored. */
static void forget_memos(struct sm *sm)
{
    mnp_cache_renew_index(&sm->l1d);
    sm_lsu_remember(sm);
    sm->deaf = 0;
    sm->found.kept = false;
    sm_wake_stages(sm);
}

/* Whether stages may wait for what changes between stays: memory at epochs, samples, what a plugin does. */
static bool waits_for_others(const struct sm *sm)
{
    return sm->live || sm->steady.state || sm->parts.stage;
}

/* The cycle in which the next packet comes; MNP_NEVER: none before `until`. */
static uint64_t next_arrival(const struct mnp_unit *unit, mnp_time until)
{
    return unit->inbox.next < until ? mnp_cursor_cycle_at(&unit->clock, unit->inbox.next) : MNP_NEVER;
}

mnp_time sm_advance(struct mnp_unit *unit, mnp_time until)
{
    struct sm *sm = unit->self;
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until);
    if (end <= unit->clock.cycle)
        return until;
    if (sm->come_to != unit->clock.cycle)
        forget_memos(sm);
    sm->stay_end = end;
    sm->progress = MNP_NEVER;
    if (waits_for_others(sm))
        sm_wake_stages(sm);
    uint64_t cycle = unit->clock.cycle, arrival = next_arrival(unit, until);
    if (unit->inbox.next < until)
        sm_l1d_expect(sm);
    sm->subcores_due = next_of_subcores(sm);
    if (end - cycle >= SM_EXPECT_STAY)
        sm_expect_warps(sm);
    uint64_t next = next_cycle(sm, sm->subcores_due, cycle - 1);
    for (;;) {
        next = arrival < next ? arrival : next;
        cycle = unit->no_skip ? cycle : next > cycle ? next : cycle;
        if (cycle >= end)
            break;
        mnp_visit(unit, cycle);
        if (arrival <= cycle) {
            take_packets(sm, cycle);
            arrival = next_arrival(unit, until);
        }
        cycle = visit(sm, cycle, arrival < end ? arrival : end);
        next = next_cycle(sm, sm->subcores_due, cycle);
        if (GPU_HEARS(sm, sm.visited))
            gpu_tell_visited(&sm->listeners, sm, cycle);
        sm_note_progress(sm, cycle);
        cycle++;
    }
    if (sm->progress != MNP_NEVER)
        unit->progress = mnp_cursor_edge(&unit->clock, sm->progress);
    sm_cta_account(sm, end);
    mnp_pass(unit, end);
    mnp_cursor_move(&unit->clock, end);
    sm->come_to = end;
    return next == MNP_NEVER ? MNP_NEVER : mnp_cursor_edge(&unit->clock, next > end ? next : end);
}

/* ===== reports ===== */

static const char *describe(const struct sm_warp *w)
{
    static const char *const texts[] = {[SM_STALL_NONE] = "is ready to issue",
                                        [SM_STALL_TIMER] = "waits for a result",
                                        [SM_STALL_MEMORY] = "waits for a register from memory",
                                        [SM_STALL_BARRIER] = "waits at the CTA's barrier",
                                        [SM_STALL_FENCE] = "waits at a fence",
                                        [SM_STALL_FETCH] = "waits for its next instruction",
                                        [SM_STALL_ENDED] = "has ended and waits for its accesses"};
    bool of_cluster = w->stall.why == SM_STALL_BARRIER && w->barrier.number == MNP_CLUSTER_BARRIER;
    return of_cluster ? "waits at the cluster's barrier" : texts[w->stall.why];
}

static void report_place(const struct mnp_live_warp *live, FILE *out)
{
    char place[MNP_LIVE_PLACE] = "";
    if (live)
        live->where(live, place, sizeof place);
    fprintf(out, "%s%s\n", place[0] ? ", " : "", place);
}

/* Reports the activity of a warp that makes no progress. */
static void report_idling(const struct mnp_live_warp *live, FILE *out)
{
    if (live && live->idle && live->asked)
        fprintf(out, "; it polls address 0x%lx", (unsigned long)live->asked);
    else if (live && live->idle)
        fputs("; it goes round without end", out);
}

static void report_warps(const struct sm *sm, FILE *out)
{
    for (uint32_t warp = 0; warp < sm->parameters->warps; warp++) {
        const struct sm_warp *w = &sm->warps[warp];
        if (w->cta.slot == SM_NONE)
            continue;
        fprintf(out, "%s: CTA %lu warp %u ", sm->unit->name, (unsigned long)sm->ctas[w->cta.slot].number,
                w->cta.number);
        if (sm->live && sm_wait_holds(sm, warp))
            sm_wait_report(sm, warp, out);
        else
            fputs(describe(w), out);
        fprintf(out, ", instruction %lu", (unsigned long)w->issue.next);
        if (!sm->views[warp].live)
            fprintf(out, " of %lu", (unsigned long)sm->views[warp].count);
        fprintf(out, ", %u accesses outstanding", w->cta.outstanding);
        report_idling(sm->views[warp].live, out);
        report_place(sm->views[warp].live, out);
    }
}

void sm_report(const struct mnp_unit *unit, FILE *out)
{
    const struct sm *sm = unit->self;
    report_warps(sm, out);
#define SM_STAGE_REPORTS(REPORT) REPORT(sm, out);
#include "gpu/sm/stages/rows.h"
}

void sm_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace)
{
    const struct sm *sm = unit->self;
    *pace = (struct mnp_pace){.hertz = unit->clock.hertz,
                              .amount = row == SM_TO_GPC_PEAK ? sm->network->request_width : 1,
                              .course = unit->clock.course};
}

/* ===== building ===== */

bool sm_check(const struct sm_parameters *p, struct mnp_error *error)
{
#define SM_STAGE_CHECKS(CHECK)                                                                                         \
    if (!CHECK(p, error))                                                                                              \
        return false;
#include "gpu/sm/stages/rows.h"
    return sm_carveout_check(p, error);
}

void sm_lay_out(void *self, struct mnp_arena *arena)
{
    struct sm *sm = self;
    sm->state = mnp_arena_take(arena, 1, sizeof *sm->state);
    sm->warps = mnp_arena_take(arena, sm->parameters->warps, sizeof *sm->warps);
#define SM_STAGE_LAYS_OUT(LAY_OUT) LAY_OUT(sm, arena);
#include "gpu/sm/stages/rows.h"
}

static struct sm_warp_view *allocate_views(uint64_t warps)
{
    size_t bytes = warps * sizeof(struct sm_warp_view);
    struct sm_warp_view *views = aligned_alloc(_Alignof(struct sm_warp_view), bytes);
    if (!views)
        mnp_out_of_memory(bytes);
    return memset(views, 0, bytes);
}

static struct mnp_unit *create_unit(struct sm *sm, struct mnp_engine *engine, const struct sm_config *config)
{
    char name[32];
    snprintf(name, sizeof name, "sm %u", config->index);
    const struct mnp_model *model = config->parameters->model;
    uint32_t lengths[SM_PORTS];
    for (uint32_t i = 0; i < SM_PORTS; i++) {
        bool of_peers = i == SM_REMOTE_OUT || i == SM_REMOTE_IN || i == SM_ANSWERS_OUT || i == SM_ANSWERS_IN;
        lengths[i] = of_peers && config->peers.count ? config->peers.count : 1;
    }
    return mnp_engine_create_unit(engine, &(struct mnp_unit_plan){.model = model ? model : &sm_model,
                                                                  .name = name,
                                                                  .self = sm,
                                                                  .hertz = config->hertz,
                                                                  .slots = config->slots,
                                                                  .lengths = lengths,
                                                                  .bundle = config->bundle});
}

struct sm *sm_create(struct mnp_engine *engine, const struct sm_config *config)
{
    const struct sm_parameters *p = config->parameters;
    struct sm *sm = mnp_reallocate(NULL, 1, sizeof *sm);
    memset(sm, 0, offsetof(struct sm, l0i)); /* caches, whose tables are large, set themselves up where they are used */
    sm->parameters = p;
    sm->network = config->network;
    sm->peers = config->peers;
    sm->device = config->device;
    sm->index = config->index;
    if (config->device->source->memory)
        sm->live = mnp_allocate(1, sizeof *sm->live);
    sm->unit = create_unit(sm, engine, config);
    sm->views = allocate_views(p->warps);
    sm->conflicts = mnp_allocate(1, sizeof *sm->conflicts);
    for (uint32_t warp = 0; warp < SM_MAX_WARPS; warp++) {
        sm->subcore_of[warp] = (uint8_t)(warp % p->subcores);
        sm->place_of[warp] = (uint8_t)(warp / p->subcores);
    }
#define SM_STAGE_INIT(INIT) INIT(sm);
#include "gpu/sm/stages/rows.h"
    gpu_listeners_open_sm(&sm->listeners, sm);
    return sm;
}

void sm_freeze(struct mnp_unit *unit)
{
    struct sm *sm = unit->self;
    sm->from_gpc = mnp_port_link(unit, SM_REPLY)->in_index;
#define SM_STAGE_FREEZES(FREEZE) FREEZE(sm);
#include "gpu/sm/stages/rows.h"
}

void sm_release(struct sm *sm)
{
    if (!sm)
        return;
    for (uint32_t i = 0; i < sm->parameters->ctas; i++)
        if (sm->codes[i].cta.owner)
            sm->device->source->release_cta(sm->device->source, &sm->codes[i].cta);
    gpu_listeners_close(&sm->listeners);
    sm_l1d_release(sm);
    free(sm->live);
    free(sm->views);
    free(sm->conflicts);
    free(sm->codes);
    free(sm);
}

struct mnp_unit *sm_unit(const struct sm *sm)
{
    return sm->unit;
}

struct mnp_live_core *sm_core(const struct sm *sm)
{
    return sm->live ? &sm->live->core : NULL;
}
