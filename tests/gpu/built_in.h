/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GPU_BUILT_IN_H
#define TESTS_GPU_BUILT_IN_H

#include "gpu/device/parameters.h"

/* Reads a built-in machine; false: it is no GPU. */
bool built_in_gpu(const char *name, struct gpu_parameters *parameters);

#endif
