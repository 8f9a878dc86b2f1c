/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of live CTAs for a machine's async units (contract/async.h). A copy waits here under its token until the
 * unit has moved its last line, a product in its warp until the tensor cores have performed it. An instruction that has
 * to wait for either is suspended and executed again.
 */
#include "execute/live/live_state.h"

#include "execute/warp/frame.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = EXECUTE_SMALL_BYTES };

/* Tests first whether the range from the lowest to the highest address lies in one allocation, as nearly always; only
 * otherwise each lane. The allocation found last is remembered until the device's allocations change. */
bool execute_live_covers(struct execute_live_core *core, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                         uint32_t *lane)
{
    const struct execute_device *device = core->device;
    if (core->changes != device->changes) {
        core->changes = device->changes;
        core->recent = (struct mnp_region){0, 0};
    }
    struct execute_span span = execute_span_of(mask, addresses);
    if (execute_device_covers(device, &core->recent, span.low, span.high - span.low + bytes))
        return true;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        *lane = (uint32_t)__builtin_ctz(rest);
        if (!execute_device_covers(device, &core->recent, addresses[*lane], bytes))
            return false;
    }
    return true;
}

/* ===== mbarriers ===== */

/* The address inside the shared memory of a CTA. */
static uint64_t inside(uint64_t address)
{
    return address & (EXECUTE_WINDOW_BYTES - 1);
}

/* A wait for a phase that has not ended: the warp is parked until the mbarrier flips, or for as long as such a wait may
 * last; the instruction is then executed again, and `waited` says that its time is over. */
bool execute_live_port_phase(void *context, uint64_t address)
{
    struct execute_live_cta *cta = context;
    if (cta->core->common.core->waited)
        return false;
    execute_live_park(cta->running, MNP_PARK_PHASE, inside(address));
    return true;
}

/* nanosleep: at most a millisecond (PTX ISA 9.0). */
bool execute_live_port_sleep(void *context, uint32_t nanoseconds)
{
    enum { LONGEST = 1000000 };
    struct execute_live_cta *cta = context;
    if (cta->core->common.core->waited)
        return false;
    execute_live_park(cta->running, MNP_PARK_TIME, nanoseconds < LONGEST ? nanoseconds : LONGEST);
    return true;
}

void execute_live_port_flipped(void *context, uint64_t address)
{
    struct mnp_live_core *core = ((struct execute_live_cta *)context)->core->common.core;
    core->flipped = core->flipped ? UINT64_MAX : inside(address) + 1;
}

/* Defers arrivals until the copies of the warp's lanes (cp.async) have landed: keeps their operands under a token,
 * which the machine hands back in arrivals_landed. */
bool execute_live_port_arrival(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                               const uint64_t *addresses)
{
    struct execute_live_cta *cta = context;
    struct mnp_live_core *core = cta->core->common.core;
    if (cta->running->arrivals == MNP_ARRIVALS) {
        execute_live_park(cta->running, MNP_PARK_ROOM, 0);
        return false;
    }
    uint32_t token = mnp_numbered_take(&cta->core->arrivals, sizeof(struct execute_live_arrival));
    struct execute_live_arrival *arrival = mnp_numbered_at(&cta->core->arrivals, token, sizeof *arrival);
    *arrival = (struct execute_live_arrival){
        .warp = &cta->warps[warp->number], .op = execute_op_place(warp->launch->code, op), .lanes = lanes};
    memcpy(arrival->addresses, addresses, sizeof arrival->addresses);
    cta->running->arrivals++;
    core->arrival = token + 1;
    return true;
}

static bool arrivals_landed(struct mnp_live_core *base, uint32_t token)
{
    struct execute_live_core *core = base->owner;
    struct execute_live_arrival *arrival = mnp_numbered_at(&core->arrivals, token, sizeof *arrival);
    struct execute_warp *warp = arrival->warp->warp;
    const struct execute_op *op = execute_op_at(warp->launch->code, arrival->op);
    base->flipped = 0;
    warp->record = NULL;
    for (uint32_t rest = arrival->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (!execute_mbarrier_landed(warp, op, lane, arrival->addresses))
            return execute_live_failed(base, warp, arrival->op, lane);
    }
    arrival->warp->common.arrivals--;
    mnp_numbered_give(&core->arrivals, token);
    return true;
}

