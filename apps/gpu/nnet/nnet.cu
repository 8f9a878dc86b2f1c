// SPDX-License-Identifier: BSD-3-Clause
// A network that reads digits: two layers of convolutions of 5 x 5 with a stride of 2, and two in which every neuron sees
// all values. A neuron's weights begin with its bias.
#include "common/device.h"

static __device__ float activation(float x)
{
    return 1.7159f * tanh_approx(0.66666667f * x);
}

// A block makes one map of one image.
extern "C" __global__ void nnet_convolution(const float *from, float *to, const float *weights, u32 maps, u32 size)
{
    u32 map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y, width = blockDim.x;
    const float *row = weights + map * (1 + 25 * maps), *input = from + image * maps * size * size;
    float sum = *row++;
    for (u32 i = 0; i < maps; i++, input += size * size)
        for (u32 dy = 0; dy < 5; dy++)
            for (u32 dx = 0; dx < 5; dx++)
                sum += *row++ * input[(2 * y + dy) * size + 2 * x + dx];
    to[((image * gridDim.x + map) * width + y) * width + x] = activation(sum);
}

// A block makes one neuron of one image.
extern "C" __global__ void nnet_full(const float *from, float *to, const float *weights, u32 inputs)
{
    __shared__ float part[64];
    u32 neuron = blockIdx.x, image = blockIdx.y, thread = threadIdx.x;
    const float *row = weights + neuron * (inputs + 1);
    float sum = 0;
    for (u32 i = thread; i < inputs; i += 64)
        sum += row[i + 1] * from[image * inputs + i];
    part[thread] = sum;
    for (u32 half = 32; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            part[thread] += part[thread + half];
    }
    if (thread == 0)
        to[image * gridDim.x + neuron] = activation(part[0] + row[0]);
}
