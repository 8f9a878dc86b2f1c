/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The L1 data cache: sectored, write-through, allocate on a read miss, misses per line in MSHRs. Misses, writes and
 * atomics leave by the port to the GPC (port.c). Replacement and sectors are those of parts/cache/cache.h, policies
 * those of GPGPU-Sim's configurations. Where L1 and shared memory are one pool, the ways that shared memory has taken
 * are not in use.
 */
#include "base/bits.h"
#include "engine/count/statistics.h"
#include "gpu/sm/events.h"
#include "gpu/sm/live.h"
#include "gpu/sm/occupancy.h"
#include "gpu/sm/parts/parts.h"

/* ===== building ===== */

static struct mnp_cache_shape shape_of(const struct sm_parameters *p)
{
    return mnp_cache_shape_of(&p->l1d, p->l1d_line, p->l1d_sector, MNP_HASH_XOR);
}

bool sm_l1d_check(const struct sm_parameters *p, struct mnp_error *error)
{
    struct mnp_cache_shape shape = shape_of(p);
    if (shape.sets == 0)
        return mnp_fail(error,
                        "sm.l1d.size of %lu bytes holds less than one set of %lu ways of %lu bytes; enlarge "
                        "it or lower sm.l1d.ways",
                        (unsigned long)p->l1d.size, (unsigned long)p->l1d.ways, (unsigned long)p->l1d_line);
    return mnp_cache_check(&shape, "sm.l1d", error);
}

static uint32_t waiter_count(const struct sm_parameters *p)
{
    return (uint32_t)(p->l1d_mshrs * 4 > p->loads ? p->l1d_mshrs * 4 : p->loads);
}

void sm_l1d_lay_out(struct sm *sm, struct mnp_arena *arena)
{
    const struct sm_parameters *p = sm->parameters;
    struct mnp_cache_shape shape = shape_of(p);
    mnp_cache_init(&sm->l1d, &shape, arena);
    mnp_mshr_init(&sm->mshr, (uint32_t)p->l1d_mshrs, (uint32_t)p->l1d_merge, waiter_count(p), arena);
    sm->waiters = mnp_arena_take(arena, waiter_count(p), sizeof *sm->waiters);
}

void sm_l1d_set_carveout(struct sm *sm, const struct mnp_kernel *kernel)
{
    const struct sm_parameters *p = sm->parameters;
    if (p->shared_options.count == 0)
        return;
    uint64_t way = p->l1d.size / p->l1d.ways;
    uint32_t ways = (uint32_t)((p->l1d.size - sm_carveout(p, kernel)) / way);
    if (sm->mshr.pool->entries) /* lines that a prefetcher has asked for are still to come: the division stays */
        return;
    if (ways != sm->l1d.ways - *sm->l1d.withheld)
        sm->state->l1d.written_lines = 0;
    mnp_cache_resize(&sm->l1d, ways);
}

void sm_l1d_init(struct sm *sm)
{
    if (sm->l1d.ways > MNP_CACHE_VECTOR)
        mnp_cache_index(&sm->l1d);
}

void sm_l1d_release(struct sm *sm)
{
    mnp_cache_release_index(&sm->l1d);
}

/* ===== requests ===== */

/* The line of a number, in its set, or MNP_NO_LINE. */
static inline uint32_t find(const struct sm *sm, uint32_t set, uint64_t number)
{
    return sm->l1d.chains ? mnp_cache_find_by_index(&sm->l1d, number) : mnp_cache_find(&sm->l1d, set, number);
}

#define INLINE inline __attribute__((always_inline))

/* `strong`: a read that has to see other SMs' writes. `called`: a part may be called that has to do with the L1
 * (parts.h). It is a constant where most look-ups pass. */
static INLINE void enqueue(struct sm *sm, const struct sm_part *part, uint32_t sectors, uint32_t tag, uint16_t load,
                           bool strong, bool called)
{
    const struct sm_load *l = &sm->loads[load];
    bool carries_bytes = l->kind != GPU_READ;
    uint64_t first = carries_bytes ? part->bytes[0] : 0;
    if (called && sm->parts.tells_pc && !carries_bytes)
        first = sm_parts_pc(sm, load);
    sm_port_put(sm, &(struct gpu_request){.line = part->line,
                                          .bytes = {first, carries_bytes ? part->bytes[1] : 0},
                                          .tag = sm_port_tag(SM_TO_L1D, tag),
                                          .sm = sm->index,
                                          .kernel = sm->ctas[sm->warps[l->warp].cta.slot].kernel,
                                          .kind = l->kind,
                                          .sectors = (uint8_t)sectors,
                                          .operations = (uint16_t)(part->lanes | (strong ? GPU_STRONG : 0))});
}

