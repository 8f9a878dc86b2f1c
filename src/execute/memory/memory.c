/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads and stores of all state spaces. Local memory is interleaved, 4 bytes of each lane after another, as in the
 * hardware's memory; global and constant memory are behind the port.
 */
#include "execute/memory/multicast.h"
#include "execute/warp/frame.h"

#include <string.h>

typedef uint32_t __attribute__((may_alias)) word;
typedef uint64_t __attribute__((may_alias)) large_word;

/* `form`: enum execute_address */
static void addresses_by(const struct execute_warp *warp, uint32_t ref, unsigned form, int64_t offset,
                         uint64_t addresses[32])
{
    if (ref == EXECUTE_NO_REF) {
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = (uint64_t)offset;
    } else if (form == EXECUTE_ADDRESS_PAIR) {
        const word *base = execute_at(warp, ref);
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = ((uint64_t)base[i + 32] << 32 | base[i]) + (uint64_t)offset;
    } else if (form == EXECUTE_ADDRESS_ONE) {
        const word *base = execute_at(warp, ref);
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = base[i] + (uint64_t)offset;
    } else if (form == EXECUTE_ADDRESS_WIDE) {
        const large_word *base = execute_at(warp, ref);
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = base[i] + (uint64_t)offset;
    } else {
        const word *base = execute_at(warp, ref);
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = (uint32_t)(base[i] + (uint32_t)offset);
    }
}

void execute_addresses(const struct execute_warp *warp, uint32_t ref, bool wide, int64_t offset, uint64_t addresses[32])
{
    addresses_by(warp, ref, wide ? EXECUTE_ADDRESS_WIDE : EXECUTE_ADDRESS_NARROW, offset, addresses);
}

/* Computes machine-code addresses with a second register, or with a shifted register. */
static void addresses_of_sum(const struct execute_warp *warp, const struct execute_op *op, int64_t offset,
                             uint64_t addresses[32])
{
    static const word nothing[64];
    const word *base = op->a == EXECUTE_NO_REF ? nothing : execute_at(warp, op->a);
    const word *more = op->access.added ? execute_at(warp, op->reconverge) : nothing;
    unsigned form = op->a == EXECUTE_NO_REF ? EXECUTE_ADDRESS_ONE : op->access.wide_address, scale = op->access.scale;
    if (op->access.wide_address == EXECUTE_ADDRESS_NARROW) {
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = (uint32_t)((base[i] << scale) + more[i] + (uint32_t)offset);
    } else if (form == EXECUTE_ADDRESS_PAIR) {
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] =
                ((uint64_t)base[i + 32] << 32 | base[i]) + ((uint64_t)more[i + 32] << 32 | more[i]) + (uint64_t)offset;
    } else {
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = base[i] + ((uint64_t)more[i + 32] << 32 | more[i]) + (uint64_t)offset;
    }
}

void execute_access_addresses(const struct execute_warp *warp, const struct execute_op *op, int64_t offset,
                              uint64_t addresses[32])
{
    if (op->access.added || op->access.scale)
        addresses_of_sum(warp, op, offset, addresses);
    else
        addresses_by(warp, op->a, op->access.wide_address, offset, addresses);
    /* Shared memory is addressed with 32 bits: ptxas (13.0) takes the lower half of a wider register, so that a generic
     * address does as well. */
    bool shared = op->access.space == EXECUTE_SPACE_SHARED || op->access.space == EXECUTE_SPACE_CLUSTER;
    if (!shared || op->access.wide_address != EXECUTE_ADDRESS_WIDE)
        return;
    for (uint32_t i = 0; i < 32; i++)
        addresses[i] = (uint32_t)addresses[i];
}

/* Whether all 32 addresses, active or not, are in 0 … last. This is nearly always true, and tested without a branch per
 * lane: the highest bit of the address is set if it is too large by far, that of the difference if it is beyond
 * `last`. */
