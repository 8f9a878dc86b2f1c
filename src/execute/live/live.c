/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/live/live_state.h"
#include "execute/warp/turns.h"

#include "base/log.h"
#include "execute/device/print.h"
#include "execute/live/printed.h"
#include "execute/memory/atomic.h"
#include "execute/memory/multicast.h"
#include "execute/warp/frame.h"

#include <stdlib.h>
#include <string.h>

struct execute_live {
    struct execute_device *device;
    uint32_t core_count;
    struct execute_live_core *cores;
};

/* ===== the port ===== */

/* Whether this SM performs an access: not if it faults, and not if other accesses to the same sector are pending at the
 * L2, in which case the instruction is executed again. */
static bool is_here(struct execute_live_cta *cta, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                    uint32_t *lane)
{
    if (!execute_live_covers(cta->core, mask, addresses, bytes, lane))
        return false;
    uint32_t seen = execute_device_seen_lanes(cta->core->device, mask, addresses);
    if (seen) { /* a fault: accesses to multicast objects are performed elsewhere (port_defer) */
        *lane = (uint32_t)__builtin_ctz(seen);
        return false;
    }
    cta->again |= mnp_live_is_hot(cta->core->common.core, mask, addresses);
    return !cta->again;
}

static bool port_read(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, void *data,
                      size_t stride, uint32_t *lane)
{
    struct execute_live_cta *cta = context;
    if (!is_here(cta, mask, addresses, bytes, lane))
        return false;
    mnp_overlay_read_lanes(cta->core->common.core->overlay, mask, addresses, bytes, data, stride);
    return true;
}

static bool port_write(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, const void *data,
                       size_t stride, uint32_t *lane)
{
    struct execute_live_cta *cta = context;
    if (!is_here(cta, mask, addresses, bytes, lane))
        return false;
    cta->stores = true;
    return mnp_overlay_write_lanes(cta->core->common.core->overlay, mask, addresses, bytes, data, stride);
}

static bool port_touch(void *context, bool write, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                       uint32_t *lane)
{
    struct execute_live_cta *cta = context;
    if (!is_here(cta, mask, addresses, bytes, lane))
        return false;
    cta->stores |= write;
    return true;
}

static bool is_surface_reduction(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_SURFACE_STORE && op->combine;
}

/* How the L2 performs an operation; not at all: nothing asks for it. */
static enum mnp_live_l2 l2_kind(const struct execute_live_cta *cta, const struct execute_op *op, uint32_t lanes,
                                const uint64_t *addresses)
{
    if (op->kind == EXECUTE_KIND_ATOMIC)
        return op->access.reduction ? MNP_LIVE_REDUCTION : MNP_LIVE_ATOMIC;
    if (is_surface_reduction(op))
        return MNP_LIVE_REDUCTION;
    if (!op->access.strong && !mnp_live_is_hot(cta->core->common.core, lanes, addresses))
        return MNP_LIVE_NOT_AT_L2;
    return op->kind == EXECUTE_KIND_STORE || op->kind == EXECUTE_KIND_SURFACE_STORE ? MNP_LIVE_STORE : MNP_LIVE_LOAD;
}

/* States the lanes' access as one performed elsewhere. */
static void ask(struct execute_live_cta *cta, const struct execute_warp *warp, const struct execute_op *op,
                enum mnp_live_l2 kind, bool remote, uint8_t operation, uint32_t lanes, const uint64_t *addresses,
                uint32_t bytes)
{
    struct mnp_live_access *access = cta->access;
    execute_live_leave(access, kind, remote, operation, op->access.type, bytes);
    access->acquire = op->kind != EXECUTE_KIND_MBARRIER && op->access.acquire;
    access->forgets = access->acquire && op->access.far;
    access->token = execute_op_place(warp->launch->code, op);
    access->record.mask = lanes;
    memcpy(access->addresses, addresses, sizeof access->addresses);
}

/* `each`: bytes of a lane that the access needs. */
static void keep_data(struct mnp_live_access *access, const void *data, size_t stride, uint32_t each)
{
    for (uint32_t i = 0; i < 32 && access->stores; i++)
        memcpy(access->data[i], (const unsigned char *)data + i * stride, each);
}

/* How the L2s behind a multicast object perform an operation; not at all: objects do not take it. */
static enum mnp_live_l2 object_kind(const struct execute_op *op)
{
    if (op->kind == EXECUTE_KIND_LOAD && op->access.reduced)
        return MNP_LIVE_COMBINED;
    if (op->kind == EXECUTE_KIND_ATOMIC && op->access.reduction)
        return MNP_LIVE_REDUCTION;
    return op->kind == EXECUTE_KIND_STORE ? MNP_LIVE_STORE : MNP_LIVE_NOT_AT_L2;
}

