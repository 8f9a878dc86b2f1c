/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/range.h"
#include "gpu/dispatch/state.h"

#include "gpu/dispatch/cluster.h"

#include "engine/core/port.h"

#include <stdlib.h>

/* ===== kernels become known ===== */

/* Computes the resources that a CTA needs. Result: false, with a fault, if no SM can ever hold one. */
static bool measure(struct dispatch *dispatch, struct dispatch_kernel *k, const struct mnp_kernel *kernel,
                    uint64_t cycle)
{
    const struct sm_parameters *sm = dispatch->config.sm;
    struct sm_demand demand = sm_demand_of(sm, kernel);
    k->warps = (uint32_t)demand.warps;
    k->registers = demand.registers;
    k->unusable = demand.unusable;
    k->shared = demand.shared;
    struct mnp_error error = {{0}};
    const char *name = kernel->name;
    if (k->warps > sm->warps)
        mnp_fail(&error,
                 "kernel %u (%s): a CTA of %u warps fits on no SM of this machine, which holds %lu (sm.warps); "
                 "use a larger machine",
                 kernel->id, name, k->warps, (unsigned long)sm->warps);
    else if (k->registers + k->unusable > sm->registers)
        mnp_fail(&error,
                 "kernel %u (%s): a CTA of %lu registers fits on no SM of this machine, which has %lu "
                 "(sm.registers); use a larger machine",
                 kernel->id, name, (unsigned long)k->registers, (unsigned long)sm->registers);
    else if (k->shared > sm->shared_max)
        mnp_fail(&error,
                 "kernel %u (%s): a CTA of %lu bytes of shared memory fits on no SM of this machine, which has "
                 "%lu (sm.shared.max); use a larger machine",
                 kernel->id, name, (unsigned long)k->shared, (unsigned long)sm->shared_max);
    else if (k->cluster > 1 && !dispatch->config.group_count)
        mnp_fail(&error,
                 "kernel %u (%s): its clusters of %u CTAs need a network between SMs, which this machine lacks "
                 "(sm2sm.lanes); use a machine of compute capability 9.0",
                 kernel->id, name, k->cluster);
    else if (k->cluster > GPU_CLUSTER_CTAS ||
             (k->cluster > 1 && !dispatch_cluster_fits(dispatch, k, sm_occupancy(sm, &demand), kernel->pairs)))
        mnp_fail(
            &error,
            "kernel %u (%s): a cluster of %u CTAs fits in no GPC of this machine (gpc.sms, gpc.groups; an SM holds "
            "%lu of its CTAs); use smaller clusters or CTAs",
            kernel->id, name, k->cluster, (unsigned long)sm_occupancy(sm, &demand));
    else
        return true;
    mnp_unit_fault(dispatch->unit, mnp_cursor_edge(&dispatch->unit->clock, cycle), &error);
    return false;
}

/* Whether a kernel is known that has not ended. */
static bool any_kernel(const struct dispatch_state *state)
{
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
        if (state->kernel[slot].phase != DISPATCH_FREE && state->kernel[slot].phase != DISPATCH_ENDED)
            return true;
    return false;
}

/* Whether a copy waits for nothing but its cycle. */
static bool copy_is_ready(const struct dispatch_state *state)
{
    return state->copy_waits && (state->copy_done || !any_kernel(state));
}

static void tell_partitions(struct dispatch *dispatch, const struct gpu_copy *packet, uint64_t cycle)
{
    for (uint32_t i = 0; i < dispatch->told; i++) {
        struct gpu_copy *to = mnp_link_send(dispatch->to_partition[i], mnp_cursor_edge(&dispatch->unit->clock, cycle));
        *to = *packet;
    }
}

/* Tells the partitions of the copy that waits, if it is its turn. */
static void tell_copy(struct dispatch *dispatch, uint64_t cycle)
{
    struct dispatch_state *state = dispatch->state;
    if (!copy_is_ready(state) || state->next_copy > cycle)
        return;
    tell_partitions(dispatch, &state->copy, cycle);
    state->copy_waits = 0;
    state->next_copy = cycle + 1;
}

