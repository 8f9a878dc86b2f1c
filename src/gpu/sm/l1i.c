/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The L1 instruction cache, which the sub-cores of an SM share and which backs its constant cache too (the L1.5 of
 * NVIDIA's descriptions). Requests for lines reach it after `sm.l1i.latency` cycles, in order; it looks up one per
 * cycle, and a line is at its sub-core as many cycles later. What it misses goes to the L2 as one packet per line,
 * through the same port as the misses of the L1 data cache (Huerta et al., arXiv 2503.20481, front end).
 *
 * While a kernel is being launched, its code is fetched from its beginning, as launch descriptors can ask for
 * (`launch.prefetch`): a line in a cycle in which there is no request to look up, while less than half of the miss
 * entries are taken, so that warps that run already need not wait for one.
 *
 * A request counts for the kernel of a warp that waits for it. Prefetches belong to none, as they may outlive the
 * kernel that caused them; nor do packets to the L2, which count as the machine's there.
 */
#include "gpu/sm/events.h"

static struct mnp_cache_shape l0_shape(const struct sm_parameters *p)
{
    return mnp_cache_shape_of(&p->l0i, p->l1i_line, p->l1i_line, MNP_HASH_LINEAR);
}

static struct mnp_cache_shape l1_shape(const struct sm_parameters *p)
{
    return mnp_cache_shape_of(&p->l1i, p->l1i_line, p->l1i_line, MNP_HASH_LINEAR);
}

static bool check_cache(const struct mnp_cache_shape *shape, const char *name, uint64_t size, struct mnp_error *error)
{
    if (!shape->sets)
        return mnp_fail(error,
                        "sm.%s.size of %lu bytes holds less than one set of %lu ways of %lu bytes; enlarge it, lower "
                        "sm.%s.ways, or set the size to 0",
                        name, (unsigned long)size, (unsigned long)shape->ways, (unsigned long)shape->line_bytes, name);
    return mnp_cache_check(shape, name, error);
}

bool sm_l1i_check(const struct sm_parameters *p, struct mnp_error *error)
{
    struct mnp_cache_shape l0 = l0_shape(p), l1 = l1_shape(p);
    if (p->l1i_line & (p->l1i_line - 1))
        return mnp_fail(error, "sm.l1i.line must be a power of two");
    if (p->l1i_line > p->l1d_line)
        return mnp_fail(error, "sm.l1i.line must not be greater than l2.line (%lu)", (unsigned long)p->l1d_line);
    return (!p->l0i.size || check_cache(&l0, "l0i", p->l0i.size, error)) &&
           (!p->l1i.size || check_cache(&l1, "l1i", p->l1i.size, error));
}

/* Lines that may be on their way between the L1 and those who ask it. */
static uint32_t request_capacity(const struct sm_parameters *p)
{
    return (uint32_t)(p->subcores * p->l0i_misses) + SM_CONSTANT_LINES_ASKED;
}

void sm_l1i_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    const struct sm_parameters *p = sm->parameters;
    struct mnp_cache_shape l0 = l0_shape(p), l1 = l1_shape(p);
    l0.sets *= p->subcores;
    if (p->l0i.size)
        mnp_cache_init(&sm->l0i, &l0, arena);
    if (p->l1i.size)
        mnp_cache_init(&sm->l1i, &l1, arena);
    sm->line_requests = mnp_arena_take(arena, request_capacity(p), sizeof *sm->line_requests);
    sm->line_replies = mnp_arena_take(arena, request_capacity(p), sizeof *sm->line_replies);
    sm->line_misses = mnp_arena_take(arena, p->l1i_misses, sizeof *sm->line_misses);
}

void sm_l1i_init(struct sm *sm)
{
    const struct sm_parameters *p = sm->parameters;
    sm->l0i_sets = p->l0i.size ? (uint32_t)l0_shape(p).sets : 0;
    sm->code_shift = (uint32_t)__builtin_ctzll(p->l1i_line);
}

void sm_l1i_invalidate(struct sm *sm)
{
    if (sm->parameters->l1i.size)
        mnp_cache_invalidate_all(&sm->l1i);
    sm->state->l1i.ahead = sm->state->l1i.ahead_end = 0;
}

/* ===== requests and answers ===== */

static bool is_subcore(const struct sm *sm, uint32_t asker)
{
    return asker < sm->parameters->subcores;
}

