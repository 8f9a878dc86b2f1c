/* SPDX-License-Identifier: BSD-3-Clause */
/* Coalescing and bank conflicts against a naive count of distinct sectors, lines and words. */
#include "gpu/sm/coalesce.h"
#include "gpu/sm/conflicts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t next_random(uint64_t *seed)
{
    *seed += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *seed;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Distinct numbers of `unit` bytes that the accesses of the lanes in one group touch. */
static uint32_t naive(const uint64_t *addresses, const uint32_t *lanes, uint32_t count, uint32_t width, uint32_t group,
                      uint32_t unit)
{
    uint64_t seen[64 * 16];
    uint32_t total = 0;
    for (uint32_t first = 0; first < 32; first += group) {
        uint32_t known = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (lanes[i] / group * group != first)
                continue;
            for (uint64_t byte = addresses[i]; byte < addresses[i] + width; byte++) {
                uint32_t k = 0;
                while (k < known && seen[k] != byte / unit)
                    k++;
                if (k == known)
                    seen[known++] = byte / unit;
            }
        }
        total += known;
    }
    return total;
}

static void test_random_accesses(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 4, 8, 16};
    uint64_t seed = 7;
    for (uint32_t round = 0; round < 20000; round++) {
        uint32_t mask = (uint32_t)next_random(&seed), width = widths[next_random(&seed) % 5], count = 0, lanes[32];
        uint64_t addresses[32], range = UINT64_C(1) << (6 + next_random(&seed) % 10);
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (!(mask >> lane & 1))
                continue;
            lanes[count] = lane;
            addresses[count++] = 0x7f0000000000 + next_random(&seed) % range; /* unaligned ones too */
        }
        if (!count)
            continue;
        struct mnp_record record = {.mask = mask, .address_words = (uint8_t)count, .record_flags = MNP_RECORD_LIST};
        struct sm_part parts[SM_MAX_PARTS];
        uint32_t made = sm_coalesce(&record, addresses, width, 128, parts), sectors = 0, touches = 0;
        uint32_t bytes = 0;
        for (uint32_t i = 0; i < made; i++) {
            sectors += (uint32_t)__builtin_popcount(parts[i].sectors);
            touches += parts[i].lanes;
            bytes += (uint32_t)(__builtin_popcountll(parts[i].bytes[0]) + __builtin_popcountll(parts[i].bytes[1]));
        }
        uint32_t group = width == 16 ? 8 : width == 8 ? 16 : 32;
        assert_int_equal(made, naive(addresses, lanes, count, width, group, 128));
        assert_int_equal(sectors, naive(addresses, lanes, count, width, group, 32));
        assert_int_equal(bytes, naive(addresses, lanes, count, width, group, 1));
        assert_int_equal(touches, count);
    }
}

/* A warp that reads 128 consecutive bytes touches one line and four sectors; 16 bytes a lane are four lines. */
static void test_unit_stride(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, parts;
    } cases[] = {{1, 1}, {2, 1}, {4, 1}, {8, 2}, {16, 4}};
    for (uint32_t i = 0; i < 5; i++) {
        struct mnp_record record = {.mask = UINT32_MAX, .address_words = 2};
        uint64_t words[2] = {0x1000, cases[i].width};
        struct sm_part parts[SM_MAX_PARTS];
        assert_int_equal(sm_coalesce(&record, words, cases[i].width, 128, parts), cases[i].parts);
        assert_int_equal(parts[0].sectors, cases[i].width == 1 ? 1 : cases[i].width == 2 ? 3 : 15);
    }
}

/* Programming guide: 64-bit accesses of consecutive words are free of conflicts, served as two half-warps. */
/* All lanes in a row are split in one step; written as a list they go the way of all others, to the same parts. */
static void test_dense_as_list(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 16; width *= 2) {
        for (uint32_t line = 32; line <= 128; line *= 2) {
            for (uint64_t first = 0x7f0000000000; first < 0x7f0000000100; first += width) {
                struct mnp_record dense = {.mask = UINT32_MAX, .address_words = 2}, list = dense;
                uint64_t words[] = {first, width}, addresses[MNP_WARP_SIZE];
                for (uint32_t lane = 0; lane < MNP_WARP_SIZE; lane++)
                    addresses[lane] = first + lane * width;
                list.address_words = MNP_WARP_SIZE;
                list.record_flags = MNP_RECORD_LIST;
                struct sm_part parts[SM_MAX_PARTS], others[SM_MAX_PARTS];
                uint32_t count = sm_coalesce(&dense, words, width, line, parts);
                assert_int_equal(count, sm_coalesce(&list, addresses, width, line, others));
                assert_memory_equal(parts, others, count * sizeof *parts);
            }
        }
    }
}