static void take_copy(struct dispatch *dispatch, const struct mnp_command *command, bool done, uint64_t cycle)
{
    struct dispatch_state *state = dispatch->state;
    uint64_t rows = command->rows ? command->rows : 1;
    state->copy =
        (struct gpu_copy){.address = command->address, .bytes = command->bytes, .rows = rows, .pitch = command->pitch};
    state->copy_waits = 1;
    state->copy_done = done;
    tell_copy(dispatch, cycle);
}

/* Copies that have ended; the one that has not been told of in this cycle waits. */
static void learn_copies(struct dispatch *dispatch, uint64_t cycle)
{
    struct mnp_command command = {.kind = MNP_COMMAND_COPY};
    tell_copy(dispatch, cycle);
    while (dispatch->config.copies_warm && dispatch->source->copied && !dispatch->state->copy_waits &&
           dispatch->source->copied(dispatch->source, &command))
        take_copy(dispatch, &command, true, cycle);
}

/* Whether there is nothing to do for a command but to go on to the next. */
static bool pass_over(struct dispatch *dispatch, const struct mnp_command *command)
{
    if (command->kind == MNP_COMMAND_COPY)
        return !dispatch->config.copies_warm || command->bytes == 0;
    if (command->kind != MNP_COMMAND_KERNEL || !dispatch->choice.selects ||
        dispatch->choice.selects(dispatch->choice.selection, command->kernel->id, command->kernel->name))
        return false;
    dispatch->source->kernel_done(dispatch->source, command->kernel);
    return true;
}

/* Launches that nobody wants are not opened, where the source can tell. */
static void leave_out(struct dispatch *dispatch)
{
    struct mnp_source *source = dispatch->source;
    struct mnp_upcoming upcoming;
    while (dispatch->choice.selects && source->upcoming && source->upcoming(source, &upcoming) &&
           !dispatch->choice.selects(dispatch->choice.selection, upcoming.launch, NULL)) {
        source->pass_over(source);
        dispatch->taken++;
    }
}

/* The host program's next command that is not passed over; false, with a fault: it cannot be read. */
static bool next_command(struct dispatch *dispatch, struct mnp_command *command, uint64_t cycle)
{
    struct mnp_error error = {{0}};
    do {
        leave_out(dispatch);
        if (!dispatch->source->next(dispatch->source, command, &error)) {
            mnp_unit_fault(dispatch->unit, mnp_cursor_edge(&dispatch->unit->clock, cycle), &error);
            dispatch->state->no_more = 1;
            return false;
        }
        dispatch->taken += command->kind == MNP_COMMAND_COPY || command->kind == MNP_COMMAND_KERNEL;
    } while (pass_over(dispatch, command));
    return true;
}

/* Reads commands up to the next kernel, which gets a free slot. False: there is none at present, or a copy waits, or
 * there is a fault. */
static bool learn_kernel(struct dispatch *dispatch, uint32_t slot, uint64_t cycle)
{
    struct dispatch_state *state = dispatch->state;
    struct mnp_command command = {.kind = MNP_COMMAND_COPY};
    while (command.kind == MNP_COMMAND_COPY) {
        if (state->copy_waits || !next_command(dispatch, &command, cycle))
            return false;
        if (command.kind == MNP_COMMAND_COPY)
            take_copy(dispatch, &command, false, cycle);
    }
    if (command.kind == MNP_COMMAND_END || command.kind == MNP_COMMAND_NONE) {
        state->no_more = command.kind == MNP_COMMAND_END;
        return false;
    }
    const struct mnp_kernel *kernel = dispatch->kernels[slot] = command.kernel;
    state->kernel[slot] = (struct dispatch_kernel){.stream = kernel->stream,
                                                   .cta_count = kernel->cta_count,
                                                   .launch = kernel->id,
                                                   .phase = DISPATCH_WAITING,
                                                   .cluster = mnp_cluster_size(kernel->cluster),
                                                   .early = kernel->early};
    return measure(dispatch, &state->kernel[slot], kernel, cycle);
}

