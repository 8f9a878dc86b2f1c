/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches one kernel through the CUDA driver API, for `maniple serve` on a GPU machine: `maniple run -- maniple-kernel
 * REQUEST:REGION`, two open files. The request, a struct offload_request, was checked by the server; data goes from the
 * region to the GPU and back. Exit status: 0 done; 1 the kernel has gone wrong; 2 it cannot be launched.
 */
#include "maniple/driver.h"
#include "offload/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct kernel {
    struct offload_request request;
    int request_file, region_file;
    CUdeviceptr device[MNP_OFFLOAD_BUFFERS];
    CUfunction function;
    uint64_t copy_ns;
};

static void must(CUresult result, const char *what, int status)
{
    const char *text = "unknown";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    exit(status);
}

static void *memory(uint64_t bytes)
{
    void *block = malloc(bytes + 1);
    if (!block) {
        fprintf(stderr, "no memory for %llu bytes\n", (unsigned long long)bytes);
        exit(2);
    }
    return block;
}

/* Reads or writes all of a piece of the region. */
static void transfer(const struct kernel *kernel, uint64_t at, uint64_t bytes, void *block, int out)
{
    for (uint64_t done = 0; done < bytes;) {
        ssize_t count = out ? pwrite(kernel->region_file, (char *)block + done, bytes - done, (off_t)(at + done))
                            : pread(kernel->region_file, (char *)block + done, bytes - done, (off_t)(at + done));
        if (count <= 0) {
            fprintf(stderr, "the region has become shorter\n");
            exit(2);
        }
        done += (uint64_t)count;
    }
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void copy_buffers(struct kernel *kernel, int out)
{
    uint64_t begin = now();
    for (uint32_t i = 0; i < kernel->request.launch.buffer_count; i++) {
        const struct mnp_offload_buffer *buffer = &kernel->request.buffers[i];
        if (!out)
            must(cuMemAlloc(&kernel->device[i], buffer->bytes), "memory of the GPU", 2);
        if (!(buffer->flags & (out ? MNP_OFFLOAD_OUT : MNP_OFFLOAD_IN)))
            continue;
        void *block = memory(buffer->bytes);
        if (out)
            must(cuMemcpyDtoH(block, kernel->device[i], buffer->bytes), "copying back", 1);
        transfer(kernel, buffer->at, buffer->bytes, block, out);
        if (!out)
            must(cuMemcpyHtoD(kernel->device[i], block, buffer->bytes), "copying", 2);
        free(block);
    }
    kernel->copy_ns += now() - begin;
}

static void load(struct kernel *kernel)
{
    CUmodule module;
    const struct mnp_offload_launch *launch = &kernel->request.launch;
    char *text = memory(launch->program_bytes);
    transfer(kernel, launch->program_at, launch->program_bytes, text, 0);
    text[launch->program_bytes] = 0;
    must(cuModuleLoadData(&module, text), "the module", 2);
    must(cuModuleGetFunction(&kernel->function, module, kernel->request.text), kernel->request.text, 2);
    free(text);
}

static void run(struct kernel *kernel)
{
    const struct mnp_offload_launch *launch = &kernel->request.launch;
    void *arguments[MNP_OFFLOAD_ARGUMENTS];
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        struct mnp_offload_argument *argument = &kernel->request.arguments[i];
        arguments[i] = argument->bytes ? (void *)&argument->value : (void *)&kernel->device[argument->value];
    }
    must(cuLaunchKernel(kernel->function, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                        launch->block[1], launch->block[2], launch->shared_bytes, NULL, arguments, NULL),
         "the launch", 2);
    must(cuCtxSynchronize(), "the kernel", 1);
}

int main(int argc, char **argv)
{
    static struct kernel kernel;
    CUdevice device;
    CUcontext context;
    if (argc != 2 || sscanf(argv[1], "%d:%d", &kernel.request_file, &kernel.region_file) != 2 ||
        pread(kernel.request_file, &kernel.request, sizeof kernel.request, 0) != (ssize_t)sizeof kernel.request) {
        fprintf(stderr, "maniple-kernel is started by `maniple serve`\n");
        return 2;
    }
    must(cuInit(0), "the GPU", 2);
    must(cuDeviceGet(&device, 0), "the GPU", 2);
    must(cuCtxCreate(&context, NULL, 0, device), "the GPU", 2);
    load(&kernel);
    copy_buffers(&kernel, 0);
    run(&kernel);
    copy_buffers(&kernel, 1);
    return pwrite(kernel.request_file, &kernel.copy_ns, sizeof kernel.copy_ns, 0) != (ssize_t)sizeof kernel.copy_ns;
}