/* ===== grids ===== */

void execute_live_port_grid(void *context, enum execute_grid what)
{
    struct execute_live_cta *cta = context;
    if (what == EXECUTE_GRID_RELEASE)
        cta->core->common.core->released = true;
    else
        execute_live_wait_grid(cta->running);
}

/* ===== registers ===== */

bool execute_live_port_registers(void *context, bool more, uint32_t count)
{
    return !execute_live_change_registers(((struct execute_live_cta *)context)->running, more, count);
}

/* ===== copies ===== */

static struct execute_live_copy *copy_at(const struct mnp_live_core *base, uint32_t token)
{
    return execute_live_copy_at(base->owner, token);
}

static struct execute_warp *warp_of(const struct execute_live_copy *copy)
{
    return ((struct execute_live_warp *)copy->common.warp)->warp;
}

static enum mnp_copy_direction direction_of(const struct execute_bulk *bulk)
{
    static const uint8_t directions[] = {
        [EXECUTE_TENSOR_LOAD] = MNP_COPY_IN,       [EXECUTE_TENSOR_STORE] = MNP_COPY_OUT,
        [EXECUTE_TENSOR_REDUCE] = MNP_COPY_REDUCE, [EXECUTE_TENSOR_PREFETCH] = MNP_COPY_PREFETCH,
        [EXECUTE_TENSOR_ACROSS] = MNP_COPY_ACROSS, [EXECUTE_TENSOR_ACROSS_REDUCE] = MNP_COPY_ACROSS};
    return (enum mnp_copy_direction)directions[bulk->direction];
}

/* Other blocks that it goes to: of a copy across, its own among them. */
static uint16_t others_of(const struct execute_live_warp *live, const struct execute_bulk *bulk)
{
    /* others are notified by a parcel, when the bytes have arrived */
    bool load = bulk->direction == EXECUTE_TENSOR_LOAD;
    uint32_t own = load ? 1u << live->warp->cta->rank : 0, signals = load ? execute_bulk_signals(bulk) : 0;
    return (uint16_t)((bulk->targets | signals) & ~own);
}

static void start_copy(struct execute_live_warp *live, uint32_t lane, uint32_t op, const struct execute_bulk *bulk)
{
    struct mnp_copy copy = {.rows = bulk->rows,
                            .row_bytes = bulk->row_bytes,
                            .direction = (uint8_t)direction_of(bulk),
                            .rank = bulk->request.map.rank,
                            .targets = others_of(live, bulk),
                            .map = bulk->map};
    struct execute_live_copy *item = execute_live_start_copy(&live->common, lane, &copy);
    item->bulk = *bulk;
    item->op = op;
}

/* Prepares the copies of all lanes, and hands them to the TMA unit only if all can be: if the queue has too little
 * room, or a tensor map cannot be read yet, none is started, and the instruction is executed again. */
bool execute_live_port_copy(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct execute_live_cta *cta = context;
    const struct mnp_live_core *core = cta->core->common.core;
    if ((uint32_t)__builtin_popcount(lanes) > core->copy_room) {
        execute_live_park(cta->running, MNP_PARK_ROOM, 0);
        return false;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        struct execute_bulk bulk;
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        bool good = execute_bulk_prepare(warp, op, lane, &bulk);
        if (good && !cta->again)
            start_copy(&cta->warps[warp->number], lane, execute_op_place(warp->launch->code, op), &bulk);
        if (warp->status == EXECUTE_FAULTED || cta->again)
            break;
    }
    while (cta->again && core->copy_count) /* the tensor map has accesses pending at the L2 */
        execute_live_drop_copy(cta->running);
    return !cta->again;
}