/* ideal.coalescing: no more sectors than the bytes fill, of lines that the access touches. */
static void test_gathered(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (uint32_t round = 0; round < 20000; round++) {
        uint32_t width = 1u << next_random(&seed) % 5, sectors = 0, touched = 0, bytes = 0;
        uint64_t addresses[32], range = UINT64_C(1) << (6 + next_random(&seed) % 10);
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[lane] = 0x7f0000000000 + next_random(&seed) % range;
        struct mnp_record record = {.mask = UINT32_MAX, .address_words = 32, .record_flags = MNP_RECORD_LIST};
        struct sm_part parts[SM_MAX_PARTS], before[SM_MAX_PARTS];
        uint32_t count = sm_coalesce(&record, addresses, width, 128, parts);
        for (uint32_t i = 0; i < count; i++) {
            before[i] = parts[i];
            touched += (uint32_t)__builtin_popcount(parts[i].sectors);
            bytes += (uint32_t)(__builtin_popcountll(parts[i].bytes[0]) + __builtin_popcountll(parts[i].bytes[1]));
        }
        uint32_t made = sm_coalesce_gather(parts, count, width, 128), least = (bytes + 31) / 32;
        for (uint32_t i = 0; i < made; i++) {
            uint32_t k = 0;
            sectors += (uint32_t)__builtin_popcount(parts[i].sectors);
            while (k < count && before[k].line != parts[i].line)
                k++;
            assert_true(k < count && parts[i].sectors);
        }
        assert_int_equal(sectors, touched < least ? touched : least);
        assert_true(made <= (least + 3) / 4 || made == count);
    }
}

/* A warp reads a row of 128 words for each lane, word by word: each of their lines is asked for once. */
static void test_gathered_rows(void **state)
{
    (void)state;
    enum { WORDS = 128 };
    uint32_t asked[32 * WORDS / 32] = {0};
    for (uint32_t k = 0; k < WORDS; k++) {
        struct mnp_record record = {.mask = UINT32_MAX, .address_words = 2};
        uint64_t words[2] = {0x10000 + 4 * k, 4 * WORDS};
        struct sm_part parts[SM_MAX_PARTS];
        uint32_t count = sm_coalesce(&record, words, 4, 128, parts);
        assert_int_equal(count, 32);
        assert_int_equal(sm_coalesce_gather(parts, count, 4, 128), 1);
        assert_int_equal(parts[0].sectors, 15);
        asked[(parts[0].line - 0x10000) / 128]++;
    }
    for (uint32_t i = 0; i < sizeof asked / sizeof *asked; i++)
        assert_int_equal(asked[i], 1);
}

static void test_shared_cycles(void **state)
{
    (void)state;
    static const struct {
        uint32_t width;
        uint64_t stride;
        uint32_t cycles;
    } cases[] = {{4, 4, 1}, {4, 0, 1}, {4, 128, 32}, {8, 8, 2}, {16, 16, 4}, {8, 256, 32}, {1, 1, 1}, {2, 2, 1}};
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mnp_record record = {.mask = UINT32_MAX, .address_words = 2};
        uint64_t words[2] = {0, cases[i].stride};
        assert_int_equal(sm_shared_cycles(&record, words, cases[i].width, 32, false), cases[i].cycles);
    }
    struct mnp_record record = {.mask = UINT32_MAX, .address_words = 2};
    uint64_t same[2] = {64, 0};
    assert_int_equal(sm_shared_cycles(&record, same, 4, 32, true), 32); /* atomics on one word are served in turn */
}

/* The definition: in each group of lanes that are served together, the bank of which most different words are
 * wanted. */
