/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The toy's core: threads that share an issue slot, with the memory semantics of DESIGN §3.2. A plain load takes its
 * value when it is issued, a plain store writes the core's overlay then; both also send a request, for its time and its
 * acknowledgement. Everything else, and every access to a sector with an unacknowledged access of that kind, is
 * performed at the slice.
 */
#include "toy.h"

#include <string.h>

/* ===== what a thread may do ===== */

static bool is_access(const struct toy_instruction *instruction)
{
    return instruction->op >= TOY_LOAD;
}

static bool is_fence(const struct toy_instruction *instruction)
{
    return instruction->op == TOY_FENCE || (instruction->op == TOY_STORE && instruction->order == TOY_RELEASE);
}

static bool writes_register(const struct toy_instruction *instruction)
{
    return instruction->op == TOY_SET || instruction->op == TOY_ADD || instruction->op == TOY_LOAD ||
           (instruction->op >= TOY_ATOM_ADD && instruction->op <= TOY_ATOM_CAS);
}

static const struct toy_instruction *next_instruction(const struct toy_core *core, uint32_t t)
{
    static const struct toy_instruction end = {.op = TOY_END};
    uint32_t pc = core->state->thread[t].pc;
    return pc < core->programs[t].length ? &core->programs[t].code[pc] : &end;
}

/* Number of the oldest access that has not been acknowledged; UINT64_MAX: none. */
static uint64_t oldest_access(const struct toy_core *core)
{
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = 0; i < TOY_ENTRIES; i++)
        if (core->state->entry[i].sequence && core->state->entry[i].sequence < oldest)
            oldest = core->state->entry[i].sequence;
    return oldest;
}

static struct toy_entry *free_entry(const struct toy_core *core)
{
    for (uint32_t i = 0; i < core->machine->parameters.entries; i++)
        if (core->state->entry[i].sequence == 0)
            return &core->state->entry[i];
    return NULL;
}

/* Whether an access performed at the slice is on its way to a sector: then the next ones must follow it there. */
static bool sector_is_busy(const struct toy_core *core, uint64_t sector)
{
    for (uint32_t i = 0; i < TOY_ENTRIES; i++) {
        const struct toy_entry *entry = &core->state->entry[i];
        if (entry->sequence && entry->performed && entry->sector == sector)
            return true;
    }
    return false;
}

/* Whether a thread that is not delayed can issue its next instruction now. */
static bool can_issue(const struct toy_core *core, uint32_t t)
{
    const struct toy_thread *thread = &core->state->thread[t];
    const struct toy_instruction *next = next_instruction(core, t);
    uint32_t used = 1u << next->a | 1u << next->b | 1u << next->d;
    if (thread->done || thread->at_barrier || (thread->pending & used))
        return false;
    if (next->op == TOY_END)
        return true;
    if ((is_access(next) || is_fence(next)) && thread->held)
        return false;
    if (is_fence(next)) {
        if (thread->fence == 0)
            return true; /* it begins */
        if (oldest_access(core) < thread->fence)
            return false;
    }
    return !is_access(next) || (free_entry(core) && core->state->port.credits[TOY_REQUEST] > 0);
}

/* ===== executing ===== */

/* Whether a load has something new to say; a thread that sees the same again is spinning. */
static bool is_news(struct toy_thread *thread, uint32_t pc, uint64_t address, uint64_t value, mnp_time time)
{
    uint32_t i = pc % TOY_SPINS;
    if (thread->spin_since[i] && thread->spin_address[i] == address && thread->spin_value[i] == value)
        return false;
    thread->spin_address[i] = address;
    thread->spin_value[i] = value;
    thread->spin_since[i] = time + 1; /* never 0 */
    return true;
}

static void plain_load(struct mnp_unit *unit, struct toy_thread *thread, const struct toy_instruction *next,
                       uint64_t address, mnp_time time)
{
    struct toy_core *core = unit->self;
    uint64_t value = 0;
    mnp_overlay_read(core->overlay, address, next->bytes, &value);
    if (next->d)
        thread->r[next->d] = value;
    if (is_news(thread, thread->pc, address, value, time))
        unit->progress = time;
}