/* The TMA unit asks for a row of a copy. What lies outside the tensor is filled in here; the unit moves the rest. */
static void copies_row(struct mnp_live_core *base, uint32_t token, uint32_t row, struct mnp_copy_row *out)
{
    struct execute_live_copy *copy = copy_at(base, token);
    uint32_t row_bytes;
    struct execute_tensor_piece piece = execute_bulk_row(&copy->bulk, row, &row_bytes);
    *out = (struct mnp_copy_row){.global = piece.global, .before = piece.before, .bytes = piece.bytes};
    if (copy->bulk.direction == EXECUTE_TENSOR_LOAD && execute_bulk_is_own(warp_of(copy), &copy->bulk))
        execute_bulk_fill(warp_of(copy), &copy->bulk, &piece, row_bytes); /* a fault shows when bytes are moved */
}

static bool failed(struct mnp_live_core *base, const struct execute_live_copy *copy)
{
    return execute_live_failed(base, warp_of(copy), copy->op, copy->common.lane);
}

/* Finds the global address of a part of a row. Returns false if it is outside the allocations. */
static bool place_of(struct mnp_live_core *base, struct execute_live_copy *copy, uint32_t row, uint32_t at,
                     uint32_t bytes, struct execute_tensor_piece *piece)
{
    uint64_t addresses[32];
    uint32_t row_bytes, lane = 0;
    *piece = execute_bulk_row(&copy->bulk, row, &row_bytes);
    piece->global += at - piece->before;
    piece->shared += at;
    for (uint32_t i = 0; i < 32; i++)
        addresses[i] = piece->global;
    if (execute_live_covers(base->owner, 1, addresses, bytes, &lane))
        return true;
    execute_fault(warp_of(copy), EXECUTE_FAULT_ADDRESS, copy->common.lane, piece->global);
    return failed(base, copy);
}

static bool copies_move(struct mnp_live_core *base, uint32_t token, uint32_t row, uint32_t at, uint32_t bytes)
{
    struct execute_live_copy *copy = copy_at(base, token);
    bool in = copy->bulk.direction == EXECUTE_TENSOR_LOAD;
    unsigned char data[MNP_MEMORY_LINE];
    struct execute_tensor_piece piece;
    if (!place_of(base, copy, row, at, bytes, &piece))
        return false;
    if (in && !execute_bulk_is_own(warp_of(copy), &copy->bulk))
        return true;
    if (in)
        mnp_overlay_read(base->overlay, piece.global, bytes, data);
    if (!execute_bulk_shared(warp_of(copy), &copy->bulk, in, piece.shared, bytes, data))
        return failed(base, copy);
    if (in || mnp_overlay_write(base->overlay, piece.global, bytes, data))
        return true;
    base->error = mnp_overlay_full(base->overlay);
    return false;
}

static bool copies_elements(struct mnp_live_core *base, uint32_t token, uint32_t row, uint32_t at, uint32_t bytes,
                            struct mnp_copy_elements *elements)
{
    struct execute_live_copy *copy = copy_at(base, token);
    unsigned char data[MNP_MEMORY_LINE];
    struct execute_tensor_piece piece;
    uint32_t size = execute_type_bytes((enum execute_type)copy->bulk.type);
    if (!place_of(base, copy, row, at, bytes, &piece))
        return false;
    if (!execute_bulk_shared(warp_of(copy), &copy->bulk, false, piece.shared, bytes, data))
        return failed(base, copy);
    *elements = (struct mnp_copy_elements){.operation = copy->bulk.operation,
                                           .type = copy->bulk.type,
                                           .bytes = (uint8_t)size,
                                           .count = (uint8_t)(bytes / size)};
    for (uint32_t i = 0; i < elements->count; i++)
        memcpy(&elements->value[i], data + (size_t)i * size, size);
    return true;
}

