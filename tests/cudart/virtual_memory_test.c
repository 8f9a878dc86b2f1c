/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a program maps itself, by the driver API, and the stand-in of NVML. */
#include "maniple/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind what it needs */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct properties { /* CUmemAllocationProp */
    int type, handle_types, place, device;
    void *windows;
    unsigned char flags[8];
};

struct access { /* CUmemAccessDesc */
    int place, device, flags;
};

extern CUresult cuMemGetAllocationGranularity(size_t *out, const struct properties *p, int option);
extern CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr wish,
                                    unsigned long long flags);
extern CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
extern CUresult cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *p, unsigned long long flags);
extern CUresult cuMemRelease(uint64_t handle);
extern CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
extern CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
extern CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const struct access *access, size_t count);
extern CUresult cuMemRetainAllocationHandle(uint64_t *handle, const void *address);
extern int nvmlInit_v2(void), nvmlDeviceGetCount_v2(unsigned *count);
extern int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
extern int nvmlDeviceGetHandleByPciBusId_v2(const char *text, void **device);
extern int nvmlDeviceGetHandleByUUID(const char *text, void **device);
extern int nvmlDeviceGetName(void *device, char *out, unsigned room);
extern int nvmlDeviceGetUUID(void *device, char *out, unsigned room);
extern int nvmlDeviceGetMemoryInfo(void *device, unsigned long long total_available_used[3]);
extern int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor);

#define MUST(call) assert_int_equal(call, CUDA_SUCCESS)

enum { GRANULE = 2 << 20 };

static const struct properties on_device = {.type = 1, .place = 1};
static const struct access readable = {1, 0, 3};

static int set_up(void **state)
{
    static CUcontext context;
    MUST(cuInit(0));
    MUST(cuCtxCreate(&context, NULL, 0, 0));
    *state = context;
    return 0;
}

static int tear_down(void **state)
{
    MUST(cuCtxDestroy(*state));
    return 0;
}

static size_t available(void)
{
    size_t left, total;
    MUST(cuMemGetInfo(&left, &total));
    return left;
}

static uint32_t word_at(CUdeviceptr address)
{
    uint32_t word;
    MUST(cuMemcpyDtoH(&word, address, 4));
    return word;
}

/* A segment that grows, as PyTorch's expandable ones do: pieces side by side are one range for copies. */
static void growing(void **state)
{
    (void)state;
    size_t granule, before = available();
    CUdeviceptr base;
    uint64_t pieces[2];
    MUST(cuMemGetAllocationGranularity(&granule, &on_device, 0));
    assert_int_equal(granule, GRANULE);
    MUST(cuMemAddressReserve(&base, 8 * GRANULE, 0, 0, 0));
    assert_int_equal(base % GRANULE, 0);
    assert_int_equal(available(), before); /* addresses are no memory */
    for (int i = 0; i < 2; i++) {
        MUST(cuMemCreate(&pieces[i], GRANULE, &on_device, 0));
        MUST(cuMemMap(base + (CUdeviceptr)i * GRANULE, GRANULE, 0, pieces[i], 0));
        MUST(cuMemSetAccess(base, (size_t)(i + 1) * GRANULE, &readable, 1));
        assert_int_equal(available(), before - (size_t)(i + 1) * GRANULE);
    }
    MUST(cuMemsetD32(base, 0x1234567, 2 * GRANULE / 4));
    assert_int_equal(word_at(base + GRANULE - 4), 0x1234567);
    assert_int_equal(word_at(base + GRANULE), 0x1234567);
    assert_int_equal(cuMemSetAccess(base, 3 * GRANULE, &readable, 1), CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemRelease(pieces[0])); /* it stays as long as it is mapped */
    assert_int_equal(available(), before - 2 * GRANULE);
    assert_int_equal(cuMemAddressFree(base, 8 * GRANULE), CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemUnmap(base, 2 * GRANULE));
    assert_int_equal(available(), before - GRANULE);
    MUST(cuMemRelease(pieces[1]));
    assert_int_equal(available(), before);
    MUST(cuMemAddressFree(base, 8 * GRANULE));
    assert_int_equal(cuMemAddressFree(base, 8 * GRANULE), CUDA_ERROR_INVALID_VALUE);
}

