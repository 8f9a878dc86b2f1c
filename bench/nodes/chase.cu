/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependent loads of GPU 0 from the memory of GPU 1, one line of 128 bytes after another, and from its own. Usage: chase
 * [BYTES [LOADS]]; prints nanoseconds of a load, of the second time that all lines are read. Checks where it has come to. */
#include "check.h"

#include <cstdio>
#include <cstdlib>

struct line {
    const line *next;
    char rest[120];
};

__global__ void chase(const line *at, int loads, const line **end)
{
    for (int i = 0; i < loads; i++)
        at = at->next;
    *end = at;
}

/* Nanoseconds of a load where the lines lie on device `home`. */
static double measure(int home, size_t bytes, int loads)
{
    int count = (int)(bytes / sizeof(line));
    line *lines, *host = (line *)calloc(count, sizeof(line));
    const line **end, *last;
    cudaEvent_t begin, done;
    float ms;
    CHECK(cudaSetDevice(home));
    CHECK(cudaMalloc(&lines, bytes));
    for (int i = 0; i < count; i++)
        host[i].next = lines + (i + 1) % count;
    CHECK(cudaMemcpy(lines, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&end, sizeof *end));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&done));
    float times[2];
    for (int part = 0; part < 2; part++) { /* the second kernel follows `loads` more lines */
        chase<<<1, 1>>>(lines, count, end); /* the home's L2 holds them */
        CHECK(cudaEventRecord(begin));
        chase<<<1, 1>>>(lines, (part + 1) * loads, end);
        CHECK(cudaEventRecord(done));
        CHECK(cudaEventSynchronize(done));
        CHECK(cudaEventElapsedTime(&ms, begin, done));
        times[part] = ms;
    }
    CHECK(cudaMemcpy(&last, end, sizeof last, cudaMemcpyDeviceToHost));
    if (last != lines + 2 * loads % count) {
        printf("wrong\n");
        exit(1);
    }
    free(host);
    return 1e6 * (times[1] - times[0]) / loads;
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? strtoull(argv[1], 0, 0) : 1 << 20;
    int loads = argc > 2 ? atoi(argv[2]) : 2000;
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    printf("own memory: %.1f ns\n", measure(0, bytes, loads));
    printf("the other GPU's memory: %.1f ns\n", measure(1, bytes, loads));
    return 0;
}
