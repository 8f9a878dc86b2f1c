/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stand-in of libnvidia-ml.so.1, which programs ask about devices before they open the driver (JAX, and what looks
 * for memory that is free): what the driver knows of the simulated device. Power is that of the simulated time, of
 * runs with --energy. What it does not have here has no function: programs look for each by its name.
 */
#include "maniple/driver.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NVML_API __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, UNKNOWN = 999 };

typedef struct device *nvml_device; /* the number of a device of the driver's, from 1 on */

struct memory {
    unsigned long long total, available, used;
};

struct memory_2 {
    unsigned version;
    unsigned long long total, reserved, available, used;
};

struct place { /* nvmlPciInfo_t */
    char short_text[16];
    unsigned domain, bus, device, model, board;
    char text[32];
};

struct place_extended { /* nvmlPciInfoExt_t */
    unsigned version, domain, bus, device, model, board, base_class, sub_class;
    char text[32];
};

struct field { /* nvmlFieldValue_t */
    unsigned number, scope;
    long long time, latency;
    int type, error;
    unsigned long long value;
};

struct confidential_settings {
    unsigned version, environment, feature, tools, several_devices;
};

enum { P2P_OK = 0, P2P_UNKNOWN = 6 };

struct use {
    unsigned processor, memory;
};

static int number_of(nvml_device device, CUdevice *number)
{
    int count;
    *number = (CUdevice)(uintptr_t)device - 1;
    return cuDeviceGetCount(&count) == CUDA_SUCCESS && *number >= 0 && *number < count ? SUCCESS : INVALID_ARGUMENT;
}

static int attribute_of(nvml_device device, CUdevice_attribute attribute, int *value)
{
    CUdevice number;
    int problem = number_of(device, &number);
    return problem ? problem : cuDeviceGetAttribute(value, attribute, number) == CUDA_SUCCESS ? SUCCESS : UNKNOWN;
}

static int write_text(char *out, unsigned room, const char *text)
{
    if (!out || strlen(text) >= room)
        return out ? INSUFFICIENT_SIZE : INVALID_ARGUMENT;
    strcpy(out, text);
    return SUCCESS;
}

/* ===== the library ===== */

NVML_API int nvmlInit_v2(void)
{
    return cuInit(0) == CUDA_SUCCESS ? SUCCESS : UNKNOWN;
}

NVML_API int nvmlInit(void)
{
    return nvmlInit_v2();
}

NVML_API int nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    return nvmlInit_v2();
}

NVML_API int nvmlShutdown(void)
{
    return SUCCESS;
}

NVML_API const char *nvmlErrorString(int error)
{
    switch (error) {
    case SUCCESS:
        return "Success";
    case INVALID_ARGUMENT:
        return "Invalid Argument";
    case NOT_SUPPORTED:
        return "Not Supported";
    case NOT_FOUND:
        return "Not Found";
    case INSUFFICIENT_SIZE:
        return "Insufficient Size";
    default:
        return "Unknown Error";
    }
}

/* The first driver that speaks CUDA 13.0. */
NVML_API int nvmlSystemGetDriverVersion(char *out, unsigned room)
{
    return write_text(out, room, "580.65.06");
}

NVML_API int nvmlSystemGetNVMLVersion(char *out, unsigned room)
{
    return write_text(out, room, "13.580.65.06");
}

NVML_API int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    return version && cuDriverGetVersion(version) == CUDA_SUCCESS ? SUCCESS : INVALID_ARGUMENT;
}

NVML_API int nvmlSystemGetCudaDriverVersion(int *version)
{
    return nvmlSystemGetCudaDriverVersion_v2(version);
}

/* Confidential computing is off. */
NVML_API int nvmlSystemGetConfComputeState(unsigned state[3])
{
    if (!state)
        return INVALID_ARGUMENT;
    memset(state, 0, 3 * sizeof *state);
    return SUCCESS;
}

NVML_API int nvmlSystemGetConfComputeSettings(struct confidential_settings *settings)
{
    if (!settings)
        return INVALID_ARGUMENT;
    *settings = (struct confidential_settings){.version = settings->version};
    return SUCCESS;
}

/* ===== devices ===== */

NVML_API int nvmlDeviceGetCount_v2(unsigned *count)
{
    int found;
    if (!count || cuDeviceGetCount(&found) != CUDA_SUCCESS)
        return count ? UNKNOWN : INVALID_ARGUMENT;
    *count = (unsigned)found;
    return SUCCESS;
}

