/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that are another's under a second name, and functions that are not supported (data/exports). */
#ifndef CUDART_MISSING_H
#define CUDART_MISSING_H

#include "cudart/base/abi.h"

#define ALIAS(name, target) __asm__(".globl " #name "\n.type " #name ", @function\n" #name ": jmp " #target "@PLT\n")

/* Says once for each function that it is missing. `name` is kept. */
int cudart_missing(const char *name);
int cudart_missing_driver(const char *name);

#define MISSING_BY(say, name)                                                                                          \
    __attribute__((weak)) CUDART_API int name(void)                                                                    \
    {                                                                                                                  \
        return say(#name);                                                                                             \
    }
#define MISSING(name)        MISSING_BY(cudart_missing, name)
#define MISSING_DRIVER(name) MISSING_BY(cudart_missing_driver, name)

#endif
