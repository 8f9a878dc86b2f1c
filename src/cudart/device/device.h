/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated device: chosen, read from its machine file, and as programs can ask about it. */
#ifndef CUDART_DEVICE_H
#define CUDART_DEVICE_H

#include "cudart/base/abi.h"
#include "cudart/device/functional.h"
#include "cudart/device/ranks.h"
#include "execute/trace/recorder.h"
#include "execute/warp/check.h"
#include "gpu/device/parameters.h"

struct cudart;

/* Owner: device.c; `processes`: ranks.c. Its device changes by the functions of execute/device/device.h. */
struct cudart_machine {
    const char *name;              /* or file */
    struct mnp_settings *settings; /* NULL: not built yet */
    struct gpu_parameters parameters;
    struct execute_device device;
    struct execute_recorder *recorder; /* of a trace; NULL: none */
    struct execute_check *check;       /* for errors of the program; NULL: none */
    struct processes processes;        /* that simulate the machine together, this being the first */
};

/* Chooses and builds the device; without a word of the user's, the machine that code of `newest` (75: sm_75; 0: not
 * known) is for. */
enum cuda_error cudart_build_device(struct cudart *rt, uint32_t newest);
/* What kernels print is kept until the processes of a machine have come together. */
void cudart_keep_prints(struct cudart *rt);
/* The end of a recording. True where there is none. */
bool cudart_close_recorder(struct cudart *rt, struct mnp_error *error);

enum { CUDART_NEWEST = 13 };                 /* of the versions of CUDA whose runtime this is */
int cudart_version(const struct cudart *rt); /* as cudaDriverGetVersion has it: 13000 */

/* Attributes by their numbers; false: there is no such attribute. Numbers of features that are not there give 0. */
bool cudart_attribute(const struct cudart *rt, int number, int *value);

#endif
