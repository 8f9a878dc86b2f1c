/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches piece by piece, as before CUDA 4, by the driver API. */
#include "maniple/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind what it needs */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z);
extern CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes);
extern CUresult cuParamSetSize(CUfunction function, unsigned bytes);
extern CUresult cuParamSeti(CUfunction function, int offset, unsigned value);
extern CUresult cuParamSetf(CUfunction function, int offset, float value);
extern CUresult cuParamSetv(CUfunction function, int offset, const void *value, unsigned bytes);
extern CUresult cuLaunchGrid(CUfunction function, int width, int height);
extern CUresult cuLaunch(CUfunction function);
extern CUresult cuCtxDetach(CUcontext context);

#define MUST(call) assert_int_equal(call, CUDA_SUCCESS)

/* Each thread adds `more` to words[0], and words[1] gets `real`, words[2] the bytes of dynamic shared memory. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 words, .param .u32 more, .param .f32 real)\n{\n.reg .b32 r<4>; .reg .f32 f; .reg "
    ".b64 d;\n"
    "ld.param.u64 d,[words]; ld.param.u32 r1,[more]; ld.param.f32 f,[real]; red.global.add.u32 [d],r1;\n"
    "st.global.f32 [d+4],f; mov.u32 r2,%dynamic_smem_size; st.global.u32 [d+8],r2; ret;\n}\n";

static void pieces(void **state)
{
    (void)state;
    CUcontext context;
    CUmodule module;
    CUfunction add;
    CUdeviceptr words;
    union {
        uint32_t word[3];
        float real[3];
    } out;
    MUST(cuInit(0));
    MUST(cuCtxCreate(&context, NULL, 0, 0));
    MUST(cuModuleLoadData(&module, ptx));
    MUST(cuModuleGetFunction(&add, module, "add"));
    MUST(cuMemAlloc(&words, 12));
    MUST(cuMemsetD32(words, 0, 3));
    assert_int_equal(cuLaunch(add), CUDA_ERROR_INVALID_VALUE); /* its arguments are not stated */
    MUST(cuFuncSetBlockShape(add, 8, 4, 2));
    MUST(cuFuncSetSharedSize(add, 1024));
    MUST(cuParamSetv(add, 0, &words, sizeof words));
    MUST(cuParamSeti(add, 8, 3));
    MUST(cuParamSetf(add, 12, 0.5F));
    MUST(cuParamSetSize(add, 16));
    MUST(cuLaunchGrid(add, 5, 2));
    MUST(cuFuncSetBlockShape(add, 1, 1, 1)); /* all else stays as it was stated */
    MUST(cuLaunch(add));
    MUST(cuMemcpyDtoH(&out, words, 12));
    assert_int_equal(out.word[0], 3 * (64 * 10 + 1));
    assert_true(out.real[1] == 0.5F);
    assert_int_equal(out.word[2], 1024);
    assert_int_equal(cuLaunchGrid(add, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuFuncSetBlockShape(add, 1, -1, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuParamSetSize(add, 100000), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuParamSeti(add, -4, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuParamSeti(add, 4094, 1), CUDA_ERROR_INVALID_VALUE);
    MUST(cuParamSetSize(add, 12));
    assert_int_equal(cuLaunch(add), CUDA_ERROR_INVALID_VALUE); /* the last argument is cut off */
    MUST(cuCtxDetach(context));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces)};
    setenv("MANIPLE_CUDA", "program prepared_test\nfunctional\n", 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fflush(NULL);
    _exit(failed != 0); /* not by exit: what the library has refused would be this program's status */
}