static void plain_store(struct mnp_unit *unit, struct toy_thread *thread, const struct toy_instruction *next,
                        uint64_t address, mnp_time time)
{
    struct toy_core *core = unit->self;
    uint64_t value = thread->r[next->b], old = 0, new = 0;
    mnp_overlay_read(core->overlay, address, next->bytes, &old);
    memcpy(&new, &value, next->bytes);
    if (old != new)
        unit->progress = time;
    if (!mnp_overlay_write(core->overlay, address, next->bytes, &value)) {
        struct mnp_error error = mnp_overlay_full(core->overlay);
        mnp_unit_fault(unit, time, &error);
        core->state->faulted = 1;
    }
}

static uint8_t action_of(const struct toy_instruction *instruction)
{
    switch (instruction->op) {
    case TOY_LOAD:
        return TOY_READ;
    case TOY_STORE:
        return TOY_WRITE;
    case TOY_ATOM_EXCHANGE:
        return TOY_EXCHANGE;
    case TOY_ATOM_CAS:
        return TOY_COMPARE;
    default:
        return TOY_FETCH_ADD;
    }
}

/* Sends an access to its slice and notes it as unacknowledged. */
static void send_access(struct mnp_unit *unit, uint32_t t, const struct toy_instruction *next, mnp_time time)
{
    struct toy_core *core = unit->self;
    struct toy_core_state *state = core->state;
    struct toy_thread *thread = &state->thread[t];
    uint64_t address = thread->r[next->a] + next->immediate, sector = address / TOY_SECTOR;
    bool atomic = next->op != TOY_LOAD && next->op != TOY_STORE;
    bool performed = atomic || next->order != TOY_PLAIN || sector_is_busy(core, sector);
    uint32_t slice = toy_slice_of(core->machine, address);
    struct toy_entry *entry = free_entry(core);
    *entry = (struct toy_entry){.sequence = state->sequence++, .sector = sector, .since = time, .pc = thread->pc,
                                .node = (uint16_t)core->machine->slice_node[slice], .performed = performed,
                                .thread = (uint8_t)t, .reg = writes_register(next) ? next->d : 0,
                                .acquire = next->order == TOY_ACQUIRE, .bytes = next->bytes,
                                .load = next->op == TOY_LOAD};
    struct toy_packet packet = {.address = address, .value = thread->r[next->b], .compare = thread->r[next->d],
                                .sequence = state->requests[slice]++, .from = (uint16_t)core->node, .to = entry->node,
                                .core = (uint16_t)core->number, .class = TOY_REQUEST, .bytes = next->bytes,
                                .action = performed ? action_of(next) : TOY_TIMING,
                                .entry = (uint8_t)(entry - state->entry)};
    toy_send(&state->port, core->request, &packet, time);
    if (!performed && next->op == TOY_LOAD)
        plain_load(unit, thread, next, address, time);
    if (!performed && next->op == TOY_STORE)
        plain_store(unit, thread, next, address, time);
    thread->pending |= (1u << entry->reg) & ~1u;
    thread->held = next->order == TOY_ACQUIRE;
    uint64_t *counters = mnp_counters(unit, 0);
    counters[next->op == TOY_LOAD ? TOY_CORE_LOADS : TOY_CORE_STORES]++;
    counters[TOY_CORE_PERFORMED] += performed;
}

static void arrive_at_barrier(struct toy_core_state *state, struct toy_thread *thread)
{
    thread->at_barrier = 1;
    for (uint32_t i = 0; i < state->threads; i++)
        if (!state->thread[i].at_barrier && !state->thread[i].done)
            return;
    for (uint32_t i = 0; i < state->threads; i++) {
        state->thread[i].pc += state->thread[i].at_barrier;
        state->thread[i].at_barrier = 0;
    }
}