/* Reads the host program's commands while there are free slots and no copy waits. */
static void learn_kernels(struct dispatch *dispatch, uint64_t cycle)
{
    struct dispatch_state *state = dispatch->state;
    learn_copies(dispatch, cycle);
    bool more = !state->no_more;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS && more; slot++)
        if (state->kernel[slot].phase == DISPATCH_FREE)
            more = learn_kernel(dispatch, slot, cycle);
}

/* ===== kernels are requested ===== */

/* Whether an earlier launch of the same stream has not ended. One of them need not have, if it has released this one
 * and all before it have ended: `*before`, else 0. */
static bool must_wait(const struct dispatch_state *state, const struct dispatch_kernel *k, uint32_t *before)
{
    *before = 0;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *other = &state->kernel[slot];
        if (other->phase == DISPATCH_FREE || other->phase == DISPATCH_ENDED || other->stream != k->stream ||
            other->launch >= k->launch)
            continue;
        if (!k->early || *before || other->released < other->cta_count)
            return true;
        *before = other->launch;
    }
    return false;
}

static uint64_t count_active(const struct dispatch_state *state)
{
    uint64_t active = 0;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
        active += state->kernel[slot].phase == DISPATCH_LAUNCHING || state->kernel[slot].phase == DISPATCH_RUNNING;
    return active;
}

/* Tells the SMs that will be asked first for room for its CTAs that a kernel comes, whose code they may fetch. Of a
 * kernel of unknown length that is one unit of the descriptor's field. */
static void announce(struct dispatch *dispatch, uint32_t slot, uint64_t cycle)
{
    enum { UNIT = 256 };
    const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
    uint64_t sms = dispatch->config.sm->count, bytes = dispatch->kernels[slot]->code_bytes;
    uint64_t count = k->cluster == 1 && k->cta_count < sms ? k->cta_count : sms;
    bytes = bytes > UNIT ? bytes : UNIT;
    bytes = bytes < dispatch->config.parameters->prefetch ? bytes : dispatch->config.parameters->prefetch;
    for (uint64_t i = 0; i < count && bytes; i++) {
        struct mnp_link *link = dispatch->to_sm[dispatch->config.order[(dispatch->state->turn + i) % sms]];
        struct gpu_launch *news = mnp_link_send(link, mnp_cursor_edge(&dispatch->unit->clock, cycle));
        news->cta = bytes;
        news->launch = k->launch;
        news->kernel = (uint16_t)slot;
        news->kind = GPU_KERNEL_COMES;
    }
}

/* The cycle in which a time is over that is stated in cycles of the machine's clock, and that no clock changes. */
static uint64_t behind(const struct dispatch *dispatch, uint64_t cycle, uint64_t cycles)
{
    const struct mnp_cursor *clock = &dispatch->unit->clock;
    if (!clock->course)
        return cycle + cycles;
    return mnp_cursor_cycle_at(clock, dispatch_time(dispatch, cycle) + mnp_edge(dispatch->config.hertz, cycles));
}

/* Whether a kernel that waits for no other has to let the gap pass that is between two of a stream; then it is known in
 * `starts` until when. Where the L2 is emptied before each, kernels are measured one by one. */
static bool gap_holds(struct dispatch *dispatch, uint32_t slot, uint64_t cycle)
{
    struct dispatch_kernel *k = &dispatch->state->kernel[slot];
    const struct mnp_kernel *kernel = dispatch->kernels[slot];
    uint64_t gap = dispatch->config.gap_cycles + kernel->records * dispatch->config.record_cycles;
    gap = dispatch->config.parameters->flush_l2 ? 0 : gap;
    if (!k->starts && kernel->queued && gap)
        k->starts = behind(dispatch, cycle, gap);
    if (k->starts <= cycle)
        return false;
    mnp_time ends = dispatch_time(dispatch, k->starts);
    mnp_raise(&dispatch->unit->due, ends);
    return true;
}

