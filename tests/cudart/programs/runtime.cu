// SPDX-License-Identifier: BSD-3-Clause
// What programs use of the CUDA runtime, each part checking its own answer. `runtime PART` runs one part and ends with
// status 0 if it is right; `runtime list` names the parts.
// Kept built: nvcc 13.0.88, `nvcc -O2 -cudart shared -arch=compute_75 -Xlinker -s -o runtime runtime.cu`.
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int wrong;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s\n", __func__, __LINE__, #condition);                                                     \
            wrong = 1;                                                                                                 \
        }                                                                                                              \
    } while (0)
#define EXPECT(error, call) expect(__func__, __LINE__, #call, error, call)

static void expect(const char *part, int line, const char *call, cudaError_t wanted, cudaError_t got)
{
    if (wanted == got)
        return;
    printf("%s:%d: %s: %s instead of %s\n", part, line, call, cudaGetErrorName(got), cudaGetErrorName(wanted));
    wrong = 1;
}

static __global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static __global__ void fill(int *out, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value + i;
}

static __constant__ int factors[4] = {1, 2, 3, 4};
static __device__ int total;

static __global__ void scale(int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= factors[i % 4];
    if (i < n)
        atomicAdd(&total, values[i]);
}

static __global__ void reverse(int *values)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

static __managed__ int counter = 5, limits[3] = {1, 2, 3};

static __global__ void count(int by)
{
    counter += by;
    limits[2] = limits[0] + limits[1] + by;
}

static __global__ void sample(cudaTextureObject_t texture, float *out, int width, float offset)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<float>(texture, x + offset, y + 0.5f);
}

static __global__ void fetch(cudaTextureObject_t texture, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(texture, (int)threadIdx.x * 2);
}

static __global__ void stop()
{
    asm volatile("trap;");
}

static __global__ void misalign(char *at)
{
    *(int *)(at + 1) = 1;
}

static __global__ void __launch_bounds__(64) bounded(int *out)
{
    out[threadIdx.x] = 1;
}

