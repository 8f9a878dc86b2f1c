/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/live_state.h"

#include "base/arena.h"
#include "base/range.h"
#include "execute/code/op.h"
#include "frontend/sass_trace/async.h"

#include <stdlib.h>
#include <string.h>

enum { OF_SYSTEM = 2048 /* bytes of shared memory that a header may omit: the system's, and space behind */ };

/* Offset, behind the window of shared memory, at which our own traces have generic addresses of other blocks. */
#define WINDOW_OF_CLUSTER UINT64_C(0x20000000)

struct trace_live {
    uint32_t core_count;
    struct live_core *cores;
};

/* ===== records ===== */

static const struct mnp_record *record_at(const struct trace_live_warp *warp, uint64_t place)
{
    return warp->stream.records ? &warp->stream.records[place] : mnp_paged_record(warp->stream.paged, place);
}

/* The words of addresses of the record that is next. */
static const uint64_t *next_words(const struct trace_live_warp *warp)
{
    return warp->stream.records ? warp->stream.addresses + warp->word_at
                                : mnp_paged_words(warp->stream.paged, warp->common.executed, warp->word_at);
}

static void look_ahead(struct live_warp *common)
{
    const struct trace_live_warp *warp = (const struct trace_live_warp *)common;
    while (execute_live_has_room(common) && common->base.known < warp->stream.count) {
        uint32_t index = record_at(warp, common->base.known)->index;
        execute_live_know(common, index);
        common->base.closed = warp->cta->instructions[index].flags & (MNP_FLAG_BRANCH | MNP_FLAG_EXIT) ||
                              common->base.known == warp->stream.count ||
                              record_at(warp, common->base.known)->index != index + 1;
    }
}

/* ===== accesses ===== */

/* States addresses of active lanes, in the form that executed programs have them. */
static void state_addresses(struct mnp_live_access *access, uint32_t lanes)
{
    uint64_t uneven = lanes < 3;
    for (uint32_t i = 2; i < lanes; i++)
        uneven |= access->words[i] - 2 * access->words[i - 1] + access->words[i - 2];
    if (uneven) {
        mnp_pack_addresses(&access->record, access->words, lanes);
        return;
    }
    access->words[1] -= access->words[0];
    access->record.address_words = 2;
}

/* The access is performed by other CTAs of the cluster, of which lanes' addresses have the ranks. */
static void leave_to_others(struct mnp_live_access *access, enum mnp_live_l2 kind, uint8_t operation, uint32_t bytes)
{
    execute_live_leave(access, kind, true, operation, EXECUTE_u32, bytes);
    access->record.address_words = 2; /* some words are required, but not read */
    access->record.record_flags = 0;
}

/* Adds a lane to those that access another CTA. Returns false if the address is invalid. */
static bool add_remote(const struct trace_live_cta *cta, struct mnp_live_access *access, uint32_t lane,
                       struct trace_live_place place, uint32_t bytes, uint64_t value)
{
    if (place.rank >= cta->ranks || place.offset + (uint64_t)bytes > cta->shared_bytes)
        return false;
    memset(access->data[lane], 0, sizeof access->data[lane]);
    memcpy(access->data[lane], &value, sizeof value);
    access->addresses[lane] = (uint64_t)place.rank << MNP_LIVE_RANK_SHIFT | place.offset;
    access->record.mask |= 1u << lane;
    return true;
}

/* Finds the place of a lane's address in the cluster; false: it is not an address of shared memory. */
static bool find_place(const struct trace_live_cta *cta, const struct mnp_static_instruction *instruction,
                       uint64_t address, struct trace_live_place *place)
{
    uint64_t window = cta->file->kernel.shared_base + WINDOW_OF_CLUSTER;
    *place = trace_live_place(cta, address);
    if (instruction->space == MNP_SPACE_SHARED)
        return true;
    *place = trace_live_place(cta, address - window);
    return instruction->space == MNP_SPACE_GLOBAL && cta->file->kernel.shared_base && address >= window &&
           (address - window) >> TRACE_RANK_SHIFT < cta->ranks;
}