void sm_l1i_ask(struct sm *sm, uint64_t line, uint32_t asker, uint64_t cycle)
{
    uint32_t place = mnp_queue_push(&sm->state->l1i.requests, request_capacity(sm->parameters));
    if (is_subcore(sm, asker))
        sm->state->subcore[asker].l1i.lines_asked++;
    sm->line_requests[place] =
        (struct sm_line_request){.line = line, .at = cycle + sm->parameters->l1i_latency, .asker = (uint16_t)asker};
    sm_wake_stage(sm, SM_TURN_LINE_FILL, cycle + sm->parameters->l1i_latency);
}

/* One line less is on its way. */
static void served(struct sm *sm, uint32_t asker)
{
    if (is_subcore(sm, asker))
        sm->state->subcore[asker].l1i.lines_asked--;
}

static void answer(struct sm *sm, uint64_t number, uint32_t asker, uint64_t cycle)
{
    uint32_t place = mnp_queue_push(&sm->state->l1i.replies, request_capacity(sm->parameters));
    sm->line_replies[place] =
        (struct sm_line_request){.line = number, .at = cycle + sm->parameters->l1i_latency, .asker = (uint16_t)asker};
    sm_wake_stage(sm, SM_TURN_LINE_FILL, cycle + sm->parameters->l1i_latency);
}

bool sm_l1i_take(struct sm *sm, struct sm_line_request *reply, uint64_t cycle)
{
    struct mnp_queue *queue = &sm->state->l1i.replies;
    if (!queue->count || sm->line_replies[queue->head].at > cycle)
        return false;
    *reply = sm->line_replies[queue->head];
    mnp_queue_pop(queue, request_capacity(sm->parameters));
    served(sm, reply->asker);
    return true;
}

/* ===== misses ===== */

/* The place of the miss of a line; where there is none, that of a free one; `l1i_misses`: neither. */
static uint32_t find_miss(const struct sm *sm, uint64_t number)
{
    uint32_t count = (uint32_t)sm->parameters->l1i_misses, place = count;
    for (uint32_t i = count; i-- > 0;) {
        if (sm->line_misses[i].sectors && sm->line_misses[i].line == number)
            return i;
        if (!sm->line_misses[i].sectors)
            place = i;
    }
    return place;
}

/* Sends for a line. */
static void send_for(struct sm *sm, uint32_t miss, uint64_t line)
{
    const struct sm_parameters *p = sm->parameters;
    uint64_t address = line << sm->code_shift, inside = address & (p->l1d_line - 1);
    uint32_t sectors = ((1u << (p->l1i_line / GPU_SECTOR)) - 1) << (inside / GPU_SECTOR);
    sm->line_misses[miss] = (struct sm_line_miss){.line = line, .sectors = sectors};
    sm->state->l1i.missing++;
    sm_port_put(sm, &(struct gpu_request){.line = address - inside,
                                          .tag = sm_port_tag(SM_TO_L1I, miss),
                                          .sm = sm->index,
                                          .kind = GPU_FETCH,
                                          .sectors = (uint8_t)sectors});
}

/* False: the request has to wait for a free miss entry or a place before the port. */
static bool wait_for(struct sm *sm, const struct sm_line_request *request, uint16_t payer, uint64_t cycle)
{
    uint32_t miss = find_miss(sm, request->line);
    if (miss == sm->parameters->l1i_misses)
        return false;
    bool fresh = !sm->line_misses[miss].sectors;
    if (fresh && sm_port_full(sm))
        return false;
    if (fresh)
        send_for(sm, miss, request->line);
    if (payer)
        mnp_counters(sm->unit, payer)[fresh ? SM_L1I_MISSES : SM_L1I_PENDING_HITS]++;
    struct sm_line_miss *m = &sm->line_misses[miss];
    if (m->askers >> request->asker & 1) { /* one answer serves both */
        served(sm, request->asker);
        if (is_subcore(sm, request->asker))
            sm_wake_subcore(sm, &sm->state->subcore[request->asker], cycle);
    }
    m->askers |= 1u << request->asker;
    return true;
}