/* What is asked about an address: its mapping, or the addresses round it that are reserved. */
static void ranges(void **state)
{
    (void)state;
    CUdeviceptr base, start;
    uint64_t pieces[2], number;
    size_t bytes = 0;
    bool mapped;
    char host[16] = {0};
    MUST(cuMemAddressReserve(&base, 8 * GRANULE, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        MUST(cuMemCreate(&pieces[i], (size_t)(i + 1) * GRANULE, &on_device, 0));
        MUST(cuMemMap(base + (CUdeviceptr)(1 + i) * GRANULE, (size_t)(i + 1) * GRANULE, 0, pieces[i], 0));
        MUST(cuMemRelease(pieces[i]));
    }
    MUST(cuMemGetAddressRange(&start, &bytes, base + GRANULE + 5));
    assert_true(start == base + GRANULE && bytes == GRANULE);
    MUST(cuMemGetAddressRange(&start, &bytes, base + 3 * GRANULE));
    assert_true(start == base + 2 * GRANULE && bytes == 2 * GRANULE);
    assert_int_equal(cuMemGetAddressRange(&start, &bytes, base), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuMemGetAddressRange(&start, &bytes, base + 4 * GRANULE), CUDA_ERROR_NOT_FOUND);
    MUST(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_RANGE_SIZE, base + GRANULE));
    assert_int_equal(number, 8 * GRANULE);
    MUST(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, base + GRANULE));
    assert_int_equal(number, base);
    MUST(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MAPPING_SIZE, base + 2 * GRANULE + 1));
    assert_int_equal(number, 2 * GRANULE);
    MUST(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, base + 2 * GRANULE + 1));
    assert_int_equal(number, base + 2 * GRANULE);
    MUST(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, base + GRANULE));
    assert_true(mapped);
    MUST(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, base));
    assert_false(mapped);
    /* Copies stay in what is mapped. */
    MUST(cuMemcpyHtoD(base + 2 * GRANULE - 8, host, 16));
    assert_int_equal(cuMemcpyHtoD(base, host, 16), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyHtoD(base + 4 * GRANULE - 8, host, 16), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD8(base + 4 * GRANULE - 8, 0, 16), CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemUnmap(base, 8 * GRANULE));
    MUST(cuMemAddressFree(base, 8 * GRANULE));
}

/* What memory holds goes with it, not with the addresses. */
static void moving(void **state)
{
    (void)state;
    CUdeviceptr base;
    uint64_t one, other, same;
    MUST(cuMemAddressReserve(&base, 4 * GRANULE, 4 * GRANULE, 0, 0));
    assert_int_equal(base % (4 * GRANULE), 0);
    MUST(cuMemCreate(&one, GRANULE, &on_device, 0));
    MUST(cuMemCreate(&other, GRANULE, &on_device, 0));
    MUST(cuMemMap(base, GRANULE, 0, one, 0));
    MUST(cuMemRetainAllocationHandle(&same, (void *)(base + 100)));
    assert_int_equal(same, one);
    MUST(cuMemRelease(same));
    MUST(cuMemsetD32(base + GRANULE / 2, 77, 1));
    assert_int_equal(cuMemMap(base + GRANULE, GRANULE, 0, one, 0), CUDA_ERROR_NOT_SUPPORTED); /* twice at once */
    MUST(cuMemUnmap(base, GRANULE));
    MUST(cuMemMap(base, GRANULE, 0, other, 0));
    assert_int_equal(word_at(base + GRANULE / 2), 0);
    MUST(cuMemsetD32(base + GRANULE / 2, 88, 1));
    MUST(cuMemMap(base + 2 * GRANULE, GRANULE, 0, one, 0));
    assert_int_equal(word_at(base + 2 * GRANULE + GRANULE / 2), 77);
    assert_int_equal(word_at(base + GRANULE / 2), 88);
    MUST(cuMemUnmap(base, 4 * GRANULE));
    MUST(cuMemRelease(one));
    MUST(cuMemRelease(other));
    MUST(cuMemAddressFree(base, 4 * GRANULE));
}