/* An access to memory. */
static uint32_t access_memory(struct trace_live_warp *warp, const struct mnp_static_instruction *instruction,
                              struct mnp_live_access *access)
{
    static const uint8_t kinds[] = {[MNP_LOAD] = MNP_LIVE_LOAD,
                                    [MNP_STORE] = MNP_LIVE_STORE,
                                    [MNP_ATOMIC] = MNP_LIVE_ATOMIC,
                                    [MNP_REDUCTION] = MNP_LIVE_REDUCTION};
    const struct trace_live_cta *cta = warp->cta;
    struct mnp_record record = access->record;
    uint64_t addresses[MNP_WARP_SIZE];
    access->stores = instruction->space == MNP_SPACE_GLOBAL && instruction->operation != MNP_LOAD;
    if (cta->ranks < 2 || instruction->class != MNP_CLASS_MEMORY || !record.address_words)
        return 0;
    uint32_t lanes = mnp_expand_addresses(&record, access->words, addresses), remote = 0, bytes = instruction->width;
    for (uint32_t i = 0, rest = record.mask; i < lanes; i++, rest &= rest - 1) {
        struct trace_live_place place;
        if (!find_place(cta, instruction, addresses[i], &place) || place.rank == cta->rank)
            continue;
        access->record.mask = remote++ ? access->record.mask : 0;
        if (!add_remote(cta, access, (uint32_t)__builtin_ctz(rest), place, bytes, 0))
            return trace_live_wrong(warp, "an address is outside the shared memory of its cluster's blocks");
    }
    if (remote)
        leave_to_others(access, (enum mnp_live_l2)kinds[instruction->operation],
                        EXECUTE_REMOTE_SHARED | EXECUTE_ATOMIC_ADD, bytes);
    return 0;
}

/* ===== mbarriers ===== */

/* The first of the phases that a warp waits for and that has not ended; NULL: all have. */
static const struct trace_pair *awaited(const struct trace_live_warp *warp, const struct trace_command *command)
{
    const struct trace_live_cta *cta = warp->cta;
    const struct trace_pair *pairs = trace_live_pairs(warp, command);
    for (uint32_t i = 0; i < command->pairs; i++) {
        struct trace_live_place place = trace_live_place(cta, pairs[i].at);
        uint64_t object;
        if (place.rank != cta->rank || place.offset + sizeof object > cta->shared_bytes)
            continue;
        memcpy(&object, cta->shared + place.offset, sizeof object);
        if (object >> 63 == (pairs[i].value >> 31 & 1))
            return &pairs[i];
    }
    return NULL;
}

/* Operations on the CTA's own mbarriers are performed immediately; those on other CTAs' are performed there. */
static uint32_t use_mbarriers(struct trace_live_warp *warp, const struct trace_command *command,
                              struct mnp_live_access *access)
{
    const struct trace_live_cta *cta = warp->cta;
    const struct trace_pair *pairs = trace_live_pairs(warp, command);
    bool asks = command->operation == EXECUTE_MBARRIER_WAIT_UPPER, remote = false;
    const struct trace_pair *first = command->waits ? awaited(warp, command) : NULL;
    if (first)
        return execute_live_park(&warp->common, MNP_PARK_PHASE, trace_live_place(cta, first->at).offset);
    uint32_t mask = access->record.mask;
    for (uint32_t i = 0, rest = mask; rest; rest &= rest - 1, i++) {
        struct trace_live_place place = trace_live_place(cta, pairs[i].at);
        access->words[i] = place.offset;
        if (place.rank == cta->rank) {
            if (!asks && !trace_live_change(warp, place.offset, command->operation, pairs[i].value))
                return MNP_LIVE_FAULTED;
            continue;
        }
        access->record.mask = remote ? access->record.mask : 0;
        remote = true;
        if (asks || !add_remote(cta, access, (uint32_t)__builtin_ctz(rest), place, 8, pairs[i].value))
            return trace_live_wrong(warp, "an mbarrier is outside the shared memory of its cluster's blocks");
    }
    if (remote)
        leave_to_others(access, MNP_LIVE_REDUCTION, EXECUTE_REMOTE_MBARRIER | command->operation, 8);
    else
        state_addresses(access, (uint32_t)__builtin_popcount(mask));
    return 0;
}

