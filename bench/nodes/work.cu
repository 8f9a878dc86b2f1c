/* SPDX-License-Identifier: BSD-3-Clause */
/* Work without communication: work GPUS TIMES. Each of the first GPUS GPUs multiplies and adds over its own 16 MiB,
 * TIMES times, side by side. Prints whether the answers are right. */
#include "check.h"

enum { COUNT = 4 << 20, MOST = 16 };

__global__ void step(float *x, int times)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    for (int t = 0; t < times; t++)
        value = value * 0.5f + 1.0f;
    x[i] = value;
}

int main(int argc, char **argv)
{
    int gpus = argc > 1 ? atoi(argv[1]) : 1, times = argc > 2 ? atoi(argv[2]) : 1;
    float *x[MOST], first;
    int wrong = 0;
    for (int d = 0; d < gpus && d < MOST; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc(&x[d], COUNT * sizeof(float)));
        CHECK(cudaMemset(x[d], 0, COUNT * sizeof(float)));
    }
    for (int t = 0; t < times; t++)
        for (int d = 0; d < gpus && d < MOST; d++) {
            CHECK(cudaSetDevice(d));
            step<<<COUNT / 256, 256>>>(x[d], 16);
        }
    for (int d = 0; d < gpus && d < MOST; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&first, x[d] + COUNT - 1, sizeof first, cudaMemcpyDeviceToHost));
        wrong += !(first > 1.99f && first <= 2.0f);
    }
    printf("%d GPUs: %d wrong\n", gpus, wrong);
    return wrong != 0;
}
