/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures, and the messages about them. */
#include "cudart/base/failure.h"

#include "base/print.h"
#include "cudart/base/state.h"

#include <stdio.h>
#include <string.h>

void cudart_say(const struct mnp_error *error)
{
    fflush(stdout);
    mnp_print_text(stderr, "maniple: error: %s\n", error->text);
}

/* Whether the fault is that of an option or a machine of the command, and not the program's. */
static bool is_of_command(const struct cudart *rt, enum cuda_error code)
{
    return code == CUDA_INITIALIZATION_ERROR ||
           (code == CUDA_NO_KERNEL_IMAGE_FOR_DEVICE && rt->calls.options.code != CUDART_CODE_AUTO);
}

enum cuda_error cudart_refuse(struct cudart *rt, const struct mnp_error *error, enum cuda_error code)
{
    cudart_say(error);
    rt->faults.refused = true;
    rt->faults.misused |= is_of_command(rt, code);
    return code;
}

void cudart_spoil(struct cudart *rt)
{
    rt->faults.refused = true;
}

enum cuda_error cudart_fail(struct cudart *rt, enum cuda_error code)
{
    return rt->faults.failure = code;
}

void cudart_break(struct cudart *rt, enum cuda_error code)
{
    rt->faults.pending = code;
}

enum cuda_error cudart_surface(struct cudart *rt)
{
    if (rt->faults.pending && !rt->faults.failure)
        rt->faults.failure = rt->faults.pending;
    return rt->faults.failure;
}

void cudart_forgive(struct cudart *rt)
{
    rt->faults.failure = rt->faults.pending = CUDA_SUCCESS;
}

/* Whether a name has been said before; it has been now. */
static bool was_said(struct cudart *rt, const char *name)
{
    const char *const *warned = rt->faults.warned.items;
    for (uint32_t i = 0; i < rt->faults.warned.count; i++)
        if (strcmp(warned[i], name) == 0)
            return true;
    *(const char **)mnp_array_add(&rt->faults.warned, 1, sizeof name) = name;
    return false;
}

enum cuda_error cudart_refuse_function(struct cudart *rt, const char *name)
{
    struct mnp_error error = {{0}};
    if (was_said(rt, name))
        return CUDA_NOT_SUPPORTED;
    mnp_fail(&error, "%s: %s is not supported yet (docs/cuda-functions.md lists what is)", rt->calls.options.program,
             name);
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

enum cuda_error cudart_refuse_versions(struct cudart *rt, const char *name)
{
    struct mnp_error error = {{0}};
    if (was_said(rt, name))
        return CUDA_NOT_SUPPORTED;
    mnp_fail(&error,
             "%s: %s is called where shared runtimes of CUDA 12 and of CUDA 13 are in use, which disagree about its "
             "parameters; use libraries of one version",
             rt->calls.options.program, name);
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

enum cuda_error cudart_refuse_mathematics(struct cudart *rt, const char *name, const char *what)
{
    struct mnp_error error = {{0}};
    if (was_said(rt, name))
        return CUDA_NOT_SUPPORTED;
    mnp_fail(&error, "%s: %s%s%s is not supported yet (docs/libraries.md lists what is)", rt->calls.options.program,
             name, what ? ": " : "", what ? what : "");
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

void cudart_warn_once(struct cudart *rt, const char *name, const char *what)
{
    if (was_said(rt, name))
        return;
    fflush(stdout);
    mnp_print_text(stderr, "maniple: warning: %s: %s\n", rt->calls.options.program, what);
}

/* NVIDIA's compilers look for the driver too, and do without it; warp.so has them inside. */
static bool is_compiler(const char *library)
{
    static const char *const names[] = {"libnvrtc",         "libnvJitLink", "libnvvm",
                                        "libnvptxcompiler", "libnvfatbin",  "warp.so"};
    const char *slash = strrchr(library, '/'), *file = slash ? slash + 1 : library;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(file, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Alternatives to a library, for messages. */
static const char *instead_of(const char *library)
{
    static const struct {
        const char *part, *instead;
    } rows[] = {
        {"cuda/bindings/", "cuda.bindings.runtime holds NVIDIA's runtime in a version that no map is of "
                           "(data/runtimes); use cuda.bindings.driver, or cuda.core"},
        {"libcublas", "use cuBLAS's shared library, whose place Maniple's takes (docs/libraries.md)"},
        {"libcufft", "use cuFFT's shared library, whose place Maniple's takes (docs/libraries.md)"},
        {"libcurand", "use cuRAND's shared library, whose place Maniple's takes (docs/libraries.md)"},
        {"libcusparse", "use cuSPARSE's shared library, whose place Maniple's takes (docs/libraries.md)"},
        {"libcusolver", "use cuSOLVER's shared library, whose place Maniple's takes (docs/libraries.md)"},
        {"libcudnn", "use cuDNN 9's shared library, whose place Maniple's takes (docs/libraries.md), cuBLAS, Triton or "
                     "kernels of your own"},
        {".so", "use code that is built as CUDA source in its place"},
        {"", "if it holds NVIDIA's runtime (-cudart static) without symbols, in a version that no map is of, leave its "
             "symbols in, or build it again with nvcc -cudart shared"},
    };
    size_t i = 0;
    while (!strstr(library, rows[i].part))
        i++;
    return rows[i].instead;
}

enum cuda_error cudart_refuse_library(struct cudart *rt, const char *library)
{
    struct mnp_error error = {{0}};
    if (is_compiler(library))
        return CUDA_NOT_SUPPORTED;
    if (was_said(rt, "cuGetExportTable"))
        return CUDA_NOT_SUPPORTED;
    mnp_fail(&error,
             "%s: %s asks for the identity of NVIDIA's driver (cuGetExportTable), which is not answered: closed "
             "libraries of NVIDIA's do not run; %s",
             rt->calls.options.program, library, instead_of(library));
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}