/* ===== barriers ===== */

static void open_if_complete(struct trace_live_cta *cta, uint32_t number, struct trace_live_warp *by)
{
    struct execute_barrier_state *barrier = &cta->barriers[number];
    if (!execute_barrier_is_complete(barrier, cta->warps - cta->ended))
        return;
    by->common.base.opened |= 1u << number;
    *barrier = (struct execute_barrier_state){0};
}

static uint32_t meet(struct trace_live_warp *warp, const struct trace_command *command)
{
    if (command->number >= MNP_CTA_BARRIERS || command->count % MNP_WARP_SIZE)
        return trace_live_wrong(warp, "a barrier has an impossible number, or threads");
    struct execute_barrier_state *barrier = &warp->cta->barriers[command->number];
    barrier->expected = command->count ? command->count : barrier->expected;
    barrier->arrived += MNP_WARP_SIZE;
    warp->common.base.barrier = command->number;
    if (command->waits)
        barrier->whole |= UINT64_C(1) << warp->number;
    open_if_complete(warp->cta, command->number, warp);
    return command->waits ? MNP_LIVE_WAITS : 0;
}

/* Ends the present phase of the cluster's barrier; returns the barriers of the CTA that have opened, one bit each. */
static uint32_t end_cluster_phase(struct trace_live_cta *cta)
{
    bool waiting = cta->cluster_waiting != 0;
    cta->phase++;
    cta->cluster_waiting = 0;
    cta->cluster_used = cta->cluster_told = false;
    return waiting ? UINT32_C(1) << MNP_CLUSTER_BARRIER : 0;
}

/* Notifies the cluster, once per phase, that all warps of the CTA that have not ended have arrived. A CTA without
 * cluster completes the phase itself. */
static uint32_t tell_cluster(struct trace_live_cta *cta, struct trace_live_warp *by)
{
    bool all = cta->cluster_used && !cta->cluster_told;
    for (uint32_t i = 0; i < cta->warps && all; i++)
        all = cta->warp[i].ended || cta->warp[i].phase > cta->phase;
    cta->cluster_told |= all;
    if (all && cta->ranks == 1)
        by->common.base.opened |= end_cluster_phase(cta);
    return all && cta->ranks > 1 ? MNP_LIVE_ARRIVED : 0;
}

static uint32_t arrive_at_cluster(struct trace_live_warp *warp)
{
    struct trace_live_cta *cta = warp->cta;
    if (warp->phase > cta->phase)
        return trace_live_wrong(warp, "a second arrival at the barrier of the cluster before its phase has ended");
    warp->phase = cta->phase + 1;
    cta->cluster_used = true;
    return tell_cluster(cta, warp);
}

static uint32_t wait_for_cluster(struct trace_live_warp *warp)
{
    if (warp->phase <= warp->cta->phase)
        return 0;
    warp->cta->cluster_waiting |= 1u << warp->number;
    warp->common.base.barrier = MNP_CLUSTER_BARRIER;
    return MNP_LIVE_WAITS;
}

static uint32_t end_phase(struct mnp_cta_code *code)
{
    return end_cluster_phase(((struct cta_buffers *)code->owner)->live);
}

/* ===== execution ===== */

/* The trace may not say how many. */
static uint32_t change_registers(struct trace_live_warp *warp, const struct trace_command *command)
{
    return command->number ? execute_live_change_registers(&warp->common, command->waits, command->number) : 0;
}

static uint32_t obey(struct trace_live_warp *warp, const struct trace_command *command, struct mnp_live_access *access)
{
    switch ((enum trace_command_kind)command->kind) {
    case TRACE_MBARRIER:
        return use_mbarriers(warp, command, access);
    case TRACE_COPY:
        return trace_live_start_copy(warp, command);
    case TRACE_PRODUCT:
        return trace_live_start_product(warp, command);
    case TRACE_COPIES_COMMIT:
        warp->common.copy_group[0]++;
        return 0;
    case TRACE_COPIES_WAIT:
        return execute_live_wait_copies(&warp->common, 1, command->number, command->read);
    case TRACE_PRODUCTS_WAIT:
        return execute_live_wait_products(&warp->common, command->number);
    case TRACE_BARRIER:
        return meet(warp, command);
    case TRACE_CLUSTER_ARRIVE:
        return arrive_at_cluster(warp);
    case TRACE_CLUSTER_WAIT:
        return wait_for_cluster(warp);
    case TRACE_REGISTERS:
        return change_registers(warp, command);
    case TRACE_GRID_RELEASE:
        warp->cta->core->core->released = true;
        return 0;
    case TRACE_GRID_WAIT:
        return execute_live_wait_grid(&warp->common);
    case TRACE_PRODUCTS_BEGIN:
    case TRACE_COMMAND_NONE:
        break;
    }
    return 0;
}