static bool all_within(const uint64_t *addresses, int64_t last)
{
    uint64_t outside = 0;
    for (uint32_t i = 0; i < 32; i++)
        outside |= addresses[i] | ((uint64_t)last - addresses[i]);
    return !(outside >> 63);
}

/* The state space of a generic address: each space but global memory has a window of its own (execute/code/code.h). */
static enum execute_space space_of(uint64_t address)
{
    uint64_t window = address & ~(EXECUTE_WINDOW_BYTES - 1);
    if (address >> 32 == EXECUTE_RANKED_WINDOW >> 32)
        return EXECUTE_SPACE_SHARED;
    return window == EXECUTE_SHARED_WINDOW                                                 ? EXECUTE_SPACE_SHARED
           : window == EXECUTE_LOCAL_WINDOW                                                ? EXECUTE_SPACE_LOCAL
           : window == EXECUTE_PARAMETER_WINDOW                                            ? EXECUTE_SPACE_PARAM
           : window - EXECUTE_CLUSTER_WINDOW < EXECUTE_CLUSTER_CTAS * EXECUTE_WINDOW_BYTES ? EXECUTE_SPACE_CLUSTER
                                                                                           : EXECUTE_SPACE_GLOBAL;
}

/* Addresses are resolved in the space of the first lane's; the caller repeats it for the lanes that are left. The
 * address inside a window is its lower bits, which for shared memory of a cluster include the rank. If all addresses
 * are in one window, or all below the windows, no lane has to be looked at. */
uint32_t execute_resolve(const uint64_t *addresses, uint32_t lanes, enum execute_space *space, uint64_t *resolved)
{
    uint64_t first = addresses[__builtin_ctz(lanes)], differences = 0;
    uint32_t same = 0;
    *space = space_of(first);
    uint64_t mask = *space == EXECUTE_SPACE_GLOBAL ? ~UINT64_C(0)
                    : *space == EXECUTE_SPACE_CLUSTER || first >> 32 == EXECUTE_RANKED_WINDOW >> 32
                        ? UINT32_MAX
                        : EXECUTE_WINDOW_BYTES - 1;
    for (uint32_t i = 0; i < 32; i++) {
        differences |= addresses[i] ^ first;
        resolved[i] = addresses[i] & mask;
    }
    if (differences < EXECUTE_WINDOW_BYTES || all_within(addresses, EXECUTE_SHARED_WINDOW - 1)) /* the common case */
        return lanes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        same |= (uint32_t)(space_of(addresses[lane]) == *space) << lane;
    }
    return same;
}

/* ===== one access ===== */

static inline void move_sized(unsigned char *base, bool write, uint32_t lanes, const uint64_t *addresses,
                              uint32_t bytes, unsigned char *data, size_t stride)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        unsigned char *here = base + addresses[lane], *there = data + lane * stride;
        memcpy(write ? here : there, write ? there : here, bytes);
    }
}

/* Moves each lane's bytes between `data` and `base` + its address; for common sizes, by single moves. */
static void move_lanes(unsigned char *base, bool write, uint32_t lanes, const uint64_t *addresses, uint32_t bytes,
                       unsigned char *data, size_t stride)
{
    if (bytes == 4 && lanes == EXECUTE_ALL_LANES && stride == 4) {
        word *there = (word *)data;
        for (uint32_t lane = 0; lane < 32 && !write; lane++)
            there[lane] = *(const word *)(base + addresses[lane]);
        for (uint32_t lane = 0; lane < 32 && write; lane++)
            *(word *)(base + addresses[lane]) = there[lane];
    } else if (bytes == 4) {
        move_sized(base, write, lanes, addresses, 4, data, stride);
    } else if (bytes == 8) {
        move_sized(base, write, lanes, addresses, 8, data, stride);
    } else if (bytes == 16) {
        move_sized(base, write, lanes, addresses, 16, data, stride);
    } else if (bytes == 2) {
        move_sized(base, write, lanes, addresses, 2, data, stride);
    } else if (bytes == 1) {
        move_sized(base, write, lanes, addresses, 1, data, stride);
    } else {
        move_sized(base, write, lanes, addresses, bytes, data, stride);
    }
}