NVML_API int nvmlDeviceGetCount(unsigned *count)
{
    return nvmlDeviceGetCount_v2(count);
}

NVML_API int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml_device *device)
{
    unsigned count;
    int problem = device ? nvmlDeviceGetCount_v2(&count) : INVALID_ARGUMENT;
    if (problem || index >= count)
        return problem ? problem : INVALID_ARGUMENT;
    *device = (nvml_device)(uintptr_t)(index + 1);
    return SUCCESS;
}

NVML_API int nvmlDeviceGetHandleByIndex(unsigned index, nvml_device *device)
{
    return nvmlDeviceGetHandleByIndex_v2(index, device);
}

NVML_API int nvmlDeviceGetIndex(nvml_device device, unsigned *index)
{
    CUdevice number;
    int problem = index ? number_of(device, &number) : INVALID_ARGUMENT;
    if (!problem)
        *index = (unsigned)number;
    return problem;
}

NVML_API int nvmlDeviceGetName(nvml_device device, char *out, unsigned room)
{
    char name[128];
    CUdevice number;
    int problem = number_of(device, &number);
    if (problem || cuDeviceGetName(name, sizeof name, number) != CUDA_SUCCESS)
        return problem ? problem : UNKNOWN;
    return write_text(out, room, name);
}

NVML_API int nvmlDeviceGetUUID(nvml_device device, char *out, unsigned room)
{
    CUuuid id;
    CUdevice number;
    char text[48], *at = text;
    int problem = number_of(device, &number);
    if (problem || cuDeviceGetUuid_v2(&id, number) != CUDA_SUCCESS)
        return problem ? problem : UNKNOWN;
    at += sprintf(at, "GPU-");
    for (int i = 0; i < 16; i++)
        at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", (unsigned char)id.bytes[i]);
    return write_text(out, room, text);
}

NVML_API int nvmlDeviceGetPciInfo_v3(nvml_device device, struct place *place)
{
    static const CUdevice_attribute attributes[] = {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,
                                                    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID};
    int values[3], problem = place ? SUCCESS : INVALID_ARGUMENT;
    for (int i = 0; !problem && i < 3; i++)
        problem = attribute_of(device, attributes[i], &values[i]);
    if (problem)
        return problem;
    unsigned domain = (unsigned)values[0] & 0xffff, bus = (unsigned)values[1] & 0xff,
             number = (unsigned)values[2] & 0xff;
    *place = (struct place){.domain = domain, .bus = bus, .device = number};
    snprintf(place->short_text, sizeof place->short_text, "%04x:%02x:%02x.0", domain, bus, number);
    snprintf(place->text, sizeof place->text, "%08X:%02X:%02X.0", domain, bus, number);
    return SUCCESS;
}

NVML_API int nvmlDeviceGetPciInfoExt(nvml_device device, struct place_extended *out)
{
    enum { DISPLAY_CONTROLLER = 3, THREE_D_CONTROLLER = 2 };
    struct place place;
    int problem = out ? nvmlDeviceGetPciInfo_v3(device, &place) : INVALID_ARGUMENT;
    if (problem)
        return problem;
    *out = (struct place_extended){.version = out->version,
                                   .domain = place.domain,
                                   .bus = place.bus,
                                   .device = place.device,
                                   .base_class = DISPLAY_CONTROLLER,
                                   .sub_class = THREE_D_CONTROLLER};
    memcpy(out->text, place.text, sizeof out->text);
    return SUCCESS;
}

NVML_API int nvmlDeviceGetPciInfo(nvml_device device, struct place *place)
{
    return nvmlDeviceGetPciInfo_v3(device, place);
}

/* With a domain of four or of eight digits, or none. */
NVML_API int nvmlDeviceGetHandleByPciBusId_v2(const char *text, nvml_device *device)
{
    unsigned domain, bus, number, count = 0;
    if (!text || !device)
        return INVALID_ARGUMENT;
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &number) != 3) {
        domain = 0;
        if (sscanf(text, "%x:%x", &bus, &number) != 2)
            return INVALID_ARGUMENT;
    }
    int problem = nvmlDeviceGetCount_v2(&count);
    for (unsigned i = 0; !problem && i < count; i++) {
        struct place place;
        nvmlDeviceGetHandleByIndex_v2(i, device);
        if (nvmlDeviceGetPciInfo_v3(*device, &place) == SUCCESS && place.domain == domain && place.bus == bus &&
            place.device == number)
            return SUCCESS;
    }
    return problem ? problem : NOT_FOUND;
}

