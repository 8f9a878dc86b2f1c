/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functional model of the tensor memory accelerator (PTX ISA 9.0, cp.async.bulk, cp.async.bulk.tensor and
 * cp.reduce.async.bulk). Without a machine, each lane's copy is performed row by row at issue, which is one of the
 * orders that the asynchronous proxy permits, and then completes at its mbarrier. In a machine, the TMA unit performs
 * it line by line (live_async.c).
 */
#include "execute/copy/tensor_copy.h"

#include "execute/memory/atomic.h"
#include "execute/warp/frame.h"

#include <string.h>

enum { CHUNK = 16, MAP_ALIGN = 64, BOX_ALIGN = 128 };

/* ===== rows ===== */

/* Moves `bytes` bytes between `data` and `address`, `unit` aligned bytes for each of 32 lanes at a time. */
static bool move_bytes(struct execute_warp *warp, enum execute_space space, bool write, uint64_t address,
                       uint32_t bytes, uint32_t unit, unsigned char *data)
{
    for (uint32_t done = 0; done < bytes; done += 32 * unit) {
        uint64_t addresses[32];
        uint32_t count = (bytes - done) / unit < 32 ? (bytes - done) / unit : 32;
        uint32_t mask = count == 32 ? EXECUTE_ALL_LANES : (1u << count) - 1;
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = address + done + (i < count ? i * unit : 0);
        if (!execute_access(warp, space, write, mask, addresses, unit, data + done, unit))
            return false;
    }
    return true;
}

static bool move_global(struct execute_warp *warp, const struct execute_bulk *bulk, bool write, uint64_t address,
                        uint32_t bytes, unsigned char *data)
{
    bool aligned = address % CHUNK == 0 && bytes % CHUNK == 0;
    return move_bytes(warp, EXECUTE_SPACE_GLOBAL, write, address, bytes, aligned ? CHUNK : bulk->element, data);
}

bool execute_bulk_shared(struct execute_warp *warp, const struct execute_bulk *bulk, bool write, uint32_t address,
                         uint32_t bytes, unsigned char *data)
{
    uint8_t swizzle = bulk->request.map.swizzle;
    uint32_t unit = swizzle == EXECUTE_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B ? 8 : CHUNK;
    if (!swizzle)
        unit = bytes;
    for (uint32_t some; bytes; bytes -= some, address += some, data += some) {
        uint32_t place = swizzle ? execute_tensor_swizzle(swizzle, address) : address;
        some = swizzle && unit - address % unit < bytes ? unit - address % unit : bytes;
        if (place > warp->launch->shared_bytes || warp->launch->shared_bytes - place < some) {
            execute_fault(warp, EXECUTE_FAULT_SHARED, 0, place);
            return false;
        }
        if (write)
            memcpy(bulk->memory + place, data, some);
        else
            memcpy(data, bulk->memory + place, some);
    }
    return true;
}

/* Combines elements of a row with those in global memory, for a reduction. */
static bool reduce(struct execute_warp *warp, const struct execute_bulk *bulk, uint64_t address, uint32_t bytes,
                   unsigned char *data)
{
    unsigned char old[EXECUTE_TENSOR_ROW_BYTES];
    enum execute_type type = (enum execute_type)bulk->type;
    uint32_t size = execute_type_bytes(type);
    if (!move_global(warp, bulk, false, address, bytes, old))
        return false;
    for (uint32_t i = 0; i < bytes; i += size) {
        uint64_t there = 0, more = 0;
        memcpy(&there, old + i, size);
        memcpy(&more, data + i, size);
        there = execute_atomic_result((enum execute_atomic_operation)bulk->operation, type, type == EXECUTE_f32, there,
                                      more, 0);
        memcpy(data + i, &there, size);
    }
    return true;
}

/* Copies a row from shared to global memory. */
static bool put_row(struct execute_warp *warp, const struct execute_bulk *bulk,
                    const struct execute_tensor_piece *piece)
{
    unsigned char data[EXECUTE_TENSOR_ROW_BYTES];
    if (!piece->bytes)
        return true;
    return execute_bulk_shared(warp, bulk, false, piece->shared + piece->before, piece->bytes, data) &&
           (bulk->direction != EXECUTE_TENSOR_REDUCE || reduce(warp, bulk, piece->global, piece->bytes, data)) &&
           move_global(warp, bulk, true, piece->global, piece->bytes, data);
}