static bool copies_arrive(struct mnp_live_core *base, uint32_t token)
{
    struct execute_live_copy *copy = copy_at(base, token);
    struct execute_warp *warp = warp_of(copy);
    bool load = copy->bulk.direction == EXECUTE_TENSOR_LOAD;
    uint32_t bytes = load ? execute_bulk_counted(&copy->bulk, warp->cta->rank) : 0;
    uint64_t addresses[32];
    bool good = true;
    base->flipped = 0;
    for (uint32_t i = 0; i < 32; i++)
        addresses[i] = copy->bulk.barrier;
    if (bytes) {
        warp->record = NULL;
        good = execute_mbarrier_complete(warp, copy->common.lane, addresses, bytes) || failed(base, copy);
    }
    return good;
}

/* ===== copies to other blocks ===== */

static bool copies_parcel(struct mnp_live_core *base, uint32_t token, uint32_t rank, uint32_t row, uint32_t at,
                          uint32_t bytes, struct mnp_parcel *parcel)
{
    struct execute_live_copy *copy = copy_at(base, token);
    if (!bytes) {
        uint32_t counted = execute_bulk_counted(&copy->bulk, rank);
        if (copy->bulk.targets >> rank & 1)
            execute_parcel_of_load(&copy->bulk, counted, parcel);
        else
            execute_parcel_of_bytes_done(copy->bulk.barrier, counted, parcel);
        return true;
    }
    return execute_parcel_of_bytes(warp_of(copy), &copy->bulk, row * EXECUTE_TENSOR_ROW_BYTES + at, bytes, parcel) ||
           failed(base, copy);
}

static void read_flat(void *context, uint64_t address, uint32_t bytes, void *data)
{
    const struct mnp_live_core *base = context;
    mnp_overlay_read(base->overlay, address, bytes, data);
}

static bool copies_receive(struct mnp_live_core *base, struct mnp_cta_code *code, const struct mnp_parcel *parcel)
{
    const struct execute_live_core *core = base->owner;
    struct execute_live_cta *cta = code->owner;
    if (execute_parcel_is_refused(&cta->cta, parcel, &base->refused))
        return false;
    if (execute_parcel_put(&cta->cta, parcel, read_flat, base, &base->flipped))
        return true;
    execute_device_describe(core->device, &cta->cta.warps[0], &base->error);
    return false;
}

static void copies_refused(struct mnp_live_core *base, uint32_t token, uint32_t rank, uint64_t object)
{
    struct execute_live_copy *copy = copy_at(base, token);
    uint64_t address = EXECUTE_CLUSTER_BASE + (uint64_t)rank * EXECUTE_WINDOW_BYTES + inside(copy->bulk.barrier);
    enum execute_fault fault = execute_mbarrier_fault(EXECUTE_MBARRIER_COMPLETE, object, copy->bulk.bytes);
    execute_fault(warp_of(copy), fault, copy->common.lane, address | (object >> 63) << 63);
    failed(base, copy);
}

static void copies_lost(struct mnp_live_core *base, uint32_t token)
{
    struct execute_live_copy *copy = copy_at(base, token);
    execute_fault(warp_of(copy), EXECUTE_FAULT_CLUSTER_ENDED, copy->common.lane, copy->bulk.request.shared);
    failed(base, copy);
}

/* ===== products ===== */

void execute_live_async_release(struct execute_live_warp *live)
{
    free(live->async.sums);
    free(live->async.kept);
}

/* Whether the warp belongs to a complete warpgroup of four. */
static bool has_warpgroup(struct execute_warp *warp, uint32_t lanes)
{
    if ((warp->number | 3) < warp->cta->warp_count)
        return true;
    execute_fault(warp, EXECUTE_FAULT_WARPGROUP, (uint32_t)__builtin_ctz(lanes), 0);
    return false;
}

static const uint32_t *sums_of(const struct execute_warp *warp, const struct execute_op *op)
{
    return (const uint32_t *)warp->launch->code->list.items + op->list;
}

static bool has_sums(const struct execute_live_async *async, uint32_t ref)
{
    return ref != EXECUTE_NO_REF && ref >> EXECUTE_BASE_SHIFT == EXECUTE_BASE_FRAME &&
           ref / SMALLEST < async->sums_size && async->sums[ref / SMALLEST];
}

