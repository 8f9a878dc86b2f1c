/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several devices of one machine: which of them the program sees, in whose range an address lies, and who may access
 * whose memory. Without time every device can reach every other; with time, only over a fabric.
 */
#include "cudart/base/failure.h"
#include "cudart/base/process_group.h"
#include "cudart/base/process_tree.h"
#include "cudart/base/sharing_time.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ===== what the program sees ===== */

/* The device that a word of CUDA_VISIBLE_DEVICES names: its number, or the beginning of "GPU-" and its identifier.
 * `count`: none. */
static uint32_t named(const char *word, size_t length, uint32_t count)
{
    char *end;
    unsigned long number = strtoul(word, &end, 10);
    if (length && end == word + length)
        return number < count ? (uint32_t)number : count;
    for (uint32_t i = 0; i < count; i++) {
        char text[CUDART_UUID_TEXT];
        cudart_uuid_text(i, text);
        if (length > 4 && length < sizeof text && strncmp(word, text, length) == 0)
            return i;
    }
    return count;
}

/* The places of the devices that a list names, up to the first that is not there. A device that is named twice leaves
 * none, as with NVIDIA's driver. */
static uint32_t read_visible(const char *list, uint32_t count, uint32_t places[])
{
    uint32_t found = 0, seen = 0;
    while (*list) {
        list += strspn(list, " ");
        size_t length = strcspn(list, ",");
        uint32_t place = named(list, length, count);
        if (place == count)
            return found;
        if (seen >> place & 1)
            return 0;
        seen |= UINT32_C(1) << place;
        places[found++] = place;
        list += length + (list[length] == ',');
    }
    return found;
}

/* Whether a list hides even the only device: it begins with a number below 0, which no list for another machine does,
 * as a batch system may leave in the environment. */
static bool hides_all(const char *list)
{
    return strtol(list, NULL, 10) < 0;
}

void cudart_make_devices(struct cudart *rt, uint32_t count, const char *visible)
{
    uint32_t places[MNP_SPACE_DEVICES], seen = 0;
    rt->devices = mnp_allocate(count, sizeof *rt->devices);
    rt->machine_devices = rt->device_count = count;
    for (uint32_t i = 0; i < count; i++)
        places[i] = i;
    if (visible && (count > 1 || hides_all(visible)))
        rt->device_count = read_visible(visible, count, places);
    for (uint32_t i = 0; i < rt->device_count; i++)
        seen |= UINT32_C(1) << places[i];
    for (uint32_t i = 0, hidden = rt->device_count; i < count; i++)
        if (!(seen >> i & 1))
            places[hidden++] = i;
    for (uint32_t i = 0; i < count; i++) {
        rt->devices[i].rt = rt;
        rt->devices[i].number = i;
        rt->devices[i].place = places[i];
    }
    if (!rt->device_count)
        cudart_fail(rt, CUDA_NO_DEVICE);
}

void cudart_uuid(uint32_t place, char bytes[16])
{
    memcpy(bytes, "Maniple device 0", 16);
    bytes[15] = "0123456789abcdef"[place % 16];
}

void cudart_uuid_text(uint32_t place, char text[CUDART_UUID_TEXT])
{
    char bytes[16], *at = text + sprintf(text, "GPU-");
    cudart_uuid(place, bytes);
    for (int i = 0; i < 16; i++)
        at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", (unsigned char)bytes[i]);
}

/* ===== memory ===== */

/* With time, a process that is the program itself, and has started no other, has the machine for itself. */
static bool is_alone(const struct cudart *rt)
{
    return rt->calls.options.process == getpid() && rt->calls.number == 1 && !cudart_has_children(getpid());
}

/* The results of all processes are the leader's, which need not be the first one that has called CUDA. */
static void take_common_folder(struct cudart_options *options)
{
    if (options->folder && options->folder != options->common_folder)
        rmdir(options->folder);
    options->folder = options->common_folder;
}

/* Processes of a run share the devices' memory, and with time the devices' time. */
static void join_node(struct cudart *rt)
{
    struct cudart_sharing *sharing = &rt->sharing;
    bool functional = rt->calls.options.functional;
    int file = functional || !is_alone(rt) ? cudart_process_group_open(&rt->calls.options) : -1;
    if (file < 0)
        return;
    bool joined = cudart_sharing_map(sharing, file);
    if (functional || !joined)
        close(file);
    sharing->file = file;
    if (!joined)
        return;
    if (!cudart_sharing_join(sharing)) {
        struct mnp_error error = {{0}};
        mnp_fail(&error, "%s: more than %d processes use the GPUs of this run; start fewer", rt->calls.options.program,
                 CUDART_SHARING_MEMBERS);
        cudart_fail(rt, cudart_refuse(rt, &error, CUDA_INITIALIZATION_ERROR));
        sharing->page = NULL;
        return;
    }
    mnp_pages_share(&rt->system->memory.pages, sharing->memory, MNP_SPACE_BASE / MNP_MEMORY_PAGE,
                    rt->machine_devices * MNP_SPACE_PART_BYTES / MNP_MEMORY_PAGE, !functional);
    if (!functional && cudart_course_join(sharing))
        take_common_folder(&rt->calls.options);
}