/* ===== reads ===== */

enum { EXPECTED = 32 };                       /* replies for which the host's memory is asked at once */
enum { SM_PAST_L1 = 1 << (SM_TAG_BITS - 1) }; /* in the tag of a read: the rest is the load */

/* Events (enum sm_freed) that do not help a part which has found no room of this kind. If parts are called, any event
 * may help: they fetch lines of their own. */
static uint32_t deaf_to(const struct sm *sm, enum sm_l1d_want want)
{
    if (sm->parts.called || sm->parts.stage)
        return 0;
    switch (want) {
    case SM_L1D_WANT_PORT: /* the line itself may also arrive: then nothing has to be sent */
        return ~(uint32_t)(SM_FREED_PLACE | SM_FILLED_AWAITED);
    case SM_L1D_WANT_MSHR:
        return ~(uint32_t)(SM_FREED_ENTRY | (mnp_mshr_waiters_full(&sm->mshr) ? SM_FREED_WAITER : 0));
    default:
        return ~(uint32_t)SM_FILLED;
    }
}

static enum sm_l1d_outcome blocked(struct sm *sm, const struct sm_part *part, uint16_t load, enum sm_l1d_want want)
{
    if (!sm->state->l1d.failed) {
        uint64_t *counters = sm_counters_of(sm, sm->loads[load].warp);
        counters[SM_L1D_RESERVATION_FAILS] += gpu_count_sectors(part->sectors);
        counters[SM_L1D_FAIL_FIRST + want] += gpu_count_sectors(part->sectors);
    }
    sm->state->l1d.failed = 1;
    sm->deaf = deaf_to(sm, want);
    sm->awaited = part->line;
    return SM_L1D_BLOCKED;
}

/* The line to replace, where the usual choice is a line that has been written: while such lines are less than their
 * share of the cache, another one, if the set has any (l1_cache_write_ratio of GPGPU-Sim, which waits for one). */
static uint32_t spare_written(struct sm *sm, uint32_t set, uint32_t line)
{
    const struct mnp_cache *l1d = &sm->l1d;
    uint64_t lines = (uint64_t)l1d->sets * (l1d->ways - *l1d->withheld);
    if (sm->state->l1d.written_lines * UINT64_C(100) < sm->parameters->l1d_written_share * lines) {
        uint32_t other = mnp_cache_clean_victim(l1d, set);
        if (other != MNP_NO_LINE)
            return other;
    }
    sm->state->l1d.written_lines--;
    return line;
}

/* A place for the line in the cache; MNP_NO_LINE when all of its set are reserved. */
static INLINE uint32_t make_room(struct sm *sm, uint32_t line, uint32_t set, uint64_t number, uint16_t warp,
                                 bool called)
{
    if (line != MNP_NO_LINE)
        return line;
    line = mnp_cache_victim(&sm->l1d, set);
    if (line != MNP_NO_LINE && mnp_cache_line(&sm->l1d, line)->dirty)
        line = spare_written(sm, set, line);
    if (line == MNP_NO_LINE)
        return line;
    if (called && sm->parts.watches_l1d)
        sm_parts_replaced(sm, line, number, warp);
    mnp_cache_replace(&sm->l1d, line, set, number);
    return line;
}

static void count_read(struct sm *sm, uint16_t load, uint32_t sectors, uint32_t pending, uint32_t missing,
                       uint64_t cycle)
{
    uint64_t *counters = sm_counters_of(sm, sm->loads[load].warp);
    uint32_t all = gpu_count_sectors(sectors), on_their_way = gpu_count_sectors(pending);
    uint32_t missed = gpu_count_sectors(missing);
    counters[SM_L1D_ACCESSES] += all;
    counters[SM_L1D_READS] += all;
    counters[SM_L1D_PENDING_HITS] += on_their_way;
    counters[SM_L1D_MISSES] += missed;
    counters[SM_L1D_READ_HITS] += all - on_their_way - missed;
    if (GPU_HEARS(sm, sm.l1d_accessed))
        gpu_tell_l1d_accessed(&sm->listeners, sm, sm->loads[load].warp, GPU_READ, all, missed, cycle);
}