/* Core cycles from the request of a kernel to its first CTA. */
static uint64_t launch_cycles(struct dispatch *dispatch, const struct mnp_kernel *kernel)
{
    const struct dispatch_config *config = &dispatch->config;
    bool first = dispatch_is_first(dispatch->functions, kernel);
    if (kernel->prepared)
        return config->graph_cycles;
    return config->launch_cycles + (first ? config->first_cycles : 0);
}

static void request_kernels(struct dispatch *dispatch, uint64_t cycle)
{
    struct dispatch_state *state = dispatch->state;
    uint64_t active = count_active(state);
    uint64_t limit = dispatch->config.parameters->flush_l2 ? 1 : dispatch->config.parameters->concurrent;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        struct dispatch_kernel *k = &state->kernel[slot];
        uint32_t before;
        if (k->phase == DISPATCH_WAITING && active < limit && !must_wait(state, k, &before) &&
            !gap_holds(dispatch, slot, cycle)) {
            active++;
            k->before = before;
            if (dispatch->config.parameters->flush_l2)
                tell_partitions(dispatch, &(struct gpu_copy){.kind = GPU_COPY_FLUSHES}, cycle);
            announce(dispatch, slot, cycle);
            k->phase = DISPATCH_LAUNCHING;
            k->requested = cycle;
            k->starts = behind(dispatch, cycle, launch_cycles(dispatch, dispatch->kernels[slot]));
            mnp_time starts = dispatch_time(dispatch, k->starts);
            mnp_raise(&dispatch->unit->due, starts);
        }
        if (k->phase == DISPATCH_LAUNCHING && k->starts <= cycle) {
            k->phase = DISPATCH_RUNNING;
            state->no_room = 0;
        }
    }
}

/* ===== CTAs are placed ===== */

static bool fits(const struct dispatch_sm *sm, const struct dispatch_kernel *k)
{
    return sm->ctas && sm->warps >= k->warps && sm->registers >= k->registers + k->unusable && sm->shared >= k->shared;
}

/* Cycles of a packet between the dispatcher and an SM, either way: both have the core clock. */
static uint64_t way_to(const struct dispatch *dispatch, uint32_t sm)
{
    return mnp_cycle_at(dispatch->config.hertz, dispatch->to_sm[sm]->latency);
}

/* CTA number `cta` of the kernel goes to an SM. Returns the packet that says so, to add to it. */
static struct gpu_launch *place_on(struct dispatch *dispatch, uint32_t slot, uint32_t sm, uint64_t cta, uint64_t cycle)
{
    struct dispatch_kernel *k = &dispatch->state->kernel[slot];
    struct dispatch_sm *free = &dispatch->sms[sm];
    free->ctas--;
    free->warps -= k->warps;
    free->registers -= k->registers;
    free->shared -= k->shared;
    struct gpu_launch *launch = mnp_link_send(dispatch->to_sm[sm], mnp_cursor_edge(&dispatch->unit->clock, cycle));
    launch->cta = cta;
    k->placed++;
    launch->launch = k->launch;
    launch->kernel = (uint16_t)slot;
    launch->kind = GPU_LAUNCH_CTA;
    launch->before = k->before;
    mnp_counters(dispatch->unit, slot)[DISPATCH_GPU_CTAS]++;
    dispatch->state->all_ctas++;
    dispatch->state->resident++;
    if (GPU_HEARS(dispatch, dispatch.cta_placed))
        gpu_tell_cta_placed(&dispatch->listeners, dispatch, sm, k->launch, cta,
                            dispatch_time(dispatch, cycle + way_to(dispatch, sm)));
    return launch;
}

