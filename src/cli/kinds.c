/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/kinds.h"

#include "gpu/system/kind.h"
#include "manycore/manycore.h"

const struct mnp_machine_kind *const cli_kinds[] = {
    &gpu_kind,
    &manycore_kind,
    NULL,
};
