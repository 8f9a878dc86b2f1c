/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver's functions by their names, for programs that load them one by one. */
#include "cudart/api/driver.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/process/api_call.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* From which version of CUDA on (12020: 12.2) a function's newer form is the one that its plain name means. The forms
 * that CUDA 3.2 and 4.0 brought are always meant: the older ones have 32-bit addresses. */
static const struct {
    const char *name;
    unsigned form;
    int since;
} forms[] = {
    {"cuCtxCreate", 3, 11040},
    {"cuCtxCreate", 4, 12050},
    {"cuCtxGetDevice", 2, 13000},
    {"cuCtxSynchronize", 2, 13000},
    {"cuDeviceGetUuid", 2, 11040},
    {"cuDevicePrimaryCtxRelease", 2, 11000},
    {"cuDevicePrimaryCtxReset", 2, 11000},
    {"cuDevicePrimaryCtxSetFlags", 2, 11000},
    {"cuEventElapsedTime", 2, 12080},
    {"cuGetProcAddress", 2, 12000},
    {"cuGraphAddDependencies", 2, 12030},
    {"cuGraphAddKernelNode", 2, 12000},
    {"cuGraphAddNode", 2, 12030},
    {"cuGraphExecKernelNodeSetParams", 2, 12000},
    {"cuGraphExecUpdate", 2, 12000},
    {"cuGraphGetEdges", 2, 12030},
    {"cuGraphKernelNodeGetParams", 2, 12000},
    {"cuGraphKernelNodeSetParams", 2, 12000},
    {"cuGraphNodeGetDependencies", 2, 12030},
    {"cuGraphNodeGetDependentNodes", 2, 12030},
    {"cuGraphRemoveDependencies", 2, 12030},
    {"cuIpcOpenMemHandle", 2, 11000},
    {"cuMemAdvise", 2, 12020},
    {"cuMemPrefetchAsync", 2, 12020},
    {"cuMemcpy3DBatchAsync", 2, 13000},
    {"cuMemcpyBatchAsync", 2, 13000},
    {"cuStreamBatchMemOp", 2, 11070},
    {"cuStreamGetCaptureInfo", 2, 11030},
    {"cuStreamGetCaptureInfo", 3, 12030},
    {"cuStreamGetCtx", 2, 12050},
    {"cuStreamUpdateCaptureDependencies", 2, 12030},
    {"cuStreamWaitValue32", 2, 11070},
    {"cuStreamWaitValue64", 2, 11070},
    {"cuStreamWriteValue32", 2, 11070},
    {"cuStreamWriteValue64", 2, 11070},
};

/* The form that a version of CUDA means. 0: the plain one. */
static unsigned form_of(void *library, const char *name, int version)
{
    unsigned form = 0, known = 0;
    char longer[120];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0) {
            known = 1;
            form = version >= forms[i].since ? forms[i].form : form;
        }
    if (known)
        return form ? form : strcmp(name, "cuCtxCreate") == 0 ? 2 : 0;
    for (form = 3; form > 1; form--) {
        snprintf(longer, sizeof longer, "%s_v%u", name, form);
        if (dlsym(library, longer))
            return form;
    }
    return 0;
}

void *cudart_driver_symbol(const char *name, int version, bool per_thread)
{
    Dl_info self;
    char plain[120], text[140];
    if (strlen(name) > 80 || strncmp(name, "cu", 2) != 0 || strncmp(name, "cuda", 4) == 0 ||
        !dladdr((void *)cudart_driver_symbol, &self))
        return NULL;
    void *library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return NULL;
    unsigned form = form_of(library, name, version);
    snprintf(plain, sizeof plain, "%s", name);
    if (form)
        snprintf(plain, sizeof plain, "%.80s_v%u", name, form);
    void *found = NULL;
    for (unsigned i = 0; per_thread && !found && i < 2; i++) {
        snprintf(text, sizeof text, "%s%s", plain, i ? "_ptds" : "_ptsz");
        found = dlsym(library, text);
    }
    found = found ? found : dlsym(library, plain);
    dlclose(library);
    return found;
}

CUDART_API CUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                                     CUdriverProcAddressQueryResult *status)
{
    if (!name || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    *function = cudart_driver_symbol(name, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_DRIVER_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* The form of CUDA 11.3 to 11.8, without the status. */
#undef cuGetProcAddress
CUDART_API CUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* Tables of functions that NVIDIA's own libraries use to make sure that the driver is NVIDIA's. */
CUDART_API CUresult cuGetExportTable(const void **table, const void *id)
{
    Dl_info caller;
    bool known = dladdr(__builtin_return_address(0), &caller) && caller.dli_fname;
    (void)id;
    if (table)
        *table = NULL;
    struct cudart_thread *thread = cudart_thread();
    thread->in_driver++;
    struct cudart *rt = cudart_enter();
    enum cuda_error error = cudart_refuse_library(rt, known ? caller.dli_fname : "a library");
    thread->in_driver--;
    return cudart_driver_error((enum cuda_error)cudart_leave_quietly(rt, error));
}
