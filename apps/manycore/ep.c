/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel EP of the NAS parallel benchmarks: pairs of numbers from the benchmark's linear congruential generator
 * (a = 5^13, modulus 2^46, seed 271828183) that lie in the unit circle become pairs of normally distributed numbers by
 * Marsaglia's polar method; their sums and the number in each square annulus are the result. Double precision in
 * software. Pairs are shared out statically, each core jumps to its own. Argument: logarithm of the number of pairs
 * (18; from 6 to 24, what is beyond counts as these). The check: counts and sums computed by an independent program;
 * those of 24 are also the ones that the benchmark's class S is verified with.
 */
#include "manycore.h"

enum { LEAST = 6, USUAL = 18, MOST = 24, ANNULI = 6 };
#define MULTIPLIER UINT64_C(1220703125)
#define MODULUS_BITS 46
#define SCALE 17592186044416.0 /* 2^44: sums are kept as whole numbers, whose order does not matter */

static const struct answer {
    uint32_t logarithm;
    double x, y;
    uint32_t counts[ANNULI];
} answers[] = {
    {6, 1.066675520104e+00, -4.880510351821e-01, {22, 22, 7, 1, 0, 0}},
    {7, -9.877053448705e+00, 1.319927053933e+00, {50, 50, 10, 1, 0, 0}},
    {8, -9.836968663257e+00, -1.946572674349e+00, {97, 86, 22, 1, 0, 0}},
    {9, -3.492604683073e+00, 1.129982523702e+01, {198, 163, 42, 4, 0, 0}},
    {10, -9.737766813274e+00, -6.702256572472e+00, {372, 344, 72, 8, 0, 0}},
    {11, -5.034619045037e+01, 4.874268709767e+01, {728, 729, 146, 12, 0, 0}},
    {12, -1.088663595302e+02, 6.747355257977e+01, {1468, 1413, 280, 16, 1, 0}},
    {13, -6.289100239498e+00, 1.285232066564e+02, {2973, 2831, 537, 34, 1, 0}},
    {14, 1.255433926160e+02, 1.333625468340e+02, {6050, 5583, 1103, 62, 1, 0}},
    {15, 9.517754754486e+01, -2.170466212584e+01, {12041, 11267, 2208, 125, 4, 0}},
    {16, 7.772321454196e+01, 2.790554015472e+01, {24010, 22707, 4297, 265, 6, 0}},
    {17, 6.506990105122e+01, -1.341716322702e+02, {47925, 45670, 8534, 520, 7, 0}},
    {18, 1.873198969612e+02, -3.797408336054e+02, {96200, 91230, 16950, 1056, 22, 0}},
    {19, 3.776455003569e+02, 1.626276842673e+01, {192220, 182753, 34304, 2122, 50, 0}},
    {20, 6.741650709778e+02, -1.508139842420e+02, {384310, 366072, 68758, 4318, 103, 0}},
    {21, -6.587035127850e+02, -1.025528696500e+03, {767376, 732914, 137682, 8722, 213, 0}},
    {22, 2.955203522464e+01, -1.959796076774e+03, {1534596, 1465507, 275818, 17188, 423, 5}},
    {23, -8.018784539370e+02, -5.083561080174e+03, {3069581, 2931822, 551019, 34327, 821, 11}},
    {24, -3.247834652035e+03, -6.958407078383e+03, {6140517, 5865300, 1100361, 68546, 1648, 17}},
};

union bits {
    double number;
    uint64_t word;
};

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return a * b & ((UINT64_C(1) << MODULUS_BITS) - 1);
}

/* The generator's state after so many numbers. */
static uint64_t state_after(uint32_t numbers)
{
    uint64_t state = 271828183, power = MULTIPLIER;
    for (; numbers; numbers >>= 1, power = multiply(power, power))
        if (numbers & 1)
            state = multiply(state, power);
    return state;
}

/* The natural logarithm of 0 < x <= 1: of the mantissa m in [√½, √2) as 2·atanh((m - 1)/(m + 1)). */
static double logarithm(double x)
{
    union bits bits = {.number = x};
    int32_t exponent = (int32_t)(bits.word >> 52) - 1023;
    bits.word = (bits.word & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    if (bits.number > 1.4142135623730951) {
        bits.number *= 0.5;
        exponent++;
    }
    double s = (bits.number - 1.0) / (bits.number + 1.0), square = s * s, sum = 1.0 / 21;
    static const double terms[] = {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                                   1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    for (uint32_t i = 0; i < sizeof terms / sizeof *terms; i++)
        sum = sum * square + terms[i];
    return 2.0 * s * sum + exponent * 0.6931471805599453;
}

/* 1/√x by Newton's method, from half the exponent and a straight line through the mantissa. */
static double inverse_root(double x)
{
    union bits bits = {.number = x};
    bits.word = UINT64_C(0x5FE6EC85E7DE30DA) - (bits.word >> 1);
    double half = 0.5 * x, y = bits.number;
    for (uint32_t i = 0; i < 5; i++)
        y = y * (1.5 - half * y * y);
    return y;
}

static double absolute(double x)
{
    return x < 0 ? -x : x;
}

/* A pair within the circle: sums[0] and [1] of its two numbers, two counts in each later value. */
static void take_pair(double x, double y, double t, uint64_t *sums)
{
    double square = -2.0 * logarithm(t) / t, factor = square > 0 ? square * inverse_root(square) : 0;
    double u = x * factor, v = y * factor, most = absolute(u) > absolute(v) ? absolute(u) : absolute(v);
    uint32_t annulus = (uint32_t)most;
    sums[0] += (uint64_t)(int64_t)(u * SCALE);
    sums[1] += (uint64_t)(int64_t)(v * SCALE);
    if (annulus < ANNULI)
        sums[2 + annulus / 2] += UINT64_C(1) << annulus % 2 * 32;
}

static bool check(uint32_t wanted, const uint64_t *sums)
{
    const struct answer *answer = &answers[wanted - LEAST];
    bool right = absolute((double)(int64_t)sums[0] / SCALE - answer->x) < 1e-7 &&
                 absolute((double)(int64_t)sums[1] / SCALE - answer->y) < 1e-7;
    for (uint32_t i = 0; i < ANNULI; i++)
        right = right && (uint32_t)(sums[2 + i / 2] >> i % 2 * 32) == answer->counts[i];
    return right;
}

int mc_main(void)
{
    uint32_t wanted = mc_argument(1, USUAL), from, to;
    uint64_t sums[2 + ANNULI / 2] = {0};
    wanted = wanted < LEAST ? LEAST : wanted > MOST ? MOST : wanted;
    mc_share(1u << wanted, &from, &to);
    uint64_t state = state_after(2 * from);
    for (uint32_t pair = from; pair < to; pair++) {
        double number[2];
        for (uint32_t i = 0; i < 2; i++) {
            state = multiply(state, MULTIPLIER);
            number[i] = (double)state * (2.0 / 70368744177664.0) - 1.0; /* of 2^46 */
        }
        double t = number[0] * number[0] + number[1] * number[1];
        if (t <= 1.0)
            take_pair(number[0], number[1], t, sums);
    }
    mc_sum(sums, 2 + ANNULI / 2);
    return mc_conclude("NAS EP", mc_core() != 0 || check(wanted, sums));
}
