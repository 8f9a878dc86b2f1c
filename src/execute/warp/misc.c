/* SPDX-License-Identifier: BSD-3-Clause */
/* Carries, fields of bits, packing, tests of floats, clocks, addresses. */
#include "execute/warp/frame.h"

#include <string.h>

enum { CARRY_ADD, CARRY_SUB, CARRY_MAD_LO, CARRY_MAD_HI }; /* numbered as in decode_arithmetic.c */

static uint64_t value_at(const struct execute_warp *warp, uint32_t ref, uint32_t size, uint32_t lane)
{
    uint64_t value = 0;
    memcpy(&value, (const unsigned char *)execute_at(warp, ref) + (size_t)lane * size, size);
    return value;
}

/* The carry of a subtraction is a borrow: set when something was borrowed. */
void execute_step_carry(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    _Alignas(64) unsigned char result[256];
    uint32_t in = op->combine & 1 ? execute_mask_at(warp, EXECUTE_CARRY) : 0, out = 0;
    unsigned bits = op->size * 8u;
    for (uint32_t i = 0; i < 32; i++) {
        unsigned __int128 a = value_at(warp, op->a, op->size, i), b = value_at(warp, op->b, op->size, i), value;
        uint64_t c = in >> i & 1;
        if (op->variant >= CARRY_MAD_LO) {
            bool high = op->variant == CARRY_MAD_HI;
            unsigned __int128 product = a * b;
            if (op->combine & 4) { /* signed: the high half differs */
                __int128 x = bits == 64 ? (int64_t)(uint64_t)a : (int32_t)(uint32_t)a;
                __int128 y = bits == 64 ? (int64_t)(uint64_t)b : (int32_t)(uint32_t)b;
                product = (unsigned __int128)(x * y);
            }
            uint64_t part = (uint64_t)(high ? product >> bits : product);
            part = bits == 64 ? part : (uint32_t)part;
            value = (unsigned __int128)part + value_at(warp, op->c, op->size, i) + c;
        } else {
            value = op->variant == CARRY_ADD ? a + b + c : a - b - c;
        }
        out |= (uint32_t)(value >> bits & 1) << i;
        uint64_t low = (uint64_t)value;
        memcpy(result + (size_t)i * op->size, &low, op->size);
    }
    execute_blend(warp, execute_to(warp, op->d), result, op->size, lanes);
    if (op->combine & 2)
        execute_set_mask(warp, EXECUTE_CARRY, lanes, out);
}

void execute_step_insert(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    const uint32_t *position = execute_at(warp, list[0]), *length = execute_at(warp, list[1]);
    uint64_t fields[32];
    _Alignas(64) unsigned char result[256];
    for (uint32_t i = 0; i < 32; i++)
        fields[i] = (uint64_t)length[i] << 32 | position[i];
    struct execute_words w = {.d = (execute_word *)(void *)result,
                              .a = execute_at(warp, op->a),
                              .b = execute_at(warp, op->b),
                              .c = (const execute_word *)fields};
    op->words(&w);
    execute_blend(warp, execute_to(warp, op->d), result, op->size, lanes);
}

/* Parts of `variant` bytes; `combine` of them make the whole, which has op->size bytes. */
void execute_step_pack(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    _Alignas(64) unsigned char result[512] = {0};
    uint32_t part = op->variant, slot = part == 8 ? 8 : 4;
    for (uint32_t j = 0; j < op->combine; j++) {
        const unsigned char *from = execute_at(warp, list[j]);
        for (uint32_t i = 0; i < 32; i++)
            memcpy(result + (size_t)i * op->size + j * part, from + (size_t)i * slot, part);
    }
    execute_blend(warp, execute_to(warp, op->d), result, op->size, lanes);
}

void execute_step_unpack(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    const unsigned char *from = execute_at(warp, op->a);
    _Alignas(64) unsigned char whole[512];
    uint32_t part = op->variant, slot = part == 8 ? 8 : 4;
    memcpy(whole, from, 32u * op->size);
    for (uint32_t j = 0; j < op->combine; j++) {
        _Alignas(64) unsigned char result[256] = {0};
        for (uint32_t i = 0; i < 32; i++)
            memcpy(result + (size_t)i * slot, whole + (size_t)i * op->size + j * part, part);
        execute_blend(warp, execute_to(warp, list[j]), result, slot, lanes);
    }
}

void execute_step_lop3_predicate(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    _Alignas(64) execute_word result[32];
    struct execute_words w = {.d = result,
                              .a = execute_at(warp, op->a),
                              .b = execute_at(warp, op->b),
                              .c = execute_at(warp, op->c),
                              .in = {execute_mask_at(warp, list[1]) ^ (op->variant ? ~0u : 0)},
                              .modifiers = (uint32_t)op->immediate};
    op->words(&w);
    execute_blend(warp, execute_to(warp, op->d), result, 4, lanes);
    execute_set_mask(warp, list[0], lanes, w.out[0]);
}