static void vector_add()
{
    const int n = 50000;
    const size_t bytes = n * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes), *device[3];
    for (int i = 0; i < n; i++) {
        a[i] = i * 0.5f;
        b[i] = n - i;
    }
    for (int i = 0; i < 3; i++)
        EXPECT(cudaSuccess, cudaMalloc(&device[i], bytes));
    EXPECT(cudaSuccess, cudaMemcpy(device[0], a, bytes, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpy(device[1], b, bytes, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(device[0], device[1], device[2], n);
    EXPECT(cudaSuccess, cudaGetLastError());
    EXPECT(cudaSuccess, cudaMemcpy(c, device[2], bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(c[i] == a[i] + b[i]);
    for (int i = 0; i < 3; i++)
        EXPECT(cudaSuccess, cudaFree(device[i]));
}

static void symbols()
{
    int values[8] = {1, 1, 1, 1, 1, 1, 1, 1}, *device, sum = 100;
    const int seven = 7;
    void *address;
    size_t bytes;
    EXPECT(cudaSuccess, cudaMalloc(&device, sizeof values));
    EXPECT(cudaSuccess, cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpyToSymbol(factors, &seven, sizeof seven, 2 * sizeof(int)));
    EXPECT(cudaSuccess, cudaMemcpyToSymbol(total, &sum, sizeof sum));
    scale<<<1, 8>>>(device, 8);
    EXPECT(cudaSuccess, cudaMemcpyFromSymbol(&sum, total, sizeof sum));
    EXPECT(cudaSuccess, cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    CHECK(values[0] == 1 && values[1] == 2 && values[2] == 7 && values[3] == 4 && values[6] == 7);
    CHECK(sum == 100 + 2 * (1 + 2 + 7 + 4));
    EXPECT(cudaSuccess, cudaGetSymbolAddress(&address, total));
    EXPECT(cudaSuccess, cudaGetSymbolSize(&bytes, factors));
    CHECK(bytes == 16 && address);
    EXPECT(cudaErrorInvalidValue, cudaMemcpyToSymbol(total, &sum, sizeof sum, 4));
    EXPECT(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(wrong, &sum, sizeof sum));
}

static void memory()
{
    int *a, *b, host[64], back[64];
    size_t pitch, available, all, before;
    EXPECT(cudaSuccess, cudaMemGetInfo(&before, &all));
    EXPECT(cudaSuccess, cudaMalloc(&a, sizeof host));
    EXPECT(cudaSuccess, cudaMemGetInfo(&available, &all));
    CHECK(available == before - sizeof host && all >= before);
    EXPECT(cudaSuccess, cudaMemset(a, 0x11, sizeof host));
    EXPECT(cudaSuccess, cudaMemset(a + 2, 0, 8));
    EXPECT(cudaSuccess, cudaMalloc(&b, sizeof host));
    EXPECT(cudaSuccess, cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice));
    EXPECT(cudaSuccess, cudaMemcpy(back, b, sizeof host, cudaMemcpyDefault));
    CHECK(back[0] == 0x11111111 && back[2] == 0 && back[3] == 0 && back[63] == 0x11111111);
    EXPECT(cudaSuccess, cudaFree(a));
    EXPECT(cudaErrorInvalidValue, cudaFree(a));
    EXPECT(cudaErrorInvalidValue, cudaGetLastError());
    EXPECT(cudaSuccess, cudaGetLastError());
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(back, a, 4, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(back, b, sizeof host + 1, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(back, b, 4, (cudaMemcpyKind)7));
    EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&a, (size_t)1 << 45));
    CHECK(!a);
    EXPECT(cudaSuccess, cudaFree(0));
    EXPECT(cudaSuccess, cudaMallocPitch(&a, &pitch, 12, 5));
    CHECK(pitch >= 12 && pitch % 32 == 0);
    for (int i = 0; i < 15; i++)
        host[i] = i;
    memset(back, 0, sizeof back);
    EXPECT(cudaSuccess, cudaMemcpy2D(a, pitch, host, 12, 12, 5, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpy2D(back, 16, a, pitch, 12, 5, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 20; i++)
        CHECK(back[i] == (i % 4 == 3 ? 0 : i / 4 * 3 + i % 4));
}

static void managed()
{
    int *values, *pinned, *device;
    EXPECT(cudaSuccess, cudaMallocManaged(&values, 100000 * sizeof(int)));
    for (int i = 0; i < 100000; i++)
        values[i] = -1;
    fill<<<1000, 96>>>(values, 5, 96000);
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    for (int i = 0; i < 100000; i++)
        CHECK(values[i] == (i < 96000 ? i + 5 : -1));
    EXPECT(cudaSuccess, cudaMallocHost(&pinned, 1024));
    EXPECT(cudaSuccess, cudaHostGetDevicePointer(&device, pinned, 0));
    fill<<<1, 256>>>(device, 9, 256);
    EXPECT(cudaSuccess, cudaStreamSynchronize(0));
    CHECK(pinned[0] == 9 && pinned[255] == 264);
    cudaPointerAttributes about;
    EXPECT(cudaSuccess, cudaPointerGetAttributes(&about, values + 7));
    CHECK(about.type == cudaMemoryTypeManaged);
    EXPECT(cudaSuccess, cudaPointerGetAttributes(&about, &device));
    CHECK(about.type == cudaMemoryTypeUnregistered);
    EXPECT(cudaErrorInvalidValue, cudaFree(pinned));
    EXPECT(cudaSuccess, cudaFreeHost(pinned));
    EXPECT(cudaSuccess, cudaFree(values));
}

static void managed_variables()
{
    CHECK(counter == 5 && limits[1] == 2);
    counter = 100;
    limits[0] = 10;
    count<<<1, 1>>>(7);
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    CHECK(counter == 107 && limits[2] == 19);
    EXPECT(cudaErrorInvalidValue, cudaFree(&counter));
    EXPECT(cudaSuccess, cudaDeviceReset());
    count<<<1, 1>>>(1);
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    CHECK(counter == 6 && limits[2] == 4);
}

static void streams()
{
    const int n = 4096;
    cudaStream_t stream[3];
    cudaEvent_t event[3], begin, end;
    int *host, *device[3], polls = 0;
    float milliseconds = -1, whole;
    EXPECT(cudaSuccess, cudaMallocHost(&host, 3 * n * sizeof(int)));
    EXPECT(cudaSuccess, cudaEventCreate(&begin));
    EXPECT(cudaSuccess, cudaEventCreate(&end));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, begin, end));
    cudaGetLastError();
    EXPECT(cudaSuccess, cudaEventRecord(begin));
    for (int i = 0; i < 3; i++) {
        EXPECT(cudaSuccess, cudaStreamCreate(&stream[i]));
        EXPECT(cudaSuccess, cudaEventCreate(&event[i]));
        EXPECT(cudaSuccess, cudaMalloc(&device[i], n * sizeof(int)));
        fill<<<n / 128, 128, 0, stream[i]>>>(device[i], i * n, n);
        EXPECT(cudaSuccess, cudaMemcpyAsync(host + i * n, device[i], n * sizeof(int), cudaMemcpyDeviceToHost, stream[i]));
        EXPECT(cudaSuccess, cudaEventRecord(event[i], stream[i]));
    }
    EXPECT(cudaSuccess, cudaStreamWaitEvent(stream[0], event[2], 0));
    EXPECT(cudaErrorNotReady, cudaEventQuery(event[2]));
    EXPECT(cudaSuccess, cudaGetLastError());
    while (cudaEventQuery(event[2]) == cudaErrorNotReady)
        polls++;
    CHECK(polls > 0);
    EXPECT(cudaSuccess, cudaEventRecord(end));
    EXPECT(cudaSuccess, cudaEventSynchronize(end));
    EXPECT(cudaSuccess, cudaEventElapsedTime(&milliseconds, event[0], event[2]));
    EXPECT(cudaSuccess, cudaEventElapsedTime(&whole, begin, end));
    CHECK(milliseconds > 0 && whole > milliseconds);
    for (int i = 0; i < 3 * n; i++)
        CHECK(host[i] == i);
    for (int i = 0; i < 3; i++)
        EXPECT(cudaSuccess, cudaStreamDestroy(stream[i]));
    EXPECT(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream[0]));
    printf("%d polls, %.6f ms, %.6f ms\n", polls, milliseconds, whole);
}

static void device()
{
    cudaDeviceProp p;
    int count, value, sms;
    EXPECT(cudaSuccess, cudaGetDeviceCount(&count));
    CHECK(count == 1);
    EXPECT(cudaErrorInvalidDevice, cudaSetDevice(1));
    cudaGetLastError();
    EXPECT(cudaSuccess, cudaGetDeviceProperties(&p, 0));
    EXPECT(cudaSuccess, cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(cudaSuccess, cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0));
    CHECK(sms == p.multiProcessorCount && value == 1024 && p.maxThreadsPerBlock == 1024 && p.warpSize == 32);
    CHECK(p.sharedMemPerBlock == 49152 && p.major * 10 + p.minor >= 20 && p.maxGridSize[0] == 2147483647);
    printf("%s: sm_%d%d, %d SMs, %d threads and %zu bytes of shared memory each, %d bits, %d bytes of L2\n", p.name,
           p.major, p.minor, p.multiProcessorCount, p.maxThreadsPerMultiProcessor, p.sharedMemPerMultiprocessor,
           p.memoryBusWidth, p.l2CacheSize);
}

static void launches()
{
    int *out, values[1024], blocks;
    cudaFuncAttributes about;
    EXPECT(cudaSuccess, cudaMalloc(&out, sizeof values));
    fill<<<0, 32>>>(out, 0, 1);
    EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
    fill<<<1, 0>>>(out, 0, 1);
    EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
    fill<<<1, 1025>>>(out, 0, 1);
    EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
    fill<<<1, dim3(1, 1, 65)>>>(out, 0, 1);
    EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
    fill<<<dim3(1, 65536), 1>>>(out, 0, 1);
    EXPECT(cudaErrorInvalidConfiguration, cudaGetLastError());
    bounded<<<1, 65>>>(out);
    EXPECT(cudaErrorLaunchOutOfResources, cudaGetLastError());
    reverse<<<1, 256, 48 * 1024 + 4>>>(out);
    EXPECT(cudaErrorInvalidValue, cudaPeekAtLastError());
    EXPECT(cudaErrorInvalidValue, cudaGetLastError());
    EXPECT(cudaErrorInvalidValue, cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    EXPECT(cudaSuccess, cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    fill<<<4, 256>>>(out, 0, 1024);
    reverse<<<1, 1024, 60000>>>(out);
    EXPECT(cudaSuccess, cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1024; i++)
        CHECK(values[i] == 1023 - i);
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&about, bounded));
    CHECK(about.maxThreadsPerBlock == 64 && about.numRegs > 0 && about.sharedSizeBytes == 0);
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 1024, 0));
    CHECK(blocks >= 1);
    EXPECT(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&about, (const void *)launches));
    cudaGetLastError();
}

