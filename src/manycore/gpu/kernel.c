/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/gpu/kernel.h"

#include "base/packed.h"

extern const struct mnp_packed manycore_packed[]; /* made from data/ptx/manycore */

char *manycore_kernel_text(struct mnp_error *error)
{
    const char *why;
    char *text = mnp_unpack(manycore_packed, "kernel", &why);
    if (!text)
        mnp_fail(error, "--executor cuda: the kernels cannot be loaded: %s", why ? why : "there are none");
    return text;
}
