/* SPDX-License-Identifier: BSD-3-Clause */
/* Power, energy, limit and clocks by NVML before and behind a kernel that does nothing for some milliseconds, and while
 * it runs: one line of numbers each, or of the errors that NVML gives. Usage: power_program NANOSECONDS, up to a
 * million, three times. */
#include "maniple/driver.h"

#include <stdio.h>
#include <stdlib.h>

extern int nvmlInit_v2(void), nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
extern int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts);
extern int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules);
extern int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts);
extern int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degrees);
extern int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *megahertz);

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry idle(.param .u32 time)\n{\n"
    ".reg .b32 t;\nld.param.u32 t, [time];\nnanosleep.u32 t;\nnanosleep.u32 t;\nnanosleep.u32 t;\n"
    "ret;\n}\n";

static void print(const char *when, void *device)
{
    unsigned milliwatts = 0, limit = 0, degrees = 0, clock = 0;
    unsigned long long millijoules = 0;
    int errors[] = {nvmlDeviceGetPowerUsage(device, &milliwatts),
                    nvmlDeviceGetTotalEnergyConsumption(device, &millijoules),
                    nvmlDeviceGetEnforcedPowerLimit(device, &limit), nvmlDeviceGetTemperature(device, 0, &degrees),
                    nvmlDeviceGetClockInfo(device, 1, &clock)};
    printf("%s: errors %d %d %d %d %d, %u mW, %llu mJ, limit %u mW, %u degrees, %u MHz\n", when, errors[0], errors[1],
           errors[2], errors[3], errors[4], milliwatts, millijoules, limit, degrees, clock);
}

int main(int argc, char **argv)
{
    unsigned time = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    void *arguments[] = {&time};
    void *device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    if (nvmlInit_v2() || nvmlDeviceGetHandleByIndex_v2(0, &device) || cuInit(0) ||
        cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuModuleLoadData(&module, text) ||
        cuModuleGetFunction(&kernel, module, "idle"))
        return puts("failed"), 1;
    print("before", device);
    if (cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL))
        return puts("failed"), 1;
    print("during", device);
    if (cuCtxSynchronize())
        return puts("failed"), 1;
    print("behind", device);
    printf("wrong calls: %d %d %d\n", nvmlDeviceGetPowerUsage((void *)9, (unsigned *)&kernel),
           nvmlDeviceGetPowerUsage(device, NULL), nvmlDeviceGetClockInfo(device, 7, (unsigned *)&kernel));
    return 0;
}
