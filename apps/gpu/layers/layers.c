/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One kernel of a transformer layer, several times in a graph, as `maniple profile` times it:
 *
 *   maniple-layers KERNEL NUMBER... [--calls N] [--window N] [--warm | --cold] [--alone] [--check]
 *
 * Activations are the same in every call, so that later calls find them in the L2 as far as it holds them. Caches of
 * keys and values are copied, so that every call reads them from DRAM. With --warm, attention is a graph of one call
 * that is launched several times, over one cache. With --check, results are compared with the host's. Products are not
 * here: maniple-products has them.
 */
#include "layers/layers.h"

#include "base/packed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Graphs, which maniple/driver.h does not declare. */
CUresult cuStreamBeginCapture(CUstream, int mode), cuStreamEndCapture(CUstream, CUgraph *);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *, CUgraph, uint64_t flags), cuGraphLaunch(CUgraphExec, CUstream);

enum { RELAXED = 2 /* capture: calls of others are allowed meanwhile */ };

extern const struct mnp_packed layers_packed[];

void layers_stop(const char *what)
{
    fprintf(stderr, "maniple-layers: error: %s\n", what);
    exit(2);
}

void layers_need(CUresult result, const char *call)
{
    const char *name = "an unknown error";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "maniple-layers: error: %s: %s\n", call, name);
    exit(1);
}

/* ===== numbers ===== */

static float next_number(struct layers *run) /* from -1 to 1 */
{
    run->seed = run->seed * 6364136223846793005u + 1442695040888963407u;
    return (float)(int32_t)(run->seed >> 32) / 2147483648.0f;
}

float layers_float(uint16_t number)
{
    uint32_t bits = (uint32_t)number << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t layers_bfloat(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

CUdeviceptr layers_memory(size_t bytes)
{
    CUdeviceptr address;
    CUresult result = cuMemAlloc(&address, bytes ? bytes : 1);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        layers_stop("the device has too little memory for this shape; choose a smaller one");
    layers_need(result, "cuMemAlloc");
    return address;
}

struct tensor layers_tensor(struct layers *run, size_t count)
{
    struct tensor tensor = {.count = count, .device = layers_memory(count * 2)};
    if (!run->checks)
        return tensor;
    tensor.host = calloc(count + 1, 2);
    for (size_t i = 0; tensor.host && i < count; i++)
        tensor.host[i] = layers_bfloat(next_number(run));
    if (!tensor.host)
        layers_stop("there is no memory for a check of this shape");
    layers_need(cuMemcpyHtoD(tensor.device, tensor.host, count * 2), "cuMemcpyHtoD");
    return tensor;
}

/* `count` different numbers below `limit`, far from one another. */
CUdeviceptr layers_indices(size_t count, uint32_t limit, uint32_t *kept)
{
    for (size_t i = 0; i < count; i++)
        kept[i] = (uint32_t)((i * 2654435761u + 12345) % limit);
    CUdeviceptr address = layers_memory(count * 4);
    layers_need(cuMemcpyHtoD(address, kept, count * 4), "cuMemcpyHtoD");
    return address;
}

/* ===== launches ===== */

CUfunction layers_kernel(struct layers *run, const char *name, uint32_t shared_bytes)
{
    CUfunction function;
    layers_need(cuModuleGetFunction(&function, run->module, name), name);
    if (shared_bytes)
        layers_need(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes),
                    "cuFuncSetAttribute");
    return function;
}

void layers_load(struct layers *run, const char *name)
{
    const char *why = NULL;
    char *text = mnp_unpack(layers_packed, name, &why);
    if (!text)
        layers_stop(why ? why : "the kernels are not built in");
    CUresult result = cuModuleLoadData(&run->module, text);
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU)
        layers_stop("its kernels need tensor cores for bfloat16 (compute capability 8.0); choose another machine");
    layers_need(result, "cuModuleLoadData");
    mnp_unpacked_free(text);
}

void layers_begin(struct layers *run)
{
    if (run->alone)
        return;
    layers_need(cuStreamBeginCapture(run->stream, RELAXED), "cuStreamBeginCapture");
}

void layers_end(struct layers *run, uint32_t times)
{
    CUgraph graph;
    CUgraphExec executable;
    if (run->alone)
        return;
    layers_need(cuStreamEndCapture(run->stream, &graph), "cuStreamEndCapture");
    layers_need(cuGraphInstantiateWithFlags(&executable, graph, 0), "cuGraphInstantiate");
    for (uint32_t i = 0; i < times; i++)
        layers_need(cuGraphLaunch(executable, run->stream), "cuGraphLaunch");
    layers_need(cuStreamSynchronize(run->stream), "cuStreamSynchronize");
}

