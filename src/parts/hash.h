/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes that spread addresses over memory partitions, slices and cache sets, for any positive number of them.
 *
 * A number n is cut into a low part, n mod `count`, and a group, n / count. A function of the group then permutes the
 * low part, so that every aligned run of `count` numbers meets every bin once: the map n → (bin, group) is a bijection
 * for any count, and a stride that hits one bin under `linear` is spread under the others. The functions are those of
 * hashes/list.h. Where `count` is a power of two, the function of the group is combined with the low part by exclusive
 * or, which for ipoly is Rau's hash exactly. Otherwise it is folded onto 0 … count-1 by a multiplication and added
 * modulo `count`.
 */
#ifndef MNP_PARTS_HASH_H
#define MNP_PARTS_HASH_H

#include "parts/hashes/function.h"

enum mnp_hash_kind {
#define MNP_HASH(KIND, ...) KIND,
#include "parts/hashes/list.h"
#undef MNP_HASH
    MNP_HASH_KINDS
};

/* Names of the kinds, NULL-terminated, in the order of the enumeration: the choices of a machine key. */
extern const char *const mnp_hash_names[];

/* Exact division by a fixed number without a division instruction for the usual numerators. */
struct mnp_divider {
    uint64_t divisor;
    uint64_t reciprocal;  /* ceil(2^64 / divisor); 0: divisor 1 */
    uint64_t exact_below; /* numerators up to here may use the reciprocal */
};

void mnp_divider_init(struct mnp_divider *divider, uint64_t divisor);

static inline uint64_t mnp_divide(const struct mnp_divider *divider, uint64_t number)
{
    if (__builtin_expect(number < divider->exact_below, 1))
        return (uint64_t)(((unsigned __int128)number * divider->reciprocal) >> 64);
    return number / divider->divisor;
}

enum { MNP_HASH_BYTES = 8 };

struct mnp_hash {
    bool plain; /* the group changes nothing */
    bool power_of_two;
    uint32_t bits;  /* bits of a bin number: ceil(log2(count)) */
    uint64_t count; /* number of bins, 1 … 2^20 */
    struct mnp_divider divider;
    /* The hashes are linear over GF(2): the value of a group is the exclusive or of one entry per byte of the group.
     * Hashes that need no table leave it unused. */
    uint32_t table[MNP_HASH_BYTES][256];
};

/* The function of a kind. */
const struct mnp_hash_function *mnp_hash_function(enum mnp_hash_kind kind);

/* The function that a machine key has selected (MNP_PART_ROW with mnp_hash_names): a built-in kind, or a plug-in's
 * hash. */
static inline const struct mnp_hash_function *mnp_hash_chosen(uint64_t kind, const struct mnp_chosen *chosen)
{
    return chosen->part ? (const struct mnp_hash_function *)(const void *)chosen->part
                        : mnp_hash_function((enum mnp_hash_kind)kind);
}

void mnp_hash_init_by(struct mnp_hash *hash, const struct mnp_hash_function *function, uint64_t count);
void mnp_hash_init(struct mnp_hash *hash, enum mnp_hash_kind kind, uint64_t count);

/* Bin of a number; `*group` becomes the number's place inside that bin. */
static inline uint32_t mnp_hash_bin(const struct mnp_hash *hash, uint64_t number, uint64_t *group)
{
    uint64_t quotient = hash->power_of_two ? number >> hash->bits : mnp_divide(&hash->divider, number);
    uint32_t low = (uint32_t)(number - quotient * hash->count);
    *group = quotient;
    if (hash->plain)
        return low;
    uint32_t value = 0;
    for (uint32_t i = 0; quotient; i++, quotient >>= 8)
        value ^= hash->table[i][quotient & 255];
    if (hash->power_of_two)
        return low ^ value;
    low += (uint32_t)(((uint64_t)value * hash->count) >> hash->bits);
    return low < hash->count ? low : low - (uint32_t)hash->count;
}

/* The inverse: the number that lies at place `group` of bin `bin`. */
uint64_t mnp_hash_number(const struct mnp_hash *hash, uint32_t bin, uint64_t group);

/* The smallest irreducible polynomial over GF(2) of a degree from 1 to 20, as a bit mask including the leading term. */
uint32_t mnp_irreducible_polynomial(uint32_t degree);

#endif