/* Whether a lane has an address in a multicast object of which all memories are bound; `*object`: that address. */
static bool find_object(const struct execute_device *device, uint64_t address, uint64_t *object)
{
    *object = execute_device_seen(device, address);
    return *object && mnp_multicast_at(&device->memory->multicasts, *object).devices;
}

/* An access some of whose lanes, `seen`, have addresses of multicast objects: all of them must. */
static void defer_objects(struct execute_live_cta *cta, struct execute_warp *warp, const struct execute_op *op,
                          uint32_t lanes, uint32_t seen, const uint64_t *addresses, uint32_t bytes, const void *data,
                          size_t stride)
{
    enum mnp_live_l2 kind = object_kind(op);
    uint64_t objects[32] = {0};
    uint32_t wrong = kind == MNP_LIVE_NOT_AT_L2 || cta->access->at_l2 ? seen : lanes & ~seen;
    for (uint32_t rest = seen; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (!find_object(cta->core->device, addresses[lane], &objects[lane]))
            wrong |= 1u << lane;
    }
    if (wrong) {
        uint32_t lane = (uint32_t)__builtin_ctz(wrong);
        execute_fault(warp, EXECUTE_FAULT_MULTIMEM, lane, addresses[lane]);
        return;
    }
    ask(cta, warp, op, kind, false, op->access.operation, lanes, objects, bytes);
    if (kind == MNP_LIVE_COMBINED)
        cta->access->type = execute_reduced_type(op);
    keep_data(cta->access, data, stride, op->kind == EXECUTE_KIND_ATOMIC ? 16 : bytes);
}

static bool port_defer(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                       const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride)
{
    struct execute_live_cta *cta = context;
    uint32_t seen = execute_device_seen_lanes(cta->core->device, lanes, addresses);
    if (seen) {
        defer_objects(cta, warp, op, lanes, seen, addresses, bytes, data, stride);
        return true;
    }
    enum mnp_live_l2 kind = l2_kind(cta, op, lanes, addresses);
    uint32_t lane = 0;
    if (kind == MNP_LIVE_NOT_AT_L2)
        return false;
    if (cta->access->at_l2) { /* other lanes of it access shared memory of other CTAs */
        execute_fault(warp, EXECUTE_FAULT_REMOTE, (uint32_t)__builtin_ctz(lanes), addresses[__builtin_ctz(lanes)]);
        return true;
    }
    if (!execute_live_covers(cta->core, lanes, addresses, bytes, &lane)) {
        execute_fault(warp, EXECUTE_FAULT_ADDRESS, lane, addresses[lane]);
        return true;
    }
    bool combines = is_surface_reduction(op);
    ask(cta, warp, op, kind, false, combines ? (uint8_t)(op->combine - 1) : op->access.operation, lanes, addresses,
        bytes);
    struct mnp_live_access *access = cta->access;
    access->type = combines ? op->size : op->access.type;
    access->paired = op->kind == EXECUTE_KIND_ATOMIC && op->access.type == EXECUTE_b128 &&
                     op->access.operation == EXECUTE_ATOMIC_CAS;
    keep_data(access, data, stride, access->paired ? 32 : op->kind == EXECUTE_KIND_ATOMIC ? 16 : bytes);
    return true;
}

/* Whether a barrier counts its bytes. */
static bool is_counted(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_MBARRIER && op->variant == EXECUTE_MBARRIER_STORE;
}

static uint8_t remote_operation(const struct execute_op *op)
{
    if (is_counted(op))
        return EXECUTE_REMOTE_SHARED | op->access.operation;
    if (op->kind == EXECUTE_KIND_MBARRIER)
        return (uint8_t)(EXECUTE_REMOTE_MBARRIER | op->variant | (op->combine ? EXECUTE_REMOTE_COMBINED : 0));
    return EXECUTE_REMOTE_SHARED | op->access.operation;
}

static enum mnp_live_l2 remote_kind(const struct execute_op *op)
{
    if (is_counted(op))
        return op->access.reduction ? MNP_LIVE_REDUCTION : MNP_LIVE_STORE;
    if (op->kind == EXECUTE_KIND_MBARRIER || op->kind == EXECUTE_KIND_ATOMIC)
        return op->kind == EXECUTE_KIND_MBARRIER || op->access.reduction ? MNP_LIVE_REDUCTION : MNP_LIVE_ATOMIC;
    return op->kind == EXECUTE_KIND_STORE ? MNP_LIVE_STORE : MNP_LIVE_LOAD;
}

static void port_remote(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                        const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride)
{
    struct execute_live_cta *cta = context;
    struct mnp_live_access *access = cta->access;
    enum mnp_live_l2 kind = remote_kind(op);
    ask(cta, warp, op, kind, true, remote_operation(op), lanes, addresses, bytes);
    access->counted = is_counted(op);
    keep_data(access, data, stride, access->counted ? MNP_LIVE_STRIDE : kind == MNP_LIVE_STORE ? bytes : 16);
}