/* The CTAs of a cluster reach their SMs together, and each knows where the others are. */
static bool place_cluster(struct dispatch *dispatch, uint32_t slot, uint64_t cycle)
{
    const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
    const struct mnp_kernel *kernel = dispatch->kernels[slot];
    uint32_t sms[GPU_CLUSTER_CTAS];
    uint64_t cluster = k->placed / k->cluster;
    if (!dispatch_cluster_find(dispatch, k, kernel->pairs, sms))
        return false;
    for (uint32_t rank = 0; rank < k->cluster; rank++) {
        uint64_t cta = mnp_cluster_cta(kernel->grid, kernel->cluster, cluster, rank);
        struct gpu_launch *launch = place_on(dispatch, slot, sms[rank], cta, cycle);
        launch->rank = (uint8_t)rank;
        for (uint32_t i = 0; i < k->cluster; i++)
            launch->place[i] = dispatch->config.places[sms[i]];
    }
    return true;
}

static bool place_one(struct dispatch *dispatch, uint32_t slot, uint64_t cycle)
{
    struct dispatch_state *state = dispatch->state;
    uint32_t count = (uint32_t)dispatch->config.sm->count;
    if (state->kernel[slot].cluster > 1)
        return place_cluster(dispatch, slot, cycle);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = state->turn + i < count ? state->turn + i : state->turn + i - count;
        uint32_t sm = dispatch->config.order[place];
        if (!fits(&dispatch->sms[sm], &state->kernel[slot]))
            continue;
        place_on(dispatch, slot, sm, state->kernel[slot].placed, cycle);
        state->turn = (place + 1) % count;
        return true;
    }
    return false;
}

/* The slot of the running kernel with CTAs to place that was launched after launch number `after`; 0: none. */
static uint32_t next_running(const struct dispatch_state *state, uint32_t after)
{
    uint32_t best = 0;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &state->kernel[slot];
        if (k->phase == DISPATCH_RUNNING && k->placed < k->cta_count && k->launch > after &&
            (!best || k->launch < state->kernel[best].launch))
            best = slot;
    }
    return best;
}

/* The dispatcher is busy for so many thousandths of a cycle more. */
static void occupy(struct dispatch_state *state, uint64_t cycle, uint64_t thousandths)
{
    state->busy_until = mnp_max(state->busy_until, cycle * DISPATCH_CYCLE) + thousandths;
    state->next_place = state->busy_until / DISPATCH_CYCLE;
}

/* Places a CTA or a cluster of the first running kernel that there is room for. False: there is none. */
static bool place_next(struct dispatch *dispatch, uint64_t cycle)
{
    struct dispatch_state *state = dispatch->state;
    const struct dispatch_parameters *p = dispatch->config.parameters;
    uint32_t slot = next_running(state, 0);
    state->no_room = slot != 0;
    for (; slot; slot = next_running(state, state->kernel[slot].launch)) {
        if (place_one(dispatch, slot, cycle)) {
            uint64_t each = p->cta_time ? p->cta_time : p->cta_interval * DISPATCH_CYCLE;
            occupy(state, cycle, state->kernel[slot].cluster * each);
            state->no_room = 0;
            return true;
        }
    }
    return false;
}

static void place(struct dispatch *dispatch, uint64_t cycle)
{
    const struct dispatch_state *state = dispatch->state;
    bool placed = true;
    while (placed && !state->no_room && state->next_place <= cycle)
        placed = place_next(dispatch, cycle);
}

/* ===== ends ===== */