NVML_API int nvmlDeviceGetHandleByPciBusId(const char *text, nvml_device *device)
{
    return nvmlDeviceGetHandleByPciBusId_v2(text, device);
}

NVML_API int nvmlDeviceGetHandleByUUID(const char *text, nvml_device *device)
{
    unsigned count = 0;
    int problem = text && device ? nvmlDeviceGetCount_v2(&count) : INVALID_ARGUMENT;
    for (unsigned i = 0; !problem && i < count; i++) {
        char own[64];
        nvmlDeviceGetHandleByIndex_v2(i, device);
        if (nvmlDeviceGetUUID(*device, own, sizeof own) == SUCCESS && strcmp(own, text) == 0)
            return SUCCESS;
    }
    return problem ? problem : NOT_FOUND;
}

NVML_API int nvmlDeviceGetCudaComputeCapability(nvml_device device, int *major, int *minor)
{
    int problem = major && minor ? SUCCESS : INVALID_ARGUMENT;
    problem = problem ? problem : attribute_of(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major);
    return problem ? problem : attribute_of(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor);
}

/* PCIe generation of boards with GPUs of that compute capability: 3 up to Turing, 4 for Ampere and Ada, 5 from Hopper
 * on. */
NVML_API int nvmlDeviceGetCurrPcieLinkGeneration(nvml_device device, unsigned *generation)
{
    int major, minor,
        problem = generation ? nvmlDeviceGetCudaComputeCapability(device, &major, &minor) : INVALID_ARGUMENT;
    if (!problem)
        *generation = major < 8 ? 3 : major == 8 ? 4 : 5;
    return problem;
}

/* In steps of 2.5, 5, 8, 16, 32 GT/s, as generations count. */
NVML_API int nvmlDeviceGetPcieLinkMaxSpeed(nvml_device device, unsigned *step)
{
    return nvmlDeviceGetCurrPcieLinkGeneration(device, step);
}

NVML_API int nvmlDeviceGetMaxPcieLinkGeneration(nvml_device device, unsigned *generation)
{
    return nvmlDeviceGetCurrPcieLinkGeneration(device, generation);
}

NVML_API int nvmlDeviceGetCurrPcieLinkWidth(nvml_device device, unsigned *lanes)
{
    CUdevice number;
    int problem = lanes ? number_of(device, &number) : INVALID_ARGUMENT;
    if (!problem)
        *lanes = 16;
    return problem;
}

NVML_API int nvmlDeviceGetMaxPcieLinkWidth(nvml_device device, unsigned *lanes)
{
    return nvmlDeviceGetCurrPcieLinkWidth(device, lanes);
}

/* Memory of a device. The free part is known only if this thread has a context. */
NVML_API int nvmlDeviceGetMemoryInfo(nvml_device device, struct memory *out)
{
    CUdevice number;
    size_t available, total;
    int problem = out ? number_of(device, &number) : INVALID_ARGUMENT;
    if (problem || cuDeviceTotalMem(&total, number) != CUDA_SUCCESS)
        return problem ? problem : UNKNOWN;
    if (cuMemGetInfo(&available, &total) != CUDA_SUCCESS)
        available = total;
    *out = (struct memory){.total = total, .available = available, .used = total - available};
    return SUCCESS;
}

NVML_API int nvmlDeviceGetMemoryInfo_v2(nvml_device device, struct memory_2 *out)
{
    struct memory memory;
    int problem = out ? nvmlDeviceGetMemoryInfo(device, &memory) : INVALID_ARGUMENT;
    if (problem)
        return problem;
    out->total = memory.total;
    out->reserved = 0;
    out->available = memory.available;
    out->used = memory.used;
    return SUCCESS;
}

/* Utilization: zero, since no other program uses the device when this one asks. */
NVML_API int nvmlDeviceGetUtilizationRates(nvml_device device, struct use *out)
{
    CUdevice number;
    int problem = out ? number_of(device, &number) : INVALID_ARGUMENT;
    if (!problem)
        *out = (struct use){0, 0};
    return problem;
}

/* ===== power and clocks ===== */