/* Returns the pending product that accumulates in a register. */
static uint32_t product_with(const struct execute_live_warp *live, uint32_t ref)
{
    const struct execute_live_async *async = &live->async;
    const struct execute_code *code = live->warp->launch->code;
    for (uint32_t i = live->common.products; i-- > 0;) {
        uint32_t at = async->products[(live->common.first_product + i) % LIVE_PRODUCTS];
        const struct execute_op *op = execute_op_at(code, at);
        const uint32_t *refs = sums_of(live->warp, op);
        for (uint32_t k = 0; k < op->list_results; k++)
            if (refs[k] / SMALLEST == ref / SMALLEST)
                return at;
    }
    return EXECUTE_NONE;
}

static void keep_warning(struct execute_live_core *core, const char *place, const char *product)
{
    char text[2 * EXECUTE_PLACE_BYTES + 128];
    snprintf(text, sizeof text, "%s: registers of the wgmma of %s are used before it has been waited for", place,
             product);
    for (uint32_t i = 0; i < core->warnings.count; i++)
        if (!strcmp(((char **)core->warnings.items)[i], text))
            return;
    *(char **)mnp_array_add(&core->warnings, 1, sizeof(char *)) = strcpy(mnp_allocate(strlen(text) + 1, 1), text);
}

static void warn(struct execute_live_warp *live, const struct execute_op *op, uint32_t ref)
{
    const struct execute_code *code = live->warp->launch->code;
    char here[EXECUTE_PLACE_BYTES], there[EXECUTE_PLACE_BYTES];
    uint32_t product = product_with(live, ref);
    if (live->async.warned || product == EXECUTE_NONE)
        return;
    live->async.warned = true;
    execute_describe_line(code, execute_op_place(code, op), here, sizeof here);
    execute_describe_line(code, product, there, sizeof there);
    keep_warning(live->cta->core, here, there);
}

bool execute_live_touches_sums(struct execute_live_warp *live, const struct execute_op *op)
{
    const struct execute_live_async *async = &live->async;
    const uint32_t *list = sums_of(live->warp, op);
    bool product = op->kind == EXECUTE_KIND_WGMMA;
    uint32_t first = product ? 2u * op->list_results : 0; /* products follow one another in their sums */
    uint32_t read = (op->wgmma.flags & EXECUTE_WGMMA_A_REGISTERS ? 4u : 0) + !!(op->wgmma.flags & EXECUTE_WGMMA_SPARSE);
    uint32_t count = product ? first + read : (uint32_t)op->list_results + op->list_sources;
    uint32_t refs[] = {op->guard, op->a, op->b, op->c, op->d}, found = EXECUTE_NO_REF;
    for (uint32_t i = 0; i < sizeof refs / sizeof *refs; i++)
        found = has_sums(async, refs[i]) ? refs[i] : found;
    for (uint32_t i = first; i < count; i++)
        found = has_sums(async, list[i]) ? list[i] : found;
    if (found == EXECUTE_NO_REF)
        return false;
    warn(live, op, found);
    return true;
}

/* Elements that a row of A is long: 256 bits, twice as many of a sparse one. */
static uint16_t depth_of(const struct execute_wgmma_form *form)
{
    static const uint16_t depths[] = {
        [EXECUTE_WGMMA_F16] = 16,  [EXECUTE_WGMMA_BF16] = 16, [EXECUTE_WGMMA_TF32] = 8, [EXECUTE_WGMMA_E4M3] = 32,
        [EXECUTE_WGMMA_E5M2] = 32, [EXECUTE_WGMMA_S8] = 32,   [EXECUTE_WGMMA_U8] = 32,  [EXECUTE_WGMMA_B1] = 256};
    return (uint16_t)(depths[form->a_type] << (form->flags & EXECUTE_WGMMA_SPARSE ? 1 : 0));
}