/* Accesses the CTA's own shared memory. Addresses of inactive lanes may lie outside without being a fault. */
static bool access_shared(struct execute_warp *warp, bool write, uint32_t lanes, const uint64_t *addresses,
                          uint32_t bytes, unsigned char *data, size_t stride)
{
    int64_t last = (int64_t)warp->launch->shared_bytes - (int64_t)bytes;
    if (!all_within(addresses, last)) {
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if ((int64_t)addresses[lane] > last || (int64_t)addresses[lane] < 0) {
                execute_fault(warp, EXECUTE_FAULT_SHARED, lane, addresses[lane]);
                return false;
            }
        }
    }
    if (!warp->touches)
        move_lanes(warp->cta->shared, write, lanes, addresses, bytes, data, stride);
    return true;
}

void execute_record_access(struct execute_warp *warp, enum execute_space space, uint32_t bytes,
                           const uint64_t *addresses)
{
    if (!warp->record)
        return;
    warp->record->space = (uint8_t)space;
    warp->record->bytes = bytes;
    memcpy(warp->record->addresses, addresses, 32 * sizeof *addresses);
}

/* Records the ranks of accesses to shared memory of the cluster. */
static void note_ranks(struct execute_warp *warp, uint32_t lanes, const uint64_t *addresses)
{
    for (uint32_t rest = warp->record ? lanes : 0; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t above = (uint32_t)(addresses[lane] - EXECUTE_CLUSTER_BASE) >> EXECUTE_WINDOW_SHIFT;
        uint32_t rank = addresses[lane] < EXECUTE_CLUSTER_BASE ? warp->cta->rank : above;
        warp->record->ranks[lane] = (uint8_t)rank;
        warp->record->remote |= (uint32_t)(rank != warp->cta->rank) << lane;
    }
}

/* Accesses shared memory of any CTAs of the cluster; with timing models, only the own CTA's. */
static bool access_cluster(struct execute_warp *warp, bool write, uint32_t lanes, const uint64_t *addresses,
                           uint32_t bytes, unsigned char *data, size_t stride)
{
    uint64_t own[32];
    for (uint32_t i = 0; i < 32; i++)
        own[i] = addresses[i] & (EXECUTE_WINDOW_BYTES - 1);
    execute_record_access(warp, EXECUTE_SPACE_SHARED, bytes, own);
    note_ranks(warp, lanes, addresses);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        unsigned char *here = execute_cluster_place(warp, lane, addresses[lane], bytes), *there = data + lane * stride;
        if (!here)
            return false;
        if (!warp->touches)
            memcpy(write ? here : there, write ? there : here, bytes);
    }
    return true;
}

/* Machine code has the rank of a CTA of the cluster in the upper byte of an address of shared memory. */
static bool access_by_rank(struct execute_warp *warp, bool write, uint32_t lanes, const uint64_t *addresses,
                           uint32_t bytes, unsigned char *data, size_t stride)
{
    uint64_t ranked[32];
    for (uint32_t i = 0; i < 32; i++)
        ranked[i] = EXECUTE_CLUSTER_BASE + (uint32_t)addresses[i];
    return access_cluster(warp, write, lanes, ranked, bytes, data, stride);
}

/* Accesses local memory, which is interleaved by words, as in hardware: word i of all 32 lanes is contiguous, and byte
 * b of a lane is at b / 4 · 128 + lane · 4 + b % 4. An access of 8 or 16 bytes therefore consists of several words. */