/* Waits for `rest`, of which `missing` have to be fetched, into `line`; all room has been checked. */
static INLINE void wait_for(struct sm *sm, const struct sm_part *part, uint32_t rest, uint32_t missing, uint32_t line,
                            uint32_t entry, uint16_t load, uint64_t cycle, bool called)
{
    if (entry == MNP_NO_MSHR)
        entry = mnp_mshr_allocate(&sm->mshr, part->line);
    uint32_t waiter = mnp_mshr_merge(&sm->mshr, entry);
    sm->waiters[waiter] = (struct sm_waiter){.sectors = rest, .load = load, .since = cycle};
    if (!missing)
        return;
    uint64_t *owner = &sm->mshr.entries[entry].owner;
    *owner = (uint64_t)line << 32 | (uint32_t)*owner | missing; /* the line is reserved, and stays where it is */
    enqueue(sm, part, missing, entry, load, false, called);
}

/* A read past the L1 has no miss entry, and merges with no other: each of its sectors is a part of the load. */
static INLINE enum sm_l1d_outcome read_past(struct sm *sm, const struct sm_part *part, uint16_t load, bool strong,
                                            uint64_t cycle, bool called)
{
    if (sm_port_full(sm))
        return blocked(sm, part, load, SM_L1D_WANT_PORT);
    uint32_t sectors = mnp_ones(part->sectors);
    sm_load_pass(sm, load, sectors, cycle);
    sm_counters_of(sm, sm->loads[load].warp)[SM_L1D_BYPASSES] += sectors;
    enqueue(sm, part, part->sectors, SM_PAST_L1 | load, load, strong, called);
    if (sm->live)
        sm_live_send(sm, part, load, cycle);
    return SM_L1D_WAITS;
}

/* Whether the policy, which asks for accesses, would give the line no place. */
static __attribute__((noinline)) bool policy_bypasses(struct sm *sm, const struct sm_part *part, uint16_t load,
                                                      uint32_t line)
{
    struct mnp_cache_access access = sm_parts_access(sm, part, load, MNP_ACCESS_LOAD);
    mnp_cache_announce(&sm->l1d, part->set, &access, sm->state->l1d.failed);
    return line == MNP_NO_LINE && mnp_cache_bypasses(&sm->l1d, part->set);
}

/* Finds the miss entry of a part of which `found->rest` is not there, and the sectors to be fetched. False: there is no
 * room for one waiter more. */
static INLINE bool find_miss(const struct sm *sm, const struct sm_part *part, struct sm_l1d_found *found)
{
    uint32_t entry = mnp_mshr_find(&sm->mshr, part->line);
    uint32_t pending = entry == MNP_NO_MSHR ? 0 : found->rest & (uint32_t)sm->mshr.entries[entry].owner;
    found->entry = entry;
    found->missing = found->rest & ~pending;
    return entry == MNP_NO_MSHR ? !mnp_mshr_full(&sm->mshr) && !mnp_mshr_waiters_full(&sm->mshr)
                                : mnp_mshr_can_merge(&sm->mshr, entry);
}

/* Waits for what the look-up has found not to be there, and fetches it if need be and possible. */
static INLINE enum sm_l1d_outcome miss(struct sm *sm, const struct sm_part *part, struct sm_l1d_found *found,
                                       uint16_t load, uint64_t cycle, bool called)
{
    if (found->missing && sm_port_full(sm)) {
        sm->found = *found;
        sm->found.kept = !called;
        return blocked(sm, part, load, SM_L1D_WANT_PORT);
    }
    if (found->missing) {
        uint64_t number = part->line >> sm->l1d.line_shift;
        found->line = make_room(sm, found->line, part->set, number, sm->loads[load].warp, called);
        if (found->line == MNP_NO_LINE)
            return blocked(sm, part, load, SM_L1D_WANT_LINE);
        mnp_cache_touch(&sm->l1d, found->line, part->set);
        mnp_cache_expect(&sm->l1d, found->line, found->missing);
    }
    count_read(sm, load, part->sectors, found->rest & ~found->missing, found->missing, cycle);
    wait_for(sm, part, found->rest, found->missing, found->line, found->entry, load, cycle, called);
    return SM_L1D_WAITS;
}

