/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated device: chosen, read from its machine file, and as programs can ask about it. */
#ifndef CUDART_DEVICE_H
#define CUDART_DEVICE_H

#include "cudart/base/abi.h"
#include "cudart/device/allocator.h"
#include "cudart/device/functional.h"
#include "cudart/device/modules.h"
#include "execute/trace/recorder.h"
#include "execute/warp/check.h"
#include "gpu/device/parameters.h"
#include "gpu/fabric/fabric.h"
#include "plugin/plugin.h"

struct cudart;

/* Engines of a device that a copy may need. */
enum cudart_engine {
    CUDART_NO_ENGINE,
    CUDART_UPLOAD,
    CUDART_DOWNLOAD,
    CUDART_ENGINES,
    CUDART_BOTH_ENGINES = CUDART_ENGINES /* a copy between devices: from one's memory to that of the other */
};

/* One device. Owner: device.c, but for fields that name another file. `functional` changes by the functions of
 * execute/device/device.h. */
/* The last reading of a device's energy (api/power.c). */
struct cudart_power_reading {
    uint64_t time, energy; /* fs, fJ */
    uint32_t milliwatts;   /* mean before it */
};

struct cudart_device {
    struct cudart *rt;
    uint32_t number;                     /* its ordinal, which programs know */
    uint32_t place;                      /* its number in the machine: the same but for CUDA_VISIBLE_DEVICES */
    bool begun;                          /* the program has come to use it */
    struct gpu_fabric_parameters fabric; /* connections to the machine's other devices */
    uint32_t peers;                      /* bits, by place: devices whose memory the program lets it access */
    const char *machine;                 /* name or file of its machine */
    struct mnp_settings *settings;       /* the machine file, read; NULL: the device is not built yet */
    struct plugin_set plugins;           /* that bring parts of it */
    struct gpu_parameters parameters;
    struct execute_device functional;  /* its memory, and execution without time */
    struct execute_recorder *recorder; /* writes a trace; NULL: none */
    struct execute_check *check;       /* looks for errors of the program; NULL: none */
    struct cudart_memory memory;
    struct cudart_code code;
    uint64_t pool;             /* its current pool; 0: the default one (memory_pools.c) */
    uint32_t running;          /* kernels that have begun and not ended (stream/simulation.c) */
    uint32_t kernels, streams; /* launches and streams so far, of several devices (stream/streams.c) */
    uint64_t given;            /* operations given to its streams (stream/streams.c) */
    uint32_t aside;            /* kernels by value that wait for others (stream/simulation.c) */
    struct mnp_source *source; /* source of its kernels with time; NULL: none has been built */
    struct mnp_array numbers;  /* uint32_t: of its kernels with time among all of the program's (stream/simulation.c) */
    struct mnp_array ranged;   /* its launches inside ranges of NVTX (stream/profiler_ranges.c) */
    struct mnp_array started;  /* struct cudart_operation *: these kernels; NULL: ended (stream/simulation.c) */
    uint64_t compute_free;     /* fs: the end of its last kernel without timing (stream/clock.c) */
    uint64_t engine_free[CUDART_ENGINES]; /* fs: the ends of the last copies (stream/clock.c) */
    uint64_t link_free; /* fs: when an engine became free, all of which carried copies (stream/link_copies.c) */
    struct mnp_array workspaces;       /* memory of cooperative grids (launch/launch.c) */
    struct cudart_power_reading power; /* asked for by the stand-in of NVML (api/power.c) */
    unsigned flags;                    /* set by the program (launch/limits.c) */
    uint64_t limits[3];                /* set by the program; 0: the initial value (launch/limits.c) */
};

/* State shared by several devices. Owner: device.c. */
struct cudart_system {
    struct mnp_memory memory;
    struct cudart_device **devices; /* [machine_devices], by place */
    struct execute_device **parts;  /* the same, for execution */
};

/* Makes the devices of a machine; they are built at the first use of one. `visible`: CUDA_VISIBLE_DEVICES, of several;
 * NULL: the program sees all. */
void cudart_make_devices(struct cudart *rt, uint32_t count, const char *visible);
/* Identifiers of a device, by its place, and how they are written. */
enum { CUDART_UUID_TEXT = 41 };
void cudart_uuid(uint32_t place, char bytes[16]);
void cudart_uuid_text(uint32_t place, char text[CUDART_UUID_TEXT]);
/* Several devices, whose machine is known, get their common memory. */
void cudart_join_devices(struct cudart *rt);
/* This process comes to use a device: where others of the run may use it too, its addresses are those of one alone. */
enum cuda_error cudart_use_shared(struct cudart_device *device);
/* Whether the switches of the machine pass packets on to several devices (fabric.multicast). */
bool cudart_has_multicast(const struct cudart_device *device);
/* The device of an ordinal; NULL: there is none. */
struct cudart_device *cudart_device_at(const struct cudart *rt, int ordinal);
/* Whether there is one, for functions that ask outside a call: before the first call only number 0 is known. */
bool cudart_is_ordinal(int ordinal);
/* The device of this thread's current context, or the one that the thread has chosen. */
struct cudart_device *cudart_current_device(const struct cudart *rt);

/* The device of the machine that has a number there. */
struct cudart_device *cudart_by_place(const struct cudart *rt, uint32_t place);
/* The device in whose range an address lies; `device` where it lies in none, or where there is one device. */
struct cudart_device *cudart_home(const struct cudart_device *device, uint64_t address);
/* Whether devices can reach one another's memory: with time, by a fabric alone. */
bool cudart_has_peers(const struct cudart_device *device);
/* Whether a device can reach that of another: over links, where the machine has any. */
bool cudart_can_reach(const struct cudart_device *device, const struct cudart_device *peer);
/* The number of links between two devices. */
uint64_t cudart_links_between(const struct cudart_device *from, const struct cudart_device *to);
/* Data of copies that the links between two devices carry in a direction, MB/s; 0: there are none. */
uint64_t cudart_link_rate(const struct cudart_device *from, const struct cudart_device *to);
/* The end of a device's link: a device, by its place, or a switch, numbered behind the devices. False: there is no such
 * link. */
bool cudart_link_to(const struct cudart_device *device, uint32_t link, uint32_t *end);
/* Lets a device access the memory of another, and no longer. */
void cudart_open_peer(struct cudart_device *device, struct cudart_device *peer, bool open);
/* Lets devices (bits, by place) access a range beside its own device. */
void cudart_grant(struct cudart_device *device, uint64_t address, uint64_t bytes, uint32_t devices);

/* Whether any device has been built; kernels that all devices have executed without time. */
bool cudart_has_device(const struct cudart *rt);
uint64_t cudart_launches(const struct cudart *rt);

/* Chooses and builds the device; without a word of the user's, the machine that code of `newest` (75: sm_75; 0: not
 * known) is for. */
enum cuda_error cudart_build_device(struct cudart_device *device, uint32_t newest);
/* Keeps output of kernels until the processes of a machine have come together. */
void cudart_keep_prints(struct cudart_device *device);
/* The end of a recording. True where there is none. */
bool cudart_close_recorder(struct cudart_device *device, struct mnp_error *error);

enum { CUDART_NEWEST = 13 };                 /* newest CUDA version of this runtime */
int cudart_version(const struct cudart *rt); /* in the form of cudaDriverGetVersion: 13000 */

/* Attributes by their numbers; false: there is no such attribute. Numbers of features that are not there give 0. */
bool cudart_attribute(const struct cudart_device *device, int number, int *value);

#endif
