/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tensor memory accelerator by value (PTX ISA 9.0, cp.async.bulk.tensor and cp.reduce.async.bulk): each lane's copy
 * is performed row by row when it is issued, which is one of the orders that the asynchronous proxy allows, and then
 * completes at its mbarrier. Without a tensor map (rank 0), a copy's bytes are one row.
 */
#include "execute/tensor_copy.h"

#include "execute/atomic.h"
#include "execute/frame.h"

#include <string.h>

enum { CHUNK = 16, MAP_ALIGN = 64, BOX_ALIGN = 128 };

struct copy { /* of one lane */
    struct execute_warp *warp;
    const struct execute_tensor_form *form;
    uint32_t lane;
    uint8_t swizzle;
    uint32_t element;       /* bytes that are aligned together in global memory */
    enum execute_type type; /* of a reduction */
};

/* ===== rows ===== */

/* Moves `bytes` bytes between `data` and `address`, `unit` aligned bytes for each of 32 lanes at a time. */
static bool move_bytes(struct copy *copy, enum execute_space space, bool write, uint64_t address, uint32_t bytes,
                       uint32_t unit, unsigned char *data)
{
    for (uint32_t done = 0; done < bytes; done += 32 * unit) {
        uint64_t addresses[32];
        uint32_t count = (bytes - done) / unit < 32 ? (bytes - done) / unit : 32;
        uint32_t mask = count == 32 ? EXECUTE_ALL_LANES : (1u << count) - 1;
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = address + done + (i < count ? i * unit : 0);
        if (!execute_access(copy->warp, space, write, mask, addresses, unit, data + done, unit))
            return false;
    }
    return true;
}

static bool move_global(struct copy *copy, bool write, uint64_t address, uint32_t bytes, unsigned char *data)
{
    bool aligned = address % CHUNK == 0 && bytes % CHUNK == 0;
    return move_bytes(copy, EXECUTE_SPACE_GLOBAL, write, address, bytes, aligned ? CHUNK : copy->element, data);
}

/* A row in shared memory, whose chunks lie where the swizzle has them. */
static bool move_shared(struct copy *copy, bool write, uint32_t address, uint32_t bytes, unsigned char *data)
{
    if (!copy->swizzle)
        return move_bytes(copy, EXECUTE_SPACE_SHARED, write, address, bytes, CHUNK, data);
    uint32_t unit = copy->swizzle == EXECUTE_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B ? 8 : CHUNK;
    for (uint32_t done = 0; done < bytes; done += 32 * unit) {
        uint64_t addresses[32];
        uint32_t count = (bytes - done) / unit < 32 ? (bytes - done) / unit : 32;
        uint32_t mask = count == 32 ? EXECUTE_ALL_LANES : (1u << count) - 1;
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = execute_tensor_swizzle(copy->swizzle, address + done + (i < count ? i * unit : 0));
        if (!execute_access(copy->warp, EXECUTE_SPACE_SHARED, write, mask, addresses, unit, data + done, unit))
            return false;
    }
    return true;
}

/* What of a row becomes of global memory: elements combined with those that are there. */
static bool reduce(struct copy *copy, uint64_t address, uint32_t bytes, unsigned char *data)
{
    unsigned char old[EXECUTE_TENSOR_ROW_BYTES];
    uint32_t size = execute_type_bytes(copy->type);
    if (!move_global(copy, false, address, bytes, old))
        return false;
    for (uint32_t i = 0; i < bytes; i += size) {
        uint64_t there = 0, more = 0;
        memcpy(&there, old + i, size);
        memcpy(&more, data + i, size);
        there = execute_atomic_result((enum execute_atomic_operation)copy->form->operation, copy->type,
                                      copy->type == EXECUTE_f32, there, more, 0);
        memcpy(data + i, &there, size);
    }
    return true;
}

/* From shared to global memory. */
static bool put_row(struct copy *copy, const struct execute_tensor_piece *piece, uint32_t row_bytes)
{
    unsigned char data[EXECUTE_TENSOR_ROW_BYTES];
    if (!piece->bytes)
        return true;
    return move_shared(copy, false, piece->shared, row_bytes, data) &&
           (copy->form->direction != EXECUTE_TENSOR_REDUCE ||
            reduce(copy, piece->global, piece->bytes, data + piece->before)) &&
           move_global(copy, true, piece->global, piece->bytes, data + piece->before);
}

/* From global to shared memory; `fill`: the elements outside, an element long. */
static bool get_row(struct copy *copy, const struct execute_tensor_piece *piece, uint32_t row_bytes, uint64_t fill)
{
    unsigned char data[EXECUTE_TENSOR_ROW_BYTES];
    if (piece->bytes < row_bytes && !fill)
        memset(data, 0, row_bytes);
    for (uint32_t i = 0; piece->bytes < row_bytes && fill && i < row_bytes; i += copy->element)
        memcpy(data + i, &fill, copy->element);
    if (piece->bytes && !move_global(copy, false, piece->global, piece->bytes, data + piece->before))
        return false;
    return move_shared(copy, true, piece->shared, row_bytes, data);
}