static bool test_number(uint32_t test, bool infinite_or_nan, bool zero_fraction, bool zero_exponent)
{
    bool nan = infinite_or_nan && !zero_fraction, zero = zero_exponent && zero_fraction;
    bool normal = zero || (!infinite_or_nan && !zero_exponent); /* zero counts as normal (ISA 9.0, testp) */
    const bool results[] = {!infinite_or_nan,      infinite_or_nan && zero_fraction, !nan, nan, normal,
                            zero_exponent && !zero};
    return results[test];
}

void execute_step_testp(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint32_t holds = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t bits = value_at(warp, op->a, op->combine ? 8 : 4, i), exponent, fraction, top;
        exponent = op->combine ? bits >> 52 & 0x7ff : bits >> 23 & 0xff;
        fraction = op->combine ? bits & 0xfffffffffffff : bits & 0x7fffff;
        top = op->combine ? 0x7ff : 0xff;
        holds |= (uint32_t)test_number(op->variant, exponent == top, fraction == 0, exponent == 0) << i;
    }
    execute_set_mask(warp, op->d, lanes, holds);
}

void execute_step_clock(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_port *port = warp->cta->port;
    uint64_t value, result[32];
    bool timer = op->variant >= EXECUTE_SPECIAL_GLOBALTIMER;
    value = timer ? port->nanoseconds(port->context) : port->clock(port->context);
    if (op->variant == EXECUTE_SPECIAL_CLOCK_HI || op->variant == EXECUTE_SPECIAL_GLOBALTIMER_HI)
        value >>= 32;
    for (uint32_t i = 0; i < 32; i++) {
        if (op->size == 8)
            result[i] = value;
        else
            ((uint32_t __attribute__((may_alias)) *)result)[i] = (uint32_t)value;
    }
    if (op->combine)
        execute_blend_pairs(warp, execute_to(warp, op->d), result, lanes);
    else
        execute_blend(warp, execute_to(warp, op->d), result, op->size, lanes);
}

void execute_step_address(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t result[32];
    uint32_t narrow[32];
    const uint64_t *a = op->a != EXECUTE_NO_REF ? execute_at(warp, op->a) : NULL;
    for (uint32_t i = 0; i < 32; i++) {
        result[i] = a ? a[i] + (uint64_t)op->immediate : warp->frame[warp->frames - 1].local + (uint64_t)op->immediate;
        narrow[i] = (uint32_t)result[i];
    }
    execute_blend(warp, execute_to(warp, op->d), op->size == 4 ? (const void *)narrow : result, op->size, lanes);
}

void execute_step_in_space(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t a[32];
    uint32_t holds = 0;
    for (uint32_t i = 0; i < 32; i++)
        a[i] = execute_long_at(warp, op->a, i) + (uint64_t)op->immediate;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t resolved[32];
        enum execute_space space;
        execute_resolve(a, 1u << i, &space, resolved);
        enum execute_space asked = (enum execute_space)op->variant;
        bool own = space == EXECUTE_SPACE_CLUSTER && asked == EXECUTE_SPACE_SHARED &&
                   (resolved[i] - EXECUTE_CLUSTER_BASE) >> EXECUTE_WINDOW_SHIFT == warp->cta->rank;
        bool inside = own || (space == EXECUTE_SPACE_SHARED && asked == EXECUTE_SPACE_CLUSTER);
        holds |= (uint32_t)(space == asked || inside) << i; /* constants lie in global memory: .const holds for none */
    }
    execute_set_mask(warp, op->d, lanes, holds);
}

/* ===== addresses of shared::cluster ===== */

/* Maps an address of shared memory, own or mapped, to the CTA of that rank; an invalid rank gives an invalid
 * address. */
static uint64_t map(uint64_t address, uint32_t rank)
{
    enum { NO_RANK = 0x1f };
    uint64_t window = address > UINT32_MAX ? EXECUTE_SHARED_WINDOW : 0;
    rank = rank < NO_RANK ? rank : NO_RANK;
    return window + EXECUTE_CLUSTER_BASE + ((uint64_t)rank << EXECUTE_WINDOW_SHIFT) +
           (address & (EXECUTE_WINDOW_BYTES - 1));
}

static uint32_t rank_of(const struct execute_warp *warp, uint64_t address)
{
    uint32_t within = (uint32_t)address;
    return within >= EXECUTE_CLUSTER_BASE ? (within - EXECUTE_CLUSTER_BASE) >> EXECUTE_WINDOW_SHIFT : warp->cta->rank;
}

void execute_step_cluster_address(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint64_t addresses[32];
    _Alignas(64) uint64_t large[32];
    _Alignas(64) uint32_t small[32];
    bool maps = op->variant == EXECUTE_CLUSTER_MAP;
    execute_addresses(warp, op->a, op->combine, op->immediate, addresses);
    const uint32_t *ranks = maps ? execute_at(warp, op->b) : NULL;
    for (uint32_t i = 0; i < 32; i++) {
        large[i] = maps ? map(addresses[i], ranks[i]) : rank_of(warp, addresses[i]);
        small[i] = (uint32_t)large[i];
    }
    execute_blend(warp, execute_to(warp, op->d), op->size == 8 ? (const void *)large : small, op->size, lanes);
}
