/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of NVIDIA's library of the same name (data/exports): a call says that the function is missing and returns
 * an error. The library's own function replaces it where there is one.
 */
#ifndef MATHLIB_MISSING_H
#define MATHLIB_MISSING_H

#include "mathlib/common/kernels.h"

#define MATHLIB_MISSING(name, error)                                                                                   \
    __attribute__((weak)) MATHLIB_API int name(void)                                                                   \
    {                                                                                                                  \
        mathlib_refuse(#name, NULL);                                                                                   \
        return error;                                                                                                  \
    }

#endif
