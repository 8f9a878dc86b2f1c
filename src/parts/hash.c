/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/hash.h"

#include "base/error.h"
#include "base/range.h"
#include "engine/configure/part_error.h"
#include "parts/hashes/ipoly.h"
#include "parts/hashes/linear.h"
#include "parts/hashes/xor.h"

#include <stddef.h>

const char *const mnp_hash_names[] = {
#define MNP_HASH(KIND, NAME, ...) NAME,
#include "parts/hashes/list.h"
#undef MNP_HASH
    NULL};

void mnp_divider_init(struct mnp_divider *divider, uint64_t divisor)
{
    MNP_REQUIRE(divisor > 0, "division by zero");
    *divider = (struct mnp_divider){.divisor = divisor};
    if (divisor == 1)
        return; /* no reciprocal fits: such divisions take the slow way */
    /* The reciprocal exceeds 2^64 / divisor by less than one, so the error of a product is below number / 2^64, and
     * the quotient is exact while that stays below 1 / divisor. */
    divider->reciprocal = UINT64_MAX / divisor + 1;
    divider->exact_below = UINT64_MAX / divisor;
}

static uint32_t degree_of(uint32_t polynomial)
{
    return 31 - (uint32_t)__builtin_clz(polynomial);
}

static uint32_t remainder_of(uint32_t number, uint32_t polynomial)
{
    uint32_t degree = degree_of(polynomial);
    while (number && degree_of(number) >= degree)
        number ^= polynomial << (degree_of(number) - degree);
    return number;
}

static bool irreducible(uint32_t polynomial)
{
    uint32_t degree = degree_of(polynomial);
    for (uint32_t factor = 2; degree_of(factor) <= degree / 2; factor++)
        if (remainder_of(polynomial, factor) == 0)
            return false;
    return true;
}

uint32_t mnp_irreducible_polynomial(uint32_t degree)
{
    MNP_REQUIRE(degree >= 1 && degree <= 20, "no polynomial of degree %u", degree);
    uint32_t polynomial = UINT32_C(1) << degree | 1;
    while (!irreducible(polynomial))
        polynomial += 2;
    return polynomial;
}

const struct mnp_hash_function *mnp_hash_function(enum mnp_hash_kind kind)
{
    static const struct mnp_hash_function functions[] = {
#define MNP_HASH(KIND, NAME, PLAIN, BIT, HELP) [KIND] = {.plain = PLAIN, .bit = BIT},
#include "parts/hashes/list.h"
#undef MNP_HASH
    };
    return &functions[kind];
}

static void fill_table(struct mnp_hash *hash, const struct mnp_hash_function *function)
{
    uint32_t polynomial = mnp_irreducible_polynomial(hash->bits);
    for (uint32_t byte = 0; byte < MNP_HASH_BYTES; byte++) {
        hash->table[byte][0] = 0;
        for (uint32_t bit = 0; bit < 8; bit++) {
            uint32_t value = function->bit(byte * 8 + bit, hash->bits, polynomial);
            if (value >> hash->bits)
                mnp_part_fail(&function->part, "gives bit %u the value %u in a bin number of %u bits; it must fit",
                              byte * 8 + bit, value, hash->bits);
            for (uint32_t i = 0; i < UINT32_C(1) << bit; i++)
                hash->table[byte][i | UINT32_C(1) << bit] = hash->table[byte][i] ^ value;
        }
    }
}

void mnp_hash_init_by(struct mnp_hash *hash, const struct mnp_hash_function *function, uint64_t count)
{
    MNP_REQUIRE(count >= 1 && count <= UINT64_C(1) << 20, "a hash over %llu bins", (unsigned long long)count);
    hash->plain = count == 1 || function->plain;
    hash->count = count;
    hash->power_of_two = mnp_is_power_of_two(count);
    hash->bits = count == 1 ? 0 : 64 - (uint32_t)__builtin_clzll(count - 1);
    mnp_divider_init(&hash->divider, count);
    if (!hash->plain)
        fill_table(hash, function);
}

void mnp_hash_init(struct mnp_hash *hash, enum mnp_hash_kind kind, uint64_t count)
{
    mnp_hash_init_by(hash, mnp_hash_function(kind), count);
}

uint64_t mnp_hash_number(const struct mnp_hash *hash, uint32_t bin, uint64_t group)
{
    uint64_t first = group * hash->count, ignored;
    uint32_t shift = mnp_hash_bin(hash, first, &ignored); /* bin of the low part 0 */
    if (hash->power_of_two)
        return first + (bin ^ shift);
    return first + (bin + hash->count - shift) % hash->count;
}
