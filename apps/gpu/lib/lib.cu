// SPDX-License-Identifier: BSD-3-Clause
// The LIBOR market model of Brace, Gatarek and Musiela: forward rates walk at random from maturity to maturity, and a
// portfolio of swaptions is worth what is left when they have arrived. A thread makes one path; its rates are an array.
#include "common/device.h"

enum { RATES = 40, MATURITIES = 20, SWAPTIONS = 15 };

extern "C" __constant__ float lib_volatility[RATES] = {};
extern "C" __constant__ float lib_strike[SWAPTIONS] = {};
extern "C" __constant__ u32 lib_length[SWAPTIONS] = {};

extern "C" __global__ void lib(const float *normal, float *values, u32 paths, float period, float start)
{
    u32 path = GLOBAL_X;
    if (path >= paths)
        return;
    float rates[RATES], bonds[RATES - MATURITIES], sums[RATES - MATURITIES];
    for (u32 i = 0; i < RATES; i++)
        rates[i] = start;
    float root = sqrt_rn(period);
    for (u32 now = 0; now < MATURITIES; now++) {
        float shock = root * normal[now * paths + path], drift = 0;
        for (u32 i = now + 1; i < RATES; i++) {
            float volatility = lib_volatility[i - now - 1], scaled = period * volatility;
            drift += scaled * rates[i] / (1.0f + period * rates[i]);
            rates[i] *= exp_approx(volatility * drift + volatility * (shock - 0.5f * scaled));
        }
    }
    float bond = 1, sum = 0, value = 0;
    for (u32 i = MATURITIES; i < RATES; i++) {
        bond /= 1.0f + period * rates[i];
        sum += period * bond;
        bonds[i - MATURITIES] = bond;
        sums[i - MATURITIES] = sum;
    }
    for (u32 i = 0; i < SWAPTIONS; i++) {
        u32 last = lib_length[i] - 1;
        float worth = 1.0f - bonds[last] - lib_strike[i] * sums[last];
        value += worth > 0.0f ? 100.0f * worth : 0.0f;
    }
    for (u32 i = 0; i < MATURITIES; i++)
        value /= 1.0f + period * rates[i];
    values[path] = value;
}
