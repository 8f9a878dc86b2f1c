// SPDX-License-Identifier: BSD-3-Clause
// A layer of 16 neurons that learns. Forward: a block takes 16 inputs, multiplies them by their weights, and adds up over
// the inputs in a tree. Back: weights change by what the neuron's error and the input say, and a part of the last change.
#include "common/device.h"

enum { HIDDEN = 16 };

extern "C" __global__ void backprop_forward(const float *inputs, const float *weights, float *sums)
{
    __shared__ float input[HIDDEN], product[HIDDEN][HIDDEN];
    u32 neuron = threadIdx.x, i = threadIdx.y, first = blockIdx.x * HIDDEN;
    if (neuron == 0)
        input[i] = inputs[first + i];
    __syncthreads();
    product[i][neuron] = weights[(first + i) * HIDDEN + neuron] * input[i];
    for (u32 half = HIDDEN / 2; half; half /= 2) {
        __syncthreads();
        if (i < half)
            product[i][neuron] += product[i + half][neuron];
    }
    if (i == 0)
        sums[blockIdx.x * HIDDEN + neuron] = product[0][neuron];
}

extern "C" __global__ void backprop_adjust(const float *inputs, const float *errors, float *weights, float *changes)
{
    u32 neuron = threadIdx.x, i = blockIdx.x * HIDDEN + threadIdx.y, at = i * HIDDEN + neuron;
    float change = 0.3f * errors[neuron] * inputs[i] + 0.3f * changes[at];
    weights[at] += change;
    changes[at] = change;
}