static bool access_local(struct execute_warp *warp, bool write, uint32_t lanes, const uint64_t *addresses,
                         uint32_t bytes, unsigned char *data, size_t stride)
{
    uint32_t unit = bytes < 4 ? bytes : 4; /* accesses are aligned: they consist of such pieces */
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t address = addresses[lane];
        if (address > warp->local_bytes || warp->local_bytes - address < bytes) {
            bool below = address - (UINT64_C(1) << 31) < UINT64_C(1) << 31 && warp->depth;
            execute_fault(warp, below ? EXECUTE_FAULT_LOCAL_FULL : EXECUTE_FAULT_LOCAL, lane, address);
            return false;
        }
        for (uint32_t i = 0; i < bytes && !warp->touches; i += unit) {
            unsigned char *at = warp->local + (address + i) / 4 * 128 + lane * 4 + (address + i) % 4;
            if (write)
                memcpy(at, data + lane * stride + i, unit);
            else
                memcpy(data + lane * stride + i, at, unit);
        }
    }
    return true;
}

/* Parameters are constant, and the same for all lanes of a launch; a store is a fault. */
static bool access_parameters(struct execute_warp *warp, bool write, uint32_t lanes, const uint64_t *addresses,
                              uint32_t bytes, unsigned char *data, size_t stride)
{
    uint64_t limit = warp->launch->code->parameter_bytes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (write || addresses[lane] > limit || limit - addresses[lane] < bytes) {
            execute_fault(warp, EXECUTE_FAULT_PARAMETER, lane, addresses[lane]);
            return false;
        }
        memcpy(data + lane * stride, warp->launch->parameters + addresses[lane], bytes);
    }
    return true;
}

static bool access_global(struct execute_warp *warp, bool write, uint32_t lanes, const uint64_t *addresses,
                          uint32_t bytes, void *data, size_t stride)
{
    const struct execute_port *port = warp->cta->port;
    uint32_t lane = 0;
    bool good = warp->touches ? !port->touch || port->touch(port->context, write, lanes, addresses, bytes, &lane)
                : write       ? port->write(port->context, lanes, addresses, bytes, data, stride, &lane)
                              : port->read(port->context, lanes, addresses, bytes, data, stride, &lane);
    if (!good)
        execute_fault(warp,
                      port->multicast && port->multicast(port->context, addresses[lane]) ? EXECUTE_FAULT_MULTIMEM
                                                                                         : EXECUTE_FAULT_ADDRESS,
                      lane, addresses[lane]);
    return good;
}

/* Checks that addresses are multiples of the access's size: first those of all lanes at once, then each active one. */
static bool check_alignment(struct execute_warp *warp, uint32_t lanes, const uint64_t *addresses, uint32_t bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 32; i++)
        bits |= addresses[i];
    if (!(bits & (bytes - 1)))
        return true;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (addresses[lane] & (bytes - 1)) {
            execute_fault(warp, EXECUTE_FAULT_MISALIGNED, lane, addresses[lane]);
            return false;
        }
    }
    return true;
}

bool execute_access(struct execute_warp *warp, enum execute_space space, bool write, uint32_t lanes,
                    const uint64_t *addresses, uint32_t bytes, void *data, size_t stride)
{
    if (space == EXECUTE_SPACE_GENERIC) {
        uint64_t resolved[32];
        while (lanes) {
            enum execute_space found;
            uint32_t same = execute_resolve(addresses, lanes, &found, resolved);
            if (!execute_access(warp, found, write, same, resolved, bytes, data, stride))
                return false;
            lanes &= ~same;
        }
        return true;
    }
    if (!check_alignment(warp, lanes, addresses, bytes))
        return false;
    if (space == EXECUTE_SPACE_SHARED && warp->launch->code->paths && warp->cta->cluster->size > 1)
        return access_by_rank(warp, write, lanes, addresses, bytes, data, stride);
    execute_record_access(warp, space, bytes, addresses);
    switch (space) {
    case EXECUTE_SPACE_SHARED:
        return access_shared(warp, write, lanes, addresses, bytes, data, stride);
    case EXECUTE_SPACE_CLUSTER:
        return access_cluster(warp, write, lanes, addresses, bytes, data, stride);
    case EXECUTE_SPACE_LOCAL:
        return access_local(warp, write, lanes, addresses, bytes, data, stride);
    case EXECUTE_SPACE_PARAM:
        return access_parameters(warp, write, lanes, addresses, bytes, data, stride);
    default:
        return access_global(warp, write, lanes, addresses, bytes, data, stride);
    }
}