static void end_kernel(struct dispatch *dispatch, uint32_t slot, uint64_t cycle)
{
    struct dispatch_state *state = dispatch->state;
    struct dispatch_kernel *k = &state->kernel[slot];
    k->phase = DISPATCH_ENDED;
    k->ended = cycle;
    state->last_end = cycle;
    state->kernels_ended++;
    for (uint32_t other = 1; other < DISPATCH_SLOTS; other++)
        if (state->kernel[other].before == k->launch)
            state->kernel[other].before = 0;
    uint64_t *counters = mnp_counters(dispatch->unit, slot);
    counters[DISPATCH_KERNEL_LAUNCH_CYCLE] = k->starts - k->requested;
    if (dispatch->choice.stops_at_ends)
        mnp_engine_finish(dispatch->engine, mnp_cursor_edge(&dispatch->unit->clock, cycle));
    for (uint32_t sm = 0; sm < dispatch->config.sm->count; sm++) {
        struct gpu_launch *news = mnp_link_send(dispatch->to_sm[sm], mnp_cursor_edge(&dispatch->unit->clock, cycle));
        news->launch = k->launch;
        news->kernel = (uint16_t)slot;
        news->kind = GPU_KERNEL_ENDED;
    }
}

void dispatch_cut(struct dispatch *dispatch, uint32_t slot, uint64_t cycle)
{
    const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
    uint64_t until = mnp_min(cycle, k->starts);
    mnp_counters(dispatch->unit, slot)[DISPATCH_KERNEL_LAUNCH_CYCLE] = until > k->requested ? until - k->requested : 0;
}

/* Releases the resources of a CTA that has ended. */
static void take_back(struct dispatch *dispatch, const struct dispatch_kernel *k, uint32_t sm,
                      const struct gpu_finish *finish, uint64_t cycle)
{
    struct dispatch_sm *free = &dispatch->sms[sm];
    if (!--dispatch->state->resident) {
        dispatch->state->turn = 0;
        dispatch->state->group = 0;
    }
    free->ctas++;
    free->warps += k->warps;
    free->registers += k->registers;
    free->shared += k->shared;
    dispatch->state->no_room = 0;
    if (GPU_HEARS(dispatch, dispatch.cta_ended))
        gpu_tell_cta_ended(&dispatch->listeners, dispatch, sm, k->launch, finish->cta,
                           dispatch_time(dispatch, cycle - way_to(dispatch, sm)));
}

static void take_finished(struct dispatch *dispatch, uint64_t cycle)
{
    struct mnp_unit *unit = dispatch->unit;
    const struct gpu_finish *finish;
    uint32_t link;
    while ((finish = mnp_inbox_peek(&unit->inbox, mnp_cursor_edge(&unit->clock, cycle), &link)) != NULL) {
        uint32_t sm = mnp_port_of(unit, link).index, slot = finish->kernel;
        struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        bool ended = finish->kind == GPU_CTA_ENDED;
        unit->progress = mnp_cursor_edge(&unit->clock, cycle);
        bool answered = finish->kind == GPU_STORES_ANSWERED;
        k->released += !answered && !(ended && finish->released);
        k->finished += ended;
        k->unanswered += finish->leaves;
        k->unanswered -= answered;
        if (ended)
            take_back(dispatch, k, sm, finish, cycle);
        if (ended && dispatch->config.parameters->end_time)
            occupy(dispatch->state, cycle, dispatch->config.parameters->end_time);
        mnp_inbox_take(&unit->inbox);
        if ((ended || answered) && k->finished == k->cta_count && !k->unanswered)
            end_kernel(dispatch, slot, cycle);
    }
}

/* Gives back the slots of kernels that ended two epochs ago: their counters have been collected at a window's end. */
static void free_slots(struct dispatch *dispatch, uint64_t cycle)
{
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        if (k->phase != DISPATCH_ENDED || cycle < k->ended + dispatch->keep_cycles)
            continue;
        if (dispatch->kernels[slot]) /* NULL: the kernel ended before a snapshot */
            dispatch->source->kernel_done(dispatch->source, dispatch->kernels[slot]);
        dispatch->kernels[slot] = NULL;
        *k = (struct dispatch_kernel){0};
    }
}

/* ===== the cycle loop ===== */

