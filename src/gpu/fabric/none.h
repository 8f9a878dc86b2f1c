/* SPDX-License-Identifier: BSD-3-Clause */
/* No links: the devices of a system share nothing. */
#ifndef GPU_FABRIC_NONE_H
#define GPU_FABRIC_NONE_H

#include "gpu/fabric/fabric.h"

gpu_fabric_connector gpu_fabric_none_connect;

#endif