void execute_live_port_product(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct execute_live_cta *cta = context;
    struct execute_live_warp *live = &cta->warps[warp->number];
    struct execute_live_async *async = &live->async;
    const struct execute_wgmma_form *form = &op->wgmma;
    struct mnp_product product = {.n = form->n,
                                  .k = depth_of(form),
                                  .registers = form->flags & EXECUTE_WGMMA_A_REGISTERS,
                                  .sparse = form->flags & EXECUTE_WGMMA_SPARSE,
                                  .halves = form->d_type == EXECUTE_f16};
    if (!has_warpgroup(warp, lanes))
        return;
    product.fresh = !execute_wgmma_adds(warp, op, lanes);
    uint32_t place = execute_live_start_product(&live->common, &product);
    if (place == LIVE_PRODUCTS)
        return;
    async->products[place] = execute_op_place(warp->launch->code, op);
    if (!async->kept)
        async->kept = mnp_allocate(LIVE_PRODUCTS, sizeof *async->kept);
    execute_wgmma_keep(warp, op, lanes, &async->kept[place]);
    execute_live_mark(live, op, 1);
    live->common.base.pending = true;
    live->common.product_group += op->combine; /* machine code: the last of a group */
}

static bool products_multiply(struct mnp_live_warp *base)
{
    struct execute_live_warp *live = (struct execute_live_warp *)base;
    struct execute_warp *warp = live->warp;
    uint32_t place = execute_live_end_product(&live->common), at = live->async.products[place];
    const struct execute_op *op = execute_op_at(warp->launch->code, at);
    execute_live_mark(live, op, -1);
    base->pending = execute_live_has_pending(live);
    execute_wgmma_multiply(warp, op, EXECUTE_ALL_LANES, &live->async.kept[place]);
    return warp->status != EXECUTE_FAULTED || execute_live_failed(live->common.core->core, warp, at, warp->fault_lane);
}

void execute_live_port_group(void *context, struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct execute_live_cta *cta = context;
    struct execute_live_warp *live = &cta->warps[warp->number];
    if (op->kind == EXECUTE_KIND_BARRIER) {
        if (has_warpgroup(warp, lanes))
            execute_live_wait_products(&live->common, op->immediate);
        return;
    }
    bool stores = op->variant == EXECUTE_GROUP_TMEM_STORES_WAIT;
    switch ((enum execute_async_group)op->variant) {
    case EXECUTE_GROUP_PRODUCTS_COMMIT:
        live->common.product_group++;
        return;
    case EXECUTE_GROUP_TMEM_LOADS_WAIT:
    case EXECUTE_GROUP_TMEM_STORES_WAIT:
        if (execute_live_moves_wait(live, stores))
            execute_live_park(cta->running, MNP_PARK_MOVES, stores);
        return;
    case EXECUTE_GROUP_LANES_COMMIT:
    case EXECUTE_GROUP_LANES_WAIT:
        return;
    case EXECUTE_GROUP_COPIES_COMMIT:
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            live->common.copy_group[__builtin_ctz(rest)]++;
        return;
    default:
        execute_live_wait_copies(&live->common, lanes, op->immediate, op->variant == EXECUTE_GROUP_COPIES_WAIT_READ);
    }
}

void execute_step_async_group(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_port *port = warp->cta->port;
    if (port->group)
        port->group(port->context, warp, op, lanes);
}

const struct mnp_live_async execute_live_async = {.row = copies_row,
                                                  .move = copies_move,
                                                  .elements = copies_elements,
                                                  .has_read = execute_live_copy_has_read,
                                                  .arrive = copies_arrive,
                                                  .finish = execute_live_copy_finish,
                                                  .landed = arrivals_landed,
                                                  .parcel = copies_parcel,
                                                  .receive = copies_receive,
                                                  .refused = copies_refused,
                                                  .counts = execute_live_counts,
                                                  .lost = copies_lost,
                                                  .phase = execute_live_phase,
                                                  .multiply = products_multiply,
                                                  .moved = execute_live_moved,
                                                  .command = execute_live_command,
                                                  .pair_parcels = execute_live_pair_parcels,
                                                  .pair_parcel = execute_live_pair_parcel,
                                                  .pair_hear = execute_live_pair_hear};