static uint64_t next_cycle(const struct dispatch *dispatch, uint64_t cycle)
{
    const struct dispatch_state *state = dispatch->state;
    uint64_t next = MNP_NEVER;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &state->kernel[slot];
        uint64_t at = MNP_NEVER;
        if (k->phase == DISPATCH_LAUNCHING || (k->phase == DISPATCH_WAITING && k->starts > cycle))
            at = k->starts;
        else if (k->phase == DISPATCH_RUNNING && k->placed < k->cta_count && !state->no_room)
            at = state->next_place;
        else if (k->phase == DISPATCH_ENDED)
            at = k->ended + dispatch->keep_cycles;
        next = at < next ? at : next;
    }
    if (copy_is_ready(state))
        next = state->next_copy < next ? state->next_copy : next;
    return next == MNP_NEVER || next > cycle ? next : cycle + 1;
}

static bool all_done(const struct dispatch_state *state)
{
    return state->no_more && !any_kernel(state);
}

static void visit(struct dispatch *dispatch, uint64_t cycle)
{
    take_finished(dispatch, cycle);
    free_slots(dispatch, cycle);
    learn_kernels(dispatch, cycle);
    request_kernels(dispatch, cycle);
    place(dispatch, cycle);
    if (all_done(dispatch->state) && !dispatch->over) {
        mnp_engine_finish(dispatch->engine, mnp_cursor_edge(&dispatch->unit->clock, cycle));
        dispatch->over = true;
    }
}

mnp_time dispatch_advance(struct mnp_unit *unit, mnp_time until)
{
    struct dispatch *dispatch = unit->self;
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until);
    uint64_t cycle = unit->clock.cycle;
    if (end <= cycle) /* woken behind an edge, for a window that ends before the next one: it is still to look */
        return mnp_cursor_edge(&unit->clock, cycle);
    while (cycle < end) {
        mnp_visit(unit, cycle);
        visit(dispatch, cycle);
        uint64_t next = next_cycle(dispatch, cycle);
        if (unit->inbox.next != MNP_NEVER) {
            uint64_t arrival = mnp_cursor_cycle_at(&unit->clock, unit->inbox.next);
            next = arrival < next ? arrival : next;
        }
        cycle = unit->no_skip || next <= cycle ? cycle + 1 : next;
    }
    uint64_t next = next_cycle(dispatch, end - 1);
    mnp_pass(unit, end);
    mnp_cursor_move(&unit->clock, end);
    return next == MNP_NEVER ? MNP_NEVER : mnp_cursor_edge(&unit->clock, next);
}

/* CTAs of a cluster, which send to one another directly, may be on SMs. */
bool dispatch_nears(const struct mnp_unit *unit)
{
    const struct dispatch *dispatch = unit->self;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++)
        if (dispatch->state->kernel[slot].phase != DISPATCH_FREE && dispatch->state->kernel[slot].cluster > 1)
            return true;
    return false;
}

void dispatch_report(const struct mnp_unit *unit, FILE *out)
{
    static const char *const phases[] = {"free", "waits for the kernel before it in its stream", "is being launched",
                                         "is running", "has ended"};
    const struct dispatch *dispatch = unit->self;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        if (k->phase != DISPATCH_FREE && k->phase != DISPATCH_ENDED)
            fprintf(out, "%s: kernel %u %s; %lu of %lu CTAs placed, %lu finished\n", unit->name, k->launch,
                    phases[k->phase], (unsigned long)k->placed, (unsigned long)k->cta_count,
                    (unsigned long)k->finished);
    }
}

void dispatch_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace)
{
    (void)row; /* there is only gpu_sim_cycle: time in cycles of the machine's clock, whatever the present one */
    *pace = (struct mnp_pace){.hertz = ((const struct dispatch *)unit->self)->config.hertz, .amount = 1};
}

/* ===== building ===== */

void dispatch_lay_out(void *self, struct mnp_arena *arena)
{
    struct dispatch *dispatch = self;
    dispatch->state = mnp_arena_take(arena, 1, sizeof *dispatch->state);
    dispatch->sms = mnp_arena_take(arena, dispatch->config.sm->count, sizeof *dispatch->sms);
    dispatch->functions = mnp_arena_take(arena, 1, sizeof *dispatch->functions);
}

