/* SPDX-License-Identifier: BSD-3-Clause */
/* The stand-in of libcupti.so.12 and .13, by which profilers record what devices do. */
#ifndef STANDIN_CUPTI_H
#define STANDIN_CUPTI_H

#include "mathlib/common/refuse.h"

#include <stddef.h>
#include <stdint.h>

#define CUPTI_API __attribute__((visibility("default")))

enum { CUPTI_SUCCESS = 0, CUPTI_BAD_PARAMETER = 1, CUPTI_NO_MORE = 12, CUPTI_NOT_SUPPORTED = 27 };

#define CUPTI_NOTHING                                                                                                  \
    "CUPTI records nothing of the simulated device: profilers have the host's activity alone; kernels and their "      \
    "times "                                                                                                           \
    "are in Maniple's results and timeline (docs/libraries.md)"

/* Defines a function of data/exports/cupti.txt, which the library's own of that name replaces. */
#define MISSING(name)                                                                                                  \
    __attribute__((weak)) CUPTI_API int name(void)                                                                     \
    {                                                                                                                  \
        maniple_warn("CUPTI", CUPTI_NOTHING);                                                                          \
        return CUPTI_NOT_SUPPORTED;                                                                                    \
    }

#endif
