/* SPDX-License-Identifier: BSD-3-Clause */
/* Jumps in the sequences of XORWOW (linear over bits) and MRG32k3a (linear over numbers), and Sobol's directions. */
#include "mathlib/rand/jump.h"

#include <stdlib.h>
#include <string.h>

/* ===== XORWOW: five words of xorshift, as a matrix over bits, and a counter ===== */

enum { BITS = 160, WORDS = 5 };
/* row i: the next state of a generator in which only bit i is set (the step is linear over GF(2)) */
typedef uint32_t matrix[BITS][WORDS];

static void apply(const matrix *m, uint32_t *state)
{
    uint32_t result[WORDS] = {0};
    for (int i = 0; i < BITS; i++)
        if (state[i / 32] >> i % 32 & 1)
            for (int w = 0; w < WORDS; w++)
                result[w] ^= (*m)[i][w];
    memcpy(state, result, sizeof result);
}

static void step(uint32_t *v)
{
    uint32_t t = v[0] ^ v[0] >> 2;
    memmove(v, v + 1, 4 * sizeof *v);
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
}

/* Squares a matrix: the result performs the step of `m` twice. */
static void square(matrix *m, matrix *spare)
{
    memcpy(spare, m, sizeof *m);
    for (int i = 0; i < BITS; i++)
        apply((const matrix *)spare, (*m)[i]);
}

static void one_step(matrix *m)
{
    for (int i = 0; i < BITS; i++) {
        uint32_t *row = (*m)[i];
        memset(row, 0, sizeof(*m)[i]);
        row[i / 32] = UINT32_C(1) << i % 32;
        step(row);
    }
}

bool rand_jump_xorwow(uint32_t *states, uint64_t seed, uint64_t done)
{
    matrix *m = malloc(2 * sizeof *m);
    if (!m)
        return false;
    /* Seeding as in cuRAND's public header. */
    uint32_t s0 = (uint32_t)seed ^ UINT32_C(0xaad26b49), s1 = (uint32_t)(seed >> 32) ^ UINT32_C(0xf7dcefdd);
    uint32_t t0 = UINT32_C(1099087573) * s0, t1 = UINT32_C(2591861531) * s1;
    uint32_t counter = UINT32_C(6615241) + t1 + t0;
    uint32_t v[WORDS] = {UINT32_C(123456789) + t0, UINT32_C(362436069) ^ t0, UINT32_C(521288629) + t1,
                         UINT32_C(88675123) ^ t1, UINT32_C(5783321) + t0};
    one_step(m);
    for (int bit = 0; bit < 67; bit++) {
        if (done >> bit % 64 & 1 && bit < 64)
            apply((const matrix *)m, v);
        square(m, m + 1);
    }
    for (int i = 0; i < RAND_STREAMS; i++) { /* 2^67 times the counter's step is nothing in 32 bits */
        states[i * 6] = counter + UINT32_C(362437) * (uint32_t)done;
        memcpy(states + i * 6 + 1, v, sizeof v);
        apply((const matrix *)m, v);
    }
    free(m);
    return true;
}

/* ===== MRG32k3a: two matrices of three rows ===== */

typedef uint64_t three[3][3];

static void product(three to, const three a, const three b, uint64_t modulus)
{
    three result;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            uint64_t sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + a[i][k] * b[k][j] % modulus) % modulus;
            result[i][j] = sum;
        }
    memcpy(to, result, sizeof result);
}

static void advance(const three m, uint64_t *state, uint64_t modulus)
{
    uint64_t result[3];
    for (int i = 0; i < 3; i++) {
        result[i] = 0;
        for (int k = 0; k < 3; k++)
            result[i] = (result[i] + m[i][k] * state[k] % modulus) % modulus;
    }
    memcpy(state, result, sizeof result);
}

static void lay_out(uint32_t *states, three m, uint64_t *state, uint64_t modulus, uint64_t done)
{
    for (int bit = 0; bit < 76; bit++) {
        if (bit < 64 && done >> bit & 1)
            advance(m, state, modulus);
        product(m, m, m, modulus);
    }
    for (int i = 0; i < RAND_STREAMS; i++) {
        for (int k = 0; k < 3; k++)
            states[i * 6 + k] = (uint32_t)state[k];
        advance(m, state, modulus);
    }
}

void rand_jump_mrg(uint32_t *states, uint64_t seed, uint64_t done)
{
    const uint64_t m1 = 4294967087u, m2 = 4294944443u;
    three a = {{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}, b = {{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}};
    uint64_t s1[3] = {12345, 12345, 12345}, s2[3] = {12345, 12345, 12345};
    if (seed) { /* Seeding as in cuRAND's public header. */
        uint64_t x1 = (uint32_t)seed ^ UINT32_C(0x55555555), x2 = (uint32_t)(seed >> 32) ^ UINT32_C(0xAAAAAAAA);
        s1[0] = x1 * s1[0] % m1, s1[1] = x2 * s1[1] % m1, s1[2] = x1 * s1[2] % m1;
        s2[0] = x2 * s2[0] % m2, s2[1] = x1 * s2[1] % m2, s2[2] = x2 * s2[2] % m2;
    }
    lay_out(states, a, s1, m1, done);
    lay_out(states + 3, b, s2, m2, done);
}

/* ===== Sobol ===== */

bool rand_directions(int dimension, int bits, uint64_t *vectors)
{
    /* Degree, inner coefficients of the polynomial, first numbers. */
    static const struct {
        unsigned char degree, inner, first[7];
    } rows[] = {{1, 0, {1}},
                {2, 1, {1, 3}},
                {3, 1, {1, 3, 1}},
                {3, 2, {1, 1, 1}},
                {4, 1, {1, 1, 3, 3}},
                {4, 4, {1, 3, 5, 13}},
                {5, 2, {1, 1, 5, 5, 17}},
                {5, 4, {1, 1, 5, 5, 5}},
                {5, 7, {1, 1, 7, 11, 19}},
                {5, 11, {1, 1, 5, 1, 1}},
                {5, 13, {1, 1, 1, 3, 11}},
                {5, 14, {1, 3, 5, 5, 31}},
                {6, 1, {1, 3, 3, 9, 7, 49}},
                {6, 13, {1, 1, 1, 15, 21, 21}},
                {6, 16, {1, 3, 1, 13, 27, 49}},
                {6, 19, {1, 1, 1, 15, 7, 5}},
                {6, 22, {1, 3, 1, 15, 13, 25}},
                {6, 25, {1, 1, 5, 5, 19, 61}},
                {7, 1, {1, 3, 7, 11, 23, 15, 103}}};
    if (dimension < 0 || dimension > (int)(sizeof rows / sizeof *rows))
        return false;
    for (int i = 0; i < bits; i++) {
        if (dimension == 0) {
            vectors[i] = UINT64_C(1) << (bits - 1 - i);
            continue;
        }
        int s = rows[dimension - 1].degree, a = rows[dimension - 1].inner;
        if (i < s) {
            vectors[i] = (uint64_t)rows[dimension - 1].first[i] << (bits - 1 - i);
            continue;
        }
        vectors[i] = vectors[i - s] ^ vectors[i - s] >> s;
        for (int k = 1; k < s; k++)
            if (a >> (s - 1 - k) & 1)
                vectors[i] ^= vectors[i - k];
    }
    return true;
}