static INLINE enum sm_l1d_outcome read(struct sm *sm, const struct sm_part *part, uint16_t load, uint64_t cycle,
                                       bool called)
{
    struct sm_l1d_found found = {.line = find(sm, part->set, part->line >> sm->l1d.line_shift), .rest = part->sectors};
    if (called && mnp_cache_asks(&sm->l1d) && policy_bypasses(sm, part, load, found.line))
        return read_past(sm, part, load, false, cycle, called);
    if (found.line != MNP_NO_LINE) {
        found.rest &= ~(uint32_t)mnp_cache_line(&sm->l1d, found.line)->valid;
        if (!found.rest) {
            mnp_cache_touch(&sm->l1d, found.line, part->set);
            count_read(sm, load, part->sectors, 0, 0, cycle);
            return SM_L1D_HIT;
        }
    }
    if (!find_miss(sm, part, &found))
        return blocked(sm, part, load, found.entry == MNP_NO_MSHR ? SM_L1D_WANT_MSHR : SM_L1D_WANT_MERGE);
    return miss(sm, part, &found, load, cycle, called);
}

void sm_l1d_prefetch(struct sm *sm, const struct sm_part *part, uint16_t warp)
{
    uint64_t number = part->line >> sm->l1d.line_shift;
    uint32_t set = mnp_cache_set(&sm->l1d, number);
    struct mnp_cache_access access = {
        .address = part->line, .sm = sm->index, .warp = warp, .kind = MNP_ACCESS_PREFETCH};
    if (find(sm, set, number) != MNP_NO_LINE || mnp_mshr_find(&sm->mshr, part->line) != MNP_NO_MSHR ||
        sm->mshr.pool->entries + 1 >= sm->mshr.entry_count || sm_port_full(sm))
        return;
    if (mnp_cache_asks(&sm->l1d)) {
        mnp_cache_announce(&sm->l1d, set, &access, false);
        if (mnp_cache_bypasses(&sm->l1d, set))
            return;
    }
    uint32_t line = make_room(sm, MNP_NO_LINE, set, number, warp, true);
    if (line == MNP_NO_LINE)
        return;
    uint32_t entry = mnp_mshr_allocate(&sm->mshr, part->line);
    sm->mshr.entries[entry].owner = (uint64_t)line << 32 | part->sectors;
    mnp_cache_expect(&sm->l1d, line, part->sectors);
    sm_parts_prefetched(sm, line, warp);
    sm_port_put(sm, &(struct gpu_request){.line = part->line,
                                          .tag = sm_port_tag(SM_TO_L1D, entry),
                                          .sm = sm->index,
                                          .kind = GPU_READ,
                                          .sectors = part->sectors});
}

/* A part has been looked up: whoever watches the L1 learns it, and a prefetcher may ask for lines. */
static __attribute__((noinline)) void tell(struct sm *sm, const struct sm_part *part, uint16_t load, bool hit,
                                           uint64_t cycle)
{
    struct sm_part asked[SM_PREFETCH_MOST];
    uint32_t count = sm_parts_looked_up(sm, part, load, hit, cycle, asked);
    for (uint32_t i = 0; i < count; i++)
        sm_l1d_prefetch(sm, &asked[i], sm->loads[load].warp);
}

static __attribute__((noinline)) enum sm_l1d_outcome read_called(struct sm *sm, const struct sm_part *part,
                                                                 uint16_t load, uint64_t cycle)
{
    enum sm_l1d_outcome outcome = read(sm, part, load, cycle, true);
    if (sm->parts.watches_l1d && outcome != SM_L1D_BLOCKED)
        tell(sm, part, load, outcome == SM_L1D_HIT, cycle);
    return outcome;
}

enum sm_l1d_outcome sm_l1d_read(struct sm *sm, const struct sm_part *part, uint16_t load, enum sm_l1d_way way,
                                uint64_t cycle)
{
    if (way != SM_L1D_THROUGH)
        return read_past(sm, part, load, way == SM_L1D_PAST_STRONG, cycle, true);
    if (__builtin_expect(sm->parts.called, 0))
        return read_called(sm, part, load, cycle);
    if (!sm->found.kept)
        return read(sm, part, load, cycle, false);
    struct sm_l1d_found found = sm->found; /* the part has waited for the port, and nothing has come since */
    sm->found.kept = false;
    return miss(sm, part, &found, load, cycle, false);
}

