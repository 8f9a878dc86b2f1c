/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An L2 slice: a sectored, write-back, write-allocate cache with lazy fetch (after GPGPU-Sim's L2 of Volta and later).
 *
 * In one L2 cycle, in this order:
 *   1. sectors released by the channel fill the cache, and requests that waited for them go to a feed of the port;
 *   2. the reply port sends the reply that has waited longest, if it has a credit of the reply's GPC; a packet occupies
 *      the port for (header + data) / width cycles, a joined one (3.) for none: the next one follows it in its cycle;
 *   3. one request is looked up, unless the last one still occupies the slice (wide accesses and wide packets do), and
 *      with it reads of the same line that wait behind it, up to l2.coalesce, or writes, up to l2.coalesce_writes
 *      (joined.h); their answers leave together;
 *   4. fetches and write-backs go to the channel (channel.c).
 * A request that finds no line, MSHR or queue entry waits at the head of the input and blocks those behind it.
 *
 * Of a machine that executes, accesses that are performed here are so when they are looked up, in the order of their
 * arrival; what they cost goes on as for others (values.c).
 *
 * Reads and fetches answer with data; writes are acknowledged when performed here; atomics and reductions need their
 * sectors, and occupy the atomic unit for a number of cycles per sector. A fully written sector is never fetched.
 */
#include "engine/count/statistics.h"
#include "gpu/partition/copies.h"
#include "gpu/partition/joined.h"
#include "gpu/partition/state.h"

static struct gpu_transaction *first_of(const struct gpu_partition *partition, const struct mnp_chain *chain)
{
    return chain->first == MNP_NO_ENTRY ? NULL : &partition->transactions[chain->first];
}

/* A request enters its slice's input. */
static void enter(struct gpu_partition *partition, uint32_t index, uint64_t cycle)
{
    uint32_t slice = partition->transactions[index].slice;
    struct mnp_chain *input = &partition->slices[slice].input;
    if (input->first == MNP_NO_ENTRY) /* behind others it changes nothing */
        gpu_partition_wake(partition, slice, cycle);
    mnp_chain_append(input, partition->next, index);
}

/* Whether a request from another part has to wait for the link, as those before it do: it then waits behind them. */
static bool must_cross(struct gpu_partition *partition, uint32_t index, uint64_t cycle)
{
    struct gpu_partition_totals *totals = partition->totals;
    struct gpu_transaction *transaction = &partition->transactions[index];
    uint32_t sectors = gpu_request_sectors(transaction->kind, transaction->sectors);
    const struct mnp_cursor *clock = &partition->unit->clock;
    bool waits = totals->crossing.first != MNP_NO_ENTRY;
    if (!waits && !sectors)
        return false;
    mnp_time now = mnp_cursor_edge(clock, cycle);
    if (waits || totals->way_in.free > now) {
        mnp_time free = totals->way_in.free > now ? totals->way_in.free : now;
        transaction->ready = mnp_cursor_cycle_at(clock, free);
        now = mnp_cursor_edge(clock, transaction->ready);
        mnp_chain_append(&totals->crossing, partition->next, index);
        if (!waits && transaction->ready < partition->l2_next)
            partition->l2_next = transaction->ready;
        waits = true;
    }
    gpu_part_link_take(&partition->config.link, &totals->way_in, sectors, now);
    gpu_partition_counters(partition, transaction->kernel)[GPU_L2_LINK_WRITTEN] += (uint64_t)sectors * GPU_SECTOR;
    return waits;
}

void gpu_slice_take(struct gpu_partition *partition, uint32_t gpc, const struct gpu_request *request, uint64_t cycle)
{
    MNP_REQUIRE(request->slice < partition->slice_count && request->kernel < partition->unit->slots,
                "%s takes a request for slice %u of kernel slot %u", partition->unit->name, request->slice,
                request->kernel);
    uint32_t index = mnp_pool_take(&partition->totals->pool, partition->next);
    partition->transactions[index] = (struct gpu_transaction){
        .line = request->line,
        .taken = cycle,
        .slice = request->slice,
        .bytes = {request->bytes[0], request->bytes[1]},
        .tag = request->tag,
        .sm = request->sm,
        .kernel = request->kernel,
        .kind = request->kind,
        .sectors = request->sectors,
        .strong = request->kind == GPU_READ && (request->operations & GPU_STRONG),
        .gpc = (uint16_t)gpc,
        .ticket = request->ticket,
    };
    partition->totals->unfinished++;
    const struct mnp_cache *cache = &partition->caches[request->slice];
    uint64_t tag = mnp_address_local(partition->config.map, request->line) >> cache->line_shift;
    mnp_cache_prefetch(cache, mnp_cache_set(cache, tag)); /* mostly, it is looked up in some cycles */
    if (!gpu_part_link_far(&partition->config.link, gpc) || !must_cross(partition, index, cycle))
        enter(partition, index, cycle);
}

void gpu_slice_take_crossed(struct gpu_partition *partition, uint64_t cycle)
{
    struct mnp_chain *crossing = &partition->totals->crossing;
    const struct gpu_transaction *first;
    while ((first = first_of(partition, crossing)) && first->ready <= cycle)
        enter(partition, mnp_chain_pop(crossing, partition->next), cycle);
}

/* Puts an answered transaction into a feed. */
static void answer(struct gpu_partition *partition, uint32_t slice_index, enum gpu_feed feed, uint32_t index,
                   uint64_t cycle)
{
    struct gpu_slice *slice = &partition->slices[slice_index];
    struct gpu_slice_memo *memo = &partition->memos[slice_index];
    struct gpu_transaction *transaction = &partition->transactions[index];
    uint64_t ready = cycle + partition->config.parameters->latency;
    transaction->delayed = feed == GPU_FEED_FILL;
    slice->immediate += feed != GPU_FEED_FILL;
    if (transaction->far && feed == GPU_FEED_ATOMIC) {
        ready += partition->config.home_cycles; /* all by the same time, so that they stay in their order */
        feed = GPU_FEED_FAR_ATOMIC;
    } else if (transaction->far) {
        ready += transaction->ready - cycle;
        ready = slice->far_ready = ready > slice->far_ready ? ready : slice->far_ready;
        feed = GPU_FEED_FAR;
    }
    transaction->ready = ready;
    if (ready < memo->ready || (ready == memo->ready && feed < memo->feed)) {
        memo->ready = ready; /* others of its feed were ready earlier, or are in the memo */
        memo->feed = feed;
    }
    mnp_chain_append(&slice->feeds[feed], partition->next, index);
}

static bool is_atomic(const struct gpu_transaction *transaction)
{
    return transaction->kind == GPU_ATOMIC || transaction->kind == GPU_REDUCTION;
}

/* All sectors are there: reads are answered; atomics are performed, one sector after another. */
static void perform(struct gpu_partition *partition, uint32_t slice_index, uint32_t line, uint32_t index,
                    enum gpu_feed feed, uint64_t cycle)
{
    struct gpu_slice *slice = &partition->slices[slice_index];
    struct gpu_transaction *transaction = &partition->transactions[index];
    transaction->delayed = feed == GPU_FEED_FILL;
    if (partition->copies)
        gpu_copies_use(partition, slice_index, line, transaction, cycle);
    if (!is_atomic(transaction)) {
        answer(partition, slice_index, feed, index, cycle);
        return;
    }
    uint32_t sectors = gpu_count_sectors(transaction->sectors);
    uint64_t start = slice->atomics_until > cycle ? slice->atomics_until : cycle;
    slice->atomics_until = start + partition->atomic_cycles[sectors];
    mnp_cache_soil(&partition->caches[slice_index], line, transaction->sectors);
    gpu_partition_counters(partition, transaction->kernel)[GPU_L2_ATOMICS] += sectors;
    /* Answered as the last sector's operation begins: one sector alone takes as long as a hit. */
    answer(partition, slice_index, GPU_FEED_ATOMIC, index, slice->atomics_until - partition->atomic_cycles[1]);
}

/* ===== fills ===== */

void gpu_slice_expect(const struct gpu_partition *partition, const struct gpu_release *release)
{
    const struct mnp_mshr_entry *entry = &partition->mshrs[release->slice].entries[release->mshr];
    const uint32_t *waiting = partition->waiting + (size_t)release->slice * partition->mshrs->waiter_count;
    __builtin_prefetch(&partition->caches[release->slice].lines[(uint32_t)entry->owner]);
    if (entry->first != MNP_NO_MSHR)
        __builtin_prefetch(&partition->transactions[waiting[entry->first]]);
}

/* The cycle at which the port could send the first reply, credits permitting. */
static uint64_t next_reply(const struct gpu_partition *partition, uint32_t slice_index)
{
    uint64_t ready = partition->memos[slice_index].ready, until = partition->slices[slice_index].port_until;
    return ready > until ? ready : until;
}

/* A sector of a line has come: what waits for it may be answered, and the first transaction of the input may be done,
 * unless that waits for room in the queue of misses and the line is of another set. */
static void wake_by_fill(struct gpu_partition *partition, uint32_t slice_index, uint32_t line, uint64_t cycle)
{
    struct gpu_slice_memo *memo = &partition->memos[slice_index];
    uint64_t next = next_reply(partition, slice_index);
    if (memo->found.set == GPU_NO_SET || line / partition->caches[slice_index].stride == memo->found.set) {
        memo->found.set = GPU_NO_SET;
        next = memo->blocked ? cycle : next;
        memo->blocked = false;
    }
    gpu_partition_wake(partition, slice_index, next > cycle ? next : cycle);
}

void gpu_slice_fill(struct gpu_partition *partition, const struct gpu_release *release, uint64_t cycle)
{
    struct mnp_mshr *mshr = &partition->mshrs[release->slice];
    struct gpu_slice *slice = &partition->slices[release->slice];
    uint32_t line = (uint32_t)mshr->entries[release->mshr].owner, bit = 1u << release->sector;
    uint32_t *waiting = partition->waiting + (size_t)release->slice * mshr->waiter_count;
    mnp_cache_fill(&partition->caches[release->slice], line, bit);
    uint32_t before = MNP_NO_MSHR;
    for (uint32_t waiter = mnp_mshr_first(mshr, release->mshr); waiter != MNP_NO_MSHR;) {
        struct gpu_transaction *transaction = &partition->transactions[waiting[waiter]];
        transaction->missing &= (uint8_t)~bit;
        if (transaction->missing) {
            before = waiter;
            waiter = mnp_mshr_next(mshr, waiter);
            continue;
        }
        uint32_t after = mnp_mshr_remove(mshr, release->mshr, before, waiter);
        mnp_mshr_free(mshr, waiter);
        if (is_atomic(transaction)) { /* the atomic moves to the place that it took in the other feed */
            slice->delayed--;
            slice->immediate--;
        }
        perform(partition, release->slice, line, waiting[waiter], GPU_FEED_FILL, cycle);
        waiter = after;
    }
    /* With l2.fetch, sectors are on their way for which nobody waits. */
    bool whole = !mnp_cache_line(&partition->caches[release->slice], line)->pending;
    if (whole && mnp_mshr_first(mshr, release->mshr) == MNP_NO_MSHR)
        mnp_mshr_release(mshr, release->mshr);
    wake_by_fill(partition, release->slice, line, cycle);
}

/* ===== the reply port ===== */

/* Finds the feed whose first reply has waited longest. */
static void find_first_reply(struct gpu_partition *partition, uint32_t slice_index)
{
    const struct gpu_slice *slice = &partition->slices[slice_index];
    struct gpu_slice_memo *memo = &partition->memos[slice_index];
    memo->feed = GPU_FEEDS;
    memo->ready = GPU_NEVER;
    for (uint32_t feed = 0; feed < partition->feed_count; feed++) {
        const struct gpu_transaction *first = first_of(partition, &slice->feeds[feed]);
        if (first && first->ready < memo->ready) {
            memo->ready = first->ready;
            memo->feed = feed;
        }
    }
}

void gpu_slice_ask(struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    partition->memos[slice_index] =
        (struct gpu_slice_memo){.wake = cycle, .wanted_gpc = GPU_NO_GPC, .found = {.set = GPU_NO_SET}};
    partition->eager |= (uint64_t)(partition->slices[slice_index].misses.count > 0) << slice_index;
    find_first_reply(partition, slice_index);
}

/* Whether the answer to a transaction goes to another part of the L2. */
static bool crosses(const struct gpu_partition *partition, const struct gpu_transaction *transaction)
{
    bool far = gpu_part_link_far(&partition->config.link, transaction->gpc);
    return far && (!partition->copies || transaction->crosses);
}

/* Whether the first reply of a slice could leave now, with data for another part of the L2. */
static bool wants_link(const struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    const struct gpu_slice_memo *memo = &partition->memos[slice_index];
    const struct gpu_slice *slice = &partition->slices[slice_index];
    if (memo->ready > cycle || slice->port_until > cycle)
        return false;
    const struct gpu_transaction *first = first_of(partition, &slice->feeds[memo->feed]);
    return crosses(partition, first) && partition->credits[first->gpc] &&
           gpu_reply_sectors(first->kind, first->sectors);
}

/* The cycle from which the link takes the first reply of a slice that wants it: the present one, if it is free and the
 * slice's turn among those that want it. */
static uint64_t link_cycle(const struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    const struct gpu_part_link_state *link = &partition->totals->link;
    if (link->free > partition->l2_time)
        return mnp_cursor_cycle_at(&partition->unit->clock, link->free);
    uint32_t slice = link->turn;
    while (!wants_link(partition, slice, cycle))
        slice = slice + 1 < partition->slice_count ? slice + 1 : 0;
    return slice == slice_index ? cycle : cycle + 1;
}

static void cross_link(struct gpu_partition *partition, uint32_t slice_index, const struct gpu_transaction *transaction)
{
    uint32_t sectors = gpu_reply_sectors(transaction->kind, transaction->sectors);
    if (!sectors)
        return;
    gpu_part_link_take(&partition->config.link, &partition->totals->link, sectors, partition->l2_time);
    partition->totals->link.turn = slice_index + 1 < partition->slice_count ? slice_index + 1 : 0;
    gpu_partition_counters(partition, transaction->kernel)[GPU_L2_LINK_BYTES] += (uint64_t)sectors * GPU_SECTOR;
}

/* Sends the first reply, for which there is a credit. */
static void send_reply(struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    struct gpu_slice *slice = &partition->slices[slice_index];
    struct gpu_slice_memo *memo = &partition->memos[slice_index];
    uint32_t index = mnp_chain_pop(&slice->feeds[memo->feed], partition->next);
    const struct gpu_transaction *transaction = &partition->transactions[index];
    uint32_t sectors = gpu_reply_sectors(transaction->kind, transaction->sectors);
    uint32_t cycles = transaction->joined ? 0 : partition->port_cycles[sectors]; /* data for several leave once */
    struct gpu_reply *reply = mnp_link_put(partition->replies[transaction->gpc], partition->l2_time);
    *reply = (struct gpu_reply){.line = transaction->line,
                                .tag = transaction->tag,
                                .sm = transaction->sm,
                                .kernel = transaction->kernel,
                                .kind = transaction->kind,
                                .sectors = transaction->sectors};
    partition->credits[transaction->gpc]--;
    slice->port_until = cycle + cycles;
    if (crosses(partition, transaction))
        cross_link(partition, slice_index, transaction);
    bool delayed = transaction->delayed;
    --*(delayed ? &slice->delayed : &slice->immediate);
    if (slice->stall == (delayed ? GPU_STALL_MSHR : GPU_STALL_REPLY))
        memo->blocked = false;
    uint64_t *counters = gpu_partition_counters(partition, transaction->kernel);
    counters[GPU_PACKETS_TO_SIMT]++;
    counters[GPU_L2_PORT_BUSY] += cycles;
    counters[GPU_L2_LATENCY_AT + mnp_histogram_bin(GPU_LATENCY_BINS, cycle - transaction->taken)]++;
    uint64_t bytes = gpu_packet_bytes(partition->config.network, sectors);
    counters[GPU_PARTITION_TO_GPC_BYTES] += bytes;
    if (partition->streams)
        reply->activity = gpu_activity_reply(partition, slice_index, transaction, bytes);
    counters[GPU_L2_PORT_WAIT] += cycle - transaction->ready;
    partition->totals->unfinished--;
    mnp_pool_give(&partition->totals->pool, partition->next, index);
    find_first_reply(partition, slice_index);
}

/* Sends a reply if one can leave, and returns the next cycle at which one might; GPU_NEVER: not before a credit or a
 * new reply comes. */
static uint64_t send_next_reply(struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    struct gpu_slice_memo *memo = &partition->memos[slice_index];
    memo->wanted_gpc = GPU_NO_GPC;
    uint64_t next = next_reply(partition, slice_index);
    if (next > cycle)
        return next;
    uint32_t gpc = first_of(partition, &partition->slices[slice_index].feeds[memo->feed])->gpc;
    if (partition->credits[gpc] == 0) {
        memo->wanted_gpc = gpc;
        return GPU_NEVER;
    }
    if (partition->config.link.sector && wants_link(partition, slice_index, cycle)) {
        next = link_cycle(partition, slice_index, cycle);
        if (next > cycle)
            return next;
    }
    send_reply(partition, slice_index, cycle);
    return next_reply(partition, slice_index);
}

/* Sends all replies that leave in this cycle, and returns the next cycle at which one might leave. A joined reply keeps
 * the port for no cycle, so the reply behind it follows in the same cycle; any other keeps it for at least one. */
static uint64_t step_port(struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    uint64_t next;
    do
        next = send_next_reply(partition, slice_index, cycle);
    while (next <= cycle);
    return next;
}

/* ===== lookups ===== */

struct lookup {
    struct mnp_cache *cache;
    struct mnp_mshr *mshr;
    struct gpu_slice *slice;
    struct gpu_transaction *transaction;
    uint64_t address; /* address of the line inside the slice */
    uint64_t tag;
    uint32_t slice_index, set;
    uint32_t line;  /* present or future place of the line */
    uint32_t entry; /* its MSHR, if it has one */
    bool present;
};

/* Tells a policy that asks of the access. */
static __attribute__((noinline)) void announce(const struct lookup *lookup)
{
    static const uint8_t kinds[] = {[GPU_READ] = MNP_ACCESS_LOAD,
                                    [GPU_WRITE] = MNP_ACCESS_STORE,
                                    [GPU_ATOMIC] = MNP_ACCESS_ATOMIC,
                                    [GPU_REDUCTION] = MNP_ACCESS_ATOMIC,
                                    [GPU_FETCH] = MNP_ACCESS_FETCH};
    const struct gpu_transaction *transaction = lookup->transaction;
    struct mnp_cache_access access = {.address = lookup->address,
                                      .pc = transaction->kind == GPU_READ    ? transaction->bytes[0]
                                            : transaction->kind == GPU_FETCH ? transaction->line
                                                                             : 0,
                                      .sm = transaction->sm,
                                      .kind = kinds[transaction->kind]};
    mnp_cache_announce(lookup->cache, lookup->set, &access, lookup->slice->stall != GPU_STALL_NONE);
}

/* Looks for the line. */
static void find(struct gpu_partition *partition, struct lookup *lookup)
{
    lookup->address = mnp_address_local(partition->config.map, lookup->transaction->line);
    lookup->tag = lookup->address >> lookup->cache->line_shift;
    lookup->set = mnp_cache_set(lookup->cache, lookup->tag);
    lookup->line = mnp_cache_find(lookup->cache, lookup->set, lookup->tag);
    if (mnp_cache_asks(lookup->cache))
        announce(lookup);
    if (lookup->line == MNP_NO_LINE && lookup->transaction->kind == GPU_FETCH && partition->config.code_is_warm)
        lookup->line = gpu_partition_warm_code(partition, lookup->slice_index, lookup->set, lookup->tag);
    lookup->present = lookup->line != MNP_NO_LINE;
    if (!lookup->present)
        lookup->line = mnp_cache_victim(lookup->cache, lookup->set);
}

/* Takes what the look-up found that had to wait. */
static void take_found(struct lookup *lookup, struct gpu_found *found)
{
    lookup->address = found->address;
    lookup->tag = found->address >> lookup->cache->line_shift;
    lookup->set = found->set;
    lookup->line = found->line;
    lookup->present = found->present;
    found->set = GPU_NO_SET;
}

static void prepare(struct gpu_partition *partition, uint32_t slice_index, struct lookup *lookup)
{
    struct gpu_found *found = &partition->memos[slice_index].found;
    lookup->cache = &partition->caches[slice_index];
    lookup->mshr = &partition->mshrs[slice_index];
    lookup->slice = &partition->slices[slice_index];
    lookup->slice_index = slice_index;
    lookup->transaction = first_of(partition, &lookup->slice->input);
    uint32_t next = partition->next[lookup->slice->input.first];
    if (next != MNP_NO_ENTRY)
        __builtin_prefetch(&partition->transactions[next]); /* the next look-up's */
    lookup->entry = MNP_NO_MSHR;
    if (found->set != GPU_NO_SET)
        take_found(lookup, found);
    else
        find(partition, lookup);
}

/* Whether `entries` misses can be queued. */
static bool has_miss_room(const struct gpu_partition *partition, const struct gpu_slice *slice, uint32_t entries)
{
    return slice->misses.count + entries <= partition->miss_capacity;
}

static bool must_write_back(const struct lookup *lookup)
{
    return !lookup->present && !mnp_cache_is_free(lookup->cache, lookup->line) &&
           mnp_cache_line(lookup->cache, lookup->line)->dirty;
}

/* Whether an access may wait for `absent` sectors of a line that is being fetched: l2.merge may for each of them. */
static bool can_merge(const struct gpu_partition *partition, const struct lookup *lookup, uint32_t absent)
{
    const struct mnp_mshr *mshr = lookup->mshr;
    uint64_t most = partition->config.parameters->merge, waits[GPU_LINE_SECTORS] = {0};
    if (mnp_mshr_waiters_full(mshr) || mshr->entries[lookup->entry].waiters < most)
        return !mnp_mshr_waiters_full(mshr);
    const uint32_t *waiting = partition->waiting + (size_t)lookup->slice_index * mshr->waiter_count;
    for (uint32_t waiter = mnp_mshr_first(mshr, lookup->entry); waiter != MNP_NO_MSHR;
         waiter = mnp_mshr_next(mshr, waiter))
        for (uint32_t rest = partition->transactions[waiting[waiter]].missing & absent; rest; rest &= rest - 1)
            if (++waits[__builtin_ctz(rest)] == most)
                return false;
    return mnp_mshr_can_merge(mshr, lookup->entry);
}

/* Why an access that waits for `absent` sectors, of which `missing` must be fetched, cannot be done now. */
static enum gpu_stall find_stall(struct gpu_partition *partition, struct lookup *lookup, uint32_t absent,
                                 uint32_t missing)
{
    const struct gpu_slice *slice = lookup->slice;
    if (lookup->line == MNP_NO_LINE)
        return GPU_STALL_RESERVED;
    bool immediate = is_atomic(lookup->transaction) || !absent;
    if (immediate && slice->immediate >= partition->immediate_limit)
        return GPU_STALL_REPLY;
    if (absent) {
        lookup->entry = lookup->present ? mnp_mshr_find(lookup->mshr, lookup->tag) : MNP_NO_MSHR;
        if (slice->delayed >= partition->delayed_limit)
            return GPU_STALL_MSHR;
        if (lookup->entry == MNP_NO_MSHR ? mnp_mshr_full(lookup->mshr) || mnp_mshr_waiters_full(lookup->mshr)
                                         : !can_merge(partition, lookup, absent))
            return GPU_STALL_MSHR;
    }
    uint32_t entries = (missing != 0) + must_write_back(lookup);
    return has_miss_room(partition, slice, entries) ? GPU_STALL_NONE : GPU_STALL_MISS_QUEUE;
}

static void queue_miss(struct gpu_partition *partition, const struct lookup *lookup, const struct gpu_miss *miss)
{
    uint32_t place = mnp_queue_push(&lookup->slice->misses, partition->miss_capacity);
    partition->misses[lookup->slice_index * partition->miss_capacity + place] = *miss;
    partition->eager |= UINT64_C(1) << lookup->slice_index;
}

/* Makes room for the line, writing dirty sectors of its predecessor back at the machine's expense. */
static void allocate(struct gpu_partition *partition, struct lookup *lookup, uint64_t *counters)
{
    const struct mnp_cache_line *old = mnp_cache_line(lookup->cache, lookup->line);
    if (!mnp_cache_is_free(lookup->cache, lookup->line))
        counters[GPU_L2_EVICTIONS]++;
    if (must_write_back(lookup)) {
        struct gpu_miss miss = {
            .address = old->tag << lookup->cache->line_shift, .sectors = (uint8_t)old->dirty, .write = true};
        gpu_partition_counters(partition, 0)[GPU_L2_WRITEBACKS] += gpu_count_sectors(old->dirty);
        if (partition->streams)
            gpu_activity_write_back(partition, lookup->slice_index, miss.address, (uint32_t)old->dirty);
        queue_miss(partition, lookup, &miss);
    }
    mnp_cache_replace(lookup->cache, lookup->line, lookup->set, lookup->tag);
    gpu_copies_drop(partition, lookup->slice_index, lookup->line);
}

/* Sectors to fetch from DRAM for missing sectors: their blocks of l2.fetch, without sectors that are present or on
 * their way. */
static uint32_t fetched_with(const struct gpu_partition *partition, const struct lookup *lookup, uint32_t missing)
{
    uint32_t size = (uint32_t)(partition->config.parameters->fetch / GPU_SECTOR), block = (1u << size) - 1, fetched = 0;
    if (size <= 1)
        return missing;
    for (; missing; block <<= size) {
        fetched |= missing & block ? block : 0;
        missing &= ~block;
    }
    return mnp_cache_missing(lookup->cache, lookup->line, fetched);
}

/* Sets the transaction to wait for its absent sectors and fetches those that nobody fetches yet. */
static void wait_for_fill(struct gpu_partition *partition, struct lookup *lookup, uint32_t index, uint32_t absent,
                          uint32_t missing)
{
    if (lookup->entry == MNP_NO_MSHR) {
        lookup->entry = mnp_mshr_allocate(lookup->mshr, lookup->tag);
        lookup->mshr->entries[lookup->entry].owner = lookup->line;
    }
    uint32_t waiter = mnp_mshr_merge(lookup->mshr, lookup->entry);
    partition->waiting[(size_t)lookup->slice_index * lookup->mshr->waiter_count + waiter] = index;
    lookup->transaction->missing = (uint8_t)absent;
    lookup->slice->delayed++;
    /* Atomics are answered by the atomic feed, whose place they take now, so that a fill never waits. */
    lookup->slice->immediate += is_atomic(lookup->transaction);
    if (!missing)
        return;
    uint32_t fetched = fetched_with(partition, lookup, missing);
    mnp_cache_expect(lookup->cache, lookup->line, fetched);
    if (partition->streams)
        gpu_activity_fetch(partition, lookup->transaction, fetched);
    struct gpu_miss miss = {.address = lookup->address,
                            .mshr = lookup->entry,
                            .kernel = lookup->transaction->kernel,
                            .sectors = (uint8_t)fetched,
                            .asked = (uint8_t)missing,
                            .code = lookup->transaction->kind == GPU_FETCH};
    queue_miss(partition, lookup, &miss);
}

/* Counts a read, an atomic or a fetch of instructions, by its sectors that are absent and those that nobody fetches. */
static void count_read(const struct gpu_transaction *transaction, uint32_t absent, uint32_t missing, uint64_t *counters)
{
    if (transaction->kind == GPU_FETCH) {
        counters[GPU_L2_FETCH_MISSES] += gpu_count_sectors(missing);
        return;
    }
    counters[GPU_L2_MISSES] += gpu_count_sectors(missing);
    counters[GPU_L2_PENDING_HITS] += gpu_count_sectors(absent & ~missing);
    if (is_atomic(transaction))
        return;
    counters[GPU_L2_READS] += gpu_count_sectors(transaction->sectors);
    counters[GPU_L2_READ_MISSES] += gpu_count_sectors(missing);
    counters[GPU_L2_READ_HITS] += gpu_count_sectors(transaction->sectors & ~absent);
}

/* Looks a read, fetch, atomic or reduction up. */
static enum gpu_stall look_up_read(struct gpu_partition *partition, struct lookup *lookup, uint32_t index,
                                   uint64_t cycle)
{
    struct gpu_transaction *transaction = lookup->transaction;
    uint32_t wanted = transaction->sectors, absent = wanted, missing = wanted;
    if (lookup->present) {
        absent = wanted & ~(uint32_t)mnp_cache_line(lookup->cache, lookup->line)->valid;
        missing = mnp_cache_missing(lookup->cache, lookup->line, wanted);
    }
    enum gpu_stall stall = find_stall(partition, lookup, absent, missing);
    if (stall != GPU_STALL_NONE)
        return stall;
    uint64_t *counters = gpu_partition_counters(partition, transaction->kernel);
    if (lookup->present)
        mnp_cache_touch(lookup->cache, lookup->line, lookup->set);
    else
        allocate(partition, lookup, counters);
    count_read(transaction, absent, missing, counters);
    if (GPU_HEARS(partition, partition.l2_accessed))
        gpu_tell_l2_accessed(&partition->listeners, partition, transaction->kernel, transaction->kind,
                             gpu_count_sectors(transaction->sectors), gpu_count_sectors(missing), cycle);
    mnp_chain_pop(&lookup->slice->input, partition->next);
    if (absent)
        wait_for_fill(partition, lookup, index, absent, missing);
    else
        perform(partition, lookup->slice_index, lookup->line, index, GPU_FEED_HIT, cycle);
    return GPU_STALL_NONE;
}

static enum gpu_stall look_up_write(struct gpu_partition *partition, struct lookup *lookup, uint32_t index,
                                    uint64_t cycle)
{
    struct gpu_transaction *transaction = lookup->transaction;
    enum gpu_stall stall = find_stall(partition, lookup, 0, 0);
    if (stall != GPU_STALL_NONE)
        return stall;
    uint64_t *counters = gpu_partition_counters(partition, transaction->kernel);
    uint32_t known = 0, pending = 0;
    if (lookup->present) {
        const struct mnp_cache_line *line = mnp_cache_line(lookup->cache, lookup->line);
        known = line->valid | line->partial;
        pending = line->pending & ~known;
        mnp_cache_touch(lookup->cache, lookup->line, lookup->set);
    } else {
        allocate(partition, lookup, counters);
    }
    mnp_cache_write(lookup->cache, lookup->line, transaction->bytes, true);
    if (partition->copies)
        gpu_copies_use(partition, lookup->slice_index, lookup->line, transaction, cycle);
    uint32_t missed = transaction->sectors & ~known & ~pending;
    counters[GPU_L2_WRITES] += gpu_count_sectors(transaction->sectors);
    counters[GPU_L2_WRITE_MISSES] += gpu_count_sectors(missed);
    counters[GPU_L2_WRITE_HITS] += gpu_count_sectors(transaction->sectors & known);
    counters[GPU_L2_MISSES] += gpu_count_sectors(missed);
    counters[GPU_L2_PENDING_HITS] += gpu_count_sectors(transaction->sectors & pending);
    if (GPU_HEARS(partition, partition.l2_accessed))
        gpu_tell_l2_accessed(&partition->listeners, partition, transaction->kernel, transaction->kind,
                             gpu_count_sectors(transaction->sectors), gpu_count_sectors(missed), cycle);
    mnp_chain_pop(&lookup->slice->input, partition->next);
    answer(partition, lookup->slice_index, GPU_FEED_HIT, index, cycle);
    return GPU_STALL_NONE;
}

/* The input queue has a place more. */
static void give_credit(struct gpu_partition *partition, uint32_t gpc)
{
    if (++partition->owed[gpc] < partition->config.network->credit_batch)
        return;
    struct gpu_credit *credit = mnp_link_put(partition->credits_out[gpc], partition->l2_time);
    *credit = (struct gpu_credit){.packets = partition->owed[gpc]};
    partition->owed[gpc] = 0;
}

void gpu_slice_count_stall(struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    static const uint8_t statistic[] = {[GPU_STALL_RESERVED] = GPU_L2_STALL_RESERVED,
                                        [GPU_STALL_MSHR] = GPU_L2_STALL_MSHR,
                                        [GPU_STALL_MISS_QUEUE] = GPU_L2_STALL_MISS_QUEUE,
                                        [GPU_STALL_REPLY] = GPU_L2_STALL_REPLY};
    struct gpu_slice *slice = &partition->slices[slice_index];
    if (slice->stall == GPU_STALL_NONE)
        return;
    const struct gpu_transaction *transaction = first_of(partition, &slice->input);
    gpu_partition_counters(partition, transaction->kernel)[statistic[slice->stall]] += cycle - slice->stalled_since;
    slice->stalled_since = cycle;
}

/* The first transaction of the input has to wait. */
static void note_stall(struct gpu_partition *partition, const struct lookup *lookup, enum gpu_stall stall,
                       uint64_t cycle)
{
    struct gpu_slice *slice = lookup->slice;
    if (slice->stall == GPU_STALL_NONE) {
        uint64_t *counters = gpu_partition_counters(partition, lookup->transaction->kernel);
        counters[GPU_L2_RESERVATION_FAILS] += gpu_count_sectors(lookup->transaction->sectors);
        counters[GPU_L2_FAIL_FIRST + stall - GPU_STALL_RESERVED] += gpu_count_sectors(lookup->transaction->sectors);
    }
    slice->stall = stall;
    slice->stalled_since = cycle;
}

/* The look-up has to wait. Other parts' copies, or a policy that is called, may change what it has found. */
static void keep_found(struct gpu_partition *partition, const struct lookup *lookup, enum gpu_stall stall)
{
    if (stall != GPU_STALL_MISS_QUEUE || partition->copies || lookup->cache->policy)
        return;
    partition->memos[lookup->slice_index].found = (struct gpu_found){
        .address = lookup->address, .set = lookup->set, .line = lookup->line, .present = lookup->present};
}

/* Sectors of data that a request brings beside its header. */
static uint32_t sectors_brought(const struct gpu_partition *partition, const struct gpu_transaction *transaction)
{
    uint32_t sectors = gpu_request_sectors(transaction->kind, transaction->sectors);
    uint64_t packed = partition->config.parameters->packed_store;
    if (!packed || sectors != 1 || transaction->kind != GPU_WRITE)
        return sectors;
    uint64_t low = transaction->bytes[0], high = transaction->bytes[1];
    return (uint64_t)(__builtin_popcountll(low) + __builtin_popcountll(high)) > packed;
}

/* Looks the first transaction of the input up, `joined` to one of the same line, with which it is looked up. False: it
 * has to wait for something else to happen. */
static bool look_up(struct gpu_partition *partition, uint32_t slice_index, bool joined, uint64_t cycle)
{
    struct lookup lookup;
    prepare(partition, slice_index, &lookup);
    struct gpu_slice *slice = lookup.slice;
    struct gpu_transaction *transaction = lookup.transaction;
    uint32_t index = slice->input.first;
    if (slice->stall != GPU_STALL_NONE)
        gpu_slice_count_stall(partition, slice_index, cycle);
    enum gpu_stall stall = transaction->kind == GPU_WRITE ? look_up_write(partition, &lookup, index, cycle)
                                                          : look_up_read(partition, &lookup, index, cycle);
    if (stall != GPU_STALL_NONE) {
        note_stall(partition, &lookup, stall, cycle);
        keep_found(partition, &lookup, stall);
        return false;
    }
    slice->stall = GPU_STALL_NONE;
    slice->stalled_since = 0;
    const uint32_t *taken = transaction->kind == GPU_WRITE ? partition->write_cycles : partition->lookup_cycles;
    uint32_t cycles = taken[gpu_count_sectors(transaction->sectors)];
    uint32_t accept = partition->accept_cycles[sectors_brought(partition, transaction)];
    cycles = joined ? 0 : accept > cycles ? accept : cycles;
    if (!joined) /* transfers from another part come first */
        slice->busy_until = (slice->busy_until > cycle ? slice->busy_until : cycle) + cycles;
    transaction->joined = joined;
    uint64_t *counters = gpu_partition_counters(partition, transaction->kernel);
    counters[GPU_L2_REQUESTS]++;
    gpu_lines_touch(&partition->lines[transaction->kernel], &counters[GPU_L2_LINES], transaction->line);
    counters[transaction->kind == GPU_FETCH ? GPU_L2_FETCHES : GPU_L2_ACCESSES] +=
        gpu_count_sectors(transaction->sectors);
    counters[GPU_L2_BUSY] += cycles;
    if (partition->streams)
        gpu_activity_look_up(partition, slice_index, transaction);
    if (!transaction->ticket || gpu_values_perform(partition, transaction))
        partition->unit->progress = partition->l2_time;
    give_credit(partition, transaction->gpc);
    return true;
}

/* Looks the first transaction up, and with it reads of what it reads, or writes to what it writes. */
static bool look_up_together(struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    struct mnp_chain *input = &partition->slices[slice_index].input;
    const struct gpu_transaction *first = first_of(partition, input);
    uint64_t most = gpu_joined_most(partition->config.parameters, first->kind);
    if (most <= 1)
        return look_up(partition, slice_index, false, cycle);
    struct gpu_joined joined = gpu_joined_with(first, most);
    if (!look_up(partition, slice_index, false, cycle))
        return false;
    while (joined.count < most && gpu_joined_bring(partition, input, &joined) &&
           look_up(partition, slice_index, true, cycle))
        ;
    return true;
}

void gpu_slice_step(struct gpu_partition *partition, uint32_t slice_index, uint64_t cycle)
{
    struct gpu_slice *slice = &partition->slices[slice_index];
    struct gpu_slice_memo *memo = &partition->memos[slice_index];
    uint64_t next = step_port(partition, slice_index, cycle);
    if (slice->input.first != MNP_NO_ENTRY) {
        if (slice->busy_until <= cycle && (!memo->blocked || partition->unit->no_skip)) {
            memo->blocked = !look_up_together(partition, slice_index, cycle);
            uint64_t reply = memo->blocked ? GPU_NEVER : next_reply(partition, slice_index);
            if (reply > cycle && reply < next)
                next = reply;
        }
        if (slice->input.first != MNP_NO_ENTRY && !memo->blocked && slice->busy_until < next)
            next = slice->busy_until;
    }
    memo->wake = next;
}