/* ===== copies ===== */

/* The NaN that fills: all bits of the number but its sign, as CUDA's own constants are (CUDART_NAN_FP16). */
static uint64_t fill_of(const struct execute_tensor_map *map)
{
    return map->fill_nan ? UINT64_MAX >> (65 - 8 * map->strides[0]) : 0;
}

static enum execute_type reduced_type(uint8_t type)
{
    static const uint8_t types[EXECUTE_TENSOR_TYPE_COUNT] = {EXECUTE_u8,  EXECUTE_u16, EXECUTE_u32, EXECUTE_s32,
                                                             EXECUTE_u64, EXECUTE_s64, EXECUTE_f16, EXECUTE_f32,
                                                             EXECUTE_f32, EXECUTE_f64, EXECUTE_bf16};
    return (enum execute_type)types[type];
}

/* Reads the map at an address of any space. */
static bool read_map(struct copy *copy, uint64_t address, struct execute_tensor_map *map)
{
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
    const struct execute_tensor_form *form = copy->form;
    if (address % MAP_ALIGN) {
        execute_fault(copy->warp, EXECUTE_FAULT_MISALIGNED, copy->lane, address);
        return false;
    }
    if (!move_bytes(copy, EXECUTE_SPACE_GENERIC, false, address, sizeof words, CHUNK, (unsigned char *)words))
        return false;
    bool im2col = form->flags & EXECUTE_TENSOR_IM2COL;
    if (execute_tensor_map_decode(words, map) && map->rank == form->rank && map->im2col == im2col)
        return true;
    execute_fault(copy->warp, EXECUTE_FAULT_TENSOR_MAP, copy->lane, address);
    return false;
}

/* Whether the box can be copied. */
static bool check(struct copy *copy, const struct execute_tensor_request *request)
{
    uint32_t row_bytes = execute_tensor_row_bytes(&request->map);
    enum execute_fault fault = EXECUTE_FAULT_NONE;
    if (request->map.interleave)
        fault = EXECUTE_FAULT_INTERLEAVE;
    else if (row_bytes % CHUNK || row_bytes > EXECUTE_TENSOR_ROW_BYTES)
        fault = EXECUTE_FAULT_TENSOR_MAP;
    else if (request->shared % BOX_ALIGN)
        fault = EXECUTE_FAULT_MISALIGNED;
    if (fault)
        execute_fault(copy->warp, fault, copy->lane, request->shared);
    return !fault;
}

static bool copy_box(struct copy *copy, uint64_t address, struct execute_tensor_request *request, uint32_t *bytes)
{
    if (!read_map(copy, address, &request->map) || !check(copy, request))
        return false;
    uint32_t rows = execute_tensor_rows(&request->map), row_bytes = execute_tensor_row_bytes(&request->map);
    uint64_t fill = fill_of(&request->map);
    copy->swizzle = request->map.swizzle;
    copy->element = (uint32_t)request->map.strides[0];
    copy->type = reduced_type(request->map.type);
    *bytes = rows * row_bytes;
    for (uint32_t row = 0; row < rows; row++) {
        struct execute_tensor_piece piece = execute_tensor_piece_of(request, row);
        if (copy->form->direction == EXECUTE_TENSOR_LOAD ? !get_row(copy, &piece, row_bytes, fill)
                                                         : !put_row(copy, &piece, row_bytes))
            return false;
    }
    return true;
}

/* Without a map: bytes as they lie. */
static bool copy_bytes(struct copy *copy, uint64_t address, uint32_t shared, uint32_t bytes)
{
    copy->element = CHUNK;
    copy->type = (enum execute_type)copy->form->type;
    if (bytes % CHUNK) {
        execute_fault(copy->warp, EXECUTE_FAULT_MISALIGNED, copy->lane, bytes);
        return false;
    }
    for (uint32_t done = 0; done < bytes; done += EXECUTE_TENSOR_ROW_BYTES) {
        uint32_t some = bytes - done < EXECUTE_TENSOR_ROW_BYTES ? bytes - done : EXECUTE_TENSOR_ROW_BYTES;
        struct execute_tensor_piece piece = {.shared = shared + done, .bytes = some, .global = address + done};
        if (copy->form->direction == EXECUTE_TENSOR_LOAD ? !get_row(copy, &piece, some, 0)
                                                         : !put_row(copy, &piece, some))
            return false;
    }
    return true;
}

/* The operands of all lanes. */
struct operands {
    uint64_t shared[32], global[32], barriers[32];
    const uint32_t *list[EXECUTE_TENSOR_RANK + 3 + 2]; /* coordinates, offsets, mask: by lane */
};

