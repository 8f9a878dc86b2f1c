/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The translation of a program for a GPU. NVRTC, which is opened by name, makes PTX of the text that translate.c
 * writes; it is appended to that of the kernels, so that both are one module, in which a kernel can call what it is
 * given the address of. It is kept beside the translations for the host (library.c).
 */
#include "base/allocate.h"
#include "base/file.h"
#include "base/version.h"
#include "manycore/gpu/gpu.h"
#include "manycore/gpu/kernel.h"
#include "manycore/translation/translate.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Functions of NVRTC that this file calls; a result of 0 is success. */
struct nvrtc {
    void *library;
    int (*nvrtcCreateProgram)(void **program, const char *text, const char *name, int headers,
                              const char *const *header_texts, const char *const *header_names);
    int (*nvrtcCompileProgram)(void *program, int count, const char *const *options);
    int (*nvrtcGetPTXSize)(void *program, size_t *bytes);
    int (*nvrtcGetPTX)(void *program, char *ptx);
    int (*nvrtcGetProgramLogSize)(void *program, size_t *bytes);
    int (*nvrtcGetProgramLog)(void *program, char *text);
    int (*nvrtcDestroyProgram)(void **program);
};

#define OPTIONS "--gpu-architecture=compute_75", "--std=c++17", "-w", "--no-source-include"

static bool open_nvrtc(struct nvrtc *nvrtc, struct mnp_error *why)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so",
                                        "/usr/local/cuda/lib64/libnvrtc.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !nvrtc->library; i++)
        nvrtc->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!nvrtc->library)
        return mnp_fail(why, "NVRTC, which compiles them for a GPU, is missing (libnvrtc.so cannot be opened); it is "
                             "part of the CUDA toolkit");
    const struct {
        const char *name;
        void *place;
    } calls[] = {{"nvrtcCreateProgram", &nvrtc->nvrtcCreateProgram},
                 {"nvrtcCompileProgram", &nvrtc->nvrtcCompileProgram},
                 {"nvrtcGetPTXSize", &nvrtc->nvrtcGetPTXSize},
                 {"nvrtcGetPTX", &nvrtc->nvrtcGetPTX},
                 {"nvrtcGetProgramLogSize", &nvrtc->nvrtcGetProgramLogSize},
                 {"nvrtcGetProgramLog", &nvrtc->nvrtcGetProgramLog},
                 {"nvrtcDestroyProgram", &nvrtc->nvrtcDestroyProgram}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *call = dlsym(nvrtc->library, calls[i].name);
        if (!call)
            return mnp_fail(why, "libnvrtc.so has no %s", calls[i].name);
        memcpy(calls[i].place, &call, sizeof call);
    }
    return true;
}

/* Says what NVRTC has to say, or its number. */
static void tell(const struct nvrtc *nvrtc, void *program, int problem, struct mnp_error *why)
{
    size_t bytes = 0;
    if (program && nvrtc->nvrtcGetProgramLogSize(program, &bytes) == 0 && bytes > 1) {
        char *log = mnp_allocate(bytes + 1, 1);
        nvrtc->nvrtcGetProgramLog(program, log);
        mnp_fail(why, "NVRTC failed (%d): %.200s", problem, log);
        free(log);
    } else {
        mnp_fail(why, "NVRTC failed (%d)", problem);
    }
}

/* The PTX of a text; free it. */
static char *compile(const struct nvrtc *nvrtc, const char *text, struct mnp_error *why)
{
    static const char *const options[] = {OPTIONS};
    void *program = NULL;
    char *ptx = NULL;
    size_t bytes = 0;
    int problem = nvrtc->nvrtcCreateProgram(&program, text, "translation.cu", 0, NULL, NULL);
    if (!problem)
        problem = nvrtc->nvrtcCompileProgram(program, sizeof options / sizeof *options, options);
    if (!problem)
        problem = nvrtc->nvrtcGetPTXSize(program, &bytes);
    if (!problem) {
        ptx = mnp_allocate(bytes + 1, 1);
        problem = nvrtc->nvrtcGetPTX(program, ptx);
    }
    if (problem) {
        tell(nvrtc, program, problem, why);
        free(ptx);
        ptx = NULL;
    }
    if (program)
        nvrtc->nvrtcDestroyProgram(&program);
    return ptx;
}

/* Blanks the hints of which bytes are used, which came with PTX 8.3. */
static void forget_hints(char *ptx)
{
    for (char *at = ptx; (at = strstr(at, ".pragma \"used_bytes_mask")) != NULL;)
        while (*at && *at != '\n')
            *at++ = ' ';
}

/* The kernels, and behind them what a PTX has behind its head. They keep their version, which is that of what is used,
 * so that a driver older than NVRTC takes them. */
static char *join(const char *ptx, struct mnp_error *why)
{
    const char *body = strstr(ptx, ".address_size");
    char *all = NULL, *kernels;
    if (!body || !(body = strchr(body, '\n'))) {
        mnp_fail(why, "a translation is damaged; remove it from the cache folder");
        return NULL;
    }
    if (!(kernels = manycore_kernel_text(why)))
        return NULL;
    MNP_NEED_MEMORY(asprintf(&all, "%s%s", kernels, body) > 0, "a translation");
    mnp_unpacked_free(kernels);
    forget_hints(all);
    return all;
}

/* Keeps a translation; where that fails it is made again the next time. */
static void keep(const char *path, const char *ptx)
{
    struct mnp_output output = {0};
    struct mnp_error error = {""};
    if (!mnp_output_open(&output, path, &error))
        return;
    fputs(ptx, output.stream);
    if (mnp_output_finish(&output, &error) && mnp_output_commit(&output, &error))
        return;
    mnp_output_discard(&output);
}

char *manycore_gpu_translate(const struct manycore_image *image, const struct manycore_parameters *parameters,
                             bool may_compile, struct mnp_error *why)
{
    enum { MOST = 1 << 30 };
    struct nvrtc nvrtc = {0};
    static const char *const made_by[] = {"nvrtc", OPTIONS, MANIPLE_VERSION, NULL};
    struct mnp_error absent = {""};
    char *text = manycore_translate(image, parameters, true), *all = NULL;
    char *path = manycore_translation_path(text, made_by, "ptx", why);
    size_t length;
    char *ptx = path ? mnp_read_file(path, MOST, &length, &absent) : NULL;
    if (path && !ptx && !may_compile)
        mnp_fail(why, "it has not been compiled before");
    else if (path && !ptx && open_nvrtc(&nvrtc, why) && (ptx = compile(&nvrtc, text, why)))
        keep(path, ptx);
    if (ptx)
        all = join(ptx, why);
    free(ptx);
    free(path);
    free(text);
    return all;
}