struct dispatch *dispatch_create(struct mnp_engine *engine, const struct dispatch_config *config)
{
    const struct sm_parameters *sm = config->sm;
    struct dispatch *dispatch = mnp_allocate(1, sizeof *dispatch);
    *dispatch = (struct dispatch){.engine = engine, .config = *config, .source = config->source};
    const uint32_t lengths[DISPATCH_PORTS] = {[DISPATCH_LAUNCH] = (uint32_t)sm->count,
                                              [DISPATCH_FINISH] = (uint32_t)sm->count,
                                              [DISPATCH_COPIES] = config->partitions};
    dispatch->unit = mnp_engine_create_unit(engine, &(struct mnp_unit_plan){.model = &dispatch_model,
                                                                            .name = "dispatch",
                                                                            .self = dispatch,
                                                                            .hertz = config->hertz,
                                                                            .slots = DISPATCH_SLOTS,
                                                                            .lengths = lengths});
    for (uint64_t i = 0; i < sm->count; i++)
        dispatch->sms[i] = (struct dispatch_sm){.registers = sm->registers,
                                                .shared = sm->shared_max,
                                                .warps = (uint32_t)sm->warps,
                                                .ctas = (uint32_t)sm->ctas};
    gpu_listeners_open_dispatch(&dispatch->listeners, dispatch);
    return dispatch;
}

void dispatch_release(struct dispatch *dispatch)
{
    if (dispatch)
        gpu_listeners_close(&dispatch->listeners);
    free(dispatch);
}

mnp_time dispatch_time(const struct dispatch *dispatch, uint64_t cycle)
{
    return mnp_cursor_edge(&dispatch->unit->clock, cycle);
}

struct mnp_unit *dispatch_unit(const struct dispatch *dispatch)
{
    return dispatch->unit;
}

struct mnp_kernel **dispatch_descriptions(struct dispatch *dispatch)
{
    return dispatch->kernels;
}

void dispatch_freeze(struct mnp_unit *unit)
{
    struct dispatch *dispatch = unit->self;
    dispatch->to_sm = mnp_port_links(unit, DISPATCH_LAUNCH);
    dispatch->to_partition = mnp_port_links(unit, DISPATCH_COPIES);
    dispatch->told = mnp_port_is_connected(unit, DISPATCH_COPIES) ? dispatch->config.partitions : 0;
    dispatch_relax(dispatch, mnp_cycle_at(unit->clock.hertz, dispatch->engine->epoch));
}

void dispatch_relax(struct dispatch *dispatch, uint64_t epoch_cycles)
{
    dispatch->keep_cycles = 2 * epoch_cycles + 2;
}

void dispatch_choose(struct dispatch *dispatch, const struct dispatch_choice *choice)
{
    dispatch->choice = *choice;
}

uint32_t dispatch_ended_slot(const struct dispatch *dispatch)
{
    uint32_t best = 0;
    for (uint32_t slot = 1; slot < DISPATCH_SLOTS; slot++) {
        const struct dispatch_kernel *k = &dispatch->state->kernel[slot];
        if (k->phase == DISPATCH_ENDED && !k->collected && (!best || k->launch < dispatch->state->kernel[best].launch))
            best = slot;
    }
    return best;
}

void dispatch_collected(struct dispatch *dispatch, uint32_t slot)
{
    dispatch->state->kernel[slot].collected = 1;
}

bool dispatch_is_idle(const struct dispatch *dispatch)
{
    return !any_kernel(dispatch->state) && !dispatch->state->copy_waits;
}

const struct dispatch_kernel *dispatch_kernel_in(const struct dispatch *dispatch, uint32_t slot)
{
    return &dispatch->state->kernel[slot];
}

uint32_t dispatch_kernels_ended(const struct dispatch *dispatch)
{
    return dispatch->state->kernels_ended;
}

uint64_t dispatch_last_end(const struct dispatch *dispatch)
{
    return dispatch->state->last_end;
}