/* Questions to the driver about a device at the host's simulated time (cudart/api/power.c). */
enum question {
    POWER_NOW,        /* mW: mean since the last reading */
    POWER_ENERGY,     /* mJ since the beginning of the program */
    POWER_LIMIT,      /* mW: power.limit */
    POWER_TEMPERATURE /* degrees Celsius: energy.temperature, and what becomes of it with thermal.model */
};

int cudart_power(int ordinal, int question, unsigned long long *answer);

static int power_of(nvml_device device, enum question question, unsigned long long *answer)
{
    CUdevice number;
    int problem = answer ? number_of(device, &number) : INVALID_ARGUMENT;
    if (problem)
        return problem;
    int failure = cudart_power(number, question, answer);
    return failure == CUDA_SUCCESS ? SUCCESS : failure == CUDA_ERROR_NOT_SUPPORTED ? NOT_SUPPORTED : UNKNOWN;
}

static int small_power_of(nvml_device device, enum question question, unsigned *answer)
{
    unsigned long long value;
    int problem = answer ? power_of(device, question, &value) : INVALID_ARGUMENT;
    if (!problem)
        *answer = (unsigned)value;
    return problem;
}

/* The mean since the program's last reading, in simulated time. */
NVML_API int nvmlDeviceGetPowerUsage(nvml_device device, unsigned *milliwatts)
{
    return small_power_of(device, POWER_NOW, milliwatts);
}

NVML_API int nvmlDeviceGetTotalEnergyConsumption(nvml_device device, unsigned long long *millijoules)
{
    return power_of(device, POWER_ENERGY, millijoules);
}

NVML_API int nvmlDeviceGetPowerManagementLimit(nvml_device device, unsigned *milliwatts)
{
    return small_power_of(device, POWER_LIMIT, milliwatts);
}

NVML_API int nvmlDeviceGetPowerManagementDefaultLimit(nvml_device device, unsigned *milliwatts)
{
    return small_power_of(device, POWER_LIMIT, milliwatts);
}

NVML_API int nvmlDeviceGetEnforcedPowerLimit(nvml_device device, unsigned *milliwatts)
{
    return small_power_of(device, POWER_LIMIT, milliwatts);
}

/* The chip's, of which there is one sensor. */
NVML_API int nvmlDeviceGetTemperature(nvml_device device, int sensor, unsigned *degrees)
{
    return sensor ? INVALID_ARGUMENT : small_power_of(device, POWER_TEMPERATURE, degrees);
}

/* Clocks do not change in a run. */
NVML_API int nvmlDeviceGetClockInfo(nvml_device device, int clock, unsigned *megahertz)
{
    enum { GRAPHICS, SM, MEMORY, VIDEO };
    int value, problem = megahertz && clock >= GRAPHICS && clock <= VIDEO ? SUCCESS : INVALID_ARGUMENT;
    if (!problem && clock == VIDEO)
        problem = NOT_SUPPORTED;
    if (!problem)
        problem = attribute_of(
            device, clock == MEMORY ? CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE : CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &value);
    if (!problem)
        *megahertz = (unsigned)value / 1000;
    return problem;
}

NVML_API int nvmlDeviceGetMaxClockInfo(nvml_device device, int clock, unsigned *megahertz)
{
    return nvmlDeviceGetClockInfo(device, clock, megahertz);
}

NVML_API int nvmlDeviceGetApplicationsClock(nvml_device device, int clock, unsigned *megahertz)
{
    return nvmlDeviceGetClockInfo(device, clock, megahertz);
}

/* ===== links ===== */

/* The driver's: where a link leads, to a device by its number in the machine, or to a switch behind these. */
int cudart_nvlink(int ordinal, unsigned link, unsigned *end, unsigned *devices);

enum { FIRST_SWITCH_BUS = 0xc0 };

static int link_of(nvml_device device, unsigned link, unsigned *end, unsigned *devices)
{
    CUdevice number;
    int problem = number_of(device, &number);
    return problem                                          ? problem
           : cudart_nvlink(number, link, end, devices) == 0 ? SUCCESS
           : link < 18                                      ? NOT_SUPPORTED
                                                            : INVALID_ARGUMENT;
}

NVML_API int nvmlDeviceGetNvLinkState(nvml_device device, unsigned link, int *active)
{
    unsigned end, devices;
    int problem = active ? link_of(device, link, &end, &devices) : INVALID_ARGUMENT;
    if (!problem)
        *active = 1;
    return problem;
}