/* With time, a device is one process's alone: kernels of several would have to share it. */
static enum cuda_error claim(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    struct mnp_error error = {{0}};
    char other[CUDART_SHARING_NAME];
    if (cudart_course_claim(&rt->sharing, device->place, other))
        return CUDA_SUCCESS;
    mnp_fail(
        &error,
        "%s: GPU %u belongs to %s: with time, one process alone may use a GPU while the run lasts; choose another by "
        "cudaSetDevice or CUDA_VISIBLE_DEVICES, give more GPUs (--gpus), or use --functional",
        rt->calls.options.program, device->place, other);
    return cudart_fail(rt, cudart_refuse(rt, &error, CUDA_INITIALIZATION_ERROR));
}

/* The first process that comes to use a device gets half of its addresses, the next one half of the rest. */
enum cuda_error cudart_use_shared(struct cudart_device *device)
{
    struct cudart *rt = device->rt;
    if (!rt->sharing.page)
        return CUDA_SUCCESS;
    if (rt->sharing.timed)
        return claim(device);
    uint32_t slot = cudart_sharing_use(&rt->sharing, device->place);
    if (slot < CUDART_SHARING_SLOTS) {
        execute_device_narrow(&device->functional, MNP_SPACE_PART_BYTES - (MNP_SPACE_PART_BYTES >> slot),
                              MNP_SPACE_PART_BYTES >> (slot + 1));
        return CUDA_SUCCESS;
    }
    struct mnp_error error = {{0}};
    mnp_fail(&error, "%s: more than %d processes use GPU %u; choose others by cudaSetDevice or CUDA_VISIBLE_DEVICES",
             rt->calls.options.program, CUDART_SHARING_SLOTS, device->place);
    return cudart_fail(rt, cudart_refuse(rt, &error, CUDA_INITIALIZATION_ERROR));
}

void cudart_join_devices(struct cudart *rt)
{
    struct cudart_system *system = rt->system = mnp_allocate(1, sizeof *system);
    uint32_t count = rt->machine_devices;
    system->devices = mnp_allocate(count, sizeof(struct cudart_device *));
    system->parts = mnp_allocate(count, sizeof(struct execute_device *));
    cudart_functional_memory(&system->memory, &rt->devices[0].parameters, count);
    join_node(rt);
    for (uint32_t i = 0; i < count; i++) {
        struct cudart_device *device = &rt->devices[i];
        cudart_functional_init_in(&device->functional, &device->parameters, &system->memory, device->place, stdout);
        device->functional.closed = cudart_has_peers(device) ? NULL
                                                             : "without a fabric, fabric.kind, devices share no memory "
                                                               "in runs with time";
        system->devices[device->place] = device;
        system->parts[device->place] = &device->functional;
    }
    execute_device_join(system->parts, count);
}

struct cudart_device *cudart_by_place(const struct cudart *rt, uint32_t place)
{
    return rt->system ? rt->system->devices[place] : &rt->devices[place];
}

struct cudart_device *cudart_home(const struct cudart_device *device, uint64_t address)
{
    const struct cudart *rt = device->rt;
    uint64_t place = (address - MNP_SPACE_BASE) / MNP_SPACE_PART_BYTES;
    return rt->system && place < rt->machine_devices ? rt->system->devices[place] : (struct cudart_device *)device;
}

bool cudart_has_peers(const struct cudart_device *device)
{
    const struct cudart *rt = device->rt;
    return rt->device_count > 1 &&
           (gpu_fabric_joins(&device->fabric, rt->machine_devices) || rt->calls.options.functional);
}

bool cudart_can_reach(const struct cudart_device *device, const struct cudart_device *peer)
{
    const struct cudart *rt = device->rt;
    if (device == peer)
        return false;
    if (!gpu_fabric_joins(&device->fabric, rt->machine_devices))
        return rt->calls.options.functional;
    return gpu_fabric_links_between(&device->fabric, rt->machine_devices, device->place, peer->place) != 0;
}

uint64_t cudart_links_between(const struct cudart_device *from, const struct cudart_device *to)
{
    return gpu_fabric_links_between(&from->fabric, from->rt->machine_devices, from->place, to->place);
}

uint64_t cudart_link_rate(const struct cudart_device *from, const struct cudart_device *to)
{
    const struct gpu_lane_parameters *lane = &from->fabric.lane;
    return cudart_links_between(from, to) * lane->rate * from->fabric.copy_payload /
           (from->fabric.copy_payload + lane->header);
}

bool cudart_link_to(const struct cudart_device *device, uint32_t link, uint32_t *end)
{
    const struct gpu_fabric_parameters *fabric = &device->fabric;
    uint32_t devices = device->rt->machine_devices;
    if (fabric->kind != GPU_FABRIC_NVLINK || !gpu_fabric_joins(fabric, devices))
        return false;
    uint32_t ends = fabric->switches.count ? fabric->switches.count : devices;
    for (uint32_t i = 0; i < ends; i++) {
        uint32_t links = fabric->switches.count ? (uint32_t)fabric->switches.value[i]
                                                : gpu_fabric_links_between(fabric, devices, device->place, i);
        *end = fabric->switches.count ? devices + i : i;
        if (link < links)
            return true;
        link -= links;
    }
    return false;
}

void cudart_open_peer(struct cudart_device *device, struct cudart_device *peer, bool open)
{
    uint32_t bit = UINT32_C(1) << peer->place;
    device->peers = open ? device->peers | bit : device->peers & ~bit;
    execute_device_open(&peer->functional, device->place, open);
}

void cudart_grant(struct cudart_device *device, uint64_t address, uint64_t bytes, uint32_t devices)
{
    if (device->rt->system)
        execute_device_grant(&device->functional, address, bytes, cudart_has_peers(device) ? devices : 0);
}