static void trap(struct mnp_unit *unit, const struct toy_thread *thread, mnp_time time)
{
    struct mnp_error error = {""};
    mnp_fail(&error, "%s: a trap at instruction %u", unit->name, thread->pc);
    mnp_unit_fault(unit, time, &error);
    ((struct toy_core *)unit->self)->state->faulted = 1;
}

static void end_thread(struct mnp_unit *unit, struct toy_thread *thread, mnp_time time)
{
    thread->done = 1;
    thread->at_barrier = 0;
    unit->progress = time;
}

/* The next pc of an instruction that touches registers, the flow or the clock alone. */
static uint32_t compute(struct mnp_unit *unit, struct toy_thread *thread, const struct toy_instruction *next,
                        uint64_t cycle, bool first)
{
    bool equal = thread->r[next->a] == next->immediate;
    switch (next->op) {
    case TOY_SET:
    case TOY_ADD:
        if (next->d)
            thread->r[next->d] = next->immediate + (next->op == TOY_ADD ? thread->r[next->a] + thread->r[next->b] : 0);
        return thread->pc + 1;
    case TOY_BRANCH_EQ:
        return equal ? next->target : thread->pc + 1;
    case TOY_BRANCH_NE:
        return equal ? thread->pc + 1 : next->target;
    default: /* TOY_DELAY */
        thread->ready = cycle + 1 + next->immediate;
        if (first)
            unit->due = mnp_edge(unit->clock.hertz, thread->ready);
        return thread->pc + 1;
    }
}

static void execute(struct mnp_unit *unit, uint32_t t, uint64_t cycle, mnp_time time)
{
    struct toy_core *core = unit->self;
    struct toy_thread *thread = &core->state->thread[t];
    const struct toy_instruction *next = next_instruction(core, t);
    bool first = thread->pc >= thread->top;
    if (first) {
        thread->top = thread->pc + 1;
        unit->progress = time;
    }
    if (is_fence(next) && thread->fence == 0) {
        thread->fence = core->state->sequence;
        return;
    }
    thread->since = time;
    thread->fence = 0;
    if (is_access(next)) {
        send_access(unit, t, next, time);
        thread->pc++;
    } else if (next->op == TOY_BARRIER) {
        arrive_at_barrier(core->state, thread);
    } else if (next->op == TOY_TRAP) {
        trap(unit, thread, time);
    } else if (next->op == TOY_END) {
        end_thread(unit, thread, time);
    } else if (next->op == TOY_FENCE) {
        thread->pc++;
    } else {
        thread->pc = compute(unit, thread, next, cycle, first);
    }
}

/* ===== the cycle ===== */

static void acknowledge(struct mnp_unit *unit, const struct toy_packet *reply, mnp_time time)
{
    struct toy_core *core = unit->self;
    struct toy_entry *entry = &core->state->entry[reply->entry];
    struct toy_thread *thread = &core->state->thread[entry->thread];
    MNP_REQUIRE(entry->sequence && entry->sector == reply->address / TOY_SECTOR, "%s: a reply to nothing", unit->name);
    toy_receive(&core->state->port, unit, reply);
    if (entry->performed && entry->reg)
        thread->r[entry->reg] = reply->value;
    thread->pending &= ~(1u << entry->reg);
    if (entry->acquire)
        thread->held = 0;
    if (entry->performed && entry->load && is_news(thread, entry->pc, reply->address, reply->value, time))
        unit->progress = time;
    mnp_counters(unit, 0)[TOY_CORE_LATENCY] += time - entry->since;
    memset(entry, 0, sizeof *entry);
    toy_give_back(core->credit, TOY_REPLY, time);
}

static void receive(struct mnp_unit *unit, uint64_t cycle, mnp_time time)
{
    struct toy_core *core = unit->self;
    struct toy_core_state *state = core->state;
    uint32_t index;
    for (const void *payload; (payload = mnp_inbox_peek(&unit->inbox, time, &index)); mnp_inbox_take(&unit->inbox)) {
        if (index == 0) {
            acknowledge(unit, payload, time);
        } else if (index == 1) {
            state->port.credits[TOY_REQUEST] += ((const struct toy_credit *)payload)->count[TOY_REQUEST];
        } else {
            state->started = 1;
            for (uint32_t t = 0; t < state->threads; t++)
                state->thread[t].ready = cycle;
        }
    }
}