/* Copies a row from global to shared memory. */
static bool get_row(struct execute_warp *warp, const struct execute_bulk *bulk,
                    const struct execute_tensor_piece *piece, uint32_t row_bytes)
{
    unsigned char data[EXECUTE_TENSOR_ROW_BYTES];
    if (!execute_bulk_fill(warp, bulk, piece, row_bytes))
        return false;
    return !piece->bytes || (move_global(warp, bulk, false, piece->global, piece->bytes, data) &&
                             execute_bulk_shared(warp, bulk, true, piece->shared + piece->before, piece->bytes, data));
}

bool execute_bulk_fill(struct execute_warp *warp, const struct execute_bulk *bulk,
                       const struct execute_tensor_piece *piece, uint32_t row_bytes)
{
    unsigned char data[EXECUTE_TENSOR_ROW_BYTES];
    uint32_t end = piece->before + piece->bytes;
    if (piece->bytes == row_bytes)
        return true;
    if (!bulk->fill)
        memset(data, 0, row_bytes);
    for (uint32_t i = 0; bulk->fill && i < row_bytes; i += bulk->element)
        memcpy(data + i, &bulk->fill, bulk->element);
    return (!piece->before || execute_bulk_shared(warp, bulk, true, piece->shared, piece->before, data)) &&
           (end == row_bytes || execute_bulk_shared(warp, bulk, true, piece->shared + end, row_bytes - end, data));
}

struct execute_tensor_piece execute_bulk_row(const struct execute_bulk *bulk, uint32_t row, uint32_t *row_bytes)
{
    *row_bytes = bulk->row_bytes;
    if (bulk->request.map.rank)
        return execute_tensor_piece_of(&bulk->request, row);
    uint32_t from = row * EXECUTE_TENSOR_ROW_BYTES, left = bulk->bytes - from;
    *row_bytes = left < EXECUTE_TENSOR_ROW_BYTES ? left : EXECUTE_TENSOR_ROW_BYTES;
    return (struct execute_tensor_piece){
        .shared = bulk->request.shared + from, .bytes = *row_bytes, .global = bulk->request.map.address + from};
}

/* ===== operands ===== */

/* The NaN that fills: 0x7ff7 in each 16 bits, which an H100 leaves there (Sownelayt/ventus-env). */
static uint64_t fill_of(const struct execute_tensor_map *map)
{
    return map->fill_nan ? UINT64_C(0x7ff77ff77ff77ff7) >> (64 - 8 * map->strides[0]) : 0;
}

static enum execute_type reduced_type(uint8_t type)
{
    static const uint8_t types[EXECUTE_TENSOR_TYPE_COUNT] = {EXECUTE_u8,  EXECUTE_u16, EXECUTE_u32, EXECUTE_s32,
                                                             EXECUTE_u64, EXECUTE_s64, EXECUTE_f16, EXECUTE_f32,
                                                             EXECUTE_f32, EXECUTE_f64, EXECUTE_bf16};
    return (enum execute_type)types[type];
}

/* Reads the map at an address of any space. */
static bool read_map(struct execute_warp *warp, const struct execute_tensor_form *form, uint32_t lane, uint64_t address,
                     struct execute_bulk *bulk)
{
    struct execute_tensor_map *map = &bulk->request.map;
    /* Parameters of machine code begin at any multiple of 16. */
    if (address % (form->flags & EXECUTE_TENSOR_MACHINE ? CHUNK : MAP_ALIGN)) {
        execute_fault(warp, EXECUTE_FAULT_MISALIGNED, lane, address);
        return false;
    }
    if (!move_bytes(warp, EXECUTE_SPACE_GENERIC, false, address, sizeof bulk->words, CHUNK,
                    (unsigned char *)bulk->words))
        return false;
    bool im2col = form->flags & EXECUTE_TENSOR_IM2COL;
    if (execute_tensor_map_decode(bulk->words, map) && map->rank == form->rank && map->im2col == im2col)
        return true;
    execute_fault(warp, EXECUTE_FAULT_TENSOR_MAP, lane, address);
    return false;
}