static bool port_multicast(void *context, uint64_t address)
{
    return execute_device_seen(((struct execute_live_cta *)context)->core->device, address);
}

static int32_t port_print(void *context, struct execute_warp *warp, uint32_t lane, uint64_t format, uint64_t arguments)
{
    struct execute_live_cta *cta = context;
    struct execute_live_core *core = cta->core;
    struct mnp_array text = {0};
    int32_t result = execute_print(warp, lane, format, arguments, &text);
    if (warp->status == EXECUTE_FAULTED || cta->again) {
        mnp_array_release(&text);
        return result;
    }
    struct execute_printed *printed = mnp_array_add(&core->printed, 1, sizeof *printed);
    *printed = (struct execute_printed){.cycle = core->common.core->cycle,
                                        .core = core->common.core->index,
                                        .number = core->printed.count,
                                        .text = text};
    return result;
}

static uint64_t port_allocate(void *context, uint64_t bytes)
{
    const struct execute_live_core *core = ((struct execute_live_cta *)context)->core;
    return execute_heap_allocate(core->device, core->common.core->index, bytes);
}

static void port_release(void *context, uint64_t address)
{
    const struct execute_live_core *core = ((struct execute_live_cta *)context)->core;
    execute_heap_free(core->device, core->common.core->index, address);
}

static const struct execute_texture *port_texture(void *context, uint64_t handle)
{
    const struct execute_live_cta *cta = context;
    return execute_device_texture(cta->core->device, handle);
}

static uint64_t port_clock(void *context)
{
    return ((struct execute_live_cta *)context)->core->common.core->cycle;
}

static uint64_t port_nanoseconds(void *context)
{
    const struct mnp_live_core *core = ((struct execute_live_cta *)context)->core->common.core;
    return mnp_cursor_edge(core->clock, core->cycle) / (MNP_SECOND / 1000000000);
}

static const struct execute_port live_port = {.read = port_read,
                                              .write = port_write,
                                              .touch = port_touch,
                                              .multicast = port_multicast,
                                              .print = port_print,
                                              .allocate = port_allocate,
                                              .release = port_release,
                                              .texture = port_texture,
                                              .defer = port_defer,
                                              .remote = port_remote,
                                              .clock = port_clock,
                                              .nanoseconds = port_nanoseconds,
                                              .copy = execute_live_port_copy,
                                              .product = execute_live_port_product,
                                              .group = execute_live_port_group,
                                              .arrival = execute_live_port_arrival,
                                              .phase = execute_live_port_phase,
                                              .flipped = execute_live_port_flipped,
                                              .sleep = execute_live_port_sleep,
                                              .grid = execute_live_port_grid,
                                              .registers = execute_live_port_registers,
                                              .columns = execute_live_port_columns,
                                              .allocated = execute_live_port_allocated,
                                              .columns_news = execute_live_port_columns_news,
                                              .moves = execute_live_port_moves,
                                              .command = execute_live_port_command};

/* ===== execution ===== */

/* Whether a diverged warp may have to switch lanes before the next operation. */
static bool others_may_go(const struct execute_live_warp *live, const struct execute_op *ops)
{
    uint8_t parted = live->warp->parted;
    return parted & EXECUTE_PARTED_BY_POLL ||
           (parted && live->pc != live->warp->stack[live->depth - 1].meet && execute_is_together(&ops[live->pc]));
}

static void look_ahead(struct live_warp *common)
{
    struct execute_live_warp *live = (struct execute_live_warp *)common;
    struct mnp_live_warp *base = &common->base;
    const struct execute_op *ops = live->warp->launch->code->ops.items;
    const struct execute_stack_entry *stack = live->warp->stack;
    while (execute_live_has_room(common)) {
        uint32_t depth = live->depth;
        while (live->depth && (live->pc == stack[live->depth - 1].meet || !stack[live->depth - 1].mask))
            if (--live->depth)
                live->pc = stack[live->depth - 1].pc;
        if (!live->depth)
            return;
        base->closed = live->depth < depth && others_may_go(live, ops);
        if (base->closed)
            return;
        execute_live_know(common, live->pc);
        base->closed = execute_op_is_flow(&ops[live->pc++]) || others_may_go(live, ops);
    }
}

static void restart(struct live_warp *common)
{
    struct execute_live_warp *live = (struct execute_live_warp *)common;
    live->depth = live->warp->depth;
    live->pc = live->warp->stack[live->depth - 1].pc;
}

