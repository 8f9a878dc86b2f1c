/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices give the same bits at all levels of the host's processor, and those of plain loops. */
#include "execute/code/op.h"
#include "execute/lanes/products.h"
#include "execute/lanes/soft_float.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 32, K = 32, ROWS = EXECUTE_PRODUCT_ROWS };

static uint32_t random_word(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* Numbers of all kinds: small and large ones, infinity and NaN now and then. */
static float random_number(uint64_t *state, bool odd)
{
    uint32_t bits = random_word(state);
    float value;
    bits = odd && bits % 61 == 0 ? 0x7f800000 | (bits & 0x80000001) : (bits & 0x83ffffff) | 0x3c000000;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Of few bits, zeros of both signs among them, or, where products are not exact, so small that many vanish. */
static float small_number(uint64_t *state, bool exact)
{
    uint32_t word = random_word(state);
    float value = (float)((int32_t)(word >> 8 & 31) - 15) * (exact ? 0.25f : 0x1.000fp-72f);
    return word & 1 ? -value : value;
}

static void test_products(void **unused)
{
    (void)unused;
    const struct execute_product_table *tables[3] = {&execute_products_base, execute_products_best(), NULL};
    uint64_t state = 3;
    for (uint32_t round = 0; round < 20; round++) {
        static float a[K * ROWS], b[K * N], plain[N / 2][32], sums[N / 2][32];
        float *registers[N / 2];
        for (uint32_t i = 0; i < K * ROWS; i++)
            a[i] = random_number(&state, round % 4 == 3);
        for (uint32_t i = 0; i < K * N; i++)
            b[i] = random_number(&state, round % 4 == 3);
        float start[N / 2][32];
        for (uint32_t i = 0; i < N / 2 * 32; i++)
            start[i / 32][i % 32] = random_number(&state, false);
        for (uint32_t reg = 0; reg < N / 2; reg++)
            for (uint32_t lane = 0; lane < 32; lane++) {
                uint32_t row = lane / 4 + 8 * (reg / 2 % 2), place = reg / 4 * 8 + reg % 2 * 4 + lane % 4;
                float sum = start[reg][lane];
                for (uint32_t k = 0; k < K; k++)
                    sum += a[k * ROWS + row] * b[k * N + place];
                plain[reg][lane] = sum;
            }
        for (uint32_t t = 0; tables[t]; t++) {
            memcpy(sums, start, sizeof sums);
            for (uint32_t reg = 0; reg < N / 2; reg++)
                registers[reg] = sums[reg];
            tables[t]->multiply(registers, a, b, N, K, false);
            for (uint32_t i = 0; i < N / 2 * 32; i++) {
                float got = sums[i / 32][i % 32], expected = plain[i / 32][i % 32];
                assert_true(got == expected || (got != got && expected != expected));
            }
        }
    }
}

/* Sums of products of mma, bit by bit, signs of zeros included: one rounding for each product and sum. */
static void test_lines(void **unused)
{
    (void)unused;
    const struct execute_product_table *tables[3] = {&execute_products_base, execute_products_best(), NULL};
    const uint32_t lengths[] = {16, 32}, count = 8, depth = 16;
    uint64_t state = 7;
    for (uint32_t round = 0; round < 40; round++) {
        uint32_t length = lengths[round % 2];
        bool exact = round / 2 % 2;
        static float a[16 * 32], b[8 * 16], plain[8][32], sums[8][32];
        float *lines[8];
        for (uint32_t i = 0; i < 16 * 32; i++)
            a[i] = small_number(&state, exact);
        for (uint32_t i = 0; i < 8 * 16; i++)
            b[i] = small_number(&state, exact);
        for (uint32_t i = 0; i < count * length; i++) {
            float sum = plain[i / length][i % length] = small_number(&state, exact);
            for (uint32_t k = 0; k < depth; k++)
                sum = execute_soft_fma32(a[k * length + i % length], b[i / length * depth + k], sum);
            sums[i / length][i % length] = sum;
        }
        for (uint32_t t = 0; tables[t]; t++) {
            static float got[8][32];
            memcpy(got, plain, sizeof got);
            for (uint32_t i = 0; i < count; i++)
                lines[i] = got[i];
            tables[t]->multiply_lines(lines, a, length, b, (struct execute_product_pitch){.k = 1, .column = depth},
                                      count, depth, exact);
            for (uint32_t i = 0; i < count; i++)
                assert_memory_equal(got[i], sums[i], length * sizeof(float));
        }
    }
}

/* All halves; a NaN is one. */
static void test_halves(void **unused)
{
    (void)unused;
    const struct execute_product_table *tables[3] = {&execute_products_base, execute_products_best(), NULL};
    for (uint32_t first = 0; first < 0x10000; first += 64) {
        uint32_t words[32];
        for (uint32_t i = 0; i < 32; i++)
            words[i] = (first + 2 * i) | (first + 2 * i + 1) << 16;
        for (uint32_t t = 0; tables[t]; t++) {
            float got[64];
            tables[t]->halves(words, got);
            for (uint32_t i = 0; i < 64; i++) {
                uint32_t half = first + i, fraction = half & 1023, exponent = half >> 10 & 31;
                double value = exponent ? (fraction + 1024.0) * (double)(1u << (exponent - 1)) : fraction;
                double expected = (half >> 15 ? -value : value) / 16777216.0;
                if (exponent < 31)
                    assert_true((double)got[i] == expected && !signbit(got[i]) == !(half >> 15));
                else if (fraction)
                    assert_true(got[i] != got[i]);
                else
                    assert_true(isinf(got[i]) && !signbit(got[i]) == !(half >> 15));
            }
        }
    }
}

/* Eight chunks of every type of elements become the same numbers at all levels. */
static void test_widen(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    for (uint32_t round = 0; round < 400; round++) {
        unsigned char bytes[8][16];
        const unsigned char *chunks[8];
        uint8_t type = (uint8_t)(round % EXECUTE_WGMMA_B1);
        float base[256] = {0}, best[256] = {0};
        for (uint32_t i = 0; i < 8; i++) {
            chunks[i] = bytes[i];
            for (uint32_t k = 0; k < 16; k++)
                bytes[i][k] = (unsigned char)random_word(&state);
        }
        execute_products_base.widen(type, chunks, round & 16, base, 16);
        execute_products_best()->widen(type, chunks, round & 16, best, 16);
        assert_memory_equal(base, best, sizeof base);
        if (type > EXECUTE_WGMMA_BF16)
            continue;
        execute_products_base.widen_across(type, bytes[0], round & 16, base);
        execute_products_best()->widen_across(type, bytes[0], round & 16, best);
        assert_memory_equal(base, best, sizeof base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_halves), cmocka_unit_test(test_widen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
