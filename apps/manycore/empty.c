/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing: what an offload costs by itself. */
#include "manycore.h"

int mc_main(void)
{
    return 0;
}
