// SPDX-License-Identifier: BSD-3-Clause
// A step of a layer of long short-term memory: four sums for each unit, by a block that adds up in a tree, and what
// follows from them for the unit's memory and output.
#include "common/device.h"

enum { BLOCK = 64 };

static __device__ float sigmoid(float x)
{
    return 1.0f / (1.0f + exp_approx(-x));
}

extern "C" __global__ void rnn(const float *weights, const float *biases, const float *inputs, const float *memory,
                               float *new_memory, float *outputs, u32 length, u32 units)
{
    __shared__ float part[4][BLOCK];
    u32 unit = blockIdx.x, sample = blockIdx.y, thread = threadIdx.x;
    const float *input = inputs + sample * length;
    for (u32 gate = 0; gate < 4; gate++) {
        const float *row = weights + (gate * units + unit) * length;
        float sum = 0;
        for (u32 i = thread; i < length; i += BLOCK)
            sum += row[i] * input[i];
        part[gate][thread] = sum;
    }
    for (u32 half = BLOCK / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            for (u32 gate = 0; gate < 4; gate++)
                part[gate][thread] += part[gate][thread + half];
    }
    if (thread)
        return;
    float in = sigmoid(part[0][0] + biases[unit]), keep = sigmoid(part[1][0] + biases[units + unit]);
    float out = sigmoid(part[2][0] + biases[2 * units + unit]), fresh = tanh_approx(part[3][0] + biases[3 * units + unit]);
    u32 at = sample * units + unit;
    float now = keep * memory[at] + in * fresh;
    new_memory[at] = now;
    outputs[at] = out * tanh_approx(now);
}