/* Whether the box can be copied. */
static bool check(struct execute_warp *warp, const struct execute_tensor_request *request, uint32_t lane)
{
    const struct execute_tensor_map *map = &request->map;
    uint32_t row_bytes = execute_tensor_row_bytes(map), slice = execute_tensor_slice(map);
    enum execute_fault fault = EXECUTE_FAULT_NONE;
    if (slice && (request->coordinates[0] % (int32_t)slice || (map->im2col ? map->channels : map->box[0]) % slice))
        fault = EXECUTE_FAULT_INTERLEAVE;
    else if (row_bytes % CHUNK || row_bytes > EXECUTE_TENSOR_ROW_BYTES)
        fault = EXECUTE_FAULT_TENSOR_MAP;
    else if (request->shared % BOX_ALIGN)
        fault = EXECUTE_FAULT_MISALIGNED;
    if (fault)
        execute_fault(warp, fault, lane, request->shared);
    return !fault;
}

/* Computes the members that follow from the tensor map. */
static void finish_box(struct execute_bulk *bulk)
{
    const struct execute_tensor_map *map = &bulk->request.map;
    bulk->rows = execute_tensor_rows(map);
    bulk->row_bytes = execute_tensor_row_bytes(map);
    bulk->bytes = bulk->rows * bulk->row_bytes;
    bulk->fill = fill_of(map);
    bulk->element = (uint32_t)map->strides[0];
    bulk->type = (uint8_t)reduced_type(map->type);
}

bool execute_bulk_of_map(struct execute_bulk *bulk, const uint32_t words[EXECUTE_TENSOR_MAP_WORDS])
{
    if (!execute_tensor_map_decode(words, &bulk->request.map))
        return false;
    finish_box(bulk);
    return true;
}

void execute_bulk_of_bytes(struct execute_bulk *bulk, uint64_t address)
{
    bulk->element = CHUNK;
    bulk->request.map.address = address;
    bulk->row_bytes = EXECUTE_TENSOR_ROW_BYTES;
    bulk->rows = (bulk->bytes + EXECUTE_TENSOR_ROW_BYTES - 1) / EXECUTE_TENSOR_ROW_BYTES;
}

static bool prepare_box(struct execute_warp *warp, const struct execute_tensor_form *form, uint32_t lane,
                        struct execute_bulk *bulk)
{
    if (!read_map(warp, form, lane, bulk->map, bulk) || !check(warp, &bulk->request, lane))
        return false;
    finish_box(bulk);
    return true;
}

/* Prepares a copy of contiguous bytes, without a tensor map. */
static bool prepare_bytes(struct execute_warp *warp, const struct execute_tensor_form *form, uint32_t lane,
                          struct execute_bulk *bulk)
{
    uint64_t address = bulk->map;
    bulk->map = 0;
    bulk->type = form->type;
    execute_bulk_of_bytes(bulk, address);
    uint64_t wrong = bulk->bytes % CHUNK ? bulk->bytes : address % CHUNK ? address : bulk->request.shared;
    if (!(wrong % CHUNK))
        return true;
    execute_fault(warp, EXECUTE_FAULT_MISALIGNED, lane, wrong);
    return false;
}

bool execute_bulk_is_own(const struct execute_warp *warp, const struct execute_bulk *bulk)
{
    return bulk->targets >> warp->cta->rank & 1;
}

/* The rank of an address in shared memory of the cluster, which becomes that inside the block's. */
static uint32_t take_rank(const struct execute_warp *warp, uint64_t *address)
{
    uint64_t beyond = *address - EXECUTE_CLUSTER_BASE;
    if (*address < EXECUTE_CLUSTER_BASE || beyond >> EXECUTE_WINDOW_SHIFT >= EXECUTE_CLUSTER_CTAS)
        return warp->cta->rank;
    *address = beyond & (EXECUTE_WINDOW_BYTES - 1);
    return (uint32_t)(beyond >> EXECUTE_WINDOW_SHIFT);
}

uint32_t execute_bulk_signalled(const struct execute_bulk *bulk, uint32_t rank)
{
    return bulk->signals ? (rank & ~1u) + (bulk->signals - 1u) : rank;
}

