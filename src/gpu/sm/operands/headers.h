/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers of the ways to read operands (list.h). */
#ifndef GPU_SM_OPERANDS_HEADERS_H
#define GPU_SM_OPERANDS_HEADERS_H

#include "gpu/sm/operands/collector.h"
#include "gpu/sm/operands/none.h"
#include "gpu/sm/operands/read_ports.h"

#endif