/* ===== registers ===== */

/* Extends one element of each lane's data to the register's size. */
static inline void widen_sized(const unsigned char *data, size_t stride, unsigned bytes, bool is_signed, uint32_t slot,
                               void *result)
{
    for (uint32_t i = 0; i < 32; i++, data += stride) {
        uint64_t value = 0;
        memcpy(&value, data, bytes);
        if (is_signed && bytes < 8)
            value = (uint64_t)((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
        if (slot == 8)
            ((large_word *)result)[i] = value;
        else
            ((word *)result)[i] = (uint32_t)value;
    }
}

static void widen(const unsigned char *data, size_t stride, enum execute_type type, uint32_t slot, void *result)
{
    unsigned bytes = execute_type_bytes(type);
    bool is_signed = execute_type_is_signed(type);
    if (bytes == 4 && slot == 4)
        widen_sized(data, stride, 4, false, 4, result);
    else if (bytes == 8)
        widen_sized(data, stride, 8, false, 8, result);
    else if (bytes == 4)
        widen_sized(data, stride, 4, is_signed, slot, result);
    else if (bytes == 2)
        widen_sized(data, stride, 2, is_signed, slot, result);
    else
        widen_sized(data, stride, 1, is_signed, slot, result);
}

static void deliver(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, const unsigned char *data,
                    size_t stride)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    enum execute_type type = (enum execute_type)op->access.type;
    unsigned bytes = execute_type_bytes(type), slot = op->access.slot;
    for (uint32_t i = 0; i < op->access.count; i++) {
        if (bytes == slot && stride == bytes) {
            execute_blend(warp, execute_to(warp, list[i]), data, slot, lanes);
            continue;
        }
        _Alignas(64) unsigned char result[512];
        if (slot == 16)
            for (uint32_t lane = 0; lane < 32; lane++)
                memcpy(result + lane * 16, data + lane * stride + i * bytes, 16);
        else
            widen(data + i * bytes, stride, type, slot, result);
        execute_blend(warp, execute_to(warp, list[i]), result, slot, lanes);
    }
}

/* The registers side by side that a wide atomic returns. */
void execute_deliver_wide_atomic(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                                 const unsigned char *data, size_t stride)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    for (uint32_t i = 0; i < op->access.count && !op->access.reduction; i++) {
        _Alignas(64) unsigned char results[32 * 16] = {0};
        for (uint32_t lane = 0; lane < 32; lane++)
            memcpy(results + (size_t)lane * op->access.slot, data + lane * stride + i * op->size, op->size);
        execute_blend(warp, execute_to(warp, list[i]), results, op->access.slot, lanes);
    }
}

void execute_deliver(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, const unsigned char *data,
                     size_t stride)
{
    if (op->kind != EXECUTE_KIND_ATOMIC) {
        deliver(warp, op, lanes, data, stride);
        return;
    }
    if (execute_is_wide_atomic(op)) {
        execute_deliver_wide_atomic(warp, op, lanes, data, stride);
        return;
    }
    _Alignas(64) unsigned char results[256];
    for (uint32_t lane = 0; lane < 32; lane++)
        memcpy(results + (size_t)lane * op->access.slot, data + lane * stride, op->access.slot);
    if (op->access.pairs) {
        execute_blend_pairs(warp, execute_to(warp, op->d), results, lanes);
        return;
    }
    execute_blend(warp, execute_to(warp, op->d), results, op->access.slot, lanes);
}

/* The lanes with addresses in another CTA's shared memory; `places`: these addresses, in the format of
 * contract/live.h. */