static void textures()
{
    const int width = 8, height = 4;
    float host[height][width], back[height][width], *out;
    int numbers[16], *device;
    cudaArray_t array;
    cudaTextureObject_t texture;
    cudaExtent extent;
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    for (int i = 0; i < width * height; i++)
        host[i / width][i % width] = i * i;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    EXPECT(cudaSuccess, cudaMalloc(&out, sizeof host));
    EXPECT(cudaSuccess, cudaMallocArray(&array, &channel, width, height));
    EXPECT(cudaSuccess, cudaArrayGetInfo(&channel, &extent, NULL, array));
    CHECK(extent.width == 8 && extent.height == 4 && extent.depth == 0 && channel.x == 32);
    EXPECT(cudaSuccess, cudaMemcpy2DToArray(array, 0, 0, host, width * 4, width * 4, height, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue,
           cudaMemcpy2DToArray(array, 4, 0, host, width * 4, width * 4, height, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpy2DFromArray(back, width * 4, array, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
    CHECK(memcmp(host, back, sizeof host) == 0);
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&texture, &what, &how, NULL));
    sample<<<1, dim3(width, height)>>>(texture, out, width, 2.5f); /* two to the right, clamped */
    EXPECT(cudaSuccess, cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        CHECK(back[i / width][i % width] == host[i / width][i % width + 2 < width ? i % width + 2 : width - 1]);
    EXPECT(cudaSuccess, cudaDestroyTextureObject(texture));
    how.filterMode = cudaFilterModeLinear;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&texture, &what, &how, NULL));
    sample<<<1, dim3(width, height)>>>(texture, out, width, 1.0f); /* between two texels */
    EXPECT(cudaSuccess, cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0][0] == 0.5f && back[1][2] == (100 + 121) / 2.0f);
    for (int i = 0; i < 16; i++)
        numbers[i] = 100 + i;
    EXPECT(cudaSuccess, cudaMalloc(&device, sizeof numbers));
    EXPECT(cudaSuccess, cudaMemcpy(device, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    memset(&what, 0, sizeof what);
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = device;
    what.res.linear.desc = cudaCreateChannelDesc<int>();
    what.res.linear.sizeInBytes = sizeof numbers;
    EXPECT(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&texture, &what, &how, NULL));
    how.filterMode = cudaFilterModePoint;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&texture, &what, &how, NULL));
    fetch<<<1, 8>>>(texture, (int *)out);
    EXPECT(cudaSuccess, cudaMemcpy(numbers, out, 32, cudaMemcpyDeviceToHost));
    CHECK(numbers[0] == 100 && numbers[3] == 106 && numbers[7] == 114);
    EXPECT(cudaSuccess, cudaFreeArray(array));
    EXPECT(cudaErrorInvalidValue, cudaFreeArray(array));
    channel.y = 16;
    EXPECT(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &channel, 4, 4));
}

