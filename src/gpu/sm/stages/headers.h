/* SPDX-License-Identifier: BSD-3-Clause */
/* The headers of the stages of an SM (list.h). */
#ifndef GPU_SM_STAGES_HEADERS_H
#define GPU_SM_STAGES_HEADERS_H

#include "gpu/sm/arrivals.h"
#include "gpu/sm/barrier.h"
#include "gpu/sm/cluster.h"
#include "gpu/sm/constant.h"
#include "gpu/sm/copies.h"
#include "gpu/sm/cta.h"
#include "gpu/sm/depend.h"
#include "gpu/sm/dependent_launch.h"
#include "gpu/sm/fetch.h"
#include "gpu/sm/issue.h"
#include "gpu/sm/l1d.h"
#include "gpu/sm/l1i.h"
#include "gpu/sm/line_fill.h"
#include "gpu/sm/live.h"
#include "gpu/sm/loads.h"
#include "gpu/sm/lsu.h"
#include "gpu/sm/parts/parts.h"
#include "gpu/sm/parts/turn.h"
#include "gpu/sm/port.h"
#include "gpu/sm/remote_port.h"
#include "gpu/sm/steady.h"
#include "gpu/sm/store_joins.h"
#include "gpu/sm/tcgen05/tcgen05.h"
#include "gpu/sm/tcgen05/tmem.h"
#include "gpu/sm/tma/tma.h"
#include "gpu/sm/warp_wait.h"
#include "gpu/sm/wgmma/wgmma.h"

#endif