/* The command of the record that is next; NULL: it has none. */
static const struct trace_command *command_of(const struct trace_live_warp *warp, const struct mnp_record *record,
                                              const struct mnp_static_instruction *instruction)
{
    const struct trace_live_cta *cta = warp->cta;
    const struct static_table *own = &cta->buffers->own;
    const struct static_table *table = cta->instructions == own->instructions ? own : &cta->file->table;
    if (!record->mask || !record->address_words ||
        trace_command_of(instruction->opcode, table->texts[record->index].text) == TRACE_COMMAND_NONE)
        return NULL;
    return (const struct trace_command *)cta->buffers->commands.all.items + next_words(warp)[0];
}

static uint32_t end_warp(struct trace_live_warp *warp)
{
    struct trace_live_cta *cta = warp->cta;
    warp->ended = true;
    cta->ended++;
    for (uint32_t i = 0; i < MNP_CTA_BARRIERS && cta->ended < cta->warps; i++)
        open_if_complete(cta, i, warp);
    return MNP_LIVE_ENDED | tell_cluster(cta, warp);
}

static uint32_t perform(struct live_warp *common, struct mnp_live_access *access)
{
    struct trace_live_warp *warp = (struct trace_live_warp *)common;
    const struct mnp_record record = *record_at(warp, common->executed);
    const struct mnp_static_instruction *instruction = &warp->cta->instructions[record.index];
    const struct trace_command *command = command_of(warp, &record, instruction);
    common->base.opened = 0;
    access->counted = access->acquire = access->stores = false;
    access->record = record;
    if (command)
        access->record.address_words = access->record.record_flags = 0;
    else if (record.address_words)
        memcpy(access->words, next_words(warp), record.address_words * sizeof *access->words);
    uint32_t result = command ? obey(warp, command, access) : access_memory(warp, instruction, access);
    if (result & (MNP_LIVE_PARKED | MNP_LIVE_FAULTED))
        return result;
    warp->word_at += record.address_words;
    return common->executed + 1 == warp->stream.count ? result | end_warp(warp) : result;
}

static uint32_t execute(struct mnp_live_warp *base, struct mnp_live_access *access)
{
    static const struct live_source source = {.perform = perform, .look_ahead = look_ahead};
    return execute_live_instruction((struct live_warp *)base, &source, access);
}

/* Addresses of the constants that the next instruction loads; none: the trace does not say them. */
static uint32_t constants(const struct mnp_live_warp *base, uint64_t addresses[MNP_WARP_SIZE])
{
    const struct trace_live_warp *warp = (const struct trace_live_warp *)base;
    const struct mnp_record *record = record_at(warp, warp->common.executed);
    return record->address_words ? mnp_expand_addresses(record, next_words(warp), addresses) : 0;
}

static void lost(struct mnp_live_warp *base, const struct mnp_live_access *access, uint32_t lane)
{
    (void)access, (void)lane;
    trace_live_wrong((struct trace_live_warp *)base, "it reaches for a block of its cluster that has ended");
}

static bool found(struct mnp_live_warp *base, const struct mnp_live_access *access, uint32_t lane, uint64_t old)
{
    uint64_t value;
    memcpy(&value, access->data[lane], sizeof value);
    if (!(access->operation & EXECUTE_REMOTE_MBARRIER) || !execute_mbarrier_fault(access->operation, old, value))
        return true;
    return !trace_live_wrong((struct trace_live_warp *)base,
                             "more arrivals or bytes than the phase of another block's mbarrier expects");
}