void layers_launch(struct layers *run, CUfunction function, const uint32_t grid[3], uint32_t block,
                   uint32_t shared_bytes, void **arguments)
{
    layers_need(
        cuLaunchKernel(function, grid[0], grid[1], grid[2], block, 1, 1, shared_bytes, run->stream, arguments, NULL),
        "cuLaunchKernel");
    if (run->alone)
        layers_need(cuStreamSynchronize(run->stream), "cuStreamSynchronize");
}

void layers_launch_early(struct layers *run, CUfunction function, const uint32_t grid[3], uint32_t block,
                         void **arguments)
{
    CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                               .value.programmaticStreamSerializationAllowed = 1};
    CUlaunchConfig launch = {.gridDimX = grid[0],
                             .gridDimY = grid[1],
                             .gridDimZ = grid[2],
                             .blockDimX = block,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = run->stream,
                             .attrs = &early,
                             .numAttrs = 1};
    layers_need(cuLaunchKernelEx(&launch, function, arguments, NULL), "cuLaunchKernelEx");
}

void layers_compare(struct layers *run, const struct tensor *got, size_t at, const double *expected, size_t count)
{
    uint16_t *found = calloc(count + 1, 2);
    if (!found)
        layers_stop("there is no memory for a check of this shape");
    layers_need(cuMemcpyDtoH(found, got->device + at * 2, count * 2), "cuMemcpyDtoH");
    for (size_t i = 0; i < count; i++) {
        double error = fabs(layers_float(found[i]) - expected[i]), allowed = 0.004 + fabs(expected[i]) * 0.01;
        run->wrong += !(error <= allowed);
        run->checked++;
    }
    free(found);
}

/* ===== the program ===== */

static uint32_t number(const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end || end == text || value < 1 || value > 1u << 30)
        layers_stop("a number is missing, or is none from 1 to 2^30; --help says which there are");
    return (uint32_t)value;
}

static int usage(FILE *out)
{
    fputs("Usage: maniple-layers KERNEL NUMBER... [--calls N] [--window N] [--warm | --cold] [--alone] [--check]\n\n",
          out);
    for (const struct layer_kernel *kernel = layer_kernels; kernel->name; kernel++)
        fprintf(out, "  %s %s\n", kernel->name, kernel->numbers);
    return out == stdout ? 0 : 2;
}

static const struct layer_kernel *find(const char *name)
{
    for (const struct layer_kernel *kernel = layer_kernels; kernel->name; kernel++)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

static void open_device(struct layers *run)
{
    CUcontext context;
    layers_need(cuInit(0), "cuInit");
    layers_need(cuDeviceGet(&run->device, 0), "cuDeviceGet");
    layers_need(cuDevicePrimaryCtxRetain(&context, run->device), "cuDevicePrimaryCtxRetain");
    layers_need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    layers_need(cuStreamCreate(&run->stream, 1), "cuStreamCreate");
    layers_need(cuDeviceComputeCapability(&run->major, &run->minor, run->device), "cuDeviceComputeCapability");
    layers_need(cuDeviceGetAttribute(&run->sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, run->device),
                "cuDeviceGetAttribute");
    layers_load(run, "layers");
}

int main(int argc, char **argv)
{
    struct layers run = {.calls = 3, .seed = 1};
    uint32_t numbers[LAYERS_NUMBERS] = {0}, count = 0;
    const struct layer_kernel *kernel = argc > 1 ? find(argv[1]) : NULL;
    if (!kernel)
        return usage(argc > 1 && strcmp(argv[1], "--help") == 0 ? stdout : stderr);
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0)
            run.checks = true;
        else if (strcmp(argv[i], "--warm") == 0)
            run.warm = true;
        else if (strcmp(argv[i], "--cold") == 0)
            run.cold = true;
        else if (strcmp(argv[i], "--alone") == 0)
            run.alone = true;
        else if (strcmp(argv[i], "--window") == 0 && i + 1 < argc)
            run.window = number(argv[++i]);
        else if (strcmp(argv[i], "--calls") == 0 && i + 1 < argc)
            run.calls = number(argv[++i]);
        else if (count < kernel->count)
            numbers[count++] = number(argv[i]);
        else
            return usage(stderr);
    }
    if (count < kernel->count)
        return usage(stderr);
    if (run.checks && run.cold)
        run.calls = 1; /* results of the first operands are checked */
    open_device(&run);
    kernel->run(&run, numbers);
    if (run.checks)
        printf("%s: %llu of %llu numbers are right\n", kernel->name, (unsigned long long)(run.checked - run.wrong),
               (unsigned long long)run.checked);
    return run.wrong ? 1 : 0;
}
