/* SPDX-License-Identifier: BSD-3-Clause */
/* A library of a program's that uses the device when it is loaded, before the program begins. */
#include "maniple/driver.h"

CUcontext early_context;

__attribute__((constructor)) static void use_device(void)
{
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&early_context, 0))
        early_context = 0;
}
