/* SPDX-License-Identifier: BSD-3-Clause */
/* The stand-in of libcudnn.so.9: handles, and every other function by its name, which says that it is missing. */
#ifndef STANDIN_CUDNN_H
#define STANDIN_CUDNN_H

#include "mathlib/common/refuse.h"

#include <stddef.h>

#define CUDNN_API __attribute__((visibility("default")))

enum { CUDNN_SUCCESS = 0, CUDNN_BAD_PARAM = 2000, CUDNN_NOT_SUPPORTED = 3000 };

/* Defines a function of data/exports/cudnn.txt, which the library's own of that name replaces. */
#define MISSING(name)                                                                                                  \
    __attribute__((weak)) CUDNN_API int name(void)                                                                     \
    {                                                                                                                  \
        maniple_refuse(#name, NULL);                                                                                   \
        return CUDNN_NOT_SUPPORTED;                                                                                    \
    }

#endif