/* Records the addresses of an executed access. */
void execute_live_state_addresses(struct execute_live_warp *live, struct mnp_live_access *access)
{
    const struct execute_warp *warp = live->warp;
    struct execute_record *record = &live->cta->record;
    if (access->at_l2) { /* only its lanes, with generic addresses unchanged */
        record->mask = access->record.mask;
        record->bytes = access->bytes;
        record->space = access->remote ? EXECUTE_SPACE_SHARED : EXECUTE_SPACE_GLOBAL;
        memcpy(record->addresses, access->addresses, sizeof record->addresses);
    }
    uint8_t flags = 0;
    uint32_t words = 0;
    if (record->bytes && (access->at_l2 || !live->cta->core->common.core->passes))
        words = execute_record_addresses(warp->launch->code, record, access->words, &flags);
    access->record = (struct mnp_record){.mask = record->mask,
                                         .index = record->op & ((1u << MNP_INDEX_BITS) - 1),
                                         .address_words = words & 63,
                                         .record_flags = flags & 7};
}

/* Undoes an operation that could not be done as a whole, or has to wait. */
static uint32_t again(struct execute_live_cta *cta, struct execute_warp *warp, uint32_t pc)
{
    struct mnp_array *printed = &cta->core->printed;
    while (printed->count > cta->printed)
        mnp_array_release(&((struct execute_printed *)printed->items)[--printed->count].text);
    warp->status = EXECUTE_RUNNING;
    warp->fault = EXECUTE_FAULT_NONE;
    warp->stack[warp->depth - 1].pc = pc;
    return cta->again ? MNP_LIVE_AGAIN : MNP_LIVE_PARKED;
}

void execute_live_fault(struct execute_live_warp *live)
{
    struct execute_live_core *core = live->cta->core;
    if (live->warp->fault == EXECUTE_FAULT_ADDRESS &&
        execute_device_covers(core->device, &core->recent, live->warp->fault_address, 1))
        core->common.core->error = mnp_overlay_full(core->common.core->overlay);
    else
        execute_device_describe(core->device, live->warp, &core->common.core->error);
}

static uint32_t faulted(struct execute_live_warp *live)
{
    execute_live_fault(live);
    return MNP_LIVE_FAULTED;
}

/* Whether the warp waits at a barrier, be it for the cycle in which that opens. */
static bool waits_at(const struct execute_live_warp *live, const struct execute_op *op)
{
    const struct execute_warp *warp = live->warp;
    if (op->kind != EXECUTE_KIND_BARRIER)
        return false;
    return warp->status == EXECUTE_AT_BARRIER ||
           (live->cta->record.mask && op->variant < EXECUTE_BARRIER_GROUP && op->variant != EXECUTE_BARRIER_ARRIVE &&
            live->cta->cta.opened >> warp->barrier & 1);
}

/* Records the outcome of an executed operation; most access no memory. */
static inline void state_outcome(struct execute_live_warp *live, struct mnp_live_access *access)
{
    const struct execute_record *record = &live->cta->record;
    if (access->at_l2 || record->bytes)
        execute_live_state_addresses(live, access);
    else
        access->record = (struct mnp_record){.mask = record->mask, .index = record->op & ((1u << MNP_INDEX_BITS) - 1)};
}

/* Whether execute_warp_settle would find nothing to do. */
static inline bool is_settled(const struct execute_warp *warp)
{
    if (warp->status != EXECUTE_RUNNING || warp->parted)
        return false;
    const struct execute_stack_entry *entry = &warp->stack[warp->depth - 1];
    return entry->pc != entry->meet && entry->mask;
}

/* Returns what the core must do after an executed operation, as bits of enum mnp_live_result, and advances the warp to
 * its next operation or its end. */
static uint32_t asks(struct execute_live_warp *live, const struct mnp_live_core *core, uint32_t pc, bool arrived,
                     struct mnp_live_access *access)
{
    const struct execute_cta *cta = &live->cta->cta;
    struct mnp_live_warp *base = &live->common.base;
    struct execute_warp *warp = live->warp;
    uint32_t result = 0;
    if (!access->at_l2)
        access->stores = live->cta->stores;
    else if (access->record.mask && access->at_l2 != MNP_LIVE_STORE && !access->remote)
        base->asked = access->addresses[__builtin_ctz(access->record.mask)];
    state_outcome(live, access);
    if (mnp_live_answers(access->at_l2)) {
        live->pending[live->pending_count++] = pc;
        base->pending = warp->awaits = true;
    }
    if (core->product.n || core->tensor.kind != MNP_TENSOR_NONE || core->arrival)
        result |= MNP_LIVE_PRODUCT;
    if (waits_at(live, execute_op_at(warp->launch->code, pc))) {
        base->barrier = warp->barrier;
        result |= MNP_LIVE_WAITS;
    }
    if (!is_settled(warp))
        execute_warp_settle(warp);
    if (warp->status == EXECUTE_FAULTED) /* the block's last warp has ended with tensor memory */
        return faulted(live);
    base->opened = cta->opened;
    base->idle = warp->idle >= EXECUTE_POLLS_ASIDE;
    base->polls = warp->idle >= EXECUTE_POLLS_YIELD_LIVE;
    result |= cta->alone.arrived && !arrived ? MNP_LIVE_ARRIVED : 0;
    if (warp->status == EXECUTE_ENDED)
        return result | MNP_LIVE_ENDED;
    result |= warp->meeting.moved ? MNP_LIVE_JUMPED : 0;
    warp->meeting.moved = false;
    return result;
}