static uint32_t remote_lanes(const struct execute_warp *warp, enum execute_space space, uint32_t lanes,
                             const uint64_t *addresses, uint64_t places[32])
{
    uint32_t remote = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        bool machine = warp->launch->code->paths;
        uint64_t from = machine                          ? (space == EXECUTE_SPACE_GENERIC ? EXECUTE_RANKED_WINDOW : 0)
                        : space == EXECUTE_SPACE_GENERIC ? EXECUTE_CLUSTER_WINDOW
                                                         : EXECUTE_CLUSTER_BASE;
        places[lane] = addresses[lane] - from;
        bool inside = places[lane] < EXECUTE_CLUSTER_CTAS * EXECUTE_WINDOW_BYTES ||
                      (space == EXECUTE_SPACE_CLUSTER && addresses[lane] >= EXECUTE_CLUSTER_BASE);
        remote |= (uint32_t)(inside && places[lane] >> EXECUTE_WINDOW_SHIFT != warp->cta->rank) << lane;
    }
    return remote;
}

uint32_t execute_defer_remote(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                              const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride)
{
    const struct execute_port *port = warp->cta->port;
    enum execute_space space = (enum execute_space)op->access.space;
    uint64_t places[32] = {0};
    bool ranked = space == EXECUTE_SPACE_SHARED && warp->launch->code->paths; /* machine code */
    if (!warp->cta->cluster->apart || (space != EXECUTE_SPACE_CLUSTER && space != EXECUTE_SPACE_GENERIC && !ranked))
        return lanes;
    uint32_t remote = remote_lanes(warp, space, lanes, addresses, places);
    if (!remote)
        return lanes;
    if (!check_alignment(warp, remote, addresses, bytes))
        return 0;
    if (op->kind == EXECUTE_KIND_ATOMIC && op->access.type == EXECUTE_b128) {
        uint32_t lane = (uint32_t)__builtin_ctz(remote);
        execute_fault(warp, EXECUTE_FAULT_WIDE, lane, addresses[lane]);
        return 0;
    }
    for (uint32_t rest = remote; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t within = places[lane] & (EXECUTE_WINDOW_BYTES - 1);
        if (places[lane] >> EXECUTE_WINDOW_SHIFT >= warp->cta->cluster->size ||
            within + bytes > warp->launch->shared_bytes) {
            execute_fault(warp, EXECUTE_FAULT_CLUSTER, lane, addresses[lane]);
            return 0;
        }
    }
    port->remote(port->context, warp, op, remote, places, bytes, data, stride);
    return lanes & ~remote;
}

uint32_t execute_defer(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                       const uint64_t *addresses, uint32_t bytes, const void *data, size_t stride)
{
    const struct execute_port *port = warp->cta->port;
    enum execute_space space = (enum execute_space)op->access.space;
    if (warp->cta->cluster->apart &&
        (lanes = execute_defer_remote(warp, op, lanes, addresses, bytes, data, stride)) == 0)
        return 0;
    if (!port->defer || (space != EXECUTE_SPACE_GLOBAL && space != EXECUTE_SPACE_GENERIC))
        return lanes;
    uint32_t global = lanes;
    for (uint32_t i = 0; i < 32 && space == EXECUTE_SPACE_GENERIC; i++)
        if (space_of(addresses[i]) != EXECUTE_SPACE_GLOBAL)
            global &= ~(1u << i);
    if (!global)
        return lanes;
    if (!check_alignment(warp, global, addresses, bytes))
        return 0;
    return port->defer(port->context, warp, op, global, addresses, bytes, data, stride) ? lanes & ~global : lanes;
}

static inline void spread(unsigned char *to, size_t stride, const unsigned char *from, uint32_t slot, unsigned bytes)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        memcpy(to + lane * stride, from + lane * slot, bytes);
}

