/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose library has used the device before it begins (early_library.c), and whose kernel has a long name. */
#include "maniple/driver.h"

#include <stdio.h>

#define KERNEL "_ZN5outer5inner44kernel_of_a_name_that_no_column_has_room_forEPi"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry " KERNEL "(.param .u64 out)\n{\n.reg .b64 d;\n"
                          "ld.param.u64 d,[out]; st.global.u32 [d],7; ret;\n}\n";

extern CUcontext early_context;

int main(void)
{
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr out;
    int number = 0;
    void *arguments[] = {&out};
    if (!early_context || cuCtxSetCurrent(early_context) || cuModuleLoadData(&module, ptx) ||
        cuModuleGetFunction(&kernel, module, KERNEL) || cuMemAlloc(&out, sizeof number) ||
        cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) || cuMemcpyDtoH(&number, out, sizeof number))
        return 1;
    puts(number == 7 ? "right" : "wrong");
    return number != 7;
}