static inline uint32_t perform(struct live_warp *common, struct mnp_live_access *access)
{
    struct execute_live_warp *live = (struct execute_live_warp *)common;
    struct execute_live_cta *cta = live->cta;
    struct execute_warp *warp = live->warp;
    const struct mnp_live_core *core = common->core->core;
    uint32_t pc = warp->stack[warp->depth - 1].pc;
    bool arrived = cta->cta.alone.arrived;
    access->frame = warp->stack[warp->depth - 1].frame;
    /* the warp waits at several barriers, one of which another warp has opened */
    if (warp->status == EXECUTE_AT_BARRIER)
        return MNP_LIVE_AGAIN | MNP_LIVE_WAITS;
    cta->access = access;
    cta->running = common;
    cta->again = cta->stores = false;
    cta->cta.opened = 0;
    cta->printed = cta->core->printed.count;
    MNP_REQUIRE(common->base.ahead[common->executed % MNP_LIVE_AHEAD].index == pc,
                "a warp is not where it is thought to be");
    warp->record = &cta->record;
    warp->unseen = core->passes && !core->hot;
    if (__builtin_expect(common->executed == live->look, 0))
        execute_live_values_run(live);
    else
        execute_warp_run(warp, 1);
    if (cta->again || common->base.park)
        return again(cta, warp, pc);
    if (warp->status == EXECUTE_FAULTED)
        return faulted(live);
    cta->core->steps++;
    return asks(live, core, pc, arrived, access);
}

static const struct live_source source;

/* The work of look_ahead, where most often there is room for one more instruction on the path that runs. */
static inline void look_on(struct execute_live_warp *live)
{
    struct live_warp *common = &live->common;
    const struct execute_warp *warp = live->warp;
    if (!live->depth || common->base.closed)
        return;
    const struct execute_stack_entry *entry = &warp->stack[live->depth - 1];
    const struct execute_op *ops = warp->launch->code->ops.items;
    if (!warp->parted && live->pc != entry->meet && entry->mask && execute_live_has_room(common)) {
        execute_live_know(common, live->pc);
        common->base.closed = execute_op_is_flow(&ops[live->pc++]);
    }
    if (execute_live_has_room(common))
        look_ahead(common);
}

/* Executes the warp's next operation if there is nothing to do but to compute values, which nobody looks at. */
static bool compute(struct mnp_live_warp *base, struct mnp_live_access *access, bool *jumped)
{
    struct execute_live_warp *live = (struct execute_live_warp *)base;
    struct live_warp *common = &live->common;
    struct execute_warp *warp = live->warp;
    uint32_t lanes, index = base->ahead[common->executed % MNP_LIVE_AHEAD].index;
    if (common->executed == live->look || !execute_warp_compute(warp, &lanes))
        return false;
    const struct execute_stack_entry *entry = &warp->stack[warp->depth - 1];
    MNP_REQUIRE(entry->pc == index + 1, "a warp is not where it is thought to be");
    access->record = (struct mnp_record){.mask = lanes, .index = index};
    access->at_l2 = MNP_LIVE_NOT_AT_L2;
    access->remote = access->stores = false;
    access->frame = entry->frame;
    base->park = MNP_PARK_NONE;
    live->cta->core->steps++;
    common->executed++;
    look_on(live);
    *jumped = !execute_live_knows_next(common) && execute_live_follow(common, &source, index, false);
    execute_live_expect_operands(live);
    return true;
}

static const struct live_source source = {.perform = perform, .look_ahead = look_ahead, .restart = restart};

static uint32_t execute(struct mnp_live_warp *base, struct mnp_live_access *access)
{
    uint32_t result = execute_live_instruction((struct live_warp *)base, &source, access);
    execute_live_expect_operands((const struct execute_live_warp *)base);
    return result;
}

void execute_live_come_to(struct execute_live_warp *live)
{
    execute_live_restart(&live->common, &source);
}

/* ===== values that come from the L2 ===== */

static bool overlaps(const struct execute_code_function *place, uint32_t ref, uint32_t first, uint32_t bytes)
{
    if (ref == EXECUTE_NO_REF || ref >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_FRAME)
        return false;
    uint32_t size = ref < place->predicate_bytes ? 4
                    : ref < place->large_start   ? EXECUTE_SMALL_BYTES
                                                 : 2 * EXECUTE_LARGE_BYTES;
    return ref < first + bytes && first < ref + size;
}

