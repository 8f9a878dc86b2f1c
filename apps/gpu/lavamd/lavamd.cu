// SPDX-License-Identifier: BSD-3-Clause
// Particles in boxes, which act on those in their own box and the 26 around it, in double precision: the potential
// q exp(-2 alpha^2 r^2), and the force that follows from it. Four numbers for each particle: place and charge.
#include "common/device.h"

enum { MOST = 128 };

// exp of a number that is not positive: by 2^n and a polynomial for what is left, within 1e-12 of it.
static __device__ double exp_double(double x)
{
    if (x < -700.0)
        return 0.0;
    int n = (int)(x * 1.4426950408889634 - 0.5);
    double r = x - n * 0.6931471805599453, sum = 1.0;
#pragma unroll
    for (int i = 12; i; i--)
        sum = 1.0 + sum * r * (1.0 / i);
    double scale;
    asm("mov.b64 %0, %1;" : "=d"(scale) : "l"((u64)(1023 + n) << 52));
    return sum * scale;
}

extern "C" __global__ void lavamd(const double *particles, double *forces, int boxes, u32 each, double alpha)
{
    __shared__ double near[4 * MOST];
    int bx = (int)blockIdx.x, by = (int)blockIdx.y, bz = (int)blockIdx.z;
    u32 thread = threadIdx.x, home = (u32)((bz * boxes + by) * boxes + bx);
    const double *mine = particles + 4 * (home * each + thread);
    double x = 0, y = 0, z = 0, potential = 0, fx = 0, fy = 0, fz = 0, factor = 2.0 * alpha * alpha;
    if (thread < each) {
        x = mine[0];
        y = mine[1];
        z = mine[2];
    }
    for (int neighbour = 0; neighbour < 27; neighbour++) {
        int nx = bx + neighbour % 3 - 1, ny = by + neighbour / 3 % 3 - 1, nz = bz + neighbour / 9 - 1;
        if (nx < 0 || ny < 0 || nz < 0 || nx >= boxes || ny >= boxes || nz >= boxes)
            continue;
        u32 start = 4 * (u32)((nz * boxes + ny) * boxes + nx) * each;
        __syncthreads();
        for (u32 i = thread; i < 4 * each; i += MOST)
            near[i] = particles[start + i];
        __syncthreads();
        for (u32 i = 0; thread < each && i < each; i++) {
            double dx = x - near[4 * i], dy = y - near[4 * i + 1], dz = z - near[4 * i + 2];
            double action = near[4 * i + 3] * exp_double(-factor * (dx * dx + dy * dy + dz * dz));
            potential += action;
            fx += 2.0 * factor * action * dx;
            fy += 2.0 * factor * action * dy;
            fz += 2.0 * factor * action * dz;
        }
    }
    if (thread >= each)
        return;
    double *to = forces + 4 * (home * each + thread);
    to[0] = potential;
    to[1] = fx;
    to[2] = fy;
    to[3] = fz;
}