/* Blocks per SM by threads, by the number of blocks, and by shared memory. */
static void occupancy()
{
    int threads[] = {1024, 256, 32, 64}, blocks[4];
    for (int i = 0; i < 4; i++)
        EXPECT(cudaSuccess,
               cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks[i], fill, threads[i], i == 3 ? 40000 : 0));
    printf("%d %d %d %d blocks\n", blocks[0], blocks[1], blocks[2], blocks[3]);
    EXPECT(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks[0], fill, 0, 0));
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks[0], fill, 64, 1 << 20));
    CHECK(blocks[0] == 0);
}

/* After a fault every call fails alike until the device is reset. */
static void expect_fault(cudaError_t fault)
{
    void *memory;
    EXPECT(cudaSuccess, cudaGetLastError());
    EXPECT(fault, cudaDeviceSynchronize());
    EXPECT(fault, cudaMalloc(&memory, 4));
    EXPECT(fault, cudaGetLastError());
    EXPECT(fault, cudaGetLastError());
    EXPECT(cudaSuccess, cudaDeviceReset());
    EXPECT(cudaSuccess, cudaGetLastError());
}

static void faults()
{
    int *out;
    EXPECT(cudaSuccess, cudaMalloc(&out, 400));
    fill<<<2, 64>>>(out, 0, 101);
    expect_fault(cudaErrorIllegalAddress);
    stop<<<1, 1>>>();
    expect_fault(cudaErrorLaunchFailure);
    EXPECT(cudaSuccess, cudaMalloc(&out, 400));
    misalign<<<1, 1>>>((char *)out);
    expect_fault(cudaErrorMisalignedAddress);
    EXPECT(cudaSuccess, cudaMalloc(&out, 400));
    EXPECT(cudaSuccess, cudaFree(out));
    fill<<<1, 32>>>(out, 0, 1);
    expect_fault(cudaErrorIllegalAddress);
    vector_add(); /* as if nothing had been */
}

static void missing()
{
    cudaIpcMemHandle_t handle;
    EXPECT(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, NULL));
    CHECK(strcmp(cudaGetErrorName(cudaErrorNotSupported), "cudaErrorNotSupported") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") == 0);
}

static const struct {
    const char *name;
    void (*run)();
} parts[] = {{"vector_add", vector_add}, {"symbols", symbols},   {"memory", memory}, {"managed", managed}, {"managed_variables", managed_variables},
             {"streams", streams},       {"device", device},     {"launches", launches}, {"occupancy", occupancy}, {"textures", textures}, {"faults", faults},
             {"missing", missing}};

int main(int argc, char **argv)
{
    for (const auto &part : parts)
        if (argc == 2 && strcmp(argv[1], "list") == 0)
            puts(part.name);
        else if (argc == 2 && strcmp(argv[1], part.name) == 0) {
            part.run();
            puts(wrong ? "wrong" : "right");
        }
    return wrong;
}