uint32_t execute_bulk_signals(const struct execute_bulk *bulk)
{
    uint32_t blocks = 0;
    for (uint32_t ranks = bulk->targets; ranks; ranks &= ranks - 1)
        blocks |= 1u << execute_bulk_signalled(bulk, (uint32_t)__builtin_ctz(ranks));
    return blocks;
}

uint32_t execute_bulk_counted(const struct execute_bulk *bulk, uint32_t rank)
{
    uint32_t bytes = 0;
    for (uint32_t ranks = bulk->targets; ranks; ranks &= ranks - 1)
        bytes += execute_bulk_signalled(bulk, (uint32_t)__builtin_ctz(ranks)) == rank ? bulk->bytes : 0;
    return bytes;
}

/* The mbarrier of a load with .cta_group::2: in this block, or in the other one of its pair; of a multicast it says
 * whether the even or the odd blocks of all pairs learn of the bytes (PTX ISA 9.0, cp.async.bulk.tensor). An address
 * without a rank is the even block's: kernels clear the lowest bit of the rank, which addresses of shared::cta have on
 * silicon. */
static bool find_signal(struct execute_warp *warp, struct execute_bulk *bulk, uint32_t lane, bool multicast)
{
    uint64_t given = bulk->barrier;
    uint32_t own = warp->cta->rank, rank = given < EXECUTE_CLUSTER_BASE ? own & ~1u : take_rank(warp, &bulk->barrier);
    bulk->signals = (uint8_t)(rank % 2 + 1);
    if ((rank ^ own) <= 1 && (bulk->targets == 1u << own || multicast) &&
        !(execute_bulk_signals(bulk) >> warp->cta->cluster->size))
        return true;
    execute_fault(warp, EXECUTE_FAULT_CLUSTER, lane, given);
    return false;
}

/* Determines the destination of a load or of a copy across: the blocks of a multicast mask, or the block of the
 * address. The mbarrier is in the same blocks. */
static bool find_targets(struct execute_warp *warp, struct execute_bulk *bulk, uint32_t lane, const uint32_t *mask,
                         bool pair)
{
    bool across = bulk->direction >= EXECUTE_TENSOR_ACROSS;
    uint64_t shared = bulk->request.shared, *address = across ? &bulk->map : &shared, given = *address;
    uint32_t rank = take_rank(warp, address);
    if (!pair)
        take_rank(warp, &bulk->barrier);
    bulk->request.shared = (uint32_t)shared;
    bulk->targets = (uint16_t)(mask ? *mask : 1u << rank);
    if (bulk->targets >> warp->cta->cluster->size) {
        execute_fault(warp, mask ? EXECUTE_FAULT_MULTICAST : EXECUTE_FAULT_CLUSTER, lane, mask ? *mask : given);
        return false;
    }
    return !pair || find_signal(warp, bulk, lane, mask);
}

/* An address of a lane: the register at `ref` (none: 0) plus an offset. */
static uint64_t address_of(const struct execute_warp *warp, uint32_t ref, bool wide, int64_t offset, uint32_t lane)
{
    uint64_t base = 0;
    if (ref != EXECUTE_NO_REF)
        base = wide ? execute_long_at(warp, ref, lane) : ((const uint32_t *)execute_at(warp, ref))[lane];
    return base + (uint64_t)offset;
}

/* Unpacks im2col offsets. Machine code has them in the lower half of a register, whose upper half is the multicast
 * mask: one offset of 16 bits, two of 8, or three of 5 (ptxas 13.0, sm_90a). */
static void unpack_offsets(uint32_t word, const struct execute_tensor_form *form, uint16_t offsets[3])
{
    static const uint8_t bits[] = {[3] = 16, [4] = 8, [5] = 5};
    for (uint32_t i = 0; form->flags & EXECUTE_TENSOR_IM2COL && i + 2 < form->rank; i++)
        offsets[i] = (uint16_t)(word >> i * bits[form->rank] & ((1u << bits[form->rank]) - 1));
}

/* Multicast objects take no such copies (PTX has instructions of their own for them, multimem.cp.async.bulk). Of a
 * tensor the beginning is looked at. */