void execute_collect(const struct execute_warp *warp, const struct execute_op *op, unsigned char *data, size_t stride)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    unsigned bytes = execute_type_bytes((enum execute_type)op->access.type), slot = op->access.slot;
    for (uint32_t i = 0; i < op->access.count; i++) {
        const unsigned char *from = execute_at(warp, list[i]);
        unsigned char *to = data + i * bytes;
        if (bytes == 4 && slot == 4)
            spread(to, stride, from, 4, 4);
        else if (bytes == 8)
            spread(to, stride, from, 8, 8);
        else if (bytes == 1 && slot == 4)
            spread(to, stride, from, 4, 1);
        else if (bytes == 2 && slot == 4)
            spread(to, stride, from, 4, 2);
        else
            spread(to, stride, from, slot, bytes);
    }
}

void execute_step_parameter(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    _Alignas(64) unsigned char data[32 * 32] = {0};
    size_t bytes = (size_t)op->access.count * execute_type_bytes((enum execute_type)op->access.type);
    warp->polled |= op->access.strong;
    for (uint32_t lane = 0; lane < 32; lane++)
        memcpy(data + lane * bytes, warp->launch->parameters + op->immediate, bytes);
    deliver(warp, op, lanes, data, bytes);
}

void execute_step_copy_async(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    _Alignas(64) unsigned char data[32 * 16] = {0};
    uint64_t to[32], from[32];
    uint32_t bytes = op->access.type;
    const uint64_t *wide = warp->launch->code->wide.items;
    warp->polled |= op->access.strong;
    execute_access_addresses(warp, op, op->immediate, to);
    addresses_by(warp, op->b, op->access.bypass, (int64_t)wide[op->target], from);
    uint32_t reads = lanes;
    uint32_t zeros[32] = {0}; /* bytes at the end that become zero: low address bits in machine code */
    if (op->variant & EXECUTE_COPY_PREDICATE)
        reads &= execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0);
    for (uint32_t i = 0; i < 32 && op->variant & EXECUTE_COPY_ZEROS; i++) {
        zeros[i] = (uint32_t)from[i] & (bytes - 1);
        from[i] -= zeros[i];
    }
    if (op->c != EXECUTE_NO_REF && !op->variant) { /* bytes that are read; the others become zero */
        const word *sizes = execute_at(warp, op->c);
        for (uint32_t i = 0; i < 32; i++)
            reads &= sizes[i] ? ~0u : ~(1u << i);
    }
    if ((reads && !execute_access(warp, EXECUTE_SPACE_GLOBAL, false, reads, from, bytes, data, 16)) || warp->touches)
        return;
    for (uint32_t i = 0; i < 32; i++)
        memset(data + 16 * i + bytes - zeros[i], 0, zeros[i]);
    if (op->c != EXECUTE_NO_REF && !op->variant) {
        const word *sizes = execute_at(warp, op->c);
        for (uint32_t i = 0; i < 32; i++)
            if (sizes[i] < bytes)
                memset(data + 16 * i + sizes[i], 0, bytes - sizes[i]);
    }
    struct execute_record *record = warp->record; /* only the read of the source is timed */
    warp->record = NULL;
    if (lanes)
        execute_access(warp, (enum execute_space)op->access.space, true, lanes, to, bytes, data, 16);
    warp->record = record;
}

/* The location of the lanes' data, and the number of bytes per lane. */
static uint32_t place_access(const struct execute_warp *warp, const struct execute_op *op, uint64_t addresses[32])
{
    int64_t offset = op->immediate + (op->access.framed ? warp->frame[warp->frames - 1].local : 0);
    execute_access_addresses(warp, op, offset, addresses);
    return op->access.count * execute_type_bytes((enum execute_type)op->access.type);
}

void execute_step_store(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t addresses[32];
    _Alignas(64) unsigned char data[32 * 32];
    enum execute_space space = (enum execute_space)op->access.space;
    uint32_t bytes = place_access(warp, op, addresses);
    if (!warp->cta->port->defer && op->access.count == 1 &&
        bytes == op->access.slot) { /* straight out of the register */
        uint32_t ref = ((const uint32_t *)warp->launch->code->list.items)[op->list];
        execute_note_store(warp, space);
        execute_access(warp, space, true, lanes, addresses, bytes, (void *)execute_at(warp, ref), bytes);
        return;
    }
    execute_collect(warp, op, data, bytes);
    lanes = execute_defer(warp, op, lanes, addresses, bytes, data, bytes);
    if (lanes)
        execute_note_store(warp, space);
    if (lanes && warp->status != EXECUTE_FAULTED)
        execute_access(warp, space, true, lanes, addresses, bytes, data, bytes);
}