NVML_API int nvmlDeviceGetNvLinkRemoteDeviceType(nvml_device device, unsigned link, int *type)
{
    enum { GPU = 0, SWITCH = 2 };
    unsigned end, devices;
    int problem = type ? link_of(device, link, &end, &devices) : INVALID_ARGUMENT;
    if (!problem)
        *type = end < devices ? GPU : SWITCH;
    return problem;
}

/* A device has the bus behind its number, and a switch one behind those of all devices. */
NVML_API int nvmlDeviceGetNvLinkRemotePciInfo_v2(nvml_device device, unsigned link, struct place *place)
{
    unsigned end, devices;
    int problem = place ? link_of(device, link, &end, &devices) : INVALID_ARGUMENT;
    if (problem)
        return problem;
    unsigned bus = (end < devices ? end + 1 : FIRST_SWITCH_BUS + end - devices) & 0xff;
    *place = (struct place){.bus = bus};
    snprintf(place->short_text, sizeof place->short_text, "0000:%02x:00.0", bus);
    snprintf(place->text, sizeof place->text, "00000000:%02X:00.0", bus);
    return SUCCESS;
}

NVML_API int nvmlDeviceGetNvLinkRemotePciInfo(nvml_device device, unsigned link, struct place *place)
{
    return nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, place);
}

/* Access to the other's memory, to that of the host, and atomics: all but the second. */
NVML_API int nvmlDeviceGetNvLinkCapability(nvml_device device, unsigned link, int capability, unsigned *value)
{
    enum { P2P, HOST_MEMORY, P2P_ATOMICS };
    unsigned end, devices;
    int problem = value ? link_of(device, link, &end, &devices) : INVALID_ARGUMENT;
    if (!problem)
        *value = capability == P2P || capability == P2P_ATOMICS;
    return problem;
}

/* A device reaches its own memory, and that of others if the driver says so. */
NVML_API int nvmlDeviceGetP2PStatus(nvml_device device, nvml_device other, int index, int *status)
{
    enum { BY_NVLINK = 2 };
    CUdevice one, two;
    int can = 0, problem = status ? number_of(device, &one) : INVALID_ARGUMENT;
    problem = problem ? problem : number_of(other, &two);
    if (problem)
        return problem;
    if (one != two && cuDeviceCanAccessPeer(&can, one, two) != CUDA_SUCCESS)
        return UNKNOWN;
    unsigned end, devices;
    bool links = cudart_nvlink(one, 0, &end, &devices) == 0;
    *status = one == two || (can && (links || index != BY_NVLINK)) ? P2P_OK : P2P_UNKNOWN;
    return SUCCESS;
}

/* The state of a link is a field; no other has a value, and each says so itself. */
NVML_API int nvmlDeviceGetFieldValues(nvml_device device, int count, struct field *fields)
{
    enum { NVLINK_GET_STATE = 165, UNSIGNED_INT = 1 };
    CUdevice number;
    int problem = fields && count > 0 ? number_of(device, &number) : INVALID_ARGUMENT;
    for (int i = 0; !problem && i < count; i++) {
        int active = 0;
        fields[i].error = fields[i].number == NVLINK_GET_STATE
                              ? nvmlDeviceGetNvLinkState(device, fields[i].scope, &active)
                              : NOT_SUPPORTED;
        fields[i].type = UNSIGNED_INT;
        fields[i].value = (unsigned)active;
    }
    return problem;
}

NVML_API int nvmlDeviceGetGpuFabricInfoV(nvml_device device, void *out)
{
    (void)device, (void)out;
    return NOT_SUPPORTED;
}

NVML_API int nvmlDeviceGetPlatformInfo(nvml_device device, void *out)
{
    (void)device, (void)out;
    return NOT_SUPPORTED;
}

/* The list is empty, since the asking process is not told of itself. */
NVML_API int nvmlDeviceGetComputeRunningProcesses_v3(nvml_device device, unsigned *count, void *processes)
{
    CUdevice number;
    (void)processes;
    int problem = count ? number_of(device, &number) : INVALID_ARGUMENT;
    if (!problem)
        *count = 0;
    return problem;
}

NVML_API int nvmlDeviceGetComputeRunningProcesses_v2(nvml_device device, unsigned *count, void *processes)
{
    return nvmlDeviceGetComputeRunningProcesses_v3(device, count, processes);
}

NVML_API int nvmlDeviceGetComputeRunningProcesses(nvml_device device, unsigned *count, void *processes)
{
    return nvmlDeviceGetComputeRunningProcesses_v3(device, count, processes);
}