static bool uses(const struct execute_code *code, const struct execute_code_function *place,
                 const struct execute_op *op, uint32_t first, uint32_t bytes)
{
    const uint32_t *list = (const uint32_t *)code->list.items + op->list;
    if (overlaps(place, op->guard, first, bytes) || overlaps(place, op->a, first, bytes) ||
        overlaps(place, op->b, first, bytes) || overlaps(place, op->c, first, bytes) ||
        overlaps(place, op->d, first, bytes))
        return true;
    for (uint32_t i = 0; i < (uint32_t)op->list_results + op->list_sources; i++)
        if (overlaps(place, list[i], first, bytes))
            return true;
    return false;
}

/* Whether an operation uses a register that an earlier one has still to write. */
static bool needs(const struct execute_live_warp *live, const struct execute_op *op, const struct execute_op *earlier)
{
    const struct execute_warp *warp = live->warp;
    const struct execute_code *code = warp->launch->code;
    const struct execute_code_function *place = execute_code_function_at(code, warp->frame[warp->frames - 1].function);
    const uint32_t *list = (const uint32_t *)code->list.items + earlier->list;
    uint32_t bytes = 32u * earlier->access.slot;
    if (earlier->kind == EXECUTE_KIND_ATOMIC && !execute_is_wide_atomic(earlier))
        return uses(code, place, op, earlier->d, bytes);
    for (uint32_t i = 0; i < earlier->access.count; i++)
        if (uses(code, place, op, list[i], bytes))
            return true;
    return false;
}

static bool waits(const struct mnp_live_warp *base)
{
    const struct execute_live_warp *live = (const struct execute_live_warp *)base;
    const struct execute_code *code = live->warp->launch->code;
    const struct execute_op *op = execute_op_at(code, base->ahead[live->common.executed % MNP_LIVE_AHEAD].index);
    if (live->pending_count == EXECUTE_LIVE_PENDING || op->kind == EXECUTE_KIND_CALL ||
        op->kind == EXECUTE_KIND_RETURN || op->kind == EXECUTE_KIND_SYSTEM)
        return true;
    for (uint32_t i = 0; i < live->pending_count; i++)
        if (needs(live, op, execute_op_at(code, live->pending[i])))
            return true;
    return (live->common.products || live->async.loads) &&
           execute_live_touches_sums((struct execute_live_warp *)(uintptr_t)live, op);
}

static uint32_t constants(const struct mnp_live_warp *base, uint64_t addresses[MNP_WARP_SIZE])
{
    const struct execute_live_warp *live = (const struct execute_live_warp *)base;
    const struct execute_warp *warp = live->warp;
    const struct execute_stack_entry *top = &warp->stack[warp->depth - 1];
    const struct execute_op *op = execute_op_at(warp->launch->code, top->pc);
    uint32_t lanes = top->mask & (execute_mask_at(warp, op->guard) ^ op->guard_flip);
    if (op->kind != EXECUTE_KIND_LOAD || op->access.space != EXECUTE_SPACE_CONST || !lanes)
        return 0;
    execute_access_addresses(warp, op, op->immediate, addresses);
    if (lanes == UINT32_MAX)
        return MNP_WARP_SIZE;
    uint32_t count = 0;
    for (; lanes; lanes &= lanes - 1)
        addresses[count++] = addresses[__builtin_ctz(lanes)];
    return count;
}

/* The frame in which a lane is now, given the frame in which it requested a value. */
static uint32_t frame_of(const struct execute_warp *warp, uint32_t frame, uint32_t lane)
{
    for (uint32_t i = 0; i < warp->move_count; i++)
        if (warp->moves[i].from == frame && warp->moves[i].lanes >> lane & 1)
            frame = warp->moves[i].to;
    return frame;
}

/* Writes values to the frames of the lanes that requested them, which may differ from the running lanes' frames. */
static void deliver_values(struct execute_live_warp *live, const struct mnp_live_access *access)
{
    struct execute_warp *warp = live->warp;
    const struct execute_op *op = execute_op_at(warp->launch->code, access->token);
    const unsigned char *base = warp->bases[EXECUTE_BASE_FRAME];
    for (uint32_t left = access->record.mask; left;) {
        uint32_t frame = frame_of(warp, access->frame, (uint32_t)__builtin_ctz(left));
        uint32_t lanes = warp->move_count ? 0 : left;
        for (uint32_t rest = left & ~lanes; rest; rest &= rest - 1)
            if (frame_of(warp, access->frame, (uint32_t)__builtin_ctz(rest)) == frame)
                lanes |= rest & -rest;
        warp->bases[EXECUTE_BASE_FRAME] = warp->registers + warp->frame[frame].registers;
        if (access->seen)
            execute_live_values_deliver(live, access, frame, lanes);
        else
            execute_deliver(warp, op, lanes, access->data[0], MNP_LIVE_STRIDE);
        left &= ~lanes;
    }
    warp->bases[EXECUTE_BASE_FRAME] = base;
}