/* ===== writes, atomics, reductions ===== */

/* Tells a policy that asks of a store. Whether a line that is absent would get no place. */
static __attribute__((noinline)) bool announce_write(struct sm *sm, const struct sm_part *part, uint16_t load)
{
    struct mnp_cache_access access = sm_parts_access(sm, part, load, MNP_ACCESS_STORE);
    mnp_cache_announce(&sm->l1d, part->set, &access, false);
    return mnp_cache_bypasses(&sm->l1d, part->set);
}

/* Performs a store in the cache. A set whose lines are all reserved is no reason to wait. Result: whether the line was
 * present. */
static bool write_line(struct sm *sm, const struct sm_part *part, uint16_t load)
{
    uint64_t number = part->line >> sm->l1d.line_shift, policy = sm->parameters->l1d_write;
    uint32_t set = part->set, line = find(sm, set, number);
    if (policy == SM_WRITE_EVICT) {
        if (line != MNP_NO_LINE && !mnp_cache_line(&sm->l1d, line)->pending)
            mnp_cache_invalidate(&sm->l1d, line, set);
        return line != MNP_NO_LINE;
    }
    bool there = line != MNP_NO_LINE, bypass = false;
    if (mnp_cache_asks(&sm->l1d))
        bypass = announce_write(sm, part, load) && !there;
    if (policy == SM_WRITE_ALLOCATE && !bypass)
        line = make_room(sm, line, set, number, sm->loads[load].warp, true);
    if (line == MNP_NO_LINE)
        return false;
    mnp_cache_touch(&sm->l1d, line, set);
    bool marked = policy == SM_WRITE_ALLOCATE && sm->parameters->l1d_written_share;
    sm->state->l1d.written_lines += marked && !mnp_cache_line(&sm->l1d, line)->dirty;
    mnp_cache_write(&sm->l1d, line, part->bytes, marked); /* dirty: only the mark of a written line */
    return there;
}

/* Performs a store, which goes past the L1 now, and counts it. */
static void store(struct sm *sm, const struct sm_part *part, uint16_t load, uint64_t cycle)
{
    const struct sm_load *l = &sm->loads[load];
    uint64_t *counters = sm_counters_of(sm, l->warp);
    uint32_t sectors = gpu_count_sectors(part->sectors), there = write_line(sm, part, load) ? sectors : 0;
    counters[SM_L1D_WRITE_HITS] += there;
    counters[SM_L1D_ACCESSES] += sectors;
    counters[SM_L1D_WRITES] += sectors;
    if (GPU_HEARS(sm, sm.l1d_accessed))
        gpu_tell_l1d_accessed(&sm->listeners, sm, l->warp, GPU_WRITE, sectors, sectors - there, cycle);
}

enum sm_l1d_outcome sm_l1d_send(struct sm *sm, const struct sm_part *part, uint16_t load, uint64_t cycle)
{
    bool writes = sm->loads[load].kind == GPU_WRITE, may_join = writes && sm->parameters->store_joins;
    if (may_join && sm_store_joins(sm, part, load)) {
        store(sm, part, load, cycle);
        return SM_L1D_WAITS;
    }
    if (sm_port_full(sm))
        return blocked(sm, part, load, SM_L1D_WANT_PORT);
    if (writes)
        store(sm, part, load, cycle);
    else
        sm_counters_of(sm, sm->loads[load].warp)[SM_ATOMICS]++;
    enqueue(sm, part, part->sectors, load, load, false, true);
    if (may_join)
        sm_store_joins_offer(sm, load);
    if (sm->live)
        sm_live_send(sm, part, load, cycle);
    return SM_L1D_WAITS;
}

/* ===== replies ===== */

/* The load that a reply is for, if no miss entry got it. */
static uint16_t load_of(const struct gpu_reply *reply)
{
    return (uint16_t)(reply->tag & (SM_PAST_L1 - 1));
}