static void read_operands(const struct execute_warp *warp, const struct execute_op *op, struct operands *operands)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    const uint64_t *wide = (const uint64_t *)warp->launch->code->wide.items + op->target;
    const struct execute_tensor_form *form = &op->tensor;
    uint32_t count = op->list_sources - (form->flags & EXECUTE_TENSOR_BARRIER ? 1u : 0);
    execute_addresses(warp, op->a, (form->flags & EXECUTE_TENSOR_WIDE_SHARED) != 0, op->immediate, operands->shared);
    execute_addresses(warp, op->b, (form->flags & EXECUTE_TENSOR_WIDE_GLOBAL) != 0, (int64_t)wide[0], operands->global);
    execute_addresses(warp, form->flags & EXECUTE_TENSOR_BARRIER ? list[count] : EXECUTE_NO_REF,
                      (form->flags & EXECUTE_TENSOR_WIDE_BARRIER) != 0, (int64_t)wide[1], operands->barriers);
    for (uint32_t i = 0; i < count; i++)
        operands->list[i] = execute_at(warp, list[i]);
}

/* Whether a multicast comes to this block. A fault: it comes to others of the cluster, which is not supported yet. */
static bool is_for_this_block(struct copy *copy, uint32_t mask)
{
    uint16_t own = (uint16_t)(1u << copy->warp->cta->rank);
    if ((uint16_t)mask & ~own)
        execute_fault(copy->warp, EXECUTE_FAULT_MULTICAST, copy->lane, (uint16_t)mask);
    return (uint16_t)mask == own;
}

static bool copy_lane(struct copy *copy, const struct execute_op *op, const struct operands *operands)
{
    const struct execute_tensor_form *form = copy->form;
    struct execute_tensor_request request = {.shared = (uint32_t)operands->shared[copy->lane]};
    uint32_t lane = copy->lane,
             bytes = op->c != EXECUTE_NO_REF ? ((const uint32_t *)execute_at(copy->warp, op->c))[lane] : 0;
    uint32_t coordinates = form->rank, offsets = form->offsets;
    for (uint32_t i = 0; i < coordinates; i++)
        request.coordinates[i] = (int32_t)operands->list[i][lane];
    for (uint32_t i = 0; i < offsets; i++)
        request.offsets[i] = (uint16_t)operands->list[coordinates + i][lane];
    if (form->flags & EXECUTE_TENSOR_MULTICAST && !is_for_this_block(copy, operands->list[coordinates + offsets][lane]))
        return copy->warp->status != EXECUTE_FAULTED;
    bool good = form->rank ? copy_box(copy, operands->global[lane], &request, &bytes)
                           : copy_bytes(copy, operands->global[lane], request.shared, bytes);
    return good && (form->direction != EXECUTE_TENSOR_LOAD ||
                    execute_mbarrier_complete(copy->warp, lane, operands->barriers, bytes));
}

void execute_step_tensor_copy(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct operands operands;
    struct execute_record *record = warp->record;
    bool good = true;
    read_operands(warp, op, &operands);
    if (op->tensor.direction == EXECUTE_TENSOR_REDUCE && warp->cta->port->defer) {
        execute_fault(warp, EXECUTE_FAULT_BULK_REDUCTION, (uint32_t)__builtin_ctz(lanes), 0);
        return;
    }
    warp->record = NULL;
    for (uint32_t rest = lanes; rest && good; rest &= rest - 1) {
        struct copy copy = {.warp = warp, .form = &op->tensor, .lane = (uint32_t)__builtin_ctz(rest)};
        good = copy_lane(&copy, op, &operands);
    }
    warp->record = record;
    warp->changed = true;
    if (!record || !good)
        return;
    record->space = EXECUTE_SPACE_GLOBAL; /* the map, or a copy's first bytes, stand for it in the models of time */
    record->bytes = CHUNK;
    memcpy(record->addresses, operands.global, sizeof record->addresses);
}

/* ===== maps that kernels change ===== */

/* tensormap.replace, and tensormap.cp_fenceproxy, which a warp does once. */
void execute_step_tensor_map(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    struct copy copy = {.warp = warp};
    uint64_t to[32], from[32];
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
    const uint64_t *wide = (const uint64_t *)warp->launch->code->wide.items + op->target;
    bool replaces = op->variant != EXECUTE_TENSOR_FIELD_COUNT;
    enum execute_space space = (enum execute_space)op->access.space;
    execute_addresses(warp, op->a, op->access.wide_address, op->immediate, to);
    if (!replaces)
        execute_addresses(warp, op->b, op->access.bypass, (int64_t)wide[0], from);
    for (uint32_t rest = replaces ? lanes : lanes & (0 - lanes); rest; rest &= rest - 1) {
        uint32_t lane = copy.lane = (uint32_t)__builtin_ctz(rest);
        if (!move_bytes(&copy, replaces ? space : EXECUTE_SPACE_SHARED, false, replaces ? to[lane] : from[lane],
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
        if (!move_bytes(&copy, space, true, to[lane], sizeof words, CHUNK, (unsigned char *)words))
            return;
    }
    warp->changed = true;
}
