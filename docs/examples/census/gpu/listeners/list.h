/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's list of the listeners of a GPU (src/gpu/listeners/list.h), and the one line that the example adds. */
#include_next "gpu/listeners/list.h"
#include "census/rows.h"