/* Most replies find that the host's caches have forgotten their miss, their line and who waits. */
void sm_l1d_expect(const struct sm *sm)
{
    const struct mnp_inbox *inbox = &sm->unit->inbox;
    uint32_t count = mnp_inbox_coming(inbox, sm->from_gpc), most = count < EXPECTED ? count : EXPECTED;
    const struct mnp_mshr_entry *entries[EXPECTED];
    uint32_t reads = 0;
    for (uint32_t i = 0; i < most; i++) {
        const struct gpu_reply *reply = mnp_inbox_look(inbox, sm->from_gpc, i);
        if (reply->kind != GPU_READ || sm_port_owner_of(reply->tag) != SM_TO_L1D || (reply->tag & SM_PAST_L1))
            continue;
        entries[reads] = &sm->mshr.entries[sm_port_own(reply->tag)];
        __builtin_prefetch(entries[reads++]);
    }
    for (uint32_t i = 0; i < reads; i++) {
        uint32_t waiter = entries[i]->first;
        __builtin_prefetch(&sm->l1d.lines[entries[i]->owner >> 32]);
        if (waiter != MNP_NO_MSHR)
            __builtin_prefetch(&sm->waiters[waiter]);
    }
    for (uint32_t i = 0; i < reads; i++)
        if (entries[i]->first != MNP_NO_MSHR)
            __builtin_prefetch(&sm->loads[sm->waiters[entries[i]->first].load]);
}

/* Returns what that frees for the memory pipeline: enum sm_freed. */
static uint32_t fill(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    sm->found.kept = false;
    uint32_t freed = SM_FILLED | (reply->line == sm->awaited ? SM_FILLED_AWAITED : 0);
    uint32_t entry = sm_port_own(reply->tag), before = MNP_NO_MSHR,
             line = (uint32_t)(sm->mshr.entries[entry].owner >> 32);
    mnp_cache_fill(&sm->l1d, line, reply->sectors & mnp_cache_line(&sm->l1d, line)->pending);
    sm->mshr.entries[entry].owner &= ~(uint64_t)reply->sectors;
    uint32_t waiter = mnp_mshr_first(&sm->mshr, entry);
    while (waiter != MNP_NO_MSHR) {
        sm->waiters[waiter].sectors &= ~(uint32_t)reply->sectors;
        if (sm->waiters[waiter].sectors) {
            before = waiter;
            waiter = mnp_mshr_next(&sm->mshr, waiter);
            continue;
        }
        uint16_t load = (uint16_t)sm->waiters[waiter].load;
        uint32_t bin = mnp_histogram_bin(GPU_LATENCY_BINS, cycle - sm->waiters[waiter].since);
        sm_counters_of(sm, sm->loads[load].warp)[SM_L1D_MISS_LATENCY + bin]++;
        uint32_t next = mnp_mshr_remove(&sm->mshr, entry, before, waiter);
        mnp_mshr_free(&sm->mshr, waiter);
        freed |= SM_FREED_WAITER;
        waiter = next;
        sm_load_part_done(sm, load, 1, cycle + sm->parameters->fill_latency, cycle);
    }
    if ((uint32_t)sm->mshr.entries[entry].owner)
        return freed;
    sm->mshr.entries[entry].owner = 0;
    mnp_mshr_release(&sm->mshr, entry);
    return freed | SM_FREED_ENTRY;
}

bool sm_l1d_is_progress(const struct sm *sm, const struct gpu_reply *reply)
{
    bool fills = reply->kind == GPU_READ && !(reply->tag & SM_PAST_L1);
    return fills || !sm_live_is_idle(sm, load_of(reply));
}

void sm_l1d_reply(struct sm *sm, const struct gpu_reply *reply, uint64_t cycle)
{
    if (reply->kind == GPU_READ && (reply->tag & SM_PAST_L1)) {
        uint16_t load = load_of(reply);
        uint32_t bin = mnp_histogram_bin(GPU_LATENCY_BINS, cycle - sm->loads[load].since);
        sm_counters_of(sm, sm->loads[load].warp)[SM_L1D_MISS_LATENCY + bin]++;
        uint32_t sectors = mnp_ones(reply->sectors);
        sm_load_part_done(sm, load, sectors, cycle + sm->parameters->fill_latency, cycle);
    } else if (reply->kind == GPU_READ) {
        sm_wake_pipeline_by(sm, fill(sm, reply, cycle));
    } else {
        uint64_t ready = reply->kind == GPU_ATOMIC ? cycle + sm->parameters->fill_latency : cycle;
        sm_load_part_done(sm, load_of(reply), 1, ready, cycle);
        if (sm->state->store_joins.count && reply->kind == GPU_WRITE)
            sm_store_joins_answer(sm, load_of(reply), reply->line, cycle);
    }
}