static bool all_equal(const uint64_t *addresses)
{
    uint64_t differences = 0;
    for (uint32_t i = 1; i < 32; i++)
        differences |= addresses[i] ^ addresses[0];
    return !differences;
}

/* Loads one value for all lanes, such as a constant in machine code: it is read for the first of `lanes` and written to
 * all of `to_lanes`. */
static void load_together(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, uint32_t to_lanes,
                          const uint64_t *addresses, uint32_t bytes)
{
    _Alignas(64) unsigned char data[32 * 16];
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    const unsigned char *read = data + first * bytes;
    if (!execute_access(warp, (enum execute_space)op->access.space, false, 1u << first, addresses, bytes, data, bytes))
        return;
    if (op->access.type != EXECUTE_b32 || to_lanes != EXECUTE_ALL_LANES) {
        for (uint32_t lane = 0; lane < 32; lane++)
            if (lane != first)
                memcpy(data + lane * bytes, read, bytes);
        deliver(warp, op, to_lanes, data, bytes);
        return;
    }
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    for (uint32_t i = 0; i < op->access.count; i++) {
        word value, *to = execute_to(warp, list[i]);
        memcpy(&value, read + 4 * i, 4);
        for (uint32_t lane = 0; lane < 32; lane++)
            to[lane] = value;
    }
}

/* multimem.ld_reduce without time: lanes with addresses of a multicast object combine what its memories hold; others
 * load. */
static void load_members(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes,
                         const uint64_t *addresses, uint32_t bytes)
{
    _Alignas(64) unsigned char data[32 * 32] = {0};
    uint32_t many = execute_load_multicast(warp, op, lanes, addresses, bytes, data);
    if (warp->status == EXECUTE_FAULTED)
        return;
    if (lanes & ~many && !execute_access(warp, (enum execute_space)op->access.space, false, lanes & ~many, addresses,
                                         bytes, data, bytes))
        return;
    deliver(warp, op, lanes, data, bytes);
}

void execute_step_load(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t addresses[32];
    _Alignas(64) unsigned char data[32 * 32]; /* uninitialised */
    enum execute_space space = (enum execute_space)op->access.space;
    uint32_t bytes = place_access(warp, op, addresses);
    if (warp->launch->code->paths && space == EXECUTE_SPACE_CONST &&
        (op->access.uniform || (lanes == EXECUTE_ALL_LANES && all_equal(addresses)))) {
        load_together(warp, op, lanes, op->access.uniform ? execute_shared_lanes(warp) : lanes, addresses, bytes);
        return;
    }
    lanes = op->access.uniform ? execute_shared_lanes(warp) : lanes;
    warp->polled |= op->access.strong;
    lanes = execute_defer(warp, op, lanes, addresses, bytes, data, bytes);
    if (!lanes || warp->status == EXECUTE_FAULTED)
        return;
    if (op->access.reduced && warp->cta->port->members) {
        load_members(warp, op, lanes, addresses, bytes);
        return;
    }
    if (lanes == EXECUTE_ALL_LANES && bytes == op->access.slot && op->access.count == 1) { /* into the register */
        uint32_t ref = ((const uint32_t *)warp->launch->code->list.items)[op->list];
        execute_access(warp, space, false, lanes, addresses, bytes, execute_to(warp, ref), bytes);
        return;
    }
    if (lanes != EXECUTE_ALL_LANES)
        memset(data, 0, 32 * bytes);
    if (execute_access(warp, space, false, lanes, addresses, bytes, data, bytes) && !warp->touches)
        deliver(warp, op, lanes, data, bytes);
}