void sm_l1i_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    struct sm_line_miss *miss = &sm->line_misses[sm_port_own(reply->tag)];
    miss->sectors &= ~(uint32_t)reply->sectors;
    if (miss->sectors)
        return;
    sm->state->l1i.missing--;
    uint32_t set = mnp_cache_set(&sm->l1i, miss->line), line = mnp_cache_victim(&sm->l1i, set);
    if (!mnp_cache_is_free(&sm->l1i, line) && !sm->parameters->l0i.size)
        for (uint32_t i = 0; i < sm->parameters->subcores; i++)
            sm_buffer_forget(sm, i, mnp_cache_line(&sm->l1i, line)->tag);
    mnp_cache_replace(&sm->l1i, line, set, miss->line);
    for (uint32_t askers = miss->askers; askers; askers &= askers - 1)
        answer(sm, miss->line, (uint32_t)__builtin_ctz(askers), cycle);
    miss->askers = 0;
    sm->state->l1i.blocked = 0;
    sm_wake_stage(sm, SM_TURN_LINE_FILL, 0);
}

/* ===== ahead of a kernel ===== */

void sm_l1i_prefetch(struct sm *sm, uint64_t base, uint64_t bytes)
{
    const struct sm_parameters *p = sm->parameters;
    struct sm_l1i_state *state = &sm->state->l1i;
    uint64_t most = bytes < p->l1i.size ? bytes : p->l1i.size;
    state->ahead = base >> sm->code_shift;
    state->ahead_end = state->ahead + (most + p->l1i_line - 1) / p->l1i_line;
    sm_wake_stage(sm, SM_TURN_LINE_FILL, 0);
}

/* Whether there is a line of a kernel that comes to be sent for, and room for that. */
static bool goes_ahead(const struct sm *sm)
{
    const struct sm_l1i_state *state = &sm->state->l1i;
    return state->ahead < state->ahead_end && state->missing < (sm->parameters->l1i_misses + 1) / 2 &&
           !sm_port_full(sm);
}

/* Sends for the next line of a kernel that comes, unless it is here or on its way. */
static void go_ahead(struct sm *sm)
{
    uint64_t line = sm->state->l1i.ahead++;
    uint32_t miss = find_miss(sm, line);
    if (sm->line_misses[miss].sectors || mnp_cache_find(&sm->l1i, mnp_cache_set(&sm->l1i, line), line) != MNP_NO_LINE)
        return;
    send_for(sm, miss, line);
    mnp_counters(sm->unit, 0)[SM_L1I_PREFETCHES]++;
}

/* ===== the cycle ===== */

static void look_up(struct sm *sm, uint64_t cycle)
{
    struct mnp_queue *queue = &sm->state->l1i.requests;
    const struct sm_line_request request = sm->line_requests[queue->head];
    uint32_t set = mnp_cache_set(&sm->l1i, request.line), line = mnp_cache_find(&sm->l1i, set, request.line);
    bool code = is_subcore(sm, request.asker);
    uint16_t payer = code ? sm_buffer_payer(sm, request.asker, request.line) : 0;
    if (line != MNP_NO_LINE) {
        mnp_cache_touch(&sm->l1i, line, set);
        answer(sm, request.line, request.asker, cycle);
    } else if (!wait_for(sm, &request, payer, cycle)) {
        sm->state->l1i.blocked = 1;
        return;
    }
    mnp_queue_pop(queue, request_capacity(sm->parameters));
    if (payer)
        mnp_counters(sm->unit, payer)[SM_L1I_ACCESSES]++;
}

void sm_l1i_cycle(struct sm *sm, uint64_t cycle)
{
    struct sm_l1i_state *state = &sm->state->l1i;
    if (!sm_port_full(sm))
        state->blocked = 0;
    if (state->requests.count && !state->blocked && sm->line_requests[state->requests.head].at <= cycle)
        look_up(sm, cycle);
    else if (goes_ahead(sm))
        go_ahead(sm);
}

uint64_t sm_l1i_next(const struct sm *sm, uint64_t cycle)
{
    const struct sm_l1i_state *state = &sm->state->l1i;
    uint64_t next = MNP_NEVER;
    if (state->replies.count)
        next = sm->line_replies[state->replies.head].at;
    if (state->requests.count && !state->blocked) {
        uint64_t at = sm->line_requests[state->requests.head].at;
        next = at < next ? at : next;
    }
    if (goes_ahead(sm))
        next = cycle + 1;
    return next > cycle ? next : cycle + 1;
}

void sm_l1i_report(const struct sm *sm, FILE *out)
{
    const struct sm_l1i_state *state = &sm->state->l1i;
    if (state->requests.count)
        fprintf(out, "%s: %u requests for lines of code wait at the L1 instruction cache%s\n", sm->unit->name,
                state->requests.count, state->blocked ? ", the first for a miss entry or the port" : "");
}
