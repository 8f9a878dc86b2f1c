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
#include "plugin/plugin.h"

struct cudart;

/* Engines of a device that a copy may need. */
enum cudart_engine { CUDART_NO_ENGINE, CUDART_UPLOAD, CUDART_DOWNLOAD, CUDART_ENGINES };

/* One device. Owner: device.c, but for fields that name another file. `functional` changes by the functions of
 * execute/device/device.h. */
struct cudart_device {
    struct cudart *rt;
    uint32_t number;
    const char *machine;           /* name or file of its machine */
    struct mnp_settings *settings; /* the machine file, read; NULL: the device is not built yet */
    struct plugin_set plugins;     /* that bring parts of it */
    struct gpu_parameters parameters;
    struct execute_device functional;  /* its memory, and execution without time */
    struct execute_recorder *recorder; /* writes a trace; NULL: none */
    struct execute_check *check;       /* looks for errors of the program; NULL: none */
    struct cudart_memory memory;
    struct cudart_code code;
    uint64_t pool;                        /* its current pool; 0: the default one (memory_pools.c) */
    uint32_t running;                     /* kernels that have begun and not ended (stream/simulation.c) */
    uint64_t compute_free;                /* fs: the end of its last kernel without timing (stream/clock.c) */
    uint64_t engine_free[CUDART_ENGINES]; /* fs: the ends of the last copies (stream/clock.c) */
    struct mnp_array workspaces;          /* memory of cooperative grids (launch/launch.c) */
    unsigned flags;                       /* set by the program (launch/limits.c) */
    uint64_t limits[3];                   /* set by the program; 0: the initial value (launch/limits.c) */
};

/* Makes the devices; each is built at its first use. */
void cudart_make_devices(struct cudart *rt, uint32_t count);
/* The device of an ordinal; NULL: there is none. */
struct cudart_device *cudart_device_at(const struct cudart *rt, int ordinal);
/* Whether there is one, for functions that ask outside a call: before the first call only number 0 is known. */
bool cudart_is_ordinal(int ordinal);
/* The device of this thread's current context, or the one that the thread has chosen. */
struct cudart_device *cudart_current_device(const struct cudart *rt);

/* Whether any device has been built; kernels that all devices have executed without time. */
bool cudart_has_device(const struct cudart *rt);
uint64_t cudart_launches(const struct cudart *rt);

/* Chooses and builds the device; without a word of the user's, the machine that code of `newest` (75: sm_75; 0: not
 * known) is for. */
enum cuda_error cudart_build_device(struct cudart_device *device, uint32_t newest);
/* What kernels print is kept until the processes of a machine have come together. */
void cudart_keep_prints(struct cudart_device *device);
/* The end of a recording. True where there is none. */
bool cudart_close_recorder(struct cudart_device *device, struct mnp_error *error);

enum { CUDART_NEWEST = 13 };                 /* of the versions of CUDA whose runtime this is */
int cudart_version(const struct cudart *rt); /* as cudaDriverGetVersion has it: 13000 */

/* Attributes by their numbers; false: there is no such attribute. Numbers of features that are not there give 0. */
bool cudart_attribute(const struct cudart_device *device, int number, int *value);

#endif
