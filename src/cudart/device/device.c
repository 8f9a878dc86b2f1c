/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated device: chosen, read from its machine file, and what it is beyond that. */
#include "cudart/device/device.h"

#include "cudart/base/driver_contexts.h"
#include "cudart/base/failure.h"
#include "cudart/base/options.h"
#include "cudart/base/process_group.h"
#include "cudart/base/rank_commands.h"
#include "cudart/base/state.h"
#include "cudart/device/functional.h"
#include "cudart/device/ranks.h"
#include "engine/configure/defaults.h"
#include "execute/device/journal.h"
#include "gpu/system/kind.h"
#include "gpu/system/parameters.h"
#include "machines.h"

#include <stdio.h>

struct cudart_device *cudart_device_at(const struct cudart *rt, int ordinal)
{
    return ordinal >= 0 && (uint32_t)ordinal < rt->device_count ? &rt->devices[ordinal] : NULL;
}

bool cudart_is_ordinal(int ordinal)
{
    const struct cudart *rt = cudart_state();
    return rt->device_count ? cudart_device_at(rt, ordinal) != NULL : ordinal == 0;
}

struct cudart_device *cudart_current_device(const struct cudart *rt)
{
    const struct cudart_handle_context *context = cudart_context_at(rt, cudart_current_context(rt));
    return &rt->devices[context ? context->device : cudart_thread()->device];
}

bool cudart_has_device(const struct cudart *rt)
{
    for (uint32_t i = 0; i < rt->device_count; i++)
        if (rt->devices[i].settings)
            return true;
    return false;
}

uint64_t cudart_launches(const struct cudart *rt)
{
    uint64_t launches = 0;
    for (uint32_t i = 0; i < rt->device_count; i++)
        launches += rt->devices[i].functional.launches;
    return launches;
}

/* Without a word of the user's, the machine that the program's newest code is for. `newest` 0: a program of the
 * driver's has said nothing yet. */
static const char *choose(const struct cudart_device *device, uint32_t newest)
{
    struct cudart *rt = device->rt;
    if (rt->calls.options.machine)
        return rt->calls.options.machine;
    return newest ? mnp_default_near(mnp_built_in_machines, newest)
                  : mnp_default_of_kind(mnp_built_in_machines, gpu_kind.name);
}

/* Parameters of all devices, which are alike. */
static bool read_parameters(struct cudart *rt, struct mnp_settings *settings, struct mnp_error *error)
{
    struct gpu_system_parameters p;
    if (!gpu_system_parameters_read(&p, settings, error))
        return false;
    if (p.devices != rt->machine_devices)
        return mnp_settings_fail(settings, "gpu.devices", error, "this program runs on %u; start it by `maniple run`",
                                 rt->machine_devices);
    for (uint32_t i = 0; i < rt->machine_devices; i++) {
        rt->devices[i].settings = settings;
        rt->devices[i].parameters = p.device;
        rt->devices[i].fabric = p.fabric;
    }
    return true;
}

static bool build(struct cudart_device *device, uint32_t newest, struct mnp_error *error)
{
    struct cudart *rt = device->rt;
    struct plugin_set *plugins = &rt->devices[0].plugins;
    struct mnp_settings_source from = {.machine = choose(device, newest),
                                       .built_in = mnp_built_in_machines,
                                       .kind = gpu_kind.name,
                                       .overrides = rt->calls.options.overrides,
                                       .override_count = rt->calls.options.override_count,
                                       .joined = &plugins->joined};
    if (!plugins->count && !plugin_set_load_list(plugins, rt->calls.options.plugin_files, error))
        return false;
    device->machine = from.machine;
    device->settings = mnp_settings_load(&from, error);
    return device->settings && cudart_join_ranks(rt, error) && read_parameters(rt, device->settings, error);
}

/* An error of the program's that --check has found. */
static void on_check(void *context, const struct mnp_error *error)
{
    cudart_refuse(context, error, CUDA_SUCCESS);
}

