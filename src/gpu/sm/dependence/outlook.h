/* SPDX-License-Identifier: BSD-3-Clause */
/* Further answers of a scheme, beside the cycle from which a warp's next instruction may issue. */
#ifndef GPU_SM_DEPENDENCE_OUTLOOK_H
#define GPU_SM_DEPENDENCE_OUTLOOK_H

#include <stdbool.h>
#include <stdint.h>

struct sm_outlook {
    uint64_t again; /* cycle in which the instruction may have to wait after all; MNP_NEVER: none */
    bool final;     /* no event before the issue of the instruction changes the cycle */
};

#endif
