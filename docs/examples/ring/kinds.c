/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of kinds with one more line; in a machine of your own, that line goes into src/cli/kinds.c. */
#include "cli/kinds.h"

#include "gpu/system/kind.h"
#include "manycore/manycore.h"
#include "ring.h"

const struct mnp_machine_kind *const cli_kinds[] = {
    &gpu_kind,
    &manycore_kind,
    &ring_kind,
    NULL,
};
