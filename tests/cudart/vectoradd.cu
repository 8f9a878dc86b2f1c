// SPDX-License-Identifier: BSD-3-Clause
// The sum of two vectors, as everybody's first program has it. Built by timing.sh, where there is nvcc.
#include <cstdio>
#include <vector>

static __global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 50000;
    const size_t bytes = n * sizeof(float);
    std::vector<float> a(n), b(n), c(n);
    float *device[3], milliseconds;
    cudaEvent_t begin, end;
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    for (float *&each : device)
        cudaMalloc(&each, bytes);
    cudaMemcpy(device[0], a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(device[1], b.data(), bytes, cudaMemcpyHostToDevice);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    add<<<(n + 255) / 256, 256>>>(device[0], device[1], device[2], n);
    cudaEventRecord(end);
    cudaMemcpy(c.data(), device[2], bytes, cudaMemcpyDeviceToHost);
    cudaEventElapsedTime(&milliseconds, begin, end);
    for (int i = 0; i < n; i++)
        if (c[i] != a[i] + b[i])
            return 1;
    printf("right, %s, %.0f ns\n", cudaGetErrorName(cudaGetLastError()), milliseconds * 1e6);
}
