/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's list of replacement policies (src/parts/cache/policies/list.h), and the one line that the example adds. */
#include_next "parts/cache/policies/list.h"
#include "mru.h"