enum cuda_error cudart_build_device(struct cudart_device *device, uint32_t newest)
{
    struct cudart *rt = device->rt;
    const char *trace = rt->calls.options.trace;
    struct mnp_error error = {{0}};
    if (rt->calls.adopt)
        rt->calls.adopt(rt);
    bool good = build(device, newest, &error);
    if (good && trace && !device->recorder) {
        device->recorder =
            execute_recorder_open(trace, mnp_settings_architecture(device->settings),
                                  rt->calls.options.trace_warps ? EXECUTE_TRACE_WARPS : EXECUTE_TRACE_TEXT, &error);
        good = device->recorder != NULL;
    }
    if (!good)
        return cudart_fail(rt, cudart_refuse(rt, &error, CUDA_INITIALIZATION_ERROR));
    if (rt->calls.options.check && !device->check)
        device->check =
            execute_check_open((struct execute_checked){.race = rt->calls.options.check & CUDART_CHECK_RACE,
                                                        .init = rt->calls.options.check & CUDART_CHECK_INIT,
                                                        .sync = rt->calls.options.check & CUDART_CHECK_SYNC},
                               on_check, rt);
    if (rt->machine_devices > 1)
        cudart_join_devices(rt);
    else
        cudart_functional_init(&device->functional, &device->parameters, stdout);
    for (uint32_t i = 0; i < rt->machine_devices; i++)
        rt->devices[i].functional.interrupt = trace ? NULL : &rt->interrupt.wish;
    cudart_command_ranks(rt, CUDART_RANK_DEVICE, 0);
    if (processes_joined(&rt->processes))
        execute_journal_start(&device->functional);
    for (uint32_t i = 0; rt->sharing.timed && !rt->sharing.leads && i < rt->machine_devices; i++) {
        execute_journal_start(&rt->devices[i].functional);
        rt->devices[i].functional.journal->without_data = true; /* memory is common */
    }
    return CUDA_SUCCESS;
}

void cudart_keep_prints(struct cudart_device *device)
{
    device->functional.keeps_output = processes_joined(&device->rt->processes);
}

bool cudart_close_recorder(struct cudart_device *device, struct mnp_error *error)
{
    bool closed = !device->recorder || execute_recorder_close(device->recorder, error);
    device->recorder = NULL;
    return closed;
}

static uint64_t bus_bits(const struct gpu_partition_parameters *p)
{
    return p->count * p->dram.bus_width * 8; /* a partition has one channel */
}

bool cudart_has_multicast(const struct cudart_device *device)
{
    return device->rt->system && gpu_fabric_has_multicast(&device->fabric, device->rt->machine_devices);
}

/* Objects are those of one process: libraries that have several take other ways if they hear so in time. */
static bool offers_multicast(const struct cudart_device *device)
{
    return cudart_has_multicast(device) && cudart_process_group_members(&device->rt->calls.options) < 2;
}

/* Attributes by their numbers; false: there is no such attribute. What is not here is a feature that is not there. */
bool cudart_attribute(const struct cudart_device *device, int number, int *value)
{
    const struct gpu_parameters *p = &device->parameters;
    uint32_t architecture = mnp_settings_architecture(device->settings);
    uint64_t shared = p->sm.shared_max, optin = shared - p->sm.shared_reserved;
    bool descriptors = device->rt->sharing.page && !device->rt->sharing.timed;
    const struct {
        int number;
        uint64_t value;
    } rows[] = {
        {1, 1024},
        {2, 1024},
        {3, 1024},
        {4, 64},
        {5, INT32_MAX},
        {6, 65535},
        {7, 65535}, /* threads and blocks */
        {8, 48 * 1024},
        {9, 64 * 1024},
        {10, 32},
        {11, INT32_MAX},
        {12, p->sm.registers},
        {13, p->machine.clock_core / 1000},
        {14, 512},
        {15, 1},
        {16, p->sm.count},
        {19, 1},
        {30, 512},
        {31, 1},
        {33, device->place + 1}, /* the bus, as in cuDeviceGetPCIBusId */
        {36, p->machine.clock_dram / 1000},
        {37, bus_bits(&p->partition)},
        {38, p->partition.count * p->partition.slices * p->partition.cache.size},
        {39, p->sm.warps * 32},
        {40, 2},
        {41, 1},
        {51, 32},
        {75, architecture / 10},
        {76, architecture % 10},
        {78, 1},
        {79, 1},
        {80, 1},
        {81, shared},
        {82, p->sm.registers},
        {83, 1},
        {95, 1}, /* cooperative launches */
        {97, optin},
        {99, 1},
        {106, p->sm.ctas},
        {111, p->sm.shared_reserved},
        {102, 1},                                                 /* virtual memory management */
        {103, descriptors},                                       /* handles that are descriptors of files */
        {115, 1},                                                 /* memory pools */
        {132, offers_multicast(device)},                          /* multicast objects */
        {120, mnp_settings_architecture(device->settings) >= 90}, /* launches with clusters */
    };
    *value = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number)
            *value = rows[i].value > INT32_MAX ? INT32_MAX : (int)rows[i].value;
    return number >= 1 && number <= 147;
}

int cudart_version(const struct cudart *rt)
{
    return (rt->contexts.major ? rt->contexts.major : CUDART_NEWEST) * 1000;
}
