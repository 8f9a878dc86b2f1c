/* SPDX-License-Identifier: BSD-3-Clause */
/* All parameters of a system of GPUs: how many devices there are, what joins them, and those that each device has. */
#ifndef GPU_SYSTEM_PARAMETERS_H
#define GPU_SYSTEM_PARAMETERS_H

#include "contract/space.h"
#include "gpu/fabric/fabric.h"

struct gpu_system_parameters {
    uint64_t devices;
    struct gpu_fabric_parameters fabric;
    struct gpu_parameters device;
};

extern const struct mnp_model gpu_system_model;

/* All GPU models, NULL-terminated: the one explicit list. */
extern const struct mnp_model *const gpu_models[];

/* Reads the parameters from the settings and checks them together. */
bool gpu_system_parameters_read(struct gpu_system_parameters *parameters, struct mnp_settings *settings,
                                struct mnp_error *error);

/* Whether settings that have been read are of one device. The error begins with `what`, as in "CUDA programs run". */
bool gpu_system_check_one(const struct mnp_settings *settings, const char *what, struct mnp_error *error);

/* Reads the parameters for a user of one device alone. */
bool gpu_system_parameters_read_one(struct gpu_parameters *device, struct mnp_settings *settings, const char *what,
                                    struct mnp_error *error);

#endif