/* Accounts for cycles without an issue. What they count as must not change while they are skipped, so it is not the
 * time that decides, but whether a thread waits for anything else. */
static void count_cycles(struct mnp_unit *unit, uint64_t cycles)
{
    const struct toy_core *core = unit->self;
    const struct toy_core_state *state = core->state;
    bool waits = false, delayed = false;
    for (uint32_t t = 0; t < state->threads && state->started; t++) {
        delayed |= can_issue(core, t);
        waits |= !state->thread[t].done;
    }
    mnp_counters(unit, 0)[delayed ? TOY_CORE_DELAY : waits ? TOY_CORE_MEMORY : TOY_CORE_OVER] += cycles;
}

static bool issue(struct mnp_unit *unit, uint64_t cycle, mnp_time time)
{
    struct toy_core *core = unit->self;
    struct toy_core_state *state = core->state;
    for (uint32_t i = 0; i < state->threads && !state->faulted; i++) {
        uint32_t t = (state->turn + i) % state->threads;
        if (state->thread[t].ready <= cycle && can_issue(core, t)) {
            execute(unit, t, cycle, time);
            state->turn = t + 1;
            mnp_counters(unit, 0)[TOY_CORE_ISSUED]++;
            return true;
        }
    }
    return false;
}

/* Tells the controller when all threads are done and all accesses acknowledged. */
static void report_end(struct toy_core *core, mnp_time time)
{
    for (uint32_t t = 0; t < core->state->threads; t++)
        if (!core->state->thread[t].done)
            return;
    if (core->state->reported || oldest_access(core) != UINT64_MAX)
        return;
    core->state->reported = 1;
    struct toy_note *note = mnp_link_send(core->done, time);
    note->core = core->number;
}

static uint64_t step(struct mnp_unit *unit, uint64_t cycle, mnp_time time)
{
    struct toy_core *core = unit->self;
    struct toy_core_state *state = core->state;
    receive(unit, cycle, time);
    if (!state->started) {
        count_cycles(unit, 1);
        return UINT64_MAX;
    }
    if (!issue(unit, cycle, time))
        count_cycles(unit, 1);
    report_end(core, time);
    uint64_t next = UINT64_MAX;
    for (uint32_t t = 0; t < state->threads && !state->faulted; t++) {
        if (!can_issue(core, t)) /* until a packet comes or another thread acts: no guess, for `next` is state */
            continue;
        uint64_t act = state->thread[t].ready > cycle ? state->thread[t].ready : cycle + 1;
        next = act < next ? act : next;
    }
    return next;
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct toy_core *core = unit->self;
    return toy_run(unit, until, &core->state->progress, step, count_cycles);
}

/* ===== reports ===== */

/* The oldest access, of the slice; before it, where credits have run out, a place in the router. */
static bool wait_of(const struct mnp_unit *unit, uint32_t index, struct mnp_wait *wait)
{
    const struct toy_core *core = unit->self;
    uint64_t oldest = oldest_access(core);
    if (oldest == UINT64_MAX || index > 0)
        return false;
    for (uint32_t i = 0; i < TOY_ENTRIES; i++) {
        const struct toy_entry *entry = &core->state->entry[i];
        if (entry->sequence != oldest)
            continue;
        bool full = core->state->port.credits[TOY_REQUEST] == 0;
        wait->on = full ? core->request->to : core->machine->router[entry->node].out[TOY_TO_PORT]->to;
        wait->since = entry->since;
        snprintf(wait->what, sizeof wait->what, "%s of thread %u, instruction %u, to sector 0x%llx",
                 full ? "a place for a request" : "the reply to an access", entry->thread, entry->pc,
                 (unsigned long long)entry->sector * TOY_SECTOR);
    }
    return true;
}