static bool check_object(struct execute_warp *warp, uint32_t lane, const struct execute_bulk *bulk)
{
    const struct execute_port *port = warp->cta->port;
    uint64_t address = bulk->request.map.address, last = address + (bulk->map || !bulk->bytes ? 0 : bulk->bytes - 1);
    if (bulk->direction >= EXECUTE_TENSOR_ACROSS || !port->multicast ||
        (!port->multicast(port->context, address) && !port->multicast(port->context, last)))
        return true;
    execute_fault(warp, EXECUTE_FAULT_MULTIMEM, lane, address);
    return false;
}

bool execute_bulk_prepare(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                          struct execute_bulk *bulk)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    const uint64_t *wide = (const uint64_t *)warp->launch->code->wide.items + op->target;
    const struct execute_tensor_form *form = &op->tensor;
    uint32_t count = op->list_sources - (form->flags & EXECUTE_TENSOR_BARRIER ? 1u : 0);
    memset(bulk, 0, sizeof *bulk);
    bulk->request.shared =
        (uint32_t)address_of(warp, op->a, form->flags & EXECUTE_TENSOR_WIDE_SHARED, op->immediate, lane);
    bulk->map = address_of(warp, op->b, form->flags & EXECUTE_TENSOR_WIDE_GLOBAL, (int64_t)wide[0], lane);
    bulk->barrier = address_of(warp, form->flags & EXECUTE_TENSOR_BARRIER ? list[count] : EXECUTE_NO_REF,
                               form->flags & EXECUTE_TENSOR_WIDE_BARRIER, (int64_t)wide[1], lane);
    bulk->direction = form->direction;
    bool machine = form->flags & EXECUTE_TENSOR_MACHINE;
    bulk->operation = form->operation;
    bulk->bytes = op->c != EXECUTE_NO_REF ? ((const uint32_t *)execute_at(warp, op->c))[lane] : 0;
    if (machine) {
        bulk->bytes = (bulk->bytes & UINT16_MAX) * CHUNK;
        bulk->request.shared &= EXECUTE_WINDOW_BYTES - 1;
        bulk->barrier = (bulk->barrier & (EXECUTE_WINDOW_BYTES - 1)) | (uint64_t)warp->cta->rank
                                                                           << EXECUTE_WINDOW_SHIFT;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < form->rank; i++)
        bulk->request.coordinates[i] = (int32_t)((const uint32_t *)execute_at(warp, list[next++]))[lane];
    for (uint32_t i = 0; i < form->offsets; i++)
        bulk->request.offsets[i] = (uint16_t)((const uint32_t *)execute_at(warp, list[next++]))[lane];
    if (machine && next < count)
        unpack_offsets(((const uint32_t *)execute_at(warp, list[next]))[lane], form, bulk->request.offsets);
    uint32_t mask = form->flags & EXECUTE_TENSOR_MULTICAST ? ((const uint32_t *)execute_at(warp, list[next]))[lane] : 0;
    mask = (uint16_t)(machine ? mask >> 16 : mask);
    bulk->memory = warp->cta->shared;
    if ((form->direction == EXECUTE_TENSOR_LOAD || form->direction >= EXECUTE_TENSOR_ACROSS) &&
        !find_targets(warp, bulk, lane, form->flags & EXECUTE_TENSOR_MULTICAST ? &mask : NULL,
                      form->flags & EXECUTE_TENSOR_PAIR))
        return false;
    bool good = form->rank ? prepare_box(warp, form, lane, bulk) : prepare_bytes(warp, form, lane, bulk);
    return good && check_object(warp, lane, bulk);
}

/* ===== bytes across ===== */

void execute_bulk_combine(uint8_t operation, uint8_t type, unsigned char *there, const unsigned char *data,
                          uint32_t bytes)
{
    uint32_t size = execute_type_bytes((enum execute_type)type);
    for (uint32_t i = 0; i < bytes; i += size) {
        uint64_t old = 0, more = 0;
        memcpy(&old, there + i, size);
        memcpy(&more, data + i, size);
        old = execute_atomic_result((enum execute_atomic_operation)operation, (enum execute_type)type, false, old, more,
                                    0);
        memcpy(there + i, &old, size);
    }
}

