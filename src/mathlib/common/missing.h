/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of NVIDIA's library of the same name that ours does not have: a call says so and returns an error. */
#ifndef MATHLIB_MISSING_H
#define MATHLIB_MISSING_H

#include "mathlib/common/kernels.h"

#define MATHLIB_MISSING(name, error)                                                                                   \
    MATHLIB_API int name(void)                                                                                         \
    {                                                                                                                  \
        mathlib_refuse(#name, NULL);                                                                                   \
        return error;                                                                                                  \
    }

#endif