static uint32_t cycles_by_definition(const struct mnp_record *record, const uint64_t *words, uint32_t width,
                                     uint32_t banks, bool atomic)
{
    uint64_t addresses[MNP_WARP_SIZE], list[MNP_WARP_SIZE][4];
    mnp_expand_addresses(record, words, addresses);
    uint32_t group = width == 16 ? 8 : width == 8 ? 16 : 32, each = width > 4 ? width / 4 : 1, sum = 0, place = 0;
    for (uint32_t first = 0; first < MNP_WARP_SIZE; first += group) {
        uint32_t worst = 0, count[64] = {0}, lanes = 0;
        for (uint32_t lane = first; lane < first + group; lane++) {
            if (!(record->mask >> lane & 1))
                continue;
            for (uint32_t k = 0; k < each; k++) {
                uint64_t word = list[lanes][k] = addresses[place] / 4 + k;
                bool old = false;
                for (uint32_t i = 0; i < lanes * each && !atomic; i++)
                    old |= list[i / each][i % each] == word;
                count[word % banks] += !old;
                worst = count[word % banks] > worst ? count[word % banks] : worst;
            }
            lanes++;
            place++;
        }
        sum += worst;
    }
    return sum ? sum : 1;
}

static void test_shared_by_definition(void **state)
{
    (void)state;
    static const uint32_t widths[] = {1, 2, 4, 8, 16}, banks[] = {1, 16, 24, 32, 33, 64};
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 60000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t dice = (uint32_t)(seed >> 32), width = widths[dice % 5], wanted = banks[dice / 8 % 6];
        bool list = dice >> 8 & 1, atomic = (dice >> 9 & 7) == 0;
        struct mnp_record record = {.mask = dice >> 12 & 1 ? UINT32_MAX : (uint32_t)seed, .address_words = 2};
        uint64_t words[MNP_WARP_SIZE] = {dice >> 13 & 0xff, (uint64_t)width * (dice >> 21 & 15)};
        if (list) {
            record.record_flags = MNP_RECORD_LIST;
            record.address_words = (uint8_t)__builtin_popcount(record.mask);
            for (uint32_t k = 0; k < MNP_WARP_SIZE; k++)
                words[k] = seed >> (k % 24) & 0x7ff & ~(uint64_t)(width - 1);
        }
        if (record.mask)
            assert_int_equal(sm_shared_cycles(&record, words, width, wanted, atomic),
                             cycles_by_definition(&record, words, width, wanted, atomic));
    }
}

/* What is remembered is what is counted: patterns that come again, and others that share their places. */
static void test_remembered_conflicts(void **state)
{
    (void)state;
    static const uint32_t banks[] = {24, 32};
    struct sm_conflicts *kept = calloc(sizeof banks / sizeof *banks, sizeof *kept);
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 40000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t dice = (uint32_t)(seed >> 32), width = 1u << dice % 5, which = dice >> 3 & 1;
        bool atomic = (dice >> 9 & 3) == 0;
        uint64_t base = dice >> 12 & 0xff, pattern = (dice >> 24) * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t words[MNP_WARP_SIZE] = {0};
        struct mnp_record record = {.mask = dice & 1u << 20 ? UINT32_MAX : 0x0f0ff00f, .address_words = 2};
        uint32_t lanes = (uint32_t)__builtin_popcount(record.mask);
        if (dice >> 21 & 1) { /* one of 256 lists, moved; one in 16 has lanes that lie far apart */
            for (uint32_t k = 0; k < lanes; k++)
                words[k] = base + (pattern >> (k % 24) & 0x7ff) + (dice >> 28 ? 0 : (uint64_t)k << 33);
            record.record_flags = MNP_RECORD_LIST;
            record.address_words = (uint8_t)lanes;
            if (dice >> 22 & 1)
                mnp_pack_addresses(&record, words, lanes);
        } else {
            words[0] = base;
            words[1] = pattern >> 50;
        }
        assert_int_equal(sm_conflicts_cycles(&kept[which], &record, words, width, banks[which], atomic),
                         cycles_by_definition(&record, words, width, banks[which], atomic));
    }
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_accesses),      cmocka_unit_test(test_gathered),
        cmocka_unit_test(test_gathered_rows),        cmocka_unit_test(test_unit_stride),
        cmocka_unit_test(test_dense_as_list),        cmocka_unit_test(test_shared_cycles),
        cmocka_unit_test(test_shared_by_definition), cmocka_unit_test(test_remembered_conflicts),
    };
    return cmocka_run_group_tests_name("gpu coalesce", tests, NULL, NULL);
}