bool execute_bulk_is_inside(struct execute_warp *warp, uint64_t address, uint32_t bytes)
{
    if (address <= warp->launch->shared_bytes && bytes <= warp->launch->shared_bytes - address)
        return true;
    execute_fault(warp, EXECUTE_FAULT_SHARED, 0, address);
    return false;
}

bool execute_bulk_across(struct execute_warp *warp, const struct execute_bulk *bulk)
{
    const unsigned char *from = warp->cta->shared + bulk->request.shared;
    unsigned char *to = bulk->memory + bulk->request.map.address;
    if (!execute_bulk_is_inside(warp, bulk->request.shared, bulk->bytes) ||
        !execute_bulk_is_inside(warp, bulk->request.map.address, bulk->bytes))
        return false;
    if (bulk->direction == EXECUTE_TENSOR_ACROSS)
        memmove(to, from, bulk->bytes);
    else
        execute_bulk_combine(bulk->operation, bulk->type, to, from, bulk->bytes);
    return true;
}

/* ===== copies, performed at once ===== */

static bool copy_rows(struct execute_warp *warp, const struct execute_bulk *bulk)
{
    bool load = bulk->direction == EXECUTE_TENSOR_LOAD;
    for (uint32_t row = 0; row < bulk->rows; row++) {
        uint32_t row_bytes;
        struct execute_tensor_piece piece = execute_bulk_row(bulk, row, &row_bytes);
        if (!(load ? get_row(warp, bulk, &piece, row_bytes) : put_row(warp, bulk, &piece)))
            return false;
    }
    return true;
}

/* Copies to the shared memory of a block of the cluster, and signals its mbarrier. */
static bool copy_to(struct execute_warp *warp, struct execute_bulk *bulk, uint32_t lane, uint32_t rank)
{
    uint32_t signals = execute_bulk_signalled(bulk, rank);
    uint64_t barriers[32], base = EXECUTE_CLUSTER_BASE + (uint64_t)rank * EXECUTE_WINDOW_BYTES;
    uint64_t there = EXECUTE_CLUSTER_BASE + (uint64_t)signals * EXECUTE_WINDOW_BYTES;
    if (rank != warp->cta->rank && !(bulk->memory = execute_cluster_place(warp, lane, base, 1)))
        return false;
    for (uint32_t i = 0; i < 32; i++)
        barriers[i] = signals == warp->cta->rank ? bulk->barrier : there + bulk->barrier % EXECUTE_WINDOW_BYTES;
    if (bulk->direction == EXECUTE_TENSOR_LOAD) {
        if (!copy_rows(warp, bulk))
            return false;
    } else if (!execute_bulk_across(warp, bulk)) {
        return false;
    }
    return execute_mbarrier_complete(warp, lane, barriers, bulk->bytes);
}

static bool copy_lane(struct execute_warp *warp, const struct execute_op *op, uint32_t lane)
{
    struct execute_bulk bulk;
    if (!execute_bulk_prepare(warp, op, lane, &bulk))
        return warp->status != EXECUTE_FAULTED;
    if (bulk.direction == EXECUTE_TENSOR_PREFETCH)
        return true;
    if (bulk.direction == EXECUTE_TENSOR_STORE || bulk.direction == EXECUTE_TENSOR_REDUCE)
        return copy_rows(warp, &bulk);
    bool good = true;
    for (uint32_t ranks = bulk.targets; ranks && good; ranks &= ranks - 1) {
        bulk.memory = warp->cta->shared;
        good = copy_to(warp, &bulk, lane, (uint32_t)__builtin_ctz(ranks));
    }
    return good;
}

/* Whether the operands of two lanes of a copy without an mbarrier are the same. */
static bool is_same(const struct execute_warp *warp, const struct execute_op *op, uint32_t one, uint32_t other)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    bool shared = op->tensor.flags & EXECUTE_TENSOR_WIDE_SHARED, global = op->tensor.flags & EXECUTE_TENSOR_WIDE_GLOBAL;
    bool same = address_of(warp, op->a, shared, 0, one) == address_of(warp, op->a, shared, 0, other) &&
                address_of(warp, op->b, global, 0, one) == address_of(warp, op->b, global, 0, other) &&
                address_of(warp, op->c, false, 0, one) == address_of(warp, op->c, false, 0, other);
    for (uint32_t i = 0; i < op->list_sources && same; i++)
        same = address_of(warp, list[i], false, 0, one) == address_of(warp, list[i], false, 0, other);
    return same;
}

