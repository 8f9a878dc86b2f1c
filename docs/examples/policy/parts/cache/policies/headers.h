/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's headers of replacement policies (src/parts/cache/policies/headers.h), and the line that the example
 * adds. */
#include "mru.h"
#include_next "parts/cache/policies/headers.h"