static void report(const struct mnp_unit *unit, FILE *out)
{
    const struct toy_core *core = unit->self;
    for (uint32_t t = 0; t < core->state->threads && core->state->started; t++) {
        const struct toy_thread *thread = &core->state->thread[t];
        if (thread->done)
            continue;
        const char *why = thread->at_barrier ? "a barrier" : thread->held ? "an acquire" : thread->fence ? "a fence"
                          : thread->pending ? "a value" : "nothing";
        fprintf(out, "%s thread %u: at instruction %u since %llu fs, waits for %s\n", unit->name, t, thread->pc,
                (unsigned long long)thread->since, why);
        for (uint32_t i = 0; i < TOY_SPINS; i++)
            if (thread->spin_since[i])
                fprintf(out, "%s thread %u: sees %llu at 0x%llx since %llu fs\n", unit->name, t,
                        (unsigned long long)thread->spin_value[i], (unsigned long long)thread->spin_address[i],
                        (unsigned long long)thread->spin_since[i] - 1);
    }
}

static const struct mnp_statistic statistics[] = {
    MNP_COUNTER_ROW("issued", "cycle", "cycles in which an instruction was issued"),
    MNP_COUNTER_ROW("memory", "cycle", "cycles in which all live threads waited for memory or a barrier"),
    MNP_COUNTER_ROW("delay", "cycle", "cycles in which a thread waited for the end of a delay alone"),
    MNP_COUNTER_ROW("over", "cycle", "cycles before the start and after the end"),
    MNP_COUNTER_ROW("loads", "access", "loads"),
    MNP_COUNTER_ROW("stores", "access", "stores, atomics and reductions"),
    MNP_COUNTER_ROW("performed", "access", "accesses performed at a slice"),
    MNP_COUNTER_ROW("latency", "fs", "sum over accesses of the time until acknowledged"),
    MNP_WEIGHTED_ROW("energy", "pJ", "what instructions and stores have cost", 1000, {"issued", 250, NULL},
                     {"stores", 4000, NULL}),
    MNP_RATIO_ROW("energy_per_instruction", "fJ", "what an instruction has cost", "energy", "issued"),
};

enum { REPLIES, REQUEST_CREDITS, START, REQUESTS, REPLY_CREDITS, DONE };
static const struct mnp_port ports[] = {
    [REPLIES] = MNP_IN_ROW("replies", "toy_router", toy_packet, "acknowledgements"),
    [REQUEST_CREDITS] = MNP_IN_ROW("request credits", "toy_router", toy_credit, "places free in the router"),
    [START] = MNP_IN_ROW("start", "toy_controller", toy_note, "the core begins"),
    [REQUESTS] = MNP_OUT_ROW("requests", "toy_router", toy_packet, "requests"),
    [REPLY_CREDITS] = MNP_OUT_ROW("reply credits", "toy_router", toy_credit, "places free here"),
    [DONE] = MNP_OUT_ROW("done", "toy_controller", toy_note, "all threads have ended"),
};

static void lay_out(void *self, struct mnp_arena *arena)
{
    struct toy_core *core = self;
    core->state = mnp_arena_take(arena, 1, sizeof *core->state);
}

static void freeze(struct mnp_unit *unit)
{
    struct toy_core *core = unit->self;
    core->request = mnp_port_link(unit, REQUESTS);
    core->credit = mnp_port_link(unit, REPLY_CREDITS);
    core->done = mnp_port_link(unit, DONE);
}

static const struct mnp_state_field fields[] = {
    MNP_STATE_ROW("thread", "", "registers and flow of the threads"),
    MNP_STATE_ROW("entry", "access", "accesses not acknowledged"),
};

const struct mnp_model toy_core_model = {
    .name = "toy_core",
    .summary = "core with a few threads and the memory semantics of execution-driven runs",
    MNP_PORTS(ports),
    MNP_STATISTICS(statistics),
    MNP_STATE(fields),
    .lay_out = lay_out,
    .freeze = freeze,
    .advance = advance,
    .report = report,
    .wait = wait_of,
};