/* The lanes whose copies are performed. In machine code it is one. In PTX, stores and prefetches, which are not counted
 * by an mbarrier, are performed once for all lanes with the same operands: ptxas 13.0 (sm_90a) moves each distinct set
 * of operands to uniform registers and issues one copy for it; with an mbarrier, or for a reduction, it issues a copy
 * for every lane. CUTLASS issues stores from whole warps. */
static uint32_t performing(const struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint8_t direction = op->tensor.direction;
    uint32_t kept = 0;
    if (op->tensor.flags & EXECUTE_TENSOR_MACHINE)
        return lanes & (0 - lanes);
    if (direction != EXECUTE_TENSOR_STORE && direction != EXECUTE_TENSOR_PREFETCH)
        return lanes;
    for (; lanes; lanes &= lanes - 1) {
        bool again = false;
        for (uint32_t rest = kept; rest && !again; rest &= rest - 1)
            again = is_same(warp, op, (uint32_t)__builtin_ctz(rest), (uint32_t)__builtin_ctz(lanes));
        kept |= again ? 0 : lanes & (0 - lanes);
    }
    return kept;
}

void execute_step_tensor_copy(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_port *port = warp->cta->port;
    struct execute_record *record = warp->record;
    bool good = true;
    warp->record = NULL;
    warp->changed = true;
    lanes = performing(warp, op, lanes);
    if (port->copy)
        port->copy(port->context, warp, op, lanes);
    for (uint32_t rest = port->copy ? 0 : lanes; rest && good; rest &= rest - 1)
        good = copy_lane(warp, op, (uint32_t)__builtin_ctz(rest));
    warp->record = record;
    if (!record || !good || port->copy)
        return;
    const uint64_t *wide = (const uint64_t *)warp->launch->code->wide.items + op->target;
    record->space = EXECUTE_SPACE_GLOBAL; /* the map, or a copy's first bytes, stand for it in traces */
    record->bytes = CHUNK;
    for (uint32_t lane = 0; lane < 32; lane++)
        record->addresses[lane] =
            address_of(warp, op->b, op->tensor.flags & EXECUTE_TENSOR_WIDE_GLOBAL, (int64_t)wide[0], lane);
}

/* ===== maps that kernels change ===== */

/* tensormap.replace, and tensormap.cp_fenceproxy, which a warp does once. */
void execute_step_tensor_map(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t to[32], from[32];
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
    const uint64_t *wide = (const uint64_t *)warp->launch->code->wide.items + op->target;
    bool replaces = op->variant != EXECUTE_TENSOR_FIELD_COUNT;
    enum execute_space space = (enum execute_space)op->access.space;
    execute_addresses(warp, op->a, op->access.wide_address, op->immediate, to);
    if (!replaces)
        execute_addresses(warp, op->b, op->access.bypass, (int64_t)wide[0], from);
    for (uint32_t rest = replaces ? lanes : lanes & (0 - lanes); rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (!move_bytes(warp, replaces ? space : EXECUTE_SPACE_SHARED, false, replaces ? to[lane] : from[lane],
                        sizeof words, CHUNK, (unsigned char *)words))
            return;
        uint64_t value = !replaces              ? 0
                         : op->access.slot == 8 ? ((const uint64_t *)execute_at(warp, op->b))[lane]
                                                : ((const uint32_t *)execute_at(warp, op->b))[lane];
        if (replaces &&
            !execute_tensor_map_replace(words, (enum execute_tensor_field)op->variant, op->combine, value)) {
            execute_fault(warp, EXECUTE_FAULT_TENSOR_FIELD, lane, value);
            return;
        }
        if (!move_bytes(warp, space, true, to[lane], sizeof words, CHUNK, (unsigned char *)words))
            return;
    }
    warp->changed = true;
}