static void wrong(void **state)
{
    (void)state;
    CUdeviceptr base;
    uint64_t piece;
    size_t left = available();
    const struct properties of_host = {.type = 1, .place = 2}, of_another = {.type = 1, .place = 1, .device = 3};
    assert_int_equal(cuMemAddressReserve(&base, GRANULE + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemAddressReserve(&base, (size_t)1 << 62, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemAddressReserve(NULL, GRANULE, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemCreate(&piece, 100, &on_device, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemCreate(&piece, left / GRANULE * GRANULE + GRANULE, &on_device, 0), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemCreate(&piece, GRANULE, &of_host, 0), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(cuMemCreate(&piece, GRANULE, &of_another, 0), CUDA_ERROR_INVALID_DEVICE);
    MUST(cuMemAddressReserve(&base, 2 * GRANULE, 0, 0, 0));
    MUST(cuMemCreate(&piece, GRANULE, &on_device, 0));
    assert_int_equal(cuMemMap(base + 512, GRANULE, 0, piece, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemMap(base + 2 * GRANULE, GRANULE, 0, piece, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemMap(base, GRANULE, 0, piece + 7, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemMap(base, 2 * GRANULE, 0, piece, 0), CUDA_ERROR_INVALID_VALUE); /* more than there is */
    MUST(cuMemMap(base, GRANULE, 0, piece, 0));
    assert_int_equal(cuMemMap(base, GRANULE, 0, piece, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemUnmap(base + GRANULE, GRANULE), CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemUnmap(base, GRANULE));
    MUST(cuMemRelease(piece));
    assert_int_equal(cuMemRelease(piece), CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemAddressFree(base, 2 * GRANULE));
}

static void nvml(void **state)
{
    (void)state;
    unsigned count;
    void *device, *same;
    char name[96], id[96], driver[96];
    unsigned long long memory[3];
    int major, minor;
    size_t bytes;
    assert_int_equal(nvmlInit_v2(), 0);
    assert_int_equal(nvmlDeviceGetCount_v2(&count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(nvmlDeviceGetHandleByIndex_v2(1, &device), 2);
    assert_int_equal(nvmlDeviceGetHandleByIndex_v2(0, &device), 0);
    assert_int_equal(nvmlDeviceGetName(device, name, sizeof name), 0);
    MUST(cuDeviceGetName(driver, sizeof driver, 0));
    assert_string_equal(name, driver);
    assert_int_equal(nvmlDeviceGetName(device, name, 3), 7);
    assert_int_equal(nvmlDeviceGetUUID(device, id, sizeof id), 0);
    assert_int_equal(strncmp(id, "GPU-", 4), 0);
    assert_int_equal(nvmlDeviceGetHandleByUUID(id, &same), 0);
    assert_ptr_equal(same, device);
    assert_int_equal(nvmlDeviceGetHandleByUUID("GPU-0", &same), 6);
    same = NULL;
    MUST(cuDeviceGetPCIBusId(driver, sizeof driver, 0));
    assert_int_equal(nvmlDeviceGetHandleByPciBusId_v2(driver, &same), 0); /* 0000:01:00.0 */
    assert_ptr_equal(same, device);
    assert_int_equal(driver[4], ':');
    snprintf(name, sizeof name, "0000%.80s", driver);
    assert_int_equal(nvmlDeviceGetHandleByPciBusId_v2(name, &same), 0);
    assert_int_equal(nvmlDeviceGetHandleByPciBusId_v2("0000:77:00.0", &same), 6);
    assert_int_equal(nvmlDeviceGetHandleByPciBusId_v2("GPU", &same), 2);
    assert_int_equal(nvmlDeviceGetMemoryInfo(device, memory), 0);
    MUST(cuDeviceTotalMem(&bytes, 0));
    assert_int_equal(memory[0], bytes);
    assert_int_equal(memory[1] + memory[2], bytes);
    assert_int_equal(memory[1], available());
    assert_int_equal(nvmlDeviceGetCudaComputeCapability(device, &major, &minor), 0);
    assert_int_equal(major * 10 + minor, 80);
    assert_int_equal(nvmlDeviceGetName((void *)9, name, sizeof name), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(growing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(moving, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nvml, set_up, tear_down),
    };
    setenv("MANIPLE_CUDA", "program virtual_test\nfunctional\nmachine a100\n", 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fflush(NULL);
    _exit(failed != 0); /* not by exit: what the library has refused would be this program's status */
}
