// SPDX-License-Identifier: BSD-3-Clause
// Cells of the heart after D. Noble (1962): the membrane's voltage and three gates, integrated by Runge and Kutta's method
// of fourth order, one cell for each thread. Cells differ in the conductance of their potassium channels.
#include "common/device.h"

struct cell {
    float v, m, h, n;
};

static __device__ float gate(float open, float close, float now)
{
    return open * (1.0f - now) - close * now;
}

static __device__ cell slope(cell c, float potassium)
{
    cell s;
    float v = c.v, current = (400.0f * c.m * c.m * c.m * c.h + 0.14f) * (v - 40.0f);
    float rectified = 1.2f * exp_approx((-v - 90.0f) / 50.0f) + 0.015f * exp_approx((v + 90.0f) / 60.0f);
    current += (potassium * rectified + 1.2f * c.n * c.n * c.n * c.n) * (v + 100.0f) + 0.075f * (v + 60.0f);
    s.v = -current / 12.0f;
    s.m = gate(0.1f * (-v - 48.0f) / (exp_approx((-v - 48.0f) / 15.0f) - 1.0f),
               0.12f * (v + 8.0f) / (exp_approx((v + 8.0f) / 5.0f) - 1.0f), c.m);
    s.h = gate(0.17f * exp_approx((-v - 90.0f) / 20.0f), 1.0f / (exp_approx((-v - 42.0f) / 10.0f) + 1.0f), c.h);
    s.n = gate(0.0001f * (-v - 50.0f) / (exp_approx((-v - 50.0f) / 10.0f) - 1.0f),
               0.002f * exp_approx((-v - 90.0f) / 80.0f), c.n);
    return s;
}

static __device__ cell after(cell c, cell s, float time)
{
    c.v += time * s.v;
    c.m += time * s.m;
    c.h += time * s.h;
    c.n += time * s.n;
    return c;
}

extern "C" __global__ void myocyte(float *cells, const float *potassium, u32 count, u32 steps, float time)
{
    u32 i = GLOBAL_X;
    if (i >= count)
        return;
    float *at = cells + 4 * i, k = potassium[i];
    cell c;
    c.v = at[0];
    c.m = at[1];
    c.h = at[2];
    c.n = at[3];
    for (u32 step = 0; step < steps; step++) {
        cell a = slope(c, k), b = slope(after(c, a, time / 2), k), d = slope(after(c, b, time / 2), k);
        cell e = slope(after(c, d, time), k);
        c = after(after(after(after(c, a, time / 6), b, time / 3), d, time / 3), e, time / 6);
    }
    at[0] = c.v;
    at[1] = c.m;
    at[2] = c.h;
    at[3] = c.n;
}