static void where(const struct mnp_live_warp *base, char *text, size_t room)
{
    const struct trace_live_warp *warp = (const struct trace_live_warp *)base;
    const struct trace_live_cta *cta = warp->cta;
    snprintf(text, room, "kernel %s, block (%u,%u,%u), warp %u, instruction %lu of its trace", cta->file->kernel.name,
             cta->block[0], cta->block[1], cta->block[2], warp->number, (unsigned long)warp->common.executed + 1);
}

/* ===== CTAs ===== */

static void start_warp(struct trace_live_cta *cta, uint32_t number, const struct mnp_warp_stream *stream)
{
    struct trace_live_warp *warp = &cta->warp[number];
    *warp = (struct trace_live_warp){
        .common.core = cta->core,
        .common.base = {.execute = execute, .constants = constants, .lost = lost, .found = found, .where = where},
        .cta = cta,
        .stream = *stream,
        .number = number,
        .ended = stream->count == 0};
    cta->ended += warp->ended;
    cta->common.streams[number] = (struct mnp_warp_stream){.count = stream->count ? UINT64_MAX : 0,
                                                           .live = stream->count ? &warp->common.base : NULL};
    look_ahead(&warp->common);
}

/* Shared memory without contents, of which only mbarriers have any. */
static void make_shared(struct trace_live_cta *cta, uint32_t bytes)
{
    cta->shared_bytes = (uint32_t)mnp_round_up(bytes + OF_SYSTEM, OF_SYSTEM);
    if (cta->shared_room < cta->shared_bytes) {
        free(cta->shared);
        cta->shared = mnp_allocate(cta->shared_bytes, 1);
        cta->shared_room = cta->shared_bytes;
    }
    memset(cta->shared, 0, cta->shared_bytes);
}

static struct trace_live_cta *take_cta(struct live_core *core, struct mnp_live_core *machine)
{
    struct trace_live_cta *cta = execute_live_take_cta(core, machine, &trace_live_async, sizeof *cta);
    unsigned char *shared = cta->shared;
    uint32_t room = cta->shared_room;
    memset((unsigned char *)cta + sizeof cta->common, 0, offsetof(struct trace_live_cta, warp) - sizeof cta->common);
    cta->shared = shared;
    cta->shared_room = room;
    cta->core = core;
    return cta;
}

void trace_live_start(struct trace_live *live, const struct kernel_file *file, struct cta_buffers *buffers,
                      struct mnp_cta_code *code)
{
    struct trace_live_cta *cta = take_cta(&live->cores[code->core->index], code->core);
    cta->file = file;
    cta->buffers = buffers;
    cta->instructions = code->instructions;
    cta->warps = code->warp_count;
    memcpy(cta->block, code->block, sizeof cta->block);
    cta->ranks = mnp_cluster_size(file->kernel.cluster);
    cta->rank = execute_cluster_rank(code->block, file->kernel.cluster);
    make_shared(cta, file->kernel.shared_bytes);
    for (uint32_t i = 0; i < cta->warps; i++)
        start_warp(cta, i, &code->warps[i]);
    buffers->live = cta;
    code->warps = cta->common.streams;
    code->shared = cta->shared;
    code->shared_bytes = cta->shared_bytes;
    code->end_phase = end_phase;
}

void trace_live_end(struct cta_buffers *buffers)
{
    if (buffers->live)
        execute_live_give_cta(buffers->live->core, &buffers->live->common);
    buffers->live = NULL;
}

struct trace_live *trace_live_open(uint32_t cores)
{
    struct trace_live *live = mnp_allocate(1, sizeof *live);
    live->core_count = cores;
    live->cores = mnp_allocate(cores, sizeof *live->cores);
    for (uint32_t i = 0; i < cores; i++)
        live->cores[i].copy_bytes = sizeof(struct trace_live_copy);
    return live;
}

static void release_shared(struct live_cta *cta)
{
    free(((struct trace_live_cta *)cta)->shared);
}

void trace_live_close(struct trace_live *live)
{
    for (uint32_t i = 0; live && i < live->core_count; i++)
        execute_live_release_core(&live->cores[i], release_shared);
    if (live)
        free(live->cores);
    free(live);
}