static void deliver(struct mnp_live_warp *base, const struct mnp_live_access *access)
{
    struct execute_live_warp *live = (struct execute_live_warp *)base;
    deliver_values(live, access);
    uint32_t i = 0;
    while (i + 1 < live->pending_count && live->pending[i] != access->token)
        i++;
    live->pending[i] = live->pending[--live->pending_count];
    live->warp->awaits = live->pending_count > 0;
    if (!live->warp->awaits)
        live->warp->move_count = 0;
    base->pending = execute_live_has_pending(live);
}

static void where(const struct mnp_live_warp *base, char *text, size_t room)
{
    const struct execute_live_warp *live = (const struct execute_live_warp *)base;
    const struct execute_cta *cta = &live->cta->cta;
    uint64_t object, address = live->warp->mbarrier - UINT64_C(1);
    char phase[96];
    execute_warp_describe_place(live->warp, text, room);
    execute_barriers_describe(cta, execute_barriers_of(live->warp), phase, sizeof phase);
    if (phase[0] && strlen(text) < room)
        snprintf(text + strlen(text), room - strlen(text), ", %s", phase);
    if (!base->idle || base->park || !live->warp->mbarrier || address + sizeof object > cta->launch->shared_bytes)
        return;
    memcpy(&object, cta->shared + address, sizeof object); /* the program polls an mbarrier instead of waiting */
    execute_mbarrier_describe(object, phase, sizeof phase);
    size_t length = strlen(text);
    snprintf(text + length, room - length, ", polls the mbarrier at 0x%lx (%s)", (unsigned long)address, phase);
}

/* A lane's access was wrong where it was performed. Returns false. */
static bool wrong(struct mnp_live_warp *base, const struct mnp_live_access *access, uint32_t lane,
                  enum execute_fault fault, uint64_t address)
{
    const struct execute_live_warp *live = (const struct execute_live_warp *)base;
    live->warp->status = EXECUTE_RUNNING;
    execute_fault(live->warp, fault, lane, EXECUTE_CLUSTER_BASE + address);
    return execute_live_failed(live->common.core->core, live->warp, access->token, lane);
}

static void lost(struct mnp_live_warp *base, const struct mnp_live_access *access, uint32_t lane)
{
    wrong(base, access, lane, EXECUTE_FAULT_CLUSTER_ENDED, access->addresses[lane]);
}

static bool found(struct mnp_live_warp *base, const struct mnp_live_access *access, uint32_t lane, uint64_t old)
{
    const struct execute_live_warp *live = (const struct execute_live_warp *)base;
    const struct execute_op *op = execute_op_at(live->warp->launch->code, access->token);
    uint64_t number;
    if (op->kind != EXECUTE_KIND_MBARRIER)
        return true;
    uint64_t place = access->addresses[lane];
    memcpy(&number, access->data[lane] + (access->counted ? 16 : 0), sizeof number);
    uint8_t operation = access->counted ? (uint8_t)(number >> 32) : remote_operation(op);
    if (access->counted) { /* bytes, at the barrier of the same CTA */
        place = place >> MNP_LIVE_RANK_SHIFT << MNP_LIVE_RANK_SHIFT | (uint32_t)number;
        number = access->bytes;
    }
    enum execute_fault fault = execute_mbarrier_fault(operation, old, number);
    return !fault || wrong(base, access, lane, fault, place | (old >> 63) << 63);
}

static uint32_t end_phase(struct mnp_cta_code *code)
{
    struct execute_cta *cta = &((struct execute_live_cta *)code->owner)->cta;
    execute_cluster_end_phase(cta);
    return cta->opened;
}

uint64_t execute_live_atomic(uint8_t operation, uint8_t type, uint64_t old, uint64_t a, uint64_t b)
{
    if (operation & EXECUTE_REMOTE_MBARRIER)
        return execute_mbarrier_result(operation, old, a);
    bool shared = operation & EXECUTE_REMOTE_SHARED;
    operation &= EXECUTE_REMOTE_OPERATION;
    /* f32 additions to global memory flush subnormal numbers (ISA 9.0, atom) */
    return execute_atomic_result((enum execute_atomic_operation)operation, (enum execute_type)type,
                                 !shared && type == EXECUTE_f32, old, a, b);
}

/* ===== CTAs ===== */

static void start_warp(struct execute_live_cta *cta, uint32_t number)
{
    struct execute_live_warp *live = &cta->warps[number];
    struct execute_warp *warp = &cta->cta.warps[number];
    execute_live_async_release(live);
    *live = (struct execute_live_warp){.common.core = &cta->core->common,
                                       .common.base = {.execute = execute,
                                                       .compute = compute,
                                                       .row = execute_live_row,
                                                       .constants = constants,
                                                       .waits = waits,
                                                       .deliver = deliver,
                                                       .lost = lost,
                                                       .found = found,
                                                       .where = where,
                                                       .expect = execute_live_expect},
                                       .warp = warp,
                                       .cta = cta,
                                       .depth = warp->depth,
                                       .pc = warp->stack[warp->depth - 1].pc};
    execute_live_values_start(live);
    look_ahead(&live->common);
    cta->common.streams[number] = (struct mnp_warp_stream){.count = UINT64_MAX, .live = &live->common.base};
}

void execute_live_start(struct execute_live *live, const struct execute_launch *launch, uint64_t number,
                        const struct mnp_static_instruction *instructions, struct mnp_cta_code *code)
{
    struct execute_live_core *core = &live->cores[code->core->index];
    struct execute_live_cta *cta = execute_live_take_cta(&core->common, code->core, &execute_live_async, sizeof *cta);
    core->device = live->device;
    cta->core = core;
    cta->instructions = instructions;
    cta->port = live_port;
    cta->port.context = cta;
    cta->cta.sm = code->core->index;
    cta->cta.sm_count = code->core->count;
    execute_cta_start(&cta->cta, launch, &cta->port, number);
    execute_cluster_part(&cta->cta);
    cta->cta.tmem = &core->tmem;
    for (uint32_t i = 0; i < launch->warps; i++)
        start_warp(cta, i);
    code->warp_count = launch->warps;
    memcpy(code->block, cta->cta.place, sizeof code->block);
    code->warps = cta->common.streams;
    code->instructions = instructions;
    code->owner = cta;
    code->shared = cta->cta.shared;
    code->shared_bytes = launch->shared_bytes;
    code->end_phase = end_phase;
}

void execute_live_release(struct mnp_cta_code *code)
{
    struct execute_live_cta *cta = code->owner;
    execute_live_give_cta(&cta->core->common, &cta->common);
    code->owner = NULL;
    code->warps = NULL;
}

/* ===== all cores ===== */

void execute_live_warnings(const struct execute_live *live, struct mnp_log *log)
{
    for (uint32_t i = 0; live && i < live->core_count; i++)
        for (uint32_t k = 0; k < live->cores[i].warnings.count; k++)
            mnp_warn(log, "%s", ((char **)live->cores[i].warnings.items)[k]);
}

struct execute_live *execute_live_open(struct execute_device *device, uint32_t cores)
{
    struct execute_live *live = mnp_allocate(1, sizeof *live);
    live->device = device;
    live->core_count = cores;
    live->cores = mnp_allocate(cores, sizeof *live->cores);
    for (uint32_t i = 0; i < cores; i++)
        live->cores[i].common.copy_bytes = sizeof(struct execute_live_copy);
    if (device->heap_count < cores && cores <= EXECUTE_HEAP_SMS) {
        device->heaps = mnp_reallocate(device->heaps, cores, sizeof *device->heaps);
        memset(device->heaps + device->heap_count, 0, (cores - device->heap_count) * sizeof *device->heaps);
        device->heap_count = cores;
    }
    return live;
}

/* Returns the cores' output since the last call. */
static struct mnp_array printed_by(struct execute_live *live)
{
    struct mnp_array all = {0};
    for (uint32_t i = 0; i < live->core_count; i++) {
        struct mnp_array *printed = &live->cores[i].printed;
        if (printed->count)
            memcpy(mnp_array_add(&all, printed->count, sizeof(struct execute_printed)), printed->items,
                   printed->count * sizeof(struct execute_printed));
        printed->count = 0;
    }
    return all;
}

void execute_live_between(struct execute_live *live)
{
    for (uint32_t i = 0; i < live->core_count; i++) {
        live->device->steps += live->cores[i].steps;
        live->cores[i].steps = 0;
    }
    if (!live->device->keeps_output)
        execute_printed_show(live->device, printed_by(live));
}

size_t execute_live_take_output(struct execute_live *live, void **bytes)
{
    return execute_printed_pack(printed_by(live), bytes);
}

static void release_cta(struct live_cta *common)
{
    struct execute_live_cta *cta = (struct execute_live_cta *)common;
    execute_cta_release(&cta->cta);
    for (uint32_t w = 0; w < EXECUTE_MAX_WARPS; w++)
        execute_live_async_release(&cta->warps[w]);
    free(cta->half);
}

void execute_live_close(struct execute_live *live)
{
    if (!live)
        return;
    live->device->keeps_output = false;
    execute_live_between(live);
    for (uint32_t i = 0; i < live->core_count; i++) {
        execute_live_release_core(&live->cores[i].common, release_cta);
        free(live->cores[i].printed.items);
        for (uint32_t k = 0; k < live->cores[i].warnings.count; k++)
            free(((char **)live->cores[i].warnings.items)[k]);
        mnp_array_release(&live->cores[i].warnings);
        execute_live_commands_release(&live->cores[i]);
        mnp_numbered_release(&live->cores[i].arrivals);
        free(live->cores[i].tmem);
    }
    free(live->cores);
    free(live);
}
